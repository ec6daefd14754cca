"""The settlement of one coup: verdicts, sentences and findings."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Final

from auditors.settlement.amounts import Meter, WagerVerdict, settle_wager
from auditors.settlement.asserting import Place
from auditors.settlement.checks import base_findings, date_findings, draw_findings, offer_findings
from auditors.settlement.coup import Coup
from auditors.settlement.pricing import NotPayableError
from auditors.settlement.progressive_unit import progressive_unit_finding
from auditors.settlement.rules import Rules
from auditors.settlement.terms import TermsError, WagerRef
from dashboards.documents.document import Document
from dashboards.documents.errors import NotPayableStakeError
from schemas.findings import Finding
from schemas.money import format_minor

SETTLEMENT_SCHEMA: Final = "ladderman.settlement/1"
"""Name and version of the JSON document."""


@dataclass(frozen=True, kw_only=True)
class Settlement(Document):
    """One coup with its verdicts and findings."""

    coup: Coup
    currency: str
    gaming_date: datetime.date
    verdicts: tuple[WagerVerdict, ...]
    findings: tuple[Finding, ...]

    @property
    def status(self) -> str:
        """``settled``, or ``undetermined`` where the draw or a wager is."""
        is_open = any(verdict.outcome is None for verdict in self.verdicts)
        return "undetermined" if is_open or not self.coup.is_determined else "settled"

    def as_json(self) -> dict[str, object]:
        """Give the document ``ladderman.settlement/1``."""
        return {
            "schema": SETTLEMENT_SCHEMA,
            "currency": self.currency,
            "gaming_date": self.gaming_date.isoformat(),
            "player_cards": [str(card) for card in self.coup.player],
            "banker_cards": [str(card) for card in self.coup.banker],
            "player_points": self.coup.player_points,
            "banker_points": self.coup.banker_points,
            "winner": self.coup.winner,
            "natural": self.coup.natural,
            "status": self.status,
            "findings": [finding.as_json() for finding in self.findings],
            "wagers": [verdict_json(verdict, self.currency) for verdict in self.verdicts],
        }


def settlement_of(
    rules: Rules,
    coup: Coup,
    stakes: list[tuple[WagerRef, int]],
    verdicts: tuple[WagerVerdict, ...],
    day: datetime.date,
) -> Settlement:
    """Put the verdicts on a coup together with what is found on a gaming date.

    Args:
        rules: The law under the terms of a property.
        coup: The coup, judged.
        stakes: The wagers with their stakes in minor units.
        verdicts: Of each wager, from :func:`verdicts_of`.
        day: The gaming date.
    """
    return Settlement(
        coup=coup,
        currency=rules.terms.currency,
        gaming_date=day,
        verdicts=verdicts,
        findings=_findings(rules, coup, stakes, day),
    )


def verdict_json(verdict: WagerVerdict, currency: str) -> dict[str, object]:
    """Give one verdict as JSON: money as decimal strings, unknown is null."""

    def money(minor: int | None) -> str | None:
        return None if minor is None else format_minor(minor, currency)

    return {
        "wager": verdict.ref.id,
        "hand": verdict.ref.hand,
        "paytable": verdict.paytable,
        "outcome": verdict.outcome,
        "outcome_code": verdict.outcome_code,
        "pays": verdict.pays,
        "stake": money(verdict.stake_minor),
        "due": money(verdict.due_minor),
        "net": money(verdict.net_minor),
        "vigorish": money(verdict.vigorish_minor),
        "citation": verdict.citation,
        "interpretations": verdict.interpretations,
        "sentence": verdict.sentence,
    }


def verdicts_of(
    rules: Rules, coup: Coup, stakes: list[tuple[WagerRef, int]], meters: dict[int, Meter]
) -> tuple[WagerVerdict, ...]:
    """Settle the wagers of one coup.

    Args:
        rules: The law under the terms of a property.
        coup: The coup, judged.
        stakes: The wagers with their stakes in minor units.
        meters: The meter of each wager that may win one, by the number of the wager.

    Raises:
        NotPayableStakeError: A stake that cannot be paid exactly, or that the terms do not know.
    """
    verdicts = []
    for number, (ref, stake) in enumerate(stakes):
        try:
            verdicts.append(settle_wager(rules, coup, ref, stake, meters.get(number)))
        except NotPayableError as error:
            raise NotPayableStakeError(str(ref), str(error), is_odd=True) from None
        except TermsError as error:
            # The wager is named once.
            message = str(error).removeprefix(f"{ref.id}: ")
            raise NotPayableStakeError(str(ref), message, is_odd=False) from None
    return tuple(verdicts)


def _findings(
    rules: Rules, coup: Coup, stakes: list[tuple[WagerRef, int]], day: datetime.date
) -> tuple[Finding, ...]:
    place = Place(currency=rules.terms.currency, rules_version=rules.terms.rules_version)
    findings = draw_findings(rules, coup, place)
    findings += date_findings(rules, (_section_of(rules, ref) for ref, _ in stakes), day, place)
    # The same wager may be given twice, so its number is part of the subject.
    numbered = [(ref, f"{number}/{ref}", stake) for number, (ref, stake) in enumerate(stakes, 1)]
    findings += base_findings(rules, [(ref, subject) for ref, subject, _ in numbered], place)
    for ref, subject, stake in numbered:
        findings += offer_findings(rules, ref, stake, subject, place)
        of_unit = progressive_unit_finding(rules, ref, stake, subject, place)
        findings += [of_unit] if of_unit else []
    return tuple(findings)


def _section_of(rules: Rules, ref: WagerRef) -> str:
    return rules.law.wagers[ref.id][0].id
