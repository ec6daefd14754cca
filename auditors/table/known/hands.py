"""The hands of a coup as the cards lie; read from one text, and cached by it.

The text names each card where it lies, in the order of dealing: ``P14S B19C P2KD B25H``. A card
that could not be read is ``?``; one that had been drawn in error before bears a ``!``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from auditors.law.facts import knowledge_of, points_of
from auditors.law.model import Section
from auditors.law.packed_facts import packed_facts, part_of
from auditors.settlement.coup import Coup, DrawFault, judge_coup
from auditors.table.known.state import DealtCard
from schemas.cards import Card, Knowledge, parse_card
from schemas.findings import FindingCode

_LETTERS: Final = {"player": "P", "banker": "B"}
_FIRST_FOUR: Final = (("P", 1), ("B", 1), ("P", 2), ("B", 2))
_IN_TURN: Final = (*_FIRST_FOUR, ("P", 3), ("B", 3))


def with_card(text: str, card: DealtCard) -> str:
    """Add a card to the text of a coup's hands."""
    error = "!" if card.error_id else ""
    one = f"{_LETTERS[card.hand]}{card.position}{card.card or '?'}{error}"
    return f"{text} {one}" if text else one


def text_of(cards: tuple[DealtCard, ...]) -> str:
    """Write the hands of a coup anew."""
    text = ""
    for card in cards:
        text = with_card(text, card)
    return text


@dataclass(frozen=True)
class Hands:
    """The hands of a coup, judged by the rules of dealing as if no card were to come.

    What most events do not ask for is worked out when it is asked for, and kept.
    """

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    """The cards that are judged: all of them. Where a later card could not be read, these are the
    first four; where one of the first four is missing or doubtful, there are none."""
    fault: DrawFault | None
    """Why the rules of dealing cannot judge these cards; None where they can."""
    player_text: str
    banker_text: str
    is_readable: bool
    """Every card was read."""
    disorder: str | None
    """Cards that are missing, too many or doubled."""
    is_in_turn: bool
    """Dealt Player first, one by one; cards that had been drawn in error aside."""
    shown: str
    """The places in the order of dealing, as sentences name them: ``P1 B1 P2 B2``."""
    game: Section = field(repr=False, compare=False)

    @property
    def has_first_four(self) -> bool:
        """Whether each hand has its first two cards."""
        return len(self.player) >= 2 and len(self.banker) >= 2

    @cached_property
    def first_four(self) -> Coup:
        """The first two cards of each hand, not judged."""
        return Coup(self.player[:2], self.banker[:2])

    @cached_property
    def first_counts(self) -> tuple[int, int]:
        """Points of the first two cards of each hand."""
        return points_of(self.player[:2]), points_of(self.banker[:2])

    @cached_property
    def coup(self) -> Coup:
        """All cards, with what is wrong with the deal."""
        if self.fault is not None:
            return Coup(self.player, self.banker, (self.fault,))
        return judge_coup(self.player, self.banker, self.game)

    @cached_property
    def packed(self) -> int:
        """The facts of the coup, packed; 0 before both hands have two cards."""
        if not self.has_first_four:
            return 0
        return packed_facts(part_of("player", self.player[:3]), part_of("banker", self.banker[:3]))

    @cached_property
    def knowledge(self) -> tuple[Knowledge, Knowledge]:
        """How much is known of the first four cards, and of all."""
        first_four = knowledge_of(self.player[:2] + self.banker[:2])
        return first_four, knowledge_of(self.player + self.banker)

    @property
    def is_clean(self) -> bool:
        """Whether the cards are all read and dealt by the rules."""
        return self.is_readable and self.disorder is None and not self.coup.faults


def hands_from(text: str, game: Section) -> Hands:
    """Read the hands of a coup.

    Args:
        text: As :func:`with_card` writes it.
        game: The main game, whose drawing rules hold.
    """
    dealt = [_read(one) for one in text.split()]
    places = [one.place for one in dealt]
    disorder = _disorder(places)
    player, banker = _hand("P", dealt), _hand("B", dealt)
    return Hands(
        *_judged(player, banker, disorder, is_firm=_is_firm(places)),
        player_text=_written(player),
        banker_text=_written(banker),
        is_readable=None not in player and None not in banker,
        disorder=disorder,
        is_in_turn=_is_in_turn([one.place for one in dealt if not one.was_in_error]),
        shown=" ".join([f"{letter}{position}" for letter, position in places]),
        game=game,
    )


class _Lying(NamedTuple):
    place: tuple[str, int]
    card: Card | None
    was_in_error: bool


@lru_cache(maxsize=4096)
def _read(one: str) -> _Lying:
    card = one[2:].rstrip("!")
    place = (one[0], int(one[1]))
    return _Lying(place, None if card == "?" else parse_card(card), one.endswith("!"))


def _is_firm(places: list[tuple[str, int]]) -> bool:
    """Whether each of the first four cards lies in its place, and only one does."""
    return [places.count(place) for place in _FIRST_FOUR] == [1, 1, 1, 1]


def _disorder(places: list[tuple[str, int]]) -> str | None:
    if len(set(places)) < len(places) or any(position > 3 for _, position in places):
        return "a place was dealt to twice, or a hand got more than three cards"
    if not set(_FIRST_FOUR) <= set(places):
        return "a hand has fewer than two cards" if places else "no card was dealt"
    return None


def _hand(letter: str, dealt: list[_Lying]) -> list[Card | None]:
    mine = [one for one in dealt if one.place[0] == letter]
    mine.sort(key=_place)
    return [one.card for one in mine]


_place: Final = attrgetter("place")


def are_in_turn(cards: Iterable[DealtCard]) -> bool:
    """Whether cards were dealt Player first, one by one; one drawn in error before is aside."""
    return _is_in_turn(
        [(_LETTERS[one.hand], one.position) for one in cards if one.error_id is None]
    )


def _is_in_turn(places: list[tuple[str, int]]) -> bool:
    return places == [place for place in _IN_TURN if place in places]


def _judged(
    player: list[Card | None], banker: list[Card | None], disorder: str | None, *, is_firm: bool
) -> tuple[tuple[Card, ...], tuple[Card, ...], DrawFault | None]:
    """Give the cards that can be judged, and why others cannot."""
    if not is_firm:
        words = disorder or "no card was dealt"
        return (), (), DrawFault(FindingCode.DEAL_ORDER, None, words, None)
    mine = tuple([card for card in player if card is not None])
    theirs = tuple([card for card in banker if card is not None])
    if disorder is not None:
        return mine, theirs, DrawFault(FindingCode.DEAL_ORDER, None, disorder, None)
    if len(mine) == len(player) and len(theirs) == len(banker):
        return mine, theirs, None
    fault = DrawFault(FindingCode.CARD_UNREADABLE, None, "a card could not be read", None)
    if None in player[:2] or None in banker[:2]:
        return (), (), fault
    return mine[:2], theirs[:2], fault


def _written(cards: list[Card | None]) -> str:
    return " ".join(["?" if card is None else str(card) for card in cards])
