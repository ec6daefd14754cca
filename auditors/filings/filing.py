"""The filing beside the law, as every check of a Rules Submission sees it."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from auditors.law.model import Law, Section, Wager
from auditors.settlement.terms import filed_game, is_game
from schemas.money import grouped_minor, parse_amount
from schemas.odds import format_percent, parse_rate
from schemas.rules_submission import OfferedWager, RulesSubmission


@dataclass(frozen=True, slots=True)
class Defect:
    """One contradiction between a filing and the law."""

    where: str
    """Where it stands in the filing: ``wagers[golden_talons].paytable``."""
    problem: str
    """What does not fit, as a clause without a mark at its end."""
    citation: str | None = None
    wager: str | None = None
    readings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Filing:
    """A submission beside the law that it is read against."""

    law: Law
    submission: RulesSubmission
    gaming_date: datetime.date | None

    @property
    def game(self) -> Section:
        """The section of the game that the table is filed to play."""
        return filed_game(self.law, self.submission)

    def offered(self) -> Iterator[tuple[OfferedWager, Section, Wager]]:
        """Give the filed wagers that the law knows, in filed order."""
        for filed in self.submission.wagers:
            if filed.id in self.law.wagers:
                yield filed, *self.law.wagers[filed.id]

    def sections(self) -> tuple[Section, ...]:
        """Give the game's section and those of the wagers that fit the game, each once."""
        fitting = (section for _, section, _ in self.offered() if self.fits(section))
        return tuple({section.id: section for section in (self.game, *fitting)}.values())

    def fits(self, section: Section) -> bool:
        """Whether a section's wagers may be offered at the game that is filed."""
        if is_game(self.law, section.id):
            return section.id == self.game.id
        return self.game.chapter in section.applies_to

    def wager_name(self, wager_id: str | None) -> str | None:
        """Name a wager as its section prints it, with the section where that says more."""
        if wager_id is None or wager_id not in self.law.wagers:
            return None
        section, wager = self.law.wagers[wager_id]
        is_plain = section.kind != "side" or wager.title == section.title
        return wager.title if is_plain else f"{section.title}, {wager.title}"

    def letter(self, filed: OfferedWager) -> str | None:
        """Give a wager's filed letter where its section prints it."""
        section, _ = self.law.wagers[filed.id]
        return filed.paytable if filed.paytable in section.paytables else None

    def minor(self, amount: str) -> int:
        """Read a filed amount, in minor units."""
        return parse_amount(amount, self.submission.currency)

    def money(self, amount: str) -> str:
        """Write a filed amount with the currency's digits and a comma between thousands."""
        return grouped_minor(self.minor(amount), self.submission.currency)


def count(number: int, noun: str) -> str:
    """Say how many are filed: ``7 decks are``."""
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"


def either(numbers: Iterable[int]) -> str:
    """Join alternatives: ``6 or 8``."""
    return " or ".join(str(number) for number in numbers)


def listed(words: Iterable[str]) -> str:
    """Join words: ``A, B and C``."""
    *head, last = list(words) or ["nothing"]
    return f"{', '.join(head)} and {last}" if head else last


def percent(rate: str) -> str:
    """Write a filed rate in per cent."""
    return format_percent(parse_rate(rate))
