"""What the history lacks is found below the sink's watermark, and mended from the log."""

from __future__ import annotations

import random
import sys
from contextlib import closing
from pathlib import Path

import orjson
from aiokafka import TopicPartition

from schemas.topics import TopicName
from streams.history.embedded.store import ChdbStore
from streams.history.opening import history_path
from streams.kafka.partitioning import partition_of
from streams.kafka.topics import check_topics, topic_ids
from streams.sink.marks import HistoryMarks
from tests.support.stream.stream_floor import Stream, digests_of, ingested_digests, wait_until
from tests.support.tables.floors import Message, interleaved, table_feed

LADDERMAN = Path(sys.executable).with_name("ladderman")


def tables() -> list[str]:
    """Name four tables."""
    return [f"BAC-{number:02d}" for number in range(1, 5)]


def feeds() -> list[list[Message]]:
    """Three shoes at each of them."""
    chance = random.Random(5)
    return [table_feed(table, 18, chance, 6) for table in tables()]


def with_late_event(feed: list[Message]) -> list[Message]:
    """Let the payment of a coup of the first shoe come after everything else."""
    at = next(
        place
        for place, (_, raw) in enumerate(feed)
        if orjson.loads(raw)["type"] == "wager_settled" and place > 30
    )
    return [*feed[:at], *feed[at + 1 :], feed[at]]


def skip(stream: Stream, topic_name: TopicName, partition: int, offset: int) -> None:
    """Let the history believe that it has what was never written to it."""
    name = stream.name(topic_name)
    ids = {name: topic_ids(check_topics(stream.settings))[topic_name]}
    with closing(ChdbStore(history_path(stream.store), create=False)) as history:
        HistoryMarks(history, ids).note({TopicPartition(name, partition): offset})


def folded(stream: Stream) -> None:
    """Fold all that stands on the log, and keep a snapshot of it."""
    worker = stream.worker()
    stream.wait_folded(worker)
    assert worker.stop() == 0, worker.said


def test_what_was_lost_on_the_way_to_the_history_is_mended_and_late_truth_amended(
    stream: Stream, tmp_path: Path, reconcile
) -> None:
    honest = feeds()
    lossy = partition_of(b"BAC-01", stream.settings.partitions)
    late = next(table for table in tables() if partition_of(table.encode(), 3) != lossy)
    told = [with_late_event(feed) if feed[0][0] == late.encode() else feed for feed in honest]
    beginning = stream.sink()  # makes the history
    beginning.wait_ready()
    assert beginning.stop() == 0
    stream.publish(interleaved(told, random.Random(6)))
    folded(stream)
    skip(stream, TopicName.EVENTS, lossy, 40)
    skip(stream, TopicName.VERDICTS, lossy, 30)
    sink = stream.sink()
    stream.wait_sunk(sink)

    code, first = reconcile()
    assert code == 1
    assert not first["complete"]
    assert first["found"]["events_missing"] == 40
    assert first["found"]["records_missing"] == 30
    assert first["covered"] < first["coups"] == 72
    assert float(first["percent"]) < 100
    assert first["found"]["records_amended"] > 0
    assert any(f"{late}: coup" in line and "late events" in line for line in first["lines"])

    folded(stream)
    stream.wait_sunk(sink)
    code, second = reconcile()
    assert (code, second["found"], second["complete"]) == (0, {}, True), second
    assert second["sentence"] == "verdicts cover 100.000 % of 72 coups"
    whole = [message for feed in honest for message in feed]
    assert digests_of(stream.store) == ingested_digests(whole, tmp_path / "honest")


def test_the_canary_is_heard_and_the_coverage_told_round_after_round(stream: Stream) -> None:
    stream.worker()
    stream.publish(feeds()[0])
    running = stream.start(
        "reconcile",
        str(LADDERMAN),
        "reconcile",
        "--continuous",
        "--canary",
        "--every",
        "1",
        "--port",
        "0",
        LADDERMAN_HISTORY_STORE="embedded",
    )
    wait_until(
        lambda: running.metrics("canary_findings").get(-1, 0) >= 1,
        "the canary to be heard",
        lambda: running.said,
    )
    assert running.metrics("canary_seconds_since_finding")[-1] < 60
    assert running.metrics("canary_latency_seconds")[-1] > 0
    status, health = running.ask("/health")
    assert (status, b"no history at" in health) == (503, True), health

    sink = stream.sink()
    wait_until(
        lambda: running.metrics("coverage_coups").get(-1, 0) >= 18,
        "the coups of the table to be covered",
        lambda: running.said,
    )
    wait_until(
        lambda: running.metrics("coverage_lacking_coups") == {-1: 0},
        "all of them",
        lambda: running.said,
    )
    wait_until(lambda: running.is_ready, "everything to be compared", lambda: running.said)
    assert running.metrics("coverage_coups") == {-1: 18}
    assert running.stop() == 0, running.said
    assert "verdicts cover 100.000 % of 18 coups" in running.said
    assert sink.process.poll() is None
