"""The speed of the live stream beside the framework alone, the embedded fold, a plain insert.

A broker, publishers, workers and sinks share the machine. Ratios of processor time are those of one
process alone and mean the same on a busy machine; figures by the clock do not.
"""

from __future__ import annotations

import os
import pickle
import pstats
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import orjson

from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record, encode_record
from schemas.topics import TopicName
from streams.development.kafka_cluster import KafkaCluster
from streams.embedding.pipeline import EmbeddedPipeline
from streams.host.dead_letters import DeadLetter
from streams.host.ledger_fold import ProgressiveFold
from streams.host.ports import LogEntry
from streams.host.table_fold import TableFold
from streams.process.clock import SystemClock
from streams.process.interpreter import collect_seldom
from streams.simulator.floor import FloorConfig, floor_events
from tests.benchmarks.measuring import Measurement, shares_of
from tests.benchmarks.stream_latency import RATE, latency
from tests.support.source_tree import ROOT
from tests.support.stream.stream_floor import Stream
from tests.support.stream.stream_processes import CONSOLE_SCRIPT, Running, wait_until
from tests.support.tables.floors import Message

PARTITIONS = 6
HEAD_COUNT = 20_000
PROFILED_COUNT = 8_000
SINK_TURNS = 3
LONG_S = 900.0
LOOK_EVERY_S = 0.2
"""A worker that is asked how far it is does less else."""


def measure() -> list[Measurement]:
    """Measure everything about the stream on one broker."""
    config = FloorConfig(tables=12, seed=7, coups=1_500)
    floor = [(source.encode(), raw) for source, raw in floor_events(config)]
    with KafkaCluster() as cluster:

        @contextmanager
        def a_stream() -> Iterator[Stream]:
            name = f"b{secrets.token_hex(4)}"
            with (
                tempfile.TemporaryDirectory(prefix="ladderman-bench-") as directory,
                Stream.begin(
                    cluster.bootstrap, name, Path(directory), partitions=PARTITIONS
                ) as stream,
            ):
                yield stream

        parts = (
            ("backlog", lambda: _catch_up(a_stream, floor)),
            ("head of the log", lambda: _head(a_stream, floor[:HEAD_COUNT])),
            ("latency", lambda: latency(a_stream)),
            ("sink", lambda: _sink(a_stream, floor)),
        )
        found = []
        for name, part in parts:
            print(f"stream: {name} …", flush=True)
            found += part()
        return found


Streams = Callable[[], "contextmanager[Stream]"]
"""Gives topics of their own and removes what was written."""


@dataclass
class Cost:
    """What a number of messages cost."""

    count: int
    taken_s: float
    spent_s: float
    details: dict[str, float] = field(default_factory=dict)

    @property
    def spent_us(self) -> float:
        """Processor time a message, microseconds."""
        return self.spent_s / self.count * 1e6

    @property
    def rate(self) -> float:
        """Messages a second by the clock."""
        return self.count / self.taken_s


class Meter:
    """The processor time of processes, thread by thread, from now on."""

    def __init__(self, *running: Running) -> None:
        self._running = running
        self._before = self._threads()
        self._began = time.monotonic()

    def _threads(self) -> dict[tuple[int, int], float]:
        found = {}
        for one in self._running:
            pid = one.process.pid
            for task in Path(f"/proc/{pid}/task").iterdir():
                words = (task / "stat").read_text().rsplit(")", 1)[1].split()
                ticks = int(words[11]) + int(words[12])
                found[pid, int(task.name)] = ticks / os.sysconf("SC_CLK_TCK")
        return found

    def cost(self, count: int, others: str) -> Cost:
        """Give the cost of so many messages; threads but the first go by the name given."""
        taken_s = time.monotonic() - self._began
        spent = {at: now - self._before.get(at, 0.0) for at, now in self._threads().items()}
        total = sum(spent.values())
        aside = sum(seconds for (pid, thread), seconds in spent.items() if pid != thread)
        return Cost(count, taken_s, total, {f"in {others}, %": 100 * aside / total})


# A backlog.


