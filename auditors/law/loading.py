"""Is the law data whole? Reads every file once and refuses data that contradicts itself.

This is the one module of the core that reads files.
"""

from __future__ import annotations

import datetime
import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import NoReturn

from pydantic import TypeAdapter, ValidationError

from auditors.conditions import accepted_codes
from auditors.facts import FACTS
from auditors.law.model import (
    Condition,
    Interpretation,
    InterpretationKind,
    Law,
    LawDataError,
    Outcome,
    Section,
    Term,
    Wager,
)

_INTERPRETATIONS = "interpretations.toml"
_EPOCH = "audit_epoch.toml"


@cache
def load_law() -> Law:
    """Load the law that is shipped with the product, once per process.

    Raises:
        LawDataError: A file contradicts itself or another; the message names file and field.
    """
    folder = files("auditors") / "regulations"
    return parse_law(
        {
            entry.name: entry.read_text(encoding="utf-8")
            for entry in sorted(folder.iterdir(), key=lambda one: one.name)
            if entry.name.endswith(".toml")
        }
    )


def parse_law(texts: Mapping[str, str]) -> Law:
    """Read law data from file name to text, and check it as a whole.

    Raises:
        LawDataError: As for :func:`load_law`.
    """
    tables = {name: _parse_toml(name, text) for name, text in texts.items()}
    interpretations = _parse_interpretations(tables.pop(_INTERPRETATIONS, {}))
    epoch = tables.pop(_EPOCH, {}).get("audit_epoch")
    if not isinstance(epoch, int) or epoch < 1:
        raise LawDataError(f"{_EPOCH}: audit_epoch: a whole number from 1 is needed")
    sections: dict[str, Section] = {}
    origin: dict[str, str] = {}
    for name, table in tables.items():
        section = _validate(name, Section, table)
        if section.id in sections:
            raise LawDataError(f"{name}: id: {section.id!r} is also in {origin[section.id]}")
        sections[section.id], origin[section.id] = section, name
    sections = {key: _with_wagers_of(origin[key], one, sections) for key, one in sections.items()}
    for key, section in sections.items():
        _SectionChecks(origin[key], section, sections, interpretations).run()
    digest = hashlib.sha256()
    for name in sorted(texts):
        digest.update(f"{name}\0{texts[name]}\0".encode())
    wagers = {s.wager_id(w): (s, w) for s in sections.values() for w in s.wager}
    return Law(sections, wagers, interpretations, epoch, digest.hexdigest())


