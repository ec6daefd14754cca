"""What does one message do to a table? ``absorb`` is the one way in, for every path there is."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from auditors.asserting import NO_CLAIM
from auditors.table import coup_events, shoe_events, table_events
from auditors.table.capabilities import checks_off
from auditors.table.context import Folding
from auditors.table.coup_records import close_coup, put_out
from auditors.table.gate import (
    Arrival,
    Turn,
    declare_gap,
    hold,
    pass_event,
    supersede,
    turn_of,
    waits_too_long,
    with_feed,
)
from auditors.table.rejecting import reject
from auditors.table.state import CoupState, FeedState, TableState, encode_state
from schemas import events
from schemas.events import Envelope, FeedStarted
from schemas.events.union import AnyEvent
from schemas.findings import FindingCode
from schemas.records import Record, RecordKind
from schemas.wire import parse_event
from schemas.wire_errors import UnreadableEventError

SILENCE_US_MAX: Final = 120_000_000
"""Two events of an open table that lie further apart than this are a silence."""

CLOCK_BACK_US_MAX: Final = 1_000_000
"""A clock may go back by so much without a finding."""

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)


class Delivered(NamedTuple):
    """One message of the log."""

    offset: int
    raw: bytes


class DeadReason(NamedTuple):
    """Why a message is a dead letter."""

    reason: str
    """Machine-readable."""
    message: str
    """One line for people."""


class Absorbed(NamedTuple):
    """What one message led to."""

    state: TableState
    records: tuple[Record, ...] = ()
    dead_letter: DeadReason | None = None
    """The message's envelope is unreadable, or belongs to another source; nothing was folded."""
    amend_from: int | None = None
    """A late event fills a declared gap of the shoe in play, whose first message has this
    offset: the shoe is folded again from its checkpoint (:func:`auditors.table.amend`)."""
    is_valid: bool = True
    """Whether the bytes were an event."""


class _Parsed(NamedTuple):
    envelope: Envelope
    event: AnyEvent | None
    problem: str


def absorb(
    state: TableState,
    delivered: Delivered,
    read_again: Callable[[int], bytes],
    *,
    is_amending: bool = False,
) -> Absorbed:
    """Fold one message, and the held ones whose turn it brings.

    At most one record per subject comes out, so that version and subject name one record only.

    Args:
        state: The source so far.
        delivered: The message.
        read_again: Gives the bytes at an offset that was held; called for held messages only.
        is_amending: The shoe is folded again; the records say so.
    """
    parsed = _parse(delivered.raw)
    if isinstance(parsed, DeadReason):
        return Absorbed(state, dead_letter=parsed, is_valid=False)
    envelope = parsed.envelope
    if envelope.source_id != state.source_id:
        problem = f"source_id {envelope.source_id} came under the key {state.source_id}"
        return Absorbed(state, dead_letter=DeadReason("wrong_key", problem))
    arrival = _arrival(parsed, delivered)
    gate = _Gate(state, delivered.offset, read_again, is_amending)
    amend_from = gate.take(arrival, parsed)
    return Absorbed(
        gate.state, tuple(gate.records.values()), None, amend_from, parsed.event is not None
    )


def _parse(raw: bytes) -> _Parsed | DeadReason:
    try:
        event = parse_event(raw)
    except UnreadableEventError as error:
        if error.envelope is None:
            return DeadReason(error.reason.value, str(error))
        return _Parsed(error.envelope, None, str(error))
    return _Parsed(event.envelope, event, "")


def _arrival(parsed: _Parsed, delivered: Delivered) -> Arrival:
    envelope = parsed.envelope
    return Arrival(
        envelope.feed_id,
        envelope.sequence,
        envelope.previous_hash,
        hashlib.sha256(delivered.raw).hexdigest(),
        delivered.offset,
        _microseconds(envelope),
        isinstance(parsed.event, FeedStarted),
    )


def _microseconds(envelope: Envelope) -> int:
    return (envelope.occurred_at - _EPOCH) // _MICROSECOND


