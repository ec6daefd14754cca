"""Changes between two Rules Submissions, and what each changes at the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from auditors.law import law_in_force
from auditors.law.model import Law
from schemas.money import format_minor, parse_amount
from schemas.odds import format_percent, parse_rate
from schemas.rules_submission import Commission, FiledProgressive, OfferedWager, RulesSubmission

_EFFECTS: Final[Mapping[str, str]] = {
    "id": "verdicts name another filing",
    "version": "verdicts name another version of the filing",
    "facility": "the property is named otherwise; nothing is settled otherwise",
    "jurisdiction": "coups are settled under the law of another jurisdiction",
    "effective_from": "coups are settled under it from another instant on",
    "currency": "amounts are read and written in another currency",
    "time_zone": "a coup near the start of a gaming day may belong to another gaming date",
    "gaming_day_start": "a coup near the start of a gaming day may belong to another gaming date",
    "game": "the main wagers and the sections that may be offered are those of another game",
    "decks": "the shoe is counted against, and the odds computed for, another number of decks",
    "cover_cards": "the shoe is checked for another number of cover cards",
    "deal_option": "the cards are dealt another way up",
    "burn_exposed_card": "the exposed card is burned or stays in the shoe",
    "hands_after_cover_card": "another number of coups may follow the cover card",
    "late_wager_grace_ms": "wagers count as late from another instant on",
    "commission.form": "Banker wins are charged under another form",
    "commission.rate": "vigorish is another share of the amount won",
    "commission.timing": "vigorish changes hands at another time",
    "tie_odds": "Tie pays otherwise",
    "smallest_chip": "odd payouts are rounded to another chip",
    "severities": "findings of this code are shown with another severity",
    "severity_amounts.high_from": "findings about money are high from another amount on",
    "severity_amounts.critical_from": "findings about money are critical from another amount on",
    "wagers.minimum": "smaller or larger stakes are within the limits",
    "wagers.maximum": "smaller or larger stakes are within the limits",
    "wagers.layout_area": "the layout is filed with or without its area",
    "wagers.odds": "the outcome pays otherwise",
    "progressives.wager": "the meter is fed by another wager",
    "progressives.system": "it is filed with or without a progressive table game system",
    "progressives.linked": "the meter is shared with other tables, or no longer is",
    "progressives.unit": "another stake is the permitted one",
    "progressives.base": "the meter starts from another amount",
    "progressives.reset": "the meter returns to another amount after a hit",
    "progressives.limit": "the meter overflows at another amount",
    "progressives.increment_rate": "each wager adds another share to the meter",
    "progressives.reserve_rate": "each wager adds another share to the reserve",
    "progressives.void_policy": "contributions of voided coups are treated otherwise",
    "progressives.chips_counted": "chips are compared with the wagers accepted, or no longer are",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One field that differs between two filings."""

    field: str
    """Where: ``wagers[golden_talons].paytable``."""
    before: str | None
    """As the first filing has it; None: not filed there."""
    after: str | None
    effect: str
    """What it changes, in plain words."""


def diff_submissions(
    before: RulesSubmission, after: RulesSubmission, law: Law | None = None
) -> tuple[Change, ...]:
    """Say what changed from one filing to another; the order of wagers is no change.

    Args:
        before: The first filing.
        after: The second.
        law: Says what another paytable letter pays; where left out, the law of the second filing's
            jurisdiction.

    Returns:
        Changes in the order of the filing; none where the two file the same.
    """
    law = law or law_in_force(after.jurisdiction)
    before, after = _same_words(before), _same_words(after)
    return tuple(
        change
        for changes in (
            _plain_changes(before, after),
            _wager_changes(law, before, after),
            _progressive_changes(before, after),
            _named_changes(law, before, after),
        )
        for change in changes
    )


