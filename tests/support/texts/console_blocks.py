"""Runs what a document tells its reader to type.

In a fenced block marked ``console`` a line ``$ ladderman … # exit 1`` is a command with the exit
code that it must give; without the comment that is 0. Other lines show output.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\S*)[^\n]*\n(?P<body>.*?)^ *``` *$", re.M | re.S
)
EXIT = re.compile(r"\s+# exit (?P<code>\d+)\s*$")
SECONDS_MAX = 120


@dataclass(frozen=True)
class Command:
    """One command as a document prints it, and the exit code that it promises."""

    line: int
    text: str
    exit_code: int = 0

    @property
    def program(self) -> str:
        """The word that the command starts with."""
        return self.text.split()[0]


def commands_in(document: str) -> list[Command]:
    """List the commands of the console blocks of a document, in the order of reading."""
    commands = []
    for block in FENCE.finditer(document):
        if block["language"] != "console":
            continue
        first_line = document.count("\n", 0, block.start("body")) + 1
        lines = iter(enumerate(block["body"].splitlines(), first_line))
        for number, line in lines:
            if not line.strip().startswith("$ "):
                continue
            text = line.strip().removeprefix("$ ")
            while text.endswith("\\"):
                text = text[:-1] + next(lines)[1].strip().removeprefix("> ")
            promised = EXIT.search(text)
            exit_code = int(promised["code"]) if promised else 0
            commands.append(Command(number, EXIT.sub("", text), exit_code))
    return commands


def commands_outside_console_blocks(document: str) -> list[str]:
    """List ladderman commands in blocks of another language, which nobody would run."""
    return [
        line.strip()
        for block in FENCE.finditer(document)
        if block["language"] != "console"
        for line in block["body"].splitlines()
        if line.strip().removeprefix("$ ").startswith("ladderman ")
    ]


def failure_of(command: Command, directory: Path, programs: Path) -> str | None:
    """Run one command in a directory and say how it broke its promise, or None.

    Args:
        command: What the document says.
        directory: Where the reader would stand; also the home folder of the command.
        programs: The folder that holds ``ladderman``; it comes first on the PATH.
    """
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(directory),
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    result = subprocess.run(
        command.text,
        shell=True,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    if result.returncode == command.exit_code:
        return None
    return (
        f"line {command.line}: {command.text}: exit {result.returncode}, "
        f"promised {command.exit_code}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
    )
