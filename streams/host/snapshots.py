"""Snapshots: the whole state of a partition as bytes, written and read back.

A snapshot is zstd over lines: a header as JSON, then for every source a line about it and a line
with its state, as the fold writes it. ``zstd -d`` and any JSON reader show what is in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import orjson
import zstandard

from streams.host.dead_letters import Origin
from streams.host.errors import SnapshotRefusedError, SnapshotTooLargeError
from streams.host.ports import Fold
from streams.host.rejects import Source

SNAPSHOT_SCHEMA: Final = "ladderman.snapshot/1"
"""Name and version of the shape."""

SNAPSHOT_BYTES_MAX: Final = 4 * 1024 * 1024
"""A snapshot that is a message is at most this long, compressed."""

_PLAIN_BYTES_MAX: Final = 1024 * 1024 * 1024
_LEVEL: Final = 3


class SourceCut(NamedTuple):
    """One source at the moment of the cut; states never change, so nothing is copied."""

    source_id: str
    state: object
    valid: int
    streak: int


class Cut(NamedTuple):
    """A partition at one moment: everything below ``next_offset`` is folded, nothing else."""

    next_offset: int
    sources: Sequence[SourceCut]


@dataclass(frozen=True, slots=True)
class SnapshotScope:
    """What a snapshot must belong to, so that it may be gone on from."""

    origin: Origin
    partitions: int
    audit_epoch: int


class UnreadableSnapshotError(Exception):
    """Bytes that are no snapshot, or were changed."""


@dataclass(frozen=True, slots=True)
class SnapshotHeader:
    """What a snapshot says of itself."""

    log_id: str
    partition: int
    partitions: int
    audit_epoch: int
    state_format: int
    """Number of the shape of its states."""
    next_offset: int
    source_count: int

    @property
    def position(self) -> tuple[int, int]:
        """What decides between snapshots: the highest is gone on from."""
        return self.audit_epoch, self.next_offset


def take_cut(next_offset: int, sources: Sequence[Source]) -> Cut:
    """Take the state of all sources at one moment."""
    ordered = sorted(sources, key=lambda one: one.source_id)
    return Cut(
        next_offset,
        [
            SourceCut(source.source_id, source.state, source.valid, source.streak)
            for source in ordered
        ],
    )


def encode_snapshot(
    cut: Cut, scope: SnapshotScope, fold: Fold, bytes_max: int = SNAPSHOT_BYTES_MAX
) -> bytes:
    """Write a cut as the bytes of a snapshot; equal cuts give equal bytes.

    Raises:
        SnapshotTooLargeError: It is longer than ``bytes_max``.
    """
    header = {
        "schema": SNAPSHOT_SCHEMA,
        "log_id": scope.origin.log_id,
        "partition": scope.origin.partition,
        "partitions": scope.partitions,
        "audit_epoch": scope.audit_epoch,
        "state_format": fold.state_format,
        "next_offset": cut.next_offset,
        "source_count": len(cut.sources),
    }
    lines = [orjson.dumps(header)]
    for source in cut.sources:
        about = {"source_id": source.source_id, "valid": source.valid, "streak": source.streak}
        lines.append(orjson.dumps(about))
        lines.append(fold.encode_state(source.state))
    plain = b"\n".join(lines)
    snapshot = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(plain)
    if len(snapshot) > bytes_max:
        raise SnapshotTooLargeError(
            f"the state of partition {scope.origin.partition} of {scope.origin.log_id} takes "
            f"{len(snapshot):,} bytes, a snapshot has at most {bytes_max:,}: "
            f"{len(cut.sources)} sources are too many for one partition, use more partitions"
        )
    return snapshot


def _lines_of(snapshot: bytes) -> list[bytes]:
    try:
        plain = zstandard.ZstdDecompressor().decompress(
            snapshot, max_output_size=_PLAIN_BYTES_MAX, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise UnreadableSnapshotError(f"it cannot be decompressed: {error}") from None
    return plain.split(b"\n")


def read_header(snapshot: bytes) -> SnapshotHeader:
    """Read what a snapshot says of itself.

    Raises:
        UnreadableSnapshotError: It is none, or was changed.
    """
    return _header_of(_lines_of(snapshot)[0])


def _header_of(line: bytes) -> SnapshotHeader:
    try:
        content = orjson.loads(line)
        if content["schema"] != SNAPSHOT_SCHEMA:
            raise UnreadableSnapshotError(f"it is no {SNAPSHOT_SCHEMA}")
        return SnapshotHeader(
            log_id=str(content["log_id"]),
            partition=int(content["partition"]),
            partitions=int(content["partitions"]),
            audit_epoch=int(content["audit_epoch"]),
            state_format=int(content.get("state_format", 1)),
            next_offset=int(content["next_offset"]),
            source_count=int(content["source_count"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableSnapshotError(f"its header cannot be read: {error!r}") from None


def refuse_foreign(header: SnapshotHeader, scope: SnapshotScope, end_offset: int) -> None:
    """Refuse a snapshot that must not be gone on from.

    Raises:
        SnapshotRefusedError: It is of another log, other partitions, a newer build, or reaches
            beyond the end of the log.
    """
    own = scope.origin
    if (header.log_id, header.partition) != (own.log_id, own.partition):
        raise SnapshotRefusedError(
            f"the snapshot is of partition {header.partition} of log {header.log_id}, not of "
            f"partition {own.partition} of {own.log_id}: the log was created again; "
            "remove the snapshots of the old one to fold this one from its start"
        )
    if header.partitions != scope.partitions:
        raise SnapshotRefusedError(
            f"the snapshot was taken with {header.partitions} partitions, there are "
            f"{scope.partitions}; the number of partitions of a log never changes, "
            "make new topics instead"
        )
    if header.audit_epoch > scope.audit_epoch:
        raise SnapshotRefusedError(
            f"the snapshot was taken under audit epoch {header.audit_epoch}, this build has "
            f"{scope.audit_epoch}; start the newer build"
        )
    if header.next_offset > end_offset:
        raise SnapshotRefusedError(
            f"the snapshot reaches to offset {header.next_offset}, the log ends at {end_offset}: "
            "the log has lost events; restore it, or remove the snapshots to fold what is left"
        )


def decode_snapshot(snapshot: bytes, fold: Fold) -> tuple[SnapshotHeader, list[Source]]:
    """Read the states of a snapshot.

    Raises:
        UnreadableSnapshotError: It is none, or was changed, or the fold cannot read a state, as
            where a newer build wrote it.
    """
    lines = _lines_of(snapshot)
    header = _header_of(lines[0])
    if header.state_format > fold.state_format:
        # What this build would leave out of such a state might decide the next verdict.
        raise UnreadableSnapshotError(
            f"a newer build wrote it: its states have format {header.state_format}, this build "
            f"reads them up to {fold.state_format}"
        )
    if len(lines) != 1 + 2 * header.source_count:
        raise UnreadableSnapshotError(
            f"it has {len(lines)} lines for {header.source_count} sources"
        )
    sources = []
    for about, state in zip(lines[1::2], lines[2::2], strict=True):
        try:
            content = orjson.loads(about)
            source_id = str(content["source_id"])
            valid, streak = int(content["valid"]), int(content["streak"])
            read = fold.decode_state(state, header.audit_epoch)
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableSnapshotError(f"a source of it cannot be read: {error}") from None
        sources.append(Source(source_id, read, valid, streak))
    return header, sources
