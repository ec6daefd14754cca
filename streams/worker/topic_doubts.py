"""Doubts about topics: a broker said that one is not there, so that no worker got partitions.

A broker that has just started says so of every topic, and a worker that slept may hear it. What
was assigned before is kept until it is clear whether the topic is still the same one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Final, Protocol

from schemas.topics import TopicName, topic
from streams.host.errors import LogReplacedError
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.ports.sending import TopicGoneError
from streams.kafka.topics import check_topics, topic_ids
from streams.process.settings import KafkaSettings

LOOK_EVERY_S: Final = 1.0
"""How often the cluster is asked while a topic is in doubt."""

GONE_AFTER: Final = 3
"""A topic is gone when the cluster says so often in a row."""


class Membership(Protocol):
    """Knows which topics the framework was told of; the consumer of the framework."""

    def knows(self, name: str) -> bool:
        """Say whether it was told of a topic."""
        ...

    def look_again(self) -> None:
        """Have it ask the brokers for their topics, after which it is assigned anew."""
        ...


class TopicDoubts:
    """Clears up whether topics that the framework lost sight of are still there."""

    def __init__(
        self,
        settings: KafkaSettings,
        ids: Mapping[TopicName, str],
        end: Callable[[Exception], None],
        alert: Callable[[str], None],
    ) -> None:
        """Doubt nothing.

        Args:
            settings: How Kafka is reached.
            ids: The ids that the topics had when the worker started.
            end: Told why the worker has to end.
            alert: Told what people should know, one line.
        """
        self._settings, self._ids = settings, ids
        self._end, self._alert = end, alert
        self._clearing: asyncio.Task[None] | None = None

    def about(self, names: frozenset[TopicName], membership: Membership) -> None:
        """Clear up whether topics that the framework does not know are still there."""
        if self._clearing is None or self._clearing.done():
            self._clearing = asyncio.create_task(self._clear_up(names, membership), name="doubts")

    async def _clear_up(self, names: frozenset[TopicName], membership: Membership) -> None:
        full_names = {name: topic(name).full_name(self._settings.prefix) for name in names}
        self._alert(
            f"{', '.join(sorted(full_names.values()))} could not be seen when partitions were "
            "assigned; what was assigned before is kept until it can"
        )
        missed = 0
        while True:
            membership.look_again()
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                found = await asyncio.to_thread(self._look)
            except KafkaUnavailableError:
                continue
            missed = 0 if names <= found.keys() else missed + 1
            for name, full_name in full_names.items():
                error = self._error(full_name, self._ids[name], found.get(name))
                if error is not None and (name in found or missed >= GONE_AFTER):
                    self._end(error)
                    return
            if all(map(membership.knows, full_names.values())):
                return

    def _look(self) -> dict[TopicName, str]:
        return topic_ids(check_topics(self._settings))

    @staticmethod
    def _error(full_name: str, before: str, now: str | None) -> Exception | None:
        if now == before:
            return None
        if now is None:
            return TopicGoneError(full_name)
        return LogReplacedError(
            f"{full_name} was created again while it was folded: its id was {before} and is {now}; "
            "see infra/runbook/TopicRecreated.md"
        )
