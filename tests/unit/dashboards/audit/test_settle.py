"""``ladderman settle``: one coup from the command line, and every mistake in one line."""

import datetime
import json
from pathlib import Path

import pytest

from tests.support.ladderman import ladderman, refusal

CARDS = ("--player", "2S 3H KD", "--banker", "AC 2D 5H")
DATE = ("--gaming-date", "2025-06-01")
SIX_KINGS = ("--player", "KS KH KD", "--banker", "KC KS KH")


def settled(*words: object) -> dict:
    """Settle and give the document."""
    answer = ladderman("settle", *words, *DATE, "--format", "json")
    assert answer.code in (0, 1), answer.err
    return json.loads(answer.out)


def test_the_example_of_the_help_gives_the_document_in_its_shape() -> None:
    document = settled(
        *CARDS,
        "--wager",
        "banker=100",
        "--wager",
        "golden_talons@player=25",
        "--paytable",
        "golden_talons=B",
    )
    assert list(document) == [
        "schema",
        "currency",
        "gaming_date",
        "player_cards",
        "banker_cards",
        "player_points",
        "banker_points",
        "winner",
        "natural",
        "status",
        "findings",
        "wagers",
    ]
    assert document["schema"] == "ladderman.settlement/1"
    assert (document["currency"], document["gaming_date"]) == ("USD", "2025-06-01")
    assert document["player_cards"] == ["2S", "3H", "KD"]
    assert (document["player_points"], document["banker_points"]) == (5, 8)
    assert (document["winner"], document["natural"]) == ("banker", None)
    assert (document["status"], document["findings"]) == ("settled", [])
    banker, talons = document["wagers"]
    assert banker == {
        "wager": "minibaccarat.banker",
        "hand": None,
        "paytable": None,
        "outcome": "win",
        "outcome_code": "banker_wins",
        "pays": "1 to 1 less vigorish",
        "stake": "100.00",
        "due": "195.00",
        "net": "95.00",
        "vigorish": "5.00",
        "citation": "58 Pa. Code § 627a.11, .12 (text not seen)",
        "interpretations": {"D27": "exact"},
        "sentence": banker["sentence"],
    }
    assert (talons["wager"], talons["hand"], talons["paytable"]) == ("golden_talons", "player", "B")
    assert (talons["outcome"], talons["outcome_code"]) == ("lose", "loses")
    assert (talons["due"], talons["net"], talons["vigorish"]) == ("0.00", "-25.00", "0.00")


def test_a_faulty_draw_is_undetermined_with_its_finding_and_exit_1() -> None:
    words = (
        "settle",
        "--player",
        "2S 3H KD",
        "--banker",
        "AC 2D",
        "--wager",
        "player=100",
        "--wager",
        "house.player_pair=5",
        *DATE,
        "--format",
        "json",
    )
    answer = ladderman(*words)
    assert answer.code == 1
    document = answer.document
    assert document["status"] == "undetermined"
    assert [one["code"] for one in document["findings"]] == ["THIRD_CARD_NOT_DRAWN"]
    player, pair = document["wagers"]
    for key in ("outcome", "outcome_code", "pays", "due", "net", "vigorish"):
        assert player[key] is None
    assert player["stake"] == "100.00"
    assert (pair["outcome"], pair["due"]) == ("lose", "0.00")


@pytest.mark.parametrize(
    ("player", "banker", "natural", "winner"),
    [
        ("4S 4H", "AC 2D", "player", "player"),
        ("AC 2D", "9C KD", "banker", "banker"),
        ("4S 4H", "9C KD", "both", "banker"),
        ("5D 4H", "9C KD", "both", "tie"),
    ],
)
def test_naturals_are_named(player: str, banker: str, natural: str, winner: str) -> None:
    document = settled("--player", player, "--banker", banker, "--wager", "tie=5")
    assert (document["natural"], document["winner"]) == (natural, winner)


