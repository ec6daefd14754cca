"""Sentences about what is filed, shown and in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.shared import Words
from auditors.catalogue.titles import title_of_code
from schemas.finding_facts import rules as facts
from schemas.findings import Finding, FindingCode


def paytable_mismatch(found: Finding, told: facts.PaytableMismatch) -> Words:
    """Say what each display shows and what was filed."""
    by_words: dict[str, list[str]] = {}
    for display in told.displays:
        by_words.setdefault(_display(found, told.wager_name, display), []).append(
            display.shown_on.replace("_", " ")
        )
    parts = [f"The {' and the '.join(where)} {words}." for words, where in by_words.items()]
    return Words(" ".join(parts), _display_title(told))


def _display(found: Finding, name: str, told: facts.DisplayDiffers) -> str:
    if told.problem == "not_offered":
        return f"shows {name}, which is not offered at this table ({found.rules_version})"
    if told.problem == "paytable":
        filed = f"paytable {told.filed} was filed" if told.filed else "none was filed"
        return f"shows {name} paytable {told.shown}; {filed}"
    if told.problem == "unknown_outcome":
        return f"shows {name} odds for {told.outcome}, which the filed paytable does not have"
    return f"shows {name} {told.outcome} at {told.shown}; {told.filed} was filed"


def _display_title(told: facts.PaytableMismatch) -> str:
    first = told.displays[0]
    if first.problem == "paytable":
        return f"{told.wager_name} paytable {first.shown} shown, {first.filed or 'none'} filed"
    if first.problem == "not_offered":
        return f"{told.wager_name} shown and not filed"
    if first.problem == "unknown_outcome":
        return f"{told.wager_name} odds for {first.outcome} shown and not filed"
    return f"{told.wager_name} {first.outcome} shown at {first.shown}, {first.filed} filed"


def section_out_of_force(found: Finding, told: facts.SectionOutOfForce) -> Words:
    """Say that a section was offered outside its printed dates, and what to do."""
    if found.code is FindingCode.RULE_NOT_YET_IN_FORCE:
        title = f"{told.section_title} offered before its printed first day {told.printed_day}"
        words = (
            f"{told.section_title} was offered before its printed first day {told.printed_day} "
            f"({told.source}); confirm with the Board"
        )
    else:
        title = f"{told.section_title}: printed term ended {told.printed_day}"
        words = (
            f"{told.section_title}: the printed term ended {told.printed_day}; no successor text "
            "is held here; confirm with the Board"
        )
    return Words(f"{words}. Gaming date {told.gaming_date}.", title)


def changed_mid_shoe(found: Finding, told: facts.ChangedMidShoe) -> Words:
    """Say which filing took the place of which, and when within the shoe."""
    return Words(
        f"Rules Submission {told.filed} replaced {told.before} within shoe {told.shoe_id}, after "
        f"coup {told.coup_count}; rules should change between shoes.",
        title_of_code(found.code),
    )


def filing_not_in_effect(found: Finding, told: facts.FilingNotInEffect) -> Words:
    """Say when a coup began, and when its filing takes effect."""
    return Words(
        f"A coup began at {told.began} under Rules Submission {told.filed}, which takes effect "
        f"only at {told.in_effect}.",
        f"Rules Submission {told.filed} used before it takes effect",
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.ChangedMidShoe: changed_mid_shoe,
    facts.FilingNotInEffect: filing_not_in_effect,
    facts.PaytableMismatch: paytable_mismatch,
    facts.SectionOutOfForce: section_out_of_force,
}
