"""Room before retention and the clocks of devices are told as they are."""

from __future__ import annotations

import datetime
import math
import random
from dataclasses import dataclass

import pytest

from schemas.events import Heartbeat
from schemas.wire import EVENT_BYTES_MAX, FeedPosition, encode_event
from streams.worker import device_clocks
from streams.worker.device_clocks import DeviceClocks
from streams.worker.open_gaps import OpenGaps
from streams.worker.samples import Kept, headroom_of, headroom_s
from tests.support.clocks import SetClock
from tests.support.tables.floors import table_feed
from tests.support.tables.table_script import Folded

DAY_S = 86_400.0
NOON = datetime.datetime(2025, 6, 7, 12, 0, tzinfo=datetime.UTC)


def beat(source: str, at: datetime.datetime = NOON) -> bytes:
    return encode_event(Heartbeat(**FeedPosition(source, "feed-1").fields(at)))


@pytest.mark.parametrize(
    ("age_s", "lag", "left_s"),
    [
        (None, 0, 30 * DAY_S),  # nothing was ever said
        (20 * DAY_S, 0, 30 * DAY_S),  # an old event, but nothing behind it
        (20 * DAY_S, 1, 10 * DAY_S),
        (31 * DAY_S, 1, 0.0),
        (None, 1, None),  # there is something, and it was not read yet
    ],
)
def test_headroom_counts_from_the_oldest_event_that_waits(
    age_s: float | None, lag: int, left_s: float | None
) -> None:
    assert headroom_s(30 * DAY_S, age_s, lag) == left_s


@dataclass
class FakeHosts:
    """Hosts of three partitions, as a keeper and a factory show them."""

    next_offset: int = 5
    ends: tuple[int, int, int] = (5, 8, 8)

    @property
    def hosts(self) -> dict[int, FakeHosts]:
        return {0: self, 1: self, 2: self}

    def read_appended_s(self, partition: int) -> float:
        return 1_000.0 if partition == 1 else 0.0

    def lag(self, partition: int, next_offset: int) -> int:
        return self.ends[partition] - next_offset


@pytest.mark.parametrize(("of", "prefix"), [("", ""), ("progressive", "progressive_")])
def test_headroom_is_told_of_every_log_that_is_folded(of: str, prefix: str) -> None:
    hosts = FakeHosts()
    kept = Kept(of, hosts, hosts, keeps_s=DAY_S)  # type: ignore[arg-type]
    reading = headroom_of(kept, now_s=1_600.0)
    assert reading.name == f"ladderman_{prefix}retention_headroom_seconds"
    assert reading.values == {"0": DAY_S, "1": DAY_S - 600}  # of the third nothing was read yet
    kept.delivered_s.update({1: 1_500.0, 2: 1_600.0})
    assert headroom_of(kept, now_s=1_600.0).values == {"0": DAY_S, "1": DAY_S - 100, "2": DAY_S}


@dataclass
class Folding:
    """A host as it is seen from outside."""

    states: tuple[object, ...]


def test_gaps_are_open_until_what_was_missing_has_come_late() -> None:
    messages = [raw for _, raw in table_feed("BAC-01", 6, random.Random(3), 6)]
    without = [*messages[:20], *messages[21:40], *messages[42:]]
    clock = SetClock()
    gaps = OpenGaps(clock)

    def read(*raws: bytes) -> tuple[dict[str, float], dict[str, float]]:
        host = Folding((Folded(raws).state,))
        number, age = gaps.readings({3: host})  # type: ignore[dict-item]
        assert (number.name, age.name) == ("ladderman_open_gaps", "ladderman_open_gaps_seconds")
        return dict(number.values), dict(age.values)

    assert read(*messages) == ({"3": 0}, {"3": 0})
    assert read(*without) == ({"3": 2}, {"3": 0})
    clock.advance(60)
    assert read(*without) == ({"3": 2}, {"3": 60})
    assert read(*messages) == ({"3": 0}, {"3": 0})


def test_a_log_that_keeps_for_ever_has_endless_headroom() -> None:
    assert headroom_s(math.inf, 90 * DAY_S, 5) == math.inf


def test_a_device_is_ahead_or_behind_by_its_last_event() -> None:
    clocks = DeviceClocks()
    clocks.heard(b"BAC-01", beat("BAC-01"), NOON.timestamp() + 100)
    clocks.heard(b"BAC-01", beat("BAC-01"), NOON.timestamp() - 7)
    clocks.heard(b"BAC-02", beat("BAC-02"), NOON.timestamp() + 90.5)
    assert clocks.skews_s() == {"BAC-01": 7.0, "BAC-02": -90.5}


def test_what_is_no_event_says_nothing_about_a_clock() -> None:
    clocks = DeviceClocks()
    clocks.heard(b"BAC-01", b"no event", 1.0)
    clocks.heard(b"BAC-02", b" " * (EVENT_BYTES_MAX + 1), 1.0)
    assert clocks.skews_s() == {}


def test_invented_sources_push_out_no_more_than_the_oldest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(device_clocks, "SOURCES_MAX", 2)
    clocks = DeviceClocks()
    for source in ("BAC-01", "BAC-02", "BAC-01", "BAC-03"):
        clocks.heard(source.encode(), beat(source), NOON.timestamp())
    assert set(clocks.skews_s()) == {"BAC-01", "BAC-03"}
