"""``ladderman rules``: the law as a person and a program read it."""

import csv
import datetime
import io
import re

import pytest

from auditors.law import load_law
from dashboards.commands.law.rules import register
from dashboards.documents.law.rules import dangling_references, standing_of, standing_words
from tests.support.texts.command_line import Answer, run_command

LAW = load_law()
IN_FORCE = "2025-06-01"


def run(*arguments: str) -> Answer:
    """Run ``rules`` with arguments."""
    return run_command(register, "rules", *arguments)


def shown(*arguments: str) -> str:
    """Run ``rules show`` for a day on which every section is in force."""
    answer = run("show", *arguments, "--gaming-date", IN_FORCE)
    assert answer.code == 0, answer.err
    return answer.out


def sections_on(day: str) -> dict[str, dict]:
    """Give the sections of ``rules list`` by id."""
    document = run("list", "--gaming-date", day, "--format", "json").document
    assert document["schema"] == "ladderman.rules/1"
    return {one["id"]: one for one in document["sections"]}


def csv_rows(text: str) -> list[dict[str, str]]:
    """Read CSV with its header."""
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("section", "day", "status"),
    [
        ("golden_talons", "2023-08-04", "not yet in force"),
        ("golden_talons", "2023-08-05", "in force"),
        ("golden_talons", "2026-08-04", "in force"),
        ("golden_talons", "2026-08-05", "lapsed"),
        ("harmony_big", "2023-03-24", "not yet in force"),
        ("harmony_big", "2023-03-25", "in force"),
        ("harmony_big", "2026-03-25", "in force"),
        ("harmony_big", "2026-03-26", "lapsed"),
        ("eclipse", "2020-01-01", "presumed in force"),
        ("eclipse", "2027-03-08", "presumed in force"),
        ("eclipse", "2027-03-09", "lapsed"),
        ("majestic_match", "2099-01-01", "presumed in force"),
        ("minibaccarat", "2025-06-01", "presumed in force"),
    ],
)
def test_the_status_of_a_section_changes_on_its_printed_days(
    section: str, day: str, status: str
) -> None:
    assert sections_on(day)[section]["status"] == status


@pytest.mark.parametrize(
    ("day", "days", "words"),
    [
        ("2026-05-05", None, "in force, last day 2026-08-04"),
        ("2026-05-06", 90, "in force, lapses in 90 days (last day 2026-08-04)"),
        ("2026-08-03", 1, "in force, lapses in 1 day (last day 2026-08-04)"),
        ("2026-08-04", 0, "in force, today is its last day (last day 2026-08-04)"),
        ("2026-08-05", None, "lapsed, last day 2026-08-04"),
        ("2023-08-04", None, "not yet in force, first day 2023-08-05"),
    ],
)
def test_a_lapse_within_90_days_is_pointed_out(day: str, days: int | None, words: str) -> None:
    standing = standing_of(LAW, LAW.sections["golden_talons"], datetime.date.fromisoformat(day))
    assert standing.lapses_in_days == days
    assert standing_words(standing) == words
    assert sections_on(day)["golden_talons"]["lapses_in_days"] == days
    shown_words = " ".join(run("list", "--gaming-date", day).out.split())
    assert ("lapses in" in shown_words) == bool(days and days <= 90)


@pytest.mark.parametrize(
    ("day", "reason"), [("2024-05-24", "text not seen"), ("2024-05-25", "deleted")]
)
def test_a_reference_to_a_deleted_section_dangles_from_the_day_of_its_deletion(
    day: str, reason: str
) -> None:
    found = sections_on(day)["rising_phoenix"]["dangling_references"]
    (reference,) = [one for one in found if one["section"] == "627b.2"]
    assert reference["reason"] == reason
    assert reference["deleted"] == ("2024-05-25" if reason == "deleted" else None)


def test_a_reference_whose_text_is_held_does_not_dangle() -> None:
    found = dangling_references(LAW.sections["rising_phoenix"], datetime.date(2025, 6, 1))
    assert {"627b.5", "627b.6"}.isdisjoint(one.section for one in found)


def test_the_list_names_every_section_wager_and_interpretation() -> None:
    answer = run("list", "--gaming-date", IN_FORCE)
    assert answer.code == 0 and answer.err == ""
    words = set(re.split(r"[\s,]+", answer.out))
    for section in LAW.sections.values():
        assert section.id in words
        for wager in section.wager:
            name = wager.code or section.id
            assert {name, f"{name}@player"} & words, name
    assert set(LAW.interpretations) <= words
    assert {one.default for one in LAW.interpretations.values() if one.default} <= words
    assert "deleted 2024-05-25" in answer.out
    assert answer.out.endswith(
        "Texts as held, not checked against the current Code. Advisory; does not\n"
        "authorise or refuse payment.\n"
    )


