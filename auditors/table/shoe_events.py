"""What happens to a shoe, and what is wrong with it? Loaded, burned, dealt out, ended."""

from __future__ import annotations

from auditors.asserting import Claim
from auditors.table.clock import gaming_date_at
from auditors.table.composition import (
    Counted,
    cards_out,
    excess_words,
    may_be_too_many,
    seen_cards,
)
from auditors.table.context import Folding
from auditors.table.rejecting import reject, reject_unknown
from auditors.table.shoe_order import UNREAD, card_of, level_of, mark_of, repeat_ending_at
from auditors.table.shoe_records import (
    assert_of_shoe,
    emit_shoe,
    keep_shoe,
    shoe_finding,
    shoe_in_play,
)
from auditors.table.state import (
    CARDS_OUT_MAX,
    PROBLEMS_MAX,
    REMOVALS_MAX,
    SHOES_KEPT,
    Removal,
    ShoeState,
)
from auditors.table.vigorish import judge_ended
from schemas.cards import parse_card
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
)
from schemas.findings import FindingCode


def load_shoe(folding: Folding, event: ShoeLoaded) -> bool:
    """Take up a new shoe; the one before ends here if it was not ended.

    Returns:
        Whether the shoe is in play now.
    """
    if not folding.state.filings:
        reject_unknown(folding, event.type, "the filing, which table_opened brings,")
        return False
    if is_known_shoe(folding, event.shoe_id):
        reject(folding, event.type, f"shoe {event.shoe_id} was loaded before")
        return False
    inspection = event.inspection
    _take_up(
        folding,
        event.shoe_id,
        decks=event.decks,
        is_shuffled=event.shuffle is not None,
        is_inspected=inspection is not None,
        backs=event.backs,
        card_id_prefix=event.card_id_prefix,
    )
    filed = folding.rules.rules.terms.decks
    if event.decks != filed:
        _name_problem(folding, f"loaded with {event.decks} decks, {filed} are filed")
    if inspection is not None and folding.can(Capability.INSPECTION):
        _check_inspection(folding, inspection, "inspected")
    return True


def is_known_shoe(folding: Folding, shoe_id: str) -> bool:
    """Whether a shoe is in play, or was lately."""
    shoe = folding.state.shoe
    if shoe is not None and shoe.shoe_id == shoe_id:
        return True
    return any(one == shoe_id for one, _ in folding.state.earlier_orders)


def take_up_unknown(folding: Folding, shoe_id: str) -> None:
    """Take up a shoe of which no loading was reported: nothing about it is known."""
    before = folding.state.shoe
    _take_up(
        folding,
        shoe_id,
        decks=folding.rules.rules.terms.decks,
        is_unverified=folding.state.is_after_gap,
    )
    if before is not None:
        # The checkpoint is that of the shoe before: late truth is folded from there.
        keep_shoe(
            folding,
            first_offset=before.first_offset,
            first_feed_id=before.first_feed_id,
            first_sequence=before.first_sequence,
        )


def _take_up(folding: Folding, shoe_id: str, **known: object) -> None:
    if folding.state.shoe is not None and not folding.state.shoe.is_ended:
        end_shoe(folding, None)
    feeds = (folding.state.feed, folding.state.incoming)
    held = [one.offset for feed in feeds if feed is not None for one in feed.held]
    shoe = ShoeState(
        shoe_id=shoe_id,
        feed_id=folding.feed_id,
        loaded_sequence=folding.sequence,
        loaded_at_us=folding.occurred_at_us,
        first_offset=min(folding.own_offset, *held, folding.own_offset),
        first_feed_id=folding.feed_id,
        first_sequence=folding.sequence,
        gaming_date=gaming_date_at(folding),
        **known,  # type: ignore[arg-type]
    )
    folding.change(shoe=shoe)


def _shoe_of(folding: Folding, shoe_id: str, event_type: str) -> ShoeState | None:
    shoe = folding.state.shoe
    if shoe is not None and shoe.shoe_id == shoe_id:
        return shoe
    if is_known_shoe(folding, shoe_id):
        reject(folding, event_type, f"shoe {shoe_id} is not in play any more")
    else:
        reject_unknown(folding, event_type, f"shoe {shoe_id}")
    return None


