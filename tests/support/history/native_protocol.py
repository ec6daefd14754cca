"""The server's half of ClickHouse's native protocol, for clickhouse-driver over a real socket.

Only what the driver of our pinned version says and understands. Blocks are read and written with
the driver's own column classes.
"""

from __future__ import annotations

import re
import select
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clickhouse_driver import defines
from clickhouse_driver.block import BlockInfo
from clickhouse_driver.bufferedreader import BufferedSocketReader
from clickhouse_driver.bufferedwriter import BufferedSocketWriter
from clickhouse_driver.columns.service import read_column, write_column
from clickhouse_driver.context import Context
from clickhouse_driver.protocol import ClientPacketTypes, ServerPacketTypes
from clickhouse_driver.reader import (
    read_binary_bytes,
    read_binary_str,
    read_binary_uint8,
    read_binary_uint64,
    read_binary_uint128,
)
from clickhouse_driver.settings.writer import SettingsFlags
from clickhouse_driver.varint import read_varint, write_varint
from clickhouse_driver.writer import write_binary_int32, write_binary_str, write_binary_uint8

BUFFER_BYTES: Final = 1 << 20

Column = tuple[str, str, Sequence[Any]]
"""Name, type, values."""

_NUMBERS_OF: Final = (
    (re.compile(r"Enum(8|16)\((?:'(?:[^'\\]|\\.)*'|[^')])*\)"), r"Int\1"),
    (re.compile(r"DateTime64\([^)]*\)"), "Int64"),
    (re.compile(r"DateTime(?:\([^)]*\))?"), "UInt32"),
    (re.compile(r"\bDate32\b"), "Int32"),
    (re.compile(r"\bDate\b"), "UInt16"),
    (re.compile(r"\bBool\b"), "UInt8"),
)
"""Types that are numbers on the wire are passed on as numbers: nothing is interpreted here."""


def type_on_the_wire(spec: str) -> str:
    """Give the type whose column has the same bytes and loses nothing in Python."""
    for pattern, number in _NUMBERS_OF:
        spec = pattern.sub(number, spec)
    return spec


class MemorySocket:
    """A socket to read from or write to memory."""

    def __init__(self, received: bytes = b"") -> None:
        self._received = memoryview(received)
        self._position = 0
        self._sent: list[bytes] = []

    @property
    def unread_bytes(self) -> int:
        """How many bytes were not given out yet."""
        return len(self._received) - self._position

    def recv_into(self, buffer: memoryview) -> int:
        """Give out the next bytes."""
        taken = self._received[self._position : self._position + len(buffer)]
        buffer[: len(taken)] = taken
        self._position += len(taken)
        return len(taken)

    def sendall(self, data: bytes) -> None:
        """Keep bytes."""
        self._sent.append(bytes(data))

    def sent(self) -> bytes:
        """Give all that was sent."""
        return b"".join(self._sent)


@dataclass
class _Revision:
    used_revision: int

    def get_timezone(self) -> str:
        return "UTC"


def wire_context(revision: int) -> Context:
    """Say how the driver's classes read and write: text stays bytes."""
    context = Context()
    context.server_info = _Revision(revision)
    context.settings = {}
    context.client_settings = {
        "strings_as_bytes": True,
        "strings_encoding": "utf-8",
        "use_numpy": False,
        "input_format_null_as_default": False,
        "namedtuple_as_json": False,
    }
    return context


def read_block(reader: BufferedSocketReader, context: Context) -> list[Column]:
    """Read one block in the form of the context's revision."""
    revision = context.server_info.used_revision
    if revision >= defines.DBMS_MIN_REVISION_WITH_BLOCK_INFO:
        BlockInfo().read(reader)
    column_count, row_count = read_varint(reader), read_varint(reader)
    columns = []
    for _ in range(column_count):
        name, spec = read_binary_str(reader), read_binary_str(reader)
        custom = revision >= defines.DBMS_MIN_REVISION_WITH_CUSTOM_SERIALIZATION
        if custom and read_binary_uint8(reader):
            raise ValueError(f"{name}: custom serialisation is not spoken here")
        values = (
            read_column(context, type_on_the_wire(spec), row_count, reader) if row_count else ()
        )
        columns.append((name, spec, values))
    return columns


def write_block(writer: BufferedSocketWriter, context: Context, columns: Sequence[Column]) -> None:
    """Write one block in the form of the context's revision."""
    revision = context.server_info.used_revision
    if revision >= defines.DBMS_MIN_REVISION_WITH_BLOCK_INFO:
        BlockInfo().write(writer)
    write_varint(len(columns), writer)
    write_varint(len(columns[0][2]) if columns else 0, writer)
    for name, spec, values in columns:
        write_binary_str(name, writer)
        write_binary_str(spec, writer)
        if revision >= defines.DBMS_MIN_REVISION_WITH_CUSTOM_SERIALIZATION:
            write_binary_uint8(0, writer)
        if values:
            write_column(context, name, type_on_the_wire(spec), list(values), writer)


