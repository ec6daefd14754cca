"""What the fold remembers of a table: immutable values, every collection bounded.

The state is all there is: nothing that was folded is ever looked up elsewhere, so the same log
always gives the same records, wherever and whenever it is folded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from pydantic import PlainSerializer, TypeAdapter

from auditors.table.known.corrections import Conflict, Correction
from schemas.events import DisplayedPaytable
from schemas.finding_facts.payment import Lacking
from schemas.finding_facts.shoe import CardIdAgain, ShoeProblem
from schemas.findings import Finding
from schemas.rules_submission import RulesSubmission
from schemas.topics import MESSAGE_BYTES_MAX

STATE_FORMAT: Final = 4
"""Number of the shape and the bounds of :class:`TableState`, by which builds tell theirs apart."""

HASHES_KEPT: Final = 128
"""Hashes of the latest events of a feed that are kept, to know a repeat from a conflict."""

HASH_KEPT: Final = 32
"""Hexadecimal digits of each that are kept: 128 bits."""

NO_HASH: Final = "-" * HASH_KEPT
"""Stands for the hash of an event that is missing."""

HELD_MAX: Final = 64
"""Events that may wait for a missing one."""

HELD_US_MAX: Final = 20_000_000
"""How far, in ``occurred_at``, waiting may stretch before the missing events are a gap."""

COUPS_KEPT: Final = 16
"""Coups that can still be added to, closed ones included."""

OLD_COUPS_KEPT: Final = 1024
"""Ids of coups that were dropped, so that a late event of them does not begin them anew."""

WAGERS_MAX: Final = 256
"""Wagers of one coup."""

WAGERS_KEPT: Final = 1024
"""Wagers over all coups that are kept, the latest coup's aside."""

STAKE_MAX: Final = 10**12
"""Highest stake in minor units, so that sums over a coup stay within 64 bits at any odds."""

PAYMENTS_MAX: Final = 8
"""Settlements of one wager; from the second on each is a fault already."""

ENTRIES_MAX: Final = 64
"""Cards, seats, corrections or the like of one coup."""

CALLS_MAX: Final = 8
"""Counts and results of one coup that were called otherwise before."""

STANDING_MAX: Final = 512
"""Ids of standing findings of one coup; what stands beyond them is put out all the same."""

IDS_KEPT: Final = 256
"""Ids of refunds or collections that are kept to know a repeat."""

SHOES_KEPT: Final = 4
"""Earlier shoes whose order of cards is remembered."""

OLD_SHOES_KEPT: Final = 512
"""Ids of shoes that went out of play, so that one that is loaded by such an id is told apart."""

FINDINGS_MAX: Final = 256
"""Findings of one shoe."""

PROBLEMS_MAX: Final = 16
"""Reasons that a shoe's composition is named for, besides the cards that came out too often."""

CARDS_OUT_MAX: Final = 2048
"""Cards of one shoe whose order is remembered: more than any shoe holds."""

CARD_ID_TEXTS: Final = 16
"""Texts over which the ids of the cards of a shoe are spread, so that each is soon searched."""

CARD_IDS_MAX: Final = 2000
"""Length up to which each grows: at 45 characters an id, more than twelve decks have cards."""

DOUBLES_MAX: Final = 8
"""Ids of cards that are named because they came twice; less than :data:`PROBLEMS_MAX`."""

REMOVALS_MAX: Final = 32
"""Open removals of one shoe."""

SEATS_MAX: Final = 64
"""Seats, or patrons at them, with marked vigorish."""

OWING_FINDINGS_MAX: Final = 64
"""Findings of an earlier shoe whose vigorish can still be put right; with more it is let go."""

FAULTS_MAX: Final = 64
"""Faults that may be raised at once."""

FILINGS_KEPT: Final = COUPS_KEPT + 1
"""Rules Submissions: the one in force, and those that coups in memory are settled under."""

GAPS_KEPT: Final = 16
"""Declared gaps of a feed that a late event may still fill."""

FEEDS_KEPT: Final = 16
"""Superseded feeds of a source."""

SLIPS_KEPT: Final = 64
"""Fills, credits and counts that are kept to know one that is told again otherwise."""

CONTROLS_MAX: Final = 256
"""Progressives that one controller speaks of; of more, those named last."""

CHECKPOINT_BYTES_MAX: Final = MESSAGE_BYTES_MAX - 64 * 1024
"""A state as a text within the message of its checkpoint. A day of an honest table takes a
hundredth of it; only made-up ones come near."""


