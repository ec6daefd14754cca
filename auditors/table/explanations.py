"""Explains an event: the difference between two states, in sentences.

For people who replay: nothing here decides anything; every line reads off what the fold decided.
"""

from __future__ import annotations

from collections.abc import Iterator

from auditors.law.facts import points_of
from auditors.settlement.coup import HAND_TITLES, required_third_cards
from auditors.table.judging.dues import due_of, verdict_of
from auditors.table.known.capabilities import checks_off
from auditors.table.known.context import Folding
from auditors.table.known.state import CoupState, FeedState, ShoeState, TableState
from auditors.table.known.view import CoupView
from schemas.cards import parse_card
from schemas.money import format_minor
from schemas.words.counting import counted


def changes_between(before: TableState, after: TableState) -> tuple[str, ...]:
    """Say what an event changed.

    Args:
        before: The table before it.
        after: The table after it.

    Returns:
        Sentences without a full stop, in the order of table, shoe, coups.
    """
    return tuple(_changes(before, after))


def _changes(before: TableState, after: TableState) -> Iterator[str]:
    yield from _feed(before, after)
    if after.is_open != before.is_open:
        yield "the table is open" if after.is_open else "the table is closed"
    if after.filing is not None and after.filing != before.filing:
        yield f"{after.filing.rules_version} is in force"
    if after.reports != before.reports:
        off = [check for check, _ in checks_off(after.reports)]
        yield f"checks off: {', '.join(off) or 'none'}"
    if after.dealer != before.dealer:
        yield f"the dealer is {after.dealer}" if after.dealer else "no dealer is on"
    yield from _faults(before, after)
    yield from _shoe(before.shoe, after.shoe, after.filing.currency if after.filing else "USD")
    known = {coup.coup_id: coup for coup in before.coups}
    for coup in after.coups:
        if known.get(coup.coup_id) != coup:
            yield from _coup((before, known.get(coup.coup_id)), (after, coup))


def _feed(before: TableState, after: TableState) -> Iterator[str]:
    old, new = before.feed, after.feed
    if new is None:
        return
    if old is None or old.feed_id != new.feed_id:
        yield f"feed {new.feed_id} speaks"
        return
    if len(new.gaps) > len(old.gaps):
        first, last = new.gaps[-1]
        yield f"events {first} to {last} are given up as missing"
    if new.next_sequence == old.next_sequence:
        yield _not_folded(old, new)
    elif new.next_sequence > old.next_sequence + 1 and len(new.gaps) == len(old.gaps):
        count = new.next_sequence - old.next_sequence - 1
        yield f"{counted(count, 'event')} that had waited, folded with it"


def _not_folded(old: FeedState, new: FeedState) -> str:
    if len(new.held) > len(old.held):
        return f"it waits for event {new.next_sequence}"
    return "it changes nothing: its number was folded before"


def _faults(before: TableState, after: TableState) -> Iterator[str]:
    old = {one.fault_id for one in before.faults}
    new = {one.fault_id for one in after.faults}
    if old != new:
        yield f"open: {counted(len(new), 'device fault')}" if new else "no device fault is open"


def _shoe(before: ShoeState | None, after: ShoeState | None, currency: str) -> Iterator[str]:
    if after is None or after == before:
        return
    if before is None or before.shoe_id != after.shoe_id:
        yield f"shoe {after.shoe_id} of {after.decks} decks is in play"
        return
    if after.is_ended and not before.is_ended:
        out = counted(len(after.order) + len(after.others) + after.unseen_count, "card")
        coups = counted(after.coup_count, "coup")
        yield f"shoe {after.shoe_id} is over: {coups}, {out} came out"
    if after.last_dealt_no is not None and before.last_dealt_no is None:
        yield f"coup {after.last_dealt_no} dealt from it is the last one permitted"
    if after.vigorish != before.vigorish:
        marked = [one for one in after.vigorish if one.open_minor > 0]
        total = format_minor(sum(one.open_minor for one in marked), currency)
        seats = counted(len({one.seat for one in marked}), "seat")
        yield f"marked vigorish outstanding: {total} at {seats}"
    if after.removed != before.removed:
        yield f"not replaced: {counted(len(after.removed), 'removed card')}"


