"""A second jurisdiction beside Pennsylvania: made up, of one section, and law data alone."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from auditors.law import loading
from tests.support.source_tree import ROOT

HELD = ROOT / "auditors" / "regulations"
MADE_UP = Path(__file__).with_name("regulations") / "xx"


@contextmanager
def with_made_up_law(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Have the law read from a copy of the shipped folders, with the made-up one beside them.

    Args:
        folder: Where the copy is made.
        patch: Points the loader to it.

    Yields:
        The folder of the made-up jurisdiction, to be changed before the law is read.
    """
    regulations = folder / "regulations"
    shutil.copytree(HELD, regulations)
    shutil.copytree(MADE_UP, regulations / MADE_UP.name)
    with patch.context() as patched:
        patched.setattr(loading, "_regulations", lambda: regulations)
        _forget()
        yield regulations / MADE_UP.name
    _forget()


def _forget() -> None:
    loading._held.cache_clear()
    loading.jurisdictions.cache_clear()
