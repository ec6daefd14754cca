"""Readers of single cells, with a memory, since few distinct texts occur in a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from auditors.law.facts import knowledge_of, points_of, rank_number
from auditors.law.packed_facts import HandPart, part_of, third_card_changes
from auditors.table.known.shoe_order import card_of, mark_of
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


class HandCell:
    """One hand as its text reads, with all that the checks ask of it worked out once.

    It tells what :class:`auditors.law.facts.HandPart` tells, of no more than three cards.
    """

    __slots__ = (
        "colour",
        "common_rank",
        "draw_key",
        "first_rank",
        "knowledge",
        "known_of_two",
        "marks",
        "packed",
        "points",
        "rank_bits",
        "unreadable",
    )

    def __init__(
        self,
        marks: str,
        points: int,
        part: HandPart | None,
        draw_key: int,
        knowledge: Knowledge,
        known_of_two: Knowledge,
        unreadable: tuple[tuple[int, str], ...] = (),
    ) -> None:
        """Describe a hand.

        Args:
            marks: Its readable cards as the order of a shoe is remembered, a character each.
            points: Points of all its cards.
            part: What the facts of a coup need of it; None with fewer than two cards.
            draw_key: As :func:`draw_key` numbers it; -1 where it has not two or three cards.
            knowledge: How much is known of its cards.
            known_of_two: How much is known of its first two cards.
            unreadable: Positions of unreadable cards, from 1, each with what is wrong.
        """
        self.marks, self.points, self.draw_key = marks, points, draw_key
        self.packed, _, self.first_rank, self.rank_bits, self.common_rank, self.colour = (
            part or _NO_PART
        )
        self.knowledge, self.known_of_two, self.unreadable = knowledge, known_of_two, unreadable

    @property
    def cards(self) -> tuple[Card, ...]:
        """Its cards, as far as they were read."""
        return tuple([parse_card(card_of(mark)) for mark in self.marks])

    @property
    def key(self) -> str:
        """The cards in the product's notation: the same for every way of writing them."""
        return " ".join([card_of(mark) for mark in self.marks])


_NO_PART: Final = HandPart(-1, 0, 0, 0, 0, 0)
"""Stands for the part of a hand of fewer than two cards."""


def draw_key(cards: tuple[Card, ...]) -> int:
    """Number what the drawing rules ask of a hand: its first two cards' points and its third."""
    if len(cards) == 2:
        return points_of(cards)
    if len(cards) == 3:
        return 10 + points_of(cards[:2]) * 10 + cards[2].value
    return -1


def read_hand(hand: str, tokens: Sequence[str]) -> HandCell:
    """Read the texts of a hand's cards; what is unreadable is named by position."""
    cards, unreadable = list[Card](), []
    for position, token in enumerate(tokens, start=1):
        try:
            cards.append(parse_card(token))
        except UnreadableCardError as error:
            unreadable.append((position, str(error)))
    if not tokens:
        unreadable.append((1, "no card is recorded"))
    read, is_hand = tuple(cards), len(cards) >= 2 and not unreadable
    return HandCell(
        "".join([mark_of(str(card)) for card in read]),
        points_of(read),
        part_of(hand, read[:3]) if is_hand else None,
        draw_key(read) if is_hand else -1,
        knowledge_of(read),
        knowledge_of(read[:2]),
        tuple(unreadable),
    )


class _Third(NamedTuple):
    """A card as the third of a hand."""

    changes: tuple[tuple[int, int, int], ...]
    rank: int
    draw_key: int
    mark: str
    knowledge: Knowledge


class HandReader:
    """Reads the cells of one hand's column."""

    def __init__(self, hand: str) -> None:
        """Read cells of this hand."""
        self._hand = hand
        self._twos: Memory[HandCell] = Memory()
        self._thirds: Memory[_Third] = Memory()
        """A hand of three cards parted by blanks is one of two and a card more: few of either."""
        self.memory: Memory[HandCell] = Memory()
        """Whatever else was read before: asked first."""

    def read(self, text: str) -> HandCell:
        """Read a cell that is not remembered yet."""
        head, _, tail = text.rpartition(" ")
        third = self._thirds.get(tail)
        if third is not None:
            two = self._twos.get(head)
            if two is not None:
                return _with_third(two, third)
        tokens = split_cards(text)
        cell = read_hand(self._hand, tokens)
        if len(tokens) == 3 and not cell.unreadable and " ".join(tokens) == text:
            self._remember(head, tail)
            return cell
        if len(tokens) == 2 and not cell.unreadable and " ".join(tokens) == text:
            self._twos.keep(text, cell)
        return self.memory.keep(text, cell)

    def _remember(self, two: str, third: str) -> None:
        """Remember the first two cards of a hand, and its third."""
        if two not in self._twos:
            known = self.memory.get(two)
            self._twos.keep(two, known or read_hand(self._hand, two.split()))
        card = parse_card(third)
        changes, rank = third_card_changes(self._hand, card), rank_number(card)
        mark = mark_of(str(card))
        self._thirds.keep(third, _Third(changes, rank, 10 + card.value, mark, card.knowledge))


def _with_third(two: HandCell, third: _Third) -> HandCell:
    cell = HandCell.__new__(HandCell)
    change, cell.points, cell.colour = third.changes[3 * two.points + two.colour]
    cell.packed = two.packed + change
    cell.marks = two.marks + third.mark
    cell.draw_key = third.draw_key + 10 * two.points
    cell.first_rank, cell.rank_bits = two.first_rank, two.rank_bits
    cell.common_rank = two.common_rank if two.common_rank == third.rank else 0
    known = cell.known_of_two = cell.knowledge = two.knowledge
    if third.knowledge is not known and third.knowledge < known:
        cell.knowledge = third.knowledge
    cell.unreadable = ()
    return cell


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
        self.amounts: Memory[int] = Memory()
        """Amounts that were read before."""
        self._others: Memory[Unusable | None] = Memory()

    def read(self, text: str) -> int | Unusable | None:
        """Read an amount; an empty cell states none."""
        if text in self.amounts:
            return self.amounts[text]
        if text in self._others:
            return self._others[text]
        read = self._parse(text)
        return (
            self.amounts.keep(text, read)
            if isinstance(read, int)
            else self._others.keep(text, read)
        )

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
