"""How wagers come to stand: placed, changed, withdrawn, until no more bets."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from schemas.events.capabilities import Capability
from schemas.events.envelope import CoupEvent
from schemas.events.fields import Id, Stake, WagerName

__all__ = [
    "NoMoreBets",
    "WagerChanged",
    "WagerPlaced",
    "WagerWithdrawn",
]


class WagerPlaced(CoupEvent):
    """A wager was accepted."""

    type: Literal["wager_placed"] = "wager_placed"
    schema_version: Literal[2] = 2
    promised_by: ClassVar = Capability.WAGERS
    wager_id: Id = Field(description="The wager, unique at this table for ever.")
    seat: Id = Field(description="Seat or numbered area of the layout.")
    wager: WagerName = Field(
        description="Which wager: section.wager or a bare code, with @player or @banker where it "
        "backs a chosen hand, such as golden_talons@player."
    )
    stake_minor: Stake | None = Field(
        None, description="Stake in minor units; left out only where stakes are not reported."
    )
    patron: Id | None = Field(None, description="Keyed pseudonym of the patron.")


class WagerChanged(CoupEvent):
    """A wager was raised, lowered or moved to another area."""

    type: Literal["wager_changed"] = "wager_changed"
    schema_version: Literal[1] = 1
    wager_id: Id = Field(description="The wager that was changed.")
    stake_minor: Stake | None = Field(
        None, description="Whole stake after the change; left out where it stayed the same."
    )
    wager: WagerName | None = Field(
        None, description="Which wager it is now; left out where it stayed the same."
    )


class WagerWithdrawn(CoupEvent):
    """A wager was taken back by the patron."""

    type: Literal["wager_withdrawn"] = "wager_withdrawn"
    schema_version: Literal[1] = 1
    wager_id: Id = Field(description="The wager that was taken back.")


class NoMoreBets(CoupEvent):
    """The dealer called no more bets: wagering on this coup is over."""

    type: Literal["no_more_bets"] = "no_more_bets"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.NO_MORE_BETS


WagerEvent: TypeAlias = WagerPlaced | WagerChanged | WagerWithdrawn | NoMoreBets
