"""Records, events and dead letters for tests of the history: small, typed, every field set."""

import datetime
import hashlib

from schemas.events import Heartbeat
from schemas.events.envelope import EventBase
from schemas.findings import Finding, FindingCode, FindingStatus, Severity, finding_id
from schemas.records import (
    CoupRow,
    Record,
    RecordKind,
    ShoeRow,
    WagerRow,
    WagerStatus,
    encode_record,
)
from schemas.wire import FeedPosition, chain_hash, encode_event
from streams.history.writing.entries import DeadLetter, KnownRecord, ReceivedEvent
from streams.host.dead_letters import HEAD_BYTES_MAX

NOON_US = 1_749_312_000_000_000
"""2025-06-07 16:00 UTC."""


def a_wager(number: int = 1, **changes: object) -> WagerRow:
    """Give a settled Banker wager that was paid right."""
    fields: dict[str, object] = {
        "wager_no": number,
        "wager_id": f"w{number}",
        "wager": "minibaccarat.banker",
        "hand": None,
        "seat": str(number),
        "patron": f"P{number}",
        "status": WagerStatus.SETTLED,
        "paytable": "A",
        "outcome": "win",
        "outcome_code": "banker_wins",
        "pays": "1 to 1 less vigorish",
        "stake_minor": 10_000,
        "due_minor": 19_500,
        "paid_minor": 19_500,
        "vigorish_due_minor": 500,
        "vigorish_paid_minor": None,
        "citation": "58 Pa. Code § 627b.5(f)",
        "interpretations": {"D11": "paytable"},
    }
    return WagerRow.model_validate(fields | changes)


def a_finding(
    subject: str, code: FindingCode = FindingCode.WAGER_OVERPAID, **changes: object
) -> Finding:
    """Give a finding about a wager that was paid 5.00 too much."""
    fields: dict[str, object] = {
        "id": finding_id("BAC-03", "feed1", code, subject),
        "code": code,
        "severity": Severity.HIGH,
        "status": FindingStatus.STANDING,
        "source": "BAC-03",
        "feed": "feed1",
        "shoe": "S1",
        "coup": "S1/1",
        "seat": "1",
        "wager": "minibaccarat.banker",
        "due_minor": 19_500,
        "paid_minor": 20_000,
        "difference_minor": 500,
        "residual_minor": 500,
        "sentence": "Banker 8, Player 5: Banker wins; 200.00 paid, 195.00 due.",
        "citation": "58 Pa. Code § 627b.5(f)",
        "rules_version": "RS-7",
        "interpretations": {"D11": "paytable"},
        "evidence": (3, 9),
    }
    return Finding.model_validate(fields | changes)


def a_coup(
    number: int = 1,
    *,
    offset: int = 10,
    table: str = "BAC-03",
    shoe: str = "S1",
    wagers: tuple[WagerRow, ...] | None = None,
    findings: tuple[Finding, ...] = (),
    epoch: int = 1,
    gaming_date: str | None = "2025-06-07",
    **changes: object,
) -> Record:
    """Give the record of a closed coup; by default with two wagers and no finding."""
    stood = (a_wager(1), a_wager(2)) if wagers is None else wagers
    coup: dict[str, object] = {
        "coup_no": number,
        "state": "closed",
        "is_determined": True,
        "is_unverified": False,
        "player_cards": "2C 3D",
        "banker_cards": "KC 8D",
        "player_points": 5,
        "banker_points": 8,
        "winner": "banker",
        "natural": "banker",
        "announced_winner": "banker",
        "dealer": "D1",
        "first_sequence": number * 20,
        "last_sequence": number * 20 + 19,
        "began_at_us": NOON_US + number * 30_000_000,
        "stake_minor": sum(one.stake_minor or 0 for one in stood),
        "due_minor": sum(one.due_minor or 0 for one in stood),
        "paid_minor": sum(one.paid_minor or 0 for one in stood),
    }
    return _record(
        RecordKind.COUP,
        f"{shoe}/{number}",
        offset=offset,
        table_id=table,
        shoe_id=shoe,
        audit_epoch=epoch,
        gaming_date=gaming_date,
        coup=CoupRow.model_validate(coup | changes),
        wagers=stood,
        findings=findings,
    )


