"""Folding of one message: ``absorb`` is the one way in, for every path there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from auditors.progressive.advancing import next_due, take_in, take_late
from auditors.progressive.certain_hits import coup_told, hit_said, look_at_cards
from auditors.progressive.controller.statements import event_of
from auditors.progressive.controller.turns import controller_effect, is_repeat, passed
from auditors.progressive.hits.jackpots import find_hit, told_by_coup
from auditors.progressive.ledger.chunks import with_effect, without_effect
from auditors.progressive.ledger.context import Origin, Work, filed_of
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.frontier import all_closed_us, frontier_of
from auditors.progressive.ledger.linked_coups import find_coup, told_anew, with_coup
from auditors.progressive.ledger.rows import opened_with
from auditors.progressive.ledger.state import (
    LOST_KEPT,
    PENDING_MAX,
    SOURCES_MAX,
    TABLES_MAX,
    Level,
    LinkedTable,
    ProgressiveState,
    Source,
)
from auditors.progressive.readings.reading_rows import put_pending, show_waiting
from auditors.progressive.silent_ledgers import say_unheard
from auditors.table import DeadReason, Delivered
from auditors.values import evolve
from schemas.events import (
    ProgressiveHit,
    ProgressiveReading,
    ProgressiveTableJoined,
    ProgressiveTableLeft,
    ProgressiveTransferred,
)
from schemas.finding_facts.progressive import CoupToldLate
from schemas.findings import FindingCode
from schemas.progressive_inputs import (
    ControllerSaid,
    ControllerWatermark,
    CoupOnProgressive,
    FiledMeter,
    ProgressiveInput,
    TableWatermark,
    decode_progressive_input,
)
from schemas.records import Record
from schemas.wire.errors import UnreadableEventError


class Absorbed(NamedTuple):
    """What one message led to."""

    state: ProgressiveState
    records: tuple[Record, ...] = ()
    dead_letter: DeadReason | None = None
    """The message is none of this progressive; nothing was folded."""
    amend_from: int | None = None
    """Always None: late truth moves the ledger by its difference."""
    is_valid: bool = True
    """Whether the bytes were a message."""


def absorb(
    state: ProgressiveState, delivered: Delivered, read_again: Callable[[int], bytes]
) -> Absorbed:
    """Fold one message.

    At most one record per subject comes out, so that version and subject name one record only.

    Args:
        state: The progressive so far.
        delivered: The message.
        read_again: Not needed: nothing is held as an offset.
    """
    del read_again
    try:
        said = decode_progressive_input(delivered.raw)
    except ValueError as error:
        problem = str(error).splitlines()[0]
        return Absorbed(state, dead_letter=DeadReason("bad_input", problem), is_valid=False)
    if said.progressive_id != state.progressive_id:
        problem = f"progressive {said.progressive_id} came under the key {state.progressive_id}"
        return Absorbed(state, dead_letter=DeadReason("wrong_key", problem))
    work = Work(evolve(state), delivered.offset)
    try:
        _take(work, said)
    except UnreadableEventError as error:
        return Absorbed(state, dead_letter=DeadReason(error.reason.value, str(error)))
    _move_on(work)
    look_at_cards(work)
    say_unheard(work)
    return Absorbed(work.finish(), tuple(work.records.values()))


def _take(work: Work, said: ProgressiveInput) -> None:
    if isinstance(said, CoupOnProgressive):
        _take_coup(work, said)
    elif isinstance(said, ControllerSaid):
        _take_controller(work, said)
    elif isinstance(said, TableWatermark):
        _take_watermark(work, said)
    else:
        _take_controller_watermark(work, said)


def _take_coup(work: Work, coup: CoupOnProgressive) -> None:
    _note_currency(work, coup.currency, coup.is_simulated)
    level = work.level(coup.filed.level)
    table = level.tables.get(coup.table_id)
    if table is None and len(level.tables) >= TABLES_MAX:
        return
    table = _with_filing(work, level, table or LinkedTable(coup.table_id), coup, coup.filed)
    before = find_coup(table, coup.coup_id)
    _hear_table(work, coup, is_open=None)
    if before is not None and before.version >= coup.version:
        return
    told = told_anew(coup, before)
    if before is None and told.added and told.added[0].at_us <= table.forgotten_us:
        work.assert_once(
            level,
            FindingCode.EVENT_REJECTED,
            f"{coup.table_id}/{coup.coup_id}",
            CoupToldLate(table_id=coup.table_id, coup_id=coup.coup_id),
            Origin(
                coup.table_id, coup.feed_id, (coup.sequence,), coup.occurred_at_us, coup.coup_id
            ),
        )
        return
    ages, forgotten_us = with_coup(table, coup.coup_id, told.kept, len(level.tables))
    table = evolve(table, ages=ages, forgotten_us=forgotten_us)
    level.tables = {**level.tables, coup.table_id: table}
    if coup.hit is not None or find_hit(level, coup.table_id, coup.coup_id) is not None:
        told_by_coup(work, level, coup)
    if level.hits_ahead:
        coup_told(work, level, coup)
    frontier_us = work.state.frontier_us
    for effect in told.removed:
        if effect.at_us <= frontier_us:
            take_late(work, level, effect, -1)
            level.done = without_effect(level.done, effect)
        else:
            level.pending = without_effect(level.pending, effect)
            level.pending_count = level.pending_count - 1
    for effect in told.added:
        add_effect(work, level, effect)
    if told.summed is not None:
        add_effect(work, level, told.summed)


def add_effect(work: Work, level: Level, effect: Effect) -> None:
    """Take an entry in, now or when its time comes."""
    if effect.at_us <= work.state.frontier_us:
        take_late(work, level, effect, 1)
        return
    level.pending = with_effect(level.pending, effect)
    level.pending_count += 1


def _with_filing(
    work: Work,
    level: Level,
    table: LinkedTable,
    said: CoupOnProgressive | TableWatermark,
    filed: FiledMeter,
) -> LinkedTable:
    """Note the filing that is in force at a table."""
    if said.version < table.version:
        return table
    if table.filed is not None and isinstance(said, CoupOnProgressive) and not said.watermark_us:
        return table  # a coup told again, maybe of a shoe long closed, says nothing of today
    if table.filed == filed and table.feed_id == said.feed_id:
        return table
    since_us = said.watermark_us
    if isinstance(said, CoupOnProgressive):
        since_us = min([said.occurred_at_us, *(one.accepted_at_us for one in said.entries)])
    if table.filed is not None and table.filed != filed:
        table = evolve(table, filed_before=table.filed, filed_since_us=since_us)
    table = evolve(table, filed=filed, feed_id=said.feed_id, version=said.version)
    tables = {**level.tables, table.table_id: table}
    before = filed_of(level)
    level.tables = tables
    if filed_of(level) != before:
        show_waiting(work, level)
    first = min(name for name, one in tables.items() if one.filed is not None)
    if first == table.table_id:
        opened_with(level, filed.base_minor)
    return table


def _note_currency(work: Work, currency: str, is_simulated: bool) -> None:
    if currency != work.state.currency or is_simulated > work.state.is_simulated:
        work.state.currency = currency
        work.state.is_simulated = is_simulated or work.state.is_simulated


def _hear_table(work: Work, said: CoupOnProgressive | TableWatermark, is_open: bool | None) -> None:
    sources = work.state.sources
    before = sources.get(said.table_id)
    if before is None:
        if len(sources) >= SOURCES_MAX:
            return
        before = Source(False, 0, is_heard=False)
    watermark_us = max(before.watermark_us, said.watermark_us)
    if said.version > before.version:
        now_open = is_open
        if now_open is None:
            # A coup that is played shows that the table is open; one that is amended does not.
            now_open = before.is_open or said.watermark_us > before.watermark_us
        source = before._replace(
            watermark_us=watermark_us,
            version=said.version,
            feed_id=said.feed_id,
            is_open=now_open,
            is_heard=True,
        )
    else:
        source = before._replace(watermark_us=watermark_us)
    work.state.sources = {**sources, said.table_id: source}


def _take_watermark(work: Work, said: TableWatermark) -> None:
    _note_currency(work, said.currency, said.is_simulated)
    if said.filed is not None:
        level = work.level(said.filed.level)
        table = level.tables.get(said.table_id)
        if table is not None or len(level.tables) < TABLES_MAX:
            _with_filing(work, level, table or LinkedTable(said.table_id), said, said.filed)
    _hear_table(work, said, said.is_open and said.filed is not None)


def _take_controller(work: Work, said: ControllerSaid) -> None:
    source = work.state.sources.get(said.source_id)
    if source is None:
        number, effect = controller_effect(said, said.occurred_at_us)
        if _is_gift(work, effect):
            # The controller of another progressive: nobody waits for it here.
            _take_transfer(work, effect)
            return
        if len(work.state.sources) >= SOURCES_MAX:
            return
        source = Source(True, 0)
    if is_repeat(source, said.feed_id, said.sequence):
        return
    source, at_us = passed(source, said)
    number, effect = controller_effect(said, at_us)
    work.state.sources = {**work.state.sources, said.source_id: source}
    if said.is_simulated > work.state.is_simulated:
        work.state.is_simulated = True
    if effect.kind == "said" and isinstance(event_of(effect), ProgressiveTransferred):
        _take_transfer(work, effect)
        return
    level = work.level(number)
    if effect.kind == "read":
        put_pending(work, level, effect)
    if effect.kind != "count":
        _note_linked(work, effect)
    if effect.kind == "said" and effect.at_us > work.state.frontier_us:
        event = event_of(effect)
        if isinstance(event, ProgressiveHit):
            hit_said(work, level, effect)
    add_effect(work, level, effect)


def _is_gift(work: Work, effect: Effect) -> bool:
    """Whether another progressive says that it gave something to this one."""
    if effect.kind != "said":
        return False
    return event_of(effect).progressive_id != work.state.progressive_id


def _take_transfer(work: Work, effect: Effect) -> None:
    """Let the giving and the receiving level know, whichever of them are of this progressive."""
    event, name = event_of(effect), work.state.progressive_id
    assert isinstance(event, ProgressiveTransferred)
    ends = ((event.progressive_id, event.level), (event.to_progressive_id, event.to_level))
    for number in sorted({level for progressive_id, level in ends if progressive_id == name}):
        add_effect(work, work.level(number), effect)


def _note_linked(work: Work, effect: Effect) -> None:
    """Wait for tables that the controller says are linked, also before they have spoken."""
    event = event_of(effect)
    sources = work.state.sources
    names: tuple[str, ...] = ()
    if isinstance(event, ProgressiveTableJoined):
        names = (event.table_id,)
    elif isinstance(event, ProgressiveReading):
        names = tuple(one.table_id for one in event.tables)
    elif isinstance(event, ProgressiveTableLeft):
        left = sources.get(event.table_id)
        if left is not None and not left.is_heard:
            work.state.sources = {**sources, event.table_id: left._replace(is_open=False)}
        return
    unheard = {
        name: Source(False, effect.at_us, is_heard=False) for name in names if name not in sources
    }
    if unheard and len(sources) + len(unheard) <= SOURCES_MAX:
        work.state.sources = {**sources, **unheard}


def _take_controller_watermark(work: Work, said: ControllerWatermark) -> None:
    source = work.state.sources.get(said.source_id) or Source(True, 0)
    if said.feed_id in ("", source.feed_id) or not source.feed_id:
        watermark_us = max(source.watermark_us, said.watermark_us)
        lost = (*source.lost, *(one for one in said.lost if one not in source.lost))
        source = source._replace(watermark_us=watermark_us, lost=lost[-LOST_KEPT:])
    work.state.sources = {**work.state.sources, said.source_id: source}


def _move_on(work: Work) -> None:
    """Move the frontier, and take in what it has passed."""
    state = work.state
    known_us = frontier_of(state.sources)
    work.closed_us = all_closed_us(state.sources)
    frontier_us = max(state.frontier_us, known_us)
    is_forced = False
    for level in work.levels.values():
        if level.pending_count > PENDING_MAX:
            is_forced = True
            middle = level.pending[len(level.pending) // 2]
            frontier_us = max(frontier_us, middle[0].at_us)
    work.known_us = known_us
    if is_forced:
        # A table of which the controller speaks first is waited for before readings are judged,
        # and the controller always: what it did not count yet it may still say.
        spoken = [one.watermark_us for one in state.sources.values() if one.is_controller]
        work.known_us = min([frontier_us, *spoken])
    if frontier_us > state.frontier_us:
        state.frontier_us = frontier_us
        for one in state.levels:
            if one.level not in work.levels and _is_due(work, one, frontier_us):
                work.level(one.level)
    for level in work.levels.values():
        if _is_due(work, level, frontier_us):
            take_in(work, level, frontier_us)


def _is_due(work: Work, level: Level, frontier_us: int) -> bool:
    """Whether the frontier has passed anything that waits."""
    pending = level.pending
    if pending and pending[0][0].at_us <= frontier_us:
        return True
    return next_due(work, level) <= frontier_us