class _Gate:
    """One message at the gate, with the held ones behind it."""

    def __init__(
        self,
        state: TableState,
        offset: int,
        read_again: Callable[[int], bytes],
        is_amending: bool,
    ) -> None:
        self.state = state
        self.records: dict[tuple[str, str], Record] = {}
        self._offset, self._read_again, self._is_amending = offset, read_again, is_amending

    def take(self, arrival: Arrival, parsed: _Parsed) -> int | None:
        """Let a message through, hold it, or say what is wrong; give where to amend from."""
        turn = turn_of(self.state, arrival)
        if turn is Turn.FOLD:
            self._fold(arrival, parsed)
            self._fold_held()
        elif turn is Turn.HOLD:
            self.state = hold(self.state, arrival)
            self._give_up_waiting()
        elif turn is Turn.CONFLICT:
            self._integrity(
                arrival, FindingCode.SEQUENCE_CONFLICT, str(arrival.sequence),
                f"Event {arrival.sequence} came again with other bytes; the first stays in force.",
            )  # fmt: skip
        elif turn is Turn.SPLIT:
            self._split(arrival)
        elif turn is Turn.LATE:
            return self._late(arrival)
        return None

    def _late(self, arrival: Arrival) -> int | None:
        """Say whether a late event belongs to the shoe in play, so that it is folded again."""
        shoe = self.state.shoe
        if shoe is None or self.state.checkpoint is None or self._is_amending:
            return None
        return shoe.first_offset if arrival.sequence > shoe.loaded_sequence else None

    def _folding(self, arrival: Arrival) -> Folding:
        return Folding(
            state=self.state,
            sequence=arrival.sequence,
            offset=self._offset,
            occurred_at_us=arrival.occurred_at_us,
            own_offset=arrival.offset,
            is_amending=self._is_amending,
            records=self.records,
        )

    def _integrity(self, arrival: Arrival, code: FindingCode, subject: str, sentence: str) -> None:
        folding = self._folding(arrival)
        folding.assert_once(RecordKind.FEED, code, subject, sentence, NO_CLAIM)
        self.state = folding.state

    def _split(self, arrival: Arrival) -> None:
        if arrival.feed_id in self.state.split_asserted:
            return
        asserted = (*self.state.split_asserted, arrival.feed_id)[-16:]
        self.state = replace(self.state, split_asserted=asserted)
        current = self.state.feed.feed_id if self.state.feed else "?"
        self._integrity(
            arrival, FindingCode.FEED_SPLIT, arrival.feed_id,
            f"Feed {arrival.feed_id} spoke again after feed {current} had taken its place.",
        )  # fmt: skip

    def _current(self, feed_id: str) -> FeedState:
        for feed in (self.state.feed, self.state.incoming):
            if feed is not None and feed.feed_id == feed_id:
                return feed
        return FeedState(feed_id)

    def _fold(self, arrival: Arrival, parsed: _Parsed) -> None:
        """Fold an event whose turn it is."""
        feed = self._current(arrival.feed_id)
        if self.state.feed is None or self.state.feed.feed_id != feed.feed_id:
            self._begin_feed(arrival, parsed, feed)
        folding = self._folding(arrival)
        self._check_chain(folding, feed, arrival)
        self._check_clock(folding, feed, arrival)
        passed = pass_event(feed, arrival.sequence, arrival.hash, arrival.occurred_at_us)
        folding.state = with_feed(folding.state, passed)
        if parsed.event is None:
            folding.assert_once(
                RecordKind.FEED, FindingCode.EVENT_REJECTED, str(arrival.sequence),
                f"Event {arrival.sequence} cannot be read: {parsed.problem}.", NO_CLAIM,
            )  # fmt: skip
        else:
            fold_event(folding, parsed.event)
        self.state = folding.state

    def _begin_feed(self, arrival: Arrival, parsed: _Parsed, feed: FeedState) -> None:
        """Let a new feed take over; what its predecessor still owed is a gap."""
        old = self.state.feed
        event = parsed.event
        if old is not None and isinstance(event, FeedStarted):
            last = event.predecessor_sequence
            is_successor = event.predecessor_feed_id == old.feed_id
            if is_successor and last is not None and last >= old.next_sequence:
                self._declare(arrival, old, last + 1)
        self.state = supersede(self.state, feed)

    def _check_chain(self, folding: Folding, feed: FeedState, arrival: Arrival) -> None:
        expected = feed.last_hash if feed.next_sequence > 1 else events.GENESIS_HASH
        if expected is None or expected == arrival.previous_hash:
            return
        folding.assert_once(
            RecordKind.FEED, FindingCode.CHAIN_BROKEN, str(arrival.sequence),
            f"Event {arrival.sequence} names {arrival.previous_hash[:12]}… as the hash of the "
            f"event before it; that hash is {expected[:12]}….", NO_CLAIM,
        )  # fmt: skip

    def _check_clock(self, folding: Folding, feed: FeedState, arrival: Arrival) -> None:
        before = feed.last_occurred_us
        if before is None:
            return
        step = arrival.occurred_at_us - before
        if step < -CLOCK_BACK_US_MAX:
            folding.assert_once(
                RecordKind.FEED, FindingCode.CLOCK_REGRESSION, str(arrival.sequence),
                f"Event {arrival.sequence} is stamped {_seconds(-step)} s before the event before "
                "it.", NO_CLAIM,
            )  # fmt: skip
        elif step > SILENCE_US_MAX and folding.state.is_open and feed.last_hash is not None:
            folding.assert_once(
                RecordKind.FEED, FindingCode.TABLE_SILENT, str(arrival.sequence),
                f"The open table said nothing for {_seconds(step)} s before event "
                f"{arrival.sequence}.", NO_CLAIM,
            )  # fmt: skip

    def _fold_held(self) -> None:
        """Fold the held events whose turn has come, reading their bytes again."""
        while True:
            feed = self.state.feed
            if feed is None or not feed.held or feed.held[0].sequence != feed.next_sequence:
                return
            held = feed.held[0]
            delivered = Delivered(held.offset, self._read_again(held.offset))
            parsed = _parse(delivered.raw)
            assert not isinstance(parsed, DeadReason), "a held event was read before"
            self._fold(_arrival(parsed, delivered), parsed)

    def _give_up_waiting(self) -> None:
        """Declare what is missing a gap, once too much waits for it."""
        while True:
            feed = next(
                (
                    one
                    for one in (self.state.feed, self.state.incoming)
                    if one is not None and waits_too_long(one)
                ),
                None,
            )
            if feed is None:
                return
            held = feed.held[0]
            arrival = Arrival(
                feed.feed_id, held.sequence, "", held.hash, held.offset, held.occurred_at_us, False
            )
            if self.state.feed is None or self.state.feed.feed_id != feed.feed_id:
                self.state = supersede(self.state, feed)
            self._declare(arrival, feed, held.sequence)
            self._fold_held()

    def _declare(self, arrival: Arrival, feed: FeedState, first_held: int) -> None:
        missing = first_held - feed.next_sequence
        span = f"Event {feed.next_sequence} is"
        if missing > 1:
            span = f"Events {feed.next_sequence} to {first_held - 1} are"
        self.state = with_feed(self.state, declare_gap(feed, first_held))
        self._integrity(
            arrival, FindingCode.SEQUENCE_GAP, str(feed.next_sequence),
            f"{span} missing from feed {feed.feed_id}; the coups beside the gap are unverified.",
        )  # fmt: skip
        coups = tuple(
            one if one.is_closed else replace(one, is_unverified=True) for one in self.state.coups
        )
        shoe = self.state.shoe
        self.state = replace(
            self.state,
            coups=coups,
            shoe=replace(shoe, is_unverified=True) if shoe else None,
            is_after_gap=True,
            had_gap=True,
        )


