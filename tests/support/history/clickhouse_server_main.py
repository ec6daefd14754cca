"""The loopback server: ``python -m tests.support.history.clickhouse_server_main DATA …``.

One process for each data directory, because chDB opens one path in one process. It says its port on
its standard output and ends with its standard input, so that it never outlives the tests.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import socket
import ssl
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

from clickhouse_driver.defines import DBMS_MIN_PROTOCOL_VERSION_WITH_PARAMETERS as PARAMETERS
from clickhouse_driver.protocol import ClientPacketTypes

from tests.support.history.chdb_session import ChdbSession, Insert
from tests.support.history.native_protocol import ClientStream, Query, ServerError

VERSIONS = {True: (26, 9, 2), False: (18, 1, 2)}
"""What it claims to be, by whether it knows parameters."""


@dataclass(frozen=True)
class Setup:
    """What the server is started with."""

    data: str
    port: int
    user: str
    password: str
    revision: int
    certificate: str | None


def serve_client(connection: socket.socket, setup: Setup, connect: Callable[[], object]) -> None:
    """Speak with one client until it goes."""
    with contextlib.suppress(EOFError, OSError), _secured(connection, setup) as secured:
        stream = ClientStream(secured, setup.revision)
        hello = stream.read_hello()
        if (hello.user, hello.password) != (setup.user, setup.password):
            stream.send_error(
                ServerError(
                    516,
                    f"{hello.user}: Authentication failed: password is incorrect, "
                    "or there is no user with such name.",
                )
            )
            return
        stream.send_hello(VERSIONS[setup.revision >= PARAMETERS])
        stream.read_addendum()
        engine = connect()
        try:
            session = ChdbSession(engine)
            try:
                session.enter(hello.database)
            except ServerError as refused:
                stream.send_error(refused)  # only after the hello, as newer servers do
                return
            _converse(stream, session)
        finally:
            engine.close()


def _secured(connection: socket.socket, setup: Setup) -> socket.socket:
    if setup.certificate is None:
        return connection
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(setup.certificate)
    return context.wrap_socket(connection, server_side=True)


def _converse(stream: ClientStream, session: ChdbSession) -> None:
    while True:
        packet = stream.read_packet_type()
        if packet == ClientPacketTypes.PING:
            stream.send_pong()
        elif packet == ClientPacketTypes.QUERY:
            _take_query(stream, session)
        elif packet != ClientPacketTypes.CANCEL:  # one that came too late does no harm
            return


def _take_query(stream: ClientStream, session: ChdbSession) -> None:
    query = stream.read_query()
    if query.compressed:
        stream.send_error(ServerError(48, "Compression is not spoken by the loopback server."))
        raise EOFError("the blocks that follow cannot be read")
    while stream.read_block():
        pass  # external tables: none are used
    try:
        with session.settings_of(query):
            insert = session.insert(query)
            if insert is None:
                _answer(stream, session, query)
            else:
                _take_rows(stream, insert)
    except ServerError as refused:
        stream.send_error(refused)
        return
    stream.send_end()


def _answer(stream: ClientStream, session: ChdbSession, query: Query) -> None:
    for columns in session.answer(query):
        stream.send_block(columns)
        stream.send_progress(len(columns[0][2]))
        if stream.has_cancelled():
            return


def _take_rows(stream: ClientStream, insert: Insert) -> None:
    stream.send_block(insert.sample)
    while columns := stream.read_block():
        insert.append(columns)
        stream.send_profile_events()
    stream.send_profile_events()
    insert.finish()


def main() -> None:
    """Listen until the standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--user", default="default")
    parser.add_argument("--revision", type=int, required=True)
    parser.add_argument("--certificate", help="PEM file with certificate and key: speak TLS")
    given = parser.parse_args()
    password = os.environ.get("LOOPBACK_PASSWORD", "")
    setup = Setup(given.data, given.port, given.user, password, given.revision, given.certificate)

    from chdb.state.sqlitelike import Connection

    keeper = Connection(setup.data)  # the engine stays up while no client is there
    listener = socket.create_server(("127.0.0.1", setup.port), backlog=64)
    threading.Thread(target=_accept, args=(listener, setup), daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()
    listener.close()
    keeper.close()
    os._exit(0)  # clients may still be waiting in their threads


def _accept(listener: socket.socket, setup: Setup) -> None:
    from chdb.state.sqlitelike import Connection

    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(
                target=serve_client,
                args=(connection, setup, lambda: Connection(setup.data)),
                daemon=True,
            ).start()


if __name__ == "__main__":
    main()