def test_the_list_in_json_holds_every_interpretation_with_its_default() -> None:
    document = run("list", "--gaming-date", IN_FORCE, "--format", "json").document
    by_id = {one["id"]: one for one in document["interpretations"]}
    assert list(by_id) == [f"D{number}" for number in range(1, 38)]
    assert by_id["D11"]["code"] == "paytable"
    assert by_id["D15"]["code"] is None and by_id["D15"]["codes"] == {}
    assert document["law_digest"] == LAW.digest
    wagers = [one["wager"] for section in document["sections"] for one in section["wagers"]]
    assert sorted(wagers) == sorted(LAW.wagers)


def test_lines_are_the_objects_of_the_document_and_csv_its_sections() -> None:
    document = run("list", "--gaming-date", IN_FORCE, "--format", "json").document
    objects = run("list", "--gaming-date", IN_FORCE, "--format", "jsonl").objects
    assert objects == [*document["sections"], *document["interpretations"]]
    assert all("schema" in one for one in objects)
    rows = csv_rows(run("list", "--gaming-date", IN_FORCE, "--format", "csv").out)
    assert [row["id"] for row in rows] == [one["id"] for one in document["sections"]]
    golden = next(row for row in rows if row["id"] == "golden_talons")
    assert golden["citation"] == "58 Pa. Code § 627b.5"
    assert golden["paytables"] == "A B C D E"
    assert (golden["first_day"], golden["last_day"]) == ("2023-08-05", "2026-08-04")


def test_today_is_the_default_and_is_said() -> None:
    answer = run("list", "--format", "jsonl")
    (day,) = re.findall(r"^gaming date (\S+) \(today;", answer.err)
    assert answer.objects[0]["gaming_date"] == day


@pytest.mark.parametrize("section", sorted(LAW.sections))
def test_every_row_letter_and_paragraph_of_a_section_is_shown_within_80_columns(
    section: str,
) -> None:
    text = shown(section)
    assert max(len(line) for line in text.splitlines()) <= 80
    words = set(re.split(r"[\s,;]+", text))
    held = LAW.sections[section]
    for wager in held.wager:
        for outcome in wager.outcome:
            assert set(re.split(r"[\s,;]+", outcome.title)) <= words, outcome.title
            for cite in (outcome.wins_cite, outcome.pays_cite):
                read = f"§ {held.chapter}{cite}" if cite.startswith(".") else cite
                assert set(re.split(r"[\s,;]+", read)) - {""} <= words, cite
            for letter in held.paytables or (None,):
                if outcome.stands_under(letter):
                    assert set(re.split(r"[\s,]+", outcome.odds(letter).text)) <= words
    for one in LAW.interpretations.values():
        assert (section not in one.sections) or f"{one.id} (" in text


def test_golden_talons_is_shown_as_a_person_wants_to_read_it() -> None:
    text = shown("golden_talons")
    assert "Golden Talons, 58 Pa. Code § 627b.5\n" in text
    assert "in force, last day 2026-08-04\n" in text
    assert "Settled: after the result is announced, (d)\n" in text
    rows = {line.split("  ")[0]: " ".join(line.split()) for line in text.splitlines()}
    assert rows["Win by 9"].endswith("(e)(1) 30 to 1 20 to 1 30 to 1 20 to 1 30 to 1 (f)")
    assert rows["Win by 4"].endswith("(e)(1) 1 to 1 1 to 1 1 to 1 1 to 1 2 to 1 (f)")
    assert rows["Natural tie"].endswith("push 2 to 1 push push push (f)")
    assert rows["(a), (b)"] == "(a), (b) a main wager has to be placed first"
    assert rows["(f)"].startswith("(f) one paytable for the whole package")
    assert "golden_talons@player, golden_talons@banker" in text
    assert "D17 (text)" in text and "D1 (" not in text and "D5 (" not in text


def test_the_letters_of_harmony_stand_in_groups_of_the_same_rows() -> None:
    text = shown("harmony_mini")
    groups = re.findall(r"^Paytables (.*)$", text, re.MULTILINE)
    assert groups == ["A, B, C", "D, E, F", "G, H, I"]
    assert "Progressive rates, (j)" in text
    assert re.search(r"^increment +15% +19% +15%", text, re.MULTILINE)
    instead = text.partition("Rows that stand instead under another interpretation")[2]
    assert "each_hand]" in instead and "each_hand]" not in text.partition("Rows that")[0]


def test_a_main_game_is_shown_with_its_third_card_rules() -> None:
    text = shown("minibaccarat")
    assert "58 Pa. Code § 627a (text not seen)" in text
    assert "Banker 3 draws on a Player third card of 0 to 7, 9.\n" in text
    assert "Banker 6 draws on a Player third card of 6, 7.\n" in text
    assert "Banker 7 stands.\n" in text
    assert "§ 627a.12" in text


def test_one_wager_is_shown_without_its_siblings() -> None:
    text = shown("eclipse.sun_7")
    assert "Sun 7 (eclipse.sun_7), 58 Pa. Code § 627b.7\n" in text
    assert "Banker hand wins with 3-card" in text
    assert "Divine" not in text.partition("What the text")[0]
    assert "D11 (" not in text, "D11 is about the Eclipse wager alone"
    assert "D11 (" in shown("eclipse.eclipse")


