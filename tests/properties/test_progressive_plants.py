"""What is planted into progressives is found with its cause; honest controllers have nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.findings import Finding
from streams.simulator.comparing import compare
from streams.simulator.faults import Truth
from streams.simulator.floor import FloorConfig
from streams.simulator.plants import PLANTS
from tests.support.progressive_floor import Floors, planted, played, refolded
from tests.support.simulated import ON_PROGRESSIVES, hours


def assert_exact(truths: list[Truth], findings: list[Finding]) -> None:
    compared = compare(truths, findings)
    assert [(one.code.value, one.sentence) for one in compared.false] == []
    assert compared.missing == ()
    assert compared.planted > 0


def said_of(floors: Floors) -> dict[str, tuple[str, ...]]:
    """Give what ledgers found, by finding."""
    return {
        one.id: (one.code.value, one.sentence, str(one.evidence)) for one in floors.ledgers.findings
    }


@pytest.mark.parametrize("name", sorted(ON_PROGRESSIVES))
def test_a_fault_of_a_progressive_is_found_exactly_and_nothing_else(name: str) -> None:
    truths, floors = planted(name)
    assert_exact(truths, floors.findings)
    assert {code for one in truths for code in one.codes} <= set(PLANTS[name].codes)
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


@given(seed=st.integers(0, 2**32))
@settings(max_examples=3)
def test_honest_controllers_have_no_finding(seed: int) -> None:
    _, floors = played(FloorConfig(seed=seed, duration=hours(0.3)))
    assert [(one.code.value, one.sentence) for one in floors.ledgers.findings] == []


def test_honest_hits_of_every_policy_have_no_finding() -> None:
    config = FloorConfig(tables=24, seed=5, coups=24 * 24, hit_every=8)
    _, floors = played(config)
    assert [(one.code.value, one.sentence) for one in floors.ledgers.findings] == []
