"""A seeded floor on a real broker, with workers and sinks as processes of the console script.

What the processes put out is held against one host that nobody disturbs, over the very same log.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import orjson
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import GroupIdNotFoundError

from schemas.records import Record, RecordKind, decode_record
from schemas.topics import MESSAGE_BYTES_MAX, TopicName, topic
from streams.host.dead_letters import DeadLetter, Origin, decode_dead_letter
from streams.host.driving import run_now
from streams.host.ledgers_in_memory import LedgerFolds
from streams.host.partition_host import HostSettings, PartitionHost
from streams.host.ports import LogEntry
from streams.host.table_fold import TableFold
from streams.kafka.administration import administration
from streams.kafka.connecting import aiokafka_options
from streams.kafka.partitioning import partition_of
from streams.kafka.topics import check_topics, create_topics, topic_ids
from streams.process.settings import KafkaSettings
from streams.simulator.floor import FloorConfig, floor_events
from streams.simulator.placing import PlantRequest
from tests.support.clocks import SetClock
from tests.support.source_tree import ROOT
from tests.support.stream.memory_ports import Emitted, MemoryLog, MemoryOutbox, MemorySnapshots
from tests.support.stream.poison import Placed
from tests.support.stream.stream_processes import CONSOLE_SCRIPT, WAIT_S, Running, wait_until
from tests.support.tables.floors import Message

PARTITIONS = 3
SESSION_S = 6.0
"""The shortest session that a broker takes: a dead worker's partitions move after it."""
SEGMENT_S = 0.2
"""A topic that is compacted quickly has segments of so long."""
PLANTS = (
    "banker_overpaid",
    "loser_paid",
    "winner_underpaid",
    "wager_late",
    "card_after_natural",
)
FAULTS_OF_FEEDS = ("event_lost", "sequence_conflict", "event_rejected")
"""All at the first table, so that the others are the same in whatever order they come."""
FIRST_TABLE = "BAC-01"

OF_LEDGERS = {
    RecordKind.LEDGER,
    RecordKind.READING,
    RecordKind.HIT,
    RecordKind.PROGRESSIVE_DAY,
    RecordKind.PROGRESSIVE,
}
"""What ledgers put out is compared at L2: other hosts tell them the same in another order."""

_WRITTEN = (TopicName.EVENTS, TopicName.VERDICTS, TopicName.DEAD_LETTERS)


@cache
def small_floor() -> tuple[Message, ...]:
    """Some two thousand events of four tables and their controller, with plants."""
    return _floor(tables=4, coups=72)


@cache
def full_floor() -> tuple[Message, ...]:
    """Over fifty thousand events of twenty tables and their controller, with plants."""
    return _floor(tables=20, coups=1900)


@cache
def established_floor() -> tuple[Message, ...]:
    """Some six thousand events of four tables, each with more than makes a source established."""
    return _floor(tables=4, coups=200)


def _floor(tables: int, coups: int) -> tuple[Message, ...]:
    plants = [PlantRequest(name, coup=2) for name in PLANTS]
    plants += [PlantRequest(name, coup=2, table=FIRST_TABLE) for name in FAULTS_OF_FEEDS]
    config = FloorConfig(tables=tables, coups=coups, seed=11, plants=tuple(plants))
    return tuple((source.encode(), raw) for source, raw in floor_events(config))


@dataclass(frozen=True)
class Expected:
    """What a floor comes to where nobody disturbs anything."""

    records: set[Emitted]
    digests: dict[str, str]
    ledgers: dict[tuple[str, ...], tuple[object, ...]]
    """What ledgers say in the end, as :func:`standing_of_ledgers` gives it."""


def expected_of(
    floor: Sequence[Message], directory: Path, partitions: int = PARTITIONS
) -> Expected:
    """Fold a floor with hosts in memory as they would on a broker, and by files of one machine."""
    settings = KafkaSettings(partitions=partitions, dev=True)
    placed: dict[int, list[LogEntry]] = {}
    for key, raw in floor:
        entries = placed.setdefault(partition_of(key, partitions), [])
        entries.append(LogEntry(len(entries), key, raw))
    outboxes = [
        outbox_alone(entries, Origin("log", partition), settings)
        for partition, entries in placed.items()
    ]
    records = {one for outbox in outboxes for one in outbox.delivered}
    assert not any(one.key[0] == "dead-letter" for one in records)
    told = LedgerFolds().take(one for outbox in outboxes for one in outbox.told)
    return Expected(records, ingested_digests(floor, directory), standing_of_ledgers(told))


