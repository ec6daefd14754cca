"""``ladderman replay``: a coup, a shoe or a shift step by step, from what is kept, identically."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import typer

from auditors.table.explanations import changes_between
from dashboards.documents.videos import shown_videos
from dashboards.errors import ExitCode, UsageProblem
from dashboards.options.history import StoreChoice
from dashboards.options.record_source import (
    EventsOption,
    TableOption,
    known_table,
    record_source,
)
from dashboards.options.settings import SettingsOption, links_from
from dashboards.options.time_range import FromOption, ToOption, parse_span
from dashboards.terminal.replay import (
    JsonLinesReplay,
    JsonReplay,
    ReplayFormat,
    ReplayWriter,
    TableReplay,
    ToldStep,
)
from schemas.money import DEFAULT_CURRENCY
from schemas.words.suggestions import near_miss
from streams.process.video_links import VideoLinks
from streams.replaying.replay import Replay, ReplayStep
from streams.replaying.sources import CoupPlace, RecordSource

_EXAMPLE: Final = "Example: ladderman replay BAC-03-20250607-1/1 --store .ladderman"
_NEAR_MAX: Final = 5_000
_OTHERS_MAX: Final = 8
_WRITERS: Final = {
    ReplayFormat.TABLE: TableReplay,
    ReplayFormat.JSON: JsonReplay,
    ReplayFormat.JSONL: JsonLinesReplay,
}


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
    table: TableOption = None,
    begin: FromOption = None,
    end: ToOption = None,
    store: StoreChoice = None,
    settings: SettingsOption = None,
    events: EventsOption = None,
    output: Annotated[
        ReplayFormat, typer.Option("--format", help="How to write the replay.")
    ] = ReplayFormat.TABLE,
) -> ExitCode:
    """Replay a coup or a shoe step by step, with its verdicts.

    It shows what the table said, what the engine made of it, and the verdicts.

    It starts from the checkpoint before, and what comes out is compared with what is kept. Exit
    code 0: identical. 1: it differs.
    """
    if sum(one is not None for one in (coup, shoe)) + (begin is not None or end is not None) > 1:
        raise UsageProblem("name a coup, a --shoe, or a --table with --from and --to; one of them")
    span = parse_span(begin, end)
    with record_source(store, events, settings, span) as source:
        table_id = known_table(source, table)
        if coup is not None:
            places = _of_coup(source, coup, table_id)
            _name_others(source, coup, of_shoes=False)
        elif shoe is not None:
            places = _of_shoe(source, shoe, table_id)
            _name_others(source, shoe, of_shoes=True)
        elif table_id is not None:
            places = source.coups_in(table_id, span)
        else:
            raise UsageProblem("name a coup, a --shoe, or a --table with --from and --to")
        if not places:
            raise UsageProblem(f"no coup of {table_id} in {source.name} lies in the range")
        running = Replay(source, places, is_whole=coup is None)
        writer: ReplayWriter = _WRITERS[output]()
        return _tell(running, writer, links_from(settings))


def _of_coup(source: RecordSource, coup_id: str, table_id: str | None) -> Sequence[CoupPlace]:
    found = [one for one in source.coups_named(coup_id) if table_id in (None, one.table_id)]
    if not found:
        hint = near_miss(coup_id, source.coup_ids(_NEAR_MAX))
        where = f" of {table_id}" if table_id else ""
        raise UsageProblem(f"no coup {coup_id}{where} in {source.name}{hint}")
    if len(found) > 1:
        tables = ", ".join(one.table_id for one in found)
        raise UsageProblem(f"coup {coup_id} is of several tables; add --table, one of {tables}")
    return found


def _of_shoe(source: RecordSource, shoe_id: str, table_id: str | None) -> Sequence[CoupPlace]:
    found = [one for one in source.coups_of_shoe(shoe_id) if table_id in (None, one.table_id)]
    tables = dict.fromkeys(one.table_id for one in found)
    if not found:
        hint = near_miss(shoe_id, source.shoe_ids())
        where = f" of {table_id}" if table_id else ""
        raise UsageProblem(f"no coup of shoe {shoe_id}{where} in {source.name}{hint}")
    if len(tables) > 1:
        raise UsageProblem(
            f"shoe {shoe_id} is of several tables; add --table, one of {', '.join(tables)}"
        )
    return found


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
    for step in _told_steps(running):
        if not is_begun:
            writer.begin(running)
            is_begun = True
        writer.step(step)
    if not is_begun:
        writer.begin(running)
    compared = running.comparison()
    places = running.coups
    rows = running.source.videos(
        running.table_id,
        {one.coup_id for one in places},
        places[0].began_at_us,
        places[-1].began_at_us,
    )
    writer.end(running, compared, shown_videos(rows, links))
    is_same = all(one.is_identical for one in compared)
    return ExitCode.DONE if is_same else ExitCode.FOUND


def _told_steps(running: Replay) -> Iterator[ToldStep]:
    """Give the steps of the coups that are told, with what the engine made of each."""
    for step in _around(running) if running.is_whole else _within(running):
        filing = step.after.filing
        yield ToldStep(
            step,
            changes_between(step.before, step.after),
            filing.currency if filing is not None else DEFAULT_CURRENCY,
            filing.time_zone if filing is not None else None,
        )


def _within(running: Replay) -> Iterator[ReplayStep]:
    """Give the steps of one coup, and what else its source said while it was dealt."""
    (coup,) = running.coups
    for step in running.steps():
        event = step.event
        is_while_dealt = (
            event is not None
            and event.feed_id == coup.feed_id
            and coup.first_sequence <= event.sequence <= coup.last_sequence
        )
        if is_while_dealt or _coup_of(step) == coup.coup_id or _changes(step, {coup.coup_id}):
            yield step


def _around(running: Replay) -> Iterator[ReplayStep]:
    """Give the steps of several coups, and those before, between and behind them.

    A range may begin and end in the middle of a shoe: of coups outside it, and of what lies
    beside those only, nothing is told.
    """
    coups = {one.coup_id for one in running.coups}
    waiting: list[ReplayStep] = []
    is_told: bool | None = None
    for step in running.steps():
        coup_id = _coup_of(step)
        if coup_id is not None:
            is_told = coup_id in coups
        if is_told is None:
            waiting.append(step)
            continue
        if is_told or _changes(step, coups):
            yield from waiting
            yield step
        waiting.clear()
    yield from waiting


def _coup_of(step: ReplayStep) -> str | None:
    coup_id = getattr(step.event, "coup_id", None)
    return coup_id if isinstance(coup_id, str) else None


def _changes(step: ReplayStep, coups: set[str]) -> bool:
    """Whether a step changes what stands about coups."""
    return any(one.coup in coups for one in (*step.decided, *step.withdrawn))
