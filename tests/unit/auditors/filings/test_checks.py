"""What the checks say of a Rules Submission, defect by defect."""

import datetime

import pytest

from auditors.filings import check_submission, checks_on_and_off
from auditors.law import load_law
from auditors.settlement.asserting import Place
from schemas.findings import FindingCode, Severity
from schemas.rules_submission import RulesSubmission
from tests.support.tables.submissions import a_progressive, a_submission, a_wager

LAW = load_law()
IN_FORCE = datetime.date(2025, 6, 1)
"""All sections with printed dates are in force on it."""

GOLDEN = a_wager("golden_talons", "A")
HARMONY = a_wager("harmony_mini", "A")
ECLIPSE = [
    a_wager(f"eclipse.{code}", "A")
    for code in ("sun_7", "moon_8", "supreme_7", "divine_9", "eclipse")
]


def defects(
    submission: RulesSubmission, day: datetime.date | None = IN_FORCE
) -> dict[str, tuple[str, str | None]]:
    """Give field to what is said and cited of it."""
    found = check_submission(LAW, submission, day)
    return {
        finding.facts.field: ("; ".join(finding.facts.problems), finding.citation)
        for finding in found
    }


def only_defect(submission: RulesSubmission, day: datetime.date | None = IN_FORCE) -> tuple:
    """Give field, words and citation of the one defect that there is."""
    ((field, (words, citation)),) = defects(submission, day).items()
    return field, words, citation


@pytest.mark.parametrize(
    "submission",
    [
        a_submission(),
        a_submission(decks=6),
        a_submission(GOLDEN, *ECLIPSE),
        a_submission(HARMONY, progressives=[a_progressive()]),
        a_submission("majestic_match", a_wager("five_treasures.golden_8", "B"), game="baccarat"),
        a_submission(game="rising_phoenix", commission={"form": "free"}),
        a_submission("rising_phoenix.sun_7", GOLDEN, game="rising_phoenix"),
        a_submission(a_wager("house.dragon_7", odds={"banker_wins_3_card_7": "35 to 1"})),
        a_submission(readings={"D11": "definition_events"}, tie_odds="9 to 1"),
        a_submission(severities={"WAGER_OUT_OF_LIMITS": "critical"}),
        a_submission(a_wager("house.big", minimum="5", maximum="5.00")),
    ],
    ids=str,
)
def test_a_filing_without_contradiction_has_no_defect(submission: RulesSubmission) -> None:
    assert defects(submission) == {}


@pytest.mark.parametrize(("decks", "found"), [(6, 0), (8, 0), (7, 1), (4, 1), (0, 1), (-8, 1)])
@pytest.mark.parametrize(
    ("game", "cite"), [("rising_phoenix", "58 Pa. Code § 627b.4(f)"), ("baccarat", None)]
)
def test_six_or_eight_decks_are_permitted(
    game: str, cite: str | None, decks: int, found: int
) -> None:
    submission = a_submission(game=game, decks=decks)
    assert len(defects(submission)) == found
    if found:
        field, words, citation = only_defect(submission)
        assert (field, citation) == ("decks", cite)
        assert words.startswith(f"{decks} decks are filed; ") and "6 or 8" in words
        assert ("(text not seen)" in words) == (cite is None)


@pytest.mark.parametrize(("covers", "found"), [(2, 0), (1, 1), (0, 1), (3, 1)])
@pytest.mark.parametrize(
    ("game", "cite"), [("rising_phoenix", "58 Pa. Code § 627b.4(f)"), ("minibaccarat", None)]
)
def test_two_cover_cards_are_asked_for(
    game: str, cite: str | None, covers: int, found: int
) -> None:
    submission = a_submission(game=game, cover_cards=covers)
    assert len(defects(submission)) == found
    if found:
        assert only_defect(submission)[0::2] == ("cover_cards", cite)


