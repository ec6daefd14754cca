"""Chips and money that came to the table and left it."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from schemas.events.capabilities import Capability
from schemas.events.envelope import EventBase
from schemas.events.fields import GamingDate, Id, Minor, People, Words

__all__ = [
    "ChipsCredited",
    "ChipsFilled",
    "DropCounted",
    "InventoryCounted",
]


class ChipsFilled(EventBase):
    """Chips came from the cage into the tray: a fill."""

    type: Literal["chips_filled"] = "chips_filled"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.CHIPS
    may_come_while_closed: ClassVar = True
    fill_id: Id = Field(description="Number of the fill slip.")
    amount_minor: Minor = Field(description="Value of the chips.")
    signed_by: People = Field((), description="Keyed pseudonyms of who signed the slip.")


class ChipsCredited(EventBase):
    """Chips went from the tray to the cage: a credit."""

    type: Literal["chips_credited"] = "chips_credited"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.CHIPS
    may_come_while_closed: ClassVar = True
    credit_id: Id = Field(description="Number of the credit slip.")
    amount_minor: Minor = Field(description="Value of the chips.")
    signed_by: People = Field((), description="Keyed pseudonyms of who signed the slip.")


class CountEvent(EventBase):
    """A count of money or chips, or the correction of one."""

    count_id: Id = Field(description="This count, unique at the table for ever.")
    amount_minor: Minor = Field(description="What was counted.")
    counted_by: People = Field((), description="Keyed pseudonyms of who counted.")
    corrects_count_id: Id | None = Field(
        None, description="The count that this one replaces; left out for a first count."
    )
    reason: Words | None = Field(None, description="Why a count was corrected.")
    authorised_by: Id | None = Field(
        None, description="Keyed pseudonym of who allowed a correction."
    )


class InventoryCounted(CountEvent):
    """The chips in the tray were counted."""

    type: Literal["inventory_counted"] = "inventory_counted"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.CHIPS
    may_come_while_closed: ClassVar = True
    occasion: Literal["opening", "closing", "shift", "spot_check"] = Field(
        description="When in the day it was counted."
    )


class DropCounted(CountEvent):
    """The contents of the table's drop box were counted."""

    type: Literal["drop_counted"] = "drop_counted"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.CHIPS
    may_come_while_closed: ClassVar = True
    gaming_date: GamingDate = Field(description="Accounting day of the drop.")
    box_id: Id | None = Field(None, description="The drop box.")


ChipEvent: TypeAlias = ChipsFilled | ChipsCredited | InventoryCounted | DropCounted
