"""The exact meters and counts that a simulated controller keeps of one progressive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from auditors.law.interpretations import MeterCents
from schemas.events import ProgressiveReading, TableMeter
from schemas.money import minor_digits, parse_amount
from schemas.odds import parse_rate
from schemas.rules_submission import FiledProgressive
from streams.simulator.feed import Draft

_PLACES_MAX: Final = 12
_PLACES_SAID: Final = 4


def exact_text(minor: Fraction, digits: int, least: int = 0) -> str:
    """Write an amount of minor units exactly, in currency units.

    Args:
        minor: The amount.
        digits: Decimals of the currency.
        least: Decimals that are written in any case, those of the currency at least.

    >>> exact_text(Fraction(10001, 4), 2)
    '25.0025'
    """
    scale, places = minor / 10**digits, max(digits, least)
    while (scale * 10**places).denominator != 1 and places < _PLACES_MAX:
        places += 1
    whole = scale * 10**places
    if whole.denominator != 1:
        raise ValueError(f"{minor} minor units have no exact decimal text of 12 places")
    number = whole.numerator
    sign, number = ("-" if number < 0 else ""), abs(number)
    return f"{sign}{number // 10**places}.{number % 10**places:0{places}d}"


@dataclass(slots=True)
class TableCount:
    """What the controller counted for one table, and the rates that it uses there."""

    rates: FiledProgressive
    in_count: int = 0
    coin_in_minor: int = 0
    hidden_rate: Fraction | None = None
    """The rate that feeds the display in truth, where it is not the one that is configured."""
    is_misconfigured: bool = False
    """Whether the rates are not those that were filed."""


@dataclass(slots=True)
class OpenHit:
    """A jackpot from its lock-out to its reset."""

    table_id: str
    coup_id: str
    amount: Fraction
    """What the display was worth at the lock-out, exact minor units; once taken, what is won."""
    moved: Fraction
    """What hits had moved the meter by at the lock-out."""
    is_taken: bool = False
    """Its cards are known; a hit that is taken later has what this one left."""
    hit_id: str = ""
    """Given when the controller takes the progressive as won."""


Ending: TypeAlias = Literal["moved", "reserve_lost", "not_received", "received_short"]
"""All moves; the reserve moves nowhere; the other progressive takes in nothing, or half."""


@dataclass(slots=True)
class MeterState:
    """One progressive of a controller; amounts are exact minor units."""

    progressive_id: str
    filed: FiledProgressive
    readings: Mapping[str, str]
    """Interpretations in force where it stands."""
    currency: str
    reports_wagers: bool = True
    """Whether each accepted wager is told by itself."""
    cuts_display: bool = False
    """Whether the display is sent in whole cents, as it is shown."""
    display: Fraction = Fraction(0)
    reserve: Fraction = Fraction(0)
    overflow: Fraction = Fraction(0)
    hits_count: int = 0
    wins_minor: int = 0
    voided_count: int = 0
    voided_minor: int = 0
    tables: dict[str, TableCount] = field(default_factory=dict)
    left: dict[str, TableCount] = field(default_factory=dict)
    """What was counted for tables that are not linked now."""
    open_hits: list[OpenHit] = field(default_factory=list)
    hits_moved: Fraction = Fraction(0)
    """What hits have moved the meter by, those included that are not reset yet."""
    rounds_wagers: bool = False
    """Whether each contribution is cut to whole cents, which it must not be."""
    ending: Ending | None = None
    """Whether it ends with the day; what patrons paid into it moves to another one, or not all."""
    signs: dict[str, Fraction] = field(default_factory=dict)
    """Table to what its sign shows, where that is not the meter."""

    def __post_init__(self) -> None:
        self.display = self.amount(self.filed.base)

    def amount(self, text: str) -> Fraction:
        """Read an amount of the filing."""
        return Fraction(parse_amount(text, self.currency))

    @property
    def in_count(self) -> int:
        """Wagers accepted from all tables."""
        return sum(table.in_count for table in (*self.tables.values(), *self.left.values()))

    @property
    def coin_in_minor(self) -> int:
        """Their stakes."""
        return sum(table.coin_in_minor for table in (*self.tables.values(), *self.left.values()))

    @property
    def reset_minor(self) -> Fraction:
        """The filed reset amount."""
        return self.amount(self.filed.reset)

    @property
    def limit_minor(self) -> Fraction | None:
        """The filed limit, if there is one."""
        return None if self.filed.limit is None else self.amount(self.filed.limit)

    def lock(self, table_id: str, coup_id: str) -> OpenHit:
        """Freeze the meter for a coup; hits that were taken and not reset yet have taken theirs."""
        taken = [hit for hit in self.open_hits if hit.is_taken]
        amount = self.display - sum(
            (earlier.amount - self.reset_minor for earlier in taken), Fraction(0)
        )
        hit = OpenHit(table_id, coup_id, amount, self.hits_moved)
        self.open_hits.append(hit)
        return hit

    def take(self, hit: OpenHit) -> None:
        """Let a hit have the meter as at its lock-out; the second of two has the reset (D33)."""
        if hit.is_taken:
            return
        moved = self.hits_moved - hit.moved
        if moved:
            hit.amount = max(hit.amount + moved, self.reset_minor)
        hit.is_taken = True
        self.hits_moved += self.reset_minor - hit.amount

    def exact(self, minor: Fraction) -> str:
        """Write minor units, whole or not, as an exact amount in currency units."""
        # More decimals than the currency has show that nothing was cut off.
        return exact_text(minor, minor_digits(self.currency), _PLACES_SAID)

    def shown(self, minor: Fraction) -> Fraction:
        """Round a display as filed (D8)."""
        if self.readings.get(MeterCents.ID) == MeterCents.ROUNDED:
            minor += Fraction(1, 2)
        return Fraction(minor.numerator // minor.denominator)

    def said(self, minor: Fraction) -> str:
        """Write a display as this controller sends it."""
        if self.cuts_display:
            return exact_text(self.shown(minor), minor_digits(self.currency))
        return self.exact(minor)

    def add(self, display: Fraction, reserve: Fraction) -> None:
        """Move display and reserve; what lies above the limit is overflow."""
        self.reserve += reserve
        self.display += display + self.overflow
        self.overflow = Fraction(0)
        limit = self.limit_minor
        if limit is not None and self.display > limit:
            self.overflow = self.display - limit
            self.display = limit

    def rate_of(self, table_id: str) -> Fraction:
        """Give the rate at which stakes of a table feed the display."""
        count = self.tables[table_id]
        if count.hidden_rate is not None:
            return count.hidden_rate
        return parse_rate(count.rates.increment_rate or "0%")

    def contribute(self, table_id: str, stake_minor: int) -> None:
        """Add the contribution of a stake, or take it back where the stake is negative."""
        count = self.tables[table_id]
        display = stake_minor * self.rate_of(table_id)
        if self.rounds_wagers:
            display = Fraction(display.numerator // display.denominator)
        self.add(display, stake_minor * parse_rate(count.rates.reserve_rate or "0%"))

    def reading(self, at_us: int, sign: str | None = None) -> Draft:
        """Say all meters.

        Args:
            at_us: When they are read.
            sign: Table on whose sign the display is read; None for the controller's own.
        """
        display = self.signs.get(sign, self.display) if sign else self.display
        limit = self.limit_minor
        fields: dict[str, object] = {
            "progressive_id": self.progressive_id,
            "display": self.said(display),
            "reserve": self.exact(self.reserve),
            "overflow": self.said(self.overflow),
            "in_count": self.in_count,
            "coin_in_minor": self.coin_in_minor,
            "hits_count": self.hits_count,
            "wins_minor": self.wins_minor,
            "voided_count": self.voided_count,
            "voided_minor": self.voided_minor,
            "tables": tuple(self._tables()),
            "reset": self.exact(self.reset_minor),
            "limit": None if limit is None else self.exact(limit),
            "showing_table_id": sign,
        }
        return Draft(ProgressiveReading, at_us, fields)

    def _tables(self) -> list[TableMeter]:
        return [
            TableMeter(
                table_id=name,
                in_count=count.in_count,
                coin_in_minor=count.coin_in_minor,
                increment_rate=count.rates.increment_rate,
                reserve_rate=count.rates.reserve_rate,
            )
            for name, count in sorted(self.tables.items())
        ]
