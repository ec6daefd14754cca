"""Facts of a finished coup, as far as any wager asks.

Verdicts depend on nothing but these facts, and few distinct ones exist. Each field may be a
number or a numpy array of numbers: the same rules price one coup, a million recorded coups or the
exact enumeration of all deals. :data:`FACTS` is the closed vocabulary of the law's ``when``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, cast

from schemas.cards import RANKS, Card, Knowledge

if TYPE_CHECKING:  # one coup needs no arrays, and importing numpy takes a tenth of a second
    import numpy as np
    import numpy.typing as npt

Fact: TypeAlias = "int | npt.NDArray[np.int64]"
"""The value of one fact, for one coup or for many (all arrays of one coup fact have one shape)."""

TIE, PLAYER, BANKER = 0, 1, 2
"""Codes of the winner, and of whose first card is higher (0: equal)."""

MIXED, RED, BLACK = 0, 1, 2
"""Codes of the colour of a hand."""

RANK_NUMBERS: Final = {rank: number for number, rank in enumerate(RANKS, start=1)}
"""Rank to its number, 1 (ace) to 13 (king); 0 stands for none."""

HANDS: Final = ("player", "banker")
"""The two hands, in dealing order."""


class Stage(IntEnum):
    """When a fact is certain."""

    FIRST_FOUR = 0
    """With the first four cards; a faulty third card changes nothing."""

    RESULT = 1
    """With the whole coup."""


class CoupFacts(NamedTuple):
    """The facts of one coup (or of many, as arrays). Booleans are 0 and 1."""

    winner: Fact
    player_points: Fact
    banker_points: Fact
    player_cards: Fact
    banker_cards: Fact
    player_natural: Fact
    banker_natural: Fact
    player_pair: Fact
    banker_pair: Fact
    player_value_pair: Fact
    banker_value_pair: Fact
    player_identical: Fact
    banker_identical: Fact
    player_suited: Fact
    banker_suited: Fact
    player_royal: Fact
    banker_royal: Fact
    first_four_match: Fact
    first_card_higher: Fact
    player_colour: Fact
    banker_colour: Fact
    common_rank: Fact
    """0: the cards are not all of one rank; else 1 (ace) to 13 (king)."""
    zero_valued_cards: Fact


def points_of(cards: Sequence[Card]) -> int:
    """Count a hand: the units digit of the sum of its cards' values.

    Source:
        58 Pa. Code § 627a.6 (text not seen).
    """
    return sum([card.value for card in cards]) % 10


def knowledge_of(cards: tuple[Card, ...]) -> Knowledge:
    """Say how much is known of all of these cards: the least that is known of any."""
    least = Knowledge.SUIT
    for card in cards:
        if card.rank is None:
            return Knowledge.VALUE
        if card.suit is None:
            least = Knowledge.RANK
    return least


def rank_number(card: Card) -> int:
    """Number the rank of a card, 1 (ace) to 13 (king); 0 where it is not known."""
    return RANK_NUMBERS[card.rank] if card.rank else 0


@dataclass(frozen=True, slots=True)
class FactDefinition:
    """One word of the vocabulary in which the law's conditions are written."""

    name: str
    meaning: str
    values: Mapping[str, int] | range
    """Words and their codes, or the range of numbers that the fact can take."""
    stage: Stage
    knowledge: Knowledge
    read: Callable[[CoupFacts], Fact]

    def code_of(self, value: object) -> int:
        """Give the code of a value as the law data writes it.

        Raises:
            ValueError: The fact cannot take this value.
        """
        if isinstance(self.values, range):
            if isinstance(value, int) and not isinstance(value, bool) and value in self.values:
                return value
            wanted = f"a whole number from {self.values.start} to {self.values.stop - 1}"
        else:
            word = str(value).lower() if isinstance(value, bool) else value
            if isinstance(word, str) and word in self.values:
                return self.values[word]
            wanted = "one of " + ", ".join(self.values)
        raise ValueError(f"fact {self.name!r} cannot be {value!r}; it is {wanted}")

    @property
    def fields(self) -> frozenset[str]:
        """The fields of a coup's facts that this word reads."""
        asked = _Asked()
        self.read(cast("CoupFacts", asked))
        return frozenset(asked.fields)


class _Asked:
    """Stands in for a coup's facts and remembers which fields were asked for."""

    def __init__(self) -> None:
        self.fields: set[str] = set()

    def __getattr__(self, field: str) -> int:
        self.fields.add(field)
        return 0


_FLAG: Final = {"false": 0, "true": 1}
_WINNER: Final = {"tie": TIE, "player": PLAYER, "banker": BANKER}
_POINTS: Final = range(10)
_CARDS: Final = range(2, 4)


def _winning(f: CoupFacts, player: Fact, banker: Fact) -> Fact:
    """The winning hand's value; -1 on a tie, which no condition can name."""
    return (f.winner == PLAYER) * player + (f.winner == BANKER) * banker - (f.winner == TIE)


def _margin(f: CoupFacts) -> Fact:
    return (f.winner == PLAYER) * (f.player_points - f.banker_points) + (f.winner == BANKER) * (
        f.banker_points - f.player_points
    )


