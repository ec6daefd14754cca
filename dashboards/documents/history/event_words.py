"""Events in plain words, for people who replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from schemas import events
from schemas.events.progressive import ProgressiveEvent
from schemas.events.union import AnyEvent
from schemas.money import grouped_minor
from schemas.words.counting import counted


def words_of(event: AnyEvent, currency: str) -> str:
    """Say an event in words.

    Args:
        event: The event.
        currency: Of the table's rules submission.
    """
    say = _WORDS.get(event.type)
    if say is not None:
        return say(event, _Money(currency))
    words = event.type.replace("_", " ")
    if isinstance(event, ProgressiveEvent):
        return f"{words} ({event.progressive_id}, level {event.level})"
    return words


class _Money:
    """Amounts of one currency in words."""

    def __init__(self, currency: str) -> None:
        self._currency = currency

    def __call__(self, minor: int | None) -> str:
        """Write an amount; unknown is said."""
        return "an unknown amount" if minor is None else grouped_minor(minor, self._currency)


def _wager(event: events.CoupEvent, wager_id: str) -> str:
    """Name a wager within its coup: most ids repeat the coup's."""
    return f"wager {wager_id.removeprefix(event.coup_id).lstrip('/') or wager_id}"


def _by(person: str | None, word: str = "by") -> str:
    return f" {word} {person}" if person else ""


def _because(reason: str | None) -> str:
    return f": {reason}" if reason else ""


def _list(things: tuple[str, ...] | list[str]) -> str:
    return ", ".join(things) or "nothing"


def _opened(event: events.TableOpened, _: _Money) -> str:
    filed = event.submission
    offer = f"{counted(filed.decks, 'deck')}, {counted(len(filed.wagers), 'wager')}"
    return (
        f"table opened for gaming date {event.gaming_date} under {filed.rules_version} "
        f"({filed.game.value}, {offer}){_by(event.opened_by)}"
    )


def _closed(event: events.TableClosed, _: _Money) -> str:
    events_said = counted(event.event_count, "event")
    return f"table closed: {events_said}, {counted(event.coup_count, 'coup')} stated"


def _displayed(event: events.PaytablesDisplayed, _: _Money) -> str:
    shown = [
        f"{one.wager} {one.paytable or ''} on {one.shown_on.replace('_', ' ')}".replace("  ", " ")
        for one in event.displays
    ]
    return f"paytables displayed: {_list(shown)}"


def _loaded(event: events.ShoeLoaded, _: _Money) -> str:
    shuffle = f"shuffled {event.shuffle.replace('_', ' ')}" if event.shuffle else "no shuffle"
    inspection = "inspected" if event.inspection else "no inspection"
    return f"shoe {event.shoe_id} of {event.decks} decks loaded, {shuffle}, {inspection}"


def _burned(event: events.CardsBurned, _: _Money) -> str:
    exposed = f"{event.exposed_card} exposed, " if event.exposed_card else ""
    return f"{exposed}{counted(event.burned_count, 'card')} burned ({event.occasion})"


def _ended(event: events.ShoeEnded, _: _Money) -> str:
    left = "" if event.cards_left_count is None else f", {event.cards_left_count} cards left"
    reason = event.reason.replace("_", " ")
    return (
        f"shoe {event.shoe_id} ended ({reason}): {counted(event.coup_count, 'coup')} stated{left}"
    )


def _dealt(event: events.CardDealt, _: _Money) -> str:
    card = event.card or "a card that could not be read"
    return f"{event.hand.capitalize()} card {event.position}: {card}"


def _in_error(event: events.CardDrawnInError, _: _Money) -> str:
    card = event.card or "a card"
    to = event.disposition.replace("_", " ")
    return f"{card} drawn in error for {event.hand.capitalize()}, goes to: {to}"


def _result(event: events.ResultAnnounced, _: _Money) -> str:
    counts = ""
    if event.player_points is not None and event.banker_points is not None:
        counts = f", Player {event.player_points}, Banker {event.banker_points}"
    return f"announced: {event.winner}{counts}"


def _placed(event: events.WagerPlaced, money: _Money) -> str:
    name = _wager(event, event.wager_id)
    who = f" by {event.patron}" if event.patron else ""
    return f"{name}: {money(event.stake_minor)} on {event.wager} at seat {event.seat}{who}"


def _changed(event: events.WagerChanged, money: _Money) -> str:
    stake = "" if event.stake_minor is None else f" stake now {money(event.stake_minor)}"
    wager = f" now on {event.wager}" if event.wager else ""
    return f"{_wager(event, event.wager_id)} changed:{stake}{wager}"


def _settled(event: events.WagerSettled, money: _Money) -> str:
    parts = [f"paid {money(event.paid_minor)}"]
    parts += _parts(event, money)
    return f"{_wager(event, event.wager_id)} settled: {', '.join(parts)}"


def _parts(event: events.WagerSettled | events.SeatSettled, money: _Money) -> list[str]:
    return [
        f"{word} {money(minor)}"
        for word, minor in (
            ("stake collected", event.stake_collected_minor),
            ("vigorish taken", event.vigorish_taken_minor),
            ("vigorish marked", event.vigorish_marked_minor),
        )
        if minor is not None
    ]


def _seat_settled(event: events.SeatSettled, money: _Money) -> str:
    parts = [f"paid {money(event.paid_minor)}", *_parts(event, money)]
    return f"seat {event.seat} settled: {', '.join(parts)}"


