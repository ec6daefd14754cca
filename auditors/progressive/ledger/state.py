"""What the fold remembers of a progressive: immutable values, every collection bounded.

Amounts are whole numbers of parts (:mod:`auditors.progressive.ledger.scaling`), so nothing is
rounded. Dictionaries in here are never changed in place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from auditors.progressive.ledger.chunks import EMPTY, Chunks
from auditors.progressive.ledger.earlier_states import in_todays_shape
from auditors.progressive.ledger.effects import Effect, Position
from schemas.finding_facts.meter import LastingFacts, ResetCause
from schemas.progressive_inputs import AcceptedWager, CardsHit, FiledMeter

STATE_FORMAT: Final = 4
"""Number of the shape and the bounds of :class:`ProgressiveState`, by which builds tell theirs
apart."""

LAG_US: Final = 30_000_000
"""A controller counts what a table accepted within this time."""

ASKED_US: Final = 2_000_000
"""Controllers ask their tables several times a second: within this time they know of a hit."""

LEFT_OUT_US: Final = 4 * 3_600_000_000
"""A table that is further behind the controller than this is not waited for.

Hosts of different partitions are not equally far after an outage, so a table that seems silent may
only be late: within this time the order in which sources are heard changes nothing.
"""

ROW_US: Final = 60_000_000
"""The ledger is put out at most so often."""

PENDING_MAX: Final = 8_192
"""Entries that may wait for a source that is behind; then the oldest are taken in without it."""

TRAIL_MAX: Final = 16_384
"""Entries since the last reading that was judged; then the oldest are dropped."""

TABLES_MAX: Final = 64
"""Tables of one progressive; a further one is not followed."""

SOURCES_MAX: Final = TABLES_MAX + 8
"""Tables and controllers that are followed."""

RECENT_COUPS: Final = 16
"""Coups of a table whose wagers are kept one by one."""

COUPS_KEPT: Final = 16_384
"""Coups of all tables whose sums are kept, so that a later version can still be taken in."""

COUPS_A_TABLE: Final = 4_096
"""Of one table at most so many."""

COUPS_A_CHUNK: Final = 256
"""Sums of coups are kept in dictionaries of about this size."""

READINGS_MAX: Final = 256
"""Readings that wait to be judged."""

LOCKS_KEPT: Final = 8
"""Lock-outs of one table at which the meter is remembered, so far as no hit waits for them."""

HITS_KEPT: Final = 16
"""Hits that can still be added to."""

ASSERTED_KEPT: Final = 512
"""Matters that were put out, so that they are put out once."""

DUE_MAX: Final = 512
"""Checks that wait for their time."""

MATTERS_KEPT: Final = 32
"""Causes that may go on from one reading to the next."""

FEEDS_KEPT: Final = 8
"""Earlier feeds of one source."""

STANDING_KEPT: Final = 1_024
"""Subjects of which findings stand that may go again; then the oldest are forgotten."""

STANDING_IDS_MAX: Final = 64
"""Ids of standing findings of one subject."""

LOST_KEPT: Final = 16
"""Stretches of lost events of one controller."""

SHOWN_KEPT: Final = 64
"""Displays that are remembered for as long as a sign may lag."""

RECENT_COUNTS: Final = 128
"""Wagers counted before a lock-out that may turn out to be in another meter."""

OPEN_COUNTS_MAX: Final = 512
"""Wagers counted from there on, as long as a hit is not set back."""

RECEIPTS_KEPT: Final = 8
"""Transfers from other progressives that are remembered."""

MOVES_KEPT: Final = 64
"""Adjustments that may say one of which nothing was heard yet."""

IDS_KEPT: Final = 512
"""Ids of adjustments, or of wagers that were found missing."""

EARLIEST: Final[Position] = (0, "", "", 0)
"""Before everything."""


class Ledger(NamedTuple):
    """The meters of one level for what the tables accepted; sums that only ever are added to."""

    display: int = 0
    """The running value, what is above the limit included."""
    reserve: int = 0
    in_count: int = 0
    coin_in_minor: int = 0
    hits_count: int = 0
    wins: int = 0
    voided_count: int = 0
    voided_minor: int = 0
    house_funded: int = 0
    contributed: int = 0
    """Display and reserve together, voids taken off; likewise below."""
    won: int = 0
    adjusted: int = 0
    corrected: int = 0
    """Differences that became known after their gaming date was closed."""
    house_awards: int = 0
    """What the house paid of jackpots beside the meter, where each winner takes more than a share
    of it (D3); in ``wins`` and ``won`` as well."""

    @property
    def liability(self) -> int:
        """What is owed to patrons: display, overflow and reserve."""
        return self.display + self.reserve


EMPTY_LEDGER: Final = Ledger()
"""Before anything was filed."""


class KeptCoup(NamedTuple):
    """One coup as it was last told: its sums, and its wagers while it is recent."""

    version: int
    is_voided: bool
    wagers: int
    stake: int
    display: int
    reserve: int
    is_unverified: bool = False
    locked_us: int | None = None
    sequence: int = 0
    is_won: bool = False
    """The cards win the meter."""
    is_decided: bool = False
    """No more is to come of it."""
    is_ruled: bool = False
    """Its cards say what its wagers win."""
    entries: tuple[Effect, ...] | None = None
    """None once they were dropped."""
    told_us: int = 0
    """When what caused this version happened."""


@dataclass(frozen=True)
class LinkedTable:
    """A table that feeds a level."""

    table_id: str
    feed_id: str = ""
    version: int = 0
    filed: FiledMeter | None = None
    filed_before: FiledMeter | None = None
    filed_since_us: int = 0
    ages: tuple[dict[str, KeptCoup], ...] = ()
    """Coups by id, the recent ones last."""
    forgotten_us: int = 0
    """Coups up to then were forgotten."""
    last_us: int = 0
    """When the latest coup that was told was played."""
    is_lost: bool = False
    """The controller has no contact with it."""
    restored_us: int = 0
    """When the controller had contact again, the last time."""
    apart: int = 0
    """So many wagers up to the latest reading were all counted later than the lag; negative where
    they were counted before they were accepted."""


class TableCounts(NamedTuple):
    """What a reading says of one table."""

    table_id: str
    in_count: int
    coin_in_minor: int


class LockSaid(NamedTuple):
    """A lock-out of the controller, with what it should have shown for what it had counted."""

    table_id: str
    coup_id: str
    sequence: int
    at_us: int
    display: int


class Matter(NamedTuple):
    """A cause that takes effect wager by wager, as it was found, with what it comes to so far."""

    cause: str
    tables: tuple[str, ...]
    subject: str
    """Of the finding."""
    source: str
    """Of the first divergent event, with its feed and sequence."""
    feed: str
    sequence: int
    at_us: int
    """Of the reading by which it was found."""
    facts: LastingFacts
    """As it was found first."""
    wagers: int
    display: int
    reserve: int
    act_us: int = 0
    """When the first wager was that it concerns; 0 where that is not known."""


class Baseline(NamedTuple):
    """The last reading that was judged, with what should have been read."""

    position: Position
    display: int
    """As read, like the two below; overflow not included."""
    reserve: int
    overflow: int
    in_count: int
    coin_in_minor: int
    hits_count: int
    wins_minor: int
    voided_count: int
    voided_minor: int
    tables: tuple[TableCounts, ...]
    counted_display: int
    """What should be read for what the controller counted, overflow included."""
    counted_reserve: int
    off_display: int = 0
    """By how much the controller's own arithmetic was found to be off so far."""
    off_reserve: int = 0
    gap_display: int = 0
    """What the tables accepted and the controller was found not to have counted, less what it
    counted too often."""
    gap_reserve: int = 0
    gap_count: int = 0
    gap_stake: int = 0
    locks: tuple[LockSaid, ...] = ()
    """The latest lock-outs of each table."""
    is_overflow_wrong: bool = False
    """It was found that limit and overflow were mishandled, which may go on."""
    matters: tuple[Matter, ...] = ()
    """Causes that may go on."""


