"""Parameters of queries, in the engine's escaped form, so that none is read as query text."""

from __future__ import annotations

import datetime
from typing import Final

from streams.history.store import Parameter, Parameters

_ESCAPES: Final = str.maketrans(
    {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0", "\b": "\\b", "\f": "\\f"}
)


def bound_texts(parameters: Parameters) -> dict[str, str]:
    """Write parameters in the engine's own escaped form.

    Raises:
        TypeError: A value is of a kind that no query takes.
    """
    return {name: _text(value) for name, value in parameters.items()}


def _text(value: Parameter) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, str):
        return value.translate(_ESCAPES)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{','.join(_element(element) for element in value)}]"
    raise TypeError(f"{type(value).__name__} cannot be a parameter of a query")


def _element(value: str | int) -> str:
    if isinstance(value, str):
        quoted = value.translate(_ESCAPES).replace("'", "\\'")
        return f"'{quoted}'"
    return str(value)
