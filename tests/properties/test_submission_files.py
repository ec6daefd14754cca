"""A damaged filing is either read or refused in one line; what is read can always be checked."""

import datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from auditors.filings import check_submission, diff_submissions
from auditors.law import load_law
from dashboards.documents.law.submission_template import submission_template
from schemas.rules_submission import Game
from streams.files.submission_files import SubmissionFileError, read_submission

LAW = load_law()
DAY = datetime.date(2025, 6, 1)
WHOLE = submission_template(LAW, Game.RISING_PHOENIX, DAY)
PIECES = [
    "",
    "[[",
    "]]",
    "[wagers]",
    "=",
    '"',
    "'",
    "#",
    ",",
    "\n",
    "8",
    "true",
    "nan",
    "é",
    "\\",
    "\0",
    '"A"',
    "golden_talons",
    '"free"',
    "5%",
    '"1.005"',
    "-",
    "2026-08-05",
    "99999999999999999999",
]

damage = st.tuples(
    st.integers(0, len(WHOLE)), st.sampled_from([0, 1, 3, 10]), st.sampled_from(PIECES)
)


@given(st.lists(damage, min_size=1, max_size=4))
@settings(max_examples=150)
def test_a_damaged_filing_is_read_or_refused_in_one_line(
    tmp_path_factory, damages: list[tuple[int, int, str]]
) -> None:
    text = WHOLE
    for at, length, piece in damages:
        text = text[:at] + piece + text[at + length :]
    path = Path(tmp_path_factory.getbasetemp()) / "damaged.toml"
    path.write_text(text, encoding="utf-8")
    try:
        submission = read_submission(path)
    except SubmissionFileError as error:
        line = str(error)
        assert line.startswith(f"{path}: ") and line.isprintable() and len(line) < 500
        return
    findings = check_submission(LAW, submission, DAY)
    assert len({finding.id for finding in findings}) == len(findings)
    assert all(finding.sentence.isprintable() for finding in findings)
    assert diff_submissions(submission, submission) == ()
