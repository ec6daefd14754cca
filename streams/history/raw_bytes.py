"""Bytes that a store keeps in a column of text."""

from __future__ import annotations


def as_bytes(value: str | bytes) -> bytes:
    """Give what the store has as bytes as bytes again."""
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
