"""What does one cell say? Readers with a memory, since few distinct texts occur in a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from auditors.facts import HandPart, knowledge_of, part_of, points_of, with_third
from auditors.table.shoe_order import mark_of
from schemas.cards import Card, Knowledge, UnreadableCardError, parse_card, split_cards
from schemas.money import AmountError, parse_recorded_amount

MEMORY_MAX: Final = 250_000
"""Distinct texts that a reader remembers before it starts anew: memory stays constant."""

Read = TypeVar("Read")


class Memory(dict[str, Read], Generic[Read]):
    """Text to what it reads as, forgotten as a whole when it grows too large."""

    def keep(self, text: str, read: Read) -> Read:
        """Remember what a text reads as, and give it back."""
        if len(self) >= MEMORY_MAX:
            self.clear()
        self[text] = read
        return read


@dataclass(frozen=True, slots=True)
class Unusable:
    """A cell that cannot be used, and why."""

    message: str


@dataclass(slots=True, eq=False)
class HandCell:
    """One hand as its text reads, with all that the checks ask of it worked out once."""

    cards: tuple[Card, ...]
    key: str
    """The cards in the product's notation: the same for every way of writing them."""
    marks: str
    """The cards as the order of a shoe is remembered, a character each."""
    points: int
    points_text: str
    """Points as a cell has them."""
    draw_key: int
    """What the drawing rules ask of a hand, as a number; -1 where it has not two or three cards."""
    part: HandPart | None
    """Its part of the coup's facts, no more than three cards; None with fewer than two."""
    knowledge: Knowledge
    known_of_two: Knowledge
    """How much is known of its first two cards."""
    unreadable: tuple[tuple[int, str], ...]
    """Positions of unreadable cards, from 1, each with what is wrong."""


def draw_key(cards: tuple[Card, ...]) -> int:
    """Number what the drawing rules ask of a hand: its first two cards' points and its third."""
    if len(cards) == 2:
        return points_of(cards)
    if len(cards) == 3:
        return 10 + points_of(cards[:2]) * 10 + cards[2].value
    return -1


def read_hand(hand: str, tokens: Sequence[str]) -> HandCell:
    """Read the texts of a hand's cards; what is unreadable is named by position."""
    cards, unreadable = [], []
    for position, token in enumerate(tokens, start=1):
        try:
            cards.append(parse_card(token))
        except UnreadableCardError as error:
            unreadable.append((position, str(error)))
    if not tokens:
        unreadable.append((1, "no card is recorded"))
    return _hand_cell(hand, tuple(cards), tuple(unreadable))


def _hand_cell(
    hand: str, cards: tuple[Card, ...], unreadable: tuple[tuple[int, str], ...] = ()
) -> HandCell:
    points, is_hand = points_of(cards), len(cards) >= 2 and not unreadable
    texts = [str(card) for card in cards]
    return HandCell(
        cards=cards,
        key=" ".join(texts),
        marks="".join([mark_of(text) for text in texts]),
        points=points,
        points_text=str(points),
        draw_key=draw_key(cards) if is_hand else -1,
        part=part_of(hand, cards[:3]) if is_hand else None,
        knowledge=knowledge_of(cards),
        known_of_two=knowledge_of(cards[:2]),
        unreadable=unreadable,
    )


class HandReader:
    """Reads the cells of one hand's column."""

    def __init__(self, hand: str) -> None:
        """Read cells of this hand."""
        self._hand = hand
        self._cards: Memory[Card] = Memory()
        self._twos: dict[tuple[str, str], HandCell] = {}
        """Hands of two cards by their texts: a hand of three is such a one and a card more."""
        self.memory: Memory[HandCell] = Memory()
        """What was read before: asked first, since most hands occur again and again."""

    def read(self, text: str) -> HandCell:
        """Read a cell that is not remembered yet."""
        tokens = text.split()
        if len(tokens) == 3:
            # Most cells are single cards parted by blanks, all of which were read before.
            two, third = self._twos.get((tokens[0], tokens[1])), self._cards.get(tokens[2])
            if two is not None and third is not None:
                return self.memory.keep(text, _with_third(self._hand, two, third))
        tokens = split_cards(text)
        cell = read_hand(self._hand, tokens)
        if not cell.unreadable and len(tokens) <= 3:
            self._remember(tokens, cell)
        return self.memory.keep(text, cell)

    def _remember(self, tokens: Sequence[str], cell: HandCell) -> None:
        for token, card in zip(tokens, cell.cards, strict=True):
            self._cards.keep(token, card)
        if len(tokens) >= 2:
            if len(self._twos) >= _TWOS_MAX:
                self._twos.clear()
            self._twos[tokens[0], tokens[1]] = read_hand(self._hand, tokens[:2])


_TWOS_MAX: Final = 20_000


def _with_third(hand: str, two: HandCell, third: Card) -> HandCell:
    assert two.part is not None
    part, known = with_third(hand, two.part, third), two.knowledge
    text = (third.rank or "0") + (third.suit or "")
    return HandCell(
        cards=(*two.cards, third),
        key=f"{two.key} {text}",
        marks=two.marks + mark_of(text),
        points=part.points,
        points_text=str(part.points),
        draw_key=10 + two.points * 10 + third.value,
        part=part,
        knowledge=known if third.suit is not None else min(known, third.knowledge),
        known_of_two=known,
        unreadable=(),
    )


class AmountReader:
    """Reads the cells of an amount column into minor units."""

    def __init__(
        self, currency: str, on_binary_tail: Callable[[str], None], *, may_be_negative: bool
    ) -> None:
        """Prepare to read.

        Args:
            currency: Of every amount in the column.
            on_binary_tail: Told of a text that was read as the unit beside it.
            may_be_negative: Whether the column states what was won or lost.
        """
        self._currency, self._may_be_negative = currency, may_be_negative
        self._on_binary_tail = on_binary_tail
        self.memory: Memory[int | Unusable | None] = Memory()
        """What was read before."""

    def read(self, text: str) -> int | Unusable | None:
        """Read an amount; an empty cell states none."""
        memory = self.memory
        return memory[text] if text in memory else memory.keep(text, self._parse(text))

    def _parse(self, text: str) -> int | Unusable | None:
        if not text.strip():
            return None
        try:
            minor, had_tail = parse_recorded_amount(text, self._currency)
        except AmountError as error:
            return Unusable(str(error))
        if minor < 0 and not self._may_be_negative:
            return Unusable(f"{text[:24]!r} is below 0")
        if had_tail:
            self._on_binary_tail(text)
        return minor


def read_points(text: str) -> int | Unusable | None:
    """Read a claimed point count, a whole number from 0 to 9; None where the cell is empty."""
    stripped = text.strip()
    if not stripped:
        return None
    whole, _, decimals = stripped.partition(".")
    if whole.isascii() and whole.isdigit() and len(whole) <= 2 and not decimals.strip("0"):
        points = int(whole)
        if points <= 9:
            return points
    return Unusable(f"{text[:20]!r} is no point count; it is a whole number from 0 to 9")


def read_winner(text: str, words: Mapping[str, str]) -> str | Unusable | None:
    """Read a claimed winner by the words that are declared; None where the cell is empty."""
    stripped = text.strip()
    if not stripped:
        return None
    word = words.get(stripped.lower())
    if word is not None:
        return word
    return Unusable(
        f"{stripped[:20]!r} is no winner; known: {', '.join(words)}; declare it: "
        f"--winner-values {stripped[:20]}=player"
    )
