"""A document: typed data with a schema name, and its shapes for programs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar


class Document(ABC):
    """What one command, page or report shows; every renderer is given the same."""

    columns: ClassVar[tuple[str, ...]] = ()
    """Names of the columns as CSV; empty: it is no table."""

    @abstractmethod
    def as_json(self) -> dict[str, object]:
        """Give the whole as one object that carries its schema name."""

    def lines(self) -> Iterable[Mapping[str, object]]:
        """Give it as objects, one a line; unless it says otherwise, as one."""
        return (self.as_json(),)

    def rows(self) -> Iterable[Mapping[str, object]]:
        """Give the rows of its table; unless it says otherwise, its lines."""
        return self.lines()
