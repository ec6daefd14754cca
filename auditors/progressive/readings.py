"""Does a reading agree with the ledger? Two judgements, kept apart."""

from __future__ import annotations

from auditors.progressive.chunks import chunked, effects_in
from auditors.progressive.context import Work
from auditors.progressive.state import Level, change


def judge_first(work: Work, level: Level) -> None:
    """Judge the earliest reading that waits."""
    del work
    at_us = level.readings[0]
    done = chunked(one for one in effects_in(level.done) if one.at_us > at_us)
    change(level, readings=level.readings[1:], done=done)
