"""Backups of a history, written and restored so that any change on the way is noticed.

A backup is a folder: for each partition of each table a file of Native blocks, compressed with
zstd, and ``manifest.json`` with the rows and the SHA-256 of every file. ``sha256sum``, ``zstd`` and
``clickhouse local`` can check and read it without Ladderman.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Final

import zstandard

from streams.history.embedded.ingest_marks import IngestMark
from streams.history.identity import give_identity
from streams.history.migrations import load_migrations, schema_version
from streams.history.native import decode_backup, encode_block
from streams.history.reading.digest import Digest
from streams.history.store import (
    Block,
    HistoryError,
    HistoryReader,
    HistoryStore,
    StoreFaultError,
)

BACKUP_SCHEMA: Final = "ladderman.history-backup/1"
"""Name and version of the manifest's shape."""

TABLES: Final = (
    "sink_marks",
    "coups",
    "other_subjects",
    "checkpoints",
    "wagers",
    "findings",
    "events",
    "dead_letters",
    "logs",
)
"""Parents before children: what is written meanwhile leaves children over, never parents alone. How
far sinks had written comes first: what came behind that is read once more."""

MANIFEST: Final = "manifest.json"
_ALWAYS_DIGESTED: Final = frozenset({"coups", "wagers", "findings"})
_MANIFEST_BYTES_MAX: Final = 64 << 20
_LEVEL: Final = 3
_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600


class BackupError(HistoryError):
    """A backup that is not whole, was changed, or does not fit here."""


