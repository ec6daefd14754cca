"""Few places ask the formatter to leave them alone."""

from pathlib import Path

from tests.support.source_tree import PACKAGES, ROOT, python_files

MARK = "# fmt: " + "skip"
UNFORMATTED_MAX = 222


def unformatted(root: Path) -> list[str]:
    """List the lines at which the formatter is told to leave a statement as it is."""
    return [
        f"{path.relative_to(root).as_posix()}:{number}"
        for path in python_files((*PACKAGES, "tests"), root)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.endswith(MARK)
    ]


def test_few_statements_are_kept_from_the_formatter() -> None:
    found = unformatted(ROOT)
    assert len(found) <= UNFORMATTED_MAX, found


def test_a_statement_that_is_kept_from_the_formatter_is_found(tmp_path: Path) -> None:
    package = tmp_path / "streams"
    package.mkdir()
    (package / "table.py").write_text(f"x = 1\ny = (1,\n     2)  {MARK}\n")
    assert unformatted(tmp_path) == ["streams/table.py:3"]
