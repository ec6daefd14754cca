"""The history on a ClickHouse server, written and read through clickhouse-driver.

The same tables, files of queries and answers as with the embedded engine. What may be repeated is
repeated by itself while the server is away for a moment: questions, and inserts too, because a row
that stands twice is read once. Parameters travel beside the text of a query and are bound by the
server (see the decision on how they do).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Final, Self

from clickhouse_driver import Client, errors

from streams.history.migrations import apply_migrations, load_migrations, pending_migrations
from streams.history.native import block_of, encode_part
from streams.history.parameters import bound_texts
from streams.history.queries import load_queries, query_text
from streams.history.server.clients import ServerAddress, ServerClients
from streams.history.server.faults import CONNECTION_FAULTS
from streams.history.store import Answer, Block, Columns, HistoryError, Parameters, SchemaError

INSERT_ROWS_MAX: Final = 250_000
"""Rows of one block: an insert is all or nothing up to here."""

_INSERT_SETTINGS: Final = {
    "insert_block_size": INSERT_ROWS_MAX,
    "async_insert": 0,  # acknowledged means written
    "optimize_on_insert": 0,  # repeats are told apart when reading
    "max_partitions_per_insert_block": 1,  # several would be kept or lost one by one
}


class _Dumped:
    """A parameter's text in the form in which the protocol carries it, without the quotes.

    The driver puts whatever is no ``str`` between quotes as it is. Its own escaping is for literals
    and turns None into the text NULL.
    """

    def __init__(self, text: str) -> None:
        self._text = text.replace("\\", "\\\\").replace("'", "\\'")

    def __str__(self) -> str:
        return self._text


class ClickHouseServerStore:
    """A history on a server; any number of threads, and of processes, may use it."""

    def __init__(self, address: ServerAddress, *, query_packages: Sequence[str] = ()) -> None:
        """Find the server and make sure that it will do.

        Args:
            address: Where it is, and as whom it is asked.
            query_packages: Packages whose ``.sql`` files can be asked besides the history's own.

        Raises:
            StoreUnavailableError: The server is away.
            StoreRefusedError: Wrong user, password or database, or a server that is too old.
        """
        self.address = address
        self._queries = load_queries(*query_packages)
        self._types: dict[str, Mapping[str, str]] = {}
        self._clients = ServerClients(address)
        self._clients.check()

    def migrate(self) -> tuple[str, ...]:
        """Bring the tables and views up to this version of the product.

        Raises:
            SchemaError: A later version wrote the history, or an applied file was edited.
        """
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
        """Make sure that this version of the product can read the history.

        Raises:
            SchemaError: Files are pending, or a later version wrote it.
        """
        pending = pending_migrations(self.applied(), load_migrations())
        if pending:
            raise SchemaError(
                f"history {self.address.label} lacks {pending[0].name}; "
                "run ladderman history migrate"
            )

    def insert(self, table: str, columns: Columns) -> int:
        """Append rows to one table; they are on disk when this returns.

        Args:
            table: Name of the table.
            columns: Column name to values, all of one length; all rows of one partition.

        Raises:
            SchemaError: The table has no such column.
            StoreUnavailableError: The server is away. Some of the rows may have been kept: insert
                the same rows again when it is back.
            HistoryError: A value does not fit its column, or the server refused the rows.
        """
        types = self._types_of(table)
        unknown = [name for name in columns if name not in types]
        if unknown or not types:
            raise SchemaError(f"history table {table} has no {', '.join(unknown) or 'columns'}")
        count = len(next(iter(columns.values()), ()))
        for start in range(0, count, INSERT_ROWS_MAX):
            end = start + INSERT_ROWS_MAX
            part = {name: values[start:end] for name, values in columns.items()}
            self._clients.persist(partial(self._insert_block, table, types, part))
        return count

    def query(self, name: str, parameters: Parameters | None = None) -> Answer:
        """Ask a named query and give its whole answer."""
        text = query_text(self._queries, name)
        bound = _bound(parameters or {})
        return self._clients.persist(lambda: Answer(tuple(self._ask(text, bound))))

    def blocks(self, name: str, parameters: Parameters | None = None) -> Iterator[Block]:
        """Ask a named query and give its answer block by block.

        Raises:
            StoreUnavailableError: The server went away; what was given so far is not the whole.
        """
        text = query_text(self._queries, name)
        bound = _bound(parameters or {})

        def begin() -> tuple[Block | None, Iterator[Block]]:
            rest = self._ask(text, bound)
            return next(rest, None), rest

        first, rest = self._clients.persist(begin)
        if first is not None:
            yield first
            yield from rest

    def close(self) -> None:
        """Wait for what is running and give every connection back; a second call does nothing."""
        self._clients.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask(self, text: str, bound: Mapping[str, _Dumped]) -> Iterator[Block]:
        with self._clients.borrow() as client:
            for packet in _packets(client, text, bound):
                if packet.block is not None and packet.block.num_rows:
                    yield block_of(packet.block)

    def _insert_block(self, table: str, types: Mapping[str, str], part: Columns) -> None:
        statement = f"INSERT INTO {table} ({', '.join(part)}) VALUES"
        # The driver writes defaults over the None of its input: give it lists of its own.
        values = [list(column) for column in part.values()]
        with self._clients.borrow() as client:
            try:
                client.execute(statement, values, columnar=True, settings=_INSERT_SETTINGS)
            except (errors.ServerException, *CONNECTION_FAULTS):
                raise
            except Exception as error:
                encode_part(table, types, part)  # says which column it is
                raise HistoryError(f"history table {table}: {error}") from error

    def _execute(self, statement: str) -> None:
        def once() -> None:
            with self._clients.borrow() as client:
                client.execute(statement)

        self._clients.persist(once)

    def _applied(self) -> dict[str, str]:
        return dict(self.query("applied_migrations").rows())

    def _types_of(self, table: str) -> Mapping[str, str]:
        types = self._types.get(table)
        if types is None:
            types = dict(self.query("table_columns", {"table": table}).rows())
            if types:
                self._types[table] = types
        return types


def _bound(parameters: Parameters) -> dict[str, _Dumped]:
    return {name: _Dumped(text) for name, text in bound_texts(parameters).items()}


def _packets(client: Client, text: str, bound: Mapping[str, _Dumped]) -> Iterator[Any]:
    """Do what the driver's ``execute_iter`` does, and give blocks instead of rows."""
    with client.disconnect_on_error(text, None):
        client.connection.send_query(text, params=bound)
        client.connection.send_external_tables(None)
        yield from client.packet_generator()
