"""The Native format of ClickHouse: columns become bytes, and bytes become columns.

This is the Native format as clickhouse-driver writes and reads it: the very classes that talk to a
server, over a socket that is only memory. They are internal to the driver, hence its pinned version
and the round-trip test of every column type that the tables use.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final

from clickhouse_driver.block import ColumnOrientedBlock
from clickhouse_driver.bufferedreader import BufferedSocketReader
from clickhouse_driver.bufferedwriter import BufferedSocketWriter
from clickhouse_driver.context import Context
from clickhouse_driver.streams.native import BlockInputStream, BlockOutputStream

from streams.history.store import Block, HistoryError, StoreFaultError

BYTES_SUFFIX: Final = "_bytes"
"""Columns with this ending hold bytes, not text."""

_BUFFER_BYTES: Final = 1 << 20
_CLIENT_SETTINGS: Final = {
    "strings_as_bytes": False,
    "strings_encoding": "utf-8",
    "use_numpy": False,
    "input_format_null_as_default": False,
    "namedtuple_as_json": True,
}


class _Revision:
    """A server so old that the format has none of its optional fields; every engine reads it."""

    used_revision = 0


class _Memory:
    """A socket that keeps what is sent."""

    def __init__(self) -> None:
        self._sent: list[bytes] = []

    def sendall(self, data: bytes) -> None:
        self._sent.append(bytes(data))

    def sent(self) -> bytes:
        return b"".join(self._sent)


class _Source:
    """A socket that gives out what stands in a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def recv_into(self, buffer: memoryview) -> int:
        # Every binary file has it; the declaration of BinaryIO leaves it out.
        return self._file.readinto(buffer)  # type: ignore[attr-defined, no-any-return]


def _context() -> Context:
    context = Context()
    context.server_info = _Revision()
    context.settings = {}
    context.client_settings = _CLIENT_SETTINGS
    return context


def encode_block(types: Mapping[str, str], columns: Mapping[str, Sequence[Any]]) -> bytes:
    """Write columns as one Native block.

    Args:
        types: Column name to its ClickHouse type, at least for the columns given.
        columns: Column name to its values, all of one length.

    Raises:
        ValueError: A value does not fit its type, or the lengths differ.
    """
    memory = _Memory()
    block = ColumnOrientedBlock(
        [(name, types[name]) for name in columns],
        # The driver writes defaults over the None of its input: give it lists of its own.
        [list(values) for values in columns.values()],
    )
    BlockOutputStream(BufferedSocketWriter(memory, _BUFFER_BYTES), _context()).write(block)
    return memory.sent()


def encode_part(
    table: str, types: Mapping[str, str], columns: Mapping[str, Sequence[Any]]
) -> bytes:
    """Write columns for one table as one Native block, and name the column that does not fit.

    Args:
        table: Name of the table, for the message.
        types: Column name to its ClickHouse type.
        columns: Column name to its values, all of one length.

    Raises:
        HistoryError: A value does not fit its column, or the lengths differ.
    """
    try:
        return encode_block(types, columns)
    except Exception as error:
        for name, values in columns.items():
            try:
                encode_block(types, {name: values})
            except Exception as cause:
                raise HistoryError(
                    f"history {table}.{name}: a value does not fit {types[name]} ({cause})"
                ) from error
        raise HistoryError(f"history {table}: columns of different lengths ({error})") from error


def decode_blocks(raw: bytes) -> Iterator[Block]:
    """Read Native blocks that stand one behind the other.

    Raises:
        StoreFaultError: The bytes end inside a block.
    """
    return decode_file(io.BytesIO(raw))


def decode_file(file: BinaryIO) -> Iterator[Block]:
    """Read Native blocks from a file, one at a time.

    Raises:
        StoreFaultError: The file ends inside a block.
    """
    reader = BufferedSocketReader(_Source(file), _BUFFER_BYTES)
    stream = BlockInputStream(reader, _context())
    while _has_more(reader):
        try:
            block = stream.read()
        except EOFError:
            raise StoreFaultError("rows of the history end in the middle; ask again") from None
        if block.num_rows:
            yield block_of(block)


def _has_more(reader: BufferedSocketReader) -> bool:
    if reader.position < reader.current_buffer_size:
        return True
    try:
        reader.read_into_buffer()
    except EOFError:
        return False
    return True


def block_of(block: ColumnOrientedBlock) -> Block:
    """Give a block of the driver as one of ours: columns of bytes are bytes."""
    names, types = zip(*block.columns_with_types, strict=True)
    columns = tuple(
        _as_bytes(values) if name.endswith(BYTES_SUFFIX) else values
        for name, values in zip(names, block.get_columns(), strict=True)
    )
    return Block(names, types, columns)


def _as_bytes(values: Sequence[str | bytes | None]) -> tuple[bytes | None, ...]:
    """Undo the driver's decoding: it gives text where the bytes are UTF-8, else bytes."""
    return tuple(value.encode() if isinstance(value, str) else value for value in values)
