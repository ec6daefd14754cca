"""Adds an event to a coup: wagers, cards, calls, payments; nothing is judged here.

Each function gives the coup as the event leaves it, already in the state; None where the event
cannot be used, which is said by then. A repeat of an id gives the coup as it was.
"""

from __future__ import annotations

from auditors.table.known.context import Folding, rules_of
from auditors.table.known.corrections import Conflict, Correction
from auditors.table.known.hands import text_of, with_card
from auditors.table.known.rejections import reject, reject_unknown
from auditors.table.known.shoe_records import why_foreign
from auditors.table.known.state import (
    CALLS_MAX,
    ENTRIES_MAX,
    IDS_KEPT,
    PAYMENTS_MAX,
    STAKE_MAX,
    WAGERS_MAX,
    CoupState,
    DealtCard,
    Mark,
    Payment,
    PlacedWager,
    SeatPayment,
)
from auditors.table.known.view import first_card
from auditors.values import evolve
from schemas.events import (
    Capability,
    CardDealt,
    CardDrawnInError,
    CardRead,
    CountsAnnounced,
    CoupEvent,
    CoupVoided,
    PayoutCorrected,
    ResultAnnounced,
    SeatSettled,
    StakeCollected,
    WagerChanged,
    WagerPlaced,
    WagerRefunded,
    WagerSettled,
    WagerWithdrawn,
)
from schemas.finding_facts.payment import Lacking
from schemas.money import MINOR_MAX


def reached(folding: Folding, coup: CoupState) -> int:
    """Give the last event of a coup that this event touches."""
    if folding.sequence > coup.last_sequence or coup.feed_id != folding.feed_id:
        return folding.sequence
    return coup.last_sequence


def place_wager(folding: Folding, coup: CoupState, event: WagerPlaced) -> CoupState | None:
    """Add a wager."""
    if len(coup.wagers) >= WAGERS_MAX:
        reject(folding, event.type, f"a coup has at most {WAGERS_MAX} wagers")
        return None
    wager_id = event.wager_id
    for one in coup.wagers:
        if one.wager_id == wager_id:
            reject(folding, event.type, f"wager {wager_id} was placed before")
            return None
    if not _is_possible(folding, event):
        return None
    wager = PlacedWager(
        wager_id=wager_id,
        wager_no=len(coup.wagers) + 1,
        seat=event.seat,
        patron=event.patron,
        name=event.wager,
        stake_minor=event.stake_minor,
        sequence=folding.sequence,
        placed_at_us=folding.occurred_at_us,
        is_late=_is_late(folding, coup),
        was_called=coup.no_more_bets is not None,
    )
    return folding.put_coup(
        evolve(coup, last_sequence=reached(folding, coup), wagers=(*coup.wagers, wager))
    )


def _is_possible(folding: Folding, event: WagerPlaced | WagerChanged) -> bool:
    if event.stake_minor is None or event.stake_minor <= STAKE_MAX:
        return True
    reject(folding, event.type, f"a stake of {event.stake_minor} minor units is beyond any table")
    return False


def _is_late(folding: Folding, coup: CoupState) -> bool:
    """Whether what is said of a wager now comes after no more bets and the filed grace.

    The call comes before any card: where it did not, it can be no later than the first one.
    """
    call = coup.no_more_bets
    if Capability.NO_MORE_BETS not in folding.state.reports:
        return False
    grace_ms = rules_of(folding.state, coup.filing).submission.late_wager_grace_ms
    if call is None:
        call = None if grace_ms == 0 else coup.result
        if call is None:
            return grace_ms == 0 and not coup.is_unverified and first_card(coup) is not None
    if coup.is_unverified and folding.occurred_at_us < call.occurred_at_us:
        return False  # where events were lost, what is folded later need not have come later
    return grace_ms == 0 or folding.occurred_at_us - call.occurred_at_us > grace_ms * 1000


def _wager(folding: Folding, coup: CoupState, wager_id: str, event_type: str) -> PlacedWager | None:
    for one in coup.wagers:
        if one.wager_id == wager_id:
            return one
    if Capability.WAGERS in folding.state.reports:
        reject_unknown(folding, event_type, f"wager {wager_id} of coup {coup.coup_id}")
    return None


def _with_wager(
    folding: Folding,
    coup: CoupState,
    wager: PlacedWager,
    entry_ids: tuple[str, ...] | None = None,
) -> CoupState:
    """Put a wager in the place of its earlier self."""
    wagers, at = coup.wagers, wager.wager_no - 1
    changed = evolve(
        coup,
        last_sequence=reached(folding, coup),
        wagers=(*wagers[:at], wager, *wagers[at + 1 :]),
        entry_ids=coup.entry_ids if entry_ids is None else entry_ids,
    )
    return folding.put_coup(changed)


