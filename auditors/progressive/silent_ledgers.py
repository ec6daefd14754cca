"""Ledgers of which no controller was ever heard, once their tables have closed.

All that is known of it, at once: nobody knows whether a controller will still speak. Should it, it
has its turn as if nothing had been said: only records that are put out anew then are put out here.
"""

from __future__ import annotations

from typing import Final

from auditors.progressive.advancing import take_in
from auditors.progressive.ledger.context import Work
from auditors.progressive.ledger.rows import put_ledger
from auditors.progressive.ledger.state import LAG_US
from auditors.values import evolve
from schemas.records import RecordKind

_PUT_OUT_ANEW: Final = frozenset({RecordKind.LEDGER, RecordKind.HIT, RecordKind.PROGRESSIVE_DAY})


def say_unheard(work: Work) -> None:
    """Put out what the ledger will be when all tables have closed and no controller was heard.

    The state stays as it is, and goes on to wait for the controller.
    """
    if work.closed_us is None or any(one.is_controller for one in work.state.sources.values()):
        return
    until_us = work.closed_us + LAG_US
    ahead = Work(evolve(work.finish()), work.offset, known_us=until_us, closed_us=work.closed_us)
    ahead.state.frontier_us = until_us
    for one in ahead.state.levels:
        level = ahead.level(one.level)
        take_in(ahead, level, until_us)
        put_ledger(ahead, level, until_us)
    for key, record in ahead.records.items():
        if record.kind in _PUT_OUT_ANEW:
            work.records[key] = record
