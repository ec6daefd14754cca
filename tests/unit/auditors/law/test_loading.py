"""Loading the law refuses every kind of defect and says in which file and field it stands."""

from dataclasses import dataclass

import numpy as np
import pytest

from auditors.law import LawDataError, load_law
from auditors.law.conditions import compile_condition
from auditors.law.facts import FACTS, CoupFacts
from auditors.law.loading import law_texts, parse_law

ECLIPSE = "pa_58_627b_7_eclipse.toml"
TALONS = "pa_58_627b_5_golden_talons.toml"
PHOENIX = "pa_58_627b_4_rising_phoenix.toml"
HARMONY = "pa_58_627b_6_harmony_mini.toml"
HARMONY_BIG = "pa_58_631b_10_harmony_big.toml"
MINIBACCARAT = "pa_58_627a_minibaccarat.toml"
BACCARAT = "pa_58_631a_baccarat.toml"
TREASURES = "pa_58_5_treasures.toml"
HOUSE = "house_wagers.toml"
INTERPRETATIONS = "interpretations.toml"
DELETED = "deleted_sections.toml"
EPOCH = "audit_epoch.toml"

TERM = '[{ from = 2023-08-05, until = 2026-08-04, source = "53 Pa.B. 4409", temporary = true }]'


@dataclass(frozen=True)
class Defect:
    """One edit of the real texts, and what the message has to say."""

    about: str
    file: str
    old: str
    new: str
    message: str

    def __str__(self) -> str:
        return self.about


def terms(*rows: tuple[str, str]) -> str:
    """Write terms as the data files do."""
    written = [f'{{ from = {start}, until = {end}, source = "test" }}' for start, end in rows]
    return f"[{', '.join(written)}]"


def eclipse_row(pays: str) -> str:
    """The first row of Eclipse with other cells."""
    return f'pays = {pays}\npays_cite = "(g)"\n\n[[wager]]\ncode = "moon_8"'


ROW = '{ A = "40 to 1", B = "40 to 1", C = "40 to 1" }'
SUN_7 = f"{ECLIPSE}: wager sun_7.outcome banker_wins_3_card_7"

