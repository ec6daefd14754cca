"""What was measured, how, and how it is shown."""

from __future__ import annotations

import cProfile
import json
import platform
import pstats
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.support.source_tree import ROOT

REPEATS = 5


@dataclass
class Measurement:
    """One figure, what was aimed at, and what stands behind it."""

    name: str
    value: float
    unit: str
    aim: float | None = None
    """The value that is aimed at; None: the figure is for information."""
    details: dict[str, float] = field(default_factory=dict)
    """Further figures, such as where the time goes; shown below in per cent or seconds."""
    more_is_better: bool = False
    """Whether the aim is the least value; otherwise it is the largest."""

    @property
    def is_reached(self) -> bool:
        """Whether the aim is reached, or there is none."""
        if self.aim is None:
            return True
        return self.value >= self.aim if self.more_is_better else self.value <= self.aim


def best_seconds(*works: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    """Give the least processor time of several runs of each work.

    The works take turns, so that what else the machine does falls on all of them alike.
    """
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, seconds in zip(works, taken, strict=True):
            before = time.process_time()
            work()
            seconds.append(time.process_time() - before)
    return [min(seconds) for seconds in taken]


def shares_by_module(work: Callable[[], object], top: int = 8) -> dict[str, float]:
    """Say which modules of ours the time of some work goes to, in per cent, largest first.

    What the interpreter and libraries do is counted where it is called from nobody of ours: under
    ``elsewhere``. A profiler slows calls down, so these are shares and no seconds.
    """
    profile = cProfile.Profile()
    profile.enable()
    work()
    profile.disable()
    return shares_of(pstats.Stats(profile), top)


def shares_of(stats: pstats.Stats, top: int = 8) -> dict[str, float]:
    """Say the same of what a profile has recorded."""
    spent: Counter[str] = Counter()
    for (file, _, _), (_, _, own, _, callers) in stats.stats.items():  # type: ignore[attr-defined]
        spent[_module(file)] += own
        if _module(file) == "elsewhere":
            for (caller, _, _), (_, _, share, _) in callers.items():
                if _module(caller) != "elsewhere":
                    spent[_module(caller)] += share
                    spent["elsewhere"] -= share
    total = sum(spent.values())
    return {name: round(100 * own / total, 1) for name, own in spent.most_common(top)}


def _module(file: str) -> str:
    path = Path(file)
    if not path.is_relative_to(ROOT) or ".venv" in path.parts:
        return "elsewhere"
    return path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")


def show(measurements: Iterable[Measurement]) -> None:
    """Print the table."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("measured", "value", "aim", ""):
        table.add_column(column, justify="left" if column == "measured" else "right")
    console = Console(highlight=False, width=100)
    for one in measurements:
        bound = "at least" if one.more_is_better else "at most"
        aim = "" if one.aim is None else f"{bound} {one.aim:g}"
        mark = "" if one.aim is None else "reached" if one.is_reached else "MISSED"
        table.add_row(one.name, f"{one.value:,.2f} {one.unit}", aim, mark)
        for name, value in one.details.items():
            table.add_row(f"    {name}", f"{value:,.1f}", "", "")
    console.print(table)


def write(measurements: Iterable[Measurement], path: Path) -> None:
    """Write the figures as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "schema": "ladderman.benchmarks/1",
        "python": platform.python_version(),
        "machine": platform.machine(),
        "measurements": [{**asdict(one), "is_reached": one.is_reached} for one in measurements],
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
