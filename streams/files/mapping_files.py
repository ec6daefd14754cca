"""A mapping of columns in a TOML file, with the same names as the flags."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from auditors.rounds.mapping import DeclaredMapping, MappingError
from schemas.words.suggestions import near_miss

_TABLES: Final = ("columns", "winner_values", "wagers", "winning_wagers")
_KEYS: Final = ("card_order", "zone")
_SIZE_MAX: Final = 1_048_576


def read_mapping(path: Path) -> DeclaredMapping:
    """Read a mapping file.

    Raises:
        MappingError: It cannot be read, is no TOML, or has an unknown key; one line that names
            the file and the key.
    """
    try:
        if path.stat().st_size > _SIZE_MAX:
            raise MappingError(f"{path}: larger than any mapping; is it the file of rounds?")
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except MappingError:
        raise
    except OSError as error:
        raise MappingError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise MappingError(f"{path}: not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise MappingError(f"{path}: not TOML: {error}") from None
    except (ValueError, RecursionError):
        raise MappingError(
            f"{path}: no mapping; it holds a number or nesting without end"
        ) from None
    for key in table:
        if key not in _TABLES + _KEYS:
            hint = near_miss(key, _TABLES + _KEYS)
            raise MappingError(f"{path}: unknown key {key!r}{hint}")
    order = table.get("card_order")
    return DeclaredMapping(
        columns={
            ours: _texts(path, f"columns.{ours}", theirs)
            for ours, theirs in _table(path, table, "columns").items()
        },
        winner_words=_words(path, table, "winner_values"),
        wager_names=_words(path, table, "wagers"),
        winning_names=_words(path, table, "winning_wagers"),
        card_order=None if order is None else _texts(path, "card_order", order),
        zone=None if "zone" not in table else _text(path, "zone", table["zone"]),
    )


def _table(path: Path, table: Mapping[str, object], key: str) -> dict[str, object]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise MappingError(f"{path}: {key}: a table is expected, such as [{key}]")
    return value


def _words(path: Path, table: Mapping[str, object], key: str) -> dict[str, str]:
    return {
        word: _text(path, f"{key}.{word}", meaning)
        for word, meaning in _table(path, table, key).items()
    }


def _text(path: Path, field: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise MappingError(f"{path}: {field}: a text is expected")
    return value


def _texts(path: Path, field: str, value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(_text(path, field, value) for value in values)
