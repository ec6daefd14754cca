"""Rows of recorded rounds: every claim is compared, and what cannot be told is not guessed."""

import pytest

from auditors.catalogue.sentences import words_of
from schemas.finding_facts import decode_facts, encode_facts
from tests.support.tables.deals import cases, rules_with
from tests.support.texts.round_audits import audited

RIGHT = "2S 3H KD | AC 2D 5H"  # 5 and 8: Banker wins
TIE = "3C 2S 2D | 6S AH"
NATURAL = "4S 4H | AC 2D"  # 8 and 3: Player wins
TALONS = rules_with(letters={"golden_talons": "B", "harmony_mini": "A"})


# Cards


@pytest.mark.parametrize(
    ("player", "banker", "status", "codes"),
    cases("""
        2S 3H KD   | AC 2D 5H  | settled      |
        2s 3h kd   | ac 2d 5h  | settled      |
        2♠ 3♥ 10♦  | A♣ 2♦ 5♥  | settled      |
        2S3HKD     | AC2D5H    | settled      |
        2-3-K      | A-2-5     | settled      |
        2 3 0      | 1 2 5     | settled      |
        2S 3H KD   | AC 2D     | undetermined | THIRD_CARD_NOT_DRAWN
        2S 3H      | AC 2D 5H  | undetermined | THIRD_CARD_NOT_DRAWN
        2S 3H      | AC 2D     | undetermined | THIRD_CARD_NOT_DRAWN THIRD_CARD_NOT_DRAWN
        4S 4H 2C   | AC 2D 5H  | undetermined | CARD_AFTER_NATURAL CARD_AFTER_NATURAL
        4S 3H 2C   | 3C 4D     | undetermined | THIRD_CARD_DRAWN_IN_ERROR
        2S 3H KD 4C | AC 2D 5H | undetermined | DEAL_ORDER
        2S         | AC 2D 5H  | undetermined | DEAL_ORDER
        2S         | 4C        | undetermined | DEAL_ORDER
        2S 3X KD   | AC 2D 5H  | unreadable   | CARD_UNREADABLE
        2S 3X ??   | AC 2D     | unreadable   | CARD_UNREADABLE CARD_UNREADABLE
        -          | AC 2D 5H  | unreadable   | CARD_UNREADABLE
    """),
)
def test_cards_are_read_and_the_draw_is_judged(
    player: str, banker: str, status: str, codes: str
) -> None:
    found = audited("player_cards|banker_cards", [player, banker])
    assert found.statuses == [status]
    assert found.codes == codes.split()


def test_an_unreadable_card_names_its_column_hand_and_place() -> None:
    (one,) = audited("player_cards|banker_cards", ["2S 3H KD", "AC XX 5H"]).findings
    assert (one.column, one.hand, one.line) == ("banker_cards", "banker", 2)
    assert one.sentence.startswith("Banker card 2: 'XX' is no card")


def test_a_faulty_draw_names_the_column_of_the_hand() -> None:
    (one,) = audited("player_cards|banker_cards", ["2S 3H KD", "AC 2D"]).findings
    assert (one.column, one.hand) == ("banker_cards", "banker")
    assert "Banker must draw on 3 against a ten-valued card (KD)" in one.sentence


@pytest.mark.parametrize(
    ("player", "banker", "column"),
    [
        ("2S", "AC 2D", "PC"),
        ("2S 3H", "AC 2D 3D 4D", "BC"),
        ("2S", "AC 2D 3D 4D", "PC, BC"),
    ],
)
def test_a_wrong_number_of_cards_names_the_column_of_the_hand(
    player: str, banker: str, column: str
) -> None:
    columns = {"player_cards": ("PC",), "banker_cards": ("BC",)}
    (one,) = audited("coup|PC|BC", ["1", player, banker], columns=columns).findings
    assert (one.code.value, one.column, one.hand) == ("DEAL_ORDER", column, None)


