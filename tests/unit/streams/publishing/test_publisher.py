"""The publisher: in order, with the same bytes, until it was heard."""

import datetime
import errno
import random
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from schemas.events import Heartbeat, SeatVacated
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from streams.process.clock import SystemClock
from streams.publishing import publisher as publishing
from streams.publishing.publisher import Publisher, SendFailedError
from streams.spool import (
    EventSpool,
    FileLog,
    SpooledEvent,
    SpoolError,
    SpoolFullError,
    SpoolLimits,
    event_spool,
)
from streams.spool.event_spool import SpoolSource
from tests.support.clocks import SetClock
from tests.support.source_tree import ROOT

NOON = datetime.datetime(2025, 6, 7, 16, tzinfo=datetime.UTC)
DRAFT = (
    b'{"type":"seat_vacated","schema_version":1,"occurred_at":"2025-06-07T16:00:00.000000Z",'
    b'"seat":"4"}'
)


class Broker:
    """Takes events, or fails after so many."""

    def __init__(self) -> None:
        self.taken: list[SpooledEvent] = []
        self.fails_after: int | None = None

    def send(self, source_id: str, events: Sequence[SpooledEvent]) -> None:
        assert source_id == "BAC-03"
        if self.fails_after is None:
            self.taken.extend(events)
            return
        self.taken.extend(events[: self.fails_after])
        raise SendFailedError("the broker is not reachable")

    @property
    def sequences(self) -> list[int]:
        return [event.sequence for event in self.taken]


