"""The settlement of one coup, for people."""

from __future__ import annotations

import typer

from auditors.catalogue.sentences.hands import cards_sentence, result_sentence
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.law.settlement import Settlement
from schemas.money import grouped_minor


def print_settlement(settled: Settlement) -> None:
    """Write the coup, every wager with its sentence, and the findings."""
    coup = settled.coup

    def money(minor: int) -> str:
        return grouped_minor(minor, settled.currency)

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
