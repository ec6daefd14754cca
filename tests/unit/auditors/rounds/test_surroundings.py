"""Rows in their surroundings: what was offered and when, base wagers, and the shoes' cards."""

import datetime
import gc
import random

import pytest

from auditors.rounds import RowAuditor
from auditors.rounds import cells as cells_module
from auditors.rounds import coups as coups_module
from auditors.rounds import shoes as shoes_module
from auditors.rounds.mapping import DeclaredMapping, read_header
from auditors.rounds.orders import repeats_in
from auditors.settlement.rules import Rules
from auditors.settlement.terms import terms_of
from auditors.table.known.shoe_order import mark_of
from schemas.findings import Finding
from tests.support.tables.deals import GAME, LAW, rules_with
from tests.support.tables.submissions import a_progressive, a_submission
from tests.support.texts.round_audits import Audited, audited
from tests.support.texts.round_files import RoundsWriter

RIGHT = "2S 3H KD | AC 2D 5H"  # 5 and 8: Banker wins
NATURAL = "4S 4H | AC 2D"  # 8 and 3: Player wins
TALONS = rules_with(letters={"golden_talons": "B"})
MONEY = "coup|player_cards|banker_cards|wager|stake|paid"


# What is offered, and when


def filed(*extra: object, **fields: object) -> Rules:
    """Put the law under a filing."""
    return Rules(LAW, terms_of(LAW, a_submission(*extra, **fields)))


def test_offers_and_limits_are_checked_where_a_submission_is_given() -> None:
    rules = filed(wagers=[{"id": "minibaccarat.banker", "minimum": "5.00", "maximum": "100.00"}])
    rows = [
        f"1|{RIGHT}|banker|100|195",
        f"1|{RIGHT}|banker|200|390",
        f"1|{RIGHT}|banker|4|7.80",
        f"1|{RIGHT}|banker|0|0",
        f"1|{RIGHT}|tie|10|0",
        f"1|{RIGHT}|tie|0|0",
        f"1|{RIGHT}|tie||",
    ]
    found = audited(MONEY, *rows, rules=rules)
    assert [(one.line, one.code.value, one.column) for one in found.findings] == [
        (3, "WAGER_OUT_OF_LIMITS", "stake"),
        (4, "WAGER_OUT_OF_LIMITS", "stake"),
        (6, "WAGER_NOT_OFFERED", "wager"),
        (8, "WAGER_NOT_OFFERED", "wager"),
    ]
    assert {one.rules_version for one in found.findings} == {"RS-7"}
    assert audited(MONEY, *rows).codes == []


def progressive(**fields: object) -> Rules:
    """Put the law under a filing with a progressive of 5.00 a wager."""
    return filed({"id": "harmony_mini", "paytable": "A"}, progressives=[a_progressive()], **fields)


def test_a_stake_on_a_progressive_is_the_filed_unit() -> None:
    rows = [f"1|{RIGHT}|{stake}|0" for stake in ("harmony_mini|5", "harmony_mini|10", "player|10")]
    rows += [f"1|{RIGHT}|harmony_mini|{stake}" for stake in ("|", "0|0", "x|0", "4|0")]
    found = audited(MONEY, *rows, rules=progressive())
    assert [(one.line, one.code.value, one.column) for one in found.findings] == [
        (3, "PROGRESSIVE_STAKE_NOT_UNIT", "stake"),
        (7, "EVENT_REJECTED", "stake"),
        (8, "PROGRESSIVE_STAKE_NOT_UNIT", "stake"),
    ]
    first = found.findings[0]
    assert first.severity == "notice"
    assert (first.wager, first.interpretations) == ("harmony_mini", {"D4": "fixed_unit"})
    assert first.sentence == (
        "Harmony Progressive: 10.00 was staked; the filed unit is 5.00 (progressive P-1, "
        "Rules Submission RS-7)."
    )


def test_any_stake_on_a_progressive_is_right_where_that_is_filed() -> None:
    rows = [f"1|{RIGHT}|harmony_mini|10|0"]
    assert audited(MONEY, *rows, rules=progressive(readings={"D4": "any_amount"})).codes == []
    assert audited(MONEY, *rows).codes == []  # nothing is filed
    unfiled = filed({"id": "harmony_mini", "paytable": "A"})
    assert audited(MONEY, *rows, rules=unfiled).codes == []


