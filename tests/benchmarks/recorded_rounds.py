"""Rows of recorded rounds audited a second, beside merely reading the same file."""

from __future__ import annotations

import csv
import tempfile
from contextlib import ExitStack
from pathlib import Path

from dashboards.commands.audit.audit import AuditRequest, findings_of, open_file
from dashboards.documents.audit.files import FileSummary
from dashboards.options.terms import TermsRequest, build_rules
from streams.files.mapping_files import read_mapping
from tests.benchmarks.measuring import Measurement, best_seconds, shares_by_module
from tests.support.texts.round_files import MAPPING, SUBMISSION, RoundsWriter

RATIO_MAX = 6.0
ROWS = 120_000


def measure(rows: int = ROWS) -> list[Measurement]:
    """Audit made-up rounds with every check on, and read them with ``csv.DictReader``."""
    with tempfile.TemporaryDirectory() as folder:
        path, request = Path(folder) / "rounds.csv", _request(Path(folder))
        reading, auditing, shares = _times(request, path, RoundsWriter(), rows)
        single, single_audit, _ = _times(request, path, RoundsWriter(wagers_a_coup=1), rows)
    return [
        Measurement(
            f"{rows:,} rounds audited, every check on: time, csv.DictReader = 1",
            auditing / reading,
            "x",
            RATIO_MAX,
            {f"% in {name}": v for name, v in shares.items()},
        ),
        Measurement("the same with one row a coup", single_audit / single, "x"),
        Measurement("rounds audited", rows / auditing / 1000, "thousand rows/s"),
        Measurement("rounds read with csv.DictReader", rows / reading / 1000, "thousand rows/s"),
    ]


def _times(
    request: AuditRequest, path: Path, writer: RoundsWriter, rows: int
) -> tuple[float, float, dict[str, float]]:
    """Give seconds of reading and of auditing a file, and where those of auditing go."""
    writer.write(path, rows)

    def audit() -> None:
        _audit(request, path, writer)

    reading, auditing = best_seconds(lambda: _read(path), audit)
    return reading, auditing, shares_by_module(audit)


def _request(folder: Path) -> AuditRequest:
    submission, mapping = folder / "submission.toml", folder / "mapping.toml"
    submission.write_text(SUBMISSION, encoding="utf-8")
    mapping.write_text(MAPPING, encoding="utf-8")
    rules = build_rules(TermsRequest(submission=submission))
    return AuditRequest.of(rules, read_mapping(mapping))


def _read(path: Path) -> None:
    with path.open(newline="", encoding="utf-8") as file:
        for _ in csv.DictReader(file):
            pass


def _audit(request: AuditRequest, path: Path, writer: RoundsWriter) -> None:
    summary = FileSummary(path.name)
    with ExitStack() as stack:
        for _ in findings_of(request, *open_file(stack, request, str(path)), summary):
            pass
    assert summary.findings == writer.planted, "a fast audit that finds something else is none"
    assert not summary.coverage.off
