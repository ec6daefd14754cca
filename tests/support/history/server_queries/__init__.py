"""Queries for tests of the history on a server."""
