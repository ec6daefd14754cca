"""What do findings say that only their sentences hold? Read back in one place, tested on the fold.

A finding has no field for cards that are missing or events that are lost; its sentence names them
in one form. Where a sentence has another form nothing is read, and titles say less.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from schemas.events.fields import SEQUENCE_MAX

_MISSING: Final = re.compile(
    r"missing: ((?:\d+ of \w+(?:, )?)+)"
    r"(?: \((\d+) of these may be the cards? that came out unseen\))?"
)
_EXCESS: Final = re.compile(r"(\d+) of (\w+), (\d+) held")
_ADDED: Final = re.compile(r"(\d+) cards out and (\d+) left, (\d+) held")
_INSPECTED: Final = re.compile(r"(\d+) cards, (\d+) held")
_DOUBLED: Final = re.compile(r"card id \S+ came out twice")
_DECKS: Final = re.compile(r"loaded with (\d+) decks, (\d+) are filed")
_REMOVED: Final = re.compile(r": (a card|\w+) was removed \(event (\d+)\)")
_FAULT: Final = re.compile(r"^Fault \S+ of the ([a-z ]+) \((.+?)\) was raised at event (\d+)")
_ONE_LOST: Final = re.compile(r"^Event (\d+) is missing")
_SOME_LOST: Final = re.compile(r"^Events (\d+) to (\d+) are missing")
_END_LOST: Final = re.compile(r"^Whatever feed \S+ said from event (\d+) on is missing")
_EVENT_TYPE: Final = re.compile(r"^Event \d+(?:, | cannot be read: )([a-z_]+)")


@dataclass(frozen=True, slots=True)
class Composition:
    """How a shoe differs from its decks, as far as a sentence says."""

    absent: tuple[tuple[str, int], ...] = ()
    """Card to how many were not seen: missing ones, and those that left the shoe unseen."""
    extra: tuple[tuple[str, int], ...] = ()
    """Card to how many are too many."""
    net: int | None = None
    """Cards too many (positive) or missing (negative) in all, where they were counted."""
    doubled: int = 0
    """Cards that by their ids came out twice."""

    @property
    def extra_count(self) -> int:
        """How many cards are known to be too many."""
        return sum(count for _, count in self.extra) or max(0, self.net or 0)

    @property
    def missing_count(self) -> int:
        """How many cards are known to be missing."""
        if self.net is None:
            return sum(count for _, count in self.absent)
        return max(0, self.extra_count - self.net)

    def is_like(self, other: Composition) -> bool:
        """Whether two shoes may differ for one cause: as many cards, and one in common."""
        ours = (self.missing_count, self.extra_count)
        if ours == (0, 0) or ours != (other.missing_count, other.extra_count):
            return False
        return all(
            not (mine and theirs) or not mine.isdisjoint(theirs)
            for mine, theirs in (
                ({card for card, _ in self.absent}, {card for card, _ in other.absent}),
                ({card for card, _ in self.extra}, {card for card, _ in other.extra}),
            )
        )

    def narrowed(self, other: Composition) -> Composition:
        """Keep of what was not seen what another shoe of the same cause did not see either."""
        theirs = dict(other.absent)
        absent = self.absent or other.absent
        if self.absent and theirs:
            absent = tuple((card, min(n, theirs[card])) for card, n in absent if card in theirs)
        return Composition(absent, self.extra or other.extra, self.net, self.doubled)


def read_composition(sentence: str) -> Composition:
    """Read which cards are missing or too many.

    An inspection sees every card, so what it lists is missing. At the end of a shoe the cards that
    came out unseen, such as burned ones, are on the list as well; the sentence says how many.
    """
    extra: Counter[str] = Counter()
    for seen, card, held in _EXCESS.findall(sentence):
        extra[card] = max(extra[card], int(seen) - int(held))
    lists = [(int(unseen or 0), _counted(listed)) for listed, unseen in _MISSING.findall(sentence)]
    unseen, absent = min(lists, key=itemgetter(0), default=(0, {}))
    net = None
    if counted := _INSPECTED.search(sentence):
        net = int(counted[1]) - int(counted[2])
    elif added := _ADDED.search(sentence):
        net = int(added[1]) + int(added[2]) - int(added[3])
    elif absent:
        net = extra.total() - (sum(absent.values()) - unseen)
    doubled = len(_DOUBLED.findall(sentence))
    return Composition(tuple(sorted(absent.items())), tuple(sorted(extra.items())), net, doubled)


def _counted(listed: str) -> dict[str, int]:
    """Read ``1 of QD, 2 of 5H``."""
    entries = (entry.partition(" of ") for entry in listed.rstrip(", ").split(", "))
    return {card: int(count) for count, _, card in entries}


def read_decks(sentence: str) -> tuple[int, int] | None:
    """Read how many decks were loaded, and how many were filed."""
    match = _DECKS.search(sentence)
    return (int(match[1]), int(match[2])) if match else None


def read_removal(sentence: str) -> tuple[str, int] | None:
    """Read which card was removed, and at which event."""
    match = _REMOVED.search(sentence)
    return (match[1], int(match[2])) if match else None


def read_fault(sentence: str) -> tuple[str, str, int] | None:
    """Read which device was at fault, what it showed, and at which event."""
    match = _FAULT.search(sentence)
    return (match[1], match[2], int(match[3])) if match else None


def read_gap(sentence: str) -> tuple[int, int] | None:
    """Read the first and the last event that is missing, as far as its sentence names them."""
    if match := _END_LOST.search(sentence):
        return int(match[1]), SEQUENCE_MAX
    if match := _SOME_LOST.search(sentence):
        return int(match[1]), int(match[2])
    match = _ONE_LOST.search(sentence)
    return (int(match[1]), int(match[1])) if match else None


def read_event_type(sentence: str) -> str:
    """Read which type of event cannot be used; empty where it is not said."""
    match = _EVENT_TYPE.search(sentence)
    return match[1] if match else ""
