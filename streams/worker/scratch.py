"""The directory that the framework writes to; it is removed with its worker."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"ladderman-worker-([0-9]{1,10})-.+")


def scratch_directory() -> Path:
    """Make an empty directory of this process, and remove those of processes that were killed.

    Nothing in them is ever needed again; a killed process cannot remove its own.
    """
    path = Path(tempfile.mkdtemp(prefix=f"ladderman-worker-{os.getpid()}-"))
    with contextlib.suppress(OSError):
        for other in list(path.parent.glob("ladderman-worker-*")):
            match = _NAME.fullmatch(other.name)
            if match and not _runs(int(match[1])):
                shutil.rmtree(other, ignore_errors=True)  # another user's stays
    return path


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
