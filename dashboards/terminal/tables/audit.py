"""Findings in four forms, written while the audit runs, and summaries of files."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import IO, Protocol

from auditors.catalogue.places import opening_id, place_words
from auditors.catalogue.titles import title_of
from auditors.coverage import Coverage
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.audit.event_files import EventFileSummary, endings
from dashboards.documents.audit.files import FINDINGS_SCHEMA, AuditSummary, FileSummary
from dashboards.documents.texts import printable
from dashboards.terminal.answers import DocumentStream, LineStream, RowStream
from dashboards.terminal.formats import FormatOption
from schemas.findings import Finding
from schemas.words.counting import counted


def write_notes(out: IO[str], files: Iterable[FileSummary]) -> None:
    """Write what is said once about each file."""
    for one in files:
        for line in one.said:
            out.write(f"  note: {printable(line)}\n")


class FindingWriter(Protocol):
    """Writes findings as they come, then the summaries."""

    def write(self, finding: Finding) -> None:
        """Write one finding."""
        ...

    def close(self, files: list[FileSummary]) -> None:
        """Write what stands at the end."""
        ...


class TableWriter:
    """Lines for people: where, what, how severe, and the sentence."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def write(self, finding: Finding) -> None:
        """Write one finding on two lines."""
        where = f"{finding.file}:{finding.line}"
        place = place_words(finding)
        head = f"{where} {opening_id(finding)}{f' {place}' if place else ''} "
        head += f"{finding.severity.value.upper()} {finding.code.value}: {title_of(finding)}"
        self._out.write(f"{printable(head)}\n    {printable(finding.sentence)}\n")

    def close(self, files: list[FileSummary]) -> None:
        """Write what was audited, what was found, and which checks were on and off."""
        for one in files:
            write_summary(self._out, one)
        self._out.write(f"\n{ADVISORY}\n")


def write_summary(out: IO[str], summary: FileSummary) -> None:
    """Write what became of one file, for people."""
    if isinstance(summary, EventFileSummary):
        _write_events(out, summary)
    else:
        _write_rows(out, summary)


def _write_rows(out: IO[str], of_file: FileSummary) -> None:
    """Write what became of a file of rounds."""
    out.write(
        f"\n{printable(of_file.file)}: {of_file.rows:,} rows: {of_file.settled:,} settled, "
        f"{of_file.undetermined:,} undetermined, {of_file.unreadable:,} unreadable\n"
    )
    write_finding_counts(out, of_file.findings)
    out.write(f"  checks on: {', '.join(of_file.coverage.on) or 'none'}\n")
    for check, reason in of_file.coverage.off:
        out.write(f"  check off: {printable(f'{check}: {reason}')}\n")
    write_notes(out, [of_file])


def _write_events(out: IO[str], of_file: EventFileSummary) -> None:
    """Write what became of a file of events."""
    out.write(f"\n{of_file.file}: {counted(of_file.events, 'event')}")
    if of_file.dead_letters:
        out.write(f", {counted(of_file.dead_letters, 'line')} without an event")
    coups = of_file.coup_endings()
    if of_file.sources:
        parts = [f"{count:,} {name}" for name, count in endings(coups).items()]
        out.write(f"; {counted(coups.total(), 'coup')}: {', '.join(parts)}")
        unverified = sum(one.unverified for one in of_file.sources)
        still_open = sum(one.open for one in of_file.sources)
        out.write(f"; {unverified:,} unverified" if unverified else "")
        out.write(f"; {still_open:,} still open at the end" if still_open else "")
    out.write("; SIMULATED\n" if of_file.is_simulated else "\n")
    write_finding_counts(out, of_file.findings)
    for names, coverage in (*_coverages(of_file), *_meter_coverages(of_file)):
        out.write(f"  {names}: checks on: {', '.join(coverage.on) or 'none'}\n")
        for check, reason in coverage.off:
            out.write(f"  {names}: check off: {check}: {reason}\n")
    for one in of_file.sources:
        if one.progressives:
            names = ", ".join(one.progressives)
            out.write(f"  {one.source}: the controller of {names}, compared with the tables\n")
        elif not one.is_table:
            out.write(f"  {one.source}: no table was opened; its events are not compared here\n")


def _meter_coverages(of_file: EventFileSummary) -> list[tuple[str, Coverage]]:
    """Give the meters that were checked alike, together."""
    alike: dict[Coverage, list[str]] = {}
    for one in of_file.meters:
        name = one.progressive + (f" level {one.level}" if one.level > 1 else "")
        alike.setdefault(one.coverage, []).append(name)
    return [(", ".join(names), coverage) for coverage, names in alike.items()]


def _coverages(of_file: EventFileSummary) -> list[tuple[str, Coverage]]:
    """Give the tables that were checked alike, together."""
    alike: dict[Coverage, list[str]] = {}
    for one in of_file.sources:
        if one.is_table:
            alike.setdefault(one.coverage, []).append(one.source)
    return [(", ".join(names), coverage) for coverage, names in alike.items()]


def write_finding_counts(out: IO[str], counts: Counter[str]) -> None:
    """Write how many findings there were of each code, the most frequent first."""
    out.write(f"  findings: {counts.total():,}\n")
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        out.write(f"    {count:>8,}  {code}\n")


class JsonLinesWriter:
    """One ``ladderman.finding/2`` a line; the checks on and off go to standard error."""

    def __init__(self, out: IO[str]) -> None:
        self._lines = LineStream(out)

    def write(self, finding: Finding) -> None:
        """Write one finding."""
        self._lines.write(finding.as_json())

    def close(self, files: list[FileSummary]) -> None:
        """Say which checks were on and off, beside the stream of findings."""
        for one in files:
            write_summary(sys.stderr, one)


class JsonWriter:
    """One document ``ladderman.findings/1``, written as the findings come."""

    def __init__(self, out: IO[str]) -> None:
        self._document = DocumentStream(out, "findings", {"schema": FINDINGS_SCHEMA})

    def write(self, finding: Finding) -> None:
        """Write one finding."""
        self._document.write(finding.as_json())

    def close(self, files: list[FileSummary]) -> None:
        """Write the summary and close the document."""
        self._document.close({"summary": AuditSummary(tuple(files)).as_json()})
        write_notes(sys.stderr, files)


class CsvWriter:
    """One row a finding, under a header of the finding's field names."""

    def __init__(self, out: IO[str]) -> None:
        self._rows = RowStream(out)

    def write(self, finding: Finding) -> None:
        """Write one finding."""
        self._rows.write(finding.as_json())

    def close(self, files: list[FileSummary]) -> None:
        """Say which checks were on and off, beside the rows; no findings still have a header."""
        self._rows.begin(["schema", *Finding.json_fields()])
        for one in files:
            write_summary(sys.stderr, one)


def writer_for(output: FormatOption, out: IO[str]) -> FindingWriter:
    """Give the writer of a format."""
    if output is FormatOption.JSON:
        return JsonWriter(out)
    if output is FormatOption.JSONL:
        return JsonLinesWriter(out)
    return CsvWriter(out) if output is FormatOption.CSV else TableWriter(out)
