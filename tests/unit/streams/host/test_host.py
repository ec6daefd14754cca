"""The host of a partition: every message once, in order, and nothing kept that is not delivered."""

import asyncio
import itertools
import random
from collections.abc import Sequence

import pytest

from streams.host.dead_letters import Origin
from streams.host.driving import run_now
from streams.host.errors import (
    FoldFailedError,
    HostStoppedError,
    LogReplacedError,
    SnapshotRefusedError,
    SnapshotTooLargeError,
)
from streams.host.late_truth import SHORT_ENDS_MAX
from streams.host.partition_host import PartitionHost
from streams.host.ports import LogBatch, LogEntry
from streams.host.steps import Step
from tests.support.stream.host_partition import WORDS, Killed, Partition, numbered, offer, words_of
from tests.support.stream.memory_ports import MemoryLog
from tests.support.stream.tally_fold import same_after_reading


def test_the_next_message_is_folded_and_an_old_one_skipped() -> None:
    partition = Partition()
    host = partition.recovered()
    first, second = (partition.log.append(raw) for raw in numbered(["ace", "two"]))
    offer(host, first, second, first, second)
    assert words_of(host) == ("ace", "two")
    assert (host.counts.folded, host.counts.skipped, host.next_offset) == (2, 2, 2)


def test_what_was_not_delivered_is_read_from_the_log() -> None:
    partition = Partition()
    host = partition.recovered()
    entries = [partition.log.append(raw) for raw in numbered(WORDS)]
    offer(host, entries[0], entries[7], entries[3], entries[9])
    assert words_of(host) == WORDS
    assert (host.counts.healed, host.counts.skipped) == (7, 1)


def test_offsets_without_a_message_are_stepped_over() -> None:
    partition = Partition()
    host = partition.recovered()
    entries = [
        partition.log.append(raw, skip=skip)
        for raw, skip in zip(numbered(WORDS), [3, 0, 5, 1, 0, 0, 9, 0, 2, 1], strict=True)
    ]
    offer(host, entries[0], entries[4], entries[9])
    assert words_of(host) == WORDS
    partition.log.end += 4  # marks of a transaction behind the last message
    assert run_now(host.follow()) == 0
    assert host.next_offset == partition.log.end


def test_the_tail_is_read_only_once_nothing_moves_any_more() -> None:
    partition = Partition()
    host = partition.recovered()
    run_now(host.poll())
    entry = partition.log.append(b"1 ace")
    partition.log.append(b"2 two")
    offer(host, entry)
    assert run_now(host.poll()) == 0  # it moved since the last look: delivery is at work
    assert run_now(host.poll()) == 1
    assert (words_of(host), host.counts.probed) == (("ace", "two"), 1)


def test_the_tail_that_is_at_hand_is_folded_and_offsets_without_a_message_stepped_over() -> None:
    partition = Partition()
    host = partition.recovered()
    for raw in numbered(["ace", "two"]):
        partition.log.append(raw, skip=1)
    partition.log.end += 2
    assert run_now(host.follow_tail()) == 2
    assert (words_of(host), host.next_offset) == (("ace", "two"), 4)
    assert run_now(host.follow_tail()) == 0
    assert host.next_offset == 6


def test_a_log_that_is_made_anew_while_it_is_folded_is_noticed() -> None:
    partition = Partition(numbered(WORDS))
    host = partition.recovered()
    partition.log.entries, partition.log.end = [], 2
    for _ in range(SHORT_ENDS_MAX - 1):  # a broker may be behind itself
        assert run_now(host.poll()) == 0
    partition.log.end = len(WORDS)
    assert run_now(host.follow()) == 0
    partition.log.end = 2
    for look in (host.poll, host.follow):
        assert run_now(look()) == 0
    with pytest.raises(LogReplacedError, match="ends at offset 2, and it was folded to 10"):
        run_now(host.poll())
    assert host.has_stopped


class BehindLog(MemoryLog):
    """A log whose broker is behind for the next looks at it."""

    behind = 0

    async def read(self, start: int, count_max: int) -> LogBatch:
        """Show nothing, or what there is."""
        if self.behind:
            self.behind -= 1
            return LogBatch([], start)
        return await super().read(start, count_max)


def test_a_delivery_ahead_of_what_the_log_shows_leaves_nothing_out() -> None:
    partition = Partition()
    partition.log = log = BehindLog()
    host = partition.recovered()
    entries = [log.append(raw) for raw in numbered(WORDS)]
    log.behind = 1
    offer(host, entries[0], entries[7])
    assert words_of(host) == WORDS[:1]
    offer(host, entries[8])
    assert words_of(host) == WORDS[:9]