@pytest.mark.parametrize(
    ("cards", "order", "status"),
    [
        ("2S AC 3H 2D KD 5H", "p1,b1,p2,b2,p3,b3", "settled"),
        ("2S,AC,3H,2D,KD,5H", "p1,b1,p2,b2,p3,b3", "settled"),
        ("2S 3H KD AC 2D 5H", "p1,p2,p3,b1,b2,b3", "settled"),
        ("4S AC 4H 2D", "p1,b1,p2,b2,p3,b3", "settled"),
        ("4S 4H AC 2D", "p1,p2,p3,b1,b2,b3", "settled"),
        ("4S,4H,,AC,2D,", "p1,p2,p3,b1,b2,b3", "settled"),
        ("4S;4H;-;AC;2D;-", "p1,p2,p3,b1,b2,b3", "settled"),
        ("3C 6S 2S AH 2D", "p1,b1,p2,b2,p3,b3", "settled"),  # the fifth card is the Player's
        ("KS 2H 7C QS 5H", "p1,b1,p2,b2,p3,b3", "settled"),  # Player stood, Banker drew
        ("3C 6S 2S AH,,2D", "p1,b1,p2,b2,p3,b3", "undetermined"),  # held places decide
        ("4S AC 4H 2D 5C", "p1,b1,p2,b2,p3,b3", "unreadable"),  # nobody draws
        ("4S AC 4H", "p1,b1,p2,b2,p3,b3", "unreadable"),
        ("4S AC 4H 2D 5C 6C 7C", "p1,b1,p2,b2,p3,b3", "unreadable"),
        ("4S XX 4H 2D", "p1,b1,p2,b2,p3,b3", "unreadable"),
        ("", "p1,b1,p2,b2,p3,b3", "unreadable"),
    ],
)
def test_one_column_of_cards_is_dealt_out_by_its_order(cards: str, order: str, status: str) -> None:
    found = audited("cards", [cards], card_order=tuple(order.split(",")))
    assert found.statuses == [status]
    if status == "unreadable":
        assert {one.column for one in found.findings} == {"cards"}


# Claims


@pytest.mark.parametrize(
    ("winner", "code"),
    [
        ("banker", None),
        ("BANKER", None),
        ("B", None),
        (" b ", None),
        ("", None),
        ("player", "RESULT_MISANNOUNCED"),
        ("t", "RESULT_MISANNOUNCED"),
        ("PUNTO", "RESULT_MISANNOUNCED"),
        ("draw", "EVENT_REJECTED"),
    ],
)
def test_a_claimed_winner_is_read_by_the_declared_words(winner: str, code: str | None) -> None:
    found = audited(
        "player_cards|banker_cards|winner",
        [*RIGHT.split("|"), winner],
        winner_words={"Punto": "player"},
    )
    assert found.codes == ([code] if code else [])
    assert found.statuses == ["settled"]
    if code == "EVENT_REJECTED":
        assert "'draw' is no winner; known: player, p, banker" in found.findings[0].sentence
        assert found.findings[0].column == "winner"


def test_every_column_that_claims_a_winner_is_judged_by_itself() -> None:
    found = audited(
        "player_cards|banker_cards|a|b",
        f"{RIGHT}|player|banker",
        f"{RIGHT}|banker|tie",
        columns={"winner": ("a", "b")},
    )
    assert [(one.line, one.column) for one in found.findings] == [(2, "a"), (3, "b")]


