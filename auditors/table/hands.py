"""What do the cards of a coup come to, as they lie? Read from one text, so that it is kept by it.

The text names each card where it lies, in the order of dealing: ``P14S B19C P2KD B25H``. A card
that could not be read is ``?``; one that had been drawn in error before bears a ``!``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from auditors.coup import Coup, DrawFault, judge_coup
from auditors.facts import Stage, pack
from auditors.law.model import Section
from auditors.table.state import DealtCard
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


@dataclass(frozen=True, slots=True)
class Hands:
    """The hands of a coup, judged by the rules of dealing as if no card were to come."""

    coup: Coup
    """All cards, with what is wrong with the deal. Where a later card could not be read, these
    are the first four; where one of the first four is missing or doubtful, there are none."""
    packed: int
    """The facts of the coup, packed; 0 before both hands have two cards."""
    player_text: str
    banker_text: str
    is_readable: bool
    """Every card was read."""
    knowledge: tuple[Knowledge, Knowledge]
    """How much is known of the first four cards, and of all."""
    disorder: str | None
    """Cards that are missing, too many or doubled."""
    is_in_turn: bool
    """Dealt Player first, one by one; cards that had been drawn in error aside."""
    shown: str
    """The places in the order of dealing, as sentences name them: ``P1 B1 P2 B2``."""

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
    places = [(letter, position) for letter, position, _, _ in dealt]
    disorder = _disorder(places)
    is_firm = all(places.count(place) == 1 for place in _FIRST_FOUR)
    player, banker = _hand("P", dealt), _hand("B", dealt)
    is_readable = None not in player and None not in banker
    coup = _coup(player, banker, disorder, game) if is_firm else _nothing(disorder)
    turn = [place for place, one in zip(places, dealt, strict=True) if not one[3]]
    return Hands(
        coup=coup,
        packed=int(pack(coup.facts)) if coup.has_first_four else 0,
        player_text=_written(player),
        banker_text=_written(banker),
        is_readable=is_readable,
        knowledge=(coup.knowledge_at(Stage.FIRST_FOUR), coup.knowledge),
        disorder=disorder,
        is_in_turn=turn == [place for place in _IN_TURN if place in turn],
        shown=" ".join(f"{letter}{position}" for letter, position in places),
    )


def _read(one: str) -> tuple[str, int, Card | None, bool]:
    card = one[2:].rstrip("!")
    return one[0], int(one[1]), None if card == "?" else parse_card(card), one.endswith("!")


def _disorder(places: list[tuple[str, int]]) -> str | None:
    if len(set(places)) < len(places) or any(position > 3 for _, position in places):
        return "a place was dealt to twice, or a hand got more than three cards"
    if not set(_FIRST_FOUR) <= set(places):
        return "a hand has fewer than two cards" if places else "no card was dealt"
    return None


def _hand(letter: str, dealt: list[tuple[str, int, Card | None, bool]]) -> list[Card | None]:
    ordered = sorted((one for one in dealt if one[0] == letter), key=lambda one: one[1])
    return [card for _, _, card, _ in ordered]


def _nothing(disorder: str | None) -> Coup:
    fault = DrawFault(FindingCode.DEAL_ORDER, None, disorder or "no card was dealt", None)
    return Coup((), (), (fault,))


def _coup(
    player: list[Card | None], banker: list[Card | None], disorder: str | None, game: Section
) -> Coup:
    read = [tuple(card for card in hand if card is not None) for hand in (player, banker)]
    if disorder is not None:
        fault = DrawFault(FindingCode.DEAL_ORDER, None, disorder, None)
        return Coup(read[0], read[1], (fault,))
    if None not in player and None not in banker:
        return judge_coup(read[0], read[1], game)
    fault = DrawFault(FindingCode.CARD_UNREADABLE, None, "a card could not be read", None)
    if None in player[:2] or None in banker[:2]:
        return Coup((), (), (fault,))
    return Coup(read[0][:2], read[1][:2], (fault,))


def _written(cards: list[Card | None]) -> str:
    return " ".join("?" if card is None else str(card) for card in cards)
