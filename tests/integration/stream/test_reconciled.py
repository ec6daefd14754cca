"""What the reconciler alone can see, on the real broker and the real store.

A conflict whose first event the fold has forgotten, a log that keeps only its end, and versions of
an earlier audit epoch.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest
from kafka import TopicPartition

from schemas.records import decode_record
from schemas.topics import TopicName
from tests.support.stream.stream_fixtures import Reconcile
from tests.support.stream.stream_floor import Stream, ingested_digests
from tests.support.stream.stream_processes import Running
from tests.support.tables.floors import Message, interleaved, table_feed

TABLES = ("BAC-01", "BAC-02", "BAC-03")
COUPS = 18
REFUSED = 2


def floor() -> list[Message]:
    """Three tables with several shoes each."""
    chance = random.Random(5)
    feeds = [table_feed(table, COUPS, chance, 6) for table in TABLES]
    return interleaved(feeds, random.Random(6))


def folded(stream: Stream, worker: Running) -> None:
    """Fold all that stands on the log, and keep a snapshot of it."""
    stream.wait_folded(worker)
    assert worker.stop() == 0, worker.said


def complete(found: tuple[int, dict]) -> None:
    code, document = found
    assert (code, document["found"], document["complete"]) == (0, {}, True), document
    coups = len(TABLES) * COUPS
    assert document["sentence"] == f"verdicts cover 100.000 % of {coups} coups"


def conflicts(stream: Stream) -> Sequence[str]:
    """Give what the topic of verdicts says about conflicts of sequences."""
    records = (decode_record(one.value) for one in stream.messages(TopicName.VERDICTS))
    return [
        record.table_id
        for record in records
        for one in record.findings
        if one.code == "SEQUENCE_CONFLICT"
    ]


def test_a_conflict_with_an_event_that_the_fold_has_forgotten_is_found(
    stream: Stream, reconcile: Reconcile
) -> None:
    messages = floor()
    mine = [raw for key, raw in messages if key == b"BAC-02"]
    assert len(mine) > 128 + 8
    other = orjson.loads(mine[7])
    other["occurred_at"] = orjson.loads(mine[8])["occurred_at"]
    told = [*messages, (b"BAC-02", mine[5]), (b"BAC-02", orjson.dumps(other))]
    stream.publish(told)
    folded(stream, stream.worker())
    sink = stream.sink()
    stream.wait_sunk(sink)
    assert conflicts(stream) == []

    code, first = reconcile()
    assert code == 1
    assert first["found"] == {"sequence_conflicts": 1, "records_amended": 1}, first
    assert any("BAC-02: event 8 came again with other bytes" in one for one in first["lines"])
    stream.wait_sunk(sink)
    assert conflicts(stream) == ["BAC-02"]
    complete(reconcile())
    assert conflicts(stream) == ["BAC-02"]

    stream.publish([(b"BAC-02", mine[5])])  # nobody folds it any more
    code, after = reconcile()
    assert (code, after["messages_waiting"]) == (0, 1), after


@pytest.mark.slow
def test_what_the_log_no_longer_keeps_is_reconciled_from_the_history(
    stream: Stream, reconcile: Reconcile, tmp_path: Path
) -> None:
    messages = floor()
    stream.publish(messages)
    folded(stream, stream.worker())
    sink = stream.sink()
    stream.wait_sunk(sink)
    with stream.administration() as admin:
        name = stream.name(TopicName.EVENTS)
        ends = {at: end for at, end in stream.ends().items() if end}
        admin.delete_records({TopicPartition(name, at): end - 30 for at, end in ends.items()})
    complete(reconcile())
    assert stream.digests() == ingested_digests(messages, tmp_path / "honest")


def test_a_night_that_two_audit_epochs_have_folded_is_whole(
    stream: Stream, reconcile: Reconcile, newer_law: int, tmp_path: Path
) -> None:
    messages = floor()
    half = len(messages) // 2
    sink = stream.sink()
    stream.publish(messages[:half])
    folded(stream, stream.worker())
    stream.publish(messages[half:])
    folded(stream, stream.odd_worker(audit_epoch=newer_law))
    stream.wait_sunk(sink)
    records = [decode_record(one.value) for one in stream.messages(TopicName.VERDICTS)]
    assert {one.audit_epoch for one in records} == {newer_law - 1, newer_law}
    assert stream.digests() == ingested_digests(messages, tmp_path / "honest")
    complete(reconcile())

    # The build before reads nothing that the newer one has kept.
    older = stream.worker()
    assert older.ended() == REFUSED
    assert "start the newer build" in older.said