DEFECTS = [
    # The file as such
    Defect("not TOML", ECLIPSE, 'id = "eclipse"', "id = eclipse", f"{ECLIPSE}: not TOML: "),
    Defect("id missing", ECLIPSE, 'id = "eclipse"\n', "", f"{ECLIPSE}: id: it is missing"),
    Defect(
        "duplicate id", ECLIPSE, 'id = "eclipse"', 'id = "golden_talons"',
        f"{ECLIPSE}: id: 'golden_talons' is also in {TALONS}",
    ),
    Defect(
        "duplicate section", ECLIPSE, "§ 627b.7", "§ 627b.5",
        f"{ECLIPSE}: section: '58 Pa. Code § 627b.5' is also in {TALONS}",
    ),
    Defect(
        "unknown field of a section", ECLIPSE, "applies_to =", "aplies_to =",
        f"{ECLIPSE}: aplies_to: unknown field; did you mean applies_to?",
    ),
    Defect(
        "unknown field of an outcome", ECLIPSE, 'pays_cite = "(g)"', 'pay_cite = "(g)"',
        f"{SUN_7}.pay_cite: unknown field; did you mean pays_cite?",
    ),
    # Facts
    Defect(
        "unknown fact", ECLIPSE, "banker_cards = 3, banker_points = 7 }",
        "banker_crads = 3, banker_points = 7 }",
        f"{SUN_7}: when: unknown fact 'banker_crads'; did you mean banker_cards?",
    ),
    Defect(
        "fact of a chosen hand where none is chosen", ECLIPSE, '{ winner = "banker",',
        '{ backed_result = "wins",', f"{SUN_7}: when: unknown fact 'backed_result'",
    ),
    Defect(
        "impossible value of a fact", ECLIPSE, "banker_cards = 3, banker_points = 7 }",
        "banker_cards = 4, banker_points = 7 }",
        f"{SUN_7}: when: fact 'banker_cards' cannot be 4; it is a whole number from 2 to 3",
    ),
    Defect(
        "unknown word of a fact", ECLIPSE, '{ winner = "banker"', '{ winner = "house"',
        f"{SUN_7}: when: fact 'winner' cannot be 'house'; it is one of tie, player, banker",
    ),
    Defect(
        "empty range", HARMONY, "{ from = 1, to = 5 }", "{ from = 5, to = 1 }",
        f"{HARMONY}: wager 1.outcome tie_1_to_5: when: the range of 'player_points' is empty",
    ),
    Defect(
        "empty list", PHOENIX, "banker_points = [1, 2]", "banker_points = []",
        "outcome banker_wins_1_or_2: when: the list of 'banker_points' is empty",
    ),
    Defect(
        "no condition", ECLIPSE,
        'when = { winner = "banker", banker_cards = 3, banker_points = 7 }', "",
        f"{SUN_7}: when: the outcome has no condition",
    ),
    # Cites
    Defect(
        "missing cite of what wins", ECLIPSE, 'wins_cite = "(d)(1)"', 'wins_cite = ""',
        f"{SUN_7}: wins_cite is missing",
    ),
    Defect(
        "missing cite of what it pays", ECLIPSE, 'pays_cite = "(g)"', 'pays_cite = ""',
        f"{SUN_7}: pays_cite is missing",
    ),
    Defect(
        "cite left out", ECLIPSE, 'wins_cite = "(d)(1)"\n', "", f"{SUN_7}.wins_cite: it is missing",
    ),
    Defect(
        "missing cite of what loses", ECLIPSE, 'loses = { cite = "(d)(1)" }',
        'loses = { cite = "" }', f"{ECLIPSE}: wager sun_7.loses: cite is missing",
    ),
    Defect(
        "missing cite of the base wager", ECLIPSE, 'base_wager_cite = "(a), (d)"\n', "",
        f"{ECLIPSE}: wager sun_7: base_wager_cite is missing",
    ),
    Defect(
        "missing cite of the time of settling", ECLIPSE, 'settles_cite = "(f)"\n', "",
        f"{ECLIPSE}: settles_cite: ",
    ),
    Defect(
        "missing cite of the decks", PHOENIX, 'decks_cite = "(f)"\n', "",
        f"{PHOENIX}: offering.decks_cite: ",
    ),
    Defect(
        "missing cite of the cover cards", PHOENIX, 'cover_cards_cite = "(f)"\n', "",
        f"{PHOENIX}: offering.cover_cards_cite: ",
    ),
    Defect(
        "paragraph map of nothing", BACCARAT, '".11" = ".12"', '".21" = ".12"',
        f"{BACCARAT}: cite_map: '.21' is no paragraph of minibaccarat",
    ),
    # Prices and letters
    Defect(
        "unpriced outcome", ECLIPSE, f"pays = {ROW}\n", "", f"{SUN_7}.pays: it is missing",
    ),
    Defect(
        "unpriced letter", ECLIPSE, f"pays = {ROW}", 'pays = { A = "40 to 1", B = "40 to 1" }',
        f"{SUN_7}.pays: paytable C is not priced",
    ),
    Defect(
        "unknown letter", ECLIPSE, ROW, ROW.replace(" }", ', D = "40 to 1" }'),
        f"{SUN_7}.pays: 'D' is no paytable of this section",
    ),
    Defect(
        "letters where a section has none", PHOENIX, 'pays = "40 to 1"',
        'pays = { A = "40 to 1" }', "outcome banker_wins_3_card_7.pays: 'A' is no paytable",
    ),
    Defect(
        "one price where a section has letters", ECLIPSE, f"pays = {ROW}", 'pays = "40 to 1"',
        f"{SUN_7}.pays: the odds of each paytable letter are needed",
    ),
    Defect(
        "no price at all", PHOENIX, 'pays = "40 to 1"', "pays = {}",
        "outcome banker_wins_3_card_7.pays: nothing is priced",
    ),
    Defect(
        "letter listed twice", ECLIPSE, '["A", "B", "C"]', '["A", "B", "C", "C"]',
        f"{ECLIPSE}: paytables: 'C' is listed twice",
    ),
    Defect(
        "odds in other words", ECLIPSE, ROW, ROW.replace('B = "40 to 1"', 'B = "40:1"'),
        f"{SUN_7}.pays.B: '40:1' prints no odds",
    ),
    Defect(
        "odds that are a number", PHOENIX, 'pays = "40 to 1"', "pays = 481",
        "outcome banker_wins_3_card_7.pays: Input should be a valid",
    ),
    Defect(
        "unpriced in a text of the Code", PHOENIX, 'pays = "40 to 1"', 'pays = "unpriced"',
        "outcome banker_wins_3_card_7.pays: only house wagers may be unpriced",
    ),
    Defect(
        "odds of the Code left to the filing", PHOENIX, 'pays = "40 to 1"',
        'pays = "40 to 1"\npays_from = "submission.odds"',
        "outcome banker_wins_3_card_7.pays_from: only the odds of house wagers are filed",
    ),
    Defect(
        "row of an unknown letter", HARMONY, 'only = ["A", "B", "C"]', 'only = ["A", "B", "Z"]',
        f"{HARMONY}: wager 1.outcome tie_0.only: 'Z' is no paytable of this section",
    ),
    Defect(
        "row of a letter twice", HARMONY, 'only = ["A", "B", "C"]', 'only = ["A", "B", "B"]',
        f"{HARMONY}: wager 1.outcome tie_0.only: 'B' is listed twice",
    ),
    Defect(
        "row of a letter that is not priced", HARMONY, 'only = ["A", "B", "C"]',
        'only = ["A", "B", "C", "D"]', "outcome tie_0.pays: paytable D is not priced",
    ),
    Defect(
        "price of a letter without the row", HARMONY, 'only = ["A", "B", "C"]',
        'only = ["A", "B"]', "outcome tie_0.pays: 'C' does not have this row, see only",
    ),
    Defect(
        "rate of a letter missing", HARMONY, 'increment.B = "19%"\n', "",
        f"{HARMONY}: progressive.increment: paytable B is not priced",
    ),
    Defect(
        "rate that is none", HARMONY, 'increment.B = "19%"', 'increment.B = "190%"',
        f"{HARMONY}: progressive.increment.B: '190%' is no percentage",
    ),
    Defect(
        "share of a meter that no system runs", HARMONY, 'progressive_system = "(d)"\n', "",
        f"{HARMONY}: wager 1.outcome six_of_a_kind.pays: a share of the meter needs",
    ),
    # Dates
    Defect(
        "end before start", TALONS, TERM, terms(("2026-08-05", "2023-08-04")),
        f"{TALONS}: in_force: until 2023-08-04 is before from 2026-08-05",
    ),
    Defect(
        "gap of dates", TALONS, TERM,
        terms(("2023-08-05", "2024-01-01"), ("2024-01-03", "2026-01-01")),
        f"{TALONS}: in_force: terms leave a gap of 1 day(s) between 2024-01-01 and 2024-01-03",
    ),
    Defect(
        "overlap of dates", TALONS, TERM,
        terms(("2023-08-05", "2024-01-01"), ("2024-01-01", "2026-01-01")),
        f"{TALONS}: in_force: terms overlap by 1 day(s) between 2024-01-01 and 2024-01-01",
    ),
    Defect(
        "open date in the middle", TALONS, TERM,
        terms(("2023-08-05", '"not_shown"'), ("2024-01-01", "2026-01-01")),
        f"{TALONS}: in_force: only the first start and the last end may be left open",
    ),
    Defect(
        "date that is a text", TALONS, "from = 2023-08-05", 'from = "2023-08-05"',
        f"{TALONS}: in_force 1.from: Input should be a valid date",
    ),
    Defect(
        "no dates", TALONS, f"in_force = {TERM}", "in_force = []",
        f"{TALONS}: in_force: ",
    ),
    # References
    Defect(
        "silent reference to a deleted section", PHOENIX, ", deleted = 2024-05-25", "",
        f"{PHOENIX}: refers_to: § 627b.2 is deleted; write deleted = 2024-05-25",
    ),
    Defect(
        "other date of a deletion", PHOENIX, "deleted = 2024-05-25", "deleted = 2024-05-24",
        f"{PHOENIX}: refers_to: § 627b.2 is deleted; write deleted = 2024-05-25",
    ),
    Defect(
        "deletion that is not listed", PHOENIX, 'what = "Minibaccarat" }',
        'what = "Minibaccarat", deleted = 2024-05-25 }',
        f"{PHOENIX}: refers_to: § 627a is in no list of deleted sections",
    ),
    Defect(
        "undeclared reference to a deleted section", TALONS, 'wins_cite = "(e)(1)"',
        'wins_cite = "(e)(1), referring to § 627b.2(c)"',
        "wager 1.outcome win_by_9.wins_cite: § 627b.2 is deleted; declare it in refers_to",
    ),
    Defect(
        "deleted section in a condition of offering", TALONS, 'no_more_bets = "(b)"',
        'no_more_bets = "(b), § 627b.3"',
        f"{TALONS}: offering.no_more_bets: § 627b.3 is deleted; declare it in refers_to",
    ),
    Defect(
        "deletion listed twice", DELETED, '"627b.3"', '"627b.2"',
        f"{DELETED}: 627b.2: section: it is listed twice",
    ),
    Defect(
        "deletion without a source", DELETED, 'source = "54 Pa.B. 2923"\n', "",
        f"{DELETED}: 1: source: it is missing",
    ),
    # Interpretations
    Defect(
        "unknown interpretation", ECLIPSE, 'D11 = "paytable"', 'D99 = "paytable"',
        "outcome winning_outcome: reading: interpretation D99 is not declared",
    ),
    Defect(
        "unknown code", ECLIPSE, 'D11 = "paytable"', 'D11 = "paytables"',
        "reading: D11 has no code 'paytables'; it has paytable, definition_events",
    ),
    Defect(
        "code of what the text decides", ECLIPSE, 'D11 = "paytable"', 'D15 = "paytable"',
        "reading: D15 has no code 'paytable'; it has none",
    ),
    Defect(
        "interpretation of another section", ECLIPSE, 'D11 = "paytable"', 'D12 = "paytable"',
        "reading: D12 does not name eclipse among its sections",
    ),
    Defect(
        "reading that does not choose among rows", HARMONY, 'match_reading = "D2"',
        'match_reading = "D1"', f"{HARMONY}: wager 1.match_reading: D1 does not choose match",
    ),
    Defect(
        "default reading that is not the rule of the data", HARMONY, 'match = "first"',
        'match = "greatest"', f"{HARMONY}: wager 1.match_reading: D2 does not choose match",
    ),
    Defect(
        "interpretation twice", INTERPRETATIONS, 'id = "D12"', 'id = "D11"',
        f"{INTERPRETATIONS}: D11: id: it is declared twice",
    ),
    Defect(
        "unknown kind", INTERPRETATIONS, 'kind = "open"', 'kind = "opened"',
        f"{INTERPRETATIONS}: D1: kind: ",
    ),
    Defect(
        "open question without codes", INTERPRETATIONS, 'kind = "text"', 'kind = "open"',
        f"{INTERPRETATIONS}: D15: codes: the kind open has at least two codes",
    ),
    Defect(
        "settled question with codes", INTERPRETATIONS, 'kind = "open"', 'kind = "text"',
        f"{INTERPRETATIONS}: D1: codes: the kind text has at most one code",
    ),
    Defect(
        "interpretation of an unknown section", INTERPRETATIONS, '["majestic_match"]',
        '["majestic_mach"]', f"{INTERPRETATIONS}: D21: sections: no section has the id",
    ),
    # Wagers
    Defect(
        "wager code twice", ECLIPSE, 'code = "moon_8"', 'code = "sun_7"',
        f"{ECLIPSE}: wager sun_7: code: each wager of a section needs a code of its own",
    ),
    Defect(
        "wager without a code among several", ECLIPSE, 'code = "moon_8"\n', "",
        f"{ECLIPSE}: wager 2: code: each wager of a section needs a code of its own",
    ),
    Defect(
        "outcome twice", TALONS, 'code = "win_by_8"', 'code = "win_by_9"',
        f"{TALONS}: wager 1.outcome win_by_9: code: the outcome is given twice",
    ),
    Defect(
        "unknown sibling", ECLIPSE, 'any_wins = ["sun_7"', 'any_wins = ["son_7"',
        "outcome winning_outcome.any_wins: 'son_7' is no other wager of this section",
    ),
    Defect(
        "wager that depends on itself", ECLIPSE, 'any_wins = ["sun_7"', 'any_wins = ["eclipse"',
        "outcome winning_outcome.any_wins: 'eclipse' is no other wager of this section",
    ),
    Defect(
        "unknown section to share wagers with", HARMONY_BIG, '"harmony_mini"', '"harmony_midi"',
        f"{HARMONY_BIG}: wagers_of: 'harmony_midi' must be a section that has wagers of its own",
    ),
    # Games
    Defect(
        "game without third-card rules", PHOENIX, 'played_as = "minibaccarat"',
        'played_as = "golden_talons"', f"{PHOENIX}: played_as: 'golden_talons' must be a main game",
    ),
    Defect(
        "row of the third-card rules missing", MINIBACCARAT, "7 = []\n", "",
        f"{MINIBACCARAT}: tableau.banker_draws_on_third_card: one row for each of 0 to 7",
    ),
    Defect(
        "impossible value of a third card", MINIBACCARAT, "6 = [6, 7]", "6 = [6, 10]",
        f"{MINIBACCARAT}: tableau.banker_draws_on_third_card.6: values are 0 to 9",
    ),
    Defect("no epoch", EPOCH, "audit_epoch = ", "audit_epoch = -", f"{EPOCH}: audit_epoch: "),
]  # fmt: skip


