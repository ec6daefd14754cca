"""Relays finished events of many sources unchanged: made durable first, then sent in order.

A gateway, or a file of events, brings events that have their sequence and hash already. They are
kept until they are acknowledged and sent again after any failure, like those of a publisher.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from streams.process.clock import Clock
from streams.publishing.earlier_run import EarlierRun, load_run, save_run
from streams.publishing.publisher import RETRY_S, SEND_COUNT, SendFailedError
from streams.spool.errors import SpoolFullError
from streams.spool.feed_identity import load_acknowledged, save_acknowledged
from streams.spool.file_log import FileLog
from streams.spool.segments import MIB, LogLimits

_LOG_ID: Final = "relay"
_READ_COUNT: Final = 1000
_SAVE_MARK_S: Final = 1.0
_LIMITS: Final = LogLimits(segment_bytes=16 * MIB, total_bytes=1024 * MIB)


class KeyedSender(Protocol):
    """Brings keys and bytes into the log."""

    def send_keyed(self, messages: Sequence[tuple[bytes, bytes]]) -> None:
        """Send in order, and return when every one is acknowledged.

        Raises:
            SendFailedError: One of them was not; nobody knows about those behind it.
        """
        ...


class Relay:
    """Keeps finished events until they are acknowledged; one process owns its directory."""

    def __init__(
        self,
        directory: Path,
        sender: KeyedSender,
        clock: Clock,
        report: Callable[[str], None],
        limits: LogLimits = _LIMITS,
    ) -> None:
        """Go on where the mark stands.

        Args:
            directory: Where the events are kept.
            sender: Brings them into the log.
            clock: The clock of this machine.
            report: Told what people should know, one line.
            limits: Sizes; beyond, nothing is taken until events are acknowledged.

        Raises:
            PathInUseError: Another process relays from there.
        """
        self._directory = directory
        self._sender = sender
        self._report = report
        self._clock = clock
        self._marked_at_s = clock.monotonic_s()
        self._log = FileLog(directory, clock, limits)
        self._acknowledged = min(load_acknowledged(directory, _LOG_ID), self._log.records.end)
        self._saved_mark = self._acknowledged
        self._earlier: EarlierRun | None = EarlierRun(self._messages_of_last_run())
        self._work = threading.Condition()
        self._is_stopping = False
        self._failure_count = 0
        self._failure: str | None = None

    def _messages_of_last_run(self) -> Iterator[bytes]:
        first, end = load_run(self._directory, _LOG_ID), self._log.records.durable_end
        if first is None or first < self._log.records.first_number:
            return
        while first < end:
            batch = self._log.records.read(first, min(_READ_COUNT, end - first))
            for _, payload in batch:
                yield payload
            first = batch[-1][0] + 1

    @property
    def waiting_count(self) -> int:
        """How many events were not acknowledged yet."""
        return self._log.records.end - self._acknowledged

    @property
    def unwritten_count(self) -> int:
        """How many events were taken and are in memory only, for want of room on the disk."""
        return self._log.records.end - self._log.records.durable_end

    @property
    def failure(self) -> str | None:
        """Why the last send failed; None while sending works."""
        return self._failure

    def take(self, key: bytes, raw: bytes) -> bool:
        """Take an event; it is durable after the next :meth:`sync`.

        Returns:
            Whether it was taken; False where the run before had taken it.

        Raises:
            SpoolFullError: There is no room; it was not taken.
        """
        if self._earlier is not None:
            payload = bytes((len(key),)) + key + raw
            if self._earlier.knows(lambda earlier: earlier == payload):
                return False
            if self._earlier.matched_count == 0 or self._earlier.differs:
                save_run(self._directory, _LOG_ID, self._log.records.end)
            self._earlier = None
        try:
            self._log.append(key, raw)
        except SpoolFullError:
            self._log.records.drop_segments(lambda end, _: end <= self._acknowledged)
            self._log.append(key, raw)
        return True

    def sync(self) -> None:
        """Make every event that was taken durable and let it be sent.

        Raises:
            SpoolFullError: The disk has no room; what was taken waits in memory.
        """
        self._log.sync()
        with self._work:
            self._work.notify()

    def pump(self) -> int:
        """Send the next events that were not acknowledged.

        Returns:
            How many were acknowledged.

        Raises:
            SendFailedError: Sending failed; the next call sends the same events again.
        """
        batch = self._log.records.read(self._acknowledged, SEND_COUNT)
        if not batch:
            return 0
        messages = [
            (payload[1 : 1 + payload[0]], payload[1 + payload[0] :]) for _, payload in batch
        ]
        try:
            self._sender.send_keyed(messages)
        except SendFailedError as error:
            if not self._failure_count:
                self._report(f"cannot send ({error}); {self.waiting_count} events wait")
            self._failure_count += 1
            self._failure = str(error)
            raise
        self._acknowledged = batch[-1][0] + 1
        if self._failure_count:
            self._report(f"sending again; {self.waiting_count} events still wait")
            self._failure_count, self._failure = 0, None
        return len(batch)

    def run(self) -> None:
        """Send until :meth:`stop`; what cannot be sent now is sent later."""
        while self._wait_for_work():
            try:
                while not self._is_stopping and self.pump():
                    if self._clock.monotonic_s() - self._marked_at_s >= _SAVE_MARK_S:
                        self._save_mark()
            except SendFailedError:
                shortest, longest = RETRY_S
                self._rest(min(longest, shortest * 2 ** min(self._failure_count - 1, 10)))

    def _save_mark(self) -> None:
        """Write the mark down; on a full disk some events may be sent again."""
        self._marked_at_s = self._clock.monotonic_s()
        if self._saved_mark != self._acknowledged:
            with contextlib.suppress(OSError):
                save_acknowledged(self._directory, _LOG_ID, self._acknowledged)
                self._saved_mark = self._acknowledged

    def _wait_for_work(self) -> bool:
        with self._work:
            self._work.wait_for(
                lambda: self._is_stopping or self._log.records.durable_end > self._acknowledged
            )
            return not self._is_stopping

    def _rest(self, seconds: float) -> None:
        with self._work:
            self._work.wait_for(lambda: self._is_stopping, timeout=seconds)

    def stop(self) -> None:
        """Let :meth:`run` come to its end; what was not sent stays."""
        with self._work:
            self._is_stopping = True
            self._work.notify_all()

    def close(self) -> None:
        """Flush, write the mark down and let go of the directory."""
        try:
            self._log.sync()
            self._save_mark()
        finally:
            self._log.close()
