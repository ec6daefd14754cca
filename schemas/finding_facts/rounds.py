"""Facts about files of recorded rounds: rows, cells and lists as others wrote them."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.finding_facts.parts import PARTS_MAX, FactsPart, Name, Whole, Words


class RowUnusable(FactsPart):
    """A line, or the cell in the column that the finding names, cannot be used."""

    kind: Literal["row_unusable"] = "row_unusable"
    problem: Words
    """What is wrong, as a clause; with its own mark where it asks."""


class StakeNotPayable(FactsPart):
    """No whole amount is due on the stake of a row, because no rounding is filed."""

    kind: Literal["stake_not_payable"] = "stake_not_payable"
    wager_name: Name
    problem: Words


class CardIllegible(FactsPart):
    """A card of a row names no card, or its hand cannot be told."""

    kind: Literal["card_illegible"] = "card_illegible"
    position: Whole
    """Of the card in its hand, from 1; in the whole column where the hand cannot be told."""
    problem: Words


_Names = Annotated[tuple[Name, ...], Field(max_length=PARTS_MAX)]


class WinnersRecorded(FactsPart):
    """The winning wagers that a row lists are not those that won."""

    kind: Literal["winners_recorded"] = "winners_recorded"
    player_cards: Name
    banker_cards: Name
    player_points: Whole
    banker_points: Whole
    not_won: _Names = ()
    """Words of the list whose wagers had not won."""
    not_recorded: _Names = ()
    """Words that the list lacks, whose wagers had won."""


class LineNoEvent(FactsPart):
    """A line of a file of events is no event, not even one with a readable envelope."""

    kind: Literal["line_no_event"] = "line_no_event"
    problem: Words
    named_source: Name | None = None
    """The source that it names all the same, as far as that can be told."""


RoundsFacts: TypeAlias = (
    CardIllegible | LineNoEvent | RowUnusable | StakeNotPayable | WinnersRecorded
)
"""Facts of findings about lines of files."""
