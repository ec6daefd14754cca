"""The loopback API through which other processes read the history that this one owns.

``POST /query`` takes ``{"name": …, "parameters": {…}}`` and gives the answer in pieces of the
Native format; ``POST /digest`` gives the digests. Both need the token of the owner file, which only
the person who runs the owner can read. A piece is a length of four bytes and so many bytes; length
0 ends the answer, and after ``FAILED`` stands one line that says what went wrong on the way.
"""

from __future__ import annotations

import datetime
import hmac
import json
import secrets
import struct
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from streams.history.embedded.store import ChdbStore
from streams.history.reading.digest import history_digests
from streams.history.store import HistoryError, Parameters

LOOPBACK: Final = "127.0.0.1"
LENGTH: Final = struct.Struct(">I")
FAILED: Final = 0xFFFFFFFF
"""Stands where the length of a piece would: the answer broke off, one line says why."""

DATE_MARK: Final = "date:"
TEXT_MARK: Final = "text:"

_BODY_BYTES_MAX: Final = 1 << 20


class HistoryApi:
    """The read-only API of a history's owner, until closed."""

    def __init__(self, store: ChdbStore) -> None:
        """Listen on a free loopback port and say so in the owner file."""
        token = secrets.token_urlsafe(32)
        self._lock = store.owner_lock
        self._server = _Server(store, token)
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="history-api", daemon=True
        )
        self._thread.start()
        self.address = f"{LOOPBACK}:{self._server.server_address[1]}"
        """``127.0.0.1:PORT``."""
        self._lock.announce(self.address, token)

    def close(self) -> None:
        """Stop answering; a second call does nothing."""
        if self._thread.is_alive():
            self._lock.announce(None, None)
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

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


def _report_fault(server: ThreadingHTTPServer, request: Any, client_address: Any) -> None:
    """Keep quiet about those who went away; everything else is a fault of ours."""
    if not isinstance(sys.exception(), OSError):
        ThreadingHTTPServer.handle_error(server, request, client_address)


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for answers under way: the engine must outlive them
    block_on_close = True

    def __init__(self, store: ChdbStore, token: str) -> None:
        self.store = store
        self.token = token
        super().__init__((LOOPBACK, 0), _Request)

    # The name is socketserver's: it is called for whatever a request raised.
    handle_error = _report_fault


class _Request(BaseHTTPRequestHandler):
    """One question; the connection ends with its answer."""

    server: _Server
    server_version = "ladderman-history"
    sys_version = ""
    timeout = 10

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
            else:
                self._refuse(HTTPStatus.NOT_FOUND, "ask /query or /digest")
        except HistoryError as error:
            self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except OSError:
            self.close_connection = True  # the one who asked went away

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the owner's own output."""

    def _answer_query(self) -> None:
        stated = self.headers.get("Content-Length", "")
        length = int(stated) if stated.isascii() and stated.isdecimal() else 0
        if not 0 < length <= _BODY_BYTES_MAX:
            raise HistoryError(f"a question has 1 to {_BODY_BYTES_MAX} bytes")
        try:
            document = json.loads(self.rfile.read(length))
            parameters = parameters_from_json(document["parameters"])
            pieces = self.server.store.chunks(document["name"], parameters)
            first = next(pieces, b"")  # an error so far still has a status of its own
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise HistoryError(f"the question is not readable ({error})") from None
        self._begin("application/octet-stream")
        self._send_pieces(first, pieces)

    def _send_pieces(self, first: bytes, pieces: Iterator[bytes]) -> None:
        try:
            piece = first
            while piece:
                self.wfile.write(LENGTH.pack(len(piece)) + piece)
                piece = next(pieces, b"")
            self.wfile.write(LENGTH.pack(0))
        except HistoryError as error:
            line = str(error).encode()
            self.wfile.write(LENGTH.pack(FAILED) + LENGTH.pack(len(line)) + line)

    def _answer_digest(self) -> None:
        digests = [asdict(digest) for digest in history_digests(self.server.store)]
        self._begin("application/json")
        self.wfile.write(json.dumps(digests).encode())

    def _begin(self, content_type: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", content_type)
        self.end_headers()

    def _refuse(self, status: HTTPStatus, line: str) -> None:
        raw = line.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