@pytest.mark.parametrize("defect", DEFECTS, ids=str)
def test_a_defect_is_refused_in_one_line_that_names_file_and_field(defect: Defect) -> None:
    texts = law_texts()
    assert defect.old in texts[defect.file]
    texts[defect.file] = texts[defect.file].replace(defect.old, defect.new, 1)
    with pytest.raises(LawDataError) as refusal:
        parse_law(texts)
    message = str(refusal.value)
    assert message.startswith(f"{defect.file}: ")
    assert defect.message in message
    assert "\n" not in message


def test_a_duplicated_file_is_refused_with_both_names() -> None:
    texts = law_texts()
    texts["pa_58_627b_7_eclipse_copy.toml"] = texts[ECLIPSE]
    with pytest.raises(LawDataError) as refusal:
        parse_law(texts)
    assert "pa_58_627b_7_eclipse_copy.toml" in str(refusal.value)
    assert f"id: 'eclipse' is also in {ECLIPSE}" in str(refusal.value)


def test_a_misspelt_list_is_refused_and_not_read_as_empty() -> None:
    texts = law_texts()
    texts[DELETED] = texts[DELETED].replace("[[deleted]]", "[[delete]]")
    with pytest.raises(LawDataError) as refusal:
        parse_law(texts)
    assert str(refusal.value) == f"{DELETED}: delete: unknown field; did you mean deleted?"


