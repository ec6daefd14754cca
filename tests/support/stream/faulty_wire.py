"""A wire between a client and a server on loopback that can be slow, be held, be cut and refuse."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

_CHUNK: Final = 1 << 16
_RESET: Final = struct.pack("ii", 1, 0)


class FaultyWire:
    """Carries every connection to one port until it is told to misbehave."""

    host: Final = "127.0.0.1"

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self._answers_flow = threading.Event()
        self._answers_flow.set()
        self._limits: dict[str, tuple[int, Callable[[], None]]] = {}
        self.delay_s = 0.0
        """How long each piece of an answer takes."""
        self.answered_bytes = 0
        """How many bytes of answers went through."""
        self.connection_count = 0
        """How many connections were accepted."""
        self.port = 0
        self.accept()

    def accept(self) -> None:
        """Let clients connect, on the same port as ever."""
        listener = socket.create_server((self.host, self.port), backlog=64)
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept_all, args=(listener,), daemon=True).start()

    def refuse(self) -> None:
        """Refuse new connections and cut those that are there."""
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        self.cut()

    def cut(self) -> None:
        """Reset every connection, as a cable that is pulled and a router that says so."""
        with self._lock:
            ends, self._open = self._open, set()
        for end in ends:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def hold_answers(self) -> None:
        """Keep what the server says, while what the client says goes through."""
        self._answers_flow.clear()

    def release_answers(self) -> None:
        """Let the answers through again."""
        self._answers_flow.set()

    def cut_after(self, *, sent: int | None = None, answered: int | None = None) -> None:
        """Cut everything once so many more bytes went through in one direction; once only."""
        given = (("sent", sent), ("answered", answered))
        self._limits = {name: (count, self.cut) for name, count in given if count is not None}

    def hold_after(self, *, answered: int) -> None:
        """Hold the answers once so many more bytes of them went through; once only."""
        self._limits = {"answered": (answered, self.hold_answers)}

    def close(self) -> None:
        """Take the wire away."""
        self.refuse()
        self.release_answers()

    def __enter__(self) -> FaultyWire:
        """Give the wire."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the wire away."""
        self.close()

    def _accept_all(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                self.connection_count += 1
                try:
                    server = socket.create_connection((self.host, self._target_port), 10)
                except OSError:
                    client.close()
                    continue
                server.settimeout(None)
                with self._lock:
                    self._open |= {client, server}
                for way in ((client, server, "sent"), (server, client, "answered")):
                    threading.Thread(target=self._carry, args=way, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, direction: str) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(_CHUNK):
                if direction == "answered":
                    time.sleep(self.delay_s)
                for part in self._parts(piece, direction):
                    if direction == "answered":
                        self._answers_flow.wait()
                        self.answered_bytes += len(part)
                    target.sendall(part)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _parts(self, piece: bytes, direction: str) -> Iterator[bytes]:
        """Give a piece whole, or in two parts with what is to happen in between."""
        limit, act = self._limits.get(direction, (len(piece) + 1, None))
        if act is None or len(piece) < limit:
            if act is not None:
                self._limits[direction] = (limit - len(piece), act)
            yield piece
            return
        self._limits = {}
        yield piece[:limit]
        act()
        if piece[limit:]:
            yield piece[limit:]
