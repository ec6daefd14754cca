"""Workers over the real broker: killed, stopped, added and removed, they say what they always say.

L1: the set of (key, version, bytes) on the verdicts topic is that of one host that nobody disturbs,
and so is the digest of the history.
"""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

from schemas.topics import TopicName
from streams.host.snapshots import read_header
from streams.host.steps import Step
from tests.support.stream.stream_floor import (
    SEGMENT_S,
    Expected,
    Stream,
    small_floor,
    standing_of_ledgers,
)
from tests.support.stream.stream_processes import Running, wait_until

QUICK = {"snapshot_every": 150, "read_count": 100}
"""So that a small floor has many snapshots and many readings."""

LEDGER_KILLS = ((Step.FOLDED, 90), (Step.FLUSHED, 1), (Step.KEPT, 1), (Step.RESTORED, 3))

KILLED = -signal.SIGKILL


def check_same(stream: Stream, expected: Expected, *, repeats: bool | None = None) -> None:
    """Check the verdicts topic against the undisturbed host."""
    output = stream.output()
    assert output.records == expected.records
    assert output.letters == {}
    if repeats is not None:
        assert (output.count > len(output.records)) is repeats


def test_a_worker_killed_after_steps_and_at_any_moment_changes_nothing(
    stream: Stream, expected: Expected
) -> None:
    chance = random.Random(5)
    floor = small_floor()
    half = len(floor) // 2
    sink = stream.sink()
    stream.publish(floor[:half])
    # While it recovers, after three different steps.
    for step, occurrence in ((Step.FOLDED, 333), (Step.FLUSHED, 2), (Step.KEPT, 2)):
        dying = stream.odd_worker(name="w1", step=step.value, occurrence=occurrence, pace=QUICK)
        assert dying.ended() == KILLED
    with stream.publishing(floor[half:], rate=250):
        # While deliveries come, after a step and at a random moment.
        dying = stream.odd_worker(name="w1", step=Step.PUT.value, occurrence=900, pace=QUICK)
        assert dying.ended() == KILLED
        dying = stream.odd_worker(name="w1", pace=QUICK)
        dying.wait_ready()
        time.sleep(chance.uniform(0.1, 0.6))  # the moment is the point, nothing is waited for
        dying.kill()
    last = stream.worker("w1")
    stream.wait_folded(last)
    stream.wait_sunk(sink)
    check_same(stream, expected, repeats=True)
    # The ledgers of progressives too, though other hosts told them the same in another order.
    assert standing_of_ledgers(stream.output().ledgers) == expected.ledgers != {}
    assert not expected.digests["progressives"].startswith("0 ")
    assert stream.digests() == expected.digests
    assert last.stop() == 0
    assert sink.stop() == 0


def test_a_worker_killed_after_steps_of_the_ledgers_changes_nothing_they_say(
    stream: Stream, expected: Expected
) -> None:
    """Steps are numbered for each host; here those of the second one, which tables tell."""
    floor = small_floor()
    half = len(floor) // 2
    sink = stream.sink()
    stream.publish(floor[:half])
    of_ledgers = {"name": "w1", "pace": QUICK, "of": TopicName.PROGRESSIVE_INPUTS.value}
    for step, occurrence in LEDGER_KILLS:
        dying = stream.odd_worker(step=step.value, occurrence=occurrence, **of_ledgers)
        assert dying.ended() == KILLED, step
    with stream.publishing(floor[half:], rate=250):
        dying = stream.odd_worker(step=Step.PUT.value, occurrence=100, **of_ledgers)
        assert dying.ended() == KILLED
    last = stream.worker("w1")
    stream.wait_folded(last)
    stream.wait_sunk(sink)
    check_same(stream, expected)
    assert {one[1] for one in expected.ledgers} >= {"ledger", "reading", "progressive_day"}
    assert standing_of_ledgers(stream.output().ledgers) == expected.ledgers
    assert stream.digests() == expected.digests
    assert last.stop() == 0
    assert sink.stop() == 0