def _check_inspection(folding: Folding, inspection: Inspection, when: str) -> None:
    """Compare what an inspection counted with what the decks hold."""
    decks = shoe_in_play(folding).decks
    if inspection.card_count not in (None, 52 * decks):
        _name_problem(folding, f"{when} with {inspection.card_count} cards, {52 * decks} held")
    if inspection.cards is not None:
        for problem in Counted(inspection.cards, decks).problems():
            _name_problem(folding, f"{when} with {problem}")


def _name_problem(folding: Folding, problem: str) -> None:
    """Name something that is wrong with the composition, once."""
    problems = shoe_in_play(folding).problems
    if problem not in problems and len(problems) < PROBLEMS_MAX:
        keep_shoe(folding, problems=(*problems, problem))
        _assert_composition(folding)


def _assert_composition(folding: Folding) -> None:
    """Put out the one finding that names all that is wrong with the composition."""
    shoe = shoe_in_play(folding)
    parts = list(shoe.problems)
    if shoe.excess:
        words = excess_words(seen_cards(shoe), shoe.decks)
        parts.append(f"more cards came out than {shoe.decks} decks hold: {words}")
    sentence = f"Shoe {shoe.shoe_id}: {'; '.join(parts)}."
    found = shoe_finding(folding, FindingCode.SHOE_COMPOSITION, shoe.shoe_id, sentence)
    assert_of_shoe(folding, found, is_renewed=True)


def _check_excess(folding: Folding, mark: str) -> None:
    """Look for more of a card than the decks hold, as soon as it has come out."""
    shoe = shoe_in_play(folding)
    if not may_be_too_many(shoe, mark) or Capability.CARDS not in folding.state.reports:
        return
    words = excess_words(seen_cards(shoe), shoe.decks)
    # Which cards, not how many: a card that goes on coming is no news.
    names = " ".join(part.split(" of ")[1].split(",")[0] for part in words.split("; ") if part)
    if names != shoe.excess:
        keep_shoe(folding, excess=names)
        _assert_composition(folding)


def burn(folding: Folding, event: CardsBurned) -> None:
    """Count burned cards; the opening burn is judged against its exposed card."""
    if _shoe_of(folding, event.shoe_id, event.type) is None:
        return
    is_opening = event.occasion == "opening"
    cards = [one for one in (event.exposed_card, *event.burned_cards) if one is not None]
    out = event.burned_count + (1 if is_opening or event.exposed_card is not None else 0)
    _take_out(folding, cards, out - len(cards))
    if is_opening and event.exposed_card is not None and folding.can(Capability.BURN):
        _check_burn(folding, event.exposed_card, event.burned_count)


def _take_out(folding: Folding, cards: list[str], unseen: int) -> None:
    """Count cards that came out without being dealt."""
    for card in cards:
        shoe, mark = shoe_in_play(folding), mark_of(card)
        others = (shoe.others + mark)[:CARDS_OUT_MAX]
        keep_shoe(folding, others=others, levels=shoe.levels | level_of(mark))
        _check_excess(folding, mark)
    if unseen > 0:
        shoe = shoe_in_play(folding)
        keep_shoe(folding, unseen_count=min(CARDS_OUT_MAX, shoe.unseen_count + unseen))


def _check_burn(folding: Folding, exposed: str, burned_count: int) -> None:
    rules = folding.rules.rules
    if not folding.rules.submission.burn_exposed_card:
        return
    value = parse_card(exposed).value or 10
    reading = rules.terms.readings["D32"]
    expected = value - 1 if reading == "exposed_included" else value
    if burned_count == expected:
        return
    shoe = shoe_in_play(folding)
    found = shoe_finding(
        folding, FindingCode.BURN_MISMATCH, shoe.shoe_id,
        f"Shoe {shoe.shoe_id}: {exposed} was exposed, so {expected} further cards are burned; "
        f"{burned_count} were.", Claim(interpretations={"D32": reading}),
    )  # fmt: skip
    assert_of_shoe(folding, found)


