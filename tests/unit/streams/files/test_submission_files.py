"""A Rules Submission from and to a TOML file: every defect of the file in one line."""

from pathlib import Path

import pytest

from schemas.rules_submission import RulesSubmission, VigorishTiming
from streams.files.submission_files import (
    FILE_BYTES_MAX,
    SubmissionExistsError,
    SubmissionFileError,
    read_submission,
    write_submission_text,
)

HEAD = 'id = "RS-7"\ngame = "minibaccarat"\n'
WAGER = '[[wagers]]\nid = "minibaccarat.player"\n'


def read_text(folder: Path, text: str) -> RulesSubmission:
    """Read a filing from a file of this text."""
    path = folder / "RS-7.toml"
    path.write_text(text, encoding="utf-8", newline="")
    return read_submission(path)


def line_of(path: Path) -> str:
    """Give the line that a file gets, without its path."""
    with pytest.raises(SubmissionFileError) as caught:
        read_submission(path)
    line = str(caught.value)
    assert line.startswith(f"{path}: ") and "\n" not in line
    return line.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    "text",
    [
        HEAD + WAGER,
        "\ufeff" + HEAD + WAGER,
        (HEAD + WAGER).replace("\n", "\r\n"),
        'schema = "ladderman.rules-submission/1"\n' + HEAD + WAGER,
    ],
    ids=["plain", "byte-order mark", "crlf", "with schema"],
)
def test_a_filing_is_read_from_toml(tmp_path: Path, text: str) -> None:
    submission = read_text(tmp_path, text)
    assert submission.rules_version == "RS-7"
    assert submission.offered("minibaccarat.player") is not None


