"""A history on this machine that several processes read at once, also while one writes it.

The engine lets one process open a history. The first that wants to read opens it and answers the
others; when it ends, one of them opens it in its place. A question whose owner ends amid the answer
is asked again of the next owner, so every answer is taken whole before its first row is given. That
also frees the owner at once, however slowly a reader uses what it got.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self, TypeVar

from streams.history.embedded.owner import Owner, is_wanted, read_owner, wanted
from streams.history.embedded.store import ChdbStore
from streams.history.native import decode_blocks
from streams.history.reading.digest import Digest, history_digests
from streams.history.sharing.api import LENGTH, HistoryApi
from streams.history.sharing.client import OwnerClient
from streams.history.store import (
    Answer,
    Block,
    EngineBusyError,
    Parameters,
    StoreFaultError,
    StoreGoneError,
    StoreOwnedError,
)

WAIT_SECONDS: Final = 10.0
"""So long an owner is waited for that starts, ends or hands over."""

REPEAT_SECONDS: Final = 60.0
"""So long a question is repeated whose owners end amid the answer."""

HAND_OVER_SECONDS: Final = 60.0
"""So long one who writes waits for readers to hand over; each finishes its query first."""

POLL_SECONDS: Final = 0.02

_IN_MEMORY_BYTES: Final = 16 * 1024 * 1024

_T = TypeVar("_T")


class SharedHistory:
    """A history that is read as its owner, or through whoever owns it just now."""

    def __init__(
        self, path: Path, *, query_packages: Sequence[str] = (), wait_s: float | None = None
    ) -> None:
        """Find the owner, or become it.

        Args:
            path: The folder of the history.
            query_packages: Packages of the product whose ``.sql`` files can be asked besides the
                history's own.
            wait_s: So long an owner is waited for that answers no questions; :data:`WAIT_SECONDS`.

        Raises:
            HistoryError: As :func:`streams.history.opening.open_history`.
        """
        self.path = path.absolute()
        self._packages = query_packages
        self._wait_s = WAIT_SECONDS if wait_s is None else wait_s
        self._finding = threading.Lock()
        self._answering: _Owned | OwnerClient | None = None
        self._is_closed = False
        self._handing_over: list[threading.Thread] = []
        self._found()

    @property
    def owner(self) -> Owner | None:
        """The other process that answers; None where this one does."""
        answering = self._found()
        return answering.owner if isinstance(answering, OwnerClient) else None

    def blocks(self, name: str, parameters: Parameters | None = None) -> Iterator[Block]:
        """Ask a named query and give its answer block by block."""
        with self._asked(lambda one: _TakenAnswer(one.chunks(name, parameters))) as taken:
            for piece in taken.pieces():
                yield from decode_blocks(piece)

    def query(self, name: str, parameters: Parameters | None = None) -> Answer:
        """Ask a named query and give its whole answer."""
        return Answer(tuple(self.blocks(name, parameters)))

    def digests(self) -> tuple[Digest, ...]:
        """Digest what stands; another owner does it itself."""
        return self._asked(lambda one: one.digests())

    def close(self) -> None:
        """Answer nobody any more and give the ownership up; a second call does nothing."""
        with self._finding:
            self._is_closed = True
        self._hand_over()
        for thread in self._handing_over:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _asked(self, ask: Callable[[_Owned | OwnerClient], _T]) -> _T:
        until_s = time.monotonic() + REPEAT_SECONDS
        while True:
            answering = self._found()
            try:
                return ask(answering)
            except StoreGoneError:
                if time.monotonic() > until_s:
                    raise
                self._leave(answering)
                time.sleep(POLL_SECONDS)

    def _leave(self, answering: _Owned | OwnerClient) -> None:
        """Look for the owner anew; another thread may have done so already."""
        with self._finding:
            if self._answering is answering and isinstance(answering, OwnerClient):
                self._answering = None

    def _found(self) -> _Owned | OwnerClient:
        with self._finding:
            if self._is_closed:
                raise StoreFaultError(f"history {self.path}: already closed in this process")
            if self._answering is None:
                self._answering = self._owner_or_self()
            return self._answering

    def _owner_or_self(self) -> _Owned | OwnerClient:
        until_s = time.monotonic() + self._wait_s
        while True:
            owner = read_owner(self.path)
            if owner is not None and owner.address is not None:
                return OwnerClient(self.path, owner, self._packages)
            try:
                if owner is not None:
                    raise StoreOwnedError(owner.owned_line(self.path))
                if is_wanted(self.path):
                    raise StoreOwnedError(
                        f"history {self.path}: another process waits to write it; try again"
                    )
                return _Owned(self.path, self._packages, self._begin_hand_over)
            except EngineBusyError:
                raise
            except StoreOwnedError:
                if time.monotonic() > until_s:
                    raise
            time.sleep(POLL_SECONDS)

    def _begin_hand_over(self) -> None:
        thread = threading.Thread(target=self._hand_over, name="history-hand-over")
        self._handing_over.append(thread)
        thread.start()

    def _hand_over(self) -> None:
        with self._finding:
            answering, self._answering = self._answering, None
        if answering is not None:
            answering.close()


class _Owned:
    """The history while this process owns it for reading, and answers others."""

    def __init__(
        self, path: Path, query_packages: Sequence[str], on_yield: Callable[[], None]
    ) -> None:
        self._store = ChdbStore(path, query_packages=query_packages, create=False)
        try:
            self._store.check_schema()
            self._api = HistoryApi(self._store, on_yield)
        except BaseException:
            self._store.close()
            raise

    def chunks(self, name: str, parameters: Parameters | None = None) -> Iterator[bytes]:
        return self._store.chunks(name, parameters)

    def digests(self) -> tuple[Digest, ...]:
        return history_digests(self._store)

    def close(self) -> None:
        self._api.close()
        self._store.close()


class _TakenAnswer:
    """A whole answer, in memory, or in a file where it is long."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES)  # noqa: SIM115
        try:
            for piece in pieces:
                self._file.write(LENGTH.pack(len(piece)) + piece)
        except OSError as error:
            self._file.close()
            raise StoreFaultError(
                f"a long answer of the history cannot be kept in {tempfile.gettempdir()} "
                f"({error.strerror}); the variable TMPDIR names another folder"
            ) from None
        except BaseException:
            self._file.close()
            raise
        self._file.seek(0)

    def pieces(self) -> Iterator[bytes]:
        while head := self._file.read(LENGTH.size):
            yield self._file.read(LENGTH.unpack(head)[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()


def own_history(path: Path, *, wait_s: float | None = None) -> ChdbStore:
    """Own a history to write it, begun where there is none; readers hand it over.

    Args:
        path: Its folder.
        wait_s: So long an owner is waited for that answers no questions; :data:`WAIT_SECONDS`.

    Raises:
        StoreOwnedError: Another process writes it.
        StoreFaultError: The folder cannot be used, or the engine failed.
    """
    with suppress(StoreOwnedError):
        return ChdbStore(path)
    began_s = time.monotonic()
    wait_s = WAIT_SECONDS if wait_s is None else wait_s
    with wanted(path):
        while True:
            try:
                return ChdbStore(path)
            except EngineBusyError:
                raise
            except StoreOwnedError:
                owner = read_owner(path)
                is_reader = owner is not None and owner.is_reader
                if owner is not None and owner.address is not None:
                    if not is_reader:
                        raise
                    OwnerClient(path, owner).ask_to_yield()
                if time.monotonic() > began_s + (HAND_OVER_SECONDS if is_reader else wait_s):
                    raise
            time.sleep(POLL_SECONDS)
