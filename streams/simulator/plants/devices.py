"""Faults of devices and of counting: red lights, silence, count slips."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from schemas.events import (
    Capability,
    ChipsFilled,
    DeviceFaultCleared,
    DeviceFaultRaised,
    Heartbeat,
    InventoryCounted,
)
from schemas.events.envelope import EventBase
from schemas.findings import FindingCode as Code
from streams.simulator.feed import SECOND, Draft
from streams.simulator.tables.faults import Fault, Plant

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable

_SILENCE_US: Final = 200 * SECOND


class TableSilent(Fault):
    """The table says nothing for 200 seconds, heartbeats included."""

    def between(self, table: PlayingTable) -> list[Draft]:
        """Fall silent."""
        table.writer.is_silent = True
        table.pace.at_us += _SILENCE_US
        self.has_begun = True
        return [Draft(Heartbeat, table.pace.at_us, {})]

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Speak again."""
        table.writer.is_silent = False
        self.tell(table, Code.TABLE_SILENT, note="200 s without an event")
        self.finish()


class FaultOpen(Fault):
    """A device shows a fault, and the next coup is dealt all the same."""

    coups = 1
    device, words = "card_reader", "lens covered"

    def __init__(self, name: str, rng: Random) -> None:
        """Prepare a fault; see :class:`Fault`."""
        super().__init__(name, rng)
        self._left = self.coups
        self._open: list[str] = []

    def between(self, table: PlayingTable) -> list[Draft]:
        """Raise the fault."""
        self.has_begun = True
        self._fault_id = table.next_id("f")
        fields: dict[str, object] = {
            "fault_id": self._fault_id,
            "device": self.device,
            "device_id": f"{self.device}-{table.number + 1}",
            "fault": self.words,
        }
        return [Draft(DeviceFaultRaised, table.pace.step(800, 3000), fields)]

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Clear it after the coup."""
        fields: dict[str, object] = {
            "fault_id": self._fault_id,
            "action": "reset",
            "cleared_by": table.supervisor,
        }
        drafts.append(Draft(DeviceFaultCleared, drafts[-1].at_us + SECOND, fields))
        self.tell(table, Code.DEVICE_FAULT_OPEN, plan=plan, note=self.words)
        self._left -= 1
        if self._left == 0:
            self.finish()


class RedLight(FaultOpen):
    """A shuffler's red light is ignored three times."""

    coups = 3
    device, words = "shuffler", "red light"


class CountSlip(Fault):
    """A count of chips is replaced by another, without a name or a reason."""

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Count, and count again."""
        at_us = drafts[-1].at_us
        first, second = table.next_id("inv"), table.next_id("inv")
        counted: dict[str, object] = {
            "count_id": first,
            "amount_minor": max(0, table.tray.minor) + 500_000,
            "counted_by": (table.supervisor,),
            "occasion": "spot_check",
        }
        again: dict[str, object] = {
            **counted,
            "count_id": second,
            "amount_minor": max(0, table.tray.minor),
            "corrects_count_id": first,
        }
        drafts.append(Draft(InventoryCounted, at_us + SECOND, counted))
        drafts.append(Draft(InventoryCounted, at_us + 3 * SECOND, again))
        self.tell(
            table, Code.CORRECTION_UNAUTHORISED, note="a count was replaced without error notice"
        )
        self.finish()


class SlipTwice(Fault):
    """One slip or count is told twice, with two amounts."""

    kind: type[EventBase] = ChipsFilled
    id_field = "fill_id"
    fields: Mapping[str, object] = MappingProxyType({})

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Tell it, and tell it again otherwise."""
        told: dict[str, object] = {
            **self.fields,
            self.id_field: table.next_id("slip"),
            "amount_minor": 5_000_000,
        }
        at_us = drafts[-1].at_us
        drafts.append(Draft(self.kind, at_us + SECOND, told))
        again = {**told, "amount_minor": 5_500_000}
        drafts.append(Draft(self.kind, at_us + 2 * SECOND, again))
        self.tell(table, Code.EVENT_REJECTED, note="50,000.00 at first, then 55,000.00")
        self.finish()


class CountTwice(SlipTwice):
    """One count of the tray is told with two amounts, and neither is called a correction."""

    kind = InventoryCounted
    id_field = "count_id"
    fields = MappingProxyType({"occasion": "spot_check"})


DEVICE_PLANTS: Final = (
    Plant(
        "table_silent",
        (Code.TABLE_SILENT,),
        "200 seconds without an event",
        TableSilent,
        frozenset(),
    ),
    Plant(
        "device_fault_open",
        (Code.DEVICE_FAULT_OPEN,),
        "a coup dealt while a fault was raised",
        FaultOpen,
        frozenset({Capability.FAULTS}),
    ),
    Plant(
        "shuffler_red_light",
        (Code.DEVICE_FAULT_OPEN,),
        "Rivers: a shuffler's red light ignored three times, a finding each",
        RedLight,
        frozenset({Capability.FAULTS}),
    ),
    Plant(
        "rivers_count_slip",
        (Code.CORRECTION_UNAUTHORISED,),
        "Rivers: a count slip corrected without error notice",
        CountSlip,
        frozenset({Capability.CHIPS}),
    ),
    Plant(
        "fill_told_twice",
        (Code.EVENT_REJECTED,),
        "a fill told under one number with two amounts",
        SlipTwice,
        frozenset({Capability.CHIPS}),
    ),
    Plant(
        "count_told_twice",
        (Code.EVENT_REJECTED,),
        "a count of chips told under one number with two amounts",
        CountTwice,
        frozenset({Capability.CHIPS}),
    ),
)
