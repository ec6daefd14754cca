"""The Native format of ClickHouse: columns become bytes, and bytes become columns.

This is the Native format as clickhouse-driver writes and reads it: the very classes that talk to a
server, over a socket that is only memory. They are internal to the driver, hence its pinned version
and the round-trip test of every column type that the tables use.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Final

from clickhouse_driver.block import ColumnOrientedBlock
from clickhouse_driver.bufferedreader import BufferedSocketReader
from clickhouse_driver.bufferedwriter import BufferedSocketWriter
from clickhouse_driver.columns.service import read_column
from clickhouse_driver.context import Context
from clickhouse_driver.streams.native import BlockInputStream, BlockOutputStream
from clickhouse_driver.varint import read_varint

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


ROWS_MAX: Final = 1 << 20
"""More rows stand in no block of a backup; an engine gives some ten thousand."""

BLOCK_BYTES_MAX: Final = 1 << 30
"""No block of a backup is larger."""

_COLUMNS_MAX: Final = 256
_NAME_BYTES_MAX: Final = 256
_ITEMS_MAX: Final = 16 * ROWS_MAX
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_PLAIN: Final = r"(?:U?Int(?:8|16|32|64)|String|FixedString\([0-9]{1,3}\)|Bool|Date32)"
_OPTIONAL: Final = rf"(?:Nullable\({_PLAIN}\)|{_PLAIN})"
_CELL: Final = rf"(?:LowCardinality\({_OPTIONAL}\)|{_OPTIONAL})"
_TYPE: Final = re.compile(rf"{_CELL}|Array\({_CELL}\)|Map\({_CELL}, {_CELL}\)")
"""The types that tables of the history use, and nothing deeper."""


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


class _BoundedSource(_Source):
    """A file of a backup, of which each block may take so many bytes."""

    left = BLOCK_BYTES_MAX

    def recv_into(self, buffer: memoryview) -> int:
        count = super().recv_into(buffer)
        self.left -= count
        if self.left < 0:
            raise ValueError(f"a block of more than {BLOCK_BYTES_MAX:,} bytes")
        return count


class _BoundedReader(BufferedSocketReader):  # type: ignore[misc] # the driver has no types
    """Reads no more at once than a block of the history can hold."""

    def read(self, size: int) -> bytes:
        if size > BLOCK_BYTES_MAX:
            raise ValueError(f"{size:,} bytes at once")
        return super().read(size)  # type: ignore[no-any-return]

    def read_strings(self, count: int, encoding: str | None = None) -> tuple[str | bytes, ...]:
        """Read texts; the driver's own crashes the process where a length is not true."""
        _check_count(count)
        return tuple(self._text(encoding) for _ in range(count))

    def _text(self, encoding: str | None) -> str | bytes:
        size = read_varint(self)
        raw = self.read(size) if size else b""
        try:
            return raw.decode(encoding) if encoding else raw
        except UnicodeDecodeError:
            return raw

    def read_fixed_strings(self, count: int, length: int, *rest: Any, **options: Any) -> Any:
        _check_count(count)
        if count * length > BLOCK_BYTES_MAX:
            raise ValueError(f"{count:,} texts of {length} bytes")
        return super().read_fixed_strings(count, length, *rest, **options)


def _check_count(count: int) -> None:
    if count > _ITEMS_MAX:
        raise ValueError(f"{count:,} values in a column")


def decode_backup(file: BinaryIO) -> Iterator[Block]:
    """Read Native blocks of a file that anybody may have written, in bounded time and memory.

    Raises:
        StoreFaultError: The file is no sequence of blocks of a table of the history.
    """
    source = _BoundedSource(file)
    reader = _BoundedReader(source, _BUFFER_BYTES)
    try:
        while _has_more(reader):
            source.left = BLOCK_BYTES_MAX
            yield _checked_block(reader)
    except EOFError:
        raise StoreFaultError("rows end in the middle") from None
    except (OSError, StoreFaultError):
        raise
    except GeneratorExit:
        raise
    except Exception as error:  # whatever the driver makes of bytes that no engine wrote
        reason = str(error).partition("\n")[0][:200] or type(error).__name__
        raise StoreFaultError(f"rows are damaged: {reason}") from None


def _checked_block(reader: _BoundedReader) -> Block:
    column_count, row_count = read_varint(reader), read_varint(reader)
    if not 0 < column_count <= _COLUMNS_MAX or not 0 < row_count <= ROWS_MAX:
        raise ValueError(f"a block of {column_count:,} columns and {row_count:,} rows")
    context = _context()
    types: dict[str, str] = {}
    columns: list[Sequence[Any]] = []
    for _ in range(column_count):
        name, kind = _short_text(reader), _short_text(reader)
        if not _NAME.fullmatch(name) or name in types or not _TYPE.fullmatch(kind):
            raise ValueError(f"column {name!a} of type {kind!a}")
        types[name] = kind
        column = read_column(context, kind, row_count, reader)
        columns.append(_as_bytes(column) if name.endswith(BYTES_SUFFIX) else column)
    return Block(tuple(types), tuple(types.values()), tuple(columns))


def _short_text(reader: _BoundedReader) -> str:
    length = read_varint(reader)
    if length > _NAME_BYTES_MAX:
        raise ValueError(f"a name of {length:,} bytes")
    return reader.read(length).decode()


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