def test_workers_come_and_go_in_good_order(stream: Stream, expected: Expected) -> None:
    floor = small_floor()
    third = len(floor) // 3
    first = stream.worker()
    first.wait_ready()
    stream.publish(floor[:third])
    stream.wait_folded(first)
    with stream.publishing(floor[third : 2 * third], rate=300):
        second = stream.worker()
        second.wait_ready()
    wait_until(lambda: len(second.metrics("next_offset")) > 0, "a share", lambda: second.said)
    assert len(first.metrics("next_offset")) + len(second.metrics("next_offset")) >= 3
    with stream.publishing(floor[2 * third :], rate=300):
        assert first.stop() == 0
        assert "worker stopped" in first.said
    stream.wait_folded(second)
    check_same(stream, expected)
    assert second.stop() == 0


def test_a_worker_that_slept_beyond_its_session_wakes_up_and_does_no_harm(
    stream: Stream, expected: Expected
) -> None:
    floor = small_floor()
    half = len(floor) // 2
    # Asleep with a snapshot in its hand: it has taken the cut and not written it yet.
    sleeper = stream.odd_worker(
        sleeps_after=Step.FLUSHED.value, at_occurrence=2, pace={"snapshot_every": 300}
    )
    sleeper.wait_ready()
    stream.publish(floor[:half])
    wait_until(lambda: is_asleep(sleeper), "it to fall asleep", lambda: sleeper.said)
    stream.publish(floor[half:])
    successor = stream.worker()
    stream.wait_folded(successor)
    assert successor.stop() == 0  # with the highest snapshots
    sleeper.signal(signal.SIGCONT)
    wait_until(
        lambda: sleeper.total("snapshots") > 1,
        "the snapshot of the one that woke up",
        lambda: sleeper.said,
    )
    sleeper.kill()
    last = stream.worker()
    stream.wait_folded(last)
    assert last.total("old_snapshots") >= 1
    assert last.total("folded") == 0
    check_same(stream, expected)
    assert last.stop() == 0

    # Compaction keeps what was written last: of a zombie too, so the highest may be gone.
    was_set_back = write_old_snapshots_last(stream)
    again = stream.worker()
    stream.wait_folded(again)
    assert (again.total("folded") > 0) == was_set_back
    check_same(stream, expected)
    assert again.stop() == 0


def write_old_snapshots_last(stream: Stream) -> bool:
    """Have zombies write the lowest snapshots once more, and all but those compacted away.

    Returns:
        Whether one was lower than the one before: a fast machine may have written each but once.
    """
    first: dict[int, bytes] = {}
    highest: dict[int, int] = {}
    for one in stream.messages(TopicName.SNAPSHOTS):
        first.setdefault(one.partition, one.value)
        reached = read_header(one.value).next_offset
        highest[one.partition] = max(reached, highest.get(one.partition, 0))
    stream.compact_quickly(TopicName.SNAPSHOTS)
    # The segment that is written to is never compacted: a later one is needed, and a later.
    for _ in range(3):
        time.sleep(SEGMENT_S)
        stream.put_snapshots(first)
    wait_until(
        lambda: {one.value for one in stream.messages(TopicName.SNAPSHOTS)} == set(first.values()),
        "the compaction",
    )
    return any(read_header(first[one]).next_offset < highest[one] for one in first)


def is_asleep(worker: Running) -> bool:
    stat = Path(f"/proc/{worker.process.pid}/stat").read_text()
    return stat.rsplit(")", 1)[1].split()[0] == "T"


def test_messages_that_the_framework_never_delivers_are_found(
    stream: Stream, expected: Expected
) -> None:
    floor = small_floor()
    stream.publish(floor[:200])
    worker = stream.odd_worker(skip_from={str(at): end for at, end in stream.ends().items()})
    stream.wait_folded(worker)
    wait_until(lambda: not any(worker.metrics("own_reader_leads").values()), "deliveries to lead")
    stream.publish(floor[200:])  # and then silence
    stream.wait_folded(worker)
    assert worker.total("probed") > 0
    check_same(stream, expected, repeats=False)
    assert worker.stop() == 0
