"""What the controller counted beside what the tables accepted; what is in flight stays open."""

from __future__ import annotations

from dataclasses import dataclass, field

from auditors.progressive.ledger.effects import Effect, Position
from auditors.progressive.ledger.linked_coups import find_coup
from auditors.progressive.ledger.state import LAG_US, Baseline, Level, LinkedTable, TableCounts
from auditors.progressive.readings.expectations import Counting, Key


@dataclass(slots=True)
class Compared:
    """What tables and controller have of each other, up to a reading."""

    kept: list[Effect] = field(default_factory=list)
    """What is undecided, and is compared again with the next reading."""
    missing: list[Effect] = field(default_factory=list)
    """Accepted and not counted."""
    known_missing: list[Effect] = field(default_factory=list)
    """Those that an earlier reading was found to lack, and that may be part of a longer run."""
    again: list[Effect] = field(default_factory=list)
    """Accepted and counted more than once."""
    other_stake: list[Effect] = field(default_factory=list)
    """Accepted and counted with another stake."""
    unasked: list[Effect] = field(default_factory=list)
    """Counted, and no table accepted it."""
    refused: list[Effect] = field(default_factory=list)
    """Accepted after the lock-out and refused by the controller."""
    after_lock_out: list[Effect] = field(default_factory=list)
    """Accepted after the lock-out and counted."""
    voids: list[tuple[Key, int, int]] = field(default_factory=list)
    """Coups of which more or less was taken back than filed: display and reserve lacking."""
    found_late: list[Effect] = field(default_factory=list)
    """Counted after it had been found missing."""
    is_undecided: bool = False
    """Something cannot be said, for a table that is behind or unverified."""

    @property
    def is_alike(self) -> bool:
        """Whether the controller counted what the tables accepted, so far as that is decided."""
        return not (self.missing or self.again or self.other_stake or self.unasked or self.voids)


def compare_wagers(
    counting: Counting,
    up_to: list[Effect],
    later: list[Effect],
    at: Position,
    absent: frozenset[str],
) -> Compared:
    """Compare wager by wager.

    Args:
        counting: What was gone through up to the reading.
        up_to: Entries up to the reading.
        later: Entries after it, within the lag.
        at: Position of the reading.
        absent: Tables that are not heard.
    """
    found = Compared()
    _compare_accepted(counting, later, at[0], found)
    _compare_counted(counting, up_to, later, absent, found)
    _compare_voids(counting, later, found, up_to, at)
    return found


def _compare_accepted(counting: Counting, later: list[Effect], at_us: int, found: Compared) -> None:
    """Look for each wager of the tables at the controller."""
    level, counts = counting.level, counting.counts
    later_counts = {(one.table, one.name) for one in later if one.kind == "count"}
    missing_before = {one[:2] for one in level.missing}
    for key, effect in counting.accepts.items():
        times = counts.get(key, 0)
        if times:
            if times > 1:
                found.again.append(effect)
            if key in missing_before:
                found.found_late.append(effect)
            if effect.is_late:
                found.after_lock_out.append(effect)
        elif key in later_counts:
            found.kept.append(effect)
        elif _is_unreachable(level.tables.get(effect.table), at_us):
            found.kept.append(effect)
            found.is_undecided = True
        elif effect.is_late:
            found.refused.append(effect)
        elif key in missing_before:
            found.known_missing.append(effect)
        else:
            found.missing.append(effect)


def _compare_counted(
    counting: Counting,
    up_to: list[Effect],
    later: list[Effect],
    absent: frozenset[str],
    found: Compared,
) -> None:
    """Look for each wager of the controller at the tables."""
    level = counting.level
    later_accepts = {(one.table, one.name) for one in later if one.kind == "accept"}
    missing_before = {one[:2] for one in level.missing}
    for effect in up_to:
        if effect.kind != "count":
            continue
        key = (effect.table, effect.name)
        accepted = counting.accepts.get(key)
        if accepted is not None:
            if accepted.stake and accepted.stake != effect.stake and counting.counts[key] == 1:
                found.other_stake.append(effect)
        elif key in later_accepts or effect.table in absent:
            found.kept.append(effect)
            found.is_undecided = found.is_undecided or effect.table in absent
        elif key in missing_before:
            found.found_late.append(effect)
        elif effect.name in counting.withdrawn or _is_unverified(level, effect):
            found.is_undecided = True
        elif level.baseline is not None or not level.is_taken_over:
            found.unasked.append(effect)


def _is_unreachable(table: LinkedTable | None, at_us: int) -> bool:
    """Whether the controller had no contact with a table up to a moment, or later."""
    return table is not None and (table.is_lost or table.restored_us > at_us)


