"""Keeps the hosts of the partitions that a worker folds, and lets each of them keep up.

Faust says which partitions are assigned and delivers the head of the log. Everything else is the
hosts' own: each has a task that recovers it, folds what is delivered, reads for itself what is not,
and goes on through a rebalance until it is known that its partition has moved. No partition waits
for another. Two hosts of one partition put out the same records, so a moment of overlap costs a
repeat and changes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from streams.host.partition_host import PartitionHost
from streams.host.ports import LogEntry
from streams.process.logs import Said

PROBE_EVERY_S: Final = 1.0
"""How often the tail is probed while deliveries come."""

WAITING_MAX: Final = 2_000
"""The most deliveries that wait for a host; beyond that its own reader leads."""

FOLDED_AT_A_TIME: Final = 50
"""Messages that are folded before the other partitions have their turn."""

REACHED_WITHIN: Final = 200
"""Deliveries that are so many messages behind the own reader have reached it."""

LEAD_EVERY_S: Final = 0.02
"""How often the own reader reads while it leads."""

STAYS_EVERY_S: Final = 0.01
"""How often where its partition stays through a rebalance: nobody else brings its findings."""

TAIL_WAIT_S: Final = 0.2
"""How long it waits for the next message where it found none."""

LEAD_FOR_S: Final = 3.0
"""The own reader leads so long after it found something, unless deliveries reach it before."""

ALONE_S: Final = 3.0
"""How long the own reader leads after a rebalance, and where deliveries do not keep up."""

BEHIND_MAX: Final = 2_000
"""Messages behind the end from which on the own reader leads: it is faster than deliveries."""

BEHIND_S: Final = 0.2
BEHIND_LEAST: Final = 100
"""The own reader leads too where so many deliveries come so late twice in a row."""

STOP_WITHIN_S: Final = 10.0
"""How long a host that is let go may take for its last snapshot."""

CLOSE_WITHIN_S: Final = 3.0
"""How long its clients may take to say goodbye."""


class Delivery(NamedTuple):
    """A message that was delivered."""

    entry: LogEntry
    appended_s: float
    """When the log got it, seconds since 1970 UTC."""


class Hosts(Protocol):
    """Makes hosts and closes their clients."""

    async def make(self, partition: int) -> PartitionHost:
        """Make the host of a partition, its clients started."""
        ...

    async def close(self, partition: int) -> None:
        """Close the clients of a partition's host."""
        ...

    def lag(self, partition: int, next_offset: int) -> int:
        """Say how far an offset is behind the end of the log that was last seen."""
        ...


class Steering(Protocol):
    """Steers the deliveries of single partitions; :class:`streams.worker.deliveries.Deliveries`."""

    def hold(self, partition: int) -> None:
        """Deliver nothing more of a partition."""
        ...

    async def go_on(self, partition: int, offset: int) -> None:
        """Deliver a partition that was held, from an offset on."""
        ...

    def spare_memory(self, partition: int) -> None:
        """Keep the framework from collecting what it will never use."""
        ...


class Watcher(Protocol):
    """Is told what goes on."""

    def failed(self, partition: int, error: Exception) -> None:
        """Hear that a host failed or could not be made: the worker has to end."""
        ...

    def folded(self, partition: int, delivery: Delivery) -> None:
        """Hear that a delivered message was folded."""
        ...

    def alert(self, line: str) -> None:
        """Hear what people should know."""
        ...


@dataclass(slots=True)
class _Kept:
    """One host with the task that drives it; nobody else calls the host."""

    partition: int
    host: PartitionHost
    waiting: deque[Delivery] = field(default_factory=deque)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    """There is something to do."""
    is_ready: bool = False
    """Recovered, and taking deliveries."""
    is_leaving: bool = False
    leads_until_s: float = 0.0
    """Until then its own reader leads; 0 while deliveries do."""
    alone_until_s: float = 0.0
    """Until then it leads alone: deliveries are held."""
    stays_until_s: float = 0.0
    """Until then a rebalance lasts, or its trail, through which the partition stays."""
    probed_offset: int = 0
    """How far it was when it was last compared with the end."""
    found_some: bool = True
    """Whether its own reader found something when it last read."""
    was_late: bool = False
    """Whether deliveries did not keep up then."""
    probes_at_s: float = 0.0
    task: asyncio.Task[None] | None = None


