"""What lies between two readings of a progressive, and the causes of a difference there.

All amounts are exact numbers of minor units (:class:`fractions.Fraction`); all rates are fractions
of one. Names of meters follow N.J.A.C. 13:69E-1.39A.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, Literal

from schemas.finding_facts.meter import CauseKind, MeterFacts
from schemas.findings import FindingCode

NOTHING: Final = Fraction(0)


class Cause(StrEnum):
    """Why a meter differs from the ledger."""

    WAGERS_NOT_COUNTED = "wagers_not_counted"
    COUNTED_TWICE = "counted_twice"
    STAKE_DIFFERS = "stake_differs"
    """A wager was counted with another stake than the table accepted."""

    NOT_ACCEPTED = "not_accepted"
    """A wager was counted that no table accepted."""

    VOID_KEPT = "void_kept"
    """What the wagers of a voided coup had added stayed, and was to be taken back."""

    VOID_REVERSED = "void_reversed"
    """It was taken back, and was to stay."""

    COUNT_DIFFERS = "count_differs"
    """The counts of a table differ from what it accepted, and the meters do not."""

    RATE_SINCE = "rate_since"
    ROUNDING_PER_WAGER = "rounding_per_wager"
    RESET_EARLY = "reset_early"
    """Wagers counted before the lock-out went to the next meter."""

    RESET_LATE = "reset_late"
    """Wagers counted after the lock-out went to the meter that was won."""

    RESET_AMOUNT = "reset_amount"
    STEP_UNKNOWN = "step_unknown"
    """One meter moved once, and no recorded event says why."""

    UNEXPLAINED = "unexplained"


def kind_of(cause: Cause) -> CauseKind:
    """Give the name of a cause in facts; a test holds that there is one for each."""
    return cause.value


@dataclass(frozen=True, slots=True)
class EventPlace:
    """One event of a source."""

    source_id: str
    feed_id: str
    sequence: int


@dataclass(frozen=True, slots=True)
class Meters:
    """What the three meters of money show or should show, exact minor units."""

    display: Fraction
    reserve: Fraction
    overflow: Fraction = NOTHING


@dataclass(frozen=True, slots=True)
class ReadingPoint:
    """A reading of the meters, as the controller said it."""

    place: EventPlace
    at_us: int
    meters: Meters
    decimals: tuple[int, int] = (0, 0)
    """With so many more than the currency has display and reserve were said."""


@dataclass(frozen=True, slots=True)
class SeenDisplay:
    """A display that the controller said between the two readings, as at a lock-out."""

    sequence: int
    """Of the controller's event."""
    at_us: int
    said: Fraction
    expected: Fraction
    """The ledger's, for what the controller had counted by then."""
    decimals: int = 0
    """It was said with so many more than the currency has."""


@dataclass(frozen=True, slots=True)
class AcceptedThere:
    """A wager that a table accepted and that the controller should have counted by the reading."""

    place: EventPlace
    """The event of the table that placed it."""
    at_us: int
    wager_id: str
    coup_id: str
    stake_minor: int
    increment_rate: Fraction
    """Filed for its table, for the display."""
    reserve_rate: Fraction

    @property
    def table_id(self) -> str:
        """The table that accepted it."""
        return self.place.source_id


@dataclass(frozen=True, slots=True)
class CountedThere:
    """A wager that the controller said it had accepted, before this reading in its feed."""

    place: EventPlace
    """The controller's event."""
    at_us: int
    table_id: str
    wager_id: str
    coup_id: str | None
    stake_minor: int
    increment_rate: Fraction
    """Filed for its table, whatever the controller has configured."""
    reserve_rate: Fraction
    times_before: int = 0
    """How often the controller had counted it before the interval."""


@dataclass(frozen=True, slots=True)
class MeterChange:
    """What moved the meters other than a wager, or how they move, as the controller said it."""

    kind: Literal["reset", "adjustment", "parameter"]
    place: EventPlace
    at_us: int
    hit_id: str | None = None
    """Of resets, as all down to ``won_expected``."""
    locked_sequence: int | None = None
    """Of the controller's lock-out of the winning table."""
    locked_at_us: int | None = None
    filed_reset: Fraction | None = None
    before_said: Fraction | None = None
    before_expected: Fraction | None = None
    after_said: Fraction | None = None
    after_expected: Fraction | None = None
    """Filed reset and the contributions counted since the lock-out."""
    reserve_said: Fraction | None = None
    """Part of the new display said to be taken from the reserve."""
    reserve_expected: Fraction | None = None
    house_said: Fraction | None = None
    house_expected: Fraction | None = None
    won_said: Fraction | None = None
    """What the hit took, as the controller said it."""
    won_expected: Fraction | None = None
    """The display at the lock-out, for what it had counted by then."""
    meter: Literal["display", "reserve", "overflow"] | None = None
    """Of adjustments, with ``change``."""
    change: Fraction | None = None
    parameter: str | None = None
    """Of parameters, such as ``increment_rate``, with ``value_after`` and ``table_id``."""
    value_after: Fraction | None = None
    """A rate as a fraction of one, an amount in minor units."""
    table_id: str | None = None
    """None: for all tables."""


