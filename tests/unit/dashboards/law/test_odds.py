"""``ladderman odds`` keeps its contract: one document, one line per error, tables of 80 columns."""

import json
from fractions import Fraction
from functools import cache
from math import gcd
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dashboards.commands.tree import create_app
from dashboards.errors import ExitCode, UsageProblem

KEYS = [
    "section",
    "citation",
    "wager",
    "hand",
    "paytable",
    "commission",
    "tie_odds",
    "interpretation",
    "outcomes",
    "win_probability",
    "win_probability_float",
    "push_probability",
    "push_probability_float",
    "house_edge",
    "house_edge_float",
]
METER_KEYS = [
    "jackpot_probability",
    "jackpot_probability_float",
    "return_without_jackpot",
    "return_without_jackpot_float",
    "break_even_meter",
]
OUTCOME_KEYS = ["outcome", "outcome_code", "pays", "probability", "probability_float"]


def run(*arguments: str) -> str:
    """Run the command and give what it wrote; problems are raised."""
    result = CliRunner().invoke(
        create_app(), ["odds", *arguments], catch_exceptions=False, standalone_mode=False
    )
    return result.stdout


@cache
def document(*arguments: str) -> dict[str, Any]:
    """Run the command and read its document."""
    found: dict[str, Any] = json.loads(run(*arguments, "--format", "json"))
    return found


def test_the_document_has_the_keys_of_its_schema_and_no_others() -> None:
    found = document()
    assert list(found) == ["schema", "decks", "wagers"]
    assert (found["schema"], found["decks"]) == ("ladderman.odds/1", 8)
    for wager in found["wagers"]:
        has_meter = wager["wager"].startswith("harmony")
        assert list(wager) == KEYS + (METER_KEYS if has_meter else [])
        assert all(list(one) == OUTCOME_KEYS for one in wager["outcomes"])


def test_every_number_is_a_fraction_in_lowest_terms_with_its_float_beside_it() -> None:
    for wager in document()["wagers"]:
        assert sum(Fraction(one["probability"]) for one in wager["outcomes"]) == 1
        for numbers in (wager, *wager["outcomes"]):
            for name in [key.removesuffix("_float") for key in numbers if key.endswith("_float")]:
                if numbers[name] is None:
                    assert numbers[f"{name}_float"] is None
                    continue
                numerator, denominator = (int(part) for part in numbers[name].split("/"))
                assert gcd(numerator, denominator) == 1
                assert numbers[f"{name}_float"] == numerator / denominator


def test_a_wager_is_described_by_section_citation_hand_letter_and_form() -> None:
    talons, phoenix = (
        document("golden_talons@banker", "--paytable", "golden_talons=b")["wagers"],
        document("rising_phoenix.banker", "--commission", "free")["wagers"],
    )
    (wager,) = talons
    assert wager["section"] == "58 Pa. Code § 627b.5"
    assert wager["citation"] == "58 Pa. Code § 627b.5(e)(2), (e)(3), (e)(1), (f), (g)"
    assert [wager[key] for key in KEYS[2:8]] == [
        "golden_talons",
        "banker",
        "B",
        None,
        None,
        None,
    ]
    (wager,) = phoenix
    assert wager["commission"] == "free"
    assert [one["outcome"] for one in wager["outcomes"]] == ["push", "win", "push", "lose"]
    assert wager["outcomes"][-1]["pays"] == "loss"


def test_house_wagers_without_odds_have_a_null_edge_and_no_citation() -> None:
    (wager,) = document("any_natural", "--decks", "6")["wagers"]
    assert wager["citation"] is None
    assert wager["house_edge"] is wager["house_edge_float"] is None
    assert wager["outcomes"][0]["pays"] == "unpriced"


def test_a_stake_gives_the_break_even_meter_in_cents() -> None:
    found = document("harmony_big", "--paytable", "harmony_big=A", "--stake", "5.00")
    assert (found["currency"], found["stake"]) == ("USD", "5.00")
    by_reading = {str(one["interpretation"]): one["break_even_meter"] for one in found["wagers"]}
    assert by_reading == {
        "None": "1766496.97",
        "{'D1': 'to'}": "1361509.43",
        "{'D2': 'every'}": "1660936.86",
    }
    (without, *_) = document("harmony_big", "--paytable", "harmony_big=A")["wagers"]
    assert without["break_even_meter"] is None


