"""What happens to a shoe, and what is wrong with it? Loaded, burned, dealt out, ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from auditors.asserting import Claim, assert_finding
from auditors.shoe import composition_excess, excess_sentence, held_multiset
from auditors.table.clock import gaming_date_of
from auditors.table.context import Folding, rules_of
from auditors.table.rejecting import reject
from auditors.table.shoe_order import cards_of, mark_of, repeat_ending_at
from auditors.table.state import FINDINGS_MAX, SHOES_KEPT, DealtCard, Removal, ShoeState
from schemas.cards import Card, parse_card
from schemas.events import (
    Capability,
    CardExposed,
    CardRemoved,
    CardReplaced,
    CardsBurned,
    CoverCardDrawn,
    Inspection,
    ShoeEnded,
    ShoeLoaded,
    VigorishCollected,
)
from schemas.findings import FindingCode
from schemas.money import format_minor
from schemas.records import RecordKind, ShoeRow

REMOVALS_MAX: Final = 32
"""Open removals of one shoe."""

SEATS_MAX: Final = 64
"""Seats with marked vigorish."""


def load_shoe(folding: Folding, event: ShoeLoaded) -> None:
    """Take up a new shoe; the one before ends here if it was not ended."""
    state = folding.state
    if not state.filings:
        reject(folding, event.type, "no table_opened has filed the rules of this table")
        return
    if state.shoe is not None and not state.shoe.is_ended:
        end_shoe(folding, None)
    rules = rules_of(folding.state, folding.state.filings[-1][0]).rules
    inspection = event.inspection
    cards = inspection.cards if inspection else None
    shoe = ShoeState(
        shoe_id=event.shoe_id,
        decks=event.decks,
        loaded_sequence=folding.sequence,
        loaded_at_us=folding.occurred_at_us,
        first_offset=folding.own_offset,
        gaming_date=gaming_date_of(rules.terms, folding.occurred_at_us),
        is_shuffled=event.shuffle is not None,
        is_inspected=inspection is not None,
        inspected_cards=tuple(sorted(cards.items())) if cards else (),
        backs=event.backs,
        card_id_prefix=event.card_id_prefix,
    )
    folding.state = replace(folding.state, shoe=shoe)
    if event.decks != rules.terms.decks:
        _assert_shoe(
            folding, FindingCode.SHOE_COMPOSITION, shoe.shoe_id,
            f"Shoe {shoe.shoe_id} was loaded with {event.decks} decks; the Rules Submission files "
            f"{rules.terms.decks}.",
        )  # fmt: skip
    if inspection is not None:
        _check_inspection(folding, inspection)


def unknown_shoe(folding: Folding, shoe_id: str) -> None:
    """Take up a shoe of which no loading was reported: nothing about it is known."""
    state = folding.state
    if state.shoe is not None and not state.shoe.is_ended:
        end_shoe(folding, None)
    terms = rules_of(folding.state, folding.state.filings[-1][0]).rules.terms
    folding.state = replace(
        folding.state,
        shoe=ShoeState(
            shoe_id=shoe_id,
            decks=terms.decks,
            loaded_sequence=folding.sequence,
            loaded_at_us=folding.occurred_at_us,
            first_offset=folding.own_offset,
            gaming_date=gaming_date_of(terms, folding.occurred_at_us),
            is_unverified=folding.state.is_after_gap,
        ),
    )


def _shoe_of(folding: Folding, shoe_id: str, event_type: str) -> ShoeState | None:
    shoe = folding.state.shoe
    if shoe is None or shoe.shoe_id != shoe_id:
        reject(folding, event_type, f"shoe {shoe_id} is not the shoe in play")
        return None
    return shoe


def with_shoe(folding: Folding, shoe: ShoeState) -> None:
    """Put the shoe back into the state."""
    folding.state = replace(folding.state, shoe=shoe)


def _assert_shoe(
    folding: Folding,
    code: FindingCode,
    subject: str,
    sentence: str,
    claim: Claim | None = None,
    seat: str | None = None,
) -> None:
    """Put a finding on the record of the shoe; the same subject is asserted once."""
    shoe = folding.state.shoe
    assert shoe is not None
    place = folding.place(shoe=shoe.shoe_id, seat=seat)
    found = assert_finding(
        code, subject, sentence, place, claim or Claim(), submission=folding.submission
    )
    if any(one.id == found.id for one in shoe.findings) or len(shoe.findings) >= FINDINGS_MAX:
        return
    with_shoe(folding, replace(shoe, findings=(*shoe.findings, found)))
    emit_shoe(folding)


def emit_shoe(folding: Folding) -> None:
    """Put out the record of the shoe in play."""
    shoe = folding.state.shoe
    assert shoe is not None
    row = ShoeRow.model_construct(
        state="closed" if shoe.is_ended else "open",
        decks=shoe.decks,
        coup_count=shoe.coup_count,
        cards_out=sum(count for _, count in shoe.cards) + shoe.unseen_count,
        loaded_sequence=shoe.loaded_sequence,
        loaded_at_us=shoe.loaded_at_us,
    )
    folding.emit(
        folding.record(
            RecordKind.SHOE,
            shoe.shoe_id,
            shoe=row,
            findings=shoe.findings,
            gaming_date=shoe.gaming_date,
        )
    )


def _check_inspection(folding: Folding, inspection: Inspection) -> None:
    """Compare what an inspection counted with what the decks hold."""
    shoe = folding.state.shoe
    assert shoe is not None
    problems = []
    if inspection.card_count not in (None, 52 * shoe.decks):
        problems.append(f"{inspection.card_count} cards, {52 * shoe.decks} held")
    if inspection.cards is not None:
        counted = dict(inspection.cards)
        problems += _uneven(counted, shoe.decks, unseen=0)
    if problems:
        _assert_composition(folding, f"inspected with {'; '.join(problems)}")


def _assert_composition(folding: Folding, problem: str) -> None:
    shoe = folding.state.shoe
    assert shoe is not None
    found = [one for one in shoe.findings if one.code is FindingCode.SHOE_COMPOSITION]
    if found:
        # One finding per shoe names all cards: what was found later is added to it.
        if problem in found[0].sentence:
            return
        said = found[0].sentence.rstrip(".")
        longer = found[0].model_copy(update={"sentence": f"{said}; {problem}."[:2000]})
        kept = tuple(longer if one is found[0] else one for one in shoe.findings)
        with_shoe(folding, replace(shoe, findings=kept))
        emit_shoe(folding)
        return
    _assert_shoe(
        folding, FindingCode.SHOE_COMPOSITION, shoe.shoe_id, f"Shoe {shoe.shoe_id}: {problem}."
    )


def _uneven(counted: dict[str, int], decks: int, unseen: int) -> list[str]:
    """Say which cards are too many, and which are missing beyond those that nobody saw."""
    multiset = {parse_card(card): count for card, count in counted.items()}
    excess = composition_excess(multiset, decks)
    problems = []
    if excess:
        level = min(card.knowledge for card in multiset)
        problems.append(excess_sentence(excess, decks, level))
    missing = _missing(multiset, decks)
    if missing and sum(missing.values()) > unseen:
        named = ", ".join(f"{count} of {card}" for card, count in missing.items())
        problems.append(f"missing: {named}")
    return problems


def _missing(multiset: dict[Card, int], decks: int) -> dict[str, int]:
    """Give the cards of which fewer were counted than the decks hold; only for known suits."""
    if any(card.suit is None for card in multiset):
        return {}
    return {
        str(card): held - multiset.get(card, 0)
        for card, held in held_multiset(decks).items()
        if multiset.get(card, 0) < held
    }


def burn(folding: Folding, event: CardsBurned) -> None:
    """Count burned cards; the opening burn is judged against its exposed card."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None:
        return
    seen = [one for one in (event.exposed_card, *event.burned_cards) if one is not None]
    exposed = event.occasion == "opening"
    out = event.burned_count + (1 if exposed else 0)
    with_shoe(folding, _taken_out(shoe, seen, out - len(seen)))
    if exposed and event.exposed_card is not None:
        _check_burn(folding, event.exposed_card, event.burned_count)
    _check_excess(folding)


