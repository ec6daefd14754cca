"""Workers that had better not go on: they end soon, with a code and a line that says why."""

from __future__ import annotations

import re

import orjson
from kafka import TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType

from schemas.topics import TopicName
from streams.kafka.topics import create_topics
from tests.support.stream.stream_floor import Expected, Stream, small_floor
from tests.support.stream.stream_processes import CONSOLE_SCRIPT, Running, wait_until

REFUSED, FAULT = 2, 70
END_S = 10
"""An end takes less from the line that says why; a hang takes for ever."""


def last_line(ended: Running) -> str:
    """Give the one line that says why a process ended."""
    lines = [orjson.loads(line) for line in ended.said.splitlines() if line.startswith("{")]
    (said,) = [one["message"] for one in lines if one["level"] == "error"]
    return str(said)


def plain_line(ended: Running) -> str:
    """Give the one line of a process that never began."""
    (line,) = [line for line in ended.said.splitlines() if not line.startswith("{")]
    return line


def test_a_worker_does_not_start_on_topics_that_are_missing_or_kept_wrongly(
    stream: Stream,
) -> None:
    events = stream.name(TopicName.EVENTS)
    with stream.administration() as admin:
        resource = ConfigResource(
            ConfigResourceType.TOPIC, events, configs={"retention.ms": "1000000"}
        )
        admin.alter_configs([resource])
        worker = stream.worker()
        assert worker.ended() == REFUSED
        assert plain_line(worker).startswith(f"ladderman: {events} has retention.ms")
        admin.delete_topics([events])
        for one in (stream.worker(), stream.sink()):
            assert one.ended() == REFUSED
            assert plain_line(one) == (
                f"ladderman: {events} does not exist; make it: ladderman topics create; "
                "see ladderman topics check"
            )


def test_who_reads_with_another_number_of_partitions_is_refused(stream: Stream) -> None:
    """Most events would seem to stand in a wrong partition, and nobody would miss them."""
    sink = stream.sink()
    sink.wait_ready()
    wrong = {"LADDERMAN_KAFKA_PARTITIONS": str(stream.settings.partitions + 3)}
    reconcile = stream.start("reconcile", str(CONSOLE_SCRIPT), "reconcile", **wrong)
    assert sink.stop() == 0
    refused = [reconcile, stream.start("sink", str(CONSOLE_SCRIPT), "sink", "--port", "0", **wrong)]
    for one in refused:
        assert one.ended() == REFUSED
        assert plain_line(one).startswith(
            f"ladderman: {stream.name(TopicName.EVENTS)} has 3 partitions and the settings say 6"
        )


def test_a_worker_refuses_the_snapshots_of_a_topic_that_was_made_anew(stream: Stream) -> None:
    first = stream.worker()
    stream.publish(small_floor()[:300])
    stream.wait_folded(first)
    assert first.stop() == 0
    events = stream.name(TopicName.EVENTS)
    with stream.administration() as admin:
        admin.delete_topics([events])
        wait_until(lambda: made_again(stream), "the topic to be made again")
    second = stream.worker()
    assert second.ended() == REFUSED
    assert "the log was created again" in last_line(second)


def test_a_worker_whose_topic_is_made_anew_under_its_hands_ends_and_says_so(
    stream: Stream,
) -> None:
    """It would wait until the new log is as long as the old one was, and fold on in its middle."""
    worker = stream.worker()
    stream.publish(small_floor()[:300])
    stream.wait_folded(worker)
    count = stream.output().count
    with stream.administration() as admin:
        admin.delete_topics([stream.name(TopicName.EVENTS)])
        wait_until(lambda: made_again(stream), "the topic to be made again")
    assert worker.ended() == REFUSED, worker.said
    # Either the framework lost sight of the topic meanwhile, or a host saw that its log is short.
    assert re.search(r"created again.*; see infra/runbook/TopicRecreated.md", worker.said), (
        worker.said
    )
    assert stream.output().count == count


def made_again(stream: Stream) -> bool:
    made, _ = create_topics(stream.settings)
    return bool(made)


def test_a_snapshot_at_its_limit_ends_the_worker_and_says_how_large_it_is(stream: Stream) -> None:
    worker = stream.odd_worker(pace={"snapshot_bytes_max": 2_000, "snapshot_every": 200})
    stream.publish(small_floor())
    assert worker.ended() == REFUSED
    assert "a snapshot has at most 2,000" in last_line(worker)
    assert "use more partitions" in last_line(worker)


def test_a_host_that_fails_ends_the_worker_within_seconds_and_loses_nothing(
    stream: Stream, expected: Expected
) -> None:
    stream.publish(small_floor())
    failing = stream.odd_worker(fails_at=700, pace={"snapshot_every": 200})
    wait_until(lambda: '"error"' in failing.said, "the failure", lambda: failing.said)
    assert failing.ended(END_S) == FAULT
    assert "a fold that is wrong" in last_line(failing)
    worker = stream.worker()
    stream.wait_folded(worker)
    assert stream.output().records == expected.records
    assert worker.stop() == 0


def test_what_the_log_no_longer_keeps_comes_from_the_history(
    stream: Stream, expected: Expected
) -> None:
    floor = small_floor()
    most = len(floor) * 3 // 4
    # It never takes a snapshot, and dies: the next one has to begin before the first message.
    worker = stream.odd_worker(pace={"snapshot_every": 10**9, "snapshot_every_s": 10**6})
    sink = stream.sink()
    stream.publish(floor[:most])
    stream.wait_folded(worker)
    stream.wait_sunk(sink)
    worker.kill()
    with stream.administration() as admin:
        name = stream.name(TopicName.EVENTS)
        gone = {TopicPartition(name, at): end - 40 for at, end in stream.ends().items()}
        admin.delete_records(gone)
    stream.publish(floor[most:])
    worker = stream.worker()
    stream.wait_folded(worker)
    stream.wait_sunk(sink)
    assert worker.total("from_archive") == sum(gone.values())
    assert worker.total("lost_to_retention") == 0
    assert stream.output().records == expected.records
    assert stream.digests() == expected.digests
    assert worker.stop() == 0
    assert sink.stop() == 0


def test_what_neither_log_nor_history_keeps_is_a_gap_that_is_said(stream: Stream) -> None:
    floor = small_floor()
    half = len(floor) // 2
    stream.publish(floor[:half])
    with stream.administration() as admin:
        name = stream.name(TopicName.EVENTS)
        gone = {TopicPartition(name, at): end - 40 for at, end in stream.ends().items()}
        admin.delete_records(gone)
    worker = stream.worker()
    stream.publish(floor[half:])
    stream.wait_folded(worker)
    assert worker.total("lost_to_retention") == sum(gone.values())
    assert worker.said.count("messages before it were never folded") == len(gone)
    found = {
        one.key[2].partition("/")[0] for one in stream.output().records if one.key[1] == "feed"
    }
    assert "SEQUENCE_GAP" in found
    assert worker.stop() == 0