def change_wager(folding: Folding, coup: CoupState, event: WagerChanged) -> CoupState | None:
    """Change a wager; after no more bets the change is noted and has no effect."""
    wager = _wager(folding, coup, event.wager_id, event.type)
    if wager is None or not _is_possible(folding, event):
        return None
    if _is_late(folding, coup):
        return _changed_late(folding, coup, wager)
    stake = wager.stake_minor if event.stake_minor is None else event.stake_minor
    changed = wager._replace(stake_minor=stake, name=event.wager or wager.name)
    return _with_wager(folding, coup, changed)


def withdraw_wager(folding: Folding, coup: CoupState, event: WagerWithdrawn) -> CoupState | None:
    """Take a wager back; after no more bets it stands all the same."""
    wager = _wager(folding, coup, event.wager_id, event.type)
    if wager is None:
        return None
    if _is_late(folding, coup):
        return _changed_late(folding, coup, wager)
    return _with_wager(folding, coup, wager._replace(is_withdrawn=True))


def _changed_late(folding: Folding, coup: CoupState, wager: PlacedWager) -> CoupState:
    if not wager.late_changes:
        wager = wager._replace(
            was_called_changing=coup.no_more_bets is not None,
            changed_late_at_us=folding.occurred_at_us,
        )
    late = (*wager.late_changes, folding.sequence)[:ENTRIES_MAX]
    return _with_wager(folding, coup, wager._replace(late_changes=late))


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
        _foreign(folding, coup, event),
        is_after_error=bool(coup.errors),
        occurred_at_us=folding.occurred_at_us,
    )
    hands = with_card(coup.hands, card)
    return folding.put_coup(
        evolve(coup, last_sequence=reached(folding, coup), cards=(*coup.cards, card), hands=hands)
    )


def read_card(folding: Folding, coup: CoupState, event: CardRead) -> CoupState | None:
    """Name a card that could not be read when it was dealt; a card that is known stays as it is."""
    lying = [one for one in coup.cards if (one.hand, one.position) == (event.hand, event.position)]
    unread = next((one for one in lying if one.card is None), None)
    where = f"{event.hand} card {event.position} of coup {coup.coup_id}"
    if unread is None:
        if lying and lying[-1].read_sequence and lying[-1].card == event.card:
            return coup
        if lying:
            reject(folding, event.type, f"{where} was read as {lying[-1].card}")
        else:
            reject_unknown(folding, event.type, where)
        return None
    for told, said, word in (
        (unread.card_id, event.card_id, "id"),
        (unread.back, event.back, "back"),
    ):
        if told and said and told != said:
            reject(folding, event.type, f"{where} has the {word} {told}, not {said}")
            return None
    card = unread._replace(
        card=event.card,
        card_id=unread.card_id or event.card_id,
        back=unread.back or event.back,
        foreign=unread.foreign or _foreign(folding, coup, event),
        read_sequence=folding.sequence,
        is_read_late=coup.result is not None,
    )
    cards = tuple(card if one is unread else one for one in coup.cards)
    return folding.put_coup(
        evolve(coup, last_sequence=reached(folding, coup), cards=cards, hands=text_of(cards))
    )


def _foreign(folding: Folding, coup: CoupState, event: CardDealt | CardRead) -> str | None:
    """Say why a card cannot have come out of the shoe of its coup, while that is in play."""
    shoe, card_id, back = folding.state.shoe, event.card_id, event.back
    if shoe is None or shoe.shoe_id != coup.shoe_id or not (card_id or back):
        return None
    return why_foreign(folding, shoe, card_id, back)


def draw_in_error(folding: Folding, coup: CoupState, event: CardDrawnInError) -> CoupState | None:
    """Take a wrongly drawn card out of the hand, as its disposition says."""
    if event.error_id in coup.errors:
        return coup
    cards, wagers = coup.cards, coup.wagers
    if event.position is not None:
        lying = [
            one
            for one in cards
            if (one.hand, one.position) == (event.hand, event.position) and not one.error_id
        ]
        if not lying:
            where = f"{event.hand} card {event.position} of coup {coup.coup_id}"
            reject_unknown(folding, event.type, where)
            return None
        at = next(place for place, one in enumerate(cards) if one is lying[-1])
        cards = (*cards[:at], *cards[at + 1 :])
        wagers = tuple(_without_card(one, at) for one in coup.wagers)
    errors = (*coup.errors, event.error_id)[-ENTRIES_MAX:]
    since = coup.error_sequence or folding.sequence
    return folding.put_coup(
        evolve(
            coup,
            last_sequence=reached(folding, coup),
            cards=cards,
            hands=text_of(cards),
            wagers=wagers,
            errors=errors,
            error_sequence=since,
        )
    )


