"""What does an event add to a coup? Wagers, cards, calls, payments; nothing is judged here."""

from __future__ import annotations

from dataclasses import replace

from auditors.table.clock import gaming_date_of
from auditors.table.context import Folding, rules_of
from auditors.table.rejecting import reject
from auditors.table.state import (
    COUPS_KEPT,
    ENTRIES_MAX,
    OLD_COUPS_KEPT,
    WAGERS_MAX,
    Correction,
    CoupState,
    DealtCard,
    Mark,
    Payment,
    PlacedWager,
    SeatPayment,
    with_coup,
)
from schemas.events import (
    Capability,
    CardDealt,
    CardDrawnInError,
    CountsAnnounced,
    CoupEvent,
    PayoutCorrected,
    ResultAnnounced,
    SeatSettled,
    WagerChanged,
    WagerPlaced,
    WagerRefunded,
    WagerSettled,
    WagerWithdrawn,
)


def find_coup(folding: Folding, coup_id: str) -> CoupState | None:
    """Find a coup that can still be added to."""
    for coup in reversed(folding.state.coups):
        if coup.coup_id == coup_id:
            return coup
    return None


def begin_coup(folding: Folding, event: CoupEvent) -> CoupState | None:
    """Begin the coup that an event names for the first time; None where it is long over."""
    state = folding.state
    if event.coup_id in state.old_coups:
        reject(folding, event.type, f"coup {event.coup_id} is long closed")
        return None
    if not state.filings:
        reject(folding, event.type, "no table_opened has filed the rules of this table")
        return None
    shoe = state.shoe
    coup_no = shoe.coup_count + 1 if shoe else 1
    overrun = shoe is not None and shoe.last_coup_no is not None and coup_no > shoe.last_coup_no
    key = state.filings[-1][0]
    gaming_date = gaming_date_of(rules_of(state, key).rules.terms, folding.occurred_at_us)
    coup = CoupState(
        coup_id=event.coup_id,
        shoe_id=shoe.shoe_id if shoe else event.shoe_id,
        coup_no=coup_no,
        filing=key,
        gaming_date=gaming_date,
        dealer=state.dealer,
        first_sequence=folding.sequence,
        began_at_us=folding.occurred_at_us,
        last_sequence=folding.sequence,
        is_unverified=state.is_after_gap,
        is_overrun=overrun,
    )
    dropped = state.coups[: max(0, len(state.coups) + 1 - COUPS_KEPT)]
    folding.state = replace(
        state,
        coups=(*state.coups[len(dropped) :], coup),
        old_coups=(*state.old_coups, *(one.coup_id for one in dropped))[-OLD_COUPS_KEPT:],
        opened_coups=state.opened_coups + 1,
        shoe=replace(shoe, coup_count=coup_no) if shoe else None,
        is_after_gap=False,
    )
    return coup


def keep(folding: Folding, coup: CoupState) -> CoupState:
    """Put a coup back into the state, touched by this event."""
    touched = replace(coup, last_sequence=max(coup.last_sequence, folding.sequence))
    folding.state = with_coup(folding.state, touched)
    return touched


def place_wager(folding: Folding, coup: CoupState, event: WagerPlaced) -> CoupState | None:
    """Add a wager."""
    if len(coup.wagers) >= WAGERS_MAX:
        reject(folding, event.type, f"a coup has at most {WAGERS_MAX} wagers")
        return None
    if any(one.wager_id == event.wager_id for one in coup.wagers):
        reject(folding, event.type, f"wager {event.wager_id} was placed before")
        return None
    wager = PlacedWager(
        wager_id=event.wager_id,
        wager_no=len(coup.wagers) + 1,
        seat=event.seat,
        patron=event.patron,
        name=event.wager,
        stake_minor=event.stake_minor,
        sequence=folding.sequence,
        placed_at_us=folding.occurred_at_us,
        is_late=_is_late(folding, coup),
    )
    return keep(folding, replace(coup, wagers=(*coup.wagers, wager)))


def _is_late(folding: Folding, coup: CoupState) -> bool:
    call = coup.no_more_bets
    if call is None:
        return False
    terms = rules_of(folding.state, coup.filing).rules.terms
    grace_ms = terms.submission.late_wager_grace_ms if terms.submission else 0
    return folding.occurred_at_us - call.occurred_at_us > grace_ms * 1000 or grace_ms == 0


def _wager(folding: Folding, coup: CoupState, wager_id: str, event_type: str) -> PlacedWager | None:
    for one in coup.wagers:
        if one.wager_id == wager_id:
            return one
    if not coup.is_unverified:
        reject(folding, event_type, f"wager {wager_id} was not placed in coup {coup.coup_id}")
    return None


