"""The feed that a spool belongs to, written beside it, so that a lost spool is noticed."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from streams.process.durable import write_atomically
from streams.spool.errors import SpoolDamagedError

IDENTITY_FILE: Final = "identity.json"
ACKNOWLEDGED_FILE: Final = "acknowledged.json"


@dataclass(frozen=True, slots=True)
class FeedIdentity:
    """The feed that a source speaks through now."""

    source_id: str
    feed_id: str


def new_feed_id() -> str:
    """Make the id of a feed."""
    return random_id("f")


def random_id(prefix: str) -> str:
    """Make an id that nothing else has: 80 random bits."""
    return f"{prefix}{secrets.token_hex(10)}"


def load_identity(directory: Path) -> FeedIdentity | None:
    """Read which feed a source speaks through; None where it never spoke.

    Raises:
        SpoolDamagedError: The file is there and says nothing.
    """
    path = directory / IDENTITY_FILE
    try:
        content = orjson.loads(path.read_bytes())
        return FeedIdentity(str(content["source_id"]), str(content["feed_id"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):
        raise SpoolDamagedError(
            f"{path} does not say source_id and feed_id; restore it from a copy, or remove it to "
            "begin a feed that names no predecessor"
        ) from None


def save_identity(directory: Path, identity: FeedIdentity) -> None:
    """Write which feed a source speaks through from now on."""
    content = {"source_id": identity.source_id, "feed_id": identity.feed_id}
    write_atomically(directory / IDENTITY_FILE, orjson.dumps(content))


def load_acknowledged(directory: Path, feed_id: str) -> int:
    """Read up to which sequence a feed was acknowledged.

    An unreadable or foreign mark counts as none: what is sent again does no harm.
    """
    try:
        content = orjson.loads((directory / ACKNOWLEDGED_FILE).read_bytes())
        sequence = content["sequence"] if content["feed_id"] == feed_id else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    return sequence if isinstance(sequence, int) and sequence > 0 else 0


def save_acknowledged(directory: Path, feed_id: str, sequence: int) -> None:
    """Write up to which sequence a feed was acknowledged."""
    content = {"feed_id": feed_id, "sequence": sequence}
    write_atomically(directory / ACKNOWLEDGED_FILE, orjson.dumps(content))
