"""The fold of a table holds its promises for any log, not only for honest ones.

Its parts fold to the whole, repeats and disorder change nothing that stands, late truth ends like
truth in time, and whatever comes, the state stays bounded and nothing raises.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from auditors.table import (
    Delivered,
    TableState,
    absorb,
    amend,
    decode_state,
    encode_state,
    new_state,
)
from auditors.table.known import state as bounds
from auditors.values import evolve
from schemas.events import Heartbeat
from schemas.findings import FindingCode
from schemas.records import Record, RecordKind, decode_record, encode_record
from schemas.wire import FeedPosition
from tests.support.tables.event_strategies import event_documents
from tests.support.tables.table_days import table_days
from tests.support.tables.table_script import EVERYTHING, TableScript, a_submission

FEW = settings(max_examples=40)
Key = tuple[str, str, str]


def folded(
    messages: Iterable[tuple[int, bytes]], state: TableState | None = None
) -> tuple[TableState, list[Record]]:
    """Fold messages with their offsets; late truth is left alone."""
    log = dict(messages)
    state = state or new_state("BAC-01")
    records: list[Record] = []
    for offset, raw in log.items():
        absorbed = absorb(state, Delivered(offset, raw), log.__getitem__)
        state = absorbed.state
        records += absorbed.records
    return state, records


def standing(records: Iterable[Record], *, with_checkpoints: bool = False) -> dict[Key, bytes]:
    """Give what stands in the end, apart from when and where it was put out."""
    last = {record.key: record for record in records}
    return {
        key: encode_record(record.model_copy(update={"offset": 0, "cause": "event"}))
        for key, record in last.items()
        if (record.kind is not RecordKind.CHECKPOINT or with_checkpoints)
        and (record.kind is not RecordKind.FEED or record.findings)
    }


@given(table_days(), st.data())
@FEW
def test_a_log_folds_like_its_parts_from_states_that_were_written_and_read(
    day: TableScript, data: st.DataObject
) -> None:
    log = list(enumerate(day.messages))
    whole, records = folded(log)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(log)), max_size=4)))
    state, parts = new_state("BAC-01"), []
    for start, end in zip([0, *cuts], [*cuts, len(log)], strict=True):
        state = decode_state(encode_state(state))
        state, more = folded(log[start:end], state)
        parts += more
    assert parts == records
    assert encode_state(state) == encode_state(whole)
    assert state == whole


@given(table_days(), st.data())
@FEW
def test_an_event_that_comes_again_changes_nothing(day: TableScript, data: st.DataObject) -> None:
    log = [(2 * number, raw) for number, raw in enumerate(day.messages)]
    whole, records = folded(log)
    again = data.draw(
        st.lists(st.tuples(st.integers(0, len(log) - 1), st.integers(0, 40)), max_size=8)
    )
    repeats = {
        min(2 * (first + later), log[-1][0]) + 1: day.messages[first] for first, later in again
    }
    state, with_repeats = folded(sorted([*log, *repeats.items()]))
    assert with_repeats == records
    assert state == whole


@given(table_days(with_restarts=False), st.randoms(use_true_random=False))
@FEW
def test_disorder_within_the_limit_changes_nothing_that_stands(
    day: TableScript, chance: random.Random
) -> None:
    honest = standing(folded(enumerate(day.messages))[1])
    mixed = [day.messages[0], *_in_blocks(day.messages[1:], chance)]
    assert standing(folded(enumerate(mixed))[1]) == honest


def _in_blocks(messages: Sequence[bytes], chance: random.Random) -> list[bytes]:
    """Shuffle short stretches: less than 64 events, and less than 20 seconds apart."""
    mixed: list[bytes] = []
    block: list[bytes] = []
    for raw in messages:
        span = _seconds(raw) - _seconds(block[0]) if block else 0.0
        if len(block) >= chance.randrange(1, 12) or abs(span) > 15:
            chance.shuffle(block)
            mixed += block
            block = []
        block.append(raw)
    chance.shuffle(block)
    return mixed + block


def _seconds(raw: bytes) -> float:
    at = orjson.loads(raw)["occurred_at"]
    hours, minutes, seconds = at[11:-1].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def as_written(record: Record) -> Record:
    """Give a record without what is not written."""
    return record.model_copy(update={"withdrawn": ()})


@given(table_days())
@FEW
def test_states_and_records_are_read_back_as_they_were_written(day: TableScript) -> None:
    state = new_state("BAC-01")
    for offset, raw in enumerate(day.messages):
        before = encode_state(state)
        absorbed = absorb(state, Delivered(offset, raw), day.messages.__getitem__)
        assert encode_state(state) == before, "a state was changed in place"
        state = absorbed.state
        written = encode_state(state)
        assert decode_state(written) == state
        assert encode_state(decode_state(written)) == written
        for record in absorbed.records:
            assert decode_record(encode_record(record)) == as_written(record)


@given(table_days())
@FEW
def test_every_checkpoint_is_where_the_rest_of_the_log_can_be_folded_from(
    day: TableScript,
) -> None:
    log = list(enumerate(day.messages))
    whole, records = folded(log)
    checkpoints = [record for record in records if record.kind is RecordKind.CHECKPOINT]
    assert checkpoints
    for record in checkpoints:
        assert record.state is not None
        start = decode_state(record.state.encode())
        state, rest = folded(log[record.offset + 1 :], start)
        assert rest == [one for one in records if one.offset > record.offset]
        assert _bare(state) == _bare(whole)


def _bare(state: TableState) -> TableState:
    """Leave out what a checkpoint does: itself, and hashes of what came before it."""
    assert state.feed is not None
    earlier = tuple(evolve(feed, hashes="") for feed in state.superseded)
    feed = evolve(state.feed, hashes="")
    return evolve(state, checkpoint=None, feed=feed, superseded=earlier)


@given(table_days(), st.data())
@FEW
def test_late_truth_about_the_shoe_in_play_ends_like_truth_in_time(
    day: TableScript, data: st.DataObject
) -> None:
    for _ in range(25):
        day.say(Heartbeat)
    messages = day.messages
    honest = standing(folded(enumerate(messages))[1])
    late = data.draw(st.sets(st.integers(3, len(messages) - 1), min_size=1, max_size=3))
    log = [raw for number, raw in enumerate(messages) if number not in late]
    log += [messages[number] for number in data.draw(st.permutations(sorted(late)))]
    state, records, is_amended = new_state("BAC-01"), [], True
    for offset, raw in enumerate(log):
        absorbed = absorb(state, Delivered(offset, raw), log.__getitem__)
        if absorbed.amend_from is not None:
            told = [Delivered(n, log[n]) for n in range(absorbed.amend_from, offset + 1)]
            absorbed = amend(state, told, log.__getitem__)
        elif offset >= len(messages) - len(late):
            is_amended = False  # of a shoe before, or not declared missing yet
        state = absorbed.state
        records += absorbed.records
    if is_amended:
        assert standing(records) == honest


# --- whatever comes

_LENGTHS = {
    "hashes": bounds.HASHES_KEPT * bounds.HASH_KEPT,
    "held": bounds.HELD_MAX,
    "gaps": bounds.GAPS_KEPT,
    "superseded": bounds.FEEDS_KEPT,
    "split_asserted": bounds.FEEDS_KEPT,
    "filings": bounds.FILINGS_KEPT,
    "reports": len(EVERYTHING) + 1,
    "displays": 64,
    "dated": 2 + 20,
    "faults": bounds.FAULTS_MAX,
    "slips": bounds.SLIPS_KEPT,
    "coups": bounds.COUPS_KEPT,
    "old_coups": bounds.OLD_COUPS_KEPT,
    "old_shoes": bounds.OLD_SHOES_KEPT,
    "earlier_orders": bounds.SHOES_KEPT,
    "cards": bounds.ENTRIES_MAX,
    "errors": bounds.ENTRIES_MAX,
    "wagers": bounds.WAGERS_MAX,
    "late_changes": bounds.ENTRIES_MAX,
    "payments": bounds.PAYMENTS_MAX,
    "seats": bounds.ENTRIES_MAX,
    "called_before": bounds.CALLS_MAX,
    "corrections": bounds.ENTRIES_MAX,
    "entry_ids": bounds.IDS_KEPT,
    "conflicts": bounds.ENTRIES_MAX,
    "standing": bounds.STANDING_MAX,
    "other_feeds": bounds.FEEDS_KEPT,
    "controls": bounds.CONTROLS_MAX,
    "certain": 3,
    "certain_wagers": bounds.WAGERS_MAX,
    "backs": 8,
    "order": bounds.CARDS_OUT_MAX,
    "others": bounds.CARDS_OUT_MAX,
    "removed": bounds.REMOVALS_MAX,
    "vigorish": bounds.SEATS_MAX,
    "owing_shoes": bounds.SHOES_KEPT,
    "collection_ids": bounds.HASHES_KEPT,
    "problems": bounds.PROBLEMS_MAX,
    "card_ids": bounds.CARD_ID_TEXTS,
    "doubles": bounds.DOUBLES_MAX,
    "findings": bounds.FINDINGS_MAX,
    "run": 2,
    "winning_wagers": 64,
}
"""Every collection of the state and how long it may get."""

_TEXT_MAX = {"checkpoint": bounds.CHECKPOINT_BYTES_MAX, "hands": 64 * 7, "excess": 1_000}


def assert_bounded(value: object, name: str = "") -> None:
    """See that every collection, text and number in a value is within its bound."""
    if isinstance(value, int):
        assert abs(value) < 2**63, f"{name} is {value}, more than a history keeps"
    elif isinstance(value, str):
        longest = _TEXT_MAX.get(name, _LENGTHS.get(name, 2_100))
        assert len(value) <= longest, f"{name} has {len(value)} characters"
    elif is_dataclass(value):
        for field in fields(value):
            assert_bounded(getattr(value, field.name), field.name)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        for field_name, one in zip(value._fields, value, strict=True):
            assert_bounded(one, field_name)
    elif isinstance(value, tuple | frozenset):
        assert name in _LENGTHS or len(value) <= 3, f"{name} has no bound"
        assert len(value) <= _LENGTHS.get(name, 3), f"{len(value)} {name}"
        for one in value:
            assert_bounded(one, "" if name != "gaps" else "pair")


_IDS = ("a", "b", "c")
_MANY_IDS = tuple(f"{number}-{'x' * 58}" for number in range(1000))


@st.composite
def wild_feeds(draw: st.DrawFn) -> list[bytes]:
    """Draw valid events of every type, in any order, that refer to few things or to many."""
    documents = draw(st.lists(event_documents(), min_size=1, max_size=30))
    position = FeedPosition("BAC-01", "feed-1")
    opening = TableScript().open(a_submission())
    messages = list(opening.messages) if draw(st.booleans()) else []
    if messages:
        position = opening.position
    pick = draw(st.randoms(use_true_random=False))
    pool = draw(st.sampled_from([_IDS, _MANY_IDS]))
    for document in documents:
        for name, value in document.items():
            if name.endswith("_id") and isinstance(value, str):
                document[name] = pick.choice(pool)
        at = document["occurred_at"] if pick.random() < 0.2 else "2025-06-07T22:00:30.000000Z"
        if document["type"] == "feed_started":
            position = FeedPosition("BAC-01", f"feed-{len(messages) + 2}")
            document["predecessor_feed_id"] = pick.choice([None, "feed-1", "other"])
            document["predecessor_sequence"] = None
        document.update(position.fields(opening.now), occurred_at=at)
        raw = orjson.dumps(document)
        messages.append(raw)
        position = position.after(raw)
    return messages


@given(wild_feeds(), st.randoms(use_true_random=False), st.booleans())
@settings(max_examples=40)
def test_whatever_valid_events_come_nothing_raises_and_the_state_stays_bounded(
    messages: list[bytes], chance: random.Random, is_shuffled: bool
) -> None:
    if is_shuffled:
        chance.shuffle(messages)
    state, records = folded(enumerate(messages))
    assert_bounded(state)
    written = encode_state(state)
    assert encode_state(decode_state(written)) == written
    for record in records:
        assert decode_record(encode_record(record)) == as_written(record)


@given(st.lists(st.binary(max_size=200), max_size=20), table_days())
@settings(max_examples=30)
def test_bytes_that_are_no_event_are_dead_letters_and_leave_no_trace(
    rubbish: list[bytes], day: TableScript
) -> None:
    log = list(enumerate(day.messages))
    whole, _ = folded(log)
    state = whole
    for offset, raw in enumerate(rubbish, start=len(log)):
        absorbed = absorb(state, Delivered(offset, raw), {}.__getitem__)
        assert absorbed.dead_letter is not None
        assert absorbed.state is state
        assert absorbed.records == ()


@given(table_days(), st.data())
@settings(max_examples=30)
def test_a_damaged_event_is_a_dead_letter_or_rejected_and_everything_else_goes_on(
    day: TableScript, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(day.messages) - 1))
    raw = day.messages[at]
    where = data.draw(st.integers(0, len(raw) - 1))
    damaged = raw[:where] + data.draw(st.binary(min_size=1, max_size=1)) + raw[where + 1 :]
    log = [*day.messages[:at], damaged, *day.messages[at + 1 :]]
    state, _ = folded(enumerate(log))
    assert_bounded(state)


@given(st.lists(st.integers(0, 5), min_size=300, max_size=400))
@settings(max_examples=5)
def test_a_long_wild_day_of_one_shoe_stays_bounded(moves: list[int]) -> None:
    script = TableScript().open().shoe()
    for number, move in enumerate(moves):
        if move == 0:
            script.coup()
        script.wager("player", 1 + number, wager_id=f"{number}")
        if move == 1:
            script.settle(f"{number}", number, settlement_id=f"T{number % 7}")
        if move == 2:
            script.card("player", 1 + number % 6, "QD")
        if move == 3:
            script.card("banker", 1, "?", card_id=f"x{number}")
    state, records = folded(enumerate(script.messages))
    assert_bounded(state)
    codes = {f.code for record in records for f in record.findings}
    assert FindingCode.SEQUENCE_GAP not in codes
