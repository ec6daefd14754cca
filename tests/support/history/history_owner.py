"""A process that owns a history, serves its API if told to, and waits to be killed.

``python -m tests.support.history.history_owner PATH [--api]``; it writes ``ready`` when it owns
the path.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.source_tree import ROOT


@contextmanager
def owner_of(path: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Run such a process, until the end of the block at the latest."""
    command = [sys.executable, "-m", "tests.support.history.history_owner", str(path), *options]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        try:
            assert owner.stdout is not None
            assert owner.stdout.readline() == "ready\n"
            yield owner
        finally:
            owner.kill()


def main(path: Path, with_api: bool) -> None:
    """Own a history with one coup in it until standard input ends."""
    from streams.history.embedded.store import ChdbStore
    from streams.history.sharing.api import HistoryApi
    from streams.history.writing.writer import HistoryWriter
    from tests.support.history.history_records import a_coup, known

    with ChdbStore(path, query_packages=("tests.support.history.history_sql",)) as store:
        store.migrate()
        HistoryWriter(store).write([known(a_coup(1, offset=1))])
        api = HistoryApi(store) if with_api else None
        print("ready", flush=True)
        sys.stdin.read()
        if api is not None:
            api.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--api" in sys.argv[2:])
