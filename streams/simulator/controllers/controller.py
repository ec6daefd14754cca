"""The simulated controller of the progressives: it counts what the tables accept.

It asks the seat devices a few times a second, so it hears of several wagers at once and a little
after the table; what it hears it takes in the order of true time.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Final, NamedTuple

from schemas.events import (
    FeedStarted,
    Heartbeat,
    ProgressiveLinkLost,
    ProgressiveLinkRestored,
    ProgressiveTableJoined,
    ProgressiveTableLeft,
)
from schemas.rules_submission import RulesSubmission
from streams.simulator.controllers.acts import (
    APPROVER,
    change_parameters,
    count_chips,
    count_wager,
    declare_hit,
    lock_out,
    open_hit,
    pay,
    void,
)
from streams.simulator.controllers.ends import end_meters
from streams.simulator.controllers.meters import MeterState, TableCount
from streams.simulator.controllers.notes import Tampered
from streams.simulator.feed import SECOND, Draft, FeedWriter, Message, Note
from streams.simulator.progressive_filings import (
    cuts_display,
    leaves_when_closed,
    reports_wagers,
)
from streams.simulator.tables.notes import (
    Accepted,
    CardsWon,
    Closed,
    LockedOut,
    Opened,
    SharePaid,
    Voided,
)

CONTROLLER: Final = "PRG-01"
"""The source that all progressives of a floor speak through."""

READING_US: Final = 60 * SECOND
"""Meters are read so often."""

SIGN_EVERY: Final = 10
"""With every so many readings the signs of the linked tables are read as well."""

POLL_US: Final = 400_000
"""The seat devices are asked so often."""

LATENCY_US: Final = 150_000
"""What happened so shortly before they are asked is heard the next time."""

AFTER_CLOSE_US: Final = 150 * SECOND
"""The controller goes on so long after the last table."""

_NEVER_US: Final = 1 << 62
_CHIPS_US: Final = 2 * SECOND
_HOUR_US: Final = 3600 * SECOND
_RESTART_US: Final = (2 * SECOND, 18 * SECOND, 24 * SECOND)
"""A restart begins so long after a reading, and takes between so and so long."""

_LOSS_US: Final = (40 * SECOND, 170 * SECOND)


class _Heard(NamedTuple):
    """A note on its way, in the order of true time."""

    due_us: int
    true_us: int
    number: int
    note: Note | _Chips | None
    table_id: str
    submission: RulesSubmission


@dataclass(frozen=True, slots=True)
class _Chips:
    """The chips of a coup are counted."""

    locked: LockedOut


@dataclass(slots=True)
class _Lost:
    """A table that the controller cannot reach."""

    until_us: int
    held: list[_Heard] = field(default_factory=list)


class Controller:
    """Listens to the tables and speaks for itself, in the order of time."""

    def __init__(self, seed: int, start_us: int, linked: Mapping[str, RulesSubmission]) -> None:
        """Prepare the controller's feed.

        Args:
            seed: Seed of the floor.
            start_us: When the floor begins.
            linked: Table to what is filed for it; only those with a progressive matter.
        """
        self.writer = FeedWriter(CONTROLLER, Random(f"{seed}/{CONTROLLER}"), start_us)
        self._rng = Random(f"{seed}/{CONTROLLER}/links")
        self._start_us = start_us
        self._linked = {
            name: submission for name, submission in linked.items() if submission.progressives
        }
        self.meters: dict[str, MeterState] = {}
        self._heard: list[_Heard] = []
        self._count = self._ids = self._readings = 0
        self._next_reading_us = start_us + READING_US
        self._now_us = start_us
        self._paused_until_us = 0
        self._lost: dict[str, _Lost] = {}
        self._next_restart_us = start_us + self._between(3, 6)
        self._next_loss_us = start_us + self._between(1, 3)

    @property
    def is_needed(self) -> bool:
        """Whether any table of the floor has a progressive."""
        return bool(self._linked)

    def next_id(self, kind: str) -> str:
        """Make an id that is used once at this controller."""
        self._ids += 1
        return f"{kind}{self._ids}"

    def award(self, table_id: str, coup_id: str) -> Fraction | None:
        """Give the jackpot that a coup wins, now that its cards are known; None for none."""
        for meter in self.meters.values():
            hit = open_hit(meter, table_id, coup_id)
            if hit is not None:
                meter.take(hit)
                return meter.shown(hit.amount)
        return None

    def begin(self) -> list[Message]:
        """Begin to speak: the tables that are linked, and the meters as they stand."""
        started: dict[str, object] = {
            "source_kind": "progressive_controller",
            "software": "Ladderman simulator",
            "simulated": True,
        }
        drafts = [Draft(FeedStarted, self._start_us, started)]
        for source_id, submission in self._linked.items():
            for filed in submission.progressives:
                if not leaves_when_closed(filed.id, source_id):
                    drafts += self._join(source_id, submission, self._start_us)
        drafts += [meter.reading(self._start_us) for meter in self.meters.values()]
        return self.writer.write(drafts)

    def hear(
        self, note: Note | None, at_us: int, table_id: str, submission: RulesSubmission
    ) -> list[Message]:
        """Take in what happened at a table.

        Args:
            note: What happened.
            at_us: When, by true time.
            table_id: Where.
            submission: What is filed for the table then.

        Returns:
            What the controller says at once.
        """
        messages: list[Message] = []
        if isinstance(note, LockedOut) and note.wins:
            # Nothing is lost and nothing starts anew while a jackpot is won.
            messages += self._resume(self._now_us)
            messages += self._restore(list(self._lost), self._now_us)
        self._put(note, at_us, table_id, submission)
        return messages

    def _put(
        self, note: Note | _Chips | None, at_us: int, table_id: str, submission: RulesSubmission
    ) -> None:
        self._count += 1
        due = -(-(at_us + LATENCY_US) // POLL_US) * POLL_US
        heapq.heappush(self._heard, _Heard(due, at_us, self._count, note, table_id, submission))

    def until(self, at_us: int) -> list[Message]:
        """Say what is due up to a moment."""
        messages: list[Message] = []
        while (due := self._next_due_us()) <= at_us:
            if self._paused_until_us and due >= self._paused_until_us:
                messages += self._resume(self._paused_until_us)
            elif self._lost_due_us() <= due:
                gone = [table_id for table_id, lost in self._lost.items() if lost.until_us <= due]
                messages += self._restore(gone, due)
            elif self._heard_due_us() <= due:
                messages += self._polled(due)
            elif self._next_reading_us <= due:
                messages += self.writer.write(self._read(due))
                self._next_reading_us += READING_US
            elif self._next_restart_us <= due:
                self._pause(due)
            else:
                messages += self.writer.write(self._lose(due))
        self.writer.idle_until(at_us, messages)
        self._now_us = max(self._now_us, at_us)
        return messages

    def finish(self) -> list[Message]:
        """Go on for a while after the last table has closed."""
        end_us = self.writer.last_us + AFTER_CLOSE_US
        self._next_loss_us = self._next_restart_us = end_us + 2 * AFTER_CLOSE_US
        messages = self.until(end_us)
        if any(meter.ending for meter in self.meters.values()):
            messages += self.writer.write(end_meters(self, self.meters, self.writer.last_us))
            self.meters = {name: meter for name, meter in self.meters.items() if not meter.ending}
            messages += self.until(self.writer.last_us + AFTER_CLOSE_US)
        return messages

    def _between(self, least_hours: int, most_hours: int) -> int:
        return self._rng.randrange(least_hours * _HOUR_US, most_hours * _HOUR_US)

    def _next_due_us(self) -> int:
        due = min(
            self._next_reading_us,
            self._next_restart_us,
            self._next_loss_us,
            self._heard_due_us(),
            self._lost_due_us(),
        )
        return max(due, self._paused_until_us, self.writer.last_us)

    def _heard_due_us(self) -> int:
        return self._heard[0].due_us if self._heard else _NEVER_US

    def _lost_due_us(self) -> int:
        return min((lost.until_us for lost in self._lost.values()), default=_NEVER_US)

    def _polled(self, at_us: int) -> list[Message]:
        """Take in everything that the seat devices have for the controller now."""
        drafts: list[Draft] = []
        while self._heard and self._heard[0].due_us <= at_us:
            heard = heapq.heappop(self._heard)
            lost = self._lost.get(heard.table_id)
            if lost is not None:
                lost.held.append(heard)
            else:
                drafts += self._take(heard, at_us)
        return self.writer.write(drafts)

    def _take(self, heard: _Heard, at_us: int) -> Iterator[Draft]:
        note, table_id = heard.note, heard.table_id
        if isinstance(note, Tampered):
            meter = self.meters.get(note.progressive_id)
            if meter is not None:
                yield from note.act(self, meter, at_us)
            return
        if isinstance(note, Opened):
            yield from self._join(table_id, heard.submission, at_us)
            return
        filed = {progressive.id for progressive in heard.submission.progressives}
        for meter in self.meters.values():
            if table_id not in meter.tables or meter.progressive_id not in filed:
                continue
            yield from change_parameters(meter, heard.submission, table_id, at_us)
            yield from self._taken(meter, heard, at_us)

    def _taken(self, meter: MeterState, heard: _Heard, at_us: int) -> Iterable[Draft]:
        note, table_id = heard.note, heard.table_id
        if isinstance(note, Accepted):
            is_here = note.bet.offer.progressive_id == meter.progressive_id
            return count_wager(meter, note, table_id, at_us) if is_here else ()
        if isinstance(note, LockedOut):
            if meter.filed.chips_counted:
                self._put(_Chips(note), heard.true_us + _CHIPS_US, table_id, heard.submission)
            return lock_out(meter, note, table_id, at_us)
        if isinstance(note, _Chips):
            return (count_chips(meter, note.locked, table_id, at_us),)
        if isinstance(note, Voided):
            return void(self, meter, note, table_id, at_us)
        if isinstance(note, CardsWon):
            return declare_hit(self, meter, note, table_id, at_us)
        if isinstance(note, SharePaid):
            return pay(self, meter, note, table_id, at_us)
        if isinstance(note, Closed) and leaves_when_closed(meter.progressive_id, table_id):
            return self._leave(meter, table_id, at_us)
        return ()

    def _join(self, table_id: str, submission: RulesSubmission, at_us: int) -> Iterator[Draft]:
        for filed in submission.progressives:
            meter = self.meters.get(filed.id)
            if meter is None:
                meter = self.meters[filed.id] = MeterState(
                    filed.id,
                    filed,
                    submission.readings,
                    submission.currency,
                    reports_wagers=reports_wagers(filed.id),
                    cuts_display=cuts_display(filed.id),
                )
            if table_id in meter.tables:
                continue
            count = meter.left.pop(table_id, None) or TableCount(filed)
            count.rates = filed
            meter.tables[table_id] = count
            fields: dict[str, object] = {
                "progressive_id": meter.progressive_id,
                "table_id": table_id,
                "in_count": count.in_count,
                "coin_in_minor": count.coin_in_minor,
                "increment_rate": filed.increment_rate,
                "reserve_rate": filed.reserve_rate,
                "approved_by": APPROVER,
            }
            yield Draft(ProgressiveTableJoined, at_us, fields)

    def _leave(self, meter: MeterState, table_id: str, at_us: int) -> Iterator[Draft]:
        count = meter.left[table_id] = meter.tables.pop(table_id)
        fields: dict[str, object] = {
            "progressive_id": meter.progressive_id,
            "table_id": table_id,
            "in_count": count.in_count,
            "coin_in_minor": count.coin_in_minor,
            "approved_by": APPROVER,
        }
        yield Draft(ProgressiveTableLeft, at_us, fields)

    def _read(self, at_us: int) -> Iterator[Draft]:
        """Read the meters, and now and then the signs of the tables."""
        self._readings += 1
        for meter in self.meters.values():
            yield meter.reading(at_us)
            for name in sorted(meter.tables) if self._readings % SIGN_EVERY == 0 else ():
                if name not in self._lost:
                    yield meter.reading(at_us, sign=name)

    def _pause(self, at_us: int) -> None:
        """Start anew: nothing is said for a while; seat devices keep what they accept."""
        self._next_restart_us = at_us + self._between(3, 6)
        after_reading, least, most = _RESTART_US
        read_us = self._next_reading_us - READING_US
        if at_us > read_us + after_reading or self._lost or self.writer.is_silent:
            # Only right after a reading, so that the next one is not missed.
            self._next_restart_us = self._next_reading_us + after_reading
            return
        self.writer.is_silent = True
        self._paused_until_us = at_us + self._rng.randrange(least, most)

    def _resume(self, at_us: int) -> list[Message]:
        if not self.writer.is_silent:
            return []
        self._paused_until_us = 0
        messages = self.writer.write([Draft(Heartbeat, max(at_us, self.writer.last_us), {})])
        self.writer.is_silent = False
        return messages

    def _lose(self, at_us: int) -> Iterator[Draft]:
        """Lose contact with a table for a while."""
        self._next_loss_us = at_us + self._between(1, 4)
        linked = sorted({name for meter in self.meters.values() for name in meter.tables})
        is_won = any(meter.open_hits for meter in self.meters.values())
        if not linked or is_won or self.writer.is_silent:
            return
        table_id = self._rng.choice(linked)
        self._lost[table_id] = _Lost(at_us + self._rng.randrange(*_LOSS_US))
        for meter in self.meters.values():
            if table_id in meter.tables:
                said: dict[str, object] = {
                    "progressive_id": meter.progressive_id,
                    "table_id": table_id,
                }
                yield Draft(ProgressiveLinkLost, at_us, said)

    def _restore(self, tables: list[str], at_us: int) -> list[Message]:
        """Reach tables again, and count what they accepted in between."""
        drafts: list[Draft] = []
        for table_id in tables:
            held = self._lost.pop(table_id).held
            for meter in self.meters.values():
                if table_id not in meter.tables:
                    continue
                late = [
                    heard.note
                    for heard in held
                    if isinstance(heard.note, Accepted)
                    and heard.note.bet.offer.progressive_id == meter.progressive_id
                ]
                said: dict[str, object] = {
                    "progressive_id": meter.progressive_id,
                    "table_id": table_id,
                    "counted_late_count": len(late),
                }
                drafts.append(Draft(ProgressiveLinkRestored, at_us, said))
            for heard in held:
                drafts += self._take(heard, at_us)
        at_us = max(at_us, self.writer.last_us)
        return self.writer.write([_at(draft, at_us) for draft in drafts])


def _at(draft: Draft, at_us: int) -> Draft:
    draft.at_us = at_us
    return draft
