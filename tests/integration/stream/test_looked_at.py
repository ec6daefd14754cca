"""``state`` and ``doctor`` say how the stream is, and what is wrong with it."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import pytest
from aiokafka import AIOKafkaProducer

from dashboards.commands.stream import doctor as doctor_command
from dashboards.commands.stream import state as state_command
from schemas.topics import TopicName
from streams.development.kafka_configuration import free_ports
from streams.host.dead_letters import Origin
from streams.host.snapshots import (
    SnapshotScope,
    decode_snapshot,
    encode_snapshot,
    read_header,
    take_cut,
)
from streams.host.table_fold import TableFold
from streams.kafka.connecting import aiokafka_options
from streams.kafka.partitioning import partition_of
from tests.support.stream.stream_floor import Running, Stream
from tests.support.tables.floors import progressive_floor, table_feed
from tests.support.texts.command_line import Answer, run_command

TABLE = "BAC-01"
LEDGER = "HP-LINK-1"


@pytest.fixture
def command(stream: Stream, monkeypatch: pytest.MonkeyPatch):
    """Run a command on the topics of the test."""
    for name, value in (
        ("BOOTSTRAP", stream.settings.bootstrap),
        ("PREFIX", stream.settings.prefix),
        ("PARTITIONS", str(stream.settings.partitions)),
        ("DEV", "true"),
    ):
        monkeypatch.setenv(f"LADDERMAN_KAFKA_{name}", value)
    monkeypatch.setenv("LADDERMAN_DATA_DIRECTORY", str(stream.store))
    # A worker that somebody runs on this machine is none of the test's.
    roles = ("WORKER", "SINK", "RECONCILE", "PUBLISH")
    for role, port in zip(roles, free_ports(len(roles)), strict=True):
        monkeypatch.setenv(f"LADDERMAN_LISTEN_{role}_PORT", str(port))

    def run(*arguments: str) -> Answer:
        name, *words = arguments
        if name == "state":
            return run_command(state_command.register, name, *words)
        return run_command(doctor_command.register, *words)

    return run


def by_area(answer: Answer) -> dict[str, dict]:
    """Give the worst check of each area."""
    order = ["fine", "note", "wrong", "unreachable"]
    checks = sorted(answer.document["checks"], key=lambda one: order.index(one["state"]))
    return {one["area"]: one for one in checks}


def folded(stream: Stream) -> Running:
    worker = stream.worker()
    stream.wait_folded(worker)
    assert worker.stop() == 0, worker.said
    return worker


def keep_changed_snapshot(stream: Stream, **changes: object) -> None:
    """Keep the newest snapshot of the table's partition once more, with another state."""
    at = partition_of(TABLE.encode(), stream.settings.partitions)
    newest = max(
        (one.value for one in stream.messages(TopicName.SNAPSHOTS) if one.partition == at),
        key=lambda raw: read_header(raw).position,
    )
    header, sources = decode_snapshot(newest, TableFold())
    for source in sources:
        source.state = replace(source.state, **changes)
    scope = SnapshotScope(
        Origin(header.log_id, header.partition), header.partitions, header.audit_epoch
    )
    changed = encode_snapshot(take_cut(header.next_offset, sources), scope, TableFold())

    async def put() -> None:
        async with AIOKafkaProducer(**aiokafka_options(stream.settings)) as producer:
            await producer.send_and_wait(
                stream.name(TopicName.SNAPSHOTS), changed, partition=at, key=b"%d" % at
            )

    asyncio.run(put())


def test_a_snapshot_is_what_the_log_gives_and_a_damaged_one_is_found(
    stream: Stream, command
) -> None:
    assert "no worker has kept a snapshot" in command("state", "show", TABLE).err
    feed = table_feed(TABLE, 12, random.Random(4), 8)
    stream.publish([*feed[:40], *feed[41:]])
    folded(stream)

    shown = command("state", "show", TABLE, "--format", "json")
    assert shown.code == 0, shown.err
    assert shown.document["feed"]["next_sequence"] == len(feed) + 1
    assert shown.document["feed"]["gaps"] == [[41, 41]]
    assert shown.document["shoe"]["shoe"] == "BAC-01-S8"
    assert "gaps: 41;" in command("state", "show", TABLE).out
    equal = command("state", "verify", TABLE, "--format", "json")
    assert (equal.code, equal.document["equal"]) == (0, True), equal
    assert equal.document["state_digest"] == shown.document["state_digest"]
    wrong_name = command("state", "show", "BAC-1")
    assert wrong_name.code == 2

    keep_changed_snapshot(stream, dealer="somebody")
    differing = command("state", "verify", TABLE, "--format", "json")
    assert (differing.code, differing.document["differing"]) == (1, ["dealer"])