@pytest.mark.parametrize(
    ("submission", "cite"),
    [
        (a_submission(game="rising_phoenix", commission=None), "58 Pa. Code § 627b.4(b)"),
        (a_submission(*ECLIPSE, commission=None), "58 Pa. Code § 627b.7(b)"),
        (
            a_submission(*ECLIPSE, game="rising_phoenix", commission=None),
            "58 Pa. Code § 627b.4(b); 58 Pa. Code § 627b.7(b)",
        ),
    ],
    ids=["rising_phoenix", "eclipse", "both"],
)
def test_a_missing_commission_choice_is_a_defect_where_a_section_demands_one(
    submission: RulesSubmission, cite: str
) -> None:
    field, words, citation = only_defect(submission)
    assert (field, citation) == ("commission", cite)
    assert "no choice is filed" in words


def test_a_commission_choice_may_be_missing_where_no_section_demands_one() -> None:
    assert defects(a_submission(GOLDEN, commission=None)) == {}


@pytest.mark.parametrize("game", ["minibaccarat", "baccarat"])
def test_commission_free_is_a_defect_where_no_text_defines_it(game: str) -> None:
    field, words, citation = only_defect(a_submission(game=game, commission={"form": "free"}))
    assert field == "commission.form"
    assert "Rising Phoenix Baccarat (58 Pa. Code § 627b.4(g)(1)(iv))" in words
    assert citation == LAW.sections[game].citation()


def test_a_standard_commission_of_nothing_is_a_defect() -> None:
    submission = a_submission(commission={"form": "standard", "rate": "0%"})
    assert only_defect(submission)[0] == "commission.rate"


@pytest.mark.parametrize(
    ("game", "wager", "words", "cite"),
    [
        ("minibaccarat", "majestic_match", "offered at Baccarat;", "58 Pa. Code § 631c.7(b)"),
        (
            "baccarat",
            "golden_talons",
            "the table is filed to play Baccarat",
            "58 Pa. Code § 627b.5(a)",
        ),
        ("baccarat", "harmony_mini", "there it is harmony_big", "58 Pa. Code § 627b.6(a)"),
        ("minibaccarat", "harmony_big", "there it is harmony_mini", "58 Pa. Code § 631b.10(a)"),
        ("minibaccarat", "rising_phoenix.sun_7", "a game of its own", "58 Pa. Code § 627b.4"),
        ("rising_phoenix", "minibaccarat.tie", "write rising_phoenix.tie", None),
        ("minibaccarat", "baccarat.player", "write minibaccarat.player", None),
    ],
)
def test_a_wager_of_another_game_is_a_defect(
    game: str, wager: str, words: str, cite: str | None
) -> None:
    said, citation = defects(a_submission(wager, game=game))[f"wagers[{wager}]"]
    assert words in said
    assert cite is None or citation == cite


def test_every_wager_of_the_law_fits_the_games_of_its_chapters_and_no_other() -> None:
    for game in ("minibaccarat", "baccarat", "rising_phoenix"):
        for wager_id, (section, _) in LAW.wagers.items():
            is_own = wager_id.partition(".")[0] == game
            is_main = section.id in ("minibaccarat", "baccarat", "rising_phoenix")
            fits = is_own or (not is_main and LAW.sections[game].chapter in section.applies_to)
            wagers = [] if is_own and wager_id.endswith(("player", "banker", "tie")) else [wager_id]
            found = defects(a_submission(*wagers, game=game))
            assert (f"wagers[{wager_id}]" not in found) == fits, (game, wager_id)


@pytest.mark.parametrize("code", ["player", "banker"])
def test_a_game_that_does_not_offer_a_hand_is_a_defect(code: str) -> None:
    wagers = [{"id": f"rising_phoenix.{one}"} for one in ("player", "banker") if one != code]
    field, words, citation = only_defect(a_submission(game="rising_phoenix", wagers=wagers))
    assert (field, citation) == ("wagers", "58 Pa. Code § 627b.4(g)")
    assert f"not offered: rising_phoenix.{code};" in words