def _taken_out(shoe: ShoeState, seen: list[str], unseen: int) -> ShoeState:
    counts = Counter(dict(shoe.cards))
    counts.update(seen)
    return replace(
        shoe,
        cards=tuple(sorted(counts.items())),
        unseen_count=shoe.unseen_count + max(0, unseen),
    )


def _check_burn(folding: Folding, exposed: str, burned_count: int) -> None:
    rules = rules_of(folding.state, folding.state.filings[-1][0]).rules
    submission = rules.terms.submission
    if submission is not None and not submission.burn_exposed_card:
        return
    value = parse_card(exposed).value or 10
    reading = rules.terms.readings["D32"]
    expected = value - 1 if reading == "exposed_included" else value
    shoe = folding.state.shoe
    assert shoe is not None
    if burned_count != expected:
        _assert_shoe(
            folding, FindingCode.BURN_MISMATCH, shoe.shoe_id,
            f"Shoe {shoe.shoe_id}: {exposed} was exposed, so {expected} further cards are burned; "
            f"{burned_count} were.", Claim(interpretations={"D32": reading}),
        )  # fmt: skip


def draw_cover_card(folding: Folding, event: CoverCardDrawn) -> None:
    """Note which coup is the last one permitted."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None or event.cover_card != "first" or shoe.last_coup_no is not None:
        return
    terms = rules_of(folding.state, folding.state.filings[-1][0]).rules.terms
    after = terms.submission.hands_after_cover_card if terms.submission else 1
    last = shoe.coup_count + (after if _in_coup(folding, event) else max(after, 1))
    with_shoe(folding, replace(shoe, last_coup_no=last))


def _in_coup(folding: Folding, event: CoverCardDrawn) -> bool:
    """Whether the cover card came out within a coup, behind its first card."""
    if event.coup_id is None:
        return False
    coup = next((one for one in folding.state.coups if one.coup_id == event.coup_id), None)
    return coup is not None and bool(coup.cards)


def remove_card(folding: Folding, event: CardRemoved) -> None:
    """Note a card that was taken away."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None:
        return
    if len(shoe.removed) >= REMOVALS_MAX:
        reject(folding, event.type, f"at most {REMOVALS_MAX} removals stand open")
        return
    entry = Removal(
        event.removal_id, event.card or "a card", folding.sequence, event.taken_from == "shoe"
    )
    with_shoe(folding, replace(shoe, removed=(*shoe.removed, entry)))


