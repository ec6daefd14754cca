"""A reader of a history that another process owns; it asks that process."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from streams.history.embedded.owner import Owner
from streams.history.native import decode_blocks
from streams.history.reading.digest import Digest
from streams.history.sharing.api import FAILED, LENGTH, parameters_as_json
from streams.history.store import Answer, Block, HistoryError, Parameters, StoreFaultError

_ANSWER_SECONDS_MAX: Final = 120


class OwnerClient:
    """A history that another process owns, read through that process."""

    def __init__(self, path: Path, owner: Owner) -> None:
        """Remember whom to ask.

        Args:
            path: The history.
            owner: Its owner, with an address and a token.
        """
        self.path = path
        self.owner = owner

    def blocks(self, name: str, parameters: Parameters | None = None) -> Iterator[Block]:
        """Ask a named query and give its answer block by block.

        Raises:
            HistoryError: The owner refused the question, or went away meanwhile.
        """
        question = {"name": name, "parameters": parameters_as_json(parameters or {})}
        with self._asked("/query", question) as response:
            while piece := self._piece(response):
                yield from decode_blocks(piece)

    def query(self, name: str, parameters: Parameters | None = None) -> Answer:
        """Ask a named query and give its whole answer."""
        return Answer(tuple(self.blocks(name, parameters)))

    def digests(self) -> tuple[Digest, ...]:
        """Have the owner digest what stands."""
        with self._asked("/digest", {}) as response:
            return tuple(Digest(**row) for row in json.loads(response.read()))

    def close(self) -> None:
        """Do nothing: every question has a connection of its own."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _asked(self, path: str, question: object) -> Iterator[http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(
            self.owner.address or "", timeout=_ANSWER_SECONDS_MAX
        )
        try:
            connection.request(
                "POST",
                path,
                json.dumps(question).encode(),
                {"Authorization": f"Bearer {self.owner.token}"},
            )
            response = connection.getresponse()
            if response.status != http.HTTPStatus.OK:
                raise HistoryError(response.read().decode())
            yield response
        except (OSError, http.client.HTTPException) as error:
            raise StoreFaultError(
                f"history {self.path}: process {self.owner.pid} ({self.owner.command}) owns it and "
                f"does not answer at {self.owner.address} ({error}); try again"
            ) from None
        finally:
            connection.close()

    def _piece(self, response: http.client.HTTPResponse) -> bytes:
        length = LENGTH.unpack(_exactly(response, LENGTH.size))[0]
        if length == FAILED:
            count = LENGTH.unpack(_exactly(response, LENGTH.size))[0]
            raise HistoryError(_exactly(response, count).decode())
        return _exactly(response, length)


def _exactly(response: http.client.HTTPResponse, count: int) -> bytes:
    raw = response.read(count)
    if len(raw) < count:
        raise http.client.IncompleteRead(raw, count - len(raw))
    return raw
