"""Marks of files that are not in a store to their end, so that it never passes for whole.

A mark stands beside the history from before the first event of a file is taken until its last one
was. Whatever ends the work in between, the mark stays and says how far it came. It goes when the
same file, by its path or by its beginning, has been taken to its end.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from streams.process.durable import write_atomically

SCHEMA: Final = "ladderman.ingest-marks/1"
STANDARD_INPUT: Final = "-"
_HEAD_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class IngestMark:
    """One file that is not in the store to its end."""

    file: str
    """Its absolute path; ``-`` for standard input."""
    head_sha256: str
    """SHA-256 of its first 64 KiB; empty for standard input."""
    read_bytes: int
    """How much of it was read; where it is gzipped, of the packed bytes."""
    byte_count: int | None
    """Its length; None where it has none."""
    pid: int
    """The process that reads it, or did."""

    def is_of(self, other: IngestMark) -> bool:
        """Say whether both are of the same file."""
        is_same_head = self.head_sha256 != "" and self.head_sha256 == other.head_sha256
        return self.file == other.file or is_same_head

    @property
    def title(self) -> str:
        """The file, for people."""
        return "standard input" if self.file == STANDARD_INPUT else self.file

    @property
    def progress(self) -> str:
        """How far it was read, for people."""
        if self.byte_count is None:
            return f"{self.read_bytes:,} bytes"
        return f"{self.read_bytes:,} of {self.byte_count:,} bytes"

    def command(self, store: Path) -> str:
        """Give the command that goes on with it."""
        return f"ladderman ingest {shlex.quote(self.file)} --store {shlex.quote(str(store))}"

    def interrupted_line(self, store: Path) -> str:
        """Say that its ingest was interrupted, and how to go on."""
        return (
            f"ingest of {self.title} was interrupted after {self.progress}; "
            f"run `{self.command(store)}` to go on"
        )

    def under_way_line(self) -> str:
        """Say that its ingest goes on while somebody reads."""
        return (
            f"ingest of {self.title} is under way, {self.progress} so far; what is behind that is "
            "not in the answer"
        )


def mark_of(path: str) -> IngestMark:
    """Give the mark of a file of which nothing was read yet.

    Raises:
        OSError: It cannot be read.
    """
    if path == STANDARD_INPUT:
        return IngestMark(path, "", 0, None, os.getpid())
    file = Path(path).absolute()
    if not file.is_file():  # a pipe: what is read of it here would be gone
        return IngestMark(str(file), "", 0, None, os.getpid())
    with file.open("rb") as opened:
        head = hashlib.sha256(opened.read(_HEAD_BYTES)).hexdigest()
    return IngestMark(str(file), head, 0, file.stat().st_size, os.getpid())


def marks_file(history: Path) -> Path:
    """Give the file of the marks of a history."""
    return history.with_name(f"{history.name}.ingests")


def read_marks(history: Path) -> tuple[IngestMark, ...]:
    """Give the marks of a history; none where there is no file of them."""
    try:
        document = json.loads(marks_file(history).read_bytes())
        return tuple(IngestMark(**fields) for fields in document["ingests"])
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError):
        # Unreadable marks must not pass for none: something was interrupted, whatever it was.
        return (IngestMark("an unknown file", "", 0, None, 0),)


class IngestMarks:
    """The marks of one history, for the process that writes it."""

    def __init__(self, history: Path) -> None:
        """Read what stands."""
        self._history = history

    def put(self, mark: IngestMark) -> None:
        """Let a mark stand in place of an earlier one of the same file."""
        self._write([*(kept for kept in read_marks(self._history) if not kept.is_of(mark)), mark])

    def remove(self, mark: IngestMark) -> None:
        """Take the mark of a file away: it is in the store to its end."""
        marks = read_marks(self._history)
        self._write([kept for kept in marks if not kept.is_of(mark)])

    def _write(self, marks: Sequence[IngestMark]) -> None:
        file = marks_file(self._history)
        if not marks:
            file.unlink(missing_ok=True)
            return
        document = {"schema": SCHEMA, "ingests": [asdict(mark) for mark in marks]}
        write_atomically(file, f"{json.dumps(document, indent=2)}\n".encode())