def standing_of_ledgers(records: Iterable[Record]) -> dict[tuple[str, ...], tuple[object, ...]]:
    """Give what stands of every subject of ledgers, apart from who was heard when: L2."""
    last: dict[tuple[str, ...], Record] = {}
    for one in records:
        if one.key not in last or one.version >= last[one.key].version:
            last[one.key] = one
    return {
        key: (
            one.gaming_date,
            one.currency,
            one.is_simulated,
            one.progressive and one.progressive.model_dump(exclude={"pending_count"}),
            {found.id: (found.status.value, found.sentence) for found in one.findings},
        )
        for key, one in last.items()
    }


def standing_findings(records: Iterable[Emitted], tables: Set[bytes]) -> set[tuple[str, ...]]:
    """Give what the last record of every subject of some tables finds."""
    last: dict[tuple[str, ...], Emitted] = {}
    for one in records:
        if one.key not in last or one.version > last[one.key].version:
            last[one.key] = one
    current = (decode_record(one.raw) for one in last.values())
    return {
        (*record.key, one.id, one.status.value, one.sentence)
        for record in current
        if record.table_id.encode() in tables
        for one in record.findings
    }


class Output(NamedTuple):
    """What stands on the topics that hosts write to."""

    records: set[Emitted]
    """Repeats once; a version with two different contents would be two."""
    count: int
    """Repeats counted."""
    letters: dict[str, DeadLetter]
    """By their id."""
    ledgers: list[Record]
    """What the ledgers of progressives put out, in the order of the topic."""


