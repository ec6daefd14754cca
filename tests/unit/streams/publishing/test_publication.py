"""Lines are published once each, drafts numbered by their spool, finished events as they are."""

from __future__ import annotations

import datetime
import random
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest

from schemas.events import Heartbeat
from schemas.wire import chain_hash, parse_event
from streams.files.line_groups import Line
from streams.process.clock import SystemClock
from streams.process.durable import PathInUseError
from streams.publishing.drafts import ChangedLinesError
from streams.publishing.publication import Publication, Speaker
from streams.publishing.publisher import SendFailedError
from streams.publishing.relay import Relay
from streams.spool import EventSpool, SpooledEvent
from streams.spool.errors import SpoolDamagedError, SpoolFullError
from streams.spool.segments import MIB, LogLimits
from tests.support.clocks import SetClock

NOON = datetime.datetime(2025, 6, 7, 16, tzinfo=datetime.UTC)


class Log:
    """Takes messages in order; can be away, or fail in the middle of a group."""

    def __init__(self) -> None:
        self.messages: list[tuple[bytes, bytes]] = []
        self.is_away = False
        self.chance: random.Random | None = None
        self._lock = threading.Lock()

    def send(self, source_id: str, events: Sequence[SpooledEvent]) -> None:
        self.send_keyed([(source_id.encode(), event.raw) for event in events])

    def send_keyed(self, messages: Sequence[tuple[bytes, bytes]]) -> None:
        with self._lock:
            reached = 0 if self.is_away else len(messages)
            if self.chance is not None and self.chance.random() < 0.3:
                reached = self.chance.randrange(len(messages))
            self.messages += messages[:reached]
            if reached < len(messages):
                raise SendFailedError("the broker did not answer")

    def of(self, source_id: str) -> list[dict]:
        """Give a source's own events without repeats and heartbeats."""
        raws = dict.fromkeys(raw for key, raw in self.messages if key == source_id.encode())
        return [orjson.loads(raw) for raw in raws if not isinstance(parse_event(raw), Heartbeat)]


class Desk:
    """A directory of spools with publications that come and go."""

    def __init__(self, root: Path) -> None:
        self.root, self.log, self.lines = root, Log(), []

    def open(self, source_id: str | None = "BAC-03") -> Publication:
        return Publication(
            self.root, self.log, SystemClock(), self.lines.append, Speaker(source_id)
        )

    def publish(self, rows: Sequence[bytes], source_id: str | None = "BAC-03") -> Publication:
        """Take rows in one run, wait until all are acknowledged, and end it."""
        publication = self.open(source_id)
        try:
            publication.take(numbered(rows))
            assert publication.drain(10)
        finally:
            publication.close()
        return publication


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def draft(seat: int, **more: object) -> bytes:
    return orjson.dumps(
        {
            "type": "seat_vacated",
            "schema_version": 1,
            "occurred_at": "2025-06-07T16:00:00.000000Z",
            "seat": str(seat),
            **more,
        }
    )


def numbered(rows: Sequence[bytes]) -> list[Line]:
    return [Line(number, raw) for number, raw in enumerate(rows, 1)]


def seats(events: Sequence[dict]) -> list[str]:
    return [event["seat"] for event in events if event["type"] == "seat_vacated"]


def test_drafts_get_feed_sequence_and_hash(desk: Desk) -> None:
    publication = desk.publish([draft(1), draft(2)])
    assert publication.counts.taken == 2
    raws = [raw for _, raw in desk.log.messages]
    events = [parse_event(raw) for raw in raws]
    assert [event.sequence for event in events] == [1, 2, 3]  # the first says that a feed began
    assert [event.previous_hash for event in events[1:]] == [chain_hash(raw) for raw in raws[:2]]


def test_each_source_speaks_through_its_own_spool(desk: Desk) -> None:
    rows = [draft(n, source_id=f"BAC-{n % 3}") for n in range(30)]
    desk.publish(rows, source_id=None)
    for source in range(3):
        assert seats(desk.log.of(f"BAC-{source}")) == [str(n) for n in range(30) if n % 3 == source]


