"""A topic that the framework lost sight of: still there, gone, or another one of its name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from schemas.topics import TopicName
from streams.host.errors import LogReplacedError
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.ports.sending import TopicGoneError
from streams.process.settings import KafkaSettings
from streams.worker import topic_doubts
from streams.worker.topic_doubts import TopicDoubts

EVENTS = TopicName.EVENTS
THERE, ANOTHER, GONE = {EVENTS: "id-1"}, {EVENTS: "id-2"}, {}

Look = dict[TopicName, str] | KafkaUnavailableError


class Cluster:
    """What the cluster says, look by look; the framework knows the topic after so many looks."""

    def __init__(self, looks: Sequence[Look], known_after: int) -> None:
        self.looks, self.known_after = list(looks), known_after
        self.looked = 0
        self.errors: list[Exception] = []
        self.alerts: list[str] = []

    def knows(self, name: str) -> bool:
        assert name == "ladderman.events"
        return self.looked >= self.known_after

    def look_again(self) -> None:
        self.looked += 1

    def look(self) -> dict[TopicName, str]:
        found = self.looks.pop(0)
        if isinstance(found, KafkaUnavailableError):
            raise found
        return found


def cleared_up(
    monkeypatch: pytest.MonkeyPatch, *looks: Look, known_after: int = 99, times: int = 1
) -> Cluster:
    """Have a doubt cleared up, and give what came of it."""
    monkeypatch.setattr(topic_doubts, "LOOK_EVERY_S", 0.001)
    cluster = Cluster(looks, known_after)

    async def clear_up() -> None:
        doubts = TopicDoubts(KafkaSettings(), THERE, cluster.errors.append, cluster.alerts.append)
        monkeypatch.setattr(doubts, "_look", cluster.look)
        for _ in range(times):
            doubts.about(frozenset({EVENTS}), cluster)
        assert doubts._clearing is not None
        await doubts._clearing

    asyncio.run(clear_up())
    assert cluster.looks == []
    return cluster


def test_a_topic_that_is_still_there_is_looked_for_until_the_framework_knows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = cleared_up(monkeypatch, THERE, THERE, THERE, known_after=3, times=2)
    assert cluster.errors == []
    assert cluster.alerts == [
        "ladderman.events could not be seen when partitions were assigned; what was assigned "
        "before is kept until it can"
    ]


def test_a_topic_is_gone_when_the_cluster_says_so_again_and_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    away = KafkaUnavailableError("away")
    cluster = cleared_up(monkeypatch, GONE, away, GONE, THERE, GONE, GONE, GONE)
    (error,) = cluster.errors
    assert isinstance(error, TopicGoneError)
    assert str(error).startswith("ladderman.events is not there any more")


def test_another_topic_of_the_same_name_ends_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = cleared_up(monkeypatch, GONE, ANOTHER)
    (error,) = cluster.errors
    assert isinstance(error, LogReplacedError)
    assert "its id was id-1 and is id-2; see infra/runbook/TopicRecreated.md" in str(error)