@pytest.mark.parametrize(
    ("flags", "wager", "net"),
    [
        ((), "banker=100", "95.00"),
        (("--commission", "4"), "banker=100", "96.00"),
        (("--commission", "4%"), "banker=100", "96.00"),
        (("--commission", "5"), "rising_phoenix.banker=100", "95.00"),
        (("--commission", "free"), "rising_phoenix.banker=100", "100.00"),
        (("--reading", "D27=up_25c"), "banker=101", "95.75"),
        ((), "house.big=10", "5.40"),
        ((), "banker=$1,000.00", "950.00"),
    ],
)
def test_terms_are_those_of_the_flags(flags: tuple[str, ...], wager: str, net: str) -> None:
    (found,) = settled(*CARDS, "--wager", wager, *flags)["wagers"]
    assert found["net"] == net


def test_tie_odds_are_those_of_the_flag() -> None:
    cards = ("--player", "3C 2S 2D", "--banker", "6S AH")
    assert settled(*cards, "--wager", "tie=10")["wagers"][0]["net"] == "80.00"
    nine = settled(*cards, "--wager", "tie=10", "--tie-odds", "9 to 1")["wagers"][0]
    assert nine["net"] == "90.00"


@pytest.mark.parametrize("letter", ["B", "b"])
def test_a_letter_is_read_in_either_case(letter: str) -> None:
    words = ("--wager", "eclipse.sun_7=5", "--paytable", f"eclipse={letter}")
    assert settled(*CARDS, *words)["wagers"][0]["paytable"] == "B"


def test_a_lapsed_section_is_settled_with_a_finding() -> None:
    words = (
        "settle",
        *CARDS,
        "--wager",
        "banker=5",
        "--wager",
        "golden_talons@banker=5",
        "--paytable",
        "golden_talons=A",
        "--format",
        "json",
        "--gaming-date",
    )
    for date, codes in (
        ("2026-08-04", []),
        ("2026-08-05", ["RULE_LAPSED"]),
        ("2023-08-04", ["RULE_NOT_YET_IN_FORCE"]),
        ("2023-08-05", []),
    ):
        answer = ladderman(*words, date)
        assert answer.code == 0
        assert [one["code"] for one in answer.document["findings"]] == codes
    exclusive = ladderman(*words, "2026-08-04", "--reading", "D37=exclusive").document
    assert [one["code"] for one in exclusive["findings"]] == ["RULE_LAPSED"]


def test_wagers_without_a_base_are_found_each() -> None:
    words = (
        "--paytable",
        "golden_talons=A",
        "--wager",
        "golden_talons@player=5",
        "--wager",
        "golden_talons@player=5",
    )
    findings = settled(*CARDS, *words)["findings"]
    assert [one["code"] for one in findings] == ["WAGER_WITHOUT_BASE"] * 2
    assert len({one["id"] for one in findings}) == 2
    assert settled(*CARDS, *words, "--wager", "tie=5")["findings"] == []


@pytest.mark.parametrize(
    ("flags", "due"),
    [
        (("--meter", "125000.00"), "125000.00"),
        (("--meter", "125000.00", "--winning-stakes", "5,5,10"), "41666.67"),
        (("--meter", "125000.00", "--winning-stakes", "10,5,5"), "41666.67"),
        (
            (
                "--meter",
                "125000.00",
                "--winning-stakes",
                "5,5,10",
                "--reading",
                "D3=pro_rata_stake",
            ),
            "31250.00",
        ),
        (
            ("--meter", "125000.00", "--winning-stakes", "5,10", "--reading", "D3=each_full"),
            "125000.00",
        ),
        (("--meter", "100", "--reading", "D2=greatest"), "500.00"),
        (("--meter", "100", "--reading", "D1=to"), "105.00"),
    ],
)
def test_a_meter_is_paid_and_shared(flags: tuple[str, ...], due: str) -> None:
    words = ("--wager", "harmony_mini=5", "--paytable", "harmony_mini=A", "--wager", "tie=5")
    assert settled(*SIX_KINGS, *words, *flags)["wagers"][0]["due"] == due


