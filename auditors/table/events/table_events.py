"""What happens to a table: opened, filed again, shown otherwise, closed, its devices at fault."""

from __future__ import annotations

import datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

from auditors.clock import instant_of
from auditors.filings import check_submission
from auditors.law.wager_names import wager_title
from auditors.settlement.asserting import Claim
from auditors.settlement.checks import date_findings
from auditors.table.events.card_ids import without_ids
from auditors.table.known.context import Folding
from auditors.table.known.coup_names import told_coup
from auditors.table.known.gaming_dates import shift_of
from auditors.table.known.rejections import reject, reject_unknown
from auditors.table.known.rules import filing_key
from auditors.table.known.state import FAULTS_MAX, FILINGS_KEPT, Fault
from auditors.table.steps import folds
from auditors.values import evolve
from schemas.events import (
    Capability,
    DeviceFaultCleared,
    DeviceFaultRaised,
    DisplayedPaytable,
    FeedStarted,
    Heartbeat,
    PaytablesDisplayed,
    RulesSubmissionChanged,
    TableClosed,
    TableOpened,
    VideoReference,
)
from schemas.events.fields import microseconds_of
from schemas.finding_facts.feed import EventUnusable, FaultOpen
from schemas.finding_facts.rules import (
    ChangedMidShoe,
    DisplayDiffers,
    FilingNotInEffect,
    PaytableMismatch,
)
from schemas.findings import FindingCode
from schemas.odds import Odds, OddsKind, parse_odds
from schemas.records import RecordKind, VideoRow
from schemas.rules_submission import RulesSubmission


@folds(FeedStarted)
def start_feed(folding: Folding, event: FeedStarted) -> None:
    """Begin a feed; what the table's close counts begins with it."""
    folding.state.is_feed_simulated = event.simulated
    folding.state.opened_sequence = folding.sequence
    folding.state.clock_offset_us = event.clock_offset_us or 0


@folds(Heartbeat)
def set_clock(folding: Folding, event: Heartbeat | TableOpened) -> None:
    """Note by how much the clock of the source is off, where it was measured."""
    if event.clock_offset_us is not None:
        folding.state.clock_offset_us = event.clock_offset_us


def open_table(folding: Folding, event: TableOpened) -> None:
    """Open the table under what was filed for it."""
    set_clock(folding, event)
    # A feed that opens the table once more tells what another has told.
    other_feeds = folding.state.other_feeds if folding.state.is_open else ()
    folding.state.other_feeds = other_feeds
    folding.state.is_open = True
    folding.state.is_table_simulated = event.simulated
    folding.state.opened_sequence = folding.sequence
    folding.state.opened_coups = 0
    folding.state.had_gap = bool(other_feeds)
    folding.state.is_after_gap = False
    folding.state.reports = frozenset(one.value for one in event.reports)
    folding.state.displays = ()
    folding.state.gaming_date = event.gaming_date.isoformat()
    _file(folding, event.submission)
    folding.state.date_shift = shift_of(folding, event.gaming_date)


@folds(RulesSubmissionChanged)
def change_rules(folding: Folding, event: RulesSubmissionChanged) -> None:
    """Put another submission in force, for coups that begin from now on."""
    _file(folding, event.submission)


def _file(folding: Folding, submission: RulesSubmission) -> None:
    """Put a submission in force; within a shoe that is a finding where it differs."""
    state, key = folding.state, filing_key(submission)
    before = state.filings[-1] if state.filings else None
    is_changed = before is None or before[0] != key
    kept = [one for one in state.filings if one[0] != key]
    used = {coup.filing for coup in state.coups}
    kept = [one for one in kept if one[0] in used][1 - FILINGS_KEPT :]
    folding.state.filings = (*kept, (key, submission))
    folding.state.is_display_due = bool(state.displays)
    if before is not None and is_changed:
        _check_mid_shoe(folding, before[1])
    if is_changed:
        for finding in check_submission(
            folding.rules.rules.law, submission, None, place=folding.place()
        ):
            subject = f"{finding.code.value}/{finding.id}"
            folding.emit_findings(RecordKind.TABLE, subject, (finding,))


