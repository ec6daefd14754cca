"""What does one cell say? Readers with a memory, since few distinct texts occur in a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from auditors.facts import hand_part, knowledge_of, pack, points_of
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


class HandCell(NamedTuple):
    """One hand as its text reads."""

    cards: tuple[Card, ...]
    points: int
    draw_key: int
    """What the drawing rules ask of a hand, as a number; -1 where it has not two or three cards."""
    packed_part: int
    """Its part of the coup's packed facts; 0 where it has not two or three cards."""
    knowledge: Knowledge
    unreadable: tuple[tuple[int, str], ...]
    """Positions of unreadable cards, from 1, each with what is wrong."""


def draw_key(cards: tuple[Card, ...]) -> int:
    """Number what the drawing rules ask of a hand: its first two cards' points and its third."""
    if len(cards) == 2:
        return points_of(cards)
    if len(cards) == 3:
        return 10 + points_of(cards[:2]) * 10 + cards[2].value
    return -1


def read_hand(hand: str, tokens: list[str]) -> HandCell:
    """Read the texts of a hand's cards; what is unreadable is named by position."""
    cards, unreadable = [], []
    for position, token in enumerate(tokens, start=1):
        try:
            cards.append(parse_card(token))
        except UnreadableCardError as error:
            unreadable.append((position, str(error)))
    if not tokens:
        unreadable.append((1, "no card is recorded"))
    known = tuple(cards)
    complete = 2 <= len(known) <= 3 and not unreadable
    return HandCell(
        cards=known,
        points=points_of(known),
        draw_key=-1 if unreadable else draw_key(known),
        packed_part=int(pack(hand_part(hand, known))) if complete else 0,
        knowledge=knowledge_of(known),
        unreadable=tuple(unreadable),
    )


class HandReader:
    """Reads the cells of one hand's column."""

    def __init__(self, hand: str) -> None:
        self._hand = hand
        self.memory: Memory[HandCell] = Memory()

    def read(self, text: str) -> HandCell:
        """Read a cell that is not remembered yet."""
        return self.memory.keep(text, read_hand(self._hand, split_cards(text)))


@dataclass(frozen=True, slots=True)
class AmountCell:
    """An amount as its text reads: minor units, or what is wrong with it."""

    minor: int | None
    error: str | None = None
    had_binary_tail: bool = False


class AmountReader:
    """Reads the cells of an amount column."""

    def __init__(self, currency: str) -> None:
        self._currency = currency
        self._memory: Memory[AmountCell] = Memory()

    def read(self, text: str) -> AmountCell:
        """Read an amount; an empty cell states none."""
        found = self._memory.get(text)
        return found if found is not None else self._memory.keep(text, self._parse(text))

    def _parse(self, text: str) -> AmountCell:
        if not text.strip():
            return AmountCell(None)
        try:
            minor, had_tail = parse_recorded_amount(text, self._currency)
        except AmountError as error:
            return AmountCell(None, str(error))
        return AmountCell(minor, had_binary_tail=had_tail)


def read_points(text: str) -> int | None:
    """Read a claimed point count; None where the cell is empty.

    Raises:
        ValueError: Anything but a whole number from 0 to 9.
    """
    stripped = text.strip()
    if not stripped:
        return None
    whole, _, decimals = stripped.partition(".")
    if whole.isascii() and whole.isdigit() and len(whole) <= 2 and not decimals.strip("0"):
        points = int(whole)
        if points <= 9:
            return points
    raise ValueError(f"{text[:20]!r} is no point count; it is a whole number from 0 to 9")


def read_winner(text: str, words: Mapping[str, str]) -> str | None:
    """Read a claimed winner; None where the cell is empty.

    Raises:
        ValueError: A word that is not declared.
    """
    stripped = text.strip()
    if not stripped:
        return None
    word = words.get(stripped.lower())
    if word is None:
        known = ", ".join(words)
        raise ValueError(
            f"{stripped[:20]!r} is no winner; known: {known}; declare it: --winner-values "
            f"{stripped[:20]}=player"
        )
    return word
