"""Publishes lines as events: a draft gets its number here, a finished event keeps its own.

A **draft** is an event as JSON without feed, sequence and hash: the spool of its source gives
them. Everything else is passed on as it is, by the :class:`~streams.publishing.relay.Relay`; bytes
that are no event too, since they are evidence: they are counted apart, and become dead letters.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import orjson

from schemas.wire import read_envelope
from schemas.wire.errors import UnreadableEventError
from streams.files.event_keys import is_source_id, key_of
from streams.files.line_groups import LINE_BYTES_MAX, Line
from streams.process.clock import Clock
from streams.process.durable import PathInUseError
from streams.process.monitoring import Health, Reading
from streams.publishing.drafts import ALLOCATED, DraftSource
from streams.publishing.publisher import Sender
from streams.publishing.relay import KeyedSender, Relay
from streams.spool.errors import SpoolDamagedError, SpoolFullError
from streams.spool.event_spool import EventSpool, SpoolSource
from streams.spool.feed_identity import IDENTITY_FILE

RELAY: Final = "relay"
"""Stands for the spool of finished events of whatever source."""

RELAY_DIRECTORY: Final = ".relay"
"""Below the directory of spools; no source can be called so."""

REFUSALS_MAX: Final = 20
"""Of so many lines of a kind it is said why they make or are no event."""

STOP_WITHIN_S: Final = 5.0
"""How long what was taken is still sent once the end is asked for."""

_FULL_PAUSE_S: Final = 0.2
_DRAIN_PAUSE_S: Final = 0.02
_STOP_LIMIT_S: Final = 2.0


class EventSender(Sender, KeyedSender, Protocol):
    """Brings drafts that got their number, and finished events, into the log."""


@dataclass(slots=True)
class PublicationCounts:
    """What became of the lines."""

    taken: int = 0
    """Events; lines that are none are not among them."""
    known: int = 0
    """Taken by the run before."""
    left: int = 0
    """What waited in spools when they were opened, and is sent first."""
    no_events: int = 0
    """Lines that are no event and go into the log as they are, now or by the run before."""
    no_event_reasons: list[str] = field(default_factory=list)
    """Why the first of them are none, one line each for people."""
    refused: int = 0
    """Lines that make no event."""
    refusals: list[str] = field(default_factory=list)
    """Why the first of them make none, one line each for people."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """What is said of a source that speaks through drafts."""

    source_id: str | None = None
    """The source of drafts that name none."""
    is_controller: bool = False
    is_simulated: bool = False
    software: str | None = None


def _as_draft(raw: bytes) -> dict[str, object] | None:
    """Read a line as a draft; None where it is something else."""
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(document, dict) or "type" not in document:
        return None
    return None if all(name in document for name in ALLOCATED) else document


class Publication:
    """Takes lines and brings them into the log, each source through its own spool."""

    def __init__(
        self,
        directory: Path,
        sender: EventSender,
        clock: Clock,
        report: Callable[[str], None],
        speaker: Speaker = Speaker(),
        stop: threading.Event | None = None,
    ) -> None:
        """Publish from a directory of spools.

        Args:
            directory: All spools are below it.
            sender: Brings events into the log.
            clock: The clock of this machine.
            report: Told what people should know, one line.
            speaker: What is said of sources that speak through drafts.
            stop: Set once somebody wants the end: nothing is waited for much longer then.
        """
        self._stop = stop or threading.Event()
        self.counts = PublicationCounts()
        self._directory, self._sender, self._clock = directory, sender, clock
        self._tell, self._speaker = report, speaker
        self._sources: dict[str, DraftSource] = {}
        self._left: set[str] = set()
        """Sources that did not speak here: what waited of them is sent, and no more."""
        self._opening = threading.Lock()
        self._relay: Relay | None = None
        self._threads: list[threading.Thread] = []
        self._failure: Exception | None = None
        self._is_full = False
        self._is_closed = False

    def _report(self, line: str) -> None:
        """Tell people, but not what a thread still finds out when everything is over."""
        if not self._is_closed:
            self._tell(line)

    def sources(self) -> list[str]:
        """List the sources that have a spool here."""
        there = self._directory.iterdir() if self._directory.is_dir() else ()
        return sorted(
            path.name
            for path in there
            if is_source_id(path.name) and (path / IDENTITY_FILE).exists()
        )

    def open_waiting(self) -> None:
        """Open every spool in which events wait, so that they are sent whoever speaks now.

        A spool that belongs to another process is that one's to send. One from which all is sent
        is let go again, unless its source speaks here meanwhile.
        """
        for source_id in self.sources():
            with self._opening:
                if source_id not in self._sources:
                    self._open_left(source_id)
        if (self._directory / RELAY_DIRECTORY).is_dir():
            with contextlib.suppress(PathInUseError):
                self._opened_relay()

    def _open_left(self, source_id: str) -> None:
        try:
            source = self._opened(source_id)
        except PathInUseError:
            return
        except SpoolDamagedError as error:
            self._report(f"what may wait of {source_id} is not sent: {error}")
            return
        if not source.spool.waiting_count:
            source.spool.close()
            return
        self._sources[source_id] = source
        self._left.add(source_id)
        self.counts.left += source.spool.waiting_count
        self._start(lambda: self._send_left(source_id, source))

    def _send_left(self, source_id: str, source: DraftSource) -> None:
        try:
            source.publisher.send_waiting()
        except SpoolDamagedError as error:
            with self._opening:
                if source_id not in self._left:
                    raise  # it speaks here meanwhile
                self._left.discard(source_id)
                del self._sources[source_id]
                self.counts.left -= source.spool.waiting_count
                source.spool.close()
            # Those who speak here must not be silent for its sake.
            self._report(f"what may wait of {source_id} is not sent: {error}")
            return
        with self._opening:
            if source_id in self._left and not source.spool.waiting_count:
                self._left.discard(source_id)
                del self._sources[source_id]
                source.spool.close()
                return
        source.publisher.run()

    def resend(self, source_id: str, first_sequence: int, last_sequence: int) -> int:
        """Send events of a source again, the same bytes.

        Returns:
            How many were sent.

        Raises:
            SpoolError: They are no longer kept.
            SendFailedError: Sending failed.
            PathInUseError: Another process speaks for the source.
        """
        return self.source(source_id).publisher.resend(first_sequence, last_sequence)

    def source(self, source_id: str) -> DraftSource:
        """Give the spool and the publisher of a source; a new source gets new ones.

        Raises:
            PathInUseError: Another process speaks for it.
            SpoolDamagedError: Its spool cannot be read.
        """
        with self._opening:
            self._left.discard(source_id)
            found = self._sources.get(source_id)
            if found is None:
                found = self._sources[source_id] = self._opened(source_id)
                self._start(found.publisher.run)
            return found

    def _opened(self, source_id: str) -> DraftSource:
        source = SpoolSource(
            source_id,
            "progressive_controller" if self._speaker.is_controller else "table",
            software=self._speaker.software,
            simulated=self._speaker.is_simulated,
        )
        spool = EventSpool(self._directory, source, self._clock)
        return DraftSource(spool, self._sender, self._clock, self._report)

    def _opened_relay(self) -> Relay:
        if self._relay is None:
            self._relay = Relay(
                self._directory / RELAY_DIRECTORY, self._sender, self._clock, self._report
            )
            self.counts.left += self._relay.waiting_count
            self._start(self._relay.run)
        return self._relay

    def _start(self, run: Callable[[], None]) -> None:
        def guarded() -> None:
            try:
                run()
            except Exception as error:
                # Nobody looks into a thread: whoever takes lines or waits is told.
                self._failure = error

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        self._threads.append(thread)

    def take(self, lines: Sequence[Line]) -> None:
        """Take lines; what they say is durable on return.

        Raises:
            ChangedLinesError: Lines that were published before come again, and one is another.
            SpoolError: A spool cannot go on.
            PathInUseError: Another process speaks for a source.
        """
        self._raise_failure()
        drafts: dict[str, list[Line]] = {}
        relayed = False
        for line in lines:
            if line.raw is None:
                self._refuse(line, f"it is longer than {LINE_BYTES_MAX:,} bytes")
                continue
            draft = _as_draft(line.raw)
            if draft is None:
                self._relay_line(line.number, line.raw)
                relayed = True
                continue
            if given := [name for name in ALLOCATED if name in draft]:
                self._refuse(line, f"{given[0]}: is given by the spool; leave it out")
                continue
            source_id = draft.get("source_id", self._speaker.source_id)
            if isinstance(source_id, str) and is_source_id(source_id):
                drafts.setdefault(source_id, []).append(line)
            else:
                self._refuse(line, "it names no source; add source_id, or name one for all lines")
        for source_id, group in drafts.items():
            self._take_drafts(self.source(source_id), group)
        if relayed:
            self._when_there_is_room(self._opened_relay().sync)

    def _relay_line(self, number: int, raw: bytes) -> None:
        relay, key, counts = self._opened_relay(), key_of(raw), self.counts
        is_event = True
        try:
            read_envelope(raw)
        except UnreadableEventError as error:
            is_event = False
            counts.no_events += 1
            if len(counts.no_event_reasons) < REFUSALS_MAX:
                counts.no_event_reasons.append(f"line {number}: {error}")
        if not self._when_there_is_room(lambda: relay.take(key, raw)):
            counts.known += 1
        elif is_event:
            counts.taken += 1

    def _take_drafts(self, source: DraftSource, lines: Sequence[Line]) -> None:
        rest = list(lines)

        def new_drafts() -> Iterator[bytes]:
            while rest:
                raw = rest[0].raw
                assert raw is not None, "lines that are too long are no drafts"
                if source.knows(raw):
                    self.counts.known += 1
                else:
                    yield raw
                    self.counts.taken += 1
                del rest[0]

        while rest:
            try:
                self._when_there_is_room(lambda: source.publisher.publish_drafts(new_drafts()))
            except UnreadableEventError as error:
                self._refuse(rest.pop(0), str(error))

    def _refuse(self, line: Line, reason: str) -> None:
        self.counts.refused += 1
        if len(self.counts.refusals) < REFUSALS_MAX:
            self.counts.refusals.append(f"line {line.number}: {reason}")

    def _when_there_is_room(self, work: Callable[[], object]) -> object:
        """Do something as soon as there is room for it: the device has to wait so long."""
        while True:
            try:
                done = work()
            except SpoolFullError as error:
                if not self._is_full:
                    self._report(f"{error}; waiting for room")
                    self._is_full = True
                if self._stop.wait(_FULL_PAUSE_S):
                    raise SpoolFullError(
                        f"{error}; stopped before there was room: the last lines were not taken, "
                        "give them again"
                    ) from None
                self._raise_failure()
            else:
                self._is_full = False
                return done

    @property
    def waiting_count(self) -> int:
        """How many events were taken and not acknowledged yet."""
        return sum(self.waiting().values())

    @property
    def unwritten_count(self) -> int:
        """How many events were taken and end with this process: the disk had no room for them."""
        count = sum(source.spool.unwritten_count for source in list(self._sources.values()))
        return count + (self._relay.unwritten_count if self._relay is not None else 0)

    def waiting(self) -> dict[str, int]:
        """Say how many events wait in each spool; finished events have one together."""
        waiting = {source: kept.spool.waiting_count for source, kept in list(self._sources.items())}
        if self._relay is not None:
            waiting[RELAY] = self._relay.waiting_count
        return waiting

    def failures(self) -> dict[str, str]:
        """Say of each spool that cannot be sent from why."""
        states = {source: kept.publisher.state for source, kept in list(self._sources.items())}
        failures = {source: state.failure for source, state in states.items()}
        if self._relay is not None:
            failures[RELAY] = self._relay.failure
        return {source: failure for source, failure in failures.items() if failure}

    def readings(self) -> list[Reading]:
        """Give the numbers of a publisher, for those who watch it."""
        failing = dict.fromkeys(self.failures(), 1.0)
        return [
            Reading(
                "ladderman_spool_waiting_events",
                "Events that were taken and not acknowledged yet",
                {source: float(count) for source, count in self.waiting().items()},
                "source",
            ),
            Reading(
                "ladderman_spool_failing",
                "1 for a spool that cannot be sent from",
                {source: failing.get(source, 0.0) for source in self.waiting()},
                "source",
            ),
            Reading(
                "ladderman_lines_refused",
                "Lines that make no event",
                {"": self.counts.refused},
                is_counter=True,
            ),
            Reading(
                "ladderman_lines_no_event",
                "Lines that are no event and went into the log as they are",
                {"": self.counts.no_events},
                is_counter=True,
            ),
        ]

    def health(self) -> Health:
        """Say whether events get through."""
        problems = tuple(f"{source}: {failure}" for source, failure in self.failures().items())
        if self._failure is not None:
            problems = (f"a spool is not sent from any more: {self._failure}", *problems)
        return Health(not problems, problems)

    def drain(self, patience_s: float) -> bool:
        """Wait until everything that was taken is acknowledged.

        Args:
            patience_s: Given up after so long without any acknowledgement, and after
                :data:`STOP_WITHIN_S` once somebody wants the end.

        Returns:
            Whether it is.
        """
        waiting, moved_at_s = self.waiting_count, self._clock.monotonic_s()
        asked_at_s: float | None = None
        while waiting:
            time.sleep(_DRAIN_PAUSE_S)
            self._raise_failure()
            now_waiting, now_s = self.waiting_count, self._clock.monotonic_s()
            if self._stop.is_set():
                asked_at_s = now_s if asked_at_s is None else asked_at_s
                if now_waiting and now_s - asked_at_s > STOP_WITHIN_S:
                    return False
            if now_waiting < waiting:
                moved_at_s = now_s
            elif now_s - moved_at_s > patience_s:
                return False
            waiting = now_waiting
        return True

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Stop sending and let go of the spools; what was not acknowledged stays in them."""
        for source in list(self._sources.values()):
            source.publisher.stop()
        if self._relay is not None:
            self._relay.stop()
        ends_at_s = self._clock.monotonic_s() + _STOP_LIMIT_S
        for thread in self._threads:
            thread.join(max(0.0, ends_at_s - self._clock.monotonic_s()))
        self._is_closed = True
        for source in list(self._sources.values()):
            source.spool.close()
        if self._relay is not None:
            self._relay.close()
