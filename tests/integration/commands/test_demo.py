"""The demo and the ingest of events, run the way a person runs them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SECONDS_MAX = 180


def ladderman(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the console script with its output in pipes."""
    return subprocess.run(
        [str(Path(sys.executable).parent / "ladderman"), *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """One run of the demo without a terminal."""
    folder = tmp_path_factory.mktemp("demo")
    return ladderman("demo", "--store", str(folder / "store"), cwd=folder)


def test_demo_says_first_what_it_plays(demo: subprocess.CompletedProcess[str]) -> None:
    first = demo.stdout.splitlines()[0]
    assert first == "Ladderman demo: 12 simulated tables, Sat 2025-06-07 18:00 EDT, seed 7"
    assert "SIMULATED" in demo.stdout.splitlines()[1]


def test_demo_shows_the_overpayment_of_the_first_coup(
    demo: subprocess.CompletedProcess[str],
) -> None:
    line = next(line for line in demo.stdout.splitlines() if line.startswith("18:00:41"))
    assert re.match(
        r"18:00:41 [0-9a-f]{8} BAC-03, shoe BAC-03-20250607-1, coup 1, seat 4: "
        r"Banker overpaid 5\.00 — paid 200\.00, due 195\.00 \(",
        line,
    )


def test_demo_shows_a_wager_that_the_controller_of_a_progressive_did_not_count(
    demo: subprocess.CompletedProcess[str],
) -> None:
    line = next(line for line in demo.stdout.splitlines() if "Controller missed 1 wager" in line)
    assert re.match(
        r"18:13:50 [0-9a-f]{8} BAC-02, coup BAC-02-20250607-1/16: Controller missed 1 wager — "
        r"The controller missed one 5\.00 wager at BAC-02 ",
        line,
    )
    assert "the meter is 0.95 and the reserve 0.25 short" in line


def test_demo_finds_what_was_planted_and_ends_by_itself(
    demo: subprocess.CompletedProcess[str],
) -> None:
    assert "planted 14, found 14, false 0" in demo.stdout
    assert demo.returncode == 0, demo.stderr
    assert "The store stays in " in demo.stdout


def test_store_of_the_demo_can_be_read_afterwards(
    demo: subprocess.CompletedProcess[str], tmp_path: Path
) -> None:
    store = next(
        line.removeprefix("The store stays in ")
        for line in demo.stdout.splitlines()
        if line.startswith("The store stays in ")
    )
    status = ladderman("history", "status", "--store", store, cwd=tmp_path)
    assert status.returncode == 0, status.stderr
    assert "SIMULATED" in status.stdout


def test_a_temporary_store_is_removed_also_after_ctrl_c(tmp_path: Path) -> None:
    words = [str(Path(sys.executable).parent / "ladderman"), "demo", "--speed", "40"]
    with subprocess.Popen(
        words,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        until_s = time.monotonic() + SECONDS_MAX
        while not list(tmp_path.glob("ladderman-demo-*/log/*")):
            assert time.monotonic() < until_s
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=SECONDS_MAX)
    assert (running.returncode, err) == (130, "")
    assert "The store is removed; --keep-store or --store DIR lets it stay" in out
    assert list(tmp_path.glob("ladderman-demo-*")) == []


def test_demo_refuses_a_store_that_holds_something(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "mine").write_text("kept")
    refused = ladderman("demo", "--store", "store", cwd=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr == ("ladderman: --store store: is not an empty folder; name a new one\n")


def test_events_are_ingested_once_however_often_given(tmp_path: Path) -> None:
    made = ladderman(
        "simulate",
        "--tables",
        "2",
        "--duration",
        "10m",
        "--seed",
        "5",
        "--out",
        "events.jsonl",
        "--truth",
        "truth.jsonl",
        cwd=tmp_path,
    )
    assert made.returncode == 0, made.stderr
    lines = (tmp_path / "events.jsonl").read_text().count("\n")
    first = ladderman("ingest", "events.jsonl", "--store", "store", cwd=tmp_path)
    digest = ladderman("history", "digest", "--store", "store", cwd=tmp_path)
    again = ladderman("ingest", "events.jsonl", "--store", "store", cwd=tmp_path)
    assert first.stdout.startswith(f"{lines:,} lines: {lines:,} new, 0 known already")
    assert again.stdout.startswith(f"{lines:,} lines: 0 new, {lines:,} known already")
    assert ladderman("history", "digest", "--store", "store", cwd=tmp_path).stdout == digest.stdout


def test_ingest_of_a_missing_file_takes_nothing(tmp_path: Path) -> None:
    refused = ladderman("ingest", "nothing.jsonl", "--store", "store", cwd=tmp_path)
    assert refused.returncode == 2
    assert "nothing.jsonl" in refused.stderr
    assert refused.stderr.count("\n") == 1
