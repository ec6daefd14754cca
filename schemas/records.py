"""Records, which the fold puts out: whole, versioned, one per subject.

A record says everything that stands about its subject; a later version replaces the earlier one.
Its bytes are canonical, so that two workers that fold the same log put out identical bytes.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import product
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from schemas.findings import FIELDS_SINCE_FINDING_2, Finding
from schemas.progressive_rows import DayRow, HitRow, LedgerRow, ReadingRow

RECORD_SCHEMA: Final = "ladderman.record/2"
"""Name and version of the shape."""

RECORD_SCHEMA_1: Final = "ladderman.record/1"
"""The shape before, whose findings have no times, references or facts. Such bytes are read, and a
record that was read from them is written as it was; no new one is made."""

EPOCH_SHIFT: Final = 48
"""A version is ``audit_epoch * 2**48 + offset``."""


class RecordKind(StrEnum):
    """What a record is about."""

    COUP = "coup"
    """One coup with its wagers; the subject is the coup id."""

    SHOE = "shoe"
    """One shoe; the subject is the shoe id."""

    FEED = "feed"
    """One fault of a feed; the subject is ``CODE/feed id/subject``, as numbers begin anew with a
    feed."""

    TABLE = "table"
    """One matter of the table (a day's lapsed section, a submission's field, a fault of a device);
    the subject is ``CODE/subject``."""

    LEDGER = "ledger"
    """One level of a progressive; the subject is ``level``, and the progressive stands in the
    place of the table, here and below."""

    READING = "reading"
    """One reading of its meters; the subject is ``level/feed id/sequence``."""

    HIT = "hit"
    """One hit; the subject is ``table/coup id/level``."""

    PROGRESSIVE_DAY = "progressive_day"
    """The liability of a level over a gaming date; the subject is ``level/date``."""

    PROGRESSIVE = "progressive"
    """One other matter of a progressive, nothing but findings; the subject is ``CODE/subject``."""

    VIDEO = "video"
    """Where a recording of a coup or of a stretch of time is; the subject is ``feed id/sequence``
    of the event that told it."""

    CHECKPOINT = "checkpoint"
    """The whole state of the table; the subject is ``table_opened/<feed id>/<sequence>`` or
    ``shoe_loaded/<shoe id>``."""


class WagerStatus(StrEnum):
    """How far a wager has come."""

    PLACED = "placed"
    SETTLED = "settled"
    REFUNDED = "refunded"
    WITHDRAWN = "withdrawn"


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class WagerRow(_Row):
    """One wager of a coup: what it was, what was due and what was paid. Unknown is None."""

    wager_no: int
    """Its number in the coup, from 1, in the order in which wagers were placed."""
    wager_id: str
    """The table's own id of it."""
    wager: str
    """Full id of the law, such as ``minibaccarat.banker``; as placed where nothing fits."""
    hand: str | None
    seat: str
    patron: str | None
    status: WagerStatus
    paytable: str | None
    outcome: str | None
    """``win``, ``lose`` or ``push``; None until decided or where undetermined."""
    outcome_code: str | None
    pays: str | None
    stake_minor: int | None
    due_minor: int | None
    paid_minor: int | None
    """Total handed over so far, corrections and refunds included; None where not reported."""
    vigorish_due_minor: int | None
    vigorish_paid_minor: int | None
    """Vigorish reported as taken or marked, corrections included."""
    citation: str | None
    interpretations: dict[str, str]


class CoupRow(_Row):
    """One coup: its cards, what they came to, and the sums of its wagers."""

    coup_no: int
    """Its number in the shoe, from 1."""
    state: Literal["open", "closed", "voided"]
    is_determined: bool
    is_unverified: bool
    """An event of it may be missing: it stands beside a gap of the feed."""
    player_cards: str
    banker_cards: str
    player_points: int | None
    banker_points: int | None
    winner: str | None
    natural: str | None
    announced_winner: str | None
    dealer: str | None
    first_sequence: int
    last_sequence: int
    began_at_us: int
    stake_minor: int
    """Sum of the stakes that stood at the end."""
    due_minor: int
    paid_minor: int


