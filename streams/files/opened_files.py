"""Opens files of lines; gzipped ones are unpacked."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from typing import Final, cast

STANDARD_INPUT: Final = "-"
"""The name by which standard input is asked for."""

GZIP_MARK: Final = b"\x1f\x8b"
"""The first bytes of a file that is gzipped."""

BROKEN_FILE: Final = (OSError, EOFError, zlib.error)
"""What reading raises where a file breaks off or is damaged."""


def standard_input() -> io.BufferedReader:
    """Give the bytes of standard input."""
    return cast("io.BufferedReader", sys.stdin.buffer)


def unpacked(file: io.BufferedReader) -> io.BufferedIOBase:
    """Give what a file holds; to look whether it is gzipped takes nothing out of it."""
    if file.peek(len(GZIP_MARK))[: len(GZIP_MARK)] == GZIP_MARK:
        return gzip.GzipFile(fileobj=file)
    return file


def why_not_opened(error: OSError | ValueError) -> str:
    """Say in a few words why a file cannot be opened."""
    reason = error.strerror if isinstance(error, OSError) else None
    return (reason or str(error)).lower()


def why_broken(error: BaseException) -> str:
    """Say in a few words why a file breaks off."""
    return str(error).rstrip(".").lower()
