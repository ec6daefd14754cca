"""Intervals between two readings, as a controller that does something wrong would leave them.

The controller is played wager by wager, without any of the searches that are tested.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from auditors.progressive.attribution.interval import (
    AcceptedThere,
    CountedThere,
    EventPlace,
    Interval,
    MeterChange,
    Meters,
    ReadingPoint,
    TableCount,
)

FIFTEEN = (Fraction(15, 100), Fraction(3, 100))
NINETEEN = (Fraction(19, 100), Fraction(5, 100))
LETTERS = (FIFTEEN, NINETEEN)
CONTROLLER = ("PC-1", "pc-feed")
RESET = Fraction(1_000_000)
SECOND = 1_000_000
EVERY_DIGIT = 10
"""So many decimals of a minor unit have every amount that is played here."""

Rounded = Callable[[Fraction], Fraction]


def _as_it_is(amount: Fraction) -> Fraction:
    return amount


@dataclass
class Played:
    """One wager of a played interval, and what the controller did with it."""

    number: int
    table_id: str
    stake_minor: int
    rates: tuple[Fraction, Fraction]
    times: int = 1
    """So often it went into the meters."""
    is_counted: bool = True
    """It is in the counts, and has an event where wagers have events."""
    used: tuple[Fraction, Fraction] | None = None

    @property
    def sequence(self) -> int:
        """Of the controller's event and of the table's, which are as many here."""
        return 100 + 2 * self.number

    @property
    def at_us(self) -> int:
        """When it was accepted."""
        return self.number * SECOND

    @property
    def wager_id(self) -> str:
        """The table's id of it."""
        return f"w{self.number}"

    @property
    def coup_id(self) -> str:
        """Three wagers are of one coup."""
        return f"{self.table_id}-c{self.number // 3}"

    def accepted(self) -> AcceptedThere:
        """Give it as the table has it."""
        place = EventPlace(self.table_id, f"{self.table_id}-feed", self.sequence)
        return AcceptedThere(
            place, self.at_us, self.wager_id, self.coup_id, self.stake_minor, *self.rates
        )

    def counted(self) -> CountedThere:
        """Give it as the controller said it."""
        place = EventPlace(*CONTROLLER, self.sequence + 1)
        return CountedThere(
            place,
            self.at_us + 1,
            self.table_id,
            self.wager_id,
            self.coup_id,
            self.stake_minor,
            *self.rates,
        )


