"""The snapshots of one machine: files in a directory, the last three kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from streams.process.durable import make_directory, sync_directory, write_atomically

KEPT_COUNT: Final = 3
"""Snapshots that are kept: the newest may turn out to be unreadable."""

_NAME: Final = re.compile(r"(\d{6})-(\d{20})\.snapshot")


class FileSnapshots:
    """Snapshots as files, named by audit epoch and next offset."""

    def __init__(self, directory: Path) -> None:
        """Use a directory, made where it does not exist."""
        make_directory(directory)
        self.directory = directory

    def paths(self) -> list[Path]:
        """List the files, the highest (audit epoch, next offset) first."""
        found = [path for path in self.directory.iterdir() if _NAME.fullmatch(path.name)]
        return sorted(found, key=lambda path: path.name, reverse=True)

    async def newest_first(self) -> Sequence[bytes]:
        """Give what is kept, that of the highest (audit epoch, next offset) first."""
        return [path.read_bytes() for path in self.paths()]

    async def put(self, snapshot: bytes, position: tuple[int, int]) -> None:
        """Keep a snapshot, and let those go that are no longer needed."""
        epoch, next_offset = position
        write_atomically(self.directory / f"{epoch:06d}-{next_offset:020d}.snapshot", snapshot)
        for path in self.paths()[KEPT_COUNT:]:
            path.unlink()
        sync_directory(self.directory)