@pytest.mark.parametrize(
    ("player", "banker", "column", "code"),
    [
        ("5", "8", None, None),
        ("5.0", "8", None, None),
        ("", "", None, None),
        ("", "8", None, None),
        ("4", "8", "player_points", "POINTS_MISANNOUNCED"),
        ("5", "7", "banker_points", "POINTS_MISANNOUNCED"),
        ("4", "7", "player_points", "POINTS_MISANNOUNCED"),
        ("15", "8", "player_points", "EVENT_REJECTED"),
        ("x", "8", "player_points", "EVENT_REJECTED"),
    ],
)
def test_claimed_points_are_one_claim_of_two_columns(
    player: str, banker: str, column: str | None, code: str | None
) -> None:
    header = "player_cards|banker_cards|player_points|banker_points"
    found = audited(header, [*RIGHT.split("|"), player, banker])
    assert [(one.code.value, one.column) for one in found.findings] == (
        [(code, column)] if code else []
    )


def test_claims_are_compared_with_the_cards_also_where_the_draw_was_faulty() -> None:
    header = "player_cards|banker_cards|winner|player_points|banker_points"
    found = audited(header, "2S 3H KD|AC 2D|banker|5|4")  # it stands 5 to 3
    assert found.codes == ["THIRD_CARD_NOT_DRAWN", "RESULT_MISANNOUNCED", "POINTS_MISANNOUNCED"]


KINDS = {
    "banker": "banker",
    "big": "house.big",
    "small": "house.small",
    "pair": "house.player_pair",
    "perfect": "house.perfect_pair",
}


@pytest.mark.parametrize(
    ("cards", "listed", "said"),
    [
        (RIGHT, "banker big", None),
        (RIGHT, "big, banker", None),
        (RIGHT, "banker;big", None),
        (RIGHT, "banker|big", None),
        (RIGHT, '["banker", "big"]', None),
        (
            RIGHT,
            "banker/small",
            "small was recorded as winning but did not win; "
            "big was left out of the record although won.",
        ),
        (RIGHT, "banker big other_kind", None),  # a kind that is not declared
        (RIGHT, "", None),
        (RIGHT, "banker", "big was left out of the record although won."),
        (
            RIGHT,
            "banker big pair small",
            "pair and small were recorded as winning but did not win.",
        ),
        (
            RIGHT,
            "small banker",
            "small was recorded as winning but did not win; "
            "big was left out of the record although won.",
        ),
        (TIE, "big", None),  # a push is no win
        (TIE, "banker big", "banker was recorded as winning but did not win."),
        ("2 3 K | A 2 5", "banker big perfect", None),  # without suits nobody can tell
        ("2 2 K | A 2 5", "banker big", "pair was left out of the record although won."),
    ],
)
def test_a_list_of_winning_wagers_is_compared_for_the_declared_kinds(
    cards: str, listed: str, said: str | None
) -> None:
    header = "player_cards|banker_cards|winning_wagers"
    cells = [*cards.split("|"), listed]
    for _ in range(2):  # the second time from what is remembered
        found = audited(header, cells, cells, winning_names=KINDS)
        assert found.codes == (["WINNING_WAGERS_MISREPORTED"] * 2 if said else [])
        assert all(one.sentence.endswith(said) for one in found.findings)


def test_a_declared_word_may_contain_what_parts_other_lists() -> None:
    kinds = {"Big/Small: big": "house.big", "Banker": "banker"}
    header = "player_cards|banker_cards|winning_wagers"
    lists = ["Banker, Big/Small: big", "Big/Small: big;Banker"]
    found = audited(header, *([*RIGHT.split("|"), one] for one in lists), winning_names=kinds)
    assert found.codes == []


def test_without_declared_kinds_lists_are_not_compared() -> None:
    found = audited("player_cards|banker_cards|winning_wagers", f"{RIGHT}|small")
    assert found.codes == []
    assert "add [winning_wagers] to a mapping" in found.off["winning_wagers"]


def test_a_claim_that_a_later_row_of_the_coup_makes_is_compared_too() -> None:
    header = "coup|player_cards|banker_cards|winner|wager"
    found = audited(
        header,
        f"1|{RIGHT}|banker|banker",
        f"1|{RIGHT}|player|tie",
        f"1|{RIGHT}|player|player",  # the same claim of the same coup again
        f"1|{RIGHT}|banker|player",
    )
    assert found.found == [(3, "RESULT_MISANNOUNCED")]


