"""Events of a shoe and what is wrong with it: loaded, burned, dealt out, ended."""

from __future__ import annotations

from typing import NamedTuple

from auditors.law.interpretations import BurnedCards
from auditors.settlement.asserting import Claim
from auditors.table.events.card_ids import note_out, note_put_in
from auditors.table.events.composition import (
    assert_composition,
    check_end,
    check_inspection,
    name_problem,
    take_out,
)
from auditors.table.judging.vigorish_findings import judge_ended, keep_owing
from auditors.table.known.context import Folding
from auditors.table.known.coup_names import told_coup
from auditors.table.known.gaming_dates import gaming_date_at
from auditors.table.known.rejections import reject, reject_unknown, say_used_again
from auditors.table.known.shoe_names import (
    is_dealt_out,
    is_in_play,
    is_known_by_cards,
    is_known_shoe,
    is_of_late,
    is_told_again,
    name_beside,
    with_old,
)
from auditors.table.known.shoe_records import (
    assert_of_shoe,
    emit_shoe,
    shoe_finding,
    shoe_in_play,
    why_foreign,
)
from auditors.table.known.state import (
    REMOVALS_MAX,
    SHOES_KEPT,
    Removal,
    ShoeState,
)
from auditors.table.steps import folds
from auditors.values import evolve
from schemas.cards import parse_card
from schemas.events import (
    Capability,
    CardExposed,
    CardRemoved,
    CardReplaced,
    CardsBurned,
    CoverCardDrawn,
    ShoeEnded,
    ShoeLoaded,
)
from schemas.finding_facts.shoe import BurnCounted, Came, CardForeign, DecksLoaded, ReplacedUnlike
from schemas.findings import FindingCode


def load_shoe(folding: Folding, event: ShoeLoaded) -> bool:
    """Take up a new shoe; the one before ends here if it was not ended.

    Returns:
        Whether the shoe is in play now.
    """
    if not folding.state.filings:
        reject_unknown(folding, event.type, "the filing, which table_opened brings,")
        return False
    state, now_us = folding.state, folding.occurred_at_us
    if state.other_feeds and is_of_late(state, event.shoe_id):
        return False
    if is_told_again(state, event.shoe_id, folding.feed_id, now_us):
        reject(folding, event.type, f"shoe {event.shoe_id} was loaded before")
        return False
    inspection = event.inspection
    _take_up(
        folding,
        event.shoe_id,
        event.type,
        _Known(
            decks=event.decks,
            # The cards of both loadings may be those of one shoe.
            is_unverified=is_in_play(state, event.shoe_id) and not is_dealt_out(state, now_us),
            is_shuffled=event.shuffle is not None,
            is_inspected=inspection is not None,
            backs=event.backs,
            card_id_prefix=event.card_id_prefix,
        ),
    )
    filed = folding.rules.rules.terms.decks
    if event.decks != filed:
        name_problem(folding, DecksLoaded(loaded=event.decks, filed=filed))
    if inspection is not None and folding.can(Capability.INSPECTION):
        check_inspection(folding, inspection, "inspected")
    return True


def take_up_unknown(folding: Folding, shoe_id: str, event_type: str) -> None:
    """Take up a shoe of which no loading was reported: nothing about it is known."""
    before = folding.state.shoe
    _take_up(
        folding,
        shoe_id,
        event_type,
        _Known(
            decks=folding.rules.rules.terms.decks,
            is_unverified=folding.state.is_after_gap or is_known_by_cards(folding.state, shoe_id),
            is_told=False,
        ),
    )
    if before is not None:
        # The checkpoint is that of the shoe before: late truth is folded from there.
        folding.put_shoe(
            evolve(
                shoe_in_play(folding),
                first_offset=before.first_offset,
                first_feed_id=before.first_feed_id,
                first_sequence=before.first_sequence,
            )
        )


class _Known(NamedTuple):
    """What is known of a shoe that comes into play."""

    decks: int
    is_unverified: bool
    is_told: bool = True
    is_shuffled: bool = False
    is_inspected: bool = False
    backs: tuple[str, ...] = ()
    card_id_prefix: str | None = None


