"""Run one command in this process and see what a person would see."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from dataclasses import dataclass

import typer

from dashboards.errors import CommandProblem


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict:
        """Standard output as one JSON document."""
        return json.loads(self.out)

    @property
    def objects(self) -> list[dict]:
        """Standard output as one JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def run_command(register: Callable[[typer.Typer], None], *arguments: object) -> Answer:
    """Run a command of one module; a problem is its exit code and its line."""
    app = typer.Typer()
    register(app)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = app([str(one) for one in arguments], standalone_mode=False)
        except CommandProblem as problem:
            return Answer(int(problem.exit_code), out.getvalue(), str(problem))
    return Answer(int(code or 0), out.getvalue(), err.getvalue())