def _embedded(floor: Sequence[Message], *, has_ledgers: bool) -> Cost:
    """Fold a log in files, by the same hosts and without a history behind them.

    In a process of its own that has just been started, as the workers have: rulings that are
    remembered would make half of the difference.

    Args:
        floor: What is folded.
        has_ledgers: Whether what ledgers are told is folded as well, as a worker does.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        return processes.submit(_fold_embedded, floor, has_ledgers=has_ledgers).result()


def _fold_embedded(floor: Sequence[Message], *, has_ledgers: bool) -> Cost:
    collect_seldom()
    with tempfile.TemporaryDirectory(prefix="ladderman-bench-") as directory:
        pipeline = EmbeddedPipeline(
            Path(directory),
            TableFold(),
            _Nowhere(),
            SystemClock(),
            alert=_ignore,
            progressives=ProgressiveFold() if has_ledgers else None,
        )
        pipeline.extend(floor)
        began, spent = time.monotonic(), time.process_time()
        pipeline.catch_up()
        cost = Cost(len(floor), time.monotonic() - began, time.process_time() - spent)
        pipeline.close()
        return cost


class _Nowhere:
    """An outbox that writes records as bytes and keeps none."""

    def of_ledgers(self) -> _Nowhere:
        return self

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        for record in records:
            encode_record(record)

    async def make_room(self) -> None:
        pass

    async def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def _ignore(_: str) -> None:
    pass


def _folded(workers: Sequence[Running]) -> int:
    return int(sum(one.total("folded") for one in workers))


def _wait_count(workers: Sequence[Running], count: int) -> None:
    """Wait until workers have folded so many, and ask them seldom."""
    deadline = time.monotonic() + LONG_S
    while _folded(workers) < count:
        assert time.monotonic() < deadline, "\n".join(one.said for one in workers)
        time.sleep(LOOK_EVERY_S)


def _folding(workers: Sequence[Running], count: int) -> Cost:
    """Measure what folding all that is on the log costs workers that have just been started."""
    for one in workers:
        assert one.port
    wait_until(lambda: _folded(workers) > 0, "the first message")
    meter, already = Meter(*workers), _folded(workers)
    _wait_count(workers, count)
    return meter.cost(count - already, "the framework's thread")


def _begin_again(stream: Stream, floor: Sequence[Message]) -> int:
    """Have a backlog behind a worker that was stopped; give how many messages it is."""
    few = len(floor) // 20
    stream.publish(floor[:few])
    worker = stream.worker()
    stream.wait_folded(worker)
    assert worker.stop() == 0
    stream.publish(floor[few:])
    return len(floor) - few


def _catch_up(streams: Streams, floor: Sequence[Message]) -> Iterator[Measurement]:
    """Measure a backlog, folded by one worker and by two."""
    tables_alone = _embedded(floor, has_ledgers=False)
    embedded = _embedded(floor, has_ledgers=True)
    costs = []
    for workers in (1, 2):
        with streams() as stream:
            count = _begin_again(stream, floor)
            costs.append(_folding([stream.worker() for _ in range(workers)], count))
    with streams() as stream:
        count = _begin_again(stream, floor[:PROFILED_COUNT])
        shares = _profiled(stream, lambda worker: _wait_count([worker], count))
    one, two = costs
    yield Measurement(
        "backlog: one worker against the embedded fold",
        embedded.spent_us / one.spent_us,
        "x",
        0.8,
        {
            "worker, microseconds of processor an event": one.spent_us,
            "embedded fold, microseconds": embedded.spent_us,
            "embedded fold of the tables alone, which a worker never does": tables_alone.spent_us,
            "by the clock: worker, events a second": one.rate,
            "by the clock: embedded fold, events a second": embedded.rate,
            **one.details,
            **shares,
        },
        more_is_better=True,
    )
    yield Measurement(
        "backlog: two workers against one, by the clock",
        two.rate / one.rate,
        "x",
        None,
        {
            "two workers, events a second": two.rate,
            "two workers, microseconds of processor an event": two.spent_us,
        },
        more_is_better=True,
    )


def _profiled(stream: Stream, work: Callable[[Running], None]) -> dict[str, float]:
    """Say where the first thread of a worker spends its time while something is done to it."""
    path = stream.directory / "profile"
    worker = stream.odd_worker(profile=str(path))
    assert worker.port
    worker.signal(signal.SIGUSR1)
    work(worker)
    worker.signal(signal.SIGUSR2)
    wait_until(path.exists, "the profile")
    assert worker.stop() == 0
    shares = shares_of(pstats.Stats(str(path)), top=7)
    return {f"of the first thread, in {name}, %": share for name, share in shares.items()}


# The head.


def _head(streams: Streams, floor: Sequence[Message]) -> Iterator[Measurement]:
    """Measure the way of delivered messages, against a framework that only counts them."""
    with streams() as stream:
        worker = stream.worker()
        _wait_deliveries(worker)
        meter = Meter(worker)
        stream.publish(floor, rate=RATE)
        _wait_count([worker], len(floor))
        head = meter.cost(len(floor), "the framework's thread")
        read, vain = len(floor) - delivered(worker), worker.total("skipped")
        assert worker.stop() == 0
        bare = _bare(stream, floor)
    with streams() as stream:

        def deliver(worker: Running) -> None:
            _wait_deliveries(worker)
            stream.publish(floor[:PROFILED_COUNT], rate=RATE)
            _wait_count([worker], PROFILED_COUNT)

        shares = _profiled(stream, deliver)
    yield Measurement(
        f"head of the log at {RATE:,} events/s: one worker against a bare Faust loop",
        bare.spent_us / head.spent_us,
        "x",
        0.5,
        {
            "worker, microseconds of processor an event": head.spent_us,
            "bare loop, microseconds": bare.spent_us,
            "read by the host itself": read,
            "delivered in vain": vain,
            **head.details,
            **shares,
        },
        more_is_better=True,
    )


def _wait_deliveries(worker: Running) -> None:
    worker.wait_ready()
    wait_until(lambda: not any(worker.metrics("own_reader_leads").values()), "deliveries")


def delivered(worker: Running) -> float:
    """Give how many messages were folded as they were delivered."""
    _, body = worker.ask("/metrics")
    (line,) = [
        one
        for one in body.decode().splitlines()
        if one.startswith('ladderman_event_latency_seconds_count{how="delivered"}')
    ]
    return float(line.split()[1])


def _bare(stream: Stream, floor: Sequence[Message]) -> Cost:
    running = stream.start(
        "bare",
        sys.executable,
        "-m",
        "tests.support.stream.bare_faust",
        orjson.dumps({"count": len(floor)}).decode(),
    )
    wait_until(lambda: "ready" in running.said, "the bare loop", lambda: running.said)
    stream.publish(floor, rate=RATE)
    assert running.ended(LONG_S) == 0, running.said
    answer = orjson.loads(running.said.splitlines()[-1])
    return Cost(len(floor), answer["taken_s"], answer["spent_s"])


# The sink.


def _sink(streams: Streams, floor: Sequence[Message]) -> Iterator[Measurement]:
    """Measure the sink over all topics against inserting the same rows, built before.

    Both take turns, and the least counts: what else the machine does falls on both alike.
    """
    with streams() as stream:
        worker = stream.worker()
        stream.publish(floor)
        stream.wait_folded(worker, limit_s=LONG_S)
        assert worker.stop() == 0
        turns = [
            (_sunk(stream, number), _raw_insert(stream, number)) for number in range(SINK_TURNS)
        ]
    live = min((one for one, _ in turns), key=lambda one: one.spent_s)
    raw = min((one for _, one in turns), key=lambda one: one.spent_s)
    live.count = raw.count
    yield Measurement(
        "sink against inserting rows that are there",
        raw.spent_us / live.spent_us,
        "x",
        0.5,
        {
            "sink, microseconds of processor a row": live.spent_us,
            "plain insert, microseconds": raw.spent_us,
            "by the clock: sink, rows a second": live.rate,
            "by the clock: plain insert, rows a second": raw.rate,
            **live.details,
        },
        more_is_better=True,
    )


def _sunk(stream: Stream, number: int) -> Cost:
    """Have a new sink write all that stands on the topics into a history of its own."""
    sink = stream.start(
        "sink",
        str(CONSOLE_SCRIPT),
        "sink",
        "--port",
        "0",
        LADDERMAN_DATA_DIRECTORY=str(stream.directory / f"sink-{number}"),
    )
    assert sink.port
    meter = Meter(sink)
    stream.wait_sunk(sink, limit_s=LONG_S)
    cost = meter.cost(1, "the threads that write")
    assert sink.stop() == 0
    return cost


def _raw_insert(stream: Stream, number: int) -> Cost:
    names = (TopicName.EVENTS, TopicName.VERDICTS, TopicName.DEAD_LETTERS)
    given = {
        "topics": [stream.name(one) for one in names],
        "messages": [message for one in names for message in stream.messages(one)],
        "partitions": PARTITIONS,
    }
    options = orjson.dumps({"store": str(stream.directory / f"raw-{number}")}).decode()
    answer = subprocess.run(
        [sys.executable, "-m", "tests.support.history.raw_insert", options],
        input=pickle.dumps(given),
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    found = orjson.loads(answer.stdout)
    return Cost(found["rows"], found["taken_s"], found["spent_s"])