def _same_words(submission: RulesSubmission) -> RulesSubmission:
    """Write amounts and rates in one form, so that ``10`` and ``10.00`` are no change."""

    def amounts(filed: OfferedWager | FiledProgressive, *names: str) -> dict[str, str]:
        texts = {name: getattr(filed, name) for name in names}
        return {
            name: format_minor(parse_amount(text, submission.currency), submission.currency)
            for name, text in texts.items()
            if text is not None
        }

    def rates(filed: FiledProgressive | Commission, *names: str) -> dict[str, str]:
        texts = {name: getattr(filed, name) for name in names}
        return {
            name: format_percent(parse_rate(text))
            for name, text in texts.items()
            if text is not None
        }

    chip, commission = submission.smallest_chip, submission.commission
    money = submission.currency
    return submission.model_copy(
        update={
            "smallest_chip": format_minor(parse_amount(chip, money), money) if chip else None,
            "commission": commission.model_copy(update=rates(commission, "rate"))
            if commission
            else None,
            "wagers": tuple(
                wager.model_copy(update=amounts(wager, "minimum", "maximum"))
                for wager in submission.wagers
            ),
            "progressives": tuple(
                progressive.model_copy(
                    update=amounts(progressive, "unit", "base", "reset", "limit")
                    | rates(progressive, "increment_rate", "reserve_rate")
                )
                for progressive in submission.progressives
            ),
        }
    )


def _plain_changes(before: RulesSubmission, after: RulesSubmission) -> Iterator[Change]:
    old, new = _plain_fields(before), _plain_fields(after)
    for name in old:
        if old[name] != new[name]:
            yield Change(name, old[name], new[name], _EFFECTS[name])


def _plain_fields(submission: RulesSubmission) -> dict[str, str | None]:
    names = [name for name in _EFFECTS if "." not in name and name != "severities"]
    fields = {name: _text(getattr(submission, name)) for name in names}
    for name in ("form", "rate", "timing"):
        filed = submission.commission
        fields[f"commission.{name}"] = _text(getattr(filed, name)) if filed else None
    return fields


def _wager_changes(law: Law, before: RulesSubmission, after: RulesSubmission) -> Iterator[Change]:
    old = {wager.id: wager for wager in before.wagers}
    new = {wager.id: wager for wager in after.wagers}
    for id_ in dict.fromkeys([*old, *new]):
        where = f"wagers[{id_}]"
        if id_ not in new:
            yield Change(where, _offer(old[id_]), None, "it is no longer offered")
        elif id_ not in old:
            yield Change(where, None, _offer(new[id_]), "it is offered now")
        else:
            yield from _offer_changes(law, where, old[id_], new[id_])


def _offer(wager: OfferedWager) -> str:
    """Describe a filed wager in a few words: ``offered, paytable B, from 5.00``."""
    words = ["offered"]
    words += [f"paytable {wager.paytable}"] if wager.paytable else []
    words += [f"from {wager.minimum}"] if wager.minimum else []
    words += [f"up to {wager.maximum}"] if wager.maximum else []
    words += [] if wager.layout_area else ["no layout area"]
    words += [f"{code} {odds}" for code, odds in wager.odds.items()]
    return ", ".join(words)


def _offer_changes(law: Law, where: str, old: OfferedWager, new: OfferedWager) -> Iterator[Change]:
    if old.paytable != new.paytable:
        yield Change(
            f"{where}.paytable",
            old.paytable,
            new.paytable,
            _paytable_effect(law, old.id, old.paytable, new.paytable),
        )
    for name in ("minimum", "maximum", "layout_area"):
        yield from _field_change(where, "wagers", name, old, new)
    for code in dict.fromkeys([*old.odds, *new.odds]):
        if old.odds.get(code) != new.odds.get(code):
            effect = _EFFECTS["wagers.odds"]
            yield Change(f"{where}.odds.{code}", old.odds.get(code), new.odds.get(code), effect)


