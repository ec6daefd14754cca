"""Faults of the embedded engine, each told to a person in one line."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from streams.history.store import (
    EngineBusyError,
    HistoryError,
    StoreFaultError,
    StoreOwnedError,
)

_CODE: Final = re.compile(r"Code: (\d+)\. DB::(?:Err)?Exception: ")
_NOISE: Final = re.compile(
    r"(Stack trace.*|\(version [^)]*\)|: ?[Ww]hile executing .*|\. In scope .*|"
    r"^Streaming query failed: |^Failed to create connection: )",
    re.S,
)
_FILE_SYSTEM: Final = re.compile(r"filesystem error: in \w+: ([\w ]+)")
_SHOWN_MAX: Final = 240
_ADVICE: Final = {
    "NOT_ENOUGH_SPACE": "the disk is full; free some space and start again",
    "No space left": "the disk is full; free some space and start again",
    "File too large": "a file may not grow any further; check the limits and the free space",
    "Read-only file system": "the file system is read-only; choose a folder that can be written",
    "Permission denied": "permission denied; choose a folder that you may write to",
    "Not a directory": "a part of the path is no folder; choose another path",
}
_DAMAGED: Final = (
    "CORRUPTED_DATA",
    "CHECKSUM_DOESNT_MATCH",
    "CANNOT_READ_ALL_DATA",
    "CANNOT_DECOMPRESS",
    "BAD_DATA_PART_NAME",
    "NO_FILE_IN_DATA_PART",
    "BAD_SIZE_OF_FILE_IN_DATA_PART",
    "UNEXPECTED_FILE_IN_DATA_PART",
    "TOO_MANY_UNEXPECTED_DATA_PARTS",
    "CANNOT_PARSE_INPUT_ASSERTION_FAILED",
    "SYNTAX_ERROR",
    "UNKNOWN_CODEC",
    "UNKNOWN_TABLE",
)


def engine_fault(path: Path, error: Exception) -> HistoryError:
    """Turn an error of the engine into one line: what, where, what to do."""
    text = str(error)
    if "EmbeddedServer already initialized" in text:
        return EngineBusyError(
            f"history {path}: this process already has another history open; close that first"
        )
    if "CANNOT_OPEN_FILE" in text and "status" in text:
        return StoreOwnedError(
            f"history {path} is open in another program; close that program and try again"
        )
    for sign, advice in _ADVICE.items():
        if sign in text:
            return StoreFaultError(f"history {path}: {advice}")
    if "Error initializing EmbeddedServer" in text:
        return damaged_history(path, "the engine cannot read its tables")
    shown = one_line(text)
    if any(name in text for name in _DAMAGED):
        return damaged_history(path, shown)
    return StoreFaultError(f"history {path}: {shown}")


def engine_not_loaded(error: Exception) -> StoreFaultError:
    """Say why the engine, which writes a folder of its own when it is loaded, could not be."""
    text = str(error)
    # The engine takes the variable as it is; Python would look for a folder that can be written.
    folder = os.environ.get("TMPDIR") or "/tmp"
    known = next((advice for sign, advice in _ADVICE.items() if sign in text), None)
    named = _FILE_SYSTEM.search(text)
    shown = known or (named[1].strip().lower() if named else one_line(text))
    return StoreFaultError(
        f"the history's engine cannot use the temporary folder {folder}: {shown}; "
        "the variable TMPDIR names another one"
    )


def damaged_history(path: Path, problem: str) -> StoreFaultError:
    """Say that files of a history cannot be read, and what to do."""
    return StoreFaultError(
        f"history {path} is damaged: {problem}; "
        "restore a backup into a new folder (ladderman history restore)"
    )


def one_line(text: str) -> str:
    """Cut an error of the engine down to what a person can read."""
    bare = _NOISE.sub("", _CODE.sub("", text))
    shown = " ".join(bare.split()).rstrip(". ")
    return shown if len(shown) <= _SHOWN_MAX else f"{shown[: _SHOWN_MAX - 1]}…"
