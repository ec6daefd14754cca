"""Sends what a device reports to the log, through a spool, in order, whatever fails between.

An event is taken into the spool and is durable before the device goes on; devices that speak at
once share one flush. Only then is it sent, by another thread, however long the log is away. When
a send fails, the publisher stops, goes back to the last acknowledged event and sends on from there
in the same order and with the same bytes: what arrives twice does no harm, what is missing would.
How events are sent is the sender's matter; Kafka's is one, a file another.
"""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from schemas.events import Heartbeat
from schemas.events.envelope import EventBase
from streams.process.clock import Clock, utc_now
from streams.spool.errors import SpoolFullError
from streams.spool.event_spool import EventSpool, SpooledEvent

SEND_COUNT: Final = 500
"""The most events that are sent and awaited at a time."""

HEARTBEAT_S: Final = 5.0
"""After so long without an event the publisher says that the source is there."""

RETRY_S: Final = (0.1, 5.0)
"""Shortest and longest wait before events are sent again after a failure."""

_SAVE_MARK_S: Final = 1.0
_EXPIRE_S: Final = 600.0


class SendFailedError(Exception):
    """Not every event of a group was acknowledged; one line says why."""


class Sender(Protocol):
    """Brings events into the log."""

    def send(self, source_id: str, events: Sequence[SpooledEvent]) -> None:
        """Send events in order, and return when every one is acknowledged.

        Raises:
            SendFailedError: One of them was not; nobody knows about those behind it.
        """
        ...


@dataclass(frozen=True, slots=True)
class PublisherState:
    """How a publisher is, for the device and for those who watch it."""

    waiting_count: int
    """Events taken and not yet acknowledged."""
    acknowledged: int
    """Sequence up to which all are acknowledged."""
    failing_since_us: int | None
    """When sending began to fail, microseconds since 1970 UTC; None while it works."""
    failure: str | None
    failure_count: int
    """Failed sends in a row."""


