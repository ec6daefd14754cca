"""What the documents tell a reader to type works as printed."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.source_tree import ROOT, repository_files
from tests.support.texts.console_blocks import (
    Command,
    commands_in,
    commands_outside_console_blocks,
    failure_of,
)

DOCUMENTS = ["README.md", "infra/README.md"]
PROGRAMS = Path(sys.executable).parent
NOT_RUN_HERE = {"git", "cd", "source"}  # they bring the reader to where the tests already are

SAMPLE = """
Text with `ladderman audit` in a line.

```console
$ git clone ladderman && cd ladderman
$ ladderman audit rounds.csv  # exit 1
3 findings
$ ladderman settle \\
    --player "2S 3H"
```

```json
{"$ ladderman": 1}
```
"""


def document_text(name: str) -> str:
    """Read one document."""
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Copy the repository, so that a command finds its files and can write without harm."""
    for path in repository_files():
        target = tmp_path / "checkout" / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return tmp_path / "checkout"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_ladderman_command_gives_the_exit_code_that_is_printed(
    name: str, checkout: Path
) -> None:
    commands = [c for c in commands_in(document_text(name)) if c.program == "ladderman"]
    failures = [failure_of(command, checkout, PROGRAMS) for command in commands]
    assert [failure for failure in failures if failure] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_make_target_that_is_named_exists(name: str) -> None:
    targets = re.findall(r"^([a-z]+):", document_text("Makefile"), flags=re.MULTILINE)
    named = [c for c in commands_in(document_text(name)) if c.program == "make"]
    assert [c for c in named if not set(c.text.split()[1:]) <= set(targets)] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_command_escapes_being_run(name: str) -> None:
    programs = {command.program for command in commands_in(document_text(name))}
    assert programs <= {"ladderman", "make", *NOT_RUN_HERE}
    assert commands_outside_console_blocks(document_text(name)) == []


def test_a_reader_has_the_commands_on_the_path_before_the_first_is_printed() -> None:
    texts = [command.text for command in commands_in(document_text("README.md"))]
    first = next(number for number, text in enumerate(texts) if text.startswith("ladderman "))
    assert "source .venv/bin/activate" in texts[:first]


def test_commands_are_read_with_their_line_and_exit_code() -> None:
    assert commands_in(SAMPLE) == [
        Command(5, "git clone ladderman && cd ladderman"),
        Command(6, "ladderman audit rounds.csv", 1),
        Command(8, 'ladderman settle --player "2S 3H"'),
    ]


def test_a_command_in_a_block_of_another_language_is_found() -> None:
    document = "```bash\nladderman demo\n```\n" + SAMPLE + "```\n$ ladderman odds\n```\n"
    assert commands_outside_console_blocks(document) == ["ladderman demo", "$ ladderman odds"]


def test_a_broken_promise_is_found(tmp_path: Path) -> None:
    program = tmp_path / "ladderman"
    program.write_text('#!/bin/sh\ntest -f "$1" || { echo "no file $1" >&2; exit 2; }\n')
    program.chmod(0o755)
    (tmp_path / "rounds.csv").touch()

    assert failure_of(Command(1, "ladderman rounds.csv"), tmp_path, tmp_path) is None
    assert failure_of(Command(1, "ladderman missing.csv", 2), tmp_path, tmp_path) is None
    failure = failure_of(Command(7, "ladderman missing.csv"), tmp_path, tmp_path)
    assert failure == ("line 7: ladderman missing.csv: exit 2, promised 0\nno file missing.csv\n")
