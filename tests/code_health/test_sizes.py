"""Modules and functions stay small enough to be read in one go."""

from pathlib import Path

from tests.support.source_tree import PACKAGES, ROOT, functions_in, parsed, python_files

MODULE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70


def oversized(root: Path) -> list[str]:
    """List the modules and functions that are too long."""
    found = []
    for path in python_files((*PACKAGES, "tests"), root):
        name = path.relative_to(root).as_posix()
        module_lines = len(path.read_text(encoding="utf-8").splitlines())
        if module_lines > MODULE_LINES_MAX:
            found.append(f"{name}: {module_lines} lines")
        for function in functions_in(parsed(path)):
            function_lines = (function.end_lineno or 0) - function.lineno + 1
            if function_lines > FUNCTION_LINES_MAX:
                found.append(f"{name}:{function.lineno}: {function.name} {function_lines} lines")
    return found


def test_no_module_or_function_is_too_long() -> None:
    assert oversized(ROOT) == []


def test_the_limits_are_inclusive_and_bite_one_line_above(tmp_path: Path) -> None:
    package = tmp_path / "streams"
    package.mkdir()
    (package / "fits.py").write_text("x = 1\n" * MODULE_LINES_MAX)
    (package / "long.py").write_text("x = 1\n" * (MODULE_LINES_MAX + 1))
    (package / "functions.py").write_text(
        "async def fits():\n"
        + "    pass\n" * (FUNCTION_LINES_MAX - 1)
        # a method counts like a function, its decorator does not
        + "class Floor:\n    @property\n    def deal(self):\n"
        + "        pass\n" * FUNCTION_LINES_MAX
    )
    assert oversized(tmp_path) == [
        "streams/functions.py:73: deal 71 lines",
        "streams/long.py: 601 lines",
    ]
