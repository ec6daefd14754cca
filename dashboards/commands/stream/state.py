"""``ladderman state``: what the workers remember of a table or a progressive, and is it right?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

import typer

from dashboards.commands.help import HelpGroup
from dashboards.documents.stream.ledger_state import LedgerCheck, LedgerPage
from dashboards.documents.stream.table_state import StateCheck, StatePage
from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.answers import write_answer
from dashboards.terminal.console import table_console, write_line
from dashboards.terminal.formats import DocumentFormat
from dashboards.terminal.tables.stream.ledgers import (
    print_ledger,
    print_verified,
)
from dashboards.terminal.tables.stream.table_state import state_lines, verdict
from dashboards.terminal.waiting import waiting_is_told
from streams.history.store import HistoryError
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.events_topic import NoEventsTopicError
from streams.operating.kept_sources import NoStateError
from streams.operating.ledger_inspection import kept_ledger, verified_ledger
from streams.operating.state_inspection import KeptState, kept_state, verified_state
from streams.process.settings_errors import SettingsError

T = TypeVar("T")


_Table = Annotated[str, typer.Argument(metavar="ID", help="Id of the table, such as BAC-03.")]
_Progressive = Annotated[
    bool, typer.Option("--progressive", help="It is the id of a progressive, such as HP-1.")
]
_FormatChoice = Annotated[DocumentFormat, typer.Option("--format", help="How to write it.")]


def register(app: typer.Typer) -> None:
    """Add ``state show`` and ``state verify``."""
    state = typer.Typer(
        cls=HelpGroup,
        epilog="Example: ladderman state show BAC-03",
        help="What the workers remember of a table or a progressive.",
        no_args_is_help=True,
    )
    app.add_typer(state, name="state")
    state.command("show", epilog="Example: ladderman state show BAC-03")(show)
    state.command("verify", epilog="Example: ladderman state verify BAC-03")(verify)


def show(
    table: _Table,
    *,
    progressive: _Progressive = False,
    settings: SettingsOption = None,
    output: _FormatChoice = DocumentFormat.TABLE,
) -> None:
    """Show where a table stands: its feed, shoe, coups in play, gaps, faults and rules."""
    loaded = settings_from(settings)
    if progressive:
        ledger = _asked(lambda: kept_ledger(loaded.kafka, table))
        write_answer(LedgerPage(ledger), output, lambda: print_ledger(ledger))
        return
    kept = _asked(lambda: kept_state(loaded.kafka, table))
    write_answer(StatePage(kept), output, lambda: _print_state(kept))


def _print_state(kept: KeptState) -> None:
    console = table_console()
    for name, value in state_lines(kept):
        write_line(console, f"{name:11}{value}", hang=11)


def verify(
    table: _Table,
    *,
    progressive: _Progressive = False,
    settings: SettingsOption = None,
    output: _FormatChoice = DocumentFormat.TABLE,
) -> int:
    """Fold the table again from the log and compare; exit 1 where the snapshot differs."""
    loaded = settings_from(settings)
    if progressive:
        found = _asked(lambda: verified_ledger(loaded.kafka, table))
        write_answer(LedgerCheck(found), output, lambda: print_verified(found))
        return ExitCode.DONE if found.is_equal else ExitCode.FOUND
    verified = _asked(lambda: verified_state(loaded, table))
    write_answer(
        StateCheck(verified),
        output,
        lambda: write_line(table_console(), verdict(verified), hang=4),
    )
    return ExitCode.DONE if verified.is_equal else ExitCode.FOUND


def _asked(question: Callable[[], T]) -> T:
    try:
        with waiting_is_told():
            return question()
    except (NoStateError, NoEventsTopicError, SettingsError) as error:
        raise UsageProblem(str(error)) from None
    except (KafkaUnavailableError, HistoryError) as error:
        raise ServiceProblem(str(error)) from None