def test_finished_events_pass_as_they_are_and_so_does_what_is_no_event(desk: Desk) -> None:
    desk.publish([draft(1)])
    finished = desk.log.messages[1]
    other = Desk(desk.root / "other")
    rows = [finished[1], b"{no event", b'{"spaced" :  1}', b"\xff"]
    other.publish(rows, source_id=None)
    assert other.log.messages == [finished, (b"", rows[1]), (b"", rows[2]), (b"", rows[3])]


def test_lines_that_are_no_event_are_counted_apart_and_named(desk: Desk) -> None:
    desk.publish([draft(1)])
    finished = desk.log.messages[1][1]
    other = Desk(desk.root / "other")
    rows = [finished, b"{no event", b'{"spaced" :  1}']
    for taken, known in ((1, 0), (0, 3)):
        counts = other.publish(rows, source_id=None).counts
        assert (counts.taken, counts.known, counts.refused, counts.no_events) == (
            taken,
            known,
            0,
            2,
        )
        assert [one.partition(": ")[0] for one in counts.no_event_reasons] == ["line 2", "line 3"]
    counts = other.publish([b"{"] * 100, source_id=None).counts
    assert (counts.taken, counts.no_events, len(counts.no_event_reasons)) == (0, 100, 20)


def test_the_same_lines_again_are_not_published_again(desk: Desk) -> None:
    rows = [draft(n) for n in range(5)]
    desk.publish(rows)
    finished = [raw for _, raw in desk.log.messages][1:]
    desk.publish(finished)
    sent = list(desk.log.messages)
    for again in (rows, finished):
        counts = desk.publish(again).counts
        assert (counts.taken, counts.known) == (0, 5)
    assert desk.log.messages == sent


def test_lines_that_were_added_are_published_and_numbered_on(desk: Desk) -> None:
    rows = [draft(n) for n in range(3)]
    desk.publish(rows)
    rows += [draft(7), draft(8)]
    counts = desk.publish(rows).counts
    assert (counts.taken, counts.known) == (2, 3)
    assert [event["sequence"] for event in desk.log.of("BAC-03")] == [1, 2, 3, 4, 5, 6]
    assert desk.publish(rows).counts.taken == 0


def test_other_lines_are_published_behind_those_before(desk: Desk) -> None:
    desk.publish([draft(1), draft(2)])
    assert desk.publish([draft(3)]).counts.taken == 1
    assert desk.publish([draft(3)]).counts.known == 1
    assert seats(desk.log.of("BAC-03")) == ["1", "2", "3"]


def test_lines_of_which_one_was_changed_are_refused(desk: Desk) -> None:
    desk.publish([draft(1), draft(2), draft(3)])
    sent = list(desk.log.messages)
    with pytest.raises(ChangedLinesError, match="the first 1 events of BAC-03 were published"):
        desk.publish([draft(1), draft(9), draft(3)])
    assert seats([orjson.loads(raw) for _, raw in desk.log.messages[len(sent) :]]) == []


def test_heartbeats_between_do_not_make_lines_new(desk: Desk) -> None:
    publication = desk.open()
    publication.take(numbered([draft(1)]))
    publication.source("BAC-03").publisher.publish(Heartbeat, NOON)
    publication.take(numbered([draft(2)]))
    publication.close()
    counts = desk.publish([draft(1), draft(2), draft(3)]).counts
    assert (counts.known, counts.taken) == (2, 1)


def test_lines_that_make_no_event_are_named_and_the_others_published(desk: Desk) -> None:
    bad = draft(2, colour="red")
    rows = [draft(1), bad, draft(3, sequence=5), draft(4)]
    for taken, known in ((2, 0), (0, 2)):
        counts = desk.publish(rows).counts
        assert (counts.taken, counts.known, counts.refused) == (taken, known, 2)
        first, second = sorted(counts.refusals)
        assert first.startswith("line 2: seat_vacated.colour: ")
        assert second == "line 3: sequence: is given by the spool; leave it out"
    assert seats(desk.log.of("BAC-03")) == ["1", "4"]


