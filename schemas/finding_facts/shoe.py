"""Facts about the cards in a shoe."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.finding_facts.parts import (
    PARTS_MAX,
    CardCount,
    CardExcess,
    FactsPart,
    Name,
    Whole,
    Words,
)

When: TypeAlias = Literal["inspected", "inspected_after_play", "with_those_left", "came_out"]
"""Which cards were counted: at an inspection, after play, those out and left, or those out."""

_Counts = Annotated[tuple[CardCount, ...], Field(max_length=PARTS_MAX)]
_Excess = Annotated[tuple[CardExcess, ...], Field(max_length=PARTS_MAX)]


class CardsCounted(FactsPart):
    """An inspection counted another number of cards than the decks hold."""

    kind: Literal["cards_counted"] = "cards_counted"
    when: When
    counted: Whole
    held: Whole


class CardsTooMany(FactsPart):
    """More of some cards were counted than the decks hold."""

    kind: Literal["cards_too_many"] = "cards_too_many"
    when: When
    decks: Whole
    excess: _Excess
    level: Literal["suit", "rank", "value"] = "suit"
    """How much is known of every card that was counted."""


class CardsMissing(FactsPart):
    """Fewer of some cards were counted than the decks hold."""

    kind: Literal["cards_missing"] = "cards_missing"
    when: When
    decks: Whole
    missing: _Counts
    unseen: Whole = 0
    """So many of these may be cards that came out unseen, such as burned ones."""


class CardsOutAndLeft(FactsPart):
    """The cards that came out and those left are not as many as the decks hold."""

    kind: Literal["cards_out_and_left"] = "cards_out_and_left"
    out: Whole
    left: Whole
    held: Whole


class DecksLoaded(FactsPart):
    """The shoe was loaded with another number of decks than is filed."""

    kind: Literal["decks_loaded"] = "decks_loaded"
    loaded: Whole
    filed: Whole


class ReplacedUnlike(FactsPart):
    """A removed card was replaced by another one."""

    kind: Literal["replaced_unlike"] = "replaced_unlike"
    removed: Name
    put_in: Name


class CardIdAgain(FactsPart):
    """A card id came out twice, or with two faces."""

    kind: Literal["card_id_again"] = "card_id_again"
    card_id: Name
    is_one_card: bool
    """It is told of one card that had another face before; else the card came out twice."""
    card: Name | None
    sequence: Whole
    card_again: Name | None
    sequence_again: Whole
    """None: the card was not read."""


class ToldInWords(FactsPart):
    """A problem that an earlier build kept as words alone."""

    kind: Literal["told_in_words"] = "told_in_words"
    words: Words


ShoeProblem: TypeAlias = Annotated[
    CardsCounted
    | CardsTooMany
    | CardsMissing
    | CardsOutAndLeft
    | DecksLoaded
    | ReplacedUnlike
    | CardIdAgain
    | ToldInWords,
    Field(discriminator="kind"),
]
"""One thing that is wrong with what a shoe holds."""


class ShoeComposition(FactsPart):
    """A shoe does not hold what its decks hold."""

    kind: Literal["shoe_composition"] = "shoe_composition"
    coup_count: Whole | None = None
    """Coups of the shoe in a file of recorded rounds; None at a table."""
    problems: Annotated[tuple[ShoeProblem, ...], Field(max_length=PARTS_MAX)]


class CardRemoved(FactsPart):
    """A card was removed and not replaced, and dealing went on."""

    kind: Literal["card_removed"] = "card_removed"
    card: Name | None
    removed_sequence: Whole


class ShoeUninspected(FactsPart):
    """A shoe was dealt without a record of its shuffle or inspection."""

    kind: Literal["shoe_uninspected"] = "shoe_uninspected"
    lacks: Literal["shuffle", "inspection", "both"]


class BurnCounted(FactsPart):
    """Another number of cards was burned than the exposed card calls for."""

    kind: Literal["burn_counted"] = "burn_counted"
    exposed: Name
    expected: Whole
    burned: Whole


Came: TypeAlias = Literal["burned", "dealt", "drawn_in_error", "exposed", "removed"]
"""How a card came out of the shoe."""


class CardForeign(FactsPart):
    """A card bears an id or a back that is not of its shoe."""

    kind: Literal["card_foreign"] = "card_foreign"
    came: Came
    card: Name | None
    hand: Name | None = None
    position: Whole | None = None
    problem: Words


class OrderRepeated(FactsPart):
    """A run of cards was dealt in the order of an earlier run."""

    kind: Literal["order_repeated"] = "order_repeated"
    cards: Words
    first: Whole
    last: Whole
    earlier: Whole
    """Where the earlier run began, counted from 1."""
    earlier_shoe: Name | None = None
    """None: the same shoe."""
    earlier_line: Whole | None = None
    """Line of a file of recorded rounds in which it began; None at a table."""


ShoeFacts: TypeAlias = (
    BurnCounted | CardForeign | CardRemoved | OrderRepeated | ShoeComposition | ShoeUninspected
)
"""Facts of findings about shoes."""
