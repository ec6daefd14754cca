"""Pages that a process serves to who asks by GET or HEAD and by a name that is its own.

A page in a browser can make any name of its own lead to this machine and then read what answers
there. So a question for a foreign name is refused; names without a dot, addresses and the name
that was configured are known.
"""

from __future__ import annotations

import ipaddress
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Final

from streams.process.bounded_server import BoundedServer, TimedRequest

_TEXT: Final = "text/plain; charset=utf-8"
_ANSWER_SECONDS_MAX: Final = 5.0
_END_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Page:
    """What is answered."""

    status: HTTPStatus
    content_type: str
    body: bytes


class PageServer:
    """Serves pages from threads of its own."""

    def __init__(self, host: str, port: int, page_at: Callable[[str], Page | None]) -> None:
        """Begin to serve.

        Args:
            host: Address to listen on.
            port: Port; 0 for any free one.
            page_at: Gives what stands under a path; called by several threads at once.

        Raises:
            OSError: Nobody can listen there.
        """
        self._server = _Server(host, port, page_at)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.1,), name="pages", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Serve no more; who is silent or slow is cut off."""
        self._server.shutdown()
        self._thread.join()
        self._server.end(_END_SECONDS)


def is_known_host(stated: str, configured: str) -> bool:
    """Say whether the name in a question is one by which this process may be asked.

    Args:
        stated: The ``Host`` of the question, with its port or without.
        configured: The address or name that it listens on.
    """
    name = stated.strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") == 1:
        name = name.partition(":")[0]
    if name == configured.lower() or ("." not in name and ":" not in name):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class _Server(BoundedServer):
    def __init__(self, host: str, port: int, page_at: Callable[[str], Page | None]) -> None:
        self.host = host
        self.page_at = page_at
        super().__init__((host, port), _PageRequest)


class _PageRequest(TimedRequest, BaseHTTPRequestHandler):
    server: _Server
    server_version = "ladderman"

    def do_GET(self) -> None:
        """Answer with the page."""
        if not all(
            is_known_host(name, self.server.host) for name in self.headers.get_all("Host", ())
        ):
            self._say(HTTPStatus.MISDIRECTED_REQUEST, "ask by an address or a local name")
            return
        page = self.server.page_at(self.path.partition("?")[0])
        if page is None:
            self._say(HTTPStatus.NOT_FOUND, "ask /metrics or /health")
        else:
            self._send(page)

    def do_HEAD(self) -> None:
        """Answer without the body."""
        self.do_GET()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse in one line, which repeats nothing of what was asked."""
        if code == HTTPStatus.NOT_IMPLEMENTED:  # the library's word for a method without answer
            self._say(HTTPStatus.METHOD_NOT_ALLOWED, "ask by GET or HEAD")
        else:
            self._say(HTTPStatus(code), HTTPStatus(code).phrase.lower())

    def _say(self, status: HTTPStatus, line: str) -> None:
        self._send(Page(status, _TEXT, f"{line}\n".encode()))

    def _send(self, page: Page) -> None:
        self.connection.settimeout(_ANSWER_SECONDS_MAX)
        self.close_connection = True
        self.send_response(page.status)
        self.send_header("Content-Type", page.content_type)
        self.send_header("Content-Length", str(len(page.body)))
        if page.status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page.body)
