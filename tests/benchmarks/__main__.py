"""``python -m tests.benchmarks``: measure, print the table, write the figures as JSON."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.benchmarks import (
    exact_odds,
    progressives,
    recorded_rounds,
    starting,
    stream,
    table_day,
)
from tests.benchmarks.measuring import show, write

BENCHMARKS = {
    "rounds": recorded_rounds.measure,
    "start": starting.measure,
    "odds": exact_odds.measure,
    "table-day": table_day.measure,
    "progressives": progressives.measure,
    "stream": stream.measure,
}


def main() -> None:
    """Run the benchmarks that are named, or all."""
    parser = argparse.ArgumentParser(description="Measure the speed of Ladderman.")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(BENCHMARKS)}; none: all")
    parser.add_argument("--json", type=Path, default=Path("build/benchmarks.json"))
    asked = parser.parse_args()
    if unknown := sorted(set(asked.names) - set(BENCHMARKS)):
        parser.error(f"no benchmark {unknown[0]}; there are {', '.join(BENCHMARKS)}")
    found = [one for name in asked.names or BENCHMARKS for one in BENCHMARKS[name]()]
    show(found)
    write(found, asked.json)
    print(f"processor time unless a clock is named; figures are in {asked.json}")


if __name__ == "__main__":
    main()