@dataclass(frozen=True, slots=True)
class BackupFile:
    """One file of a backup."""

    name: str
    """Path inside the backup, with ``/``."""
    table: str
    row_count: int
    byte_count: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds."""

    schema_version: int
    """Version of the tables when it was written."""
    files: tuple[BackupFile, ...]
    digests: tuple[Digest, ...] | None
    """What stood in the history; None where it was written to meanwhile."""
    interrupted: tuple[IngestMark, ...] = ()
    """Files that were not in the history to their end."""

    def row_counts(self) -> dict[str, int]:
        """Give the rows of each table."""
        counts = dict.fromkeys(TABLES, 0)
        for file in self.files:
            counts[file.table] += file.row_count
        return counts


def back_up(
    reader: HistoryReader,
    folder: Path,
    digests: Callable[[], tuple[Digest, ...]],
    interrupted: tuple[IngestMark, ...] = (),
) -> Manifest:
    """Write a whole history into a new folder.

    It may be written to meanwhile: every version that the backup holds has all of its parts.

    Args:
        reader: The history.
        folder: Where to; it must be empty or not there yet.
        digests: Digests what stands in the history.
        interrupted: Files that are not in the history to their end.

    Raises:
        BackupError: The folder is not empty or cannot be written.
        HistoryError: The history cannot be read.
    """
    with _writing(folder):
        folder.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BackupError(f"backup {folder}: not empty; name a new folder")
        before = digests()
        files = tuple(_back_up_table(reader, folder))
        names = [name for name, _ in reader.query("applied_migrations").rows()]
        stood = before if digests() == before else None
        manifest = Manifest(schema_version(names), files, stood, interrupted)
        document = {"schema": BACKUP_SCHEMA, **asdict(manifest)}
        if not interrupted:
            del document["interrupted"]
        with _durable(folder / MANIFEST) as file:  # last: without it the folder is no backup
            file.write(f"{json.dumps(document, indent=2)}\n".encode())
    return manifest


def _back_up_table(reader: HistoryReader, folder: Path) -> Iterator[BackupFile]:
    for table in TABLES:
        for (partition_id,) in (row[:1] for row in _partitions(reader, table)):
            yield _back_up_partition(reader, folder, table, partition_id)


def _partitions(reader: HistoryReader, table: str) -> list[tuple[str, int]]:
    return reader.query("partitions", {"table": table}).rows()


def _back_up_partition(
    reader: HistoryReader, folder: Path, table: str, partition_id: str
) -> BackupFile:
    name = f"{table}/{partition_id}.native.zst"
    path = folder / name
    path.parent.mkdir(_FOLDER_MODE, exist_ok=True)
    rows = 0
    parameters = {"table": table, "partition_id": partition_id}
    with _durable(path) as file, _packing(file) as packed:
        for block in reader.blocks("partition_rows", parameters):
            columns = dict(zip(block.names, block.columns, strict=True))
            packed.write(encode_block(dict(zip(block.names, block.types, strict=True)), columns))
            rows += block.row_count
    return BackupFile(name, table, rows, path.stat().st_size, _sha256(path))


def restore(
    store: HistoryStore,
    folder: Path,
    digests: Callable[[], tuple[Digest, ...]],
) -> Manifest:
    """Bring a backup into an empty history, and make sure that it says the same as before.

    Every file is checked before the first row is written.

    Args:
        store: An empty history.
        folder: The backup.
        digests: Digests what stands in the history.

    Raises:
        BackupError: The backup is not whole or was changed, the history is not empty, or what
            stands in it afterwards is not what stood when the backup was written.
    """
    manifest = check_backup(folder)
    store.migrate()
    filled = [table for table in TABLES if _partitions(store, table)]
    if filled:
        raise BackupError(
            f"restore: the history already has {', '.join(filled)}; restore into a new folder"
        )
    give_identity(store, time.time_ns() // 1000)  # whose sinks go on from here, and no other's
    for file in reversed(manifest.files):  # children before their parents, as always
        for block in _blocks_of(folder / file.name):
            store.insert(file.table, dict(zip(block.names, block.columns, strict=True)))
    if manifest.digests is not None and not _are_among(manifest.digests, digests()):
        raise BackupError(
            f"restore of {folder}: what stands now is not what stood when it was written; "
            "keep the backup and report this as a fault of Ladderman"
        )
    return manifest


def check_backup(folder: Path) -> Manifest:
    """Read the manifest of a backup and compare every file with it.

    Raises:
        BackupError: There is none, a file is missing, cut, changed or in excess, or a later version
            of the product wrote it.
    """
    manifest = _read_manifest(folder)
    for file in manifest.files:
        path = folder / file.name
        if not path.is_file():
            raise BackupError(f"backup {folder}: {file.name} is missing; use another copy")
        if path.stat().st_size != file.byte_count or _sha256(path) != file.sha256:
            raise BackupError(f"backup {folder}: {file.name} was changed or cut; use another copy")
        if (rows := _row_count(path)) != file.row_count:
            raise BackupError(
                f"backup {folder}: {file.name} has {rows} rows, the manifest says "
                f"{file.row_count}; use another copy"
            )
    known = {file.name for file in manifest.files} | {MANIFEST}
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    if found - known:
        raise BackupError(f"backup {folder}: {min(found - known)} is not in its manifest")
    return manifest


def _read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        if path.stat().st_size > _MANIFEST_BYTES_MAX:
            raise ValueError(f"more than {_MANIFEST_BYTES_MAX:,} bytes")
        document = json.loads(path.read_bytes())
        if document.pop("schema") != BACKUP_SCHEMA:
            raise BackupError(f"{path}: not {BACKUP_SCHEMA}; use the version that wrote it")
        files = tuple(BackupFile(**file) for file in document["files"])
        digests = document["digests"]
        manifest = Manifest(
            document["schema_version"],
            files,
            None if digests is None else tuple(Digest(**digest) for digest in digests),
            tuple(IngestMark(**mark) for mark in document.get("interrupted", ())),
        )
    except FileNotFoundError:
        raise BackupError(f"no backup in {folder}: {MANIFEST} is missing") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BackupError(f"{path}: not readable ({error}); use another copy") from None
    if (
        digests is not None
        and not {digest.of for digest in manifest.digests or ()} >= _ALWAYS_DIGESTED
    ):
        raise BackupError(f"{path}: digests of what stood are missing; use another copy")
    names = [file.name for file in files]
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise BackupError(f"{path}: {twice[0]} is named twice; use another copy")
    strange = [file.name for file in files if file.table not in TABLES or ".." in file.name]
    if strange or any(Path(file.name).is_absolute() for file in files):
        raise BackupError(f"{path}: {strange or 'a file'} is of no table of the history")
    own = schema_version(migration.name for migration in load_migrations())
    if manifest.schema_version > own:
        raise BackupError(
            f"{path}: written with tables of version {manifest.schema_version}, this version of "
            f"Ladderman knows {own}; use the one that wrote it"
        )
    return manifest


def _are_among(wanted: tuple[Digest, ...], known: tuple[Digest, ...]) -> bool:
    """Whether these digests are as they were; a backup of an earlier version has fewer kinds."""
    return set(wanted) <= set(known)


def _row_count(path: Path) -> int:
    return sum(block.row_count for block in _blocks_of(path))


def _blocks_of(path: Path) -> Iterator[Block]:
    try:
        with path.open("rb") as packed, zstandard.ZstdDecompressor().stream_reader(packed) as file:
            yield from decode_backup(file)
    except (OSError, zstandard.ZstdError, StoreFaultError) as error:
        raise BackupError(f"{path}: not readable ({error}); use another copy") from None


def _packing(file: BinaryIO) -> zstandard.ZstdCompressionWriter:
    return zstandard.ZstdCompressor(_LEVEL).stream_writer(file, closefd=False)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _durable(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that is private from the start, and have it on disk when it is closed."""
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, _FILE_MODE)) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BackupError(
            f"backup {folder}: cannot be written ({error.strerror}); "
            "choose another folder or free some space"
        ) from None