def test_a_broker_that_is_behind_does_not_decide_what_is_amended() -> None:
    raws = [b"1 ace", b"2 shoe", b"4 c", b"5 d", b"6 e", b"7 f", b"3 b"]
    for behind, amended in ((SHORT_ENDS_MAX - 1, 1), (SHORT_ENDS_MAX, 0)):
        partition = Partition()
        partition.log = log = BehindLog(raws[:-1])
        host = partition.recovered()
        late, log.behind = log.append(raws[-1]), behind
        if amended:
            offer(host, late)
            assert words_of(host) == ("ace", "shoe", "b", "c", "d", "e", "f")
        else:
            with pytest.raises(LogReplacedError):
                offer(host, late)
        assert (host.counts.amended, host.counts.left_to_reconciler) == (amended, 0)


def test_a_snapshot_is_taken_after_enough_messages_or_time() -> None:
    partition = Partition(numbered(WORDS), every=6)
    host = partition.recovered()
    assert [position for position, _ in partition.snapshots.kept] == [(1, 6)]
    run_now(host.follow())
    assert len(partition.snapshots.kept) == 1
    partition.log.append(b"11 ten")
    partition.clock.advance(4.9)
    run_now(host.follow())
    partition.clock.advance(0.2)
    run_now(host.poll())
    assert [position for position, _ in partition.snapshots.kept] == [(1, 6), (1, 11)]
    partition.clock.advance(100)
    run_now(host.poll())
    assert len(partition.snapshots.kept) == 2  # nothing moved


def test_everything_below_a_snapshot_is_delivered_before_it_is_kept() -> None:
    partition = Partition(numbered(WORDS))
    undelivered: dict[Step, int] = {}
    partition.after_step = lambda step: undelivered.update({step: len(partition.outbox.waiting)})
    run_now(partition.host().recover())
    assert undelivered[Step.CUT] > 0
    assert undelivered[Step.FLUSHED] == undelivered[Step.KEPT] == 0


def test_a_host_that_stops_leaves_nothing_undone() -> None:
    partition = Partition(numbered(WORDS), every=1000)
    host = partition.recovered()
    run_now(host.stop())
    assert partition.outbox.waiting == []
    assert [position for position, _ in partition.snapshots.kept] == [(1, 10)]
    with pytest.raises(HostStoppedError, match="it was told to"):
        run_now(host.follow())


def test_recovery_goes_on_from_the_highest_snapshot_not_the_last() -> None:
    partition = Partition(numbered(WORDS), every=2)
    run_now(partition.recovered().stop())
    kept = partition.snapshots.kept
    kept.append(kept.pop(0))  # a zombie writes an old one late
    host = partition.recovered()
    assert (host.counts.folded, words_of(host)) == (0, WORDS)


def test_an_unreadable_snapshot_is_passed_over_aloud() -> None:
    partition = Partition(numbered(WORDS), every=3)
    run_now(partition.recovered().stop())
    for index, damage in enumerate([b"", b"no zstd", partition.snapshots.kept[-1][1][:-5]]):
        partition.snapshots.kept.append(((1, 100 + index), damage))
    host = partition.recovered()
    assert (host.counts.passed_over, host.counts.folded, words_of(host)) == (3, 0, WORDS)
    assert len(partition.alerts) == 3
    assert "a snapshot of partition 0 is unreadable" in partition.alerts[0]
    partition.snapshots.kept = [(position, b"?") for position, _ in partition.snapshots.kept]
    assert words_of(partition.recovered()) == WORDS  # folded again from the start


def test_a_changed_byte_anywhere_in_a_snapshot_is_noticed() -> None:
    partition = Partition(numbered(WORDS), every=1000)
    run_now(partition.recovered().stop())
    ((position, good),) = partition.snapshots.kept
    for index in range(len(good)):
        changed = good[:index] + bytes([good[index] ^ 0x10]) + good[index + 1 :]
        partition.snapshots.kept = [(position, changed)]
        try:
            host = partition.recovered()
        except SnapshotRefusedError:
            continue
        assert words_of(host) == WORDS


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"origin": Origin("log-2")}, "is of partition 0 of log log-1, not of partition 0 of log-"),
        ({"origin": Origin("log-1", 3)}, "is of partition 0 of log log-1, not of partition 3"),
        ({"partitions": 8}, "taken with 1 partitions, there are 8"),
    ],
)
def test_a_snapshot_of_something_else_is_refused(changes: dict[str, object], problem: str) -> None:
    partition = Partition(numbered(WORDS))
    run_now(partition.recovered().stop())
    with pytest.raises(SnapshotRefusedError, match=problem):
        partition.recovered(**changes)


