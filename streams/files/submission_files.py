"""Rules Submissions in files: read from one, and written to one.

The file is TOML with the very names of the model: ``[[wagers]]``, ``[[progressives]]`` and
``[[successors]]`` are repeated tables, each name has one spelling. Whatever is wrong with a file
is one line that names the file, the key and what to write instead.
"""

from __future__ import annotations

import datetime
import difflib
import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from schemas.findings import FindingCode
from schemas.rules_submission import (
    Commission,
    FiledProgressive,
    OfferedWager,
    RulesSubmission,
    Successor,
)
from schemas.words.suggestions import near_miss

FILE_BYTES_MAX: Final = 1024 * 1024
"""No filing is larger; a larger file is something else."""

_SHOWN_MAX: Final = 40
_TABLES: Final[Mapping[str, type[BaseModel]]] = {
    "commission": Commission,
    "wagers": OfferedWager,
    "progressives": FiledProgressive,
    "successors": Successor,
}
_WANTED: Final = {
    "int_type": "write a whole number, without quotes",
    "bool_type": "write true or false, without quotes",
    "string_type": "write it in quotes",
    "time_type": "write a time like 06:00:00",
    "time_parsing": "write a time like 06:00:00",
    "date_type": "write a date like 2026-08-05",
    "date_parsing": "write a date like 2026-08-05",
    "datetime_type": "write an instant with its offset, like 2026-01-01T06:00:00-05:00",
    "datetime_parsing": "write an instant with its offset, like 2026-01-01T06:00:00-05:00",
    "timezone_aware": "give the offset of the instant, like 2026-01-01T06:00:00-05:00",
    "missing": "it has to be filed",
    "model_type": "write it as a table",
    "dict_type": "write it as a table of names and values",
}


class SubmissionFileError(ValueError):
    """A file that holds no Rules Submission; one line names the file, the key and what to do."""


class SubmissionExistsError(SubmissionFileError):
    """The file to be written is already there."""


def read_submission(path: Path) -> RulesSubmission:
    """Read a Rules Submission from a TOML file.

    Raises:
        SubmissionFileError: The file can't be read, is not TOML, or files something that the
            shape does not know; a misspelt key is named with the near miss.
    """
    text = _read_text(path)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        quotes = "; texts go in quotes" if str(error).startswith("Invalid value") else ""
        raise SubmissionFileError(f"{path}: not TOML: {_first_lower(str(error))}{quotes}") from None
    except RecursionError:
        raise SubmissionFileError(f"{path}: not a Rules Submission: nested too deeply") from None
    except ValueError:
        raise SubmissionFileError(
            f"{path}: not a Rules Submission: it holds a number of thousands of digits"
        ) from None
    try:
        # As JSON, so that a filing reads the same here and inside an event: strictly.
        return RulesSubmission.model_validate_json(
            json.dumps(table, default=_iso), strict=True, by_alias=True, by_name=False
        )
    except ValidationError as error:
        raise SubmissionFileError(f"{path}: {_describe(error, table)}") from None


def write_submission_text(path: Path, text: str, *, replace: bool = False) -> None:
    """Write the text of a Rules Submission, whole or not at all.

    Args:
        path: Where to; its folder must exist.
        text: The TOML text.
        replace: Whether a file that is already there is replaced.

    Raises:
        SubmissionExistsError: The file exists and is not to be replaced.
        SubmissionFileError: The file can't be written.
    """
    if path.is_dir():
        raise SubmissionFileError(f"{path}: is a folder; name a file")
    if not replace and os.path.lexists(path):
        raise SubmissionExistsError(f"{path}: already exists; replace it with --force")
    target = path.resolve()
    draft = target.with_name(f".{target.name[:200]}.{os.getpid()}.draft")
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except (OSError, ValueError) as error:
        draft.unlink(missing_ok=True)
        raise SubmissionFileError(f"{path}: cannot be written: {_reason(error)}") from None


