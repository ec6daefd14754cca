"""Hostile messages on the real broker stop nothing, and each is kept with the reason.

The honest tables beside them come to what they come to without them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

from schemas.topics import MIB, TopicName
from schemas.wire.errors import RejectReason
from streams.host.dead_letters import HEAD_BYTES_MAX
from streams.host.rejects import STREAK_MAX, VALID_COUNTED
from tests.support.stream.poison import Placed, Poison, bad_lines, placed_but_wrong, poison
from tests.support.stream.stream_floor import (
    PARTITIONS,
    Expected,
    Stream,
    established_floor,
    expected_of,
    small_floor,
    standing_findings,
)
from tests.support.tables.floors import Message

SENDERS = (b"BAC-03", b"BAC-04")
"""Sources that are read well and whose keys hostile messages come under too."""
BODY_BYTES = 10 * MIB
FINDINGS_AMONG = 40
"""One of so many hostile messages has a good envelope: it becomes a finding of its own source."""


class Attack(NamedTuple):
    """A floor with hostile messages among its events."""

    messages: list[Placed]
    dead: list[Poison]
    """Those that are dead letters."""
    placed_count: int
    """Those whose place in a feed can be read, and nothing else of them."""


def attack(floor: Sequence[Message], chance: random.Random, count: int) -> Attack:
    """Mix hostile messages into a floor, so many of them dead letters.

    Near the end both senders say nothing but rubbish for longer than quarantines a source.
    """
    victims = [one for one in floor if one[0] in SENDERS][50:]
    rows = [one for key in SENDERS for one in bad_lines(chance, key, STREAK_MAX + 50)]
    bodies = [Poison((None, b"BAC-950", b"{" + b"x" * BODY_BYTES), "too_large")] * 3
    mixed = count - len(rows) - len(bodies)
    kinds = poison(chance, victims, PARTITIONS)
    placed = placed_but_wrong(chance, victims[0][1])
    messages: list[Placed] = []
    dead: list[Poison] = []
    placed_count = 0

    def send(some: Iterator[Poison]) -> None:
        for one in some:
            messages.append(one.placed)
            dead.append(one)

    for number, (key, raw) in enumerate(floor):
        messages.append((None, key, raw))
        share = mixed * (number + 1) // len(floor) - mixed * number // len(floor)
        send(islice(kinds, share))
        while placed_count < len(dead) // FINDINGS_AMONG:
            messages.append(next(placed))
            placed_count += 1
        if number == len(floor) // 3:
            send(iter(bodies))
        if number == len(floor) * 9 // 10:
            send(iter(rows))
    return Attack(messages, dead, placed_count)


def check_attack(stream: Stream, floor: Sequence[Message], count: int, expected: Expected) -> None:
    """Send a floor among hostile messages, and check what becomes of both."""
    sent = attack(floor, random.Random(10), count)
    assert len(sent.dead) == count
    stream.admit(TopicName.EVENTS, BODY_BYTES + 1024)
    worker, sink = stream.worker(), stream.sink()
    stream.publish_to(sent.messages)
    stream.wait_folded(worker)
    stream.wait_sunk(sink)

    # Nothing was stopped.
    for one in (worker, sink):
        status, why = one.ask("/health")
        assert status == 200, why
    assert worker.total("dead_letters") == count
    assert worker.total("folded") == len(sent.messages)
    for key in SENDERS:
        assert f"source {key.decode()} is in quarantine" in worker.said
        assert f"source {key.decode()} left quarantine" in worker.said

    # Each is there, with its reason.
    output = stream.output()
    records, letters = stream.undisturbed()
    assert {key: one.reason.encode() for key, one in output.letters.items()} == letters
    assert stream.row_count("dead_letters") == len(letters) == count
    said = Counter(one.reason for one in output.letters.values())
    by_chance = sum(one.reason is None for one in sent.dead)
    meant = Counter(one.reason for one in sent.dead if one.reason is not None)
    assert meant <= said
    assert sum((said - meant).values()) == by_chance
    assert set(said) >= {one.value for one in RejectReason}
    assert all(one.detail for one in output.letters.values())
    bodies = [one for one in output.letters.values() if one.length > BODY_BYTES]
    assert [len(one.head) for one in bodies] == [HEAD_BYTES_MAX] * 3

    # The honest tables beside them are what they are without them.
    assert output.records == records
    digests = stream.digests()
    for kind in ("coups", "wagers"):
        assert digests[kind] == expected.digests[kind]
    tables = {key for key, _ in floor}
    found = standing_findings(output.records, tables)
    assert found == standing_findings(expected.records, tables)
    assert len(found) > 3
    every = {record.key[0].encode() for record in output.records}
    rejected = standing_findings(output.records, every - tables)
    assert len(rejected) >= sent.placed_count
    assert worker.stop() == 0
    assert sink.stop() == 0


def test_thousands_of_hostile_messages_stop_nothing(stream: Stream, expected: Expected) -> None:
    check_attack(stream, small_floor(), 3_000, expected)


@pytest.mark.slow
def test_a_hundred_thousand_hostile_messages_stop_nothing(stream: Stream, tmp_path: Path) -> None:
    floor = established_floor()
    before = Counter(key for key, _ in floor[: len(floor) * 9 // 10])
    assert all(before[key] >= VALID_COUNTED for key in SENDERS)
    check_attack(stream, floor, 100_000, expected_of(floor, tmp_path / "expected"))
