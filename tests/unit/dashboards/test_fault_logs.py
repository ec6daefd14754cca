"""Logs of faults are new files that only their owner reads."""

import datetime
import os
import tempfile
from pathlib import Path

import pytest

from dashboards.cli import _write_fault


def test_a_log_of_a_fault_is_private_and_never_written_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    first, second = _write_fault(), _write_fault()
    assert first != second
    assert {path.stat().st_mode & 0o777 for path in (first, second)} == {0o600}


def test_a_log_of_a_fault_goes_through_no_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    target = tmp_path / "target"
    target.write_text("mine")
    now = datetime.datetime.now(datetime.UTC)
    for second in range(5):
        stamp = (now + datetime.timedelta(seconds=second)).strftime("%Y%m%dT%H%M%S")
        (tmp_path / f"ladderman-fault-{stamp}-{os.getpid()}-taken.log").symlink_to(target)
    monkeypatch.setattr(tempfile, "_get_candidate_names", lambda: iter(("taken", "free")))
    assert _write_fault().name.endswith("-free.log")
    assert target.read_text() == "mine"