def _seconds(microseconds: int) -> str:
    return f"{microseconds // 1_000_000}.{microseconds % 1_000_000 // 100_000}"


def fold_event(folding: Folding, event: AnyEvent) -> None:
    """Fold one event whose turn it is; events of a controller pass through."""
    handler = _HANDLERS.get(event.type)
    if handler is not None:
        handler(folding, event)


def _coup_of(folding: Folding, event: events.CoupEvent) -> CoupState | None:
    """Find the coup of an event, or begin it."""
    coup = coup_events.find_coup(folding, event.coup_id)
    if coup is None:
        shoe = folding.state.shoe
        is_other = event.shoe_id is not None and (shoe is None or shoe.shoe_id != event.shoe_id)
        if is_other and folding.state.filings:
            shoe_events.unknown_shoe(folding, event.shoe_id or "")
        coup = coup_events.begin_coup(folding, event)
        if coup is not None:
            table_events.check_dates(folding, coup.gaming_date)
    elif folding.state.is_after_gap:
        coup = replace(coup, is_unverified=True)
        folding.state = replace(folding.state, is_after_gap=False)
        coup_events.keep(folding, coup)
    return coup


def _known_coup(folding: Folding, event: events.CoupEvent) -> CoupState | None:
    """Find the coup of an event that cannot begin one."""
    if coup_events.find_coup(folding, event.coup_id) is not None:
        return _coup_of(folding, event)
    if not folding.state.is_after_gap:
        reject(folding, event.type, f"coup {event.coup_id} is not known")
    return None


