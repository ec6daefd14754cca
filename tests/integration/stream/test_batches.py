"""Whatever a device's client makes of its batches, the events in them are read.

Compression, transactions and headers are the client's own choice, and one batch that cannot be
opened would end every worker and every sink that comes to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from aiokafka import AIOKafkaProducer

from schemas.topics import TopicName
from streams.kafka.connecting import aiokafka_options
from streams.kafka.partitioning import partition_of
from tests.support.stream.stream_floor import PARTITIONS, Expected, Stream, small_floor
from tests.support.tables.floors import Message

CODECS = (None, "gzip", "snappy", "lz4", "zstd")
HEADERS = [("traceparent", b"00-4bf92f3577b34da6"), ("", b""), ("source_id", b"BAC-99")]


async def send_in_every_way(stream: Stream, messages: Sequence[Message]) -> None:
    """Send part by part with another codec, the first half of each in a transaction given up."""
    size = len(messages) // len(CODECS) + 1
    for number, codec in enumerate(CODECS):
        part = messages[number * size : (number + 1) * size]
        async with AIOKafkaProducer(
            **aiokafka_options(stream.settings),
            compression_type=codec,
            transactional_id=f"{stream.settings.prefix}-{codec}",
        ) as producer:
            await producer.begin_transaction()
            await send(producer, stream, part[: size // 2])
            await producer.abort_transaction()
        async with AIOKafkaProducer(
            **aiokafka_options(stream.settings), compression_type=codec, linger_ms=20
        ) as producer:
            await send(producer, stream, part)


async def send(producer: AIOKafkaProducer, stream: Stream, messages: Sequence[Message]) -> None:
    name = stream.name(TopicName.EVENTS)
    sent = [
        await producer.send(
            name, raw, key=key, partition=partition_of(key, PARTITIONS), headers=HEADERS
        )
        for key, raw in messages
    ]
    await asyncio.gather(*sent)


def test_batches_in_every_codec_and_of_transactions_given_up_come_to_the_same_history(
    stream: Stream, expected: Expected
) -> None:
    worker, sink = stream.worker(), stream.sink()
    asyncio.run(send_in_every_way(stream, small_floor()))
    stream.wait_folded(worker)
    stream.wait_sunk(sink)
    assert worker.total("dead_letters") == 0
    assert stream.digests() == expected.digests
    assert worker.stop() == 0
    assert sink.stop() == 0