def _one_colour(f: CoupFacts) -> Fact:
    same: Fact = f.player_colour == f.banker_colour
    return same * (f.player_colour != MIXED)


def _result_facts() -> list[FactDefinition]:
    result, value = Stage.RESULT, Knowledge.VALUE
    d = FactDefinition
    return [
        d("winner", "which hand wins", _WINNER, result, value, lambda f: f.winner),
        d("winning_points", "points of the winning hand", _POINTS, result, value,
          lambda f: _winning(f, f.player_points, f.banker_points)),
        d("losing_points", "points of the losing hand", _POINTS, result, value,
          lambda f: _winning(f, f.banker_points, f.player_points)),
        d("winning_cards", "number of cards of the winning hand", _CARDS, result, value,
          lambda f: _winning(f, f.player_cards, f.banker_cards)),
        d("losing_cards", "number of cards of the losing hand", _CARDS, result, value,
          lambda f: _winning(f, f.banker_cards, f.player_cards)),
        d("margin", "difference of the two point counts", _POINTS, result, value,
          _margin),
        d("total_cards", "number of cards of both hands", range(4, 7), result, value,
          lambda f: f.player_cards + f.banker_cards),
        d("zero_valued_cards", "number of cards of both hands that count 0", range(7), result,
          value, lambda f: f.zero_valued_cards),
        d("common_rank", "the rank that all cards of both hands share",
          {**RANK_NUMBERS, "none": 0},
          result, Knowledge.RANK, lambda f: f.common_rank),
        d("all_one_colour", "whether the cards of both hands are all red or all black", _FLAG,
          result, Knowledge.SUIT,
          _one_colour),
    ]  # fmt: skip


def _first_four_facts() -> list[FactDefinition]:
    return [
        FactDefinition(
            "first_four_match", "whether two of the first four cards are of one rank", _FLAG,
            Stage.FIRST_FOUR, Knowledge.RANK, lambda f: f.first_four_match,
        ),
        FactDefinition(
            "first_card_higher", "whose first card is higher in rank, ace low and king high",
            {"equal": TIE, "player": PLAYER, "banker": BANKER},
            Stage.FIRST_FOUR, Knowledge.RANK, lambda f: f.first_card_higher,
        ),
    ]  # fmt: skip


_HAND_FACTS: Final[list[tuple[str, str, Mapping[str, int] | range, Stage, Knowledge]]] = [
    ("points", "point count", _POINTS, Stage.RESULT, Knowledge.VALUE),
    ("cards", "number of cards", _CARDS, Stage.RESULT, Knowledge.VALUE),
    ("natural", "8 or 9 on the first two cards", _FLAG, Stage.FIRST_FOUR, Knowledge.VALUE),
    ("pair", "first two cards of one rank", _FLAG, Stage.FIRST_FOUR, Knowledge.RANK),
    ("value_pair", "first two cards of one value", _FLAG, Stage.FIRST_FOUR, Knowledge.VALUE),
    ("identical", "first two cards of one rank and suit", _FLAG, Stage.FIRST_FOUR, Knowledge.SUIT),
    ("suited", "first two cards of one suit", _FLAG, Stage.FIRST_FOUR, Knowledge.SUIT),
    ("royal", "king and queen of one suit", _FLAG, Stage.FIRST_FOUR, Knowledge.SUIT),
    ("colour", "colour of all cards of the hand", {"mixed": MIXED, "red": RED, "black": BLACK},
     Stage.RESULT, Knowledge.SUIT),
]  # fmt: skip


def _field(name: str) -> Callable[[CoupFacts], Fact]:
    read: Callable[[CoupFacts], Fact] = attrgetter(name)
    return read


def _hand_facts(prefix: str, hand: str) -> list[FactDefinition]:
    who = {"player": "Player", "banker": "Banker", "backed": "backed", "other": "other"}[prefix]
    return [
        FactDefinition(
            f"{prefix}_{name}", f"{who} hand: {meaning}", values, stage, knowledge,
            _field(f"{hand}_{name}"),
        )
        for name, meaning, values, stage, knowledge in _HAND_FACTS
    ]  # fmt: skip


def _backed_result(hand: str) -> FactDefinition:
    codes = {"ties": TIE, "wins": PLAYER, "loses": BANKER}
    if hand == "banker":
        codes = {"ties": TIE, "wins": BANKER, "loses": PLAYER}
    return FactDefinition(
        "backed_result", "what the backed hand does", codes, Stage.RESULT, Knowledge.VALUE,
        lambda f: f.winner,
    )  # fmt: skip


def _vocabulary(hand: str | None) -> dict[str, FactDefinition]:
    definitions = _result_facts() + _first_four_facts()
    for own_hand in HANDS:
        definitions += _hand_facts(own_hand, own_hand)
    if hand is not None:
        other = HANDS[1 - HANDS.index(hand)]
        definitions += _hand_facts("backed", hand) + _hand_facts("other", other)
        definitions.append(_backed_result(hand))
    return {definition.name: definition for definition in definitions}


FACTS: Final[Mapping[str | None, Mapping[str, FactDefinition]]] = {
    hand: _vocabulary(hand) for hand in (None, *HANDS)
}
"""The closed vocabulary, by backed hand (None: a wager that backs no hand)."""
