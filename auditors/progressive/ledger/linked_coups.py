"""Coups of linked tables: what each says, and how a later version of it differs.

The whole coup comes each time. Only the difference to what was told before moves the ledger.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from auditors.progressive.ledger.effects import Effect, Kind
from auditors.progressive.ledger.scaling import rate_parts
from auditors.progressive.ledger.state import (
    COUPS_A_CHUNK,
    COUPS_A_TABLE,
    COUPS_KEPT,
    RECENT_COUPS,
    KeptCoup,
    LinkedTable,
)
from schemas.progressive_inputs import CoupOnProgressive

_NONE: Final[tuple[Effect, ...]] = ()


class CoupChange(NamedTuple):
    """How a version of a coup differs from the one before."""

    kept: KeptCoup
    added: tuple[Effect, ...] = _NONE
    removed: tuple[Effect, ...] = _NONE
    summed: Effect | None = None
    """The difference of its sums, where its wagers were dropped."""


def find_coup(table: LinkedTable, coup_id: str) -> KeptCoup | None:
    """Find a coup that is kept."""
    for age in reversed(table.ages):
        kept = age.get(coup_id)
        if kept is not None:
            return kept
    return None


def told_anew(coup: CoupOnProgressive, before: KeptCoup | None) -> CoupChange:
    """Compare a version of a coup with the one before; None where there was none."""
    entries = _accepted(coup)
    is_voided = coup.state == "voided"
    count, stake, display, reserve = len(entries), 0, 0, 0
    for one in entries:
        stake += one.stake
        display += one.display
        reserve += one.reserve
    effects = [*entries]
    if coup.locked_at_us is not None:
        effects.append(_effect_of(coup, "lock", coup.locked_at_us, coup.sequence))
    if coup.hit is not None:
        effects.append(_effect_of(coup, "hit", coup.hit.decided_at_us, coup.hit.sequence))
    if is_voided:
        effects += _voids(coup, entries, before)
    kept = KeptCoup(
        coup.version,
        is_voided,
        count,
        stake,
        display,
        reserve,
        coup.is_unverified,
        coup.locked_at_us,
        coup.sequence,
        coup.hit is not None,
        coup.state in ("closed", "voided"),
        any(one.outcome_code is not None for one in coup.entries),
        tuple(effects),
        coup.occurred_at_us,
    )
    if before is None:
        return CoupChange(kept, kept.entries or _NONE)
    if before.entries is None:
        return CoupChange(kept, summed=_summed(coup, kept, before))
    # A lock-out keeps its place although later versions are caused by later events.
    old = {_key(one): one for one in before.entries}
    effects = [
        old[_key(one)] if one.kind == "lock" and _key(one) in old else one for one in effects
    ]
    kept = kept._replace(entries=tuple(effects))
    if kept.entries == before.entries:
        return CoupChange(kept)
    new = set(effects)
    return CoupChange(
        kept,
        tuple(one for one in effects if one not in before.entries),
        tuple(one for one in before.entries if one not in new),
    )


def _effect_of(coup: CoupOnProgressive, kind: Kind, at_us: int, sequence: int) -> Effect:
    table, name = coup.table_id, coup.coup_id
    return Effect(at_us, table, coup.feed_id, sequence, kind, name, table, name)


def _key(effect: Effect) -> tuple[str, str, int]:
    return effect.kind, effect.name, effect.at_us


def _accepted(coup: CoupOnProgressive) -> list[Effect]:
    increment, reserve = rate_parts(coup.filed.increment_rate), rate_parts(coup.filed.reserve_rate)
    table, feed, coup_id = coup.table_id, coup.feed_id, coup.coup_id
    return [
        Effect(
            one.accepted_at_us,
            table,
            feed,
            one.sequence,
            "accept",
            one.wager_id,
            table,
            coup_id,
            1,
            stake := one.stake_minor or 0,
            stake * increment,
            stake * reserve,
            one.is_late,
        )
        for one in coup.entries
    ]


def _voids(coup: CoupOnProgressive, entries: list[Effect], before: KeptCoup | None) -> list[Effect]:
    """Take back what a voided coup added; a void that was told before keeps its time."""
    told = {}
    if before is not None and before.entries is not None:
        told = {one.name: one for one in before.entries if one.kind == "void"}
    is_reversed = coup.filed.void_policy == "reversed"
    voids = []
    for one in entries:
        known = told.get(one.name)
        if known is None:
            at = (coup.occurred_at_us, coup.table_id, coup.feed_id, coup.sequence)
        else:
            at = known.position
        voids.append(
            Effect(
                *at,
                "void",
                one.name,
                one.table,
                one.coup,
                1,
                one.stake,
                -one.display if is_reversed else 0,
                -one.reserve if is_reversed else 0,
            )
        )
    return voids


def _summed(coup: CoupOnProgressive, kept: KeptCoup, before: KeptCoup) -> Effect | None:
    """Give the difference of the sums of a coup whose wagers were dropped."""
    is_reversed = coup.filed.void_policy == "reversed"

    def moved(one: KeptCoup) -> tuple[int, int]:
        return (0, 0) if one.is_voided and is_reversed else (one.display, one.reserve)

    (display, reserve), (had_display, had_reserve) = moved(kept), moved(before)
    if (kept.wagers, kept.stake, display, reserve, kept.is_voided) == (
        before.wagers,
        before.stake,
        had_display,
        had_reserve,
        before.is_voided,
    ):
        return None
    return Effect(
        coup.occurred_at_us,
        coup.table_id,
        coup.feed_id,
        coup.sequence,
        "correct",
        coup.coup_id,
        coup.table_id,
        coup.coup_id,
        kept.wagers - before.wagers,
        kept.stake - before.stake,
        display - had_display,
        reserve - had_reserve,
    )


def with_coup(
    table: LinkedTable, coup_id: str, kept: KeptCoup, table_count: int
) -> tuple[tuple[dict[str, KeptCoup], ...], int]:
    """Keep a coup; old ones lose their wagers, the oldest are forgotten.

    Returns:
        The coups by age, and up to when coups were forgotten.
    """
    ages, forgotten_us = table.ages, table.forgotten_us
    for place in range(len(ages) - 1, -1, -1):
        if coup_id in ages[place]:
            is_recent = place == len(ages) - 1
            changed = {**ages[place], coup_id: kept if is_recent else kept._replace(entries=None)}
            return (*ages[:place], changed, *ages[place + 1 :]), forgotten_us
    recent = {**ages[-1], coup_id: kept} if ages else {coup_id: kept}
    older = ages[:-1]
    if len(recent) > RECENT_COUPS:
        oldest = next(iter(recent))
        summed = recent.pop(oldest)._replace(entries=None)
        if older and len(older[-1]) < COUPS_A_CHUNK:
            older = (*older[:-1], {**older[-1], oldest: summed})
        else:
            older = (*older, {oldest: summed})
    limit = max(COUPS_A_CHUNK, min(COUPS_A_TABLE, COUPS_KEPT // max(table_count, 1)))
    if len(older) > limit // COUPS_A_CHUNK:
        times = [one.locked_us for one in older[0].values() if one.locked_us is not None]
        forgotten_us = max([forgotten_us, *times])
        older = older[1:]
    return (*older, recent), forgotten_us