class HostKeeper:
    """Keeps one host for each partition that is assigned to this worker."""

    def __init__(self, hosts: Hosts, watcher: Watcher) -> None:
        """Keep no host yet.

        Args:
            hosts: Makes hosts and closes their clients.
            watcher: Told of failures, of what was folded and of what people should know.
        """
        self._hosts, self._watcher = hosts, watcher
        self.steering: Steering | None = None
        """Steers the deliveries, once there is a framework that delivers."""
        self._kept: dict[int, _Kept] = {}
        self._is_rebalancing = False
        self._changing = asyncio.Lock()
        self._wanted: frozenset[int] | None = None
        self._changes: set[asyncio.Task[None]] = set()

    @property
    def hosts(self) -> dict[int, PartitionHost]:
        """The hosts by partition, for those who watch them."""
        return {partition: kept.host for partition, kept in sorted(self._kept.items())}

    def leads(self, partition: int) -> bool:
        """Say whether a host's own reader leads, because deliveries are behind or have paused."""
        kept = self._kept.get(partition)
        return kept is not None and self._leads(kept)

    def _leads(self, kept: _Kept) -> bool:
        return self._is_rebalancing or kept.leads_until_s > 0

    def obstacles(self) -> list[str]:
        """Say what stands in the way of folding, one line each; none when all is well."""
        if self._wanted is None:
            return ["waiting for partitions to be assigned"]
        missing = self._wanted - set(self._kept)
        recovering = missing | {host.partition for host in self._kept.values() if not host.is_ready}
        return [f"partition {partition} recovers" for partition in sorted(recovering)]

    def offer(self, partition: int, delivery: Delivery) -> None:
        """Hand a delivered message to its host; nobody waits for it here.

        A host that is recovering or reading for itself comes to the message by its own reader.
        """
        kept = self._kept.get(partition)
        if kept is None or not kept.is_ready:
            self._hold(partition)
            return
        if self._leads(kept):
            behind = kept.host.next_offset - delivery.entry.offset
            if kept.alone_until_s > _now_s():
                self._hold(partition)
                return
            if self._is_rebalancing or behind > REACHED_WITHIN:
                if behind > BEHIND_MAX:
                    self._hold(partition)
                return
            kept.leads_until_s = 0.0
        if len(kept.waiting) >= WAITING_MAX:
            self._hold(partition)
            self._lead(kept)
            return
        kept.waiting.append(delivery)
        kept.wake.set()

    def _hold(self, partition: int) -> None:
        """Have nothing delivered that the own reader will have folded before it comes."""
        if self.steering is not None:
            self.steering.hold(partition)

    def suspend(self) -> None:
        """Note that a rebalance has begun: deliveries stop, the hosts read for themselves."""
        self._is_rebalancing = True
        for kept in self._kept.values():
            kept.stays_until_s = math.inf
            kept.wake.set()

    def assign(self, partitions: Iterable[int]) -> None:
        """Keep a host for exactly these partitions from now on.

        The change is made in a task of its own: a rebalance never waits for a recovery or a
        snapshot, and neither do the partitions that stay.
        """
        self._wanted = frozenset(partitions)
        change = asyncio.create_task(self._keep_wanted(), name="assignment")
        self._changes.add(change)
        change.add_done_callback(self._changes.discard)

    async def _keep_wanted(self) -> None:
        async with self._changing:
            wanted = self._wanted or frozenset()
            gone = [kept for partition, kept in self._kept.items() if partition not in wanted]
            new = sorted(wanted - set(self._kept))
            await asyncio.gather(*(self._take_up(partition) for partition in new))
            if self._is_rebalancing:
                # Deliveries begin again some time later, and with what was not committed; until
                # that is over own readers lead, which need a third of the time for a message.
                for kept in self._kept.values():
                    kept.stays_until_s = min(kept.stays_until_s, _now_s() + ALONE_S)
                    self._lead(kept, alone_s=ALONE_S)
                self._is_rebalancing = False
            await asyncio.gather(*(self._let_go(kept) for kept in gone))

    async def _take_up(self, partition: int) -> None:
        try:
            kept = _Kept(partition, await self._hosts.make(partition))
        except Exception as error:
            self._watcher.failed(partition, error)
            return
        self._kept[partition] = kept
        kept.task = asyncio.create_task(self._drive(kept), name=f"host-{partition}")

    async def stop(self) -> None:
        """Let every host go, each with a last snapshot."""
        self._wanted = frozenset()
        await self._keep_wanted()

    async def _let_go(self, kept: _Kept) -> None:
        """Part with a host; what it cannot finish in time is done again by the next owner."""
        self._kept.pop(kept.partition)
        kept.is_leaving = True
        kept.wake.set()
        assert kept.task is not None, "it was started with its host"
        if not kept.is_ready:
            kept.task.cancel()
        try:
            async with asyncio.timeout(STOP_WITHIN_S):
                # Not awaited: that it was cancelled is no failure, that our time is up is heard.
                await asyncio.wait({kept.task})
                if kept.is_ready and not kept.host.has_stopped:
                    await kept.host.stop()
        except TimeoutError:
            self._say(kept, "no time for a last snapshot, none is needed")
        except Exception as error:
            # The partition is another's from now on, who begins at the snapshot before.
            self._say(kept, f"no last snapshot, none is needed: {error}")
        finally:
            kept.task.cancel()
        try:
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await self._hosts.close(kept.partition)
        except TimeoutError:
            self._say(kept, "its Kafka clients did not close in time")

    def _say(self, kept: _Kept, line: str) -> None:
        self._watcher.alert(Said(f"partition {kept.partition}: {line}", partition=kept.partition))

    async def _drive(self, kept: _Kept) -> None:
        """Recover, then fold and look after the tail for as long as the partition is ours."""
        try:
            await kept.host.recover()
            kept.is_ready = True
            self._lead(kept)
            while not kept.is_leaving:
                await self._rest(kept)
                if not kept.is_leaving:
                    await self._work(kept)
        except Exception as error:
            kept.is_ready = False
            if not kept.is_leaving:
                self._watcher.failed(kept.partition, error)

    async def _rest(self, kept: _Kept) -> None:
        """Wait until there is something to do, or until it is time to look."""
        if kept.waiting and not self._leads(kept):
            await asyncio.sleep(0)
            return
        kept.wake.clear()
        pause_s = max(0.0, kept.probes_at_s - _now_s())
        if self._leads(kept):
            pause_s = STAYS_EVERY_S if kept.stays_until_s > _now_s() else LEAD_EVERY_S
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                await kept.wake.wait()

    async def _work(self, kept: _Kept) -> None:
        is_due = _now_s() >= kept.probes_at_s
        if self._leads(kept):
            await self._read_on(kept, to_the_end=is_due)
        else:
            kept.host.rest()
            await self._fold_waiting(kept)
            if is_due:
                await kept.host.poll()
                await self._go_on(kept)
        if is_due:
            kept.probes_at_s = _now_s() + PROBE_EVERY_S
            if self.steering is not None:
                self.steering.spare_memory(kept.partition)
            self._lead_if_behind(kept)

    def _lead_if_behind(self, kept: _Kept) -> None:
        """Have the own reader lead where deliveries do not keep up."""
        moved = kept.host.next_offset - kept.probed_offset
        kept.probed_offset = kept.host.next_offset
        lag = self._hosts.lag(kept.partition, kept.host.next_offset)
        if lag > BEHIND_MAX:
            self._lead(kept)
        # Where nothing moves at all, deliveries fail: the look at the tail finds and counts that.
        is_late = moved > 0 and lag > max(BEHIND_LEAST, BEHIND_S / PROBE_EVERY_S * moved)
        if is_late and kept.was_late:
            self._lead(kept, alone_s=ALONE_S)
        kept.was_late = is_late

    async def _read_on(self, kept: _Kept, *, to_the_end: bool) -> None:
        """Read what there is; what was delivered meanwhile is behind it."""
        kept.waiting.clear()
        if to_the_end:
            found = await kept.host.follow()
        else:
            found = await kept.host.follow_tail(0.0 if kept.found_some else TAIL_WAIT_S)
        kept.found_some = found > 0
        await self._go_on(kept)
        if found and kept.leads_until_s:
            self._lead(kept)
        elif _now_s() > kept.leads_until_s:
            kept.leads_until_s = 0.0

    async def _go_on(self, kept: _Kept) -> None:
        """Have delivered again what was held, where nothing speaks against it."""
        is_alone = self._is_rebalancing or kept.alone_until_s > _now_s()
        if self.steering is not None and not is_alone:
            await self.steering.go_on(kept.partition, kept.host.next_offset)

    async def _fold_waiting(self, kept: _Kept) -> None:
        for _ in range(min(len(kept.waiting), FOLDED_AT_A_TIME)):
            delivery = kept.waiting.popleft()
            ahead = delivery.entry.offset - kept.host.next_offset
            if ahead > BEHIND_MAX:
                self._lead(kept)
                return
            await kept.host.offer(delivery.entry)
            if ahead >= 0:
                self._watcher.folded(kept.partition, delivery)

    def _lead(self, kept: _Kept, alone_s: float = 0.0) -> None:
        now_s = _now_s()
        kept.leads_until_s = now_s + LEAD_FOR_S
        kept.alone_until_s = max(kept.alone_until_s, now_s + alone_s)
        kept.wake.set()


def _now_s() -> float:
    return asyncio.get_running_loop().time()
