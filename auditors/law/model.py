"""Shape of the law data: one model per section, wager, outcome and interpretation.

The files in ``auditors/regulations/``, one folder a jurisdiction, are read into these models.
Nothing here decides anything: :mod:`auditors.settlement.rules` evaluates the data,
:mod:`auditors.law.loading` checks it.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from schemas.filed_forms import check_odds, check_rate
from schemas.odds import Odds, parse_odds

Scalar: TypeAlias = bool | int | str
MatchRule: TypeAlias = Literal["first", "greatest", "every"]
"""How several fitting rows of a wager are taken."""

FactRange: TypeAlias = dict[str, int]
Condition: TypeAlias = dict[str, Scalar | list[Scalar] | FactRange]
"""Fact name to one value, a list of values (or), or ``{ from = 4, to = 7 }`` (both included)."""


class LawDataError(ValueError):
    """The law data contradicts itself; the message names the file and the field."""


class UnknownJurisdictionError(ValueError):
    """No law of that jurisdiction is held; the message names those that are, or the near miss."""


OddsText = Annotated[str, AfterValidator(check_odds)]
RateText = Annotated[str, AfterValidator(check_rate)]
Cite = Annotated[str, Field(min_length=1)]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)


class Term(_Data):
    """One stretch of gaming dates in which a section is in force."""

    from_date: datetime.date | Literal["not_shown"] = Field(alias="from")
    until: datetime.date | Literal["not_shown"] | None = None
    """Last gaming date, included (interpretation D37); None: no end is printed."""
    source: str
    temporary: bool = False


class Reference(_Data):
    """Another section that the text points to."""

    section: str
    what: str = ""
    text_seen: bool = False
    deleted: datetime.date | None = None
    """First day on which the section referred to no longer existed."""


class DeletedSection(_Data):
    """A section that the Code once had, and that other sections may still point to."""

    section: str
    from_date: datetime.date = Field(alias="from")
    """First day without it."""
    source: str


class Loss(_Data):
    """What the wager comes to when no outcome occurs."""

    code: str = "loses"
    cite: str


class Outcome(_Data):
    """One way for a wager to come out, and what it pays."""

    code: str
    title: str
    when: Condition | list[Condition] = Field(default_factory=dict)
    """All facts of a table hold (and); of a list of tables, one does (or)."""
    any_wins: tuple[str, ...] = ()
    """Sibling wagers: one of their outcomes is priced as a win under the same letter."""
    any_occurs: tuple[str, ...] = ()
    """Sibling wagers: one of their outcomes occurs, whatever its price."""
    wins_cite: str
    pays: OddsText | dict[str, OddsText]
    """Odds, or odds by paytable letter."""
    pays_cite: str
    only: tuple[str, ...] = ()
    """Paytable letters whose printed table has this row; empty: all of the section's."""
    pays_from: Literal["submission.tie_odds", "submission.odds"] | None = None
    applies_if: dict[Literal["commission"], Literal["standard", "free"]] = Field(
        default_factory=dict
    )
    reading: dict[str, str] = Field(default_factory=dict)
    """Interpretation id to the code under which this outcome stands."""

    def conditions(self) -> list[Condition]:
        """Give the alternatives of ``when`` as a list, empty where the outcome has none."""
        if isinstance(self.when, list):
            return self.when
        return [self.when] if self.when else []

    def stands_under(self, letter: str | None) -> bool:
        """Say whether the printed table of a paytable letter has this row."""
        return not self.only or letter in self.only

    def odds(self, letter: str | None) -> Odds:
        """Give the printed odds under a paytable letter (None: the section has no letters)."""
        if isinstance(self.pays, str):
            return parse_odds(self.pays)
        return parse_odds(self.pays[letter or ""])


class Wager(_Data):
    """One wager of a section."""

    code: str = ""
    """Empty where the section has this wager alone; its id is then the section's."""
    title: str
    base_wager: Literal["required", "none", "not_stated"]
    base_wager_cite: str = ""
    backs: tuple[Literal["player", "banker"], ...] = ()
    """The hands that it can be placed on; empty: it backs no hand."""
    match: MatchRule = "first"
    match_reading: str | None = None
    """Interpretation whose code says how several matching rows are taken."""
    rounding_reading: str | None = None
    """Interpretation whose code says how an odd payout is rounded; None: it is never rounded."""
    settles: Literal["after_first_four", "after_result", "not_stated"] | None = None
    outcome: tuple[Outcome, ...] = Field(min_length=1)
    loses: Loss


class Offering(_Data):
    """Conditions under which a wager may be offered, each with its paragraph; empty: none."""

    rules_submission: str = ""
    decks: tuple[int, ...] = ()
    decks_cite: str = ""
    cover_cards: int | None = None
    cover_cards_cite: str = ""
    layout_area: str = ""
    no_more_bets: str = ""
    """Paragraph that ends placing at the call, or the lock-out."""
    lock_out: str = ""
    commission_choice: str = ""
    one_paytable: str = ""
    """Paragraph that makes the letter belong to the whole package."""
    progressive_system: str = ""


class ProgressiveRates(_Data):
    """Rates of increment by paytable letter."""

    cite: Cite
    award_cite: Cite
    """Paragraph by which the meter is paid."""
    increment: dict[str, RateText]
    reserve: dict[str, RateText]


