"""Help as plain text: whole sentences, plain words for values, examples that can be pasted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import typer
from typer.core import TyperGroup, TyperOption

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

_AS_WRITTEN: Final = "\b\n"
"""Before a paragraph whose lines are kept."""

_VALUES: Final = {"str": "TEXT", "int": "NUMBER", "float": "NUMBER", "path": "PATH"}
"""What the value of an option is called in help, by the name of its type."""


class HelpGroup(TyperGroup):
    """A group of commands whose help tells each of them in a whole sentence."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Show the help where no command is named, and leave with what is missing."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            ctx.fail("")
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write every command with its sentence, wrapped and never cut."""
        rows = [
            (name, " ".join((command.help or "").split("\n\n")[0].split()))
            for name, command in self.commands.items()
            if not command.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def use_plain_words(command: Command) -> None:
    """Call values in help by plain words, and keep the lines of an example as they are.

    Args:
        command: A command, with those below it.
    """
    if command.epilog and command.epilog.strip().startswith("Example:"):
        command.epilog = _AS_WRITTEN + command.epilog.strip()
    context = typer.Context(command)
    for parameter in command.params:
        if isinstance(parameter, TyperOption) and parameter.metavar is None:
            kind = parameter.display_type(context).strip("<>")
            # None leaves choices and flags as they are.
            parameter.metavar = _VALUES.get(kind.removeprefix("list[").removesuffix("]"))
    for below in getattr(command, "commands", {}).values():
        use_plain_words(below)