def draw_cover_card(folding: Folding, event: CoverCardDrawn) -> None:
    """Note which coup is the last one that may be dealt."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None or event.cover_card != "first" or shoe.last_dealt_no is not None:
        return
    after = folding.rules.submission.hands_after_cover_card
    # In front of the first card of a coup: that coup is finished, and counts as the first after.
    allowed = after if _is_in_coup(folding, event) else max(after, 1)
    keep_shoe(folding, last_dealt_no=shoe.dealt_count + allowed)


def _is_in_coup(folding: Folding, event: CoverCardDrawn) -> bool:
    """Whether the cover card came out within a coup, behind its first card."""
    if event.coup_id is None:
        return False
    coup = next((one for one in folding.state.coups if one.coup_id == event.coup_id), None)
    return coup is not None and bool(coup.cards)


def begin_dealing(folding: Folding) -> bool:
    """Count a coup of which the first card is dealt.

    Returns:
        Whether it comes after the last one that the cover card permits.
    """
    shoe = folding.state.shoe
    if shoe is None:
        return False
    shoe = keep_shoe(folding, dealt_count=shoe.dealt_count + 1)
    is_judged = shoe.last_dealt_no is not None and folding.can(Capability.COVER_CARD)
    return is_judged and shoe.dealt_count > (shoe.last_dealt_no or 0)


def remove_card(folding: Folding, event: CardRemoved) -> None:
    """Note a card that was taken away."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None or any(one.removal_id == event.removal_id for one in shoe.removed):
        return
    if len(shoe.removed) >= REMOVALS_MAX:
        reject(folding, event.type, f"at most {REMOVALS_MAX} removals stand open")
        return
    entry = Removal(event.removal_id, event.card, folding.sequence, event.taken_from == "shoe")
    keep_shoe(folding, removed=(*shoe.removed, entry))


def replace_card(folding: Folding, event: CardReplaced) -> None:
    """Make a removal good; a card is replaced by its like."""
    shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None:
        return
    gone = next((one for one in shoe.removed if one.removal_id == event.removal_id), None)
    if gone is None:
        reject_unknown(folding, event.type, f"an open removal {event.removal_id}")
        return
    keep_shoe(folding, removed=tuple(one for one in shoe.removed if one is not gone))
    if gone.card is not None and event.card not in (None, gone.card):
        _name_problem(folding, f"{gone.card} was removed and replaced by {event.card}")


def expose_card(folding: Folding, event: CardExposed) -> None:
    """Count a card that was seen before its turn, unless it is played."""
    if _shoe_of(folding, event.shoe_id, event.type) is None or event.disposition == "played":
        return
    cards = [event.card] if event.card is not None else []
    _take_out(folding, cards, 1 - len(cards))


def deal_from_shoe(folding: Folding, card: str | None, coup_began: int) -> None:
    """Count a card that was dealt, and judge what only the shoe tells of it.

    Args:
        folding: The event on its way.
        card: The card; None where it could not be read.
        coup_began: Sequence of the first card of its coup.
    """
    shoe = folding.state.shoe
    if shoe is None:
        return
    if not shoe.order:
        _check_inspected(folding, shoe)
    mark = mark_of(card)
    shoe = shoe_in_play(folding)
    if len(shoe.order) < CARDS_OUT_MAX:
        keep_shoe(folding, order=shoe.order + mark, levels=shoe.levels | level_of(mark))
    for one in shoe.removed if shoe.removed and folding.can(Capability.REMOVALS) else ():
        if one.sequence < coup_began:
            found = shoe_finding(
                folding, FindingCode.CARD_REMOVED, one.removal_id,
                f"Shoe {shoe.shoe_id}: {one.card or 'a card'} was removed (event {one.sequence}) "
                "and not replaced, and dealing went on.",
            )  # fmt: skip
            assert_of_shoe(folding, found)
    if mark != UNREAD:
        _check_excess(folding, mark)
        _check_order(folding)


def _check_inspected(folding: Folding, shoe: ShoeState) -> None:
    """Look for a record of shuffle and inspection when the first card is dealt."""
    if shoe.is_unverified:
        return
    lacking = [
        word
        for capability, is_there, word in (
            (Capability.SHUFFLE, shoe.is_shuffled, "shuffle"),
            (Capability.INSPECTION, shoe.is_inspected, "inspection"),
        )
        if not is_there and folding.can(capability)
    ]
    if lacking:
        found = shoe_finding(
            folding, FindingCode.SHOE_NOT_INSPECTED, shoe.shoe_id,
            f"Shoe {shoe.shoe_id} was dealt without a record of its {' and '.join(lacking)}, "
            "which the table reports.",
        )  # fmt: skip
        assert_of_shoe(folding, found)


