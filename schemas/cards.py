"""Cards, and how much is known of each.

Records name cards in many ways: rank and suit (``TD``, ``10♦``, ``dT``), the rank alone, or the
baccarat value alone. A :class:`Card` keeps what was said and nothing more, so that a check that
needs suits can be switched off where no suit was recorded.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple

RANKS: Final = "A23456789TJQK"
"""Ranks in ascending order, ace low and king high."""

SUITS: Final = "CDHS"
"""Suits in alphabetical order: clubs, diamonds, hearts, spades."""

RED_SUITS: Final = "DH"
"""The suits printed in red."""

_SUIT_MARKS: Final = {
    **{suit: suit for suit in SUITS},
    **dict(zip("♣♦♥♠", SUITS, strict=True)),
    **dict(zip("♧♢♡♤", SUITS, strict=True)),
}
_SUIT_CLASS: Final = "CDHScdhs♣♦♥♠♧♢♡♤"
_RANK_PART: Final = "10|[0-9AaTtJjQqKk]"
_RANK_FIRST: Final = re.compile(rf"({_RANK_PART})([{_SUIT_CLASS}]?)\ufe0f?")
_SUIT_FIRST: Final = re.compile(rf"([{_SUIT_CLASS}])\ufe0f?({_RANK_PART})")
_SEPARATORS: Final = re.compile(
    # A dash parts cards (K-4-9), but -1 apart stands where no card is: it is no ace.
    r"""(?:[\s,;|/\\_+\[\]()'"]|(?<=[^\s,;|\[(])-|-(?!1(?:[\s,;|\])]|$)))+"""
)


class Knowledge(IntEnum):
    """How much a record tells of a card; each level includes those below it."""

    VALUE = 0
    """The baccarat value alone: 0 stands for ten, jack, queen and king alike."""

    RANK = 1
    """The rank, but not the suit."""

    SUIT = 2
    """Rank and suit."""


class UnreadableCardError(ValueError):
    """A text that names no card."""


class Card(NamedTuple):
    """One card as recorded."""

    rank: str | None
    """One of :data:`RANKS`, or None where only the value 0 is known."""

    suit: str | None
    """One of :data:`SUITS`, or None where no suit was recorded."""

    value: int
    """Baccarat value, 0 to 9: ace 1, ten and pictures 0."""

    @property
    def knowledge(self) -> Knowledge:
        """How much the record tells of this card."""
        if self.rank is None:
            return Knowledge.VALUE
        return Knowledge.RANK if self.suit is None else Knowledge.SUIT

    def __str__(self) -> str:
        """The card in the product's own notation: ``TD``, ``T`` or ``0``."""
        return (self.rank or "0") + (self.suit or "")


def card_value(rank: str) -> int:
    """Say what a rank counts: ace 1, two to nine their number, ten and pictures 0.

    Source:
        58 Pa. Code § 627a.6 (text not seen).
    """
    position = RANKS.index(rank) + 1
    return position if position < 10 else 0


def _card(rank_text: str, suit_text: str) -> Card:
    suit = _SUIT_MARKS[suit_text.upper()] if suit_text else None
    if rank_text == "0":
        if suit is not None:
            raise UnreadableCardError("a card with a suit needs a rank")
        return Card(None, None, 0)
    rank = {"10": "T", "1": "A"}.get(rank_text, rank_text.upper())
    return Card(rank, suit, card_value(rank))


@lru_cache(maxsize=4096)
def parse_card(text: str) -> Card:
    """Read one card, in any of the notations that records use.

    Args:
        text: ``TD``, ``10♦``, ``10d``, ``dT`` (rank and suit in either order), ``T`` (rank alone)
            or ``0`` (value alone; ``1`` is the ace, the only card of value 1).

    Raises:
        UnreadableCardError: The text names no card.
    """
    stripped = text.strip()
    match = _RANK_FIRST.fullmatch(stripped)
    if match:
        return _card(match[1], match[2])
    match = _SUIT_FIRST.fullmatch(stripped)
    if match:
        return _card(match[2], match[1])
    raise UnreadableCardError(
        f"{text[:20]!r} is no card; write rank and suit, such as TD or 10♦, or the rank alone"
    )


def split_cards(text: str) -> list[str]:
    """Split the text of a hand into the texts of its cards, in the order written.

    Cards are parted by spaces, commas, dashes or the like (``K-4-9``), or written without a gap
    where every card has its suit (``2S3HKD``).
    """
    tokens = [token for token in _SEPARATORS.split(text) if token]
    if len(tokens) == 1 and len(tokens[0]) > 3:
        return _split_joined(tokens[0])
    return tokens


def _split_joined(text: str) -> list[str]:
    for one_card in (rf"(?:{_RANK_PART})[{_SUIT_CLASS}]\ufe0f?", _SUIT_FIRST.pattern):
        if re.fullmatch(rf"(?:{one_card})+", text):
            return [match[0] for match in re.finditer(one_card, text)]
    return [text]


def parse_hand(text: str) -> tuple[Card, ...]:
    """Read the cards of one hand in dealing order, third card last.

    Raises:
        UnreadableCardError: One of them names no card; the message says which position.
    """
    cards = []
    for position, token in enumerate(split_cards(text), start=1):
        try:
            cards.append(parse_card(token))
        except UnreadableCardError as error:
            raise UnreadableCardError(f"card {position}: {error}") from None
    return tuple(cards)


def format_hand(cards: tuple[Card, ...]) -> str:
    """Write the cards of a hand in the product's own notation, parted by spaces."""
    return " ".join(str(card) for card in cards)
