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


class DocumentFormat(StrEnum):
    """In which form an answer is written that is neither lines nor rows."""

    TABLE = "table"
    JSON = "json"


class LinesFormat(StrEnum):
    """In which form an answer is written that is no table of rows."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
