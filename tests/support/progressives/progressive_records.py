"""A small history of one progressive, written by hand: a meter, readings, a hit, a day, events."""

from __future__ import annotations

import datetime
import itertools

from schemas import events as said
from schemas.events.envelope import EventBase
from schemas.findings import Finding, FindingCode
from schemas.progressive_inputs import AcceptedWager
from schemas.progressive_rows import (
    DayRow,
    HitRow,
    LedgerRow,
    MeterComparison,
    ReadingRow,
    ShareRow,
)
from schemas.records import Record, RecordKind, encode_record
from schemas.wire import FeedPosition, encode_event
from streams.history.writing.entries import KnownRecord, ReceivedEvent
from tests.support.history.history_records import (
    NOON_US,
    a_coup,
    a_finding,
    a_wager,
    received_event,
)

PROGRESSIVE = "HARMONY-1"
CONTROLLER = "PC-1"
FEED = "pc-feed"
MINUTE = 60_000_000
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_offsets = itertools.count(100)


def a_ledger(minute: int = 0, **changes: object) -> Record:
    """Give the meter as it stood some minutes after noon: 0.0075 more each minute."""
    fields: dict[str, object] = {
        "level": 1,
        "as_of_us": NOON_US + minute * MINUTE,
        "display": f"12500.{25 + 75 * minute:04d}",
        "display_shown": "12500.00",
        "reserve": "4000.0015",
        "overflow": "0.00",
        "base": "10000.00",
        "reset": "10000.00",
        "limit": None,
        "in_count": 3_334 + minute,
        "coin_in_minor": 1_667_000 + 500 * minute,
        "hits_count": 0,
        "wins_minor": 0,
        "voided_count": 1,
        "voided_minor": 500,
        "house_funded": "0.00",
        "tables": (("BAC-01", "15%", "3%"), ("BAC-02", "19%", "5%")),
        "pending_count": 1,
    }
    row = LedgerRow.model_validate(fields | changes)
    return _record(RecordKind.LEDGER, str(row.level), row.as_of_us, row)


def a_reading(minute: int, sequence: int, *, state: str = "judged", **changes: object) -> Record:
    """Give a reading that agrees, or is not judged yet."""
    is_judged = state == "judged"
    fields: dict[str, object] = {
        "level": 1,
        "sequence": sequence,
        "state": state,
        "showing_table_id": None,
        "display": "12500.00",
        "reserve": "4000.0015",
        "overflow": "0",
        "in_count": 3_334,
        "hits_count": 0,
        "wins_minor": 0,
        "is_arithmetic_right": True if is_judged else None,
        "is_complete": True if is_judged else None,
        "compared": (),
        "left_out": (),
    }
    row = ReadingRow.model_validate(fields | changes)
    findings: tuple[Finding, ...] = ()
    if row.is_arithmetic_right is False:
        findings = (
            a_finding(
                f"{PROGRESSIVE}/wagers_not_counted/PC-1/{FEED}/{sequence}",
                FindingCode.METER_DRIFT,
                source=CONTROLLER,
                feed=FEED,
                shoe=None,
                coup=None,
                seat=None,
                wager=None,
                due_minor=None,
                paid_minor=None,
                difference_minor=None,
                residual_minor=None,
                evidence=(sequence,),
                sentence="One of 212 equal wagers of 5.00 is not in the meter.",
            ),
        )
    return _record(
        RecordKind.READING, f"1/{FEED}/{sequence}", NOON_US + minute * MINUTE, row, findings
    )


def a_drifting_reading(minute: int, sequence: int) -> Record:
    """Give a reading that shows 0.75 less than the ledger."""
    compared = MeterComparison(
        meter="display", read="12499.25", for_counted="12500.00", for_accepted="12500.00"
    )
    return a_reading(
        minute,
        sequence,
        display="12499.25",
        is_arithmetic_right=False,
        compared=(compared,),
        known_us=NOON_US + minute * MINUTE + MINUTE // 2,
    )


def a_winner(number: int, **changes: object) -> AcceptedWager:
    """Give a winning wager on the progressive."""
    fields: dict[str, object] = {
        "wager_id": f"w{number}",
        "wager_no": number,
        "seat": str(number),
        "patron": f"P{number}",
        "stake_minor": 500,
        "accepted_at_us": NOON_US + number,
        "sequence": 20 + number,
        "is_late": False,
        "outcome_code": "six_of_a_kind",
        "is_meter_won": True,
        "paid_minor": None,
    }
    return AcceptedWager.model_validate(fields | changes)


def a_hit(**changes: object) -> Record:
    """Give a hit with two winners who share, the first of them paid."""
    fields: dict[str, object] = {
        "hit_id": "H-17",
        "level": 1,
        "table_id": "BAC-01",
        "coup_id": "S1/1",
        "cards": "KS KD KH / KC KS KH",
        "locked_at_us": NOON_US + 3 * MINUTE,
        "amount": "12501.7025",
        "amount_said": "12501.7025",
        "policy": "equal_share",
        "needs_review": True,
        "state": "open",
        "shares": (
            ShareRow(
                table_id="BAC-01",
                wager=a_winner(1),
                due_minor=625_085,
                paid_minor=625_085,
                slip="SL-1",
            ),
            ShareRow(
                table_id="BAC-01", wager=a_winner(2), due_minor=625_085, paid_minor=None, slip=None
            ),
        ),
        "display_after": None,
        "reserve_funded": None,
        "house_funded": None,
    }
    row = HitRow.model_validate(fields | changes)
    subject = f"{row.table_id}/{row.coup_id}/{row.level}"
    return _record(RecordKind.HIT, subject, row.locked_at_us or NOON_US, row)


