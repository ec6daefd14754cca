"""Checks that a section contradicts neither itself nor the vocabulary nor another section.

Every check ends in one line that names the file and the field, so that whoever edits the data
finds the place.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn, get_args

from auditors.law.conditions import accepted_codes
from auditors.law.facts import FACTS
from auditors.law.interpretations import INTERPRETATION_TYPES, Asked, codes_known
from auditors.law.model import (
    Condition,
    DeletedSection,
    Interpretation,
    Jurisdiction,
    LawDataError,
    MatchRule,
    Outcome,
    Section,
    Term,
    Wager,
)
from schemas.odds import OddsKind, parse_odds
from schemas.words.suggestions import near_miss

_NUMBER = re.compile(r"\d{3}[a-z]?\.\d+")
"""A section number inside a citation: ``627b.2``."""


@dataclass(frozen=True)
class Neighbours:
    """What a section may refer to."""

    sections: Mapping[str, Section]
    interpretations: Mapping[str, Interpretation]
    deleted: Mapping[str, DeletedSection]


def check_section(name: str, section: Section, neighbours: Neighbours) -> None:
    """Check one section, first defect first.

    Args:
        name: The file, for the message.
        section: The section, with the wagers that it shares already copied in.
        neighbours: The other sections, the interpretations and the deleted sections.

    Raises:
        LawDataError: The section contradicts itself or another; file and field are named.
    """
    _SectionChecks(name, section, neighbours).run()


def check_interpretations(name: str, neighbours: Neighbours) -> None:
    """Check that every interpretation concerns sections that exist, and those asked are answered.

    Raises:
        LawDataError: As for :func:`check_section`.
    """
    for type_ in INTERPRETATION_TYPES.values():
        if issubclass(type_, Asked):
            _check_asked(name, type_, neighbours.interpretations.get(type_.ID))
    for interpretation in neighbours.interpretations.values():
        for id_ in interpretation.sections:
            if id_ not in neighbours.sections:
                raise LawDataError(
                    f"{name}: {interpretation.id}: sections: no section has the id {id_!r}"
                )


def _check_asked(name: str, type_: type[Asked], held: Interpretation | None) -> None:
    """Check that a question which the engine asks is answered, in codes that it can follow."""
    asked = (type_.__doc__ or "").rstrip(".")
    if held is None:
        raise LawDataError(f"{name}: {type_.ID}: it is missing; the engine asks: {asked}")
    if not held.codes:
        raise LawDataError(f"{name}: {type_.ID}: codes: none is given; the engine asks: {asked}")
    known = codes_known(type_)
    for code in held.codes:
        if code not in known:
            hint = near_miss(code, known) or f"; it can follow {', '.join(known)}"
            raise LawDataError(
                f"{name}: {type_.ID}: codes: the engine cannot follow {code!r}{hint}"
            )


def check_citations(name: str, jurisdiction: Jurisdiction, sections: Iterable[Section]) -> None:
    """Check that sections are cited as their jurisdiction says, and progressives have paragraphs.

    Raises:
        LawDataError: As for :func:`check_section`.
    """
    cited = [section for section in sections if section.kind != "house"]
    for section in cited:
        if not section.section.startswith(jurisdiction.code):
            raise LawDataError(
                f"{name}: code: {section.section!r} does not begin with {jurisdiction.code!r}"
            )
    if any(section.progressive for section in cited):
        for field, citation in jurisdiction.citations:
            if not citation:
                raise LawDataError(f"{name}: citations.{field}: progressives need their paragraph")


class _SectionChecks:
    def __init__(self, name: str, section: Section, neighbours: Neighbours) -> None:
        self.name, self.section, self.neighbours = name, section, neighbours

    def run(self) -> None:
        self._dates()
        self._references()
        self._repeated("paytables", self.section.paytables)
        self._offering()
        self._game()
        codes = [wager.code for wager in self.section.wager]
        if not codes:
            self._fail("wager", "the section has no wager")
        for index, wager in enumerate(self.section.wager):
            where = f"wager {wager.code or index + 1}"
            if codes.count(wager.code) > 1 or (not wager.code and len(codes) > 1):
                self._fail(where, "code: each wager of a section needs a code of its own")
            self._wager(where, wager)
        if self.section.progressive:
            for field in ("increment", "reserve"):
                rates = getattr(self.section.progressive, field)
                self._letters(f"progressive.{field}", rates, self.section.paytables)

    def _fail(self, field: str, message: str) -> NoReturn:
        raise LawDataError(f"{self.name}: {field}: {message}")

    def _repeated(self, field: str, values: tuple[str, ...]) -> None:
        for value in values:
            if values.count(value) > 1:
                self._fail(field, f"{value!r} is listed twice")

    # Dates

    def _dates(self) -> None:
        terms = self.section.in_force
        for term in terms:
            start, end = _date(term.from_date), _date(term.until)
            if start and end and end < start:
                self._fail("in_force", f"until {end} is before from {start}")
        for earlier, later in pairwise(terms):
            self._adjoining(earlier, later)

    def _adjoining(self, earlier: Term, later: Term) -> None:
        end, start = _date(earlier.until), _date(later.from_date)
        if end is None or start is None:
            self._fail("in_force", "only the first start and the last end may be left open")
        gap = (start - end).days - 1
        if gap:
            word = "overlap by" if gap < 0 else "leave a gap of"
            self._fail("in_force", f"terms {word} {abs(gap)} day(s) between {end} and {start}")

    # References and conditions of offering

    def _references(self) -> None:
        deleted = self.neighbours.deleted
        declared = set()
        for reference in self.section.refers_to:
            number = _number(reference.section)
            known = deleted.get(number)
            if known and reference.deleted != known.from_date:
                self._fail(
                    "refers_to",
                    f"§ {reference.section} is deleted; write deleted = {known.from_date}",
                )
            if reference.deleted and not known:
                self._fail("refers_to", f"§ {reference.section} is in no list of deleted sections")
            declared.add(number)
        for field, cite in self._cites():
            for number in _NUMBER.findall(cite):
                if number in deleted and number not in declared:
                    self._fail(field, f"§ {number} is deleted; declare it in refers_to")

    def _cites(self) -> Iterator[tuple[str, str]]:
        section = self.section
        yield "settles_cite", section.settles_cite
        for field, value in section.offering:
            if isinstance(value, str):
                yield f"offering.{field}", value
        if section.cites:
            for field, value in section.cites:
                yield f"cites.{field}", value
        if section.progressive:
            yield "progressive.cite", section.progressive.cite
            yield "progressive.award_cite", section.progressive.award_cite
        for index, wager in enumerate(section.wager):
            where = f"wager {wager.code or index + 1}"
            yield f"{where}.loses", wager.loses.cite
            yield f"{where}.base_wager_cite", wager.base_wager_cite
            for outcome in wager.outcome:
                yield f"{where}.outcome {outcome.code}.wins_cite", outcome.wins_cite
                yield f"{where}.outcome {outcome.code}.pays_cite", outcome.pays_cite

    def _offering(self) -> None:
        section, offering = self.section, self.section.offering
        if section.kind == "house":
            return
        if section.settles != "not_stated" and not section.settles_cite:
            self._fail("settles_cite", "settles names a time without its paragraph")
        if offering.decks and not offering.decks_cite:
            self._fail("offering.decks_cite", "decks are limited without a paragraph")
        if offering.cover_cards is not None and not offering.cover_cards_cite:
            self._fail("offering.cover_cards_cite", "cover cards are counted without a paragraph")

    def _game(self) -> None:
        section = self.section
        if section.kind == "main" and (section.tableau is None or section.cites is None):
            missing = "cites" if section.tableau else "tableau"
            self._fail(missing, "a main game needs its third-card rules and their paragraphs")
        if section.tableau is None:
            return
        rows = section.tableau.banker_draws_on_third_card
        if list(rows) != [str(points) for points in range(8)]:
            self._fail("tableau.banker_draws_on_third_card", "one row for each of 0 to 7 is needed")
        for points, values in rows.items():
            if not set(values) <= set(range(10)):
                self._fail(f"tableau.banker_draws_on_third_card.{points}", "values are 0 to 9")

    # Wagers and outcomes

    def _wager(self, where: str, wager: Wager) -> None:
        if wager.match_reading:
            codes = tuple(self._interpretation(where, wager.match_reading).codes)
            if codes[:1] != (wager.match,) or not set(codes) <= set(get_args(MatchRule)):
                self._fail(f"{where}.match_reading", f"{wager.match_reading} does not choose match")
        if wager.rounding_reading:
            self._interpretation(f"{where}.rounding_reading", wager.rounding_reading)
        if self.section.kind != "house":
            if not wager.loses.cite:
                self._fail(f"{where}.loses", "cite is missing")
            if wager.base_wager == "required" and not wager.base_wager_cite:
                self._fail(where, "base_wager_cite is missing")
        seen: set[tuple[str, ...]] = set()
        for outcome in wager.outcome:
            field = f"{where}.outcome {outcome.code}"
            self._outcome(field, wager, outcome)
            variant = (
                outcome.code,
                *outcome.only,
                *(f"{key}={value}" for key, value in sorted(outcome.applies_if.items())),
                *(f"{key}={value}" for key, value in sorted(outcome.reading.items())),
            )
            if variant in seen:
                self._fail(field, "code: the outcome is given twice")
            seen.add(variant)
        for letter in self.section.paytables:
            if not any(outcome.stands_under(letter) for outcome in wager.outcome):
                self._fail(where, f"outcome: paytable {letter} has no row")

    def _outcome(self, field: str, wager: Wager, outcome: Outcome) -> None:
        if self.section.kind != "house":
            for name in ("wins_cite", "pays_cite"):
                if not getattr(outcome, name):
                    self._fail(field, f"{name} is missing")
        self._pays(field, outcome)
        for id_, code in outcome.reading.items():
            known = self._interpretation(field, id_)
            if code not in known.codes:
                has = ", ".join(known.codes) or "none"
                self._fail(field, f"reading: {id_} has no code {code!r}; it has {has}")
        self._siblings(field, wager, outcome)
        if not (outcome.conditions() or outcome.any_wins or outcome.any_occurs):
            self._fail(field, "when: the outcome has no condition")
        for condition in outcome.conditions():
            self._condition(field, wager, condition)

    def _pays(self, field: str, outcome: Outcome) -> None:
        section = self.section
        self._repeated(f"{field}.only", outcome.only)
        for letter in outcome.only:
            if letter not in section.paytables:
                self._fail(f"{field}.only", f"{letter!r} is no paytable of this section")
        if isinstance(outcome.pays, dict):
            self._letters(f"{field}.pays", outcome.pays, outcome.only or section.paytables)
            cells = list(outcome.pays.values())
        else:
            if section.paytables:
                self._fail(f"{field}.pays", "the odds of each paytable letter are needed")
            cells = [outcome.pays]
        for kind in (parse_odds(cell).kind for cell in cells):
            if kind is OddsKind.UNPRICED and section.kind != "house":
                self._fail(f"{field}.pays", "only house wagers may be unpriced")
            if kind is OddsKind.METER and not (
                section.progressive and section.offering.progressive_system
            ):
                self._fail(
                    f"{field}.pays",
                    "a share of the meter needs progressive and offering.progressive_system",
                )
        if outcome.pays_from == "submission.odds" and section.kind != "house":
            self._fail(f"{field}.pays_from", "only the odds of house wagers are filed")

    def _letters(self, field: str, priced: Mapping[str, str], wanted: tuple[str, ...]) -> None:
        if missing := sorted(set(wanted) - set(priced)):
            self._fail(field, f"paytable {missing[0]} is not priced")
        for letter in sorted(set(priced) - set(wanted)):
            known = letter in self.section.paytables
            word = "does not have this row, see only" if known else "is no paytable of this section"
            self._fail(field, f"{letter!r} {word}")
        if not priced:
            self._fail(field, "nothing is priced")

    def _interpretation(self, field: str, id_: str) -> Interpretation:
        known = self.neighbours.interpretations.get(id_)
        if known is None:
            self._fail(field, f"reading: interpretation {id_} is not declared")
        if self.section.id not in known.sections:
            self._fail(field, f"reading: {id_} does not name {self.section.id} among its sections")
        return known

    def _siblings(self, field: str, wager: Wager, outcome: Outcome) -> None:
        siblings = {
            sibling.code: sibling for sibling in self.section.wager if sibling.code != wager.code
        }
        for name in ("any_wins", "any_occurs"):
            for code in getattr(outcome, name):
                if code not in siblings:
                    self._fail(f"{field}.{name}", f"{code!r} is no other wager of this section")
                if any(row.any_wins or row.any_occurs for row in siblings[code].outcome):
                    self._fail(f"{field}.{name}", f"{code!r} itself depends on other wagers")

    def _condition(self, field: str, wager: Wager, condition: Condition) -> None:
        vocabulary = FACTS[wager.backs[0] if wager.backs else None]
        if not condition:
            self._fail(field, "when: the condition names no fact")
        for name, wanted in condition.items():
            definition = vocabulary.get(name)
            if definition is None:
                self._fail(field, f"when: unknown fact {name!r}{near_miss(name, vocabulary)}")
            try:
                accepted_codes(definition, wanted)
            except ValueError as error:
                self._fail(field, f"when: {error}")


def _date(value: datetime.date | str | None) -> datetime.date | None:
    return value if isinstance(value, datetime.date) else None


def _number(section: str) -> str:
    """The section number of a reference that may name subsections: ``627a.12(a)`` is 627a.12."""
    found = _NUMBER.match(section)
    return found[0] if found else section
