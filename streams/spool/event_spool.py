"""The spool of one source: it keeps what a device reports until the log has taken it.

The spool gives each event its sequence and its link to the event before, writes it down, and only
then may it be sent. Record ``n`` of the spool is the event with sequence ``n + 1``.
"""

from __future__ import annotations

import contextlib
import datetime
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast

import orjson

from schemas.events import FeedStarted
from schemas.events.envelope import EventBase
from schemas.events.union import AnyEvent
from schemas.wire import FeedPosition, encode_event, parse_event
from schemas.wire.errors import RejectReason, UnreadableEventError
from streams.process.clock import Clock, utc_now
from streams.process.durable import PathLock
from streams.spool.errors import SpoolDamagedError, SpoolError, SpoolFullError
from streams.spool.feed_identity import (
    FeedIdentity,
    load_acknowledged,
    load_identity,
    new_feed_id,
    save_acknowledged,
    save_identity,
)
from streams.spool.segments import MIB, LogLimits, SegmentedLog

_HOUR_US: Final = 3_600_000_000
_ALLOCATED: Final = ("source_id", "feed_id", "sequence", "previous_hash")


@dataclass(frozen=True, slots=True)
class SpoolSource:
    """What speaks through a spool."""

    source_id: str
    source_kind: Literal["table", "progressive_controller"] = "table"
    software: str | None = None
    simulated: bool = False
    predecessor_feed_id: str | None = None
    """The feed that it spoke through before, where that stood somewhere else."""


@dataclass(frozen=True, slots=True)
class SpoolLimits:
    """How much a spool keeps, and how long."""

    bytes_max: int = 1024 * MIB
    """All of it; beyond, nothing is taken until events are acknowledged."""
    kept_us: int = 72 * _HOUR_US
    """How long acknowledged events stay, so that they can be sent again on request."""
    segment_bytes: int = 16 * MIB
    segment_us: int = 6 * _HOUR_US
    """A file is closed after this time, so that old events can go."""


class SpooledEvent(NamedTuple):
    """One event as it stands in the spool."""

    sequence: int
    raw: bytes


