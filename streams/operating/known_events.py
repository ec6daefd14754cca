"""Proof, before a process folds, that this build reads what every build must read.

The bytes of ``known_events.jsonl`` were written once and are only ever added to: a whole day of one
table, of which every event must be folded as valid, and then one event of every kind and version
that a device may still send. A build that fails here must not start, for it would turn good events
into dead letters. What arrives in a stream proves nothing about a build: anybody can send it.
"""

from __future__ import annotations

from importlib import resources
from typing import Final

from auditors.table import Delivered, absorb, new_state
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from streams.host.errors import UnfitBuildError

KNOWN_EVENTS: Final = "known_events.jsonl"
"""The file beside this module, one event a line."""

DAY_TABLE: Final = "BAC-03"
DAY_EVENTS: Final = 21
"""So many lines tell the day of the table, an honest one."""


def known_events() -> tuple[bytes, ...]:
    """Give the raw bytes of all known events, the table's day first."""
    content = resources.files("streams.operating").joinpath(KNOWN_EVENTS).read_bytes()
    return tuple(content.splitlines())


def check_build(events: tuple[bytes, ...] | None = None) -> None:
    """Read every known event, and fold the day of the table.

    Args:
        events: What to read in place of the known events.

    Raises:
        UnfitBuildError: One cannot be read, or is not folded as valid.
    """
    lines = known_events() if events is None else events
    state = new_state(DAY_TABLE)
    for number, raw in enumerate(lines):
        try:
            event = parse_event(raw)
        except UnreadableEventError as error:
            raise _unfit(number, f"cannot be read: {error}") from None
        if number >= DAY_EVENTS:
            continue
        absorbed = absorb(state, Delivered(number, raw), lines.__getitem__)
        if absorbed.dead_letter is not None or not absorbed.is_valid:
            raise _unfit(number, f"({event.type}) is not folded as a valid event")
        found = [finding.code for record in absorbed.records for finding in record.findings]
        if found:
            raise _unfit(number, f"({event.type}) of an honest day leads to {found[0]}")
        state = absorbed.state


def _unfit(number: int, why: str) -> UnfitBuildError:
    return UnfitBuildError(
        f"line {number + 1} of {KNOWN_EVENTS} {why}; this build is at fault and does not start: "
        "go back to the build before and report it"
    )
