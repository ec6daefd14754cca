"""A source that sends drafts of events: its spool numbers them and knows them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import orjson

from schemas.events import FeedStarted, Heartbeat
from schemas.wire import encode_event, parse_event
from streams.process.clock import Clock
from streams.publishing.earlier_run import EarlierRun, load_run, save_run
from streams.publishing.publisher import Publisher, Sender
from streams.spool.event_spool import EventSpool

ALLOCATED: Final = ("feed_id", "sequence", "previous_hash")
"""What the spool gives and a draft must not have."""

_READ_COUNT: Final = 500


class ChangedLinesError(Exception):
    """Lines that were published before come again, and one among them is another."""


class DraftSource:
    """One source that speaks through drafts: its spool, its publisher and the run before."""

    def __init__(
        self, spool: EventSpool, sender: Sender, clock: Clock, report: Callable[[str], None]
    ) -> None:
        """Go on with what stands in a spool.

        Args:
            spool: The spool of the source.
            sender: Brings its events into the log.
            clock: The clock of this machine.
            report: Told what people should know, one line.
        """
        self.spool = spool
        self.publisher = Publisher(spool, sender, clock, report)
        self._earlier: EarlierRun | None = EarlierRun(self._last_run(), _is_added)

    def _last_run(self) -> Iterator[bytes]:
        first = load_run(self.spool.directory, self.spool.feed_id)
        end = self.spool.durable_sequence
        if first is None or first < self.spool.first_sequence:
            return
        while first <= end:
            batch = self.spool.read(first, min(_READ_COUNT, end - first + 1))
            for event in batch:
                yield event.raw
            first = batch[-1].sequence + 1

    def knows(self, draft: bytes) -> bool:
        """Tell whether the run before took this draft.

        Raises:
            ChangedLinesError: It took another one in its place.
        """
        if self._earlier is None:
            return False
        if self._earlier.knows(lambda earlier: _is_made_of(earlier, draft)):
            return True
        if self._earlier.differs and self._earlier.matched_count:
            raise ChangedLinesError(
                f"the first {self._earlier.matched_count} events of {self.spool.source.source_id} "
                "were published before and the next is another one than then; "
                "give what is new in a file of its own"
            )
        if not self._earlier.matched_count:
            save_run(self.spool.directory, self.spool.feed_id, self.spool.next_sequence)
        self._earlier = None
        return False


def _is_added(raw: bytes) -> bool:
    return isinstance(parse_event(raw), FeedStarted | Heartbeat)


def _is_made_of(earlier: bytes, draft: bytes) -> bool:
    """Tell whether an event is a draft with its number given.

    Raises:
        UnreadableEventError: The draft makes no event, so no run took it.
    """
    given = orjson.loads(earlier)
    document = {**orjson.loads(draft), **{name: given[name] for name in ALLOCATED}}
    document["source_id"] = given["source_id"]
    return encode_event(parse_event(orjson.dumps(document))) == earlier