def _parse_toml(name: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LawDataError(f"{name}: not TOML: {error}") from None


def _validate(name: str, model: type[Section], table: object) -> Section:
    try:
        return TypeAdapter(model).validate_python(_tuples(table))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise LawDataError(f"{name}: {field}: {first['msg']}") from None


def _tuples(data: object) -> object:
    """TOML knows lists only; the strict models keep tuples, except in a condition."""
    if isinstance(data, dict):
        return {key: value if key == "when" else _tuples(value) for key, value in data.items()}
    if isinstance(data, list):
        return tuple(_tuples(one) for one in data)
    return data


def _parse_interpretations(table: Mapping[str, object]) -> dict[str, Interpretation]:
    rows = table.get("interpretation", [])
    parsed: dict[str, Interpretation] = {}
    for index, row in enumerate(rows if isinstance(rows, list) else []):
        try:
            one = TypeAdapter(Interpretation).validate_python(
                {**_tuples_of(row), "kind": _kind(row)}
            )
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise LawDataError(
                f"{_INTERPRETATIONS}: interpretation {index + 1}: {field}: {first['msg']}"
            ) from None
        if one.id in parsed:
            raise LawDataError(f"{_INTERPRETATIONS}: {one.id} is declared twice")
        if bool(one.codes) != (one.kind in ("open", "house_procedure")):
            raise LawDataError(
                f"{_INTERPRETATIONS}: {one.id}: codes: only open and house_procedure have codes"
            )
        parsed[one.id] = one
    return parsed


def _tuples_of(row: object) -> dict[str, object]:
    converted = _tuples(row)
    return converted if isinstance(converted, dict) else {}


def _kind(row: object) -> object:
    text = row.get("kind") if isinstance(row, dict) else None
    try:
        return InterpretationKind(str(text))
    except ValueError:
        return text


def _with_wagers_of(name: str, section: Section, sections: Mapping[str, Section]) -> Section:
    """Copy the wagers of the section that this one shares them with, under its own paragraphs."""
    if section.wagers_of is None:
        return section
    other = sections.get(section.wagers_of)
    if other is None or other.wagers_of is not None or section.wager:
        raise LawDataError(
            f"{name}: wagers_of: {section.wagers_of!r} must be a section that has wagers of its own"
        )
    cited = section.cite_map

    def moved(cite: str) -> str:
        return cited.get(cite, cite)

    wagers = tuple(
        wager.model_copy(
            update={
                "base_wager_cite": moved(wager.base_wager_cite),
                "loses": wager.loses.model_copy(update={"cite": moved(wager.loses.cite)}),
                "outcome": tuple(
                    one.model_copy(
                        update={
                            "wins_cite": moved(one.wins_cite),
                            "pays_cite": moved(one.pays_cite),
                        }
                    )
                    for one in wager.outcome
                ),
            }
        )
        for wager in other.wager
    )
    return section.model_copy(
        update={
            "wager": wagers,
            "paytables": other.paytables,
            "tableau": section.tableau or other.tableau,
            "progressive": section.progressive or other.progressive,
        }
    )


class _SectionChecks:
    """The checks of one section against the vocabulary, the dates and the other sections."""

    def __init__(
        self,
        name: str,
        section: Section,
        sections: Mapping[str, Section],
        interpretations: Mapping[str, Interpretation],
    ) -> None:
        self.name, self.section = name, section
        self.sections, self.interpretations = sections, interpretations

    def run(self) -> None:
        """Check everything, first defect first."""
        self._dates()
        self._references()
        codes = [wager.code for wager in self.section.wager]
        if not codes and self.section.kind != "main":
            self._fail("wager", "the section has no wager")
        for index, wager in enumerate(self.section.wager):
            where = f"wager {wager.code or index + 1}"
            if codes.count(wager.code) > 1 or (not wager.code and len(codes) > 1):
                self._fail(where, "code: each wager of a section needs a code of its own")
            self._wager(where, wager)
        if self.section.progressive:
            for field in ("increment", "reserve"):
                self._letters(f"progressive.{field}", getattr(self.section.progressive, field))

    def _fail(self, field: str, message: str) -> NoReturn:
        raise LawDataError(f"{self.name}: {field}: {message}")

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
            word = "overlap" if gap < 0 else "leave a gap of"
            self._fail("in_force", f"terms {word} {abs(gap)} day(s) between {end} and {start}")

    def _references(self) -> None:
        declared = {one.section for one in self.section.refers_to if one.deleted}
        gone = {"627b.1", "627b.2", "627b.3"}
        for one in self.section.refers_to:
            if one.section in gone and not one.deleted:
                self._fail("refers_to", f"§ {one.section} is deleted; give the date in deleted")
        for cite in self._all_cites():
            for section in gone - declared:
                if section in cite:
                    self._fail("refers_to", f"§ {section} is cited but deleted; declare it here")

    def _all_cites(self) -> list[str]:
        cites = [value for _, value in self.section.offering if isinstance(value, str)]
        for wager in self.section.wager:
            cites += [wager.loses.cite, wager.base_wager_cite]
            for one in wager.outcome:
                cites += [one.wins_cite, one.pays_cite]
        return cites

    def _wager(self, where: str, wager: Wager) -> None:
        self._known_reading(where, wager.match_reading, None)
        if self.section.kind != "house" and not wager.loses.cite:
            self._fail(f"{where}.loses", "cite is missing")
        seen: set[tuple[str, ...]] = set()
        for outcome in wager.outcome:
            field = f"{where}.outcome {outcome.code}"
            self._outcome(field, wager, outcome)
            variant = (
                outcome.code,
                *(f"{key}={value}" for key, value in sorted(outcome.applies_if.items())),
                *(f"{key}={value}" for key, value in sorted(outcome.reading.items())),
            )
            if variant in seen:
                self._fail(field, "code: the outcome is given twice")
            seen.add(variant)

    def _outcome(self, field: str, wager: Wager, outcome: Outcome) -> None:
        if self.section.kind != "house":
            for name in ("wins_cite", "pays_cite"):
                if not getattr(outcome, name):
                    self._fail(field, f"{name} is missing")
        if isinstance(outcome.pays, dict):
            self._letters(f"{field}.pays", outcome.pays)
        for id_, code in outcome.reading.items():
            self._known_reading(field, id_, code)
        siblings = {one.code for one in self.section.wager} - {wager.code}
        for code in outcome.any_wins + outcome.any_occurs:
            if code not in siblings:
                self._fail(field, f"{code!r} is no other wager of this section")
        if not (outcome.conditions() or outcome.any_wins or outcome.any_occurs):
            self._fail(field, "when: the outcome has no condition")
        for condition in outcome.conditions():
            self._condition(field, wager, condition)

    def _letters(self, field: str, priced: Mapping[str, str]) -> None:
        wanted = set(self.section.paytables)
        if missing := sorted(wanted - set(priced)):
            self._fail(field, f"paytable {missing[0]} is not priced")
        if extra := sorted(set(priced) - wanted):
            self._fail(field, f"{extra[0]!r} is no paytable of this section")

    def _known_reading(self, field: str, id_: str | None, code: str | None) -> None:
        if id_ is None:
            return
        known = self.interpretations.get(id_)
        if known is None:
            self._fail(field, f"reading: interpretation {id_} is not declared")
        if code is not None and code not in known.codes:
            has = ", ".join(known.codes)
            self._fail(field, f"reading: {id_} has no code {code!r}; it has {has}")

    def _condition(self, field: str, wager: Wager, condition: Condition) -> None:
        vocabulary = FACTS[wager.backs[0] if wager.backs else None]
        if not condition:
            self._fail(field, "when: the condition names no fact")
        for name, wanted in condition.items():
            definition = vocabulary.get(name)
            if definition is None:
                self._fail(field, f"when: unknown fact {name!r}")
            try:
                accepted_codes(definition, wanted)
            except ValueError as error:
                self._fail(field, f"when: {error}")


def _date(value: datetime.date | str | None) -> datetime.date | None:
    return value if isinstance(value, datetime.date) else None