def _read_text(path: Path) -> str:
    try:
        if path.is_dir():
            raise SubmissionFileError(f"{path}: is a folder; name a file")
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        raise SubmissionFileError(f"{path}: no such file{_near_file(path)}") from None
    except (OSError, ValueError) as error:
        if isinstance(error, SubmissionFileError):
            raise
        raise SubmissionFileError(f"{path}: cannot be read: {_reason(error)}") from None
    if len(content) > FILE_BYTES_MAX:
        raise SubmissionFileError(f"{path}: larger than 1 MiB; not a Rules Submission")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise SubmissionFileError(
            f"{path}: line {line}: not UTF-8; save the file as UTF-8"
        ) from None


def _near_file(path: Path) -> str:
    """Suggest a file of the same folder whose name is near."""
    try:
        names = {
            neighbour.stem: neighbour.name
            for neighbour in path.parent.iterdir()
            if neighbour.suffix == ".toml"
        }
    except OSError:
        return ""
    # Stems are compared, or every two .toml files would look alike.
    close = difflib.get_close_matches(path.stem, names, n=1)
    return f"; did you mean {names[close[0]]}?" if close else ""


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else None
    return _first_lower(text or str(error))


def _first_lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _iso(value: object) -> str:
    """Write the dates and times of TOML as JSON has them: in ISO form."""
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    raise TypeError(type(value).__name__)


def _describe(error: ValidationError, table: Mapping[str, object]) -> str:
    """Say the first defect in one line, a misspelt key before the key that it leaves missing."""
    details = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    # A row that can't be read leaves its list too short as well; that is no second defect.
    details = [detail for detail in details if detail["type"] != "too_short"] or details
    more = len(details) - 1
    line = _describe_one(details[0], table)
    return f"{line} (and {more} more)" if more else line


def _describe_one(detail: ErrorDetails, table: Mapping[str, object]) -> str:
    location = tuple(part for part in detail["loc"] if part != "[key]")
    kind, found, last = detail["type"], detail["input"], str(location[-1]) if location else ""
    key = _key(location, table)
    if kind == "extra_forbidden":
        says = f"unknown key{near_miss(last, _known_keys(location))}"
    elif kind == "enum" and "[key]" in detail["loc"]:
        says = (
            f"no such finding code{near_miss(last.upper(), [code.value for code in FindingCode])}"
        )
    elif kind in ("enum", "literal_error"):
        expected = detail["ctx"]["expected"].replace("'", "")
        hint = near_miss(str(found), expected.replace(" or ", ", ").split(", "))
        says = f"{_shown(found)} is not known; write {expected}{hint}"
    elif kind == "value_error":
        says = str(detail["ctx"]["error"])
    elif kind == "too_short" and last == "wagers":
        says = f"nothing is filed; write at least one [[{key}]] table"
    elif kind == "tuple_type":
        says = f"write it as repeated tables, [[{key}]]"
    elif kind in _WANTED:
        shown = "missing" if kind == "missing" else f"found {_shown(found)}"
        says = f"{shown}; {_WANTED[kind]}"
    else:
        says = _first_lower(detail["msg"])
    return f"{key}: {says}" if key else says


def _known_keys(location: Sequence[int | str]) -> list[str]:
    """List the keys that the table of a location may have."""
    inside = len(location) > 1
    model = _TABLES.get(str(location[0]), RulesSubmission) if inside else RulesSubmission
    return [field.alias or name for name, field in model.model_fields.items()]


def _key(location: Sequence[int | str], table: Mapping[str, object]) -> str:
    """Write a location as in the file: ``wagers[2].paytable (golden_talons)``, counting from 0."""
    key = ""
    for part in location:
        if isinstance(part, int):
            key += f"[{part}]"
        else:
            name = part if part.isprintable() and len(part) <= _SHOWN_MAX else _shown(part)
            key += f".{name}" if key else name
    if len(location) < 2 or not isinstance(location[1], int):
        return key
    rows = table.get(str(location[0]))
    row = rows[location[1]] if isinstance(rows, list) else None
    named: object = row.get("id") or row.get("section") if isinstance(row, dict) else None
    if isinstance(named, str) and named.isprintable():
        return f"{key} ({named[:_SHOWN_MAX]})"
    return f"{key} (counting from 0)"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, dict) else "a table"
    return text if len(text) <= _SHOWN_MAX else text[: _SHOWN_MAX - 1] + "…"
