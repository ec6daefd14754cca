"""Facts about what is filed, shown and in force."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.finding_facts.parts import PARTS_MAX, FactsPart, Name, Whole, Words


class DisplayDiffers(FactsPart):
    """What one display shows is not what was filed."""

    shown_on: Name
    """Wire word of the display, such as ``layout``."""
    problem: Literal["not_offered", "paytable", "unknown_outcome", "odds"]
    outcome: Name | None = None
    shown: Name | None = None
    """The letter or the odds that are shown."""
    filed: Name | None = None
    """Those that are filed; None where there are none."""


class PaytableMismatch(FactsPart):
    """A paytable that is shown or runs is not the filed one."""

    kind: Literal["paytable_mismatch"] = "paytable_mismatch"
    wager_name: Name
    displays: Annotated[tuple[DisplayDiffers, ...], Field(max_length=PARTS_MAX)]


class SectionOutOfForce(FactsPart):
    """A section was offered outside its printed dates."""

    kind: Literal["section_out_of_force"] = "section_out_of_force"
    section_id: Name
    section_title: Name
    gaming_date: Name
    printed_day: Name
    """The first printed day, or the last one, as printed."""
    source: Words = ""
    """Where the first day is printed."""


class ChangedMidShoe(FactsPart):
    """A Rules Submission took effect while a shoe was being dealt."""

    kind: Literal["changed_mid_shoe"] = "changed_mid_shoe"
    shoe_id: Name
    filed: Name
    before: Name
    coup_count: Whole
    """Coups of the shoe dealt before it."""


class FilingNotInEffect(FactsPart):
    """A coup began under a filing that was not in effect yet."""

    kind: Literal["filing_not_in_effect"] = "filing_not_in_effect"
    filed: Name
    began: Name
    """Local time at the property."""
    in_effect: Name


RulesFacts: TypeAlias = ChangedMidShoe | FilingNotInEffect | PaytableMismatch | SectionOutOfForce
"""Facts of findings about filings and displays."""
