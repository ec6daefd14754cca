"""``ladderman audit``: files from the command line, four formats, every flag, every mistake."""

import csv
import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest

from tests.support.ladderman import ladderman, refusal
from tests.support.texts.round_files import MAPPING, SUBMISSION, RoundsWriter

HEADER = "coup,shoe,table,seat,player_cards,banker_cards,winner,wager,stake,paid"
RIGHT = "1,S1,T1,1,2S 3H KD,AC 2D 5H,banker,banker,100.00,195.00"
OVERPAID = "2,S1,T1,1,2S 3H KD,AC 2D 5H,banker,banker,100.00,200.00"
UNDRAWN = "3,S1,T1,2,2S 3H KD,AC 2D,player,player,100.00,200.00"
UNREADABLE = "4,S1,T1,2,2S 3X,AC 2D,player,player,100.00,200.00"


@pytest.fixture
def rounds(tmp_path: Path) -> Path:
    """Write a file with one fault of payment, one of the draw and one unreadable card."""
    path = tmp_path / "rounds.csv"
    path.write_text("\n".join([HEADER, RIGHT, OVERPAID, UNDRAWN, UNREADABLE]) + "\n")
    return path


CODES = ["WAGER_OVERPAID", "THIRD_CARD_NOT_DRAWN", "CARD_UNREADABLE"]


def test_jsonl_gives_one_finding_a_line_and_the_checks_beside_it(rounds: Path) -> None:
    answer = ladderman("audit", rounds, "--format", "jsonl")
    assert answer.code == 1
    assert [one["code"] for one in answer.objects] == CODES
    overpaid = answer.objects[0]
    assert (overpaid["schema"], overpaid["file"]) == ("ladderman.finding/2", str(rounds))
    assert (overpaid["line"], overpaid["column"]) == (3, "paid")
    assert (overpaid["source"], overpaid["shoe"], overpaid["coup"]) == ("T1", "S1", "2")
    assert (overpaid["wager"], overpaid["seat"]) == ("minibaccarat.banker", "1")
    assert (overpaid["due"], overpaid["paid"], overpaid["difference"]) == (
        "195.00",
        "200.00",
        "5.00",
    )
    assert overpaid["severity"] == "high"
    assert "checks on: drawing_rules, winner, payouts" in answer.err


def test_json_is_one_document_with_its_summary(rounds: Path) -> None:
    answer = ladderman("audit", rounds, "--format", "json")
    assert answer.code == 1
    document = answer.document
    assert list(document) == ["schema", "findings", "summary"]
    assert document["schema"] == "ladderman.findings/1"
    assert [one["code"] for one in document["findings"]] == CODES
    assert (
        document["summary"] == ladderman("audit", rounds, "--summary", "--format", "json").document
    )


def test_the_summary_counts_rows_and_findings(rounds: Path) -> None:
    document = ladderman("audit", rounds, "--summary", "--format", "json").document
    assert document["schema"] == "ladderman.audit/1"
    (one,) = document["files"]
    assert list(one) == [
        "file",
        "rows",
        "settled",
        "undetermined",
        "unreadable",
        "findings",
        "checks_on",
        "checks_off",
    ]
    counts = (one["rows"], one["settled"], one["undetermined"], one["unreadable"])
    assert counts == (4, 2, 1, 1)
    assert one["findings"] == dict.fromkeys(sorted(CODES), 1)
    assert {"check": "dates", "reason": "no time column is recorded; add --gaming-date"} in (
        one["checks_off"]
    )
    assert {"drawing_rules", "payouts", "base_wager", "shoe_composition"} <= set(one["checks_on"])