def test_a_draft_without_a_source_is_named(desk: Desk) -> None:
    counts = desk.publish([draft(1), draft(2, source_id="/etc")], source_id=None).counts
    assert counts.refused == 2
    assert counts.refusals[0].startswith("line 1: it names no source; add source_id")
    assert desk.log.messages == []


def test_a_line_that_is_too_long_is_named(desk: Desk) -> None:
    publication = desk.open()
    publication.take([Line(4, None)])
    publication.close()
    assert publication.counts.refusals == ["line 4: it is longer than 1,000,000 bytes"]


def test_what_is_left_in_the_spools_is_sent_by_the_next_who_comes(desk: Desk) -> None:
    desk.log.is_away = True
    publication = desk.open()
    publication.take(numbered([draft(1), b"{}"]))
    assert not publication.drain(0.1)
    assert publication.waiting_count == 3
    assert publication.waiting() == {"BAC-03": 2, "relay": 1}
    health = publication.health()
    assert not health.is_ready
    assert set(health.problems) == {
        "BAC-03: the broker did not answer",
        "relay: the broker did not answer",
    }
    waiting, failing, refused, no_events = publication.readings()
    assert waiting.values == {"BAC-03": 2.0, "relay": 1.0}
    assert failing.values == {"BAC-03": 1.0, "relay": 1.0}
    assert refused.values == {"": 0}
    assert no_events.values == {"": 1}
    publication.close()
    assert any("cannot send" in line for line in desk.lines)

    desk.log.is_away = False
    later = desk.open(None)
    later.open_waiting()
    assert later.drain(10)
    assert later.health().is_ready
    later.close()
    assert seats(desk.log.of("BAC-03")) == ["1"]
    assert (b"", b"{}") in desk.log.messages


def test_what_waits_of_a_source_that_is_silent_now_is_sent_and_its_spool_let_go(
    desk: Desk,
) -> None:
    desk.log.is_away = True
    for source_id in ("BAC-03", "BAC-04"):
        publication = desk.open(source_id)
        publication.take(numbered([draft(1)]))
        publication.close()
    desk.log.is_away = False
    elsewhere = desk.open("BAC-04")
    elsewhere.take(numbered([draft(1), draft(2)]))
    assert elsewhere.drain(10)

    later = desk.open("BAC-05")
    later.open_waiting()
    later.take(numbered([draft(7)]))
    assert later.drain(10)
    assert seats(desk.log.of("BAC-03")) == ["1"]
    assert seats(desk.log.of("BAC-04")) == ["1", "2"]
    for _ in range(200):
        if set(later.waiting()) == {"BAC-05"}:
            break
        time.sleep(0.01)
    desk.publish([draft(1), draft(2)], "BAC-03")  # whose spool is free again
    assert seats(desk.log.of("BAC-03")) == ["1", "2"]
    later.close()
    elsewhere.close()


