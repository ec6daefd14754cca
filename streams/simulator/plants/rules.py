"""Faults of the rules in force: filing, display, dates, and payments by another paytable."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Final

from auditors.law import load_law
from schemas.events import (
    Capability,
    DisplayedPaytable,
    PaytablesDisplayed,
    RulesSubmissionChanged,
)
from schemas.findings import FindingCode as Code
from schemas.rules_submission import RulesSubmission
from streams.simulator.feed import SECOND, Draft
from streams.simulator.plants.base import settlement_of
from streams.simulator.plants.payouts import PAID
from streams.simulator.tables.dealing import Shoe
from streams.simulator.tables.faults import Fault, Plant, Scope
from streams.simulator.tables.opening import displayed_drafts
from streams.simulator.tables.settling import Settler

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable

_TALONS: Final = "golden_talons"
_DAY_US: Final = 86_400 * SECOND


def _with_letter(submission: RulesSubmission, wager_id: str, letter: str) -> RulesSubmission:
    wagers = tuple(
        wager.model_copy(update={"paytable": letter}) if wager.id == wager_id else wager
        for wager in submission.wagers
    )
    return submission.model_copy(update={"wagers": wagers})


def _other_letter(submission: RulesSubmission) -> str:
    filed = submission.offered(_TALONS)
    assert filed is not None
    letters = load_law().sections[_TALONS].paytables
    return next(letter for letter in letters if letter != filed.paytable)


class PaytableShown(Fault):
    """The layout shows another letter of Golden Talons than the filed one."""

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Show it for one coup, then show the right one again."""
        letter = _other_letter(table.submission)
        wrong = DisplayedPaytable(wager=_TALONS, shown_on="sign", paytable=letter)
        at_us = drafts[-1].at_us + SECOND
        drafts.append(Draft(PaytablesDisplayed, at_us, {"displays": (wrong,)}))
        right = displayed_drafts(table)[0]
        right.at_us = at_us + 30 * SECOND
        drafts.append(right)
        self.tell(table, Code.PAYTABLE_MISMATCH, note=f"{_TALONS}: {letter} is shown")
        self.finish()


class WrongRule(Fault):
    """The system runs another paytable for a while, and pays by it."""

    coups = 30
    weight = 3

    def between(self, table: PlayingTable) -> list[Draft]:
        """Switch the system to another letter."""
        if self.has_begun:
            return []
        self.has_begun = True
        letter = _other_letter(table.submission)
        self._filing = table.submission
        self._running = Settler(_with_letter(table.submission, _TALONS, letter))
        self._left = self.coups
        self.tell(table, Code.PAYTABLE_MISMATCH, note=f"{_TALONS} runs under {letter}")
        wrong = DisplayedPaytable(wager=_TALONS, shown_on="system", paytable=letter)
        at_us = table.pace.step(500, 1500)
        return [Draft(PaytablesDisplayed, at_us, {"displays": (wrong,)})]

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Pay Golden Talons by the letter that runs."""
        found: list[tuple[Code, int]] = []
        for bet in plan.standing:
            if bet.offer.ref.id != _TALONS:
                continue
            paid = self._running.due(bet.offer.ref, plan.judged, bet.stake_minor).due_minor
            if paid == bet.due_minor:
                continue
            settlement_of(drafts, bet).fields["paid_minor"] = paid
            code = Code.WAGER_OVERPAID if paid > bet.due_minor else Code.WAGER_UNDERPAID
            found.append((code, paid - bet.due_minor))
        if found:
            self.tell(
                table,
                *(code for code, _ in found),
                plan=plan,
                difference_minor=sum(minor for _, minor in found),
                note="paid by the paytable that runs, not the filed one",
            )
        self._left -= 1
        # The rule is put right between coups, at the latest with the next filing.
        if self._left <= 0 or self._filing is not table.submission:
            right = displayed_drafts(table)[0]
            right.at_us = drafts[-1].at_us + SECOND
            drafts.append(right)
            self.finish()


class FilingDefect(Fault):
    """A filing without a layout area that the text asks for is in force for one shoe."""

    scope = Scope.SHOE

    def loaded(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """File the defect before the shoe is loaded."""
        submission = table.submission
        target = next(wager.id for wager in submission.wagers if _asks_area(wager.id))
        wagers = tuple(
            wager.model_copy(update={"layout_area": False}) if wager.id == target else wager
            for wager in submission.wagers
        )
        defect = submission.model_copy(
            update={"wagers": wagers, "version": submission.version + 90}
        )
        drafts.insert(0, self._filed(table, defect, drafts[0].at_us - SECOND // 2))
        self._right = submission
        self.has_begun = True
        self.tell(table, Code.RULES_SUBMISSION_DEFECT, note=f"{target}: no layout area")

    def shoe_ended(self, table: PlayingTable, shoe: Shoe, drafts: list[Draft]) -> None:
        """File what was filed before, so that the defect is announced once."""
        drafts.append(self._filed(table, self._right, drafts[-1].at_us + SECOND))
        self.finish()

    def _filed(self, table: PlayingTable, submission: RulesSubmission, at_us: int) -> Draft:
        table.file(submission)
        fields: dict[str, object] = {
            "submission": submission,
            "reason": "layout changed",
            "authorised_by": table.supervisor,
        }
        return Draft(RulesSubmissionChanged, at_us, fields)


def _asks_area(wager_id: str) -> bool:
    section, _ = load_law().wagers[wager_id]
    return bool(section.offering.layout_area)


class ChangedMidShoe(Fault):
    """Another filing takes effect while a shoe is in play."""

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Raise a maximum between two coups."""
        submission = table.submission
        first = submission.wagers[0]
        raised = first.model_copy(update={"maximum": "20000.00"})
        changed = submission.model_copy(
            update={
                "wagers": (raised, *submission.wagers[1:]),
                "version": submission.version + 50,
            }
        )
        fields: dict[str, object] = {
            "submission": changed,
            "reason": "maximum raised",
            "authorised_by": table.supervisor,
        }
        drafts.append(Draft(RulesSubmissionChanged, drafts[-1].at_us + SECOND, fields))
        table.file(changed)
        self.tell(table, Code.RULES_CHANGED_MID_SHOE, note="a maximum was raised")
        self.finish()