@dataclass
class Stream:
    """The topics of one prefix, and the processes that work on them."""

    settings: KafkaSettings
    directory: Path
    environment: dict[str, str] = field(default_factory=dict)
    running: list[Running] = field(default_factory=list)
    started: int = 0

    @classmethod
    def begin(
        cls,
        bootstrap: str,
        prefix: str,
        directory: Path,
        *,
        partitions: int = PARTITIONS,
        replication: int = 1,
    ) -> Self:
        """Make the topics of a prefix that nobody else uses."""
        settings = cls.settings_of(bootstrap, prefix, partitions, replication)
        directory.mkdir(parents=True, exist_ok=True)
        create_topics(settings)
        return cls(settings, directory)

    @staticmethod
    def settings_of(
        bootstrap: str, prefix: str, partitions: int, replication: int
    ) -> KafkaSettings:
        """Give settings with the shortest session."""
        return KafkaSettings(
            bootstrap=bootstrap,
            prefix=prefix,
            partitions=partitions,
            replication=replication,
            dev=True,
            session_timeout_s=SESSION_S,
            heartbeat_s=1.0,
        )

    def __enter__(self) -> Self:
        """Work for the length of a block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave no process behind, and after a failure show what they said."""
        for one in self.running:
            if one.process.poll() is None:
                one.process.kill()
            one.process.wait()
            if error is not None:
                print(f"--- {one.role} ({one.process.returncode})\n{one.said[-4000:]}")

    # Processes.

    @property
    def store(self) -> Path:
        """Where the embedded history is."""
        return self.directory / "store"

    def _environment(self) -> dict[str, str]:
        scratch = self.directory / "tmp"  # goes with it: who is killed leaves things there
        scratch.mkdir(exist_ok=True)
        kept = {key: value for key, value in os.environ.items() if "LADDERMAN" not in key}
        return {
            **kept,
            "TMPDIR": str(scratch),
            "LADDERMAN_KAFKA_BOOTSTRAP": self.settings.bootstrap,
            "LADDERMAN_KAFKA_PREFIX": self.settings.prefix,
            "LADDERMAN_KAFKA_PARTITIONS": str(self.settings.partitions),
            "LADDERMAN_KAFKA_REPLICATION": str(self.settings.replication),
            "LADDERMAN_KAFKA_DEV": "true",
            "LADDERMAN_KAFKA_SESSION_TIMEOUT_S": str(self.settings.session_timeout_s),
            "LADDERMAN_KAFKA_HEARTBEAT_S": str(self.settings.heartbeat_s),
            "LADDERMAN_DATA_DIRECTORY": str(self.store),
            **self.environment,
        }

    def start(self, role: str, *command: str, **environment: str) -> Running:
        """Start a process that dies with this one, and go on at once."""
        self.started += 1
        log = self.directory / f"{self.started:02d}-{role}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command],
                env={**self._environment(), **environment},
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        running = Running(role, process, log)
        self.running.append(running)
        return running

    def worker(self, name: str | None = None, **environment: str) -> Running:
        """Start a worker; one with a name takes the place of the one before it at once."""
        options = ["--port", "0", *(["--name", name] if name else [])]
        return self.start("worker", str(CONSOLE_SCRIPT), "worker", *options, **environment)

    def odd_worker(self, **options: Any) -> Running:
        """Start a worker to which something happens; see
        :mod:`tests.support.children.worker_child`."""
        asked = orjson.dumps(options, option=orjson.OPT_NON_STR_KEYS).decode()
        child = "tests.support.children.worker_child"
        return self.start("worker", sys.executable, "-m", child, asked)

    def sink(self, name: str | None = None, *, rebuild: bool = False) -> Running:
        """Start a sink; one with a name takes the place of the one before it at once."""
        options = ["--port", "0", *(["--name", name] if name else [])]
        options += ["--rebuild"] if rebuild else []
        return self.start("sink", str(CONSOLE_SCRIPT), "sink", *options)

    def odd_sink(self, **options: Any) -> Running:
        """Start a sink that dies at a given moment; see
        :mod:`tests.support.children.sink_child`."""
        child, asked = "tests.support.children.sink_child", orjson.dumps(options).decode()
        return self.start("sink", sys.executable, "-m", child, asked)

    def events_file(self, messages: Iterable[Message]) -> Path:
        """Write events as a file that a publisher takes."""
        path = self.directory / "published.jsonl"
        path.write_bytes(b"".join(raw + b"\n" for _, raw in messages))
        return path

    def publisher(self, path: Path, *, rate: int | None = None) -> Running:
        """Start a publisher of a file; the next one with the same file goes on with it."""
        options = ["--rate", str(rate)] if rate else []
        return self.start("publisher", str(CONSOLE_SCRIPT), "publish", str(path), *options)

    # The log.

    def name(self, topic_name: TopicName) -> str:
        """Give the full name of a topic."""
        return topic(topic_name).full_name(self.settings.prefix)

    def publish(self, messages: Iterable[Message], *, rate: float | None = None) -> None:
        """Put messages onto the events topic in order, each to the partition of its key.

        Args:
            messages: Key and bytes.
            rate: Messages a second; None: as fast as they go.
        """
        asyncio.run(self._publish(((None, key, raw) for key, raw in messages), rate))

    def publish_to(self, messages: Iterable[Placed]) -> None:
        """Put messages with any keys onto any partitions; None for that of the key."""
        asyncio.run(self._publish(messages, None))

    @contextmanager
    def publishing(self, messages: Sequence[Message], rate: float) -> Iterator[None]:
        """Publish in the background for the length of a block; left once all is published."""
        thread = threading.Thread(target=self.publish, args=(messages,), kwargs={"rate": rate})
        thread.start()
        try:
            yield
        finally:
            thread.join()

    async def _publish(self, messages: Iterable[Placed], rate: float | None) -> None:
        name = self.name(TopicName.EVENTS)
        began, count, sent = time.monotonic(), 0, []
        async with AIOKafkaProducer(
            **aiokafka_options(self.settings),
            enable_idempotence=True,
            linger_ms=2,
            max_request_size=3 * MESSAGE_BYTES_MAX,
        ) as producer:
            for partition, key, raw in messages:
                sent.append(await producer.send(name, raw, key=key, partition=partition))
                count += 1
                if rate is not None and (early := began + count / rate - time.monotonic()) > 0:
                    await asyncio.sleep(early)
            await asyncio.gather(*sent)

    def ends(self, topic_name: TopicName = TopicName.EVENTS) -> dict[int, int]:
        """Give the end of every partition."""
        return {at.partition: end for at, end in self._ends((topic_name,)).items()}

    def _ends(self, names: Sequence[TopicName]) -> dict[TopicPartition, int]:
        wanted = [
            TopicPartition(self.name(one), partition)
            for one in names
            for partition in range(self.settings.partitions)
        ]

        async def ask() -> dict[TopicPartition, int]:
            async with AIOKafkaConsumer(**aiokafka_options(self.settings)) as consumer:
                return await consumer.end_offsets(wanted)

        return asyncio.run(ask())

    def administration(self) -> Any:
        """Give a client that asks and changes what the broker has."""
        return administration(self.settings)

    def messages(self, topic_name: TopicName) -> list[Any]:
        """Read a whole topic, partition by partition."""
        name, partitions = self.name(topic_name), range(self.settings.partitions)

        async def read() -> list[Any]:
            consumer = AIOKafkaConsumer(
                **aiokafka_options(self.settings), max_partition_fetch_bytes=MESSAGE_BYTES_MAX
            )
            found: list[Any] = []
            async with consumer:
                places = [TopicPartition(name, partition) for partition in partitions]
                consumer.assign(places)
                await consumer.seek_to_beginning(*places)
                ends = await consumer.end_offsets(places)
                while any([await consumer.position(at) < ends[at] for at in places]):
                    batches = await consumer.getmany(timeout_ms=200)
                    found += [one for batch in batches.values() for one in batch]
            return sorted(found, key=lambda one: (one.partition, one.offset))

        return asyncio.run(read())

    # What to wait for.

    def wait_published(self, count: int, limit_s: float = WAIT_S) -> None:
        """Wait until more than so many events stand on the log."""
        wait_until(
            lambda: sum(self.ends().values()) > count,
            f"{count} events",
            lambda: _all_said(self.running),
            limit_s,
        )

    def wait_folded(self, *workers: Running, limit_s: float = WAIT_S) -> None:
        """Wait until workers have folded everything and all that they put out is delivered."""
        ends = {partition: end for partition, end in self.ends().items() if end}

        def is_folded() -> bool:
            for one in workers:
                assert one.process.poll() is None, f"a worker ended:\n{one.said}"
            reached: dict[int, float] = {}
            for one in workers:
                for partition, offset in one.metrics("next_offset").items():
                    reached[partition] = max(offset, reached.get(partition, 0))
            if any(reached.get(partition, -1) < end for partition, end in ends.items()):
                return False
            return not any(sum(one.metrics("unacknowledged_records").values()) for one in workers)

        what = f"everything to be folded, to {ends}"
        wait_until(is_folded, what, lambda: _all_said(workers), limit_s)
        told = {at: end for at, end in self.ends(TopicName.PROGRESSIVE_INPUTS).items() if end}

        def is_told() -> bool:
            reached: dict[int, float] = {}
            for one in workers:
                for partition, offset in one.metrics("progressive_next_offset").items():
                    reached[partition] = max(offset, reached.get(partition, 0))
            if any(reached.get(partition, -1) < end for partition, end in told.items()):
                return False
            waiting = [one.metrics("progressive_unacknowledged_records") for one in workers]
            return not any(sum(one.values()) for one in waiting)

        what = f"ledgers to be told everything, to {told}"
        wait_until(is_told, what, lambda: _all_said(workers), limit_s)

    def wait_sunk(self, *sinks: Running, limit_s: float = WAIT_S) -> None:
        """Wait until the sinks of a history have written and committed all that stands there."""
        ends = {at: end for at, end in self._ends(_WRITTEN).items() if end}
        (group,) = {one.group for one in sinks}
        with self.administration() as admin:

            def is_sunk() -> bool:
                for one in sinks:
                    assert one.process.poll() is None, f"a sink ended:\n{one.said}"
                committed = _committed(admin, group)
                return all(committed.get(tuple(at), -1) >= end for at, end in ends.items())

            wait_until(is_sunk, f"all to be written, to {ends}", lambda: _all_said(sinks), limit_s)

    # What came of it.

    def output(self) -> Output:
        """Give what stands on the topics of verdicts and dead letters."""
        records, count, ledgers = set(), 0, []
        for message in self.messages(TopicName.VERDICTS):
            record = decode_record(message.value)
            if record.kind in OF_LEDGERS:
                ledgers.append(record)
                continue
            records.add(Emitted(record.key, record.version, message.value))
            count += 1
        letters = [decode_dead_letter(one.value) for one in self.messages(TopicName.DEAD_LETTERS)]
        return Output(records, count, {one.letter_id: one for one in letters}, ledgers)

    def digests(self) -> dict[str, str]:
        """Ask ``ladderman history digest`` about the embedded history."""
        return digests_of(self.store)

    def row_count(self, table: str) -> int:
        """Ask ``ladderman history status`` how many rows a table of the embedded history has."""
        command = [str(CONSOLE_SCRIPT), "history", "status", "--store", str(self.store)]
        answer = subprocess.run(
            [*command, "--format", "json"], capture_output=True, check=True, timeout=120
        )
        tables = orjson.loads(answer.stdout)["tables"]
        return int(next(one["row_count"] for one in tables if one["name"] == table))

    def admit(self, topic_name: TopicName, message_bytes: int) -> None:
        """Let a topic take longer messages than it should."""
        wide = {"max.message.bytes": str(message_bytes)}
        with self.administration() as admin:
            name = self.name(topic_name)
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, name, configs=wide)])

    def compact_quickly(self, topic_name: TopicName) -> None:
        """Have a compacted topic compacted as soon as a segment is full, which is soon."""
        quick = {
            "segment.ms": str(int(SEGMENT_S * 1000)),
            "min.cleanable.dirty.ratio": "0.0",
            "max.compaction.lag.ms": "100",
        }
        with self.administration() as admin:
            name = self.name(topic_name)
            admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, name, configs=quick)])

    def put_snapshots(self, snapshots: Mapping[int, bytes]) -> None:
        """Put snapshots behind all others, as a worker does that wakes up late."""

        async def put() -> None:
            async with AIOKafkaProducer(**aiokafka_options(self.settings)) as producer:
                for at, raw in snapshots.items():
                    await producer.send_and_wait(
                        self.name(TopicName.SNAPSHOTS), raw, partition=at, key=b"%d" % at
                    )

        asyncio.run(put())

    def topic_id(self) -> str:
        """Give the id of the topic of events."""
        return topic_ids(check_topics(self.settings))[TopicName.EVENTS]

    def undisturbed(self) -> tuple[set[Emitted], dict[str, bytes]]:
        """Fold the log with hosts in memory; give their records, and dead letters by id."""
        messages = self.messages(TopicName.EVENTS)
        records: set[Emitted] = set()
        letters: dict[str, bytes] = {}
        for partition in range(self.settings.partitions):
            entries = [
                LogEntry(one.offset, one.key or b"", one.value or b"")
                for one in messages
                if one.partition == partition
            ]
            for one in fold_alone(entries, Origin(self.topic_id(), partition), self.settings):
                if one.key[0] == "dead-letter":
                    letters[one.key[1]] = one.raw
                else:
                    records.add(one)
        return records, letters


