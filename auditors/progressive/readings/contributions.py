"""Findings about wagers that the controller missed, counted twice, or took after the lock-out."""

from __future__ import annotations

from auditors.law.interpretations import VoidedContribution
from auditors.progressive.attribution.interval import Attribution
from auditors.progressive.ledger.amounts import effect_of_parts
from auditors.progressive.ledger.context import Origin, Work
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.linked_coups import find_coup
from auditors.progressive.ledger.state import IDS_KEPT, Level, Run
from auditors.progressive.readings.completeness import Compared
from auditors.progressive.readings.expectations import Counting
from auditors.settlement.asserting import Claim
from schemas.finding_facts.meter import VoidedCoup
from schemas.finding_facts.progressive import AcceptedAfterLockOut
from schemas.findings import FindingCode
from schemas.records import RecordKind

RUN_MAX = 256
"""Wagers of one run that are kept."""


def assert_contribution(work: Work, level: Level, one: Attribution, at_us: int) -> str:
    """Put out what an attribution says of wagers; a run that goes on keeps its name.

    Returns:
        The subject under which it stands.
    """
    subject = one.subject
    first = subject.partition("..")[0]
    run = next((run for run in level.runs if f"{run.table_id}/{run.first}" == first), None)
    if one.code is FindingCode.CONTRIBUTION_MISSING and run is not None:
        subject = run.name
    subject = work.subject(level, subject) if run is None else subject
    place = one.place
    said = Origin(work.state.progressive_id, "", (), at_us)
    if place is not None:
        coup = one.coups[0] if one.coup_count == 1 and one.coups else None
        said = Origin(
            place.source_id, place.feed_id, (place.sequence,), at_us, coup, act_us=one.at_us
        )
    name = f"{one.code.value}/{subject}"
    claim = Claim(citation=work.citations(level).contributions)
    found = work.finding(level, one.code, subject, one.facts, said, claim)
    if name not in level.asserted:
        work.assert_once(level, one.code, subject, one.facts, said, claim)
    else:
        work.emit(level, RecordKind.PROGRESSIVE, name, at_us, findings=(found,), feed=said.feed_id)
    return subject


def open_runs(level: Level, counting: Counting, compared: Compared, names: dict[str, str]) -> None:
    """Note which wagers were missing, and which runs of them may go on."""
    if not (compared.missing or level.runs):
        return
    missing = {(one.table, one.name) for one in compared.missing + compared.known_missing}
    trailing: dict[str, list[Effect]] = {}
    for key, effect in counting.accepts.items():
        run = trailing.setdefault(key[0], [])
        if key not in missing:
            run.clear()
        elif run and run[-1].stake != effect.stake:
            run[:] = [effect]
        else:
            run.append(effect)
    # A reading by which the table accepted nothing more does not end a run.
    first_names = {f"{run.table_id}/{run.first}": run.name for run in level.runs}
    first_names |= {subject.partition("..")[0]: name for subject, name in names.items()}
    runs, noted = [], list(level.missing)
    for table_id, run in sorted(trailing.items()):
        name = first_names.get(f"{table_id}/{run[0].name}") if run else None
        if name is not None and len(run) <= RUN_MAX:
            runs.append(Run(table_id, run[0].name, name, tuple(one.name for one in run)))
    for one in compared.missing:
        name = _name_of(one, trailing, first_names, names)
        noted.append((one.table, one.name, name))
    level.runs = tuple(runs)
    level.missing = tuple(noted)[-IDS_KEPT:]


def _name_of(
    one: Effect,
    trailing: dict[str, list[Effect]],
    first_names: dict[str, str],
    names: dict[str, str],
) -> str:
    run = trailing.get(one.table, [])
    if run and one in run:
        return first_names.get(f"{one.table}/{run[0].name}", "")
    return names.get(f"{one.table}/{one.name}", "")


def withdraw_found_late(work: Work, level: Level, compared: Compared, at_us: int) -> None:
    """Take back what was said of wagers that were counted after all."""
    late = {(one.table, one.name) for one in compared.found_late}
    if not late:
        return
    left = tuple(one for one in level.missing if one[:2] not in late)
    for name in sorted({one[2] for one in level.missing if one[:2] in late}):
        if name and not any(one[2] == name for one in left):
            work.withdraw(level, f"{FindingCode.CONTRIBUTION_MISSING.value}/{name}", at_us)
    level.missing = left


def assert_voids(
    work: Work, level: Level, compared: Compared, reading: Effect, unsaid: set[str]
) -> None:
    """Put out that contributions of a voided coup were not treated as filed.

    Coups that were found to be taken back and not said are told by that.
    """
    for (table_id, coup_id), display, reserve in compared.voids:
        if coup_id in unsaid:
            continue
        table = level.tables.get(table_id)
        policy = table.filed.void_policy if table and table.filed else VoidedContribution.REVERSED
        kept = find_coup(table, coup_id) if table else None
        is_reversed = policy == VoidedContribution.REVERSED
        facts = VoidedCoup(
            effect=effect_of_parts(-display, -reserve, work.currency),
            cause="void_kept" if is_reversed else "void_reversed",
            table_id=table_id,
            coup_id=coup_id,
            sequence=kept.sequence if kept else None,
            fault="not_taken_back" if is_reversed else "taken_back",
        )
        work.assert_once(
            level,
            FindingCode.METER_DRIFT,
            work.subject(level, f"void/{table_id}/{coup_id}"),
            facts,
            Origin(
                reading.source,
                reading.feed,
                (reading.sequence,),
                reading.at_us,
                coup_id,
                act_us=(kept.told_us if kept else 0) or None,
            ),
            Claim(
                interpretations={VoidedContribution.ID: policy},
                citation=work.citations(level).meters,
            ),
        )


def assert_after_lock_out(work: Work, level: Level, compared: Compared) -> None:
    """Put out which wagers the system took after the lock-out."""
    for one in compared.after_lock_out:
        table = level.tables.get(one.table)
        work.assert_once(
            level,
            FindingCode.PROGRESSIVE_WAGER_AFTER_LOCKOUT,
            f"{one.table}/{one.name}",
            AcceptedAfterLockOut(table_id=one.table, wager_id=one.name, coup_id=one.coup),
            Origin(one.source, one.feed, (one.sequence,), one.at_us, one.coup),
            Claim(
                wager=table.filed.wager if table and table.filed else None,
                citation=work.citations(level).lock_out,
            ),
        )
