"""What happens to a table: opened, filed anew, shown otherwise, closed, its devices at fault?"""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Final

from auditors.asserting import NO_CLAIM, Claim
from auditors.checks import date_findings
from auditors.submission_checks import check_submission
from auditors.table.context import Folding, filing_key, rules_of
from auditors.table.evaluation import resolve
from auditors.table.offering import priced_or_none
from auditors.table.rejecting import reject
from auditors.table.state import Fault
from schemas.events import (
    DeviceFaultCleared,
    DeviceFaultRaised,
    DisplayedPaytable,
    DropCounted,
    InventoryCounted,
    PaytablesDisplayed,
    RulesSubmissionChanged,
    TableClosed,
    TableOpened,
)
from schemas.findings import FindingCode
from schemas.records import RecordKind
from schemas.rules_submission import RulesSubmission

FAULTS_MAX: Final = 64
"""Faults that may be raised at once."""

FILINGS_KEPT: Final = 8
"""Rules Submissions that coups in memory may still be settled under."""


def open_table(folding: Folding, event: TableOpened) -> None:
    """Open the table under what was filed for it."""
    folding.state = replace(
        folding.state,
        is_open=True,
        is_simulated=event.simulated or folding.state.is_simulated,
        opened_sequence=folding.sequence,
        opened_coups=0,
        had_gap=False,
        reports=tuple(sorted(one.value for one in event.reports)),
        gaming_date=event.gaming_date.isoformat(),
    )
    _file(folding, event.submission)


def change_rules(folding: Folding, event: RulesSubmissionChanged) -> None:
    """Put another submission in force; within a shoe that is a finding."""
    shoe = folding.state.shoe
    if shoe is not None and not shoe.is_ended:
        before = folding.submission
        folding.assert_once(
            RecordKind.TABLE,
            FindingCode.RULES_CHANGED_MID_SHOE,
            str(folding.sequence),
            f"Rules Submission {event.submission.rules_version} took effect within shoe "
            f"{shoe.shoe_id}, after coup {shoe.coup_count}"
            f"{f'; {before.rules_version} was in force' if before else ''}.",
            NO_CLAIM,
        )
    _file(folding, event.submission)


def _file(folding: Folding, submission: RulesSubmission) -> None:
    key = filing_key(submission)
    kept = [one for one in folding.state.filings if one[0] != key]
    used = {coup.filing for coup in folding.state.coups}
    kept = [one for one in kept if one[0] in used][-FILINGS_KEPT:]
    folding.state = replace(folding.state, filings=(*kept, (key, submission)))
    rules = rules_of(folding.state, key).rules
    for finding in check_submission(rules.law, submission, None, place=folding.place()):
        subject = f"{finding.code.value}/{finding.id}"
        folding.emit_findings(RecordKind.TABLE, subject, (finding,))


def check_dates(folding: Folding, gaming_date: str) -> None:
    """Look for sections on offer outside their printed dates, once per section and gaming date."""
    state = folding.state
    if not state.filings:
        return
    key, submission = state.filings[-1]
    rules = rules_of(state, key).rules
    dated = state.dated if state.dated[:1] == (gaming_date,) else (gaming_date,)
    sections = dict.fromkeys(one.id.partition(".")[0] for one in submission.wagers)
    known = [one for one in sections if one in rules.law.sections and one not in dated[1:]]
    if not known and dated is state.dated:
        return
    folding.state = replace(state, gaming_date=gaming_date, dated=(*dated, *known))
    date = datetime.date.fromisoformat(gaming_date)
    for finding in date_findings(rules, known, date, folding.place()):
        subject = f"{finding.code.value}/{finding.id}"
        folding.emit_findings(RecordKind.TABLE, subject, (finding,))


def close_table(folding: Folding, event: TableClosed) -> None:
    """Close the table; what it says it said is compared with what came."""
    state = folding.state
    if state.is_open and not state.had_gap:
        events = folding.sequence - state.opened_sequence + 1
        problems = []
        if event.event_count != events:
            problems.append(f"{event.event_count} events stated, {events} came")
        if event.coup_count != state.opened_coups:
            problems.append(f"{event.coup_count} coups stated, {state.opened_coups} came")
        if problems:
            reject(folding, event.type, "; ".join(problems))
    folding.state = replace(folding.state, is_open=False)