def test_dates_times_and_tables_are_read_as_toml_has_them(tmp_path: Path) -> None:
    text = (
        HEAD
        + "effective_from = 2025-01-01T06:00:00-05:00\ngaming_day_start = 05:30:00\n"
        + '[commission]\nform = "standard"\ntiming = "marked"\n'
        + WAGER
        + '[[successors]]\nsection = "eclipse"\nauthority = "x"\nfrom = 2027-03-09\n'
    )
    submission = read_text(tmp_path, text)
    assert submission.effective_from is not None
    assert submission.effective_from.isoformat() == "2025-01-01T06:00:00-05:00"
    assert submission.gaming_day_start.isoformat() == "05:30:00"
    assert submission.commission is not None
    assert submission.commission.timing is VigorishTiming.MARKED
    assert submission.successors[0].from_date.isoformat() == "2027-03-09"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            HEAD + WAGER + 'paytabel = "A"\n',
            "wagers[0].paytabel (minibaccarat.player): unknown key; did you mean paytable?",
        ),
        (HEAD + "deks = 8\n" + WAGER, "deks: unknown key; did you mean decks?"),
        (
            HEAD + '[[wager]]\nid = "x"\n',
            "wager: unknown key; did you mean wagers? (and 1 more)",
        ),
        (
            HEAD + WAGER + '[commission]\nform = "free"\nrates = "5%"\n',
            "commission.rates: unknown key; did you mean rate?",
        ),
        (
            HEAD + WAGER + '[[successors]]\nsection="eclipse"\nauthority="x"\nfrom_date=2027-03-09',
            "successors[0].from_date (eclipse): unknown key; did you mean from? (and 1 more)",
        ),
        (HEAD, "wagers: missing; it has to be filed"),
        (HEAD + "wagers = []\n", "wagers: nothing is filed; write at least one [[wagers]] table"),
        (HEAD + "[wagers]\n", "wagers: write it as repeated tables, [[wagers]]"),
        (HEAD + "[[wagers]]\n", "wagers[0].id (counting from 0): missing; it has to be filed"),
        (HEAD + 'decks = "8"\n' + WAGER, 'decks: found "8"; write a whole number, without quotes'),
        (HEAD + "decks = 8.0\n" + WAGER, "decks: found 8.0; write a whole number, without quotes"),
        (
            HEAD + "decks = true\n" + WAGER,
            "decks: found true; write a whole number, without quotes",
        ),
        (
            HEAD + "burn_exposed_card = 1\n" + WAGER,
            "burn_exposed_card: found 1; write true or false, without quotes",
        ),
        (
            HEAD + WAGER + "minimum = 10\n",
            "wagers[0].minimum (minibaccarat.player): found 10; write it in quotes",
        ),
        (
            HEAD + WAGER + 'minimum = "1.005"\n',
            "wagers[minibaccarat.player].minimum: '1.005' has more than 2 decimals; USD has 2",
        ),
        (
            'id = "RS-7"\ngame = "minibacarat"\n' + WAGER,
            'game: "minibacarat" is not known; write minibaccarat, baccarat or rising_phoenix; '
            "did you mean minibaccarat?",
        ),
        (
            HEAD + WAGER + '[severities]\nWAGER_OVERPAYED = "high"\n',
            "severities.WAGER_OVERPAYED: no such finding code; did you mean WAGER_OVERPAID?",
        ),
        (
            HEAD + WAGER + '[severities]\nWAGER_OVERPAID = "loud"\n',
            'severities.WAGER_OVERPAID: "loud" is not known; write critical, high, notice or info',
        ),
        (
            HEAD + "effective_from = 2025-01-01T00:00:00\n" + WAGER,
            'effective_from: found "2025-01-01T00:00:00"; give the offset of the instant, like '
            "2026-01-01T06:00:00-05:00",
        ),
        (
            HEAD + 'tie_odds = "8:1"\n' + WAGER,
            'tie_odds: \'8:1\' prints no odds; write "8 to 1", "1,000 for 1", "push", '
            '"loss" or "N/A"',
        ),
        (
            HEAD + 'time_zone = "America/NewYork"\n' + WAGER,
            "time_zone: unknown time zone 'America/NewYork'; write it like America/New_York",
        ),
        (
            HEAD + WAGER + WAGER,
            "wager 'minibaccarat.player' is filed twice; one table offers one paytable",
        ),
        (
            'id = "RS/7"\ngame = "baccarat"\n' + WAGER,
            "id: 'RS/7' is no id; write it on one line, without a slash: RS-7",
        ),
        (
            'id = "R\\nS"\ngame = "baccarat"\n' + WAGER,
            "id: 'R\\nS' is no id; write it on one line, without a slash: RS-7",
        ),
        (HEAD + '"a\\nb" = 1\n' + WAGER, '"a\\nb": unknown key'),
        (
            HEAD + "game = ",
            "not TOML: invalid value (at end of document); texts go in quotes",
        ),
        (
            HEAD + "decks = 8\ndecks = 8\n",
            "not TOML: cannot overwrite a value (at line 4, column 10)",
        ),
        ("x = " + "[" * 100_000, "not a Rules Submission: nested too deeply"),
        (
            "x = " + "9" * 100_000,
            "not a Rules Submission: it holds a number of thousands of digits",
        ),
        ("", "id: missing; it has to be filed (and 2 more)"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line_that_names_the_key(
    tmp_path: Path, text: str, line: str
) -> None:
    path = tmp_path / "RS-7.toml"
    path.write_text(text, encoding="utf-8", newline="")
    assert line_of(path) == line


def test_a_missing_file_is_named_with_the_near_miss(tmp_path: Path) -> None:
    (tmp_path / "floor-7.toml").touch()
    assert line_of(tmp_path / "flor-7.toml") == "no such file; did you mean floor-7.toml?"
    assert line_of(tmp_path / "other.toml") == "no such file"
    assert line_of(tmp_path / "no" / "floor.toml") == "no such file"


def test_what_is_no_text_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'id = "RS-7"\nfacility = "Caf\xe9"\n')
    (tmp_path / "large.toml").write_bytes(b"#" * (FILE_BYTES_MAX + 1))
    (tmp_path / "full.toml").write_bytes(b"#" * FILE_BYTES_MAX)
    assert line_of(tmp_path) == "is a folder; name a file"
    assert line_of(tmp_path / "latin.toml") == "line 2: not UTF-8; save the file as UTF-8"
    assert line_of(tmp_path / "large.toml") == "larger than 1 MiB; not a Rules Submission"
    assert line_of(tmp_path / "full.toml").startswith("id: missing")
    assert line_of(Path("a\0b")) == "cannot be read: embedded null byte"


def test_a_file_is_written_whole_and_never_replaced_unasked(tmp_path: Path) -> None:
    path = tmp_path / "RS-7.toml"
    write_submission_text(path, "first")
    with pytest.raises(SubmissionExistsError, match="already exists; replace it with --force"):
        write_submission_text(path, "second")
    assert path.read_text() == "first"
    write_submission_text(path, "second", replace=True)
    assert path.read_text() == "second"
    assert [one.name for one in tmp_path.iterdir()] == ["RS-7.toml"]


def test_a_dangling_link_counts_as_a_file_that_is_there(tmp_path: Path) -> None:
    link = tmp_path / "RS-7.toml"
    link.symlink_to(tmp_path / "elsewhere.toml")
    with pytest.raises(SubmissionExistsError):
        write_submission_text(link, "text")
    write_submission_text(link, "text", replace=True)
    assert link.is_symlink() and (tmp_path / "elsewhere.toml").read_text() == "text"


def test_what_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SubmissionFileError, match="cannot be written: no such file or directory"):
        write_submission_text(tmp_path / "no" / "RS-7.toml", "text")
    with pytest.raises(SubmissionFileError, match="is a folder; name a file"):
        write_submission_text(tmp_path, "text", replace=True)

    def full_disk(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    path = tmp_path / "RS-7.toml"
    with pytest.raises(SubmissionFileError, match="cannot be written: no space left on device"):
        write_submission_text(path, "text")
    assert list(tmp_path.iterdir()) == []
