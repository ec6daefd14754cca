"""What a Faust worker costs that does nothing: it counts the messages of a topic, then ends.

``python -m tests.support.stream.bare_faust '{"count": 40000}'``; settings come from the
environment as
for ``ladderman worker``. Says when it is ready, and at the end the seconds of time and of
processor from the first message on.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time

import faust
import orjson

from schemas.topics import TopicName, topic
from streams.kafka.connecting import faust_options
from streams.process.settings import load_settings


async def run(count: int) -> tuple[float, float]:
    """Count messages and give the seconds that they took."""
    kafka = load_settings().kafka
    app = faust.App(
        f"{kafka.prefix}-bare",
        **faust_options(kafka),
        store="memory://",
        consumer_auto_offset_reset="latest",
        datadir=tempfile.mkdtemp(prefix="bare-faust-"),
    )
    messages = app.topic(
        topic(TopicName.EVENTS).full_name(kafka.prefix),
        key_type=bytes,
        key_serializer="raw",
        value_type=bytes,
        value_serializer="raw",
    )
    began: list[float] = []
    ended: asyncio.Future[tuple[float, float]] = asyncio.get_running_loop().create_future()
    seen = 0

    @app.agent(messages)
    async def take(stream: faust.StreamT[bytes]) -> None:
        nonlocal seen
        async for _ in stream.events():
            if not began:
                began.extend((time.monotonic(), time.process_time()))
            seen += 1
            if seen == count:
                ended.set_result((time.monotonic() - began[0], time.process_time() - began[1]))

    @app.on_partitions_assigned.connect
    async def tell(_app: faust.App, _assigned: object, **_: object) -> None:
        print("ready", flush=True)

    await app.start()
    found = await ended
    await app.stop()
    return found


if __name__ == "__main__":
    taken, spent = asyncio.run(run(orjson.loads(sys.argv[1])["count"]))
    print(orjson.dumps({"taken_s": taken, "spent_s": spent}).decode(), flush=True)