def _placed(folding: Folding, event: events.WagerPlaced) -> None:
    coup = _coup_of(folding, event)
    after = coup and coup_events.place_wager(folding, coup, event)
    if after is not None:
        put_out(folding, after)


def _changed(folding: Folding, event: events.WagerChanged) -> None:
    coup = _known_coup(folding, event)
    after = coup and coup_events.change_wager(folding, coup, event)
    if after is not None:
        put_out(folding, after)


def _withdrawn(folding: Folding, event: events.WagerWithdrawn) -> None:
    coup = _known_coup(folding, event)
    after = coup and coup_events.withdraw_wager(folding, coup, event)
    if after is not None:
        put_out(folding, after)


def _no_more_bets(folding: Folding, event: events.NoMoreBets) -> None:
    coup = _coup_of(folding, event)
    if coup is not None and coup.no_more_bets is None:
        mark = coup_events.mark_of(folding, event)
        put_out(folding, coup_events.keep(folding, replace(coup, no_more_bets=mark)))


def _dealt(folding: Folding, event: events.CardDealt) -> None:
    coup = _coup_of(folding, event)
    if coup is None:
        return
    if not coup.cards:
        # The first card of a coup: whatever came before it is over, and the table deals now.
        for one in folding.state.coups:
            if one.coup_id != coup.coup_id and one.cards:
                close_coup(folding, one)
        table_events.check_faults(folding, coup.coup_id)
    after = coup_events.deal_card(folding, coup, event)
    if after is None:
        return
    if not event.error_id:
        shoe_events.deal_from_shoe(folding, after.cards[-1], after.cards[0].sequence)
    if (
        event.card is None
        or after.cards[-1].foreign
        or (after.is_overrun and len(after.cards) == 1)
    ):
        put_out(folding, after)


def _drawn_in_error(folding: Folding, event: events.CardDrawnInError) -> None:
    coup = _known_coup(folding, event)
    if coup is None:
        return
    coup_events.draw_in_error(folding, coup, event)
    if event.position is None:
        card = coup_events.card_of_error(folding, event)
        shoe_events.deal_from_shoe(folding, card, folding.sequence)


def _counts(folding: Folding, event: events.CountsAnnounced) -> None:
    coup = _known_coup(folding, event)
    if coup is not None:
        mark = coup_events.mark_of(folding, event)
        coup_events.keep(folding, replace(coup, counts=mark))


def _result(folding: Folding, event: events.ResultAnnounced) -> None:
    coup = _known_coup(folding, event)
    if coup is not None:
        mark = coup_events.mark_of(folding, event)
        put_out(folding, coup_events.keep(folding, replace(coup, result=mark)))


def _settled(folding: Folding, event: events.WagerSettled) -> None:
    coup = _known_coup(folding, event)
    if coup is None:
        return
    after = coup_events.settle(folding, coup, event)
    if after is None:
        return
    if after is not coup:
        wager = next(one for one in after.wagers if one.wager_id == event.wager_id)
        shoe_events.mark_vigorish(folding, wager.seat, event.vigorish_marked_minor or 0)
    put_out(folding, after)


def _seat_settled(folding: Folding, event: events.SeatSettled) -> None:
    coup = _known_coup(folding, event)
    after = coup and coup_events.settle_seat(folding, coup, event)
    if after is not None and after is not coup:
        shoe_events.mark_vigorish(folding, event.seat, event.vigorish_marked_minor or 0)
        put_out(folding, after)


def _corrected(folding: Folding, event: events.PayoutCorrected) -> None:
    coup = _known_coup(folding, event)
    if coup is None:
        return
    after = coup_events.correct(folding, coup, event)
    if after is None:
        return
    if event.vigorish_marked_change_minor and after is not coup:
        seat = coup_events.seat_of(after, event.settlement_id)
        shoe_events.mark_vigorish(folding, seat, event.vigorish_marked_change_minor)
    put_out(folding, after)


def _refunded(folding: Folding, event: events.WagerRefunded) -> None:
    coup = _known_coup(folding, event)
    after = coup and coup_events.refund(folding, coup, event)
    if after is not None and after.is_closed:
        put_out(folding, after)


