"""Which coups a replay is of, and the steps of it that are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from auditors.table.explanations import changes_between
from dashboards.documents.errors import AmbiguousError, NotThereError
from dashboards.documents.history.replay import ToldStep
from schemas.money import DEFAULT_CURRENCY
from schemas.words.suggestions import near_miss
from streams.replaying.replay import Replay, ReplayStep
from streams.replaying.sources import CoupPlace, RecordSource

_NEAR_MAX: Final = 5_000


def places_of_coup(
    source: RecordSource, coup_id: str, table_ids: Sequence[str]
) -> Sequence[CoupPlace]:
    """Give where a coup lies.

    Raises:
        NotThereError: There is none of that id.
        AmbiguousError: Several tables have one; the choices are the tables.
    """
    found = [
        one for one in source.coups_named(coup_id) if not table_ids or one.table_id in table_ids
    ]
    if not found:
        hint = near_miss(coup_id, source.coup_ids(_NEAR_MAX))
        where = f" of {' or '.join(table_ids)}" if table_ids else ""
        raise NotThereError("coup", f"{coup_id}{where}", source.name, hint)
    if len(found) > 1:
        tables = [one.table_id for one in found]
        raise AmbiguousError(f"coup {coup_id} is of several tables", tables)
    return found


def places_of_shoe(
    source: RecordSource, shoe_id: str, table_ids: Sequence[str]
) -> Sequence[CoupPlace]:
    """Give where the coups of a shoe lie.

    Raises:
        NotThereError: There is none of that id.
        AmbiguousError: Several tables have one; the choices are the tables.
    """
    found = [
        one for one in source.coups_of_shoe(shoe_id) if not table_ids or one.table_id in table_ids
    ]
    tables = dict.fromkeys(one.table_id for one in found)
    if not found:
        hint = near_miss(shoe_id, source.shoe_ids())
        where = f" of {' or '.join(table_ids)}" if table_ids else ""
        raise NotThereError("coup of shoe", f"{shoe_id}{where}", source.name, hint)
    if len(tables) > 1:
        raise AmbiguousError(f"shoe {shoe_id} is of several tables", list(tables))
    return found


def _at(places: Sequence[CoupPlace], table_ids: Sequence[str]) -> list[CoupPlace]:
    """Leave out what lies at other tables than those that were named, if any was."""
    return [one for one in places if not table_ids or one.table_id in table_ids]


def told_steps(running: Replay) -> Iterator[ToldStep]:
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
