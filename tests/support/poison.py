"""Messages that nobody can read, of every kind that an events topic may hold."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import orjson

from streams.kafka.partitioning import partition_of
from tests.support.floors import Message

Placed = tuple[int | None, bytes | None, bytes | None]
"""Partition (None: that of the key), key and bytes."""


def unreadable(
    chance: random.Random, victims: Sequence[Message], partitions: int
) -> Iterator[Placed]:
    """Give messages without end, no two of a kind in a row; none of them is an event.

    Args:
        chance: Decides.
        victims: Good messages of at most two sources, whose keys and bytes are abused.
        partitions: Of the topic.
    """
    while True:
        key, raw = chance.choice(victims)
        document = orjson.loads(raw)
        stranger = b"BAC-%d" % chance.randrange(900, 999)
        elsewhere = (partition_of(key, partitions) + 1) % partitions
        yield from (
            (None, stranger, chance.randbytes(chance.randrange(0, 200))),
            (None, stranger, b""),
            (None, stranger, None),
            (chance.randrange(partitions), None, raw),
            (None, chance.randbytes(20), raw),
            (None, stranger, raw),
            (elsewhere, key, raw),
            (None, stranger, raw[: len(raw) // 2]),
            (None, stranger, b"[" * 5_000),
            (None, stranger, b'{"a":' * 2_000 + b"1" + b"}" * 2_000),
            (None, stranger, raw.replace(b"{", b'{"x":"\xff\xfe",', 1)),
            (None, stranger, b'{"sequence":' + b"9" * 5_000 + b"}"),
            (None, stranger, b'{"sequence":NaN,"source_id":"x"}'),
            (None, stranger, b"\xef\xbb\xbf" + raw),
            (None, stranger, b'"only a text"'),
            (None, stranger, orjson.dumps({**document, "source_id": stranger.decode() * 90})),
            (None, stranger, orjson.dumps({**document, "sequence": -1})),
            (None, stranger, orjson.dumps({**document, "sequence": str(document["sequence"])})),
            (None, stranger, orjson.dumps({**document, "occurred_at": "yesterday"})),
            (None, stranger, orjson.dumps({**document, "previous_hash": [1, 2]})),
            (None, stranger, orjson.dumps({**document, "feed_id": None})),
            (None, stranger, raw[:-1] + b',"note":"' + b"x" * 17_000 + b'"}'),
            (None, key, b"no event of this table %d" % chance.randrange(10**9)),
            (None, key, raw + raw),
        )


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
                {"type": "card_dealt", "schema_version": 1},
                {"type": "card_dealt", "schema_version": 99},
                {"type": "card_deelt", "schema_version": 1},
                {"type": ["card_dealt"], "schema_version": 1},
                {"type": "wager_placed", "schema_version": 1, "stake_minor": 10**400},
                {"type": "heartbeat", "schema_version": True},
                {"type": "heartbeat", "schema_version": 1, "unheard_of": {}},
            )
        )
        try:
            raw = orjson.dumps({**envelope, **wrong})
        except TypeError:  # a number that only other writers can write
            wrong = {**wrong, "stake_minor": 0}
            raw = orjson.dumps({**envelope, **wrong}).replace(b":0}", b":1" + b"0" * 400 + b"}")
        yield None, source.encode(), raw