class Tableau(_Data):
    """When a third card is drawn."""

    player_draws: tuple[int, ...]
    banker_draws_if_player_stands: tuple[int, ...]
    banker_draws_on_third_card: dict[str, tuple[int, ...]]
    """Banker's points to the values of the Player's third card on which the Banker draws."""


class GameCites(_Data):
    """Paragraphs of a main game's chapter, as far as cross-references show them."""

    deal: Cite
    third_card: Cite
    result: Cite
    wagers: Cite
    odds: Cite
    shoe: Cite
    irregularities: Cite


class Citations(_Data):
    """What findings cite that concern no one section, whole; None: such findings cite nothing."""

    contributions: Cite | None = None
    """How much of a wager goes to the meter."""
    lock_out: Cite | None = None
    """No wager on the meter after the lock-out."""
    meters: Cite | None = None
    """What a progressive has to show and keep."""
    linked_meters: Cite | None = None
    """The same, of one that several tables share."""
    linked_system: Cite | None = None
    """What follows the paragraph of a section that asks for a system where tables are linked."""
    meter_won: Cite | None = None
    """By what a meter is paid where no filing says under which section a table plays."""
    meter_reset: Cite | None = None
    """To what it returns there."""


class Jurisdiction(_Data):
    """What the sections of one jurisdiction have in common."""

    title: str
    code: str
    """How a citation of its sections begins: ``58 Pa. Code``."""
    authority_example: str
    """How the publication of a text is cited there: ``54 Pa.B. 0000``."""
    citations: Citations = Citations()


class Section(_Data):
    """One section of the Code (or the house's own rules): what it offers, when, and how it pays."""

    id: str
    section: str
    """Citation up to the section number: ``58 Pa. Code § 627b.5``."""
    title: str
    kind: Literal["main", "side", "house"]
    chapter: str
    text_seen: bool = True
    in_force: tuple[Term, ...] = Field(min_length=1)
    applies_to: tuple[str, ...]
    """Chapters of the games at which it may be offered."""
    settles: Literal["after_first_four", "after_result", "not_stated"]
    settles_cite: str = ""
    paytables: tuple[str, ...] = ()
    offering: Offering = Offering()
    refers_to: tuple[Reference, ...] = ()
    progressive: ProgressiveRates | None = None
    tableau: Tableau | None = None
    cites: GameCites | None = None
    wager: tuple[Wager, ...] = ()
    played_as: str | None = None
    """The main game whose third-card rules this variation plays by."""
    wagers_of: str | None = None
    """Another section whose wagers stand here too, in the same paragraphs."""
    cite_map: dict[str, str] = Field(default_factory=dict)
    """For ``wagers_of``: paragraphs that are numbered differently here."""
    notes: tuple[str, ...] = ()

    def wager_id(self, wager: Wager) -> str:
        """Give a wager's stable id: ``section.wager``, or the section's where it is alone."""
        return f"{self.id}.{wager.code}" if wager.code else self.id

    def citation(self, *paragraphs: str) -> str | None:
        """Cite paragraphs of this section in one string; None for the house's own rules.

        >>> section.citation("(e)(1)", "(f)")  # doctest: +SKIP
        '58 Pa. Code § 627b.5(e)(1), (f)'
        """
        if self.kind == "house":
            return None
        distinct = [paragraph for paragraph in dict.fromkeys(paragraphs) if paragraph]
        head = self.section + (" " if self.section.endswith(")") else "")
        seen = "" if self.text_seen else " (text not seen)"
        return (head + ", ".join(distinct)).strip() + seen


class InterpretationKind(StrEnum):
    """Who decides a question that the text leaves open."""

    TEXT = "text"
    """The text itself; not switchable."""

    OPEN = "open"
    """Open; switchable per property."""

    HOUSE_PROCEDURE = "house_procedure"
    """The house's procedure; switchable per property."""

    LEGAL_STATUS = "legal_status"
    """A question of what is in force; not switchable."""


class Interpretation(_Data):
    """One question that the text leaves open, and how it is answered."""

    id: str
    kind: InterpretationKind
    question: str
    answer: str
    """The default answer in words."""
    reason: str
    codes: dict[str, str] = Field(default_factory=dict)
    """Coded alternatives with their meaning, the default first; with fewer than two it cannot be
    switched."""
    sections: tuple[str, ...]

    @property
    def default(self) -> str | None:
        """The code in force where nothing else is filed; None where it has no codes."""
        return next(iter(self.codes), None)


@dataclass(frozen=True)
class Law:
    """All sections and interpretations held, validated against each other."""

    sections: dict[str, Section]
    wagers: dict[str, tuple[Section, Wager]]
    """Wager id to its section and data, in the order of the sections."""
    interpretations: dict[str, Interpretation]
    audit_epoch: int
    id: str
    """Name of the jurisdiction's folder: ``pa``."""
    jurisdiction: Jurisdiction
    digest: str
    """SHA-256 over the law files, so that a verdict can name the very data it rests on."""
    deleted: dict[str, DeletedSection] = field(default_factory=dict)
    """Section number (``627b.2``) to what is known of its deletion."""

    def default_readings(self) -> dict[str, str]:
        """Give interpretation id to default code, for those that have codes."""
        return {
            interpretation.id: interpretation.default
            for interpretation in self.interpretations.values()
            if interpretation.default
        }
