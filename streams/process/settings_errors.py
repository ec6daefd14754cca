"""Errors in settings, each in one line: where it stands, which key, what it may be."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from schemas.words.suggestions import near_miss

_PREFIX: Final = "LADDERMAN_"
FILE_VARIABLE: Final = f"{_PREFIX}SETTINGS"
"""Names the file where no command line does."""

_SET_BY_OTHERS: Final = {"host", "port"}
"""Platforms that run containers set such variables for each service, named after it."""

_WORDS: Final = {
    "bool_parsing": "write true or false",
    "bool_type": "write true or false",
    "int_parsing": "write a whole number",
    "int_type": "write a whole number",
    "int_from_float": "write a whole number",
    "float_parsing": "write a number",
    "float_type": "write a number",
    "string_type": "write a text in quotes",
    "path_type": "write a path in quotes",
    "model_type": "is a section; write its keys below it",
    "model_attributes_type": "is a section; write its keys below it",
    "string_too_short": "is empty",
}


class SettingsError(Exception):
    """A setting that cannot be; the text is one line for people and holds no secret."""


def unknown_variable(variables: Mapping[str, str], model: type[BaseModel]) -> str | None:
    """Find a variable that was probably meant to be a setting and is none.

    Variables of other things may begin like ours; only one counts whose section is nearly right,
    that is the key of a section without it, or nearly the name of the variable that names the file.
    """
    sections = list(model.model_fields)
    for name in variables:
        if not name.upper().startswith(_PREFIX) or name == FILE_VARIABLE:
            continue
        said = name[len(_PREFIX) :].lower()
        section, _, key = said.partition("_")
        if key and section in sections:
            continue
        if meant := _meant(said, section, key, model):
            return f"{name}: no such setting; did you mean {_PREFIX}{meant.upper()}?"
    return None


def _meant(said: str, section: str, key: str, model: type[BaseModel]) -> str | None:
    having = _sections_with(said, model)
    if len(having) == 1 and said not in _SET_BY_OTHERS:
        return f"{having[0]}_{said}"
    if key and (near := difflib.get_close_matches(section, list(model.model_fields), n=1)):
        return f"{near[0]}_{key}"
    file = FILE_VARIABLE[len(_PREFIX) :].lower()
    return file if difflib.get_close_matches(said, [file], cutoff=0.8) else None


def _sections_with(key: str, model: type[BaseModel]) -> list[str]:
    """Find the sections that have a key."""
    return [
        name
        for name, field in model.model_fields.items()
        if isinstance(field.annotation, type)
        and issubclass(field.annotation, BaseModel)
        and key in field.annotation.model_fields
    ]


def refused_line(
    error: ValidationError,
    variables: Mapping[str, str],
    source: Path | None,
    model: type[BaseModel],
) -> str:
    """Say the first thing that is wrong; the value itself is shown of no key, it may be a secret.

    Args:
        error: What was refused.
        variables: The environment, to tell whether it was said there.
        source: The file that was read.
        model: The settings.
    """
    # An unknown key explains more than what is missing because of it.
    first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    location = [str(part) for part in first["loc"]]
    variable = _variable_of(location, variables)
    place = variable or f"{source or 'settings'}: {'.'.join(location)}"
    if first["type"] == "extra_forbidden":
        return f"{place}: {_unknown(location, model, is_variable=variable is not None)}"
    return f"{place}: {_wanted(first)}"


def _variable_of(location: list[str], variables: Mapping[str, str]) -> str | None:
    """Find the variable that says a key, or a section whose only keys come from variables."""
    meant = _PREFIX + "_".join(location).upper()
    return next((name for name in variables if name.upper() == meant), None)


def _unknown(location: list[str], model: type[BaseModel], *, is_variable: bool) -> str:
    known = list(model.model_fields)
    if len(location) > 1:
        section = model.model_fields[location[0]].annotation
        assert isinstance(section, type) and issubclass(section, BaseModel)
        known = list(section.model_fields)
    if not is_variable:
        if len(location) == 1 and (having := _sections_with(location[0], model)):
            return f"no such section; as a key it stands below [{'] or ['.join(having)}]"
        return f"no such {'key' if len(location) > 1 else 'section'}" + (
            near_miss(location[-1], known) or f"; known are {', '.join(known)}"
        )
    names = [f"{_PREFIX}{location[0]}_{key}".upper() for key in known]
    variable = f"{_PREFIX}{'_'.join(location)}"
    return "no such setting" + (near_miss(variable, names) or f"; known are {', '.join(names)}")


def _wanted(first: ErrorDetails) -> str:
    kind = str(first["type"])
    if kind == "value_error":
        return str(first["ctx"]["error"])
    if words := _WORDS.get(kind):
        return words
    if kind == "literal_error":
        return f"write {first['ctx']['expected']}".replace("'", "")
    limits = list(_limits(first.get("ctx", {})))
    if limits:
        return f"must be {' and '.join(limits)}"
    message = str(first["msg"])
    return message[:1].lower() + message[1:]


def _limits(context: Mapping[str, object]) -> Iterator[str]:
    for name, words in (
        ("ge", "at least"),
        ("gt", "more than"),
        ("le", "at most"),
        ("lt", "less than"),
        ("pattern", "of the form"),
    ):
        if name in context:
            yield f"{words} {context[name]}"
