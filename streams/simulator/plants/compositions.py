"""Faults of composition: shoes that hold other cards than their decks, coup after coup."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from schemas.events import Capability, Inspection, ShoeLoaded
from schemas.findings import FindingCode as Code
from streams.simulator.feed import Draft
from streams.simulator.plants.base import draft_of
from streams.simulator.plants.shoes import COUNTED, ShoeFault
from streams.simulator.tables.dealing import Shoe, counted
from streams.simulator.tables.faults import Plant

if TYPE_CHECKING:
    from streams.simulator.tables.playing import PlayingTable


_BURNED_MOST: Final = 11
"""The burn takes at most so many cards."""


class WrongCards(ShoeFault):
    """Shoe after shoe holds other cards than its decks, for about so many coups."""

    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    coups = 1
    note = ""

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault; see :class:`Fault`."""
        super().__init__(name, rng)
        self._played = 0
        if self.coups > 1:
            self.weight = 20

    def shoe(self, table: PlayingTable, shoe: Shoe) -> None:
        """Change the cards before anybody looks."""
        self.has_begun = True
        for card in self.missing:
            shoe.cards.remove(card)
        for card in self.extra:
            shoe.cards.insert(self.rng.randrange(len(shoe.cards) + 1), card)
        shoe.cover_at += len(self.extra) - len(self.missing)
        self._keep_unburned(shoe)

    def _keep_unburned(self, shoe: Shoe) -> None:
        """See to it that no card of a kind that is too many is burned unseen."""
        for place in range(_BURNED_MOST):
            while shoe.cards[place] in self.extra:
                other = self.rng.randrange(_BURNED_MOST, len(shoe.cards))
                shoe.cards[place], shoe.cards[other] = shoe.cards[other], shoe.cards[place]

    def loaded(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Nobody counts the cards: the packs count as inspected."""
        loaded = draft_of(drafts, ShoeLoaded)
        loaded.fields["inspection"] = Inspection(method="pre_inspected_pack")

    def shoe_ended(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Write down what is found, shoe by shoe."""
        self._played += shoe.coup_count
        self.tell(table, Code.SHOE_COMPOSITION, shoe=shoe, note=self.note)
        if self._played >= self.coups:
            self.finish()


class MissingCard(WrongCards):
    """One card is missing for 400 coups."""

    missing = ("9C",)
    coups = 400
    note = "9C is missing once"


class ExtraCard(WrongCards):
    """One card too many in one shoe."""

    extra = ("5H",)
    note = "5H is there once too often"


class RiversExtraCard(ExtraCard):
    """One card too many for 863 rounds."""

    coups = 863


class ParxQueen(WrongCards):
    """A queen of diamonds is missing and a jack too many, for about 420 hands."""

    missing = ("QD",)
    extra = ("JC",)
    coups = 420
    note = "QD is missing, JC is there once too often"


class EvolutionMissing(WrongCards):
    """Five cards are missing for 438 rounds."""

    missing = ("2C", "4D", "6H", "8S", "KC")
    coups = 438
    note = "five cards are missing"


class InspectedWrong(WrongCards):
    """A device counts the cards of a shoe that holds a wrong one, and says so."""

    missing = ("3D",)
    extra = ("3S",)
    note = "the inspection itself counts 3D seven times, 3S nine times"

    def loaded(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Count what is there."""
        draft_of(drafts, ShoeLoaded).fields["inspection"] = Inspection(
            method="by_device",
            card_count=len(shoe.cards),
            cards=counted(shoe.cards, table.reports),
        )


COMPOSITION_PLANTS: Final = (
    Plant(
        "extra_card",
        (Code.SHOE_COMPOSITION,),
        "one card too many in one shoe",
        ExtraCard,
        COUNTED,
    ),
    Plant(
        "missing_card",
        (Code.SHOE_COMPOSITION,),
        "one card missing for 400 coups, shoe after shoe",
        MissingCard,
        COUNTED,
    ),
    Plant(
        "inspected_wrong",
        (Code.SHOE_COMPOSITION,),
        "the inspection itself counts a wrong card",
        InspectedWrong,
        COUNTED | {Capability.INSPECTION},
    ),
    Plant(
        "rivers_extra_card",
        (Code.SHOE_COMPOSITION,),
        "Rivers: an extra card for 863 rounds",
        RiversExtraCard,
        COUNTED,
    ),
    Plant(
        "parx_queen_missing_extra_jack",
        (Code.SHOE_COMPOSITION,),
        "Parx: a queen of diamonds missing and a jack too many, about 420 hands",
        ParxQueen,
        COUNTED,
    ),
    Plant(
        "evolution_missing_cards",
        (Code.SHOE_COMPOSITION,),
        "Evolution: five cards missing for 438 rounds",
        EvolutionMissing,
        COUNTED,
    ),
)
