"""What is held of a section, a wager or an interpretation on one gaming date."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from auditors.law.interpretations import UnstatedBase
from auditors.law.model import Interpretation, Law, Outcome, Section, Term, Wager
from auditors.law.status import STANDING, Status, section_status
from auditors.settlement.terms import MAIN_WAGERS, is_game
from dashboards.documents.advisory import ADVISORY

RULES_SCHEMA: Final = "ladderman.rules/1"
SECTION_SCHEMA: Final = "ladderman.rules-section/1"
OUTCOME_SCHEMA: Final = "ladderman.rules-outcome/1"
INTERPRETATION_SCHEMA: Final = "ladderman.interpretation/1"

LAPSE_NOTICE_DAYS: Final = 90
"""A section that lapses within so many days is pointed out."""

LOSS: Final = "loss"
"""How the row of everything else is priced."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a section stands on a gaming date."""

    status: Status
    term: Term | None
    last_day: datetime.date | None
    days_left: int | None
    """Days from the gaming date to the last day in force; None: no end, or not in force."""

    @property
    def lapses_in_days(self) -> int | None:
        """Days to the last day in force, where they are few enough to be pointed out."""
        near = self.days_left is not None and self.days_left <= LAPSE_NOTICE_DAYS
        return self.days_left if near else None


def ordered_sections(law: Law) -> list[Section]:
    """Give the sections by chapter: main games, then side wagers, then the house's own."""
    kinds = ("main", "side", "house")
    return sorted(law.sections.values(), key=lambda one: (kinds.index(one.kind), one.section))


def standing_of(law: Law, section: Section, gaming_date: datetime.date) -> Standing:
    """Say where a section stands on a gaming date, under the default readings."""
    found = section_status(section, gaming_date, law.default_readings())
    holds = found.status in STANDING
    days_left = (found.last_day - gaming_date).days if holds and found.last_day else None
    return Standing(found.status, found.term, found.last_day, days_left)


def standing_words(standing: Standing) -> str:
    """Say it in words: ``in force, lapses in 12 days (last day 2026-08-04)``."""
    status, last, term = standing.status, standing.last_day, standing.term
    if status is Status.LAPSED:
        return f"lapsed, last day {last}"
    if status is Status.NOT_YET_IN_FORCE:
        return f"not yet in force, first day {term.from_date if term else 'not shown'}"
    if standing.lapses_in_days is None:
        return f"{status.value}, last day {last}" if last else status.value
    days = standing.lapses_in_days
    when = "today is its last day" if days == 0 else f"lapses in {days} day{'s' * (days > 1)}"
    return f"{status.value}, {when} (last day {last})"


def term_words(term: Term) -> str:
    """Write the printed dates of a term: ``2023-08-05 to 2026-08-04``."""
    start = term.from_date if isinstance(term.from_date, datetime.date) else "start not shown"
    end = term.until if isinstance(term.until, datetime.date) else "no end shown"
    return f"{start} to {end}" if isinstance(end, datetime.date) else f"{start}, {end}"


def games_of(law: Law, section: Section) -> list[str]:
    """Name the chapters at whose games a section's wagers may be offered."""
    titles = {one.chapter: one.title for one in law.sections.values() if is_game(law, one.id)}
    return [
        f"{titles[chapter]} (chapter {chapter})" if chapter in titles else f"chapter {chapter}"
        for chapter in section.applies_to
    ]


@dataclass(frozen=True, slots=True)
class Dangling:
    """A reference that leads to no text that is held."""

    section: str
    what: str
    deleted: datetime.date | None
    """First day without it, where it was gone on the gaming date; else its text is not held."""


def dangling_references(section: Section, gaming_date: datetime.date) -> list[Dangling]:
    """List the references of a section that lead nowhere on a gaming date."""
    found = []
    for one in section.refers_to:
        is_gone = one.deleted is not None and one.deleted <= gaming_date
        if is_gone or not one.text_seen:
            found.append(Dangling(one.section, one.what, one.deleted if is_gone else None))
    return found


