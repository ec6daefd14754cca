"""Other logs of the same events: repeats, disorder, late truth and poison change no verdict.

L2 and L3: the digests of the history are those of the floor in good order. And on each such log the
hosts over Kafka put out, byte for byte, what a host in memory puts out (L1).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import orjson

from streams.host.rejects import STREAK_MAX
from tests.support.stream.poison import Placed, unreadable
from tests.support.stream.stream_floor import (
    FIRST_TABLE,
    PARTITIONS,
    Expected,
    Stream,
    small_floor,
)
from tests.support.tables.floors import Message

REPEATED, LATE, POISONED = b"BAC-02", b"BAC-03", b"BAC-04"
BEYOND_LIMIT = 90
"""Events by which one comes too late: more than may be held for it."""
IN_PLAY = 20
"""After so many events of a table a shoe is in play."""


class BadNight(NamedTuple):
    """A floor on a log that does everything wrong which a log may do."""

    messages: list[Placed]
    poison_count: int


def bad_night(
    floor: Sequence[Message],
    chance: random.Random,
    *,
    poison_every: int = 12,
    partitions: int = PARTITIONS,
) -> BadNight:
    """Put a floor onto a log badly.

    One table's events come twice and out of order within the limit, another's miss some that come
    long after their gaps were declared, and among a third's stand messages that nobody can read.
    """
    feeds: dict[bytes, list[Message]] = {}
    for key, raw in floor:
        feeds.setdefault(key, []).append((key, raw))
    assert FIRST_TABLE.encode() not in (REPEATED, LATE, POISONED)
    feeds[REPEATED] = repeated_and_shuffled(feeds[REPEATED], chance)
    feeds[LATE] = some_late(feeds[LATE])
    poison = unreadable(chance, feeds[POISONED][20:], partitions)
    messages: list[Placed] = []
    poison_count = 0
    turns = [key for key, _ in floor] + [REPEATED] * (len(feeds[REPEATED]) - count(floor, REPEATED))
    sources = {key: iter(feed) for key, feed in feeds.items()}
    for number, turn in enumerate(turns):
        key, raw = next(sources[turn])
        messages.append((None, key, raw))
        if number > len(floor) // 5 and number % poison_every == 0:
            some = list(islice(poison, 4))
            messages += some
            poison_count += len(some)
    return BadNight(messages, poison_count)


def count(floor: Sequence[Message], source: bytes) -> int:
    return sum(key == source for key, _ in floor)


def repeated_and_shuffled(feed: list[Message], chance: random.Random) -> list[Message]:
    """Delay some events a little, which stays within the limit, and say some again much later."""
    result = list(feed)
    for _ in range(len(feed) // 10):
        at = chance.randrange(IN_PLAY, len(result))
        result.insert(min(len(result), at + chance.randrange(1, 4)), result.pop(at))
        at = chance.randrange(IN_PLAY, len(result))
        result.insert(chance.randrange(at, len(result)), result[at])
    return result


def some_late(feed: list[Message]) -> list[Message]:
    """Delay some cards until long after their gaps were declared."""
    cards = [
        number
        for number, (_, raw) in enumerate(feed)
        if number > IN_PLAY and orjson.loads(raw)["type"] == "card_dealt"
    ]
    result = list(feed)
    for at in cards[20:80:20]:
        result.insert(at + BEYOND_LIMIT, result.pop(at))
    return result


def test_a_bad_night_ends_with_the_verdicts_of_a_good_one(
    stream: Stream, expected: Expected
) -> None:
    night = bad_night(small_floor(), random.Random(9))
    worker, sink = stream.worker(), stream.sink()
    stream.publish_to(night.messages)
    stream.wait_folded(worker)
    stream.wait_sunk(sink)

    assert worker.total("amended") == 3
    assert stream.digests() == expected.digests
    output = stream.output()
    records, letters = stream.undisturbed()
    assert output.records == records
    assert set(output.letters) == set(letters)
    assert len(letters) == night.poison_count > 4 * STREAK_MAX
    assert all(letter.reason and letter.detail for letter in output.letters.values())
    assert stream.row_count("dead_letters") == len(letters)
    assert worker.stop() == 0
    assert sink.stop() == 0


def test_a_publisher_killed_at_any_moment_changes_nothing(
    stream: Stream, expected: Expected
) -> None:
    chance = random.Random(12)
    floor = small_floor()
    worker, sink = stream.worker(), stream.sink()
    path = stream.events_file(floor)
    for _ in range(2):
        publisher = stream.publisher(path, rate=1_500)
        few = sum(stream.ends().values()) + chance.randrange(50, 500)
        stream.wait_published(few)
        publisher.kill()
    assert stream.publisher(path).ended() == 0
    stream.wait_folded(worker)
    stream.wait_sunk(sink)
    # Some may stand on the log twice, so versions may be others; what was found is not.
    assert sum(stream.ends().values()) >= len(floor)
    assert stream.digests() == expected.digests
    assert stream.output().records == stream.undisturbed()[0]
    assert worker.stop() == 0
    assert sink.stop() == 0
