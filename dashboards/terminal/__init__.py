"""Renderers of documents: tables for people, JSON, lines and CSV for programs."""