def test_csv_has_the_fields_of_a_finding_and_cells_that_no_spreadsheet_runs(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text(f"{HEADER}\n=1+1,-x,+T,@s,2S 3H KD,AC 2D,player,player,10,20\n")
    answer = ladderman("audit", path, "--format", "csv")
    (row,) = list(csv.DictReader(io.StringIO(answer.out)))
    assert row["schema"] == "ladderman.finding/2"
    assert (row["coup"], row["shoe"], row["source"], row["seat"]) == ("'=1+1", "'-x", "'+T", "'@s")
    clean = tmp_path / "clean.csv"
    clean.write_text(f"{HEADER}\n{RIGHT}\n")
    assert ladderman("audit", clean, "--format", "csv").out.startswith("schema,id,code,severity")
    negative = tmp_path / "negative.csv"
    negative.write_text(f"{HEADER}\n{RIGHT.replace('195.00', '0')}\n")
    (row,) = list(csv.DictReader(io.StringIO(ladderman("audit", negative, "--format", "csv").out)))
    assert row["difference"] == "-195.00"


def test_the_table_says_where_what_and_why(rounds: Path) -> None:
    answer = ladderman("audit", rounds)
    assert answer.code == 1
    assert f"{rounds}:3 " in answer.out
    assert " HIGH WAGER_OVERPAID: Banker overpaid 5.00\n" in answer.out
    assert "200.00 paid; overpaid 5.00 (58 Pa. Code § 627a.11, .12 (text not seen))." in answer.out
    assert "4 rows: 2 settled, 1 undetermined, 1 unreadable" in answer.out
    assert "check off: dates: no time column is recorded" in answer.out
    assert "Advisory; does not authorise or refuse payment." in answer.out
    assert answer.err == ""


def test_no_findings_stand_beside_the_checks_and_exit_0(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text(f"{HEADER}\n{RIGHT}\n")
    for words in ((), ("--summary",), ("--format", "json"), ("--format", "jsonl")):
        answer = ladderman("audit", path, *words)
        assert answer.code == 0
        assert "drawing_rules" in answer.out + answer.err


@pytest.mark.parametrize("words", [("--format", "json"), ("--summary", "--format", "json")])
def test_notes_stand_beside_a_document_and_not_in_it(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text(f"{HEADER}\n{RIGHT.replace('195.00', '194.99999999999997')},extra\n")
    answer = ladderman("audit", path, *words)
    assert answer.code == 0
    json.loads(answer.out)
    assert "note: column paid: amounts with a binary tail, such as 194.99999999999997" in answer.err
    assert "note: line 2 has more cells than the header" in answer.err


def test_several_files_are_audited_each_by_itself(rounds: Path, tmp_path: Path) -> None:
    clean = tmp_path / "clean.csv.gz"
    clean.write_bytes(gzip.compress(f"{HEADER}\n{RIGHT}\n".encode(), mtime=0))
    document = ladderman("audit", rounds, clean, "--summary", "--format", "json").document
    assert [one["rows"] for one in document["files"]] == [4, 1]
    assert [sum(one["findings"].values()) for one in document["files"]] == [3, 0]


def test_standard_input_is_a_file(rounds: Path) -> None:
    answer = ladderman("audit", "-", "--format", "jsonl", stdin=rounds.read_bytes())
    assert answer.code == 1
    assert {one["file"] for one in answer.objects} == {"standard input"}


def test_a_pipe_is_a_file_that_is_read_once(rounds: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writing = threading.Thread(target=lambda: pipe.write_bytes(rounds.read_bytes()))
    writing.start()
    answer = ladderman("audit", pipe, "--summary", "--format", "json")
    writing.join()
    assert answer.document["files"][0]["rows"] == 4


def test_columns_are_mapped_by_flags_and_by_a_file(tmp_path: Path) -> None:
    path, mapping = tmp_path / "their.csv", tmp_path / "map.toml"
    path.write_text("No;PC;BC;Res;Res2\n1;2S 3H KD;AC 2D 5H;PUNTO;BANCO\n")
    flags = (
        "--map",
        "coup=No",
        "--map",
        "player_cards=PC",
        "--map",
        "banker_cards=BC",
        "--map",
        "winner=Res,Res2",
        "--winner-values",
        "PUNTO=player,BANCO=banker",
    )
    (one,) = ladderman("audit", path, *flags, "--format", "jsonl").objects
    assert (one["code"], one["column"], one["coup"]) == ("RESULT_MISANNOUNCED", "Res", "1")
    mapping.write_text(
        '[columns]\ncoup = "No"\nplayer_cards = "PC"\nbanker_cards = "BC"\n'
        'winner = ["Res", "Res2"]\n[winner_values]\nPUNTO = "player"\nBANCO = "tie"\n'
    )
    answer = ladderman("audit", path, "--mapping", mapping, "--format", "jsonl")
    assert [one["column"] for one in answer.objects] == ["Res", "Res2"]
    again = ladderman(
        "audit", path, "--mapping", mapping, "--winner-values", "BANCO=banker", "--format", "jsonl"
    )
    assert [one["column"] for one in again.objects] == ["Res"]  # a flag goes before the file


def test_the_order_of_cards_in_one_column_is_declared(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text("cards,player_points\n2S 3H KD AC 2D 5H,5\n")
    words = ("audit", path, "--format", "jsonl", "--card-order")
    assert ladderman(*words, "p1,p2,p3,b1,b2,b3").code == 0
    assert ladderman(*words, "p1,b1,p2,b2,p3,b3").code == 1


@pytest.mark.parametrize(
    ("flags", "codes"),
    [
        ((), []),  # a letter is missing, so payouts of that wager are off
        (("--paytable", "golden_talons=A"), ["LOSER_PAID"]),
        (
            ("--paytable", "golden_talons=A", "--gaming-date", "2026-08-05"),
            ["LOSER_PAID", "RULE_LAPSED"],
        ),
        (("--gaming-date", "2026-08-04"), []),
        (("--gaming-date", "2026-08-04", "--reading", "D37=exclusive"), ["RULE_LAPSED"]),
    ],
)
def test_terms_are_those_of_the_flags(
    tmp_path: Path, flags: tuple[str, ...], codes: list[str]
) -> None:
    path = tmp_path / "rounds.csv"
    row = RIGHT.replace("banker,100.00,195.00", "golden_talons@banker,100.00,195.00")
    path.write_text(f"{HEADER.replace('seat', 'x')}\n{row}\n")
    answer = ladderman("audit", path, *flags, "--format", "jsonl")
    assert [one["code"] for one in answer.objects] == codes


def test_commission_tie_odds_and_decks_are_those_of_the_flags(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text(
        f"{HEADER}\n{RIGHT.replace('195.00', '196.00')}\n"
        "2,S1,T1,1,3C 2S 2D,6S AH,tie,tie,10,100\n"
        + "".join(f"{n},S1,T1,1,QD QD,9C 9H,banker,,,\n" for n in range(3, 7))
    )
    words = ("audit", path, "--format", "jsonl")
    assert [one["code"] for one in ladderman(*words).objects] == ["WAGER_OVERPAID"] * 2
    assert ladderman(*words, "--commission", "4", "--tie-odds", "9 to 1").objects == []
    six = ladderman(*words, "--commission", "4", "--tie-odds", "9 to 1", "--decks", "6").objects
    assert [one["code"] for one in six] == ["SHOE_COMPOSITION"]


def test_every_check_is_on_where_a_file_feeds_them_all(tmp_path: Path) -> None:
    """Made-up rounds with faults planted by plain rules: found is planted, and nothing else."""
    writer, path = RoundsWriter(seed=3, fault_every=50), tmp_path / "rounds.csv"
    submission, mapping = tmp_path / "rs.toml", tmp_path / "map.toml"
    writer.write(path, 3_000)
    submission.write_text(SUBMISSION)
    mapping.write_text(MAPPING)
    answer = ladderman(
        "audit",
        path,
        "--submission",
        submission,
        "--mapping",
        mapping,
        "--summary",
        "--format",
        "json",
    )
    (one,) = answer.document["files"]
    assert one["findings"] == dict(sorted(writer.planted.items()))
    assert one["checks_off"] == []
    assert one["checks_on"] == [
        "drawing_rules",
        "winner",
        "points",
        "payouts",
        "winning_wagers",
        "shoe_composition",
        "shoe_order",
        "dates",
        "base_wager",
        "wagers_offered",
        "suits",
        "ranks",
    ]


def test_the_preview_shows_mapping_rows_and_checks_and_stops(rounds: Path) -> None:
    answer = ladderman("audit", rounds, "--preview")
    assert answer.code == 0
    assert "cells parted by ','" in answer.out
    for ours in ("coup", "player_cards", "winner", "stake"):
        assert f"  {ours:<16} {ours}\n" in answer.out
    assert "line 3: Player 2S 3H KD (5); Banker AC 2D 5H (8); coup 2; shoe S1" in answer.out
    assert "undetermined; THIRD_CARD_NOT_DRAWN" in answer.out
    assert "line 5" not in answer.out
    assert "checks on: drawing_rules" in answer.out
    assert "check off: dates" in answer.out
    assert "CARD_UNREADABLE" not in answer.out


def test_the_preview_is_a_document_where_that_is_asked_for(rounds: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "cards.csv"
    damaged.write_text("cards;note;other\n2S AC XX 2D;x;y\n")
    answer = ladderman("audit", rounds, damaged, "--preview", "--format", "json")
    assert (answer.code, answer.document["schema"]) == (0, "ladderman.preview/1")
    first, second = answer.document["files"]
    assert list(first) == [
        "file",
        "delimiter",
        "mapping",
        "not_used",
        "rows",
        "checks_on",
        "checks_off",
    ]
    assert first["mapping"]["player_cards"] == ["player_cards"]
    assert [one["line"] for one in first["rows"]] == [2, 3, 4]
    undrawn = first["rows"][2]
    assert undrawn["player_cards"] == ["2S", "3H", "KD"]
    assert (undrawn["player_points"], undrawn["status"]) == (5, "undetermined")
    assert undrawn["says"]["stake"] == ["100.00"]
    assert [one["code"] for one in undrawn["findings"]] == ["THIRD_CARD_NOT_DRAWN"]
    assert "drawing_rules" in first["checks_on"]
    assert (second["delimiter"], second["not_used"]) == (";", ["note", "other"])
    assert second["rows"][0]["status"] == "unreadable"

    lines = ladderman("audit", rounds, damaged, "--preview", "--format", "jsonl").objects
    assert [one["schema"] for one in lines] == ["ladderman.preview/1"] * 2
    assert [one["file"] for one in lines] == [str(rounds), str(damaged)]
    assert "--preview is written as table, json or jsonl, not as csv" in refusal(
        "audit", rounds, "--preview", "--format", "csv"
    )


def test_signs_that_steer_a_terminal_are_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text(f'{HEADER}\n"\x1b[2J1\nx",S1,T1,1,2S 3H KD,AC 2D,player,\x1b[31mbanker,1,1\n')
    answer = ladderman("audit", path)
    assert answer.code == 1
    assert "\x1b" not in answer.out
    assert all(line == line.rstrip("\r") for line in answer.out.splitlines())
    assert f"{path}:2 " in answer.out and " coup " in answer.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--map", "winer=winner"), "'winer' is not one of our names; did you mean winner?"),
        (("--map", "winner=winer"), "the file has no column 'winer'; did you mean winner?"),
        (("--map", "winner"), '--map "winner": write it as NAME=VALUE'),
        (("--map", "coup=coup,shoe"), "coup is said by one column, not by coup, shoe"),
        (("--winner-values", "P=plyer"), "write player, banker or tie; did you mean player?"),
        (("--winner-values", "P"), '--winner-values "P": write it as NAME=VALUE'),
        (("--card-order", "p1,p2"), "card order p1,p2: name each of p1, b1, p2, b2, p3, b3 once"),
        (("--zone", "America/New_Yrk"), "--zone America/New_Yrk: no such time zone"),
        (("--gaming-date", "2026-8-4"), "did you mean 2026-08-04?"),
        (("--paytable", "golden_talons=F"), "the section prints A, B, C, D, E"),
        (("--reading", "D11=x"), "no code 'x'"),
        (("--commission", "7"), "write 4, 5 or free"),
        (("--decks", "99"), "a shoe holds 1 to 12"),
        (("--format", "jsonn"), "--format jsonn: write table, json, jsonl, csv; did you mean"),
        (("--summary", "--format", "csv"), "--summary is written as table or json, not as csv"),
        (("--mapping", "none.toml"), "--mapping none.toml: no such file"),
        (("--submission", "none.toml"), "none.toml: no such file"),
        (("none.csv",), "none.csv: no such file"),
        (("--sumary",), "no such option --sumary; did you mean --summary"),
    ],
)
def test_a_mistake_is_one_line_before_anything_is_written(
    rounds: Path, words: tuple[str, ...], said: str
) -> None:
    assert said in refusal("audit", rounds, *words)


def test_a_mapping_names_the_key_that_is_wrong(rounds: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    for content, said in (
        ('[colums]\ncoup = "coup"', "unknown key 'colums'; did you mean columns?"),
        ('[wagers]\nPP = "house.player_pear"', "wagers.PP: no wager 'house.player_pear'"),
        ('[winning_wagers]\nx = "bonker"', "winning_wagers.x: no wager 'bonker'"),
        ('zone = "Mars/Olympus"', "no such time zone"),
    ):
        mapping.write_text(content)
        assert said in refusal("audit", rounds, "--mapping", mapping)


def test_files_are_needed() -> None:
    assert "missing argument 'FILE'" in refusal("audit")


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "is empty"), ("a,b\n1,2\n", "no column of cards is recognised; its columns are a, b")],
)
def test_what_is_no_file_of_rounds_is_refused(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text(content)
    line = refusal("audit", path)
    assert said in line
    assert str(path) in line


@pytest.mark.parametrize("rows", ["", UNREADABLE + "\n"])
def test_a_file_without_one_readable_row_is_exit_2(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text(f"{HEADER}\n{rows}")
    answer = ladderman("audit", path, "--format", "json")
    assert answer.code == 2
    assert len(answer.document["findings"]) == len(rows.splitlines())
    assert "no row could be read; see --preview" in answer.err


def test_what_has_no_effect_or_no_rows_is_said(rounds: Path, tmp_path: Path) -> None:
    noted = ladderman("audit", rounds, "--card-order", "b1,p1,b2,p2,b3,p3", "--format", "jsonl")
    assert "the card order has no effect" in noted.err
    path = tmp_path / "rounds.csv"
    path.write_text(f"{HEADER}\n")
    assert "none stands under the header" in ladderman("audit", path).err
    path.write_text("coup:player_cards:banker_cards\n1:2S 3H:AC 2D\n")
    assert "parted by comma, semicolon, tab or bar" in refusal("audit", path)


def test_a_filing_with_defects_is_noted_and_used(rounds: Path, tmp_path: Path) -> None:
    submission = tmp_path / "rs.toml"
    submission.write_text(SUBMISSION)
    words = ("audit", rounds, "--submission", submission, "--format", "jsonl")
    assert "contradicts conditions" not in ladderman(*words).err
    submission.write_text(SUBMISSION.replace("game =", "decks = 7\ngame ="))
    assert "Rules Submission RS-BENCH contradicts conditions of offering" in ladderman(*words).err


def test_damage_is_a_finding_and_counts_as_a_row(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv.gz"
    whole = gzip.compress(f"{HEADER}\n{RIGHT}\n".encode() * 3_000, mtime=0)
    path.write_bytes(whole[: len(whole) // 2])
    answer = ladderman("audit", path, "--map", "coup=coup", "--format", "json")
    assert answer.code == 1
    (one,) = answer.document["summary"]["files"]
    assert one["rows"] == one["settled"] + one["undetermined"] + one["unreadable"]
    assert answer.document["findings"][-1]["code"] == "EVENT_REJECTED"
    assert "The file breaks off here" in answer.document["findings"][-1]["sentence"]


def test_the_help_has_an_example() -> None:
    assert "Example: ladderman audit" in ladderman("audit", "--help").out