def replace_card(folding: Folding, event: CardReplaced) -> None:
    """Make a removal good."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None:
        return
    kept = tuple(one for one in shoe.removed if one.removal_id != event.removal_id)
    if len(kept) == len(shoe.removed):
        reject(folding, event.type, f"removal {event.removal_id} does not stand open")
        return
    with_shoe(folding, replace(shoe, removed=kept))


def expose_card(folding: Folding, event: CardExposed) -> None:
    """Count a card that was seen before its turn, unless it is played."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None or event.disposition == "played":
        return
    seen = [event.card] if event.card is not None else []
    with_shoe(folding, _taken_out(shoe, seen, 1 - len(seen)))
    _check_excess(folding)


def deal_from_shoe(folding: Folding, card: DealtCard, coup_began: int) -> None:
    """Count a card that was dealt, and judge what only the shoe tells of it.

    Args:
        folding: The event on its way.
        card: The card.
        coup_began: Sequence of the first card of its coup.
    """
    shoe = folding.state.shoe
    if shoe is None:
        return
    if not shoe.order and not shoe.is_unverified:
        _check_inspected(folding, shoe)
        shoe = folding.state.shoe or shoe
    seen = [card.card] if card.card is not None else []
    shoe = replace(_taken_out(shoe, seen, 1 - len(seen)), order=shoe.order + mark_of(card.card))
    with_shoe(folding, shoe)
    for one in shoe.removed:
        if one.sequence < coup_began:
            _assert_shoe(
                folding, FindingCode.CARD_REMOVED, one.removal_id,
                f"Shoe {shoe.shoe_id}: {one.card} was removed (event {one.sequence}) and not "
                "replaced, and dealing went on.",
            )  # fmt: skip
    _check_excess(folding)
    _check_order(folding)


def _check_inspected(folding: Folding, shoe: ShoeState) -> None:
    reports = folding.state.reports
    lacking = [
        word
        for capability, is_there, word in (
            (Capability.SHUFFLE, shoe.is_shuffled, "shuffle"),
            (Capability.INSPECTION, shoe.is_inspected, "inspection"),
        )
        if capability in reports and not is_there
    ]
    if lacking:
        _assert_shoe(
            folding, FindingCode.SHOE_NOT_INSPECTED, shoe.shoe_id,
            f"Shoe {shoe.shoe_id} was dealt without a record of its {' and '.join(lacking)}, "
            "which the table reports.",
        )  # fmt: skip


def _check_excess(folding: Folding) -> None:
    """Look for more of a card than the decks hold, as soon as it has come out."""
    shoe = folding.state.shoe
    assert shoe is not None
    if not any(count > shoe.decks for _, count in shoe.cards):
        return
    excess = composition_excess({parse_card(card): count for card, count in shoe.cards}, shoe.decks)
    if not excess:
        return
    named = "; ".join(str(one) for one in excess)
    found = [one for one in shoe.findings if one.code is FindingCode.SHOE_COMPOSITION]
    if not found:
        _assert_composition(folding, f"more cards than {shoe.decks} decks hold: {named}")


