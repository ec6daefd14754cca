"""Faults of devices, and the cameras of a table."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from pydantic import Field

from schemas.events.capabilities import Capability
from schemas.events.envelope import EventBase, Said, SentBy
from schemas.events.fields import ClockOffset, Id, Words

__all__ = [
    "Camera",
    "DeviceFaultCleared",
    "DeviceFaultRaised",
]


class Camera(Said):
    """One camera that looks at the table."""

    camera_id: Id = Field(description="The camera in the surveillance system.")
    shows: Literal["overview", "layout", "shoe", "seats", "chip_tray", "other"] = Field(
        description="What it looks at."
    )
    clock_offset_us: ClockOffset = Field(
        0, description="Microseconds to add to the recording's time to get true time."
    )


class DeviceFaultRaised(EventBase):
    """A device says that it does not work as it should."""

    type: Literal["device_fault_raised"] = "device_fault_raised"
    schema_version: Literal[1] = 1
    sent_by: ClassVar = SentBy.ANY
    promised_by: ClassVar = Capability.FAULTS
    may_come_while_closed: ClassVar = True
    fault_id: Id = Field(description="The fault, unique at this source for ever.")
    device: Literal[
        "shoe",
        "shuffler",
        "card_reader",
        "chip_reader",
        "lockout",
        "progressive_controller",
        "display",
        "camera",
        "network",
        "other",
    ] = Field(description="What kind of device it is.")
    device_id: Id | None = Field(None, description="Asset or serial number of the device.")
    fault: Words = Field(description="What the device shows or says, such as red light.")


class DeviceFaultCleared(EventBase):
    """A fault is over."""

    type: Literal["device_fault_cleared"] = "device_fault_cleared"
    schema_version: Literal[1] = 1
    sent_by: ClassVar = SentBy.ANY
    promised_by: ClassVar = Capability.FAULTS
    may_come_while_closed: ClassVar = True
    may_decide_verdicts: ClassVar = True
    fault_id: Id = Field(description="The fault that is over.")
    action: Words | None = Field(None, description="What was done.")
    cleared_by: Id | None = Field(None, description="Keyed pseudonym of who cleared it.")


DeviceEvent: TypeAlias = DeviceFaultRaised | DeviceFaultCleared
