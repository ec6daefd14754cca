"""The tree of commands: its registry tells the truth, and nothing is imported without need."""

from __future__ import annotations

import ast
import inspect
import os
import re
import shlex
import subprocess
import sys

import pytest
import typer
from typer.core import TyperGroup

from dashboards.commands.registry import ENTRIES, MODULES, WIDTH_OF_HELP
from dashboards.commands.tree import load_command
from tests.support.source_tree import ROOT

SERVICES = frozenset({"chdb", "faust", "aiokafka", "kafka", "clickhouse_driver"})
"""What talks to brokers and stores; some of it cannot be forked once imported."""

HEAVY = SERVICES | {"pydantic", "rich", "numpy", "orjson", "auditors", "streams"}

IMPORTED = """
import contextlib, io, sys
from dashboards.cli import run
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    code = run(sys.argv[1:])
print(code, *sorted({name.split(".")[0] for name in sys.modules} | {
    name for name in sys.modules if name.startswith(("dashboards.", "schemas."))
}))
"""


def imported(*words: str, **environment: str) -> set[str]:
    """Run a command in a process of its own and give what it imported."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    code, *names = done.stdout.split()
    assert code == "0", done
    return set(names)


def every_command() -> list[tuple[str, typer.core.TyperCommand]]:
    """Give all commands and the commands below them, by the words that call them."""
    found = []
    for name in MODULES:
        command = load_command(name)
        found.append((name, command))
        if isinstance(command, TyperGroup):
            found += [(f"{name} {below}", one) for below, one in command.commands.items()]
    return found


EVERY = every_command()


@pytest.mark.parametrize("words", [("--help",), ("--version",)])
def test_help_and_version_import_next_to_nothing(words: tuple[str, ...]) -> None:
    names = imported(*words)
    assert names & HEAVY == set()
    assert not any(name in MODULES.values() for name in names)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_command_imports_no_other_command(name: str) -> None:
    path = ROOT / (MODULES[name].replace(".", "/") + ".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {one.module for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)}
    assert found & set(MODULES.values()) == set()


def test_commands_without_services_import_none_of_their_libraries() -> None:
    assert imported("audit", "--help") & SERVICES == set()


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        (
            ("settle", "--player", "2S 3H KD", "--banker", "AC 2D 5H", "--wager", "banker=100"),
            {"numpy", "orjson", "rich", "schemas.events", "prometheus_client"},
        ),
        (("rules", "list"), {"numpy", "orjson", "streams", "schemas.events"}),
        (("rules", "show", "golden_talons"), {"numpy", "orjson", "streams", "schemas.events"}),
    ],
)
def test_a_short_answer_imports_what_it_needs(words: tuple[str, ...], heavy: set[str]) -> None:
    assert imported(*words) & (heavy | SERVICES) == set()


def test_every_line_of_help_is_that_of_its_command() -> None:
    said = {name: load_command(name).help or "" for name in MODULES}
    first = {name: " ".join(text.split("\n\n")[0].split()) for name, text in said.items()}
    assert first == {name: entry.help for name, entry in ENTRIES.items()}
    assert [line for line in first.values() if len(line) > WIDTH_OF_HELP] == []


@pytest.mark.parametrize(("name", "command"), EVERY, ids=[name for name, _ in EVERY])
def test_every_command_has_an_example_that_can_be_pasted(
    name: str, command: typer.core.TyperCommand
) -> None:
    example = re.search(r"Example: ((?:.*\\\n)*.*)", command.epilog or "")
    assert example is not None, name
    assert f"ladderman {name}" in example[1] or isinstance(command, TyperGroup)
    shown = command.get_help(typer.Context(command, info_name=name))
    assert example[1].splitlines()[0] in shown
    words = shlex.split(re.split(r" (?:>|&&) ", example[1])[-1].replace("\\\n", " "))
    flags = {word for word in words if word.startswith("--")}
    target = command
    if isinstance(command, TyperGroup) and len(words) > 2 and words[2] in command.commands:
        target = command.commands[words[2]]
    known = {flag for one in target.params for flag in one.opts}
    assert flags <= known, inspect.cleandoc(command.epilog or "")


def completed(typed: str) -> list[str]:
    """Give what a shell is offered for what was typed."""
    done = subprocess.run(
        [sys.executable, "-c", "from dashboards.cli import main; main()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {
            "_LADDERMAN_COMPLETE": "complete_bash",
            "COMP_WORDS": typed,
            "COMP_CWORD": str(len(typed.split(" ")) - 1),
        },
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ladderman do", ["doctor"]),
        ("ladderman rules s", ["show"]),
        ("ladderman settle --winn", ["--winning-stakes"]),
        ("ladderman --vers", ["--version"]),
    ],
)
def test_a_shell_is_offered_commands_and_options(typed: str, offered: list[str]) -> None:
    assert completed(typed) == offered
