"""A history that another process owns, read by asking that process."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from streams.history.embedded.owner import Owner
from streams.history.native import decode_blocks
from streams.history.reading.digest import Digest
from streams.history.sharing.api import FAILED, LENGTH, parameters_as_json
from streams.history.store import (
    Answer,
    Block,
    HistoryError,
    Parameters,
    StoreFaultError,
    StoreGoneError,
)

_ANSWER_SECONDS_MAX: Final = 120


class OwnerClient:
    """A history that another process owns, read through that process."""

    def __init__(self, path: Path, owner: Owner, query_packages: Sequence[str] = ()) -> None:
        """Remember whom to ask.

        Args:
            path: The history.
            owner: Its owner, with an address and a token.
            query_packages: Packages of the product whose queries are asked, too.
        """
        self.path = path
        self._packages = list(query_packages)
        self.owner = owner

    def blocks(self, name: str, parameters: Parameters | None = None) -> Iterator[Block]:
        """Ask a named query and give its answer block by block.

        Raises:
            HistoryError: The owner refused the question, or went away meanwhile.
        """
        for piece in self.chunks(name, parameters):
            yield from decode_blocks(piece)

    def chunks(self, name: str, parameters: Parameters | None = None) -> Iterator[bytes]:
        """Ask a named query and give its answer as bytes of the Native format.

        Raises:
            StoreGoneError: The owner went away meanwhile, or is busy.
            HistoryError: The owner refused the question.
        """
        question = {
            "name": name,
            "parameters": parameters_as_json(parameters or {}),
            "packages": self._packages,
        }
        with self._asked("/query", question) as response:
            while piece := self._piece(response):
                yield piece

    def query(self, name: str, parameters: Parameters | None = None) -> Answer:
        """Ask a named query and give its whole answer."""
        return Answer(tuple(self.blocks(name, parameters)))

    def digests(self) -> tuple[Digest, ...]:
        """Have the owner digest what stands."""
        with self._asked("/digest", {}) as response:
            return tuple(Digest(**row) for row in json.loads(response.read()))

    def ask_to_yield(self) -> bool:
        """Ask an owner that only reads to hand over; say whether it does."""
        try:
            with self._asked("/yield", {}) as response:
                response.read()
        except StoreGoneError:
            return True
        except HistoryError:
            return False
        return True

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
            if response.status == http.HTTPStatus.SERVICE_UNAVAILABLE:
                raise StoreGoneError(self._not_answering("it is busy or ends"))
            if response.status != http.HTTPStatus.OK:
                raise HistoryError(response.read().decode())
            yield response
        except TimeoutError:
            raise StoreFaultError(
                self._not_answering(f"nothing came for {_ANSWER_SECONDS_MAX} s")
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise StoreGoneError(self._not_answering(str(error))) from None
        finally:
            connection.close()

    def _not_answering(self, why: str) -> str:
        return (
            f"history {self.path}: process {self.owner.pid} ({self.owner.command}) owns it and "
            f"does not answer at {self.owner.address} ({why}); try again"
        )

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