def fold_alone(
    entries: Sequence[LogEntry], origin: Origin, settings: KafkaSettings
) -> list[Emitted]:
    """Fold one partition with a host in memory that nobody disturbs."""
    return outbox_alone(entries, origin, settings).delivered


def outbox_alone(
    entries: Sequence[LogEntry], origin: Origin, settings: KafkaSettings
) -> MemoryOutbox:
    """Fold one partition likewise, and give all that the host put out."""
    log, outbox = MemoryLog(), MemoryOutbox()
    log.entries = list(entries)
    log.start = entries[0].offset if entries else 0
    log.end = entries[-1].offset + 1 if entries else 0
    host = PartitionHost(
        TableFold(),
        (log, MemorySnapshots(), outbox),
        HostSettings(origin, settings.partitions),
        SetClock(),
        alert=lambda _: None,
        owns=lambda key: partition_of(key, settings.partitions) == origin.partition,
    )
    run_now(host.recover())
    run_now(host.stop())
    return outbox


def _committed(admin: KafkaAdminClient, group: str) -> Mapping[tuple[str, int], int]:
    try:
        found = admin.list_group_offsets(group)[group]
    except GroupIdNotFoundError:
        return {}
    return {(at.topic, at.partition): value.offset for at, value in found.items()}


def digests_of(store: Path) -> dict[str, str]:
    """Ask ``ladderman history digest`` about a store: rows and SHA-256 of each kind."""
    command = [str(CONSOLE_SCRIPT), "history", "digest", "--store", str(store), "--format", "json"]
    answer = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert answer.returncode == 0, answer.stderr.decode()
    return {
        one["of"]: f"{one['row_count']} {one['sha256']}"
        for one in orjson.loads(answer.stdout)["digests"]
    }


def ingested_digests(messages: Sequence[Message], directory: Path) -> dict[str, str]:
    """Fold messages in good order with the embedded pipeline and give the digests."""
    directory.mkdir(parents=True, exist_ok=True)
    events, store = directory / "events.jsonl", directory / "embedded"
    events.write_bytes(b"".join(raw + b"\n" for _, raw in messages))
    command = [str(CONSOLE_SCRIPT), "ingest", str(events), "--store", str(store)]
    answer = subprocess.run(command, capture_output=True, check=False, timeout=600)
    assert answer.returncode == 0, answer.stderr.decode()
    return digests_of(store)


def _all_said(running: Iterable[Running]) -> str:
    return "\n".join(f"--- {one.role}\n{one.said[-3000:]}" for one in running)
