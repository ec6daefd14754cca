"""The pipeline of one machine without Kafka: the same host over a log in files, in one process.

A store directory holds the log, the snapshots and, beside them, the history; for progressives a
second log with its own host. Whoever opens it owns it; whatever was cut short by a crash is done
again on opening.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, Protocol

import orjson

from schemas.topics import TopicName
from streams.embedding.ledgers import LOG_DIRECTORY as LEDGER_LOG_DIRECTORY
from streams.embedding.ledgers import SNAPSHOT_DIRECTORY as LEDGER_SNAPSHOT_DIRECTORY
from streams.embedding.ledgers import InputsToLog
from streams.host.dead_letters import Origin
from streams.host.driving import run_now
from streams.host.errors import HostError
from streams.host.file_snapshots import FileSnapshots
from streams.host.partition_fold import PROGRESSIVE_KEYS, SOURCE_KEYS, Keys
from streams.host.partition_host import HostCounts, HostSettings, PartitionHost
from streams.host.ports import Fold, Outbox
from streams.host.steps import Step
from streams.process.clock import Clock
from streams.process.durable import make_directory, write_atomically
from streams.spool.feed_identity import random_id
from streams.spool.file_log import FileLog
from streams.spool.segment_file import SUFFIX

LOG_DIRECTORY: Final = "log"
SNAPSHOT_DIRECTORY: Final = "snapshots"
STORE_FOLDERS: Final = (
    LOG_DIRECTORY,
    SNAPSHOT_DIRECTORY,
    LEDGER_LOG_DIRECTORY,
    LEDGER_SNAPSHOT_DIRECTORY,
)
"""Names of what lies in a store beside its history."""

_LOG_ID_FILE: Final = "log.json"
_IDLE_S: Final = 0.02
_SNAPSHOT_BYTES_MAX: Final = 256 * 1024 * 1024  # a file need not fit into a message


class ClosableOutbox(Outbox, Protocol):
    """An outbox that is given back at the end."""

    def of_ledgers(self) -> Outbox:
        """Give where the records of progressives go."""
        ...

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
        progressives: Fold | None = None,
        after_step: Callable[[Step], None] | None = None,
        **pace: float,
    ) -> None:
        """Open a store directory and go on where its last owner stopped.

        Args:
            directory: The store, made where it does not exist.
            fold: The pure fold of the tables.
            outbox: Where records go.
            clock: The clock of this machine.
            alert: Told what people should know, one line.
            progressives: The pure fold of what tables and controllers tell about progressives;
                None: nobody listens.
            after_step: Called after every step of either host; tests stop the world there.
            **pace: Other paces of :class:`~streams.host.partition_host.HostSettings`.

        Raises:
            PathInUseError: Another process owns the store.
            HostError: What is kept cannot be gone on from.
        """
        self._outbox = outbox
        self._logs: list[FileLog] = []
        self._inputs: InputsToLog | None = None
        self.ledgers: PartitionHost | None = None
        """The host of the progressives."""
        make = _HostMaker(directory, clock, alert, after_step, pace)
        try:
            self.log = self._opened(make, LOG_DIRECTORY)
            self.log_id = _log_id(directory / LOG_DIRECTORY)
            tables: Outbox = outbox
            if progressives is not None:
                told = self._opened(make, LEDGER_LOG_DIRECTORY)
                tables = self._inputs = InputsToLog(outbox, told)
                self.ledgers = make.ledgers(progressives, told, outbox.of_ledgers())
            self.host = make.tables(fold, self.log, tables)
            run_now(self.host.recover())
            if self._inputs is not None and self.ledgers is not None:
                self._inputs.write()
                run_now(self.ledgers.recover())
        except BaseException:
            self._let_go()
            raise

    def _opened(self, make: _HostMaker, name: str) -> FileLog:
        log = make.log(name)
        self._logs.append(log)
        return log

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
        count = run_now(self.host.follow())
        if self._inputs is not None and self.ledgers is not None:
            self._inputs.write()
            run_now(self.ledgers.follow())
        return count

    def follow(self, stop: threading.Event) -> None:
        """Fold what another thread puts into the log, until told to stop."""
        while not stop.is_set():
            if not self.catch_up():
                self.deliver()
                stop.wait(_IDLE_S)

    def deliver(self) -> None:
        """Wait until everything that was folded can be read in the history."""
        run_now(self.host.deliver())
        if self.ledgers is not None:
            run_now(self.ledgers.follow())
            run_now(self.ledgers.deliver())

    def close(self) -> None:
        """Deliver everything, take a last snapshot and give the store up."""
        try:
            run_now(self.host.stop())
            if self.ledgers is not None:
                run_now(self.ledgers.follow())
                run_now(self.ledgers.stop())
        finally:
            self._let_go()

    def abandon(self) -> None:
        """Give the store up as it is, after a failure; the next owner does the rest again."""
        self._let_go()

    def _let_go(self) -> None:
        self._outbox.close()
        for log in self._logs:
            log.close()


class _HostMaker:
    """Makes the hosts of one store, which differ in their directories and keys."""

    def __init__(
        self,
        directory: Path,
        clock: Clock,
        alert: Callable[[str], None],
        after_step: Callable[[Step], None] | None,
        pace: Mapping[str, float],
    ) -> None:
        self._directory, self._clock = directory, clock
        self._alert, self._after_step, self._pace = alert, after_step, pace

    def log(self, name: str) -> FileLog:
        """Open a log; what a crash cut short was never folded."""
        log = FileLog(self._directory / name, self._clock)
        if log.records.torn_bytes:
            self._alert(
                f"the end of the {name} in {self._directory} was cut short by a crash: "
                f"{log.records.torn_bytes} bytes that were never folded were removed"
            )
        return log

    def tables(self, fold: Fold, log: FileLog, outbox: Outbox) -> PartitionHost:
        return self._host(fold, log, outbox, (LOG_DIRECTORY, SNAPSHOT_DIRECTORY, SOURCE_KEYS))

    def ledgers(self, fold: Fold, log: FileLog, outbox: Outbox) -> PartitionHost:
        names = (LEDGER_LOG_DIRECTORY, LEDGER_SNAPSHOT_DIRECTORY, PROGRESSIVE_KEYS)
        return self._host(fold, log, outbox, names)

    def _host(
        self, fold: Fold, log: FileLog, outbox: Outbox, names: tuple[str, str, Keys]
    ) -> PartitionHost:
        of_log, of_snapshots, keys = names
        return PartitionHost(
            fold,
            (log, FileSnapshots(self._directory / of_snapshots), outbox),
            HostSettings(
                Origin(_log_id(self._directory / of_log)),
                snapshot_bytes_max=_SNAPSHOT_BYTES_MAX,
                keys=keys,
                # The reconciler, which renews what is said of tables, leaves ledgers alone.
                begins_anew=keys is PROGRESSIVE_KEYS,
                **self._pace,  # type: ignore[arg-type]  # paces are numbers
            ),
            self._clock,
            alert=self._alert,
            after_step=self._after_step,
        )


def logs_of(directory: Path) -> tuple[dict[TopicName, str], bool]:
    """Name the logs of a store, for one who owns its history.

    Returns:
        Their ids, and whether nothing stands in that of events.
    """
    places = {
        TopicName.EVENTS: directory / LOG_DIRECTORY,
        TopicName.PROGRESSIVE_INPUTS: directory / LEDGER_LOG_DIRECTORY,
    }
    for place in places.values():
        make_directory(place)
    is_empty = next(places[TopicName.EVENTS].glob(f"*{SUFFIX}"), None) is None
    return {name: _log_id(place) for name, place in places.items()}, is_empty


def _log_id(directory: Path) -> str:
    """Read the id of a log, or give it one: a log that was created again is another."""
    path = directory / _LOG_ID_FILE
    try:
        return str(orjson.loads(path.read_bytes())["log_id"])
    except FileNotFoundError:
        log_id = random_id("log-")
        write_atomically(path, orjson.dumps({"log_id": log_id}))
        return log_id
    except (ValueError, KeyError, TypeError):
        raise HostError(f"{path} does not say log_id; restore it from a copy") from None