def test_a_game_without_tie_is_no_defect() -> None:
    wagers = [{"id": "baccarat.player"}, {"id": "baccarat.banker"}]
    assert defects(a_submission(game="baccarat", wagers=wagers)) == {}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("golden_talon", "did you mean golden_talons?"),
        ("golden_talons@player", "write golden_talons"),
        ("sun_7", "write one of rising_phoenix.sun_7, eclipse.sun_7"),
        ("supreme_7", "write eclipse.supreme_7"),
        ("five_treasures", "several wagers: five_treasures.fortune_7"),
        ("zzzzzzzz", "no wager 'zzzzzzzz'"),
    ],
)
def test_an_unknown_wager_is_a_defect_with_the_near_miss(name: str, words: str) -> None:
    field, said, _ = only_defect(a_submission(name))
    assert field == f"wagers[{name}]"
    assert words in said


@pytest.mark.parametrize(
    ("wager", "field", "words", "cite"),
    [
        ({"id": "golden_talons"}, "golden_talons", "no letter is filed", "§ 627b.5(f)"),
        (a_wager("golden_talons", "F"), "golden_talons", "'F' is filed", "§ 627b.5(f)"),
        (a_wager("golden_talons", "b"), "golden_talons", "did you mean B?", "§ 627b.5(f)"),
        (a_wager("eclipse.sun_7", "D"), "eclipse.sun_7", "prints A, B and C", "§ 627b.7(g)"),
        (a_wager("house.big", "A"), "house.big", "prints no letters", None),
    ],
)
def test_a_paytable_letter_has_to_be_printed(
    wager: dict, field: str, words: str, cite: str | None
) -> None:
    where, said, citation = only_defect(a_submission(wager))
    assert where == f"wagers[{field}].paytable"
    assert words in said
    assert citation == (f"58 Pa. Code {cite}" if cite else None)


def test_mixed_letters_in_one_package_are_one_defect_of_the_package() -> None:
    mixed = [a_wager("eclipse.sun_7", "A"), a_wager("eclipse.moon_8", "B")]
    field, words, citation = only_defect(a_submission(*mixed, *ECLIPSE[2:]))
    assert (field, citation) == ("wagers[eclipse.*].paytable", "58 Pa. Code § 627b.7(g)")
    assert "eclipse.sun_7 A, eclipse.moon_8 B" in words


def test_letters_may_differ_between_packages() -> None:
    assert defects(a_submission(a_wager("golden_talons", "E"), *ECLIPSE)) == {}


@pytest.mark.parametrize(("maximum", "found"), [("9.99", 1), ("10.00", 0), ("10.01", 0)])
def test_a_minimum_above_the_maximum_is_a_defect(maximum: str, found: int) -> None:
    submission = a_submission(a_wager("house.big", minimum="10", maximum=maximum))
    assert len(defects(submission)) == found
    if found:
        assert only_defect(submission)[:2] == (
            "wagers[house.big].minimum",
            "the minimum 10.00 is above the maximum 9.99",
        )


def test_a_missing_layout_area_is_a_defect_where_the_text_asks_for_one() -> None:
    eclipse = {**ECLIPSE[0], "layout_area": False}
    field, _, citation = only_defect(a_submission(eclipse))
    assert (field, citation) == ("wagers[eclipse.sun_7].layout_area", "58 Pa. Code § 627b.7(c)")


def test_golden_talons_needs_no_layout_area() -> None:
    assert defects(a_submission({**GOLDEN, "layout_area": False})) == {}


def test_harmony_without_a_progressive_is_a_defect() -> None:
    field, words, citation = only_defect(a_submission(HARMONY))
    assert (field, citation) == ("progressives", "58 Pa. Code § 627b.6(d)")
    assert "harmony_mini" in words


