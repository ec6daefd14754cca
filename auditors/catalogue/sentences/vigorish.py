"""Sentences about vigorish."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.payments import reckoning_words
from auditors.catalogue.sentences.shared import Words, basis, money, whose
from schemas.finding_facts import vigorish as facts
from schemas.findings import Finding, FindingStatus

_WHENS: Final = {"shoe_ended": "the shoe ended", "seat_vacated": "the seat was vacated"}


def vigorish_reported(found: Finding, told: facts.VigorishReported) -> Words:
    """Say what vigorish was due and what was taken or marked."""
    due, reported = money(found, told.due_minor), money(found, told.reported_minor)
    other_way = "taken" if told.way == "marked" else "marked"
    besides = f" and {money(found, told.other_minor)} was {other_way}" if told.other_minor else ""
    lead = why = ""
    if told.reckoning is not None:
        lead = f"{reckoning_words(told.reckoning)} "
        why = f" {told.reckoning.claim}."
    is_corrected = found.status is FindingStatus.CORRECTED
    after = " Corrected since; nothing is outstanding." if is_corrected else ""
    name = told.wager_name or "Seat"
    return Words(
        f"{lead}{whose(found, told.wager_name)}:{why} {due} vigorish should have been {told.way}; "
        f"{reported} was{besides}{basis(found)}.{after}",
        f"{name} vigorish {reported} instead of {due}{', corrected' if is_corrected else ''}"
        if told.reported_minor != told.due_minor
        else f"{name} vigorish {other_way} as well{', corrected' if is_corrected else ''}",
    )


def vigorish_left(found: Finding, told: facts.VigorishLeft) -> Words:
    """Say what a patron still owes, or that it was collected late."""
    marked, when = money(found, told.marked_minor), _WHENS[told.when]
    left = told.marked_minor - told.collected_minor - told.unmarked_minor
    who = f"Seat {found.seat}"
    after = [
        f"{money(found, amount)} was {word}"
        for amount, word in (
            (told.collected_minor, "collected late"),
            (told.unmarked_minor, "unmarked later"),
        )
        if amount
    ]
    open_words = f"{money(found, left)} is still owed" if left > 0 else "nothing is outstanding"
    if left <= 0 and not told.unmarked_minor:
        return Words(
            f"{who}: {marked} vigorish was collected late, after {when}. Nothing is outstanding.",
            f"Vigorish of {marked} collected late",
        )
    since = f" {' and '.join(after)}; {open_words}." if after else " It is still owed."
    title = f"Vigorish of {marked} settled late"
    if left > 0:
        title = f"Vigorish of {money(found, left)} still owed"
    return Words(f"{who}: {marked} vigorish was not collected before {when}.{since}", title)


def vigorish_not_due(found: Finding, told: facts.VigorishNotDue) -> Words:
    """Say how much vigorish was collected beyond what was due."""
    over = told.collected_minor - told.due_minor
    left = over - told.given_back_minor
    due = f"{money(found, told.due_minor)} was due" if told.due_minor else "nothing was due"
    after = ""
    if told.given_back_minor:
        back = money(found, told.given_back_minor)
        rest = f"{money(found, left)} is still owed" if left else "nothing is outstanding"
        after = f" {back} was given back later; {rest}."
    title = f"{money(found, over)} vigorish collected that was not due"
    if left < over:
        title += f", {money(found, left)} still owed" if left else ", given back"
    collected = money(found, told.collected_minor)
    return Words(f"Seat {found.seat}: {collected} vigorish was collected; {due}.{after}", title)


RENDERERS: Final[Mapping[type, object]] = {
    facts.VigorishLeft: vigorish_left,
    facts.VigorishNotDue: vigorish_not_due,
    facts.VigorishReported: vigorish_reported,
}
