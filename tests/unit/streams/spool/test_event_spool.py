"""The spool of a device: sequence and chain are given once, and a lost spool is said to be lost."""

import datetime
import hashlib
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from schemas.events import FeedStarted, Heartbeat, SeatVacated
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from streams.process.durable import PathInUseError
from streams.spool import EventSpool, SpoolDamagedError, SpoolError, SpoolFullError, SpoolLimits
from streams.spool.event_spool import SpoolSource
from tests.support.clocks import SetClock

NOON = datetime.datetime(2025, 6, 7, 16, tzinfo=datetime.UTC)
HOURS = 3600
SOURCE = SpoolSource("BAC-03", software="Acme shoe 2.1", simulated=True)
SMALL = SpoolLimits(bytes_max=20_000, segment_bytes=1000)


class Device:
    """A device with its spool, which can be cut off at any moment."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = SetClock()
        self.feeds = iter(f"feed-{number}" for number in range(1, 100))
        self.spool: EventSpool | None = None

    def start(self, source: SpoolSource = SOURCE, limits: SpoolLimits = SMALL) -> EventSpool:
        self.spool = EventSpool(self.root, source, self.clock, limits, lambda: next(self.feeds))
        return self.spool

    def die(self) -> None:
        """Let go of the files as the system does for a process that was killed."""
        assert self.spool is not None
        self.spool._log._path_lock.release()
        self.spool._path_lock.release()
        self.spool = None

    def close(self) -> None:
        if self.spool is not None:
            self.spool.close()
            self.spool = None


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Device]:
    one = Device(tmp_path)
    yield one
    one.close()


def say(spool: EventSpool, count: int = 1) -> None:
    for _ in range(count):
        spool.append(Heartbeat, NOON)
    spool.sync()


def raws(spool: EventSpool, first: int = 1) -> list[bytes]:
    found: list[bytes] = []
    while batch := spool.read(first + len(found), 1000):
        found.extend(event.raw for event in batch)
    return found


def test_a_new_source_begins_a_feed_without_predecessor(device: Device) -> None:
    spool = device.start()
    (raw,) = raws(spool)
    event = parse_event(raw)
    assert isinstance(event, FeedStarted)
    assert (event.source_id, event.feed_id, event.sequence) == ("BAC-03", "feed-1", 1)
    assert (event.predecessor_feed_id, event.predecessor_sequence) == (None, None)
    assert (event.software, event.simulated) == ("Acme shoe 2.1", True)
    assert (spool.next_sequence, spool.durable_sequence, spool.lost) == (2, 1, None)


def test_events_are_numbered_and_chained_by_the_spool(device: Device) -> None:
    spool = device.start()
    assert spool.append(SeatVacated, NOON, seat="4") == 2
    assert spool.append(Heartbeat, NOON, clock_offset_us=12) == 3
    spool.sync()
    chain = raws(spool)
    for before, raw in itertools.pairwise(chain):
        assert parse_event(raw).previous_hash == hashlib.sha256(before).hexdigest()
    assert [parse_event(raw).sequence for raw in chain] == [1, 2, 3]
    assert [event.sequence for event in spool.read(2, 10)] == [2, 3]


def test_an_event_that_is_none_takes_no_sequence(device: Device) -> None:
    spool = device.start()
    with pytest.raises(ValidationError):
        spool.append(SeatVacated, NOON, seat=4)
    with pytest.raises(ValidationError):
        spool.append(SeatVacated, NOON, seat="4", colour="red")
    with pytest.raises(TypeError, match="sequence is given by the spool"):
        spool.append(SeatVacated, NOON, seat="4", sequence=2)
    assert spool.append(SeatVacated, NOON, seat="4") == 2


@pytest.mark.parametrize(
    ("draft", "problem"),
    [
        (b"[]", "no JSON object"),
        (b"{", "no JSON object"),
        (b'{"type":"heartbeat","schema_version":1,"sequence":7}', "sequence: is given by the"),
        (b'{"type":"heartbeat","schema_version":1,"source_id":"BAC-04"}', "source_id: is given"),
        (b'{"type":"heartbeat","schema_version":1}', "occurred_at: is missing"),
        (b'{"type":"heart_beat","schema_version":1}', "heartbeat"),
    ],
)
def test_a_bad_draft_is_refused_in_one_line_and_takes_no_sequence(
    device: Device, draft: bytes, problem: str
) -> None:
    spool = device.start()
    with pytest.raises(UnreadableEventError, match=problem):
        spool.append_draft(draft)
    assert spool.next_sequence == 2


def test_a_draft_becomes_the_same_bytes_as_the_event(device: Device) -> None:
    spool = device.start()
    draft = (
        b'{"type": "seat_vacated", "schema_version": 1, "source_id": "BAC-03",'
        b' "occurred_at": "2025-06-07T16:00:00.000000Z", "seat": "4"}'
    )
    assert spool.append_draft(draft) == 2
    spool.sync()
    position = parse_event(raws(spool)[1])
    device.close()
    device.root = device.root / "other"
    device.feeds = iter(["feed-1"])
    other = device.start()
    other.append(SeatVacated, NOON, seat="4")
    other.sync()
    assert parse_event(raws(other)[1]) == position


def test_a_killed_device_goes_on_with_the_same_feed(device: Device) -> None:
    spool = device.start()
    say(spool, 5)
    spool.append(SeatVacated, NOON, seat="4")  # in memory only
    device.die()
    spool = device.start()
    assert (spool.feed_id, spool.next_sequence, spool.lost) == ("feed-1", 7, None)
    say(spool)
    chain = raws(spool)
    assert [parse_event(raw).sequence for raw in chain] == [1, 2, 3, 4, 5, 6, 7]
    assert parse_event(chain[6]).previous_hash == hashlib.sha256(chain[5]).hexdigest()


def test_a_lost_spool_begins_a_feed_that_names_its_predecessor(device: Device) -> None:
    spool = device.start()
    say(spool, 5)
    device.close()
    for path in (device.root / "BAC-03" / "feed-1").iterdir():
        path.unlink()
    (device.root / "BAC-03" / "feed-1").rmdir()
    spool = device.start()
    event = parse_event(raws(spool)[0])
    assert isinstance(event, FeedStarted)
    assert (event.feed_id, event.predecessor_feed_id) == ("feed-2", "feed-1")
    assert event.predecessor_sequence is None
    assert spool.lost == "the spool of feed feed-1 is gone"
    device.close()
    spool = device.start()
    assert (spool.feed_id, spool.lost) == ("feed-2", None)


def test_a_spool_that_lost_acknowledged_events_is_not_gone_on_with(device: Device) -> None:
    spool = device.start()
    say(spool, 5)
    spool.acknowledge(6)
    device.close()
    path = max((device.root / "BAC-03" / "feed-1").glob("*.log"))
    path.write_bytes(path.read_bytes()[:-10])
    spool = device.start()
    event = parse_event(raws(spool)[0])
    assert isinstance(event, FeedStarted)
    assert event.predecessor_feed_id == "feed-1"
    assert spool.lost is not None
    assert "ends with record 4, but 5 was written once" in spool.lost


def test_a_feed_that_is_ended_in_good_order_names_its_last_sequence(device: Device) -> None:
    spool = device.start()
    say(spool, 5)
    assert spool.begin_feed() == "feed-2"
    event = parse_event(raws(spool)[0])
    assert isinstance(event, FeedStarted)
    assert (event.predecessor_feed_id, event.predecessor_sequence) == ("feed-1", 6)
    say(spool)
    assert [parse_event(raw).sequence for raw in raws(spool)] == [1, 2]


def test_a_spool_that_moves_names_the_feed_of_the_old_place(device: Device) -> None:
    spool = device.start(SpoolSource("BAC-03", predecessor_feed_id="feed-of-the-old-gateway"))
    event = parse_event(raws(spool)[0])
    assert isinstance(event, FeedStarted)
    assert event.predecessor_feed_id == "feed-of-the-old-gateway"


def test_an_identity_that_says_nothing_is_not_guessed_at(device: Device) -> None:
    device.start()
    device.close()
    (device.root / "BAC-03" / "identity.json").write_text("{}")
    with pytest.raises(SpoolDamagedError, match=r"identity.json does not say source_id and feed"):
        device.start()


def test_a_feed_is_begun_once_even_if_the_device_dies_while_it_begins(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("streams.spool.event_spool.save_identity", die)
        with pytest.raises(KeyboardInterrupt):
            device.start()
    spool = device.start()
    assert spool.feed_id == "feed-2"
    event = parse_event(raws(spool)[0])
    assert isinstance(event, FeedStarted)
    assert event.predecessor_feed_id is None  # feed-1 never spoke


def test_one_process_speaks_for_a_source(device: Device) -> None:
    spool = device.start()
    with pytest.raises(PathInUseError, match="in use by publisher"):
        device.start()
    device.spool = spool


def test_the_mark_survives_and_only_what_was_sent_is_acknowledged(device: Device) -> None:
    spool = device.start()
    say(spool, 5)
    spool.append(Heartbeat, NOON)
    with pytest.raises(SpoolError, match="event 7 was acknowledged, but the spool has sent"):
        spool.acknowledge(7)
    spool.acknowledge(4)
    spool.acknowledge(3)
    assert (spool.acknowledged, spool.waiting_count) == (4, 3)
    device.close()
    assert device.start().acknowledged == 4


@pytest.mark.parametrize("content", [b"", b"[]", b'{"feed_id":"feed-9","sequence":3}'])
def test_a_lost_mark_only_means_sending_again(device: Device, content: bytes) -> None:
    say(device.start(), 5)
    device.close()
    (device.root / "BAC-03" / "acknowledged.json").write_bytes(content)
    spool = device.start()
    assert (spool.feed_id, spool.acknowledged, spool.waiting_count) == ("feed-1", 0, 6)


def test_acknowledged_events_stay_for_three_days(device: Device) -> None:
    spool = device.start()
    for _ in range(14):
        say(spool, 2)
        device.clock.advance(6 * HOURS)
        spool.expire()
    last = spool.durable_sequence
    assert spool.first_sequence == 1  # nothing was acknowledged
    spool.acknowledge(last)
    spool.expire()
    kept = len(raws(spool, spool.first_sequence))
    assert 2 * 12 <= kept <= 2 * 13  # 72 hours of two every six, whole files
    device.clock.advance(1000 * HOURS)
    spool.expire()
    assert spool.first_sequence <= spool.durable_sequence  # the chain goes on from the last
    say(spool)
    assert raws(spool, last)[1:] != []
    assert parse_event(raws(spool, last + 1)[0]).previous_hash == (
        hashlib.sha256(raws(spool, last)[0]).hexdigest()
    )


def test_a_full_spool_takes_nothing_and_goes_on_when_it_was_heard(device: Device) -> None:
    spool = device.start()
    with pytest.raises(SpoolFullError, match=r"spool of BAC-03 is full, \d+ events wait"):
        say(spool, 1000)
    spool.sync()
    count = spool.durable_sequence
    assert spool.next_sequence == count + 1
    spool.acknowledge(count)
    say(spool, 3)
    assert [parse_event(raw).sequence for raw in raws(spool, count)] == list(
        range(count, count + 4)
    )


def test_room_is_made_of_the_oldest_acknowledged_events_only(device: Device) -> None:
    spool = device.start()
    say(spool, 20)
    for _ in range(300):
        say(spool)
        spool.acknowledge(spool.durable_sequence)
    assert 1 < spool.first_sequence < spool.durable_sequence - 20
    assert spool.waiting_count == 0
