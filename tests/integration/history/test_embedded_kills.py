"""The embedded pipeline from files to history: whatever is killed when, it says the same."""

from __future__ import annotations

import contextlib
import gzip
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from streams.history.embedded.store import ChdbStore
from streams.history.opening import history_path
from streams.history.reading.digest import Digest, history_digests
from streams.host.steps import Step
from tests.support.source_tree import ROOT
from tests.support.tables.floors import Message, table_floor

_SECONDS_MAX = 120


def write_events(path: Path, floor: Sequence[Message]) -> Path:
    path.write_bytes(b"".join(raw + b"\n" for _, raw in floor))
    return path


class Ingest:
    """A store, and the processes that ingest into it."""

    def __init__(self, directory: Path) -> None:
        self.store = directory / "store"

    def run(self, *files: Path, after_s: float | None = None, **death: object) -> str:
        """Ingest files and give what the process said; empty where it was killed."""
        options = {"store": str(self.store), "files": [str(file) for file in files], **death}
        child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.support.children.ingest_child",
                orjson.dumps(options).decode(),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with child:
            assert child.stdout is not None
            if after_s is not None:
                child.stdout.readline()  # its imports are no part of the test
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(after_s)
                child.kill()
            output, errors = child.communicate(timeout=_SECONDS_MAX)
        assert child.returncode in (0, -9), errors.decode()
        return output.decode().removeprefix("ready\n").strip()

    def kept(self) -> tuple[tuple[Digest, ...], list[tuple[object, ...]]]:
        """Give the digests of the history, and its distinct raw events in the order of the log."""
        with ChdbStore(history_path(self.store), create=False) as store:
            assert store.query("incomplete_subjects").rows() == []
            events = store.query(
                "events_of_log", {"log_partition": 0, "first_offset": 0, "end_offset": 2**62}
            )
            return history_digests(store), events.rows()


@pytest.fixture(scope="module")
def floor_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    floor = table_floor(delay_max=100)
    return write_events(tmp_path_factory.mktemp("floor") / "events.jsonl", floor)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, floor_file: Path) -> Ingest:
    ingest = Ingest(tmp_path_factory.mktemp("undisturbed"))
    assert ingest.run(floor_file).startswith("done ")
    return ingest


def test_a_file_is_ingested_once_however_often_it_is_given(
    undisturbed: Ingest, floor_file: Path
) -> None:
    before = undisturbed.kept()
    assert before[0][0].row_count > 50
    assert len(before[1]) > 500
    assert undisturbed.run(floor_file, floor_file) == "done 0"
    assert undisturbed.kept() == before


def test_a_file_in_parts_and_packed_gives_the_same_history(
    tmp_path: Path, undisturbed: Ingest, floor_file: Path
) -> None:
    lines = floor_file.read_bytes().splitlines(keepends=True)
    first, packed = tmp_path / "first.jsonl", tmp_path / "all.jsonl.gz"
    first.write_bytes(b"".join(lines[:300]).replace(b"\n", b"\r\n\r\n"))
    packed.write_bytes(gzip.compress(b"".join(lines), mtime=0))
    ingest = Ingest(tmp_path)
    ingest.run(first)
    ingest.run(packed)
    assert ingest.kept() == undisturbed.kept()


def test_kills_after_steps_and_at_any_moment_give_the_same_history(
    tmp_path: Path, undisturbed: Ingest, floor_file: Path
) -> None:
    ingest = Ingest(tmp_path)
    assert ingest.run(floor_file, step=Step.FLUSHED.value, occurrence=2) == ""
    assert ingest.run(floor_file, step=Step.PUT.value, occurrence=400) == ""
    ingest.run(floor_file, after_s=0.4)
    assert ingest.run(floor_file).startswith("done ")
    assert ingest.kept() == undisturbed.kept()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_kills_give_the_same_history(
    tmp_path: Path, undisturbed: Ingest, floor_file: Path, seed: int
) -> None:
    chance = random.Random(seed)
    ingest = Ingest(tmp_path)
    for _ in range(3):
        ingest.run(
            floor_file, step=chance.choice(list(Step)).value, occurrence=chance.randrange(1, 9)
        )
        ingest.run(floor_file, occurrence=chance.randrange(1, 1500))
        ingest.run(floor_file, after_s=chance.uniform(0, 1.0))
    assert ingest.run(floor_file).startswith("done ")
    assert ingest.kept() == undisturbed.kept()
