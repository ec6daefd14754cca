"""In which form are findings written? One writer per format, all of them while the audit runs."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import IO, Final, Protocol

from auditors.catalogue.places import opening_id, place_words
from auditors.catalogue.titles import title_of
from auditors.coverage import Coverage
from dashboards.documents.advisory import ADVISORY
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.writing import csv_cell, printable
from schemas.findings import Finding

AUDIT_SCHEMA: Final = "ladderman.audit/1"
"""Name and version of the summary document."""

FINDINGS_SCHEMA: Final = "ladderman.findings/1"
"""Name and version of the document of findings with their summary."""


@dataclass
class FileSummary:
    """What became of one file."""

    file: str
    rows: int = 0
    settled: int = 0
    undetermined: int = 0
    unreadable: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    coverage: Coverage = field(default_factory=lambda: Coverage((), ()))
    said: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Give one entry of ``ladderman.audit/1``."""
        return {
            "file": self.file,
            "rows": self.rows,
            "settled": self.settled,
            "undetermined": self.undetermined,
            "unreadable": self.unreadable,
            "findings": dict(sorted(self.findings.items())),
            "checks_on": list(self.coverage.on),
            "checks_off": [
                {"check": check, "reason": reason} for check, reason in self.coverage.off
            ],
        }

    def write(self, out: IO[str]) -> None:
        """Write it for people."""
        out.write(
            f"\n{printable(self.file)}: {self.rows:,} rows: {self.settled:,} settled, "
            f"{self.undetermined:,} undetermined, {self.unreadable:,} unreadable\n"
        )
        write_finding_counts(out, self.findings)
        out.write(f"  checks on: {', '.join(self.coverage.on) or 'none'}\n")
        for check, reason in self.coverage.off:
            out.write(f"  check off: {printable(f'{check}: {reason}')}\n")
        write_notes(out, [self])


def write_notes(out: IO[str], files: Iterable[FileSummary]) -> None:
    """Write what is said once about each file."""
    for one in files:
        for line in one.said:
            out.write(f"  note: {printable(line)}\n")


def summary_json(files: list[FileSummary]) -> dict[str, object]:
    """Give the document ``ladderman.audit/1``."""
    return {"schema": AUDIT_SCHEMA, "files": [one.as_json() for one in files]}


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
    """Write the summary of one file for people."""
    summary.write(out)


def write_finding_counts(out: IO[str], counts: Counter[str]) -> None:
    """Write how many findings there were of each code, the most frequent first."""
    out.write(f"  findings: {counts.total():,}\n")
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        out.write(f"    {count:>8,}  {code}\n")


class JsonLinesWriter:
    """One ``ladderman.finding/2`` a line; the checks on and off go to standard error."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def write(self, finding: Finding) -> None:
        """Write one finding."""
        self._out.write(json.dumps(finding.as_json(), ensure_ascii=False) + "\n")

    def close(self, files: list[FileSummary]) -> None:
        """Say which checks were on and off, beside the stream of findings."""
        for one in files:
            write_summary(sys.stderr, one)


class JsonWriter:
    """One document ``ladderman.findings/1``, written as the findings come."""

    def __init__(self, out: IO[str]) -> None:
        self._out, self._first = out, True

    def write(self, finding: Finding) -> None:
        """Write one finding."""
        self._out.write(self._opening() + json.dumps(finding.as_json(), ensure_ascii=False))

    def _opening(self) -> str:
        if not self._first:
            return ",\n  "
        self._first = False
        return f'{{"schema": "{FINDINGS_SCHEMA}",\n "findings": [\n  '

    def close(self, files: list[FileSummary]) -> None:
        """Write the summary and close the document."""
        head = self._opening() if self._first else ""
        summary = json.dumps(summary_json(files), ensure_ascii=False)
        self._out.write(f'{head}],\n "summary": {summary}}}\n')
        write_notes(sys.stderr, files)


class CsvWriter:
    """One row a finding, under a header of the finding's field names."""

    def __init__(self, out: IO[str]) -> None:
        self._writer = csv.writer(out, lineterminator="\n")
        self._has_header = False

    def write(self, finding: Finding) -> None:
        """Write one finding."""
        row = finding.as_json()
        if not self._has_header:
            self._header(row)
        self._writer.writerow([csv_cell(value) for value in row.values()])

    def _header(self, row: dict[str, object]) -> None:
        self._writer.writerow(row)
        self._has_header = True

    def close(self, files: list[FileSummary]) -> None:
        """Say which checks were on and off, beside the rows; no findings still have a header."""
        if not self._has_header:
            self._writer.writerow(["schema", *Finding.json_fields()])
        for one in files:
            write_summary(sys.stderr, one)


def writer_for(output: FormatOption, out: IO[str]) -> FindingWriter:
    """Give the writer of a format."""
    writers = {
        FormatOption.TABLE: TableWriter,
        FormatOption.JSON: JsonWriter,
        FormatOption.JSONL: JsonLinesWriter,
        FormatOption.CSV: CsvWriter,
    }
    writer: FindingWriter = writers[output](out)
    return writer
