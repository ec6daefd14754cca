"""What a progressive controller says of itself: adjustments, parameters, links, its end."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from schemas.events.fields import (
    Count,
    ExactAmount,
    Id,
    Minor,
    RateText,
    SignedExactAmount,
    SourceId,
    Words,
)
from schemas.events.progressive import ProgressiveEvent

__all__ = [
    "ProgressiveAdjusted",
    "ProgressiveChipsCounted",
    "ProgressiveLinkLost",
    "ProgressiveLinkRestored",
    "ProgressiveParametersChanged",
    "ProgressiveRemoved",
    "ProgressiveTableJoined",
    "ProgressiveTableLeft",
    "ProgressiveTransferred",
]


class ProgressiveAdjusted(ProgressiveEvent):
    """A meter was moved by something other than a wager, a hit or a reset."""

    type: Literal["progressive_adjusted"] = "progressive_adjusted"
    schema_version: Literal[1] = 1
    adjustment_id: Id = Field(description="This adjustment, unique at the controller for ever.")
    meter: Literal["display", "reserve", "overflow"] = Field(description="The meter moved.")
    change: SignedExactAmount = Field(
        description="By how much, in currency units; negative where it fell."
    )
    reason: (
        Literal[
            "coup_voided", "wager_withdrawn", "fault_corrected", "limit_reached", "seed", "other"
        ]
        | None
    ) = Field(None, description="Why; left out where nobody gave a reason.")
    note: Words | None = Field(None, description="What else there is to say.")
    approved_by: Id | None = Field(None, description="Keyed pseudonym of who approved it.")
    table_id: SourceId | None = Field(None, description="The table, where it was for one.")
    coup_id: Id | None = Field(None, description="The coup, where it was for one.")
    wager_ids: Annotated[tuple[Id, ...], Field(max_length=64)] = Field(
        (), description="The wagers whose contribution it takes back or adds."
    )


def _both_values(pattern: str) -> JsonDict:
    return {
        "properties": {
            name: {"type": ["string", "null"], "pattern": pattern}
            for name in ("value_before", "value_after")
        }
    }


_VALUES_ARE_OF_THEIR_PARAMETER: Final[JsonDict] = {
    "if": {
        "properties": {"parameter": {"enum": ["increment_rate", "reserve_rate"]}},
        "required": ["parameter"],
    },
    "then": _both_values("%$"),
    "else": _both_values("[0-9]$"),
}


class ProgressiveParametersChanged(ProgressiveEvent):
    """One parameter of the controller was changed."""

    model_config = ConfigDict(json_schema_extra={"allOf": [_VALUES_ARE_OF_THEIR_PARAMETER]})

    type: Literal["progressive_parameters_changed"] = "progressive_parameters_changed"
    schema_version: Literal[1] = 1
    parameter: Literal["increment_rate", "reserve_rate", "base", "reset", "limit", "unit"] = Field(
        description="Which parameter; amounts are in currency units, rates in per cent."
    )
    value_before: ExactAmount | RateText | None = Field(
        None, description="Value before; left out where there was none."
    )
    value_after: ExactAmount | RateText | None = Field(
        None, description="Value from now on; left out where there is none."
    )
    table_id: SourceId | None = Field(
        None, description="The table whose rate it is; left out where it holds for all."
    )
    authority: Words | None = Field(
        None, description="Notice or approval on which the change rests, such as its number."
    )
    approved_by: Id | None = Field(None, description="Keyed pseudonym of who approved it.")

    @model_validator(mode="after")
    def _check_kind_of_value(self) -> Self:
        is_rate = self.parameter.endswith("_rate")
        for value in (self.value_before, self.value_after):
            if value is not None and value.endswith("%") != is_rate:
                form = "in per cent, such as 15%" if is_rate else "amounts, such as 10000.00"
                raise ValueError(f"value_before and value_after of {self.parameter} are {form}")
        return self


class ProgressiveLinkLost(ProgressiveEvent):
    """The controller lost contact with a table."""

    type: Literal["progressive_link_lost"] = "progressive_link_lost"
    schema_version: Literal[1] = 1
    table_id: SourceId = Field(description="The table that it cannot reach.")


class ProgressiveLinkRestored(ProgressiveEvent):
    """The controller has contact with a table again."""

    type: Literal["progressive_link_restored"] = "progressive_link_restored"
    schema_version: Literal[1] = 1
    table_id: SourceId = Field(description="The table that it reaches again.")
    counted_late_count: Count | None = Field(
        None,
        description="Wagers accepted during the loss that it counts from now on; "
        "each still has its own progressive_wager_accepted.",
    )


class ProgressiveTableJoined(ProgressiveEvent):
    """A table was linked to the progressive."""

    type: Literal["progressive_table_joined"] = "progressive_table_joined"
    schema_version: Literal[1] = 1
    table_id: SourceId = Field(description="The table that joined.")
    in_count: Count = Field(0, description="Its in-meter at this moment.")
    coin_in_minor: Minor = Field(0, description="Its coin-in at this moment.")
    increment_rate: RateText | None = Field(None, description="Its rate for the display.")
    reserve_rate: RateText | None = Field(None, description="Its rate for the reserve.")
    approved_by: Id | None = Field(None, description="Keyed pseudonym of who approved it.")


class ProgressiveTableLeft(ProgressiveEvent):
    """A table is no longer linked to the progressive."""

    type: Literal["progressive_table_left"] = "progressive_table_left"
    schema_version: Literal[1] = 1
    table_id: SourceId = Field(description="The table that left.")
    in_count: Count = Field(description="Its in-meter at this moment.")
    coin_in_minor: Minor = Field(description="Its coin-in at this moment.")
    approved_by: Id | None = Field(None, description="Keyed pseudonym of who approved it.")


class ProgressiveTransferred(ProgressiveEvent):
    """The money of this progressive, or part of it, moved to another one."""

    type: Literal["progressive_transferred"] = "progressive_transferred"
    schema_version: Literal[1] = 1
    transfer_id: Id = Field(description="This transfer, unique at the controller for ever.")
    to_progressive_id: Id = Field(description="The progressive that received it.")
    to_level: int = Field(1, ge=1, le=16, description="Its level that received it.")
    display_moved: ExactAmount = Field(description="Moved from the display, in currency units.")
    reserve_moved: ExactAmount = Field(description="Moved from the reserve, in currency units.")
    overflow_moved: ExactAmount = Field(
        "0", description="Moved from the overflow, in currency units."
    )
    authority: Words | None = Field(None, description="Notice or approval on which it rests.")
    approved_by: Id | None = Field(None, description="Keyed pseudonym of who approved it.")


class ProgressiveRemoved(ProgressiveEvent):
    """The progressive ended for good."""

    type: Literal["progressive_removed"] = "progressive_removed"
    schema_version: Literal[1] = 1
    display: ExactAmount = Field(description="Display at the end, in currency units.")
    reserve: ExactAmount = Field(description="Reserve at the end, in currency units.")
    overflow: ExactAmount = Field("0", description="Overflow at the end, in currency units.")
    authority: Words | None = Field(None, description="Notice or approval on which it rests.")
    approved_by: Id | None = Field(None, description="Keyed pseudonym of who approved it.")


class ProgressiveChipsCounted(ProgressiveEvent):
    """The progressive chips of a coup were collected and counted."""

    type: Literal["progressive_chips_counted"] = "progressive_chips_counted"
    schema_version: Literal[1] = 1
    table_id: SourceId = Field(description="The table.")
    coup_id: Id = Field(description="The coup.")
    chip_count: Count = Field(description="Chips counted.")
    counted_by: Id | None = Field(None, description="Keyed pseudonym of who counted.")


ControllerEvent: TypeAlias = (
    ProgressiveAdjusted
    | ProgressiveParametersChanged
    | ProgressiveLinkLost
    | ProgressiveLinkRestored
    | ProgressiveTableJoined
    | ProgressiveTableLeft
    | ProgressiveTransferred
    | ProgressiveRemoved
    | ProgressiveChipsCounted
)
