"""The whole command line in this process: words in, exit code and both outputs out."""

import contextlib
import io
import sys

from dashboards.cli import run
from tests.support.texts.command_line import Answer


def ladderman(*words: object, stdin: bytes = b"") -> Answer:
    """Run a command as a person would type it.

    Args:
        words: The words after ``ladderman``.
        stdin: What is piped in.
    """
    out, err = io.StringIO(), io.StringIO()
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run([str(word) for word in words])
    finally:
        sys.stdin = before
    return Answer(int(code), out.getvalue(), err.getvalue())


def refusal(*words: object, stdin: bytes = b"") -> str:
    """Run a command that must be refused: exit 2, one line, nothing on standard output."""
    answer = ladderman(*words, stdin=stdin)
    assert answer.code == 2, answer
    assert answer.out == ""
    lines = answer.err.splitlines()
    assert len(lines) == 1, answer.err
    assert lines[0].startswith("ladderman: ")
    return lines[0].removeprefix("ladderman: ")
