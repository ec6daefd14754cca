"""Queries that only the tests of the history ask."""
