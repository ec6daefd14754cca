"""How a table opens, closes, changes its rules and its staff."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from schemas.events.capabilities import Capability
from schemas.events.devices import Camera
from schemas.events.envelope import EventBase, Said
from schemas.events.fields import (
    ClockOffset,
    Count,
    GamingDate,
    Id,
    OutcomeCode,
    PaytableLetter,
    WagerName,
    Words,
)
from schemas.filed_forms import OddsText
from schemas.rules_submission import RulesSubmission

__all__ = [
    "DealerOff",
    "DealerOn",
    "DisplayedPaytable",
    "PaytablesDisplayed",
    "RulesSubmissionChanged",
    "TableClosed",
    "TableOpened",
]

_REPORTS_ONE_KIND_OF_PAYMENTS: Final[JsonDict] = {
    "properties": {
        "reports": {
            "not": {
                "allOf": [
                    {"type": "array", "contains": {"const": Capability.PAYMENTS.value}},
                    {"type": "array", "contains": {"const": Capability.SEAT_TOTALS_ONLY.value}},
                ]
            }
        }
    }
}


class TableOpened(EventBase):
    """The table opens: what was filed for it and what it can report."""

    model_config = ConfigDict(json_schema_extra={"allOf": [_REPORTS_ONE_KIND_OF_PAYMENTS]})

    type: Literal["table_opened"] = "table_opened"
    schema_version: Literal[1] = 1
    may_come_while_closed: ClassVar = True
    may_decide_verdicts: ClassVar = True
    gaming_date: GamingDate = Field(
        description="Accounting day at the opening. Later days follow from the filed hour."
    )
    submission: RulesSubmission = Field(description="The Rules Submission in force, whole.")
    reports: Annotated[tuple[Capability, ...], Field(max_length=len(Capability))] = Field(
        description="What the table can report. A check whose input is missing here is off."
    )
    seats: Annotated[tuple[Id, ...], Field(max_length=32)] = Field(
        (), description="Names of the seats, as the wagers name them."
    )
    cameras: Annotated[tuple[Camera, ...], Field(max_length=16)] = Field(
        (), description="Cameras that look at the table."
    )
    clock_offset_us: ClockOffset | None = Field(
        None, description="Microseconds to add to occurred_at to get true time; unknown counts 0."
    )
    operator: Words | None = Field(None, description="Who is licensed to run the table.")
    facility: Words | None = Field(None, description="House in which the table stands.")
    pit: Words | None = Field(None, description="Where in the house it stands.")
    opened_by: Id | None = Field(None, description="Keyed pseudonym of who opened it.")
    simulated: bool = Field(False, description="Whether everything until the close is simulated.")

    @model_validator(mode="after")
    def _check_reports(self) -> Self:
        if {Capability.PAYMENTS, Capability.SEAT_TOTALS_ONLY} <= set(self.reports):
            raise ValueError(
                "reports names payments and seat_totals_only; payments are reported per wager "
                "or per seat, leave out the other"
            )
        return self


class TableClosed(EventBase):
    """The table closes and says how much it said, so that a cut end is noticed."""

    type: Literal["table_closed"] = "table_closed"
    schema_version: Literal[1] = 1
    event_count: Count = Field(
        description="Events of this feed from table_opened, or from feed_started where the feed "
        "began later, to this one, both included."
    )
    coup_count: Count = Field(
        description="Coups since table_opened of which at least one event was sent, "
        "voided ones included."
    )
    closed_by: Id | None = Field(None, description="Keyed pseudonym of who closed it.")


class RulesSubmissionChanged(EventBase):
    """Another Rules Submission takes effect; it holds for coups that begin after this event."""

    type: Literal["rules_submission_changed"] = "rules_submission_changed"
    schema_version: Literal[1] = 1
    may_decide_verdicts: ClassVar = True
    submission: RulesSubmission = Field(description="The Rules Submission from now on, whole.")
    reason: Words | None = Field(None, description="Why it was changed.")
    authorised_by: Id | None = Field(None, description="Keyed pseudonym of who allowed it.")


class DisplayedPaytable(Said):
    """One paytable as it is shown to patrons or runs in a system."""

    wager: WagerName = Field(description="The wager, such as golden_talons or eclipse.sun_7.")
    shown_on: Literal["layout", "sign", "terminal", "system", "progressive_display"] = Field(
        description="Where it is shown, or system where it runs."
    )
    paytable: PaytableLetter | None = Field(
        None, description="Letter shown; left out where none is."
    )
    odds: Annotated[dict[OutcomeCode, OddsText], Field(max_length=32)] = Field(
        default_factory=dict,
        description='Outcome code to odds as shown, in words such as "40 to 1".',
    )


class PaytablesDisplayed(EventBase):
    """What runs or is shown, apart from what was filed; sent after opening and at every change."""

    type: Literal["paytables_displayed"] = "paytables_displayed"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.DISPLAYS
    displays: Annotated[tuple[DisplayedPaytable, ...], Field(min_length=1, max_length=64)] = Field(
        description="Every paytable shown or running; it replaces the list sent before."
    )


class DealerOn(EventBase):
    """A dealer took the table."""

    type: Literal["dealer_on"] = "dealer_on"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.DEALERS
    dealer: Id = Field(description="Keyed pseudonym of the dealer.")


class DealerOff(EventBase):
    """A dealer left the table."""

    type: Literal["dealer_off"] = "dealer_off"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.DEALERS
    dealer: Id = Field(description="Keyed pseudonym of the dealer.")


TableEvent: TypeAlias = (
    TableOpened | TableClosed | RulesSubmissionChanged | PaytablesDisplayed | DealerOn | DealerOff
)
