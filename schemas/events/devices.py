"""Faults of devices, the cameras of a table, and where their recordings are."""

from __future__ import annotations

from typing import ClassVar, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from schemas.events.capabilities import Capability
from schemas.events.envelope import EventBase, Said, SentBy
from schemas.events.fields import ClockOffset, Id, Instant, Words

__all__ = [
    "Camera",
    "DeviceFaultCleared",
    "DeviceFaultRaised",
    "VideoReference",
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


class VideoReference(EventBase):
    """A recording shows a coup or a stretch of time; no verdict depends on it."""

    type: Literal["video_reference"] = "video_reference"
    schema_version: Literal[1] = 1
    may_come_while_closed: ClassVar = True
    camera_id: Id = Field(description="The camera in the surveillance system.")
    recorded_from: Instant = Field(
        description="When what it shows begins, by the source's clock like occurred_at."
    )
    recorded_until: Instant = Field(
        description="When it ends, by the same clock; not before it begins."
    )
    recording: Id | None = Field(
        None,
        description="The recording in the surveillance system; left out where camera and time "
        "find it.",
    )
    coup_id: Id | None = Field(
        None, description="The coup that it shows; left out where it is about a time only."
    )

    @model_validator(mode="after")
    def _check_span(self) -> Self:
        if self.recorded_until < self.recorded_from:
            raise ValueError("recorded_until lies before recorded_from; send the earlier one first")
        return self


DeviceEvent: TypeAlias = DeviceFaultRaised | DeviceFaultCleared | VideoReference
