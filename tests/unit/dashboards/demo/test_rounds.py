"""The small file of rounds that is shipped to try ``ladderman audit`` on."""

import csv

from tests.support.ladderman import ladderman
from tests.support.source_tree import ROOT

ROUNDS = ROOT / "dashboards" / "demo" / "rounds.csv"


def test_every_planted_fault_is_found_in_its_line_and_nothing_else() -> None:
    with ROUNDS.open(newline="", encoding="utf-8") as file:
        rows = enumerate(csv.DictReader(file), start=2)
        planted = sorted((line, code) for line, row in rows for code in row["planted"].split())
    answer = ladderman("audit", ROUNDS, "--paytable", "golden_talons=B", "--format", "jsonl")
    assert sorted((one["line"], one["code"]) for one in answer.objects) == planted
    assert len({code for _, code in planted}) >= 10


def test_the_file_is_small_and_says_that_it_is_simulated() -> None:
    assert ROUNDS.stat().st_size < 10_000
    assert "SIMULATED" in ROUNDS.read_text(encoding="utf-8")
