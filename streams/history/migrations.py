"""The tables and views that a history must have: those of the numbered files in ``schema``.

A numbered file is applied once and never edited again. A file of views is applied whenever its
text has changed. Every statement may be repeated without harm, because a killed migration starts
its file again.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from streams.history.store import Columns, SchemaError

MIGRATIONS: Final = Path(__file__).resolve().with_name("schema")
"""They lie inside the package, so that an installed wheel has them."""

_NUMBERED: Final = re.compile(r"([0-9]{4})_[a-z0-9_]+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of statements."""

    name: str
    """``0001_history_tables.sql``, ``views/current_and_as_of.sql``."""
    text: str

    @property
    def number(self) -> int | None:
        """Its number; None for a file of views, which is applied whenever it has changed."""
        match = _NUMBERED.fullmatch(self.name)
        return int(match[1]) if match else None

    @property
    def content_hash(self) -> str:
        """SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def statements(self) -> list[str]:
        """The statements, each of which ends with a semicolon at the end of a line."""
        code = "\n".join(
            line for line in self.text.splitlines() if not line.lstrip().startswith("--")
        )
        return [word.strip() for word in f"{code}\n".split(";\n") if word.strip()]


def load_migrations(folder: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """Read the numbered files in their order, then the files of views.

    Raises:
        SchemaError: The files are not there, or their numbers have a gap or stand twice.
    """
    numbered = [_read(path, path.name) for path in sorted(folder.glob("*.sql"))]
    if not numbered:
        raise SchemaError(
            f"no migrations in {folder}; this installation is not whole, install Ladderman again"
        )
    numbers = [migration.number for migration in numbered]
    if numbers != list(range(len(numbers))):
        names = ", ".join(migration.name for migration in numbered)
        raise SchemaError(f"{folder}: migrations are numbered 0000, 0001 …, these are {names}")
    views = [_read(path, f"views/{path.name}") for path in sorted((folder / "views").glob("*.sql"))]
    return (*numbered, *views)


def _read(path: Path, name: str) -> Migration:
    return Migration(name, path.read_text(encoding="utf-8"))


def schema_version(names: Iterable[str]) -> int:
    """Give the highest number among names of files: the version of the schema, 0 for none."""
    matches = (_NUMBERED.fullmatch(name) for name in names)
    return max((int(match[1]) for match in matches if match), default=0)


def pending_migrations(
    applied: Mapping[str, str], migrations: tuple[Migration, ...]
) -> tuple[Migration, ...]:
    """Say which files a store still needs.

    Args:
        applied: Name of each file that was applied to its content hash, the latest of each.
        migrations: Those of this version of the product.

    Raises:
        SchemaError: The store was written by a later version, or an applied file was edited.
    """
    known = {migration.name for migration in migrations}
    later = [name for name in applied if _NUMBERED.fullmatch(name) and name not in known]
    if later:
        raise SchemaError(
            f"the history has {max(later)}, which this version does not know; "
            "use the version of Ladderman that wrote it"
        )
    for migration in migrations:
        if (
            migration.number is not None
            and applied.get(migration.name, migration.content_hash) != migration.content_hash
        ):
            raise SchemaError(
                f"{migration.name} is not what was applied to this history; "
                "restore the file and put the change into a new one"
            )
    return tuple(
        migration
        for migration in migrations
        if applied.get(migration.name) != migration.content_hash
    )


def apply_migrations(
    pending: tuple[Migration, ...],
    execute: Callable[[str], None],
    insert: Callable[[str, Columns], int],
) -> tuple[str, ...]:
    """Run the statements of some files and note each file when it is done.

    Args:
        pending: The files, in order.
        execute: Runs one statement.
        insert: Appends rows to a table.

    Returns:
        The names of the files.
    """
    for migration in pending:
        for statement in migration.statements:
            execute(statement)
        insert(
            "schema_migrations",
            {
                "name": [migration.name],
                "content_hash": [migration.content_hash],
                "applied_at_us": [time.time_ns() // 1000],
            },
        )
    return tuple(migration.name for migration in pending)
