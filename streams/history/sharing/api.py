"""The private API through which other processes read the history that this one owns.

It listens on loopback and answers named queries only. ``POST /query`` takes
``{"name": …, "parameters": {…}, "packages": […]}`` and gives the answer in pieces of the Native
format; the packages of the product that hold the query may be left out. ``POST /digest`` gives the
digests; ``POST /yield`` asks an owner that only reads to hand over to one who writes. All need the
token of the owner file, which only the person who runs the owner can read. A piece is a length of
four bytes and so many bytes; length 0 ends the answer, and after ``FAILED`` stands one line that
says what went wrong on the way.

Callers are bounded in number, in the bytes of a question, in the time in which it must have come
and in the time in which its answer must have been taken. A caller beyond the number is told to
come again; one that is silent or slow holds up nobody, neither other callers nor the end.
"""

from __future__ import annotations

import datetime
import hmac
import json
import secrets
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Final, Self

from streams.history.embedded.store import ChdbStore
from streams.history.reading.digest import history_digests
from streams.history.store import Answer, Block, HistoryError, Parameters, StoreGoneError
from streams.process.bounded_server import BoundedServer, TimedRequest

LOOPBACK: Final = "127.0.0.1"
LENGTH: Final = struct.Struct(">I")
FAILED: Final = 0xFFFFFFFF
"""Stands where the length of a piece would: the answer broke off, one line says why."""

DATE_MARK: Final = "date:"
TEXT_MARK: Final = "text:"

PIECE_SECONDS_MAX: Final = 20.0
"""Each piece of an answer must have been taken within this time."""

ANSWER_SECONDS_MAX: Final = 600.0
"""The whole answer must have been taken within this time."""

_BODY_BYTES_MAX: Final = 1 << 20


class HistoryApi:
    """The read-only API of a history's owner, until closed."""

    def __init__(self, store: ChdbStore, on_yield: Callable[[], None] | None = None) -> None:
        """Listen on a free loopback port and say so in the owner file.

        Args:
            store: What is read.
            on_yield: Called, from a thread of the API, when one who writes wants the history; it
                must return at once. None: this process writes itself and does not hand over.
        """
        token = secrets.token_urlsafe(32)
        self._lock = store.owner_lock
        self._server = _Server(store, token, on_yield)
        self._is_closing = False
        self._thread = threading.Thread(target=self._serve, name="history-api", daemon=True)
        self._thread.start()
        self.address = f"{LOOPBACK}:{self._server.server_address[1]}"
        """``127.0.0.1:PORT``."""
        self._lock.announce(self.address, token, is_reader=on_yield is not None)

    def _serve(self) -> None:
        while not self._is_closing:
            self._server.handle_request()

    def close(self) -> None:
        """Stop answering; a second call does nothing.

        Answers under way have two seconds left, then they are cut off.
        """
        if not self._thread.is_alive():
            return
        self._lock.announce(None, None)
        self._is_closing = True
        # A call of our own, which says nothing, ends the wait for the next one.
        socket.create_connection((LOOPBACK, self._server.server_address[1])).close()
        self._thread.join()
        self._server.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def parameters_as_json(parameters: Parameters) -> dict[str, Any]:
    """Write parameters so that a date stays a date."""
    return {name: _marked(value) for name, value in parameters.items()}


def parameters_from_json(document: dict[str, Any]) -> Parameters:
    """Read what :func:`parameters_as_json` wrote."""
    return {name: _unmarked(value) for name, value in document.items()}


def _marked(value: Any) -> Any:
    if isinstance(value, datetime.date):
        return DATE_MARK + value.isoformat()
    if isinstance(value, str):
        return TEXT_MARK + value
    return list(value) if isinstance(value, tuple) else value


