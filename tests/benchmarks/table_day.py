"""The cost of a table day: the fold beside decoding, the embedded pipeline, a recovery.

Processor time of one core, least of several runs. Every run of the fold has a floor of its own,
under the same filings: its coups are new to the fold, as those of a real day are. Each filing has
seen the coups of a day before that, as a process that has run since yesterday has; what the first
coups after a start cost is measured apart.
"""

from __future__ import annotations

import gc
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import orjson

from auditors.table import Delivered, TableState, absorb, decode_state, encode_state, new_state
from schemas.records import encode_record
from schemas.wire import parse_event
from streams.embedding.ingest import embedded_store
from streams.embedding.pipeline import EmbeddedPipeline
from streams.simulator.floor import Floor, FloorConfig, FloorEvent
from tests.benchmarks.measuring import Measurement, best_seconds, shares_by_module

COUPS = 600
TABLES_RECOVERED = 500
DECIDING = 400
"""Events whose way to the record is timed one by one."""

RUNS = 3

DAY_BEFORE = 10
"""Floors that are folded before anything is measured: 500 coups under each of the 12 filings."""


def measure() -> list[Measurement]:
    """Measure everything about a table day on one floor."""
    floors = [_floor(run) for run in range(RUNS + 2)]
    with _few_collections():
        fresh = _after_start(floors[0])
        for run in range(DAY_BEFORE):
            fold_all(_floor(RUNS + 2 + run))
        return [*_audit(floors), fresh, *_pipeline(floors[0]), _recovery(floors[0])]


def _floor(run: int) -> list[FloorEvent]:
    return list(Floor(FloorConfig(tables=12, seed=7 + run, coups=COUPS)).events())


def _after_start(events: Sequence[FloorEvent]) -> Measurement:
    """Fold the first coups after a start: 50 under each of 12 filings that are new to it."""
    before = time.process_time()
    fold_all(events)
    return Measurement(
        "events audited, the first after a start",
        len(events) / (time.process_time() - before),
        "events/s a core",
    )


@contextmanager
def _few_collections() -> Iterator[None]:
    """Have the interpreter look for garbage as seldom as the product's long runs have it."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def fold_all(events: Sequence[FloorEvent]) -> dict[str, TableState]:
    """Fold a floor, write its records, and give the states of its sources."""
    states: dict[str, TableState] = {}
    for offset, event in enumerate(events):
        state = states.get(event.source_id) or new_state(event.source_id)
        absorbed = absorb(state, Delivered(offset, event.raw), lambda at: events[at].raw)
        states[event.source_id] = absorbed.state
        for record in absorbed.records:
            encode_record(record)
    return states


def _audit(floors: Sequence[Sequence[FloorEvent]]) -> list[Measurement]:
    *measured, profiled, decided_on = floors
    events, new = measured[-1], cycle(measured)
    fold, standard, fast, parsed = best_seconds(
        lambda: fold_all(next(new)),
        lambda: [json.loads(one.raw) for one in events],
        lambda: [orjson.loads(one.raw) for one in events],
        lambda: [parse_event(one.raw) for one in events],
        repeats=len(measured),
    )
    decided = _decided(decided_on)
    return [
        Measurement(
            f"whole audit of {len(events):,} events against orjson.loads alone",
            fold / fast,
            "x",
            6.0,
            shares_by_module(lambda: fold_all(profiled)),
        ),
        Measurement("whole audit against json.loads alone", fold / standard, "x"),
        Measurement("whole audit against parsing into checked events", fold / parsed, "x"),
        Measurement("events audited", len(events) / fold, "events/s a core"),
        Measurement(
            "deciding event to its record, in the fold",
            decided[len(decided) // 2] * 1000,
            "ms p50",
            None,
            {"ms p99": decided[len(decided) * 99 // 100] * 1000},
        ),
    ]


def _decided(events: Sequence[FloorEvent]) -> list[float]:
    """Give how long the fold takes for each event that puts a record out, seconds, ascending."""
    states: dict[str, TableState] = {}
    waits: list[float] = []
    for offset, event in enumerate(events):
        state = states.get(event.source_id) or new_state(event.source_id)
        before = time.perf_counter()
        absorbed = absorb(state, Delivered(offset, event.raw), lambda at: events[at].raw)
        if absorbed.records:
            waits.append(time.perf_counter() - before)
        states[event.source_id] = absorbed.state
    return sorted(waits)


def _pipeline(events: Sequence[FloorEvent]) -> list[Measurement]:
    keyed = [(one.source_id.encode(), one.raw) for one in events]
    waits: list[float] = []
    with (
        tempfile.TemporaryDirectory(prefix="ladderman-bench-") as folder,
        embedded_store(Path(folder) / "store", alert=_quiet) as (pipeline, _),
    ):
        before_cpu, before = time.process_time(), time.perf_counter()
        for start in range(0, len(keyed) - DECIDING, 2_000):
            pipeline.extend(keyed[start : min(start + 2_000, len(keyed) - DECIDING)])
            pipeline.catch_up()
        pipeline.deliver()
        cpu, wall = time.process_time() - before_cpu, time.perf_counter() - before
        waits += [_wait(pipeline, event) for event in keyed[-DECIDING:]]
    count = len(keyed) - DECIDING
    waits.sort()
    return [
        Measurement(
            "embedded pipeline with history",
            count / cpu,
            "events/s of processor time",
            25_000,
            {"events/s by the clock": count / wall},
            more_is_better=True,
        ),
        Measurement(
            "deciding event to its record, embedded, durable log",
            waits[len(waits) // 2] * 1000,
            "ms p50",
            None,
            {"ms p99": waits[len(waits) * 99 // 100] * 1000},
        ),
    ]


def _wait(pipeline: EmbeddedPipeline, event: tuple[bytes, bytes]) -> float:
    before = time.perf_counter()
    pipeline.extend([event])
    pipeline.catch_up()
    return time.perf_counter() - before


def _recovery(events: Sequence[FloorEvent]) -> Measurement:
    states = [one for one in fold_all(events).values() if one.shoe is not None]
    kept = [encode_state(states[number % len(states)]) for number in range(TABLES_RECOVERED)]
    (seconds,) = best_seconds(lambda: [decode_state(raw) for raw in kept])
    size = sum(map(len, kept)) / len(kept) / 1024
    return Measurement(
        f"recovery of the states of {TABLES_RECOVERED} tables",
        seconds,
        "s",
        3.0,
        {"KiB a state": size},
    )


def _quiet(_line: str) -> None:
    """Say nothing."""
