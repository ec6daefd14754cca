"""Exit codes of the command line, and problems that end a command with one line."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line, the same for every command."""

    DONE = 0
    """Done, nothing found."""

    FOUND = 1
    """Something was found."""

    BAD_USAGE = 2
    """Bad usage or configuration, or nothing readable."""

    UNAVAILABLE = 3
    """A service or the store is not available."""

    INTERNAL_FAULT = 70
    """A fault of the product itself."""

    INTERRUPTED = 130
    """Stopped by the person."""


class CommandProblem(Exception):  # noqa: N818 - it is reported as a line, not raised at callers
    """A problem that ends a command with one line: what, where, what to do."""

    exit_code: ExitCode = ExitCode.BAD_USAGE


class UsageProblem(CommandProblem):
    """The command was asked for something that cannot be."""


class ServiceProblem(CommandProblem):
    """A service or the store is not available."""

    exit_code = ExitCode.UNAVAILABLE
