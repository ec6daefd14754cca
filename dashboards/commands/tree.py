"""The tree of commands: each is imported only when it is run or its own help is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import typer
from typer.core import TyperCommand
from typer.main import get_group

from dashboards.commands.help import HelpGroup, use_plain_words
from dashboards.commands.registry import ENTRIES, GROUPS, MODULES

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

_EPILOG: Final = """
\b
Example: ladderman audit rounds.csv --summary
ladderman COMMAND -h shows what a command takes, with an example.
ladderman --install-completion makes your shell complete commands and options.
"""


class CommandTree(HelpGroup):
    """The commands of the registry, each imported when it is needed."""

    def __init__(self, **attributes: Any) -> None:
        """Know every command by its name and its line of help."""
        super().__init__(**attributes)
        self.commands = {
            entry.name: TyperCommand(entry.name, help=entry.help) for entry in ENTRIES.values()
        }

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """Import the command that is run, asked for help or completed."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command and load_command(command.name or ""), rest

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the commands group by group."""
        width = max(map(len, MODULES))
        for group in GROUPS:
            with formatter.section(group.title):
                formatter.write_dl(
                    [(entry.name.ljust(width), entry.help) for entry in group.commands]
                )


def load_command(name: str) -> Command:
    """Import a command and build it.

    Args:
        name: Its name, such as ``dead-letters``.
    """
    app = typer.Typer(rich_markup_mode=None)
    app.callback()(_no_options)
    import_module(MODULES[name]).register(app)
    command = get_group(app).commands[name]
    use_plain_words(command)
    return command


def _no_options() -> None:
    pass


def create_app() -> typer.Typer:
    """Build the command line; no command is imported."""
    app = typer.Typer(
        name="ladderman",
        cls=CommandTree,
        help="Audit baccarat tables: what should have happened, and the paragraph it rests on.",
        epilog=_EPILOG,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def main_options(
        version: bool = typer.Option(
            False,
            "--version",
            help="Show the version and stop.",
            is_eager=True,
            callback=_show_version,
        ),
    ) -> None:
        pass

    return app


def _show_version(is_asked: bool) -> None:
    if is_asked:
        import importlib.metadata

        typer.echo(f"ladderman {importlib.metadata.version('ladderman')}")
        raise typer.Exit
