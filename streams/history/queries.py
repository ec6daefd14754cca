"""The texts of queries, each in a file of its name; no value is ever written into one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Final

from schemas.words.suggestions import near_miss
from streams.history.store import HistoryError

OWN_QUERIES: Final = "streams.history.sql"
"""Package of the queries that the history itself needs."""


@cache
def load_queries(*packages: str) -> Mapping[str, str]:
    """Read every ``.sql`` file of some packages.

    Args:
        packages: Names of packages or folders of packages, such as ``dashboards.queries``.

    Returns:
        Name of the file without ``.sql`` to its text, those of the history included.

    Raises:
        ValueError: Two files have one name.
    """
    found: dict[str, str] = {}
    for package in dict.fromkeys((OWN_QUERIES, *packages)):
        for entry in resources.files(package).iterdir():
            name, dot, ending = entry.name.rpartition(".")
            if not dot or ending != "sql":
                continue
            if name in found:
                raise ValueError(f"two queries are called {name}; one of them is in {package}")
            found[name] = entry.read_text(encoding="utf-8")
    return MappingProxyType(found)


def query_text(queries: Mapping[str, str], name: str) -> str:
    """Give the text of a named query.

    Raises:
        HistoryError: There is none of this name.
    """
    try:
        return queries[name]
    except KeyError:
        raise HistoryError(
            f'no query "{name[:64]}"{near_miss(name, queries) or "; see its list of queries"}'
        ) from None
