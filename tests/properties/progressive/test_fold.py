"""In whatever order a log has it, what is said of a progressive comes to the same ledger."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditors.progressive import absorb, encode_state, new_state
from auditors.progressive.ledger.chunks import count_of
from auditors.progressive.ledger.scaling import fraction_of
from auditors.progressive.ledger.state import (
    COUPS_A_CHUNK,
    PENDING_MAX,
    RECENT_COUPS,
    SOURCES_MAX,
    TABLES_MAX,
    TRAIL_MAX,
)
from auditors.table import Delivered
from schemas.progressive_inputs import ProgressiveInput, encode_progressive_input
from tests.support.progressives.progressive_script import (
    ID,
    SECOND,
    FoldedLedger,
    ProgressiveScript,
    a_meter,
)

AHEAD_US = 60 * SECOND
"""So far a source runs ahead of another; one that is 120 s behind is no longer waited for."""


def a_day(chance: random.Random, coups: int = 12) -> ProgressiveScript:
    """Play two linked tables of different letters; some wagers are missed or counted twice."""
    script = ProgressiveScript(T1=a_meter(), T2=a_meter(increment_rate="19%", reserve_rate="5%"))
    script.read()
    for _ in range(coups):
        table = chance.choice(("T1", "T2"))
        coup = script.coup(table, tuple(chance.choice((250, 500)) for _ in range(3)))
        if chance.random() < 0.1:
            script.count(coup.entries[0], coup)
        script.close(coup)
        if chance.random() < 0.2:
            coup.state = "voided"
            coup.entries = coup.entries[:2]
            script.tell(coup)
        if chance.random() < 0.4:
            script.read()
        script.heard(5)
    return script.read().heard(90)


def source_of(one: ProgressiveInput) -> str:
    return getattr(one, "table_id", None) or getattr(one, "source_id", "")


def moment_of(one: ProgressiveInput) -> int:
    return one.occurred_at_us if hasattr(one, "occurred_at_us") else one.watermark_us


def in_another_order(
    inputs: list[ProgressiveInput], chance: random.Random
) -> list[ProgressiveInput]:
    """Mix the sources anew, a little ahead of each other, and say some again later."""
    by_source: dict[str, list[ProgressiveInput]] = {}
    for one in inputs:
        by_source.setdefault(source_of(one), []).append(one)
    places = dict.fromkeys(by_source, 0)
    mixed: list[ProgressiveInput] = []
    while any(places[name] < len(said) for name, said in by_source.items()):
        ahead = {
            one: moment_of(said[places[one]])
            for one, said in by_source.items()
            if places[one] < len(said)
        }
        until_us = min(ahead.values()) + AHEAD_US
        name = chance.choice([one for one, at_us in ahead.items() if at_us <= until_us])
        mixed.append(by_source[name][places[name]])
        places[name] += 1
        if chance.random() < 0.1:
            # A host that begins again says what it had said from an earlier point on.
            places[name] = max(0, places[name] - chance.randrange(1, 6))
    return mixed


@given(seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_order_repeats_and_old_versions_change_nothing(seed: int) -> None:
    chance = random.Random(seed)
    inputs = a_day(chance).inputs
    first = FoldedLedger(inputs)
    again = FoldedLedger(in_another_order(inputs, chance))
    assert first.state.levels[0].ledger == again.state.levels[0].ledger
    assert {one.id for one in first.findings} == {one.id for one in again.findings}
    assert first.standing() == again.standing()


@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None)
def test_a_state_that_was_written_and_read_goes_on_alike(seed: int) -> None:
    inputs = a_day(random.Random(seed)).inputs
    first, again = FoldedLedger(inputs), FoldedLedger(inputs, reload_every=7)
    assert first.standing() == again.standing()
    assert encode_state(first.state) == encode_state(again.state)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_the_ledger_is_the_sum_of_what_the_tables_told_last(seed: int) -> None:
    script = a_day(random.Random(seed))
    ledger = FoldedLedger(script.inputs).state.levels[0].ledger
    display, count = Fraction(1_000_000), 0
    for coup in script.coups.values():
        rate = 15 if coup.table_id == "T1" else 19
        count += len(coup.entries)
        if coup.state != "voided":
            display += Fraction(sum(rate * (one.stake_minor or 0) for one in coup.entries), 100)
    assert fraction_of(ledger.display) == display
    assert ledger.in_count == count


def test_a_version_that_comes_late_moves_the_ledger_by_its_difference() -> None:
    script = ProgressiveScript()
    coup = script.coup(stakes=(500, 500), counted=False)
    coup.entries = coup.entries[:1]
    script.tell(coup)
    script.heard()
    assert FoldedLedger(script.inputs).state.levels[0].ledger.in_count == 1


def test_a_controller_that_says_nothing_lets_no_more_than_so_much_wait() -> None:
    script = ProgressiveScript().read()
    for _ in range(PENDING_MAX // 6 + 10):
        script.close(script.coup(stakes=(500,) * 7, counted=False))
    inputs = [script.inputs[0], *(one for one in script.inputs if one.kind == "coup")]
    (level,) = FoldedLedger(inputs).state.levels
    assert count_of(level.pending) == level.pending_count <= PENDING_MAX + 7
    assert count_of(level.done) <= TRAIL_MAX


def test_a_controller_that_is_far_behind_is_not_said_to_have_missed_anything() -> None:
    script = ProgressiveScript().read()
    for _ in range(PENDING_MAX // 15 + 10):
        script.close(script.coup(stakes=(500,) * 15))
    said = list(script.read().heard(90).inputs)
    late = [one for one in said if source_of(one) != "T1"]
    told = FoldedLedger([*late[:1], *(one for one in said if source_of(one) == "T1"), *late[1:]])
    assert told.codes == []
    assert told.state.levels[0].ledger == FoldedLedger(said).state.levels[0].ledger


def test_coups_lose_their_wagers_and_keep_their_sums() -> None:
    script = ProgressiveScript()
    first = script.coup(stakes=(500, 500))
    for _ in range(RECENT_COUPS + 4):
        script.close(script.coup())
    script.heard()
    (level,) = FoldedLedger(script.inputs).state.levels
    ages = level.tables["T1"].ages
    assert len(ages[-1]) <= RECENT_COUPS
    assert ages[0][first.coup_id].entries is None
    assert max(len(one) for one in ages) <= COUPS_A_CHUNK
    first.entries = first.entries[:1]
    script.tell(first)
    (changed,) = FoldedLedger(script.heard().inputs).state.levels
    assert level.ledger.in_count - changed.ledger.in_count == 1
    assert level.ledger.display - changed.ledger.display == 75 * 10**14


def test_more_tables_than_a_link_has_are_not_followed() -> None:
    tables = {f"T{number}": a_meter() for number in range(TABLES_MAX + 3)}
    script = ProgressiveScript(**tables)
    for name in tables:
        script.close(script.coup(name))
    state = FoldedLedger(script.heard().inputs).state
    assert len(state.levels[0].tables) <= TABLES_MAX
    assert len(state.sources) <= SOURCES_MAX


def test_a_message_of_another_progressive_is_a_dead_letter() -> None:
    raw = encode_progressive_input(ProgressiveScript().read().inputs[0])
    for state, message, reason in (
        (new_state("HP-2"), raw, "wrong_key"),
        (new_state(ID), raw[:-2], "bad_input"),
    ):
        absorbed = absorb(state, Delivered(0, message), pytest.fail)
        assert absorbed.dead_letter is not None
        assert absorbed.dead_letter.reason == reason
        assert absorbed.state is state