class Device:
    """A device whose publisher is pumped by hand."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = SetClock()
        self.broker = Broker()
        self.lines: list[str] = []
        self.start()

    def start(self, limits: SpoolLimits | None = None) -> None:
        self.spool = EventSpool(
            self.root, SpoolSource("BAC-03"), self.clock, limits or SpoolLimits()
        )
        self.publisher = Publisher(
            self.spool, self.broker, self.clock, self.lines.append, send_count=10
        )

    def restart(self) -> None:
        self.spool.close()
        self.start()

    def say(self, count: int) -> None:
        for _ in range(count):
            self.publisher.publish(SeatVacated, NOON, seat="4")


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Device]:
    one = Device(tmp_path)
    yield one
    one.spool.close()


def test_events_are_sent_once_and_in_order(device: Device) -> None:
    device.say(24)
    assert [device.publisher.pump() for _ in range(4)] == [10, 10, 5, 0]
    assert device.broker.sequences == list(range(1, 26))
    assert device.publisher.state.waiting_count == 0


def test_an_event_is_durable_before_the_device_goes_on(device: Device) -> None:
    sequence = device.publisher.publish(SeatVacated, NOON, seat="4")
    assert device.spool.durable_sequence == sequence == 2


@pytest.mark.parametrize("reached", [0, 1, 9, 10])
def test_after_a_failure_everything_unacknowledged_is_sent_again_in_order(
    device: Device, reached: int
) -> None:
    device.say(14)
    device.broker.fails_after = reached
    for _ in range(2):
        with pytest.raises(SendFailedError):
            device.publisher.pump()
    device.broker.fails_after = None
    assert [device.publisher.pump() for _ in range(3)] == [10, 5, 0]
    assert device.broker.sequences == [
        *range(1, reached + 1),
        *range(1, reached + 1),
        *range(1, 16),
    ]
    assert len({event.raw for event in device.broker.taken}) == 15


def test_a_failure_is_said_once_and_its_end_too(device: Device) -> None:
    device.say(4)
    device.broker.fails_after = 0
    for _ in range(3):
        with pytest.raises(SendFailedError):
            device.publisher.pump()
        device.clock.advance(1)
    state = device.publisher.state
    assert (state.failure, state.failure_count) == ("the broker is not reachable", 3)
    assert state.failing_since_us == device.clock.us - 3_000_000
    device.broker.fails_after = None
    device.publisher.pump()
    assert device.lines == [
        "BAC-03: cannot send (the broker is not reachable); 5 events wait in the spool",
        "BAC-03: sending again after 3 failures; 0 events still wait",
    ]
    assert device.publisher.state.failure is None


def test_the_mark_survives_so_that_only_unacknowledged_events_are_sent_again(
    device: Device,
) -> None:
    device.say(9)
    device.publisher.pump()
    device.say(3)
    device.restart()
    device.publisher.pump()
    assert device.broker.sequences == list(range(1, 14))


def test_an_idle_source_says_that_it_is_there(device: Device) -> None:
    device.say(1)
    device.clock.advance(4.9)
    assert not device.publisher.heartbeat_if_idle()
    device.clock.advance(0.1)
    assert device.publisher.heartbeat_if_idle()
    assert not device.publisher.heartbeat_if_idle()
    event = parse_event(device.spool.read(3, 1)[0].raw)
    assert isinstance(event, Heartbeat)
    assert event.occurred_at_us == device.clock.us


def test_events_are_sent_again_on_request_and_the_mark_stays(device: Device) -> None:
    device.say(30)
    while device.publisher.pump():
        pass
    device.broker.taken.clear()
    assert device.publisher.resend(5, 27) == 23
    assert device.broker.sequences == list(range(5, 28))
    assert device.spool.acknowledged == 31
    with pytest.raises(SpoolError, match="record -1 is no longer kept"):
        device.publisher.resend(0, 3)


def test_drafts_are_taken_with_one_flush_up_to_the_first_bad_one(device: Device) -> None:
    assert device.publisher.publish_drafts([DRAFT, DRAFT]) == [2, 3]
    with pytest.raises(UnreadableEventError):
        device.publisher.publish_drafts([DRAFT, b"{}", DRAFT])
    assert device.spool.durable_sequence == 4
    assert device.publisher.publish_draft(DRAFT) == 5


def test_a_full_spool_refuses_events_until_the_log_takes_some(device: Device) -> None:
    device.spool.close()
    device.start(SpoolLimits(bytes_max=20_000, segment_bytes=2000))
    device.broker.fails_after = 0
    with pytest.raises(SpoolFullError, match="spool of BAC-03 is full"):
        device.say(1000)
    device.clock.advance(10)
    assert not device.publisher.heartbeat_if_idle()
    device.broker.fails_after = None
    while device.publisher.pump():
        pass
    device.say(5)
    device.publisher.pump()
    assert device.broker.sequences == list(range(1, len(device.broker.sequences) + 1))


def test_a_full_disk_keeps_nothing_from_being_sent_and_is_said_once(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(event_spool, "save_acknowledged", full)
    for _ in range(3):
        device.say(5)
        device.clock.advance(700)  # the mark is due, and so are old events
        assert device.publisher.pump() > 0
    assert device.spool.waiting_count == 0
    assert [line for line in device.lines if "No space left" in line] == device.lines[:1]
    device.restart()  # without a mark everything is sent again
    monkeypatch.undo()
    device.publisher.pump()
    assert device.broker.sequences == [*range(1, 17), *range(1, 11)]


def test_a_lost_spool_is_reported(device: Device) -> None:
    device.spool.close()
    feed = device.spool.directory / device.spool.feed_id
    feed.rename(feed.with_name("moved"))
    device.start()
    assert device.lines[0].startswith("BAC-03 speaks through a new feed: the spool of feed f")


def test_the_running_publisher_goes_on_by_itself(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "RETRY_S", (0.001, 0.002))
    device.broker.fails_after = 0
    thread = threading.Thread(target=device.publisher.run)
    thread.start()
    try:
        device.say(40)
        device.broker.fails_after = None
        patience = threading.Event()
        for _ in range(1000):
            if device.spool.waiting_count == 0:
                break
            patience.wait(0.01)
    finally:
        device.publisher.stop()
        thread.join()
    assert device.broker.sequences == list(range(1, 42))


def killed_at_random(directory: Path, count: int, seed: int) -> None:
    """Kill a publisher again and again; nothing that it said was durable is lost or renumbered."""
    chance = random.Random(seed)
    said = 1
    for number in range(count + 1):
        arguments = [str(directory / "spool"), str(directory / "log"), "300"]
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.support.children.publisher_child", *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        with child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            if number < count:
                threading.Timer(chance.uniform(0.0, 0.3), child.kill).start()
            words = child.stdout.read().split()
        said = max([said, *(int(word) for word in words if word.isdigit())])
        log = FileLog(directory / "log", SystemClock())
        raws = list(dict.fromkeys(entry.raw for entry in log.entries()))
        log.close()
        check_chain(raws)
    assert words[-1] == "done"
    assert len(raws) == 300 >= said


def check_chain(raws: list[bytes]) -> None:
    """Check that the first deliveries are one feed in order: no gap, nothing twice."""
    events = [parse_event(raw) for raw in raws]
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert len({event.feed_id for event in events}) <= 1
    seats = [event.seat for event in events if isinstance(event, SeatVacated)]
    assert seats == [str(event.sequence) for event in events[1:]]


def test_a_publisher_that_is_killed_neither_loses_nor_renumbers(tmp_path: Path) -> None:
    killed_at_random(tmp_path, 1, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 7))
def test_a_publisher_that_is_killed_often_neither_loses_nor_renumbers(
    tmp_path: Path, seed: int
) -> None:
    killed_at_random(tmp_path, 6, seed=seed)