def test_a_coup_is_judged_once_and_its_rows_are_counted_each() -> None:
    found = audited("coup|player_cards|banker_cards", *["1|2S 3H KD|AC 2D"] * 3)
    assert found.statuses == ["undetermined"] * 3
    assert found.found == [(2, "THIRD_CARD_NOT_DRAWN")]


def test_the_same_cards_written_otherwise_are_the_same_coup() -> None:
    found = audited("coup|player_cards|banker_cards", "1|2S 3H KD|AC 2D", "1|2♠,3♥,K♦|a♣ 2d")
    assert found.codes == ["THIRD_CARD_NOT_DRAWN"]


def test_other_cards_under_the_same_id_are_another_coup() -> None:
    found = audited("coup|player_cards|banker_cards", "1|2S 3H KD|AC 2D", "1|2S 3H QD|AC 2D")
    assert found.found == [(2, "THIRD_CARD_NOT_DRAWN"), (3, "THIRD_CARD_NOT_DRAWN")]
    assert len({one.id for one in found.findings}) == 2


def test_rows_without_an_id_are_coups_of_their_own() -> None:
    found = audited("coup|player_cards|banker_cards", "|2S 3H KD|AC 2D", "|2S 3H KD|AC 2D")
    assert found.found == [(2, "THIRD_CARD_NOT_DRAWN"), (3, "THIRD_CARD_NOT_DRAWN")]


# Wagers


MONEY = "coup|player_cards|banker_cards|wager|stake|paid"


@pytest.mark.parametrize(
    ("wager", "stake", "paid", "code", "column"),
    [
        ("banker", "100", "195", None, None),
        ("Banker", "100", "195.00", None, None),
        ("minibaccarat.banker", "100.00", "$195", None, None),
        ("banker", "100", "200", "WAGER_OVERPAID", "paid"),
        ("banker", "100", "100", "WAGER_UNDERPAID", "paid"),
        ("player", "100", "100", "LOSER_NOT_COLLECTED", "paid"),
        ("player", "100", "5", "LOSER_PAID", "paid"),
        ("player", "100", "0", None, None),
        ("player", "0", "0", None, None),
        ("player", "0", "5", "LOSER_PAID", "paid"),
        ("banker", "100", "", None, None),
        ("banker", "", "195", None, None),
        ("", "100", "200", None, None),
        ("bonker", "100", "195", "EVENT_REJECTED", "wager"),
        ("sun_7", "100", "195", "EVENT_REJECTED", "wager"),
        ("banker", "1.005", "1.95", "EVENT_REJECTED", "stake"),
        ("banker", "-5", "1.95", "EVENT_REJECTED", "stake"),
        ("banker", "five", "1.95", "EVENT_REJECTED", "stake"),
        ("banker", "100", "-195", "EVENT_REJECTED", "paid"),
        ("banker", "100", "195.001", "EVENT_REJECTED", "paid"),
        ("banker", "0.01", "0.01", "EVENT_REJECTED", "stake"),  # vigorish of 0.0005
        ("golden_talons@banker", "10", "0", None, None),  # by 3: loses
        ("golden_talons", "10", "0", "EVENT_REJECTED", "wager"),
    ],
)
def test_a_wager_is_settled_and_its_payment_compared(
    wager: str, stake: str, paid: str, code: str | None, column: str | None
) -> None:
    row = ["1", *RIGHT.split("|"), wager, stake, paid]
    for times in (1, 2):  # read first, then again from what is remembered
        found = audited(MONEY, *[row] * times, rules=TALONS)
        assert found.statuses == ["settled"] * times
        assert [(one.code.value, one.column) for one in found.findings] == (
            [(code, column)] * times if code else []
        )


