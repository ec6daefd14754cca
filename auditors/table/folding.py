"""The step of each event at a table: what it adds to what is known, and what is judged again."""

from __future__ import annotations

import hashlib

from auditors.table.coup_records import close_all, close_coup, is_plain, put_out
from auditors.table.coups import begin_deal, coup_of, known_coup
from auditors.table.events import chip_slips, coup_events, shoe_events, table_events
from auditors.table.events.card_ids import note_dealt, note_drawn_in_error, note_read
from auditors.table.events.shoe_dealing import deal_from_shoe, read_from_shoe
from auditors.table.judging import vigorish_findings as vigorish
from auditors.table.judging.card_findings import counts_findings, has_clean_cards
from auditors.table.judging.dues import collected_in_all, judge
from auditors.table.judging.payment_findings import is_settled_well
from auditors.table.judging.placing_findings import is_placed_well, without_base
from auditors.table.judging.vigorish_findings import judge_vacated, mark_vigorish
from auditors.table.known.capabilities import checks_off
from auditors.table.known.context import Folding, Snapshot
from auditors.table.known.shoe_records import shoe_in_play
from auditors.table.known.state import (
    CHECKPOINT_BYTES_MAX,
    STATE_FORMAT,
    CoupState,
    PlacedWager,
    encode_state,
)
from auditors.table.known.view import CoupView
from auditors.table.steps import check_complete, folds, step_of
from auditors.values import evolve
from schemas import events
from schemas.events.union import AnyEvent
from schemas.records import RecordKind


def fold_event(folding: Folding, event: AnyEvent) -> None:
    """Fold one event whose turn it is; events of a controller pass through."""
    step = step_of(event.type)
    if step is not None:
        step(folding, event)


@folds(events.WagerPlaced)
def _placed(folding: Folding, event: events.WagerPlaced) -> None:
    coup = coup_of(folding, event)
    after = coup and coup_events.place_wager(folding, coup, event)
    if after is None:
        return
    is_early = is_plain(after) and after.no_more_bets is None
    if not (is_early and is_placed_well(CoupView(folding, after), after.wagers[-1])):
        put_out(folding, after)


@folds(events.WagerChanged)
def _changed(folding: Folding, event: events.WagerChanged) -> None:
    coup = known_coup(folding, event)
    after = coup and coup_events.change_wager(folding, coup, event)
    if after is not None:
        put_out(folding, after)


@folds(events.WagerWithdrawn)
def _withdrawn(folding: Folding, event: events.WagerWithdrawn) -> None:
    coup = known_coup(folding, event)
    after = coup and coup_events.withdraw_wager(folding, coup, event)
    if after is not None:
        put_out(folding, after)


@folds(events.NoMoreBets)
def _no_more_bets(folding: Folding, event: events.NoMoreBets) -> None:
    coup = coup_of(folding, event)
    if coup is None or coup.no_more_bets is not None:
        return
    after = folding.put_coup(
        evolve(
            coup,
            last_sequence=coup_events.reached(folding, coup),
            no_more_bets=coup_events.mark_of(folding, event),
        )
    )
    if not is_plain(after) or without_base(CoupView(folding, after)):
        put_out(folding, after)


@folds(events.CardDealt)
def _dealt(folding: Folding, event: events.CardDealt) -> None:
    coup = coup_of(folding, event)
    if coup is None:
        return
    if not coup.cards:
        coup = begin_deal(folding, coup)
    after = coup_events.deal_card(folding, coup, event)
    if after is None:
        return
    shoe = folding.state.shoe
    is_of_shoe = shoe is not None and shoe.shoe_id == after.shoe_id
    if is_of_shoe and not _was_counted(folding, event.error_id):
        deal_from_shoe(folding, event.card, after.cards[0].sequence)
    if event.card_id is not None:
        note_dealt(folding, coup, event)
    if after.result is not None:
        mark_vigorish(folding, coup, after)
    card = after.cards[-1]
    is_news = card.card is None or card.foreign is not None or after.is_overrun
    if is_news or after.result is not None or not is_plain(after):
        put_out(folding, after)


@folds(events.CardRead)
def _read(folding: Folding, event: events.CardRead) -> None:
    coup = known_coup(folding, event)
    after = coup and coup_events.read_card(folding, coup, event)
    if after is None or after is coup or coup is None:
        return
    shoe = folding.state.shoe
    if shoe is not None and shoe.shoe_id == after.shoe_id:
        read_from_shoe(folding, event.card, _unread_since(folding, coup, event))
    note_read(folding, coup, event)
    mark_vigorish(folding, coup, after)
    put_out(folding, after)


