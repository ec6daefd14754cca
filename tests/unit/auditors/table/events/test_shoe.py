"""A shoe: what came out and what is left add up, and its procedures were kept."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.cards import RANKS, SUITS
from schemas.findings import FindingCode, Severity
from tests.support.tables.played import a_table, found
from tests.support.tables.table_script import Folded, TableScript, a_submission, all_but

DECK = [rank + suit for rank in RANKS for suit in SUITS]


def a_shoe(**fields: object) -> TableScript:
    return TableScript().open().shoe(**fields)


def deal_cards(script: TableScript, cards: list[str]) -> TableScript:
    """Deal cards four to a coup; what they come to does not matter here."""
    for start in range(0, len(cards) - 3, 4):
        script.coup().close_bets()
        for card, (hand, position) in zip(
            cards[start : start + 4],
            (("player", 1), ("banker", 1), ("player", 2), ("banker", 2)),
            strict=True,
        ):
            script.card(hand, position, card)
        script.void().close()
    return script


def whole(decks: int = 8, **changes: int) -> dict[str, int]:
    return dict.fromkeys(DECK, decks) | changes


# --- inspection and shuffle


@pytest.mark.parametrize(
    ("fields", "lacking"),
    [
        ({"shuffle": None}, "shuffle"),
        ({"inspection": None}, "inspection"),
        ({"shuffle": None, "inspection": None}, "shuffle and inspection"),
    ],
)
def test_a_shoe_dealt_without_its_records_is_found_at_the_first_card(
    fields: dict[str, object], lacking: str
) -> None:
    script = a_shoe(**fields).coup().close_bets()
    assert found(script) == []
    script.card("player", 1, "9S")
    folded = Folded(script.messages)
    finding = folded.finding
    assert finding.code is FindingCode.SHOE_NOT_INSPECTED
    assert finding.severity is Severity.NOTICE
    assert finding.sentence == (
        f"Shoe S1 was dealt without a record of its {lacking}; this table reports "
        f"{'both' if ' and ' in lacking else 'it'}."
    )
    assert found(script.card("banker", 1, "2S")) == ["SHOE_NOT_INSPECTED"]


def test_records_that_the_table_does_not_report_are_not_missed() -> None:
    reports = all_but(said.Capability.SHUFFLE, said.Capability.INSPECTION)
    script = TableScript().open(reports=reports).shoe(shuffle=None, inspection=None)
    assert found(script.honest_coup()) == []


def test_a_shoe_that_was_never_loaded_was_not_inspected() -> None:
    script = TableScript().open()
    assert found(script.honest_coup()) == ["SHOE_NOT_INSPECTED"]


# --- composition


def test_one_more_of_a_card_than_the_decks_hold_is_found_with_that_card() -> None:
    script = deal_cards(a_shoe(), [*["QD"] * 8, "2S", "3S", "4S", "5S"])
    assert "SHOE_COMPOSITION" not in found(script)
    script.coup().close_bets().card("player", 1, "QD")
    folded = Folded(script.messages)
    assert "SHOE_COMPOSITION" in folded.said_at(script.sequence)
    finding = next(f for f in folded.findings if f.code is FindingCode.SHOE_COMPOSITION)
    assert (
        finding.sentence == "Shoe S1: more cards came out than 8 decks hold: 9 of Q♦ instead of 8."
    )
    assert finding.severity is Severity.CRITICAL
    assert finding.evidence == (script.sequence,)


def test_one_finding_of_a_shoe_names_all_cards_that_came_out_too_often() -> None:
    script = a_shoe()
    for card in ("QD", "JS"):
        for _ in range(9):
            script.of_shoe(said.CardExposed, disposition="discarded", card=card)
    finding = Folded(script.messages).finding
    assert finding.sentence == (
        "Shoe S1: more cards came out than 8 decks hold: 9 of J♠ instead of 8; 9 of Q♦ "
        "instead of 8."
    )


def test_a_card_that_goes_on_coming_is_counted_when_the_shoe_ends() -> None:
    script = a_shoe()
    for _ in range(11):
        script.of_shoe(said.CardExposed, disposition="discarded", card="QD")
    assert "9 of Q♦" in Folded(script.messages).finding.sentence
    assert "11 of Q♦" in Folded(script.end_shoe().messages).finding.sentence


@pytest.mark.parametrize(("card", "held"), [("QD", 8), ("Q", 32), ("7", 32), ("0", 128)])
def test_as_much_as_is_known_of_a_card_is_compared(card: str, held: int) -> None:
    def exposed(count: int) -> list[str]:
        script = a_shoe()
        for _ in range(count):
            script.of_shoe(said.CardExposed, disposition="burned", card=card, after_s=0.1)
        return found(script)

    assert exposed(held) == []
    assert exposed(held + 1) == ["SHOE_COMPOSITION"]


def test_cards_of_mixed_knowledge_are_counted_together() -> None:
    script = a_shoe()
    for card in ["Q"] * 25 + ["QD"] * 8:
        script.of_shoe(said.CardExposed, disposition="burned", card=card, after_s=0.1)
    assert "33 of Q instead of 32" in Folded(script.messages).finding.sentence


def test_cards_count_from_a_burn_as_well() -> None:
    script = a_shoe()
    script.of_shoe(said.CardsBurned, exposed_card="9C", burned_count=9, burned_cards=("9C",) * 8)
    assert found(script) == ["SHOE_COMPOSITION"]


def test_composition_is_not_judged_where_cards_are_not_reported() -> None:
    script = TableScript().open(reports=all_but(said.Capability.CARDS)).shoe()
    for _ in range(9):
        script.of_shoe(said.CardExposed, disposition="burned", card="QD")
    assert found(script) == []


def test_other_decks_than_filed_are_a_composition_finding_at_the_loading() -> None:
    folded = Folded(a_shoe(decks=6).messages)
    assert folded.finding.sentence == "Shoe S1: loaded with 6 decks; 8 were filed."
    assert found(TableScript().open(a_submission(decks=6)).shoe(decks=6)) == []


@pytest.mark.parametrize(
    ("inspection", "words"),
    [
        ({"card_count": 417}, "inspected with 417 cards instead of 416"),
        ({"cards": whole(QD=7)}, "at the inspection, the missing card is a Q♦"),
        (
            {"cards": whole(JS=9)},
            "inspected with more cards than 8 decks hold: 9 of J♠ instead of 8",
        ),
    ],
)
def test_an_inspection_that_does_not_add_up_is_found(
    inspection: dict[str, object], words: str
) -> None:
    script = a_shoe(inspection=said.Inspection(method="by_device", **inspection))
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.SHOE_COMPOSITION
    assert words in finding.sentence


def test_a_missing_and_an_extra_card_are_one_finding() -> None:
    inspection = said.Inspection(method="by_device", card_count=416, cards=whole(QD=7, JS=9))
    finding = Folded(a_shoe(inspection=inspection).messages).finding
    assert "9 of J♠" in finding.sentence
    assert "the missing card is a Q♦" in finding.sentence


def test_an_inspection_by_ranks_is_compared_by_ranks() -> None:
    ranks = dict.fromkeys(RANKS, 32)
    right = said.Inspection(method="by_device", cards=ranks)
    assert found(a_shoe(inspection=right)) == []
    wrong = said.Inspection(method="by_device", cards=ranks | {"Q": 31})
    assert "missing cards: 1 of Q" in Folded(a_shoe(inspection=wrong).messages).finding.sentence


def test_a_right_inspection_is_none() -> None:
    inspection = said.Inspection(method="by_device", card_count=416, cards=whole())
    assert found(a_shoe(inspection=inspection)) == []


def dealt_out(**left: object) -> TableScript:
    """Four known cards and a burn of five unseen ones come out; the rest is left."""
    script = a_shoe()
    script.of_shoe(said.CardsBurned, exposed_card="5C", burned_count=5)
    return deal_cards(script, ["2S", "3S", "4S", "KD"]).end_shoe(**left)


def rest(*more: str, missing: tuple[str, ...] = ()) -> dict[str, int]:
    """What is left after four dealt, one exposed and five burned cards, taken for aces of clubs."""
    gone = ("2S", "3S", "4S", "KD", "5C", *("AC",) * 5, *missing)
    counts = whole()
    for card in gone:
        counts[card] -= 1
    for card in more:
        counts[card] += 1
    return counts


def test_a_shoe_whose_cards_add_up_at_the_end_is_none() -> None:
    assert found(dealt_out(cards_left_count=406)) == []
    assert found(dealt_out(cards_left=rest())) == []
    assert found(dealt_out(cards_left=rest(), cards_left_count=406)) == []


def test_a_card_that_is_missing_at_the_end_is_found() -> None:
    finding = Folded(dealt_out(cards_left_count=405).messages).finding
    assert finding.code is FindingCode.SHOE_COMPOSITION
    assert finding.sentence == "Shoe S1: 10 dealt or burned + 405 left = 415 of 416."
    assert (
        "missing cards: 5 of A♣, 1 of Q♦ (5 of these may be the cards that came out unseen)."
        in Folded(dealt_out(cards_left=rest(missing=("QD",))).messages).finding.sentence
    )


def test_a_card_too_many_at_the_end_is_found() -> None:
    finding = Folded(dealt_out(cards_left=rest("JS")).messages).finding
    assert "10 dealt or burned + 407 left = 417 of 416" in finding.sentence
    assert "9 of J♠ instead of 8" in finding.sentence


def test_a_queen_missing_and_a_jack_too_many_are_found_though_the_count_is_right() -> None:
    finding = Folded(dealt_out(cards_left=rest("JS", missing=("QD",))).messages).finding
    assert "dealt or burned" not in finding.sentence
    assert "9 of J♠ instead of 8" in finding.sentence
    assert "1 of Q♦" in finding.sentence


def test_what_is_missing_is_not_judged_where_not_all_that_comes_out_is_reported() -> None:
    reports = all_but(said.Capability.BURN)
    script = deal_cards(TableScript().open(reports=reports).shoe(), ["2S", "3S", "4S", "KD"])
    assert found(script.end_shoe(cards_left_count=402)) == []


def test_what_is_left_is_not_judged_where_it_is_not_reported() -> None:
    reports = all_but(said.Capability.CARDS_LEFT)
    script = TableScript().open(reports=reports).shoe().end_shoe(cards_left_count=1)
    assert found(script) == []


def test_a_removed_card_counts_as_out_of_the_shoe() -> None:
    script = a_shoe()
    script.of_shoe(
        said.CardRemoved, removal_id="M1", taken_from="shoe", reason="damaged", card="7H"
    )
    assert found(script.end_shoe(cards_left=whole(**{"7H": 7}))) == []


def test_an_inspection_after_play_is_compared_too() -> None:
    inspection = said.Inspection(method="by_hand", card_count=415)
    finding = Folded(a_shoe().end_shoe(inspection=inspection).messages).finding
    assert "inspected after play with 415 cards instead of 416" in finding.sentence


def test_the_end_of_another_shoe_is_rejected() -> None:
    script = a_shoe().say(
        said.ShoeEnded, shoe_id="S9", reason="other", coup_count=0, cards_left_count=1
    )
    assert found(script) == ["EVENT_REJECTED"]


def test_a_loading_told_twice_is_rejected_and_the_shoe_stays_as_it_was() -> None:
    folded = Folded(a_shoe().shoe("S1", decks=6).messages)
    assert folded.codes == ["EVENT_REJECTED"]
    assert folded.state.shoe is not None
    assert folded.state.shoe.decks == 8


# --- burn


@pytest.mark.parametrize(
    ("exposed", "count"), [("AC", 1), ("7D", 7), ("TS", 10), ("KH", 10), ("0", 10), ("9", 9)]
)
def test_as_many_cards_are_burned_as_the_exposed_one_says(exposed: str, count: int) -> None:
    def burned(number: int) -> list[str]:
        script = a_shoe()
        return found(script.of_shoe(said.CardsBurned, exposed_card=exposed, burned_count=number))

    assert burned(count) == []
    assert burned(count + 1) == ["BURN_MISMATCH"]
    assert burned(count - 1) == ["BURN_MISMATCH"]


def test_under_d32_the_exposed_card_may_count_within_its_number() -> None:
    submission = a_submission(readings={"D32": "exposed_included"})
    script = TableScript().open(submission).shoe()
    finding = Folded(
        script.of_shoe(said.CardsBurned, exposed_card="7D", burned_count=7).messages
    ).finding
    assert finding.code is FindingCode.BURN_MISMATCH
    assert finding.sentence == (
        "Shoe S1: 7♦ was exposed, so 6 further cards should have been burned; 7 were."
    )
    assert finding.interpretations == {"D32": "exposed_included"}


def test_burns_that_cannot_or_need_not_be_judged_are_none() -> None:
    unread = a_shoe().of_shoe(said.CardsBurned, burned_count=3)
    later = a_shoe().of_shoe(said.CardsBurned, occasion="procedure", burned_count=1)
    free = TableScript().open(a_submission(burn_exposed_card=False)).shoe()
    free.of_shoe(said.CardsBurned, exposed_card="7D", burned_count=1)
    off = TableScript().open(reports=all_but(said.Capability.BURN)).shoe()
    off.of_shoe(said.CardsBurned, exposed_card="7D", burned_count=1)
    assert [found(script) for script in (unread, later, free, off)] == [[], [], [], []]


# --- cover card


def cover(script: TableScript, **fields: object) -> TableScript:
    return script.of_shoe(said.CoverCardDrawn, **fields)


def coups_after_cover(hands_after: int, *, in_coup: bool, count: int) -> list[str]:
    """Play a coup, let the cover card come, then play so many more coups."""
    script = TableScript().open(a_submission(hands_after_cover_card=hands_after)).shoe()
    script.honest_coup().coup().close_bets()
    if in_coup:
        script.card("player", 1, "9S")
        cover(script, coup_id=script.coup_id).card("banker", 1, "2S")
        script.card("player", 2, "KD").card("banker", 2, "3H").close()
    else:
        cover(script).deal("9S KD", "2S 3H").close()
    for _ in range(count):
        script.honest_coup()
    return found(script)


@pytest.mark.parametrize(
    ("hands_after", "in_coup", "allowed"),
    [(0, True, 0), (1, True, 1), (2, True, 2), (0, False, 0), (1, False, 0), (2, False, 1)],
)
def test_so_many_coups_are_permitted_after_the_cover_card(
    hands_after: int, in_coup: bool, allowed: int
) -> None:
    assert coups_after_cover(hands_after, in_coup=in_coup, count=allowed) == []
    assert coups_after_cover(hands_after, in_coup=in_coup, count=allowed + 2) == [
        "COVER_CARD_OVERRUN",
        "COVER_CARD_OVERRUN",
    ]


def test_a_coup_too_many_is_found_at_its_first_card() -> None:
    script = cover(a_shoe()).honest_coup().coup()
    script.wager("player", 10_000)
    script.close_bets()
    assert found(script) == []
    script.card("player", 1, "9S")
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["COVER_CARD_OVERRUN"]
    assert folded.finding.sentence == (
        "Coup 2 of shoe S1 was dealt although the cover card, or the end of the "
        "shoe, had ended dealing."
    )
    assert folded.finding.evidence == (script.sequence,)


def test_a_coup_voided_before_it_was_dealt_is_no_coup_after_the_cover_card() -> None:
    script = cover(a_shoe()).coup().close_bets().void().close().honest_coup()
    assert found(script) == []


def test_the_second_cover_card_permits_nothing_more_and_nothing_less() -> None:
    script = cover(a_shoe(), cover_card="last").honest_coup().honest_coup()
    assert found(script) == []


def test_the_cover_card_is_not_judged_where_it_is_not_reported() -> None:
    script = cover(TableScript().open(reports=all_but(said.Capability.COVER_CARD)).shoe())
    assert found(script.honest_coup().honest_coup().honest_coup()) == []


def test_without_cards_coups_are_counted_from_their_beginning() -> None:
    script = cover(TableScript().open(reports=all_but(said.Capability.CARDS)).shoe())
    script.coup().close_bets().close()
    assert found(script) == []
    assert found(script.coup().close_bets()) == ["COVER_CARD_OVERRUN"]


# --- the order of the cards

CYCLE = ["AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AH", "2H"]


def cycles(count: int) -> TableScript:
    return deal_cards(a_shoe(), (CYCLE * 9)[: count * len(CYCLE)])


def test_b33_a_run_that_returns_is_one_finding_by_the_third_repeat() -> None:
    assert found(cycles(1)) == []
    folded = Folded(cycles(3).messages)
    finding = folded.finding
    assert finding.code is FindingCode.SHOE_ORDER_REPEATED
    assert finding.severity is Severity.HIGH
    assert "(A♠ 2♠ 3♠" in finding.sentence
    assert "from card 1 of the same shoe" in finding.sentence
    assert found(cycles(8)) == ["SHOE_ORDER_REPEATED"]


def test_b33_a_ninth_cycle_is_more_than_the_decks_hold() -> None:
    script = deal_cards(a_shoe(), CYCLE * 8)
    script.coup().close_bets().card("player", 1, "AS")
    folded = Folded(script.messages)
    assert folded.codes == ["SHOE_COMPOSITION", "SHOE_ORDER_REPEATED"]


def test_b33_every_coup_of_the_unshuffled_shoe_is_settled_by_its_cards() -> None:
    script = a_shoe()
    cards = iter(CYCLE * 8)
    # Four cards a coup; each hand has two, so only coups without a third card are dealt here.
    for _ in range(30):
        p1, b1, p2, b2 = (next(cards) for _ in range(4))
        script.coup()
        wager_id = script.wager("player", 1_000)
        script.close_bets().deal(f"{p1} {p2}", f"{b1} {b2}").void().refund(wager_id, 1_000).close()
    assert found(script) == ["SHOE_ORDER_REPEATED"]


def test_the_order_of_an_earlier_shoe_is_recognised() -> None:
    # Eight further cards of one shoe would not do against so many places; these are sixteen.
    cards = ["2C", "9H", "KS", "4D", "TC", "7H", "AS", "QD"] * 2
    cards = [
        c if n < 8 else c[0] + "CDHS"[("CDHS".index(c[1]) + 1) % 4] for n, c in enumerate(cards)
    ]
    script = deal_cards(a_shoe(), cards).end_shoe().shoe("S2")
    finding = Folded(deal_cards(script, cards).messages).finding
    assert finding.code is FindingCode.SHOE_ORDER_REPEATED
    assert "from card 1 of shoe S1" in finding.sentence
    assert (finding.shoe, finding.coup) == ("S2", None)


def test_a_run_that_a_fair_shuffle_may_well_bring_is_none() -> None:
    # Seven cards would do: 52 ** 7 is more than 10 ** 9 for every two places of fourteen.
    cards = ["2C", "9H", "KS", "4D", "TC", "7H"]
    script = deal_cards(a_shoe(), [*cards, "5D", *cards, "6C", "6D", "6H"])
    assert found(script) == []


def test_a_card_that_was_not_read_ends_a_run() -> None:
    cards = ["2C", "9H", "KS", "4D", "TC", "7H", "AS", "QD"]
    script = deal_cards(a_shoe(), [*cards[:6], "?", "3H", *cards[:6], "?", "3H"])
    assert set(found(script)) == {"CARD_UNREADABLE"}


def test_runs_of_values_alone_have_to_be_longer() -> None:
    values = ["5", "2", "0", "7", "9", "A", "3", "8"]
    assert found(deal_cards(a_shoe(), values * 2)) == []
    longer = [
        "5",
        "2",
        "0",
        "7",
        "9",
        "A",
        "3",
        "8",
        "6",
        "4",
        "9",
        "2",
        "7",
        "7",
        "3",
        "A",
        "8",
        "5",
        "6",
        "0",
    ]
    assert found(deal_cards(a_shoe(), longer * 2)) == ["SHOE_ORDER_REPEATED"]


def test_the_shoe_has_a_record_when_it_ends() -> None:
    script = deal_cards(a_shoe(), ["2S", "3S", "4S", "KD"]).end_shoe()
    folded = Folded(script.messages)
    record = folded.records["BAC-01", "shoe", "S1"]
    assert record.shoe is not None
    assert (record.shoe.state, record.shoe.decks, record.shoe.cards_out) == ("closed", 8, 4)
    assert (record.gaming_date, record.findings) == ("2025-06-07", ())


def test_coups_of_an_earlier_shoe_are_rejected() -> None:
    script = a_table().close_bets().end_shoe().shoe("S2").coup()
    script.say(said.NoMoreBets, coup_id="S1/9", shoe_id="S1")
    assert found(script) == ["EVENT_REJECTED"]
