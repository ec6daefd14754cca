"""Options ``--from`` and ``--to``: gaming dates or instants, echoed as they were understood."""

from __future__ import annotations

import datetime
from typing import Annotated, Final

import typer

from dashboards.documents.instants import bound
from dashboards.documents.texts import quoted
from dashboards.errors import UsageProblem
from dashboards.options.gaming_date import parse_gaming_date
from streams.replaying.span import FIRST_DATE, FIRST_US, LAST_DATE, LAST_US, Span

FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="WHEN",
        help="Gaming date, or an instant with its offset: 2025-06-07T18:00-04:00.",
    ),
]
ToOption = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="WHEN", help="Last gaming date, included; or an instant, not included."
    ),
]

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)
_DATE_LENGTH: Final = 10


def parse_span(begin: str | None, end: str | None) -> Span:
    """Read a range and say it back on standard error.

    Args:
        begin: Gaming date, or instant with an offset; None: open.
        end: Gaming date, included, or instant, not included; None: open.

    Raises:
        UsageProblem: Neither date nor instant, an instant without offset, or an empty range.
    """
    first_date, from_us = _bound(begin, "--from")
    last_date, until_us = _bound(end, "--to")
    span = Span(
        first_date or FIRST_DATE,
        last_date or LAST_DATE,
        FIRST_US if from_us is None else from_us,
        LAST_US if until_us is None else until_us,
    )
    if span.first_date > span.last_date or span.from_us >= span.until_us:
        raise UsageProblem(f"--from {begin} lies behind --to {end}; the range is empty")
    if not span.is_open:
        typer.echo(range_line(span), err=True)
    return span


def _bound(text: str | None, flag: str) -> tuple[str | None, int | None]:
    """Read one bound: a gaming date, or microseconds since 1970 UTC."""
    if text is None:
        return None, None
    stripped = text.strip()
    if len(stripped) <= _DATE_LENGTH or not stripped[:4].isdigit():
        return parse_gaming_date(stripped, flag).isoformat(), None
    return None, parse_instant(
        stripped, flag, "neither a gaming date nor an instant", "2025-06-07 or "
    )


def parse_instant(text: str, flag: str, wrong: str = "no instant", other: str = "") -> int:
    """Read an instant with its offset.

    Args:
        text: As the person wrote it.
        flag: The option that the error names.
        wrong: What the error says that the text is.
        other: What else the error says may be written.

    Returns:
        Microseconds since 1970 UTC.

    Raises:
        UsageProblem: No instant, or one without offset.
    """
    stripped = text.strip()
    try:
        instant = datetime.datetime.fromisoformat(stripped)
    except ValueError:
        raise UsageProblem(
            f"{flag} {quoted(text)}: {wrong}; write {other}2025-06-07T18:00-04:00"
        ) from None
    if instant.tzinfo is None:
        raise UsageProblem(
            f"{flag} {stripped}: an instant needs its offset; write {stripped}-04:00 or {stripped}Z"
        )
    try:
        return (instant.astimezone(datetime.UTC) - _EPOCH) // _MICROSECOND
    except OverflowError:
        raise UsageProblem(f"{flag} {stripped}: the calendar has no such day in UTC") from None


def range_line(span: Span) -> str:
    """Say a range as it was understood."""
    parts = []
    if span.first_date != FIRST_DATE:
        parts.append(f"from gaming date {span.first_date}")
    if span.from_us != FIRST_US:
        parts.append(f"from {bound(span.from_us)}")
    if span.last_date != LAST_DATE:
        parts.append(f"to gaming date {span.last_date}, included")
    if span.until_us != LAST_US:
        parts.append(f"to {bound(span.until_us)}, not included")
    return f"range: {' '.join(parts) or 'everything'}"
