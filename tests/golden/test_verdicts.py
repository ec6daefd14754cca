"""The audit epoch rises whenever a verdict changes: golden verdicts hold it."""

from __future__ import annotations

import pytest

from auditors.law import load_law
from schemas.findings import FindingCode
from streams.simulator.plants import PLANTS
from tests.support.golden_verdicts import CASES, changes, planted_floors, problem, recorded

OLD = {"floor": {"count": 2, "findings": {"LOSER_PAID": 1}, "sha256": "a"}}
FEWER = {"floor": {"count": 2, "findings": {}, "sha256": "b"}}
REWORDED = {"floor": {"count": 2, "findings": {"LOSER_PAID": 1}, "sha256": "b"}}


@pytest.mark.parametrize("name", CASES)
def test_verdicts_are_those_kept_under_the_present_audit_epoch(name: str) -> None:
    kept_epoch, kept = recorded()
    changed = changes({name: kept[name]} if name in kept else {}, {name: CASES[name]()})
    wrong = problem(load_law().audit_epoch, kept_epoch, changed)
    assert wrong is None, wrong


def test_every_kept_verdict_is_concluded() -> None:
    assert set(recorded()[1]) == set(CASES)


def test_nearly_every_plant_stands_on_a_floor() -> None:
    planted = {one.name for config in planted_floors().values() for one in config.plants}
    assert len(set(PLANTS) - planted) <= 10, sorted(set(PLANTS) - planted)


def test_golden_verdicts_hold_nearly_every_code() -> None:
    found: set[str] = set()
    for verdicts in recorded()[1].values():
        assert isinstance(verdicts["findings"], dict)
        found.update(verdicts["findings"])
    missing = {code.value for code in FindingCode} - found
    assert len(missing) <= 6, sorted(missing)


def test_a_changed_verdict_under_the_same_epoch_is_refused() -> None:
    for now in (FEWER, REWORDED, {}):
        wrong = problem(3, 3, changes(OLD, now))
        assert wrong is not None
        assert "did not rise" in wrong
        assert "--raise-epoch" in wrong
    assert "LOSER_PAID 1 -> 0" in str(problem(3, 3, changes(OLD, FEWER)))
    assert "other words" in str(problem(3, 3, changes(OLD, REWORDED)))


def test_a_risen_epoch_asks_for_the_verdicts_to_be_kept_and_one_that_fell_is_refused() -> None:
    assert "rose to 4" in str(problem(4, 3, changes(OLD, FEWER)))
    assert "rose to 4" in str(problem(4, 3, []))
    assert "never falls" in str(problem(2, 3, []))
    assert problem(3, 3, changes(OLD, OLD)) is None
