"""A floor that plays through Kafka waits for what is on its way, and hears every record once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import TopicPartition

from schemas.findings import Finding
from schemas.records import Record, encode_record
from schemas.topics import TopicName
from streams.files.line_groups import Line
from streams.process.settings import KafkaSettings, Settings
from streams.simulator.live import kafka as kafka_floor
from streams.simulator.live.floor import Watch
from streams.simulator.live.kafka import KafkaPipeline, VerdictReader, places_of
from tests.support.history.history_records import a_coup, a_finding

KAFKA = KafkaSettings(partitions=2, dev=True)
AT = places_of(KAFKA, TopicName.VERDICTS)[0]


class FakePublication:
    """Takes lines, and has some of them on their way."""

    def __init__(self) -> None:
        self.taken: list[bytes | None] = []
        self.waiting_count = 0
        self.counts = SimpleNamespace(taken=0)

    def take(self, lines: list[Line]) -> None:
        self.taken += [one.raw for one in lines]
        self.counts.taken = len(self.taken)


def message(record: Record, offset: int) -> Any:
    return SimpleNamespace(value=encode_record(record), offset=offset)


def found(coup: str) -> Record:
    """Give a coup with a finding, as a host puts it out."""
    return a_coup(1, findings=(a_finding(coup),))


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def watch(said: list[str]) -> Watch:
    def note(finding: Finding, _: Record) -> None:
        said.append(finding.id)

    return Watch(note)


@pytest.fixture
def reader() -> VerdictReader:
    return VerdictReader(KAFKA)


@pytest.fixture
def pipeline(watch: Watch, reader: VerdictReader) -> KafkaPipeline:
    settings = Settings.model_construct(kafka=KAFKA)
    return KafkaPipeline(settings, FakePublication(), reader, watch)  # type: ignore[arg-type]


def test_a_record_that_is_put_out_again_is_heard_once(
    reader: VerdictReader, pipeline: KafkaPipeline, said: list[str]
) -> None:
    old, new = found("S1/1"), found("S1/1").model_copy(update={"offset": 99})
    reader._hear(AT, [message(old, 0), message(new, 1), message(old, 2), message(new, 3)])
    assert pipeline.catch_up() == 2
    assert pipeline.catch_up() == 0
    assert len(said) == 1
    assert reader.has_read({AT: 4})
    assert not reader.has_read({AT: 5})


def test_a_reader_that_failed_says_so_in_the_thread_that_plays(
    reader: VerdictReader, pipeline: KafkaPipeline
) -> None:
    reader._failure = ConnectionError("gone")
    with pytest.raises(ConnectionError):
        pipeline.catch_up()


def test_the_floor_waits_where_kafka_is_behind(
    pipeline: KafkaPipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    publication: FakePublication = pipeline._publication  # type: ignore[assignment]
    monkeypatch.setattr(kafka_floor, "_PAUSE_S", 0.001)
    publication.waiting_count = kafka_floor.WAITING_MAX + 3

    def goes_on() -> None:
        publication.waiting_count -= 1

    pipeline.waits = goes_on
    assert pipeline.extend([(b"BAC-01", b"one"), (b"BAC-02", b"two")]) == 2
    assert publication.taken == [b"one", b"two"]
    assert publication.waiting_count == kafka_floor.WAITING_MAX


def ends(monkeypatch: pytest.MonkeyPatch, events: int, verdicts: int) -> None:
    def ends_of(_: KafkaSettings, name: TopicName) -> dict[TopicPartition, int]:
        count = verdicts if name is TopicName.VERDICTS else events
        first, second = places_of(KAFKA, name)
        return {first: count, second: 0}

    monkeypatch.setattr(kafka_floor, "ends_of", ends_of)
    monkeypatch.setattr(kafka_floor, "_PAUSE_S", 0.001)


def test_settling_waits_for_publishing_folding_and_reading_in_turn(
    reader: VerdictReader,
    pipeline: KafkaPipeline,
    said: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends(monkeypatch, events=7, verdicts=1)
    publication: FakePublication = pipeline._publication  # type: ignore[assignment]
    publication.waiting_count = 1
    order: list[str] = []
    folded = {0: 6}

    def step() -> None:
        if publication.waiting_count:
            order.append("publish")
            publication.waiting_count = 0
        elif folded[0] < 7:
            order.append("fold")
            folded[0] = 7
        else:
            order.append("read")
            reader._hear(AT, [message(found("S1/1"), 0)])

    pipeline.waits = step
    asked: list[TopicName] = []

    def of_topic(name: TopicName) -> dict[int, int]:
        asked.append(name)
        return folded

    pipeline.settle(of_topic, 5.0)
    assert order == ["publish", "fold", "read"]
    assert list(dict.fromkeys(asked)) == [TopicName.EVENTS, TopicName.PROGRESSIVE_INPUTS]
    assert len(said) == 1


@pytest.mark.parametrize("stuck", ["publishing", "folding", "reading"])
def test_settling_gives_up_where_nothing_moves(
    pipeline: KafkaPipeline, monkeypatch: pytest.MonkeyPatch, stuck: str
) -> None:
    ends(monkeypatch, events=7, verdicts=1)
    publication: FakePublication = pipeline._publication  # type: ignore[assignment]
    publication.waiting_count = stuck == "publishing"
    with pytest.raises(TimeoutError, match=r"^nothing moved for 0\.05 s$"):
        pipeline.settle(lambda _: {0: 6 if stuck == "folding" else 7}, 0.05)


def test_whoever_waits_can_be_broken_off(
    pipeline: KafkaPipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends(monkeypatch, events=7, verdicts=1)

    def break_off() -> None:
        raise KeyboardInterrupt

    pipeline.waits = break_off
    with pytest.raises(KeyboardInterrupt):
        pipeline.settle(lambda _: {}, 5.0)