Words = Annotated[frozenset[str], PlainSerializer(sorted, return_type=list[str])]
"""A set of words; sorted where it is written, so that equal states have equal bytes."""


class HeldEvent(NamedTuple):
    """An event that came before its turn; its bytes are read again when its turn comes."""

    sequence: int
    offset: int
    hash: str
    occurred_at_us: int


@dataclass(frozen=True)
class FeedState:
    """Where a feed stands."""

    feed_id: str
    next_sequence: int = 1
    last_hash: str | None = None
    """Hash of the event before the next; None behind a gap, where no chain can be checked."""
    hashes: str = ""
    """Hashes of the latest events, :data:`HASH_KEPT` digits each, the last one that of
    ``next_sequence - 1``; :data:`NO_HASH` where the event is missing. One text, since every event
    copies it."""
    held: tuple[HeldEvent, ...] = ()
    """In order of sequence."""
    gaps: tuple[tuple[int, int], ...] = ()
    """First and last sequence of declared gaps, as far as they have not been filled."""
    last_occurred_us: int | None = None
    """When the source's event before the next happened; None where that is missing. Of a feed that
    is over and of which nobody knows where it ended: when the feed in its place began."""

    def hash_back(self, back: int) -> str:
        """Give the hash kept of an event, so many before the next; empty where none is kept."""
        end = len(self.hashes) - (back - 1) * HASH_KEPT
        known = self.hashes[end - HASH_KEPT : end] if end > 0 else ""
        return "" if known == NO_HASH else known


class Fault(NamedTuple):
    """A device fault that is raised."""

    fault_id: str
    device: str
    words: str
    raised_sequence: int
    is_asserted: bool = False
    """A finding says so already, or its clearing may have been lost."""


class Slip(NamedTuple):
    """What was told of chips or money that came, went or was counted."""

    kind: str
    """``fill``, ``credit`` or ``count``: each has ids of its own."""
    slip_id: str
    event_type: str
    amount_minor: int
    sequence: int
    replaces: str | None = None
    """The count that this one replaces."""


class DealtCard(NamedTuple):
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
    read_sequence: int | None = None
    """The event by which it was read, where it could not be read when it was dealt."""
    is_after_error: bool | None = None
    """A drawing error of the coup had been told, which numbers of events do not say where a new
    feed deals on; not known of states before this. Likewise below."""
    is_read_late: bool | None = None
    """It was read when a result had been called."""
    occurred_at_us: int | None = None
    """When it was dealt."""


class Payment(NamedTuple):
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
    is_after_void: bool | None = None
    """The coup had been voided: numbers of events do not tell, where a new feed voided it."""
    had_result: bool | None = None
    """The result, or that the coup is void, had been told."""
    card_count: int | None = None
    """Cards of the coup that lay."""
    occurred_at_us: int | None = None
    """When it was paid; not known of states before this."""


class PlacedWager(NamedTuple):
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
    collected_minor: int | None = None
    """Stake collected apart from settlements; None: nothing was said."""
    refunded_minor: int | None = None
    payments: tuple[Payment, ...] = ()
    was_called: bool | None = None
    """No more bets had been called when it was placed."""
    was_called_changing: bool | None = None
    """No more bets had been called when it was first changed too late."""
    changed_late_at_us: int | None = None
    """When it was first changed too late; not known of states before this."""

    def paid(self, payment: Payment) -> PlacedWager:
        """Give the wager with one more settlement."""
        return PlacedWager(*self[:-4], (*self.payments, payment), *self[-3:])


class SeatPayment(NamedTuple):
    """A settlement of a seat in one sum."""

    seat: str
    payment: Payment


class Mark(NamedTuple):
    """Something said about a coup once: when, and with which numbers."""

    sequence: int
    occurred_at_us: int
    player_points: int | None = None
    banker_points: int | None = None
    winner: str | None = None
    winning_wagers: tuple[str, ...] | None = None
    since: int | None = None
    """Sequence at which it was said first, where it was said again."""
    is_unauthorised: bool = False
    """A void that names no reason, or nobody who allowed it."""
    hands: str | None = None
    """The hands as they lay when it was called; not known of states before this."""
    error_count: int = 0
    """Drawing errors of the coup at that time."""
    lacks: Lacking | None = None
    """What an unauthorised void does not name; not known of states before this."""


