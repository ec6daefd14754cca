"""The wheel, installed away from the checkout: it holds every file that a command reads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.source_tree import PACKAGES, ROOT

SECONDS_MAX = 180
NO_BROKER = "127.0.0.1:9"
"""An address on which nothing listens."""


def run(words: list[str], cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a process whose imports do not come from the checkout."""
    return subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )


class Installed:
    """The wheel, unpacked into a directory of its own, and a directory to work in."""

    def __init__(self, target: Path, work: Path) -> None:
        self.target, self.work = target, work

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the console script of the wheel."""
        script = str(self.target / "bin" / "ladderman")
        return run([sys.executable, script, *words], self.work, PYTHONPATH=str(self.target))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the wheel from a copy of the sources and install it, without its requirements."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    built = run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(source)],
        folder,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("ladderman-*.whl")
    target, work = folder / "installed", folder / "work"
    work.mkdir()
    put = run([*pip, "install", "--no-deps", "--target", str(target), str(wheel)], folder)
    assert put.returncode == 0, put.stderr
    return Installed(target, work)


def test_every_file_of_the_packages_that_is_no_code_is_in_the_wheel(installed: Installed) -> None:
    kept = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".py"}
    }
    missing = sorted(name for name in kept if not (installed.target / name).is_file())
    assert kept
    assert missing == []


def test_the_wheel_is_what_runs(installed: Installed) -> None:
    where = run(
        [sys.executable, "-c", "import auditors; print(auditors.__file__)"],
        installed.work,
        PYTHONPATH=str(installed.target),
    )
    assert Path(where.stdout.strip()).is_relative_to(installed.target)


FILES = ("events.jsonl", "truth.jsonl")
STEPS: tuple[tuple[str, int, str], ...] = (
    ("--version", 0, ""),
    (
        "settle --player 2S,3H,KD --banker AC,2D,5H --wager banker=100 --gaming-date 2025-06-01",
        0,
        "195.00",
    ),
    ("rules list --gaming-date 2025-06-01", 0, "golden_talons"),
    ("rules show golden_talons --gaming-date 2025-06-01", 0, "627b.5"),
    ("submission new --out filing.toml", 0, ""),
    ("submission check filing.toml", 0, ""),
    ("submission diff filing.toml filing.toml", 0, ""),
    ("schema", 0, "$schema"),
    ("simulate --tables 1 --duration 10m --seed 7 --out events.jsonl --truth truth.jsonl", 0, ""),
    ("conform events.jsonl", 0, ""),
    ("audit events.jsonl --summary", 0, ""),
    ("ingest events.jsonl --store store", 0, ""),
    ("incidents list --store store", 0, ""),
    ("replay --table BAC-01 --store store --format jsonl", 0, ""),
    ("progressives list --store store", 0, ""),
    ("history status --store store", 0, ""),
    ("history digest --store store", 0, "coups"),
    ("history backup copy --store store", 0, ""),
    ("history restore copy --store other", 0, ""),
)


def test_the_way_of_an_auditor_runs_from_the_wheel(installed: Installed) -> None:
    for words, code, said in STEPS:
        answer = installed(*words.split())
        assert answer.returncode == code, (words, answer.stdout[-500:], answer.stderr[-500:])
        assert said in answer.stdout, (words, answer.stdout[-500:])
        assert "Traceback" not in answer.stderr, (words, answer.stderr)


@pytest.mark.parametrize(
    "words",
    ["topics check", "worker", "sink", "reconcile", "doctor", "dead-letters list", "state show T"],
)
def test_a_command_that_needs_a_broker_says_in_lines_that_there_is_none(
    installed: Installed, words: str
) -> None:
    answer = run(
        [sys.executable, str(installed.target / "bin" / "ladderman"), *words.split()],
        installed.work,
        PYTHONPATH=str(installed.target),
        LADDERMAN_KAFKA__BOOTSTRAP=NO_BROKER,
        LADDERMAN_DEV="true",
    )
    assert answer.returncode in {1, 2, 3}, (words, answer.stdout, answer.stderr)
    assert "Traceback" not in answer.stderr + answer.stdout
