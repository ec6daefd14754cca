"""Digests of a history: one SHA-256 for each kind of rows, to compare two histories by.

Hashed are the rows that stand, without what may differ between two logs of the same events: which
message caused a version, when it became known, how the events were delivered, and the canary.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from streams.history.store import HistoryReader

DIGESTED: Final = ("coups", "wagers", "findings", "progressives", "finding_facts")
"""What is digested, in the order of writing."""


@dataclass(frozen=True, slots=True)
class Digest:
    """The digest of one kind of rows."""

    of: str
    """One of :data:`DIGESTED`."""
    row_count: int
    """How many rows stand."""
    sha256: str
    """SHA-256 of the rows' own SHA-256s in hexadecimal, each with a line end, in key order."""


def history_digests(reader: HistoryReader) -> tuple[Digest, ...]:
    """Digest what stands in a history; it is read as a stream, whatever its size."""
    return tuple(_digest(reader, of) for of in DIGESTED)


def _digest(reader: HistoryReader, of: str) -> Digest:
    running, count = hashlib.sha256(), 0
    for block in reader.blocks(f"digest_{of}"):
        (hashes,) = block.columns
        running.update("".join(f"{digest}\n" for digest in hashes).encode())
        count += len(hashes)
    return Digest(of, count, running.hexdigest())