def _voided(folding: Folding, event: events.CoupVoided) -> None:
    coup = _coup_of(folding, event)
    if coup is not None:
        mark = coup_events.mark_of(folding, event)
        put_out(folding, coup_events.keep(folding, replace(coup, voided=mark)))


def _closed(folding: Folding, event: events.CoupClosed) -> None:
    coup = _known_coup(folding, event)
    if coup is not None:
        close_coup(folding, coup_events.keep(folding, coup))


def _shoe_loaded(folding: Folding, event: events.ShoeLoaded) -> None:
    _close_all(folding)
    shoe_events.load_shoe(folding, event)
    _checkpoint(folding, f"shoe_loaded/{event.shoe_id}", is_shoe=True)


def _shoe_ended(folding: Folding, event: events.ShoeEnded) -> None:
    _close_all(folding)
    shoe_events.end_shoe(folding, event)


def _close_all(folding: Folding) -> None:
    for coup in folding.state.coups:
        close_coup(folding, coup)


def _opened(folding: Folding, event: events.TableOpened) -> None:
    table_events.open_table(folding, event)
    _checkpoint(folding, f"table_opened/{folding.sequence}", is_shoe=False)


def _table_closed(folding: Folding, event: events.TableClosed) -> None:
    _close_all(folding)
    table_events.close_table(folding, event)


def _vacated(folding: Folding, event: events.SeatVacated) -> None:
    shoe_events.vacate(folding, event.seat)


def _dealer_on(folding: Folding, event: events.DealerOn) -> None:
    folding.state = replace(folding.state, dealer=event.dealer)


def _dealer_off(folding: Folding, _: events.DealerOff) -> None:
    folding.state = replace(folding.state, dealer=None)


def _feed_started(folding: Folding, event: FeedStarted) -> None:
    # table_closed counts the events of its own feed, so a feed that begins later begins the count.
    told = event.simulated or folding.state.is_simulated
    folding.state = replace(folding.state, opened_sequence=folding.sequence, is_simulated=told)


def _checkpoint(folding: Folding, subject: str, *, is_shoe: bool) -> None:
    """Put out the whole state, from which replay, amending and re-auditing start."""
    bare = replace(folding.state, checkpoint=None)
    text = encode_state(bare).decode()
    if is_shoe:
        feed = folding.state.feed
        lean = replace(bare, feed=replace(feed, hashes=()) if feed else None)
        folding.state = replace(folding.state, checkpoint=encode_state(lean).decode())
    folding.emit(
        folding.record(
            RecordKind.CHECKPOINT,
            subject,
            state=text,
            state_digest=hashlib.sha256(text.encode()).hexdigest(),
            checks_off=checks_off(frozenset(folding.state.reports)),
        )
    )


_HANDLERS: Final[Mapping[str, Callable[..., None]]] = MappingProxyType(
    {
        "feed_started": _feed_started,
        "table_opened": _opened,
        "table_closed": _table_closed,
        "rules_submission_changed": table_events.change_rules,
        "paytables_displayed": table_events.show_paytables,
        "dealer_on": _dealer_on,
        "dealer_off": _dealer_off,
        "device_fault_raised": table_events.raise_fault,
        "device_fault_cleared": table_events.clear_fault,
        "shoe_loaded": _shoe_loaded,
        "cards_burned": shoe_events.burn,
        "cover_card_drawn": shoe_events.draw_cover_card,
        "card_removed": shoe_events.remove_card,
        "card_replaced": shoe_events.replace_card,
        "card_exposed": shoe_events.expose_card,
        "shoe_ended": _shoe_ended,
        "wager_placed": _placed,
        "wager_changed": _changed,
        "wager_withdrawn": _withdrawn,
        "no_more_bets": _no_more_bets,
        "card_dealt": _dealt,
        "card_drawn_in_error": _drawn_in_error,
        "counts_announced": _counts,
        "result_announced": _result,
        "wager_settled": _settled,
        "seat_settled": _seat_settled,
        "payout_corrected": _corrected,
        "wager_refunded": _refunded,
        "vigorish_collected": shoe_events.collect_vigorish,
        "seat_vacated": _vacated,
        "coup_closed": _closed,
        "coup_voided": _voided,
        "inventory_counted": table_events.check_count,
        "drop_counted": table_events.check_count,
    }
)
"""Wire tag to what it does; heartbeats and a controller's events do nothing to a table."""