def _without_card(wager: PlacedWager, place: int) -> PlacedWager:
    """Count a card that is taken out of the hands no more among those on which a wager was paid."""
    payments = tuple(
        one._replace(card_count=one.card_count - 1)
        if one.card_count is not None and one.card_count > place
        else one
        for one in wager.payments
    )
    return wager if payments == wager.payments else wager._replace(payments=payments)


def mark_of(folding: Folding, event: CoupEvent) -> Mark:
    """Note when something was said about a coup."""
    if isinstance(event, ResultAnnounced):
        return Mark(
            folding.sequence,
            folding.occurred_at_us,
            event.player_points,
            event.banker_points,
            event.winner,
            event.winning_wagers,
        )
    if isinstance(event, CountsAnnounced):
        return Mark(
            folding.sequence, folding.occurred_at_us, event.player_points, event.banker_points
        )
    lacks = _lacking(event) if isinstance(event, CoupVoided) else None
    return Mark(
        folding.sequence, folding.occurred_at_us, is_unauthorised=lacks is not None, lacks=lacks
    )


def _lacking(event: CoupVoided | PayoutCorrected) -> Lacking | None:
    """Say what a void or a correction does not name; None where it names both."""
    if event.authorised_by and event.reason:
        return None
    if event.reason:
        return "supervisor"
    return "reason" if event.authorised_by else "both"


def call(folding: Folding, coup: CoupState, event: CountsAnnounced | ResultAnnounced) -> CoupState:
    """Take counts or a result as called; what was called otherwise before is remembered."""
    mark = mark_of(folding, event)
    mark = mark._replace(hands=coup.hands, error_count=len(coup.errors))
    is_result = isinstance(event, ResultAnnounced)
    before, called_before = coup.result if is_result else coup.counts, coup.called_before
    if is_result and before is not None:
        mark = mark._replace(since=before.since or before.sequence)
    if before is not None and before[2:6] != mark[2:6]:
        called_before = (*called_before, before)[:CALLS_MAX]
    if is_result:
        return folding.put_coup(
            evolve(
                coup, last_sequence=reached(folding, coup), result=mark, called_before=called_before
            )
        )
    return folding.put_coup(
        evolve(coup, last_sequence=reached(folding, coup), counts=mark, called_before=called_before)
    )


def collect_stake(folding: Folding, coup: CoupState, event: StakeCollected) -> CoupState | None:
    """Add a stake that was collected apart from a settlement."""
    wager = _wager(folding, coup, event.wager_id, event.type)
    if wager is None:
        return None
    entry = f"collection {event.collection_id} {event.wager_id} {event.collected_minor}"
    if _is_again(folding, coup, event.type, entry):
        return coup
    total = (wager.collected_minor or 0) + event.collected_minor
    if not _is_total_possible(folding, event, total):
        return None
    collected = wager._replace(collected_minor=total)
    return _with_wager(folding, coup, collected, entry_ids=_with_entry(coup, entry))


def _is_total_possible(
    folding: Folding, event: StakeCollected | WagerRefunded, total_minor: int
) -> bool:
    """Whether what came bit by bit is still an amount: no event alone may say more either."""
    if total_minor <= MINOR_MAX:
        return True
    words = f"with it, wager {event.wager_id} comes to {total_minor} minor units, beyond any table"
    reject(folding, event.type, words)
    return False


def _with_entry(coup: CoupState, entry: str) -> tuple[str, ...]:
    return (*coup.entry_ids, entry)[-IDS_KEPT:]


def _is_again(folding: Folding, coup: CoupState, event_type: str, entry: str) -> bool:
    """Whether an id was told before; with other words behind it, that is said."""
    name, _, words = entry.partition(" ")
    id_ = words.partition(" ")[0]
    begin = f"{name} {id_}"
    for known in coup.entry_ids:
        if known in (entry, begin):  # states before this kept the id alone
            return True
        if known.startswith(f"{begin} "):
            reject(folding, event_type, f"{begin} was told before, with other words")
            return True
    return False


def settle(folding: Folding, coup: CoupState, event: WagerSettled) -> CoupState | None:
    """Add the settlement of a wager; a repeat of a settlement id changes nothing."""
    wager = _wager(folding, coup, event.wager_id, event.type)
    if wager is None:
        return None
    known = _payment_of(coup, event.settlement_id)
    if known is not None:
        is_of_it = any(one is known for one in wager.payments)
        return _same_or_conflict(folding, coup, known, event, is_of_it=is_of_it)
    if len(wager.payments) >= PAYMENTS_MAX:
        reject(folding, event.type, f"a wager has at most {PAYMENTS_MAX} settlements")
        return None
    return _with_wager(folding, coup, wager.paid(_payment(folding, coup, event)))