def test_a_bonus_wager_of_rising_phoenix_names_the_open_question_of_its_base() -> None:
    assert "a main wager is not named as a condition (D35)" in shown("rising_phoenix.sun_7")
    assert "D35)" not in shown("rising_phoenix.player").partition("What the")[0]


@pytest.mark.parametrize(
    "name",
    [
        "golden_talons",
        "Golden_Talons",
        "golden_talons@player",
        "627b.5",
        "§ 627b.5",
        "58 Pa. Code § 627b.5",
    ],
)
def test_a_section_is_found_by_id_hand_and_number(name: str) -> None:
    assert shown(name) == shown("golden_talons")


def test_an_interpretation_is_shown_with_its_alternatives() -> None:
    text = shown("d11")
    assert text == shown("D11")
    assert "D11: Does Eclipse win on a Supreme 7 whose row is marked Loss?\n" in text
    assert re.search(r"^paytable +wins only .* in force by default$", text, re.MULTILINE)
    assert 'D11 = "definition_events"' in text
    assert "cannot be switched" in shown("D15") and "[readings]" not in shown("D15")
    document = run("show", "D11", "--format", "json").document
    assert document["schema"] == "ladderman.interpretation/1"
    assert list(document["codes"]) == ["paytable", "definition_events"]
    assert run("show", "D11", "--format", "jsonl").objects == [document]
    rows = csv_rows(run("show", "D11", "--format", "csv").out)
    assert [(row["code"], row["is_default"]) for row in rows] == [
        ("paytable", "yes"),
        ("definition_events", "no"),
    ]


def test_a_section_in_json_lines_and_csv_holds_every_cell() -> None:
    document = run("show", "eclipse", "--gaming-date", IN_FORCE, "--format", "json").document
    assert document["schema"] == "ladderman.rules-section/1"
    supreme = next(one for one in document["wagers"] if one["wager"] == "eclipse.supreme_7")
    assert supreme["outcomes"][0]["pays"] == {"A": "200 to 1", "B": "400 to 1", "C": "Loss"}
    assert {one["citation"] for one in document["conditions"]} >= {"58 Pa. Code § 627b.7(c)"}
    objects = run("show", "eclipse", "--gaming-date", IN_FORCE, "--format", "jsonl").objects
    assert {one["schema"] for one in objects} == {"ladderman.rules-outcome/1"}
    cells = {
        (one["wager"], one["paytable"], one["outcome_code"]): one["pays"]
        for one in objects
        if not one["interpretations"]
    }
    assert cells["eclipse.supreme_7", "C", "both_3_card_7"] == "Loss"
    assert cells["eclipse.supreme_7", "C", "both_2_card_7"] == "100 to 1"
    assert cells["eclipse.sun_7", "A", "loses"] == "loss"
    rows = csv_rows(run("show", "eclipse", "--gaming-date", IN_FORCE, "--format", "csv").out)
    assert len(rows) == len(objects)
    assert "D16=win_required" in {row["interpretations"] for row in rows}


def test_rows_that_a_letter_does_not_print_are_not_given_for_it() -> None:
    objects = run("show", "harmony_mini", "--gaming-date", IN_FORCE, "--format", "jsonl").objects
    codes = {
        letter: {one["outcome_code"] for one in objects if one["paytable"] == letter}
        for letter in "ADG"
    }
    assert "tie_0" in codes["A"] and "tie_0" not in codes["D"] | codes["G"]
    assert "any_tie" in codes["D"] and "tie_5_cards" in codes["G"]


@pytest.mark.parametrize("name", sorted(LAW.wagers))
@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_every_wager_can_be_shown(name: str, form: str) -> None:
    answer = run("show", name, "--gaming-date", IN_FORCE, "--format", form)
    assert answer.code == 0 and answer.out


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "golden_talon",
            'no section, wager or interpretation "golden_talon"; did you mean golden_talons?',
        ),
        (
            "eclipse.sun7",
            'no section, wager or interpretation "eclipse.sun7"; did you mean eclipse.sun_7?',
        ),
        ("zzz", 'no section, wager or interpretation "zzz"; see ladderman rules list'),
        ("sun_7", "wager 'sun_7' is ambiguous; write one of rising_phoenix.sun_7, eclipse.sun_7"),
        ("D111", 'no section, wager or interpretation "D111"; did you mean D11?'),
        ("", 'no section, wager or interpretation ""; see ladderman rules list'),
    ],
)
def test_an_unknown_name_is_exit_2_with_the_near_miss(name: str, line: str) -> None:
    answer = run("show", name)
    assert (answer.code, answer.out, answer.err) == (2, "", line)


@pytest.mark.parametrize("command", [("list",), ("show", "eclipse")])
def test_a_bad_gaming_date_is_exit_2(command: tuple[str, ...]) -> None:
    answer = run(*command, "--gaming-date", "2025-13-01")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "--gaming-date 2025-13-01: the calendar has no such day"


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_the_calendar_can_be_asked_for(day: str) -> None:
    assert len(sections_on(day)) == len(LAW.sections)
