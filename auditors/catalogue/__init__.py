"""The catalogue of finding codes: title, explanation, subject, what to do.

It is data beside this module, so that the console, reports and the command line say the same.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from auditors.law.loading import data_texts
from schemas.findings import FindingCode, Severity

_FILE = "findings.toml"


class Lane(StrEnum):
    """In which lane of the feed a finding is shown; integrity codes live in a lane of their own."""

    DEVICES = "devices"
    """Feeds, clocks and device faults: whether the records can be relied on."""

    SHOE = "shoe"
    """The cards in the shoe."""

    DEAL = "deal"
    """How the coup was dealt and announced."""

    WAGER = "wager"
    """What was placed, and when."""

    PAYOUT = "payout"
    """What was paid and collected."""

    RULES = "rules"
    """What was filed and what is in force."""

    PROGRESSIVE = "progressive"
    """Meters, hits and contributions."""


_Sentence = Annotated[str, Field(min_length=1, pattern=r"\.$")]


class FindingDescription(BaseModel):
    """What a finding code is about, and what somebody who sees it should do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: FindingCode
    title: Annotated[str, Field(min_length=1, max_length=60)]
    subject: Annotated[str, Field(min_length=1)]
    """What one finding is about: it makes the id and the count, one finding per subject."""
    severity: Severity
    """The default; a Rules Submission may raise it, never hide the finding."""
    lane: Lane
    explanation: _Sentence
    citation: str
    """Paragraph behind the code as such; empty where only the wager's own section is cited."""
    what_to_do: _Sentence


@cache
def load_catalogue() -> Mapping[FindingCode, FindingDescription]:
    """Load the catalogue that is shipped with the product, once per process, in its order.

    Raises:
        ValueError: The file describes a code that does not exist, or leaves a field out.
    """
    table = tomllib.loads(data_texts("catalogue")[_FILE])
    rows = [{"code": code, **fields} for code, fields in table.items()]
    parsed = TypeAdapter(list[FindingDescription]).validate_python(rows)
    return MappingProxyType({entry.code: entry for entry in parsed})
