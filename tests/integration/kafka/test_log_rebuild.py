"""A log that Kafka has lost is made anew from the history, and gives the same verdicts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dashboards.commands.history.history import register
from tests.support.stream.stream_floor import Stream, digests_of, ingested_digests
from tests.support.tables.floors import interleaved, table_feed
from tests.support.texts.command_line import run_command


def test_the_history_gives_a_log_that_gives_the_same_history(
    stream: Stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(8)
    feeds = [table_feed(f"BAC-{number:02d}", 9, chance, 4) for number in (1, 2, 3)]
    first, gap = feeds[0], 40
    changed = first[20][1].replace(b'"schema_version"', b' "schema_version"')
    feeds[0] = [*first[:21], (first[20][0], changed), *first[21:gap], *first[gap + 1 :]]
    expected = ingested_digests(interleaved(feeds, chance), tmp_path / "lost")

    for name, value in (
        ("KAFKA_BOOTSTRAP", stream.settings.bootstrap),
        ("KAFKA_PREFIX", "the-lost-one"),
        ("KAFKA_PARTITIONS", "3"),
        ("KAFKA_DEV", "true"),
        ("DATA_DIRECTORY", str(tmp_path / "lost" / "embedded")),
    ):
        monkeypatch.setenv(f"LADDERMAN_{name}", value)
    command = ("history", "republish", "--prefix", stream.settings.prefix)
    done = run_command(register, *command)
    assert done.code == 0, done.out + done.err
    assert "3 sources in 3 feeds" in done.out
    assert "1 sequences are missing, 1 have several contents" in done.out
    again = run_command(register, *command)
    assert (again.code, "empty topics only" in again.err) == (2, True), again

    worker, sink = stream.worker(), stream.sink()
    stream.wait_folded(worker)
    stream.wait_sunk(sink)
    assert (worker.stop(), sink.stop()) == (0, 0)
    assert digests_of(stream.store) == expected
