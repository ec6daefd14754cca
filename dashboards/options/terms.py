"""Options that say under which terms to settle, audit or compute odds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Final

import typer

from auditors.law import Law, UnknownJurisdictionError, load_law
from auditors.law.interpretations import SupremeLoss
from auditors.settlement.rules import Rules
from auditors.settlement.terms import Terms, TermsError, default_terms, terms_of, with_readings
from dashboards.errors import UsageProblem
from dashboards.options.pairs import parse_pairs
from schemas.odds import OddsError, OddsKind, format_percent, parse_odds
from schemas.rules_submission import CommissionForm
from schemas.words.suggestions import near_miss
from streams.files.submission_files import SubmissionFileError, read_submission

_EXAMPLE: Final = f"{SupremeLoss.ID}={SupremeLoss.DEFINITION_EVENTS}"

PaytableOption = Annotated[
    list[str] | None,
    typer.Option("--paytable", help="Paytable letter, such as golden_talons=B; repeatable."),
]
CommissionOption = Annotated[
    str | None, typer.Option("--commission", help="4, 5 (per cent of the amount won) or free.")
]
ReadingOption = Annotated[
    list[str] | None,
    typer.Option("--reading", help=f"Switch an interpretation, such as {_EXAMPLE}."),
]
TieOddsOption = Annotated[
    str | None, typer.Option("--tie-odds", help='Odds of the Tie wager, such as "9 to 1".')
]
DecksOption = Annotated[int | None, typer.Option("--decks", help="Decks in the shoe.")]

DECKS_MAX = 12
"""More decks than any shoe holds."""


@dataclass(frozen=True, kw_only=True)
class TermsRequest:
    """The terms as flags; what is left out comes from the submission or the stated defaults."""

    submission: Path | None = None
    paytables: Sequence[str] = field(default_factory=tuple)
    commission: str | None = None
    readings: Sequence[str] = field(default_factory=tuple)
    tie_odds: str | None = None
    decks: int | None = None


def build_rules(request: TermsRequest) -> Rules:
    """Put the law under the terms that were asked for.

    A flag that departs from the submission is a what-if, and the rules version of every verdict
    says so.

    Raises:
        UsageProblem: A file, letter, form, reading or number that cannot be.
    """
    try:
        law, filed = _filed(request)
        terms = with_readings(law, filed, parse_pairs(request.readings, "--reading"))
    except (TermsError, SubmissionFileError) as error:
        raise UsageProblem(str(error)) from None
    terms = _with_paytables(law, terms, parse_pairs(request.paytables, "--paytable"))
    terms = _with_commission(terms, request.commission)
    terms = _with_tie_odds(terms, request.tie_odds)
    if request.decks is not None:
        if not 1 <= request.decks <= DECKS_MAX:
            raise UsageProblem(f"--decks {request.decks}: a shoe holds 1 to {DECKS_MAX}, 6 or 8")
        terms = replace(terms, decks=request.decks)
    return Rules(law, replace(terms, what_if=_departures(filed, terms)))


def _filed(request: TermsRequest) -> tuple[Law, Terms]:
    """Give the law of the filing's jurisdiction and the terms that it files."""
    if request.submission is None:
        law = load_law()
        return law, default_terms(law)
    submission = read_submission(request.submission)
    try:
        law = load_law(submission.jurisdiction)
        return law, terms_of(law, submission)
    except UnknownJurisdictionError as error:
        raise UsageProblem(f"{request.submission}: jurisdiction: {error}") from None
    except TermsError as error:
        raise UsageProblem(f"{request.submission}: {error}") from None


def _with_paytables(law: Law, terms: Terms, pairs: dict[str, str]) -> Terms:
    """Choose letters; one letter holds for all wagers of a section's package."""
    letters, chosen = dict(terms.letters), dict[str, str]()
    for name, letter in pairs.items():
        section = law.sections.get(name)
        if section is None and name in law.wagers:
            section = law.wagers[name][0]
        if section is None:
            known = [one.id for one in law.sections.values() if one.paytables]
            raise UsageProblem(f"--paytable {name}: no such section{near_miss(name, known)}")
        if not section.paytables:
            raise UsageProblem(f"--paytable {name}: the section prints one paytable, no letters")
        if letter.upper() not in section.paytables:
            choices = ", ".join(section.paytables)
            raise UsageProblem(f"--paytable {name}={letter}: the section prints {choices}")
        other = chosen.setdefault(section.id, letter.upper())
        if other != letter.upper():
            raise UsageProblem(
                f"--paytable {name}={letter}: {section.id} has {other} already; "
                "one letter holds for the whole package"
            )
        for key in [key for key in letters if key.partition(".")[0] == section.id]:
            del letters[key]
        letters[section.id] = letter.upper()
    return replace(terms, letters=letters)


def _with_commission(terms: Terms, text: str | None) -> Terms:
    if text is None:
        return terms
    form = text.strip().rstrip("%").strip().lower()
    if form == "free":
        return replace(terms, commission=CommissionForm.FREE)
    if form not in ("4", "5"):
        raise UsageProblem(f"--commission {text}: write 4, 5 or free")
    return replace(
        terms, commission=CommissionForm.STANDARD, vigorish_rate=Fraction(int(form), 100)
    )


def _with_tie_odds(terms: Terms, text: str | None) -> Terms:
    if text is None:
        return terms
    try:
        odds = parse_odds(text)
    except OddsError as error:
        raise UsageProblem(f"--tie-odds: {error}") from None
    if odds.kind is not OddsKind.TO or odds.less_vigorish:
        raise UsageProblem(f'--tie-odds {text}: write a profit, such as "8 to 1" or "9 to 1"')
    return replace(terms, tie_odds=odds)


def _departures(filed: Terms, asked: Terms) -> tuple[str, ...]:
    """Name what the flags changed of a filed submission; nothing without one."""
    if filed.submission is None:
        return ()
    changed = [
        f"reading {id_}={code}"
        for id_, code in asked.readings.items()
        if filed.readings.get(id_) != code
    ]
    changed += [
        f"paytable {section_id}={letter}"
        for section_id, letter in asked.letters.items()
        if "." not in section_id and _package(filed, section_id) != {letter}
    ]
    forms = [(one.commission, one.vigorish_rate) for one in (filed, asked)]
    if forms[0] != forms[1]:
        is_free = asked.commission is CommissionForm.FREE
        changed.append(f"commission {'free' if is_free else format_percent(asked.vigorish_rate)}")
    if filed.tie_odds != asked.tie_odds:
        changed.append(f"tie odds {asked.tie_odds}")
    if filed.decks != asked.decks:
        changed.append(f"decks {asked.decks}")
    return tuple(changed)


def _package(terms: Terms, section_id: str) -> set[str]:
    """Give the letters that were chosen for the wagers of a section."""
    return {
        letter for name, letter in terms.letters.items() if name.partition(".")[0] == section_id
    }