def a_shoe(shoe: str = "S1", *, offset: int = 5, findings: tuple[Finding, ...] = ()) -> Record:
    """Give the record of a closed shoe."""
    row = ShoeRow(
        state="closed",
        decks=8,
        coup_count=70,
        cards_out=400,
        loaded_sequence=2,
        loaded_at_us=NOON_US,
    )
    return _record(RecordKind.SHOE, shoe, offset=offset, shoe_id=shoe, shoe=row, findings=findings)


def a_gap(first_missing: int = 7, *, offset: int = 30, stands: bool = True) -> Record:
    """Give the record of a gap in the feed, which stands or was filled since."""
    subject = str(first_missing)
    finding = a_finding(
        subject, FindingCode.SEQUENCE_GAP, coup=None, wager=None, seat=None, shoe=None
    )
    return _record(
        RecordKind.FEED,
        f"SEQUENCE_GAP/{subject}",
        offset=offset,
        findings=(finding,) if stands else (),
    )


def a_checkpoint(shoe: str = "S1", *, offset: int = 4, state: str = '{"a":1}') -> Record:
    """Give a checkpoint at the loading of a shoe."""
    return _record(
        RecordKind.CHECKPOINT,
        f"shoe_loaded/{shoe}",
        offset=offset,
        shoe_id=shoe,
        state=state,
        state_digest=hashlib.sha256(state.encode()).hexdigest(),
    )


def _record(kind: RecordKind, subject: str, **changes: object) -> Record:
    fields: dict[str, object] = {
        "kind": kind,
        "table_id": "BAC-03",
        "feed_id": "feed1",
        "subject": subject,
        "shoe_id": None,
        "gaming_date": "2025-06-07",
        "currency": "USD",
        "rules_version": "RS-7",
        "audit_epoch": 1,
        "cause": "event",
        "occurred_at_us": NOON_US,
        "is_simulated": True,
    }
    return Record.model_validate(fields | changes)


def known(record: Record, at_us: int = NOON_US) -> KnownRecord:
    """Say when a record became known."""
    return KnownRecord(record, encode_record(record), at_us)


def heartbeats(count: int, feed: str = "feed1", source: str = "BAC-03") -> list[ReceivedEvent]:
    """Give a chained feed of heartbeats as it was received."""
    position, received = FeedPosition(source, feed), []
    began = datetime.datetime(2025, 6, 7, 16, tzinfo=datetime.UTC)
    for number in range(count):
        fields = position.fields(began + datetime.timedelta(seconds=5 * number))
        event = Heartbeat(**fields)
        raw = encode_event(event)
        received.append(received_event(event, raw, log_offset=number, known_at_us=NOON_US + number))
        position = position.after(raw)
    return received


def a_dead_letter(raw: bytes = b"\xff\xfe{", offset: int = 3) -> DeadLetter:
    """Give bytes that are no event."""
    return DeadLetter(
        origin_topic="ladderman.events",
        origin_partition=0,
        origin_offset=offset,
        content_hash=hashlib.sha256(raw).hexdigest(),
        byte_count=len(raw),
        reason="not_utf8",
        detail="byte 1 is not UTF-8; send the text as UTF-8",
        source_id=None,
        feed_id=None,
        sequence=None,
        raw_bytes=raw[:HEAD_BYTES_MAX],
        known_at_us=NOON_US,
    )


def received_event(
    event: EventBase, raw: bytes, *, log_offset: int, known_at_us: int, log_partition: int = 0
) -> ReceivedEvent:
    """Describe an event that could be read."""
    return ReceivedEvent(
        event.source_id,
        event.feed_id,
        event.sequence,
        chain_hash(raw),
        event.type,
        event.occurred_at_us,
        log_partition,
        log_offset,
        raw,
        known_at_us,
    )
