"""What does the fold remember of a table? Immutable values, every collection bounded.

The state is all there is: nothing that was folded is ever looked up elsewhere, so the same log
always gives the same records, wherever and whenever it is folded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from pydantic import TypeAdapter

from schemas.findings import Finding
from schemas.rules_submission import RulesSubmission

HASHES_KEPT: Final = 128
"""Hashes of the latest events of a feed that are kept, to know a repeat from a conflict."""

HASH_KEPT: Final = 32
"""Hexadecimal digits of each that are kept: 128 bits."""

HELD_MAX: Final = 64
"""Events that may wait for a missing one."""

HELD_US_MAX: Final = 20_000_000
"""How far, in ``occurred_at``, waiting may stretch before the missing events are a gap."""

COUPS_KEPT: Final = 16
"""Coups that can still be added to, closed ones included."""

OLD_COUPS_KEPT: Final = 64
"""Ids of coups that were dropped, so that a late event of them does not begin them anew."""

WAGERS_MAX: Final = 256
"""Wagers of one coup."""

ENTRIES_MAX: Final = 64
"""Cards, corrections or the like of one coup."""

SHOES_KEPT: Final = 4
"""Earlier shoes whose order of cards is remembered."""

FINDINGS_MAX: Final = 256
"""Findings of one shoe."""

GAPS_KEPT: Final = 16
"""Declared gaps of a feed that a late event may still fill."""

FEEDS_KEPT: Final = 16
"""Superseded feeds of a source."""


@dataclass(frozen=True, slots=True)
class HeldEvent:
    """An event that came before its turn; its bytes are read again when its turn comes."""

    sequence: int
    offset: int
    hash: str
    occurred_at_us: int


@dataclass(frozen=True, slots=True)
class FeedState:
    """Where a feed stands."""

    feed_id: str
    next_sequence: int = 1
    last_hash: str | None = None
    """Hash of the event before the next; None behind a gap, where no chain can be checked."""
    hashes: tuple[str, ...] = ()
    """Hashes of the latest events, the last one that of ``next_sequence - 1``; empty text where
    the event is missing."""
    held: tuple[HeldEvent, ...] = ()
    """In order of sequence."""
    gaps: tuple[tuple[int, int], ...] = ()
    """First and last sequence of declared gaps."""
    last_occurred_us: int | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """A device fault that is raised."""

    fault_id: str
    device: str
    words: str
    raised_sequence: int
    is_asserted: bool = False


@dataclass(frozen=True, slots=True)
class DealtCard:
    """A card that went to a hand."""

    hand: str
    position: int
    card: str | None
    card_id: str | None
    back: str | None
    error_id: str | None
    sequence: int
    foreign: str | None = None
    """Why it cannot have come out of the shoe in play; None where nothing says so."""


@dataclass(frozen=True, slots=True)
class Payment:
    """A settlement of a wager or a seat, with what corrections changed since."""

    settlement_id: str
    sequence: int
    paid_minor: int
    collected_minor: int | None
    taken_minor: int | None
    marked_minor: int | None
    paid_change_minor: int = 0
    collected_change_minor: int = 0
    taken_change_minor: int = 0
    marked_change_minor: int = 0
    is_repeat: bool = False
    """Another settlement of a wager that was settled already."""


@dataclass(frozen=True, slots=True)
class PlacedWager:
    """A wager of a coup."""

    wager_id: str
    wager_no: int
    seat: str
    patron: str | None
    name: str
    """As the table named it."""
    stake_minor: int | None
    sequence: int
    placed_at_us: int
    is_late: bool = False
    late_changes: tuple[int, ...] = ()
    """Sequences of changes after no more bets; they change nothing that is due."""
    is_withdrawn: bool = False
    payments: tuple[Payment, ...] = ()
    refunded_minor: int | None = None


@dataclass(frozen=True, slots=True)
class SeatPayment:
    """A settlement of a seat in one sum."""

    seat: str
    payment: Payment


@dataclass(frozen=True, slots=True)
class Mark:
    """Something said about a coup once: when, and with which numbers."""

    sequence: int
    occurred_at_us: int
    player_points: int | None = None
    banker_points: int | None = None
    winner: str | None = None
    winning_wagers: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction of a payment, as far as findings ask."""

    correction_id: str
    settlement_id: str
    sequence: int
    occurred_at_us: int
    is_authorised: bool