def test_a_main_game_needs_third_card_rules_and_their_paragraphs() -> None:
    texts = law_texts()
    head, _, tail = texts[MINIBACCARAT].partition("[tableau]")
    texts[MINIBACCARAT] = head + tail[tail.index("[[wager]]") :]
    texts[PHOENIX] = texts[PHOENIX].replace('played_as = "minibaccarat"\n', "")
    with pytest.raises(LawDataError, match=f"{MINIBACCARAT}: tableau: a main game needs"):
        parse_law(texts)


def test_a_paytable_without_any_row_is_refused() -> None:
    texts = law_texts()
    rows = texts[ECLIPSE]
    only_two = 'pays = { A = "40 to 1", B = "40 to 1" }\nonly = ["A", "B"]'
    texts[ECLIPSE] = rows.replace(f"pays = {ROW}", only_two, 1)
    with pytest.raises(LawDataError) as refusal:
        parse_law(texts)
    assert str(refusal.value) == f"{ECLIPSE}: wager sun_7: outcome: paytable C has no row"


def test_adjoining_terms_and_a_declared_reference_are_let_through() -> None:
    texts = law_texts()
    adjoining = terms(("2023-08-05", "2024-01-01"), ("2024-01-02", "2026-08-04"))
    texts[TALONS] = texts[TALONS].replace(TERM, adjoining)
    texts[PHOENIX] = texts[PHOENIX].replace(
        'wins_cite = "(g)(1)(iv)"', 'wins_cite = "(g)(1)(iv), § 627b.2"'
    )
    law = parse_law(texts)
    assert len(law.sections["golden_talons"].in_force) == 2


