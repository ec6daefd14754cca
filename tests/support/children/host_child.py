"""A process that runs an embedded host over a floor, and can be told to die after a step.

``python -m tests.support.children.host_child '{"directory": …, "floor": …, "fold": "tally", …}'``
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import orjson

from streams.embedding.pipeline import EmbeddedPipeline
from streams.host.driving import run_now
from streams.host.ledger_fold import ProgressiveFold
from streams.host.ports import Fold, LogEntry
from streams.host.steps import Step
from streams.host.table_fold import TableFold
from streams.process.clock import SystemClock
from tests.support.stream.file_outbox import FileOutbox
from tests.support.stream.tally_fold import TallyFold
from tests.support.tables.floors import read_floor

CHUNK = 7
FOLDS: dict[str, type[TallyFold] | type[TableFold]] = {"tally": TallyFold, "table": TableFold}


PROGRESSIVES: dict[str | None, Fold | None] = {None: None, "ledger": ProgressiveFold()}


class Death:
    """Ends the process at once after the given occurrence of a step, or of any step."""

    def __init__(self, step: str | None, occurrence: int) -> None:
        self._step = step
        self._occurrence = occurrence
        self._seen: Counter[str] = Counter()

    def __call__(self, step: Step) -> None:
        self._seen[step.value] += 1
        self._seen["any"] += 1
        if self._occurrence and self._seen[self._step or "any"] == self._occurrence:
            os.kill(os.getpid(), signal.SIGKILL)


def main(options: dict[str, Any]) -> None:
    """Run a host until the floor is folded, or until death."""
    directory = Path(options["directory"])
    fold: Fold = FOLDS[options["fold"]]()
    floor = read_floor(Path(options["floor"]))
    death = Death(options.get("step"), options.get("occurrence", 0))
    print("ready", flush=True)
    pipeline = EmbeddedPipeline(
        directory / "store",
        fold,
        FileOutbox(directory / "outputs"),
        SystemClock(),
        alert=lambda line: print(line, file=sys.stderr, flush=True),
        progressives=PROGRESSIVES[options["progressives"]],
        after_step=death,
        snapshot_every=options["snapshot_every"],
        read_count=50,
    )
    while (end := pipeline.log.records.durable_end) < len(floor):
        pipeline.extend(floor[end : end + CHUNK])
        deliver(pipeline, end, floor)
    pipeline.catch_up()
    run_now(pipeline.host.poll())
    pipeline.close()
    print("done", flush=True)


def deliver(pipeline: EmbeddedPipeline, start: int, floor: list[tuple[bytes, bytes]]) -> None:
    """Deliver a chunk as well or badly as the deliverers of a log do, by turns."""
    entries = [
        LogEntry(offset, *floor[offset]) for offset in range(start, min(start + CHUNK, len(floor)))
    ]
    turn = start // CHUNK % 4
    if turn == 0:
        pipeline.catch_up()
    elif turn == 1:
        for entry in (*entries, *entries):
            run_now(pipeline.host.offer(entry))
    elif turn == 2:
        run_now(pipeline.host.offer(entries[-1]))
    else:
        for entry in entries[::3]:
            run_now(pipeline.host.offer(entry))


if __name__ == "__main__":
    main(orjson.loads(sys.argv[1]))
