"""Progressives for people: meters, readings, hits and liabilities as tables."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from rich.console import Console

from auditors.progressive.hits.pack import review_reasons
from auditors.progressive.ledger.amounts import exact_text
from auditors.progressive.ledger.double_entry import NOTHING, DayLiability, day_liability, together
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.history.meters import LiabilityPage, MeterList, ProgressivePage
from dashboards.documents.instants import moment
from dashboards.terminal.console import add_row, plain_table, table_console, write_line
from schemas.money import grouped_minor
from schemas.progressive_rows import DayRow, HitRow, LedgerRow, ReadingRow
from schemas.records import Record
from schemas.words.counting import counted


def print_progressives(listed: MeterList) -> None:
    """Write one line for each level of each progressive."""
    levels, zones = listed.levels, listed.zones
    console = _begun(listed.is_simulated)
    write_line(console, counted(len(levels), "meter"))
    table = plain_table("progressive", "level", "as of", "display", "reserve", "tables", "pending")
    for record, row in levels:
        add_row(
            table,
            record.table_id,
            str(row.level),
            moment(row.as_of_us, zones[record.table_id]),
            f"{row.display_shown} {record.currency}",
            row.reserve,
            str(len(row.tables)),
            str(row.pending_count or ""),
        )
    if levels:
        console.print(table)
    _end(console)


def print_progressive(shown: ProgressivePage) -> None:
    """Write everything about one progressive."""
    console = _begun(shown.is_simulated)
    for record, row in shown.levels:
        _print_level(console, shown, record, row)
    _print_readings(console, shown)
    for record, hit in shown.hits:
        _print_hit(console, shown.zone, record, hit)
    write_line(console, counted(len(shown.findings), "finding"))
    for finding in shown.findings:
        write_line(console, f"{finding.severity.value.upper()} {finding.code.value}", indent=2)
        write_line(console, finding.sentence, indent=6)
    _end(console)


def _print_level(console: Console, shown: ProgressivePage, record: Record, row: LedgerRow) -> None:
    currency = record.currency
    as_of = moment(row.as_of_us, shown.zone)
    title = f"{shown.progressive_id} level {row.level}, up to {as_of} ({shown.zone})"
    write_line(console, title, style="bold")
    facts = plain_table("", "")
    facts.show_header = False
    for name, value in (
        ("display", f"{row.display_shown} {currency}, exactly {row.display}"),
        ("reserve", row.reserve),
        ("overflow", f"{row.overflow}, limit {row.limit or 'none'}"),
        ("base, reset", f"{row.base}, {row.reset}"),
        ("in", f"{counted(row.in_count, 'wager')}, {grouped_minor(row.coin_in_minor, currency)}"),
        (
            "voided",
            f"{counted(row.voided_count, 'wager')}, {grouped_minor(row.voided_minor, currency)}",
        ),
        ("hits, wins", f"{row.hits_count:,}, {grouped_minor(row.wins_minor, currency)}"),
        ("house-funded", row.house_funded),
        ("rules", record.rules_version or "none filed"),
    ):
        add_row(facts, name, value)
    for table, increment, reserve in row.tables:
        add_row(facts, "table", f"{table}: {increment} display, {reserve} reserve")
    for one in row.received:
        level = "" if one.from_level == 1 else f" level {one.from_level}"
        add_row(
            facts,
            "received",
            f"{one.display} of the display and {one.reserve} of the reserve of "
            f"{one.from_progressive_id}{level} by transfer {one.transfer_id}, "
            f"{moment(one.at_us, shown.zone)}",
        )
    if row.checks_on:
        add_row(facts, "checks on", ", ".join(row.checks_on))
    for check, reason in row.checks_off:
        add_row(facts, "check off", f"{check}: {reason}")
    console.print(facts)
    write_line(console)


def _print_readings(console: Console, shown: ProgressivePage) -> None:
    pending = sum(row.state == "pending" for _, row in shown.readings)
    waiting = f", {pending:,} of them pending" if pending else ""
    write_line(console, f"latest readings: {len(shown.readings):,}{waiting}")
    if not shown.readings:
        write_line(console)
        return
    table = plain_table("at", "event", "display", "reserve", "in", "judgement")
    for record, row in shown.readings:
        where = f" at {row.showing_table_id}" if row.showing_table_id else ""
        add_row(
            table,
            moment(record.occurred_at_us, shown.zone),
            str(row.sequence),
            row.display + where,
            row.reserve,
            f"{row.in_count:,}",
            judgement(row),
        )
    console.print(table)
    write_line(console)


def judgement(row: ReadingRow) -> str:
    """Say what became of a reading, and by how much it is off."""
    if row.state == "pending":
        return "pending"
    if row.is_arithmetic_right is None and row.is_complete is None:
        words = ["not judged"]
    else:
        words = []
        if row.is_arithmetic_right is False:
            more = [(one.meter, one.read, one.for_counted) for one in row.compared]
            words.append(f"meters differ from what was counted{_apart(more)}")
        if row.is_complete is False:
            more = [(one.meter, one.for_counted, one.for_accepted) for one in row.compared]
            words.append(f"not all counted as accepted{_apart(more)}")
        elif row.is_complete is None:
            words.append("not known yet whether all was counted")
    agrees = "; ".join(words) or "agrees"
    return f"{agrees}, without {', '.join(row.left_out)}" if row.left_out else agrees


def _apart(pairs: list[tuple[str, str, str]]) -> str:
    """Say by how much display and reserve are more or less than they should be."""
    words = []
    for meter, has, due in pairs:
        if meter in ("display", "reserve") and (more := Decimal(has) - Decimal(due)):
            words.append(f"{meter} {abs(more):f} {'more' if more > 0 else 'less'}")
    return f": {', '.join(words)}" if words else ""


def _print_hit(console: Console, zone: str, record: Record, row: HitRow) -> None:
    when = moment(row.locked_at_us or record.occurred_at_us, zone)
    reasons = review_reasons(row)
    review = f", for review: {'; '.join(reasons)}" if reasons else ""
    name = row.hit_id or "not named by the controller"
    write_line(console, f"hit {name} {when}, {row.state}{review}")
    cards = row.cards or "no cards that win the meter are on record"
    write_line(console, f"coup {row.coup_id} of {row.table_id}: {cards}", indent=4)
    amount, said = row.amount or "open", row.amount_said or "nothing"
    write_line(console, f"amount {amount} by the ledger, {said} by the controller", indent=4)
    for share in row.shares:
        due = _money(share.due_minor, record, "open")
        paid = (
            "not paid"
            if share.paid_minor is None
            else (f"{_money(share.paid_minor, record, '')} paid")
        )
        slip = f", slip {share.slip}" if share.slip else ""
        seat = f"wager {share.wager.wager_id}, seat {share.wager.seat}"
        write_line(console, f"{seat}: {due} due, {paid}{slip}", indent=4)
    if row.display_after is not None:
        write_line(
            console,
            f"reset to {row.display_after}: {row.reserve_funded} from the reserve, "
            f"{row.house_funded} from the house",
            indent=4,
        )
    write_line(console)


def _money(minor: int | None, record: Record, unknown: str) -> str:
    return unknown if minor is None else grouped_minor(minor, record.currency)


def print_liability(page: LiabilityPage) -> None:
    """Write the liabilities of a gaming date, each and together."""
    console = _begun(page.is_simulated)
    write_line(console, f"liability over gaming date {page.gaming_date}", style="bold")
    by_currency: dict[str, list[DayLiability]] = {}
    for record, row in page.days:
        day = day_liability(row, record.currency)
        by_currency.setdefault(record.currency, []).append(day)
        write_line(console)
        title = f"{record.table_id} level {row.level}, {record.currency}"
        write_line(console, f"{title}: {_tied(row)}")
        _print_day(console, day, day.residue, record.currency)
    for currency, several in by_currency.items():
        write_line(console)
        write_line(console, f"together, {counted(len(several), 'meter')}, {currency}", style="bold")
        residue = sum((one.residue for one in several), NOTHING)
        _print_day(console, together(several), residue, currency)
    _end(console)


def _tied(row: DayRow) -> str:
    state = "closed" if row.is_closed else "open"
    if row.last_reading_sequence is None:
        return f"{state}, tied to no reading"
    word = "tied to" if row.is_tied else "differs from"
    return f"{state}, {word} reading {row.last_reading_sequence}"


def _print_day(console: Console, day: DayLiability, residue: Fraction, currency: str) -> None:
    table = plain_table("", "")
    table.show_header = False
    table.columns[1].justify = "right"
    for name, amount in (
        ("opening", day.opening),
        ("+ contributions", day.contributions),
        ("- jackpots", day.jackpots),
        ("+ reseeds by the house", day.reseeds),
        ("+ jackpots paid by the house beside the meter", day.house_awards),
        ("+ adjustments", day.adjustments),
        ("+ corrections", day.corrections),
        ("= closing", day.closing),
        ("  of it display", day.display),
        ("  of it reserve", day.reserve),
        ("  of it overflow", day.overflow),
        ("  in these, below a minor unit", residue),
    ):
        add_row(table, f"  {name}", exact_text(amount, currency))
    if day.difference:
        add_row(table, "  out of balance by", exact_text(day.difference, currency))
    if day.meter_difference:
        add_row(table, "  closing less meters", exact_text(day.meter_difference, currency))
    console.print(table)


def _begun(is_simulated: bool) -> Console:
    console = table_console()
    if is_simulated:
        write_line(console, "SIMULATED")
    return console


def _end(console: Console) -> None:
    write_line(console)
    write_line(console, ADVISORY)