def test_an_excess_that_is_returned_is_part_of_what_is_due() -> None:
    rules = filed(
        wagers=[{"id": "minibaccarat.player", "maximum": "100.00"}],
        readings={"D31": "return_excess"},
    )
    found = audited(
        MONEY,
        f"1|{RIGHT}|player|150|50",
        f"1|{RIGHT}|player|150|0",
        f"1|{NATURAL}|player|150|250",
        rules=rules,
    )
    assert [one for one in found.found if one[1] != "WAGER_OUT_OF_LIMITS"] == [
        (3, "WAGER_UNDERPAID")
    ]


DATED = "table|coup|occurred_at|player_cards|banker_cards|wager|stake|paid"


@pytest.mark.parametrize(
    ("time", "code"),
    [
        ("2026-08-04T23:59:59-04:00", None),
        ("2026-08-05T05:59:59-04:00", None),  # the gaming day begins at 06:00
        ("2026-08-05T06:00:00-04:00", "RULE_LAPSED"),
        ("2026-08-05T09:59:59Z", None),
        ("2026-08-05T10:00:00+00:00", "RULE_LAPSED"),
        ("2026-08-05 06:00:00-04:00", "RULE_LAPSED"),
        ("2026-08-04", None),  # a date alone is the gaming date itself
        ("2026-08-05", "RULE_LAPSED"),
        ("20260805", "RULE_LAPSED"),
        ("2023-08-05T05:59:59-04:00", "RULE_NOT_YET_IN_FORCE"),
        ("2023-08-05T06:00:00-04:00", None),
        ("05.08.2026", "EVENT_REJECTED"),
        ("noon", "EVENT_REJECTED"),
        ("0001-01-01T00:00:00+14:00", "EVENT_REJECTED"),
        ("9999-12-31T23:59:59-14:00", "EVENT_REJECTED"),
        ("", None),
    ],
)
def test_a_section_is_checked_on_the_gaming_date_of_the_row(time: str, code: str | None) -> None:
    row = f"T1|1|{time}|{NATURAL}|golden_talons@player|10|20"
    found = audited(DATED, row, rules=TALONS)
    assert [(one.code.value, one.column) for one in found.findings] == (
        [(code, "occurred_at")] if code else []
    )
    assert found.statuses == ["settled"]


def test_a_lapse_is_said_once_per_table_section_and_gaming_date() -> None:
    row = "{}|1|2026-08-{}T12:00:00-04:00|" + NATURAL + "|golden_talons@player|10|20"
    found = audited(
        DATED,
        row.format("T1", "05"),
        row.format("T1", "05"),
        row.format("T2", "05"),
        row.format("T1", "06"),
        row.format("T1", "05"),
        rules=TALONS,
    )
    assert found.found == [(2, "RULE_LAPSED"), (4, "RULE_LAPSED"), (5, "RULE_LAPSED")]


@pytest.mark.parametrize(
    ("time", "zone", "codes"),
    [
        ("05:59:59", None, []),
        ("06:00:00", None, ["RULE_LAPSED"]),
        ("06:00:00", "America/New_York", ["RULE_LAPSED"]),
        ("06:00:00", "UTC", []),  # 02:00 in New York
    ],
)
def test_a_time_without_offset_is_of_new_york_unless_a_zone_is_named(
    time: str, zone: str | None, codes: list[str]
) -> None:
    row = f"T1|1|2026-08-05T{time}|{NATURAL}|golden_talons@player|10|20"
    found = audited(DATED, row, row.replace("|1|", "|2|"), rules=TALONS, zone=zone)
    assert found.codes == codes
    assert "dates" not in found.off
    said = [line for line in found.said if "times without an offset" in line]
    assert len(said) == (zone is None)


def test_a_submission_gives_zone_and_start_of_the_gaming_day() -> None:
    rules = filed(
        {"id": "golden_talons", "paytable": "A"},
        time_zone="America/Chicago",
        gaming_day_start="04:00:00",
    )
    header = "occurred_at|player_cards|banker_cards|wager|stake|paid"
    for time, codes in (("2026-08-05T03:59:59", []), ("2026-08-05T04:00:00", ["RULE_LAPSED"])):
        row = f"{time}|{NATURAL}|golden_talons@player|10|20"
        assert audited(header, row, rules=rules).codes == codes


