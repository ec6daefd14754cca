"""Mistakes that makers of devices often make are told with what was probably meant."""

import json

import pytest

from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from schemas.wire.vectors import event_vectors

FEED = {vector.event.type: vector.raw for vector in event_vectors()}
RAW = FEED["card_dealt"]


def told(raw: bytes) -> str:
    """Say what the reader says of bytes that are no event."""
    with pytest.raises(UnreadableEventError) as refused:
        parse_event(raw)
    return refused.value.message


def changed(tag: str, **fields: object) -> bytes:
    """Write an event of the vectors with other values."""
    return json.dumps(json.loads(FEED[tag]) | fields, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("10H", "TH"),
        ("10", "T"),
        ("ks", "KS"),
        ("HK", "KH"),
        ("K♠", "KS"),
        ("Q♥️", "QH"),
        ("1D", "AD"),
        (" 9c ", "9C"),
        ("♦10", "TD"),
    ],
)
def test_a_card_in_another_notation_is_told_in_ours(written: str, meant: str) -> None:
    message = told(changed("card_dealt", card=written))
    assert message.endswith(f"; did you mean {meant}?")


@pytest.mark.parametrize("written", ["XX", "KK", "14H", "joker", "", "10H" * 20])
def test_what_is_no_card_in_any_notation_is_told_the_form_alone(written: str) -> None:
    message = told(changed("card_dealt", card=written))
    assert message.endswith("T is ten, 0 any ten-value")


def test_a_wager_as_printed_is_told_as_its_code() -> None:
    message = told(changed("wager_placed", wager="Golden Talons"))
    assert message.endswith("; did you mean golden_talons?")


@pytest.mark.parametrize(
    ("raw", "advice"),
    [
        (b"[", "write one event a line, without a list around them"),
        (b"]", "write one event a line, without a list around them"),
        (RAW + b",", "write one event a line, without a comma behind it"),
        (b"{", "this is a part of an event: write each event on one line"),
        (b'  "type": "card_dealt",', "this is a part of an event: write each event on one line"),
        (RAW + RAW, "another event stands on the line: write one event a line"),
        (str(json.loads(RAW)).encode(), "texts stand in double quotes in JSON, not in single"),
        (FEED["wager_placed"].replace(b"2500", b"NaN"), "NaN is no number of JSON: leave out"),
        (RAW[:-9], "send one whole object an event"),
    ],
)
def test_lines_that_are_no_json_are_told_how_to_lay_out_a_file(raw: bytes, advice: str) -> None:
    problem, _, said = told(raw).partition("; ")
    assert problem.startswith("no JSON from character ")
    assert said.startswith(advice)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            changed("feed_started", sequence=0),
            "feed_started.sequence: 0 is below 1; write 1 or more (number in the feed: 1, 2, 3 and "
            "so on, without gaps)",
        ),
        (
            changed("shoe_loaded", decks=416),
            "shoe_loaded.decks: 416 is above 12; write 12 or less (decks of 52 cards that it "
            "should hold)",
        ),
        (
            changed("feed_started", previous_hash=None),
            "feed_started.previous_hash: is null, which means not known; it must be told (SHA-256 "
            "of the exact bytes of the feed's previous event)",
        ),
        (
            changed("result_announced", winner="B"),
            'result_announced.winner: "B" is not player, banker or tie; write one of them as it '
            "stands",
        ),
        (
            changed("heartbeat", schema_version="1"),
            'heartbeat.schema_version: "1" is no whole number; write the whole number 1',
        ),
        (
            changed("heartbeat", occurred_at="2025-06-07T22:00:41Z"),
            'heartbeat.occurred_at: "2025-06-07T22:00:41Z" is not of its form; write UTC of the '
            "years 2000 to 2199 with six decimals and Z, such as 2025-06-07T22:00:41.123456Z",
        ),
        (
            changed("heartbeat", type="HeartBeat"),
            'type: "HeartBeat" is no event; did you mean heartbeat?',
        ),
        (
            changed("heartbeat", device_version="4.2"),
            "heartbeat.device_version: is no field here; did you mean schema_version, which stands "
            "here too? Leave out the other",
        ),
    ],
)
def test_a_value_outside_its_form_is_told_with_what_to_write(raw: bytes, message: str) -> None:
    assert told(raw) == message
