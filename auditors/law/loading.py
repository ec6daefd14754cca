"""Loading of the law data: every file is read once, and data that contradicts itself refused.

This is the one module of the core that reads files; :mod:`auditors.law.validation` judges them.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from auditors.law import model as law_model
from auditors.law.model import (
    DeletedSection,
    Interpretation,
    InterpretationKind,
    Jurisdiction,
    Law,
    LawDataError,
    Section,
    UnknownJurisdictionError,
    Wager,
)
from auditors.law.validation import (
    Neighbours,
    check_citations,
    check_interpretations,
    check_section,
)
from schemas.rules_submission import DEFAULT_JURISDICTION
from schemas.words.suggestions import near_miss

_INTERPRETATIONS: Final = "interpretations.toml"
_DELETED: Final = "deleted_sections.toml"
_EPOCH: Final = "audit_epoch.toml"
_JURISDICTION: Final = "jurisdiction.toml"

_Row = TypeVar("_Row", Section, Interpretation, DeletedSection, Jurisdiction)


def load_law(jurisdiction: str = DEFAULT_JURISDICTION) -> Law:
    """Load the law of a jurisdiction that is shipped with the product, once per process.

    Args:
        jurisdiction: Name of its folder.

    Raises:
        UnknownJurisdictionError: No law of that name is held.
        LawDataError: A file contradicts itself or another; the message names file and field.
    """
    return _held(jurisdiction)


@cache
def _held(jurisdiction: str) -> Law:
    held = jurisdictions()
    if jurisdiction not in held:
        hint = near_miss(jurisdiction, held) or f"; held: {', '.join(held)}"
        raise UnknownJurisdictionError(f"no law of {jurisdiction!r} is held{hint}")
    return parse_law(law_texts(jurisdiction), jurisdiction)


@cache
def jurisdictions() -> tuple[str, ...]:
    """Name the jurisdictions whose law is held, one folder each, the default first."""
    names = [
        folder.name
        for folder in _regulations().iterdir()
        if folder.joinpath(_JURISDICTION).is_file()
    ]
    return tuple(sorted(names, key=lambda name: (name != DEFAULT_JURISDICTION, name)))


def law_in_force(jurisdiction: str) -> Law:
    """Give the law under which a filing is settled.

    Where none of that jurisdiction is held it is the default's, as the filing's defect says.
    """
    return load_law(jurisdiction if jurisdiction in jurisdictions() else DEFAULT_JURISDICTION)


def all_laws() -> tuple[Law, ...]:
    """Give the law of every jurisdiction, the default first."""
    return tuple(load_law(jurisdiction) for jurisdiction in jurisdictions())


def wager_held(wager_id: str) -> tuple[Section, Wager] | None:
    """Find a wager by its id in any jurisdiction; None where none holds it."""
    return next((law.wagers[wager_id] for law in all_laws() if wager_id in law.wagers), None)


def law_texts(jurisdiction: str = DEFAULT_JURISDICTION) -> dict[str, str]:
    """Read the files of a law that is shipped: file name to text, in the order of the names."""
    above = _regulations()
    return _texts(above / jurisdiction) | _texts(above)


def _regulations() -> Traversable:
    return files("auditors") / "regulations"


def data_texts(folder: str) -> dict[str, str]:
    """Read the data files in a folder of the core; it has no other way to the outside.

    Args:
        folder: Name of a folder below ``auditors/``.

    Returns:
        File name to text, in the order of the names.
    """
    return _texts(files("auditors") / folder)


def _texts(folder: Traversable) -> dict[str, str]:
    return {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda one: one.name)
        if entry.name.endswith(".toml")
    }


def parse_law(texts: Mapping[str, str], jurisdiction: str = DEFAULT_JURISDICTION) -> Law:
    """Read law data from file name to text, and check it as a whole.

    Raises:
        LawDataError: As for :func:`load_law`.
    """
    tables = {name: _parse_toml(name, text) for name, text in texts.items()}
    epoch = _epoch(tables.pop(_EPOCH, {}))
    common = _validate(_JURISDICTION, Jurisdiction, tables.pop(_JURISDICTION, {}))
    interpretations = _interpretations(tables.pop(_INTERPRETATIONS, {}))
    deleted = _deleted(tables.pop(_DELETED, {}))
    sections, origin = _sections(tables)
    neighbours = Neighbours(sections, interpretations, deleted)
    if not any(section.kind == "main" for section in sections.values()):
        raise LawDataError(f"{_JURISDICTION}: no file beside it has a section of the kind main")
    check_citations(_JURISDICTION, common, sections.values())
    check_interpretations(_INTERPRETATIONS, neighbours)
    for id_, section in sections.items():
        check_section(origin[id_], section, neighbours)
    digest = hashlib.sha256()
    for name in sorted(texts):
        digest.update(f"{name}\0{texts[name]}\0".encode())
    wagers = {s.wager_id(w): (s, w) for s in sections.values() for w in s.wager}
    return Law(
        sections=sections,
        wagers=wagers,
        interpretations=interpretations,
        audit_epoch=epoch,
        id=jurisdiction,
        jurisdiction=common,
        digest=digest.hexdigest(),
        deleted=deleted,
    )


def _parse_toml(name: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LawDataError(f"{name}: not TOML: {error}") from None


def _epoch(table: Mapping[str, object]) -> int:
    epoch = table.get("audit_epoch")
    if not isinstance(epoch, int) or epoch < 1:
        raise LawDataError(f"{_EPOCH}: audit_epoch: a whole number from 1 is needed")
    return epoch


def _sections(tables: Mapping[str, object]) -> tuple[dict[str, Section], dict[str, str]]:
    """Read the section of each file; give them and their files by id."""
    sections: dict[str, Section] = {}
    origin: dict[str, str] = {}
    for name, table in tables.items():
        section = _validate(name, Section, table)
        if section.id in sections:
            raise LawDataError(f"{name}: id: {section.id!r} is also in {origin[section.id]}")
        for other in sections.values():
            if other.section == section.section:
                raise LawDataError(
                    f"{name}: section: {section.section!r} is also in {origin[other.id]}"
                )
        sections[section.id], origin[section.id] = section, name
    shared = {
        id_: _with_shared(origin[id_], section, sections) for id_, section in sections.items()
    }
    return shared, origin


def _rows(name: str, key: str, table: Mapping[str, object]) -> Sequence[object]:
    """Give the rows of a file that is one list of tables."""
    for other in table:
        if other != key:
            raise LawDataError(f"{name}: {other}: unknown field{near_miss(other, [key])}")
    rows = table.get(key, [])
    if not isinstance(rows, list):
        raise LawDataError(f"{name}: {key}: a list of tables is needed, written [[{key}]]")
    return rows


def _interpretations(table: Mapping[str, object]) -> dict[str, Interpretation]:
    parsed: dict[str, Interpretation] = {}
    for index, row in enumerate(_rows(_INTERPRETATIONS, "interpretation", table)):
        label = row.get("id", index + 1) if isinstance(row, dict) else index + 1
        one = _validate(f"{_INTERPRETATIONS}: {label}", Interpretation, _with_kind(row))
        if one.id in parsed:
            raise LawDataError(f"{_INTERPRETATIONS}: {one.id}: id: it is declared twice")
        switchable = one.kind in (InterpretationKind.OPEN, InterpretationKind.HOUSE_PROCEDURE)
        if switchable != (len(one.codes) > 1):
            wanted = "at least two codes" if switchable else "at most one code"
            raise LawDataError(
                f"{_INTERPRETATIONS}: {one.id}: codes: the kind {one.kind.value} has {wanted}"
            )
        parsed[one.id] = one
    return parsed


def _with_kind(row: object) -> object:
    """The strict model wants the kind as itself, not as its word."""
    if isinstance(row, dict) and row.get("kind") in set(InterpretationKind):
        return {**row, "kind": InterpretationKind(row["kind"])}
    return row


def _deleted(table: Mapping[str, object]) -> dict[str, DeletedSection]:
    parsed: dict[str, DeletedSection] = {}
    for index, row in enumerate(_rows(_DELETED, "deleted", table)):
        one = _validate(f"{_DELETED}: {index + 1}", DeletedSection, row)
        if one.section in parsed:
            raise LawDataError(f"{_DELETED}: {one.section}: section: it is listed twice")
        parsed[one.section] = one
    return parsed


def _validate(name: str, shape: type[_Row], table: object) -> _Row:
    try:
        return TypeAdapter(shape).validate_python(_tuples(table))
    except ValidationError as error:
        telling = max(error.errors(), key=_tells)
        field = _field(table, telling["loc"], is_missing=telling["type"] == "missing")
        raise LawDataError(f"{name}: {field}: {_message(telling['type'], telling)}") from None


def _tells(error: Mapping[str, object]) -> tuple[int, int]:
    """Rank what pydantic reports: the errors of one mistake differ in how much they tell.

    A misspelt name is also missing under its right one. A union reports each of its branches: a
    refused value tells more than a wrong type, and the deepest branch is the one that was meant.
    """
    ranks = ("extra_forbidden", "missing", "value_error")
    kind, location = error["type"], error["loc"]
    rank = len(ranks) - ranks.index(kind) if kind in ranks else 0
    return rank, len(location) if isinstance(location, tuple) else 0


def _message(kind: str, error: Mapping[str, object]) -> str:
    if kind == "missing":
        return "it is missing"
    if kind == "extra_forbidden":
        location = error["loc"]
        assert isinstance(location, tuple)
        return f"unknown field{near_miss(str(location[-1]), _field_names())}"
    return str(error["msg"]).removeprefix("Value error, ")


def _field_names() -> list[str]:
    shapes = [shape for shape in vars(law_model).values() if isinstance(shape, type)]
    return [name for shape in shapes if issubclass(shape, BaseModel) for name in shape.model_fields]


def _field(table: object, location: Sequence[int | str], *, is_missing: bool) -> str:
    """Say where in a file a value stands, rows by their code: ``wager sun_7.outcome push.pays``."""
    words: list[str] = []
    for depth, part in enumerate(location):
        if isinstance(table, dict) and part in table:
            table = table[part]
            words.append(str(part))
        elif isinstance(table, list) and isinstance(part, int) and part < len(table):
            table = table[part]
            code = table.get("code") if isinstance(table, dict) else None
            words[-1:] = [f"{words[-1]} {code or part + 1}" if words else str(part + 1)]
        elif is_missing and depth == len(location) - 1:
            words.append(str(part))
    return ".".join(words)


def _tuples(data: object) -> object:
    """TOML knows lists only; the strict models keep tuples, except in a condition."""
    if isinstance(data, dict):
        return {key: value if key == "when" else _tuples(value) for key, value in data.items()}
    if isinstance(data, list):
        return tuple(_tuples(value) for value in data)
    return data


def _with_shared(name: str, section: Section, sections: Mapping[str, Section]) -> Section:
    """Copy what a section shares with others: third-card rules, or all wagers and paytables."""
    if section.played_as is not None:
        game = sections.get(section.played_as)
        if game is None or game.tableau is None or section.tableau:
            raise LawDataError(
                f"{name}: played_as: {section.played_as!r} must be a main game that has a tableau"
            )
        section = section.model_copy(update={"tableau": game.tableau})
    if section.wagers_of is None:
        return section
    other = sections.get(section.wagers_of)
    if other is None or other.wagers_of is not None or section.wager or section.paytables:
        raise LawDataError(
            f"{name}: wagers_of: {section.wagers_of!r} must be a section that has wagers of its "
            "own, and this one has none beside them"
        )
    used: set[str] = set()
    wagers = tuple(_moved(wager, section.cite_map, used) for wager in other.wager)
    if unused := sorted(set(section.cite_map) - used):
        raise LawDataError(f"{name}: cite_map: {unused[0]!r} is no paragraph of {other.id}")
    return section.model_copy(
        update={
            "wager": wagers,
            "paytables": other.paytables,
            "tableau": section.tableau or other.tableau,
            "progressive": section.progressive or other.progressive,
        }
    )


def _moved(wager: Wager, cite_map: Mapping[str, str], used: set[str]) -> Wager:
    """Give a shared wager under the paragraphs of the section that shares it."""

    def moved(cite: str) -> str:
        used.add(cite)
        return cite_map.get(cite, cite)

    outcomes = tuple(
        outcome.model_copy(
            update={"wins_cite": moved(outcome.wins_cite), "pays_cite": moved(outcome.pays_cite)}
        )
        for outcome in wager.outcome
    )
    return wager.model_copy(
        update={
            "base_wager_cite": moved(wager.base_wager_cite),
            "loses": wager.loses.model_copy(update={"cite": moved(wager.loses.cite)}),
            "outcome": outcomes,
        }
    )