def _take_up(folding: Folding, shoe_id: str, event_type: str, known: _Known) -> None:
    before, name = folding.state.shoe, shoe_id
    if is_known_shoe(folding.state, shoe_id):
        name = name_beside(shoe_id, folding.feed_id, folding.sequence)
        say_used_again(folding, event_type, {f"shoe {shoe_id}": name})
    if before is not None:
        if not before.is_ended:
            end_shoe(folding, None)
        folding.state.old_shoes = with_old(folding.state, before)
    keep_owing(folding)
    feeds = (folding.state.feed, folding.state.incoming)
    held = [one.offset for feed in feeds if feed is not None for one in feed.held]
    shoe = ShoeState(
        shoe_id=name,
        feed_id=folding.feed_id,
        loaded_sequence=folding.sequence,
        loaded_at_us=folding.occurred_at_us,
        first_offset=min([folding.own_offset, *held]),
        first_feed_id=folding.feed_id,
        first_sequence=folding.sequence,
        gaming_date=gaming_date_at(folding),
        had_shared_ids=before is not None and before.card_ids is None,
        decks=known.decks,
        is_unverified=known.is_unverified,
        is_told=known.is_told,
        is_shuffled=known.is_shuffled,
        is_inspected=known.is_inspected,
        backs=known.backs,
        card_id_prefix=known.card_id_prefix,
    )
    folding.state.shoe = shoe


def _shoe_of(folding: Folding, shoe_id: str, event_type: str) -> ShoeState | None:
    if is_in_play(folding.state, shoe_id):
        return shoe_in_play(folding)
    if is_known_shoe(folding.state, shoe_id) and not folding.state.is_after_gap:
        reject(folding, event_type, f"shoe {shoe_id} is not in play any more")
    else:
        reject_unknown(folding, event_type, f"shoe {shoe_id}")
    return None


@folds(CardsBurned)
def burn(folding: Folding, event: CardsBurned) -> None:
    """Count burned cards; the opening burn is judged against its exposed card."""
    if _shoe_of(folding, event.shoe_id, event.type) is None:
        return
    is_opening = event.occasion == "opening"
    cards = [one for one in (event.exposed_card, *event.burned_cards) if one is not None]
    turns_one = is_opening and folding.rules.submission.burn_exposed_card
    out = event.burned_count + (1 if turns_one or event.exposed_card is not None else 0)
    take_out(folding, cards, out - len(cards))
    check_foreign(folding, "burned", event.exposed_card, event.exposed_card_id, None)
    note_out(folding, event.exposed_card_id, event.exposed_card)
    if is_opening and event.exposed_card is not None and folding.can(Capability.BURN):
        _check_burn(folding, event.exposed_card, event.burned_count)


def _check_burn(folding: Folding, exposed: str, burned_count: int) -> None:
    rules = folding.rules.rules
    if not folding.rules.submission.burn_exposed_card:
        return
    value = parse_card(exposed).value or 10
    reading = rules.terms.readings[BurnedCards.ID]
    expected = value - 1 if reading == BurnedCards.EXPOSED_INCLUDED else value
    if burned_count == expected:
        return
    shoe = shoe_in_play(folding)
    found = shoe_finding(
        folding,
        FindingCode.BURN_MISMATCH,
        shoe.shoe_id,
        BurnCounted(exposed=exposed, expected=expected, burned=burned_count),
        Claim(interpretations={BurnedCards.ID: reading}),
    )
    assert_of_shoe(folding, found)


@folds(CoverCardDrawn)
def draw_cover_card(folding: Folding, event: CoverCardDrawn) -> None:
    """Note which coup is the last one that may be dealt."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None or event.cover_card != "first" or shoe.last_dealt_no is not None:
        return
    after = folding.rules.submission.hands_after_cover_card
    # In front of the first card of a coup: that coup is finished, and counts as the first after.
    allowed = after if _is_in_coup(folding, event) else max(after, 1)
    folding.put_shoe(evolve(shoe_in_play(folding), last_dealt_no=shoe.dealt_count + allowed))


def _is_in_coup(folding: Folding, event: CoverCardDrawn) -> bool:
    """Whether the cover card came out within a coup, behind its first card."""
    if event.coup_id is None:
        return False
    coup = told_coup(folding.state, event.coup_id)
    return coup is not None and bool(coup.cards)


@folds(CardRemoved)
def remove_card(folding: Folding, event: CardRemoved) -> None:
    """Note a card that was taken away."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None:
        return
    for one in (*shoe.removed, *shoe.made_good):
        if one.removal_id == event.removal_id:
            if (one.card, one.was_in_shoe) != (event.card, event.taken_from == "shoe"):
                words = f"removal {event.removal_id} was told before, with other words"
                reject(folding, event.type, words)
            return
    if len(shoe.removed) >= REMOVALS_MAX:
        reject(folding, event.type, f"at most {REMOVALS_MAX} removals stand open")
        return
    check_foreign(folding, "removed", event.card, event.card_id, event.back)
    dealt_count = shoe_in_play(folding).dealt_count
    if any(one.is_unverified and not (one.is_closed or one.cards) for one in folding.state.coups):
        dealt_count += 1  # its first card may be among the events that are missing
    entry = Removal(
        event.removal_id, event.card, folding.sequence, event.taken_from == "shoe", dealt_count
    )
    folding.put_shoe(evolve(shoe_in_play(folding), removed=(*shoe.removed, entry)))


