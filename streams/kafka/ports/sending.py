"""Sends to a topic; one that a producer does not know is looked for twice before it is gone."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any, Final

from aiokafka import AIOKafkaProducer
from aiokafka.errors import UnknownTopicOrPartitionError

KNOWN_WITHIN_S: Final = 3.0
"""How long a producer may take to get to know its topics; then it is used all the same."""


class TopicGoneError(Exception):
    """A topic that was there when the process started is not any more."""

    def __init__(self, name: str) -> None:
        """Name the topic."""
        super().__init__(
            f"{name} is not there any more; it was when this process started: see "
            "ladderman topics check and infra/runbook/TopicRecreated.md"
        )


async def send(
    producer: AIOKafkaProducer,
    topic: str,
    message: tuple[bytes, bytes],
    partition: int | None = None,
) -> asyncio.Future[Any]:
    """Hand a message to a producer, without waiting for its delivery.

    A producer looks for a topic that it does not know for as long as a request may take, by the
    clock. A process that was stopped meanwhile has used that time up without a single look, so
    that one failure says nothing.

    Args:
        producer: A started one.
        topic: Name of the topic.
        message: Key and value.
        partition: Its number; None: that of the key.

    Returns:
        What is done once the message is delivered.

    Raises:
        TopicGoneError: The topic is not there.
    """
    key, value = message
    delivery: asyncio.Future[Any]
    try:
        delivery = await producer.send(topic, value=value, key=key, partition=partition)
    except UnknownTopicOrPartitionError:
        try:
            delivery = await producer.send(topic, value=value, key=key, partition=partition)
        except UnknownTopicOrPartitionError:
            raise TopicGoneError(topic) from None
    return delivery


async def get_to_know(producer: AIOKafkaProducer, topics: Sequence[str]) -> None:
    """Have a producer know topics before it sends to them; the first message waits otherwise."""
    # Where one is not found in time, whoever sends to it says so.
    with contextlib.suppress(TimeoutError, UnknownTopicOrPartitionError):
        async with asyncio.timeout(KNOWN_WITHIN_S):
            await asyncio.gather(*(producer.partitions_for(name) for name in topics))
