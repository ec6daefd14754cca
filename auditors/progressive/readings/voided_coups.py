"""Coups that were voided between two readings, and what the controller says of them.

What it says of them is held against the filed policy (D9) apart, so here it counts as filed: a
gap of the meters may come from what was taken back unsaid, or said and not taken back.
"""

from __future__ import annotations

from auditors.progressive.attribution.interval import NOTHING, EventPlace, VoidedThere
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.linked_coups import find_coup
from auditors.progressive.ledger.scaling import fraction_of
from auditors.progressive.ledger.state import Level
from auditors.progressive.readings.completeness import Compared
from auditors.progressive.readings.expectations import Counting


def voids_of(
    level: Level, counting: Counting, compared: Compared, up_to: list[Effect]
) -> tuple[VoidedThere, ...]:
    """Give the voided coups of which the controller said all that it takes back, or nothing."""
    events = {(one.table, one.coup): one for one in up_to if one.kind == "void"}
    undecided = {(one.table, one.coup) for one in compared.kept if one.kind == "void"}
    found = []
    for key, effect in events.items():
        table = level.tables.get(key[0])
        kept = find_coup(table, key[1]) if table is not None else None
        if table is None or kept is None:
            continue
        _, _, said_display, said_reserve = counting.voids[key]
        is_said = (said_display, said_reserve) == (-kept.display, -kept.reserve)
        if not is_said and (said_display or said_reserve or key in undecided):
            continue
        since = counting.since_reset
        is_shown = since is None or (kept.locked_us or effect.at_us) > since[0]
        found.append(
            VoidedThere(
                EventPlace(effect.source, effect.feed, effect.sequence),
                effect.at_us,
                key[1],
                kept.wagers,
                fraction_of(kept.display) if is_shown else NOTHING,
                fraction_of(kept.reserve),
                is_said,
                is_said,
            )
        )
    return tuple(found)