def test_a_given_gaming_date_holds_for_rows_without_a_time() -> None:
    day = datetime.date(2026, 8, 5)
    header = "player_cards|banker_cards|wager|stake|paid"
    row = f"{NATURAL}|golden_talons@player|10|20"
    found = audited(header, row, row, rules=TALONS, gaming_date=day)
    assert [(one.code.value, one.column) for one in found.findings] == [("RULE_LAPSED", None)]
    assert "dates" in found.coverage.on
    assert "add --gaming-date" in audited(header, row, rules=TALONS).off["dates"]
    timed = f"T1|1|2026-08-04T12:00:00Z|{row}"
    assert audited(DATED, timed, rules=TALONS, gaming_date=day).codes == []


def test_a_bad_date_is_said_beside_a_bad_wager() -> None:
    found = audited(DATED, f"T1|1|noon|{NATURAL}|bonker|10|20")
    assert [one.column for one in found.findings] == ["wager", "occurred_at"]


# Base wagers


SEATED = "coup|seat|player_cards|banker_cards|wager|stake|paid"


def test_a_base_wager_is_looked_for_at_the_same_seat_of_the_same_coup() -> None:
    found = audited(
        SEATED,
        f"1|1|{NATURAL}|golden_talons@player|10|20",  # its base follows
        f"1|1|{NATURAL}|player|10|20",
        f"1|2|{NATURAL}|golden_talons@player|10|20",  # no base at seat 2
        f"2|1|{NATURAL}|golden_talons@player|10|20",  # no base in coup 2
        f"3|3|{NATURAL}|tie|10|0",
        f"3|3|{NATURAL}|golden_talons@player|10|20",
        rules=TALONS,
    )
    assert [(one.line, one.seat, one.coup, one.code.value) for one in found.findings] == [
        (4, "2", "1", "WAGER_WITHOUT_BASE"),
        (5, "1", "2", "WAGER_WITHOUT_BASE"),
    ]
    assert {one.column for one in found.findings} == {"wager"}
    assert "base_wager" in found.coverage.on


@pytest.mark.parametrize(
    ("unknown", "codes"),
    [
        ("playr", ["EVENT_REJECTED"]),  # it may be the base wager
        ("", []),
        ("house.big", ["WAGER_WITHOUT_BASE"]),
    ],
)
def test_a_wager_that_cannot_be_told_may_be_the_base_wager(unknown: str, codes: list[str]) -> None:
    header = "coup|seat|player_cards|banker_cards|wager|stake|paid"
    rows = [f"1|1|{RIGHT}|{unknown}|10|0", f"1|1|{RIGHT}|golden_talons@player|5|0"]
    found = audited(header, *rows, rules=TALONS)
    assert [one for one in found.codes if one != "WAGER_UNDERPAID"] == codes
    # At another seat it is none.
    rows[0] = rows[0].replace("1|1", "1|2", 1)
    assert "WAGER_WITHOUT_BASE" in audited(header, *rows, rules=TALONS).codes


def test_a_stake_without_wager_or_payment_is_said_once() -> None:
    rows = [f"1|{RIGHT}|player|10|0", f"2|{RIGHT}||10|10", f"3|{RIGHT}|banker|10|"] * 2
    found = audited(MONEY, *rows)
    assert found.codes == []
    assert found.said == [
        "line 3 states a stake and no wager; such rows are not compared as wagers",
        "column paid: line 4 states a stake and no payment; such payments are not compared",
    ]


def test_one_of_two_payments_is_enough() -> None:
    found = audited(MONEY + "|net", f"1|{RIGHT}|player|10||-10", f"2|{RIGHT}|player|10|0|")
    assert (found.codes, found.said) == ([], [])