class Run(NamedTuple):
    """Consecutive wagers of a table that were not counted, as long as they may go on."""

    table_id: str
    first: str
    """The first wager."""
    name: str
    """Subject of the finding."""
    wagers: tuple[str, ...]


class Frozen(NamedTuple):
    """The meter when a table was locked for a coup."""

    table_id: str
    coup_id: str
    position: Position
    display: int
    hit_moves: int
    """Sum of what hits had moved the display by, ever."""


class Payment(NamedTuple):
    """A share of a hit that the controller says was paid."""

    payment_id: str
    wager_id: str
    paid_minor: int
    slip: str | None
    sequence: int
    at_us: int = 0


class Receipt(NamedTuple):
    """What another progressive gave to this one."""

    at_us: int
    source: str
    feed: str
    sequence: int
    transfer_id: str
    from_id: str
    from_level: int
    display: int
    """What lay above its limit included."""
    reserve: int
    open_display: int
    """What the controller of this one has neither said nor shown yet."""
    open_reserve: int
    is_foreign: bool = False
    """Another controller said it, which nobody waits for here."""
    is_overdue: bool = False
    """It was found that the controller did not say all of it in time."""

    @property
    def is_open(self) -> bool:
        """Whether any of it was neither said nor shown."""
        return bool(self.open_display or self.open_reserve)


