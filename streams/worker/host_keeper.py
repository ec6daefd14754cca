"""Which partitions does this worker fold, and how does each of them keep up?

Faust says which partitions are assigned and delivers the head of the log. Everything else is the
hosts' own: each recovers in a task of its own, reads for itself what is not delivered, and goes
on through a rebalance until it is known that its partition has moved. Two hosts of one partition
put out the same records, so a moment of overlap costs a repeat and changes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from streams.host.partition_host import PartitionHost
from streams.host.ports import LogEntry

PROBE_EVERY_S: Final = 1.0
"""How often the tail is probed while deliveries come."""

LEAD_EVERY_S: Final = 0.02
"""How often the own reader reads while it leads."""

LEAD_FOR_S: Final = 3.0
"""The own reader leads so long after it found something, unless deliveries reach it before."""

BEHIND_MAX: Final = 2_000
"""So many messages behind the end, the own reader leads: it is faster than deliveries."""

STOP_WITHIN_S: Final = 10.0
"""How long a host that is let go may take for its last snapshot."""

CLOSE_WITHIN_S: Final = 3.0
"""How long its clients may take to say goodbye."""


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


@dataclass(slots=True)
class _Kept:
    """One host with the task that drives it."""

    partition: int
    host: PartitionHost
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Nobody calls a host twice at a time."""
    is_ready: bool = False
    """It has recovered, and takes deliveries."""
    is_leaving: bool = False
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    """There is something to read, or it is leaving."""
    has_missed: bool = False
    """A delivery was passed by because the host was busy; it reads on at once."""
    leads_until_s: float = 0.0
    """Until then its own reader leads; 0 while deliveries do."""
    task: asyncio.Task[None] | None = None


class HostKeeper:
    """Keeps one host for each partition that is assigned to this worker."""

    def __init__(
        self,
        hosts: Hosts,
        on_failure: Callable[[int | None, BaseException], None],
        alert: Callable[[str], None],
    ) -> None:
        """Keep no host yet.

        Args:
            hosts: Makes hosts and closes their clients.
            on_failure: Told the partition and why its host failed, or None and why none could
                be made; the worker has to end.
            alert: Told what people should know, one line.
        """
        self._hosts, self._on_failure, self._alert = hosts, on_failure, alert
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
        return kept is not None and (self._is_rebalancing or kept.leads_until_s > 0)

    def obstacles(self) -> list[str]:
        """Say what stands in the way of folding, one line each; none when all is well."""
        if self._wanted is None:
            return ["waiting for partitions to be assigned"]
        missing = self._wanted - set(self._kept)
        recovering = missing | {one.partition for one in self._kept.values() if not one.is_ready}
        return [f"partition {partition} recovers" for partition in sorted(recovering)]

    async def offer(self, partition: int, entry: LogEntry) -> bool:
        """Hand a delivered message to its host.

        A host that is recovering or reading for itself comes to the message by its own reader,
        so nobody waits for it here and the other partitions go on.

        Returns:
            Whether the message was folded now.
        """
        kept = self._kept.get(partition)
        if kept is None or not kept.is_ready:
            return False
        ahead = entry.offset - kept.host.next_offset
        if kept.turn.locked() or ahead > BEHIND_MAX:
            kept.has_missed = ahead >= 0 or kept.has_missed
            if kept.has_missed:
                kept.wake.set()
            return False
        async with kept.turn:
            if ahead >= -1 and not self._is_rebalancing:
                kept.leads_until_s = 0.0  # deliveries have reached the own reader
            return await self._does(kept, kept.host.offer(entry)) and ahead >= 0

    def suspend(self) -> None:
        """Note that a rebalance has begun: deliveries stop, the hosts read for themselves."""
        self._is_rebalancing = True
        for kept in self._kept.values():
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
                # Deliveries begin again some time later; until they do, own readers lead.
                for kept in self._kept.values():
                    self._lead(kept)
                self._is_rebalancing = False
            await asyncio.gather(*(self._let_go(kept) for kept in gone))

    async def _take_up(self, partition: int) -> None:
        try:
            kept = _Kept(partition, await self._hosts.make(partition))
        except Exception as error:
            self._on_failure(partition, error)
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
                with contextlib.suppress(asyncio.CancelledError):
                    await kept.task
                if kept.is_ready and not kept.host.has_stopped:
                    async with kept.turn:
                        await kept.host.stop()
        except TimeoutError:
            self._alert(f"partition {kept.partition}: no time for a last snapshot, none is needed")
        except Exception as error:
            self._alert(f"partition {kept.partition}: no last snapshot, none is needed: {error}")
        try:
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await self._hosts.close(kept.partition)
        except TimeoutError:
            self._alert(f"partition {kept.partition}: its clients said no goodbye in time")

    async def _drive(self, kept: _Kept) -> None:
        """Recover, then look after the tail for as long as the partition is ours."""
        async with kept.turn:
            if not await self._does(kept, kept.host.recover()):
                return
        kept.is_ready = True
        self._lead(kept)
        while not kept.is_leaving:
            leads = self.leads(kept.partition)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LEAD_EVERY_S if leads else PROBE_EVERY_S):
                    await kept.wake.wait()
            kept.wake.clear()
            if kept.is_leaving:
                return
            async with kept.turn:
                if not await self._look(kept):
                    return

    async def _look(self, kept: _Kept) -> bool:
        """Read on where the own reader leads or something was missed; else probe the tail."""
        missed, kept.has_missed = kept.has_missed, False
        before = kept.host.next_offset
        leads = self.leads(kept.partition)
        work = kept.host.follow() if leads or missed else kept.host.poll()
        if not await self._does(kept, work):
            return False
        now = asyncio.get_running_loop().time()
        if leads and kept.host.next_offset > before:
            self._lead(kept)
        elif now > kept.leads_until_s:
            kept.leads_until_s = 0.0
        if self._hosts.lag(kept.partition, kept.host.next_offset) > BEHIND_MAX:
            self._lead(kept)
        return True

    def _lead(self, kept: _Kept) -> None:
        kept.leads_until_s = asyncio.get_running_loop().time() + LEAD_FOR_S

    async def _does(self, kept: _Kept, work: Awaitable[object]) -> bool:
        """Do a host's work and say whether it was done; after a failure nothing goes on here."""
        try:
            await work
        except Exception as error:
            if kept.is_ready or not kept.is_leaving:
                self._on_failure(kept.partition, error)
            kept.is_ready = False
            return False
        return True
