"""The removal of a store that a call made and could put nothing into."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from streams.history.embedded.owner import OwnerLock, owner_file, wanted_file
from streams.history.store import HistoryError


@dataclass(frozen=True, slots=True)
class FolderBefore:
    """What a folder held before a call."""

    folder: Path
    names: frozenset[str]
    missing: tuple[Path, ...]
    """The folder, and those above it, that were not there; the innermost first."""

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Look at a folder that may not be there."""
        missing = tuple(place for place in (folder, *folder.parents) if not place.exists())
        names = frozenset() if missing else frozenset(entry.name for entry in folder.iterdir())
        return cls(folder, names, missing)

    def holds(self, name: str) -> bool:
        """Say whether it held something of that name."""
        return name in self.names

    def remove_made(self, history: Path, *others: str) -> None:
        """Remove a store that was made since, unless another process owns it by now.

        Args:
            history: The history in the folder, closed by the caller.
            others: Names of what else of the store lies in the folder.
        """
        made = {*others, history.name, f"{history.name}.ingests", wanted_file(history).name}
        made.add(owner_file(history).name)
        try:
            lock = OwnerLock.take(history)
        except HistoryError:
            return
        try:
            for entry in self.folder.iterdir():
                if entry.name in self.names or entry.name not in made:
                    continue
                if entry.is_dir():
                    shutil.rmtree(entry, ignore_errors=True)
                else:
                    entry.unlink(missing_ok=True)
            with suppress(OSError):  # somebody put something of their own into it meanwhile
                for absent in self.missing:
                    absent.rmdir()
        finally:
            lock.close()