def test_names_mean_both_hands_a_section_or_the_main_wager() -> None:
    found = document("majestic_match", "eclipse", "banker", "majestic_match@player")["wagers"]
    named = dict.fromkeys((one["wager"], one["hand"]) for one in found)
    assert list(named) == [
        ("majestic_match", "player"),
        ("majestic_match", "banker"),
        ("eclipse.sun_7", None),
        ("eclipse.moon_8", None),
        ("eclipse.supreme_7", None),
        ("eclipse.divine_9", None),
        ("eclipse.eclipse", None),
        ("minibaccarat.banker", None),
    ]


def test_a_submission_fixes_what_it_files_and_lists_what_it_offers(tmp_path: Path) -> None:
    filed = tmp_path / "table.toml"
    filed.write_text(
        """
        schema = "ladderman.rules-submission/1"
        id = "RS-7"
        game = "minibaccarat"
        decks = 6
        tie_odds = "9 to 1"
        wagers = [
          { id = "minibaccarat.banker" },
          { id = "minibaccarat.tie" },
          { id = "eclipse.eclipse", paytable = "C" },
          { id = "house.super_six", odds = { banker_wins_6 = "15 to 1" } },
        ]
        [commission]
        form = "standard"
        rate = "4.5%"
        [readings]
        D11 = "definition_events"
        """
    )
    found = document("--submission", str(filed))
    assert found["decks"] == 6
    rows = [
        (one["wager"], one["paytable"], one["commission"], one["tie_odds"], one["interpretation"])
        for one in found["wagers"]
    ]
    chosen = {"D11": "definition_events"}
    assert rows == [
        ("minibaccarat.banker", None, "4.5%", None, None),
        ("minibaccarat.tie", None, None, "9 to 1", None),
        ("eclipse.eclipse", "C", None, None, chosen),
        ("eclipse.eclipse", "C", None, None, {**chosen, "D16": "win_required"}),
        ("house.super_six", None, None, None, None),
    ]
    assert found["wagers"][-1]["outcomes"][0]["pays"] == "15 to 1"


def test_a_commission_form_leaves_out_the_wagers_that_do_not_define_it() -> None:
    found = {one["wager"] for one in document("--commission", "free")["wagers"]}
    assert "rising_phoenix.banker" in found
    assert "minibaccarat.tie" in found
    assert not found & {"minibaccarat.banker", "baccarat.banker"}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("player_pair", "write one of house.player_pair, rising_phoenix.player_pair"),
        ("golden_talon", "did you mean golden_talons"),
        ("golden_talons@tie", "name the hand it is placed on"),
        ("banker --commission free", "defines no commission-free game"),
        ("banker --commission 6", "write 4, 5 or free"),
        ("banker --decks 7", "--decks 7: the games are dealt from 6 or 8 decks"),
        ("harmony_mini --stake 0", "--stake 0: a stake is more than 0"),
        ("harmony_mini --stake 5.001", "--stake: '5.001' has more than 2 decimals"),
        ("harmony_mini --stake five", "--stake: 'five' is no amount"),
        ("eclipse --paytable eclipse=D", "the section prints A, B, C"),
        ("eclipse --reading D11=definition", "did you mean definition_events"),
        ("eclipse --reading D17=any", "it has no alternatives"),
        ("tie --tie-odds 8:1", "prints no odds"),
        ("--submission nowhere.toml", "nowhere.toml"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments: str, line: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        run(*arguments.split())
    assert line in str(problem.value)
    assert problem.value.exit_code is ExitCode.BAD_USAGE


@pytest.mark.parametrize("arguments", ["", "harmony_mini --stake 5", "rising_phoenix baccarat"])
def test_tables_fit_eighty_columns_and_stand_on_the_law(arguments: str) -> None:
    written = run(*arguments.split())
    assert max(len(line.rstrip()) for line in written.splitlines()) <= 80
    assert "Advisory; does not" in written
    assert "58 Pa. Code §" in written


def test_a_named_wager_shows_what_wins_what_it_pays_and_where_it_says_so() -> None:
    written = run("golden_talons@player", "--paytable", "golden_talons=B")
    lines = [" ".join(line.split()) for line in written.splitlines()]
    assert "Golden Talons: 58 Pa. Code § 627b.5" in lines
    assert "Natural tie 2 to 1 (e)(2), (e)(3), (f) 1.7871 %" in lines
    assert "Golden Talons on Player paytable B 30.7758 % 4.5529 %" in lines


def test_readings_are_explained_under_the_table_that_shows_them() -> None:
    written = " ".join(run("eclipse.eclipse", "--paytable", "eclipse=C").split())
    assert "D11=definition_events: wins on every event of (d)(1) to (4)." in written
