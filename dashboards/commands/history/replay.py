"""``ladderman replay``: a coup, a shoe or a shift step by step, from what is kept, identically."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from dashboards.documents.history.replay import ReplayPage
from dashboards.documents.history.replay_steps import places_of_coup, places_of_shoe, told_steps
from dashboards.documents.history.tables import known_tables
from dashboards.errors import ExitCode, UsageProblem
from dashboards.options.history import StoreChoice
from dashboards.options.record_source import EventsOption, TablesOption, record_source
from dashboards.options.refusals import refusals
from dashboards.options.settings import SettingsOption, links_from
from dashboards.options.time_range import FromOption, ToOption, parse_span
from dashboards.terminal.formats import LinesFormat
from dashboards.terminal.tables.replay import (
    ReplayWriter,
    replay_writer,
)
from streams.process.video_links import VideoLinks
from streams.replaying.replay import Replay
from streams.replaying.sources import CoupPlace, RecordSource
from streams.replaying.span import Span

_EXAMPLE: Final = "Example: ladderman replay BAC-03-20250607-1/1 --store .ladderman"
_OTHERS_MAX: Final = 8


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLE)(replay)


def replay(
    coup: Annotated[
        str | None, typer.Argument(metavar="[COUP]", help="Id of the coup to replay.")
    ] = None,
    shoe: Annotated[
        str | None, typer.Option("--shoe", metavar="SHOE", help="Replay a whole shoe.")
    ] = None,
    table: TablesOption = None,
    begin: FromOption = None,
    end: ToOption = None,
    store: StoreChoice = None,
    settings: SettingsOption = None,
    events: EventsOption = None,
    output: Annotated[
        LinesFormat, typer.Option("--format", help="How to write the replay.")
    ] = LinesFormat.TABLE,
) -> ExitCode:
    """Replay a coup or a shoe step by step, with its verdicts.

    It shows what the table said, what the engine made of it, and the verdicts.

    It starts from the checkpoint before, and what comes out is compared with what is kept. Exit
    code 0: identical. 1: it differs.
    """
    if sum(one is not None for one in (coup, shoe)) + (begin is not None or end is not None) > 1:
        raise UsageProblem("name a coup, a --shoe, or a --table with --from and --to; one of them")
    span = parse_span(begin, end)
    with record_source(store, events, settings, span) as source, refusals(among="--table"):
        table_ids = known_tables(source, table or ())
        if coup is not None:
            places = [places_of_coup(source, coup, table_ids)]
            _name_others(source, coup, of_shoes=False)
        elif shoe is not None:
            places = [places_of_shoe(source, shoe, table_ids)]
            _name_others(source, shoe, of_shoes=True)
        elif table_ids:
            _refuse_one_document(table_ids, output)
            places = [_coups_in(source, one, span) for one in table_ids]
        else:
            raise UsageProblem("name a coup, a --shoe, or a --table with --from and --to")
        links = links_from(settings)
        runs = (Replay(source, one, is_whole=coup is None) for one in places)
        return max(_tell(one, replay_writer(output), links) for one in runs)


def _coups_in(source: RecordSource, table_id: str, span: Span) -> Sequence[CoupPlace]:
    places = source.coups_in(table_id, span)
    if not places:
        raise UsageProblem(f"no coup of {table_id} in {source.name} lies in the range")
    return places


def _refuse_one_document(table_ids: Sequence[str], output: LinesFormat) -> None:
    if len(table_ids) > 1 and output is LinesFormat.JSON:
        raise UsageProblem(
            f"--table {' --table '.join(table_ids)} with --format json: a document is of one "
            "table; name one, or choose --format jsonl"
        )


def _name_others(source: RecordSource, told: str, *, of_shoes: bool) -> None:
    """Say which others the device told by the same id."""
    others = source.names_beside(told, of_shoes=of_shoes)
    if others:
        word = "shoe" if of_shoes else "coup"
        more = f" and {len(others) - _OTHERS_MAX} more" if len(others) > _OTHERS_MAX else ""
        typer.echo(
            f"{word} id {told} was used again: {'; '.join(others[:_OTHERS_MAX])}{more}", err=True
        )


def _tell(running: Replay, writer: ReplayWriter, links: VideoLinks | None) -> ExitCode:
    is_begun = False
    for step in told_steps(running):
        if not is_begun:
            writer.begin(running)
            is_begun = True
        writer.step(step)
    if not is_begun:
        writer.begin(running)
    ended = ReplayPage.of(running, links)
    writer.end(ended)
    return ExitCode.DONE if ended.is_identical else ExitCode.FOUND