def test_two_winning_wagers_of_one_call_share_the_meter() -> None:
    words = (
        "--wager",
        "harmony_mini=5",
        "--wager",
        "harmony_mini=5",
        "--wager",
        "tie=1",
        "--paytable",
        "harmony_mini=A",
        "--meter",
        "100.01",
    )
    dues = [one["due"] for one in settled(*SIX_KINGS, *words)["wagers"][:2]]
    assert dues == ["50.01", "50.00"]


SUBMISSION = """
schema = "ladderman.rules-submission/1"
id = "RS-7"
game = "rising_phoenix"
commission = { form = "free" }
currency = "EUR"
tie_odds = "9 to 1"

[[wagers]]
id = "rising_phoenix.player"

[[wagers]]
id = "rising_phoenix.banker"
maximum = "50.00"

[[wagers]]
id = "rising_phoenix.tie"

[[wagers]]
id = "eclipse.sun_7"
paytable = "B"
"""


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    """Write a filing."""
    path = tmp_path / "rs.toml"
    path.write_text(SUBMISSION)
    return path


PROGRESSIVE = """
[[wagers]]
id = "harmony_mini"
paytable = "A"

[[progressives]]
id = "P-1"
wager = "harmony_mini"
unit = "5.00"
base = "10000.00"
reset = "10000.00"
"""


@pytest.mark.parametrize(
    ("stake", "flags", "codes"),
    [
        ("5", (), []),
        ("10", (), ["PROGRESSIVE_STAKE_NOT_UNIT"]),
        ("10", ("--reading", "D4=any_amount"), []),
    ],
)
def test_a_stake_that_is_not_the_filed_unit_is_said(
    submission: Path, stake: str, flags: tuple[str, ...], codes: list[str]
) -> None:
    submission.write_text(SUBMISSION + PROGRESSIVE)
    document = settled(
        "--player",
        "JH 3S 9H",
        "--banker",
        "5D 8D 4S",
        "--submission",
        submission,
        "--wager",
        "player=100",
        "--wager",
        f"harmony_mini={stake}",
        "--gaming-date",
        "2025-06-01",
        *flags,
    )
    found = document["findings"]
    assert [one["code"] for one in found] == codes
    assert all("the filed unit is 5.00" in one["sentence"] for one in found)


def test_a_submission_gives_game_form_letters_currency_and_limits(submission: Path) -> None:
    document = settled(
        "--player",
        "JH 3S 9H",
        "--banker",
        "5D 8D 4S",
        "--submission",
        submission,
        "--wager",
        "banker=100",
        "--wager",
        "sun_7=5",
        "--wager",
        "house.big=1",
    )
    banker, sun, _ = document["wagers"]
    assert document["currency"] == "EUR"
    assert (banker["wager"], banker["outcome"]) == ("rising_phoenix.banker", "push")
    assert (sun["wager"], sun["paytable"], sun["net"]) == ("eclipse.sun_7", "B", "200.00")
    assert sorted(one["code"] for one in document["findings"]) == [
        "WAGER_NOT_OFFERED",
        "WAGER_OUT_OF_LIMITS",
    ]
    assert {one["rules_version"] for one in document["findings"]} == {"RS-7"}
    assert "(58 Pa. Code § 627b.4(g)(1)(iv); Rules Submission RS-7)" in banker["sentence"]


@pytest.mark.parametrize(
    ("flags", "version"),
    [
        ((), "RS-7"),
        (("--paytable", "eclipse=B", "--tie-odds", "9 to 1", "--decks", "8"), "RS-7"),
        (("--paytable", "eclipse=C"), "RS-7, what if paytable eclipse=C"),
        (("--commission", "5", "--decks", "6"), "RS-7, what if commission 5 %, decks 6"),
        (("--reading", "D11=definition_events"), "RS-7, what if reading D11=definition_events"),
        (("--tie-odds", "8 to 1"), "RS-7, what if tie odds 8 to 1"),
    ],
)
def test_what_departs_from_the_submission_is_said(
    submission: Path, flags: tuple[str, ...], version: str
) -> None:
    document = settled(*CARDS, "--submission", submission, "--wager", "player=5", *flags)
    assert f"Rules Submission {version})" in document["wagers"][0]["sentence"]