def _check_order(folding: Folding) -> None:
    """Look for a run that was dealt before; one finding for a run, however long it goes on."""
    shoe = folding.state.shoe
    assert shoe is not None
    end = len(shoe.order) - 1
    if shoe.run is not None:
        first, earlier = shoe.run
        source = _earlier_order(folding, shoe)
        position = earlier + end - first
        if position < len(source) and source[position] == shoe.order[end]:
            return
        shoe = replace(shoe, run=None)
        with_shoe(folding, shoe)
    repeat = repeat_ending_at(shoe.order, end, folding.state.earlier_orders)
    if repeat is None:
        return
    with_shoe(folding, replace(shoe, run=(repeat.first, repeat.earlier)))
    where = f"shoe {repeat.shoe_id}" if repeat.shoe_id else "the same shoe"
    run = " ".join(cards_of(shoe.order[repeat.first : end + 1]))
    _assert_shoe(
        folding, FindingCode.SHOE_ORDER_REPEATED, f"{shoe.shoe_id}/{repeat.first + 1}",
        f"Shoe {shoe.shoe_id}: the run {run} at cards {repeat.first + 1} to {end + 1} was dealt "
        f"before, from card {repeat.earlier + 1} of {where}.",
    )  # fmt: skip


def _earlier_order(folding: Folding, shoe: ShoeState) -> str:
    """Give the order in which a run that goes on was dealt before."""
    assert shoe.run is not None
    first, earlier = shoe.run
    length = len(shoe.order) - 1 - first
    run = shoe.order[first : first + length]
    if shoe.order[earlier : earlier + length] == run and earlier < first:
        return shoe.order
    for _, marks in folding.state.earlier_orders:
        if marks[earlier : earlier + length] == run:
            return marks
    return ""


def end_shoe(folding: Folding, event: ShoeEnded | None) -> None:
    """Close the shoe: its cards must add up and its marked vigorish be collected."""
    shoe = folding.state.shoe
    if event is not None:
        shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None or shoe.is_ended:
        return
    with_shoe(folding, replace(shoe, is_ended=True))
    if event is not None and not shoe.is_unverified:
        _check_end(folding, event)
    for seat, minor in shoe.marked:
        _outstanding(folding, seat, minor, "the shoe ended")
    orders = (*folding.state.earlier_orders, (shoe.shoe_id, shoe.order))[-SHOES_KEPT:]
    folding.state = replace(folding.state, earlier_orders=orders)
    emit_shoe(folding)


def _check_end(folding: Folding, event: ShoeEnded) -> None:
    """Compare what came out and what is left with what the decks hold."""
    shoe = folding.state.shoe
    assert shoe is not None
    if event.inspection is not None:
        _check_inspection(folding, event.inspection)
        shoe = folding.state.shoe or shoe
    out = sum(count for _, count in shoe.cards) + shoe.unseen_count
    away = sum(one.was_in_shoe for one in shoe.removed)
    held = 52 * shoe.decks
    problems = []
    left = event.cards_left_count
    if left is None and event.cards_left is not None:
        left = sum(event.cards_left.values())
    if left is not None and out + left + away != held:
        problems.append(f"{out} cards out and {left} left, {held} held")
    if event.cards_left is not None:
        counted = Counter(dict(shoe.cards))
        counted.update(event.cards_left)
        problems += _uneven(dict(counted), shoe.decks, shoe.unseen_count + away)
    if problems:
        _assert_composition(folding, "; ".join(problems))


def mark_vigorish(folding: Folding, seat: str, change_minor: int) -> None:
    """Add vigorish that was marked at a seat, or take away what was unmarked or collected."""
    shoe = folding.state.shoe
    if shoe is None or change_minor == 0:
        return
    marked = dict(shoe.marked)
    marked[seat] = marked.get(seat, 0) + change_minor
    kept = sorted((name, minor) for name, minor in marked.items() if minor != 0)
    with_shoe(folding, replace(shoe, marked=tuple(kept[:SEATS_MAX])))


def collect_vigorish(folding: Folding, event: VigorishCollected) -> None:
    """Note marked vigorish that was collected."""
    if _shoe_of(folding, event.shoe_id, event.type) is not None:
        mark_vigorish(folding, event.seat, -event.collected_minor)


def vacate(folding: Folding, seat: str) -> None:
    """Judge whether a seat that is left still has marked vigorish."""
    shoe = folding.state.shoe
    if shoe is None:
        return
    minor = dict(shoe.marked).get(seat, 0)
    if minor:
        with_shoe(
            folding, replace(shoe, marked=tuple(one for one in shoe.marked if one[0] != seat))
        )
        _outstanding(folding, seat, minor, "the seat was vacated")


def _outstanding(folding: Folding, seat: str, minor: int, when: str) -> None:
    shoe = folding.state.shoe
    assert shoe is not None
    if minor <= 0 or shoe.is_unverified or Capability.VIGORISH not in folding.state.reports:
        return
    submission = folding.submission
    money = format_minor(minor, submission.currency if submission else "USD")
    _assert_shoe(
        folding, FindingCode.VIGORISH_OUTSTANDING, f"{seat}/{shoe.shoe_id}",
        f"Seat {seat}: marked vigorish of {money} was not collected when {when}.",
        Claim(due_minor=minor, paid_minor=0), seat,
    )  # fmt: skip
