"""The sink reads many messages together, and each of them as it would be read alone."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import orjson
import pytest
from aiokafka import ConsumerRecord
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator

from schemas.records import Record, WagerStatus, decode_record, encode_record
from streams.history.writing.bulk_check import UncheckableError, fitting
from streams.history.writing.decoded_records import told_alone, told_at_once
from streams.history.writing.entries import ReceivedEvent
from streams.kafka.partitioning import partition_of
from streams.sink.reading import TOGETHER_MAX, event_alone, received_from
from tests.support.history.history_records import (
    a_checkpoint,
    a_coup,
    a_finding,
    a_gap,
    a_shoe,
    a_wager,
    heartbeats,
)
from tests.support.progressives.progressive_records import (
    a_day,
    a_drifting_reading,
    a_hit,
    a_ledger,
    a_reading,
)
from tests.support.stream.poison import placed_but_wrong, unreadable
from tests.support.tables.event_strategies import event_documents
from tests.support.tables.wire_samples import RAW

PARTITIONS = 3
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.lists(st.integers(0, 9), max_size=3),
    st.just({}),
    st.sampled_from(
        [
            "coup",
            "closed",
            "standing",
            "2025-02-30T10:00:00.000000Z",
            "2025-06-07T22:00:41.123456Z",
            "2025-06-07T22:00:60.000000Z",
            "a" * 64,
        ]
    ),
)
EVENT_FIELDS = (
    "type",
    "schema_version",
    "source_id",
    "feed_id",
    "sequence",
    "previous_hash",
    "occurred_at",
    "note",
)


# Events.


def message(
    raw: bytes | None, offset: int, key: bytes | None, partition: int = 0
) -> ConsumerRecord[bytes, bytes]:
    return ConsumerRecord(
        "events", partition, offset, 1_780_000_000_000 + offset, 0, key, raw, 0, 0, 0, ()
    )


def at_home(raws: Sequence[bytes]) -> Iterator[ConsumerRecord[bytes, bytes]]:
    """Give messages of one partition with the key that each of them names, as far as it does."""
    for offset, raw in enumerate(raws):
        try:
            key = orjson.loads(raw)["source_id"].encode()
        except (ValueError, TypeError, KeyError, AttributeError):
            key = b"BAC-04"
        yield message(raw, offset, key, partition_of(key, 1))


def check_events(messages: Sequence[ConsumerRecord[bytes, bytes]], partitions: int = 1) -> None:
    together = [event for some in received_from(messages, partitions) for event in some]
    alone = [event_alone(one, partitions) for one in messages]
    assert together == [event for event in alone if event is not None]


@given(st.lists(event_documents().map(orjson.dumps), min_size=1, max_size=2))
def test_events_of_every_type_are_read_together_as_alone(raws: list[bytes]) -> None:
    check_events([*at_home(raws)])


@given(event_documents(), st.sampled_from(EVENT_FIELDS), JUNK, st.booleans())
def test_one_event_that_is_spoilt_is_read_or_left_out_among_others(
    document: dict[str, Any], field: str, junk: object, drop: bool
) -> None:
    spoilt = {**document, field: junk}
    if drop:
        del spoilt[field]
    raws = [orjson.dumps(one) for one in (document, spoilt, document)]
    check_events([*at_home(raws)])


@given(event_documents().map(orjson.dumps), st.integers(0, 400), st.binary(max_size=3))
def test_damaged_bytes_are_read_or_left_out_among_others(
    raw: bytes, at: int, damage: bytes
) -> None:
    check_events([*at_home([raw, raw[:at] + damage + raw[at + 1 :]])])


def test_poison_of_every_kind_is_left_out_among_others() -> None:
    chance = random.Random(1)
    hostile = [*islice(unreadable(chance, [(b"BAC-04", RAW)], 3), 200)]
    hostile += islice(placed_but_wrong(chance, RAW), 100)
    key = orjson.loads(RAW)["source_id"].encode()
    own = partition_of(key, PARTITIONS)
    for start in range(0, len(hostile), 3):
        some = [(None, key, RAW), *hostile[start : start + 3], (None, key, RAW)]
        check_events(
            [message(raw, offset, by, own) for offset, (_, by, raw) in enumerate(some)],
            PARTITIONS,
        )


def test_a_key_of_another_source_or_another_partition_is_left_out() -> None:
    raws = [one.raw_bytes for one in heartbeats(3)]
    home = partition_of(b"BAC-03", PARTITIONS)
    first, second, third = (message(raw, at, b"BAC-03", home) for at, raw in enumerate(raws))
    for one in (
        message(raws[1], 1, b"BAC-04", home),
        message(raws[1], 1, None, home),
        message(None, 1, b"BAC-03", home),
    ):
        check_events([first, one, third], PARTITIONS)
        (kept,) = received_from([first, one, third], PARTITIONS)
        assert kept.log_offset == [0, 2]
    elsewhere = [replace(one, partition=(home + 1) % PARTITIONS) for one in (first, second)]
    check_events(elsewhere, PARTITIONS)
    assert not any(received_from(elsewhere, PARTITIONS))


def test_many_events_come_in_their_order_with_what_was_received() -> None:
    given_events = heartbeats(2 * TOGETHER_MAX + 5)
    home = partition_of(b"BAC-03", PARTITIONS)
    messages = [message(one.raw_bytes, one.log_offset, b"BAC-03", home) for one in given_events]
    found = [event for some in received_from(messages, PARTITIONS) for event in some]
    assert found == [
        one._replace(log_partition=home, known_at_us=sent.timestamp * 1000)
        for one, sent in zip(given_events, messages, strict=True)
    ]
    assert isinstance(found[0], ReceivedEvent)


# Records.


@cache
def records() -> tuple[Record, ...]:
    findings = (a_finding("w1"), a_finding("w2", line=3, file="rounds.csv"))
    return (
        a_coup(1, findings=findings),
        a_coup(2, wagers=(), gaming_date=None, winner=None),
        a_coup(3, wagers=(a_wager(1, status=WagerStatus.PLACED, interpretations={}),)),
        a_shoe(),
        a_gap(),
        a_checkpoint(),
        a_checkpoint().model_copy(update={"checks_off": (("deal", "no cards"),)}),
        a_ledger(),
        a_ledger(checks_off=(("in", "not reported"),)),
        a_reading(3, 9),
        a_drifting_reading(4, 10),
        a_hit(),
        a_day(),
    )


def canonical(fields: dict[str, Any]) -> bytes:
    return orjson.dumps(fields, default=vars, option=orjson.OPT_SORT_KEYS)


def test_what_a_worker_of_this_build_writes_is_read_at_once() -> None:
    raws = [encode_record(one) for one in records()]
    fields = told_at_once(raws)
    assert fields is not None
    assert [*map(canonical, fields)] == [canonical(told_alone(raw)) for raw in raws]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the way to everything in a document."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(one, (*path, key))


@given(st.data(), JUNK, st.sampled_from(["replace", "drop", "add"]))
def test_what_is_read_at_once_is_what_the_schema_reads(
    data: st.DataObject, junk: object, change: str
) -> None:
    record = data.draw(st.sampled_from(records()))
    document = orjson.loads(encode_record(record))
    *way, last = data.draw(st.sampled_from([*places(document)]))
    spoilt = copy.deepcopy(document)
    at = spoilt
    for key in way:
        at = at[key]
    if change == "replace":
        at[last] = junk
    elif change == "drop":
        del at[last]
    elif isinstance(at, dict):
        at["note"] = junk
    else:
        at.append(junk)
    raw = orjson.dumps(spoilt)
    fields = told_at_once([encode_record(record), raw])
    if fields is not None:
        assert canonical(fields[1]) == canonical(told_alone(raw))


@given(st.sampled_from(range(len(records()))), st.integers(0, 4000), st.binary(max_size=3))
def test_damaged_records_are_read_at_once_only_where_the_schema_reads_them(
    number: int, at: int, damage: bytes
) -> None:
    raw = encode_record(records()[number])
    spoilt = raw[:at] + damage + raw[at + 1 :]
    fields = told_at_once([spoilt])
    if fields is not None:
        assert canonical(fields[0]) == canonical(told_alone(spoilt))


@pytest.mark.parametrize(
    ("field", "junk"),
    [("kind", "coop"), ("cause", "whim"), ("offset", True), ("offset", 1.0), ("table_id", None)],
)
def test_a_word_or_a_number_that_does_not_fit_is_left_to_the_schema(
    field: str, junk: object
) -> None:
    document = orjson.loads(encode_record(a_coup())) | {field: junk}
    assert told_at_once([orjson.dumps(document)]) is None
    with pytest.raises(ValueError, match=field):
        decode_record(orjson.dumps(document))


class Limited(BaseModel):
    model_config = ConfigDict(strict=True)
    number: int = Field(ge=1)


class Odd(BaseModel):
    model_config = ConfigDict(strict=True)
    number: int

    @field_validator("number")
    @classmethod
    def is_odd(cls, value: int) -> int:
        assert value % 2
        return value


class Trimmed(BaseModel):
    model_config = ConfigDict(strict=True, str_strip_whitespace=True)
    text: str


@pytest.mark.parametrize("model", [Limited, Odd, Trimmed, float, dict[int, str], list[Limited]])
def test_a_schema_that_asks_for_more_is_refused_by_the_check(model: type) -> None:
    with pytest.raises(UncheckableError):
        fitting(model)
