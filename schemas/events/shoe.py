"""What happens to the cards of a shoe, apart from being dealt."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from schemas.events.capabilities import Capability
from schemas.events.envelope import EventBase, Said, ShoeEvent
from schemas.events.fields import (
    CardCount,
    CardCounts,
    CardText,
    Count,
    Id,
    People,
    Words,
)

__all__ = [
    "CardExposed",
    "CardRemoved",
    "CardReplaced",
    "CardsBurned",
    "CoverCardDrawn",
    "Inspection",
    "ShoeEnded",
    "ShoeLoaded",
]


class Inspection(Said):
    """Somebody or something looked at all cards of a shoe."""

    method: Literal["by_hand", "by_device", "pre_inspected_pack"] = Field(
        description="How the cards were inspected."
    )
    inspected_by: People = Field((), description="Keyed pseudonyms of who inspected them.")
    card_count: CardCount | None = Field(None, description="How many cards there were.")
    cards: CardCounts | None = Field(
        None, description="How many of each card there were, where that was read."
    )


class ShoeLoaded(EventBase):
    """A shuffled shoe is ready to be dealt."""

    type: Literal["shoe_loaded"] = "shoe_loaded"
    schema_version: Literal[1] = 1
    may_decide_verdicts: ClassVar = True
    shoe_id: Id = Field(description="The shoe, unique at this table for ever.")
    decks: int = Field(ge=1, le=12, description="Decks of 52 cards that it should hold.")
    shuffle: Literal["by_hand", "by_device", "pre_shuffled"] | None = Field(
        None, description="How it was shuffled; left out where there is no record of a shuffle."
    )
    shuffled_by: Id | None = Field(
        None, description="Keyed pseudonym of the person, or the device, that shuffled."
    )
    inspection: Inspection | None = Field(
        None, description="The inspection before play; left out where there is no record of one."
    )
    pack_ids: Annotated[tuple[Id, ...], Field(max_length=16)] = Field(
        (), description="Numbers of the packs or decks loaded."
    )
    backs: Annotated[tuple[Id, ...], Field(max_length=8)] = Field(
        (), description="Back designs that cards of this shoe may have."
    )
    card_id_prefix: Id | None = Field(
        None, description="How the id of every card of this shoe begins, where cards have ids."
    )
    cards_behind_cover_card: CardCount | None = Field(
        None, description="Cards behind the first cover card."
    )


class CardsBurned(ShoeEvent):
    """Cards were taken out of the shoe unused."""

    type: Literal["cards_burned"] = "cards_burned"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.BURN
    occasion: Literal["opening", "irregularity", "procedure"] = Field(
        "opening",
        description="opening: the burn of a new shoe, which turns its first card face up.",
    )
    exposed_card: CardText | None = Field(
        None, description="The card turned face up; left out where it could not be read."
    )
    exposed_card_id: Id | None = Field(None, description="Id printed on that card.")
    burned_count: int = Field(
        ge=0, le=52, description="Cards burned face down, the exposed card not counted."
    )
    burned_cards: Annotated[tuple[CardText, ...], Field(max_length=52)] = Field(
        (), description="Those face-down cards that a device could read, in order."
    )


class CoverCardDrawn(ShoeEvent):
    """A cover card came out; without coup_id it came before the first card of the next coup."""

    type: Literal["cover_card_drawn"] = "cover_card_drawn"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.COVER_CARD
    cover_card: Literal["first", "last"] = Field(
        "first",
        description="first: the one inserted some cards before the end; last: the one at the end.",
    )


class CardRemoved(ShoeEvent):
    """A card was taken out of play."""

    type: Literal["card_removed"] = "card_removed"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.REMOVALS
    removal_id: Id = Field(description="This removal, unique at the table for ever.")
    taken_from: Literal["shoe", "layout", "discards"] = Field(
        description="Where the card was: from the shoe it had not been dealt yet."
    )
    reason: Literal["damaged", "marked", "foreign", "dropped", "exposed", "other"] = Field(
        description="Why it was removed."
    )
    card: CardText | None = Field(None, description="The card; left out where unreadable.")
    card_id: Id | None = Field(None, description="Id printed on the card.")
    back: Id | None = Field(None, description="Back design of the card.")
    note: Words | None = Field(None, description="What else there is to say.")
    authorised_by: Id | None = Field(None, description="Keyed pseudonym of who allowed it.")


class CardReplaced(ShoeEvent):
    """A removed card was replaced by its like."""

    type: Literal["card_replaced"] = "card_replaced"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.REMOVALS
    removal_id: Id = Field(description="The removal that this replacement makes good.")
    card: CardText | None = Field(None, description="The new card; left out where unreadable.")
    card_id: Id | None = Field(None, description="Id printed on the new card.")
    back: Id | None = Field(None, description="Back design of the new card.")
    note: Words | None = Field(None, description="Where the new card came from.")
    authorised_by: Id | None = Field(None, description="Keyed pseudonym of who allowed it.")


class CardExposed(ShoeEvent):
    """A card was seen before its turn."""

    type: Literal["card_exposed"] = "card_exposed"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.REMOVALS
    disposition: Literal["discarded", "burned", "played"] = Field(
        description="What became of it; a played card is reported by card_dealt as well."
    )
    card: CardText | None = Field(None, description="The card; left out where unreadable.")
    card_id: Id | None = Field(None, description="Id printed on the card.")
    back: Id | None = Field(None, description="Back design of the card.")
    note: Words | None = Field(None, description="How it came to be seen.")


class ShoeEnded(EventBase):
    """No more coups are dealt from the shoe."""

    type: Literal["shoe_ended"] = "shoe_ended"
    schema_version: Literal[1] = 1
    may_decide_verdicts: ClassVar = True
    shoe_id: Id = Field(description="The shoe that ended.")
    reason: Literal["cover_card", "cards_exhausted", "table_closed", "irregularity", "other"] = (
        Field(description="Why it ended.")
    )
    coup_count: Count = Field(description="Coups dealt from it, voided ones included.")
    cards_left_count: CardCount | None = Field(
        None, description="Cards left in the shoe, cover cards not counted."
    )
    cards_left: CardCounts | None = Field(
        None, description="How many of each card were left, where that was read."
    )
    inspection: Inspection | None = Field(
        None, description="An inspection of all cards after play, dealt and left together."
    )


CardEvent: TypeAlias = (
    ShoeLoaded | CardsBurned | CoverCardDrawn | CardRemoved | CardReplaced | CardExposed | ShoeEnded
)