def settle_seat(folding: Folding, coup: CoupState, event: SeatSettled) -> CoupState | None:
    """Add the settlement of a seat; a repeat of a settlement id changes nothing."""
    known = _payment_of(coup, event.settlement_id)
    if known is not None:
        is_of_it = any(one.payment is known and one.seat == event.seat for one in coup.seats)
        return _same_or_conflict(folding, coup, known, event, is_of_it=is_of_it)
    if len(coup.seats) >= ENTRIES_MAX:
        reject(folding, event.type, f"a coup has at most {ENTRIES_MAX} seat settlements")
        return None
    entry = SeatPayment(event.seat, _payment(folding, coup, event))
    return folding.put_coup(
        evolve(coup, last_sequence=reached(folding, coup), seats=(*coup.seats, entry))
    )


def _payment(folding: Folding, coup: CoupState, event: WagerSettled | SeatSettled) -> Payment:
    return Payment(
        event.settlement_id,
        folding.sequence,
        event.paid_minor,
        event.stake_collected_minor,
        event.vigorish_taken_minor,
        event.vigorish_marked_minor,
        is_after_void=coup.voided is not None,
        had_result=coup.result is not None or coup.voided is not None,
        card_count=len(coup.cards),
        occurred_at_us=folding.occurred_at_us,
    )


def _payment_of(coup: CoupState, settlement_id: str) -> Payment | None:
    for wager in coup.wagers:
        if wager.payments:
            for payment in wager.payments:
                if payment.settlement_id == settlement_id:
                    return payment
    for seat in coup.seats:
        if seat.payment.settlement_id == settlement_id:
            return seat.payment
    return None


def _same_or_conflict(
    folding: Folding,
    coup: CoupState,
    known: Payment,
    event: WagerSettled | SeatSettled,
    *,
    is_of_it: bool,
) -> CoupState:
    """Take a settlement id that comes again: the same words change nothing, others are noted."""
    amounts = zip(known[2:6], _payment(folding, coup, event)[2:6], strict=True)
    # What one of the two leaves out contradicts nothing.
    is_same = is_of_it and all(
        was == now for was, now in amounts if was is not None and now is not None
    )
    if is_same or any(one[0] == known.settlement_id for one in coup.conflicts):
        return coup
    conflict = Conflict(
        known.settlement_id, folding.sequence, event.paid_minor, folding.occurred_at_us
    )
    return folding.put_coup(
        evolve(
            coup,
            last_sequence=reached(folding, coup),
            conflicts=(*coup.conflicts, conflict)[:ENTRIES_MAX],
        )
    )


def correct(folding: Folding, coup: CoupState, event: PayoutCorrected) -> CoupState | None:
    """Apply a correction to the settlement that it names."""
    changes = (
        event.paid_change_minor,
        event.stake_collected_change_minor,
        event.vigorish_taken_change_minor,
        event.vigorish_marked_change_minor,
    )
    told = " ".join(str(one) for one in (event.correction_id, event.settlement_id, *changes))
    entry = f"correction {told}"
    if _is_again(folding, coup, event.type, entry):
        return coup
    if any(one.correction_id == event.correction_id for one in coup.corrections):
        return coup
    if _payment_of(coup, event.settlement_id) is None:
        reject_unknown(folding, event.type, f"settlement {event.settlement_id}")
        return None
    if len(coup.corrections) >= ENTRIES_MAX:
        reject(folding, event.type, f"a coup has at most {ENTRIES_MAX} corrections")
        return None
    lacks = _lacking(event)
    correction = Correction(
        event.correction_id,
        event.settlement_id,
        folding.sequence,
        folding.occurred_at_us,
        is_authorised=lacks is None,
        lacks=lacks,
        paid_change_minor=event.paid_change_minor,
    )
    wagers = tuple(
        one._replace(payments=tuple(_corrected(payment, event) for payment in one.payments))
        for one in coup.wagers
    )
    seats = tuple(one._replace(payment=_corrected(one.payment, event)) for one in coup.seats)
    corrections, entries = (*coup.corrections, correction), _with_entry(coup, entry)
    return folding.put_coup(
        evolve(
            coup,
            last_sequence=reached(folding, coup),
            wagers=wagers,
            seats=seats,
            corrections=corrections,
            entry_ids=entries,
        )
    )


def _corrected(payment: Payment, event: PayoutCorrected) -> Payment:
    if payment.settlement_id != event.settlement_id:
        return payment
    return payment._replace(
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
    entry = f"refund {event.refund_id} {event.wager_id} {event.refunded_minor}"
    if _is_again(folding, coup, event.type, entry):
        return coup
    total = (wager.refunded_minor or 0) + event.refunded_minor
    if not _is_total_possible(folding, event, total):
        return None
    refunded = wager._replace(refunded_minor=total)
    return _with_wager(folding, coup, refunded, entry_ids=_with_entry(coup, entry))