def test_a_ledger_is_what_it_was_told_and_the_doctor_says_whether_it_took_that_in(
    stream: Stream, command
) -> None:
    floor = progressive_floor(coups=24)
    stream.publish(floor)
    assert "no worker has kept a snapshot" in command("state", "show", LEDGER, "--progressive").err
    folded(stream)
    shown = command("state", "show", LEDGER, "--progressive", "--format", "json")
    assert shown.code == 0, shown.err
    assert [one["level"] for one in shown.document["levels"]] == [1]
    assert shown.document["levels"][0]["tables"] != []
    assert "level 1    tables: BAC-" in command("state", "show", LEDGER, "--progressive").out
    equal = command("state", "verify", LEDGER, "--progressive", "--format", "json")
    assert (equal.code, equal.document["equal"]) == (0, True), equal
    assert equal.document["state_digest"] == shown.document["state_digest"]
    wrong_name = command("state", "show", "HP-LINK-2", "--progressive")
    assert wrong_name.code == 2
    healthy = command("doctor", "--format", "json")
    assert by_area(healthy)["progressives"]["state"] == "fine"
    assert by_area(healthy)["retention"]["state"] == "fine"

    # What ledgers are told is kept for thirty days as events are, and watched as they are.
    tell_ledgers(stream, b"{}")
    with pytest.MonkeyPatch.context() as patch:
        kept_s = {TopicName.PROGRESSIVE_INPUTS: 0.001}
        patch.setattr(
            "streams.operating.doctor_kafka.retention_s", lambda _, name: kept_s.get(name, 1e9)
        )
        near = command("doctor", "--format", "json")
    assert near.code == 1
    assert by_area(near)["retention"]["says"] == (
        "0 s until what ledgers are told could leave the log before they take it in"
    )


def tell_ledgers(stream: Stream, raw: bytes) -> None:
    async def put() -> None:
        async with AIOKafkaProducer(**aiokafka_options(stream.settings)) as producer:
            name = stream.name(TopicName.PROGRESSIVE_INPUTS)
            await producer.send_and_wait(name, raw, key=LEDGER.encode())

    asyncio.run(put())


def test_the_doctor_says_what_lags_and_what_is_missing(stream: Stream, command) -> None:
    healthy = command("doctor", "--format", "json")
    assert healthy.code == 0, healthy.out
    assert by_area(healthy)["topics"]["state"] == "fine"
    assert by_area(healthy)["worker"]["state"] == "fine"
    assert healthy.document["settings"]["kafka.sasl_password"] == "not set"
    assert by_area(healthy)["sink"]["says"].startswith("no history answers here")

    sink = stream.sink()
    sink.wait_ready()
    assert sink.stop() == 0, sink.said
    at = partition_of(TABLE.encode(), 3)
    stream.publish(table_feed(TABLE, 2, random.Random(4), 8))
    soon = by_area(command("doctor", "--format", "json"))  # nothing is late yet, and not all done
    assert soon["worker"]["state"] == "fine"
    assert "that no worker has kept as folded, the oldest for " in soon["worker"]["says"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streams.operating.doctor_kafka.LATE_S", 0.0)
        late = command("doctor", "--format", "json")
    assert late.code == 1
    assert by_area(late)["worker"]["says"].startswith(f"partition {at}: a message waits for ")
    assert stream.name(TopicName.EVENTS) in by_area(late)["sink"]["says"]
    assert "WorkerLagging" in by_area(late)["worker"]["do"]
    assert "wrong       worker:" in (text := command("doctor").out) or "note" in text

    with stream.administration() as admin:
        admin.delete_topics([stream.name(TopicName.FINDINGS)])
    broken = command("doctor")
    assert broken.code == 1
    assert "does not exist" in " ".join(broken.out.split())
    assert "ladderman topics create" in broken.out


def test_a_worker_that_catches_up_tells_how_long_its_events_have_waited(stream: Stream) -> None:
    events = table_feed(TABLE, 12, random.Random(4), 8)
    stream.publish(events)
    worker = stream.worker()
    stream.wait_folded(worker)
    _, body = worker.ask("/metrics")
    counts = [
        float(line.rsplit(" ", 1)[1])
        for line in body.decode().splitlines()
        if line.startswith("ladderman_event_latency_seconds_count")
    ]
    assert sum(counts) == len(events), body.decode()
    assert worker.stop() == 0
