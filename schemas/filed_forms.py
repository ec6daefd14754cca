"""Forms of texts in a filing, and the JSON Schema that says the same.

The checks read a filing as people write it; the patterns beside them go into the published JSON
Schema, so that a device maker's validator refuses what the reader refuses. What a pattern cannot
say is said in ``feed.md``: time zones that exist, and decimals that the currency has.
"""

from __future__ import annotations

import datetime
import re
import zoneinfo
from collections.abc import Callable
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, AwareDatetime, Field, JsonValue, WrapValidator
from pydantic_core import PydanticKnownError

from schemas.money import MINOR_DIGITS, AmountError, minor_digits
from schemas.odds import ODDS_LENGTH_MAX, RATE_LENGTH_MAX, parse_odds, parse_rate
from schemas.words.day_patterns import DAY_OF_2000_TO_2199

PROGRESSIVE_ID_PATTERN: Final = "^[A-Za-z0-9][A-Za-z0-9._:/#@+=~-]{0,63}$"
"""The id of a progressive: controllers name it in their events, whose ids are written like this."""

AMOUNT_PATTERN: Final = r"^[0-9]{1,12}(\.[0-9]{1,3})?$"
"""An amount in currency units."""

_BLANKS: Final = r"\x00-\x20\x7f-\xa0\xad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
_BLANK_INSIDE: Final = _BLANKS.replace(r"\x20", r"\x1f")
PRINTED_PATTERN: Final = f"^[^{_BLANKS}]([^{_BLANK_INSIDE}]*[^{_BLANKS}])?$"
"""One line that can be printed, without outer blanks."""

FILING_ID_PATTERN: Final = f"^[^{_BLANKS}/]([^{_BLANK_INSIDE}/]*[^{_BLANKS}/])?$"
"""The same without a slash."""

RATE_FILED_PATTERN: Final = r"^ *(0*[0-9]{1,2}(\.[0-9]+)?|0*100(\.0+)?) ?%? *$"
"""A rate of 0 to 100 per cent, as people write it."""

_NUMBER: Final = r"([1-9][0-9]{0,2}(,[0-9]{3})+|[0-9]+)(\.[0-9]+)?"
_ABOVE_0: Final = r"(([1-9][0-9]{0,2}(,[0-9]{3})+|0*[1-9][0-9]*)(\.[0-9]+)?|0+\.0*[1-9][0-9]*)"


def _any_case(word: str) -> str:
    return "".join(f"[{letter.upper()}{letter}]" if letter.isalpha() else letter for letter in word)


ODDS_PATTERN: Final = (
    f"^ *({'|'.join(map(_any_case, ('push', 'loss', 'n/a', 'unpriced')))}"
    rf"|[0-9]+(\.[0-9]+)?% +{_any_case('of')} +{_any_case('progressive')}"
    f"|{_NUMBER} +to +{_ABOVE_0}( +less +vigorish)?|{_NUMBER} +for +{_ABOVE_0}) *$"
)
"""Odds as a regulation prints them."""

_TIME: Final = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?"
DAY_PATTERN: Final = f"^{DAY_OF_2000_TO_2199}$"
"""A day that the calendar has."""

LOCAL_TIME_PATTERN: Final = f"^{_TIME}$"
"""A time of day without an offset."""

OFFSET_INSTANT_PATTERN: Final = (
    f"^{DAY_OF_2000_TO_2199}[Tt ]{_TIME}([Zz]|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])$"
)
"""An instant with its offset from UTC."""


def _check_currency(code: str) -> str:
    minor_digits(code)
    return code


def check_rate(text: str) -> str:
    """Refuse what is no rate, in the words of :func:`parse_rate`."""
    parse_rate(text)
    return text


def check_odds(text: str) -> str:
    """Refuse what are no odds, in the words of :func:`parse_odds`."""
    parse_odds(text)
    return text


def _check_amount(text: str) -> str:
    # Currencies differ in digits, so the exact check is made with the currency of the filing.
    if not re.fullmatch(AMOUNT_PATTERN[1:-1], text):
        raise AmountError(f"{text[:24]!r} is no amount; write it like 100.00")
    return text


def _check_id(text: str) -> str:
    # Verdicts name the filing RS-7, or RS-7/2 from the second version on: a slash would clash.
    if not text.isprintable() or text != text.strip() or "/" in text:
        raise ValueError(f"{text[:24]!r} is no id; write it on one line, without a slash: RS-7")
    return text


def _check_progressive_id(text: str) -> str:
    if not re.fullmatch(PROGRESSIVE_ID_PATTERN[1:-1], text):
        raise ValueError(
            f"{text[:24]!r} is no id of a progressive; write letters, digits and ._:/#@+=~-: HP-1"
        )
    return text


def _check_printable(text: str) -> str:
    if not text.isprintable() or text != text.strip():
        raise ValueError(f"{text[:24]!r} is no name; write it on one line, without outer blanks")
    return text


