"""A floor that is asked for recordings tells of some, and plays on as it would have without."""

import datetime

import orjson

from schemas import events as said
from schemas.wire import parse_event
from streams.conformance import ConformanceCheck, Level
from streams.simulator.floor import FloorConfig, floor_events
from tests.support.tables.simulated import hours

PLACE = ("sequence", "previous_hash", "event_count", "feed_id", "predecessor_feed_id")


def happenings(config: FloorConfig) -> list[dict[str, object]]:
    """Give all that happens beside recordings and heartbeats, without its place in the feed."""
    documents = [orjson.loads(raw) for _, raw in floor_events(config)]
    return [
        {name: value for name, value in one.items() if name not in PLACE}
        for one in documents
        if one["type"] not in ("video_reference", "heartbeat")
    ]


def test_every_so_many_coups_one_is_on_a_recording_of_a_camera_of_the_table() -> None:
    config = FloorConfig(tables=2, duration=hours(0.3), video_every=3)
    check, told, coups, cameras = ConformanceCheck(), [], set(), set()
    for line, (_, raw) in enumerate(floor_events(config), 1):
        event = parse_event(raw)
        problems = [one for one in check.line(line, raw) if one.level is Level.ERROR]
        assert problems == []
        if isinstance(event, said.TableOpened):
            cameras |= {one.camera_id for one in event.cameras}
        elif isinstance(event, said.CardDealt):
            coups.add(event.coup_id)
        elif isinstance(event, said.VideoReference):
            told.append(event)
            assert event.coup_id in coups
            assert event.camera_id in cameras
            assert event.recorded_from < event.recorded_until <= event.occurred_at
            assert event.occurred_at - event.recorded_from < datetime.timedelta(minutes=5)
    assert len(told) in range(len(coups) // 3 - 2, len(coups) // 3 + 1)
    assert len({one.recording for one in told}) == len(told) > 4


def test_everything_else_happens_as_it_would_have_without() -> None:
    quiet = FloorConfig(tables=2, duration=hours(0.1))
    assert happenings(FloorConfig(tables=2, duration=hours(0.1), video_every=2)) == happenings(
        quiet
    )