def with_wager(coup: CoupState, wager: PlacedWager) -> CoupState:
    """Put a wager in the place of its earlier self."""
    return replace(
        coup,
        wagers=tuple(wager if one.wager_id == wager.wager_id else one for one in coup.wagers),
    )


def change_wager(folding: Folding, coup: CoupState, event: WagerChanged) -> CoupState | None:
    """Change a wager; after no more bets the change is noted and has no effect."""
    wager = _wager(folding, coup, event.wager_id, event.type)
    if wager is None:
        return None
    if _is_late(folding, coup):
        late = (*wager.late_changes, folding.sequence)[-ENTRIES_MAX:]
        return keep(folding, with_wager(coup, replace(wager, late_changes=late)))
    stake = wager.stake_minor if event.stake_minor is None else event.stake_minor
    changed = replace(wager, stake_minor=stake, name=event.wager or wager.name)
    return keep(folding, with_wager(coup, changed))


def withdraw_wager(folding: Folding, coup: CoupState, event: WagerWithdrawn) -> CoupState | None:
    """Take a wager back; after no more bets it stands all the same."""
    wager = _wager(folding, coup, event.wager_id, event.type)
    if wager is None:
        return None
    if _is_late(folding, coup):
        late = (*wager.late_changes, folding.sequence)[-ENTRIES_MAX:]
        return keep(folding, with_wager(coup, replace(wager, late_changes=late)))
    return keep(folding, with_wager(coup, replace(wager, is_withdrawn=True)))


def deal_card(folding: Folding, coup: CoupState, event: CardDealt) -> CoupState | None:
    """Add a card to a hand."""
    if len(coup.cards) >= ENTRIES_MAX:
        reject(folding, event.type, f"a coup has at most {ENTRIES_MAX} cards")
        return None
    card = DealtCard(
        event.hand,
        event.position,
        event.card,
        event.card_id,
        event.back,
        event.error_id,
        folding.sequence,
        _foreign(folding, event),
    )
    return keep(folding, replace(coup, cards=(*coup.cards, card)))


def _foreign(folding: Folding, event: CardDealt) -> str | None:
    """Say why a card cannot have come out of the shoe in play."""
    shoe, reports = folding.state.shoe, folding.state.reports
    if shoe is None:
        return None
    prefix, card_id = shoe.card_id_prefix, event.card_id
    if Capability.CARD_IDS in reports and prefix and card_id and not card_id.startswith(prefix):
        return f"card id {card_id} does not belong to shoe {shoe.shoe_id} ({prefix})"
    if Capability.BACKS in reports and shoe.backs and event.back not in (None, *shoe.backs):
        return f"back {event.back} is not that of shoe {shoe.shoe_id} ({', '.join(shoe.backs)})"
    return None


def draw_in_error(folding: Folding, coup: CoupState, event: CardDrawnInError) -> CoupState | None:
    """Take a wrongly drawn card out of the hand, as its disposition says."""
    cards = coup.cards
    if event.position is not None:
        match = [
            one
            for one in cards
            if (one.hand, one.position) == (event.hand, event.position) and not one.error_id
        ]
        if not match:
            if coup.is_unverified:
                return None
            where = f"{event.hand} card {event.position}"
            reject(folding, event.type, f"{where} was not dealt in coup {coup.coup_id}")
            return None
        cards = tuple(one for one in cards if one is not match[-1])
    errors = (*coup.errors, event.error_id)[-ENTRIES_MAX:]
    return keep(folding, replace(coup, cards=cards, errors=errors))


def mark_of(folding: Folding, event: CountsAnnounced | ResultAnnounced | CoupEvent) -> Mark:
    """Note when something was said about a coup."""
    mark = Mark(folding.sequence, folding.occurred_at_us)
    if isinstance(event, CountsAnnounced | ResultAnnounced):
        mark = replace(mark, player_points=event.player_points, banker_points=event.banker_points)
    if isinstance(event, ResultAnnounced):
        mark = replace(mark, winner=event.winner, winning_wagers=event.winning_wagers)
    return mark


def settle(folding: Folding, coup: CoupState, event: WagerSettled) -> CoupState | None:
    """Add the settlement of a wager; a repeat of a settlement id changes nothing."""
    wager = _wager(folding, coup, event.wager_id, event.type)
    if wager is None:
        return None
    known = _payment_of(coup, event.settlement_id)
    if known is not None:
        return _same_or_conflict(folding, coup, known, event.paid_minor)
    if len(wager.payments) >= ENTRIES_MAX:
        reject(folding, event.type, f"a wager has at most {ENTRIES_MAX} settlements")
        return None
    payment = replace(_payment(folding, event), is_repeat=bool(wager.payments))
    paid = replace(wager, payments=(*wager.payments, payment))
    return keep(folding, with_wager(coup, paid))


