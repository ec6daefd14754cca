"""Kafka clients that live for one look at the stream, or for a few messages."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import (
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    RequestTimedOutError,
)
from kafka.errors import KafkaConnectionError as NotReachedError

from schemas.topics import MESSAGE_BYTES_MAX
from streams.kafka.administration import (
    KafkaUnavailableError,
    unanswered_line,
    unavailable_line,
)
from streams.kafka.answers import Answers, NoAnswerError
from streams.kafka.connecting import aiokafka_options
from streams.kafka.looking import LookingConsumer
from streams.process.settings import KafkaSettings

STOP_WITHIN_S: Final = 1.0
"""How long clients may take to say goodbye; nothing of theirs is unsaved by then."""

# The client reports each of its tries; without a log they would land on the terminal.
logging.getLogger("aiokafka").addHandler(logging.NullHandler())


def unavailable(settings: KafkaSettings, error: KafkaError) -> KafkaUnavailableError:
    """Say in one line why the cluster did not do what these clients asked."""
    if isinstance(error, NoAnswerError):
        return KafkaUnavailableError(unanswered_line(settings, str(error.args[0])))
    if isinstance(error, KafkaConnectionError | KafkaTimeoutError | RequestTimedOutError):
        return KafkaUnavailableError(unavailable_line(settings, NotReachedError(str(error))))
    return KafkaUnavailableError(unavailable_line(settings, error))


@contextlib.asynccontextmanager
async def reading_clients(
    settings: KafkaSettings, count: int
) -> AsyncIterator[list[AIOKafkaConsumer]]:
    """Give started consumers without a group.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached.
    """
    made = [LookingConsumer(settings) for _ in range(count)]
    try:
        try:
            await asyncio.gather(*(client.start() for client in made))
        except KafkaError as error:
            raise unavailable(settings, error) from None
        yield made
    finally:
        await _stopped(*made)


@contextlib.asynccontextmanager
async def sending_client(settings: KafkaSettings) -> AsyncIterator[AIOKafkaProducer]:
    """Give a started idempotent producer.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached.
    """
    answers = Answers(settings)
    producer = AIOKafkaProducer(
        **aiokafka_options(settings),
        enable_idempotence=True,
        acks="all",
        max_request_size=MESSAGE_BYTES_MAX,
        linger_ms=2,
    )
    try:
        try:
            async with answers.awaited():
                await producer.start()
        except KafkaError as error:
            raise unavailable(settings, error) from None
        yield producer
    finally:
        await _stopped(producer)


async def _stopped(*clients: AIOKafkaConsumer | AIOKafkaProducer) -> None:
    """Stop clients; one that misses being told to is told again."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(STOP_WITHIN_S):
            await asyncio.gather(*(client.stop() for client in clients), return_exceptions=True)