def concerning(law: Law, section: Section, wagers: Iterable[Wager]) -> list[Interpretation]:
    """List the interpretations that concern some wagers of a section, by number."""
    used_here = {id_ for wager in wagers for id_ in _readings(wager)}
    used_elsewhere = {id_ for wager in section.wager for id_ in _readings(wager)} - used_here
    return [
        one
        for one in law.interpretations.values()
        if (section.id in one.sections and one.id not in used_elsewhere) or one.id in used_here
    ]


def _readings(wager: Wager) -> set[str]:
    named = {wager.match_reading, wager.rounding_reading} - {None}
    return {id_ for one in wager.outcome for id_ in one.reading} | {id_ for id_ in named if id_}


def stands_by_default(law: Law, outcome: Outcome) -> bool:
    """Whether an outcome stands under the default readings."""
    defaults = law.default_readings()
    return all(defaults.get(id_) == code for id_, code in outcome.reading.items())


_OFFERING_WORDS: Final = (
    ("rules_submission", "only if the Rules Submission says so"),
    ("layout_area", "the layout has a separate area for it for each player"),
    ("no_more_bets", "placed before the dealer calls no more bets"),
    ("lock_out", "a lock-out refuses wagers after no more bets"),
    ("progressive_system", "the table has a progressive table game system"),
    ("commission_choice", "the Rules Submission says standard commission or commission-free"),
    ("one_paytable", "one paytable for the whole package, named in the Rules Submission"),
)


def conditions_of_offering(section: Section, wagers: Iterable[Wager]) -> list[tuple[str, str]]:
    """List the conditions of offering in words, each with its paragraph (empty: none seen)."""
    offering = section.offering
    found: list[tuple[str, str]] = []
    if offering.decks:
        decks = " or ".join(str(one) for one in offering.decks)
        found.append((f"{decks} decks", offering.decks_cite))
    if offering.cover_cards is not None:
        found.append((f"{offering.cover_cards} cover cards", offering.cover_cards_cite))
    for wager in wagers:
        condition = (_BASE_WORDS[wager.base_wager], wager.base_wager_cite)
        is_main = section.kind != "side" or wager.code in MAIN_WAGERS
        if not is_main and condition not in found:
            found.append(condition)
    for name, words in _OFFERING_WORDS:
        if paragraph := getattr(offering, name):
            found.append((words, paragraph))
    return found


_BASE_WORDS: Final[Mapping[str, str]] = {
    "required": "a main wager has to be placed first",
    "none": "no main wager is needed",
    "not_stated": f"a main wager is not named as a condition ({UnstatedBase.ID})",
}


def list_document(law: Law, gaming_date: datetime.date) -> dict[str, object]:
    """Give the document ``ladderman.rules/1``: all sections and interpretations."""
    return {
        "schema": RULES_SCHEMA,
        "gaming_date": gaming_date.isoformat(),
        "law_digest": law.digest,
        "sections": [section_summary(law, one, gaming_date) for one in ordered_sections(law)],
        "interpretations": [interpretation_json(one) for one in law.interpretations.values()],
        "advisory": ADVISORY,
    }


def section_summary(law: Law, section: Section, gaming_date: datetime.date) -> dict[str, object]:
    """Give what a list says of a section, in the shape ``ladderman.rules-section/1``."""
    standing = standing_of(law, section, gaming_date)
    return {
        "schema": SECTION_SCHEMA,
        "id": section.id,
        "citation": section.citation(),
        "title": section.title,
        "kind": section.kind,
        "text_seen": section.text_seen,
        "applies_to": list(section.applies_to),
        "gaming_date": gaming_date.isoformat(),
        "status": standing.status.value,
        "first_day": _iso(standing.term.from_date) if standing.term else None,
        "last_day": _iso(standing.last_day),
        "lapses_in_days": standing.lapses_in_days,
        "in_force": [
            {
                "from": _iso(term.from_date),
                "until": _iso(term.until),
                "source": term.source,
                "temporary": term.temporary,
            }
            for term in section.in_force
        ],
        "settles": section.settles,
        "settles_citation": section.citation(section.settles_cite)
        if section.settles_cite
        else None,
        "paytables": list(section.paytables),
        "wagers": [wager_json(section, one, with_outcomes=False) for one in section.wager],
        "dangling_references": [
            {
                "section": one.section,
                "what": one.what,
                "reason": "deleted" if one.deleted else "text not seen",
                "deleted": _iso(one.deleted),
            }
            for one in dangling_references(section, gaming_date)
        ],
        "notes": list(section.notes),
    }


