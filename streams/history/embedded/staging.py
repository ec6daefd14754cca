"""Writes Native blocks into tables of the embedded engine and notices when rows are missing.

The engine takes blocks through a streaming insert, and that one reports success whatever happens
when its rows are written: on a full disk they are gone without a word. So the blocks go into a
table in memory first, are counted there, and are copied from it by an ordinary statement, which
fails aloud. Even that one overlooks a failed write of a data file; so the new parts are measured
afterwards. See decision 0009.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from streams.history.native import decode_blocks
from streams.history.parameters import bound_texts
from streams.history.queries import load_queries
from streams.history.store import Parameters, StoreFaultError

if TYPE_CHECKING:
    from chdb.state.sqlitelike import Connection

_STAGE: Final = "staged_rows"
_SETTINGS: Final = "optimize_on_insert = 0, max_threads = 1, max_insert_threads = 1"
"""Repeats are told apart when reading, and a batch is not worth a second thread."""

_UNCOUNTED: Final = {
    "checksums.txt",
    "columns.txt",
    "columns_substreams.txt",
    "default_compression_codec.txt",
    "metadata_version.txt",
}
"""Files of a part that the engine leaves out of the bytes that it should have."""


class Staging:
    """The way of rows into the tables of one history."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last_blocks: dict[str, int] = {}

    def insert(
        self, connection: Connection, table: str, names: Sequence[str], block: tuple[bytes, int]
    ) -> None:
        """Append a Native block to a table; the rows are on disk when this returns.

        Args:
            connection: A connection that nobody else uses meanwhile.
            table: Name of the table; nobody else inserts into it meanwhile.
            names: Names of the columns that the block has.
            block: The bytes of the block and its number of rows.

        Raises:
            StoreFaultError: Not all rows arrived in the engine, or on the disk.
            RuntimeError: The engine could not write them.
        """
        if table not in self._last_blocks:
            ((self._last_blocks[table],),) = _rows(connection, "last_block", {"table": table})
        columns, (raw, sent) = ", ".join(names), block
        connection.query(f"CREATE TEMPORARY TABLE {_STAGE} AS {table} ENGINE = Memory")
        try:
            with connection.send_insert(
                f"INSERT INTO {_STAGE} ({columns}) SETTINGS async_insert = 0", "Native"
            ) as inserter:
                inserter.append(raw)
                inserter.finish()
            arrived = int(str(connection.query(f"SELECT count() FROM {_STAGE}", "TSV")))
            if arrived != sent:
                raise StoreFaultError(
                    f"history {self._path}: {arrived} of {sent} rows for {table} arrived in the "
                    "engine; try again"
                )
            connection.query(
                f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {_STAGE} "
                f"SETTINGS {_SETTINGS}"
            )
        finally:
            connection.query(f"DROP TABLE {_STAGE}")
        self._measure(connection, table)

    def _measure(self, connection: Connection, table: str) -> None:
        """Make sure that the files of new parts are as long as they should be."""
        asked: Parameters = {"table": table, "block": self._last_blocks[table]}
        short = []
        for name, path, byte_count, last_block in _rows(connection, "parts_since", asked):
            self._last_blocks[table] = max(self._last_blocks[table], last_block)
            if _is_cut_short(Path(path), byte_count):
                short.append(name)
                connection.query(f"ALTER TABLE {table} DETACH PART '{name}'")
        if short:
            raise StoreFaultError(
                f"history {self._path}: the disk did not take all rows for {table} "
                f"(part {short[0]}); check the disk and its limits, then write them again"
            )


def _is_cut_short(folder: Path, byte_count: int) -> bool:
    try:
        sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    except FileNotFoundError:
        return False  # merged already: a merge reads all of it
    counted = sum(size for name, size in sizes.items() if name not in _UNCOUNTED)
    return counted < byte_count or any(sizes.get(name) == 0 for name in _UNCOUNTED)


def _rows(connection: Connection, name: str, parameters: Parameters) -> list[tuple[Any, ...]]:
    text = load_queries()[name]
    raw = connection.query(text, "Native", params=bound_texts(parameters)).bytes()
    return [row for block in decode_blocks(raw) for row in zip(*block.columns, strict=True)]