class Publisher:
    """Publishes the events of one source; taking and sending may be in different threads."""

    def __init__(
        self,
        spool: EventSpool,
        sender: Sender,
        clock: Clock,
        report: Callable[[str], None],
        *,
        send_count: int = SEND_COUNT,
    ) -> None:
        """Begin where the spool's mark stands.

        Args:
            spool: The spool of the source.
            sender: Brings events into the log.
            clock: The device's clock.
            report: Told what people should know, one line.
            send_count: So many events are sent at a time.
        """
        self.spool = spool
        self._sender = sender
        self._clock = clock
        self._report = report
        self._send_count = send_count
        self._work = threading.Condition()
        self._is_stopping = False
        self._failing_since_us: int | None = None
        self._failure: str | None = None
        self._failure_count = 0
        self._left_undone: set[str] = set()
        now_s = clock.monotonic_s()
        self._said_at_s = self._marked_at_s = self._expired_at_s = now_s
        if spool.lost is not None:
            report(f"{spool.source.source_id} speaks through a new feed: {spool.lost}")

    @property
    def state(self) -> PublisherState:
        """How it is now."""
        return PublisherState(
            self.spool.waiting_count,
            self.spool.acknowledged,
            self._failing_since_us,
            self._failure,
            self._failure_count,
        )

    def publish(
        self, event_class: type[EventBase], occurred_at: datetime.datetime, **fields: object
    ) -> int:
        """Take an event: it is durable on return and sent within moments.

        Returns:
            Its sequence.

        Raises:
            SpoolFullError: It was not taken: the device has to wait.
        """
        sequence = self.spool.append(event_class, occurred_at, **fields)
        self._make_durable()
        return sequence

    def publish_draft(self, draft: bytes) -> int:
        """Take an event that comes as JSON without sequence, feed and hash.

        Raises:
            UnreadableEventError: It makes no event.
            SpoolFullError: It was not taken: the device has to wait.
        """
        return self.publish_drafts([draft])[0]

    def publish_drafts(self, drafts: Iterable[bytes]) -> list[int]:
        """Take several drafts with one flush.

        Raises:
            UnreadableEventError: One makes no event; those before it were taken.
            SpoolFullError: There is no room; those before it were taken.
        """
        sequences: list[int] = []
        try:
            for draft in drafts:
                sequences.append(self.spool.append_draft(draft))
        finally:
            if sequences:
                self._make_durable()
        return sequences

    def _make_durable(self) -> None:
        try:
            self.spool.sync()
        except SpoolFullError as error:
            # It was taken and is written as soon as there is room; the next one will be refused.
            self._report(str(error))
        with self._work:
            self._said_at_s = self._clock.monotonic_s()
            self._work.notify()

    def pump(self) -> int:
        """Flush what was taken and send the next events that were not acknowledged.

        Returns:
            How many were acknowledged; 0 where there was nothing to send.

        Raises:
            SendFailedError: Sending failed; the next call sends the same events again.
            SpoolFullError: The disk has no room for what was taken; it waits in memory.
        """
        try:
            self.spool.sync()
        finally:
            # What is durable is sent even while the disk is full: that is what makes room.
            sent = self._send_next()
        return sent

    def _send_next(self) -> int:
        events = self.spool.read(self.spool.acknowledged + 1, self._send_count)
        if not events:
            return 0
        try:
            self._sender.send(self.spool.source.source_id, events)
        except SendFailedError as error:
            self._note_failure(str(error))
            raise
        self.spool.acknowledge(events[-1].sequence)
        self._note_success()
        self._save_mark_if_due()
        return len(events)

    def _note_failure(self, failure: str) -> None:
        self._failure_count += 1
        self._failure = failure
        if self._failing_since_us is None:
            self._failing_since_us = self._clock.now_us()
            self._report(
                f"{self.spool.source.source_id}: cannot send ({failure}); "
                f"{self.spool.waiting_count} events wait in the spool"
            )

    def _note_success(self) -> None:
        if self._failing_since_us is not None:
            self._report(
                f"{self.spool.source.source_id}: sending again after {self._failure_count} "
                f"failures; {self.spool.waiting_count} events still wait"
            )
        self._failing_since_us, self._failure, self._failure_count = None, None, 0

    def _save_mark_if_due(self) -> None:
        now_s = self._clock.monotonic_s()
        if now_s - self._marked_at_s >= _SAVE_MARK_S:
            self._marked_at_s = now_s
            self._keep_house("mark of what was acknowledged", self.spool.save_mark)
        if now_s - self._expired_at_s >= _EXPIRE_S:
            self._expired_at_s = now_s
            self._keep_house("removal of what was kept long enough", self.spool.expire)

    def _keep_house(self, what: str, work: Callable[[], object]) -> None:
        """Do what can wait: on a full disk sending goes on, which is what makes room."""
        try:
            work()
        except OSError as error:
            if what not in self._left_undone:
                self._left_undone.add(what)
                self._report(
                    f"{self.spool.directory}: {error.strerror or error}; the {what} has to wait, "
                    "sending goes on"
                )
        else:
            self._left_undone.discard(what)

    def heartbeat_if_idle(self) -> bool:
        """Say that the source is there, if it said nothing for a while.

        Returns:
            Whether it was said; a full spool takes no heartbeat.
        """
        if self._clock.monotonic_s() - self._said_at_s < HEARTBEAT_S:
            return False
        now = utc_now(self._clock)
        try:
            self.publish(Heartbeat, now)
        except SpoolFullError:
            return False
        return True

    def resend(self, first_sequence: int, last_sequence: int) -> int:
        """Send events again on request, the same bytes; the mark does not move.

        Args:
            first_sequence: The first.
            last_sequence: The last, included.

        Returns:
            How many were sent.

        Raises:
            SpoolError: They are no longer kept.
            SendFailedError: Sending failed.
        """
        count, next_sequence = 0, first_sequence
        while next_sequence <= last_sequence:
            wanted = min(self._send_count, last_sequence - next_sequence + 1)
            events = self.spool.read(next_sequence, wanted)
            if not events:
                break
            self._sender.send(self.spool.source.source_id, events)
            count += len(events)
            next_sequence = events[-1].sequence + 1
        return count

    def run(self) -> None:
        """Send and keep alive until :meth:`stop`; what cannot be sent now is sent later.

        Raises:
            SpoolBrokenError: The disk refused; the spool has to be opened anew.
        """
        while self._wait_for_work():
            try:
                self.heartbeat_if_idle()
                while self.pump() == self._send_count and not self._is_stopping:
                    pass
            except SendFailedError:
                self._rest_after_failure()
            except SpoolFullError:
                self._rest(RETRY_S[1])

    def send_waiting(self) -> None:
        """Send what waits and end there, or at :meth:`stop`; nothing is said for the source.

        Raises:
            SpoolBrokenError: The disk refused; the spool has to be opened anew.
        """
        while self.spool.waiting_count and not self._is_stopping:
            try:
                self.pump()
            except SendFailedError:
                self._rest_after_failure()
            except SpoolFullError:
                self._rest(RETRY_S[1])

    def _rest_after_failure(self) -> None:
        shortest, longest = RETRY_S
        self._rest(min(longest, shortest * 2 ** min(self._failure_count - 1, 10)))

    def _wait_for_work(self) -> bool:
        """Wait until there is something to send or a heartbeat is due; False when stopping."""
        with self._work:
            idle_s = self._clock.monotonic_s() - self._said_at_s
            self._work.wait_for(
                lambda: self._is_stopping or self.spool.waiting_count > 0,
                timeout=max(0.0, HEARTBEAT_S - idle_s),
            )
            return not self._is_stopping

    def _rest(self, seconds: float) -> None:
        with self._work:
            self._work.wait_for(lambda: self._is_stopping, timeout=seconds)

    def stop(self) -> None:
        """Let :meth:`run` come to its end; what was not sent stays in the spool."""
        with self._work:
            self._is_stopping = True
            self._work.notify_all()