def _check_zone(name: str) -> str:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"unknown time zone {name!r}; write it like America/New_York") from None
    return name


_T = TypeVar("_T")
_Fault = Literal["datetime_parsing", "time_parsing", "date_parsing"]
_INSTANT_ALONE: Final = re.compile(f"{DAY_OF_2000_TO_2199}[Tt ]{_TIME}")


def _fault(fault: _Fault, text: str) -> PydanticKnownError:
    if fault == "datetime_parsing" and _INSTANT_ALONE.fullmatch(text):
        return PydanticKnownError("timezone_aware")
    return PydanticKnownError(fault, {"error": "not of its form"})


def _reader(
    pattern: str, read: Callable[[str], _T], fault: _Fault
) -> Callable[[object, Callable[[object], _T]], _T]:
    """Give a validator that reads a text of one form only: a number is no time in a filing."""
    form = re.compile(pattern[1:-1])

    def read_filed(value: object, check: Callable[[object], _T]) -> _T:
        if isinstance(value, str) and form.fullmatch(value):
            return check(read(value.upper()))
        if isinstance(value, str | int | float):
            raise _fault(fault, str(value))
        return check(value)

    return read_filed


def _pattern_alone(pattern: str) -> Callable[[dict[str, JsonValue]], None]:
    """Describe a form by its pattern: the format of that name demands something else."""

    def describe(schema: dict[str, JsonValue]) -> None:
        schema.pop("format", None)
        schema["pattern"] = pattern

    return describe


def _check_local_time(time: datetime.time) -> datetime.time:
    if time.tzinfo is not None:
        raise ValueError("it is a time of the property's zone; write it without an offset")
    return time


Name: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=64, json_schema_extra={"pattern": PRINTED_PATTERN}),
    AfterValidator(_check_printable),
]
"""What the law, a layout or a filing calls something."""

LongName: TypeAlias = Annotated[
    str,
    Field(max_length=200, json_schema_extra={"pattern": f"{PRINTED_PATTERN}|^$"}),
    AfterValidator(_check_printable),
]
"""A name that may be left empty."""

FilingId: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=64, json_schema_extra={"pattern": FILING_ID_PATTERN}),
    AfterValidator(_check_id),
]
"""The id of a filing."""

ProgressiveId: TypeAlias = Annotated[
    str,
    Field(min_length=1, max_length=64, json_schema_extra={"pattern": PROGRESSIVE_ID_PATTERN}),
    AfterValidator(_check_progressive_id),
]
"""The id of a progressive."""

Amount: TypeAlias = Annotated[
    str, Field(json_schema_extra={"pattern": AMOUNT_PATTERN}), AfterValidator(_check_amount)
]
"""An amount in currency units, in the words of the filing."""

Rate: TypeAlias = Annotated[
    str,
    Field(json_schema_extra={"pattern": RATE_FILED_PATTERN, "maxLength": RATE_LENGTH_MAX}),
    AfterValidator(check_rate),
]
"""A rate in per cent, in the words of the filing."""

OddsText: TypeAlias = Annotated[
    str,
    Field(json_schema_extra={"pattern": ODDS_PATTERN, "maxLength": ODDS_LENGTH_MAX}),
    AfterValidator(check_odds),
]
"""Odds in the words of the filing or of a sign."""

Currency: TypeAlias = Annotated[
    str, Field(json_schema_extra={"enum": sorted(MINOR_DIGITS)}), AfterValidator(_check_currency)
]
"""A currency of which the product knows the minor unit."""

TimeZone: TypeAlias = Annotated[
    str,
    Field(json_schema_extra={"pattern": "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$"}),
    AfterValidator(_check_zone),
]
"""A time zone of the IANA list."""

LocalTime: TypeAlias = Annotated[
    datetime.time,
    Field(json_schema_extra=_pattern_alone(LOCAL_TIME_PATTERN)),
    AfterValidator(_check_local_time),
    WrapValidator(
        _reader(
            LOCAL_TIME_PATTERN,
            datetime.time.fromisoformat,
            "time_parsing",
        )
    ),
]
"""A time of day in the property's own zone."""

OffsetInstant: TypeAlias = Annotated[
    AwareDatetime,
    Field(json_schema_extra=_pattern_alone(OFFSET_INSTANT_PATTERN)),
    WrapValidator(
        _reader(
            OFFSET_INSTANT_PATTERN,
            datetime.datetime.fromisoformat,
            "datetime_parsing",
        )
    ),
]
"""An instant with its offset."""

Day: TypeAlias = Annotated[
    datetime.date,
    Field(json_schema_extra={"pattern": DAY_PATTERN}),
    WrapValidator(_reader(DAY_PATTERN, datetime.date.fromisoformat, "date_parsing")),
]
"""A day of the calendar."""
