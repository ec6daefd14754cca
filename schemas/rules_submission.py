"""The Rules Submission: what the property filed for a table, versioned by effective time.

It is written as a TOML file by people and travels whole inside ``table_opened``. Amounts and
rates are kept in the words of the filing (``"100.00"``, ``"5%"``) and read exactly where used.

Source:
    58 Pa. Code § 601a.2 (text not seen); contents by cross-reference from the sections held.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, model_validator

from schemas.filed_forms import (
    Amount,
    Currency,
    Day,
    FilingId,
    LocalTime,
    LongName,
    Name,
    OddsText,
    OffsetInstant,
    ProgressiveId,
    Rate,
    TimeZone,
)
from schemas.findings import FindingCode, Severity
from schemas.money import DEFAULT_CURRENCY, AmountError, parse_amount

SUBMISSION_SCHEMA: Final = "ladderman.rules-submission/1"
"""Name and version of this shape."""

DEFAULT_JURISDICTION: Final = "pa"
"""Under whose law a filing stands that names no jurisdiction."""

VERSION_MAX: Final = 10**9
"""Highest version of a filing: states and stores keep it in 64 bits."""

DECKS_MAX: Final = 1000
"""No filing names more decks or cover cards, nor as many less than none, however wrong it is."""


def is_default_jurisdiction(jurisdiction: str) -> bool:
    """Whether a filing need not name its jurisdiction."""
    return jurisdiction == DEFAULT_JURISDICTION


class Game(StrEnum):
    """The game or variation that a table plays."""

    MINIBACCARAT = "minibaccarat"
    """Chapter 627a."""

    BACCARAT = "baccarat"
    """Chapter 631a, the big table."""

    RISING_PHOENIX = "rising_phoenix"
    """§ 627b.4, a variation of Minibaccarat."""


class CommissionForm(StrEnum):
    """Whether Banker wins pay vigorish."""

    STANDARD = "standard"
    """Vigorish on the amount won."""

    FREE = "free"
    """No vigorish; the section's text names the Banker win that pushes instead."""


class VigorishTiming(StrEnum):
    """When vigorish changes hands."""

    TAKEN = "taken"
    """At payout; the amount due is net."""

    MARKED = "marked"
    """Marked per seat and collected later; the amount due is gross."""


class _Filed(BaseModel):
    # Whole numbers and truth values are strict in themselves, so that 8.0, "8" and true are
    # refused however the filing arrives; texts stand for enumerations, dates and tuples as JSON.
    model_config = ConfigDict(frozen=True, extra="forbid")


class Commission(_Filed):
    """How Banker wins are charged."""

    form: CommissionForm
    rate: Rate = "5%"
    """Of the amount won; no effect when the form is free."""
    timing: VigorishTiming = VigorishTiming.TAKEN


class OfferedWager(_Filed):
    """One wager that the table offers."""

    id: Name
    paytable: Name | None = None
    """Letter, where the section prints several."""
    minimum: Amount | None = None
    maximum: Amount | None = None
    layout_area: StrictBool = True
    """Whether the layout has a marked area for it."""
    odds: dict[Name, OddsText] = Field(default_factory=dict)
    """For house wagers: outcome code to odds, where they differ from the default."""


class FiledProgressive(_Filed):
    """The progressive on which a wager of the table runs."""

    id: ProgressiveId
    wager: Name
    level: StrictInt = Field(1, ge=1, le=16)
    """Which meter of the progressive, where it has several."""
    system: StrictBool = True
    """Whether the table has a progressive table game system with seat devices and lock-out."""
    linked: StrictBool = False
    """Whether several tables feed and show one meter."""
    unit: Amount
    """The permitted stake."""
    base: Amount
    """Display at the first start."""
    reset: Amount
    """Display after a hit."""
    limit: Amount | None = None
    increment_rate: Rate | None = None
    """As filed; the rates of the section's paytable hold where it is left out."""
    reserve_rate: Rate | None = None
    void_policy: Literal["reversed", "kept"] = "reversed"
    chips_counted: StrictBool = False

    @property
    def meter(self) -> str:
        """The meter as people name it: ``HP-1``, or ``HP-1 level 2`` from the second level on."""
        return self.id if self.level == 1 else f"{self.id} level {self.level}"