def _unread_since(folding: Folding, coup: CoupState, event: events.CardRead) -> int:
    """Count the unread cards that came out of the shoe from a card on, that one included."""
    unread = [(one.hand, one.position) for one in coup.cards if one.card is None]
    count = len(unread) - unread.index((event.hand, event.position))
    for one in reversed(folding.state.coups):
        if one.coup_id == coup.coup_id:
            break
        if one.shoe_id == coup.shoe_id:
            count += sum(card.card is None for card in one.cards)
    return count


def _was_counted(folding: Folding, error_id: str | None) -> bool:
    """Whether a card left the shoe before, when it was drawn in error."""
    if error_id is None:
        return False
    return any(error_id in coup.errors for coup in folding.state.coups)


@folds(events.CardDrawnInError)
def _drawn_in_error(folding: Folding, event: events.CardDrawnInError) -> None:
    coup = known_coup(folding, event)
    after = coup and coup_events.draw_in_error(folding, coup, event)
    if after is None or after is coup:
        return
    shoe = folding.state.shoe
    if event.position is None and shoe is not None and shoe.shoe_id == after.shoe_id:
        began = after.cards[0].sequence if after.cards else folding.sequence
        deal_from_shoe(folding, event.card, began, is_begun=bool(after.cards))
        if event.disposition == "burned":  # else it is dealt, and compared then
            shoe_events.check_foreign(
                folding, "drawn_in_error", event.card, event.card_id, event.back
            )
    if coup is not None:
        note_drawn_in_error(folding, coup, event)
        mark_vigorish(folding, coup, after)
    if after.result is not None or not is_plain(after):
        put_out(folding, after)


@folds(events.CountsAnnounced)
def _counts(folding: Folding, event: events.CountsAnnounced) -> None:
    coup = coup_of(folding, event)
    if coup is None:
        return
    after = coup_events.call(folding, coup, event)
    if not is_plain(after) or any(counts_findings(CoupView(folding, after))):
        put_out(folding, after)


@folds(events.ResultAnnounced)
def _result(folding: Folding, event: events.ResultAnnounced) -> None:
    coup = coup_of(folding, event)
    if coup is None:
        return
    after = coup_events.call(folding, coup, event)
    view = CoupView(folding, after)
    # What was paid before can be judged now.
    paid = [judge(view, one) for one in after.wagers if one.payments]
    if paid or after.seats:
        mark_vigorish(folding, coup, after)
    is_well = has_clean_cards(view) and all(is_settled_well(view, one) for one in paid)
    if not (is_plain(after) and is_well):
        put_out(folding, after)


@folds(events.StakeCollected)
def _stake_collected(folding: Folding, event: events.StakeCollected) -> None:
    coup = known_coup(folding, event)
    after = coup and coup_events.collect_stake(folding, coup, event)
    if after is None or after is coup:
        return
    wager = _wager_of(after, event.wager_id)
    is_well = wager is not None and collected_in_all(CoupView(folding, after), wager) <= (
        wager.stake_minor or 0
    )
    if not (is_plain(after) and is_well):
        put_out(folding, after)


def _wager_of(coup: CoupState, wager_id: str) -> PlacedWager | None:
    for one in coup.wagers:  # a generator would cost as much as all of the search
        if one.wager_id == wager_id:
            return one
    return None


@folds(events.WagerSettled)
def _settled(folding: Folding, event: events.WagerSettled) -> None:
    coup = known_coup(folding, event)
    after = coup and coup_events.settle(folding, coup, event)
    if after is None or after is coup or coup is None:
        return
    wager = _wager_of(after, event.wager_id)
    if wager is None or after.conflicts is not coup.conflicts:
        put_out(folding, after)
        return
    view = CoupView(folding, after)
    is_well = is_settled_well(view, judge(view, wager))
    if event.vigorish_marked_minor or not is_well:
        mark_vigorish(folding, coup, after)
    if not (is_plain(after) and is_well):
        put_out(folding, after)


@folds(events.SeatSettled)
def _seat_settled(folding: Folding, event: events.SeatSettled) -> None:
    coup = coup_of(folding, event)
    after = coup and coup_events.settle_seat(folding, coup, event)
    if after is None or after is coup or coup is None:
        return
    is_new = after.conflicts is coup.conflicts
    if is_new:
        mark_vigorish(folding, coup, after)
    is_first = all(one.seat != event.seat for one in coup.seats)
    if not (is_plain(after) and is_new and is_first):
        put_out(folding, after)