class EventSpool:
    """The spool of one source; one process owns it."""

    def __init__(
        self,
        root: Path,
        source: SpoolSource,
        clock: Clock,
        limits: SpoolLimits = SpoolLimits(),
        make_feed_id: Callable[[], str] = new_feed_id,
    ) -> None:
        """Open the spool of a source; a new or lost one begins a new feed.

        Args:
            root: Directory of all spools; the source has its own below it.
            source: What speaks.
            clock: The device's clock.
            limits: Sizes and times.
            make_feed_id: Makes the id of a new feed.

        Raises:
            PathInUseError: Another process speaks for this source.
            SpoolDamagedError: What says which feed it is cannot be read.
        """
        self.source = source
        self.directory = root / source.source_id
        self.lost: str | None = None
        """Why a feed was given up and another begun on opening; None where all is well."""
        self._clock = clock
        self._limits = limits
        self._make_feed_id = make_feed_id
        self._lock = threading.Lock()
        self._path_lock = PathLock(self.directory, "publisher")
        try:
            self._log, self._position, self._acknowledged = self._open()
        except BaseException:
            self._path_lock.release()
            raise
        self._saved_mark = self._acknowledged

    def _open(self) -> tuple[SegmentedLog, FeedPosition, int]:
        identity = load_identity(self.directory)
        if identity is None:
            return self._begin_feed(self.source.predecessor_feed_id)
        acknowledged = load_acknowledged(self.directory, identity.feed_id)
        if not (self.directory / identity.feed_id).is_dir():
            self.lost = f"the spool of feed {identity.feed_id} is gone"
            return self._begin_feed(identity.feed_id)
        try:
            # feed_started was durable before the identity was written.
            log = self._open_log(identity.feed_id, trusted_end=max(acknowledged, 1))
        except SpoolDamagedError as error:
            self.lost = str(error)
            return self._begin_feed(identity.feed_id)
        last = FeedPosition(self.source.source_id, identity.feed_id, log.end)
        return log, last.after(log.read_one(log.end - 1)), acknowledged

    def _open_log(self, feed_id: str, trusted_end: int) -> SegmentedLog:
        return SegmentedLog(
            self.directory / feed_id,
            self._clock.now_us,
            owner="publisher",
            limits=LogLimits(self._limits.segment_bytes, self._limits.bytes_max),
            trusted_end=trusted_end,
        )

    def begin_feed(self) -> str:
        """Give the feed up in good order and begin another, for instance before a move.

        Returns:
            The new feed; its first event names the old one and its last sequence.
        """
        with self._lock:
            self._log.sync()
            old, last_sequence = self.feed_id, self.next_sequence - 1
            self._log.close()
            self._log, self._position, self._acknowledged = self._begin_feed(old, last_sequence)
            self._saved_mark = 0
            return self.feed_id

    def _begin_feed(
        self, predecessor: str | None, last_sequence: int | None = None
    ) -> tuple[SegmentedLog, FeedPosition, int]:
        """Begin a feed: its first event is durable before anything says that it exists."""
        feed_id = self._make_feed_id()
        position = FeedPosition(self.source.source_id, feed_id)
        occurred_at = utc_now(self._clock)
        raw = encode_event(
            FeedStarted(
                **position.fields(occurred_at),
                source_kind=self.source.source_kind,
                predecessor_feed_id=predecessor,
                predecessor_sequence=last_sequence,
                software=self.source.software,
                simulated=self.source.simulated,
            )
        )
        log = self._open_log(feed_id, trusted_end=0)
        log.append(raw)
        log.sync()
        save_identity(self.directory, FeedIdentity(self.source.source_id, feed_id))
        return log, position.after(raw), 0

    @property
    def feed_id(self) -> str:
        """The feed that events get."""
        return self._position.feed_id

    @property
    def next_sequence(self) -> int:
        """Sequence that the next event gets."""
        return self._position.sequence

    @property
    def durable_sequence(self) -> int:
        """Sequence of the last event that may be sent."""
        return self._log.durable_end

    @property
    def acknowledged(self) -> int:
        """Sequence up to which every event was acknowledged."""
        return self._acknowledged

    @property
    def waiting_count(self) -> int:
        """How many events were not acknowledged yet."""
        return self.next_sequence - 1 - self._acknowledged

    @property
    def unwritten_count(self) -> int:
        """How many events were taken and are in memory only, for want of room on the disk."""
        return self.next_sequence - 1 - self.durable_sequence

    def append(
        self, event_class: type[EventBase], occurred_at: datetime.datetime, **fields: object
    ) -> int:
        """Take an event; it may be sent after the next :meth:`sync`.

        Args:
            event_class: What happened.
            occurred_at: When, UTC.
            **fields: Everything but the envelope, which the spool gives.

        Returns:
            Its sequence.

        Raises:
            pydantic.ValidationError: The fields make no event; nothing was taken.
            TypeError: They name what the spool gives.
            SpoolFullError: There is no room; nothing was taken, tell the device to wait.
        """
        given = [name for name in _ALLOCATED if name in fields]
        if given:
            raise TypeError(f"{given[0]} is given by the spool; leave it out")
        with self._lock:
            event = event_class.model_validate({**self._position.fields(occurred_at), **fields})
            return self._take(encode_event(cast(AnyEvent, event)))

    def append_draft(self, draft: bytes) -> int:
        """Take an event that comes as JSON without the envelope's sequence, feed and hash.

        Raises:
            UnreadableEventError: It makes no event; the text says where and how to mend it.
            SpoolFullError: There is no room; nothing was taken.
        """
        fields = _draft_fields(draft, self.source.source_id)
        with self._lock:
            position = self._position
            allocated = (
                position.source_id,
                position.feed_id,
                position.sequence,
                position.previous_hash,
            )
            document = {**dict(zip(_ALLOCATED, allocated, strict=True)), **fields}
            return self._take(encode_event(parse_event(orjson.dumps(document))))

    def _take(self, raw: bytes) -> int:
        try:
            self._log.append(raw)
        except SpoolFullError as error:
            if not self._make_room():
                if self._log.has_no_room:
                    raise SpoolFullError(f"spool of {self.source.source_id}: {error}") from None
                raise SpoolFullError(
                    f"spool of {self.source.source_id} is full, {self.waiting_count} events wait "
                    "to be acknowledged; see whether the broker can be reached, then go on"
                ) from None
            self._log.append(raw)
        sequence = self._position.sequence
        self._position = self._position.after(raw)
        return sequence

    def sync(self) -> int:
        """Make every event that was taken durable, all waiting callers in one flush.

        Returns:
            Sequence of the last event that may be sent.

        Raises:
            SpoolFullError: The disk has no room. What was taken waits in memory and is written
                as soon as there is room; it must not be offered again.
        """
        return self._log.sync()

    def read(self, first_sequence: int, count_max: int) -> list[SpooledEvent]:
        """Read durable events in order, exactly as they were or will be sent."""
        return [
            SpooledEvent(number + 1, raw)
            for number, raw in self._log.read(first_sequence - 1, count_max)
        ]

    @property
    def first_sequence(self) -> int:
        """Sequence of the oldest event that is still there to be sent again."""
        return self._log.first_number + 1

    def acknowledge(self, sequence: int) -> None:
        """Note that every event up to a sequence was acknowledged; a lower mark changes nothing."""
        if sequence > self.durable_sequence:
            raise SpoolError(
                f"{self.source.source_id}: event {sequence} was acknowledged, but the spool has "
                f"sent nothing beyond {self.durable_sequence}"
            )
        self._acknowledged = max(self._acknowledged, sequence)

    def save_mark(self) -> None:
        """Write the mark down; a mark that is lost only means that events are sent again."""
        if self._saved_mark != self._acknowledged:
            save_acknowledged(self.directory, self.feed_id, self._acknowledged)
            self._saved_mark = self._acknowledged

    def expire(self) -> int:
        """Remove acknowledged events that were kept long enough.

        Returns:
            Sequence of the oldest event that is left.
        """
        now_us = self._clock.now_us()
        began = self._log.newest_began_us
        if began is not None and now_us - began >= self._limits.segment_us:
            self._log.begin_segment()
        oldest_us = now_us - self._limits.kept_us
        self._log.drop_segments(
            lambda end, closed_us: end <= self._acknowledged and closed_us < oldest_us
        )
        return self.first_sequence

    def _make_room(self) -> bool:
        """Let the oldest acknowledged events go early: new events matter more than resending."""
        before = self._log.first_number
        is_first = [True]

        def may_go(end: int, _closed_us: int) -> bool:
            return end <= self._acknowledged and bool(is_first and is_first.pop())

        return self._log.drop_segments(may_go) > before

    def close(self) -> None:
        """Flush, write the mark down where there is room, and let go of the spool."""
        try:
            self._log.close()
            with contextlib.suppress(OSError):
                self.save_mark()
        finally:
            self._path_lock.release()


def _draft_fields(draft: bytes, source_id: str) -> dict[str, object]:
    try:
        fields = orjson.loads(draft)
    except orjson.JSONDecodeError:
        fields = None
    if not isinstance(fields, dict):
        raise UnreadableEventError(
            RejectReason.NOT_JSON, "no JSON object; send one event as one object on one line"
        )
    if fields.get("source_id") == source_id:
        del fields["source_id"]  # true, so it may be said
    given = [name for name in _ALLOCATED if name in fields]
    if given:
        raise UnreadableEventError(
            RejectReason.BAD_FIELD,
            f"{given[0]}: is given by the spool; leave it out",
            field=given[0],
        )
    return fields