def test_a_patron_goes_before_the_seat() -> None:
    header = "coup|seat|patron|player_cards|banker_cards|wager|stake|paid"
    found = audited(
        header,
        f"1|1|P-1|{NATURAL}|player|10|20",
        f"1|2|P-1|{NATURAL}|golden_talons@player|10|20",  # the same patron at another seat
        f"1|1|P-2|{NATURAL}|golden_talons@player|10|20",  # another patron at the same seat
        rules=TALONS,
    )
    assert found.found == [(4, "WAGER_WITHOUT_BASE")]


def test_where_one_of_two_rows_names_no_patron_the_seat_decides() -> None:
    header = "coup|seat|patron|player_cards|banker_cards|wager|stake|paid"
    found = audited(
        header,
        f"1|1|P-1|{NATURAL}|player|10|20",
        f"1|1||{NATURAL}|golden_talons@player|10|20",  # at the seat of P-1
        f"2|1||{NATURAL}|player|10|20",
        f"2|1|P-1|{NATURAL}|golden_talons@player|10|20",
        f"3|1|2|{NATURAL}|player|10|20",
        f"3|2||{NATURAL}|golden_talons@player|10|20",  # patron 2 does not sit at seat 2
        rules=TALONS,
    )
    assert found.found == [(7, "WAGER_WITHOUT_BASE")]


def test_a_stake_of_nothing_is_no_base_and_needs_none() -> None:
    found = audited(
        SEATED,
        f"1|1|{NATURAL}|player|0|0",
        f"1|1|{NATURAL}|golden_talons@player|10|20",
        f"2|1|{NATURAL}|golden_talons@player|0|0",
        rules=TALONS,
    )
    assert found.found == [(3, "WAGER_WITHOUT_BASE")]


@pytest.mark.parametrize(
    "header", ["coup|player_cards|banker_cards|wager", "seat|player_cards|banker_cards|wager"]
)
def test_without_seats_or_coups_base_wagers_are_not_looked_for(header: str) -> None:
    found = audited(header, f"1|{NATURAL}|golden_talons@player", rules=TALONS)
    assert found.codes == []
    assert "base_wager" in found.off


def test_coups_are_forgotten_and_still_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coups_module, "COUPS_REMEMBERED", 3)
    rows = [f"{n}|1|{NATURAL}|golden_talons@player|10|20" for n in range(20)]
    found = audited(SEATED, *rows, rules=TALONS)
    assert sorted(found.found) == [(n, "WAGER_WITHOUT_BASE") for n in range(2, 22)]


# Shoes

NATURALS = ("9C 9H", "4C 4H", "8C TH", "9S KS", "5C 3H", "6C 2H", "7C AH", "9D JH")
"""Banker hands in which nobody draws; none stands twice, so that no run of cards repeats."""


def compositions(found: Audited) -> list[Finding]:
    """Give the findings about the composition of shoes, whatever else is found."""
    return [one for one in found.findings if one.code.value == "SHOE_COMPOSITION"]


def test_a_shoe_with_more_of_a_card_than_its_decks_is_one_finding() -> None:
    header = "coup|shoe|player_cards|banker_cards"
    rows = [f"{n}|S1|QD QD|{NATURALS[n]}" for n in range(5)]  # ten queens of diamonds
    (one,) = audited(header, *rows).findings
    assert (one.code.value, one.shoe, one.line, one.coup) == ("SHOE_COMPOSITION", "S1", 2, None)
    assert (
        one.sentence
        == "Shoe S1, 5 coups: more cards came out than 8 decks hold: 10 of Q♦ instead of 8."
    )
    assert audited(header, *rows[:4]).codes == []


def test_coups_of_a_shoe_may_stand_apart_and_count_once() -> None:
    header = "coup|shoe|player_cards|banker_cards|wager"
    rows = [f"{n}|{shoe}|QD QD|{NATURALS[n]}|tie" for n in range(3) for shoe in ("A", "B")]
    assert audited(header, *rows, *rows).codes == []  # the same coups again
    more = [f"{n}|A|QD QD|{NATURALS[n]}|tie" for n in range(3, 5)]
    (one,) = audited(header, *rows, *more).findings
    assert one.shoe == "A"