class NamedMove(NamedTuple):
    """An adjustment that may say a transfer of which nothing was heard yet."""

    at_us: int
    feed: str
    sequence: int
    is_reserve: bool
    moved: int
    is_mending: bool = False
    """It is said to put a fault right."""


class ResetSaid(NamedTuple):
    """How the controller set the display back, and how it should have."""

    sequence: int
    at_us: int
    before: int
    after: int
    reserve_funded: int
    house_funded: int
    is_judged: bool = False
    since: int = 0
    """Contributions since the lock-out."""
    due_display: int = 0
    due_reserve: int = 0
    due_house: int = 0
    causes: tuple[ResetCause, ...] = ()
    """Why the meter differs after it; empty where it does not."""
    is_amount: bool = False
    """The cause is the amount that was said."""
    events: tuple[int, ...] = ()
    """Of the controller, that show the cause."""
    judged_us: int = 0
    """When the reading was due that shows how the display was set back."""


@dataclass(frozen=True)
class Hit:
    """One hit: what the cards say, what the controller says, and what followed."""

    table_id: str
    coup_id: str
    feed_id: str = ""
    cards: CardsHit | None = None
    winners: tuple[AcceptedWager, ...] = ()
    filed: FiledMeter | None = None
    locked_us: int | None = None
    is_carded: bool = False
    """The moment at which the cards were decided was passed."""
    is_closed: bool = False
    """The coup is over."""
    closed_us: int = 0
    """When its table first said so."""
    is_passed: bool = False
    """The controller went past the end of the coup and said nothing of a hit."""
    amount: int | None = None
    """The display when the table was locked; None until the ledger has taken the hit in."""
    reset: int = 0
    """What the next meter begins with."""
    reserve_paid: int = 0
    """Part of it that the reserve pays; the house adds the rest."""
    house_award: int = 0
    """What the house pays of it beside the meter (D3)."""
    is_close: bool = False
    """Another hit fell within the lag."""
    is_overdue: bool = False
    """The controller had said nothing of it in time, or no cards had shown it."""
    hit_id: str | None = None
    said_us: int = 0
    said_clock_us: int = 0
    """By the controller's own clock, also where that went back."""
    said_sequence: int = 0
    said_source: str = ""
    said_feed: str = ""
    said_amount: int | None = None
    said_wagers: tuple[str, ...] = ()
    payments: tuple[Payment, ...] = ()
    reset_said: ResetSaid | None = None


class Due(NamedTuple):
    """A check that waits until everything about it is known."""

    at_us: int
    what: Literal["hit", "chips", "rate", "removed", "gift"]
    table_id: str
    coup_id: str
    effect: Effect | None = None


class CountedLately(NamedTuple):
    """A wager that the controller counted, and what it should have added to the display."""

    sequence: int
    at_us: int
    table_id: str
    wager_id: str
    coup_id: str
    stake: int
    display: int


class Day(NamedTuple):
    """The gaming date that the ledger is in."""

    date: str
    begin_us: int
    end_us: int
    opening: Ledger
    last_reading: int | None = None
    is_tied: bool = False


