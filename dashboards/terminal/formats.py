"""The forms in which an answer is written."""

from __future__ import annotations

from enum import StrEnum


class FormatOption(StrEnum):
    """In which form an answer is written."""

    TABLE = "table"
    """For people."""

    JSON = "json"
    """One document."""

    JSONL = "jsonl"
    """One object a line."""

    CSV = "csv"
    """One row a line, with a header."""