@dataclass(frozen=True)
class CoupState:
    """One coup as far as it has been told."""

    coup_id: str
    feed_id: str
    """The feed in which it began."""
    shoe_id: str | None
    coup_no: int
    filing: str
    """Key of the Rules Submission under which it is played."""
    gaming_date: str
    dealer: str | None
    first_sequence: int
    began_at_us: int
    last_sequence: int
    clock_offset_us: int = 0
    """To be added to its times to get true ones, as known when it began."""
    cards: tuple[DealtCard, ...] = ()
    hands: str = ""
    """The cards in order of dealing as text; see :mod:`auditors.table.known.hands`."""
    errors: tuple[str, ...] = ()
    """Ids of drawing errors whose disposition was reported."""
    error_sequence: int | None = None
    """The event that reported the first of them: it explains no disorder of earlier cards."""
    wagers: tuple[PlacedWager, ...] = ()
    seats: tuple[SeatPayment, ...] = ()
    no_more_bets: Mark | None = None
    counts: Mark | None = None
    result: Mark | None = None
    voided: Mark | None = None
    called_before: tuple[Mark, ...] = ()
    """Counts and results that were called before, where another call took their place."""
    corrections: tuple[Correction, ...] = ()
    entry_ids: tuple[str, ...] = ()
    """Refunds, stake collections and corrections that were taken in: what, its id, what it said."""
    conflicts: tuple[Conflict, ...] = ()
    """Settlements that contradict the first of their id."""
    is_closed: bool = False
    is_unverified: bool = False
    is_overrun: bool = False
    """Dealt after the permitted last coup of the shoe."""
    certain: tuple[str, ...] = ()
    """What was told before events were lost, and is judged on although the coup is unverified:
    ``call``, ``counts`` and ``cards``."""
    certain_wagers: tuple[int, ...] = ()
    """Numbers of the wagers that were paid, with all that decides them, before that."""
    emitted: str | None = None
    """Digest of the findings last put out; None where none stood."""
    standing: tuple[str, ...] = ()
    """Ids of those findings."""


class Removal(NamedTuple):
    """A card that was taken away and not replaced yet."""

    removal_id: str
    card: str | None
    sequence: int
    was_in_shoe: bool
    """It had not been dealt yet."""
    dealt_count: int | None = None
    """Coups of the shoe of which a card had been dealt."""


class VigorishAccount(NamedTuple):
    """Vigorish that one patron owes at one seat, within a shoe."""

    seat: str
    patron: str | None = None
    """None where the table does not say whose it is."""
    open_minor: int = 0
    """Marked and not collected yet; below 0 where more was collected than was marked."""
    unmarked_minor: int = 0
    """Due, though it was not marked: who pays it pays what is due."""
    late_minor: int = 0
    """Was not collected in time."""
    late_collected_minor: int = 0
    """Collected since, too late."""
    late_unmarked_minor: int = 0
    """Unmarked since: it had not been due."""
    late_when: str = ""
    """When it should have been collected at the latest: ``the shoe ended``."""
    over_due_minor: int = 0
    """What was due when more was collected."""
    over_minor: int = 0
    """The most that stood collected without being due."""
    over_left_minor: int = 0
    """Of that, what the patron had not got back when the seat was left."""

    @property
    def late_left_minor(self) -> int:
        """What is still outstanding."""
        return self.late_minor - self.late_collected_minor - self.late_unmarked_minor

    @property
    def over_open_minor(self) -> int:
        """Collected beyond what is due, by the patron who sits there."""
        return max(0, -self.open_minor - self.unmarked_minor)

    @property
    def over_now_minor(self) -> int:
        """Collected without being due, and not given back."""
        return self.over_left_minor + self.over_open_minor


