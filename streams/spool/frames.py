"""The frame of one record in a file: length, time, checksum, bytes.

    offset  size  content
    0       4     length of the payload, little-endian, at least 1
    4       8     when it was appended, microseconds since 1970 UTC, little-endian
    12      4     CRC-32 of the twelve bytes before it and of the payload, little-endian
    16      …     the payload

A stretch of zero bytes, which is what a crash may leave behind, is no frame.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final, NamedTuple

HEADER_SIZE: Final = 16
"""Bytes before the payload."""

PAYLOAD_MAX: Final = 32 * 1024 * 1024
"""No record is longer; a longer length is not a length."""

_HEAD: Final = struct.Struct("<IQ")
_CHECK: Final = struct.Struct("<I")
_HEADER: Final = struct.Struct("<IQI")


class Frame(NamedTuple):
    """One record as it was found."""

    payload: bytes
    appended_at_us: int
    end: int
    """Position behind it."""


def encode_frame(payload: bytes, appended_at_us: int) -> bytes:
    """Write one record as bytes.

    Raises:
        ValueError: It is empty or longer than :data:`PAYLOAD_MAX`.
    """
    if not 0 < len(payload) <= PAYLOAD_MAX:
        raise ValueError(f"a record has 1 to {PAYLOAD_MAX} bytes, this one has {len(payload)}")
    head = _HEAD.pack(len(payload), appended_at_us)
    return head + _CHECK.pack(zlib.crc32(payload, zlib.crc32(head))) + payload


def appended_us_of(header: bytes) -> int:
    """Read from a header when its record was appended."""
    return int(_HEADER.unpack(header)[1])


def frame_size_at(window: bytes, position: int) -> int | None:
    """Give the whole size of the frame at a position, by its length alone.

    Returns:
        None where the window ends within the header; 0 where no frame can begin there.
    """
    if len(window) - position < HEADER_SIZE:
        return None
    (length,) = struct.unpack_from("<I", window, position)
    return HEADER_SIZE + length if 0 < length <= PAYLOAD_MAX else 0


def decode_frame(window: bytes, position: int) -> Frame | None:
    """Read the frame at a position of a window that holds it whole.

    Returns:
        None where the bytes there are no frame or not the ones that were written.
    """
    if len(window) - position < HEADER_SIZE:
        return None
    length, appended_at_us, check = _HEADER.unpack_from(window, position)
    start = position + HEADER_SIZE
    end = start + length
    if not 0 < length <= PAYLOAD_MAX or end > len(window):
        return None
    payload = window[start:end]
    if zlib.crc32(payload, zlib.crc32(window[position : position + 12])) != check:
        return None
    return Frame(payload, appended_at_us, end)
