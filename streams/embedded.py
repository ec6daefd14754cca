"""How does one machine do without Kafka? The same host over a log in files, in one process.

A store directory holds the log, the snapshots and, beside them, the history. Whoever opens it owns
it; whatever was cut short by a crash is done again on opening.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Protocol

import orjson

from streams.clock import Clock
from streams.durable import write_atomically
from streams.host.dead_letters import Origin
from streams.host.driving import run_now
from streams.host.errors import HostError
from streams.host.file_snapshots import FileSnapshots
from streams.host.partition_host import HostCounts, HostSettings, PartitionHost
from streams.host.ports import Fold, Outbox
from streams.host.steps import Step
from streams.spool.feed_identity import random_id
from streams.spool.file_log import FileLog

LOG_DIRECTORY: Final = "log"
SNAPSHOT_DIRECTORY: Final = "snapshots"
_LOG_ID_FILE: Final = "log.json"
_IDLE_S: Final = 0.02
_SNAPSHOT_BYTES_MAX: Final = 256 * 1024 * 1024  # a file need not fit into a message


class ClosableOutbox(Outbox, Protocol):
    """An outbox that is given back at the end."""

    def close(self) -> None:
        """Give back what it holds."""
        ...


class EmbeddedPipeline:
    """Log, host and outbox of one store directory."""

    def __init__(
        self,
        directory: Path,
        fold: Fold,
        outbox: ClosableOutbox,
        clock: Clock,
        *,
        alert: Callable[[str], None],
        after_step: Callable[[Step], None] | None = None,
        **pace: float,
    ) -> None:
        """Open a store directory and go on where its last owner stopped.

        Args:
            directory: The store, made where it does not exist.
            fold: The pure fold.
            outbox: Where records go.
            clock: The clock of this machine.
            alert: Told what people should know, one line.
            after_step: Called after every step of the host; tests stop the world there.
            **pace: Other paces of :class:`~streams.host.partition_host.HostSettings`.

        Raises:
            PathInUseError: Another process owns the store.
            HostError: What is kept cannot be gone on from.
        """
        self.log = FileLog(directory / LOG_DIRECTORY, clock)
        self._outbox = outbox
        try:
            if self.log.records.torn_bytes:
                alert(
                    f"the end of the log in {directory} was cut short by a crash: "
                    f"{self.log.records.torn_bytes} bytes that were never folded were removed"
                )
            self.log_id = _log_id(directory / LOG_DIRECTORY)
            self.host = PartitionHost(
                fold,
                (self.log, FileSnapshots(directory / SNAPSHOT_DIRECTORY), outbox),
                HostSettings(
                    Origin(self.log_id),
                    snapshot_bytes_max=_SNAPSHOT_BYTES_MAX,
                    **pace,  # type: ignore[arg-type]
                ),
                clock,
                alert=alert,
                after_step=after_step,
            )
            run_now(self.host.recover())
        except BaseException:
            self._let_go()
            raise

    @property
    def counts(self) -> HostCounts:
        """What the host did so far."""
        return self.host.counts

    @property
    def next_offset(self) -> int:
        """Offset of the message that is folded next."""
        return self.host.next_offset

    def extend(self, events: Iterable[tuple[bytes, bytes]]) -> int:
        """Put events with their keys into the log, durably; :meth:`catch_up` folds them.

        Returns:
            The end of the log.

        Raises:
            SpoolFullError: The disk has no room; what was taken so far stays taken.
        """
        return self.log.extend(events)

    def catch_up(self) -> int:
        """Fold to the end of the log.

        Returns:
            How many messages there were.
        """
        return run_now(self.host.follow())

    def follow(self, stop: threading.Event) -> None:
        """Fold what another thread puts into the log, until told to stop."""
        while not stop.is_set():
            if not self.catch_up():
                self.deliver()
                stop.wait(_IDLE_S)

    def deliver(self) -> None:
        """Wait until everything that was folded can be read in the history."""
        run_now(self.host.deliver())

    def close(self) -> None:
        """Deliver everything, take a last snapshot and give the store up."""
        try:
            run_now(self.host.stop())
        finally:
            self._let_go()

    def abandon(self) -> None:
        """Give the store up as it is, after a failure; the next owner does the rest again."""
        self._let_go()

    def _let_go(self) -> None:
        self._outbox.close()
        self.log.close()


def _log_id(directory: Path) -> str:
    """Read the id of a log, or give it one: a log that was made anew is another."""
    path = directory / _LOG_ID_FILE
    try:
        return str(orjson.loads(path.read_bytes())["log_id"])
    except FileNotFoundError:
        log_id = random_id("log-")
        write_atomically(path, orjson.dumps({"log_id": log_id}))
        return log_id
    except (ValueError, KeyError, TypeError):
        raise HostError(f"{path} does not say log_id; restore it from a copy") from None
