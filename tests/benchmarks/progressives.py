"""The cost of ledgers of progressives beside the fold of tables, and how late they judge."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from auditors import progressive, table
from auditors.table import Delivered
from schemas.progressive_inputs import encode_progressive_input
from schemas.progressive_rows import ReadingRow
from schemas.records import Record
from streams.simulator.floor import Floor, FloorConfig, FloorEvent
from tests.benchmarks.measuring import Measurement, best_seconds, shares_by_module
from tests.support.progressives.wager_ledgers import PROGRESSIVE, Wagers

COUPS = 1_200
WAGERS = 10_000
SECOND = 1_000_000


@dataclass
class _Told:
    """A floor, and what it tells the ledgers of progressives, event by event."""

    events: Sequence[FloorEvent]
    inputs: list[tuple[int, str, bytes]] = field(default_factory=list)
    """When it was told, the progressive, and the message."""

    def fold_tables(self) -> None:
        """Fold tables and controllers, and keep what they tell."""
        states: dict[str, table.TableState] = {}
        self.inputs = []
        for offset, event in enumerate(self.events):
            state = states.get(event.source_id) or table.new_state(event.source_id)
            absorbed = table.absorb(
                state, Delivered(offset, event.raw), lambda at: self.events[at].raw
            )
            states[event.source_id] = absorbed.state
            for said in absorbed.inputs:
                raw = encode_progressive_input(said)
                self.inputs.append((event.at_us, said.progressive_id, raw))

    def fold_ledgers(self) -> None:
        """Fold what was told."""
        for _ in folded_ledgers(self.inputs):
            pass


def folded_ledgers(
    inputs: Sequence[tuple[int, str, bytes]],
) -> list[tuple[int, float, tuple[Record, ...]]]:
    """Fold messages; give for each when it was told, the seconds it took, and its records."""
    states: dict[str, progressive.ProgressiveState] = {}
    found = []
    for offset, (at_us, name, raw) in enumerate(inputs):
        state = states.get(name) or progressive.new_state(name)
        began_s = time.perf_counter()
        absorbed = progressive.absorb(state, Delivered(offset, raw), _nothing)
        found.append((at_us, time.perf_counter() - began_s, absorbed.records))
        states[name] = absorbed.state
    return found


def measure() -> list[Measurement]:
    """Measure the ledgers of a simulated floor, and of many wagers on one progressive."""
    floor = _Told(list(Floor(FloorConfig(tables=12, seed=7, coups=COUPS)).events()))
    tables_s, ledgers_s = best_seconds(floor.fold_tables, floor.fold_ledgers)
    return [
        Measurement(
            "ledgers of a floor against the fold of its tables",
            ledgers_s / tables_s,
            "x",
            None,
            shares_by_module(floor.fold_ledgers),
        ),
        _contributions(),
        *_readings(floor.inputs),
    ]


def _contributions() -> Measurement:
    wagers = Wagers(WAGERS)
    messages = [(0, PROGRESSIVE, encode_progressive_input(one)) for one in wagers.messages()]
    silent = Wagers(WAGERS, tells_wagers=False)
    counts = [(0, PROGRESSIVE, encode_progressive_input(one)) for one in silent.messages()]
    told_s, counts_s = best_seconds(
        lambda: folded_ledgers(messages), lambda: folded_ledgers(counts)
    )
    return Measurement(
        "contributions folded, each told by table and controller",
        wagers.facts.in_count / told_s,
        "contributions/s a core",
        None,
        {
            "contributions/s where the controller tells counts alone": silent.facts.in_count
            / counts_s,
            "messages/s": len(messages) / told_s,
        },
    )


def _readings(inputs: Sequence[tuple[int, str, bytes]]) -> list[Measurement]:
    late_s, took_ms = [], []
    for at_us, seconds, records in folded_ledgers(inputs):
        for record in records:
            row, read_us = record.progressive, record.occurred_at_us
            if isinstance(row, ReadingRow) and row.state == "judged" and read_us is not None:
                late_s.append((at_us - read_us) / SECOND)
                took_ms.append(1000 * seconds)
    late_s.sort()
    took_ms.sort()
    return [
        Measurement(
            "a reading is judged after it was read",
            _at(late_s, 50),
            "simulated s p50",
            None,
            {"simulated s p99": _at(late_s, 99), "readings": len(late_s)},
        ),
        Measurement(
            "fold of a message that lets a reading be judged",
            _at(took_ms, 50),
            "ms p50",
            None,
            {"ms p99": _at(took_ms, 99)},
        ),
    ]


def _at(values: Sequence[float], percent: int) -> float:
    return values[len(values) * percent // 100] if values else 0.0


def _nothing(_offset: int) -> bytes:
    raise AssertionError("a ledger reads nothing again")
