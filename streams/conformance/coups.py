"""Checks that a coup is reported whole and in order: begun, dealt, announced, settled, closed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from schemas import events
from schemas.events import Capability as Can
from streams.conformance.naming import IdRegister
from streams.conformance.problems import Rule, Said
from streams.conformance.promises import Reports

_CLOSED_KEPT: Final = 128
"""Closed coups that a correction may still name."""

_BEGINNERS: Final = frozenset({"wager_placed", "no_more_bets", "card_dealt", "coup_voided"})
"""Events with which a coup can begin."""

_AFTER_CLOSE: Final = frozenset({"payout_corrected", "card_read"})
"""Events of a coup that may come after coup_closed."""


@dataclass(slots=True)
class ToldWager:
    """A wager as far as it was told."""

    seat: str
    settlement: str | None = None
    is_withdrawn: bool = False
    is_refunded: bool = False


@dataclass(slots=True)
class ToldCoup:
    """A coup as far as it was told."""

    coup_id: str
    first_line: int
    shoe: int = 0
    """In the how-manieth shoe of the file it was begun."""
    is_sure: bool = True
    """No event of it can be missing."""
    wagers: dict[str, ToldWager] = field(default_factory=dict)
    settlements: set[str] = field(default_factory=set)
    seats_settled: set[str] = field(default_factory=set)
    places: set[tuple[str, int]] = field(default_factory=set)
    """Hand and position of the cards that lie there."""
    had_places: set[tuple[str, int]] = field(default_factory=set)
    """The same, with those that were taken back."""
    unread: set[tuple[str, int]] = field(default_factory=set)
    """Places of cards that could not be read."""
    called: bool = False
    counted: bool = False
    announced: bool = False
    voided: bool = False
    closed: bool = False


class CoupsTold:
    """The coups of a table: those in progress, and those closed lately."""

    def __init__(self, ids: IdRegister) -> None:
        """Begin with none.

        Args:
            ids: Ids that the source has used.
        """
        self._ids = ids
        self._open: dict[str, ToldCoup] = {}
        self._closed: OrderedDict[str, ToldCoup] = OrderedDict()
        self._next_is_sure = True
        self.begun = 0
        """Coups begun since the opening of the table."""
        self.begun_in_shoe = 0
        self._shoes = 0

    def next_shoe(self) -> None:
        """Take note that another shoe is in place."""
        self._shoes += 1
        self.begun_in_shoe = 0

    def lose(self) -> None:
        """Take note that events are missing here: what is known of open coups may be incomplete."""
        self._next_is_sure = False
        for coup in self._open.values():
            coup.is_sure = False

    @property
    def open_ids(self) -> tuple[str, ...]:
        """Coups that have begun and not ended."""
        return tuple(self._open)

    def give_up_open(self) -> None:
        """Count every open coup as closed, after it was said that it is not."""
        for coup in list(self._open.values()):
            self._close(coup)

    def find(self, event: events.CoupEvent, line: int) -> tuple[ToldCoup | None, list[Said]]:
        """Find the coup of an event, or begin it; None where the event belongs to none."""
        coup = self._open.get(event.coup_id)
        if coup is not None:
            return coup, []
        coup = self._closed.get(event.coup_id)
        # In another shoe it is another coup that was given the id of this one.
        is_another = coup is not None and coup.shoe != self._shoes and event.type in _BEGINNERS
        if coup is not None and not is_another:
            return (coup, []) if event.type in _AFTER_CLOSE else (None, [_was_closed(event)])
        if event.type not in _BEGINNERS:
            return None, [_cannot_begin(event)] if self._next_is_sure else []
        said = list(self._ids.take("coup", event.coup_id))
        coup = ToldCoup(event.coup_id, line, self._shoes, self._next_is_sure)
        self._next_is_sure = True
        self._open[event.coup_id] = coup
        self.begun += 1
        self.begun_in_shoe += 1
        return coup, said

    def check(self, coup: ToldCoup, event: events.CoupEvent, reports: Reports) -> Iterator[Said]:
        """Judge an event against what was told of its coup, and take it up."""
        if isinstance(event, events.WagerPlaced):
            yield from self._ids.take("wager", event.wager_id)
            coup.wagers[event.wager_id] = ToldWager(event.seat)
        elif isinstance(event, events.NoMoreBets):
            yield from _once(coup.called, event.type, coup)
            coup.called = True
        elif isinstance(event, events.CardDealt):
            yield from self._dealt(coup, event)
        elif isinstance(event, events.CardRead):
            yield from _read(coup, event)
        elif isinstance(event, events.CardDrawnInError):
            yield from self._drawn_in_error(coup, event)
        elif isinstance(event, events.CountsAnnounced):
            yield from _once(coup.counted, event.type, coup)
            coup.counted = True
        elif isinstance(event, events.ResultAnnounced):
            coup.announced = True
        elif isinstance(event, events.PayoutCorrected):
            yield from self._corrected(coup, event)
        elif isinstance(event, events.SeatSettled):
            yield from self._seat_settled(coup, event)
        elif isinstance(event, events.CoupVoided):
            yield from _void(coup, event)
        elif isinstance(event, events.CoupClosed):
            yield from _closing(coup, reports)
            self._close(coup)
        else:
            yield from self._of_wager(coup, event)

    def _close(self, coup: ToldCoup) -> None:
        coup.closed = True
        self._open.pop(coup.coup_id, None)
        self._closed[coup.coup_id] = coup
        if len(self._closed) > _CLOSED_KEPT:
            self._closed.popitem(last=False)

    def _dealt(self, coup: ToldCoup, event: events.CardDealt) -> Iterator[Said]:
        others = [other for other in self._open.values() if other is not coup and other.places]
        for other in others if not coup.places else ():
            if other.is_sure:
                yield Said(
                    Rule.COUP,
                    f"coup {coup.coup_id} is dealt, and coup {other.coup_id} (line "
                    f"{other.first_line}) was not closed",
                    "send coup_closed when every wager is settled",
                )
            self._close(other)
        place = (event.hand, event.position)
        before = (event.hand, event.position - 1)
        if event.position > 1 and before not in coup.had_places and coup.is_sure:
            yield Said(
                Rule.COUP,
                f"{event.hand} card {event.position} of coup {coup.coup_id} was dealt, and card "
                f"{event.position - 1} was not",
                "position is the place in the hand: 1, 2 or 3, counted for each hand by itself",
            )
        coup.had_places.add(place)
        if place in coup.places:
            yield Said(
                Rule.COUP,
                f"{event.hand} card {event.position} of coup {coup.coup_id} was dealt before",
                "position is the place in the hand; a card that is taken back needs "
                "card_drawn_in_error, one that is read later card_read",
            )
        coup.places.add(place)
        if event.card is None:
            coup.unread.add(place)
        error_id = event.error_id
        if error_id is not None and coup.is_sure and not self._ids.is_known("error", error_id):
            yield _unknown("error", error_id, "card_drawn_in_error")

    def _drawn_in_error(self, coup: ToldCoup, event: events.CardDrawnInError) -> Iterator[Said]:
        yield from self._ids.take("error", event.error_id)
        if event.position is None:
            return
        place = (event.hand, event.position)
        if place not in coup.places and coup.is_sure:
            yield Said(
                Rule.REFERENCE,
                f"{event.hand} card {event.position} of coup {coup.coup_id} was not dealt",
                "give position only where card_dealt had reported the card",
            )
        coup.places.discard(place)

    def _of_wager(self, coup: ToldCoup, event: events.CoupEvent) -> Iterator[Said]:
        wager_id = getattr(event, "wager_id", None)
        wager = coup.wagers.get(wager_id) if wager_id is not None else None
        if wager is None:
            if coup.is_sure and wager_id is not None:
                yield _unknown("wager", wager_id, f"wager_placed of coup {coup.coup_id}")
            if isinstance(event, events.WagerSettled):
                coup.settlements.add(event.settlement_id)
            return
        if isinstance(event, events.WagerWithdrawn):
            # After the call it changes nothing: the wager stands and is settled.
            wager.is_withdrawn = wager.is_withdrawn or not coup.called
        elif isinstance(event, events.WagerRefunded):
            yield from self._ids.take("refund", event.refund_id)
            wager.is_refunded = True
        elif isinstance(event, events.StakeCollected):
            yield from self._ids.take("collection", event.collection_id)
        elif isinstance(event, events.WagerSettled):
            yield from self._settled(coup, wager, event)

    def _settled(
        self, coup: ToldCoup, wager: ToldWager, event: events.WagerSettled
    ) -> Iterator[Said]:
        yield from self._ids.take("settlement", event.settlement_id)
        coup.settlements.add(event.settlement_id)
        if wager.is_withdrawn:
            yield Said(
                Rule.WAGER,
                f"wager {event.wager_id} was withdrawn",
                "leave out the settlement of a wager that was taken back in time",
            )
        if wager.settlement is not None and wager.settlement != event.settlement_id:
            yield Said(
                Rule.WAGER,
                f"wager {event.wager_id} was settled before, by {wager.settlement}",
                "put a settlement right with payout_corrected; never settle twice",
            )
        wager.settlement = wager.settlement or event.settlement_id

    def _seat_settled(self, coup: ToldCoup, event: events.SeatSettled) -> Iterator[Said]:
        yield from self._ids.take("settlement", event.settlement_id)
        coup.settlements.add(event.settlement_id)
        if event.seat in coup.seats_settled:
            yield Said(
                Rule.WAGER,
                f"seat {event.seat} was settled before in coup {coup.coup_id}",
                "send one sum a seat, and payout_corrected where it was wrong",
            )
        elif coup.is_sure and all(wager.seat != event.seat for wager in coup.wagers.values()):
            yield _unknown("seat", event.seat, f"wager_placed of coup {coup.coup_id}")
        coup.seats_settled.add(event.seat)

    def _corrected(self, coup: ToldCoup, event: events.PayoutCorrected) -> Iterator[Said]:
        yield from self._ids.take("correction", event.correction_id)
        if event.settlement_id not in coup.settlements and coup.is_sure:
            yield _unknown("settlement", event.settlement_id, f"coup {coup.coup_id}")
        if not (event.reason and event.authorised_by):
            yield Said(
                Rule.WAGER,
                f"correction {event.correction_id} names no reason or no authoriser",
                "send both; without them the correction is a finding",
            )


def _void(coup: ToldCoup, event: events.CoupVoided) -> Iterator[Said]:
    yield from _once(coup.voided, event.type, coup)
    coup.voided = True
    if not (event.reason and event.authorised_by):
        yield Said(
            Rule.COUP,
            f"the void of coup {coup.coup_id} names no reason or no authoriser",
            "send both; without them the void is a finding",
        )


def _read(coup: ToldCoup, event: events.CardRead) -> Iterator[Said]:
    place = (event.hand, event.position)
    if place not in coup.unread and coup.is_sure:
        yield Said(
            Rule.REFERENCE,
            f"{event.hand} card {event.position} of coup {coup.coup_id} is not one that could not "
            "be read",
            "send card_read only for a card that card_dealt reported without card, and once",
        )
    coup.unread.discard(place)


def _was_closed(event: events.CoupEvent) -> Said:
    if event.type == "wager_placed":
        return Said(
            Rule.ID,
            f"coup {event.coup_id} was closed before",
            "give each coup an id of its own: an id is never used again",
        )
    return Said(
        Rule.COUP,
        f"coup {event.coup_id} was closed before",
        "send coup_closed last; only payout_corrected and card_read may come after it",
    )


def _cannot_begin(event: events.CoupEvent) -> Said:
    return Said(
        Rule.COUP,
        f"{event.type} is the first event that names coup {event.coup_id}",
        "begin a coup with its wagers, no_more_bets or its first card; check the id",
    )


def _once(was_said: bool, what: str, coup: ToldCoup) -> Iterator[Said]:
    if was_said:
        yield Said(
            Rule.COUP, f"{what} was sent before for coup {coup.coup_id}", "send it once a coup"
        )


def _unknown(kind: str, id_: str, where: str) -> Said:
    return Said(
        Rule.REFERENCE,
        f"{kind} {id_} is not known from {where}",
        f"name the {kind} by the id under which it was first sent, and send that event before",
    )


def _closing(coup: ToldCoup, reports: Reports) -> Iterator[Said]:
    """Judge whether everything that belongs to a coup was told before its end."""
    if not coup.is_sure:
        return
    standing = {id_: wager for id_, wager in coup.wagers.items() if not wager.is_withdrawn}
    if coup.voided:
        if Can.REFUNDS in reports:
            for id_, wager in standing.items():
                if not wager.is_refunded and wager.settlement is None:
                    yield Said(
                        Rule.WAGER,
                        f"wager {id_} of voided coup {coup.coup_id} was not refunded",
                        "send wager_refunded for every stake that goes back, before coup_closed",
                    )
        return
    yield from _parts(coup, reports)
    if Can.PAYMENTS in reports:
        for id_, wager in standing.items():
            if wager.settlement is None and not wager.is_refunded:
                yield Said(
                    Rule.WAGER,
                    f"wager {id_} was not settled before coup {coup.coup_id} was closed",
                    "send wager_settled for every wager, losing ones too, then coup_closed",
                )
    elif Can.SEAT_TOTALS_ONLY in reports:
        for seat in sorted({wager.seat for wager in standing.values()} - coup.seats_settled):
            yield Said(
                Rule.WAGER,
                f"seat {seat} was not settled before coup {coup.coup_id} was closed",
                "send seat_settled for every seat with a wager, then coup_closed",
            )


def _parts(coup: ToldCoup, reports: Reports) -> Iterator[Said]:
    expected = [
        (Can.CARDS, bool(coup.places), "card_dealt"),
        (Can.NO_MORE_BETS, coup.called, "no_more_bets"),
        (Can.COUNTS, coup.counted, "counts_announced"),
        (Can.ANNOUNCEMENTS, coup.announced, "result_announced"),
    ]
    for word, is_there, what in expected:
        if word in reports and not is_there:
            yield Said(
                Rule.REPORTS,
                f"coup {coup.coup_id} was closed without {what}, and reports names {word.value}",
                f"send {what} in every coup, or leave {word.value} out of reports",
            )