def test_the_shipped_law_has_every_section_and_wager() -> None:
    assert {id_: len(one.wager) for id_, one in load_law().sections.items()} == {
        "house": 22,
        "five_treasures": 5,
        "minibaccarat": 3,
        "rising_phoenix": 23,
        "golden_talons": 1,
        "harmony_mini": 1,
        "eclipse": 5,
        "baccarat": 3,
        "harmony_big": 1,
        "majestic_match": 1,
    }


def test_the_shipped_interpretations_are_complete_and_defaults_come_first() -> None:
    law = load_law()
    assert list(law.interpretations) == [f"D{number}" for number in range(1, 38)]
    assert law.default_readings()["D11"] == "paytable"
    assert law.default_readings()["D37"] == "inclusive"
    assert "D15" not in law.default_readings()


def test_the_digest_changes_with_every_file() -> None:
    texts = law_texts()
    digests = {parse_law(texts).digest}
    for name in texts:
        digests.add(parse_law({**texts, name: texts[name] + "\n# changed\n"}).digest)
    assert len(digests) == len(texts) + 1


def test_the_big_table_shares_wagers_under_its_own_paragraphs() -> None:
    law = load_law()
    section, wager = law.wagers["baccarat.banker"]
    cites = (wager.outcome[0].wins_cite, wager.outcome[0].pays_cite)
    assert section.citation(*cites) == "58 Pa. Code § 631a.12 (text not seen)"
    assert section.tableau == law.sections["minibaccarat"].tableau


