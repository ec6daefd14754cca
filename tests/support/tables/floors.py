"""Small floors as messages of a log: honest tables, and what can happen to their messages."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson

from schemas import events as said
from schemas.records import Record, encode_record
from streams.simulator.floor import Floor, FloorConfig
from tests.support.tables.table_script import TableScript

Message = tuple[bytes, bytes]
"""Key and bytes."""


def write_floor(path: Path, floor: Sequence[Message]) -> None:
    """Write a floor to a file."""
    lines = [orjson.dumps([base64.b64encode(one).decode() for one in pair]) for pair in floor]
    path.write_bytes(b"\n".join(lines))


def read_floor(path: Path) -> list[Message]:
    """Read it back."""
    pairs = [orjson.loads(line) for line in path.read_bytes().split(b"\n")]
    return [(base64.b64decode(key), base64.b64decode(raw)) for key, raw in pairs]


def interleaved(feeds: Sequence[Sequence[Message]], chance: random.Random) -> list[Message]:
    """Mix feeds as a log does; each keeps its own order."""
    turns = [index for index, feed in enumerate(feeds) for _ in feed]
    chance.shuffle(turns)
    sources = [iter(feed) for feed in feeds]
    return [next(sources[index]) for index in turns]


def disturbed(
    feed: Sequence[Message], chance: random.Random, *, delay_max: int, keep_first: int
) -> list[Message]:
    """Repeat, delay and damage some messages of a feed.

    Args:
        feed: The messages of one source.
        chance: Decides.
        delay_max: A delayed message comes at most so many messages later.
        keep_first: So many messages at the beginning are left alone.
    """
    result = list(feed)
    for _ in range(max(2, len(feed) // 25)):
        at = chance.randrange(keep_first, len(result))
        message = result.pop(at)
        result.insert(min(len(result), at + chance.randrange(1, delay_max)), message)
        result.insert(chance.randrange(at, len(result)), chance.choice(result[: at + 1]))
        result.insert(chance.randrange(keep_first, len(result)), (feed[0][0], b'{"type":"?'))
    return result


def tally_floor(count: int = 600, seed: int = 7) -> list[Message]:
    """Three sources of the tally fold, disturbed."""
    chance = random.Random(seed)
    feeds = []
    for source in (b"BAC-01", b"BAC-02", b"BAC-03"):
        feed = [
            (source, b"%d %s" % (number, b"shoe" if number % 9 == 2 else b"w%d" % number))
            for number in range(1, count // 3)
        ]
        feeds.append(disturbed(feed, chance, delay_max=8, keep_first=3))
    return interleaved(feeds, chance)


def table_feed(
    source_id: str, coups: int, chance: random.Random, coups_a_shoe: int
) -> list[Message]:
    """One table that plays some coups, every fourth with a wrong payment."""
    script = TableScript(source_id, f"feed-{source_id}").open().shoe(f"{source_id}-S1")
    for number in range(1, coups + 1):
        if number % coups_a_shoe == 0:
            script.shoe(f"{source_id}-S{number}")
        script.coup()
        stake = chance.randrange(1, 50) * 1000
        wager_id = script.wager("banker", stake, str(1 + number % 7))
        script.close_bets()
        if chance.random() < 0.5:
            script.deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
            due = stake * 2 - stake // 20
        else:
            script.deal("4S 5H", "9C KD").result("tie", 9, 9)
            due = stake
        script.settle(wager_id, due + (500 if number % 4 == 0 else 0), stake_collected_minor=0)
        script.close()
    script.say(said.Heartbeat)
    return [(source_id.encode(), raw) for raw in script.messages]


def table_floor(
    tables: int = 3,
    coups: int = 30,
    seed: int = 7,
    delay_max: int | None = None,
    coups_a_shoe: int = 12,
) -> list[Message]:
    """Some tables, honest or disturbed.

    Args:
        tables: How many.
        coups: At each.
        seed: Decides everything.
        delay_max: Disturb the messages and delay some by so many at most; None leaves them.
        coups_a_shoe: How many until the next shoe is loaded.
    """
    chance = random.Random(seed)
    feeds = [
        table_feed(f"BAC-{number:02d}", coups, chance, coups_a_shoe)
        for number in range(1, tables + 1)
    ]
    if delay_max is not None:
        feeds = [disturbed(feed, chance, delay_max=delay_max, keep_first=3) for feed in feeds]
    return interleaved(feeds, random.Random(seed + 1))


def progressive_floor(coups: int = 90, seed: int = 7) -> list[Message]:
    """Four tables on two progressives, as the simulator plays them, and the controller, disturbed.

    Nothing is delayed so long that it counts as missing.
    """
    floor = Floor(FloorConfig(tables=4, coups=coups, seed=seed))
    messages = [(event.source_id.encode(), event.raw) for event in floor.events()]
    return disturbed(messages, random.Random(seed), delay_max=30, keep_first=40)


def standing_apart_from_delivery(records: Iterable[Record]) -> dict[tuple[str, str, str], bytes]:
    """Give what stands of each subject, without what only the delivery tells: L2."""
    last: dict[tuple[str, str, str], Record] = {}
    for record in records:
        before = last.get(record.key)
        if before is None or before.version <= record.version:
            last[record.key] = record
    return {
        key: encode_record(record.model_copy(update={"offset": 0, "cause": "event"}))
        for key, record in last.items()
    }
