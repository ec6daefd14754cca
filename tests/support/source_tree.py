"""Where the project's own source lies, for the tests that read it instead of running it."""

import ast
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ("schemas", "auditors")
PACKAGES = (*CORE, "streams", "dashboards")
FOLDERS = (*PACKAGES, "infra", "tests")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef)


def python_files(folders: Iterable[str], root: Path = ROOT) -> list[Path]:
    """List the modules of some folders, in a stable order."""
    return sorted(path for folder in folders for path in (root / folder).rglob("*.py"))


def parsed(path: Path) -> ast.Module:
    """Read one module as a syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions_in(tree: ast.AST) -> Iterator[FunctionNode]:
    """Yield every function and method, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, FUNCTION_NODES))


def tracked_files() -> list[Path]:
    """List the files that are under version control."""
    return _git_files("--cached")


def repository_files() -> list[Path]:
    """List the files that are under version control or would be with the next ``git add``."""
    return _git_files("--cached", "--others", "--exclude-standard")


def _git_files(*options: str) -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "-z", *options], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = {ROOT / name for name in listing.stdout.split("\0") if name}
    return sorted(path for path in paths if path.is_file())  # not those deleted but not yet staged
