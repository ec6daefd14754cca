"""A ledger of many wagers equals a computation that goes straight through the facts, exactly.

Facts are added up in exact fractions, one after the other
(:class:`tests.support.progressives.wager_ledgers`); nothing of it is shared with the fold.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest

from auditors import progressive
from auditors.progressive.ledger.scaling import fraction_of
from schemas.money import parse_exact
from schemas.progressive_inputs import encode_progressive_input
from schemas.progressive_rows import LedgerRow, ReadingRow
from schemas.records import RecordKind
from tests.support.progressives.progressive_floor import Ledgers, refolded
from tests.support.progressives.wager_ledgers import PROGRESSIVE, Straight, Wagers

MANY = int(os.environ.get("LADDERMAN_LEDGER_WAGERS", "10000"))
"""Wagers of the quick test."""

HONEST = int(os.environ.get("LADDERMAN_HONEST_WAGERS", "10000000"))
"""Honest wagers of the long sweep."""

_SOME = 6_000
_FORGET_EVERY = 50_000


def assert_equal(ledgers: Ledgers, facts: Straight) -> None:
    """Hold a ledger against the facts, to the last digit."""
    (level,) = ledgers.states[PROGRESSIVE].levels
    ledger = level.ledger
    assert fraction_of(ledger.display) == facts.display
    assert fraction_of(ledger.reserve) == facts.reserve
    assert (ledger.in_count, ledger.coin_in_minor) == (facts.in_count, facts.coin_in)
    assert (ledger.voided_count, ledger.voided_minor) == (facts.voided, facts.voided_minor)
    assert ledger.hits_count == facts.hits
    assert fraction_of(ledger.wins) == facts.won
    assert fraction_of(ledger.house_funded) == facts.house
    assert level.pending_count == 0


def last_row(ledgers: Ledgers) -> LedgerRow:
    """Give the last ledger that was put out."""
    rows = [one for one in ledgers.records.values() if one.kind is RecordKind.LEDGER]
    row = max(rows, key=lambda one: (one.occurred_at_us or 0, one.offset)).progressive
    assert isinstance(row, LedgerRow)
    return row


def fold(wagers: Wagers, *, forget: bool = False) -> Ledgers:
    """Fold what is said of wagers; records are let go of now and then where that is asked for."""
    ledgers = Ledgers()
    for number, said in enumerate(wagers.messages()):
        ledgers.take(encode_progressive_input(said), PROGRESSIVE)
        if forget and number % _FORGET_EVERY == 0:
            assert ledgers.findings == []
            ledgers.records.clear()
    return ledgers


@pytest.mark.parametrize("count", [MANY, pytest.param(10 * MANY, marks=pytest.mark.slow)])
def test_many_wagers_add_up_to_the_last_digit(count: int) -> None:
    wagers = Wagers(count)
    ledgers = fold(wagers)
    facts = wagers.facts
    assert facts.in_count >= count
    assert facts.hits > 0
    assert facts.voided > 0
    assert_equal(ledgers, facts)
    assert [(one.code.value, one.sentence) for one in ledgers.findings] == []
    row = last_row(ledgers)
    assert parse_exact(row.display, "USD") == facts.display
    assert parse_exact(row.reserve, "USD") == facts.reserve


def test_a_controller_that_tells_counts_alone_has_the_same_ledger() -> None:
    telling, silent = Wagers(_SOME), Wagers(_SOME, tells_wagers=False)
    ledgers = fold(silent)
    fold(telling)
    assert silent.facts.display == telling.facts.display
    assert_equal(ledgers, silent.facts)
    assert ledgers.findings == []


@pytest.mark.parametrize("seed", range(3))
def test_any_order_that_keeps_what_one_source_says_gives_the_same_ledger(seed: int) -> None:
    wagers = Wagers(_SOME, seed=seed)
    messages = list(wagers.messages())
    ledgers = refolded(messages, seed, twice=0.2)
    assert_equal(ledgers, wagers.facts)
    assert ledgers.findings == []


def test_a_crash_every_few_messages_changes_nothing() -> None:
    wagers = Wagers(_SOME)
    ledgers, kept, behind = Ledgers(), b"", list[bytes]()
    for number, said in enumerate(wagers.messages()):
        raw = encode_progressive_input(said)
        behind.append(raw)
        ledgers.take(raw, PROGRESSIVE)
        if number % 500 == 250:
            kept, behind = progressive.encode_state(ledgers.states[PROGRESSIVE]), []
        elif number % 500 == 499:
            # The process is gone; the next one goes on from the checkpoint and hears all again.
            ledgers.states[PROGRESSIVE] = progressive.decode_state(kept)
            for again in behind:
                ledgers.take(again, PROGRESSIVE)
    assert_equal(ledgers, wagers.facts)
    assert ledgers.findings == []


def test_every_reading_is_judged_and_nothing_differs() -> None:
    ledgers = fold(Wagers(1_000))
    readings = [one for one in ledgers.records.values() if one.kind is RecordKind.READING]
    assert len(readings) > 20
    for record in readings:
        row = record.progressive
        assert isinstance(row, ReadingRow)
        assert (row.state, row.compared) == ("judged", ())
        assert row.is_arithmetic_right
        assert row.is_complete


def _parts(total: int, of: int) -> Iterable[int]:
    return range(-(-total // of))


@pytest.mark.slow
def test_a_million_wagers_add_up_to_the_last_digit() -> None:
    wagers = Wagers(100 * MANY)
    ledgers = fold(wagers, forget=True)
    assert_equal(ledgers, wagers.facts)
    assert ledgers.findings == []


@pytest.mark.slow
@pytest.mark.parametrize("part", _parts(HONEST, 1_000_000))
def test_ten_million_honest_wagers_have_no_finding(part: int) -> None:
    wagers = Wagers(min(HONEST, 1_000_000), seed=100 + part, tells_wagers=part % 2 == 0)
    ledgers = fold(wagers, forget=True)
    assert_equal(ledgers, wagers.facts)
    assert ledgers.findings == []
