"""The ports of a host: log, snapshots, outbox and fold.

Kafka and the files of one machine both have these shapes, so that one host, with one order of
steps, runs on either. Ports that may wait are coroutines; over files they never do, and
:func:`streams.host.driving.run_now` runs them to their end at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record
from streams.host.dead_letters import DeadLetter


class LogEntry(NamedTuple):
    """One message of the log."""

    offset: int
    key: bytes
    """The source, as its sender says."""
    raw: bytes


class LogBatch(NamedTuple):
    """Messages in the order of the log."""

    entries: Sequence[LogEntry]
    next_offset: int
    """Where to read on. It may lie beyond the last entry: some offsets have no message."""


class Log(Protocol):
    """Messages by offset; only what a crash cannot take back is shown."""

    async def start_offset(self) -> int:
        """Give the offset of the oldest message that is kept."""
        ...

    async def end_offset(self) -> int:
        """Give the offset behind the last message."""
        ...

    async def read(self, start: int, count_max: int) -> LogBatch:
        """Read messages from an offset on; none only where the log ends there."""
        ...

    async def read_one(self, offset: int) -> bytes:
        """Read the bytes of one message that is known to be there."""
        ...


class FollowedLog(Log, Protocol):
    """A log whose end can be followed cheaply, by a host that nobody delivers to."""

    async def read_tail(self, start: int, count_max: int, wait_s: float) -> LogBatch:
        """Read what is at hand from an offset on; none does not mean that the log ends there.

        Args:
            start: The offset.
            count_max: So many messages at most.
            wait_s: How long the first may be waited for.
        """
        ...

    def rest(self) -> None:
        """Have nothing fetched in advance until something is read again."""
        ...


class Archive(Protocol):
    """Where messages are found that the log no longer keeps."""

    async def read(self, start: int, end: int, count_max: int) -> Sequence[LogEntry]:
        """Read messages from an offset on and below another; none where there are no more."""
        ...


class Snapshots(Protocol):
    """Where the whole state of a partition is kept now and then."""

    async def newest_first(self) -> Sequence[bytes]:
        """Give what is kept, that of the highest (audit epoch, next offset) first."""
        ...

    async def put(self, snapshot: bytes, position: tuple[int, int]) -> None:
        """Keep a snapshot of an (audit epoch, next offset); return when it is durable."""
        ...


class Outbox(Protocol):
    """Where records and dead letters go, in the order in which they are put."""

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        """Take what folding a message gave, without waiting for its delivery.

        Args:
            entry: The message.
            records: What is put out.
            dead_letter: The message, where it could not be read.
            inputs: What the ledgers of progressives are told.

        Raises:
            Exception: An earlier delivery failed; the host stops for good.
        """
        ...

    async def make_room(self) -> None:
        """Wait while too much is undelivered."""
        ...

    async def flush(self) -> None:
        """Wait until everything that was put before the call is delivered.

        Raises:
            Exception: A delivery failed; the host stops for good.
        """
        ...


class DeadReason(Protocol):
    """Why a message could not be read."""

    @property
    def reason(self) -> str:
        """One word."""
        ...

    @property
    def message(self) -> str:
        """One line for people."""
        ...


class Folded(Protocol):
    """What folding one message gave; :class:`auditors.table.Absorbed` is one."""

    @property
    def state(self) -> object:
        """The state of the source from now on."""
        ...

    @property
    def records(self) -> Sequence[Record]:
        """What is to be put out."""
        ...

    @property
    def inputs(self) -> Sequence[ProgressiveInput]:
        """What the ledgers of progressives are told."""
        ...

    @property
    def dead_letter(self) -> DeadReason | None:
        """Why the message is a dead letter; then nothing was folded."""
        ...

    @property
    def amend_from(self) -> int | None:
        """Offset of the first message of the shoe in play, where this one is late truth of it."""
        ...

    @property
    def is_valid(self) -> bool:
        """Whether the bytes were an event."""
        ...


class Fold(Protocol):
    """A pure fold, one state per source; the host only carries the states."""

    @property
    def audit_epoch(self) -> int:
        """Rises with any change of what is put out."""
        ...

    @property
    def state_format(self) -> int:
        """Rises with any change of the shape of states, whether or not what is put out changes."""
        ...

    def new_state(self, source_id: str) -> object:
        """Give the state of a source of which nothing was heard."""
        ...

    def absorb(self, state: object, entry: LogEntry, read_again: Callable[[int], bytes]) -> Folded:
        """Fold one message; bytes of held messages are read again by their offset."""
        ...

    def amend(
        self, state: object, entries: Sequence[LogEntry], read_again: Callable[[int], bytes]
    ) -> Folded:
        """Fold the shoe in play again.

        Args:
            state: The source as it was before the late message.
            entries: Its messages in log order, from ``amend_from`` to the late one.
            read_again: Gives the bytes of held messages.
        """
        ...

    def encode_state(self, state: object) -> bytes:
        """Give the canonical bytes of a state, on one line."""
        ...

    def decode_state(self, raw: bytes, audit_epoch: int) -> object:
        """Read a state back, also one that was written under a lower epoch.

        Raises:
            ValueError: The bytes are no state that can be gone on from.
        """
        ...
