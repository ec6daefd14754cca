"""In which lines does the demo speak? One a finding, one for the state of the floor."""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo

from auditors.catalogue import load_catalogue
from auditors.clock import instant_of
from auditors.law import wager_held
from schemas.findings import Finding, FindingCode
from schemas.money import format_minor
from schemas.records import Record
from streams.simulator.live.floor import FloorFigures

ZONE: Final = ZoneInfo("America/New_York")
"""Where the simulated floor stands."""

_PAYMENT_WORDS: Final = {
    FindingCode.WAGER_OVERPAID: "overpaid",
    FindingCode.WAGER_UNDERPAID: "underpaid",
    FindingCode.LOSER_PAID: "lost and was paid",
    FindingCode.LOSER_NOT_COLLECTED: "lost and was not collected:",
    FindingCode.VOID_NOT_REFUNDED: "not refunded:",
}


def local_time(at_us: int) -> str:
    """Write the time of day at the floor."""
    return instant_of(at_us).astimezone(ZONE).strftime("%H:%M:%S")


def finding_line(finding: Finding, record: Record) -> str:
    """Write a finding as one line: when, where, what, how much and why."""
    where = [local_time(record.occurred_at_us), finding.source or record.table_id]
    if record.coup is not None:
        where.append(f"coup {record.coup.coup_no}")
    elif finding.shoe:
        where.append(f"shoe {finding.shoe}")
    if finding.seat:
        where.append(f"seat {finding.seat}")
    return f"{' '.join(where)} {_what(finding)}"


def _what(finding: Finding) -> str:
    word = _PAYMENT_WORDS.get(finding.code)
    if word is None or finding.difference_minor is None:
        title = load_catalogue()[finding.code].title
        return f"{title} — {finding.sentence}"
    amount = _money(finding, abs(finding.difference_minor))
    basis = "; ".join(
        one
        for one in (
            finding.citation,
            f"Rules Submission {finding.rules_version}" if finding.rules_version else None,
        )
        if one
    )
    return (
        f"{_wager_title(finding)} {word} {amount} — paid {_money(finding, finding.paid_minor)}, "
        f"due {_money(finding, finding.due_minor)} ({basis})"
    )


def _wager_title(finding: Finding) -> str:
    known = wager_held(finding.wager or "")
    title = known[1].title if known else finding.wager or "Seat total"
    return f"{title} on {finding.hand.capitalize()}" if finding.hand else title


def _money(finding: Finding, minor: int | None) -> str:
    return "?" if minor is None else format_minor(minor, finding.currency)


def status_line(figures: FloorFigures, elapsed_s: float, speed: str, lag: int | None = None) -> str:
    """Write how far the floor is: coups, money settled, pace.

    Args:
        figures: How much has been played.
        elapsed_s: Seconds since it began.
        speed: The pace in words.
        lag: Events that are not folded yet; None where none can wait.
    """
    pace = figures.events / elapsed_s if elapsed_s > 0 else 0
    staked = format_minor(figures.stake_minor)
    whole, _, cents = staked.partition(".")
    return (
        f"{local_time(figures.at_us)} {figures.coups:,} coups, "
        f"{int(whole):,}.{cents} staked and settled, {pace:,.0f} events/s, {speed}"
        f"{'' if lag is None else f', lag {lag:,} events'}"
    )
