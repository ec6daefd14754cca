"""Reads a file of events line by line and says of each what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from schemas.events import Envelope
from schemas.events.union import AnyEvent, version_of
from schemas.wire import EventTooLargeError, encode_event, parse_event
from schemas.wire.errors import RejectReason, UnreadableEventError
from schemas.wire.old_versions import OLD_VERSIONS
from streams.conformance.naming import WagerNames
from streams.conformance.numbering import Arrived, FeedOrder, chain_problem
from streams.conformance.problems import Level, Problem, Rule, Said
from streams.conformance.sources import SourceTold
from streams.conformance.summary import ConformanceSummary, FeedSummary
from streams.files.event_files import DamagedLine

_EPOCH_US: Final = 1_000_000
_AFTER_REFUSAL: Final = "mend the device, then send what the event should have said as a new event"
_ADVICE: Final = {
    RejectReason.NOT_JSON: "write one whole JSON object on one line",
    RejectReason.NOT_AN_OBJECT: "write one JSON object an event",
    RejectReason.TOO_DEEP: "write the event as feed.md has it",
    RejectReason.TOO_LARGE: "split it or shorten its lists",
}
_OLD_TYPES: Final = frozenset(tag for tag, _ in OLD_VERSIONS)


class ConformanceCheck:
    """One check of one file."""

    def __init__(self) -> None:
        self.summary = ConformanceSummary()
        self._names = WagerNames()
        self._sources: dict[str, SourceTold] = {}
        self._said_once: set[tuple[str, str]] = set()

    def line(self, line: int, raw: bytes) -> Iterator[Problem]:
        """Judge one line, and those before it that had waited for it.

        Args:
            line: Its number in the file.
            raw: Its bytes, without the line end.
        """
        self.summary.lines += 1
        event: AnyEvent | None = None
        try:
            event = parse_event(raw)
        except UnreadableEventError as error:
            yield from self._unreadable(line, error)
            if error.envelope is None:
                return
            envelope, tag = error.envelope, error.event_type
        else:
            self.summary.types[event.type] += 1
            envelope, tag = event.envelope, event.type
        arrived = Arrived(line, raw, envelope, _microseconds(envelope), event, tag)
        if event is not None:
            yield from self._form(arrived, event)
        yield from self._ordered(arrived)

    def damaged(self, damage: DamagedLine) -> Iterator[Problem]:
        """Take note of a line that cannot be an event."""
        self.summary.lines += 1
        problem, _, advice = damage.message.partition("; ")
        self.summary.errors[damage.reason] += 1
        yield Problem(damage.line, damage.reason, Level.ERROR, problem, advice)

    def finish(self) -> Iterator[Problem]:
        """Judge what still waits and what is still open, and complete the summary."""
        feeds = []
        for source_id, source in self._sources.items():
            for feed_id, order in source.feeds.items():
                yield from self._ready(source, order, is_end=True)
                last = order.last
                feeds.append(
                    FeedSummary(
                        source_id,
                        feed_id,
                        source.kind,
                        order.event_count,
                        order.first_sequence or 0,
                        order.last_sequence,
                        order.missing_count,
                    )
                )
                if last is not None and feed_id == source.current:
                    for said in source.finish():
                        yield from self._say(last, said)
            self.summary.is_simulated |= source.is_simulated
        self.summary.feeds = tuple(feeds)

    def _unreadable(self, line: int, error: UnreadableEventError) -> Iterator[Problem]:
        envelope = error.envelope
        for problem_text in error.problems:
            problem, _, advice = problem_text.partition("; ")
            self.summary.errors[error.reason.value] += 1
            yield Problem(
                line,
                error.reason.value,
                Level.ERROR,
                problem,
                advice or _ADVICE.get(error.reason, _AFTER_REFUSAL),
                envelope.source_id if envelope else None,
                envelope.feed_id if envelope else None,
                envelope.sequence if envelope else None,
                error.event_type,
            )

    def _form(self, arrived: Arrived, event: AnyEvent) -> Iterator[Problem]:
        """Say what is allowed, and still not as the vectors have it."""
        current = version_of(type(event))
        if event.type in _OLD_TYPES and b'"schema_version":%d' % current not in _bare(arrived.raw):
            yield from self._say(
                arrived,
                Said(
                    Rule.VERSION,
                    f"{event.type} is of an old version, which is read and no longer to be sent",
                    f"send version {current}",
                ),
            )
            return
        try:
            is_canonical = encode_event(event) == arrived.raw
        except EventTooLargeError:
            is_canonical = False
        if not is_canonical:
            yield from self._say(
                arrived,
                Said(
                    Rule.FORM,
                    "the bytes are not the canonical ones (order of fields, spaces, null, escapes, "
                    "defaults left out)",
                    "nothing has to be mended; ladderman schema vectors shows the canonical form",
                    Level.HINT,
                    once="form",
                ),
            )

    def _ordered(self, arrived: Arrived) -> Iterator[Problem]:
        envelope = arrived.envelope
        source = self._sources.get(envelope.source_id)
        if source is None:
            source = self._sources[envelope.source_id] = SourceTold(self._names)
        order = source.feeds.get(envelope.feed_id)
        if order is None:
            order = source.feeds[envelope.feed_id] = FeedOrder(is_first=not source.feeds)
        said = order.place(arrived)
        if said is not None:
            yield from self._say(arrived, said)
        yield from self._ready(source, order, is_end=False)

    def _ready(self, source: SourceTold, order: FeedOrder, *, is_end: bool) -> Iterator[Problem]:
        for arrived, gap in order.ready(is_end=is_end):
            if gap is not None:
                source.lose()
                yield from self._say(arrived, gap)
            link = chain_problem(order, arrived)
            if link is not None:
                yield from self._say(arrived, link)
            for said in source.take(arrived, order):
                yield from self._say(arrived, said)

    def _say(self, arrived: Arrived, said: Said) -> Iterator[Problem]:
        counts = self.summary.errors if said.level is Level.ERROR else self.summary.hints
        counts[said.rule.value] += 1
        envelope = arrived.envelope
        if said.once:
            key = (f"{envelope.source_id}/{envelope.feed_id}", said.once)
            if key in self._said_once:
                return
            self._said_once.add(key)
        yield Problem(
            arrived.line,
            said.rule.value,
            said.level,
            said.problem,
            said.advice,
            envelope.source_id,
            envelope.feed_id,
            envelope.sequence,
            arrived.tag,
        )


def _bare(raw: bytes) -> bytes:
    return raw.replace(b" ", b"")


def _microseconds(envelope: Envelope) -> int:
    at = envelope.occurred_at
    return int(at.timestamp()) * _EPOCH_US + at.microsecond
