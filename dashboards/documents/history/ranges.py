"""Ranges of time, as they were understood."""

from __future__ import annotations

from dashboards.documents.instants import bound
from streams.replaying.span import FIRST_DATE, FIRST_US, LAST_DATE, LAST_US, Span


def range_json(span: Span) -> dict[str, object]:
    """Give a range as it was understood; open bounds are null."""
    return {
        "first_gaming_date": None if span.first_date == FIRST_DATE else span.first_date,
        "last_gaming_date": None if span.last_date == LAST_DATE else span.last_date,
        "from": None if span.from_us == FIRST_US else bound(span.from_us),
        "until": None if span.until_us == LAST_US else bound(span.until_us),
    }
