"""Files of a backup that anybody may have written are refused in one line, fast and small."""

import io
import resource
import time

import pytest

from streams.history.native import decode_backup, encode_block
from streams.history.store import StoreFaultError


def number(value: int) -> bytes:
    """Write a number as Native does."""
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def text(raw: bytes) -> bytes:
    """Write a text as Native does."""
    return number(len(raw)) + raw


def column(kind: bytes, body: bytes, *, rows: int = 1, name: bytes = b"coup_id") -> bytes:
    """Write a block of one column."""
    return number(1) + number(rows) + text(name) + text(kind) + body


def keyed(keys: int, index: int) -> bytes:
    """Write a column of one value with a dictionary of its own."""
    state = (1).to_bytes(8, "little") + (0x600).to_bytes(8, "little")
    dictionary = keys.to_bytes(8, "little") + text(b"a") * min(keys, 1)
    return state + dictionary + (1).to_bytes(8, "little") + bytes([index])


@pytest.mark.parametrize(
    "raw",
    [
        bytes(64 << 20),
        column(b"String", text(b"x"), name=b"\xff\xfe"),
        column(b"\xff", text(b"x")),
        column(b"Unheard", b"x" * 64),
        column(b"Array(" * 40 + b"String" + b")" * 40, bytes(2048)),
        column(b"Nullable(" * 5000 + b"String" + b")" * 5000, bytes(2048)),
        column(b"DateTime('Nowhere/Else')", bytes(8)),
        column(b"DateTime64(99, '../../etc/passwd')", bytes(8)),
        column(b"String", text(b"x"), rows=1 << 33),
        column(b"UInt64", bytes(8), rows=1 << 62),
        column(b"String", number(1 << 62)),
        column(b"String", number((1 << 64) - 1)),
        column(b"LowCardinality(String)", keyed(1, 7)),
        column(b"LowCardinality(String)", keyed(1 << 33, 0)),
        column(b"LowCardinality(String)", keyed(1 << 62, 0)),
        column(b"LowCardinality(String)", b"\xff" * 64),
        column(b"Array(UInt64)", b"\xff" * 8),
        column(b"Array(UInt64)", (1 << 33).to_bytes(8, "little")),
        column(b"Map(String, String)", (1 << 40).to_bytes(8, "little")),
        column(b"FixedString(999)", b"x"),
        column(b"Date32", b"\xff\xff\xff\x7f"),
        number(1 << 40) + number(1),
        number(1) + number(1) + number(1 << 62),
        number(0) + number(5),
        b"\xff" * 64,
    ],
    ids=lambda raw: f"{len(raw)}-{raw[2:30].hex()}",
)
def test_a_hostile_block_is_refused_in_one_line(raw: bytes) -> None:
    began_s, before_kb = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(StoreFaultError) as caught:
        list(decode_backup(io.BytesIO(raw)))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700
    assert time.monotonic() - began_s < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 300_000


def test_an_honest_block_is_read() -> None:
    types = {"coup_id": "LowCardinality(Nullable(String))", "seen": "Array(UInt64)"}
    columns = {"coup_id": ["a", None], "seen": [[1, 2], []]}
    (block,) = decode_backup(io.BytesIO(encode_block(types, columns)))
    assert block.names == tuple(types)
    assert block.row_count == 2