def test_a_snapshot_of_a_newer_build_is_refused_and_of_an_older_upcast() -> None:
    partition = Partition(numbered(WORDS))
    run_now(partition.recovered().stop())
    partition.fold.audit_epoch = 2
    host = partition.recovered()
    assert words_of(host) == (*WORDS, "upcast-from-1")
    partition.log.append(b"11 ten")
    run_now(host.follow())
    run_now(host.stop())
    partition.fold.audit_epoch = 1
    with pytest.raises(SnapshotRefusedError, match="under audit epoch 2, this build has 1"):
        partition.recovered()


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_log_that_is_whole_is_folded_anew_under_a_higher_audit_epoch_where_that_is_asked_for(
    is_whole: bool,
) -> None:
    partition = Partition(numbered(WORDS))
    run_now(partition.recovered(begins_anew=True).stop())
    assert partition.recovered(begins_anew=True).counts.folded == 0  # the same build goes on
    partition.fold.audit_epoch = 2
    partition.log.start = 0 if is_whole else 1
    host = partition.recovered(begins_anew=True)
    assert words_of(host) == (WORDS if is_whole else (*WORDS, "upcast-from-1"))
    assert host.counts.folded == len(WORDS) * is_whole
    said = ["partition 0 was folded under audit epoch 1 and is folded again under 2"] * is_whole
    assert partition.alerts == said
    # Killed amid it, the next one goes on from the newer build's snapshot though it reaches less.
    run_now(host.stop())
    assert partition.recovered(begins_anew=True).counts.folded == 0


def test_a_snapshot_of_a_newer_build_is_passed_over_aloud_and_nothing_of_it_is_guessed() -> None:
    partition = Partition(numbered(WORDS))
    partition.fold.state_format = 2
    run_now(partition.recovered().stop())
    assert partition.recovered().counts.folded == 0
    partition.fold.state_format = 1
    host = partition.recovered()
    assert (host.counts.passed_over, host.counts.folded, words_of(host)) == (2, len(WORDS), WORDS)
    assert "its states have format 2, this build reads them up to 1" in partition.alerts[-1]


def test_a_snapshot_beyond_the_end_of_the_log_is_refused() -> None:
    partition = Partition(numbered(WORDS))
    run_now(partition.recovered().stop())
    partition.log.entries.pop()
    partition.log.end -= 1
    with pytest.raises(SnapshotRefusedError, match="reaches to offset 10, the log ends at 9"):
        partition.recovered()


def test_a_log_that_begins_later_is_said_to_have_lost_messages() -> None:
    partition = Partition(numbered(WORDS))
    partition.log.entries = partition.log.entries[4:]
    partition.log.start = 4
    host = partition.recovered()
    assert (host.counts.lost_to_retention, host.next_offset) == (4, 10)
    assert (
        "4 messages before it were never folded and are not in the history" in (partition.alerts[0])
    )


class Kept:
    """An archive."""

    def __init__(self, entries: Sequence[LogEntry]) -> None:
        self._entries = entries

    async def read(self, start: int, end: int, count_max: int) -> Sequence[LogEntry]:
        return [one for one in self._entries if start <= one.offset < end][:count_max]


@pytest.mark.parametrize(
    ("missing", "lost"), [((), 0), ((0,), 1), ((2, 3), 2), ((6,), 1), (range(7), 7)]
)
def test_what_the_log_no_longer_keeps_comes_from_the_archive(
    missing: Sequence[int], lost: int
) -> None:
    whole = Partition(numbered(WORDS), every=1000)
    run_now(whole.recovered().stop())
    partition = Partition(numbered(WORDS), every=1000)
    archive = Kept([one for one in partition.log.entries if one.offset not in missing])
    partition.log.entries = partition.log.entries[7:]
    partition.log.start = 7
    host = PartitionHost(
        partition.fold,
        (partition.log, partition.snapshots, partition.outbox),
        partition.settings,
        partition.clock,
        alert=partition.alerts.append,
        archive=archive,
    )
    run_now(host.recover())
    assert (host.counts.from_archive, host.counts.lost_to_retention) == (7 - lost, lost)
    assert host.next_offset == 10
    assert bool(partition.alerts) == bool(lost)
    if not lost:
        assert partition.outputs() == whole.outputs()


