"""Messages that nobody can read, of every kind that an events topic may hold."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from streams.kafka.partitioning import partition_of
from tests.support.tables.floors import Message

Placed = tuple[int | None, bytes | None, bytes | None]
"""Partition (None: that of the key), key and bytes."""


class Poison(NamedTuple):
    """A message that is a dead letter."""

    placed: Placed
    reason: str | None
    """Why; None where chance decides."""


def unreadable(
    chance: random.Random, victims: Sequence[Message], partitions: int
) -> Iterator[Placed]:
    """Give messages without end, no two of a kind in a row; none of them is an event.

    Args:
        chance: Decides.
        victims: Good messages of at most two sources, whose keys and bytes are abused.
        partitions: Of the topic.
    """
    for one in poison(chance, victims, partitions):
        yield one.placed


def poison(chance: random.Random, victims: Sequence[Message], partitions: int) -> Iterator[Poison]:
    """Give what :func:`unreadable` gives, each with the reason that it is a dead letter for."""
    while True:
        key, raw = chance.choice(victims)
        stranger = b"BAC-%d" % chance.randrange(900, 999)
        for reason, kinds in _of_strangers(chance, raw, stranger).items():
            yield from (Poison((None, stranger, one), reason) for one in kinds)
        yield Poison((None, stranger, _fuzzed(chance, raw)), None)
        yield from _misplaced(chance, (key, raw), partitions)


def _of_strangers(
    chance: random.Random, raw: bytes, stranger: bytes
) -> dict[str, list[bytes | None]]:
    """Give bytes under the key of a source that says nothing else, by the reason."""
    document = orjson.loads(raw)
    unnumbered = {name: value for name, value in document.items() if name != "sequence"}

    def with_number(number: bytes) -> bytes:
        return raw.replace(b'"sequence":%d' % document["sequence"], b'"sequence":' + number, 1)

    return {
        "not_utf8": [
            b"\xff" + chance.randbytes(chance.randrange(0, 200)),
            raw.replace(b"{", b'{"x":"\xff\xfe",', 1),
            b"\xef\xbb\xbf" + raw,
        ],
        "not_json": [
            b"",
            None,
            raw[: len(raw) // 2],
            b'{"sequence":' + b"9" * 5_000 + b"}",
            b'{"sequence":NaN,"source_id":"x"}',
            with_number(b"1e400"),
            with_number(b"1" + b"0" * 400),
        ],
        "too_deep": [b"[" * 5_000, b'{"a":' * 2_000 + b"1" + b"}" * 2_000],
        "not_an_object": [b'"only a text"', b"[" + raw + b"]"],
        "too_large": [raw[:-1] + b',"note":"' + b"x" * 17_000 + b'"}'],
        "duplicate_key": [raw[:-1] + b',"sequence":1}'],
        "unknown_type": [orjson.dumps({**unnumbered, "type": "card_deelt"})],
        "unknown_version": [orjson.dumps({**unnumbered, "schema_version": 99})],
        "bad_field": [
            orjson.dumps({**unnumbered, "type": ["card_dealt", "card_drawn"]}),
            orjson.dumps({**unnumbered, "schema_version": "1"}),
            orjson.dumps({**document, "source_id": stranger.decode() * 90}),
            orjson.dumps({**document, "sequence": -1}),
            orjson.dumps({**document, "sequence": str(document["sequence"])}),
            with_number(b"9" * 300),
            with_number(b"%d" % 2**64),
            orjson.dumps({**document, "occurred_at": "yesterday"}),
            orjson.dumps({**document, "previous_hash": [1, 2]}),
            orjson.dumps({**document, "feed_id": None}),
        ],
        "wrong_key": [raw],
    }


def _fuzzed(chance: random.Random, raw: bytes) -> bytes:
    """Damage some bytes of an event; whatever it still says, it is not of the key's source."""
    damaged = bytearray(raw)
    for _ in range(chance.randrange(1, 9)):
        at = chance.randrange(len(damaged))
        damaged[at : at + chance.randrange(0, 3)] = chance.randbytes(chance.randrange(0, 4))
    return bytes(damaged)


def _misplaced(chance: random.Random, victim: Message, partitions: int) -> Iterator[Poison]:
    """Give good bytes in wrong places, and bad ones under the key of a source that is read."""
    key, raw = victim
    elsewhere = (partition_of(key, partitions) + 1) % partitions
    yield Poison((elsewhere, key, raw), "wrong_partition")
    yield Poison((chance.randrange(partitions), None, raw), "no_key")
    yield Poison((None, b"\x00" + chance.randbytes(20), raw), "bad_key")
    yield from bad_lines(chance, key, 1)
    yield Poison((None, key, raw + raw), "not_json")


def bad_lines(chance: random.Random, key: bytes, count: int) -> Iterator[Poison]:
    """Give what a source of that key never means to say."""
    for _ in range(count):
        raw = b"no event of this table %d" % chance.randrange(10**9)
        yield Poison((None, key, raw), "not_json")


def placed_but_wrong(chance: random.Random, victim: bytes) -> Iterator[Placed]:
    """Give events of strangers with a good envelope and nothing else that is right.

    They are no dead letters: their feeds go on, with a finding for each.
    """
    number = 0
    while True:
        number += 1
        source = f"BAC-{800 + number % 7}"
        envelope = {
            **{name: orjson.loads(victim)[name] for name in ("previous_hash", "occurred_at")},
            "source_id": source,
            "feed_id": f"feed-{number}",
            "sequence": 1,
        }
        wrong = chance.choice(
            (
                b'"type":"card_dealt","schema_version":1',
                b'"type":"card_dealt","schema_version":99',
                b'"type":"card_deelt","schema_version":1',
                b'"type":["card_dealt"],"schema_version":1',
                b'"type":"wager_placed","schema_version":1,"stake_minor":1' + b"0" * 300,
                b'"type":"heartbeat","schema_version":true',
                b'"type":"heartbeat","schema_version":1,"unheard_of":{}',
            )
        )
        yield None, source.encode(), orjson.dumps(envelope)[:-1] + b"," + wrong + b"}"
