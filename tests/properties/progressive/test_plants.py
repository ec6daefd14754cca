"""What is planted into progressives is found with its cause; honest controllers have nothing."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditors.progressive.ledger.scaling import SCALE
from schemas.events import ProgressiveRemoved, ProgressiveWagerAccepted
from schemas.findings import Finding, FindingCode
from schemas.wire import parse_event
from schemas.words.counting import counted
from streams.simulator.comparing import compare
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest, UnknownPlantError
from streams.simulator.plants import PLANTS
from streams.simulator.truths import Truth
from tests.support.progressives.progressive_floor import Floors, in_order, planted, played, refolded
from tests.support.tables.simulated import ON_PROGRESSIVES, hours


def assert_exact(truths: list[Truth], findings: list[Finding]) -> None:
    compared = compare(truths, findings)
    assert [(one.code.value, one.sentence) for one in compared.false] == []
    assert compared.missing == ()
    assert compared.planted > 0


CAUSE_WORDS = {
    "wagers_not_counted": ("missed", "not counted"),
    "counted_twice": ("a second time",),
    "rate_since": ("rate", "%"),
    "rounding_per_wager": ("truncated to whole cents",),
    "reset_early": ("came too early", "a reset too early"),
    "reset_late": ("came too late", "a reset too late"),
    "reset_amount": ("set the display to", "and did not; the", "to another amount"),
    "step_unknown": ("with no wager or adjustment to explain it",),
}
"""In which words the cause of a finding is said; at least one of them."""


def assert_named(truth: Truth, floors: Floors) -> None:
    """Hold the cause and the place that a truth names against what was found."""
    cause = re.search(rf"\b({'|'.join(CAUSE_WORDS)})\b", truth.note)
    if cause is None:
        return
    told = [
        one
        for one in floors.ledgers.findings
        if one.code in truth.codes and one.source == truth.source
    ]
    words = CAUSE_WORDS[cause[1]]
    assert any(word in one.sentence.lower() for one in told for word in words)
    if FindingCode.JACKPOT_MISPAID in truth.codes and cause[1] in ("reset_early", "reset_late"):
        # What was won lacks just what the next meter has too much: no amount comes to both.
        assert not any("would fit" in one.sentence for one in told)
    wager = re.search(r"wager (\S+),", truth.note)
    if wager is not None and "equal" not in truth.note:
        assert any(wager[1] in one.sentence for one in told)
    since = re.search(r"after (\S+)/(\d+)$", truth.note)
    if since is not None and cause[1] in ("rate_since", "rounding_per_wager"):
        (drift,) = (one for one in told if one.code is FindingCode.METER_DRIFT)
        progressive_id = truth.note.partition(":")[0]
        accepted = [
            event
            for event in map(parse_event, floors.log)
            if isinstance(event, ProgressiveWagerAccepted)
            and event.progressive_id == progressive_id
        ]
        first, reading = drift.evidence
        of_coup = [one for one in accepted if one.coup_id == f"{since[1]}/{int(since[2]) + 1}"]
        assert first <= of_coup[0].sequence <= reading
        wrong = [one for one in accepted if first <= one.sequence < reading]
        if cause[1] == "rounding_per_wager":
            assert f": {counted(len(wrong), 'wager')} from event" in drift.sentence
            assert "would fit" not in drift.sentence


@pytest.mark.parametrize("name", sorted(ON_PROGRESSIVES))
def test_a_fault_of_a_progressive_is_found_exactly_and_nothing_else(name: str) -> None:
    truths, floors = planted(name)
    assert_exact(truths, floors.findings)
    assert {code for one in truths for code in one.codes} <= set(PLANTS[name].codes)
    for truth in truths:
        assert_named(truth, floors)
    again = refolded(floors.inputs, seed=len(name), twice=0.3)
    assert {one.id for one in again.findings} == {one.id for one in floors.ledgers.findings}
    assert {one.sentence for one in again.findings} == {
        one.sentence for one in floors.ledgers.findings
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", sorted(ON_PROGRESSIVES))
def test_a_fault_of_a_progressive_is_found_exactly_wherever_it_is(name: str, seed: int) -> None:
    truths, floors = planted(name, seed)
    assert_exact(truths, floors.findings)


@pytest.mark.parametrize(
    ("name", "coup"),
    [
        ("progressive_stretch_not_counted", 2),
        ("progressive_stretch_not_counted", 9),
        ("progressive_rounded_per_wager", 13),
    ],
)
def test_a_fault_is_found_exactly_where_readings_and_first_wagers_cut_it(
    name: str, coup: int
) -> None:
    """Before a controller has told any wager by itself, and across several readings."""
    plants = (PlantRequest(name, coup=coup),)
    truths, floors = played(FloorConfig(tables=12, seed=7, coups=12 * (coup + 11), plants=plants))
    assert_exact(truths, floors.findings)


def _pairs(count: int) -> list[tuple[str, str]]:
    """Choose pairs of plants on progressives, each with itself too, by one seed for ever."""
    names = sorted(ON_PROGRESSIVES)
    pairs = list(itertools.combinations_with_replacement(names, 2))
    return random.Random(7).sample(pairs, count)


@pytest.mark.slow
@pytest.mark.parametrize("pair", _pairs(60), ids="-".join)
def test_two_faults_of_progressives_are_each_found_exactly_or_refused(
    pair: tuple[str, str],
) -> None:
    plants = tuple(PlantRequest(name) for name in pair)
    try:
        truths, floors = played(FloorConfig(tables=12, seed=7, coups=30 * 12, plants=plants))
    except UnknownPlantError as error:
        assert "would not be told apart" in str(error)
        return
    assert_exact(truths, floors.findings)


def placed(*names: str, tables: int = 12) -> list[str]:
    """Place plants on a floor; gives the tables at which they are."""
    plants = tuple(PlantRequest(name) for name in names)
    floor = Floor(FloorConfig(tables=tables, seed=7, plants=plants))
    return [table.source_id for table in floor.tables for _ in table.faults]


def test_a_jackpot_plant_has_its_progressive_to_itself() -> None:
    """What it leaves in the meter would be in all that is won or displayed there later."""
    both = placed("jackpot_reset_wrong", "progressive_step")
    assert len(both) == 2
    of_hits = ["jackpot_reset_wrong", "jackpot_unsaid"]
    assert len(placed(*of_hits)) == 2
    with pytest.raises(UnknownPlantError, match="would not be told apart"):
        placed(*of_hits, "jackpot_paid_short")
    assert len(placed(*of_hits, "jackpot_paid_short", tables=24)) == 3


def test_the_end_of_a_progressive_is_planted_without_another_fault_of_any() -> None:
    for beside in ("progressive_step", "jackpot_unsaid", "progressive_ended"):
        with pytest.raises(UnknownPlantError, match="would not be told apart"):
            placed("progressive_transfer_not_received", beside)
    assert len(placed("progressive_transfer_not_received", "winner_underpaid")) == 2


def test_faults_that_share_a_progressive_begin_apart_from_each_other() -> None:
    plants = tuple(PlantRequest("progressive_step", coup=4, table="BAC-01") for _ in range(2))
    truths: list[Truth] = []
    floor = Floor(FloorConfig(tables=12, seed=7, coups=14 * 12, plants=plants), truths.append)
    list(floor.events())
    numbers = [int(truth.note.rpartition("/")[2]) for truth in truths]
    assert len(numbers) == 2
    assert numbers[1] - numbers[0] >= 3


@pytest.mark.parametrize(
    "name",
    [
        "jackpot_without_cards",
        "jackpot_reserve_kept",
        pytest.param("progressive_wager_not_counted", marks=pytest.mark.slow),
        pytest.param("jackpot_reset_early", marks=pytest.mark.slow),
    ],
)
def test_a_day_of_honest_hits_adds_nothing_to_what_was_planted(name: str) -> None:
    plants = (PlantRequest(name, coup=5),)
    config = FloorConfig(tables=12, seed=31, coups=12 * 30, hit_every=12, plants=plants)
    truths, floors = played(config)
    assert_exact(truths, floors.findings)
    assert sum(key[1] == "hit" for key in floors.ledgers.records) > 4


@given(seed=st.integers(0, 2**32))
@settings(max_examples=3)
def test_honest_controllers_have_no_finding(seed: int) -> None:
    _, floors = played(FloorConfig(seed=seed, duration=hours(0.3)))
    assert [(one.code.value, one.sentence) for one in floors.ledgers.raised] == []


def test_honest_hits_of_every_policy_have_no_finding() -> None:
    config = FloorConfig(tables=24, seed=5, coups=24 * 24, hit_every=8)
    _, floors = played(config)
    assert [(one.code.value, one.sentence) for one in floors.ledgers.raised] == []


@pytest.mark.parametrize(
    "name",
    [
        "progressive_ended",
        "progressive_transfer_not_received",
        "progressive_transfer_received_short",
    ],
)
def test_what_patrons_paid_into_a_progressive_that_ends_is_in_another_one(name: str) -> None:
    """Whatever the meters of the other one show: out of one ledger is into the other."""
    _, floors = planted(name)
    _, untouched = played(FloorConfig(tables=12, seed=7, coups=16 * 12))
    ended = next(
        event.progressive_id
        for event in map(parse_event, floors.log)
        if isinstance(event, ProgressiveRemoved)
    )
    ledgers = {name: one.levels[0].ledger for name, one in floors.ledgers.states.items()}
    before = {name: one.levels[0].ledger for name, one in untouched.ledgers.states.items()}
    assert ledgers[ended].display == 1_000_000 * SCALE
    assert ledgers[ended].reserve == 0
    assert ledgers[ended].contributed > 0
    received = sum(one.adjusted for name, one in ledgers.items() if name != ended)
    assert received == ledgers[ended].contributed
    assert sum(one.adjusted for one in ledgers.values()) == 0
    assert all(one.adjusted == 0 for one in before.values())


@pytest.mark.parametrize("seed", (1, 2))
def test_honest_hits_close_together_on_linked_tables_have_no_finding(seed: int) -> None:
    _, floors = played(FloorConfig(tables=12, seed=seed, coups=12 * 14, hit_every=2))
    assert [(one.code.value, one.sentence) for one in floors.ledgers.raised] == []
    hits = {key: one for key, one in floors.ledgers.records.items() if key[1] == "hit"}
    of_tables = [one for one in floors.inputs if one.kind in ("coup", "watermark")]
    of_controller = [one for one in floors.inputs if one.kind not in ("coup", "watermark")]
    # As they come, mixed, and hosts of different partitions far apart: tables closed by then.
    for again in (
        refolded(floors.inputs, seed),
        in_order([*of_tables, *of_controller]),
        in_order([*of_controller, *of_tables]),
    ):
        assert [(one.code.value, one.sentence) for one in again.raised] == []
        assert {key for key in again.records if key[1] == "hit"} == set(hits)
        assert all(again.records[key].progressive == one.progressive for key, one in hits.items())
    linked = [one.levels[0].hits for one in floors.ledgers.states.values()]
    close = [[one for one in hits if one.is_close] for hits in linked]
    assert sum(len(hits) for hits in close) >= 8
    assert all(len({one.table_id for one in hits}) > 1 for hits in close if hits)
