"""Facts about what is filed, shown and in force."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.finding_facts.parts import PARTS_MAX, FactsPart, Name, Words


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


RulesFacts: TypeAlias = PaytableMismatch | SectionOutOfForce
"""Facts of findings about filings and displays."""
