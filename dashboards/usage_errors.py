"""A command that was typed wrongly, said in one line of the product's words with the near miss."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from typer.exceptions import TyperException

from schemas.words.suggestions import near_miss

if TYPE_CHECKING:
    from pydantic import ValidationError

_CHOICE = re.compile(r"'(?P<choice>[^']*)'")
_UNKNOWN_COMMAND = re.compile(r"No such command '(?P<name>[^']*)'")
_WANTED = {"int_parsing": "write a whole number", "float_parsing": "write a number"}


def usage_line(error: TyperException, commands: Iterable[str]) -> str:
    """Say what is wrong with the words of a command.

    Args:
        error: What the parser of the command line refused.
        commands: Names of all commands, for the near miss.
    """
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "ladderman"
    return f"{_problem(error, commands)}; see {path} --help"


def _problem(error: TyperException, commands: Iterable[str]) -> str:
    message = " ".join(error.format_message().split()).rstrip(".")
    if not message:  # a group without one of its commands, whose help was shown
        return f"say which: {', '.join(_commands_of(getattr(error, 'ctx', None)))}"
    if match := _UNKNOWN_COMMAND.match(message):
        known = _of_group(error) or commands
        return f"no such command {match['name']!r}{near_miss(match['name'], known)}"
    option = getattr(error, "option_name", "")
    possible = getattr(error, "possibilities", None)
    if possible is not None:
        near = f"; did you mean {' or '.join(possible)}?" if possible else ""
        return f"no such option {option}{near}"
    cause, parameter = error.__cause__, getattr(error, "param", None)
    if type(cause).__name__ == "ValidationError" and parameter is not None:
        return _refused_value(cast("ValidationError", cause), parameter.opts[0])
    return message[:1].lower() + message[1:]


def _of_group(error: TyperException) -> tuple[str, ...]:
    """Give the commands of the group that was asked for one, such as ``list`` of ``rules``."""
    context = getattr(error, "ctx", None)
    if context is None or context.parent is None:
        return ()
    return _commands_of(context)


def _commands_of(context: object) -> tuple[str, ...]:
    return tuple(getattr(getattr(context, "command", None), "commands", ()))


def _refused_value(cause: ValidationError, name: str) -> str:
    """Say which value of an option is refused, and what it may be."""
    first = cause.errors()[0]
    value = str(first["input"])[:40]
    if wanted := _WANTED.get(first["type"]):
        return f"{name} {value}: {wanted}"
    message = first["msg"].removeprefix("Value error, ").rstrip(".")
    _, known, listed = message.partition(" is not one of ")
    if not known:
        return f"{name} {value}: {message[:1].lower()}{message[1:]}"
    choices = [match["choice"] for match in _CHOICE.finditer(listed)]
    return f"{name} {value}: write {', '.join(choices)}{near_miss(value, choices)}"
