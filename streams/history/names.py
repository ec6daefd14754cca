"""Long lists of column names, written as a text in which they stand side by side."""

from __future__ import annotations


def names_of(text: str) -> tuple[str, ...]:
    """Split a text at its white space into names."""
    return tuple(text.split())
