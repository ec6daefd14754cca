"""The end of a coup, and a patron who leaves."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from schemas.events.capabilities import Capability
from schemas.events.envelope import CoupEvent, EventBase
from schemas.events.fields import Id, Words

__all__ = [
    "CoupClosed",
    "CoupVoided",
    "SeatVacated",
]


class SeatVacated(EventBase):
    """A patron left the seat."""

    type: Literal["seat_vacated"] = "seat_vacated"
    schema_version: Literal[1] = 1
    promised_by: ClassVar = Capability.SEATS_VACATED
    may_decide_verdicts: ClassVar = True
    seat: Id = Field(description="The seat that was left.")
    patron: Id | None = Field(None, description="Keyed pseudonym of the patron.")
    shoe_id: Id | None = Field(None, description="The shoe in play.")


class CoupVoided(CoupEvent):
    """The coup does not stand; stakes go back to the patrons."""

    type: Literal["coup_voided"] = "coup_voided"
    schema_version: Literal[1] = 1
    reason: Words | None = Field(None, description="Why it was voided.")
    authorised_by: Id | None = Field(None, description="Keyed pseudonym of who decided.")


class CoupClosed(CoupEvent):
    """The coup is over and its wagers are settled; it ends voided coups too."""

    type: Literal["coup_closed"] = "coup_closed"
    schema_version: Literal[1] = 1


EndingEvent: TypeAlias = SeatVacated | CoupClosed | CoupVoided
