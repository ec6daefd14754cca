"""What does the controller of the linked progressives say? It counts what the tables accept.

No hit is dealt on a simulated floor: a Harmony wager never meets six cards of one rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Final

from schemas.events import (
    FeedStarted,
    ProgressiveAdjusted,
    ProgressiveLockedOut,
    ProgressiveParametersChanged,
    ProgressiveReading,
    ProgressiveTableJoined,
    ProgressiveWagerAccepted,
    TableMeter,
)
from schemas.money import minor_digits, parse_amount
from schemas.odds import parse_rate
from schemas.rules_submission import FiledProgressive, RulesSubmission
from streams.simulator.coup import Accepted, LockedOut, Voided
from streams.simulator.feed import SECOND, Draft, FeedWriter, Message

CONTROLLER: Final = "PRG-01"
"""The source that all progressives of a floor speak through."""

_APPROVER: Final = "su-controller"

READING_US: Final = 60 * SECOND
"""Meters are read so often."""


@dataclass(slots=True)
class _TableCount:
    """What the controller counted for one table."""

    rates: FiledProgressive
    in_count: int = 0
    coin_in_minor: int = 0


@dataclass(slots=True)
class _Meter:
    """One progressive, exactly."""

    progressive_id: str
    filed: FiledProgressive
    display: Fraction
    currency: str
    reserve: Fraction = Fraction(0)
    voided_count: int = 0
    voided_minor: int = 0
    tables: dict[str, _TableCount] = field(default_factory=dict)

    @property
    def in_count(self) -> int:
        """Wagers accepted from all tables."""
        return sum(one.in_count for one in self.tables.values())

    @property
    def coin_in_minor(self) -> int:
        """Their stakes."""
        return sum(one.coin_in_minor for one in self.tables.values())

    def exact(self, minor: Fraction) -> str:
        """Write minor units, whole or not, as an exact amount in currency units."""
        return exact_text(minor, minor_digits(self.currency))


def exact_text(minor: Fraction, digits: int) -> str:
    """Write an amount of minor units exactly, in currency units.

    >>> exact_text(Fraction(10001, 4), 2)
    '25.0025'
    """
    scale, places = minor / 10**digits, digits
    while (scale * 10**places).denominator != 1 and places < 12:
        places += 1
    whole = scale * 10**places
    if whole.denominator != 1:
        raise ValueError(f"{minor} minor units have no exact decimal text of 12 places")
    number = whole.numerator
    sign, number = ("-" if number < 0 else ""), abs(number)
    return f"{sign}{number // 10**places}.{number % 10**places:0{places}d}"


class Controller:
    """Listens to the tables and speaks for itself, in the order of time."""

    def __init__(self, seed: int, start_us: int, linked: Mapping[str, RulesSubmission]) -> None:
        """Prepare the controller's feed.

        Args:
            seed: Seed of the floor.
            start_us: When the floor begins.
            linked: Table to what is filed for it; only those with a progressive matter.
        """
        self.writer = FeedWriter(CONTROLLER, Random(f"{seed}/{CONTROLLER}"), start_us)
        self._start_us = start_us
        self._linked = {name: one for name, one in linked.items() if one.progressives}
        self._meters: dict[str, _Meter] = {}
        self._next_reading_us = start_us + READING_US
        self._adjustments = 0

    @property
    def is_needed(self) -> bool:
        """Whether any table of the floor has a progressive."""
        return bool(self._linked)

    def begin(self) -> list[Message]:
        """Begin to speak: the tables that are linked, and the meters as they stand."""
        started: dict[str, object] = {
            "source_kind": "progressive_controller",
            "software": "Ladderman simulator",
            "simulated": True,
        }
        drafts = [Draft(FeedStarted, self._start_us, started)]
        for source_id, submission in self._linked.items():
            for meter, count in self._of_table(source_id, submission):
                joined: dict[str, object] = {
                    "progressive_id": meter.progressive_id,
                    "table_id": source_id,
                    "increment_rate": count.rates.increment_rate,
                    "reserve_rate": count.rates.reserve_rate,
                    "approved_by": _APPROVER,
                }
                drafts.append(Draft(ProgressiveTableJoined, self._start_us, joined))
        drafts += [self._reading(one, self._start_us) for one in self._meters.values()]
        return self.writer.write(drafts)

    def until(self, at_us: int) -> list[Message]:
        """Say what is due up to a moment: readings and heartbeats."""
        messages: list[Message] = []
        while self._next_reading_us <= at_us:
            drafts = [self._reading(one, self._next_reading_us) for one in self._meters.values()]
            messages += self.writer.write(drafts)
            self._next_reading_us += READING_US
        self.writer.idle_until(at_us, messages)
        return messages

    def hear(
        self, note: object, at_us: int, source_id: str, submission: RulesSubmission
    ) -> list[Message]:
        """Take in what happened at a table."""
        drafts = self._new_rates(at_us, source_id, submission)
        messages = self.until(at_us) + self.writer.write(drafts)
        if isinstance(note, Accepted):
            drafts = self._accepted(note, at_us, source_id, submission)
        elif isinstance(note, LockedOut):
            drafts = self._locked_out(note, at_us, source_id, submission)
        elif isinstance(note, Voided):
            drafts = self._voided(note, at_us, source_id, submission)
        else:
            drafts = iter(())
        return messages + self.writer.write(drafts)

    def _meter(self, filed: FiledProgressive, currency: str) -> _Meter:
        found = self._meters.get(filed.id)
        if found is None:
            base = Fraction(parse_amount(filed.base, currency))
            found = self._meters[filed.id] = _Meter(filed.id, filed, base, currency)
        return found

    def _of_table(
        self, source_id: str, submission: RulesSubmission
    ) -> Iterator[tuple[_Meter, _TableCount]]:
        for filed in submission.progressives:
            meter = self._meter(filed, submission.currency)
            yield meter, meter.tables.setdefault(source_id, _TableCount(filed))

    def _new_rates(
        self, at_us: int, source_id: str, submission: RulesSubmission
    ) -> Iterator[Draft]:
        """Take over the rates of another letter, once another filing is in force at a table."""
        filed_now = {one.id: one for one in submission.progressives}
        for meter, count in self._of_table(source_id, submission):
            before, after = count.rates, filed_now[meter.progressive_id]
            changed = [
                (name, old, new)
                for name, old, new in (
                    ("increment_rate", before.increment_rate, after.increment_rate),
                    ("reserve_rate", before.reserve_rate, after.reserve_rate),
                )
                if old != new
            ]
            if not changed:
                continue
            yield self._reading(meter, at_us)
            count.rates = after
            for name, old, new in changed:
                fields: dict[str, object] = {
                    "progressive_id": meter.progressive_id,
                    "parameter": name,
                    "value_before": old,
                    "value_after": new,
                    "table_id": source_id,
                    "authority": f"Rules Submission {submission.rules_version}",
                    "approved_by": _APPROVER,
                }
                yield Draft(ProgressiveParametersChanged, at_us, fields)
            yield self._reading(meter, at_us)

    def _accepted(
        self, note: Accepted, at_us: int, source_id: str, submission: RulesSubmission
    ) -> Iterator[Draft]:
        bet = note.bet
        for meter, count in self._of_table(source_id, submission):
            if meter.progressive_id != bet.offer.progressive_id:
                continue
            self._count(meter, count, bet.stake_minor)
            count.in_count += 1
            count.coin_in_minor += bet.stake_minor
            fields: dict[str, object] = {
                "progressive_id": meter.progressive_id,
                "table_id": source_id,
                "wager_id": bet.wager_id,
                "stake_minor": bet.stake_minor,
                "in_count": meter.in_count,
                "coup_id": note.coup_id,
                "seat": bet.seat,
            }
            yield Draft(ProgressiveWagerAccepted, at_us, fields)

    def _count(self, meter: _Meter, count: _TableCount, stake_minor: int) -> None:
        meter.display += stake_minor * parse_rate(count.rates.increment_rate or "0%")
        meter.reserve += stake_minor * parse_rate(count.rates.reserve_rate or "0%")

    def _locked_out(
        self, note: LockedOut, at_us: int, source_id: str, submission: RulesSubmission
    ) -> Iterator[Draft]:
        for meter, _ in self._of_table(source_id, submission):
            here = [one for one in note.bets if one.offer.progressive_id == meter.progressive_id]
            fields: dict[str, object] = {
                "progressive_id": meter.progressive_id,
                "table_id": source_id,
                "coup_id": note.coup_id,
                "display": meter.exact(meter.display),
                "accepted_count": len(here),
            }
            yield Draft(ProgressiveLockedOut, at_us, fields)

    def _voided(
        self, note: Voided, at_us: int, source_id: str, submission: RulesSubmission
    ) -> Iterator[Draft]:
        """Take the contributions of a voided coup back, as the void policy files it."""
        for meter, count in self._of_table(source_id, submission):
            here = [one for one in note.bets if one.offer.progressive_id == meter.progressive_id]
            if not here:
                continue
            yield self._reading(meter, at_us)
            stakes = sum(one.stake_minor for one in here)
            before = meter.display, meter.reserve
            self._count(meter, count, -stakes)
            meter.voided_count += len(here)
            meter.voided_minor += stakes
            for name, change in (
                ("display", meter.display - before[0]),
                ("reserve", meter.reserve - before[1]),
            ):
                self._adjustments += 1
                fields: dict[str, object] = {
                    "progressive_id": meter.progressive_id,
                    "adjustment_id": f"adj{self._adjustments}",
                    "meter": name,
                    "change": meter.exact(change),
                    "reason": "coup_voided",
                    "approved_by": _APPROVER,
                    "table_id": source_id,
                    "coup_id": note.coup_id,
                    "wager_ids": tuple(one.wager_id for one in here),
                }
                yield Draft(ProgressiveAdjusted, at_us, fields)
            yield self._reading(meter, at_us)

    def _reading(self, meter: _Meter, at_us: int) -> Draft:
        tables = tuple(
            TableMeter(
                table_id=name,
                in_count=count.in_count,
                coin_in_minor=count.coin_in_minor,
                increment_rate=count.rates.increment_rate,
                reserve_rate=count.rates.reserve_rate,
            )
            for name, count in sorted(meter.tables.items())
        )
        reset = Fraction(parse_amount(meter.filed.reset, meter.currency))
        fields: dict[str, object] = {
            "progressive_id": meter.progressive_id,
            "display": meter.exact(meter.display),
            "reserve": meter.exact(meter.reserve),
            "in_count": meter.in_count,
            "coin_in_minor": meter.coin_in_minor,
            "hits_count": 0,
            "wins_minor": 0,
            "voided_count": meter.voided_count,
            "voided_minor": meter.voided_minor,
            "tables": tables,
            "reset": meter.exact(reset),
        }
        return Draft(ProgressiveReading, at_us, fields)
