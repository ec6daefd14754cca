"""Faults of the cards themselves: missing, foreign, removed, burned wrongly, unshuffled."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from schemas.events import (
    Capability,
    CardDealt,
    CardRemoved,
    CardsBurned,
    ShoeLoaded,
)
from schemas.findings import FindingCode as Code
from schemas.rules_submission import RulesSubmission
from streams.simulator.feed import Draft
from streams.simulator.plants.base import draft_of
from streams.simulator.tables.dealing import Shoe, as_read
from streams.simulator.tables.faults import Fault, Plant, Scope

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable

_CYCLE: Final = ("AS", *(f"{rank}S" for rank in "23456789TJQK"), "AH", "2H")
_CYCLES: Final = 8
_IDS_TOLD: Final = 54
"""After so many ids each is known to be of a single card: a deck has fewer."""

_FRONT: Final = 40
"""Within so many cards of the front a card is dealt for certain."""


class ShoeFault(Fault):
    """A fault that comes with a whole shoe."""

    scope = Scope.SHOE
    weight = 4


class NotInspected(ShoeFault):
    """A shoe is dealt without a record of its shuffle and inspection."""

    def loaded(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Leave the records out."""
        fields = draft_of(drafts, ShoeLoaded).fields
        fields["shuffle"] = fields["shuffled_by"] = fields["inspection"] = None
        self.tell(table, Code.SHOE_NOT_INSPECTED, shoe=shoe, note="no shuffle, no inspection")
        self.finish()