def _corrected(event: events.PayoutCorrected, money: _Money) -> str:
    back = event.paid_change_minor < 0
    change = money(abs(event.paid_change_minor))
    moved = f"{change} {'taken back' if back else 'paid besides'}"
    return (
        f"settlement {event.settlement_id} corrected ({event.correction_id}): {moved}"
        f"{_by(event.authorised_by, 'allowed by')}{_because(event.reason)}"
    )


def _counted(event: events.InventoryCounted | events.DropCounted, money: _Money) -> str:
    what = "inventory" if isinstance(event, events.InventoryCounted) else "drop"
    replaces = f", replaces {event.corrects_count_id}" if event.corrects_count_id else ""
    return f"{what} counted ({event.count_id}): {money(event.amount_minor)}{replaces}"


def _video(event: events.VideoReference, _: _Money) -> str:
    shown = f"coup {event.coup_id}" if event.coup_id else "the table"
    named = f", recording {event.recording}" if event.recording else ""
    begin, end = (f"{at:%Y-%m-%d %H:%M:%S}" for at in (event.recorded_from, event.recorded_until))
    return f"camera {event.camera_id} shows {shown} from {begin} to {end} UTC{named}"


_WORDS: Final[Mapping[str, Callable[..., str]]] = MappingProxyType(
    {
        "feed_started": lambda event, _: (
            f"feed {event.feed_id} of a {event.source_kind.replace('_', ' ')} started"
            + (f", after feed {event.predecessor_feed_id}" if event.predecessor_feed_id else "")
        ),
        "heartbeat": lambda event, _: "heartbeat",
        "device_fault_raised": lambda event, _: (
            f"fault {event.fault_id} of the {event.device.replace('_', ' ')}: {event.fault}"
        ),
        "device_fault_cleared": lambda event, _: (
            f"fault {event.fault_id} cleared{_by(event.cleared_by)}{_because(event.action)}"
        ),
        "video_reference": _video,
        "table_opened": _opened,
        "table_closed": _closed,
        "rules_submission_changed": lambda event, _: (
            f"{event.submission.rules_version} takes effect{_because(event.reason)}"
        ),
        "paytables_displayed": _displayed,
        "dealer_on": lambda event, _: f"dealer {event.dealer} takes the table",
        "dealer_off": lambda event, _: f"dealer {event.dealer} leaves the table",
        "shoe_loaded": _loaded,
        "cards_burned": _burned,
        "cover_card_drawn": lambda event, _: f"{event.cover_card} cover card drawn",
        "card_removed": lambda event, _: (
            f"{event.card or 'a card'} removed from the {event.taken_from} ({event.reason}, "
            f"{event.removal_id})"
        ),
        "card_replaced": lambda event, _: (
            f"{event.card or 'a card'} put in for removal {event.removal_id}"
        ),
        "card_exposed": lambda event, _: (
            f"{event.card or 'a card'} exposed before its turn, {event.disposition}"
        ),
        "shoe_ended": _ended,
        "wager_placed": _placed,
        "wager_changed": _changed,
        "wager_withdrawn": lambda event, _: f"{_wager(event, event.wager_id)} withdrawn",
        "no_more_bets": lambda event, _: "no more bets",
        "card_dealt": _dealt,
        "card_read": lambda event, _: (
            f"{event.hand.capitalize()} card {event.position} was read: {event.card}"
        ),
        "card_drawn_in_error": _in_error,
        "counts_announced": lambda event, _: (
            f"counts announced: Player {event.player_points}, Banker {event.banker_points}"
        ),
        "result_announced": _result,
        "stake_collected": lambda event, money: (
            f"{_wager(event, event.wager_id)}: {money(event.collected_minor)} collected early"
        ),
        "wager_settled": _settled,
        "seat_settled": _seat_settled,
        "payout_corrected": _corrected,
        "wager_refunded": lambda event, money: (
            f"{_wager(event, event.wager_id)}: {money(event.refunded_minor)} refunded "
            f"({event.reason.replace('_', ' ')})"
        ),
        "vigorish_collected": lambda event, money: (
            f"{money(abs(event.collected_minor))} of marked vigorish "
            f"{'given back' if event.collected_minor < 0 else 'collected'} at seat {event.seat}"
        ),
        "seat_vacated": lambda event, _: f"seat {event.seat} vacated",
        "coup_closed": lambda event, _: "coup closed",
        "coup_voided": lambda event, _: (
            f"coup voided{_by(event.authorised_by, 'allowed by')}{_because(event.reason)}"
        ),
        "chips_filled": lambda event, money: f"fill {event.fill_id}: {money(event.amount_minor)}",
        "chips_credited": lambda event, money: (
            f"credit {event.credit_id}: {money(event.amount_minor)}"
        ),
        "inventory_counted": _counted,
        "drop_counted": _counted,
        "progressive_wager_accepted": lambda event, money: (
            f"{event.progressive_id} accepted {event.wager_id} of {event.table_id} "
            f"({money(event.stake_minor)}), in-meter {event.in_count}"
        ),
        "progressive_reading": lambda event, _: (
            f"{event.progressive_id} reads {event.display}, in-meter {event.in_count}"
        ),
        "progressive_locked_out": lambda event, _: (
            f"{event.progressive_id} locked out {event.table_id} for coup {event.coup_id} at "
            f"{event.display}"
        ),
        "progressive_hit": lambda event, _: (
            f"{event.progressive_id} won at {event.table_id}, coup {event.coup_id}: {event.amount}"
        ),
    }
)
"""Wire tag to its words; the other events of controllers are named by their tag."""
