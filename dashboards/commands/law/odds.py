"""``ladderman odds``: how likely is each outcome of a wager, and what does the house keep?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Final

import typer
from rich.console import Console

from auditors.law.interpretations import (
    OddsRounding,
    ProgressiveShare,
    SeveralRows,
    VigorishRounding,
)
from auditors.odds.deals import exact_deals
from auditors.odds.listing import Choice, ListedOdds, has_form, listed_odds, refs_named, refs_of
from auditors.settlement.rules import Rules
from auditors.settlement.terms import TermsError, WagerRef, game_section
from dashboards.documents.law.odds import OddsReport
from dashboards.errors import UsageProblem
from dashboards.options.pairs import parse_pairs
from dashboards.options.submission import SubmissionOption
from dashboards.options.terms import (
    CommissionOption,
    PaytableOption,
    ReadingOption,
    TermsRequest,
    TieOddsOption,
    build_rules,
)
from dashboards.terminal.answers import write_answer
from dashboards.terminal.console import table_console
from dashboards.terminal.formats import DocumentFormat
from dashboards.terminal.tables.odds import print_odds
from schemas.money import AmountError, parse_amount

DECKS: Final = (6, 8)
"""Numbers of decks that the games are dealt from."""

_EXAMPLE: Final = f"""
Example: ladderman odds golden_talons@player banker --decks 6 --paytable golden_talons=B

Interpretations that change the odds are listed one at a time. {ProgressiveShare.ID} (shared
jackpots), {OddsRounding.ID} (odd payments) and {VigorishRounding.ID} (rounded vigorish) turn on \
the stake or the meter and are left out: odds are those before any rounding. Under
{SeveralRows.ID}={SeveralRows.GREATEST} the meter is taken as the greatest row.
"""


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command(epilog=_EXAMPLE)
    def odds(
        *,
        wagers: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="WAGER",
                help="Wagers, such as banker, golden_talons@player or eclipse (all of a section); "
                "none: every wager, or those that the submission offers.",
            ),
        ] = None,
        decks: Annotated[
            int | None, typer.Option("--decks", help="Decks in the shoe: 6 or 8 (default 8).")
        ] = None,
        paytable: PaytableOption = None,
        commission: CommissionOption = None,
        reading: ReadingOption = None,
        tie_odds: TieOddsOption = None,
        stake: Annotated[
            str | None,
            typer.Option("--stake", help="Stake, such as 5.00, for the break-even meter."),
        ] = None,
        submission: SubmissionOption = None,
        output: Annotated[
            DocumentFormat, typer.Option("--format", help="How to write the odds.")
        ] = DocumentFormat.TABLE,
    ) -> None:
        """Compute the exact odds of a wager and the house edge."""
        request = TermsRequest(
            submission=submission,
            paytables=paytable or (),
            commission=commission,
            readings=reading or (),
            tie_odds=tie_odds,
            decks=decks,
        )
        rules = _rules(request)
        stake_minor = _stake(stake, rules.terms.currency)
        choice = _choice(rules, request)
        report = OddsReport(
            entries=_listed(rules, _refs(rules, wagers or [], choice), choice),
            decks=rules.terms.decks,
            stake_minor=stake_minor,
            currency=rules.terms.currency,
        )

        def table() -> None:
            print_odds(table_console(), rules.law, report, with_outcomes=bool(wagers))

        write_answer(report, output, table)


def _rules(request: TermsRequest) -> Rules:
    rules = build_rules(request)
    if rules.terms.decks not in DECKS:
        where = "--decks" if request.decks is not None else f"{request.submission}: decks"
        raise UsageProblem(f"{where} {rules.terms.decks}: the games are dealt from 6 or 8 decks")
    return rules


def _stake(text: str | None, currency: str) -> int | None:
    if text is None:
        return None
    try:
        stake_minor = parse_amount(text, currency)
    except AmountError as error:
        raise UsageProblem(f"--stake: {error}") from None
    if stake_minor <= 0:
        raise UsageProblem(f"--stake {text}: a stake is more than 0")
    return stake_minor


def _choice(rules: Rules, request: TermsRequest) -> Choice:
    """Say what the flags and the submission leave open."""
    filed = rules.terms.submission
    flagged = parse_pairs(request.readings, "--reading")
    return Choice(
        commission=request.commission is not None or bool(filed and filed.commission),
        tie_odds=request.tie_odds is not None or filed is not None,
        readings=frozenset({*flagged, *(filed.readings if filed else ())}),
    )


def _refs(rules: Rules, texts: Sequence[str], choice: Choice) -> list[WagerRef]:
    """Find the wagers that are asked for, each once, in the order of asking."""
    submission = rules.terms.submission
    if not texts:
        offered = submission.wagers if submission else ()
        ids = [one.id for one in offered] or list(rules.law.wagers)
        refs = [ref for id_ in ids for ref in _known(rules, id_)]
        return _defined(rules, refs) if choice.commission else refs
    found: list[WagerRef] = []
    for text in texts:
        try:
            found += refs_named(rules.law, text, submission)
        except TermsError as error:
            raise UsageProblem(str(error)) from None
    return list(dict.fromkeys(found))


def _defined(rules: Rules, refs: Sequence[WagerRef]) -> list[WagerRef]:
    """Leave out the wagers whose section does not define the chosen commission form, and say so."""
    left_out = [str(ref) for ref in refs if not has_form(rules, ref)]
    if left_out:
        form = rules.terms.commission.value
        sys.stderr.write(f"left out, not defined under commission {form}: {', '.join(left_out)}\n")
    return [ref for ref in refs if has_form(rules, ref)]


def _known(rules: Rules, wager_id: str) -> tuple[WagerRef, ...]:
    if wager_id not in rules.law.wagers:
        raise UsageProblem(f"the submission offers {wager_id}, which the law does not know")
    return refs_of(rules.law, wager_id)


def _listed(rules: Rules, refs: Sequence[WagerRef], choice: Choice) -> list[ListedOdds]:
    game = game_section(rules.law, rules.terms)
    with Console(stderr=True).status("counting all deals of a full shoe"):
        deals = exact_deals(rules.terms.decks, game)
        try:
            return list(listed_odds(rules, refs, deals, choice))
        except TermsError as error:
            raise UsageProblem(str(error)) from None
