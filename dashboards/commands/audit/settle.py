"""``ladderman settle``: one coup, its wagers, and what is due on each."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from auditors.law.interpretations import OddsRounding, VigorishRounding
from auditors.settlement.amounts import Meter
from auditors.settlement.coup import judge_coup
from auditors.settlement.rules import Rules
from auditors.settlement.terms import TermsError, WagerRef, game_section, resolve_wager
from dashboards.documents.errors import NotPayableStakeError
from dashboards.documents.law.settlement import settlement_of, verdicts_of
from dashboards.documents.texts import quoted
from dashboards.errors import ExitCode, UsageProblem
from dashboards.options.gaming_date import gaming_date_or_today
from dashboards.options.submission import SubmissionOption
from dashboards.options.terms import (
    CommissionOption,
    DecksOption,
    PaytableOption,
    ReadingOption,
    TermsRequest,
    TieOddsOption,
    build_rules,
)
from dashboards.terminal.answers import write_answer
from dashboards.terminal.formats import DocumentFormat
from dashboards.terminal.tables.settlement import print_settlement
from schemas.cards import Card, UnreadableCardError, parse_hand
from schemas.money import AmountError, format_minor, parse_amount

_POLICY: Final = (
    f"; stake an even amount, or choose a policy: --reading {VigorishRounding.ID}=… for vigorish, "
    f"{OddsRounding.ID}=… for odds (see ladderman rules show {VigorishRounding.ID})"
)

_EXAMPLE: Final = """
Example: ladderman settle --player "2S 3H KD" --banker "AC 2D 5H" --wager banker=100 \\
    --wager golden_talons@player=25 --paytable golden_talons=B
"""


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command(epilog=_EXAMPLE)
    def settle(
        player: Annotated[
            str, typer.Option("--player", help='Player cards in dealing order: "2S 3H KD".')
        ],
        banker: Annotated[
            str, typer.Option("--banker", help='Banker cards in dealing order: "AC 2D 5H".')
        ],
        wager: Annotated[
            list[str] | None,
            typer.Option("--wager", help="WAGER=STAKE or WAGER@HAND=STAKE; repeatable."),
        ] = None,
        paytable: PaytableOption = None,
        submission: SubmissionOption = None,
        gaming_date: Annotated[
            str | None, typer.Option("--gaming-date", help="Gaming date, YYYY-MM-DD.")
        ] = None,
        commission: CommissionOption = None,
        tie_odds: TieOddsOption = None,
        decks: DecksOption = None,
        reading: ReadingOption = None,
        meter: Annotated[
            str | None, typer.Option("--meter", help="Progressive meter at lock-out.")
        ] = None,
        winning_stakes: Annotated[
            str | None,
            typer.Option(
                "--winning-stakes",
                help="Stakes of all wagers that won the meter, this one included: 5,5,10.",
            ),
        ] = None,
        output: Annotated[
            DocumentFormat, typer.Option("--format", help="How to write the result.")
        ] = DocumentFormat.TABLE,
    ) -> int:
        """Settle the wagers of one coup, each with its paragraph."""
        rules = build_rules(
            TermsRequest(
                submission=submission,
                paytables=paytable or (),
                commission=commission,
                readings=reading or (),
                tie_odds=tie_odds,
                decks=decks,
            )
        )
        stakes = _read_wagers(rules, wager or [])
        game = game_section(rules.law, rules.terms)
        coup = judge_coup(_read_hand("--player", player), _read_hand("--banker", banker), game)
        meters = _read_meters(rules, stakes, meter, winning_stakes)
        try:
            verdicts = verdicts_of(rules, coup, stakes, meters)
        except NotPayableStakeError as error:
            raise UsageProblem(f"--wager {error.wager}: {error}{_POLICY * error.is_odd}") from None
        day = gaming_date_or_today(gaming_date, rules.terms.submission)  # says so, so it is last
        settled = settlement_of(rules, coup, stakes, verdicts, day)
        write_answer(settled, output, lambda: print_settlement(settled))
        return ExitCode.FOUND if settled.status == "undetermined" else ExitCode.DONE


def _read_hand(flag: str, text: str) -> tuple[Card, ...]:
    try:
        cards = parse_hand(text)
    except UnreadableCardError as error:
        raise UsageProblem(f"{flag} {quoted(text)}: {error}") from None
    if not cards:
        raise UsageProblem(f'{flag}: no card; write them in dealing order, such as "2S 3H KD"')
    return cards


def _read_wagers(rules: Rules, texts: list[str]) -> list[tuple[WagerRef, int]]:
    if not texts:
        raise UsageProblem("no wager; add --wager banker=100")
    stakes = []
    for text in texts:
        name, equals, amount = text.rpartition("=")
        if not equals or not name.strip():
            raise UsageProblem(f"--wager {quoted(text)}: write it as WAGER=STAKE, like banker=100")
        try:
            ref = resolve_wager(rules.law, name.strip(), rules.terms.submission)
            stake_minor = parse_amount(amount, rules.terms.currency)
        except (TermsError, AmountError) as error:
            raise UsageProblem(f"--wager {quoted(text)}: {error}") from None
        if stake_minor <= 0:
            raise UsageProblem(f"--wager {quoted(text)}: a stake is more than 0")
        stakes.append((ref, stake_minor))
    return stakes


def _read_meters(
    rules: Rules, stakes: list[tuple[WagerRef, int]], meter: str | None, winning: str | None
) -> dict[int, Meter]:
    """Give each wager that may win the meter its place among the winners, by its number."""
    progressive = [
        (number, stake)
        for number, (ref, stake) in enumerate(stakes)
        if rules.law.wagers[ref.id][0].progressive
    ]
    if meter is None:
        if winning is not None:
            raise UsageProblem("--winning-stakes needs --meter, the amount that they won")
        return {}
    amount = _amount("--meter", meter, rules.terms.currency)
    own = tuple(stake for _, stake in progressive)
    listed = own if winning is None else _stakes(winning, rules.terms.currency)
    meters, open_positions = {}, list(range(len(listed)))
    for number, stake in progressive:
        position = next((one for one in open_positions if listed[one] == stake), None)
        if position is None:
            shown = format_minor(stake, rules.terms.currency)
            raise UsageProblem(
                f"--winning-stakes {winning}: the stake {shown} of this wager is not among them; "
                "they are the stakes of all winners, this one included"
            )
        open_positions.remove(position)
        reset = _reset_minor(rules, stakes[number][0])
        meters[number] = Meter(amount, listed, position, reset)
    return meters


def _reset_minor(rules: Rules, ref: WagerRef) -> int | None:
    submission = rules.terms.submission
    filed = submission.progressives if submission else ()
    found = next((one.reset for one in filed if one.wager == ref.id), None)
    return parse_amount(found, rules.terms.currency) if found else None


def _amount(flag: str, text: str, currency: str) -> int:
    try:
        amount = parse_amount(text, currency)
    except AmountError as error:
        raise UsageProblem(f"{flag}: {error}") from None
    if amount <= 0:
        raise UsageProblem(f"{flag} {text}: the amount is more than 0")
    return amount


def _stakes(text: str, currency: str) -> tuple[int, ...]:
    return tuple(_amount("--winning-stakes", one, currency) for one in text.split(","))