@dataclass
class Day:
    """A played interval: wagers, at most one hit, and a controller's meters at the end."""

    wagers: list[Played]
    has_wager_events: bool = True
    locked_before: int | None = None
    """Number of the first wager behind the lock-out; None without a hit."""
    cut_before: int | None = None
    """Where the controller cut; as ``locked_before`` unless wrong."""
    reset_to: Fraction = RESET
    said_to: Fraction | None = None
    start: Meters = field(default_factory=lambda: Meters(Fraction(5_000_000), Fraction(900_000)))
    stepped: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    rounded: Rounded = _as_it_is
    shown: Rounded = _as_it_is
    decimals: int = 0
    """With so many more than the currency has the meters are said."""
    is_half_up: bool = False
    """Meters are rounded half up to what is shown, not cut off (D8)."""

    def say(self, decimals: int, *, is_half_up: bool = False) -> None:
        """Have the meters said with so many decimals more than the currency has, and no others."""
        unit = Fraction(1, 10**decimals)
        more = unit / 2 if is_half_up else Fraction(0)
        self.decimals, self.is_half_up = decimals, is_half_up
        self.shown = lambda amount: (amount + more) // unit * unit

    def wrong_by(self) -> tuple[Fraction, Fraction]:
        """Give what display and reserve have more than is due for what was counted, all digits."""
        due, (display, reserve, _) = self._due(), self._exact()
        return display - due.display, reserve - due.reserve

    def interval(self) -> Interval:
        """Give what the audit sees of it."""
        wagers, lock = self.wagers, self.locked_before
        display, reserve, after = self._exact()
        read = Meters(self.shown(display), self.shown(reserve))
        last = len(wagers)
        counted = [one.counted() for one in wagers if one.is_counted]
        return Interval(
            progressive_id="HARMONY-1",
            level=1,
            currency="USD",
            since=ReadingPoint(EventPlace(*CONTROLLER, 90), 0, self.start),
            reading=ReadingPoint(
                EventPlace(*CONTROLLER, 102 + 2 * last),
                (last + 1) * SECOND,
                read,
                (self.decimals,) * 2,
            ),
            for_counted=self._due(),
            for_accepted=self._ledger(wagers),
            display_policy="round_half_up" if self.is_half_up else "truncate_cent",
            has_wager_events=self.has_wager_events,
            accepted=tuple(one.accepted() for one in wagers),
            counted=tuple(counted) if self.has_wager_events else (),
            changes=() if lock is None else (self._reset(lock, after),),
            tables=self._tables(),
            known_rates=LETTERS,
        )

    def _due(self) -> Meters:
        """Give the ledger for what was counted."""
        every = not self.has_wager_events
        return self._ledger([one for one in self.wagers if every or one.is_counted])

    def _ledger(self, wagers: list[Played]) -> Meters:
        display, reserve = self.start.display, self.start.reserve
        for one in wagers:
            reserve += one.stake_minor * one.rates[1]
            if self.locked_before is None or one.number >= self.locked_before:
                display += one.stake_minor * one.rates[0]
        if self.locked_before is not None:
            display += RESET - self.start.display
            reserve -= self._funded
        return Meters(display, reserve)

    def _exact(self) -> tuple[Fraction, Fraction, Fraction]:
        """Give display and reserve with every digit, and the display that the reset left."""
        cut = self.locked_before if self.cut_before is None else self.cut_before
        display, reserve = self.start.display, self.start.reserve
        after = self.reset_to
        for one in self.wagers:
            if cut is not None and one.number == cut:
                display = self.reset_to
                reserve -= self._funded
            rates = one.used or one.rates
            for _ in range(one.times):
                added = self.rounded(one.stake_minor * rates[0])
                display += added
                reserve += self.rounded(one.stake_minor * rates[1])
                if cut is not None and one.number >= cut and one.number < self.reset_before:
                    after += added
        display += self.stepped[0]
        reserve += self.stepped[1]
        return display, reserve, after

    @property
    def _funded(self) -> Fraction:
        return Fraction(600_000)

    @property
    def reset_before(self) -> int:
        """Number of the wager before which the controller says the reset."""
        return (self.locked_before or 0) + 6

    def _reset(self, lock: int, after: Fraction) -> MeterChange:
        due = RESET + sum(
            (
                one.stake_minor * one.rates[0]
                for one in self.wagers
                if lock <= one.number < self.reset_before
            ),
            Fraction(0),
        )
        return MeterChange(
            kind="reset",
            place=EventPlace(*CONTROLLER, 100 + 2 * self.reset_before),
            at_us=self.reset_before * SECOND - 1,
            hit_id="H-1",
            locked_sequence=100 + 2 * lock,
            locked_at_us=lock * SECOND - 1,
            filed_reset=RESET,
            after_said=after if self.said_to is None else self.said_to,
            after_expected=due,
            reserve_said=self._funded,
            reserve_expected=self._funded,
        )

    def _tables(self) -> tuple[TableCount, ...]:
        found: dict[str, TableCount] = {}
        for one in self.wagers:
            before = found.get(one.table_id, TableCount(one.table_id, 0, 0))
            times = one.times if one.times > 1 else 1
            times = times if one.is_counted else 0
            found[one.table_id] = replace(
                before,
                read_count=before.read_count + times,
                read_coin_in_minor=before.read_coin_in_minor + times * one.stake_minor,
            )
        return tuple(found.values())


def random_day(
    chance: random.Random, *, has_wager_events: bool = True, has_hit: bool = False, unit: bool
) -> Day:
    """Play an honest interval of 20 to 120 wagers at one to three tables; every digit is said."""
    tables = [(f"BAC-{n:02}", chance.choice(LETTERS)) for n in range(1, chance.randint(2, 4))]
    wagers = []
    for number in range(1, chance.randint(20, 120)):
        table_id, rates = chance.choice(tables)
        stake = 500 if unit else chance.choice((500, 1000, 1500, 2500, 733))
        wagers.append(Played(number, table_id, stake, rates))
    lock = chance.randint(8, len(wagers) - 8) if has_hit else None
    day = Day(wagers, has_wager_events=has_wager_events, locked_before=lock)
    day.say(EVERY_DIGIT)
    return day