@folds(CardReplaced)
def replace_card(folding: Folding, event: CardReplaced) -> None:
    """Make a removal good; a card is replaced by its like."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None:
        return
    gone = next((one for one in shoe.removed if one.removal_id == event.removal_id), None)
    if gone is None:
        _replaced_again(folding, event)
        return
    folding.put_shoe(
        evolve(
            shoe_in_play(folding),
            removed=tuple(one for one in shoe.removed if one is not gone),
            made_good=(*shoe.made_good, gone)[-REMOVALS_MAX:],
        )
    )
    note_put_in(folding, event.card_id)
    if gone.card is not None and event.card is not None and event.card != gone.card:
        name_problem(folding, _unlike(gone.card, event.card))


def _unlike(gone: str, put_in: str) -> ReplacedUnlike:
    return ReplacedUnlike(removed=gone, put_in=put_in)


def _replaced_again(folding: Folding, event: CardReplaced) -> None:
    """Take the replacement of a card that is not missing: the same words change nothing."""
    shoe = shoe_in_play(folding)
    good = next((one for one in shoe.made_good if one.removal_id == event.removal_id), None)
    if good is None:
        reject_unknown(folding, event.type, f"an open removal {event.removal_id}")
        return
    if good.card is None or event.card in (None, good.card):
        return
    unlike = _unlike(good.card, event.card or "")
    # A build before this noted it in words.
    in_words = f"{unlike.removed} was removed and replaced by {unlike.put_in}"
    if unlike not in shoe.problems and in_words not in shoe.problems:
        words = f"removal {event.removal_id} was made good before, by another card"
        reject(folding, event.type, words)


@folds(CardExposed)
def expose_card(folding: Folding, event: CardExposed) -> None:
    """Count a card that was seen before its turn, unless it is played."""
    if _shoe_of(folding, event.shoe_id, event.type) is None or event.disposition == "played":
        return
    cards = [event.card] if event.card is not None else []
    take_out(folding, cards, 1 - len(cards))
    came: Came = "burned" if event.disposition == "burned" else "exposed"
    check_foreign(folding, came, event.card, event.card_id, event.back)
    note_out(folding, event.card_id, event.card)


def check_foreign(
    folding: Folding, came: Came, card: str | None, card_id: str | None, back: str | None
) -> None:
    """Judge whether a card that was not dealt can have come out of the shoe in play."""
    shoe = shoe_in_play(folding)
    problem = why_foreign(folding, shoe, card_id, back)
    if problem is not None:
        found = shoe_finding(
            folding,
            FindingCode.CARD_FROM_OTHER_SHOE,
            f"{shoe.shoe_id}/{card_id or folding.sequence}",
            CardForeign(came=came, card=card, problem=problem),
        )
        assert_of_shoe(folding, found)


def end_shoe(folding: Folding, event: ShoeEnded | None) -> None:
    """Close the shoe: its cards must add up and its marked vigorish be collected."""
    shoe = folding.state.shoe
    if event is not None:
        shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None or shoe.is_ended:
        return
    folding.put_shoe(evolve(shoe_in_play(folding), is_ended=True))
    if event is not None and not shoe.is_unverified:
        check_end(folding, event)
    if shoe.excess:
        assert_composition(folding)
    judge_ended(folding)
    orders = (*folding.state.earlier_orders, (shoe.shoe_id, shoe.order))[-SHOES_KEPT:]
    folding.state.earlier_orders = orders
    emit_shoe(folding, shoe_in_play(folding))