def test_both_harmony_sections_have_one_set_of_paytables_and_two_sets_of_dates() -> None:
    mini, big = (load_law().sections[id_] for id_ in ("harmony_mini", "harmony_big"))
    assert mini.wager == big.wager
    assert mini.progressive == big.progressive
    assert mini.in_force != big.in_force


def test_a_variation_plays_by_the_third_card_rules_of_its_main_game() -> None:
    phoenix = load_law().sections["rising_phoenix"]
    assert phoenix.tableau == load_law().sections["minibaccarat"].tableau
    assert phoenix.cites is not None
    assert phoenix.citation(phoenix.cites.third_card) == (
        "58 Pa. Code § 627b.4(c), referring to § 627a.10 (text not seen)"
    )


def test_a_section_whose_text_is_not_held_says_so_in_every_citation() -> None:
    section = load_law().sections["minibaccarat"]
    assert section.citation(".12") == "58 Pa. Code § 627a.12 (text not seen)"


def test_what_the_texts_do_not_number_is_cited_in_words() -> None:
    law = load_law()
    treasures, baccarat = law.sections["five_treasures"], law.sections["baccarat"]
    assert baccarat.cites is not None
    assert treasures.citation("(f)(4)") == (
        "58 Pa. Code, 5 Treasures Baccarat (section number not shown) (f)(4)"
    )
    assert baccarat.citation(baccarat.cites.irregularities) == (
        "58 Pa. Code § 631a (section of irregularities not shown) (text not seen)"
    )


def ties() -> CoupFacts:
    """Every combination of points and card counts in which the hands tie, as arrays."""
    grid = np.meshgrid(np.arange(10), np.arange(2, 4), np.arange(2, 4), indexing="ij")
    points, player_cards, banker_cards = (axis.ravel() for axis in grid)
    zeros = np.zeros_like(points)
    blank = CoupFacts(*(zeros for _ in CoupFacts._fields))
    return blank._replace(
        player_points=points,
        banker_points=points,
        player_cards=player_cards,
        banker_cards=banker_cards,
    )


@pytest.mark.parametrize("letter", "ABCDEFGHI")
def test_every_harmony_paytable_covers_every_tie(letter: str) -> None:
    _, wager = load_law().wagers["harmony_mini"]
    facts = ties()
    covered = np.zeros(40, dtype=np.int64)
    for outcome in wager.outcome:
        if outcome.stands_under(letter):
            for condition in outcome.conditions():
                covered |= compile_condition(condition, FACTS[None])(facts)
    assert covered.all()


def test_every_house_outcome_is_priced_by_the_filing_and_cites_nothing() -> None:
    house = load_law().sections["house"]
    outcomes = [outcome for wager in house.wager for outcome in wager.outcome]
    assert {outcome.pays_from for outcome in outcomes} == {"submission.odds"}
    assert {outcome.wins_cite + outcome.pays_cite for outcome in outcomes} == {""}
    assert house.citation("(a)") is None


def test_wagers_on_the_first_four_cards_ask_for_nothing_else() -> None:
    first_four = {
        "house": {
            "player_pair",
            "banker_pair",
            "either_pair",
            "perfect_pair",
            "any_natural",
            "rank_match_in_first_four",
            "player_first_card_higher",
            "banker_first_card_higher",
        },
        "rising_phoenix": {"player_pair", "banker_pair"},
        "majestic_match": {""},
    }
    found = {
        (section.id, wager.code)
        for section, wager in load_law().wagers.values()
        if all(
            FACTS[wager.backs[0] if wager.backs else None][name].stage == 0
            for outcome in wager.outcome
            for condition in outcome.conditions() or [{"winner": "tie"}]
            for name in condition
        )
    }
    assert found == {(id_, code) for id_, codes in first_four.items() for code in codes}