class BurnWrong(ShoeFault):
    """One card too many is burned."""

    def loaded(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Burn one more."""
        burned = draft_of(drafts, CardsBurned)
        card = shoe.take()
        shoe.burned.append(card)
        count = int(str(burned.fields["burned_count"]))
        burned.fields["burned_count"] = count + 1
        read = burned.fields["burned_cards"]
        if isinstance(read, tuple) and read:
            burned.fields["burned_cards"] = (*read, card)
        self.tell(table, Code.BURN_MISMATCH, shoe=shoe, note=f"{count + 1} burned for {count}")
        self.finish()


class CoverCardOverrun(ShoeFault):
    """Two coups more than the cover card permits."""

    more = 2
    behind = 40

    def shoe(self, table: PlayingTable, shoe: Shoe) -> None:
        """Put the cover card further in, so that there are cards for the coups."""
        shoe.cover_at = len(shoe.cards) - self.behind
        self.has_begun = True
        self._over = 0

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Go on dealing after the last coup."""
        shoe = plan.shoe
        if not shoe.is_cover_drawn or shoe.last_coup is None:
            return
        if self._over:
            self.tell(table, Code.COVER_CARD_OVERRUN, plan=plan, note="after the last coup")
        if plan.number >= shoe.last_coup and self._over < self.more:
            self._over += 1
            shoe.last_coup = plan.number + 1
        elif self._over:
            self.finish()


class ForeignCard(ShoeFault):
    """A card of another shoe, told by its id, dealt in the front part of the shoe."""

    def shoe(self, table: PlayingTable, shoe: Shoe) -> None:
        """Choose the card; it has its like's place, so that the counts add up."""
        self.has_begun = True
        self._place = self.rng.randrange(15, 15 + _FRONT)
        self.mark(shoe, self._place)

    def mark(self, shoe: Shoe, place: int) -> None:
        """Give the card another shoe's id."""
        shoe.odd_ids[place] = f"x{shoe.id_prefix}{place + 1:03}"

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Write down where it was dealt."""
        shown = self.shown(plan.shoe, self._place)
        for draft in drafts:
            if draft.kind is CardDealt and shown in (
                draft.fields["card_id"],
                draft.fields["back"],
            ):
                self.tell(table, Code.CARD_FROM_OTHER_SHOE, plan=plan, note=f"card {shown}")
                self.finish()
                return
        if plan.shoe.taken > self._place + 1 and not self.is_done:
            # It was burned; the next card is as good.
            self._place = plan.shoe.taken + 3
            self.mark(plan.shoe, self._place)

    def shown(self, shoe: Shoe, place: int) -> str:
        """Give what gives the card away."""
        return shoe.odd_ids[place]


class OddBack(ForeignCard):
    """A card with another back."""

    def mark(self, shoe: Shoe, place: int) -> None:
        """Give the card another back."""
        shoe.odd_backs[place] = "green-star"

    def shown(self, shoe: Shoe, place: int) -> str:
        """Give what gives the card away."""
        return shoe.odd_backs[place]


class CardSetAside(Fault):
    """A card is taken out of the shoe, not replaced, and dealing goes on."""

    reason = "damaged"
    wanted = "7H"
    weight = 2

    def between(self, table: PlayingTable) -> list[Draft]:
        """Take the next card away."""
        shoe = table.shoe
        if self.has_begun or shoe is None or shoe.taken + _FRONT > shoe.cover_at:
            return []
        shoe.bring((self.wanted,))
        card = shoe.take()
        self.has_begun = True
        fields: dict[str, object] = {
            "shoe_id": shoe.shoe_id,
            "removal_id": table.next_id("r"),
            "taken_from": "shoe",
            "reason": self.reason,
            "card": as_read(card, table.reports),
        }
        self._card = card
        return [Draft(CardRemoved, table.pace.step(3000, 9000), fields)]

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Write down what is found with the next coup."""
        if self.has_begun:
            self.tell(
                table, Code.CARD_REMOVED, shoe=plan.shoe, note=f"{self._card} was not replaced"
            )
            self.finish()


class CardOnFloor(CardSetAside):
    """The same: a jack of spades lies on the floor."""

    reason = "dropped"
    wanted = "JS"


class Unshuffled(ShoeFault):
    """The cards come in the order of unshuffled packs: one run of 15, eight times over (B33)."""

    def shoe(self, table: PlayingTable, shoe: Shoe) -> None:
        """Put the run behind the burn."""
        self.has_begun = True
        exposed = "3D"
        run = list(_CYCLE) * _CYCLES
        rest = list(shoe.cards)
        for card in (exposed, *run):
            rest.remove(card)
        shoe.cards[:] = [exposed, *rest[:3], *run, *rest[3:]]

    def shoe_ended(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Write down what is found."""
        self.tell(
            table, Code.SHOE_ORDER_REPEATED, shoe=shoe, note="a run of 15 cards, eight times over"
        )
        self.finish()


class ShoeRepeated(ShoeFault):
    """A shoe comes in the order of the shoe before it: the shuffle did nothing."""

    weight = 8

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault; see :class:`Fault`."""
        super().__init__(name, rng)
        self._order: list[str] = []

    def shoe(self, table: PlayingTable, shoe: Shoe) -> None:
        """Remember the first shoe, repeat it with the second."""
        self.has_begun = True
        if self._order:
            shoe.cards[:] = self._order

    def shoe_ended(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """Write down what is found with the second shoe."""
        if not self._order:
            self._order = list(shoe.cards)
            return
        self.tell(table, Code.SHOE_ORDER_REPEATED, shoe=shoe, note="the order of the shoe before")
        self.finish()


class CardTwice(ShoeFault):
    """A card comes out of the shoe that came out before: its id and its face are there twice."""

    has_same_face = True

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault; see :class:`Fault`."""
        super().__init__(name, rng)
        self._told: dict[object, object] = {}

    def shoe(self, table: PlayingTable, shoe: Shoe) -> None:
        """Begin with the ids of a new shoe."""
        self.has_begun = True
        self._told.clear()

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Give a card the id of an earlier one, once that is known to be of a single card."""
        dealt = [
            draft
            for draft in drafts
            if draft.kind is CardDealt and draft.fields["error_id"] is None
        ]
        for draft in dealt if len(self._told) >= _IDS_TOLD else ():
            earlier = self._earlier(draft.fields["card"])
            if earlier is not None and int(str(draft.fields["position"])) < 3:
                draft.fields["card_id"] = earlier
                self.tell(table, Code.SHOE_COMPOSITION, shoe=plan.shoe, note=f"{earlier} twice")
                self.finish()
                return
        self._told.update(
            (dealt_card.fields["card_id"], dealt_card.fields["card"]) for dealt_card in dealt
        )

    def _earlier(self, card: object) -> object:
        """Choose the id of an earlier card."""
        return next(
            (id_ for id_, told in self._told.items() if (told == card) is self.has_same_face), None
        )


class CardWithTwoFaces(CardTwice):
    """The same, and the card has another face by then."""

    has_same_face = False


class IdsShared(ShoeFault):
    """Ids of a shoe are codes of rank and suit, so that several cards bear each."""

    coups = 12

    def shoe(self, table: PlayingTable, shoe: Shoe) -> None:
        """Begin with a shoe."""
        self.has_begun = True
        self._coups = 0

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Write rank and suit as id."""
        for draft in drafts:
            if draft.kind is CardDealt:
                draft.fields["card_id"] = f"{plan.shoe.id_prefix}{draft.fields['card']}"
        self._coups += 1
        if self._coups == self.coups:
            self.tell(table, Code.EVENT_REJECTED, note="ids that several cards bear")
            self.finish()


_CARDS: Final = frozenset({Capability.CARDS, Capability.SUITS})
COUNTED: Final = _CARDS | {Capability.CARDS_LEFT, Capability.BURN}
"""What a table has to report so that the cards of a shoe add up."""

_REMOVALS: Final = _CARDS | {Capability.REMOVALS}
_WITH_IDS: Final = _CARDS | {Capability.CARD_IDS, Capability.DRAWING_ERRORS}
_ORDERED: Final = _CARDS | {Capability.DEAL_ORDER}


def _eight_decks(submission: RulesSubmission) -> bool:
    return submission.decks == 8


SHOE_PLANTS: Final = (
    Plant(
        "shoe_not_inspected",
        (Code.SHOE_NOT_INSPECTED,),
        "a shoe without a record of shuffle and inspection",
        NotInspected,
        _CARDS | {Capability.SHUFFLE, Capability.INSPECTION},
    ),
    Plant(
        "burn_wrong",
        (Code.BURN_MISMATCH,),
        "one card too many burned",
        BurnWrong,
        COUNTED,
    ),
    Plant(
        "cover_card_overrun",
        (Code.COVER_CARD_OVERRUN, Code.COVER_CARD_OVERRUN),
        "two coups after the last one, each a finding",
        CoverCardOverrun,
        _CARDS | {Capability.COVER_CARD},
    ),
    Plant(
        "foreign_card",
        (Code.CARD_FROM_OTHER_SHOE,),
        "a card with another shoe's id",
        ForeignCard,
        _CARDS | {Capability.CARD_IDS},
    ),
    Plant(
        "rivers_odd_back",
        (Code.CARD_FROM_OTHER_SHOE,),
        "Rivers: an odd-backed card in mini-baccarat",
        OddBack,
        _CARDS | {Capability.BACKS},
    ),
    Plant(
        "hollywood_removed_card",
        (Code.CARD_REMOVED,),
        "Hollywood: a damaged 7H set aside, and dealing went on",
        CardSetAside,
        _REMOVALS,
    ),
    Plant(
        "hollywood_card_on_floor",
        (Code.CARD_REMOVED,),
        "Hollywood: JS on the floor, and dealing went on",
        CardOnFloor,
        _REMOVALS,
    ),
    Plant(
        "golden_nugget_unshuffled",
        (Code.SHOE_ORDER_REPEATED,),
        "Golden Nugget: packs in factory order, a run of 15 cards eight times over (B33)",
        Unshuffled,
        _ORDERED,
        _eight_decks,
    ),
    Plant(
        "shoe_repeated",
        (Code.SHOE_ORDER_REPEATED,),
        "a shoe in the order of the shoe before it (Buono and Marcus: false shuffle)",
        ShoeRepeated,
        _ORDERED,
    ),
    Plant(
        "card_out_twice",
        (Code.SHOE_COMPOSITION,),
        "one card, by its id, dealt twice in a shoe",
        CardTwice,
        _WITH_IDS,
    ),
    Plant(
        "card_id_two_faces",
        (Code.SHOE_COMPOSITION,),
        "one card id dealt twice, with two faces",
        CardWithTwoFaces,
        _WITH_IDS,
    ),
    Plant(
        "card_ids_shared",
        (Code.EVENT_REJECTED,),
        "card ids that several cards bear: said once, not card by card",
        IdsShared,
        _WITH_IDS,
    ),
)
