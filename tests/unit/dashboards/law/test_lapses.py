"""``ladderman rules lapses``: what ends soon, and what is still offered of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.ladderman import ladderman, refusal

LAST_DAY = "2026-08-04"
"""Printed last day of the temporary sections of chapter 627b."""


def lapses(*words: object) -> dict[str, dict[str, object]]:
    """Give the lapses by section."""
    answer = ladderman("rules", "lapses", "--format", "json", *words)
    assert answer.code == 0, answer
    return {lapse["section"]: lapse for lapse in json.loads(answer.out)["lapses"]}


def filing(tmp_path: Path, *lines: str) -> Path:
    """Write a filing that offers Golden Talons besides the main wagers."""
    path = tmp_path / "RS-1.toml"
    path.write_text(
        """
schema = "ladderman.rules-submission/1"
id = "RS-1"
version = 1
game = "minibaccarat"
decks = 8

[[wagers]]
id = "minibaccarat.player"

[[wagers]]
id = "golden_talons"
paytable = "A"
"""
        + "\n".join(lines)
    )
    return path


@pytest.mark.parametrize(
    ("day", "left"), [("2026-05-06", 90), (LAST_DAY, 0), ("2026-08-05", -1), ("2027-08-04", -365)]
)
def test_days_are_counted_to_the_last_day_and_beyond(day: str, left: int) -> None:
    assert lapses("--gaming-date", day)["golden_talons"]["days_left"] == left


def test_what_lapses_later_than_asked_is_left_out() -> None:
    assert "golden_talons" not in lapses("--gaming-date", "2026-05-05")
    assert "golden_talons" in lapses("--gaming-date", "2026-05-05", "--within", 91)
    assert "golden_talons" not in lapses("--gaming-date", "2026-08-03", "--within", 0)


def test_only_wagers_that_the_filing_offers_are_listed(tmp_path: Path) -> None:
    found = lapses("--gaming-date", LAST_DAY, "--submission", filing(tmp_path))
    assert list(found) == ["golden_talons"]
    assert found["golden_talons"]["wagers_offered"] == ["golden_talons"]
    assert found["golden_talons"]["successor"] is None


def test_a_registered_successor_is_named(tmp_path: Path) -> None:
    later = """
[[successors]]
section = "golden_talons"
authority = "56 Pa.B. 1"
from = 2026-08-05
"""
    found = lapses("--gaming-date", LAST_DAY, "--submission", filing(tmp_path, later))
    assert found["golden_talons"]["successor"] == "56 Pa.B. 1"
    assert found["golden_talons"]["successor_from"] == "2026-08-05"


def test_the_table_says_when_and_what_and_breaks_no_word(tmp_path: Path) -> None:
    answer = ladderman("rules", "lapses", "--gaming-date", "2026-07-01")
    assert "golden_talons: last day 2026-08-04, lapses in 34 days; no successor is registered" in (
        " ".join(answer.out.split())
    )
    assert "banker_over_player_7" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80
    nothing = ladderman("rules", "lapses", "--gaming-date", "2024-01-01", "--within", 0)
    assert "None." in nothing.out.splitlines()


def test_nonsense_is_refused_in_one_line() -> None:
    assert refusal("rules", "lapses", "--within", "soon").startswith("--within soon")
    assert "no such file" in refusal("rules", "lapses", "--submission", "missing.toml").lower()