def section_document(
    law: Law, section: Section, wagers: tuple[Wager, ...], gaming_date: datetime.date
) -> dict[str, object]:
    """Give all that is held of a section, or of some of its wagers."""
    rates = section.progressive
    return {
        **section_summary(law, section, gaming_date),
        "law_digest": law.digest,
        "games": games_of(law, section),
        "conditions": [
            {"condition": words, "citation": section.citation(paragraph) if paragraph else None}
            for words, paragraph in conditions_of_offering(section, wagers)
        ],
        "wagers": [wager_json(section, one, with_outcomes=True) for one in wagers],
        "progressive": {
            "citation": section.citation(rates.cite),
            "increment": dict(rates.increment),
            "reserve": dict(rates.reserve),
        }
        if rates
        else None,
        "interpretations": [interpretation_json(one) for one in concerning(law, section, wagers)],
        "advisory": ADVISORY,
    }


def wager_json(section: Section, wager: Wager, *, with_outcomes: bool) -> dict[str, object]:
    """Give a wager, with its outcomes where they are wanted."""
    cited = wager.base_wager_cite
    summary: dict[str, object] = {
        "wager": section.wager_id(wager),
        "title": wager.title,
        "hands": list(wager.backs),
        "base_wager": wager.base_wager,
        "base_wager_citation": section.citation(cited) if cited else None,
    }
    if not with_outcomes:
        return summary
    return {
        **summary,
        "match": wager.match,
        "outcomes": [
            {
                "outcome": one.title,
                "outcome_code": one.code,
                "when": one.when,
                "any_wins": list(one.any_wins),
                "any_occurs": list(one.any_occurs),
                "pays": pays_json(section, one),
                "pays_from": one.pays_from,
                "commission": one.applies_if.get("commission"),
                "interpretations": dict(one.reading),
                "wins_citation": section.citation(one.wins_cite),
                "pays_citation": section.citation(one.pays_cite),
            }
            for one in wager.outcome
        ],
        "loses": {
            "outcome_code": wager.loses.code,
            "citation": section.citation(wager.loses.cite),
        },
    }


def pays_json(section: Section, outcome: Outcome) -> dict[str, str] | str:
    """Give what an outcome pays: one price, or a price by letter for the letters that have it."""
    if isinstance(outcome.pays, str):
        return outcome.pays
    standing = [one for one in section.paytables if outcome.stands_under(one)]
    return {letter: outcome.pays[letter] for letter in standing}


def outcome_rows(
    section: Section, wagers: Iterable[Wager], gaming_date: datetime.date
) -> Iterator[dict[str, object]]:
    """Give one object per wager, letter and outcome, the loss included."""
    for wager in wagers:
        for letter in section.paytables or (None,):
            head = {
                "schema": OUTCOME_SCHEMA,
                "gaming_date": gaming_date.isoformat(),
                "section": section.id,
                "wager": section.wager_id(wager),
                "paytable": letter,
            }
            for one in wager.outcome:
                if one.stands_under(letter):
                    yield {
                        **head,
                        "outcome": one.title,
                        "outcome_code": one.code,
                        "pays": one.odds(letter).text,
                        "commission": one.applies_if.get("commission"),
                        "interpretations": dict(one.reading),
                        "wins_citation": section.citation(one.wins_cite),
                        "pays_citation": section.citation(one.pays_cite),
                    }
            yield {
                **head,
                "outcome": "anything else",
                "outcome_code": wager.loses.code,
                "pays": LOSS,
                "commission": None,
                "interpretations": {},
                "wins_citation": None,
                "pays_citation": section.citation(wager.loses.cite),
            }


def interpretation_json(one: Interpretation) -> dict[str, object]:
    """Give an interpretation in the shape ``ladderman.interpretation/1``."""
    return {
        "schema": INTERPRETATION_SCHEMA,
        "id": one.id,
        "kind": one.kind.value,
        "question": one.question,
        "code": one.default,
        "answer": one.answer,
        "reason": one.reason,
        "codes": dict(one.codes),
        "sections": list(one.sections),
    }


def _iso(value: object) -> str | None:
    return value.isoformat() if isinstance(value, datetime.date) else None
