"""Checks that a table day is reported whole: opening, shoes, devices, and closing with counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from auditors.settlement.terms import gaming_date_of
from schemas import events
from schemas.events import Capability as Can
from schemas.events.union import AnyEvent
from schemas.rules_submission import RulesSubmission
from schemas.words.counting import counted
from streams.conformance.coups import CoupsTold
from streams.conformance.naming import IdRegister, WagerNames, seat_problem, submission_problems
from streams.conformance.problems import Level, Rule, Said
from streams.conformance.promises import Reports, opening_problems, promise_problems


class TableTold:
    """One table as far as it was told."""

    def __init__(self, names: WagerNames) -> None:
        """Begin with a table of which nothing was heard.

        Args:
            names: Names of wagers, shared by all tables.
        """
        self._names = names
        self._ids = IdRegister()
        self._coups = CoupsTold(self._ids)
        self.is_open = False
        self._was_opened = False
        self._is_sure = True
        """Nothing is missing since the opening."""
        self._shoe_is_sure = True
        self._opened_at = ("", 0)
        """Feed and sequence of the opening."""
        self._submission: RulesSubmission | None = None
        self._reports: Reports = frozenset()
        self._seats: tuple[str, ...] = ()
        self._cameras: frozenset[str] = frozenset()
        self._shoe: str | None = None
        self._is_burned = self._has_cover_card = self._is_shown = False
        self._dealer: str | None = None
        self._card_ids: set[str] = set()
        """Ids of cards dealt from the shoe."""
        self._open_removals: set[str] = set()
        self._open_faults: set[str] = set()

    def lose(self) -> None:
        """Take note that events are missing here."""
        self._is_sure = self._shoe_is_sure = False
        self._card_ids.clear()
        self._coups.lose()

    def take(self, event: AnyEvent, line: int) -> Iterator[Said]:
        """Judge the next event of the table."""
        if not (self.is_open or event.may_come_while_closed) and self._is_sure:
            state = "is closed" if self._was_opened else "was not opened"
            yield Said(
                Rule.TABLE,
                f"{event.type} is sent while the table {state}",
                "send table_opened before anything that happens at the table",
                once="" if self._was_opened else "not opened",
            )
        check = _CHECKS.get(event.type)
        if check is not None:
            yield from check(self, event)
        if isinstance(event, events.CoupEvent):
            yield from self._of_coup(event, line)
        elif isinstance(event, events.ShoeEvent):
            yield from self._of_shoe(event)
        if self._was_opened:
            yield from promise_problems(event, self._reports)

    def finish(self) -> Iterator[Said]:
        """Judge what is still open when the file ends."""
        if self.is_open:
            yield Said(
                Rule.TABLE,
                "the file ends while the table is open",
                "nothing, if the day goes on; a day ends with table_closed and its counts",
                Level.HINT,
            )

    def _open(self, event: events.TableOpened) -> Iterator[Said]:
        if self.is_open:
            yield Said(
                Rule.TABLE,
                "table_opened is sent while the table is open",
                "send table_closed with its counts before the table opens again",
            )
        yield from opening_problems(event)
        yield from _date_problem(event)
        yield from submission_problems(event.submission)
        self.is_open = self._was_opened = self._is_sure = True
        self._opened_at = (event.feed_id, event.sequence)
        self._submission = event.submission
        self._reports = frozenset(event.reports)
        self._seats = event.seats
        self._cameras = frozenset(camera.camera_id for camera in event.cameras)
        self._coups.begun = 0
        self._is_shown = False

    def _close(self, event: events.TableClosed) -> Iterator[Said]:
        yield from self._still_open("table_closed")
        if self._is_sure and self._was_opened:
            feed_id, opened_sequence = self._opened_at
            first = opened_sequence if event.feed_id == feed_id else 1
            came = event.sequence - first + 1
            if event.event_count != came:
                yield Said(
                    Rule.TABLE,
                    f"event_count is {event.event_count}, and {counted(came, 'event')} came",
                    "count from table_opened, or from feed_started where the feed is newer, to "
                    "table_closed, both included",
                )
            coups = self._coups.begun
            if event.coup_count != coups:
                yield Said(
                    Rule.TABLE,
                    f"coup_count is {event.coup_count}, and {counted(coups, 'coup')} came",
                    "count every coup since table_opened of which an event was sent",
                )
        if self._shoe is not None and self._shoe_is_sure:
            yield Said(
                Rule.SHOE,
                f"shoe {self._shoe} was not ended when the table closed",
                "send shoe_ended, if no coup is dealt from it any more",
                Level.HINT,
                once="shoe at close",
            )
        self.is_open = False

    def _still_open(self, what: str) -> Iterator[Said]:
        for coup_id in self._coups.open_ids if self._shoe_is_sure else ():
            yield Said(
                Rule.COUP,
                f"coup {coup_id} was not closed before {what}",
                "send coup_closed when every wager is settled",
            )
        self._coups.give_up_open()

    def _change_rules(self, event: events.RulesSubmissionChanged) -> Iterator[Said]:
        self._submission = event.submission
        yield from submission_problems(event.submission)

    def _show(self, event: events.PaytablesDisplayed) -> Iterator[Said]:
        self._is_shown = True
        for shown in event.displays:
            name = shown.wager
            if self._submission is None:
                return
            found = self._names.check(name, self._submission)
            if found and "@" not in name:
                # A paytable is shown for both hands at once.
                found = self._names.check(f"{name}@player", self._submission) and found
            yield from found

    def _dealer_on(self, event: events.DealerOn) -> Iterator[Said]:
        if self._dealer is not None and self._is_sure:
            yield Said(
                Rule.TABLE,
                f"dealer_on is sent while dealer {self._dealer} is on",
                "send dealer_off when a dealer leaves",
            )
        self._dealer = event.dealer

    def _dealer_off(self, event: events.DealerOff) -> Iterator[Said]:
        if event.dealer != self._dealer and self._is_sure:
            yield Said(
                Rule.TABLE,
                f"dealer_off names {event.dealer}, and {self._dealer or 'nobody'} is on",
                "send dealer_on when a dealer takes the table",
            )
        self._dealer = None

    def _load(self, event: events.ShoeLoaded) -> Iterator[Said]:
        yield from self._ids.take("shoe", event.shoe_id)
        yield from self._still_open("shoe_loaded")
        if self._shoe is not None and self._shoe_is_sure:
            yield Said(
                Rule.SHOE,
                f"shoe {event.shoe_id} is loaded, and shoe {self._shoe} was not ended",
                "send shoe_ended when no further coup is dealt from a shoe",
            )
        self._shoe, self._shoe_is_sure = event.shoe_id, True
        self._is_burned = self._has_cover_card = False
        self._card_ids.clear()
        self._coups.next_shoe()

    def _end(self, event: events.ShoeEnded) -> Iterator[Said]:
        yield from self._still_open("shoe_ended")
        if not self._shoe_is_sure:
            pass
        elif event.shoe_id != self._shoe:
            yield self._other_shoe(event.shoe_id)
        else:
            begun = self._coups.begun_in_shoe
            if event.coup_count != begun:
                yield Said(
                    Rule.SHOE,
                    f"coup_count is {event.coup_count}, and {counted(begun, 'coup')} of the shoe "
                    "came",
                    "count every coup dealt from the shoe, voided ones too",
                )
            no_card = Can.COVER_CARD in self._reports and not self._has_cover_card
            if event.reason == "cover_card" and no_card:
                yield Said(
                    Rule.REPORTS,
                    "the shoe ended at its cover card, and no cover_card_drawn was sent",
                    "send cover_card_drawn when the card comes out, or leave cover_card out of "
                    "reports",
                )
        self._shoe = None

    def _other_shoe(self, shoe_id: str) -> Said:
        if self._shoe is None:
            return Said(
                Rule.SHOE,
                f"shoe {shoe_id} is named, and no shoe is loaded",
                "send shoe_loaded before anything that happens with a shoe",
            )
        return Said(
            Rule.SHOE,
            f"shoe {shoe_id} is named, and shoe {self._shoe} is in play",
            "name the shoe in play; send shoe_ended and shoe_loaded when it changes",
        )

    def _of_shoe(self, event: events.ShoeEvent) -> Iterator[Said]:
        if event.shoe_id != self._shoe and self._shoe_is_sure:
            yield self._other_shoe(event.shoe_id)
        is_idle = event.coup_id is not None and event.coup_id not in self._coups.open_ids
        if is_idle and self._shoe_is_sure:
            yield Said(
                Rule.REFERENCE,
                f"coup {event.coup_id} is not in progress",
                "name coup_id only while that coup is being dealt; leave it out between coups",
            )
        if isinstance(event, events.CardsBurned):
            self._is_burned |= event.occasion == "opening"
        elif isinstance(event, events.CoverCardDrawn):
            self._has_cover_card = True
        elif isinstance(event, events.CardRemoved):
            yield from self._ids.take("removal", event.removal_id)
            self._open_removals.add(event.removal_id)
        elif isinstance(event, events.CardReplaced):
            yield from self._made_good(event)

    def _made_good(self, event: events.CardReplaced) -> Iterator[Said]:
        if event.removal_id not in self._open_removals and self._shoe_is_sure:
            yield Said(
                Rule.REFERENCE,
                f"removal {event.removal_id} is not known, or was made good before",
                "name the removal_id of the card_removed that it makes good",
            )
        self._open_removals.discard(event.removal_id)
        self._card_ids.discard(event.card_id or "")

    def _of_coup(self, event: events.CoupEvent, line: int) -> Iterator[Said]:
        coup, said = self._coups.find(event, line)
        yield from said
        if self._submission is not None:
            name = getattr(event, "wager", None)
            if name is not None:
                yield from self._names.check(name, self._submission)
        if isinstance(event, events.WagerPlaced | events.SeatSettled):
            yield from seat_problem(event.seat, self._seats)
        if isinstance(event, events.CardDealt):
            yield from self._first_cards(event)
            yield from self._card_id(event)
        named = event.shoe_id
        is_late = event.type == "payout_corrected"
        if named not in (None, self._shoe) and self._shoe_is_sure and not is_late:
            yield self._other_shoe(named)
        if coup is not None:
            yield from self._coups.check(coup, event, self._reports)

    def _first_cards(self, event: events.CardDealt) -> Iterator[Said]:
        """Judge what has to come before cards are dealt."""
        if not self._shoe_is_sure:
            return
        if self._shoe is None:
            if event.shoe_id is None:
                yield Said(
                    Rule.SHOE,
                    "a card is dealt, and no shoe is loaded",
                    "send shoe_loaded when a shuffled shoe is in place, before its burn",
                )
            return
        for word, is_there, what in (
            (Can.BURN, self._is_burned, "cards_burned"),
            (Can.DISPLAYS, self._is_shown or not self._is_sure, "paytables_displayed"),
            (Can.DEALERS, self._dealer is not None or not self._is_sure, "dealer_on"),
        ):
            if word in self._reports and not is_there:
                yield Said(
                    Rule.REPORTS,
                    f"a card is dealt, no {what} was sent, and reports names {word.value}",
                    f"send {what} before the deal, or leave {word.value} out of reports",
                    once=f"before the deal of {self._shoe}: {what}",
                )

    def _card_id(self, event: events.CardDealt) -> Iterator[Said]:
        """Look for a card that was dealt before, unless it had been drawn in error."""
        card_id = event.card_id
        if card_id is None or event.error_id is not None or Can.CARD_IDS not in self._reports:
            return
        if card_id in self._card_ids:
            yield Said(
                Rule.ID,
                f"card id {card_id} was dealt before from the shoe",
                "leave card_ids out of reports where several cards bear one id; name error_id "
                "where the card was drawn in error; if one card really came twice, this is a "
                "finding",
                Level.HINT,
                once=f"card ids of {self._shoe}",
            )
        self._card_ids.add(card_id)

    def _raise_fault(self, event: events.DeviceFaultRaised) -> Iterator[Said]:
        yield from self._ids.take("fault", event.fault_id)
        self._open_faults.add(event.fault_id)

    def _clear_fault(self, event: events.DeviceFaultCleared) -> Iterator[Said]:
        if event.fault_id not in self._open_faults and self._is_sure:
            yield Said(
                Rule.REFERENCE,
                f"fault {event.fault_id} is not raised",
                "name the fault_id of the device_fault_raised that is over",
            )
        self._open_faults.discard(event.fault_id)

    def _collect(self, event: events.VigorishCollected) -> Iterator[Said]:
        yield from self._ids.take("collection", event.collection_id)
        if not self._ids.is_known("shoe", event.shoe_id) and self._is_sure:
            yield Said(
                Rule.REFERENCE,
                f"shoe {event.shoe_id} was never loaded",
                "name the shoe in which the vigorish had been marked",
            )

    def _show_video(self, event: events.VideoReference) -> Iterator[Said]:
        if event.camera_id not in self._cameras and self._was_opened:
            yield Said(
                Rule.REFERENCE,
                f"camera {event.camera_id} is not among the cameras of table_opened",
                "name there every camera that looks at the table",
                Level.HINT,
                once=f"camera {event.camera_id}",
            )
        coup_id = event.coup_id
        if coup_id is not None and not self._ids.is_known("coup", coup_id) and self._is_sure:
            yield Said(
                Rule.REFERENCE,
                f"coup {coup_id} is not known",
                "name the coup_id of the coup that the recording shows, once it has begun",
            )
        if event.recorded_until > event.occurred_at:
            yield Said(
                Rule.CLOCK,
                "recorded_until lies behind occurred_at",
                "send video_reference when the recording is there; both times are by one clock",
                Level.HINT,
            )

    def _vacate(self, event: events.SeatVacated) -> Iterator[Said]:
        return seat_problem(event.seat, self._seats)

    def _fill(self, event: events.ChipsFilled) -> Iterator[Said]:
        return self._ids.take("fill", event.fill_id)

    def _credit(self, event: events.ChipsCredited) -> Iterator[Said]:
        return self._ids.take("credit", event.credit_id)

    def _count(self, event: events.InventoryCounted | events.DropCounted) -> Iterator[Said]:
        corrected = event.corrects_count_id
        if corrected is not None:
            if not self._ids.is_known("count", corrected) and self._is_sure:
                yield Said(
                    Rule.REFERENCE,
                    f"count {corrected} is not known",
                    "name the count_id of the count that this one replaces",
                )
            if not (event.reason and event.authorised_by):
                yield Said(
                    Rule.TABLE,
                    f"the correction of count {corrected} names no reason or no authoriser",
                    "send both; without them the correction is a finding",
                )
        yield from self._ids.take("count", event.count_id)


def _date_problem(event: events.TableOpened) -> Iterator[Said]:
    filed = event.submission
    day = gaming_date_of(event.occurred_at, ZoneInfo(filed.time_zone), filed.gaming_day_start)
    if event.gaming_date != day:
        yield Said(
            Rule.CLOCK,
            f"gaming_date is {event.gaming_date}, and occurred_at lies in that of {day} at the "
            f"property ({filed.time_zone}, from {filed.gaming_day_start:%H:%M})",
            "check that occurred_at is UTC and not the local time with a Z behind it",
            Level.HINT,
        )


_CHECKS: Final[Mapping[str, Callable[..., Iterator[Said]]]] = MappingProxyType(
    {
        "table_opened": TableTold._open,
        "table_closed": TableTold._close,
        "rules_submission_changed": TableTold._change_rules,
        "paytables_displayed": TableTold._show,
        "dealer_on": TableTold._dealer_on,
        "dealer_off": TableTold._dealer_off,
        "shoe_loaded": TableTold._load,
        "shoe_ended": TableTold._end,
        "device_fault_raised": TableTold._raise_fault,
        "device_fault_cleared": TableTold._clear_fault,
        "video_reference": TableTold._show_video,
        "vigorish_collected": TableTold._collect,
        "seat_vacated": TableTold._vacate,
        "chips_filled": TableTold._fill,
        "chips_credited": TableTold._credit,
        "inventory_counted": TableTold._count,
        "drop_counted": TableTold._count,
    }
)