def test_a_snapshot_that_grew_too_large_is_a_clear_error() -> None:
    partition = Partition(numbered(WORDS))
    host = partition.host(snapshot_bytes_max=100)
    with pytest.raises(SnapshotTooLargeError, match="1 sources are too many for one partition"):
        run_now(host.recover())


def test_equal_states_make_equal_snapshots() -> None:
    partition = Partition(every=1000)
    for number, source in itertools.product((1, 2, 3), (b"BAC-02", b"BAC-01", b"BAC-03")):
        partition.log.append(b"%d ace" % number, source)
    run_now(partition.recovered().stop())
    other = Partition(every=1000)
    for source, number in itertools.product((b"BAC-03", b"BAC-01", b"BAC-02"), (1, 2, 3)):
        other.log.append(b"%d ace" % number, source)
    run_now(other.recovered().stop())
    assert other.snapshots.kept == partition.snapshots.kept


def test_a_fold_that_fails_stops_the_host_before_any_snapshot() -> None:
    partition = Partition([*numbered(WORDS), b"11 boom", b"12 more"], every=1000)
    host = partition.host()
    with pytest.raises(FoldFailedError, match=r"BAC-01, offset 10: .* ZeroDivisionError: boom"):
        run_now(host.recover())
    for act in (host.follow, host.poll, host.stop, host.recover):
        with pytest.raises(HostStoppedError, match="offset 10"):
            run_now(act())
    assert partition.snapshots.kept == []
    assert not any(one.key[0] == "dead-letter" for one in partition.outputs())


def test_a_host_that_is_cancelled_amid_a_step_does_nothing_more() -> None:
    partition = Partition(numbered(WORDS), every=1000)
    host = partition.recovered()
    assert not host.has_stopped
    partition.log.append(b"11 ten")
    work = host.follow()
    with pytest.raises(asyncio.CancelledError):
        partition.outbox.room_raises = asyncio.CancelledError()
        run_now(work)
    assert host.has_stopped
    with pytest.raises(HostStoppedError):
        run_now(host.stop())
    assert partition.snapshots.kept == []


def test_an_output_that_is_not_delivered_stops_the_host() -> None:
    partition = Partition(numbered(WORDS), every=1000)
    host = partition.recovered()
    partition.outbox.fails = True
    with pytest.raises(ConnectionError):
        run_now(host.stop())
    with pytest.raises(HostStoppedError, match="the broker is gone"):
        run_now(host.stop())
    assert partition.snapshots.kept == []


def test_held_messages_are_read_again_from_memory_or_after_a_restart_from_the_log() -> None:
    raws = [b"1 ace", b"3 three", b"4 four", b"2 two"]
    partition = Partition(raws[:3], every=1000)
    host = partition.recovered()
    run_now(host.stop())
    partition.log.append(raws[3])
    in_one_go = Partition(raws, every=1000)
    for one, reads in ((partition, [1, 2]), (in_one_go, [])):
        host = one.recovered()
        assert words_of(host) == ("ace", "two", "three", "four")
        assert one.log.reads == reads
    assert (
        set(partition.fold.read_again_offsets) == {1, 2} == set(in_one_go.fold.read_again_offsets)
    )


def test_held_messages_that_have_left_the_log_since_come_from_the_archive() -> None:
    raws = [b"1 ace", b"3 three", b"4 four", b"2 two"]
    partition = Partition(raws[:3], every=1000)
    run_now(partition.recovered().stop())
    archive = Kept(list(partition.log.entries))
    partition.log.entries, partition.log.start = [], 3
    partition.log.append(raws[3])
    host = PartitionHost(
        partition.fold,
        (partition.log, partition.snapshots, partition.outbox),
        partition.settings,
        partition.clock,
        alert=partition.alerts.append,
        archive=archive,
    )
    run_now(host.recover())
    assert words_of(host) == ("ace", "two", "three", "four")
    assert partition.log.reads == []