class ShoeRow(_Row):
    """One shoe: how it was loaded and how far it has been dealt."""

    state: Literal["open", "closed"]
    decks: int
    coup_count: int
    cards_out: int
    loaded_sequence: int
    loaded_at_us: int


class VideoRow(_Row):
    """Where a recording is, as the table told it. Times are by the table's clock."""

    coup_id: str | None
    """The coup that it shows; None where it is about a stretch of time only."""
    camera_id: str
    recording: str | None
    from_us: int
    until_us: int
    clock_offset_us: int
    """To be added to its times to get true ones, as known when it was told."""


class Record(_Row):
    """Everything that stands about one subject."""

    schema_name: Literal["ladderman.record/2", "ladderman.record/1"] = RECORD_SCHEMA
    kind: RecordKind
    table_id: str
    """The source: the table."""
    feed_id: str
    subject: str
    shoe_id: str | None
    gaming_date: str | None
    """ISO date of the accounting day: that of a coup's beginning, of a shoe's loading."""
    currency: str
    rules_version: str | None
    audit_epoch: int
    offset: int
    """Offset (in the log) of the message that caused this version."""
    cause: Literal["event", "amended"]
    occurred_at_us: int
    """``occurred_at`` of the event that caused it, microseconds since 1970 UTC."""
    is_simulated: bool
    coup: CoupRow | None = None
    wagers: tuple[WagerRow, ...] = ()
    shoe: ShoeRow | None = None
    progressive: LedgerRow | ReadingRow | HitRow | DayRow | None = None
    """What records of the four kinds about a progressive say; not written for all others."""
    video: VideoRow | None = None
    """What records of recordings say; not written for all others."""
    findings: tuple[Finding, ...] = ()
    """All that stand; one that an earlier version lists and this does not is withdrawn."""
    state_digest: str | None = None
    """For checkpoints: SHA-256 of ``state``."""
    state: str | None = None
    """For checkpoints: the canonical state as JSON text."""
    state_format: int | None = None
    """For checkpoints: number of the shape of ``state``; not written for all others."""
    checks_off: tuple[tuple[str, str], ...] = ()
    """For checkpoints at the opening: checks that the table cannot feed, with the reason."""
    withdrawn: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    """Ids of the findings that the version before listed and this does not, where the fold knows
    them. Not written: it follows from the versions, and is there for whoever puts them out."""

    @property
    def version(self) -> int:
        """Order of the versions of one subject."""
        return (self.audit_epoch << EPOCH_SHIFT) + self.offset

    @property
    def key(self) -> tuple[str, str, str]:
        """Table, kind and subject: what a later version replaces."""
        return (self.table_id, self.kind.value, self.subject)


_ADAPTER: Final = TypeAdapter(Record)
_OF_SOME: Final = ("progressive", "state_format", "video")
"""Fields of some kinds of records; of all others they go unwritten."""
_LEFT_OUT: Final = {
    stands: {name for name, is_standing in zip(_OF_SOME, stands, strict=True) if not is_standing}
    for stands in product((False, True), repeat=len(_OF_SOME))
}
"""Whether each of them stands, to those that go unwritten."""
_SINCE_2: Final = {"findings": {"__all__": set(FIELDS_SINCE_FINDING_2)}}


def encode_record(record: Record) -> bytes:
    """Give the canonical bytes of a record: fixed field order, no spaces, UTF-8."""
    left_out = _LEFT_OUT[
        record.progressive is not None, record.state_format is not None, record.video is not None
    ]
    if record.schema_name == RECORD_SCHEMA_1:
        return _ADAPTER.dump_json(record, exclude={**dict.fromkeys(left_out, True), **_SINCE_2})
    return _ADAPTER.dump_json(record, exclude=left_out)


def decode_record(raw: bytes) -> Record:
    """Read a record back.

    Raises:
        ValueError: The bytes are no record of this version.
    """
    return _ADAPTER.validate_json(raw)
