"""Faults of the controller itself: rates, rounding, steps, limits, parameters, signs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final

from schemas.events import Capability, ProgressiveParametersChanged
from schemas.findings import FindingCode as Code
from schemas.odds import parse_rate
from streams.simulator.controllers.acts import adjusted
from streams.simulator.feed import Draft
from streams.simulator.plants.progressive.on_meters import (
    Act,
    MeterFault,
    at_end,
    has_limit,
    has_no_limit,
    is_linked,
    pays_in_parts,
    tells_wagers,
)
from streams.simulator.plants.wagers import PLACED
from streams.simulator.tables.faults import Plant

if TYPE_CHECKING:
    from streams.simulator.controllers.meters import MeterState
    from streams.simulator.controllers.notes import IdSource
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable

_OTHER_RATES: Final = {"15%": "19%", "19%": "15%"}


class Lasting(MeterFault):
    """Something is wrong with the controller from the end of one coup to the end of another."""

    wagers = 3
    coups = 4
    codes: ClassVar[tuple[Code, ...]] = (Code.METER_DRIFT,)
    lasts = 4

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Let it begin with the end of the first coup."""
        if self.coups == self.lasts:
            at_end(table, drafts, self.begin(table))
            note = f"{self.words(table)}, after {plan.coup_id}"
            self.tell_of_meter(table, *self.codes, note=note)

    def end(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Put it right again."""
        at_end(table, drafts, self.mend(table))

    def begin(self, table: PlayingTable) -> Act:
        """Give what is done first."""
        return lambda _, meter, __: self.do(table, meter, is_wrong=True)

    def mend(self, table: PlayingTable) -> Act:
        """Give what is done last."""
        return lambda _, meter, __: self.do(table, meter, is_wrong=False)

    def do(self, table: PlayingTable, meter: MeterState, *, is_wrong: bool) -> Iterable[Draft]:
        """Do it to the meter."""
        raise TypeError(f"{self.name} does nothing")

    def words(self, table: PlayingTable) -> str:
        """Say what is wrong."""
        raise TypeError(f"{self.name} says nothing")


class RateSince(Lasting):
    """The display is fed at the rate of another letter; the configuration shows the right one."""

    def do(self, table: PlayingTable, meter: MeterState, *, is_wrong: bool) -> Iterable[Draft]:
        """Change the rate that counts."""
        count = meter.tables[table.source_id]
        other = parse_rate(_OTHER_RATES[count.rates.increment_rate or "15%"])
        count.hidden_rate = other if is_wrong else None
        return ()

    def words(self, table: PlayingTable) -> str:
        """Say which rate it is."""
        filed = table.submission.progressives[0].increment_rate or "15%"
        return f"rate_since: display fed at {_OTHER_RATES[filed]} instead of {filed}"


class RateConfigured(Lasting):
    """The controller is configured with the rate of another letter, and its readings say so."""

    codes: ClassVar[tuple[Code, ...]] = (Code.RATE_MISMATCH, Code.METER_DRIFT)

    def do(self, table: PlayingTable, meter: MeterState, *, is_wrong: bool) -> Iterable[Draft]:
        """Change the configuration."""
        count = meter.tables[table.source_id]
        if is_wrong:
            self._filed = count.rates
            other = _OTHER_RATES[count.rates.increment_rate or "15%"]
            count.rates = count.rates.model_copy(update={"increment_rate": other})
        else:
            count.rates = self._filed
        count.is_misconfigured = is_wrong
        return ()

    def words(self, table: PlayingTable) -> str:
        """Say which rate it is."""
        filed = table.submission.progressives[0].increment_rate or "15%"
        return f"rate_since: configured {_OTHER_RATES[filed]} instead of {filed}"


class RoundedPerWager(Lasting):
    """Each contribution is cut to whole cents before it is added."""

    def do(self, table: PlayingTable, meter: MeterState, *, is_wrong: bool) -> Iterable[Draft]:
        """Cut them, or no more."""
        meter.rounds_wagers = is_wrong
        return ()

    def words(self, table: PlayingTable) -> str:
        """Say what is done."""
        return "rounding_per_wager: each contribution cut to cents"


class Once(MeterFault):
    """Something is done to the meter once, at the end of a coup."""

    codes: ClassVar[tuple[Code, ...]] = (Code.METER_DRIFT,)
    words = ""

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Do it."""
        at_end(table, drafts, self.act)
        self.tell_of_meter(table, *self.codes, note=f"{self.words}, after {plan.coup_id}")

    def act(self, controller: IdSource, meter: MeterState, at_us: int) -> Iterable[Draft]:
        """Do it to the meter; give what the controller says of it."""
        raise TypeError(f"{self.name} does nothing")


class OverflowLost(Once):
    """1.00 of what is above the limit is lost, after some coups with many wagers."""

    wagers = 8
    coups = 3
    codes: ClassVar[tuple[Code, ...]] = (Code.OVERFLOW_MISHANDLED,)
    words = "1.00 above the limit is in no meter"

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Do nothing yet: the limit is to be reached."""

    def end(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Do it."""
        super().edit(table, plan, drafts)

    def act(self, controller: IdSource, meter: MeterState, at_us: int) -> Iterable[Draft]:
        """Lose it."""
        meter.overflow -= 100
        return ()


class AboveLimit(OverflowLost):
    """The display shows the overflow as well, above the limit; the next reading is right again."""

    words = "the display shows the overflow as well, above the limit"

    def act(self, controller: IdSource, meter: MeterState, at_us: int) -> Iterable[Draft]:
        """Show it once."""
        above = meter.overflow
        meter.display, meter.overflow = meter.display + above, Fraction(0)
        yield meter.reading(at_us)
        meter.display, meter.overflow = meter.display - above, above
        yield meter.reading(at_us)


class Step(Once):
    """The display rises by 12.34 and nothing says why."""

    change: ClassVar[int] = 1234
    words = "step_unknown: the display rises by 12.34"

    def act(self, controller: IdSource, meter: MeterState, at_us: int) -> Iterable[Draft]:
        """Move the display."""
        meter.display += self.change
        return ()


class Fall(Step):
    """The display falls by 7.00 and nothing says why."""

    change = -700
    codes = (Code.METER_DECREASED, Code.METER_DRIFT)
    words = "step_unknown: the display falls by 7.00"

    def act(self, controller: IdSource, meter: MeterState, at_us: int) -> Iterable[Draft]:
        """Move the display between two readings."""
        yield meter.reading(at_us)
        meter.display += self.change
        yield meter.reading(at_us)


class Unauthorised(Once):
    """The display is adjusted by 5.00, without reason and approver."""

    codes = (Code.ADJUSTMENT_UNAUTHORISED,)
    words = "adjusted by 5.00 without reason and approver"

    def act(self, controller: IdSource, meter: MeterState, at_us: int) -> Iterable[Draft]:
        """Adjust it."""
        yield meter.reading(at_us)
        meter.display += 500
        yield adjusted(controller, meter, ("display", Fraction(500)), at_us, {})
        yield meter.reading(at_us)


class ParameterChanged(Once):
    """The reset amount is changed while the progressive is in use, on nobody's authority."""

    codes = (Code.PARAMETER_CHANGED_IN_USE,)
    words = "reset changed to 12,000.00 on nobody's authority"

    def act(self, controller: IdSource, meter: MeterState, at_us: int) -> Iterable[Draft]:
        """Change it."""
        fields: dict[str, object] = {
            "progressive_id": meter.progressive_id,
            "parameter": "reset",
            "value_before": meter.filed.reset,
            "value_after": "12000.00",
        }
        yield meter.reading(at_us)
        yield Draft(ProgressiveParametersChanged, at_us, fields)


class SignDiffers(Lasting):
    """The sign of a linked table shows 50.00 less than the progressive, for four coups."""

    codes: ClassVar[tuple[Code, ...]] = (Code.LINK_DISAGREES,)

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Read the sign with every coup."""
        if 1 < self.coups < self.lasts:
            name = table.source_id
            at_end(table, drafts, lambda _, meter, at_us: (meter.reading(at_us, sign=name),))
        super().script(table, plan, drafts)

    def do(self, table: PlayingTable, meter: MeterState, *, is_wrong: bool) -> Iterable[Draft]:
        """Let the sign stand still, or follow again."""
        meter.signs.pop(table.source_id, None)
        if is_wrong:
            meter.signs[table.source_id] = meter.display - 5000
        return ()

    def words(self, table: PlayingTable) -> str:
        """Say what is shown."""
        return f"the sign of {table.source_id} stands at 50.00 less"


_METERED: Final = PLACED | {Capability.METERS}

METER_PLANTS: Final = (
    Plant(
        "progressive_rate_since",
        RateSince.codes,
        "the display is fed at another rate from a moment on",
        RateSince,
        _METERED,
        tells_wagers,
    ),
    Plant(
        "progressive_rate_configured",
        RateConfigured.codes,
        "the controller is configured with the rate of another letter",
        RateConfigured,
        _METERED,
        tells_wagers,
    ),
    Plant(
        "progressive_rounded_per_wager",
        RoundedPerWager.codes,
        "each contribution is cut to whole cents before it is added",
        RoundedPerWager,
        _METERED,
        lambda one: pays_in_parts(one) and tells_wagers(one),
    ),
    Plant(
        "progressive_step",
        Step.codes,
        "the display rises and nothing says why",
        Step,
        _METERED,
        has_no_limit,
    ),
    Plant(
        "progressive_fall",
        Fall.codes,
        "the display falls and nothing says why",
        Fall,
        _METERED,
        has_no_limit,
    ),
    Plant(
        "progressive_overflow_lost",
        OverflowLost.codes,
        "what is above the limit is in no meter",
        OverflowLost,
        _METERED,
        has_limit,
    ),
    Plant(
        "progressive_above_limit",
        AboveLimit.codes,
        "the display goes on above the limit",
        AboveLimit,
        _METERED,
        has_limit,
    ),
    Plant(
        "progressive_adjustment_unauthorised",
        Unauthorised.codes,
        "the display is adjusted without reason and approver",
        Unauthorised,
        _METERED,
        has_no_limit,
    ),
    Plant(
        "progressive_parameter_changed",
        ParameterChanged.codes,
        "the reset amount is changed in use, on nobody's authority",
        ParameterChanged,
        _METERED,
        has_no_limit,
    ),
    Plant(
        "progressive_sign_differs",
        SignDiffers.codes,
        "the sign of a linked table shows another amount",
        SignDiffers,
        _METERED,
        is_linked,
    ),
)