def _check_mid_shoe(folding: Folding, before: RulesSubmission) -> None:
    shoe = folding.state.shoe
    if shoe is None or shoe.is_ended:
        return
    filed = folding.rules.submission
    folding.assert_once(
        RecordKind.TABLE,
        FindingCode.RULES_CHANGED_MID_SHOE,
        str(folding.sequence),
        ChangedMidShoe(
            shoe_id=shoe.shoe_id,
            filed=filed.rules_version,
            before=before.rules_version,
            coup_count=shoe.coup_count,
        ),
        is_of_feed=True,
    )


def check_dates(folding: Folding, gaming_date: str) -> None:
    """Look for sections on offer outside their printed dates, once per section and gaming date."""
    state = folding.state
    key = state.filings[-1][0]
    if state.dated[:2] == (gaming_date, key):
        return
    if state.dated[1:2] != (key,):  # a later coup tells nothing that the first one did not
        _check_effect(folding)
    named = state.dated[2:] if state.dated[:1] == (gaming_date,) else ()
    submission, rules = folding.rules.submission, folding.rules.rules
    sections = dict.fromkeys(one.id.partition(".")[0] for one in submission.wagers)
    to_ask = [one for one in sections if one in rules.law.sections and one not in named]
    date = datetime.date.fromisoformat(gaming_date)
    for section in to_ask:
        for finding in date_findings(rules, [section], date, folding.place()):
            subject = f"{finding.code.value}/{section}/{gaming_date}"
            folding.emit_findings(RecordKind.TABLE, subject, (finding,))
            named = (*named, section)
    folding.state.gaming_date = gaming_date
    folding.state.dated = (gaming_date, key, *named)


def _check_effect(folding: Folding) -> None:
    """Look whether a coup begins under a filing that is not in effect yet."""
    filed, since = folding.rules.submission, folding.rules.submission.effective_from
    began = instant_of(folding.occurred_at_us + folding.state.clock_offset_us)
    if since is None or began >= since:
        return
    zone = ZoneInfo(filed.time_zone)
    at, in_effect = (one.astimezone(zone).isoformat(" ", "seconds") for one in (began, since))
    folding.assert_once(
        RecordKind.TABLE,
        FindingCode.RULES_SUBMISSION_DEFECT,
        f"{filed.rules_version}/effective_from",
        FilingNotInEffect(filed=filed.rules_version, began=at, in_effect=in_effect),
    )


def close_table(folding: Folding, event: TableClosed) -> None:
    """Close the table; what it says it said is compared with what came."""
    state = folding.state
    if not state.is_open:
        reject_unknown(folding, event.type, "the opening of the table")
    elif not state.had_gap:
        events = folding.sequence - state.opened_sequence + 1
        problems = []
        if event.event_count != events:
            problems.append(f"{event.event_count} events stated, {events} came")
        if event.coup_count != state.opened_coups:
            problems.append(f"{event.coup_count} coups stated, {state.opened_coups} came")
        if problems:
            folding.assert_of_feed(
                FindingCode.EVENT_REJECTED,
                str(folding.sequence),
                EventUnusable(
                    sequence=folding.sequence,
                    event_type=event.type,
                    problem="; ".join(problems),
                    then="told",
                ),
            )
    folding.state.is_open = False
    folding.state.is_table_simulated = False


@folds(PaytablesDisplayed)
def show_paytables(folding: Folding, event: PaytablesDisplayed) -> None:
    """Compare what is shown or runs with what was filed."""
    if not folding.state.filings:
        reject_unknown(folding, event.type, "the filing, which table_opened brings,")
        return
    folding.state.displays = event.displays
    compare_displays(folding)


def compare_displays(folding: Folding) -> None:
    """Compare what is shown, or was last said to be, with the filing in force."""
    folding.state.is_display_due = False
    if not folding.can(Capability.DISPLAYS):
        return
    problems: dict[str, list[DisplayDiffers]] = {}
    for shown in folding.state.displays:
        problem = _mismatch(folding, shown)
        if problem is not None:
            ref = folding.rules.shown(shown.wager).ref
            wager = ref.id if ref else shown.wager
            problems.setdefault(wager, []).append(problem)
    for wager, found in problems.items():
        folding.assert_once(
            RecordKind.TABLE,
            FindingCode.PAYTABLE_MISMATCH,
            wager,
            PaytableMismatch(wager_name=wager_title(wager), displays=tuple(found)),
            Claim(wager=wager),
        )


