"""Texts and numbers that may stand in an event, every one bounded, so that state can be.

Each type here is used by several events. The patterns are written so that Rust, ECMAScript and
Python read them alike: they go into the published JSON Schema as they stand.
"""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from schemas.money import MINOR_MAX
from schemas.words.day_patterns import DAY_OF_2000_TO_2199

SEQUENCE_MAX: Final = 2**53 - 1
"""Highest sequence: the highest integer that every JSON reader keeps exactly."""

SOURCE_PATTERN: Final = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
"""Names of sources and feeds; they also serve as keys and file names."""

ID_PATTERN: Final = "^[A-Za-z0-9][A-Za-z0-9._:/#@+=~-]{0,63}$"
"""Every other id, seat or pseudonym."""

HASH_PATTERN: Final = "^[0-9a-f]{64}$"
"""A SHA-256 in hexadecimal, small letters."""

CARD_PATTERN: Final = "^([A2-9TJQK][CDHS]?|0)$"
"""One card in the product's notation."""

WAGER_PATTERN: Final = r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)?(@(player|banker))?$"
"""A wager as people name it."""

CODE_PATTERN: Final = "^[a-z][a-z0-9_]{0,63}$"
"""The code of an outcome."""

LETTER_PATTERN: Final = "^[A-Z]$"
"""The letter of a paytable."""

TEXT_PATTERN: Final = (
    r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]{1,200}$"  # no controls
)
"""Words for people, on one line."""

EXACT_PATTERN: Final = r"^(0|[1-9][0-9]{0,11})(\.[0-9]{1,12})?$"
"""An exact amount of currency units; fractions of a cent are allowed."""

SIGNED_EXACT_PATTERN: Final = r"^-?(0|[1-9][0-9]{0,11})(\.[0-9]{1,12})?$"
"""The same with a sign."""

RATE_PATTERN: Final = r"^(0?[0-9]{1,2}(\.[0-9]{1,12})?|100(\.0{1,12})?)%$"
"""A rate of 0 to 100 per cent."""

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)

