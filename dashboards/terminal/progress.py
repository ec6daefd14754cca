"""Progress of long work, on standard error and only to a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Final, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

ROWS_A_STEP: Final = 4_096
"""Rows between two looks at the display."""


class RowProgress:
    """Counts rows on standard error while a file is read."""

    def __init__(self, name: str, noun: str = "rows") -> None:
        self._progress: Progress | None = None
        if sys.stderr.isatty():
            self._progress = Progress(
                SpinnerColumn(),
                TextColumn(f"{{task.description}} {{task.completed:,.0f}} {noun}"),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._progress.add_task(name, total=None)

    def __enter__(self) -> Self:
        if self._progress:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress:
            self._progress.stop()

    def advance(self, rows: int) -> None:
        """Show how many rows have been read."""
        if self._progress:
            self._progress.update(self._task, completed=rows)


class ByteProgress:
    """Shows on standard error how much of some files was read, how fast, and the time left."""

    def __init__(self, name: str, noun: str) -> None:
        self._progress: Progress | None = None
        if sys.stderr.isatty():
            self._progress = Progress(
                SpinnerColumn(),
                TextColumn(f"{{task.description}} {{task.fields[items]:,}} {noun}"),
                BarColumn(bar_width=20),
                TaskProgressColumn(),
                TransferSpeedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(compact=True),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._progress.add_task(name, total=None, items=0)

    def __enter__(self) -> Self:
        if self._progress:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress:
            self._progress.stop()

    def advance(self, items: int, read_bytes: int, total_bytes: int | None) -> None:
        """Show how many items, and how many bytes of all, have been read."""
        if self._progress:
            self._progress.update(self._task, completed=read_bytes, total=total_bytes, items=items)