@pytest.mark.parametrize(
    ("changed", "field", "words", "cite"),
    [
        ({"system": False}, "system", "Harmony Progressive needs", "§ 627b.6(d)"),
        (
            {"system": False, "linked": True},
            "system",
            "linked tables need",
            "§ 627b.6(d), referring to § 605a.8 (text not seen)",
        ),
        ({"increment_rate": "19%"}, "increment_rate", "printed with 15 %", "§ 627b.6(j)"),
        ({"reserve_rate": "5%"}, "reserve_rate", "printed with 3 %", "§ 627b.6(j)"),
        ({"unit": "0"}, "unit", "as nothing", None),
        ({"limit": "9999.99"}, "base", "above the limit 9,999.99", None),
        ({"limit": "10000", "reset": "10000.01"}, "reset", "above the limit", None),
    ],
)
def test_a_progressive_is_filed_as_its_section_asks(
    changed: dict, field: str, words: str, cite: str | None
) -> None:
    found = defects(a_submission(HARMONY, progressives=[a_progressive(**changed)]))
    said, citation = found[f"progressives[P-1].{field}"]
    assert words in said
    assert citation == (f"58 Pa. Code {cite}" if cite else None)


def test_progressive_rates_are_those_of_the_filed_letter_and_may_be_left_out() -> None:
    rates = LAW.sections["harmony_mini"].progressive
    assert rates is not None
    for letter, increment in rates.increment.items():
        wager = a_wager("harmony_mini", letter)
        right = a_progressive(increment_rate=increment, reserve_rate=rates.reserve[letter])
        wrong = a_progressive(increment_rate="18%", reserve_rate="4%")
        bare = a_progressive(increment_rate=None, reserve_rate=None)
        assert defects(a_submission(wager, progressives=[right])) == {}
        assert defects(a_submission(wager, progressives=[bare])) == {}
        assert len(defects(a_submission(wager, progressives=[wrong]))) == 2


@pytest.mark.parametrize(
    ("wager", "words"),
    [
        ("harmony_minni", "did you mean harmony_mini?"),
        ("golden_talons", "paid from no meter"),
        ("harmony_big", "not among the wagers offered"),
    ],
)
def test_a_progressive_runs_on_a_progressive_wager_that_is_offered(wager: str, words: str) -> None:
    field, said, _ = only_defect(a_submission(GOLDEN, progressives=[a_progressive(wager)]))
    assert field == "progressives[P-1].wager"
    assert words in said


def test_two_progressives_for_one_wager_or_of_one_id_are_defects() -> None:
    twice = [a_progressive(), a_progressive(id="P-2")]
    assert "P-1 and P-2" in only_defect(a_submission(HARMONY, progressives=twice))[1]
    same = [a_progressive(), a_progressive("harmony_big")]
    assert (
        "P-1 is filed 2 times"
        in defects(a_submission(HARMONY, progressives=same))["progressives"][0]
    )


def test_one_progressive_may_be_filed_with_several_levels_each_once() -> None:
    levels = [a_progressive(), a_progressive("harmony_big", level=2)]
    assert "progressives" not in defects(a_submission(HARMONY, progressives=levels))
    same = [a_progressive(level=2), a_progressive("harmony_big", level=2)]
    assert (
        "P-1 level 2 is filed 2 times"
        in defects(a_submission(HARMONY, progressives=same))["progressives"][0]
    )


@pytest.mark.parametrize("id_", ["HP 1", "HP-ß", "-HP", ""])
def test_the_id_of_a_progressive_is_one_that_a_controller_can_say(id_: str) -> None:
    with pytest.raises(ValueError, match="progressives"):
        a_submission(HARMONY, progressives=[a_progressive(id=id_)])


@pytest.mark.parametrize(
    ("limits", "found"),
    [
        ({"minimum": "5.00", "maximum": "5.00"}, 0),
        ({"minimum": "5.01"}, 1),
        ({"maximum": "4.99"}, 1),
    ],
)
def test_the_permitted_unit_lies_within_the_limits(limits: dict, found: int) -> None:
    wager = {**HARMONY, **limits}
    assert len(defects(a_submission(wager, progressives=[a_progressive()]))) == found


def test_void_policy_and_reading_d9_have_to_agree() -> None:
    filed = {"progressives": [a_progressive()], "readings": {"D9": "kept"}}
    finding = check_submission(LAW, a_submission(HARMONY, **filed), IN_FORCE)[0]
    assert finding.facts.field == "progressives[P-1].void_policy"
    assert finding.sentence.endswith(" Field: progressives[P-1].void_policy.")
    assert finding.interpretations == {"D9": "kept"}
    kept = [a_progressive(void_policy="kept")]
    assert defects(a_submission(HARMONY, progressives=kept, readings={"D9": "kept"})) == {}
    assert defects(a_submission(HARMONY, progressives=kept)) == {}


