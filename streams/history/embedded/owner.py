"""The ownership of a history: one process has it at a time, and the others ask that process.

Beside the path stands ``<path>.owner``: the owner holds a lock on it for as long as it lives, and
it says who that is and where its API listens. Only the person who runs the owner can read it,
because it holds the API's token. After a crash the lock is gone, whatever the file says.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Self

from streams.history.store import StoreFaultError, StoreOwnedError

_READ_MAX: Final = 4096
_COMMAND_MAX: Final = 120
_LOCK_ATTEMPTS: Final = 5
_LOCK_PAUSE_SECONDS: Final = 0.02  # one who only asks holds the lock for some microseconds


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that owns a history."""

    pid: int
    command: str
    """What was typed to start it, cut where it is long."""
    address: str | None = None
    """``127.0.0.1:PORT`` of its API; None while it serves none."""
    token: str | None = None
    is_reader: bool = False
    """It only reads, and hands over to one who wants to write."""

    def owned_line(self, path: Path) -> str:
        """Say in one line that the path is owned, by whom, and what to do."""
        why = "which answers no questions"
        if self.address:
            why = "which reads it" if self.is_reader else "which alone writes it"
        return (
            f"history {path} is owned by process {self.pid} ({self.command}), {why}; "
            "wait for it or stop it"
        )


def owner_file(path: Path) -> Path:
    """Give the file that names the owner of a history."""
    return path.with_name(f"{path.name}.owner")


def wanted_file(path: Path) -> Path:
    """Give the file that one locks who waits to write a history."""
    return path.with_name(f"{path.name}.wanted")


@contextmanager
def wanted(path: Path) -> Iterator[None]:
    """Keep readers from becoming the owner of a history, for the length of a block.

    Raises:
        StoreFaultError: The file beside it cannot be written.
    """
    file = wanted_file(path)
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreFaultError(
            f"history {path}: cannot write {file} ({error.strerror}); "
            "choose a folder that you may write to"
        ) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)  # several may want it
        yield
    finally:
        os.close(descriptor)


def is_wanted(path: Path) -> bool:
    """Say whether a living process waits to write a history."""
    try:
        descriptor = os.open(wanted_file(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _locked(descriptor, fcntl.LOCK_EX)
    finally:
        os.close(descriptor)


class OwnerLock:
    """Ownership of one history by this process, until closed."""

    def __init__(self, descriptor: int, owner: Owner) -> None:
        self._descriptor: int | None = descriptor
        self._owner = owner
        self._write()

    @classmethod
    def take(cls, path: Path) -> Self:
        """Become the owner of a history.

        Raises:
            StoreOwnedError: Another process owns it.
            StoreFaultError: The file beside it cannot be written.
        """
        file = owner_file(path)
        try:
            file.parent.mkdir(0o700, parents=True, exist_ok=True)
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreFaultError(
                f"history {path}: cannot write {file} ({error.strerror}); "
                "choose a folder that you may write to"
            ) from None
        for _ in range(_LOCK_ATTEMPTS):
            if _locked(descriptor, fcntl.LOCK_EX):
                return cls(descriptor, Owner(os.getpid(), _command()))
            time.sleep(_LOCK_PAUSE_SECONDS)
        owner = _parsed(os.pread(descriptor, _READ_MAX, 0))
        os.close(descriptor)
        raise StoreOwnedError(owner.owned_line(path))

    def announce(self, address: str | None, token: str | None, *, is_reader: bool = False) -> None:
        """Say where the API of this process listens, or that it no longer does."""
        self._owner = replace(self._owner, address=address, token=token, is_reader=is_reader)
        self._write()

    def close(self) -> None:
        """Give the ownership up; a second call does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.ftruncate(descriptor, 0)
            os.close(descriptor)

    def _write(self) -> None:
        if self._descriptor is None:
            return
        line = json.dumps(asdict(self._owner)).encode().ljust(_READ_MAX)
        os.fchmod(self._descriptor, 0o600)
        os.pwrite(self._descriptor, line, 0)  # always the same length, so one write replaces all


def read_owner(path: Path) -> Owner | None:
    """Say which living process owns a history, or None.

    Raises:
        StoreFaultError: Somebody else's process owns it: its file cannot be read.
    """
    file = owner_file(path)
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        what_to_do = "ask who runs it"
        if error.errno == errno.EROFS:  # the engine writes beside what it reads
            what_to_do = f"copy {path.parent} to where you may write, and name the copy"
        raise StoreFaultError(
            f"history {path}: cannot read {file} ({error.strerror}); {what_to_do}"
        ) from None
    try:
        if _locked(descriptor, fcntl.LOCK_SH):
            return None
        return _parsed(os.pread(descriptor, _READ_MAX, 0))
    finally:
        os.close(descriptor)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _parsed(raw: bytes) -> Owner:
    try:
        return Owner(**json.loads(raw))
    except (ValueError, TypeError):
        return Owner(0, "starting")


def _command() -> str:
    words = [Path(sys.argv[0]).name or "python", *sys.argv[1:]]
    text = " ".join(shlex.quote(word) for word in words)
    return text if len(text) <= _COMMAND_MAX else f"{text[: _COMMAND_MAX - 1]}…"
