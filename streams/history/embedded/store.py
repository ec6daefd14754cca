"""The history of one machine, kept by chDB, the embedded ClickHouse engine.

One process owns a path (``owner.py``). Inside it any number of threads may write and read at the
same time; each call borrows a connection of its own.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from streams.history.embedded.connections import Connections
from streams.history.embedded.owner import OwnerLock
from streams.history.embedded.staging import Staging
from streams.history.faults import damaged_history
from streams.history.migrations import (
    apply_migrations,
    load_migrations,
    pending_migrations,
)
from streams.history.native import decode_blocks, encode_part
from streams.history.parameters import bound_texts
from streams.history.queries import load_queries, query_text
from streams.history.store import (
    Answer,
    Block,
    Columns,
    HistoryError,
    Parameters,
    SchemaError,
    StoreMissingError,
    missing_line,
)

INSERT_ROWS_MAX: Final = 250_000
"""Rows of one block: an insert is all or nothing up to here."""

PRODUCT_PACKAGES: Final = ("streams.", "dashboards.")
"""Beginnings of the names of packages whose queries one process may ask of another."""

_DATABASE: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")


class ChdbStore:
    """A history in a folder, owned by this process until closed."""

    def __init__(
        self,
        path: Path,
        *,
        database: str = "ladderman",
        query_packages: Sequence[str] = (),
        create: bool = True,
    ) -> None:
        """Open a history and become its owner.

        Args:
            path: Its folder, given to the engine alone.
            database: Name of the database in it.
            query_packages: Packages whose ``.sql`` files can be asked besides the history's own.
            create: Whether to begin a new history where there is none.

        Raises:
            StoreMissingError: There is none and none is to be created.
            StoreOwnedError: Another process owns it.
            StoreFaultError: The folder cannot be used, or the engine failed.
        """
        if not _DATABASE.fullmatch(database):
            raise ValueError(f"{database!r} is no name of a database")
        self.path = path.absolute()
        if not create and not self.path.is_dir():
            raise StoreMissingError(missing_line(path))
        self._packages = tuple(query_packages)
        self._queries = load_queries(*self._packages)
        self._types: dict[str, Mapping[str, str]] = {}
        self._lock = OwnerLock.take(self.path)
        self._connections = Connections(self.path, database)
        self._staging = Staging(self.path)
        self._closing = threading.Lock()
        try:
            with self._connections.borrow():
                pass
        except BaseException:
            self._lock.close()
            raise

    @property
    def owner_lock(self) -> OwnerLock:
        """The ownership, through which an API is announced."""
        return self._lock

    def learn_queries(self, packages: Sequence[str]) -> None:
        """Answer the queries of further packages of the product, which another process knows.

        Raises:
            HistoryError: One of them is no package of the product.
        """
        new = [package for package in packages if package not in self._packages]
        foreign = [package for package in new if not package.startswith(PRODUCT_PACKAGES)]
        try:
            if foreign:
                raise ImportError
            learnt = (*self._packages, *new)
            self._queries, self._packages = load_queries(*learnt), learnt
        except (ImportError, ValueError):
            raise HistoryError(
                f"{', '.join(new)[:120]}: no queries of this version of Ladderman; "
                "use one version for all processes"
            ) from None

    def migrate(self) -> tuple[str, ...]:
        """Bring the tables and views up to this version of the product.

        Raises:
            SchemaError: A later version wrote the history, or an applied file was edited.
            StoreFaultError: The history is damaged.
        """
        self._check_whole()
        migrations = load_migrations()
        for statement in migrations[0].statements:
            self._execute(statement)
        pending = pending_migrations(self._applied(), migrations)
        names = apply_migrations(pending, self._execute, self.insert)
        self._types.clear()
        return names

    def applied(self) -> dict[str, str]:
        """Give the files that were applied, by name, each with its content hash."""
        return self._applied() if self._types_of("schema_migrations") else {}

    def check_schema(self) -> None:
        """Make sure that this version of the product can read the history, and all of it.

        Raises:
            SchemaError: Files are pending, or a later version wrote it.
            StoreFaultError: The history is damaged.
        """
        self._check_whole()
        pending = pending_migrations(self.applied(), load_migrations())
        if pending:
            raise SchemaError(
                f"history {self.path} lacks {pending[0].name}; run ladderman history migrate"
            )

    def insert(self, table: str, columns: Columns) -> int:
        """Append rows to one table; they are on disk when this returns.

        Args:
            table: Name of the table.
            columns: Column name to values, all of one length.

        Raises:
            SchemaError: The table has no such column.
            HistoryError: A value does not fit its column, or the engine failed.
        """
        types = self._types_of(table)
        unknown = [name for name in columns if name not in types]
        if unknown or not types:
            raise SchemaError(f"history table {table} has no {', '.join(unknown) or 'columns'}")
        count = len(next(iter(columns.values()), ()))
        with self._connections.borrow() as connection:
            for start in range(0, count, INSERT_ROWS_MAX):
                end = start + INSERT_ROWS_MAX
                part = {name: values[start:end] for name, values in columns.items()}
                raw = encode_part(table, types, part)
                self._staging.insert(connection, table, tuple(part), (raw, min(end, count) - start))
        return count

    def query(self, name: str, parameters: Parameters | None = None) -> Answer:
        """Ask a named query and give its whole answer."""
        text = query_text(self._queries, name)
        return self._ask(text, parameters or {})

    def blocks(self, name: str, parameters: Parameters | None = None) -> Iterator[Block]:
        """Ask a named query and give its answer block by block."""
        for chunk in self.chunks(name, parameters):
            yield from decode_blocks(chunk)

    def chunks(self, name: str, parameters: Parameters | None = None) -> Iterator[bytes]:
        """Ask a named query and give its answer as bytes of the Native format.

        Each piece holds whole blocks.
        """
        text = query_text(self._queries, name)
        with self._connections.borrow() as connection:
            answer = connection.send_query(text, "Native", params=bound_texts(parameters or {}))
            with answer:
                for chunk in answer:
                    yield chunk.bytes()

    def close(self) -> None:
        """Wait for what is running, close the engine and give up the ownership."""
        with self._closing:
            self._connections.close()
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check_whole(self) -> None:
        # The engine puts a part that it cannot read aside and goes on without its rows.
        damaged = self.query("damaged_parts").rows()
        if damaged:
            table, part, reason = damaged[0]
            raise damaged_history(self.path, f"part {part} of {table} was put aside ({reason})")

    def _ask(self, text: str, parameters: Parameters) -> Answer:
        with self._connections.borrow() as connection:
            raw = connection.query(text, "Native", params=bound_texts(parameters)).bytes()
        return Answer(tuple(decode_blocks(raw)))

    def _execute(self, statement: str) -> None:
        with self._connections.borrow() as connection:
            connection.query(statement)

    def _applied(self) -> dict[str, str]:
        return dict(self.query("applied_migrations").rows())

    def _types_of(self, table: str) -> Mapping[str, str]:
        types = self._types.get(table)
        if types is None:
            types = dict(self.query("table_columns", {"table": table}).rows())
            if types:
                self._types[table] = types
        return types
