"""What is costly to make is made once for a whole run, however many workers the run has."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

Made = TypeVar("Made")


def once_in_a_run(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Made]) -> Made:
    """Give what the first worker to ask made; the others wait for it and read it.

    Args:
        factory: Knows where the run keeps its files.
        name: Unique among what is made so.
        make: Makes it, in a folder of its own; the result can be pickled.
    """
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    kept = shared / f"{name}.pickle"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kept.exists():
            return pickle.loads(kept.read_bytes())
        made = make(factory.mktemp(name))
        whole = kept.with_suffix(".new")  # a worker that dies while it writes leaves nothing
        whole.write_bytes(pickle.dumps(made))
        whole.replace(kept)
    return made
