"""Faults between here and a ClickHouse server, each told to a person in one line."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final

from clickhouse_driver import errors

from schemas.words.suggestions import near_miss
from streams.history.faults import one_line
from streams.history.store import HistoryError, StoreFaultError

_BAD_LOGIN: Final = frozenset({192, 193, 194, 516})
"""UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, AUTHENTICATION_FAILED."""

_NOT_ALLOWED: Final = frozenset({164, 497})
"""READONLY, ACCESS_DENIED."""

_BUSY: Final = frozenset({159, 202, 241, 242, 243, 252, 319, 394, 999})
"""TIMEOUT_EXCEEDED, TOO_MANY_SIMULTANEOUS_QUERIES, MEMORY_LIMIT_EXCEEDED, TABLE_IS_READ_ONLY,
NOT_ENOUGH_SPACE, TOO_MANY_PARTS, UNKNOWN_STATUS_OF_INSERT, QUERY_WAS_CANCELLED, KEEPER_EXCEPTION.
"""

_TOO_MANY_PARTS: Final = 252
_UNKNOWN_DATABASE: Final = 81

CONNECTION_FAULTS: Final = (
    EOFError,
    OSError,
    struct.error,  # an answer that was cut inside a number
    errors.NetworkError,
    errors.SocketTimeoutError,
    errors.PartiallyConsumedQueryError,
    errors.UnexpectedPacketFromServerError,
    errors.UnknownPacketFromServerError,
)
"""All that the driver raises when a connection fails or has failed before."""


class StoreUnavailableError(StoreFaultError):
    """The server is away or overloaded: the same call, later, does what this one should have."""


class StoreRefusedError(HistoryError):
    """The server is there and will not have us: wrong user, password, database or version."""


def is_slow(fault: BaseException) -> bool:
    """Say whether the server is there and did not answer in time, which asking again worsens."""
    return isinstance(fault, TimeoutError)


def connection_fault(label: str, fault: BaseException, answer_timeout_s: float) -> HistoryError:
    """Say that the server could not be reached, went away, or did not answer in time.

    Args:
        label: Names the history: ``127.0.0.1:9000/ladderman``.
        fault: One of ``CONNECTION_FAULTS``.
        answer_timeout_s: How long an answer was waited for.
    """
    if is_slow(fault):
        return StoreUnavailableError(
            f"history {label}: no answer within {answer_timeout_s:g} s; "
            "the server is overloaded or the query too wide, ask again later"
        )
    if isinstance(fault, errors.SocketTimeoutError):
        return StoreUnavailableError(
            f"history {label}: the server cannot be reached (no answer); "
            "is it running there, and is no firewall between?"
        )
    if isinstance(fault, errors.NetworkError):
        why = str(fault.message).rpartition(" (")[0].lower() or "no reason given"
        return StoreUnavailableError(
            f"history {label}: the server cannot be reached ({why}); is it running there?"
        )
    return StoreUnavailableError(
        f"history {label}: the server broke the connection off; ask again when it is back"
    )


def server_fault(label: str, user: str, fault: errors.ServerException) -> HistoryError:
    """Turn what the server answered instead of rows into one line.

    Args:
        label: Names the history: ``127.0.0.1:9000/ladderman``.
        user: As whom it was asked.
        fault: The server's own words.
    """
    said = one_line(str(fault.message).removeprefix("DB::Exception: "))
    if fault.code in _BAD_LOGIN:
        return StoreRefusedError(
            f"history {label}: the server does not accept user {user} with this password; "
            "check both"
        )
    if fault.code == _UNKNOWN_DATABASE:
        return unknown_database(label, ())
    if fault.code in _NOT_ALLOWED:
        return StoreRefusedError(f"history {label}: user {user} may not do this: {said}")
    if fault.code == _TOO_MANY_PARTS and "single INSERT block" in str(fault.message):
        return HistoryError(
            f"history {label}: rows of several partitions in one insert; "
            "insert those of each month apart"
        )
    if fault.code in _BUSY:
        return StoreUnavailableError(f"history {label}: not now: {said}; ask again later")
    return StoreFaultError(f"history {label}: {said}")


def unknown_database(label: str, known: Iterable[str]) -> HistoryError:
    """Say that the server has no such database, and which one was probably meant."""
    name = label.rpartition("/")[2]
    advice = near_miss(name, known) or "; create it, or correct the name"
    return StoreRefusedError(f"history {label}: the server has no database {name}{advice}")