def show_paytables(folding: Folding, event: PaytablesDisplayed) -> None:
    """Compare what is shown or runs with what was filed."""
    if not folding.state.filings:
        reject(folding, event.type, "no table_opened has filed the rules of this table")
        return
    for shown in event.displays:
        problem = _mismatch(folding, shown)
        if problem is None:
            continue
        rules = rules_of(folding.state, folding.state.filings[-1][0]).rules
        ref = resolve(rules, _any_hand(folding, shown.wager))
        folding.assert_once(
            RecordKind.TABLE,
            FindingCode.PAYTABLE_MISMATCH,
            ref.id if ref else shown.wager,
            f"{shown.wager} on {shown.shown_on.replace('_', ' ')}: {problem}.",
            Claim(wager=ref.id if ref else shown.wager),
        )


def _any_hand(folding: Folding, wager: str) -> str:
    """Name a wager with a hand where it needs one: a paytable is shown for both."""
    if "@" in wager:
        return wager
    rules = rules_of(folding.state, folding.state.filings[-1][0]).rules
    return f"{wager}@player" if resolve(rules, f"{wager}@player") else wager


def _mismatch(folding: Folding, shown: DisplayedPaytable) -> str | None:
    """Say how a display differs from the filing; None where it agrees."""
    key, submission = folding.state.filings[-1]
    rules = rules_of(folding.state, key).rules
    ref = resolve(rules, _any_hand(folding, shown.wager))
    if ref is None or submission.offered(ref.id) is None:
        return f"it is shown, but not among the wagers of {submission.rules_version}"
    priced = priced_or_none(rules, ref)
    if priced is None:
        return None
    if shown.paytable is not None and shown.paytable != priced.letter:
        return f"paytable {shown.paytable} is shown, {priced.letter or 'none'} is filed"
    printed = {one.code: one.odds for one in priced.outcomes}
    for code, odds in shown.odds.items():
        if code not in printed:
            return f"odds for {code} are shown, which the paytable does not have"
        if " ".join(odds.split()).lower() != printed[code].text.lower():
            return f"{code} is shown at {odds}, {printed[code]} is filed"
    return None


def raise_fault(folding: Folding, event: DeviceFaultRaised) -> None:
    """Note a fault of a device."""
    faults = folding.state.faults
    if any(one.fault_id == event.fault_id for one in faults):
        return
    if len(faults) >= FAULTS_MAX:
        reject(folding, event.type, f"at most {FAULTS_MAX} faults stand open")
        return
    fault = Fault(event.fault_id, event.device, event.fault, folding.sequence)
    folding.state = replace(folding.state, faults=(*faults, fault))


def clear_fault(folding: Folding, event: DeviceFaultCleared) -> None:
    """Note that a fault is over."""
    kept = tuple(one for one in folding.state.faults if one.fault_id != event.fault_id)
    if len(kept) == len(folding.state.faults):
        reject(folding, event.type, f"fault {event.fault_id} is not raised")
        return
    folding.state = replace(folding.state, faults=kept)


def check_faults(folding: Folding, coup_id: str) -> None:
    """Assert faults that are open while a coup is dealt, each once."""
    for fault in folding.state.faults:
        if fault.is_asserted:
            continue
        folding.assert_once(
            RecordKind.TABLE,
            FindingCode.DEVICE_FAULT_OPEN,
            fault.fault_id,
            f"Fault {fault.fault_id} of the {fault.device.replace('_', ' ')} ({fault.words}) was "
            f"raised at event {fault.raised_sequence} and open when coup {coup_id} was dealt.",
            NO_CLAIM,
        )
    asserted = tuple(replace(one, is_asserted=True) for one in folding.state.faults)
    folding.state = replace(folding.state, faults=asserted)


def check_count(folding: Folding, event: InventoryCounted | DropCounted) -> None:
    """Judge whether a corrected count names who allowed it and why."""
    if event.corrects_count_id is None or (event.reason and event.authorised_by):
        return
    folding.assert_once(
        RecordKind.TABLE,
        FindingCode.CORRECTION_UNAUTHORISED,
        event.count_id,
        f"Count {event.count_id} replaces count {event.corrects_count_id} and names no authoriser "
        "or no reason.",
        NO_CLAIM,
    )
