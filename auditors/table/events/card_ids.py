"""Cards that come out of a shoe twice: where each bears an id of its own, none can.

What came out is kept as a few texts, since every card copies and searches one of them: an entry
for each id, with the card as it was read and the event that told it. Whether ids are those of
single cards shows only by and by: a repeat is held back until more ids have come than a deck has
cards, and where many repeat they are no card's own.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import Final, NamedTuple

from auditors.table.events.composition import name_problem, withdraw_problems
from auditors.table.known.context import Folding
from auditors.table.known.shoe_records import shoe_in_play
from auditors.table.known.state import (
    CARD_ID_TEXTS,
    CARD_IDS_MAX,
    DOUBLES_MAX,
    CoupState,
    ShoeState,
)
from auditors.values import evolve
from schemas.events import Capability, CardDealt, CardDrawnInError, CardRead
from schemas.finding_facts.feed import EventUnusable
from schemas.finding_facts.shoe import CardIdAgain
from schemas.findings import FindingCode

_NEEDED: Final = frozenset(
    one.value for one in (Capability.CARDS, Capability.CARD_IDS, Capability.DRAWING_ERRORS)
)
"""Without dispositions a card that was used again after a drawing error looks like two."""

_NO_IDS: Final = ("",) * CARD_ID_TEXTS

_KEY_MAX: Final = 24
"""Longer ids are kept as a hash."""

_IDS_LEAST: Final = 53
"""So many ids are more than a deck has cards: then they are no codes of rank and suit."""

_MANY: Final = 4
"""From so many repeats on ids are doubted, where they are more than one in :data:`_ONE_IN`."""

_ONE_IN: Final = 8

_BEGINNING: Final = "card id "
"""So begins what is wrong with an id, as a build before this noted it in a state."""

_TEN: Final = frozenset("0TJQK")


class _Told(NamedTuple):
    """What was told of an id: where it stands, the card as it was read, and by which event."""

    place: int
    entry: str
    card: str
    sequence: int


def note_dealt(folding: Folding, before: CoupState, event: CardDealt) -> None:
    """Note the id of a card that was dealt.

    Args:
        folding: The event on its way.
        before: Its coup without this card.
        event: The card.
    """
    if event.card_id is None or not _is_kept(folding, before):
        return
    if event.error_id is not None:
        _told_again(folding, event.card_id, event.card)
        return
    told = _came_out(folding, event.card_id, event.card)
    place = (event.hand, event.position, event.card_id)
    if told is not None and all(
        (one.hand, one.position, one.card_id) != place for one in before.cards
    ):
        _name_twice(folding, event.card_id, told, event.card)


def note_read(folding: Folding, before: CoupState, event: CardRead) -> None:
    """Note what a card was read as that had been dealt unread."""
    if event.card_id is None or not _is_kept(folding, before):
        return
    had_id = any(one.card_id == event.card_id for one in before.cards)
    if had_id:
        _told_again(folding, event.card_id, event.card)
    else:
        _comes_out(folding, event.card_id, event.card)


def note_drawn_in_error(folding: Folding, before: CoupState, event: CardDrawnInError) -> None:
    """Note a card that was drawn in error, unless it had been dealt under another event."""
    if event.card_id is None or not _is_kept(folding, before):
        return
    if event.position is not None:
        _told_again(folding, event.card_id, event.card)
    else:
        _comes_out(folding, event.card_id, event.card)


def note_out(folding: Folding, card_id: str | None, card: str | None) -> None:
    """Note a card that came out without being dealt: it must not be dealt any more."""
    if card_id is not None and _is_kept(folding, None):
        _came_out(folding, card_id, card)


def note_put_in(folding: Folding, card_id: str | None) -> None:
    """Let a card be dealt that was put in for a removed one, wherever it lay before."""
    if card_id is None or not _is_kept(folding, None):
        return
    key = _key(card_id)
    told = _find(shoe_in_play(folding), key, _place(key))
    if told is not None:
        _put(folding, told, "")


def without_ids(shoe: ShoeState) -> ShoeState:
    """Forget which cards came out: events are missing that may explain how one does again."""
    if not shoe.card_ids:
        return shoe
    return evolve(shoe, card_ids=(), doubles=(), double_count=0)


def _is_kept(folding: Folding, coup: CoupState | None) -> bool:
    """Whether ids of the shoe in play are compared, and the coup is of that shoe."""
    shoe = folding.state.shoe
    if shoe is None or shoe.is_ended or shoe.card_ids is None:
        return False
    if not folding.state.reports >= _NEEDED:
        return False
    return coup is None or coup.shoe_id == shoe.shoe_id


def _find(shoe: ShoeState, key: str, place: int) -> _Told | None:
    text = shoe.card_ids[place] if shoe.card_ids else ""
    start = text.find(f"\n{key} ")
    if start < 0:
        return None
    end = text.find("\n", start + 1)
    entry = text[start:] if end < 0 else text[start:end]
    _, card, sequence = entry.split(" ")
    return _Told(place, entry, card, int(sequence))


def _key(card_id: str) -> str:
    if len(card_id) <= _KEY_MAX:
        return card_id
    return "~" + hashlib.blake2b(card_id.encode(), digest_size=11).hexdigest()


def _place(key: str) -> int:
    """Say in which of the texts an id stands."""
    return zlib.crc32(key.encode()) % CARD_ID_TEXTS


def _comes_out(folding: Folding, card_id: str, card: str | None) -> None:
    """Note a card that comes out of the shoe, and name one that had come out before."""
    told = _came_out(folding, card_id, card)
    if told is not None:
        _name_twice(folding, card_id, told, card)


def _came_out(folding: Folding, card_id: str, card: str | None) -> _Told | None:
    """Note an id; give what was told of it, where it came before.

    An id with another beginning than those of the shoe is found as a card of another one.
    """
    shoe, key = shoe_in_play(folding), _key(card_id)
    if shoe.card_id_prefix is not None and not card_id.startswith(shoe.card_id_prefix):
        return None
    place = _place(key)
    told = _find(shoe, key, place)
    if told is not None:
        return told
    texts = shoe.card_ids or _NO_IDS
    if len(texts[place]) < CARD_IDS_MAX:
        text = f"{texts[place]}\n{key} {card or '?'} {folding.sequence}"
        shoe = folding.put_shoe(
            evolve(shoe_in_play(folding), card_ids=(*texts[:place], text, *texts[place + 1 :]))
        )
    if shoe.doubles and shoe.doubles[0] not in shoe.problems:
        _judge(folding)
    return None


def _put(folding: Folding, told: _Told, entry: str) -> None:
    """Put an entry in the place of another one."""
    texts = list(shoe_in_play(folding).card_ids or ())
    texts[told.place] = texts[told.place].replace(told.entry, entry, 1)
    folding.put_shoe(evolve(shoe_in_play(folding), card_ids=tuple(texts)))


def _told_again(folding: Folding, card_id: str, card: str | None) -> None:
    """Take what is told again of a card that came out before; it has one face."""
    told = _came_out(folding, card_id, card)
    if told is None or card is None:
        return
    if told.card == "?":
        _put(folding, told, f"\n{_key(card_id)} {card} {told.sequence}")
    elif _differ(told.card, card):
        _name(folding, card_id, told, card, is_one_card=True)


def _differ(card: str, other: str) -> bool:
    """Whether two readings cannot be of one card, however much was read."""
    ranks = {card[0], other[0]}
    if "0" in ranks:
        return not ranks <= _TEN
    return len(ranks) > 1 or (len(card) == len(other) and card != other)


def _name_twice(folding: Folding, card_id: str, told: _Told, card: str | None) -> None:
    _name(folding, card_id, told, card, is_one_card=False)


def _name(
    folding: Folding, card_id: str, told: _Told, card: str | None, *, is_one_card: bool
) -> None:
    """Hold what is wrong with an id, once for each, until it is known what ids are worth."""
    shoe = shoe_in_play(folding)
    again = CardIdAgain(
        card_id=card_id,
        is_one_card=is_one_card,
        card=None if told.card == "?" else told.card,
        sequence=told.sequence,
        card_again=card,
        sequence_again=folding.sequence,
    )
    doubles = shoe.doubles
    if len(doubles) < DOUBLES_MAX and not any(_is_of(one, card_id) for one in doubles):
        doubles = (*doubles, again)
    folding.put_shoe(
        evolve(shoe_in_play(folding), doubles=doubles, double_count=shoe.double_count + 1)
    )
    _judge(folding)


def _is_of(told: CardIdAgain | str, card_id: str) -> bool:
    """Whether what is wrong with an id is of this one; a build before this noted it in words."""
    if isinstance(told, str):
        return told.startswith(f"{_BEGINNING}{card_id} ")
    return told.card_id == card_id


def _judge(folding: Folding) -> None:
    """Say what is wrong with ids, or that they are no card's own."""
    shoe = shoe_in_play(folding)
    ids = sum(text.count("\n") for text in shoe.card_ids or ())
    if shoe.double_count >= _MANY and shoe.double_count * _ONE_IN > ids:
        folding.put_shoe(evolve(shoe_in_play(folding), card_ids=None, doubles=()))
        # Also what was named by ids before events were lost, with which doubles are forgotten.
        named = tuple(
            one
            for one in shoe.problems
            if isinstance(one, CardIdAgain) or (isinstance(one, str) and one.startswith(_BEGINNING))
        )
        withdraw_problems(folding, named)
        if not shoe.had_shared_ids:
            _say_shared(folding, shoe, ids)
    elif ids >= _IDS_LEAST:
        for one in shoe.doubles:
            name_problem(folding, one)


def _say_shared(folding: Folding, shoe: ShoeState, ids: int) -> None:
    """Say once that ids tell no card from another, not with every shoe of the device."""
    folding.assert_of_feed(
        FindingCode.EVENT_REJECTED,
        str(folding.sequence),
        EventUnusable(
            sequence=folding.sequence,
            event_type=None,
            then="told",
            problem=(
                f"card ids do not tell cards apart: {shoe.double_count} cards of shoe "
                f"{shoe.shoe_id} came with an id that had come out, beside {ids} different ones; "
                "whether a card comes out twice is not judged by such ids, and the rest of the "
                "event is used"
            ),
        ),
    )
