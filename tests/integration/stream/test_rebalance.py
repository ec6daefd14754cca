"""While a rebalance lasts, workers go on with what they have: nobody waits for the slowest."""

from __future__ import annotations

import signal

import orjson
import pytest

from schemas.records import EPOCH_SHIFT
from schemas.topics import TopicName
from tests.integration.stream.test_kills import check_same
from tests.support.stream.stream_floor import Expected, Stream, small_floor
from tests.support.stream.stream_processes import Running, wait_until

LONG_SESSION_S = 25.0
"""A rebalance waits so long for a member that sleeps."""


def partitions_of(worker: Running) -> set[int]:
    return set(worker.metrics("next_offset"))


def leads_everywhere(worker: Running) -> bool:
    leads = worker.metrics("own_reader_leads")
    return bool(leads) and all(leads.values())


def found_beyond(stream: Stream, before: dict[int, int]) -> set[int]:
    """Give the partitions with a finding that an event behind an offset decided."""
    found = set()
    for one in stream.messages(TopicName.FINDINGS):
        offset = orjson.loads(one.value)["version"] & ((1 << EPOCH_SHIFT) - 1)
        if offset >= before[one.partition]:
            found.add(one.partition)
    return found


def test_findings_of_partitions_that_stay_go_out_while_a_rebalance_lasts(
    stream: Stream, expected: Expected
) -> None:
    floor = small_floor()
    few = len(floor) // 20
    stream.environment["LADDERMAN_KAFKA_SESSION_TIMEOUT_S"] = str(LONG_SESSION_S)
    first = stream.worker()
    first.wait_ready()
    second = stream.worker()
    wait_until(lambda: second.is_ready and bool(partitions_of(second)), "a share")
    wait_until(lambda: not partitions_of(first) & partitions_of(second), "the first to let go")
    stream.publish(floor[:few])
    stream.wait_folded(first, second)
    wait_until(lambda: not leads_everywhere(first), "deliveries to lead")
    before = stream.ends()
    keeps = partitions_of(first)

    # The broker waits for the sleeper to join again, and nobody has anything assigned meanwhile.
    second.signal(signal.SIGSTOP)
    third = stream.worker()
    wait_until(lambda: leads_everywhere(first), "the rebalance", lambda: first.said)
    stream.publish(floor[few:])
    ends = stream.ends()

    def is_folded() -> bool:
        reached = first.metrics("next_offset")
        return all(reached.get(partition, -1) >= ends[partition] for partition in keeps)

    wait_until(is_folded, f"{ends} to be folded", lambda: first.said)
    found = found_beyond(stream, before)
    assert third.metrics("next_offset") == {}, "the rebalance was over before"
    assert partitions_of(first) == keeps
    second.signal(signal.SIGCONT)
    wait_until(lambda: bool(partitions_of(third)), "a share for the third", lambda: third.said)
    wait_until(lambda: not partitions_of(first) & partitions_of(third), "the first to let go")
    assert found == {one for one in keeps if ends[one] > before[one]} != set()

    # And what is handed over is the same as ever.
    stream.wait_folded(first, second, third)
    check_same(stream, expected)
    for one in (first, second, third):
        assert one.stop() == 0


@pytest.mark.slow
def test_workers_of_one_name_are_told_that_they_disturb_each_other(stream: Stream) -> None:
    workers = [stream.worker("w1"), stream.worker("w1")]
    for one in workers:
        wait_until(
            lambda one=one: b"whether another worker is named w1 too" in one.ask("/health")[1],
            "the worker to say that its group comes to no rest",
            lambda one=one: one.said,
            90.0,
        )
    assert workers[1].stop() == 0, workers[1].said
    assert workers[0].stop() == 0, workers[0].said
