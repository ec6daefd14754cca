"""What was dealt and announced in a coup, and how the coup ended."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from schemas.events.capabilities import Capability
from schemas.events.envelope import CoupEvent
from schemas.events.fields import CardText, Hand, Id, Points, WagerName

__all__ = [
    "CardDealt",
    "CardDrawnInError",
    "CardRead",
    "CountsAnnounced",
    "ResultAnnounced",
]


class CardDealt(CoupEvent):
    """A card was dealt to a hand; sent in the order in which cards leave the shoe."""

    type: Literal["card_dealt"] = "card_dealt"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.CARDS
    hand: Hand = Field(description="The hand that it was dealt to.")
    position: int = Field(
        ge=1, le=6, description="Place in the hand: 1, 2 or 3; more only where dealt by mistake."
    )
    card: CardText | None = Field(
        None, description="The card, such as TD; left out or null where it could not be read."
    )
    card_id: Id | None = Field(None, description="Id printed on the card.")
    back: Id | None = Field(None, description="Back design of the card.")
    error_id: Id | None = Field(
        None,
        description="The drawing error whose card this is: it left the shoe then, not now.",
    )


class CardRead(CoupEvent):
    """A dealt card that could not be read was read later: the same card, where it was dealt."""

    type: Literal["card_read"] = "card_read"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.CARDS
    hand: Hand = Field(description="The hand that it was dealt to.")
    position: int = Field(
        ge=1, le=6, description="Position under which card_dealt had reported it."
    )
    card: CardText = Field(description="The card, such as TD.")
    card_id: Id | None = Field(
        None, description="Id printed on the card; that of card_dealt, where that told one."
    )
    back: Id | None = Field(
        None, description="Back design of the card; that of card_dealt, where that told one."
    )


class CardDrawnInError(CoupEvent):
    """A card was drawn that nobody should have got, and the floor decided what becomes of it.

    It takes the card out of the hand. Where the card is used after all, in the other hand or in
    the next coup, a ``card_dealt`` with the same ``error_id`` puts it there.
    """

    type: Literal["card_drawn_in_error"] = "card_drawn_in_error"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.DRAWING_ERRORS
    error_id: Id = Field(description="This drawing error, unique at the table for ever.")
    hand: Hand = Field(description="The hand that it was drawn for.")
    position: int | None = Field(
        None,
        ge=1,
        le=6,
        description="Position under which card_dealt had reported it; left out where it had not.",
    )
    disposition: Literal["other_hand", "next_coup", "burned"] = Field(
        description="What becomes of the card."
    )
    card: CardText | None = Field(
        None, description="The card; left out or null where it could not be read."
    )
    card_id: Id | None = Field(None, description="Id printed on the card.")
    back: Id | None = Field(None, description="Back design of the card.")
    authorised_by: Id | None = Field(None, description="Keyed pseudonym of who decided.")


class CountsAnnounced(CoupEvent):
    """The dealer announced the counts of both hands after two cards each."""

    type: Literal["counts_announced"] = "counts_announced"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.COUNTS
    player_points: Points = Field(description="Count of the Player hand as announced.")
    banker_points: Points = Field(description="Count of the Banker hand as announced.")


class ResultAnnounced(CoupEvent):
    """The dealer announced the final counts and the winner."""

    type: Literal["result_announced"] = "result_announced"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.ANNOUNCEMENTS
    winner: Literal["player", "banker", "tie"] = Field(description="The winner as announced.")
    player_points: Points | None = Field(
        None, description="Final count of the Player hand; left out where not announced."
    )
    banker_points: Points | None = Field(
        None, description="Final count of the Banker hand; left out where not announced."
    )
    winning_wagers: Annotated[tuple[WagerName, ...], Field(max_length=64)] | None = Field(
        None, description="Wagers announced as winning; left out where none are announced."
    )


DealEvent: TypeAlias = CardDealt | CardRead | CardDrawnInError | CountsAnnounced | ResultAnnounced