_TIME_PATTERN: Final = "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{6}Z"
# The reader looks at digits alone and then asks the calendar: that is faster for every event.
_DATE: Final = re.compile("2[01][0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_INSTANT: Final = re.compile(_DATE.pattern + _TIME_PATTERN)
_INSTANT_ADVICE: Final = (
    "write UTC of the years 2000 to 2199 with six decimals and Z, "
    "such as 2025-06-07T22:00:41.123456Z"
)
_DATE_ADVICE: Final = (
    "write the gaming date as YYYY-MM-DD, such as 2025-06-07, in the years 2000 to 2199"
)


def _instant(value: object) -> datetime.datetime:
    if isinstance(value, str):
        if _INSTANT.fullmatch(value) is None:
            raise ValueError(_INSTANT_ADVICE)
        try:
            return datetime.datetime.fromisoformat(value)
        except ValueError:
            raise ValueError("the calendar has no such day") from None
    if not isinstance(value, datetime.datetime) or value.utcoffset() != datetime.timedelta(0):
        raise ValueError(_INSTANT_ADVICE)
    if not 2000 <= value.year < 2200:
        raise ValueError("the year lies outside 2000 to 2199")
    return value.replace(tzinfo=datetime.UTC)


def _gaming_date(value: object) -> datetime.date:
    if isinstance(value, str):
        if _DATE.fullmatch(value) is None:
            raise ValueError(_DATE_ADVICE)
        try:
            return datetime.date.fromisoformat(value)
        except ValueError:
            raise ValueError("the calendar has no such day") from None
    if not isinstance(value, datetime.date) or isinstance(value, datetime.datetime):
        raise ValueError(_DATE_ADVICE)
    if not 2000 <= value.year < 2200:
        raise ValueError("the year lies outside 2000 to 2199")
    return value


def microseconds_of(value: datetime.datetime) -> int:
    """Give an instant as microseconds since 1970 UTC."""
    return (value - _EPOCH) // _MICROSECOND


def format_instant(value: datetime.datetime) -> str:
    """Write a UTC instant in the one form of the wire: six decimals and ``Z``."""
    return value.isoformat(timespec="microseconds")[:26] + "Z"


Instant: TypeAlias = Annotated[
    datetime.datetime,
    PlainValidator(_instant),
    PlainSerializer(format_instant, return_type=str, when_used="json"),
    WithJsonSchema(
        {
            "type": "string",
            "format": "date-time",
            "pattern": f"^{DAY_OF_2000_TO_2199}{_TIME_PATTERN}$",
        }
    ),
]
"""A UTC instant with microseconds, years 2000 to 2199."""

GamingDate: TypeAlias = Annotated[
    datetime.date,
    PlainValidator(_gaming_date),
    PlainSerializer(datetime.date.isoformat, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date", "pattern": f"^{DAY_OF_2000_TO_2199}$"}),
]
"""An accounting day, years 2000 to 2199."""

SourceId: TypeAlias = Annotated[str, Field(pattern=SOURCE_PATTERN)]
"""Name of a source or feed."""

Sequence: TypeAlias = Annotated[int, Field(ge=1, le=SEQUENCE_MAX)]
"""Number of an event in its feed."""

HashText: TypeAlias = Annotated[str, Field(pattern=HASH_PATTERN)]
"""SHA-256, 64 hexadecimal digits."""

Id: TypeAlias = Annotated[str, Field(pattern=ID_PATTERN)]
"""Id of a thing, a seat, or a keyed pseudonym of a person."""

Words: TypeAlias = Annotated[str, Field(pattern=TEXT_PATTERN, max_length=200)]
"""Free text for people: one line of at most 200 characters."""

Hand: TypeAlias = Literal["player", "banker"]
"""One of the two hands."""

CardText: TypeAlias = Annotated[str, Field(pattern=CARD_PATTERN)]
"""``TD``, ``T`` where no suit is read, ``0`` where only the value zero is."""

CardCounts: TypeAlias = Annotated[
    dict[CardText, Annotated[int, Field(ge=1, le=1000)]], Field(max_length=64)
]
"""Card to how many of it: ``{"AS": 8}``."""

WagerName: TypeAlias = Annotated[str, Field(pattern=WAGER_PATTERN, max_length=64)]
"""``golden_talons@player``, ``rising_phoenix.sun_7``, ``banker``."""

OutcomeCode: TypeAlias = Annotated[str, Field(pattern=CODE_PATTERN)]
"""Code of an outcome of a paytable."""

PaytableLetter: TypeAlias = Annotated[str, Field(pattern=LETTER_PATTERN)]
"""Letter of a paytable."""

Points: TypeAlias = Annotated[int, Field(ge=0, le=9)]
"""Point count of a hand."""

Stake: TypeAlias = Annotated[int, Field(ge=1, le=MINOR_MAX)]
"""A stake in minor units."""

Minor: TypeAlias = Annotated[int, Field(ge=0, le=MINOR_MAX)]
"""An amount in minor units of the currency that the rules submission states."""

SignedMinor: TypeAlias = Annotated[int, Field(ge=-MINOR_MAX, le=MINOR_MAX)]
"""A change in minor units."""

ExactAmount: TypeAlias = Annotated[str, Field(pattern=EXACT_PATTERN)]
"""An exact decimal amount in currency units, such as ``12345.6785``."""

SignedExactAmount: TypeAlias = Annotated[str, Field(pattern=SIGNED_EXACT_PATTERN)]
"""An exact decimal change in currency units."""

RateText: TypeAlias = Annotated[str, Field(pattern=RATE_PATTERN)]
"""A rate in per cent, such as ``15%`` or ``1.57%``."""

Count: TypeAlias = Annotated[int, Field(ge=0, le=10**12)]
"""How many."""

CardCount: TypeAlias = Annotated[int, Field(ge=0, le=1000)]
"""How many cards."""

ClockOffset: TypeAlias = Annotated[int, Field(ge=-86_400_000_000, le=86_400_000_000)]
"""Microseconds, at most a day either way."""

PEOPLE_MAX: Final = 4
"""At most so many people sign one record."""

People: TypeAlias = Annotated[tuple[Id, ...], Field(max_length=PEOPLE_MAX)]
"""Keyed pseudonyms of the people who signed."""
