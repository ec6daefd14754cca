"""What could not be read is listed, shown and, once it can be read, replayed once."""

from __future__ import annotations

import orjson
import pytest

from dashboards.commands.stream.dead_letters import register
from schemas.topics import TopicName
from streams.kafka.partitioning import partition_of
from streams.operating.dead_letter_replay import LETTER_HEADER
from tests.support.stream.stream_floor import Stream
from tests.support.tables.table_script import TableScript
from tests.support.texts.command_line import Answer, run_command


@pytest.fixture
def dead_letters(stream: Stream, monkeypatch: pytest.MonkeyPatch):
    """Run ``ladderman dead-letters`` on the topics of the test."""
    for name, value in (
        ("BOOTSTRAP", stream.settings.bootstrap),
        ("PREFIX", stream.settings.prefix),
        ("PARTITIONS", str(stream.settings.partitions)),
        ("DEV", "true"),
    ):
        monkeypatch.setenv(f"LADDERMAN_KAFKA_{name}", value)
    monkeypatch.setenv("LADDERMAN_DATA_DIRECTORY", str(stream.store))

    def run(*arguments: str) -> Answer:
        return run_command(register, "dead-letters", *arguments)

    return run


def test_a_dead_letter_that_can_be_read_now_is_replayed_once(stream: Stream, dead_letters) -> None:
    messages = TableScript().open().shoe().messages
    at = partition_of(b"BAC-01", 3)
    elsewhere = (at + 1) % 3
    lost = messages[2]
    stream.publish_to(
        [
            *((None, b"BAC-01", raw) for raw in messages[:2]),
            (elsewhere, b"BAC-01", lost),
            (None, b"BAC-01", b'\x1b[31m{"no": json'),
            (None, b"BAC-01", bytes(70_000)),
        ]
    )
    worker = stream.worker()
    stream.wait_folded(worker)

    listed = dead_letters("list", "--from", "topic", "--format", "json")
    assert listed.code == 0, listed.err
    letters = {one["reason"]: one for one in listed.document["letters"]}
    assert set(letters) == {"wrong_partition", "not_json", "too_large"}
    assert {one["count"] for one in listed.document["counts"]} == {1}
    astray = letters["wrong_partition"]["id"]

    broken = dead_letters("show", letters["not_json"]["id"], "--from", "topic")
    assert broken.code == 0
    assert "\x1b" not in broken.out
    assert "1b 5b 33 31 6d 7b 22 6e 6f 22" in broken.out

    for reason, why in (("not_json", "this version either"), ("too_large", "65,536 of 70,000")):
        refused = dead_letters("replay", letters[reason]["id"], "--from", "topic")
        assert (refused.code, why in refused.err) == (2, True), refused.err

    replayed = dead_letters("replay", astray, "--from", "topic")
    assert (replayed.code, f" {at}/" in replayed.out) == (0, True), replayed
    again = dead_letters("replay", astray, "--from", "topic")
    assert again.code == 2
    assert "was replayed before" in again.err

    stream.wait_folded(worker)
    (event,) = [one for one in stream.messages(TopicName.EVENTS) if one.headers]
    assert (event.partition, event.value, event.key) == (at, lost, b"BAC-01")
    assert dict(event.headers) == {LETTER_HEADER: astray.encode()}
    verdicts = [orjson.loads(one.value) for one in stream.messages(TopicName.VERDICTS)]
    assert any(one["subject"] == "shoe_loaded/S1" for one in verdicts)
    shown = dead_letters("list", "--from", "topic", "--format", "csv")
    assert shown.out.count(f"{at}/{event.offset}") == 1
