"""Rows that belong to one coup, and wagers of it that had no base wager beside them.

Rows with one coup id and the same cards are wagers of one coup. Coups are forgotten again, the
oldest first: memory does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Final, NamedTuple

from auditors.law.facts import Stage
from auditors.law.model import Section
from auditors.law.packed_facts import packed_facts
from auditors.rounds.cells import HandCell
from auditors.rounds.columns import RoundColumns
from auditors.settlement.asserting import Place
from auditors.settlement.coup import Coup, judge_coup, winner_of
from auditors.settlement.rules import PricedWager
from auditors.settlement.terms import WagerRef
from schemas.cards import Knowledge

COUPS_REMEMBERED: Final = 20_000
"""At least so many coups, and at most twice as many, may still be added to."""


class Person(NamedTuple):
    """Whose wager it is, as far as its row says."""

    patron: str | None
    seat: str | None

    def may_be(self, other: Person) -> bool:
        """Whether nothing tells them apart: another patron, else another seat."""
        if self.patron and other.patron:
            return self.patron == other.patron
        return not (self.seat and other.seat) or self.seat == other.seat


class Standing(NamedTuple):
    """A wager that needs a base wager of the same patron or seat."""

    ref: WagerRef
    person: Person
    place: Place


_NOTHING: Final[frozenset[int | None]] = frozenset()


class RecordedCoup:
    """One coup as its rows record it."""

    __slots__ = (
        "banker",
        "based",
        "game",
        "is_determined",
        "knowledge",
        "misreported",
        "needing",
        "packed",
        "player",
    )

    def __init__(
        self, player: HandCell, banker: HandCell, game: Section, is_determined: bool
    ) -> None:
        """Begin a coup.

        Args:
            player: The Player hand.
            banker: The Banker hand.
            game: The main game, whose drawing rules hold.
            is_determined: Whether the draw was right.
        """
        self.player, self.banker, self.game = player, banker, game
        self.is_determined = is_determined
        known = self.knowledge = player.knowledge
        if banker.knowledge is not known and banker.knowledge < known:
            self.knowledge = banker.knowledge
        self.misreported: frozenset[int | None] = _NOTHING
        """Columns whose claim was found wrong: one finding per coup and column."""
        self.based: tuple[Person, ...] = ()
        """Patrons or seats with a base wager."""
        self.needing: tuple[Standing, ...] = ()
        self.packed = -1
        """The facts of the cards as they lie, packed; -1 where a hand has not two cards."""
        if player.packed >= 0 and banker.packed >= 0:
            self.packed = packed_facts(player, banker)

    @property
    def winner(self) -> str:
        """``player``, ``banker`` or ``tie``, from the cards as they lie."""
        return winner_of(self.player.points, self.banker.points)

    @property
    def is_whole(self) -> bool:
        """Whether each hand has two or three cards, drawn rightly or not."""
        return self.player.draw_key >= 0 and self.banker.draw_key >= 0

    def judged(self) -> Coup:
        """Give the coup with what is wrong with its draw."""
        if self.is_determined:
            return Coup(self.player.cards, self.banker.cards)
        return judge_coup(self.player.cards, self.banker.cards, self.game)

    def settles(self, priced: PricedWager) -> bool:
        """Whether the facts that a wager asks for are certain."""
        return self.is_determined or (priced.stage is Stage.FIRST_FOUR and self.packed >= 0)

    @property
    def known_of_four(self) -> Knowledge:
        """How much is known of the first four cards."""
        return min(self.player.known_of_two, self.banker.known_of_two)

    def is_known(self, priced: PricedWager) -> bool:
        """Whether the cards tell enough to rule on a wager."""
        first_four = priced.stage is Stage.FIRST_FOUR
        return priced.knowledge <= (self.known_of_four if first_four else self.knowledge)

    def without_base(self) -> Iterator[Standing]:
        """Give the wagers that need a base wager and have none."""
        return (
            standing
            for standing in self.needing
            if not any(map(standing.person.may_be, self.based))
        )


class RecordedCoups:
    """The coups that rows have named lately."""

    def __init__(self, columns: RoundColumns, game: Section) -> None:
        """Prepare to tell coups apart by their source, shoe, id and cards."""
        self._game, self._id = game, columns.coup
        self._coups: dict[Hashable, RecordedCoup] = {}
        self._draws: dict[int, bool] = {}

    def id_of(self, cells: Sequence[str]) -> str | None:
        """Give the id of a row's coup; None where the row does not say which coup it belongs to."""
        text = cells[self._id] if self._id is not None else ""
        return text if text and not text.isspace() else None

    def find(
        self, origin: Hashable, id_: str | None, player: HandCell, banker: HandCell
    ) -> tuple[RecordedCoup, bool]:
        """Give the coup of a row, and whether this is its first row.

        Args:
            origin: The cells that name the row's table, source and shoe.
            id_: As :meth:`id_of` says; a row without an id is a coup of its own.
            player: Its Player hand.
            banker: Its Banker hand.
        """
        key = (origin, id_, player.marks, banker.marks)
        if id_ is not None:
            coup = self._coups.get(key)
            if coup is not None:
                return coup, False
        drawn = player.draw_key * 128 + banker.draw_key
        is_right = self._draws.get(drawn)
        if is_right is None:
            # Remembered by what the drawing rules ask of the hands, where both are hands.
            is_right = judge_coup(player.cards, banker.cards, self._game).is_determined
            if player.draw_key >= 0 and banker.draw_key >= 0:
                self._draws[drawn] = is_right
        coup = RecordedCoup(player, banker, self._game, is_right)
        if id_ is not None:
            self._coups[key] = coup
        return coup, True

    @property
    def is_full(self) -> bool:
        """Whether twice as many coups are remembered as have to be."""
        return len(self._coups) >= 2 * COUPS_REMEMBERED

    def forget_oldest(self) -> list[RecordedCoup]:
        """Give up the oldest coups, so that as many are left as have to be remembered."""
        count = max(0, len(self._coups) - COUPS_REMEMBERED)
        return [self._coups.pop(key) for key in list(islice(self._coups, count))]

    def forget_all(self) -> list[RecordedCoup]:
        """Give up every coup, oldest first."""
        forgotten = list(self._coups.values())
        self._coups.clear()
        return forgotten


def cells_at(*positions: int | None) -> Callable[[Sequence[str]], object]:
    """Give what reads these cells of a row, as far as there are such columns, to be compared."""
    present = [position for position in positions if position is not None]
    return itemgetter(*present) if present else lambda cells: None