def test_a_net_payment_is_net_of_the_stake() -> None:
    header = "player_cards|banker_cards|wager|stake|net"
    found = audited(
        header,
        f"{RIGHT}|banker|100|95",
        f"{RIGHT}|player|100|-100",
        f"{TIE}|player|368|-368",
        f"{TIE}|tie|10|80",
        f"{RIGHT}|player|100|-200",
        f"{RIGHT}|player|100|0",
    )
    assert found.found == [
        (4, "WAGER_UNDERPAID"),
        (6, "STAKE_TAKEN_TWICE"),
        (7, "LOSER_NOT_COLLECTED"),
    ]
    assert {one.column for one in found.findings} == {"net"}
    assert found.findings[0].difference_minor == -36_800


@pytest.mark.parametrize(
    ("paid", "net", "column"),
    [
        ("195", "95", None),
        ("195", "100", "net"),
        ("200", "95", "paid"),
        ("", "100", "net"),
        ("200", "", "paid"),
        ("200", "100", "paid"),
    ],
)
def test_paid_and_net_are_two_claims_of_one_payment(
    paid: str, net: str, column: str | None
) -> None:
    header = "player_cards|banker_cards|wager|stake|paid|net"
    found = audited(header, [*RIGHT.split("|"), "banker", "100", paid, net])
    assert [one.column for one in found.findings] == ([column] if column else [])


def test_a_hand_may_stand_in_a_column_of_its_own() -> None:
    header = "player_cards|banker_cards|wager|hand|stake|paid"
    found = audited(
        header,
        f"{NATURAL}|golden_talons|Player|10|20",
        f"{NATURAL}|golden_talons|banker|10|0",
        f"{NATURAL}|golden_talons@player||10|20",
        f"{NATURAL}|golden_talons||10|20",
        f"{NATURAL}|player||10|20",
        rules=TALONS,
    )
    assert found.found == [(5, "EVENT_REJECTED")]
    assert "golden_talons@player or golden_talons@banker" in found.findings[0].sentence


def test_words_of_the_file_are_read_by_the_mapping() -> None:
    found = audited(
        "player_cards|banker_cards|wager|stake|paid",
        f"{NATURAL}|PP|10|120",
        f"{NATURAL}|GT@player|10|20",
        rules=TALONS,
        wager_names={"PP": "house.player_pair", "GT": "golden_talons"},
    )
    assert found.codes == []


@pytest.mark.parametrize(
    ("wager", "paid", "codes"),
    [
        ("player", "5000", []),  # not determined, so not compared
        ("house.player_pair", "120.00", []),
        ("house.player_pair", "0.00", ["WAGER_UNDERPAID"]),
        ("majestic_match@player", "35.00", ["LOSER_PAID"]),
        ("majestic_match@banker", "35.00", []),
    ],
)
@pytest.mark.parametrize("cards", ["4S 4H 2C|3C 2C", "4S 4H 2C 3D|3C 2C"])
def test_first_four_wagers_are_compared_also_on_a_faulty_draw(
    cards: str, wager: str, paid: str, codes: list[str]
) -> None:
    found = audited("player_cards|banker_cards|wager|stake|paid", f"{cards}|{wager}|10|{paid}")
    assert found.statuses == ["undetermined"]
    assert [one.code.value for one in found.findings if one.wager] == codes


def test_a_missing_letter_switches_the_payouts_of_that_wager_off() -> None:
    found = audited(
        MONEY, f"1|{NATURAL}|golden_talons@player|10|9999", f"1|{NATURAL}|player|10|9999"
    )
    assert found.found == [(3, "WAGER_OVERPAID")]
    assert (
        "choose a paytable: --paytable golden_talons=LETTER"
        in (found.off["payouts of golden_talons@player"])
    )
    assert "payouts" in found.coverage.on


