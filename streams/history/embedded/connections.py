"""Connections to the embedded engine; each thread of a process borrows one.

The engine opens one path per process, however many connections there are, and a connection serves
one thread at a time. It is imported when first needed: after that the process must never fork.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from streams.history.faults import engine_fault, engine_not_loaded
from streams.history.store import HistoryError, StoreGoneError

if TYPE_CHECKING:
    from chdb.state.sqlitelike import Connection

IDLE_MAX: Final = 8
"""At most so many connections are kept for the next borrower."""


class Connections:
    """Connections to one database of one path."""

    def __init__(self, path: Path, database: str) -> None:
        self._path = path
        self._database = database
        self._idle: list[Connection] = []
        self._lent = 0
        self._is_closed = False
        self._changed = threading.Condition()

    @contextmanager
    def borrow(self) -> Iterator[Connection]:
        """Lend a connection; errors of the engine come out as one line each.

        One that met an error is thrown away, with whatever it was in the middle of.

        Raises:
            HistoryError: The engine refused, or the history is closed.
        """
        connection = self._take()
        is_sound = False
        try:
            yield connection
            is_sound = True
        except HistoryError:
            raise
        except RuntimeError as error:
            raise engine_fault(self._path, error) from None
        finally:
            self._give_back(connection, is_sound)

    def close(self) -> None:
        """Wait until every connection has come back, then close them all."""
        with self._changed:
            self._is_closed = True
            self._changed.wait_for(lambda: self._lent == 0)
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _take(self) -> Connection:
        with self._changed:
            if self._is_closed:
                raise StoreGoneError(f"history {self._path}: already closed in this process")
            self._lent += 1
            if self._idle:
                return self._idle.pop()
        try:
            return self._connect()
        except BaseException:
            with self._changed:
                self._lent -= 1
                self._changed.notify_all()
            raise

    def _connect(self) -> Connection:
        try:
            from chdb.state.sqlitelike import connect
        except RuntimeError as error:
            raise engine_not_loaded(error) from None
        try:
            connection = connect(str(self._path))
            # Names of databases are checked where a store is made: they cannot be parameters here.
            connection.query(f"CREATE DATABASE IF NOT EXISTS {self._database}")
            connection.query(f"USE {self._database}")
        except RuntimeError as error:
            raise engine_fault(self._path, error) from None
        return connection

    def _give_back(self, connection: Connection, is_sound: bool) -> None:
        keep = is_sound and len(self._idle) < IDLE_MAX
        if not keep:
            connection.close()  # before it counts as back: closing a history waits for this
        with self._changed:
            self._lent -= 1
            if keep:
                self._idle.append(connection)
            self._changed.notify_all()