def native_bytes(columns: Sequence[Column]) -> bytes:
    """Write one block as the engine's Native format."""
    memory = MemorySocket()
    writer = BufferedSocketWriter(memory, BUFFER_BYTES)
    write_block(writer, wire_context(0), columns)
    writer.flush()
    return memory.sent()


def native_blocks(raw: bytes) -> Iterator[list[Column]]:
    """Read the blocks of the engine's Native format."""
    memory = MemorySocket(raw)
    reader = BufferedSocketReader(memory, BUFFER_BYTES)
    context = wire_context(0)
    while memory.unread_bytes or reader.position < reader.current_buffer_size:
        yield read_block(reader, context)


class ServerError(Exception):
    """What a server says of a query that it does not answer."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


@dataclass(frozen=True)
class Hello:
    """Who speaks, and to which database."""

    revision: int
    database: str
    user: str
    password: str


@dataclass(frozen=True)
class Query:
    """One query as it came: text, settings that matter or not, parameters as written."""

    text: str
    compressed: bool
    settings: dict[str, tuple[str, bool]] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)


class ClientStream:
    """One connection, as the server sees it."""

    def __init__(self, connection: socket.socket, server_revision: int) -> None:
        self._socket = connection
        self._reader = BufferedSocketReader(connection, BUFFER_BYTES)
        self._writer = BufferedSocketWriter(connection, BUFFER_BYTES)
        self._server_revision = server_revision
        self._context = wire_context(server_revision)

    @property
    def _revision(self) -> int:
        return self._context.server_info.used_revision

    # ---- what the client says

    def read_packet_type(self) -> int:
        """Wait for the next packet; EOFError when the client has gone."""
        return read_varint(self._reader)

    def read_hello(self) -> Hello:
        """Read who speaks; from here on both keep to the lower revision."""
        if self.read_packet_type() != ClientPacketTypes.HELLO:
            raise EOFError("not a client of the native protocol")
        read_binary_str(self._reader)  # name
        read_varint(self._reader)  # major version
        read_varint(self._reader)  # minor version
        revision = min(read_varint(self._reader), self._server_revision)
        self._context = wire_context(revision)
        names = [read_binary_str(self._reader) for _ in range(3)]
        return Hello(revision, *names)

    def read_addendum(self) -> None:
        """Read what newer clients add to their hello."""
        if self._revision >= defines.DBMS_MIN_PROTOCOL_VERSION_WITH_ADDENDUM:
            read_binary_str(self._reader)  # quota key

    def read_query(self) -> Query:
        """Read a query, up to but without the blocks that follow it."""
        reader, revision = self._reader, self._revision
        read_binary_str(reader)  # query id
        if revision >= defines.DBMS_MIN_REVISION_WITH_CLIENT_INFO:
            self._skip_client_info()
        settings = self._read_settings()
        if revision >= defines.DBMS_MIN_REVISION_WITH_INTERSERVER_SECRET:
            read_binary_str(reader)
        read_varint(reader)  # stage: always complete
        compressed = bool(read_varint(reader))
        text = read_binary_str(reader)
        parameters = {}
        if revision >= defines.DBMS_MIN_PROTOCOL_VERSION_WITH_PARAMETERS:
            parameters = {name: value for name, (value, _) in self._read_settings().items()}
        return Query(text, compressed, settings, parameters)

    def _skip_client_info(self) -> None:
        reader, revision = self._reader, self._revision
        read_binary_uint8(reader)  # kind
        for _ in range(3):  # initial user, query id, address
            read_binary_str(reader)
        if revision >= defines.DBMS_MIN_PROTOCOL_VERSION_WITH_INITIAL_QUERY_START_TIME:
            read_binary_uint64(reader)
        read_binary_uint8(reader)  # interface
        for _ in range(3):  # operating system user, host, client
            read_binary_str(reader)
        for _ in range(3):  # major, minor, revision
            read_varint(reader)
        if revision >= defines.DBMS_MIN_REVISION_WITH_QUOTA_KEY_IN_CLIENT_INFO:
            read_binary_str(reader)
        if revision >= defines.DBMS_MIN_PROTOCOL_VERSION_WITH_DISTRIBUTED_DEPTH:
            read_varint(reader)
        if revision >= defines.DBMS_MIN_REVISION_WITH_VERSION_PATCH:
            read_varint(reader)
        if revision >= defines.DBMS_MIN_REVISION_WITH_OPENTELEMETRY and read_binary_uint8(reader):
            read_binary_uint128(reader)  # trace
            read_binary_uint64(reader)  # span
            read_binary_str(reader)  # state
            read_binary_uint8(reader)  # flags
        if revision >= defines.DBMS_MIN_REVISION_WITH_PARALLEL_REPLICAS:
            for _ in range(3):
                read_varint(reader)

    def _read_settings(self) -> dict[str, tuple[str, bool]]:
        settings = {}
        while name := read_binary_str(self._reader):
            if self._revision < defines.DBMS_MIN_REVISION_WITH_SETTINGS_SERIALIZED_AS_STRINGS:
                raise EOFError(f"setting {name}: not readable at revision {self._revision}")
            flags = read_varint(self._reader)
            value = read_binary_bytes(self._reader).decode()
            settings[name] = (value, bool(flags & SettingsFlags.IMPORTANT))
        return settings

    def read_block(self) -> list[Column]:
        """Read the next block that the client sends; no columns mean the end of its data."""
        packet = self.read_packet_type()
        if packet != ClientPacketTypes.DATA:
            raise EOFError(f"a block was expected, not {ClientPacketTypes.to_str(packet)}")
        if self._revision >= defines.DBMS_MIN_REVISION_WITH_TEMPORARY_TABLES:
            read_binary_str(self._reader)  # name of an external table
        return read_block(self._reader, self._context)

    def has_cancelled(self) -> bool:
        """Say, without waiting, whether the client asks to stop."""
        buffered = self._reader.position < self._reader.current_buffer_size
        if not buffered and not select.select([self._socket], [], [], 0)[0]:
            return False
        return self.read_packet_type() == ClientPacketTypes.CANCEL

    # ---- what the server says

    def send_hello(self, version: tuple[int, int, int]) -> None:
        """Say what this server is."""
        writer = self._writer
        write_varint(ServerPacketTypes.HELLO, writer)
        write_binary_str("ClickHouse", writer)
        write_varint(version[0], writer)
        write_varint(version[1], writer)
        write_varint(self._server_revision, writer)
        if self._revision >= defines.DBMS_MIN_REVISION_WITH_SERVER_TIMEZONE:
            write_binary_str("UTC", writer)
        if self._revision >= defines.DBMS_MIN_REVISION_WITH_SERVER_DISPLAY_NAME:
            write_binary_str("loopback", writer)
        if self._revision >= defines.DBMS_MIN_REVISION_WITH_VERSION_PATCH:
            write_varint(version[2], writer)
        writer.flush()

    def send_pong(self) -> None:
        """Say that the connection is alive."""
        write_varint(ServerPacketTypes.PONG, self._writer)
        self._writer.flush()

    def send_block(self, columns: Sequence[Column]) -> None:
        """Send a block of an answer, or the sample of what an insert wants."""
        self._send_block(ServerPacketTypes.DATA, columns)

    def send_profile_events(self) -> None:
        """Answer each block of an insert, as newer servers do."""
        if self._revision >= defines.DBMS_MIN_PROTOCOL_VERSION_WITH_PROFILE_EVENTS_IN_INSERT:
            self._send_block(ServerPacketTypes.PROFILE_EVENTS, ())

    def _send_block(self, packet: int, columns: Sequence[Column]) -> None:
        write_varint(packet, self._writer)
        if self._revision >= defines.DBMS_MIN_REVISION_WITH_TEMPORARY_TABLES:
            write_binary_str("", self._writer)
        write_block(self._writer, self._context, columns)
        self._writer.flush()

    def send_progress(self, rows: int) -> None:
        """Say how many rows were read since the last time."""
        write_varint(ServerPacketTypes.PROGRESS, self._writer)
        numbers = [rows, 0]
        if self._revision >= defines.DBMS_MIN_REVISION_WITH_TOTAL_ROWS_IN_PROGRESS:
            numbers.append(0)
        if self._revision >= defines.DBMS_MIN_REVISION_WITH_CLIENT_WRITE_INFO:
            numbers += [0, 0]
        for number in numbers:
            write_varint(number, self._writer)
        self._writer.flush()

    def send_error(self, error: ServerError) -> None:
        """Say why there is no answer, with a stack trace as servers send it."""
        write_varint(ServerPacketTypes.EXCEPTION, self._writer)
        write_binary_int32(error.code, self._writer)
        write_binary_str("DB::Exception", self._writer)
        write_binary_str(f"DB::Exception: {error.text}", self._writer)
        write_binary_str("0. loopback::answer(String const&)\n1. loopback::main()", self._writer)
        write_binary_uint8(0, self._writer)
        self._writer.flush()

    def send_end(self) -> None:
        """Say that the answer is complete."""
        write_varint(ServerPacketTypes.END_OF_STREAM, self._writer)
        self._writer.flush()
