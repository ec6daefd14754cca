"""The end of a progressive: its whole increment moves to another one, or part of it nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from schemas.events import Capability
from schemas.findings import FindingCode as Code
from streams.simulator.plants.progressive.on_meters import MeterFault, at_end, has_meter
from streams.simulator.plants.wagers import PLACED
from streams.simulator.tables.faults import OnMeter, Plant

if TYPE_CHECKING:
    from streams.simulator.controllers.meters import Ending, MeterState
    from streams.simulator.controllers.notes import IdSource
    from streams.simulator.feed import Draft
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable


class Ended(MeterFault):
    """The progressive ends when the tables have closed, and all of it moves; nothing is wrong."""

    on_meter = OnMeter.LAST
    codes: ClassVar[tuple[Code, ...]] = ()
    ending: ClassVar[Ending] = "moved"
    words = "ends and moves to another progressive with its whole increment"

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Let it end with the day."""

        def act(_: IdSource, meter: MeterState, __: int) -> Iterable[Draft]:
            if meter.ending in (None, "moved"):
                meter.ending = self.ending
            return ()

        at_end(table, drafts, act)
        self.tell_of_meter(table, *self.codes, note=self.words)


class ReserveLost(Ended):
    """A progressive that ends: its display moves to another one, its reserve moves nowhere."""

    codes: ClassVar[tuple[Code, ...]] = (Code.METER_DRIFT,)
    ending: ClassVar[Ending] = "reserve_lost"
    words = "ends and its reserve moves nowhere"


class NotReceived(Ended):
    """A progressive that ends and moves to another one, which takes in nothing of it."""

    codes: ClassVar[tuple[Code, ...]] = (Code.METER_DRIFT,)
    ending: ClassVar[Ending] = "not_received"
    words = "ends and moves, and the other progressive takes in nothing"


class ReceivedShort(Ended):
    """A progressive that ends and moves to another one, which takes in half of its display."""

    codes: ClassVar[tuple[Code, ...]] = (Code.METER_DRIFT,)
    ending: ClassVar[Ending] = "received_short"
    words = "ends and moves, and the other progressive takes in half of the display"


_METERED: Final = PLACED | {Capability.METERS}

END_PLANTS: Final = (
    Plant(
        "progressive_ended",
        Ended.codes,
        "a progressive ends, and its whole increment moves to another one",
        Ended,
        _METERED,
        has_meter,
    ),
    Plant(
        "progressive_reserve_lost",
        ReserveLost.codes,
        "a progressive ends, and its reserve moves nowhere",
        ReserveLost,
        _METERED,
        has_meter,
    ),
    Plant(
        "progressive_transfer_not_received",
        NotReceived.codes,
        "a progressive ends and moves, and the other one takes in nothing",
        NotReceived,
        _METERED,
        has_meter,
    ),
    Plant(
        "progressive_transfer_received_short",
        ReceivedShort.codes,
        "a progressive ends and moves, and the other one takes in half of the display",
        ReceivedShort,
        _METERED,
        has_meter,
    ),
)
