"""Imports run one way: schemas <- auditors <- streams <- dashboards."""

import os
import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path

from tests.support.source_tree import PACKAGES, ROOT

LINTER = Path(sys.executable).with_name("lint-imports")


def lint(directory: Path) -> subprocess.CompletedProcess[str]:
    """Run the import linter on the packages that lie in a directory, not on the installed ones."""
    return subprocess.run(
        [LINTER, "--no-cache"],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(directory), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def copy_packages(directory: Path) -> None:
    """Copy the packages and the contract, so that a test can break them."""
    shutil.copy(ROOT / "pyproject.toml", directory)
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, directory / package, ignore=shutil.ignore_patterns("__pycache__")
        )


def test_the_import_contract_holds() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_import_contract_bites_on_every_upward_import(tmp_path: Path) -> None:
    copy_packages(tmp_path)
    assert lint(tmp_path).returncode == 0

    upward = list(combinations(PACKAGES, 2))
    for lower, higher in upward:
        importer = tmp_path / lower / f"looks_up_to_{higher}.py"
        importer.write_text(f"import {higher}\n")
    result = lint(tmp_path)

    assert result.returncode == 1, result.stdout + result.stderr
    for lower, higher in upward:
        assert f"{lower}.looks_up_to_{higher} -> {higher}" in result.stdout


def test_the_import_contract_bites_on_an_import_inside_a_function(tmp_path: Path) -> None:
    copy_packages(tmp_path)
    (tmp_path / "auditors" / "late.py").write_text("def f():\n    from streams import x\n")
    result = lint(tmp_path)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "auditors.late -> streams" in result.stdout