class Lapsed(Fault):
    """A table whose day lies beyond the printed term of Golden Talons, the rest of it in force."""

    scope = Scope.TABLE
    weight = 20
    day = datetime.date(2026, 8, 5)
    code = Code.RULE_LAPSED

    def opening(self, table: PlayingTable, drafts: list[Draft]) -> None:
        """Move the day of the table, and offer nothing else that has ended or not begun."""
        today = table.gaming_date(table.pace.at_us)
        table.writer.shift_us = (self.day - today).days * _DAY_US
        table.begin_day()
        self.tell(table, self.code, note=f"{_TALONS} on {self.day}")
        self.finish()


class NotYetInForce(Lapsed):
    """A table whose day lies before the first printed day of Golden Talons."""

    day = datetime.date(2023, 8, 4)
    code = Code.RULE_NOT_YET_IN_FORCE


def _only_talons(submission: RulesSubmission) -> bool:
    """Whether Golden Talons is the only wager of a section with a printed term."""
    dated = {"rising_phoenix", "harmony_mini", "harmony_big"}
    sections = {wager.id.partition(".")[0] for wager in submission.wagers}
    return _TALONS in sections and not sections & dated


def _offers_talons(submission: RulesSubmission) -> bool:
    return submission.offered(_TALONS) is not None


def _needs_area(submission: RulesSubmission) -> bool:
    return any(_asks_area(wager.id) for wager in submission.wagers)


_SHOWN: Final = frozenset({Capability.DISPLAYS})

RULE_PLANTS: Final = (
    Plant(
        "paytable_shown_wrong",
        (Code.PAYTABLE_MISMATCH,),
        "a sign shows another letter of Golden Talons than the filed one",
        PaytableShown,
        _SHOWN,
        _offers_talons,
    ),
    Plant(
        "evolution_wrong_rule",
        (Code.PAYTABLE_MISMATCH, Code.WAGER_OVERPAID, Code.WAGER_UNDERPAID),
        "Evolution: the system runs another paytable than the filed one, and pays by it",
        WrongRule,
        _SHOWN | PAID | {Capability.SUITS},
        _offers_talons,
    ),
    Plant(
        "filing_defect",
        (Code.RULES_SUBMISSION_DEFECT,),
        "a filing without a layout area that the text asks for",
        FilingDefect,
        frozenset(),
        _needs_area,
    ),
    Plant(
        "rules_changed_mid_shoe",
        (Code.RULES_CHANGED_MID_SHOE,),
        "a maximum raised while a shoe is in play",
        ChangedMidShoe,
        frozenset(),
    ),
    Plant(
        "rule_lapsed",
        (Code.RULE_LAPSED,),
        "a table that runs on the day after the printed term of Golden Talons",
        Lapsed,
        frozenset(),
        _only_talons,
    ),
    Plant(
        "rule_not_yet_in_force",
        (Code.RULE_NOT_YET_IN_FORCE,),
        "a table that runs on the day before the first printed day of Golden Talons",
        NotYetInForce,
        frozenset(),
        _only_talons,
    ),
)