@pytest.mark.parametrize("next_day", ["2025-06-08T18:0{n}:00-04:00", "2025-06-08"])
def test_shoes_that_are_counted_anew_with_the_day_are_shoes_of_their_own(next_day: str) -> None:
    header = "coup|shoe|player_cards|banker_cards|occurred_at"
    day = "2025-06-08" if len(next_day) == 10 else "2025-06-07T18:0{n}:00-04:00"
    day = day.replace("-08", "-07")
    first = [f"{n}|1|QD QD|{NATURALS[n]}|{day.format(n=n)}" for n in range(4)]
    second = [f"{n}|1|QD QD|{NATURALS[4 - n]}|{next_day.format(n=n)}" for n in range(5)]
    assert audited(header, *first, *second[:4]).codes == []
    # Rows of one shoe may stand over midnight, and in any order.
    over = [row.replace("2025-06-08T18", "2025-06-07T23") for row in second]
    (one,) = audited(header, *first, *second).findings
    assert (one.shoe, one.line) == ("1", 6)
    if "T" in next_day:
        (one,) = audited(header, *over[::-1], *first).findings
        assert "8 coups" in one.sentence  # one of them stands in both halves


def test_rows_of_a_coup_of_which_one_states_a_time_are_one_coup() -> None:
    header = "coup|shoe|seat|player_cards|banker_cards|wager|stake|paid|occurred_at"
    rows = [
        f"1|1|4|9S KD|{NATURALS[1]}|{wager}|10|{paid}|{time}"
        for day in (7, 8)
        for wager, paid, time in (
            ("player", "20", f"2025-06-0{day}T18:00:00-04:00"),
            ("golden_talons@player", "20", ""),
        )
    ]
    assert audited(header, *rows, rules=TALONS).codes == []


def test_two_shoes_of_one_name_have_findings_of_their_own() -> None:
    header = "coup|shoe|player_cards|banker_cards|occurred_at"
    rows = [
        f"{10 * day + n}|1|QD QD|{NATURALS[n]}|2025-06-0{day}T18:0{n}:00-04:00"
        for day in (7, 8)
        for n in range(5)
    ]
    found = audited(header, *rows).findings
    assert [one.line for one in found] == [2, 7]
    assert len({one.id for one in found}) == 2


def test_shoes_of_two_tables_are_two_shoes() -> None:
    header = "table|coup|shoe|player_cards|banker_cards"
    rows = [f"{table}|{n}|1|QD QD|{NATURALS[n]}" for n in range(4) for table in ("T1", "T2")]
    assert audited(header, *rows).codes == []


@pytest.mark.parametrize(
    ("cards", "coups", "excess"),
    [
        ("Q Q|9 9", 16, None),
        ("Q Q|9 9", 17, "by rank: 34 of 9 instead of 32; 34 of Q instead of 32"),
        ("0 0|9 9", 16, None),
        ("0 0|9 9", 65, "by value: 130 of 9 instead of 32; 130 of 0 instead of 128"),
    ],
)
def test_ranks_and_values_are_counted_where_no_more_is_known(
    cards: str, coups: int, excess: str | None
) -> None:
    found = audited(
        "coup|shoe|player_cards|banker_cards", *[f"{n}|1|{cards}" for n in range(coups)]
    )
    assert [one.sentence.partition("hold ")[2][:-1] for one in compositions(found)] == (
        [excess] if excess else []
    )


def test_decks_are_those_that_are_asked_for() -> None:
    six = filed(decks=6)
    rows = [f"{n}|S1|QD 3D|{NATURALS[n]}" for n in range(4)]
    assert audited("coup|shoe|player_cards|banker_cards", *rows, rules=six).codes == []
    rows = [f"{n}|S1|QD QD|{NATURALS[n]}" for n in range(4)]
    assert audited("coup|shoe|player_cards|banker_cards", *rows, rules=six).codes == [
        "SHOE_COMPOSITION"
    ]


def test_wagers_without_coup_ids_do_not_count_cards_twice() -> None:
    found = audited("shoe|player_cards|banker_cards|wager", *["S1|QD QD|9C 9H|tie"] * 9)
    assert found.codes == []
    assert found.off["shoe_composition"] == "rows name wagers but no coup ids"


def test_shoes_are_forgotten_and_still_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shoes_module, "SHOES_REMEMBERED", 2)
    rows = [f"{n}|S{n // 5}|QD QD|9C 9H" for n in range(50)]
    found = audited("coup|shoe|player_cards|banker_cards", *rows)
    assert [one.shoe for one in compositions(found)] == [f"S{n}" for n in range(10)]


