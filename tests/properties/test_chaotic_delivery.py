"""A simulated table with faults, delivered in chaos, ends like the same table delivered in order.

Chaos is everything at once: disorder within the limit, repeats, what is no event at all, devices
started anew within a shoe, and truth that comes after its gap was declared.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import orjson
import pytest

from auditors.table import (
    Delivered,
    TableState,
    absorb,
    amend,
    decode_state,
    encode_state,
    new_state,
)
from schemas.findings import Finding, FindingCode
from schemas.records import Record, RecordKind, encode_record
from schemas.wire import FeedPosition, parse_event
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest

SEEDS = (1, 2, 3)
"""The device is started anew as often."""

PLANTS = (
    "banker_overpaid",
    "overpaid_and_corrected",
    "wager_late",
    "dealt_out_of_turn",
    "bet_capping",
)
ABOUT_DELIVERY = {
    FindingCode.SEQUENCE_GAP,
    FindingCode.SEQUENCE_CONFLICT,
    FindingCode.FEED_SPLIT,
}
RUBBISH = (b'{"type":"?', b"\xff\xfe", b"[]", b"null", b"1" * 20_000, b'{"schema_version":9}')


class Said(NamedTuple):
    """An event of the table, and what chaos has to know of it."""

    feed_id: str
    at_s: float
    tag: str
    raw: bytes


@cache
def spoken(seed: int) -> tuple[Said, ...]:
    """Play a table whose device is started anew as many times as the seed says."""
    chance = random.Random(seed)
    requests = tuple(PlantRequest(name, table="BAC-01") for name in PLANTS)
    floor = Floor(FloorConfig(tables=1, coups=30, seed=seed, plants=requests))
    documents = [orjson.loads(one.raw) for one in floor.events() if one.source_id == "BAC-01"]
    restarts = set(chance.sample(range(4, len(documents)), seed))
    position = FeedPosition("BAC-01", "feed-0")
    told: list[Said] = []
    for number, document in enumerate(documents):
        begun = []
        if number in restarts:
            begun = [_begun(position)]
            position = FeedPosition("BAC-01", f"feed-{number}")
        for one in (*begun, document):
            at = parse_event(orjson.dumps(document)).occurred_at
            one.update(position.fields(at), occurred_at=document["occurred_at"])
            raw = orjson.dumps(one)
            told.append(Said(position.feed_id, at.timestamp(), one["type"], raw))
            position = position.after(raw)
    return tuple(told)


def _begun(position: FeedPosition) -> dict[str, object]:
    return {
        "type": "feed_started",
        "schema_version": 1,
        "source_kind": "table",
        "predecessor_feed_id": position.feed_id,
        "predecessor_sequence": position.sequence - 1,
    }


class Ended(NamedTuple):
    """How a delivery ended."""

    state: TableState
    records: list[Record]
    amended: int

    def standing(self) -> dict[tuple[str, str, str], bytes]:
        """Give what stands, apart from when it was put out and from what only delivery tells."""
        last: dict[tuple[str, str, str], Record] = {}
        for record in self.records:
            before = last.get(record.key)
            assert before is None or record.version > before.version
            last[record.key] = record
        return {
            key: encode_record(record.model_copy(update={"offset": 0, "cause": "event"}))
            for key, record in last.items()
            if record.kind not in (RecordKind.CHECKPOINT, RecordKind.FEED)
        }

    def findings_of_feeds(self, *, of_delivery: bool) -> list[Finding]:
        """Give what stands of feeds: about the delivery, or all else."""
        last = {one.key: one for one in self.records if one.kind is RecordKind.FEED}
        found = [finding for record in last.values() for finding in record.findings]
        chosen = [one for one in found if (one.code in ABOUT_DELIVERY) == of_delivery]
        return sorted(chosen, key=lambda one: one.id)


def delivered(messages: Iterable[bytes], *, is_cut_everywhere: bool = False) -> Ended:
    """Fold messages, and a shoe again where late truth came.

    Args:
        messages: In the order of the log.
        is_cut_everywhere: Go on from the written state after each of them.
    """
    log = list(messages)
    state, records, amended = new_state("BAC-01"), list[Record](), 0
    for offset, raw in enumerate(log):
        if is_cut_everywhere:
            state = decode_state(encode_state(state))
        absorbed = absorb(state, Delivered(offset, raw), log.__getitem__)
        if absorbed.amend_from is not None:
            told = [Delivered(one, log[one]) for one in range(absorbed.amend_from, offset + 1)]
            absorbed = amend(state, told, log.__getitem__)
            amended += 1
        state = absorbed.state
        records += absorbed.records
    return Ended(state, records, amended)


@cache
def in_order(seed: int) -> Ended:
    return delivered(one.raw for one in spoken(seed))


def in_chaos(told: Sequence[Said], chance: random.Random) -> list[bytes]:
    """Shuffle stretches of a feed below both limits, and add repeats and what is no event."""
    mixed: list[bytes] = []
    block: list[Said] = []
    length = chance.randrange(2, 60)
    for one in (*told, Said("", 0.0, "", b"")):
        is_far = block and (one.feed_id != block[0].feed_id or one.at_s - block[0].at_s > 15)
        if is_far or len(block) >= length:
            chance.shuffle(block)
            mixed += [each.raw for each in block]
            block, length = [], chance.randrange(2, 60)
        block.append(one)
    result: list[bytes] = []
    for number, raw in enumerate(mixed):
        result.append(raw)
        if chance.random() < 0.1:
            result.append(mixed[chance.randrange(max(0, number - 100), number + 1)])
        if chance.random() < 0.03:
            result.append(chance.choice((*RUBBISH, raw[:-9], raw.replace(b"BAC-01", b"OTHER"))))
    return result


@pytest.mark.parametrize("seed", SEEDS)
def test_disorder_repeats_and_rubbish_at_once_end_like_order_from_every_cut(seed: int) -> None:
    orderly = in_order(seed)
    chance = random.Random(f"chaos/{seed}")
    log = in_chaos(spoken(seed), chance)
    chaotic = delivered(log)
    assert chaotic.standing() == orderly.standing()
    assert any(one.findings for one in orderly.records)
    for is_of_delivery in (True, False):
        found = chaotic.findings_of_feeds(of_delivery=is_of_delivery)
        assert found == orderly.findings_of_feeds(of_delivery=is_of_delivery)
    assert chaotic.amended == 0
    cut = delivered(log, is_cut_everywhere=True)
    assert cut.records == chaotic.records
    assert cut.state == chaotic.state


@pytest.mark.parametrize("seed", SEEDS)
def test_events_that_come_after_their_gap_end_like_order_across_restarts(seed: int) -> None:
    told, chance = spoken(seed), random.Random(f"late/{seed}")
    loaded = max(number for number, one in enumerate(told) if one.tag == "shoe_loaded")
    places = [
        number
        for number in range(loaded + 1, len(told) - 110)
        if told[number].tag != "feed_started"
    ]
    late = set(chance.sample(places, 5))
    log = [(number, one.raw) for number, one in enumerate(told) if number not in late]
    for number in sorted(late, key=lambda _: chance.random()):
        comes = chance.randrange(max(late) + 100, len(told))
        at = next(index for index, (first, _) in enumerate(log) if first >= comes)
        log.insert(at, (-1, told[number].raw))
    mended = delivered(raw for _, raw in log)
    assert mended.amended == len(late)
    assert mended.standing() == in_order(seed).standing()
    assert mended.findings_of_feeds(of_delivery=True) == []