def test_a_missing_meter_switches_the_payouts_of_that_wager_off() -> None:
    found = audited(
        MONEY,
        "1|5S 5H 5D|5C 5S 5H|harmony_mini|5|125000",
        f"2|{NATURAL}|harmony_mini|5|0",
        f"3|{NATURAL}|harmony_mini|5|5",
        rules=TALONS,
    )
    assert found.found == [(4, "LOSER_NOT_COLLECTED")]
    assert "no meter is recorded" in found.off["payouts of harmony_mini from the meter"]


def test_what_needs_suits_is_off_where_none_are_recorded() -> None:
    found = audited(
        "player_cards|banker_cards|wager|stake|paid",
        "4 4|A 2|house.perfect_pair|10|9999",
        "4 4|A 2|house.player_pair|10|9999",
    )
    assert found.found == [(3, "WAGER_OVERPAID")]
    assert found.off["payouts of house.perfect_pair"] == "suits are not recorded"
    assert found.off["suits"] == "suits are not recorded"
    assert "ranks" in found.coverage.on


def test_odds_that_are_not_filed_leave_a_payment_alone() -> None:
    found = audited(MONEY, f"1|{NATURAL}|house.player_natural|10|9999")
    assert found.codes == []
    assert found.off["payouts of house.player_natural"] == "no odds are filed for it"


def test_binary_tails_are_said_once_per_column() -> None:
    header = "player_cards|banker_cards|wager|stake|net"
    found = audited(
        header,
        f"{RIGHT}|banker|771.0|732.4499999999999",
        f"{RIGHT}|banker|100.00000000000001|94.99999999999999",
        f"{RIGHT}|banker|771.0|732.4499999999999",
    )
    assert found.codes == []
    assert [line.partition(":")[0] for line in found.said] == ["column net", "column stake"]


def test_amounts_are_of_the_currency_that_is_filed() -> None:
    rules = rules_with(currency="JPY")
    found = audited(MONEY, f"1|{RIGHT}|banker|100|195", f"1|{RIGHT}|banker|100.5|195", rules=rules)
    assert found.found == [(3, "EVENT_REJECTED")]


# Checks on and off


def test_what_no_row_claims_is_off() -> None:
    found = audited("shoe|player_cards|banker_cards|winner|player_points", f" |{RIGHT}| | ")
    for check, column in (
        ("winner", "winner"),
        ("points", "player_points"),
        ("shoe_composition", "shoe"),
    ):
        assert found.off[check] == f"nothing is recorded in {column}"
    assert found.coverage.on == ("drawing_rules", "suits", "ranks")


def test_ids_of_findings_are_distinct_and_the_same_in_a_second_run() -> None:
    rows = [f"1|{NATURAL}|player|10|15", f"1|{NATURAL}|player|10|15", f"1|{TIE}|tie|10|0"]
    first, second = audited(MONEY, *rows), audited(MONEY, *rows)
    ids = [one.id for one in first.findings]
    assert len(set(ids)) == len(ids) == 3
    assert ids == [one.id for one in second.findings]


def test_every_finding_of_a_file_is_told_from_its_facts_alone() -> None:
    header = "coup|player_cards|banker_cards|winner|wager|stake|paid|winning_wagers"
    rows = [
        ["1", *RIGHT.split("|"), "player", "bankr", "10", "20", "small"],
        ["2", "2S XX", "AC 2D", "", "", "", "", ""],
        ["3", *RIGHT.split("|"), "", "player", "100", "200", ""],
    ]
    found = audited(header, *rows, winning_names=KINDS).findings
    assert {one.code.value for one in found} >= {
        "CARD_UNREADABLE",
        "EVENT_REJECTED",
        "RESULT_MISANNOUNCED",
        "WINNING_WAGERS_MISREPORTED",
    }
    for one in found:
        assert one.facts is not None and one.title
        assert decode_facts(encode_facts(one.facts)) == one.facts
        bare = one.model_copy(update={"sentence": "", "title": None})
        assert tuple(words_of(bare)) == (one.sentence, one.title)
