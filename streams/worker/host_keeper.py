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
from typing import Final

from streams.host.partition_host import PartitionHost
from streams.host.ports import LogEntry

PROBE_EVERY_S: Final = 1.0
"""How often the tail is probed while deliveries come."""

PROBE_IN_REBALANCE_S: Final = 0.02
"""How often it is read while a rebalance holds deliveries back."""

STOP_WITHIN_S: Final = 10.0
"""How long a host that is let go may take for its last snapshot."""

HostMaker = Callable[[int], Awaitable[PartitionHost]]
"""Makes the host of a partition, its clients started."""

HostCloser = Callable[[int], Awaitable[None]]
"""Closes the clients of a partition's host."""


@dataclass(slots=True)
class _Kept:
    """One host with the task that drives it."""

    host: PartitionHost
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Nobody calls a host twice at a time."""
    is_ready: bool = False
    """It has recovered, and takes deliveries."""
    missed: asyncio.Event = field(default_factory=asyncio.Event)
    """A delivery was passed by because the host was busy; it reads on at once."""
    task: asyncio.Task[None] | None = None


class HostKeeper:
    """Keeps one host for each partition that is assigned to this worker."""

    def __init__(
        self, make: HostMaker, close: HostCloser, crash: Callable[[BaseException], Awaitable[None]]
    ) -> None:
        """Keep no host yet.

        Args:
            make: Makes a host and starts its clients.
            close: Closes the clients of a host that is let go.
            crash: Stops the whole worker; called when a host has failed.
        """
        self._make, self._close, self._crash = make, close, crash
        self._kept: dict[int, _Kept] = {}
        self._is_rebalancing = False
        self._changing = asyncio.Lock()
        self._wanted: frozenset[int] = frozenset()
        self._change: asyncio.Task[None] | None = None

    @property
    def hosts(self) -> dict[int, PartitionHost]:
        """The hosts by partition, for those who watch them."""
        return {partition: kept.host for partition, kept in self._kept.items()}

    @property
    def is_ready(self) -> bool:
        """Whether every host has recovered."""
        return all(kept.is_ready for kept in self._kept.values())

    async def offer(self, partition: int, entry: LogEntry) -> None:
        """Hand a delivered message to its host.

        A host that is recovering or reading for itself comes to the message by its own reader,
        so nobody waits for it here and the other partitions go on.
        """
        kept = self._kept.get(partition)
        if kept is None or not kept.is_ready:
            return
        if kept.turn.locked():
            kept.missed.set()
            return
        async with kept.turn:
            await self._guard(kept.host.offer(entry))

    def suspend(self) -> None:
        """Note that a rebalance has begun: deliveries stop, the hosts read for themselves."""
        self._is_rebalancing = True

    def assign(self, partitions: Iterable[int]) -> None:
        """Keep a host for exactly these partitions from now on.

        The change is made in a task of its own: a rebalance never waits for a recovery or a
        snapshot, and neither do the partitions that stay.
        """
        self._wanted = frozenset(partitions)
        self._change = asyncio.create_task(self._guard(self._keep_wanted()), name="assignment")

    async def _keep_wanted(self) -> None:
        async with self._changing:
            wanted = self._wanted
            gone = [one for one in self._kept if one not in wanted]
            for partition in sorted(wanted - set(self._kept)):
                kept = _Kept(await self._make(partition))
                self._kept[partition] = kept
                kept.task = asyncio.create_task(self._drive(kept), name=f"host-{partition}")
            self._is_rebalancing = False
            await asyncio.gather(*(self._let_go(partition) for partition in gone))

    async def stop(self) -> None:
        """Let every host go, each with a last snapshot."""
        self._wanted = frozenset()
        await self._keep_wanted()

    async def _let_go(self, partition: int) -> None:
        kept = self._kept.pop(partition)
        if kept.task is not None:
            kept.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await kept.task
        if kept.is_ready:
            # A snapshot too late is one that the next owner does without.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_WITHIN_S), kept.turn:
                    await kept.host.stop()
        await self._close(partition)

    async def _drive(self, kept: _Kept) -> None:
        """Recover, then look after the tail for as long as the partition is ours."""
        async with kept.turn:
            await self._guard(kept.host.recover())
        kept.is_ready = True
        while True:
            pause_s = PROBE_IN_REBALANCE_S if self._is_rebalancing else PROBE_EVERY_S
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(kept.missed.wait(), pause_s)
            reads_on = kept.missed.is_set() or self._is_rebalancing
            kept.missed.clear()
            async with kept.turn:
                await self._guard(kept.host.follow() if reads_on else kept.host.poll())

    async def _guard(self, work: Awaitable[object]) -> None:
        """Do a host's work; a failure stops the whole worker, and nothing goes on here."""
        try:
            await work
        except asyncio.CancelledError:
            raise
        except Exception as error:
            await self._crash(error)
            await asyncio.Event().wait()
