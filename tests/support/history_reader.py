"""A process that reads a history again and again until standard input ends.

``python -m tests.support.history_reader PATH [ANSWERS_AN_OPENING]``; it writes a line for each
answer: how many coups stand and how many wagers, and whether it is the owner.
"""

import json
import sys
import threading
import time
from pathlib import Path

from streams.history.opening import open_history


def main(path: Path, answers: int) -> None:
    """Read until told to stop, opening the history anew now and then; then read once more."""
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    is_last = False
    while not is_last:
        with open_history(path) as history:
            for _ in range(answers):
                is_last = ended.is_set()
                (status,) = history.query("status_current").dicts()
                counts = status["coup_count"], status["wager_count"], history.owner is None
                print(json.dumps(counts), flush=True)
                if is_last:
                    break
                time.sleep(0.05)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10)