@dataclass
class Level:
    """One meter of the progressive.

    One message at a time is folded into a copy; only that copy is changed, until it is given out.
    """

    level: int
    ledger: Ledger = EMPTY_LEDGER
    opening: int | None = None
    """What it began with; None until a filing is known."""
    opening_reserve: int = 0
    is_filed: bool = False
    """A table's filing is known."""
    is_taken_over: bool = False
    """It began with what the first reading said."""
    tables: dict[str, LinkedTable] = field(default_factory=dict)
    done: Chunks = EMPTY
    """What was taken in since the last reading that was judged, and what is undecided still."""
    pending: Chunks = EMPTY
    """What waits for sources that are behind."""
    pending_count: int = 0
    done_count: int = 0
    is_cut: bool = False
    """Details since the last reading that was judged were dropped."""
    baseline: Baseline | None = None
    readings: tuple[int, ...] = ()
    """Times of readings that were taken in and wait to be judged."""
    has_counts: bool = False
    """The controller says each wager that it counts."""
    has_signs: bool = False
    """A sign of a table was read."""
    frozen: tuple[Frozen, ...] = ()
    hit_moves: int = 0
    hits: tuple[Hit, ...] = ()
    has_unsaid: bool = False
    """Of one of them the cards are known, its coup is over, and the controller said nothing yet."""
    hits_ahead: tuple[Effect, ...] = ()
    """What the controller says of hits, while it waits for its turn."""
    due: tuple[Due, ...] = ()
    day: Day | None = None
    changed_us: int = 0
    """When the ledger moved last."""
    row_us: int = 0
    """Up to when it was put out."""
    asserted: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()
    """Wagers that were not counted, where more may follow."""
    missing: tuple[tuple[str, str, str], ...] = ()
    """Table, wager and record of those that were found missing: they may be counted after all."""
    adjustment_ids: tuple[str, ...] = ()
    mended: tuple[tuple[str, int], ...] = ()
    """Feed and sequence of adjustments that put right what the ledger never had wrong."""
    said_parameters: tuple[tuple[str, int], ...] = ()
    """Reset and limit as the controller last said that they were changed, in parts."""
    configured: tuple[tuple[str, int], ...] = ()
    """Reset and limit that readings have otherwise than filed, in parts."""
    receipts: tuple[Receipt, ...] = ()
    """What other progressives gave, the latest last."""
    named_moves: tuple[NamedMove, ...] = ()
    """What the controller says that came in and no transfer of its own had said before."""
    shown: tuple[tuple[int, int], ...] = ()
    """When, and what the display should have shown: at the latest readings."""
    recent: tuple[CountedLately, ...] = ()
    """What the controller counted before the latest reading, for resets that are said later."""


class Source(NamedTuple):
    """How far a source has come."""

    is_controller: bool
    watermark_us: int
    is_open: bool = True
    version: int = 0
    feed_id: str = ""
    last_sequence: int = 0
    last_us: int = 0
    lost: tuple[tuple[int, int], ...] = ()
    old_feeds: tuple[tuple[str, int], ...] = ()
    """Feeds before the current one, each with its last sequence."""
    is_heard: bool = True
    """It spoke itself; not only the controller of it."""


@dataclass
class ProgressiveState:
    """Everything that the fold remembers of one progressive; changed as a :class:`Level` is."""

    progressive_id: str
    currency: str = ""
    is_simulated: bool = False
    sources: dict[str, Source] = field(default_factory=dict)
    frontier_us: int = 0
    """Everything up to then was taken in."""
    levels: tuple[Level, ...] = ()
    standing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind and subject to the ids of the findings that were put out of it and may go again, the
    latest last: who folds the message that withdraws one says so, whoever had put it out."""


_ADAPTER: Final = TypeAdapter(ProgressiveState)


def new_state(progressive_id: str) -> ProgressiveState:
    """Give the state of a progressive of which nothing was heard yet."""
    return ProgressiveState(progressive_id)


def encode_state(state: ProgressiveState) -> bytes:
    """Give the canonical JSON of a state: fixed field order, no spaces."""
    return _ADAPTER.dump_json(state)


def decode_state(raw: bytes) -> ProgressiveState:
    """Read a state back, also one of format 3 or before.

    Raises:
        ValueError: The bytes are no state of this version.
    """
    try:
        return _ADAPTER.validate_json(raw)
    except ValidationError:
        matters_at = Baseline._fields.index("matters")
        causes_at = ResetSaid._fields.index("causes")
        try:
            earlier = in_todays_shape(raw, matters_at, causes_at)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("the bytes are no state of a progressive") from error
        return _ADAPTER.validate_json(earlier)