@pytest.mark.parametrize(
    ("readings", "words"),
    [
        ({"D99": "x"}, "no such interpretation"),
        ({"D11": "definition_event"}, "did you mean definition_events?"),
        ({"D15": "x"}, "text decides it"),
        ({"D29": "x"}, "legal_status decides it"),
    ],
)
def test_a_reading_has_to_be_known_and_switchable(readings: dict, words: str) -> None:
    field, said, _ = only_defect(a_submission(readings=readings))
    assert field == f"readings.{next(iter(readings))}"
    assert words in said


def test_every_code_of_every_switchable_interpretation_may_be_filed() -> None:
    for one in LAW.interpretations.values():
        for code in one.codes:
            assert defects(a_submission(readings={one.id: code})) == {}, (one.id, code)


@pytest.mark.parametrize(
    ("severity", "found"), [("info", 1), ("notice", 1), ("high", 0), ("critical", 0)]
)
def test_a_severity_may_be_raised_never_lowered(severity: str, found: int) -> None:
    submission = a_submission(severities={"WAGER_OVERPAID": severity})
    assert len(defects(submission)) == found
    if found:
        assert only_defect(submission)[0] == "severities.WAGER_OVERPAID"


@pytest.mark.parametrize(
    ("name", "amount", "found"),
    [
        ("high_from", "5.00", 0),
        ("high_from", "5.01", 1),
        ("high_from", "0.01", 0),
        ("critical_from", "1000.00", 0),
        ("critical_from", "1000.01", 1),
    ],
)
def test_amounts_by_which_findings_rank_may_be_lowered_never_raised(
    name: str, amount: str, found: int
) -> None:
    submission = a_submission(severity_amounts={name: amount})
    assert len(defects(submission)) == found
    if found:
        field, words, _ = only_defect(submission)
        assert field == f"severity_amounts.{name}"
        assert "above " in words and "raised, never lowered" in words


@pytest.mark.parametrize("odds", ["push", "loss", "9 for 1", "1 to 1 less vigorish"])
def test_tie_odds_have_to_be_a_profit(odds: str) -> None:
    assert only_defect(a_submission(tie_odds=odds))[0] == "tie_odds"


def test_odds_may_be_filed_for_outcomes_of_house_wagers_only() -> None:
    unknown = a_wager("house.dragon_7", odds={"banker_win_3_card_7": "40 to 1"})
    field, words, _ = only_defect(a_submission(unknown))
    assert field == "wagers[house.dragon_7].odds.banker_win_3_card_7"
    assert "did you mean banker_wins_3_card_7?" in words
    printed = {**GOLDEN, "odds": {"win_by_9": "50 to 1"}}
    field, words, citation = only_defect(a_submission(printed))
    assert field == "wagers[golden_talons].odds.win_by_9"
    assert citation is not None and citation.startswith("58 Pa. Code § 627b.5(f)")


@pytest.mark.parametrize(
    ("successor", "field", "words"),
    [
        ({"section": "golden_talon"}, "section", "did you mean golden_talons?"),
        ({"authority": ""}, "authority", "no authority is named"),
    ],
)
def test_a_successor_names_a_section_and_an_authority(
    successor: dict, field: str, words: str
) -> None:
    filed = {"section": "golden_talons", "authority": "56 Pa.B. 1", "from": "2026-08-05"}
    where, said, _ = only_defect(a_submission(successors=[{**filed, **successor}]))
    assert where.endswith(f"].{field}")
    assert words in said


