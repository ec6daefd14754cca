"""What is planted is found, and nothing else; an honest floor has no findings."""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.simulator.comparing import compare
from streams.simulator.demo import DEMO_PLANTS, demo_floor
from streams.simulator.filings import KINDS
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest
from streams.simulator.plants import PLANTS
from streams.simulator.profile import Profile
from streams.simulator.truths import Truth
from tests.support.progressives.progressive_floor import Floors, played
from tests.support.tables.simulated import (
    COUPS_NEEDED,
    ON_PROGRESSIVES,
    Auditor,
    hours,
    planted_table,
)

CLEAN_COUPS = int(os.environ.get("LADDERMAN_CLEAN_COUPS", "1000000"))
"""Honest coups of the long sweep, over all of its parts."""

CLEAN_PARTS = 20

AT_TABLES = sorted(set(PLANTS) - ON_PROGRESSIVES)

QUICK = sorted(set(AT_TABLES) - set(COUPS_NEEDED))

SECOND = 1_000_000


def assert_exact(truths: list[Truth], auditor: Auditor) -> None:
    compared = compare(truths, auditor.findings)
    assert compared.missing == ()
    assert [(one.code.value, one.sentence) for one in compared.false] == []
    assert compared.planted > 0


@pytest.mark.parametrize("name", QUICK)
def test_a_plant_is_found_exactly_and_nothing_else(name: str) -> None:
    truths, auditor = planted_table(name)
    assert_exact(truths, auditor)
    assert {code for one in truths for code in one.codes} <= set(PLANTS[name].codes)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", AT_TABLES)
def test_a_plant_is_found_exactly_wherever_it_is(name: str, seed: int) -> None:
    assert_exact(*planted_table(name, seed))


@given(seed=st.integers(0, 2**32), number=st.integers(0, 3 * KINDS - 1))
@settings(max_examples=8)
def test_an_honest_table_of_any_kind_has_no_findings(seed: int, number: int) -> None:
    floor = Floor(FloorConfig(tables=number + 1, seed=seed, coups=12 * (number + 1)))
    auditor = Auditor()
    for messages in floor.tables[number].messages():
        for message in messages:
            auditor.take(floor.tables[number].source_id, message.raw)
    assert [(one.code.value, one.sentence) for one in auditor.findings] == []
    assert auditor.dead == []


def test_a_broken_line_is_a_dead_letter_and_no_finding_of_a_stream() -> None:
    _, auditor = planted_table("broken_line")
    assert len(auditor.dead) == 1
    assert auditor.findings == []


def test_the_demo_finds_all_fourteen_and_nothing_else_in_twenty_minutes() -> None:
    truths: list[Truth] = []
    floor = Floor(demo_floor(), truths.append)
    floors = Floors()
    start_us: int | None = None
    for event in floor.events():
        start_us = event.at_us if start_us is None else start_us
        if event.at_us - start_us > 20 * 60 * SECOND:
            break
        floors.take(event.source_id, event.raw)
    compared = compare(truths, floors.findings)
    assert (compared.planted, compared.found) == (len(DEMO_PLANTS), len(DEMO_PLANTS))
    assert compared.planted == 14
    assert compared.false == ()


@pytest.mark.slow
def test_all_plants_in_one_floor_are_found_exactly() -> None:
    plants = tuple(PlantRequest(name) for name in AT_TABLES)
    config = FloorConfig(tables=2 * KINDS, duration=hours(6), plants=plants)
    truths, floors = played(config)
    compared = compare(truths, floors.findings)
    assert compared.missing == ()
    assert [(one.code.value, one.sentence) for one in compared.false] == []


@pytest.mark.slow
def test_a_shift_places_every_wager_under_every_letter_and_fits_the_odds() -> None:
    profile = Profile()
    list(Floor(FloorConfig(duration=hours(8)), on_coup=profile.hear).events())
    assert [kind for kind, count in profile.counts() if not count] == []
    assert profile.fits_well(profile.fits())


@pytest.mark.slow
@pytest.mark.parametrize("part", range(CLEAN_PARTS))
def test_a_million_honest_coups_have_no_findings(part: int) -> None:
    seed = Random(f"honest/{part}").getrandbits(32)
    auditor = Auditor()
    config = FloorConfig(tables=KINDS, seed=seed, coups=CLEAN_COUPS // CLEAN_PARTS)
    for event in Floor(config).events():
        auditor.take(event.source_id, event.raw)
        if len(auditor.log) >= 200_000:
            assert auditor.findings == []
            auditor.forget()
    assert auditor.findings == []