def _unmarked(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(DATE_MARK):
        return datetime.date.fromisoformat(value.removeprefix(DATE_MARK))
    return value.removeprefix(TEXT_MARK) if isinstance(value, str) else value


class _Server(BoundedServer):
    def __init__(self, store: ChdbStore, token: str, on_yield: Callable[[], None] | None) -> None:
        self.store = store
        self.token = token
        self.on_yield = on_yield
        super().__init__((LOOPBACK, 0), _Request)


class _UncutReader:
    """The owner's store, for an answer that takes long: it breaks off when the owner ends."""

    def __init__(self, server: _Server) -> None:
        self._server = server

    def blocks(self, name: str, parameters: Parameters | None = None) -> Iterator[Block]:
        for block in self._server.store.blocks(name, parameters):
            if self._server.is_cut:
                raise StoreGoneError("the owner of the history ends; ask again")
            yield block

    def query(self, name: str, parameters: Parameters | None = None) -> Answer:
        return Answer(tuple(self.blocks(name, parameters)))

    def close(self) -> None:
        """Do nothing: the store is the owner's."""


class _Request(TimedRequest, BaseHTTPRequestHandler):
    """One question; the connection ends with its answer."""

    server: _Server
    server_version = "ladderman-history"

    def do_POST(self) -> None:
        """Answer one question."""
        given = self.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self.server.token}".encode()):
            self._refuse(HTTPStatus.UNAUTHORIZED, "the token of the owner file is missing")
            return
        try:
            if self.path == "/query":
                self._answer_query()
            elif self.path == "/digest":
                self._answer_digest()
            elif self.path == "/yield":
                self._answer_yield()
            else:
                self._refuse(HTTPStatus.NOT_FOUND, "ask /query, /digest or /yield")
        except StoreGoneError as error:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
        except HistoryError as error:
            self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except OSError:
            self.close_connection = True  # the one who asked went away, or was too slow

    def _answer_query(self) -> None:
        stated = self.headers.get("Content-Length", "")
        length = int(stated) if stated.isascii() and stated.isdecimal() else 0
        if not 0 < length <= _BODY_BYTES_MAX:
            raise HistoryError(f"a question has 1 to {_BODY_BYTES_MAX} bytes")
        try:
            document = json.loads(self.rfile.read(length))
            parameters = parameters_from_json(document["parameters"])
            self.server.store.learn_queries(document.get("packages", ()))
            pieces = self.server.store.chunks(document["name"], parameters)
            first = next(pieces, b"")  # an error so far still has a status of its own
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HistoryError(f"the question is not readable ({error})") from None
        self._begin("application/octet-stream")
        self._send_pieces(first, pieces)

    def _send_pieces(self, first: bytes, pieces: Iterator[bytes]) -> None:
        until_s = time.monotonic() + ANSWER_SECONDS_MAX
        try:
            piece = first
            while piece:
                if self.server.is_cut or time.monotonic() > until_s:
                    raise TimeoutError("the answer was not taken in time")
                self.wfile.write(LENGTH.pack(len(piece)) + piece)
                piece = next(pieces, b"")
            self.wfile.write(LENGTH.pack(0))
        except HistoryError as error:
            line = str(error).encode()
            self.wfile.write(LENGTH.pack(FAILED) + LENGTH.pack(len(line)) + line)

    def _answer_digest(self) -> None:
        digests = [asdict(digest) for digest in history_digests(_UncutReader(self.server))]
        self._begin("application/json")
        self.wfile.write(json.dumps(digests).encode())

    def _answer_yield(self) -> None:
        if self.server.on_yield is None:
            self._refuse(HTTPStatus.CONFLICT, "this process writes the history")
            return
        self._begin("text/plain; charset=utf-8")
        self.server.on_yield()

    def _begin(self, content_type: str) -> None:
        self.connection.settimeout(PIECE_SECONDS_MAX)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", content_type)
        self.end_headers()

    def _refuse(self, status: HTTPStatus, line: str) -> None:
        raw = line.encode()
        self.connection.settimeout(PIECE_SECONDS_MAX)
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