def test_a_spool_that_is_damaged_holds_up_nobody_else(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.log.is_away = True
    first = desk.open()
    first.take(numbered([draft(1)]))
    first.close()
    desk.log.is_away = False
    read = EventSpool.read

    def damaged(spool: EventSpool, *place: int) -> list[SpooledEvent]:
        if spool.source.source_id == "BAC-03":
            raise SpoolDamagedError("record 0 is not as it was written; restore the file")
        return read(spool, *place)

    monkeypatch.setattr(EventSpool, "read", damaged)
    other = desk.open("BAC-04")
    other.open_waiting()
    other.take(numbered([draft(2)]))
    assert other.drain(10)
    other.close()
    assert seats(desk.log.of("BAC-04")) == ["2"]
    assert any("what may wait of BAC-03 is not sent: record 0" in line for line in desk.lines)


def test_a_source_that_speaks_while_its_left_events_are_sent_goes_on(desk: Desk) -> None:
    desk.log.is_away = True
    publication = desk.open()
    publication.take(numbered([draft(1)]))
    publication.close()
    later = desk.open()
    later.open_waiting()
    later.take(numbered([draft(1), draft(2)]))
    desk.log.is_away = False
    assert later.drain(10)
    later.take(numbered([draft(3)]))
    assert later.drain(10)
    later.close()
    assert seats(desk.log.of("BAC-03")) == ["1", "2", "3"]


def test_a_log_that_fails_at_random_gets_everything_in_order(desk: Desk) -> None:
    desk.log.chance = random.Random(5)
    rows = [draft(n, source_id=f"BAC-{n % 2}") for n in range(60)]
    rows[10:10] = [b"%d" % n for n in range(20)]
    publication = desk.open(None)
    for at in range(0, len(rows), 20):
        publication.take(numbered(rows[at : at + 20]))
    assert publication.drain(30)
    publication.close()
    for source in range(2):
        assert seats(desk.log.of(f"BAC-{source}")) == [str(n) for n in range(60) if n % 2 == source]
    relayed = dict.fromkeys(raw for key, raw in desk.log.messages if key == b"")
    assert list(relayed) == [b"%d" % n for n in range(20)]


def test_a_thread_that_ends_is_noticed_by_whoever_takes_lines_or_waits(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a fault of the client")

    monkeypatch.setattr(desk.log, "send", broken)
    monkeypatch.setattr(desk.log, "send_keyed", broken)
    publication = desk.open()
    publication.take(numbered([draft(1), b"{}"]))
    with pytest.raises(RuntimeError, match="a fault of the client"):
        publication.drain(10)
    with pytest.raises(RuntimeError, match="a fault of the client"):
        publication.take(numbered([draft(2)]))
    health = publication.health()
    assert not health.is_ready
    assert "a fault of the client" in health.problems[0]
    publication.close()
    monkeypatch.undo()
    desk.publish([draft(1), draft(2)])
    assert seats(desk.log.of("BAC-03")) == ["1", "2"]


def test_events_are_sent_again_on_request(desk: Desk) -> None:
    desk.publish([draft(n) for n in range(5)])
    sent = list(desk.log.messages)
    publication = desk.open(None)
    assert publication.sources() == ["BAC-03"]
    assert publication.resend("BAC-03", 2, 4) == 3
    publication.close()
    assert desk.log.messages[len(sent) :] == sent[1:4]


def test_one_process_speaks_for_a_source(desk: Desk) -> None:
    first = desk.open()
    first.take(numbered([draft(1)]))
    second = desk.open()
    with pytest.raises(PathInUseError, match="in use by publisher"):
        second.take(numbered([draft(2)]))
    first.close()
    second.close()


def test_nothing_is_waited_for_much_longer_once_somebody_wants_the_end(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.log.is_away = True
    stop = threading.Event()
    monkeypatch.setattr("streams.publishing.publication.STOP_WITHIN_S", 0.1)
    publication = Publication(
        desk.root, desk.log, SystemClock(), desk.lines.append, Speaker("BAC-03"), stop
    )
    publication.take(numbered([draft(1)]))
    stop.set()
    assert not publication.drain(1_000)

    def full() -> None:
        raise SpoolFullError("spool is full")

    with pytest.raises(SpoolFullError, match="the last lines were not taken, give them again"):
        publication._when_there_is_room(full)
    publication.close()
    desk.log.is_away = False
    assert desk.publish([draft(1)]).counts.known == 1


def test_a_relay_takes_nothing_beyond_its_room_until_events_are_acknowledged(
    tmp_path: Path,
) -> None:
    log = Log()
    limits = LogLimits(segment_bytes=MIB // 4, total_bytes=MIB)
    relay = Relay(tmp_path, log, SetClock(), lambda _: None, limits)
    taken = 0
    with pytest.raises(Exception, match="has reached its 1 MiB"):
        for number in range(100):
            relay.take(b"k", b"%03d" % number + bytes(20_000))
            relay.sync()
            taken += 1
    assert 40 < taken < 55
    while relay.pump():
        pass
    assert relay.take(b"k", b"after")
    relay.sync()
    relay.pump()
    assert len(log.messages) == taken + 1
    relay.close()
