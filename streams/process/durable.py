"""Small files that survive a crash, and directories that have one owner at a time.

A file is either the old one or the new one, never half of each; a directory that a process has
claimed cannot be claimed by another until that process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self


class PathInUseError(Exception):
    """Another process owns the directory; the text names the path and the owner."""


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable: created, renamed and removed files."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_directory(directory: Path) -> None:
    """Make a directory with those above it, durably; one that is there is left alone."""
    missing = [parent for parent in (directory, *directory.parents) if not parent.exists()]
    directory.mkdir(0o700, parents=True, exist_ok=True)
    for parent in missing:
        sync_directory(parent.parent)


def write_atomically(path: Path, content: bytes) -> None:
    """Put a file in the place of its earlier self, durably, at one moment.

    Raises:
        OSError: It could not be written; the earlier file stands unharmed.
    """
    scratch = path.with_name(f".{path.name}.new")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        scratch.replace(path)
    except OSError:
        scratch.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def write_all(descriptor: int, content: bytes) -> None:
    """Write every byte: the system may take fewer at a time than it was given."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class PathLock:
    """One owner of a directory; the system gives it up when the process ends, also by force."""

    def __init__(self, directory: Path, owner: str) -> None:
        """Claim a directory, made where it does not exist.

        Args:
            directory: What to own.
            owner: What the owner is, for people: ``publisher``, ``pipeline``.

        Raises:
            PathInUseError: Another process owns it.
        """
        make_directory(directory)
        path = directory / "owner.lock"
        self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            held_by = os.pread(self._descriptor, 200, 0).decode("utf-8", "replace").strip()
            self.release()
            raise PathInUseError(
                f"{directory} is in use by {held_by or 'another process'}; "
                "stop it first, or name another directory"
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{owner}, process {os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Give the directory up."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        """Own the directory until the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give it up."""
        self.release()
