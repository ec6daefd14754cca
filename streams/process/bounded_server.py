"""A small HTTP server whose callers are bounded in number and in the time they may take.

A caller that is silent or drips holds up nobody, neither other callers nor the end of the process.
"""

from __future__ import annotations

import io
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

CALLERS_MAX: Final = 64
"""So many are answered at the same time; others are told to come again."""

QUESTION_SECONDS_MAX: Final = 5.0
"""A question must have come whole within this time, however its bytes drip."""

END_SECONDS_MAX: Final = 2.0
"""So long a server that ends waits for answers under way; then they are cut off."""

_BUSY: Final = (
    b"HTTP/1.0 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 18\r\n\r\n"
    b"busy; ask again \r\n"
)


def _report_fault(server: ThreadingHTTPServer, request: Any, client_address: Any) -> None:
    """Keep quiet about those who went away; everything else is a fault of ours."""
    if not isinstance(sys.exception(), OSError):
        ThreadingHTTPServer.handle_error(server, request, client_address)


def _admit(server: BoundedServer, request: Any, client_address: Any) -> None:
    """Answer one caller in a thread of its own, unless there are too many."""
    if not server.counts_in(request):
        request.settimeout(0.0)
        try:
            request.send(_BUSY)
        finally:
            server.shutdown_request(request)
        return
    ThreadingHTTPServer.process_request(server, request, client_address)


class BoundedServer(ThreadingHTTPServer):
    """Answers so many callers at a time, each in a thread of its own."""

    daemon_threads = False  # closing waits for answers under way: what they read must outlive them
    block_on_close = True
    request_queue_size = CALLERS_MAX

    def __init__(self, address: tuple[str, int], handler: type[TimedRequest]) -> None:
        """Listen.

        Args:
            address: Where; port 0 for any free one.
            handler: Answers one question.

        Raises:
            OSError: Nobody can listen there.
        """
        self.is_cut = False
        """No answer goes on from here: the server ends."""
        self._callers: set[socket.socket] = set()
        self._changed = threading.Condition()
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, handler)

    # The name is socketserver's: it is called for whatever a request raised.
    handle_error = _report_fault

    # Also socketserver's: it is called for whoever connects.
    process_request = _admit

    def server_bind(self) -> None:
        """Bind without asking the network for the name of the host, which may take seconds."""
        if self.allow_reuse_address:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = (
            str(self.server_address[0]),
            int(self.server_address[1]),
        )

    def counts_in(self, caller: socket.socket) -> bool:
        """Count a caller among those who are answered; false where there are too many."""
        with self._changed:
            if len(self._callers) >= CALLERS_MAX:
                return False
            self._callers.add(caller)
            return True

    def shutdown_request(self, request: Any) -> None:
        """Let a caller go."""
        super().shutdown_request(request)
        with self._changed:
            self._callers.discard(request)
            self._changed.notify_all()

    def end(self, seconds: float = END_SECONDS_MAX) -> None:
        """Wait a while for answers under way, cut off the rest and give the port back."""
        with self._changed:
            self._changed.wait_for(lambda: not self._callers, seconds)
            self.is_cut = True
            for caller in self._callers:
                try:
                    caller.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # it went by itself
        self.server_close()


class TimedInput(io.RawIOBase):
    """The bytes of one caller, all of which must come within a time."""

    def __init__(self, caller: socket.socket, seconds: float) -> None:
        """Start the time.

        Args:
            caller: Who sends.
            seconds: How long it may take in all.
        """
        self._caller = caller
        self._until_s = time.monotonic() + seconds

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what has come; TimeoutError where the time is over."""
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the question did not come in time")
        self._caller.settimeout(left_s)
        return self._caller.recv_into(buffer)


class TimedRequest(BaseHTTPRequestHandler):
    """One question; the connection ends with its answer."""

    sys_version = ""

    def setup(self) -> None:
        """Bound the time in which the question must have come."""
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(TimedInput(self.connection, QUESTION_SECONDS_MAX))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the process's own output."""
