"""One client's session with the engine behind the loopback server: queries, inserts, settings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Protocol

from tests.support.history.native_protocol import (
    Column,
    Query,
    ServerError,
    native_blocks,
    native_bytes,
)

_FAULT: Final = re.compile(
    r"Code: (?P<code>\d+)\. DB::Exception: (?P<text>.*?)"
    r"(?: \([A-Z_0-9]+\))?(?: \(version [^)]*\))?\s*$",
    re.DOTALL,
)
_COMMENT: Final = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_INSERT: Final = re.compile(
    r"INSERT\s+INTO\s+(?:TABLE\s+)?(?P<table>[\w.`\"]+)\s*(?:\((?P<columns>[^()]*)\))?\s*"
    r"(?:VALUES|FORMAT\s+\w+)\s*",
    re.IGNORECASE,
)
_ANSWERS: Final = re.compile(r"\(*\s*(?:SELECT|WITH)\b", re.IGNORECASE)
_UNKNOWN_SETTING: Final = 115
_UNKNOWN_DATABASE: Final = 81
_ESCAPES: Final = {
    "b": "\b",
    "f": "\f",
    "r": "\r",
    "n": "\n",
    "t": "\t",
    "0": "\0",
    "a": "\a",
    "v": "\v",
    "\\": "\\",
    "'": "'",
}


class _Engine(Protocol):
    """What is used of a chDB connection."""

    def query(self, query: str, format: str, params: Mapping[str, str] | None) -> Any: ...

    def send_query(self, query: str, format: str, params: Mapping[str, str]) -> Any: ...


@contextmanager
def faults_of_the_engine() -> Iterator[None]:
    """Turn the engine's exceptions into what a server sends."""
    try:
        yield
    except RuntimeError as fault:  # ChdbError is one
        found = _FAULT.search(str(fault))
        if found is None:
            raise ServerError(1002, str(fault)) from fault  # UNKNOWN_EXCEPTION
        raise ServerError(int(found["code"]), found["text"]) from fault


def parameter_value(dumped: str) -> str:
    """Read a parameter as the protocol carries it: text in quotes, with escapes.

    Raises:
        ServerError: It is not in quotes, or an escape is unknown.
    """
    if not re.fullmatch(r"'(?:[^'\\]|\\.|'')*'", dumped, re.DOTALL):
        raise ServerError(36, f"Couldn't restore Field from dump: {dumped}")
    inner = dumped[1:-1]
    try:
        return re.sub(r"\\(.)|''", lambda found: _ESCAPES[found[1] or "'"], inner, flags=re.DOTALL)
    except KeyError:
        raise ServerError(36, f"Couldn't restore Field from dump: {dumped}") from None


class Insert:
    """Rows on their way into one table; none is kept before all have come."""

    def __init__(self, sample: list[Column], engine: _Engine, statement: str) -> None:
        self.sample = sample
        """The columns that the client is to send, without rows."""
        self._engine = engine
        self._statement = statement
        self._blocks: list[bytes] = []

    def append(self, columns: list[Column]) -> None:
        """Take one block."""
        self._blocks.append(native_bytes(columns))

    def finish(self) -> None:
        """Keep what was taken.

        Through a file in memory: the engine's own ``send_insert`` says nothing of a failure.
        """
        descriptor = os.memfd_create("rows")
        try:
            with open(descriptor, "wb", closefd=False) as file:
                file.writelines(self._blocks)
            source = f"FROM INFILE '/proc/self/fd/{descriptor}' FORMAT Native"
            with faults_of_the_engine():
                self._engine.query(f"{self._statement} {source}", "Null", None)
        finally:
            os.close(descriptor)


class ChdbSession:
    """One session: its own current database and settings."""

    def __init__(self, engine: _Engine) -> None:
        self._engine = engine

    def enter(self, database: str) -> None:
        """Make a database the current one.

        Raises:
            ServerError: There is no such database.
        """
        name = database or "default"
        if not self._rows(
            "SELECT name FROM system.databases WHERE name = {name:String}", name=name
        ):
            raise ServerError(_UNKNOWN_DATABASE, f"Database {name} does not exist.")
        with faults_of_the_engine():
            self._engine.query("USE {name:Identifier}", "Null", {"name": name})

    @contextmanager
    def settings_of(self, query: Query) -> Iterator[None]:
        """Let a query's settings hold while it runs."""
        applied = []
        try:
            for name, (value, matters) in query.settings.items():
                try:
                    self._set(name, "'{}'".format(value.replace("\\", "\\\\").replace("'", "\\'")))
                    applied.append(name)
                except ServerError as refused:
                    if matters or refused.code != _UNKNOWN_SETTING:
                        raise
            yield
        finally:
            for name in applied:
                self._set(name, "DEFAULT")

    def _set(self, name: str, value: str) -> None:
        with faults_of_the_engine():
            self._engine.query(f"SET {name} = {value}", "Null", None)

    def answer(self, query: Query) -> Iterator[list[Column]]:
        """Run a query and give its answer block by block; the first may have no rows.

        Raises:
            ServerError: At any moment.
        """
        parameters = {name: parameter_value(text) for name, text in query.parameters.items()}
        text = _statement(query.text)
        is_streamed = bool(_ANSWERS.match(text))
        has_header = False
        for raw in self._chunks(text, parameters, is_streamed):
            for columns in native_blocks(raw):
                if not has_header:
                    yield [(name, spec, ()) for name, spec, _ in columns]
                has_header = True
                yield columns
        if is_streamed and not has_header:
            described = self._rows(f"DESCRIBE TABLE ({text})", **parameters)
            yield [(row[0], row[1], ()) for row in described]

    def _chunks(
        self, text: str, parameters: Mapping[str, str], is_streamed: bool
    ) -> Iterator[bytes]:
        with faults_of_the_engine():
            if not is_streamed:
                yield self._engine.query(text, "Native", parameters).bytes()
                return
            stream = self._engine.send_query(text, "Native", parameters)
            try:
                for chunk in stream:
                    yield chunk.bytes()
            finally:
                stream.close()

    def insert(self, query: Query) -> Insert | None:
        """Begin an insert whose rows the client will send; None for any other query.

        Raises:
            ServerError: No such table, or no such column.
        """
        found = _INSERT.fullmatch(_statement(query.text))
        if found is None:
            return None
        rows = self._rows(f"DESCRIBE TABLE {found['table']}")
        given = {row[0]: row[1] for row in rows if row[2] not in ("MATERIALIZED", "ALIAS")}
        names = [*given]
        if found["columns"]:
            names = [name.strip().strip('`"') for name in found["columns"].split(",")]
        for name in names:
            if name not in given:
                raise ServerError(16, f"No such column {name} in table {found['table']}.")
        listed = ", ".join(f"`{name}`" for name in names)
        sample: list[Column] = [(name, given[name], ()) for name in names]
        return Insert(sample, self._engine, f"INSERT INTO {found['table']} ({listed})")

    def _rows(self, text: str, **parameters: str) -> list[list[str]]:
        with faults_of_the_engine():
            raw = self._engine.query(text, "TSVRaw", parameters).bytes()
        return [line.split("\t") for line in raw.decode().splitlines()]


def _statement(text: str) -> str:
    return _COMMENT.sub("", text).strip().rstrip(";")