def _mismatch(folding: Folding, shown: DisplayedPaytable) -> DisplayDiffers | None:
    """Say how a display differs from the filing; None where it agrees."""
    named, where = folding.rules.shown(shown.wager), shown.shown_on
    if not named.is_offered:
        return DisplayDiffers(shown_on=where, problem="not_offered")
    priced = named.priced
    if priced is None:
        return None
    if shown.paytable is not None and shown.paytable != priced.letter:
        return DisplayDiffers(
            shown_on=where, problem="paytable", shown=shown.paytable, filed=priced.letter
        )
    printed = {one.code: one.odds for one in priced.outcomes}
    for code, odds in shown.odds.items():
        if code not in printed:
            return DisplayDiffers(
                shown_on=where, problem="unknown_outcome", outcome=code, shown=odds
            )
        if _meaning(parse_odds(odds)) != _meaning(printed[code]):
            return DisplayDiffers(
                shown_on=where,
                problem="odds",
                outcome=code,
                shown=odds,
                filed=printed[code].text,
            )
    return None


def _meaning(odds: Odds) -> tuple[OddsKind, Fraction, bool]:
    """Give what odds say, however they are written."""
    return odds.kind, odds.ratio, odds.less_vigorish


@folds(DeviceFaultRaised)
def raise_fault(folding: Folding, event: DeviceFaultRaised) -> None:
    """Note a fault of a device."""
    faults = folding.state.faults
    if any(one.fault_id == event.fault_id for one in faults):
        return
    if len(faults) >= FAULTS_MAX:
        reject(folding, event.type, f"at most {FAULTS_MAX} faults stand open")
        return
    fault = Fault(event.fault_id, event.device, event.fault, folding.sequence)
    folding.state.faults = (*faults, fault)


@folds(DeviceFaultCleared)
def clear_fault(folding: Folding, event: DeviceFaultCleared) -> None:
    """Note that a fault is over."""
    kept = tuple(one for one in folding.state.faults if one.fault_id != event.fault_id)
    if len(kept) == len(folding.state.faults):
        reject_unknown(folding, event.type, f"an open fault {event.fault_id}")
        return
    folding.state.faults = kept


def check_faults(folding: Folding, coup_id: str) -> None:
    """Assert faults that are open while a coup is dealt, each once."""
    faults = folding.state.faults
    if all(one.is_asserted for one in faults) or not folding.can(Capability.FAULTS):
        return
    for fault in faults:
        if not fault.is_asserted:
            folding.assert_once(
                RecordKind.TABLE,
                FindingCode.DEVICE_FAULT_OPEN,
                fault.fault_id,
                FaultOpen(
                    fault_id=fault.fault_id,
                    device=fault.device,
                    fault=fault.words,
                    raised_sequence=fault.raised_sequence,
                    coup_id=coup_id,
                ),
            )
    asserted = tuple(one._replace(is_asserted=True) for one in faults)
    folding.state.faults = asserted


def forget_doubtful(folding: Folding) -> None:
    """Let go of what may have ended in events that are missing: faults and removals."""
    state = folding.state
    faults = tuple(one._replace(is_asserted=True) for one in state.faults)
    shoe = evolve(state.shoe, is_unverified=True, removed=()) if state.shoe else None
    folding.state.faults = faults
    folding.state.shoe = without_ids(shoe) if shoe else None


@folds(VideoReference)
def keep_video(folding: Folding, event: VideoReference) -> None:
    """Put out where a recording is, with the coup that it shows; nothing is judged by it.

    It may come long after the coup: then the coup is known by the id that the table gives it.
    """
    coup = told_coup(folding.state, event.coup_id) if event.coup_id is not None else None
    belonging = folding.belonging()
    if coup is not None:
        belonging = belonging._replace(shoe_id=coup.shoe_id, gaming_date=coup.gaming_date)
    folding.emit(
        folding.record(
            RecordKind.VIDEO,
            f"{folding.feed_id}/{folding.sequence}",
            belonging,
            video=VideoRow(
                coup_id=coup.coup_id if coup else event.coup_id,
                camera_id=event.camera_id,
                recording=event.recording,
                from_us=microseconds_of(event.recorded_from),
                until_us=microseconds_of(event.recorded_until),
                clock_offset_us=folding.state.clock_offset_us,
            ),
        )
    )
