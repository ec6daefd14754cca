"""What a killed worker left behind goes when the next one starts, and nothing else does."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from streams.worker.scratch import scratch_directory


def test_directories_of_killed_workers_go_and_those_of_running_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    killed = tmp_path / f"ladderman-worker-{int(gone.stdout)}-abc"
    (killed / "v1").mkdir(parents=True)
    kept = [
        tmp_path / f"ladderman-worker-{os.getppid()}-abc",
        tmp_path / "ladderman-worker-of-somebody",
        tmp_path / "ladderman-demo-1-abc",
    ]
    for one in kept:
        one.mkdir()
    mine = scratch_directory()
    assert sorted(tmp_path.iterdir()) == sorted([mine, *kept])
    assert f"-{os.getpid()}-" in mine.name
    assert list(mine.iterdir()) == []