@dataclass(frozen=True, slots=True)
class VoidedThere:
    """A coup that a table voided after the controller had counted its wagers."""

    place: EventPlace
    """The event of the table that voided it."""
    at_us: int
    coup_id: str
    wager_count: int
    display: Fraction
    """What its wagers had added; 0 where that meter was won since."""
    reserve: Fraction
    is_reversal_filed: bool
    """Reading D9 is ``reversed``."""
    is_reversed: bool
    """The controller said by the reading that it took the contributions back."""

    @property
    def table_id(self) -> str:
        """The table that voided it."""
        return self.place.source_id


@dataclass(frozen=True, slots=True)
class TableCount:
    """What was counted for one table over the interval: differences of its meters."""

    table_id: str
    read_count: int | None
    """By the two readings, with ``read_coin_in_minor``; None where only the rates are told."""
    read_coin_in_minor: int
    increment_configured: Fraction | None = None
    """The rate that the controller states for the table in this reading."""
    reserve_configured: Fraction | None = None
    increment_filed: Fraction | None = None
    """The rate that is filed for the table; None where no filing is known."""
    reserve_filed: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """Everything between the last reading that agreed and one that does not, at one level.

    Where the controller reports each wager, ``counted`` has what it said in its feed up to the
    reading, and ``accepted`` what tables accepted and should be counted by then, with every
    accepted wager that ``counted`` names. Wagers still in flight (within the lag) are in neither
    until they are counted or overdue. Where it does not, ``has_wager_events`` is False,
    ``counted`` is empty and ``for_counted`` equals ``for_accepted``.
    """

    progressive_id: str
    level: int
    currency: str
    since: ReadingPoint | None
    """The last reading that agreed; None where the ledger begins."""
    reading: ReadingPoint
    for_counted: Meters
    """What the ledger has at the reading for what the controller counted: exact, not rounded."""
    for_accepted: Meters
    """What it has for what the tables accepted."""
    display_policy: Literal["truncate_cent", "round_half_up"]
    """Reading D8."""
    has_wager_events: bool
    accepted: tuple[AcceptedThere, ...]
    """In order of time."""
    counted: tuple[CountedThere, ...] = ()
    """In order of the controller's feed."""
    changes: tuple[MeterChange, ...] = ()
    """In order of the controller's feed."""
    tables: tuple[TableCount, ...] = ()
    """Empty where the readings say nothing by table."""
    seen: tuple[SeenDisplay, ...] = ()
    """In order of the controller's feed; heeded only where wagers have events."""
    around: tuple[CountedThere, ...] = ()
    """Wagers counted before the interval, in order of the feed, where it has a reset in it: those
    before and behind the lock-out."""
    voids: tuple[VoidedThere, ...] = ()
    """Coups voided in the interval, reversals of which are said or overdue by the reading.
    ``for_counted`` has what the controller said of them, ``for_accepted`` what is filed."""
    going_on: tuple[str, ...] = ()
    """Causes that were found by the reading before and may go on."""
    known_rates: tuple[tuple[Fraction, Fraction], ...] = ()
    """Increment and reserve rate of every paytable letter of the sections that are linked."""
    time_zone: str | None = None
    """Of the property; None where no filing is known."""

    def at_us_of(self, place: EventPlace | None) -> int | None:
        """Give when an event of the interval was; None where it is none of them."""
        if place is None:
            return None
        if place == self.reading.place:
            return self.reading.at_us
        acts: tuple[CountedThere | AcceptedThere | MeterChange | VoidedThere, ...] = (
            *self.counted,
            *self.around,
            *self.accepted,
            *self.changes,
            *self.voids,
        )
        return next((act.at_us for act in acts if act.place == place), None)

    @property
    def goes_by_sequence(self) -> bool:
        """Whether the sequences of the controller order what it said: all are of one feed."""
        feed_id = self.reading.place.feed_id
        places = [one.place for one in (*self.counted, *self.around)]
        places += [one.place for one in self.changes]
        return self.has_wager_events and all(one.feed_id == feed_id for one in places)


@dataclass(frozen=True, slots=True)
class EqualFits:
    """Events that explain a difference equally well, so that nobody can say which it was."""

    count: int
    first_sequence: int
    last_sequence: int


@dataclass(frozen=True, slots=True)
class Attribution:
    """One cause of a difference, with the facts of its finding."""

    cause: Cause
    code: FindingCode
    subject: str
    """What the finding's subject adds to the progressive: the wager, the group, or the cause
    with its first divergent event."""
    place: EventPlace | None
    """The first event at which meter and ledger part; None where no event can be named."""
    display_effect: Fraction
    """What the cause added to display and overflow together; negative where it is lacking."""
    reserve_effect: Fraction
    wager_count: int
    """So many wagers are wrong in the meter."""
    coups: tuple[str, ...]
    """Coups affected, where they can be named, at most :data:`COUPS_NAMED`."""
    coup_count: int
    """Of coups that may be affected, named or not."""
    equal_fits: EqualFits | None
    """None where it is known which event it was."""
    also_fits: tuple[Cause, ...]
    """Other causes that fit as exactly and are as small."""
    facts: MeterFacts
    """What the finding says of it."""
    at_us: int | None = None
    """When the first divergent act was; None where no act can be named."""
    hit_id: str | None = None
    """Of the hit after which the meter was set back wrongly."""
    stretch: tuple[int, ...] = ()
    """Events of the controller: the lock-out, the first and the last wager that went to the other
    meter, and the reset."""
    tables: tuple[str, ...] = ()
    """Of a cause that takes effect wager by wager: whose wagers."""


COUPS_NAMED: Final = 32
"""An attribution names at most so many coups."""