# The order of the cards


ORDER = "table|coup|shoe|player_cards|banker_cards"
PACK = "2C 9H KS 4D TC 7H AS QD 5C 3S JD 8H 6C TD QS 9D KH 2D 7C 4S 5H AH JC 8S 3C 6D TH QC 9S KD"
"""Thirty cards, no run of which comes twice."""


def dealt(shoe: str, cards: str, table: str = "T1") -> list[str]:
    """Give rows of coups of four cards, dealt in turn, whatever the rules of drawing say."""
    fours = zip(*[iter(cards.split())] * 4, strict=False)
    return [
        f"{table}|{shoe}-{number}|{shoe}|{p1} {p2}|{b1} {b2}"
        for number, (p1, b1, p2, b2) in enumerate(fours)
    ]


def runs(*rows: str) -> list[Finding]:
    """Give the findings about repeated runs."""
    return [one for one in audited(ORDER, *rows).findings if one.code.value.startswith("SHOE_ORD")]


def shifted(cards: str) -> str:
    """Give the same ranks in other suits: other cards."""
    return cards.translate(str.maketrans("CDHS", "DHSC"))


def test_a_run_that_returns_within_a_shoe_is_one_finding_in_the_line_in_which_it_begins() -> None:
    (one,) = runs(*dealt("S1", f"{PACK} 2S 5S {PACK} {shifted(PACK)}"))
    assert (one.severity, one.shoe, one.coup, one.column) == ("high", "S1", None, "shoe")
    assert one.line == 2 + 32 // 4
    assert one.sentence == (
        "Shoe S1: cards 33 to 40 (2♣ 9♥ K♠ 4♦ 10♣ 7♥ A♠ Q♦) were dealt in the same order before, "
        "from card 1 of the same shoe (line 2)."
    )


def test_a_run_of_an_earlier_shoe_of_the_table_is_recognised() -> None:
    first = dealt("S1", f"{shifted(PACK)} 2S 3H {PACK}")
    other = dealt("S2", f"{PACK} {' '.join(PACK.split()[::-1])}")
    found = runs(*first, *other)
    assert [(one.shoe, one.line) for one in found] == [("S2", 2 + len(first))]
    assert "of shoe S1 (line 10)" in found[0].sentence
    elsewhere = dealt("S2", PACK + " " + shifted(shifted(PACK)), table="T2")
    assert runs(*first, *elsewhere) == []


def test_no_more_than_four_earlier_shoes_are_looked_at() -> None:
    again = dealt("S1", PACK + " " + shifted(PACK)), dealt("S7", PACK + " " + shifted(PACK))
    between = [dealt(f"S{n}", " ".join([f"{n}C"] * 60)) for n in range(2, 6)]
    rows = [*again[0], *(row for shoe in between for row in shoe)]
    of_last = [one for one in runs(*rows, *again[1]) if one.shoe == "S7"]
    assert of_last == []
    nearer = [*again[0], *(row for shoe in between[:3] for row in shoe)]
    assert [one.shoe for one in runs(*nearer, *again[1]) if one.shoe == "S7"] == ["S7"]


def test_a_run_that_a_fair_shuffle_may_well_bring_is_none() -> None:
    seven = " ".join(PACK.split()[:7])  # against 48 cards it takes eight
    cards = f"{PACK} 2S {seven} {shifted(PACK)}"
    assert runs(*dealt("S1", cards)) == []
    eight = " ".join(PACK.split()[:8])
    assert len(runs(*dealt("S1", f"{PACK} 2S 5S {eight} {shifted(PACK)}"))) == 1


def test_runs_of_ranks_and_of_values_have_to_be_longer() -> None:
    ranks = PACK.translate(str.maketrans("", "", "CDHS"))
    ten = " ".join(ranks.split()[:10])
    assert runs(*dealt("S1", f"{ranks} 2 5 {ten} {ranks[::-1]}")) == []
    assert len(runs(*dealt("S1", f"{ranks} 2 5 {ranks} {ranks[::-1]}"))) == 1
    values = ranks.translate(str.maketrans("TJQK", "0000"))
    zeros = "0 0 0 5 0 0 0 5"
    assert runs(*dealt("S1", f"{zeros} {values} {zeros}")) == []


