"""Ledgers of progressives on the real broker: late truth reaches them, and so does a new law."""

from __future__ import annotations

from pathlib import Path

from auditors.progressive.ledger.chunks import effects_in
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.state import ProgressiveState
from schemas.progressive_inputs import decode_progressive_input
from schemas.records import Record
from schemas.topics import TopicName
from streams.host.ledger_fold import ProgressiveFold
from streams.host.snapshots import decode_snapshot, read_header
from streams.kafka.partitioning import partition_of
from streams.simulator.floor import FloorConfig, floor_events
from tests.integration.kafka.test_reconcile_ledgers import PROGRESSIVE, Script, entries, honest
from tests.support.stream.stream_fixtures import Reconcile
from tests.support.stream.stream_floor import Stream, ingested_digests, standing_of_ledgers
from tests.support.stream.stream_processes import Running


def folded(stream: Stream, worker: Running) -> str:
    """Fold all that stands on the logs, keep a snapshot of it, and give what was said."""
    stream.wait_folded(worker)
    assert worker.stop() == 0, worker.said
    return worker.said


def taken_in(stream: Stream) -> set[Effect]:
    """Give the wagers that the ledger of the newest snapshot has."""
    at = partition_of(PROGRESSIVE.encode(), stream.settings.partitions)
    kept = [
        one.value for one in stream.messages(TopicName.PROGRESSIVE_SNAPSHOTS) if one.partition == at
    ]
    newest = max(kept, key=lambda raw: read_header(raw).position)
    _, (source,) = decode_snapshot(newest, ProgressiveFold())
    assert isinstance(source.state, ProgressiveState)
    (level,) = source.state.levels
    return {one for one in effects_in(level.pending) if one.kind == "accept"}


def test_a_wager_of_a_closed_shoe_that_is_heard_of_late_reaches_its_ledger(
    stream: Stream, reconcile: Reconcile
) -> None:
    script = Script()
    expected = entries(honest(script))
    stream.publish((b"BAC-01", raw) for raw in script.in_disorder())
    folded(stream, stream.worker())
    sink = stream.sink()
    stream.wait_sunk(sink)
    assert {one.name for one in expected - taken_in(stream)} == {"W2"}

    code, first = reconcile()
    assert code == 1
    assert first["found"].keys() == {"records_amended"}, first
    told = stream.messages(TopicName.PROGRESSIVE_INPUTS)
    assert entries(decode_progressive_input(one.value) for one in told) == expected
    # Whoever folds the ledger from now on takes it in.
    folded(stream, stream.worker())
    assert taken_in(stream) == expected
    stream.wait_sunk(sink)
    code, second = reconcile()
    assert (code, second["found"], second["complete"]) == (0, {}, True), second
    assert len(stream.messages(TopicName.PROGRESSIVE_INPUTS)) == len(told)


def test_ledgers_of_an_earlier_audit_epoch_are_renewed(
    stream: Stream, reconcile: Reconcile, newer_law: int, tmp_path: Path
) -> None:
    config = FloorConfig(tables=4, coups=24, seed=11)
    messages = [(source.encode(), raw) for source, raw in floor_events(config)]
    half = len(messages) // 2
    sink = stream.sink()
    stream.publish(messages[:half])
    folded(stream, stream.worker())
    before = standing(stream)
    assert {one.audit_epoch for one in before.values()} == {newer_law - 1}
    stream.publish(messages[half:])
    said = folded(stream, stream.odd_worker(audit_epoch=newer_law))
    after = standing(stream)
    assert before.keys() < after.keys()
    assert {one.audit_epoch for one in after.values()} == {newer_law}
    assert f"is folded again under {newer_law}" in said

    # It says the same, as the law does here, and all of it is in the history.
    stream.wait_sunk(sink)
    assert stream.digests() == ingested_digests(messages, tmp_path / "honest")
    again = folded(stream, stream.odd_worker(audit_epoch=newer_law))
    assert "anew" not in again
    assert standing_of_ledgers(stream.output().ledgers) == standing_of_ledgers(after.values())
    code, document = reconcile()
    assert (code, document["complete"]) == (0, True), document


def standing(stream: Stream) -> dict[tuple[str, ...], Record]:
    """Give the last record of every subject of ledgers."""
    last: dict[tuple[str, ...], Record] = {}
    for one in stream.output().ledgers:
        if one.key not in last or one.version >= last[one.key].version:
            last[one.key] = one
    return last