@dataclass(frozen=True)
class ShoeState:
    """The shoe in play."""

    shoe_id: str
    feed_id: str
    """The feed in which it was loaded."""
    decks: int
    loaded_sequence: int
    loaded_at_us: int
    first_offset: int
    """Offset of the first message from which it is folded again: its loading, what waited for it,
    or the loading of the shoe before where its own was not told."""
    first_feed_id: str
    first_sequence: int
    """The event of that message."""
    gaming_date: str
    is_shuffled: bool = False
    is_inspected: bool = False
    backs: tuple[str, ...] = ()
    card_id_prefix: str | None = None
    coup_count: int = 0
    """Coups begun."""
    dealt_count: int = 0
    """Coups of which a card was dealt."""
    last_dealt_no: int | None = None
    """Number of the last coup that may be dealt; None before the cover card came."""
    order: str = ""
    """Cards as they were dealt, one character each."""
    others: str = ""
    """Cards that were seen to come out otherwise, burned or discarded, one character each."""
    unseen_count: int = 0
    """Cards that came out without being seen, burned ones."""
    levels: int = 0
    """How much was read of the cards that came out: one bit for each level that occurred."""
    run: tuple[int, int] | None = None
    """A repeated run that is still going on: its first position, and the earlier one's."""
    card_ids: tuple[str, ...] | None = ()
    """Ids of cards that came out, as texts; see :mod:`auditors.table.events.card_ids`. None: they
    were those of several cards each, and are not compared."""
    double_count: int = 0
    """How often a card came with an id that had come out."""
    doubles: tuple[CardIdAgain | str, ...] = ()
    """What is wrong with ids, said once it is known that each is of a single card; words where a
    build before this noted it."""
    had_shared_ids: bool = False
    """Ids of the shoe before were those of several cards each: that was said then."""
    removed: tuple[Removal, ...] = ()
    """Removals not made good."""
    made_good: tuple[Removal, ...] = ()
    """Removals made good, the latest last: told again they open nothing."""
    vigorish: tuple[VigorishAccount, ...] = ()
    """What is marked, was left and was collected wrongly, by seat and patron."""
    collection_ids: tuple[str, ...] = ()
    """Collections of vigorish that were taken in: id, seat, patron and amount."""
    problems: tuple[ShoeProblem | str, ...] = ()
    """What is wrong with its composition, apart from cards that came out too often; words where a
    build before this noted it."""
    excess: str = ""
    """The cards that came out too often, as last put out."""
    findings: tuple[Finding, ...] = ()
    is_ended: bool = False
    is_unverified: bool = False
    is_told: bool = True
    """Its loading was reported, so that everything is known since."""

    @property
    def cards_out(self) -> int:
        """Cards that came out, seen or not."""
        return len(self.order) + len(self.others) + self.unseen_count


@dataclass
class TableState:
    """Everything that the fold remembers of one source.

    One event at a time is folded into a copy; only that copy is changed, until it is given out.
    """

    source_id: str
    feed: FeedState | None = None
    incoming: FeedState | None = None
    """A newer feed of which events came before its first."""
    superseded: tuple[FeedState, ...] = ()
    """Earlier feeds, the latest last; hashes are kept of that one only."""
    split_asserted: tuple[str, ...] = ()
    other_feeds: tuple[str, ...] = ()
    """Feeds in whose place another came, while the table was open, without naming them: nothing is
    added to their coups any more."""
    is_open: bool = False
    is_table_simulated: bool = False
    """The table said at its opening that everything is simulated."""
    is_feed_simulated: bool = False
    clock_offset_us: int = 0
    """Microseconds to add to the source's times to get true ones, as last stated."""
    controls: tuple[str, ...] = ()
    """Progressives that it spoke of as their controller, in the order of first mention."""
    opened_sequence: int = 0
    """Sequence of the first event that the table's close counts."""
    opened_coups: int = 0
    """Coups since the opening."""
    filings: tuple[tuple[str, RulesSubmission], ...] = ()
    """Rules Submissions by key, the one in force last."""
    reports: Words = frozenset()
    """What the table said at its opening that it reports."""
    displays: tuple[DisplayedPaytable, ...] = ()
    """What is shown or runs, as last said."""
    is_display_due: bool = False
    """The filing changed since it was compared with what is shown."""
    gaming_date: str | None = None
    date_shift: int = 0
    """Days by which the table's gaming date differs from the clock's."""
    dated: tuple[str, ...] = ()
    """Gaming date and filing for which dates were looked at, then each section that was named on
    this gaming date."""
    dealer: str | None = None
    faults: tuple[Fault, ...] = ()
    slips: tuple[Slip, ...] = ()
    """What was told of chips and money, the latest last."""
    shoe: ShoeState | None = None
    old_shoes: tuple[str, ...] = ()
    """Ids of shoes that went out of play, as told, each once."""
    owing_shoes: tuple[ShoeState, ...] = ()
    """Earlier shoes of which vigorish can still be put right, the latest last."""
    coups: tuple[CoupState, ...] = ()
    """Open and lately closed ones, in order of their beginning."""
    old_coups: tuple[str, ...] = ()
    earlier_orders: tuple[tuple[str, str], ...] = ()
    """Name and order of cards of earlier shoes, the latest last."""
    is_after_gap: bool = False
    """The next coup that is heard of may have lost events."""
    had_gap: bool = False
    """Events are missing since the opening."""
    checkpoint: str | None = None
    """This state when the shoe in play was loaded, as JSON; late truth is folded from there."""

    @property
    def is_simulated(self) -> bool:
        """Whether the table or its whole feed said that it is simulated."""
        return self.is_table_simulated or self.is_feed_simulated

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
