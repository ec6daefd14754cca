"""The port of a history store: four operations, for the embedded engine and for a server.

::

    HistoryError                 one line: what, where, what to do
    ├── StoreOwnedError          another process owns the path
    ├── StoreMissingError        there is no history at the path
    ├── SchemaError              the store was written by another version of the product
    └── StoreFaultError          the engine failed: disk full, damaged, not reachable
        └── StoreGoneError       who answered is gone; the next owner answers
"""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

HISTORY_FOLDER: Final = "history"
"""Where the history lies inside the folder that ``--store`` names."""

Parameter: TypeAlias = "str | int | bool | datetime.date | Sequence[str] | Sequence[int] | None"
"""What may be bound to ``{name:Type}`` of a query."""

Parameters: TypeAlias = Mapping[str, Parameter]
"""Name to value; the engine binds them, they never become part of the text."""

Columns: TypeAlias = Mapping[str, Sequence[Any]]
"""Column name to its values, all of one length."""


class HistoryError(Exception):
    """Something is wrong with the history; the text is one line for a person."""


class StoreOwnedError(HistoryError):
    """Another process owns the path and serves no API that could be asked instead."""


class EngineBusyError(StoreOwnedError):
    """This process itself has another history open; waiting does not help."""


class StoreMissingError(HistoryError):
    """There is no history at the path."""


class SchemaError(HistoryError):
    """The tables are not those that this version of the product reads and writes."""


class StoreFaultError(HistoryError):
    """The engine or the disk failed; what was acknowledged before is kept."""


class StoreGoneError(StoreFaultError):
    """The process that answered ended, handed over or is too busy; the question can be repeated."""


def missing_line(path: Path) -> str:
    """Say in one line that there is no history at a path, and how one is made."""
    if path.name != HISTORY_FOLDER:  # of the settings, which a sink writes
        return f"no history at {path}; ladderman sink begins one there"
    return (
        f"no history at {path}; ladderman ingest FILE --store {shlex.quote(str(path.parent))} "
        "makes one from a file of events"
    )


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows of an answer, by column."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    columns: tuple[Sequence[Any], ...]

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.columns[0]) if self.columns else 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer to one query; without rows it does not even know its columns' names."""

    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        """How many rows there are."""
        return sum(block.row_count for block in self.blocks)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns; none where there is no row."""
        return self.blocks[0].names if self.blocks else ()

    def rows(self) -> list[tuple[Any, ...]]:
        """Give the rows as tuples, in the order of the answer."""
        return [row for block in self.blocks for row in zip(*block.columns, strict=True)]

    def dicts(self) -> list[dict[str, Any]]:
        """Give the rows as name to value."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows()]

    def column(self, name: str) -> list[Any]:
        """Give one column."""
        if not self.blocks:
            return []
        place = self.names.index(name)
        return [value for block in self.blocks for value in block.columns[place]]


class HistoryReader(Protocol):
    """Answers named queries; safe to use from several threads."""

    def blocks(self, name: str, parameters: Parameters | None = None) -> Iterator[Block]:
        """Ask a named query and give its answer block by block.

        Args:
            name: File name of the query, without ``.sql``.
            parameters: Values for the ``{name:Type}`` of its text.

        Raises:
            HistoryError: No such query, a missing or ill-typed parameter, or the store failed.
        """
        ...

    def query(self, name: str, parameters: Parameters | None = None) -> Answer:
        """Ask a named query and give its whole answer."""
        ...

    def close(self) -> None:
        """Give everything back; a second call does nothing."""
        ...


class HistoryStore(HistoryReader, Protocol):
    """A history that can be written; the one who holds it owns it."""

    def migrate(self) -> tuple[str, ...]:
        """Bring the tables and views up to this version of the product.

        Returns:
            Names of the files that were applied, in order; none where all was up to date.
        """
        ...

    def insert(self, table: str, columns: Columns) -> int:
        """Append rows to one table; they are on disk when this returns.

        Args:
            table: Name of the table.
            columns: Column name to values; a column left out takes its default.

        Returns:
            How many rows there were.
        """
        ...