def _check_order(folding: Folding) -> None:
    """Look for a run that was dealt before; one finding for a run, however long it goes on."""
    shoe, state = shoe_in_play(folding), folding.state
    end = len(shoe.order) - 1
    if shoe.run is not None:
        if _goes_on(folding, shoe, end):
            return
        shoe = keep_shoe(folding, run=None)
    if Capability.CARDS not in state.reports:
        return
    repeat = repeat_ending_at(shoe.order, end, state.earlier_orders)
    if repeat is None:
        return
    keep_shoe(folding, run=(repeat.first, repeat.earlier))
    where = f"shoe {repeat.shoe_id}" if repeat.shoe_id else "the same shoe"
    run = " ".join(card_of(mark) for mark in shoe.order[repeat.first : end + 1])
    found = shoe_finding(
        folding, FindingCode.SHOE_ORDER_REPEATED, f"{shoe.shoe_id}/{repeat.first + 1}",
        f"Shoe {shoe.shoe_id}: the run {run} at cards {repeat.first + 1} to {end + 1} was dealt "
        f"before, from card {repeat.earlier + 1} of {where}.",
    )  # fmt: skip
    assert_of_shoe(folding, found)


def _goes_on(folding: Folding, shoe: ShoeState, end: int) -> bool:
    """Whether the latest card goes on with a run that is repeated."""
    assert shoe.run is not None
    first, earlier = shoe.run
    before = shoe.order[first:end]
    sources = [shoe.order] if earlier < first else []
    sources += [marks for _, marks in folding.state.earlier_orders]
    return any(
        marks[earlier : earlier + len(before)] == before
        and marks[earlier + len(before) : earlier + len(before) + 1] == shoe.order[end]
        for marks in sources
    )


def end_shoe(folding: Folding, event: ShoeEnded | None) -> None:
    """Close the shoe: its cards must add up and its marked vigorish be collected."""
    shoe = folding.state.shoe
    if event is not None:
        shoe = _shoe_of(folding, event.shoe_id, event.type)
    if shoe is None or shoe.is_ended:
        return
    keep_shoe(folding, is_ended=True)
    if event is not None and not shoe.is_unverified:
        _check_end(folding, event)
    if shoe.excess:
        _assert_composition(folding)
    judge_ended(folding)
    orders = (*folding.state.earlier_orders, (shoe.shoe_id, shoe.order))[-SHOES_KEPT:]
    folding.change(earlier_orders=orders)
    emit_shoe(folding)


def _check_end(folding: Folding, event: ShoeEnded) -> None:
    """Compare what came out and what is left with what the decks hold."""
    if event.inspection is not None and folding.can(Capability.INSPECTION):
        _check_inspection(folding, event.inspection, "inspected after play")
    left = event.cards_left_count
    cards_left = event.cards_left
    if left is None and cards_left is not None:
        left = sum(cards_left.values())
    if left is None or not folding.can(Capability.CARDS, Capability.CARDS_LEFT):
        return
    shoe = shoe_in_play(folding)
    is_all_told = folding.can(Capability.BURN, Capability.REMOVALS)
    gone = [one.card for one in shoe.removed if one.was_in_shoe]
    out, held = cards_out(shoe) + len(gone), 52 * shoe.decks
    if out + left > held or (out + left < held and is_all_told):
        _name_problem(folding, f"{out} cards out and {left} left, {held} held")
    if cards_left is None and left > 0:
        return
    counted = seen_cards(shoe)
    for card in (*gone, *_one_by_one(cards_left or {})):
        if card is not None:
            counted[card] = counted.get(card, 0) + 1
    unseen = shoe.unseen_count + shoe.order.count(UNREAD) + gone.count(None)
    unknown = held if not is_all_told else unseen
    for problem in Counted(counted, shoe.decks, unknown).problems():
        _name_problem(folding, f"with those left {problem}")


def _one_by_one(cards: dict[str, int]) -> list[str]:
    return [card for card, count in cards.items() for _ in range(count)]