def _is_unverified(level: Level, effect: Effect) -> bool:
    table = level.tables.get(effect.table)
    if table is None:
        return True
    kept = find_coup(table, effect.coup) if effect.coup else None
    if kept is not None:
        return kept.is_unverified
    return any(one.is_unverified for age in table.ages[-1:] for one in age.values())


def was_counted_before(level: Level, effect: Effect) -> bool:
    """Whether a wager that is counted was accepted and counted before the reading before."""
    table = level.tables.get(effect.table)
    for age in reversed(table.ages if table else ()):
        for kept in age.values():
            for one in kept.entries or ():
                if one.kind == "accept" and one.name == effect.name:
                    return True
    return False


def _compare_voids(
    counting: Counting, later: list[Effect], found: Compared, up_to: list[Effect], at: Position
) -> None:
    """Compare what tables and controller took back of voided coups, by the filed policy."""
    if not counting.voids:
        return
    after = Counting(counting.level, counting.currency, 0, 0)
    for effect in later:
        if effect.kind == "void":
            void = after.voids.setdefault((effect.table, effect.coup), [0] * 4)
            void[0] += effect.display
            void[1] += effect.reserve
        elif effect.kind == "said":
            after.said(effect)
    for key, (display, reserve, said_display, said_reserve) in counting.voids.items():
        if (display, reserve) == (said_display, said_reserve):
            continue
        more = after.voids.get(key)
        is_followed = more is not None and (display + more[0], reserve + more[1]) == (
            said_display + more[2],
            said_reserve + more[3],
        )
        if is_followed or _is_unreachable(counting.level.tables.get(key[0]), at[0]):
            found.kept += [one for one in up_to if _is_void_of(one, key)]
            continue
        table = counting.level.tables.get(key[0])
        kept = find_coup(table, key[1]) if table else None
        if table is None or (kept is not None and kept.is_unverified):
            found.is_undecided = True
            continue
        found.voids.append((key, display - said_display, reserve - said_reserve))


def _is_void_of(effect: Effect, key: Key) -> bool:
    if effect.kind == "void":
        return (effect.table, effect.coup) == key
    # The ids stand as texts in the controller's own event.
    return effect.kind == "said" and "coup_voided" in effect.text and f'"{key[1]}"' in effect.text


@dataclass(slots=True)
class TableTally:
    """What a reading has of one table against what the table accepted: groups of equal wagers."""

    table_id: str
    read_count: int
    """Since the reading before, like all below."""
    read_stake: int
    taken: list[Effect]
    """The wagers that the reading has in it, so far as one can say."""
    left: list[Effect]
    is_alike: bool


def tally(
    level: Level,
    base: Baseline | None,
    tables: tuple[TableCounts, ...],
    accepts: list[Effect],
    at_us: int,
    joined: dict[str, tuple[int, int]],
    *,
    is_anew: bool,
) -> list[TableTally]:
    """Compare count and coin-in by table, where the controller says no single wagers.

    Args:
        level: The level.
        base: The reading before.
        tables: What the reading says.
        accepts: Accepted wagers since, those within the lag after the reading included.
        at_us: When it was read.
        joined: Count and coin-in of tables that joined since, as they were then.
        is_anew: The controller began to count anew since.
    """
    before = {name: TableCounts(name, *counts) for name, counts in joined.items()}
    before |= {one.table_id: one for one in (base.tables if base else ())}
    found = []
    for one in tables:
        had = before.get(one.table_id) or TableCounts(one.table_id, 0, 0)
        count, stake = one.in_count - had.in_count, one.coin_in_minor - had.coin_in_minor
        there = [each for each in accepts if each.table == one.table_id]
        if is_anew or count < 0 or stake < 0:
            # What it had counted until then nobody knows.
            taken = [each for each in there if each.at_us <= at_us]
            left = [each for each in there if each.at_us > at_us]
            stake = sum(each.stake for each in taken)
            found.append(TableTally(one.table_id, len(taken), stake, taken, left, True))
            continue
        # What was accepted without contact may be counted within the lag after it is there again.
        is_lost = _is_unreachable(level.tables.get(one.table_id), at_us - LAG_US)
        earliest_us = at_us - LAG_US if not is_lost else 0
        sure = sum(each.at_us <= earliest_us for each in there)
        is_alike = sure <= count <= len(there) and stake == sum(
            each.stake for each in there[: max(count, 0)]
        )
        if is_alike:
            found.append(TableTally(one.table_id, count, stake, there[:count], there[count:], True))
        else:
            taken = [each for each in there if each.at_us <= at_us]
            left = [each for each in there if each.at_us > at_us]
            found.append(TableTally(one.table_id, count, stake, taken, left, False))
    return found
