"""The keeper of hosts: no partition waits for another, and what is not delivered is read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from streams.host.dead_letters import Origin
from streams.host.partition_host import HostSettings, PartitionHost
from streams.host.ports import LogEntry
from streams.worker import host_keeper
from streams.worker.host_keeper import Delivery, HostKeeper
from tests.support.clocks import SetClock
from tests.support.stream.memory_ports import MemoryLog, MemoryOutbox, MemorySnapshots
from tests.support.stream.tally_fold import TallyFold


class Floor:
    """Partitions in memory; hears as the watcher, steers as the framework."""

    def __init__(self) -> None:
        self.logs: dict[int, MemoryLog] = {}
        self.outboxes: dict[int, MemoryOutbox] = {}
        self.kept: dict[int, MemorySnapshots] = {}
        self.closed: list[int] = []
        self.failures: list[tuple[int, str]] = []
        self.alerts: list[str] = []
        self.measured: list[float] = []
        self.steered: list[tuple[str, int]] = []
        self.gate: asyncio.Event | None = None
        """Closed, it keeps hosts from being made."""
        self.keeper = HostKeeper(self, self)
        self.keeper.steering = self

    def log(self, partition: int) -> MemoryLog:
        return self.logs.setdefault(partition, MemoryLog())

    def append(self, partition: int, *words: str) -> list[Delivery]:
        log = self.log(partition)
        return [
            Delivery(log.append(f"{log.end + 1} {word}".encode()), float(log.end)) for word in words
        ]

    async def make(self, partition: int) -> PartitionHost:
        if self.gate is not None:
            await self.gate.wait()
        if partition == 99:
            raise ConnectionError("no broker")
        outbox = self.outboxes.setdefault(partition, MemoryOutbox())
        snapshots = self.kept.setdefault(partition, MemorySnapshots())
        return PartitionHost(
            TallyFold(),
            (self.log(partition), snapshots, outbox),
            HostSettings(Origin("log", partition)),
            SetClock(),
            alert=self.alerts.append,
        )

    async def close(self, partition: int) -> None:
        self.closed.append(partition)

    def lag(self, partition: int, next_offset: int) -> int:
        return self.log(partition).end - next_offset

    def failed(self, partition: int, error: Exception) -> None:
        self.failures.append((partition, str(error)))

    def folded(self, partition: int, delivery: Delivery) -> None:
        assert self.log(partition).end > delivery.entry.offset
        self.measured.append(delivery.appended_s)

    def alert(self, line: str) -> None:
        self.alerts.append(line)

    def hold(self, partition: int) -> None:
        self.steered.append(("hold", partition))

    async def go_on(self, partition: int, offset: int) -> None:
        if ("hold", partition) in self.steered:
            self.steered.append(("go on", offset))

    def spare_memory(self, partition: int) -> None:
        pass

    def next_offset(self, partition: int) -> int:
        host = self.keeper.hosts.get(partition)
        return -1 if host is None else host.next_offset

    async def until(self, condition: Callable[[], bool]) -> None:
        """Let everything run until a condition holds."""
        async with asyncio.timeout(10):
            while not condition():
                await asyncio.sleep(0.001)

    async def assigned(self, *partitions: int) -> None:
        """Assign partitions and wait until deliveries lead."""
        self.keeper.assign(partitions)
        await self.until(lambda: not self.keeper.obstacles())
        await self.until(lambda: not any(map(self.keeper.leads, partitions)))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_keeper, "PROBE_EVERY_S", 0.02)
    monkeypatch.setattr(host_keeper, "LEAD_EVERY_S", 0.002)
    monkeypatch.setattr(host_keeper, "LEAD_FOR_S", 0.03)
    monkeypatch.setattr(host_keeper, "ALONE_S", 0.03)
    monkeypatch.setattr(host_keeper, "STOP_WITHIN_S", 0.2)


def play(scene: Callable[[Floor], Awaitable[None]]) -> Floor:
    """Play a scene and let every host go; gives the floor as it is then."""

    async def run() -> Floor:
        floor = Floor()
        await scene(floor)
        await floor.keeper.stop()
        return floor

    return asyncio.run(run())


def deliver(floor: Floor, partition: int, deliveries: Sequence[Delivery]) -> None:
    for one in deliveries:
        floor.keeper.offer(partition, one)


def test_nothing_is_ready_before_partitions_are_assigned_and_recovered() -> None:
    async def scene(floor: Floor) -> None:
        assert floor.keeper.obstacles() == ["waiting for partitions to be assigned"]
        floor.gate = asyncio.Event()
        floor.keeper.assign([0, 1])
        await asyncio.sleep(0)
        assert floor.keeper.obstacles() == ["partition 0 recovers", "partition 1 recovers"]
        floor.gate.set()
        await floor.until(lambda: not floor.keeper.obstacles())

    assert play(scene).failures == []


def test_what_is_delivered_is_folded_and_timed() -> None:
    async def scene(floor: Floor) -> None:
        await floor.assigned(0)
        deliver(floor, 0, floor.append(0, "ace", "two", "three"))
        await floor.until(lambda: floor.next_offset(0) == 3)
        assert floor.measured == [1.0, 2.0, 3.0]
        assert floor.keeper.hosts[0].counts.probed == 0

    play(scene)


def test_what_is_never_delivered_is_found_at_the_tail() -> None:
    async def scene(floor: Floor) -> None:
        await floor.assigned(0)
        floor.append(0, "ace", "two")
        await floor.until(lambda: floor.next_offset(0) == 2)
        assert floor.keeper.hosts[0].counts.probed == 2

    assert play(scene).measured == []


def test_a_rebalance_that_holds_deliveries_back_holds_no_partition_up() -> None:
    async def scene(floor: Floor) -> None:
        await floor.assigned(0)
        floor.keeper.suspend()
        floor.append(0, "ace", "two")
        await floor.until(lambda: floor.next_offset(0) == 2)
        assert floor.keeper.hosts[0].counts.probed == 0
        assert floor.keeper.leads(0)
        # Deliveries that come again lead again, once they have reached the own reader.
        await floor.assigned(0, 1)
        deliver(floor, 0, floor.append(0, "three"))
        await floor.until(lambda: floor.next_offset(0) == 3)
        assert floor.measured == [3.0]

    play(scene)


def test_after_a_rebalance_nothing_is_delivered_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_keeper, "LEAD_FOR_S", 0.2)
    monkeypatch.setattr(host_keeper, "ALONE_S", 0.2)

    async def scene(floor: Floor) -> None:
        await floor.assigned(0)
        floor.keeper.suspend()
        floor.keeper.assign([0, 1])
        await floor.until(lambda: not floor.keeper.obstacles())
        # The framework begins again with what was not committed, and its own reader leads.
        deliver(floor, 0, floor.append(0, "ace", "two"))
        assert floor.steered == [("hold", 0)] * 2
        await floor.until(lambda: floor.next_offset(0) == 2)
        await floor.until(lambda: ("go on", 2) in floor.steered)
        assert floor.measured == []
        # And then deliveries lead, once they come.
        deliver(floor, 0, floor.append(0, "three"))
        await floor.until(lambda: floor.measured == [3.0])

    play(scene)


def test_where_deliveries_do_not_keep_up_the_host_reads_for_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host_keeper, "BEHIND_LEAST", 5)
    monkeypatch.setattr(host_keeper, "BEHIND_S", 0.0)

    async def scene(floor: Floor) -> None:
        await floor.assigned(0)
        log, number = floor.log(0), 0
        while not floor.keeper.leads(0):
            number += 1
            assert number < 1_000
            (first,) = floor.append(0, "word")
            log.end += 20  # far more is there than comes
            floor.keeper.offer(0, first)
            await asyncio.sleep(0.001)
        deliver(floor, 0, floor.append(0, "word"))
        assert floor.steered == [("hold", 0)]

    assert play(scene).failures == []


def test_one_partition_that_waits_keeps_no_other_waiting() -> None:
    async def scene(floor: Floor) -> None:
        await floor.assigned(0, 1)
        room = asyncio.Event()

        async def make_no_room() -> None:
            await room.wait()

        floor.outboxes[0].make_room = make_no_room  # type: ignore[method-assign]
        deliver(floor, 0, floor.append(0, "ace", "two"))
        deliver(floor, 1, floor.append(1, "ace", "two"))
        await floor.until(lambda: floor.next_offset(1) == 2)
        assert floor.next_offset(0) == 1
        room.set()
        await floor.until(lambda: floor.next_offset(0) == 2)

    play(scene)


def test_more_deliveries_than_may_wait_are_held_and_read_by_the_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host_keeper, "WAITING_MAX", 5)

    async def scene(floor: Floor) -> None:
        await floor.assigned(0)
        deliver(floor, 0, floor.append(0, *("word",) * 20))
        assert ("hold", 0) in floor.steered
        await floor.until(lambda: floor.next_offset(0) == 20)
        await floor.until(lambda: ("go on", 20) in floor.steered)

    assert play(scene).failures == []


def test_a_host_far_behind_reads_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_keeper, "BEHIND_MAX", 10)

    async def scene(floor: Floor) -> None:
        await floor.assigned(0)
        last = floor.append(0, *("word",) * 30)[-1]
        floor.keeper.offer(0, last)
        await floor.until(lambda: floor.next_offset(0) == 30)
        assert floor.keeper.hosts[0].counts.healed == 0

    play(scene)


def test_a_host_that_is_let_go_takes_a_last_snapshot_and_a_new_one_goes_on_from_it() -> None:
    async def scene(floor: Floor) -> None:
        await floor.assigned(0)
        deliver(floor, 0, floor.append(0, "ace", "two"))
        await floor.until(lambda: floor.next_offset(0) == 2)
        floor.keeper.assign([1])
        await floor.until(lambda: floor.closed == [0])
        assert floor.kept[0].kept[-1][0] == (1, 2)
        floor.keeper.assign([0, 1])
        await floor.until(lambda: floor.next_offset(0) == 2)
        assert floor.keeper.hosts[0].counts.folded == 0

    assert sorted(play(scene).closed) == [0, 0, 1]


def test_a_host_that_cannot_finish_in_time_is_let_go_all_the_same() -> None:
    async def scene(floor: Floor) -> None:
        await floor.assigned(0)

        async def flush_for_ever() -> None:
            await asyncio.Event().wait()

        floor.outboxes[0].flush = flush_for_ever  # type: ignore[method-assign]
        deliver(floor, 0, floor.append(0, "ace"))
        await floor.until(lambda: floor.next_offset(0) == 1)

    floor = play(scene)
    assert floor.closed == [0]
    assert floor.alerts == ["partition 0: no time for a last snapshot, none is needed"]
    assert floor.failures == []


def test_a_host_that_hangs_in_its_log_gets_no_second_time_for_its_last_snapshot() -> None:
    is_hanging = asyncio.Event()

    async def scene(floor: Floor) -> None:
        await floor.assigned(0)

        async def hang(*_: object) -> int:
            is_hanging.set()
            await asyncio.Event().wait()
            return 0

        for port, name in ((floor.logs[0], "end_offset"), (floor.logs[0], "read")):
            setattr(port, name, hang)
        floor.outboxes[0].flush = hang  # type: ignore[assignment,method-assign]
        await is_hanging.wait()
        async with asyncio.timeout(2):
            await floor.keeper.stop()

    floor = play(scene)
    assert floor.closed == [0]
    assert floor.alerts == ["partition 0: no time for a last snapshot, none is needed"]


def test_a_host_that_fails_is_reported_once_and_takes_nothing_more() -> None:
    async def scene(floor: Floor) -> None:
        await floor.assigned(0)
        floor.outboxes[0].room_raises = ZeroDivisionError("wrong")
        deliver(floor, 0, floor.append(0, "ace", "two"))
        await floor.until(lambda: bool(floor.failures))
        deliver(floor, 0, floor.append(0, "three"))

    floor = play(scene)
    assert floor.failures == [(0, "wrong")]
    assert floor.kept[0].kept == []


def test_clients_that_cannot_be_started_are_a_failure() -> None:
    async def scene(floor: Floor) -> None:
        floor.keeper.assign([99])
        await floor.until(lambda: bool(floor.failures))

    assert play(scene).failures == [(99, "no broker")]


def test_a_partition_that_moves_while_it_recovers_is_simply_dropped() -> None:
    async def scene(floor: Floor) -> None:
        floor.append(0, "ace")
        read = floor.log(0).end_offset
        blocked = asyncio.Event()

        async def wait_first() -> int:
            await blocked.wait()
            return await read()

        floor.log(0).end_offset = wait_first  # type: ignore[method-assign]
        floor.keeper.assign([0])
        await floor.until(lambda: 0 in floor.keeper.hosts)
        floor.keeper.assign([])
        await floor.until(lambda: floor.closed == [0])

    floor = play(scene)
    assert (floor.failures, floor.alerts) == ([], [])


def test_an_entry_of_a_partition_that_nobody_gave_us_is_left_alone() -> None:
    async def scene(floor: Floor) -> None:
        floor.keeper.offer(5, Delivery(LogEntry(0, b"BAC-01", b"1 ace"), 0.0))

    assert play(scene).steered == [("hold", 5)]
