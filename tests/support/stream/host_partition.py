"""A partition for hosts that come and go, over ports in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from streams.host.dead_letters import Origin
from streams.host.driving import run_now
from streams.host.partition_host import HostSettings, PartitionHost
from streams.host.ports import LogEntry
from streams.host.steps import Step
from tests.support.clocks import SetClock
from tests.support.stream.memory_ports import Emitted, MemoryLog, MemoryOutbox, MemorySnapshots
from tests.support.stream.tally_fold import TallyFold, TallyState

WORDS = ("ace", "two", "shoe", "three", "four", "five", "six", "seven", "eight", "nine")


def numbered(words: Sequence[str], first: int = 1) -> list[bytes]:
    """Give words as messages of one feed."""
    return [f"{number} {word}".encode() for number, word in enumerate(words, first)]


class Killed(BaseException):
    """Stands for the end of a process."""


class Partition:
    """A partition whose log, snapshots and outputs outlive its hosts."""

    def __init__(self, raws: Sequence[bytes] = (), every: int = 4) -> None:
        """Begin with messages and no host."""
        self.log = MemoryLog(raws)
        self.snapshots = MemorySnapshots()
        self.outbox = MemoryOutbox()
        self.clock = SetClock()
        self.alerts: list[str] = []
        self.fold = TallyFold()
        self.settings = HostSettings(Origin("log-1"), snapshot_every=every, read_count=3)
        self.after_step: Callable[[Step], None] | None = None

    def host(self, **changes: object) -> PartitionHost:
        """Make a host that has not recovered yet."""
        settings = self.settings
        for name, value in changes.items():
            settings = HostSettings(**{**_fields(settings), name: value})
        return PartitionHost(
            self.fold,
            (self.log, self.snapshots, self.outbox),
            settings,
            self.clock,
            alert=self.alerts.append,
            after_step=self.after_step,
        )

    def recovered(self, **changes: object) -> PartitionHost:
        """Make a host that has."""
        host = self.host(**changes)
        run_now(host.recover())
        return host

    def outputs(self) -> set[Emitted]:
        """Give what any host has put out."""
        return {*self.outbox.delivered, *self.outbox.waiting}


def _fields(settings: HostSettings) -> dict[str, object]:
    return {name: getattr(settings, name) for name in settings.__slots__}


def words_of(host: PartitionHost, key: bytes = b"BAC-01") -> tuple[str, ...]:
    """Give the words that a host has folded of a source."""
    state = host._core.sources[key].state
    assert isinstance(state, TallyState)
    return state.words


def offer(host: PartitionHost, *entries: LogEntry) -> None:
    """Deliver messages."""
    for entry in entries:
        run_now(host.offer(entry))