@pytest.mark.parametrize(
    ("game", "wager", "first", "last"),
    [
        ("minibaccarat", GOLDEN, "2023-08-05", "2026-08-04"),
        ("baccarat", a_wager("harmony_big", "A"), "2023-03-25", "2026-03-25"),
        ("minibaccarat", ECLIPSE[0], None, "2027-03-08"),
    ],
    ids=["golden_talons", "harmony_big", "eclipse"],
)
def test_a_section_is_in_force_from_its_first_to_its_last_printed_day(
    game: str, wager: dict, first: str | None, last: str
) -> None:
    section = str(wager["id"]).partition(".")[0]
    running = [a_progressive("harmony_big")] if section == "harmony_big" else []
    submission = a_submission(wager, game=game, progressives=running)
    one_day = datetime.timedelta(days=1)
    last_day = datetime.date.fromisoformat(last)
    assert defects(submission, last_day) == {}
    field, words, citation = only_defect(submission, last_day + one_day)
    assert (field, citation) == (f"successors[{section}]", LAW.sections[section].citation())
    assert f"printed term ended {last}" in words and f"gaming date {last_day + one_day}" in words
    if first:
        first_day = datetime.date.fromisoformat(first)
        assert defects(submission, first_day) == {}
        field, words, _ = only_defect(submission, first_day - one_day)
        assert field == f"wagers[{section}]"
        assert f"printed first day {first}" in words


def test_under_reading_d37_exclusive_the_last_printed_day_has_lapsed() -> None:
    submission = a_submission(GOLDEN, readings={"D37": "exclusive"})
    assert defects(submission, datetime.date(2026, 8, 3)) == {}
    (finding,) = check_submission(LAW, submission, datetime.date(2026, 8, 4))
    assert finding.interpretations == {"D37": "exclusive"}


@pytest.mark.parametrize(("day", "found"), [("2026-08-09", 1), ("2026-08-10", 0)])
def test_a_registered_successor_silences_the_lapse_from_its_date_on(day: str, found: int) -> None:
    successor = {"section": "golden_talons", "authority": "56 Pa.B. 1", "from": "2026-08-10"}
    submission = a_submission(GOLDEN, successors=[successor])
    assert len(defects(submission, datetime.date.fromisoformat(day))) == found


def test_without_a_gaming_date_dates_are_not_checked_and_it_is_said() -> None:
    assert defects(a_submission(GOLDEN), None) == {}
    on, off = checks_on_and_off(None)
    assert off == (("sections in force on the gaming date", "no gaming date was given"),)
    all_on, none_off = checks_on_and_off(IN_FORCE)
    assert (*on, off[0][0]) == all_on and none_off == ()


def test_a_defect_is_one_finding_per_submission_and_field() -> None:
    submission = a_submission(
        "golden_talon", "rising_phoenix.sun_7", decks=7, cover_cards=1, version=2
    )
    place = Place(source="table-1", rules_version=submission.rules_version)
    found = check_submission(LAW, submission, IN_FORCE, place=place)
    assert len({finding.id for finding in found}) == len(found) == 4
    for finding in found:
        assert finding.code is FindingCode.RULES_SUBMISSION_DEFECT
        assert finding.severity is Severity.HIGH
        assert (finding.source, finding.rules_version) == ("table-1", "RS-7/2")
        assert "\n" not in finding.sentence
    other = check_submission(LAW, a_submission(decks=7), IN_FORCE)
    assert other[0].id not in {finding.id for finding in found}


def test_the_submission_may_raise_the_severity_of_its_own_defects() -> None:
    filed = a_submission(decks=7, severities={"RULES_SUBMISSION_DEFECT": "critical"})
    assert check_submission(LAW, filed, IN_FORCE)[0].severity is Severity.CRITICAL


def test_a_defect_names_its_wager_what_does_not_fit_and_the_field() -> None:
    eclipse = {**ECLIPSE[0], "layout_area": False}
    (finding,) = check_submission(LAW, a_submission(eclipse), IN_FORCE)
    assert finding.sentence == (
        "Eclipse, Sun 7: no betting area is filed; the layout must have one for each player. "
        "Field: wagers[eclipse.sun_7].layout_area."
    )
    assert finding.title == "Filing defect: layout area of Eclipse, Sun 7"
    (shoe,) = check_submission(LAW, a_submission(decks=7), IN_FORCE)
    assert shoe.sentence.endswith(" Field: decks.") and shoe.title == "Filing defect: decks"
