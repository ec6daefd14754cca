"""The command line: one grammar, one-line errors, the exit codes of the product."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

import typer
from typer.exceptions import TyperException

from dashboards.commands.registry import MODULES
from dashboards.commands.tree import create_app
from dashboards.errors import CommandProblem, ExitCode
from dashboards.stop_order import StopOrder
from dashboards.usage_errors import usage_line

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What a full disk, a used-up quota and a limit on files are called by the system."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave the process with one of the product's exit codes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal without a letter for some sign shows its number instead of breaking off.
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:
    """Run one command and give its exit code; every error is one line on standard error."""
    try:
        code = create_app()(arguments, standalone_mode=False, prog_name="ladderman")
        sys.stdout.flush()
        if code == ExitCode.INTERRUPTED and not isinstance(code, ExitCode):
            return _fail("stopped", ExitCode.INTERRUPTED)  # the command line library kept quiet
    except CommandProblem as problem:
        return _fail(str(problem), problem.exit_code)
    except TyperException as error:
        if not arguments:
            return ExitCode.BAD_USAGE
        return _fail(usage_line(error, MODULES), ExitCode.BAD_USAGE)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("stopped", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        return _reader_went_away()
    except SystemExit as stop:
        # The command line library ends with 1 of its own accord where the reader went away.
        if isinstance(stop.__context__, BrokenPipeError):
            return _reader_went_away()
        raise
    except OSError as error:
        if error.errno in _NO_ROOM:
            return _no_room(error)
        return _fail(f"internal fault, written to {_write_fault()}", ExitCode.INTERNAL_FAULT)
    except Exception:
        if StopOrder.is_given:
            return _fail("stopped", ExitCode.INTERRUPTED)  # a library made an error of it
        return _fail(f"internal fault, written to {_write_fault()}", ExitCode.INTERNAL_FAULT)
    return int(code or 0)


def _reader_went_away() -> ExitCode:
    """Keep quiet where nobody reads our output any more (| head): the work done is not wrong."""
    _write_no_more()
    return ExitCode.DONE


def _no_room(error: OSError) -> ExitCode:
    """Say that a disk is full; an error that names no file is of what the shell wrote us to."""
    _write_no_more()
    place = error.filename or "standard output"
    line = f"cannot write {place} ({error.strerror}); make room, or write it elsewhere"
    return _fail(line, ExitCode.UNAVAILABLE)


def _write_no_more() -> None:
    """Let what is still held back go nowhere: the interpreter writes it when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(line: str, code: ExitCode) -> ExitCode:
    shown = "".join(sign if sign.isprintable() else " " for sign in line)
    one_line = " ".join(shown.split())
    print(f"ladderman: {one_line}", file=sys.stderr)  # noqa: T201 - the one place of errors
    return code


def _write_fault() -> Path:
    """Keep the traceback of an internal fault for the person who mends it, and nobody else.

    The file is new, whatever others put where it was to be: never one behind a link.
    """
    import datetime
    import tempfile
    import traceback

    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%S")
    # A name that nobody can know before, made exclusively, mode 0600 from the start.
    number, path = tempfile.mkstemp(".log", f"ladderman-fault-{stamp}-{os.getpid()}-")
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(traceback.format_exc())
    return Path(path)
