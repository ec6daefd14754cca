"""``ladderman rules``: what the law is, as held here, on a gaming date."""

from __future__ import annotations

from typing import Annotated

import typer

from auditors.law.interpretations import SupremeLoss
from auditors.law.model import Interpretation
from auditors.settlement.terms import default_terms
from dashboards.commands.help import HelpGroup
from dashboards.documents.law.lapses import lapses_on
from dashboards.documents.law.rule_names import find_rule
from dashboards.documents.law.rule_pages import (
    InterpretationPage,
    RuleList,
    SectionPage,
    section_page,
)
from dashboards.documents.law.rules import LAPSE_NOTICE_DAYS
from dashboards.options.gaming_date import GamingDateOption, gaming_date_or_today
from dashboards.options.jurisdiction import JurisdictionOption, law_named
from dashboards.options.refusals import refusals
from dashboards.options.submission import SubmissionOption
from dashboards.terminal.answers import write_answer
from dashboards.terminal.console import table_console
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.tables.lapses import print_lapses
from dashboards.terminal.tables.rules import print_interpretation, print_list, print_section
from schemas.rules_submission import DEFAULT_JURISDICTION

_FormatChoice = Annotated[FormatOption, typer.Option("--format", help="How to write the answer.")]


def register(app: typer.Typer) -> None:
    """Add ``rules list``, ``rules show`` and ``rules lapses``."""
    rules = typer.Typer(
        cls=HelpGroup,
        no_args_is_help=True,
        epilog="Example: ladderman rules list --gaming-date 2026-08-05",
        help="The law as held: sections, paytables, interpretations.",
    )
    app.add_typer(rules, name="rules")
    rules.command("list", epilog="Example: ladderman rules list --gaming-date 2026-08-05")(
        list_rules
    )
    rules.command("show", epilog="Example: ladderman rules show golden_talons")(show_rule)
    rules.command(
        "lapses", epilog="Example: ladderman rules lapses --submission RS-1.toml --within 90"
    )(list_lapses)


def list_rules(
    gaming_date: GamingDateOption = None,
    jurisdiction: JurisdictionOption = DEFAULT_JURISDICTION,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """List sections, wagers and interpretations, with what is in force on a gaming date.

    CSV holds the sections alone.
    """
    listed = RuleList(law_named(jurisdiction), gaming_date_or_today(gaming_date))
    write_answer(
        listed, output, lambda: print_list(table_console(), listed.law, listed.gaming_date)
    )


def show_rule(
    name: Annotated[
        str,
        typer.Argument(
            help="A section by id or number (golden_talons), a wager (eclipse.sun_7) or an "
            f"interpretation ({SupremeLoss.ID})."
        ),
    ],
    gaming_date: GamingDateOption = None,
    jurisdiction: JurisdictionOption = DEFAULT_JURISDICTION,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """Show a paytable with its paragraphs, one wager, or an interpretation."""
    law = law_named(jurisdiction)
    with refusals("; see ladderman rules list"):
        found = find_rule(law, name)
    if isinstance(found, Interpretation):
        page = InterpretationPage(law, found)
        write_answer(page, output, lambda: print_interpretation(table_console(), law, found))
    else:
        _write_section(section_page(law, found, gaming_date_or_today(gaming_date)), output)


def _write_section(page: SectionPage, output: FormatOption) -> None:
    def table() -> None:
        print_section(table_console(), page.law, page.section, page.wagers, page.gaming_date)

    write_answer(page, output, table)


def list_lapses(
    gaming_date: GamingDateOption = None,
    within: Annotated[
        int, typer.Option("--within", metavar="DAYS", min=0, max=36_500, help="Days ahead.")
    ] = LAPSE_NOTICE_DAYS,
    submission: SubmissionOption = None,
    jurisdiction: JurisdictionOption = DEFAULT_JURISDICTION,
    output: _FormatChoice = FormatOption.TABLE,
) -> None:
    """List printed terms that have ended or soon end, with the wagers still offered.

    Without a Rules Submission every wager of the law counts as offered.
    """
    if submission is None:
        law = law_named(jurisdiction)
        terms = default_terms(law)
    else:
        # Only here: rules list and rules show read no file of a property.
        from dashboards.options.terms import TermsRequest, build_rules

        rules = build_rules(TermsRequest(submission=submission))
        law, terms = rules.law, rules.terms
    listed = lapses_on(law, gaming_date_or_today(gaming_date), terms, within)
    write_answer(listed, output, lambda: print_lapses(table_console(), listed))