@dataclass(frozen=True, slots=True)
class CoupState:
    """One coup as far as it has been told."""

    coup_id: str
    shoe_id: str | None
    coup_no: int
    filing: str
    """Key of the Rules Submission under which it is played."""
    gaming_date: str
    dealer: str | None
    first_sequence: int
    began_at_us: int
    last_sequence: int
    cards: tuple[DealtCard, ...] = ()
    errors: tuple[str, ...] = ()
    """Ids of drawing errors whose disposition was reported."""
    wagers: tuple[PlacedWager, ...] = ()
    seats: tuple[SeatPayment, ...] = ()
    no_more_bets: Mark | None = None
    counts: Mark | None = None
    result: Mark | None = None
    voided: Mark | None = None
    corrections: tuple[Correction, ...] = ()
    refund_ids: tuple[str, ...] = ()
    conflicts: tuple[tuple[str, int, int], ...] = ()
    """Settlement id, sequence and amount of settlements that contradict the first."""
    is_closed: bool = False
    is_unverified: bool = False
    is_overrun: bool = False
    """Dealt after the permitted last coup of the shoe."""
    emitted: str | None = None
    """Digest of the findings last put out."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A card that was taken away and not replaced yet."""

    removal_id: str
    card: str
    sequence: int
    was_in_shoe: bool
    """It had not been dealt yet."""


@dataclass(frozen=True, slots=True)
class ShoeState:
    """The shoe in play."""

    shoe_id: str
    decks: int
    loaded_sequence: int
    loaded_at_us: int
    first_offset: int
    gaming_date: str
    is_shuffled: bool = False
    is_inspected: bool = False
    inspected_cards: tuple[tuple[str, int], ...] = ()
    backs: tuple[str, ...] = ()
    card_id_prefix: str | None = None
    coup_count: int = 0
    last_coup_no: int | None = None
    """Number of the last coup permitted after the cover card; None before it came."""
    cards: tuple[tuple[str, int], ...] = ()
    """Card to how many of it came out face up, sorted."""
    unseen_count: int = 0
    """Cards that came out without being seen."""
    order: str = ""
    """Cards as they were dealt, one character each."""
    run: tuple[int, int] | None = None
    """A repeated run that is still going on: its first position, and the earlier one's."""
    removed: tuple[Removal, ...] = ()
    """Removals not made good."""
    marked: tuple[tuple[str, int], ...] = ()
    """Seat to vigorish marked and not yet collected."""
    findings: tuple[Finding, ...] = ()
    is_ended: bool = False
    is_unverified: bool = False


@dataclass(frozen=True, slots=True)
class TableState:
    """Everything that the fold remembers of one source."""

    source_id: str
    feed: FeedState | None = None
    incoming: FeedState | None = None
    """A newer feed of which events came before its first."""
    superseded: tuple[str, ...] = ()
    split_asserted: tuple[str, ...] = ()
    is_open: bool = False
    is_simulated: bool = False
    opened_sequence: int = 0
    opened_coups: int = 0
    """Coups since the opening."""
    filings: tuple[tuple[str, RulesSubmission], ...] = ()
    """Rules Submissions by key, the one in force last."""
    reports: tuple[str, ...] = ()
    gaming_date: str | None = None
    dated: tuple[str, ...] = ()
    """Findings on dates of ``gaming_date`` that were put out, by section and date."""
    dealer: str | None = None
    faults: tuple[Fault, ...] = ()
    shoe: ShoeState | None = None
    coups: tuple[CoupState, ...] = ()
    """Open and lately closed ones, in order of their beginning."""
    old_coups: tuple[str, ...] = ()
    earlier_orders: tuple[tuple[str, str], ...] = ()
    """Shoe id and order of cards of earlier shoes, the latest last."""
    is_after_gap: bool = False
    """The next coup that is heard of may have lost events."""
    had_gap: bool = False
    """Events are missing since the opening."""
    checkpoint: str | None = None
    """This state when the shoe in play was loaded, as JSON; late truth is folded from there."""

    @property
    def filing(self) -> RulesSubmission | None:
        """The Rules Submission in force."""
        return self.filings[-1][1] if self.filings else None


_ADAPTER: Final = TypeAdapter(TableState)


def new_state(source_id: str) -> TableState:
    """Give the state of a source of which nothing was heard yet."""
    return TableState(source_id)


def encode_state(state: TableState) -> bytes:
    """Give the canonical JSON of a state: fixed field order, no spaces."""
    return _ADAPTER.dump_json(state, by_alias=True)


def decode_state(raw: bytes) -> TableState:
    """Read a state back.

    Raises:
        ValueError: The bytes are no state of this version.
    """
    return _ADAPTER.validate_json(raw)


def with_coup(state: TableState, coup: CoupState) -> TableState:
    """Put a coup in the place of its earlier self."""
    return replace(
        state,
        coups=tuple(coup if one.coup_id == coup.coup_id else one for one in state.coups),
    )
