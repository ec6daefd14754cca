"""Filed terms by which coups are settled: limits, odds, readings, severities, successors."""

from __future__ import annotations

from collections.abc import Iterator

from auditors.catalogue import load_catalogue
from auditors.catalogue.consequence import default_amounts
from auditors.filings.filing import Defect, Filing, listed
from auditors.settlement.asserting import severity_of
from auditors.settlement.terms import TermsError, default_terms, with_readings
from schemas.money import grouped_minor
from schemas.odds import OddsKind, parse_odds
from schemas.words.suggestions import near_miss


def check_limits(filing: Filing) -> Iterator[Defect]:
    """Check that no minimum is above its maximum."""
    for filed, _, _ in filing.offered():
        least, most = filed.minimum, filed.maximum
        if least and most and filing.minor(least) > filing.minor(most):
            yield Defect(
                f"wagers[{filed.id}].minimum",
                f"the minimum {filing.money(least)} is above the maximum {filing.money(most)}",
                wager=filed.id,
            )


def check_odds(filing: Filing) -> Iterator[Defect]:
    """Check that filed odds price outcomes that the filing may price."""
    tie = parse_odds(filing.submission.tie_odds)
    if tie.kind is not OddsKind.TO or tie.less_vigorish:
        yield Defect("tie_odds", f"{tie.text!r} is filed; write a profit, such as 8 to 1 or 9 to 1")
    for filed, section, wager in filing.offered():
        priced = [
            outcome.code for outcome in wager.outcome if outcome.pays_from == "submission.odds"
        ]
        for code in filed.odds:
            where = f"wagers[{filed.id}].odds.{code}"
            if not priced:
                yield Defect(
                    where,
                    f"odds are filed; {wager.title} is paid as its section prints",
                    section.citation(
                        *dict.fromkeys(outcome.pays_cite for outcome in wager.outcome)
                    ),
                    filed.id,
                )
            elif code not in priced:
                yield Defect(
                    where,
                    f"{wager.title} has no outcome {code!r}; it has "
                    f"{listed(priced)}{near_miss(code, priced)}",
                    None,
                    filed.id,
                )


def check_readings(filing: Filing) -> Iterator[Defect]:
    """Check that the readings exist and can be switched."""
    plain = default_terms(filing.law)
    for id_, code in filing.submission.readings.items():
        try:
            with_readings(filing.law, plain, {id_: code})
        except TermsError as error:
            yield Defect(f"readings.{id_}", str(error).removeprefix(f"reading {id_}: "))


def check_severities(filing: Filing) -> Iterator[Defect]:
    """Check that no severity is filed below the catalogue's."""
    catalogue = load_catalogue()
    for code, filed in filing.submission.severities.items():
        default = catalogue[code].severity
        if severity_of(code, filing.submission) is not filed:
            yield Defect(
                f"severities.{code.value}",
                f"{filed.value} is filed, below {default.value} of the catalogue; a severity may "
                "be raised, never lowered",
            )


def check_severity_amounts(filing: Filing) -> Iterator[Defect]:
    """Check that amounts by which findings rank are not above those of the catalogue."""
    submission, filed = filing.submission, filing.submission.severity_amounts
    default = default_amounts(submission.currency)
    if filed is None:
        return
    for name, amount, most in (
        ("high_from", filed.high_from, default.high_from_minor),
        ("critical_from", filed.critical_from, default.critical_from_minor),
    ):
        if amount is None or most is None or filing.minor(amount) <= most:
            continue
        yield Defect(
            f"severity_amounts.{name}",
            f"{filing.money(amount)} is filed, above {grouped_minor(most, submission.currency)} of "
            "the catalogue; a severity may be raised, never lowered",
        )


def check_successors(filing: Filing) -> Iterator[Defect]:
    """Check that successors name a section and an authority."""
    for successor in filing.submission.successors:
        where = f"successors[{successor.section}]"
        if successor.section not in filing.law.sections:
            hint = near_miss(successor.section, filing.law.sections)
            yield Defect(f"{where}.section", f"no section {successor.section!r}{hint}")
        if not successor.authority.strip():
            yield Defect(f"{where}.authority", "no authority is named; say where the text stands")