def settle_seat(folding: Folding, coup: CoupState, event: SeatSettled) -> CoupState | None:
    """Add the settlement of a seat."""
    known = _payment_of(coup, event.settlement_id)
    if known is not None:
        return _same_or_conflict(folding, coup, known, event.paid_minor)
    if len(coup.seats) >= ENTRIES_MAX:
        reject(folding, event.type, f"a coup has at most {ENTRIES_MAX} seat settlements")
        return None
    repeat = any(one.seat == event.seat for one in coup.seats)
    payment = replace(_payment(folding, event), is_repeat=repeat)
    return keep(folding, replace(coup, seats=(*coup.seats, SeatPayment(event.seat, payment))))


def _payment(folding: Folding, event: WagerSettled | SeatSettled) -> Payment:
    return Payment(
        event.settlement_id,
        folding.sequence,
        event.paid_minor,
        event.stake_collected_minor,
        event.vigorish_taken_minor,
        event.vigorish_marked_minor,
    )


def _payment_of(coup: CoupState, settlement_id: str) -> Payment | None:
    for wager in coup.wagers:
        for payment in wager.payments:
            if payment.settlement_id == settlement_id:
                return payment
    for seat in coup.seats:
        if seat.payment.settlement_id == settlement_id:
            return seat.payment
    return None


def _same_or_conflict(
    folding: Folding, coup: CoupState, known: Payment, paid_minor: int
) -> CoupState:
    if known.paid_minor == paid_minor:
        return coup
    conflict = (known.settlement_id, folding.sequence, paid_minor)
    if any(one[0] == known.settlement_id for one in coup.conflicts):
        return coup
    return keep(folding, replace(coup, conflicts=(*coup.conflicts, conflict)[-ENTRIES_MAX:]))


def correct(folding: Folding, coup: CoupState, event: PayoutCorrected) -> CoupState | None:
    """Apply a correction to the settlement that it names."""
    if any(one.correction_id == event.correction_id for one in coup.corrections):
        return coup
    if _payment_of(coup, event.settlement_id) is None:
        if not coup.is_unverified:
            reject(folding, event.type, f"settlement {event.settlement_id} is not known")
        return None
    if len(coup.corrections) >= ENTRIES_MAX:
        reject(folding, event.type, f"a coup has at most {ENTRIES_MAX} corrections")
        return None
    correction = Correction(
        event.correction_id,
        event.settlement_id,
        folding.sequence,
        folding.occurred_at_us,
        bool(event.authorised_by and event.reason),
    )
    wagers = tuple(
        replace(one, payments=tuple(_corrected(payment, event) for payment in one.payments))
        if any(payment.settlement_id == event.settlement_id for payment in one.payments)
        else one
        for one in coup.wagers
    )
    seats = tuple(replace(one, payment=_corrected(one.payment, event)) for one in coup.seats)
    return keep(
        folding,
        replace(coup, wagers=wagers, seats=seats, corrections=(*coup.corrections, correction)),
    )


def _corrected(payment: Payment, event: PayoutCorrected) -> Payment:
    if payment.settlement_id != event.settlement_id:
        return payment
    return replace(
        payment,
        paid_change_minor=payment.paid_change_minor + event.paid_change_minor,
        collected_change_minor=payment.collected_change_minor + event.stake_collected_change_minor,
        taken_change_minor=payment.taken_change_minor + event.vigorish_taken_change_minor,
        marked_change_minor=payment.marked_change_minor + event.vigorish_marked_change_minor,
    )


def refund(folding: Folding, coup: CoupState, event: WagerRefunded) -> CoupState | None:
    """Add a refund to a wager."""
    wager = _wager(folding, coup, event.wager_id, event.type)
    if wager is None:
        return None
    if event.refund_id in coup.refund_ids:
        return coup
    total = (wager.refunded_minor or 0) + event.refunded_minor
    ids = (*coup.refund_ids, event.refund_id)[-WAGERS_MAX:]
    refunded = replace(coup, refund_ids=ids)
    return keep(folding, with_wager(refunded, replace(wager, refunded_minor=total)))


def card_of_error(folding: Folding, event: CardDrawnInError) -> DealtCard:
    """Give a card that was drawn in error and had not been reported as dealt."""
    return DealtCard(
        event.hand,
        0,
        event.card,
        event.card_id,
        event.back,
        event.error_id,
        folding.sequence,
    )


def seat_of(coup: CoupState, settlement_id: str) -> str:
    """Give the seat at which a settlement was made; empty where it is not known."""
    for wager in coup.wagers:
        if any(one.settlement_id == settlement_id for one in wager.payments):
            return wager.seat
    for seat in coup.seats:
        if seat.payment.settlement_id == settlement_id:
            return seat.seat
    return ""