def _coup(
    old: tuple[TableState, CoupState | None], new: tuple[TableState, CoupState]
) -> Iterator[str]:
    before, after = old[1], new[1]
    if before is None:
        yield f"coup {after.coup_no} of shoe {after.shoe_id} begins"
    if after.cards != (before.cards if before else ()):
        yield from _cards(look_at(*new))
    if after.no_more_bets is not None and (before is None or before.no_more_bets is None):
        standing = [one for one in after.wagers if not one.is_withdrawn]
        yield f"standing: {counted(len(standing), 'wager')}"
    if after.is_unverified and not (before and before.is_unverified):
        yield "the coup is unverified: events of it may be missing"
    if after.is_overrun and not (before and before.is_overrun):
        yield "it is dealt after the last coup permitted"
    known = _verdicts(old[0], before) if before is not None else {}
    new_ones = [one for id_, one in _verdicts(*new).items() if known.get(id_) != one]
    yield from _told_once(new_ones)
    if after.voided is not None and (before is None or before.voided is None):
        yield "the coup is void; stakes go back"
    if after.is_closed and not (before and before.is_closed):
        yield "the coup is over; what was not reported by now counts as absent"


def look_at(state: TableState, coup: CoupState) -> CoupView:
    """Look at a coup under the rules that it is played by, without putting anything out."""
    return CoupView(Folding(state, coup.last_sequence, coup.began_at_us, 0, 0), coup)


def _cards(view: CoupView) -> Iterator[str]:
    """Read off the hands, and what has to be drawn once four cards lie."""
    dealt = sorted(view.state.cards, key=lambda one: one.position)
    is_unread = any(one.card is None for one in dealt)
    hands = {
        name: tuple(parse_card(one.card) for one in dealt if one.hand == name and one.card)
        for name in HAND_TITLES
    }
    shown = [
        f"{title} {' '.join(str(card) for card in hands[name])} = {points_of(hands[name])}"
        for name, title in HAND_TITLES.items()
        if hands[name]
    ]
    yield (", ".join(shown) or "no card can be read") + (", a card unread" if is_unread else "")
    player, banker = hands["player"], hands["banker"]
    if is_unread or len(player) < 2 or len(banker) < 2:
        return
    points = points_of(player[:2]), points_of(banker[:2])
    game = view.table_rules.game
    if len(player) == len(banker) == 2:
        player_draws, banker_draws = required_third_cards(*points, None, game)
        if max(points) >= 8:
            yield "a natural: nobody draws"
        elif player_draws:
            yield f"Player has to draw on {points[0]}"
        else:
            yield f"Player stands; Banker {'has to draw' if banker_draws else 'stands'}"
    elif len(player) == 3 and len(banker) == 2:
        third = player[2].value
        draws = required_third_cards(*points, third, game)[1] if third is not None else False
        yield f"Banker {'has to draw' if draws else 'stands'} on {points[1]} against {player[2]}"


def _verdicts(state: TableState, coup: CoupState) -> dict[str, tuple[str, str]]:
    """Read off what is due on each wager, and why, as far as that can be said.

    Returns:
        Wager id to the wager as people name it and the verdict's sentence.
    """
    view = look_at(state, coup)
    found = {}
    for placed in coup.wagers:
        named = view.named(placed)
        if due_of(view, placed, named) is None:
            continue
        verdict = verdict_of(view, placed, named)
        if verdict is not None:
            where = f"seat {placed.seat} {placed.name}"
            found[placed.wager_id] = (where, verdict.sentence)
    return found


def _told_once(verdicts: list[tuple[str, str]]) -> Iterator[str]:
    """Tell what all verdicts begin with once: the cards and the result."""
    shared = ""
    if len(verdicts) > 1:
        first, last = min(one for _, one in verdicts), max(one for _, one in verdicts)
        same = next((at for at, (a, b) in enumerate(zip(first, last)) if a != b), len(first))  # noqa: B905
        shared = first[: first.rfind(". ", 0, same) + 2] if ". " in first[:same] else ""
    if shared:
        yield shared.strip().rstrip(".")
    for where, sentence in verdicts:
        yield f"{where}: {sentence[len(shared) :]}"
