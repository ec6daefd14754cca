"""Clients of a ClickHouse server; each thread of a process borrows one.

A client of the driver is one socket and serves one thread at a time. One that met an error is
thrown away: its socket may hold the rest of somebody else's answer.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from clickhouse_driver import Client, defines, errors

from streams.history.server.faults import (
    CONNECTION_FAULTS,
    StoreRefusedError,
    StoreUnavailableError,
    connection_fault,
    is_slow,
    server_fault,
    unknown_database,
)
from streams.history.store import HistoryError, StoreFaultError
from streams.process.settings import ClickHouseSettings

IDLE_MAX: Final = 8
"""At most so many clients are kept for the next borrower."""

_PAUSE_FIRST_S: Final = 0.1
_PAUSE_MAX_S: Final = 2.0

_Result = TypeVar("_Result")

# The driver warns of what it also raises, with a traceback; people get our one line instead.
logging.getLogger("clickhouse_driver.connection").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a ClickHouse server is, who asks it, and how patiently."""

    host: str = "127.0.0.1"
    port: int = defines.DEFAULT_PORT
    database: str = "ladderman"
    user: str = defines.DEFAULT_USER
    password: str = field(default="", repr=False)
    tls: bool = False
    tls_ca_file: Path | None = None
    """Certificates of those who may sign the server's; those that the driver knows where None."""
    tls_check_hostname: bool = True
    connect_timeout_s: float = 5.0
    answer_timeout_s: float = 20.0
    """How long to wait for the next piece of an answer."""
    ping_timeout_s: float = 5.0
    """How long to wait for a sign of life before each query."""
    patience_s: float = 10.0
    """How long to go on trying while the server is away, before the caller is told."""

    @classmethod
    def from_settings(cls, settings: ClickHouseSettings) -> ServerAddress:
        """Take what the settings say."""
        return cls(
            host=settings.host,
            port=settings.port,
            database=settings.database,
            user=settings.user,
            password=settings.password.get_secret_value(),
            tls=settings.tls,
            tls_ca_file=settings.tls_ca_file,
            tls_check_hostname=settings.tls_check_hostname,
            connect_timeout_s=settings.connect_timeout_s,
            answer_timeout_s=settings.send_receive_timeout_s,
            ping_timeout_s=settings.sync_request_timeout_s,
        )

    @property
    def label(self) -> str:
        """What messages call it; never the password."""
        return f"{self.host}:{self.port}/{self.database}"

    def client(self, database: str) -> Client:
        """Make a client, not connected yet."""
        return Client(
            self.host,
            port=self.port,
            database=database,
            user=self.user,
            password=self.password,
            client_name="ladderman",
            secure=self.tls,
            ca_certs=None if self.tls_ca_file is None else str(self.tls_ca_file),
            check_hostname=self.tls_check_hostname,
            connect_timeout=self.connect_timeout_s,
            send_receive_timeout=self.answer_timeout_s,
            sync_request_timeout=self.ping_timeout_s,
            tcp_keepalive=True,
            settings={"server_side_params": True},
        )


class ServerClients:
    """Clients of one database of one server."""

    def __init__(self, address: ServerAddress) -> None:
        self.address = address
        self._idle: list[Client] = []
        self._lent = 0
        self._is_closed = False
        self._changed = threading.Condition()

    def check(self) -> None:
        """Make sure that the server is there, is new enough, lets us in and has the database.

        Raises:
            StoreUnavailableError: It is away.
            StoreRefusedError: It is there and will not do.
        """
        self.persist(self._check_once)

    def _check_once(self) -> None:
        # Without a database: servers refuse a wrong one only after their greeting, and may cut
        # the connection before that refusal was read.
        client = self.address.client("")
        with self._said_in_one_line(), _closed_in_the_end(client):
            known = [name for (name,) in client.execute("SELECT name FROM system.databases")]
            info = client.connection.server_info
        if info.used_revision < defines.DBMS_MIN_PROTOCOL_VERSION_WITH_PARAMETERS:
            version = f"{info.version_major}.{info.version_minor}"
            raise StoreRefusedError(
                f"history {self.address.label}: the server is ClickHouse {version}, which "
                "cannot bind parameters of queries; use 22.8 or later"
            )
        if self.address.database not in known:
            raise unknown_database(self.address.label, known)

    def persist(self, attempt: Callable[[], _Result]) -> _Result:
        """Try something that may be repeated without harm until it succeeds or patience ends.

        A server that is slow is not asked again: that would make it slower.

        Raises:
            StoreUnavailableError: The server stayed away, or was too slow.
        """
        limit = time.monotonic() + self.address.patience_s
        pause = _PAUSE_FIRST_S
        while True:
            try:
                return attempt()
            except StoreUnavailableError as fault:
                cause = fault.__cause__
                is_away = isinstance(cause, CONNECTION_FAULTS) and not is_slow(cause)
                if not is_away or time.monotonic() + pause > limit:
                    raise fault from None
            time.sleep(pause)
            pause = min(2 * pause, _PAUSE_MAX_S)

    @contextmanager
    def borrow(self) -> Iterator[Client]:
        """Lend a client; whatever goes wrong comes out as one line.

        Raises:
            HistoryError: The server is away or answered with an error, or the store is closed.
        """
        client = self._take()
        is_sound = False
        try:
            with self._said_in_one_line():
                yield client
            is_sound = True
        finally:
            self._give_back(client, is_sound)

    def close(self) -> None:
        """Wait for what is running, as long as an answer may take, then close every client."""
        with self._changed:
            self._is_closed = True
            self._changed.wait_for(lambda: self._lent == 0, self.address.answer_timeout_s)
            idle, self._idle = self._idle, []
        for client in idle:
            client.disconnect()

    @contextmanager
    def _said_in_one_line(self) -> Iterator[None]:
        address = self.address
        try:
            yield
        except HistoryError:
            raise
        except errors.ServerException as fault:
            raise server_fault(address.label, address.user, fault) from fault
        except CONNECTION_FAULTS as fault:
            raise connection_fault(address.label, fault, address.answer_timeout_s) from fault

    def _take(self) -> Client:
        with self._changed:
            if self._is_closed:
                raise StoreFaultError(
                    f"history {self.address.label}: already closed in this process"
                )
            client = self._idle.pop() if self._idle else self.address.client(self.address.database)
            self._lent += 1  # only now: what could not be made is not given back either
        return client

    def _give_back(self, client: Client, is_sound: bool) -> None:
        with self._changed:
            self._lent -= 1
            keep = is_sound and not self._is_closed and len(self._idle) < IDLE_MAX
            if keep:
                self._idle.append(client)
            self._changed.notify_all()
        if not keep:
            with suppress(*CONNECTION_FAULTS):
                client.disconnect()


@contextmanager
def _closed_in_the_end(client: Client) -> Iterator[None]:
    try:
        yield
    finally:
        with suppress(*CONNECTION_FAULTS):
            client.disconnect()
