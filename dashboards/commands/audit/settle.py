"""``ladderman settle``: one coup, its wagers, and what is due on each."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

import typer

from auditors.catalogue.sentences.hands import cards_sentence, result_sentence
from auditors.law.interpretations import OddsRounding, VigorishRounding
from auditors.settlement.amounts import Meter, WagerVerdict, settle_wager
from auditors.settlement.asserting import Place
from auditors.settlement.checks import base_findings, date_findings, draw_findings, offer_findings
from auditors.settlement.coup import Coup, judge_coup
from auditors.settlement.pricing import NotPayableError
from auditors.settlement.progressive_unit import progressive_unit_finding
from auditors.settlement.rules import Rules
from auditors.settlement.terms import TermsError, WagerRef, game_section, resolve_wager
from dashboards.documents.advisory import ADVISORY
from dashboards.errors import ExitCode, UsageProblem
from dashboards.options.gaming_date import gaming_date_or_today
from dashboards.options.pairs import quoted
from dashboards.options.terms import (
    CommissionOption,
    DecksOption,
    PaytableOption,
    ReadingOption,
    SubmissionOption,
    TermsRequest,
    TieOddsOption,
    build_rules,
)
from schemas.cards import Card, UnreadableCardError, parse_hand
from schemas.findings import Finding
from schemas.money import AmountError, format_minor, parse_amount

SETTLEMENT_SCHEMA: Final = "ladderman.settlement/1"
"""Name and version of the JSON document."""

_EXAMPLE: Final = """
Example: ladderman settle --player "2S 3H KD" --banker "AC 2D 5H" --wager banker=100 \\
    --wager golden_talons@player=25 --paytable golden_talons=B
"""


class SettleFormat(StrEnum):
    """In which form the settlement is written."""

    TABLE = "table"
    JSON = "json"


@dataclass(frozen=True, kw_only=True)
class Settlement:
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
            SettleFormat, typer.Option("--format", help="How to write the result.")
        ] = SettleFormat.TABLE,
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
        verdicts = _verdicts(rules, coup, stakes, meters)
        day = gaming_date_or_today(gaming_date, rules.terms.submission)  # says so, so it is last
        settled = Settlement(
            coup=coup,
            currency=rules.terms.currency,
            gaming_date=day,
            verdicts=verdicts,
            findings=_findings(rules, coup, stakes, day),
        )
        if output is SettleFormat.JSON:
            typer.echo(json.dumps(settled.as_json(), ensure_ascii=False, indent=2))
        else:
            _print_settlement(settled)
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


def _verdicts(
    rules: Rules, coup: Coup, stakes: list[tuple[WagerRef, int]], meters: dict[int, Meter]
) -> tuple[WagerVerdict, ...]:
    verdicts = []
    for number, (ref, stake) in enumerate(stakes):
        try:
            verdicts.append(settle_wager(rules, coup, ref, stake, meters.get(number)))
        except NotPayableError as error:
            raise UsageProblem(
                f"--wager {ref}: {error}; stake an even amount, or choose a policy: --reading "
                f"{VigorishRounding.ID}=… for vigorish, {OddsRounding.ID}=… for odds "
                f"(see ladderman rules show {VigorishRounding.ID})"
            ) from None
        except TermsError as error:
            # The wager is named once.
            message = str(error).removeprefix(f"{ref.id}: ")
            raise UsageProblem(f"--wager {ref}: {message}") from None
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


def _print_settlement(settled: Settlement) -> None:
    coup, money = settled.coup, lambda minor: format_minor(minor, settled.currency)
    typer.echo(f"{cards_sentence(coup.player, coup.banker)}")
    result = result_sentence(coup.player_points, coup.banker_points)
    natural = f"; natural: {coup.natural}" if coup.natural else ""
    typer.echo(f"{result}{natural}  [{settled.status}, gaming date {settled.gaming_date}]")
    for verdict in settled.verdicts:
        typer.echo("")
        stake = money(verdict.stake_minor)
        if verdict.due_minor is None:
            typer.echo(f"{verdict.ref}  stake {stake}  due open")
        else:
            due, net = money(verdict.due_minor), money(verdict.net_minor or 0)
            outcome = verdict.outcome or verdict.outcome_code
            typer.echo(f"{verdict.ref}  stake {stake}  due {due}  net {net}  {outcome}")
        typer.echo(f"  {verdict.sentence}")
        for id_, code in verdict.interpretations.items():
            typer.echo(f"  interpretation {id_} = {code}")
    for finding in settled.findings:
        typer.echo("")
        typer.echo(f"{finding.severity.value.upper()} {finding.code.value}")
        typer.echo(f"  {finding.sentence}")
    typer.echo(f"\n{ADVISORY}")