def test_late_truth_is_folded_in_its_place_and_every_host_does_the_same() -> None:
    raws = [b"1 ace", b"2 shoe", b"4 c", b"6 e", b"7 f", b"8 g", b"9 h", b"3 b", b"5 d", b"10 i"]
    undisturbed = Partition(raws, every=1000)
    host = undisturbed.recovered()
    assert words_of(host) == ("ace", "shoe", "b", "c", "d", "e", "f", "g", "h", "i")
    assert host.counts.amended == 2
    amended = [one for one in undisturbed.outputs() if b'"cause":"amended"' in one.raw]
    assert {one.version & 0xFFFF for one in amended} == {7, 8}
    for cut in range(len(raws) + 1):
        partition = Partition(raws[:cut], every=1)
        run_now(partition.recovered().stop())
        for raw in raws[cut:]:
            partition.log.append(raw)
        run_now(partition.recovered().stop())
        assert partition.outputs() == undisturbed.outputs()


def test_late_truth_whose_shoe_is_no_longer_in_the_log_is_left_to_the_reconciler() -> None:
    raws = [b"1 ace", b"2 shoe", b"4 c", b"5 d", b"6 e", b"7 f", b"3 b", b"8 g"]
    partition = Partition(raws[:6], every=1)
    run_now(partition.recovered().stop())
    partition.log.start = 3
    for raw in raws[6:]:
        partition.log.append(raw)
    host = partition.recovered()
    assert (host.counts.left_to_reconciler, host.counts.amended) == (1, 0)
    assert words_of(host)[-1] == "g"


def hostile_floor(count: int = 60, seed: int = 7) -> list[LogEntry]:
    """Three sources with repeats, disorder, gaps, late truth and dead letters."""
    chance = random.Random(seed)
    entries: list[tuple[bytes, bytes]] = []
    for source in (b"BAC-01", b"BAC-02", b"BAC-03"):
        raws = [b"%d %s" % (n, b"shoe" if n % 9 == 2 else b"w%d" % n) for n in range(1, count // 3)]
        for _ in range(4):
            at = chance.randrange(3, len(raws))
            raws.insert(min(len(raws), at + chance.randrange(8)), raws.pop(at))
            raws.insert(chance.randrange(len(raws)), chance.choice(raws))
            raws.insert(chance.randrange(len(raws)), b"garbage")
        entries.extend((source, raw) for raw in raws)
    order = sorted(range(len(entries)), key=lambda at: (at % (count // 3), chance.random()))
    log = MemoryLog()
    for at in order:
        log.append(entries[at][1], entries[at][0], skip=chance.choice([0, 0, 0, 2]))
    return log.entries


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_a_host_killed_after_any_step_and_its_successor_put_out_the_same_records(
    every: int,
) -> None:
    """The first step of each kind and every seventh; all of them in the long sweep."""
    floor = hostile_floor()

    def partition() -> Partition:
        one = Partition(every=5)
        one.log.entries, one.log.end = list(floor), floor[-1].offset + 1
        return one

    undisturbed = partition()
    steps: list[Step] = []
    undisturbed.after_step = steps.append
    run_now(undisturbed.recovered().stop())
    expected = list(undisturbed.outbox.delivered)
    assert len(set(expected)) == len(expected) > 50
    assert any(b'"amended"' in one.raw for one in expected)
    first_of_each = {steps.index(step) + 1 for step in steps}
    for kill_at in sorted(first_of_each | set(range(1, len(steps) + 1, every))):
        broken = partition()
        countdown = itertools.count(1)

        def kill(_: Step, countdown: itertools.count = countdown, at: int = kill_at) -> None:
            if next(countdown) == at:
                raise Killed

        broken.after_step = kill
        with pytest.raises(Killed):
            run_now(broken.recovered().stop())
        broken.outbox.die()
        first_run = list(broken.outbox.delivered)
        broken.after_step = None
        run_now(broken.recovered().stop())
        second_run = broken.outbox.delivered[len(first_run) :]
        # L1: the same set; and the prefix property: in order, again from an earlier point.
        assert set(broken.outbox.delivered) == set(expected)
        assert first_run == expected[: len(first_run)]
        assert second_run == expected[len(expected) - len(second_run) :]


def test_records_of_the_tally_survive_writing() -> None:
    partition = Partition(numbered(WORDS), every=1000)
    assert all(
        same_after_reading(record)
        for entry in partition.log.entries
        for record in partition.fold.absorb(
            partition.fold.new_state("BAC-01"), entry, lambda _: b""
        ).records
    )


def test_a_port_that_waits_needs_an_event_loop() -> None:
    async def wait() -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="run this host in an event loop"):
        run_now(wait())