def a_day(progressive: str = PROGRESSIVE, **changes: object) -> Record:
    """Give the liability of a gaming date, in balance."""
    fields: dict[str, object] = {
        "level": 1,
        "opening": "14000.00",
        "contributions": "2500.004",
        "jackpots": "0.00",
        "reseeds": "0.00",
        "adjustments": "0.00",
        "closing": "16500.004",
        "display": "12500.0025",
        "reserve": "4000.0015",
        "overflow": "0.00",
        "residue": "0.004",
        "last_reading_sequence": 41,
        "is_tied": True,
        "is_closed": False,
        "corrections": "0.00",
    }
    row = DayRow.model_validate(fields | changes)
    record = _record(RecordKind.PROGRESSIVE_DAY, "1/2025-06-07", NOON_US, row)
    return record.model_copy(update={"table_id": progressive})


def the_winning_coup() -> Record:
    """Give the coup that won, with its progressive wagers and another one."""
    wagers = (
        a_wager(1, wager="harmony_mini.harmony_progressive", stake_minor=500),
        a_wager(2, wager="harmony_mini.harmony_progressive", stake_minor=500),
        a_wager(3),
    )
    return a_coup(
        1,
        table="BAC-01",
        wagers=wagers,
        player_cards="KS KD KH",
        banker_cards="KC KS KH",
        first_sequence=20,
        last_sequence=24,
    )


def controller_events() -> list[ReceivedEvent]:
    """Give what the controller said: a reading, ten wagers, lock-out, late wager, hit, payment."""
    feed = _Feed(CONTROLLER, FEED)
    meters = {
        "display": "12500.2525",
        "reserve": "4000.0015",
        "in_count": 3_334,
        "coin_in_minor": 1,
        "hits_count": 0,
        "wins_minor": 0,
        "tables": (),
    }
    feed.say(said.ProgressiveReading, 1, **meters)
    for number in range(1, 11):
        table, at = ("BAC-02", 1.5) if number == 10 else ("BAC-01", 1 + number / 100)
        feed.say(
            said.ProgressiveWagerAccepted,
            at,
            table_id=table,
            wager_id=f"w{number}",
            stake_minor=500 if number < 10 else 250,
            in_count=3_334 + number,
        )
    _lock_out(feed)
    _win(feed)
    return feed.events


def _lock_out(feed: _Feed) -> None:
    feed.say(
        said.ProgressiveAdjusted,
        2,
        adjustment_id="A-1",
        meter="display",
        change="-5.775",
        reason="coup_voided",
        approved_by="EMP-1",
    )
    feed.say(
        said.ProgressiveLockedOut,
        3.01,
        table_id="BAC-01",
        coup_id="S1/1",
        display="12501.7025",
        accepted_count=2,
    )
    feed.say(
        said.ProgressiveWagerAccepted,
        3.02,
        table_id="BAC-02",
        wager_id="late",
        stake_minor=500,
        in_count=3_345,
    )


def _win(feed: _Feed) -> None:
    feed.say(
        said.ProgressiveHit,
        4,
        hit_id="H-17",
        table_id="BAC-01",
        coup_id="S1/1",
        wager_ids=("w1", "w2"),
        amount="12501.7025",
    )
    feed.say(
        said.ProgressivePaid,
        900,
        payment_id="P-1",
        hit_id="H-17",
        wager_id="w1",
        paid_minor=625_085,
        slip="SL-1",
    )
    feed.say(
        said.ProgressiveHit,
        2_000,
        hit_id="H-18",
        table_id="BAC-02",
        coup_id="S9/1",
        wager_ids=(),
        amount="10000.00",
    )


def table_events() -> list[ReceivedEvent]:
    """Give the events of the winning coup's table, and some around them."""
    feed = _Feed("BAC-01", "feed1")
    for number in range(30):
        feed.say(said.Heartbeat, number / 60)
    return feed.events


class _Feed:
    def __init__(self, source_id: str, feed_id: str) -> None:
        self._position = FeedPosition(source_id, feed_id)
        self.events: list[ReceivedEvent] = []

    def say(self, kind: type[EventBase], minute: float, **fields: object) -> None:
        at_us = NOON_US + round(minute * MINUTE)
        at = _EPOCH + datetime.timedelta(microseconds=at_us)
        if kind is not said.Heartbeat:
            fields = {"progressive_id": PROGRESSIVE, **fields}
        event = kind(**self._position.fields(at), **fields)
        raw = encode_event(event)
        self._position = self._position.after(raw)
        self.events.append(received_event(event, raw, log_offset=next(_offsets), known_at_us=at_us))


def known_now(record: Record) -> KnownRecord:
    """Give a record with its bytes, known when it happened."""
    return KnownRecord(record, encode_record(record), record.occurred_at_us)


def _record(
    kind: RecordKind,
    subject: str,
    at_us: int,
    row: LedgerRow | ReadingRow | HitRow | DayRow,
    findings: tuple[Finding, ...] = (),
) -> Record:
    return Record.model_validate(
        {
            "kind": kind,
            "table_id": PROGRESSIVE,
            "feed_id": FEED,
            "subject": subject,
            "shoe_id": None,
            "gaming_date": "2025-06-07",
            "currency": "USD",
            "rules_version": "RS-7",
            "audit_epoch": 1,
            "offset": next(_offsets),
            "cause": "event",
            "occurred_at_us": at_us,
            "is_simulated": True,
            "progressive": row,
            "findings": findings,
        }
    )
