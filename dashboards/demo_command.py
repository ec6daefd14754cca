"""``ladderman demo``: a small table of our own making is audited, planted faults and all."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

import typer

from auditors.rounds.mapping import DeclaredMapping
from dashboards.audit_command import AuditRequest, findings_of, open_file
from dashboards.audit_output import FileSummary, TableWriter
from dashboards.errors import ExitCode
from dashboards.terms_options import TermsRequest, build_rules

PAYTABLES: Final = ("golden_talons=B",)
"""Paytable letters of the demo's table."""

_EXAMPLE: Final = "Example: ladderman demo"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command(epilog=_EXAMPLE)
    def demo() -> int:
        """Audit a small simulated table with planted faults, and compare found with planted."""
        rounds = files("dashboards") / "demo" / "rounds.csv"
        planted = _planted(rounds.read_text(encoding="utf-8"))
        with as_file(rounds) as path:
            found = _audit(path)
        return _compare(planted, found)


def _planted(text: str) -> Counter[str]:
    """Count the faults that the file itself says were planted, by code."""
    rows = csv.DictReader(io.StringIO(text))
    return Counter(code for row in rows for code in row["planted"].split())


def _audit(path: Path) -> Counter[str]:
    typer.echo("SIMULATED table: every round below is made up, and its faults were planted.\n")
    request = AuditRequest.of(build_rules(TermsRequest(paytables=PAYTABLES)), DeclaredMapping())
    writer, summary = TableWriter(sys.stdout), FileSummary("rounds.csv")
    with ExitStack() as stack:
        opened = open_file(stack, request, str(path), shown_as=summary.file)
        for finding in findings_of(request, *opened, summary):
            writer.write(finding)
    writer.close([summary])
    return summary.findings


def _compare(planted: Counter[str], found: Counter[str]) -> ExitCode:
    typer.echo(f"\nSIMULATED: {planted.total()} faults planted, {found.total()} findings.")
    differing = sorted(code for code in planted | found if planted[code] != found[code])
    for code in differing:
        typer.echo(f"  {code}: {planted[code]} planted, {found[code]} found")
    return ExitCode.FOUND if differing else ExitCode.DONE
