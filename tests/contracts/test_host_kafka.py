"""The host over Kafka bears what every host must bear, on a real broker."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

import orjson
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from schemas.records import decode_record
from schemas.topics import MESSAGE_BYTES_MAX, TopicName, topic
from streams.development.kafka_cluster import KafkaCluster
from streams.host.dead_letters import decode_dead_letter
from streams.host.snapshots import read_header
from streams.kafka.connecting import aiokafka_options
from streams.kafka.topics import create_topics
from streams.process.settings import KafkaSettings
from tests.contracts.host_contract import HostContract, Kill, Rig
from tests.support.children.kafka_host_child import INCARNATION
from tests.support.source_tree import ROOT
from tests.support.stream.memory_ports import Emitted, emitted_record
from tests.support.tables.floors import Message, table_floor, write_floor

_SECONDS_MAX = 120


class KafkaRig:
    """A set of topics and the processes whose hosts fold them one after the other."""

    def __init__(self, directory: Path, bootstrap: str, floor: Sequence[Message]) -> None:
        prefix = f"h{abs(hash(directory)) % 10**12}"
        self._settings = KafkaSettings(bootstrap=bootstrap, prefix=prefix, partitions=1, dev=True)
        self._options = {
            "bootstrap": bootstrap,
            "prefix": prefix,
            "floor": str(directory / "floor"),
            "shown": str(directory / "shown"),
            "fold": "table",
            "snapshot_every": 60,
        }
        write_floor(directory / "floor", floor)
        create_topics(self._settings)
        asyncio.run(self._fill(floor))

    async def _fill(self, floor: Sequence[Message]) -> None:
        name = self._name(TopicName.EVENTS)
        async with AIOKafkaProducer(
            **aiokafka_options(self._settings), enable_idempotence=True
        ) as producer:
            sent = [await producer.send(name, raw, key=key) for key, raw in floor]
            offsets = [one.offset for one in await asyncio.gather(*sent)]
        assert offsets == list(range(len(floor)))

    def _name(self, name: TopicName) -> str:
        return topic(name).full_name(self._settings.prefix)

    def run(self, kill: Kill | None = None) -> bool:
        kill = kill or Kill()
        options = {
            **self._options,
            "step": kill.step.value if kill.step else None,
            "occurrence": kill.occurrence,
        }
        command = [sys.executable, "-m", "tests.support.children.kafka_host_child"]
        child = subprocess.Popen(
            [*command, orjson.dumps(options).decode()],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with child:
            assert child.stdout is not None
            if kill.after_s is not None:
                child.stdout.readline()  # its imports are no part of the test
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(kill.after_s)
                child.kill()
            output, errors = child.communicate(timeout=_SECONDS_MAX)
        assert child.returncode in (0, -9), errors.decode()
        return b"done" in output

    async def _read(self, name: TopicName) -> list[bytes]:
        at = TopicPartition(self._name(name), 0)
        found: list[bytes] = []
        async with AIOKafkaConsumer(
            **aiokafka_options(self._settings),
            auto_offset_reset="earliest",
            max_partition_fetch_bytes=MESSAGE_BYTES_MAX,
        ) as consumer:
            consumer.assign([at])
            end = (await consumer.end_offsets([at]))[at]
            while await consumer.position(at) < end:
                got = await consumer.getmany(at, timeout_ms=500)
                found += [message.value for message in got.get(at, [])]
        return found

    def incarnations(self) -> list[list[Emitted]]:
        runs: list[list[Emitted]] = []
        for raw in asyncio.run(self._read(TopicName.VERDICTS)):
            if raw == INCARNATION:
                runs.append([])
            else:
                runs[-1].append(_emitted(raw))
        return runs

    def last_snapshot(self) -> bytes:
        kept = asyncio.run(self._read(TopicName.SNAPSHOTS))
        return max(kept, key=lambda one: read_header(one).position)


def _emitted(raw: bytes) -> Emitted:
    if b'"ladderman.dead-letter/1"' in raw[:40]:
        letter = decode_dead_letter(raw)
        return Emitted(("dead-letter", letter.letter_id), letter.offset, raw)
    return emitted_record(decode_record(raw))


@cache
def _floor() -> tuple[Message, ...]:
    return tuple(table_floor(delay_max=100))


class TestKafkaHostWithTables(HostContract):
    """With the fold of tables."""

    step_count = 3000
    bootstrap: ClassVar[str]

    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def broker(cls, kafka: KafkaCluster) -> Iterator[None]:
        cls.bootstrap = kafka.bootstrap
        yield

    @classmethod
    def rig(cls, directory: Path) -> Rig:
        return KafkaRig(directory, cls.bootstrap, cls.floor())

    @classmethod
    def floor(cls) -> Sequence[Message]:
        return _floor()