@folds(events.PayoutCorrected)
def _corrected(folding: Folding, event: events.PayoutCorrected) -> None:
    coup = known_coup(folding, event)
    after = coup and coup_events.correct(folding, coup, event)
    if after is None or after is coup or coup is None:
        return
    mark_vigorish(folding, coup, after)
    put_out(folding, after)


@folds(events.WagerRefunded)
def _refunded(folding: Folding, event: events.WagerRefunded) -> None:
    coup = known_coup(folding, event)
    after = coup and coup_events.refund(folding, coup, event)
    if after is not None and after is not coup:
        put_out(folding, after)


@folds(events.CoupVoided)
def _voided(folding: Folding, event: events.CoupVoided) -> None:
    coup = coup_of(folding, event)
    if coup is not None and coup.voided is None:
        # Refunds follow, so a coup that had closed goes on until it is closed again.
        mark = coup_events.mark_of(folding, event)
        after = folding.put_coup(
            evolve(
                coup, last_sequence=coup_events.reached(folding, coup), voided=mark, is_closed=False
            )
        )
        mark_vigorish(folding, coup, after)
        put_out(folding, after)


@folds(events.CoupClosed)
def _closed(folding: Folding, event: events.CoupClosed) -> None:
    coup = coup_of(folding, event)
    if coup is not None:
        close_coup(
            folding,
            folding.put_coup(evolve(coup, last_sequence=coup_events.reached(folding, coup))),
        )


@folds(events.ShoeLoaded)
def _shoe_loaded(folding: Folding, event: events.ShoeLoaded) -> None:
    close_all(folding)
    if shoe_events.load_shoe(folding, event):
        name = shoe_in_play(folding).shoe_id
        _checkpoint(folding, f"shoe_loaded/{name}", is_shoe=True)


@folds(events.ShoeEnded)
def _shoe_ended(folding: Folding, event: events.ShoeEnded) -> None:
    close_all(folding)
    shoe_events.end_shoe(folding, event)


@folds(events.TableOpened)
def _opened(folding: Folding, event: events.TableOpened) -> None:
    table_events.open_table(folding, event)
    _checkpoint(folding, f"table_opened/{folding.feed_id}/{folding.sequence}", is_shoe=False)


@folds(events.TableClosed)
def _table_closed(folding: Folding, event: events.TableClosed) -> None:
    close_all(folding)
    table_events.close_table(folding, event)


@folds(events.SeatVacated)
def _vacated(folding: Folding, event: events.SeatVacated) -> None:
    judge_vacated(folding, event.seat, event.patron)


@folds(events.DealerOn)
def _dealer_on(folding: Folding, event: events.DealerOn) -> None:
    folding.state.dealer = event.dealer


@folds(events.DealerOff)
def _dealer_off(folding: Folding, event: events.DealerOff) -> None:
    # Relief comes before the dealer who goes: who is relieved takes nobody else off the table.
    if folding.state.dealer == event.dealer:
        folding.state.dealer = None


def _checkpoint(folding: Folding, subject: str, *, is_shoe: bool) -> None:
    """Put out the whole state, from which replay, amending and re-auditing start.

    Hashes of what came before are left out: who starts here meets none of it again. One that no
    message could hold is left out whole: an earlier one serves as well, and late truth about the
    shoe is left to whoever folds from there.
    """
    earlier = tuple(evolve(feed, hashes="") for feed in folding.state.superseded)
    bare = evolve(folding.state, checkpoint=None, superseded=earlier)
    if bare.feed is not None:
        bare = evolve(bare, feed=evolve(bare.feed, hashes=""))
    raw = encode_state(bare)
    # As a text within JSON each quote and backslash is two bytes.
    fits = len(raw) + raw.count(b'"') + raw.count(b"\\") <= CHECKPOINT_BYTES_MAX
    text = raw.decode()
    if is_shoe:
        folding.state.checkpoint = text if fits else None
    if not fits:
        return
    folding.emit(
        folding.record(
            RecordKind.CHECKPOINT,
            subject,
            snapshot=Snapshot(
                text,
                hashlib.sha256(raw).hexdigest(),
                STATE_FORMAT,
                checks_off(folding.state.reports),
            ),
        )
    )


check_complete(chip_slips, shoe_events, table_events, vigorish)