def _paytable_effect(law: Law, wager_id: str, old: str | None, new: str | None) -> str:
    """Say which rows of the printed table pay otherwise under the new letter."""
    if wager_id not in law.wagers:
        return "the law data knows no such wager"
    section, wager = law.wagers[wager_id]
    if old not in section.paytables or new not in section.paytables:
        return "it is settled under another paytable"
    rows: dict[str, tuple[str, str]] = {}
    for outcome in wager.outcome:
        cells = tuple(
            outcome.odds(letter).text if outcome.stands_under(letter) else "no row"
            for letter in (old, new)
        )
        if cells[0] != cells[1]:
            rows.setdefault(outcome.title, (cells[0], cells[1]))
    changed = [
        f"{title} {new_cell} (was {old_cell})" for title, (old_cell, new_cell) in rows.items()
    ]
    return "; ".join(changed) or "every row of this wager pays the same"


def _progressive_changes(before: RulesSubmission, after: RulesSubmission) -> Iterator[Change]:
    old = {progressive.meter: progressive for progressive in before.progressives}
    new = {progressive.meter: progressive for progressive in after.progressives}
    for id_ in dict.fromkeys([*old, *new]):
        where = f"progressives[{id_}]"
        if id_ not in new:
            yield Change(where, _meter(old[id_]), None, "the progressive is no longer filed")
        elif id_ not in old:
            yield Change(where, None, _meter(new[id_]), "the progressive is filed now")
        else:
            for name in FiledProgressive.model_fields:
                if name not in ("id", "level"):
                    yield from _field_change(where, "progressives", name, old[id_], new[id_])


def _meter(progressive: FiledProgressive) -> str:
    shared = ", linked" if progressive.linked else ""
    return f"{progressive.wager}, unit {progressive.unit}, reset {progressive.reset}{shared}"


def _field_change(
    where: str,
    kind: str,
    name: str,
    old: OfferedWager | FiledProgressive,
    new: OfferedWager | FiledProgressive,
) -> Iterator[Change]:
    before, after = _text(getattr(old, name)), _text(getattr(new, name))
    if before != after:
        yield Change(f"{where}.{name}", before, after, _EFFECTS[f"{kind}.{name}"])


def _named_changes(law: Law, before: RulesSubmission, after: RulesSubmission) -> Iterator[Change]:
    """Compare what is filed by name: readings, severities and successors."""
    for id_ in dict.fromkeys([*before.readings, *after.readings]):
        old, new = before.readings.get(id_), after.readings.get(id_)
        if old != new:
            known = law.interpretations.get(id_)
            yield Change(
                f"readings.{id_}", old, new, known.question if known else "no such interpretation"
            )
    for code in dict.fromkeys([*before.severities, *after.severities]):
        severities = [filed.severities.get(code) for filed in (before, after)]
        if severities[0] != severities[1]:
            earlier, later = (_text(severity) for severity in severities)
            yield Change(f"severities.{code.value}", earlier, later, _EFFECTS["severities"])
    for name in ("high_from", "critical_from"):
        old, new = (getattr(filed.severity_amounts, name, None) for filed in (before, after))
        if old != new:
            field = f"severity_amounts.{name}"
            yield Change(field, old, new, _EFFECTS[field])
    old_texts, new_texts = _successors(before), _successors(after)
    for section in dict.fromkeys([*old_texts, *new_texts]):
        if old_texts.get(section) != new_texts.get(section):
            yield Change(
                f"successors[{section}]",
                old_texts.get(section),
                new_texts.get(section),
                "the section counts as lapsed, or as followed by another text, on other dates",
            )


def _successors(submission: RulesSubmission) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    for successor in submission.successors:
        texts.setdefault(successor.section, []).append(
            f"{successor.authority} from {successor.from_date}"
        )
    return {section: "; ".join(lines) for section, lines in texts.items()}


def _text(value: object) -> str | None:
    """Write a field as the file has it; None: not filed."""
    if value is None:
        return None
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