class Successor(_Filed):
    """A text that followed a lapsed section, as the property registered it."""

    section: Name
    """The id of the lapsed section, such as ``rising_phoenix``."""
    authority: LongName
    """Where the new text stands, such as a bulletin page."""
    from_date: Day = Field(alias="from")

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class SeverityAmounts(_Filed):
    """From which amount still out a finding about money is high or critical."""

    high_from: Amount | None = None
    """Below it a finding about money is a notice."""
    critical_from: Amount | None = None
    """From it on somebody has to act before the next coup."""


def _is_none(value: object) -> bool:
    return value is None


class RulesSubmission(_Filed):
    """What a property filed for a table: everything that settlement needs beside the law."""

    schema_name: Literal["ladderman.rules-submission/1"] = Field(SUBMISSION_SCHEMA, alias="schema")
    id: FilingId
    version: StrictInt = Field(1, ge=1, le=VERSION_MAX)
    facility: LongName = ""
    jurisdiction: Name = Field(DEFAULT_JURISDICTION, exclude_if=is_default_jurisdiction)
    """Under whose law the property plays; written only where it is not the default."""
    effective_from: OffsetInstant | None = None
    currency: Currency = DEFAULT_CURRENCY
    time_zone: TimeZone = "America/New_York"
    gaming_day_start: LocalTime = datetime.time(6, 0)
    """In the property's own zone."""
    game: Game
    decks: StrictInt = Field(8, ge=-DECKS_MAX, le=DECKS_MAX)
    cover_cards: StrictInt = Field(2, ge=-DECKS_MAX, le=DECKS_MAX)
    deal_option: Literal["face_up", "face_down"] = "face_up"
    burn_exposed_card: StrictBool = True
    hands_after_cover_card: StrictInt = Field(1, ge=0, le=10)
    late_wager_grace_ms: StrictInt = Field(0, ge=0, le=60_000)
    commission: Commission | None = None
    tie_odds: OddsText = "8 to 1"
    smallest_chip: Amount | None = None
    """Smallest chip of the tray, to which odd payouts are rounded where the filing rounds."""
    wagers: tuple[OfferedWager, ...] = Field(min_length=1, max_length=200)
    progressives: tuple[FiledProgressive, ...] = Field((), max_length=50)
    readings: dict[Name, Name] = Field(default_factory=dict)
    """Interpretation id to code, where the property departs from the default."""
    severities: dict[FindingCode, Severity] = Field(default_factory=dict)
    """Severities that the property raises."""
    severity_amounts: SeverityAmounts | None = Field(None, exclude_if=_is_none)
    """Amounts still out from which findings about money are severe, where they are lower than
    those of the catalogue. Not written where it is not filed."""
    successors: tuple[Successor, ...] = Field((), max_length=50)

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    @model_validator(mode="after")
    def _check_whole(self) -> Self:
        for field, amount in self._amounts():
            try:
                minor = parse_amount(amount, self.currency)
            except AmountError as error:
                raise ValueError(f"{field}: {error}") from None
            if field == "smallest_chip" and minor == 0:
                raise ValueError("smallest_chip: a chip is worth more than 0; leave it out")
        counted = Counter(wager.id for wager in self.wagers)
        if repeated := [id_ for id_, count in counted.items() if count > 1]:
            raise ValueError(f"wager {repeated[0]!r} is filed twice; one table offers one paytable")
        return self

    def _amounts(self) -> Iterator[tuple[str, str]]:
        if self.smallest_chip is not None:
            yield "smallest_chip", self.smallest_chip
        amounts = self.severity_amounts
        if amounts is not None:
            for name, amount in (
                ("high_from", amounts.high_from),
                ("critical_from", amounts.critical_from),
            ):
                if amount is not None:
                    yield f"severity_amounts.{name}", amount
        for wager in self.wagers:
            for name, amount in (("minimum", wager.minimum), ("maximum", wager.maximum)):
                if amount is not None:
                    yield f"wagers[{wager.id}].{name}", amount
        for progressive in self.progressives:
            for name in ("unit", "base", "reset", "limit"):
                amount = getattr(progressive, name)
                if amount is not None:
                    yield f"progressives[{progressive.meter}].{name}", amount

    @property
    def rules_version(self) -> str:
        """The filing as verdicts name it: ``RS-7`` or, from the second version on, ``RS-7/2``."""
        return self.id if self.version == 1 else f"{self.id}/{self.version}"

    def offered(self, wager_id: str) -> OfferedWager | None:
        """Find what was filed for a wager, or None where it is not offered."""
        return next((wager for wager in self.wagers if wager.id == wager_id), None)