def test_a_few_coups_are_an_excerpt_whose_order_is_not_judged() -> None:
    found = audited(ORDER, *dealt("S1", "2C 9H KS 4D TC 7H AS QD 5C " * 4))
    assert found.off["shoe_order"] == "fewer than 40 cards of any shoe are recorded"
    assert "SHOE_ORDER_REPEATED" not in found.codes
    judged = audited(ORDER, *dealt("S1", "2C 9H KS 4D TC 7H AS QD 5C " * 5))
    assert "shoe_order" in judged.coverage.on
    assert judged.codes.count("SHOE_ORDER_REPEATED") == 1


def test_without_a_shoe_no_order_is_judged() -> None:
    found = audited("coup|player_cards|banker_cards", *[f"{n}|2C 7H|9D KS" for n in range(20)])
    assert found.off["shoe_order"] == "the file names no shoe"
    assert found.codes == []


def test_one_look_at_a_shoe_passes_none_that_card_by_card_would_find() -> None:
    chance = random.Random(4)
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"] * 8
    many = 0
    for _ in range(60):
        chance.shuffle(cards)
        at, to, length = chance.randrange(150), chance.randrange(200, 380), chance.randrange(6, 12)
        shoe = [*cards[:to], *cards[at : at + length], *cards[to:]]
        marks = "".join(map(mark_of, shoe))
        found = [(one.shoe, one.line) for one in runs(*dealt("S1", " ".join(shoe)))]
        assert len(found) == len(list(repeats_in(marks, ())))
        many += bool(found)
    assert 10 < many < 50


@pytest.mark.parametrize("is_bounded", [True, False])
def test_memory_does_not_grow_with_the_file(
    monkeypatch: pytest.MonkeyPatch, is_bounded: bool
) -> None:
    """With small bounds the second half of a file adds nothing; without them it does."""
    if is_bounded:
        for module, name in (
            (cells_module, "MEMORY_MAX"),
            (coups_module, "COUPS_REMEMBERED"),
            (shoes_module, "SHOES_REMEMBERED"),
        ):
            monkeypatch.setattr(module, name, 10)
    header = "coup shoe seat occurred_at player_cards banker_cards winner wager stake paid"
    columns = header.split()
    auditor = RowAuditor(TALONS, GAME, read_header(LAW, columns, DeclaredMapping()), "r.csv")
    before = reachable_objects(auditor)  # what other tests have loaded counts for nothing
    reached = []
    for line, row in enumerate(RoundsWriter(seed=5, fault_every=10**9).rows(4_000), start=2):
        auditor.audit(line, [row[column] for column in columns])
        if line % 500 == 0:
            reached.append(reachable_objects(auditor) - before)
    half = len(reached) // 2
    assert (max(reached[half:]) <= 1.3 * max(reached[:half])) is is_bounded


def reachable_objects(auditor: RowAuditor) -> int:
    """Count the objects that an auditor holds on to, apart from the law and the code."""
    seen: set[int] = set()
    waiting: list[object] = [
        auditor._player,
        auditor._banker,
        auditor._coups,
        auditor._shoes,
        auditor._dates,
        auditor.claims,
    ]
    while waiting:
        one = waiting.pop()
        module = type(one).__module__  # a descriptor where a class of C defines its own
        own = isinstance(module, str) and module.startswith(
            ("auditors.rounds", "builtins", "collections")
        )
        if own and id(one) not in seen and not isinstance(one, type):
            seen.add(id(one))
            waiting += gc.get_referents(one)
    return len(seen)


@pytest.mark.parametrize(
    ("wager", "end"),
    [("bankr", "no wager 'bankr'; did you mean banker?"), ("zzz", "no wager 'zzz'.")],
)
def test_a_rejected_cell_is_told_in_a_sentence_with_one_mark_at_its_end(
    wager: str, end: str
) -> None:
    found = audited(DATED, f"T1|1|2025-06-01T12:00:00-04:00|{NATURAL}|{wager}|10|20")
    assert [one.sentence for one in found.findings] == [f"Column wager: {end}"]