def test_a_reading_that_cannot_be_filed_is_told_with_its_file(
    submission: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(submission.read_text("utf-8") + '\n[readings]\nD27 = "nearest"\n', "utf-8")
    answer = ladderman("settle", *CARDS, "--submission", wrong, "--wager", "player=5", *DATE)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"ladderman: {wrong}: reading D27: no code 'nearest'")


def test_the_table_says_the_same_for_people() -> None:
    answer = ladderman("settle", *CARDS, "--wager", "banker=100", *DATE)
    assert answer.code == 0
    assert "minibaccarat.banker  stake 100.00  due 195.00  net 95.00  win" in answer.out
    assert "1 to 1 less 5 % vigorish: 100.00 + 95.00 = 195.00 due" in answer.out
    assert "interpretation D27 = exact" in answer.out
    assert "Texts as held, not checked against the current Code. Advisory" in answer.out
    open_coup = ladderman(
        "settle", "--player", "2S", "--banker", "AC 2D", "--wager", "tie=1", *DATE
    )
    assert open_coup.code == 1
    assert "due open" in open_coup.out
    assert "DEAL_ORDER" in open_coup.out


def test_the_gaming_date_is_today_and_is_echoed_beside_the_document() -> None:
    answer = ladderman("settle", *CARDS, "--wager", "banker=1", "--format", "json")
    day = datetime.date.fromisoformat(answer.document["gaming_date"])
    assert abs((day - datetime.datetime.now(datetime.UTC).date()).days) <= 1
    assert f"gaming date {day} (today" in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--wager", "banker=5", "--player", "2S 3X"),
            "--player \"2S 3X\": card 2: '3X' is no card",
        ),
        (("--wager", "banker=5", "--player", ""), "--player: no card"),
        (("--wager", "banker=5", "--banker", "AC 2D 5H 0H"), "card 4"),
        (("--wager", "bankr=5"), "no wager 'bankr'; did you mean banker?"),
        (("--wager", "golden_talons.player=5"), "no wager 'golden_talons.player'; did you mean"),
        (("--wager", "sun_7=5"), "ambiguous; write one of"),
        (("--wager", "rising_phoenix=5"), "is a section with several wagers"),
        (("--wager", "golden_talons=5"), "golden_talons@player or golden_talons@banker"),
        (("--wager", "golden_talons@plyer=5"), "golden_talons@player or golden_talons@banker"),
        (("--wager", "banker@player=5"), "it backs no chosen hand; write banker"),
        (("--wager", "banker"), "write it as WAGER=STAKE"),
        (("--wager", "=5"), "write it as WAGER=STAKE"),
        (("--wager", "banker=0"), "a stake is more than 0"),
        (("--wager", "banker=-5"), "a stake is more than 0"),
        (("--wager", "banker=5.005"), "'5.005' has more than 2 decimals"),
        (("--wager", "banker=abc"), "'abc' is no amount"),
        (("--wager", "banker=1e3"), "'1e3' is no amount"),
        (("--wager", "golden_talons@player=5"), "choose a paytable"),
        (("--wager", "banker=0.01"), "5 % of 0.01 is not payable"),
        (("--wager", "banker=5", "--commission", "free"), "defines no commission-free game"),
        (("--wager", "banker=5", "--commission", "6"), "--commission 6: write 4, 5 or free"),
        (
            ("--wager", "banker=5", "--paytable", "golden_talon=B"),
            "--paytable golden_talon: no such section; did you mean golden_talons?",
        ),
        (("--wager", "banker=5", "--paytable", "golden_talons=F"), "the section prints A, B, C"),
        (("--wager", "banker=5", "--paytable", "majestic_match=A"), "no letters"),
        (("--wager", "banker=5", "--paytable", "golden_talons"), "write it as NAME=VALUE"),
        (
            ("--wager", "banker=5", "--paytable", "eclipse.sun_7=A", "--paytable", "eclipse=B"),
            "eclipse has A already; one letter holds for the whole package",
        ),
        (("--wager", "banker=5", "--reading", "D99=x"), "reading D99: no such interpretation"),
        (
            ("--wager", "banker=5", "--reading", "D11=paytabel"),
            "no code 'paytabel'; it has paytable, definition_events; did you mean paytable?",
        ),
        (("--wager", "banker=5", "--reading", "D17=x"), "it has no alternatives"),
        (("--wager", "banker=5", "--tie-odds", "8:1"), "--tie-odds: '8:1' prints no odds"),
        (("--wager", "banker=5", "--tie-odds", "9 for 1"), "write a profit"),
        (("--wager", "banker=5", "--decks", "0"), "a shoe holds 1 to 12"),
        (("--wager", "banker=5", "--decks", "six"), "--decks six: write a whole number"),
        (("--wager", "banker=5", "--meter", "0"), "the amount is more than 0"),
        (("--wager", "banker=5", "--meter", "x"), "--meter: 'x' is no amount"),
        (("--wager", "banker=5", "--winning-stakes", "5"), "--winning-stakes needs --meter"),
        (
            ("--wager", "banker=5", "--gaming-date", "01.06.2025"),
            "not a date of the form YYYY-MM-DD",
        ),
        (("--wager", "banker=5", "--gaming-date", "2025-02-30"), "the calendar has no such day"),
        (
            ("--wager", "banker=5", "--format", "jsn"),
            "--format jsn: write table, json; did you mean json?",
        ),
        (("--wager", "banker=5", "--submission", "none.toml"), "none.toml: no such file"),
        (("--wager", "banker=5", "--wagr", "x"), "no such option --wagr; did you mean --wager?"),
        ((), "no wager; add --wager banker=100"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_write(words: tuple[str, ...], said: str) -> None:
    # The words stand last, so that they go before the cards and the date of the others.
    given = [*CARDS, *(() if "--gaming-date" in words else DATE), *words]
    assert said in refusal("settle", *given)


def test_a_mistake_names_the_wager_once_and_what_to_choose() -> None:
    deal = ("settle", "--player", "2S 3H KD", "--banker", "AC 2D 5H")
    said = refusal(*deal, "--wager", "banker=100", "--commission", "free")
    assert said.count("minibaccarat.banker") == 1
    said = refusal(*deal, "--wager", "banker=0.01", "--gaming-date", "2025-06-01")
    assert "no rounding policy is filed; stake an even amount, or choose a policy" in said


def test_cards_are_needed() -> None:
    assert "missing option '--player'" in refusal("settle", "--wager", "banker=5")


def test_a_stake_that_is_not_among_the_winning_stakes_is_refused() -> None:
    words = (
        "--wager",
        "harmony_mini=5",
        "--paytable",
        "harmony_mini=A",
        "--meter",
        "100",
        "--winning-stakes",
        "10,20",
    )
    assert "the stake 5.00 of this wager is not among them" in refusal("settle", *SIX_KINGS, *words)


def test_six_of_a_kind_without_a_meter_is_refused() -> None:
    words = ("--wager", "harmony_mini=5", "--paytable", "harmony_mini=A")
    assert "give the meter, such as --meter 125000.00" in refusal(
        "settle", *SIX_KINGS, *words, *DATE
    )


def test_a_submission_with_a_misspelt_key_is_refused(submission: Path) -> None:
    submission.write_text(SUBMISSION.replace("tie_odds", "tie_ods"))
    said = refusal("settle", *CARDS, "--wager", "player=5", "--submission", submission, *DATE)
    assert "tie_ods: unknown key; did you mean tie_odds?" in said


def test_the_help_has_an_example() -> None:
    answer = ladderman("settle", "--help")
    assert answer.code == 0
    assert "Example: ladderman settle" in answer.out
