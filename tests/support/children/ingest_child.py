"""A process that ingests files into a store, and can be told to die after a step.

``python -m tests.support.children.ingest_child '{"store": …, "files": […], "occurrence": 120}'``
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import orjson

from streams.embedding.ingest import embedded_store, ingest_files
from tests.support.children.host_child import Death


def main(options: dict[str, Any]) -> None:
    """Ingest until the end of the files, or until death."""
    death = Death(options.get("step"), options.get("occurrence", 0))
    print("ready", flush=True)
    with embedded_store(
        Path(options["store"]),
        alert=lambda line: print(line, file=sys.stderr, flush=True),
        after_step=death,
        snapshot_every=150,
        read_count=100,
    ) as (pipeline, _):
        counts = ingest_files(pipeline, options["files"])
    print(f"done {counts.taken}", flush=True)


if __name__ == "__main__":
    main(orjson.loads(sys.argv[1]))
