"""``ladderman submission``: the filing to start from, its check and the comparison of two."""

import datetime
import re
import tomllib
from pathlib import Path

import pytest

from auditors.filings import check_submission
from auditors.law import load_law
from auditors.settlement.terms import terms_of
from dashboards.commands.law.submission import register
from dashboards.documents.law.submission_template import submission_template
from schemas.rules_submission import Game
from streams.files.submission_files import read_submission
from tests.support.texts.command_line import Answer, run_command

LAW = load_law()
IN_FORCE = "2025-06-01"


def run(*arguments: object) -> Answer:
    """Run ``submission`` with arguments."""
    return run_command(register, "submission", *arguments)


@pytest.fixture
def filing(tmp_path: Path) -> Path:
    """A filing for Minibaccarat, made for a day on which every section is in force."""
    path = tmp_path / "RS-1.toml"
    assert run("new", "--out", path, "--gaming-date", IN_FORCE).code == 0
    return path


def changed(path: Path, name: str, old: str, new: str) -> Path:
    """Copy a filing with one text replaced."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    copy = path.with_name(name)
    copy.write_text(text.replace(old, new), encoding="utf-8")
    return copy


@pytest.mark.parametrize("game", [one.value for one in Game])
@pytest.mark.parametrize("day", ["2023-08-05", "2025-06-01", "2026-03-25"])
def test_a_new_filing_has_no_defect_on_a_day_when_the_sections_are_in_force(
    tmp_path: Path, game: str, day: str
) -> None:
    path = tmp_path / "new.toml"
    assert run("new", "--game", game, "--out", path, "--gaming-date", day).code == 0
    answer = run("check", path, "--gaming-date", day)
    assert answer.code == 0, answer.out
    assert "No defect found." in answer.out
    assert "Checks on: jurisdiction, decks and cover cards" in answer.out


@pytest.mark.parametrize(
    ("day", "filed"),
    [
        ("2023-08-04", False),
        ("2023-08-05", True),
        ("2026-08-04", True),
        ("2026-08-05", False),
    ],
)
def test_a_section_that_is_not_in_force_is_written_as_a_comment(day: str, filed: bool) -> None:
    text = submission_template(LAW, Game.MINIBACCARAT, datetime.date.fromisoformat(day))
    ids = {one["id"] for one in tomllib.loads(text)["wagers"]}
    assert ("golden_talons" in ids, "harmony_mini" in ids) == (filed, filed)
    assert {"minibaccarat.player", "eclipse.eclipse"} <= ids
    assert ('\n# [[wagers]]\n# id = "golden_talons"\n' in text) is not filed


def test_a_lapsed_game_is_filed_all_the_same_and_its_check_says_so(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    run("new", "--game", "rising_phoenix", "--out", path, "--gaming-date", "2026-08-05")
    answer = run("check", path, "--gaming-date", "2026-08-05")
    assert answer.code == 1
    assert "successors[rising_phoenix]" in answer.out
    assert answer.out.count("HIGH") == 1


@pytest.mark.parametrize("game", list(Game))
def test_every_example_in_the_comments_of_a_new_filing_can_be_filed(
    tmp_path: Path, game: Game
) -> None:
    day = datetime.date.fromisoformat("2026-08-05")
    text = submission_template(LAW, game, day)
    example = r"^# (?=\[|[a-z_A-Z0-9]+ = )"
    path = tmp_path / "all.toml"
    path.write_text(re.sub(example, "", text, flags=re.MULTILINE), encoding="utf-8")
    submission = read_submission(path)
    assert submission.successors and submission.readings and submission.severities
    assert submission.effective_from is not None
    terms_of(LAW, submission)
    lapsed = {
        finding.facts.field
        for finding in check_submission(LAW, submission, datetime.date(2026, 8, 5))
    }
    assert all(field.startswith("successors[") for field in lapsed), lapsed
    assert check_submission(LAW, submission, None) == ()


def test_without_a_file_the_filing_goes_to_standard_output() -> None:
    answer = run("new", "--game", "baccarat", "--gaming-date", IN_FORCE)
    assert answer.code == 0
    assert tomllib.loads(answer.out)["game"] == "baccarat"
    assert answer.err == ""


def test_today_is_the_default_and_is_said() -> None:
    answer = run("new")
    assert re.fullmatch(
        r"gaming date \d{4}-\d\d-\d\d \(today; choose another with --gaming-date\)\n", answer.err
    )


def test_a_file_that_is_there_is_replaced_by_force_only(filing: Path) -> None:
    filing.write_text("mine")
    answer = run("new", "--out", filing, "--gaming-date", IN_FORCE)
    assert (answer.code, filing.read_text()) == (2, "mine")
    assert answer.err == f"{filing}: already exists; replace it with --force"
    assert run("new", "--out", filing, "--gaming-date", IN_FORCE, "--force").code == 0
    assert filing.read_text() != "mine"
    assert [one.name for one in filing.parent.iterdir()] == [filing.name]


@pytest.mark.parametrize(
    ("game", "line"),
    [
        ("minibacarat", '--game "minibacarat": no such game; did you mean minibaccarat?'),
        (
            "poker",
            '--game "poker": no such game; write minibaccarat, baccarat, rising_phoenix',
        ),
    ],
)
def test_an_unknown_game_is_refused_with_the_near_miss(game: str, line: str) -> None:
    answer = run("new", "--game", game)
    assert (answer.code, answer.err) == (2, line)


def test_a_defect_is_said_in_plain_words_with_its_paragraph(filing: Path) -> None:
    path = changed(
        filing,
        "RS-2.toml",
        'id = "eclipse.moon_8"\npaytable = "A"',
        'id = "eclipse.moon_8"\npaytable = "B"',
    )
    answer = run("check", path, "--gaming-date", IN_FORCE)
    assert answer.code == 1
    assert "HIGH The letters differ (eclipse.sun_7 A, eclipse.moon" in answer.out
    assert "Field: wagers[eclipse.*].paytable." in " ".join(answer.out.split())
    assert "    58 Pa. Code § 627b.7(g)\n" in answer.out
    assert "1 defect.\n" in answer.out
    assert "Texts as held, not checked against the current Code. Advisory" in answer.out
    assert max(len(line) for line in answer.out.splitlines()) <= 80


@pytest.mark.parametrize(("day", "code"), [("2026-08-04", 0), ("2026-08-05", 1)])
def test_the_check_finds_a_lapsed_section_from_the_day_after_its_last(
    filing: Path, day: str, code: int
) -> None:
    assert run("check", filing, "--gaming-date", day).code == code


def test_findings_are_one_shape_in_json_and_lines(filing: Path) -> None:
    path = changed(filing, "RS-2.toml", "decks = 8", "decks = 7")
    document = run("check", path, "--gaming-date", IN_FORCE, "--format", "json").document
    assert document["schema"] == "ladderman.findings/1"
    summary = document["summary"]
    assert (summary["rules_version"], summary["gaming_date"]) == ("RS-1", IN_FORCE)
    assert summary["defects"] == len(document["findings"]) == 1
    assert len(summary["checks_on"]) == 14 and summary["checks_off"] == []
    lines = run("check", path, "--gaming-date", IN_FORCE, "--format", "jsonl")
    assert lines.code == 1
    assert lines.objects == document["findings"]
    assert lines.err.startswith("Checks on: jurisdiction, decks and cover cards, ")
    assert lines.err.endswith(". Checks off: none.\n")
    (finding,) = lines.objects
    assert finding["schema"] == "ladderman.finding/2"
    assert (finding["code"], finding["file"]) == ("RULES_SUBMISSION_DEFECT", "RS-2.toml")
    assert finding["sentence"].startswith("7 decks are filed")


def test_a_sound_filing_gives_no_line_and_an_empty_list(filing: Path) -> None:
    assert run("check", filing, "--gaming-date", IN_FORCE, "--format", "jsonl").out == ""
    document = run("check", filing, "--gaming-date", IN_FORCE, "--format", "json").document
    assert document["findings"] == []


def test_an_unreadable_file_is_exit_2_and_one_line(filing: Path, tmp_path: Path) -> None:
    path = changed(filing, "RS-2.toml", 'paytable = "A"', 'paytabel = "A"')
    answer = run("check", path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"{path}: wagers[3].paytabel (golden_talons): unknown key; did you mean paytable? "
        "(and 6 more)"
    )
    missing = run("check", tmp_path / "RS-9.toml")
    assert missing.code == 2 and "no such file; did you mean RS-" in missing.err


def test_a_bad_gaming_date_is_exit_2_and_one_line(filing: Path) -> None:
    answer = run("check", filing, "--gaming-date", "2025-6-1")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.endswith("did you mean 2025-06-01?")


def test_equal_filings_differ_in_nothing(filing: Path) -> None:
    copy = changed(filing, "RS-2.toml", "# Rules Submission", "# A copy")
    answer = run("diff", filing, copy)
    assert answer.code == 0 and "file the same." in " ".join(answer.out.split())
    assert run("diff", filing, copy, "--format", "json").document["changes"] == []


def test_what_changed_between_two_filings_is_shown(filing: Path) -> None:
    other = changed(filing, "RS-2.toml", "decks = 8", "decks = 6")
    answer = run("diff", filing, other)
    assert answer.code == 1
    assert re.search(r"^decks +8 +6 +the shoe is counted against", answer.out, re.MULTILINE)
    assert "1 change.\n" in answer.out
    assert max(len(line) for line in answer.out.splitlines()) <= 80
    document = run("diff", filing, other, "--format", "json").document
    assert document["schema"] == "ladderman.submission-diff/1"
    lines = run("diff", filing, other, "--format", "jsonl").objects
    assert document["changes"] == lines
    (change,) = lines
    assert change["schema"] == "ladderman.submission-change/1"
    assert (change["field"], change["before"], change["after"]) == ("decks", "8", "6")


def test_a_file_that_cannot_be_compared_is_exit_2(filing: Path, tmp_path: Path) -> None:
    answer = run("diff", filing, tmp_path / "none.toml")
    assert (answer.code, answer.out) == (2, "")
