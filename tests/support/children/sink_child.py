"""A sink that can be told to die between two inserts, or between a write and its commit.

``python -m tests.support.children.sink_child '{"after_inserts": 7}'``; settings come from the
environment as for ``ladderman sink``.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import orjson

from streams.history.embedded.store import ChdbStore
from streams.history.store import Columns
from streams.process.settings import load_settings
from streams.sink import batches, loop
from streams.sink.loop import Sink
from streams.sink.running import SinkMode, run_sink

SMALL_BATCH = 250


def die() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def die_after_inserts(count: int) -> None:
    """Die once so many inserts have been made."""
    insert, made = ChdbStore.insert, 0

    def counted(store: ChdbStore, table: str, columns: Columns) -> int:
        nonlocal made
        rows = insert(store, table, columns)
        made += 1
        if made == count:
            die()
        return rows

    ChdbStore.insert = counted  # type: ignore[method-assign]


def die_before_commits(count: int) -> None:
    """Die when so many batches have been committed and the next one is written."""
    commit, made = Sink._commit, 0

    async def counted(sink: Sink, batch: batches.Batch) -> None:
        nonlocal made
        made += 1
        if made > count:
            die()
        await commit(sink, batch)

    Sink._commit = counted  # type: ignore[method-assign]


def main(options: dict[str, Any]) -> int:
    """Run a sink that writes small batches."""
    batches.ROWS_MAX = loop.RECORDS_MAX = SMALL_BATCH  # type: ignore[misc]
    if "after_inserts" in options:
        die_after_inserts(options["after_inserts"])
    if "after_commits" in options:
        die_before_commits(options["after_commits"])
    return run_sink(load_settings(), SinkMode(instance_id=options.get("name")))


if __name__ == "__main__":
    sys.exit(main(orjson.loads(sys.argv[1])))
