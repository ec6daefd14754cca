"""Differences become findings with the right code, amount, subject and severity."""

import datetime
from dataclasses import replace

import pytest

from auditors.settlement.asserting import Claim, Place, assert_finding, severity_of
from auditors.settlement.checks import (
    date_findings,
    draw_findings,
    offer_findings,
    payment_finding,
    points_finding,
    winner_finding,
)
from auditors.settlement.rules import Rules
from auditors.settlement.terms import terms_of
from auditors.shoe import composition_excess, held_multiset
from schemas.cards import Card, parse_card
from schemas.finding_facts.payment import WithdrawnPaid
from schemas.findings import Finding, FindingCode, FindingStatus, Severity
from tests.support.tables.deals import GAME, LAW, a_deal, ref_of, rules_with, verdict
from tests.support.tables.submissions import a_submission, a_wager

RULES = rules_with(letters={"golden_talons": "A"})
BANKER_WINS, TIE = "2S 3H KD | AC 2D 5H", "3C 2S 2D | 6S AH"
PLACE = Place(source="T-12", file="r.csv", line=7, coup="31")
FACTS = WithdrawnPaid(wager_name="Banker")


@pytest.mark.parametrize(
    ("wager", "deal", "stake", "paid", "code", "said"),
    [
        ("banker", BANKER_WINS, 10_000, 19_500, None, ""),
        ("banker", BANKER_WINS, 10_000, 20_000, "WAGER_OVERPAID", "200.00 paid; overpaid 5.00"),
        ("banker", BANKER_WINS, 10_000, 10_000, "WAGER_UNDERPAID", "100.00 paid; underpaid 95.00"),
        ("banker", BANKER_WINS, 10_000, 0, "WAGER_UNDERPAID", "0.00 paid; underpaid 195.00"),
        ("player", TIE, 36_800, 0, "WAGER_UNDERPAID", "underpaid 368.00"),
        ("player", TIE, 36_800, 73_600, "WAGER_OVERPAID", "overpaid 368.00"),
        ("player", BANKER_WINS, 10_000, 0, None, ""),
        (
            "player",
            BANKER_WINS,
            10_000,
            10_000,
            "LOSER_NOT_COLLECTED",
            "Player lost. The 100.00 stake should have been collected; it was left with the patron",
        ),
        (
            "player",
            BANKER_WINS,
            10_000,
            20_000,
            "LOSER_PAID",
            "Player lost, nothing due; the dealer paid 200.00",
        ),
        ("player", BANKER_WINS, 10_000, 1, "LOSER_PAID", "nothing due; the dealer paid 0.01"),
        (
            "player",
            BANKER_WINS,
            10_000,
            -10_000,
            "STAKE_TAKEN_TWICE",
            "with 100.00 staked; 100.00 more than the stake was taken",
        ),
    ],
)
def test_a_payment_is_compared_with_what_was_due(
    wager: str, deal: str, stake: int, paid: int, code: str | None, said: str
) -> None:
    found = payment_finding(RULES, verdict(RULES, wager, deal, stake), paid, "w", PLACE)
    if code is None:
        assert found is None
        return
    assert found is not None
    assert found.code is FindingCode(code)
    assert found.difference_minor == paid - found.due_minor
    assert found.status is FindingStatus.STANDING
    assert said in found.sentence
    assert found.citation in found.sentence


def test_the_sentence_of_a_payment_has_the_form_that_people_know() -> None:
    rules = Rules(LAW, terms_of(LAW, a_submission()))
    due = verdict(rules, "minibaccarat.banker", BANKER_WINS, 10_000)
    found = payment_finding(rules, due, 20_000, "w", replace(PLACE, rules_version="RS-7"))
    assert found.title == "Banker overpaid 5.00"
    assert found.sentence == (
        "Player 2S 3H KD, Banker AC 2D 5H. Banker 8, Player 5: Banker wins. 1 to 1 less 5 % "
        "vigorish: 100.00 + 95.00 = 195.00 due; 200.00 paid; overpaid 5.00 "
        "(58 Pa. Code § 627a.11, .12 (text not seen); Rules Submission RS-7)."
    )


def test_marked_vigorish_is_due_gross() -> None:
    rules = rules_with(marked=True)
    due = verdict(rules, "banker", BANKER_WINS, 10_000)
    assert payment_finding(rules, due, 20_000, "w", PLACE) is None
    found = payment_finding(rules, due, 19_500, "w", PLACE)
    assert found.code is FindingCode.WAGER_UNDERPAID
    assert "= 200.00 due, vigorish 5.00 marked; 195.00 paid; underpaid 5.00 (" in found.sentence


def test_an_open_amount_is_compared_with_nothing() -> None:
    due = verdict(RULES, "banker", "2S 3H KD | AC 2D", 10_000)
    assert payment_finding(RULES, due, 12_345, "w", PLACE) is None


def test_a_void_coup_is_not_refunded_in_full() -> None:
    rules = rules_with(readings={"D30": "void"})
    due = verdict(rules, "banker", "4S 4H 2D | AC 6D", 10_000)
    found = payment_finding(rules, due, 5_000, "w", PLACE)
    assert found.code is FindingCode.VOID_NOT_REFUNDED
    assert "the 100.00 stake should have been returned; 50.00 was" in found.sentence
    assert payment_finding(rules, due, 20_000, "w", PLACE).code is FindingCode.WAGER_OVERPAID


@pytest.mark.parametrize(
    ("claimed", "is_found"), [("banker", False), ("player", True), ("tie", True)]
)
def test_a_claimed_winner_is_compared_with_the_cards_as_they_lie(
    claimed: str, is_found: bool
) -> None:
    for deal in (BANKER_WINS, "2S 3H KD | 4C 2D"):  # the second is drawn wrongly
        found = winner_finding(RULES, a_deal(deal), claimed, PLACE.at("winner"), GAME)
        assert (found is not None) is is_found
    if is_found:
        assert found.column == "winner"
        assert found.citation == "58 Pa. Code § 627a.11 (text not seen)"


@pytest.mark.parametrize(
    ("claimed", "said"),
    [
        ((5, 8), None),
        ((None, 8), None),
        ((None, None), None),
        ((4, 8), "recorded Player 4 and Banker 8"),
        ((None, 7), "recorded Banker 7"),
    ],
)
def test_claimed_points_are_compared_with_the_cards(
    claimed: tuple[int | None, int | None], said: str | None
) -> None:
    found = points_finding(RULES, a_deal(BANKER_WINS), claimed, PLACE, GAME)
    assert found.sentence.endswith(f"; {said}.") if found else said is None


def test_two_hands_with_a_card_after_a_natural_are_two_findings() -> None:
    found = draw_findings(RULES, a_deal("4S 4H 2D | AC 2D 5H"), PLACE)
    assert [one.hand for one in found] == ["player", "banker"]
    assert len({one.id for one in found}) == 2
    assert {one.severity for one in found} == {Severity.CRITICAL}


def test_the_same_fault_in_two_lines_of_a_file_is_two_findings() -> None:
    coup = a_deal("4S 4H 2D | AC 2D")
    ids = {draw_findings(RULES, coup, Place(file="r.csv", line=n, coup="1"))[0].id for n in (2, 3)}
    assert len(ids) == 2
    again = draw_findings(RULES, coup, Place(file="r.csv", line=2, coup="1"))[0].id
    assert again in ids


def test_a_coup_of_a_feed_is_named_by_its_id_alone() -> None:
    assert Place(source="T-12", coup="S1/31").coup_subject == "S1/31"
    assert Place(file="r.csv", line=7).coup_subject == "@7"


OFFER = a_submission(
    wagers=[a_wager("minibaccarat.player", minimum="5.00", maximum="100.00")],
    severities={"WAGER_OUT_OF_LIMITS": "high"},
)


@pytest.mark.parametrize(
    ("wager", "stake", "code", "said"),
    [
        ("minibaccarat.player", 500, None, ""),
        ("minibaccarat.player", 10_000, None, ""),
        ("minibaccarat.player", 499, "WAGER_OUT_OF_LIMITS", "below the filed minimum of 5.00"),
        ("minibaccarat.player", 10_001, "WAGER_OUT_OF_LIMITS", "above the filed maximum of 100.00"),
        ("minibaccarat.tie", 500, "WAGER_NOT_OFFERED", "Tie is not offered at this table (Rules"),
    ],
)
def test_offers_and_limits_are_those_of_the_submission(
    wager: str, stake: int, code: str | None, said: str
) -> None:
    rules = Rules(LAW, terms_of(LAW, OFFER))
    place = replace(PLACE, rules_version="RS-7")
    found = offer_findings(rules, ref_of(wager), stake, "w", place)
    assert [one.code.value for one in found] == ([code] if code else [])
    assert all(said in one.sentence for one in found)
    if code == "WAGER_OUT_OF_LIMITS":
        assert found[0].severity is Severity.HIGH  # raised by the filing
        assert found[0].interpretations == {"D31": "settle_in_full"}
    assert offer_findings(RULES, ref_of(wager), stake, "w", PLACE) == []


def test_a_submission_raises_a_severity_and_never_lowers_it() -> None:
    lower = a_submission(severities={"CARD_AFTER_NATURAL": "info", "RULE_LAPSED": "critical"})
    assert severity_of(FindingCode.CARD_AFTER_NATURAL, lower) is Severity.CRITICAL
    assert severity_of(FindingCode.RULE_LAPSED, lower) is Severity.CRITICAL
    assert severity_of(FindingCode.RULE_LAPSED, None) is Severity.NOTICE


def test_a_lapse_is_one_finding_per_table_section_and_gaming_date() -> None:
    day = datetime.date(2026, 8, 5)
    found = date_findings(RULES, ["golden_talons", "golden_talons", "house"], day, PLACE)
    assert [one.code for one in found] == [FindingCode.RULE_LAPSED]
    assert "printed term ended 2026-08-04; no successor text is held here" in found[0].sentence
    other = date_findings(RULES, ["golden_talons"], day, Place(source="T-13"))
    assert other[0].id != found[0].id
    again = date_findings(RULES, ["golden_talons"], day, Place(source="T-12", line=99))
    assert again[0].id == found[0].id


@pytest.mark.parametrize(
    ("date", "used"), [("2023-08-04", {}), ("2026-08-05", {"D37": "inclusive"})]
)
def test_only_a_lapse_rests_on_the_reading_of_the_last_day(date: str, used: dict[str, str]) -> None:
    found = date_findings(RULES, ["golden_talons"], datetime.date.fromisoformat(date), PLACE)
    assert [one.interpretations for one in found] == [used]


@pytest.mark.parametrize(("from_date", "is_silent"), [("2026-08-05", True), ("2026-08-06", False)])
def test_a_registered_successor_silences_the_lapse_from_its_day_on(
    from_date: str, is_silent: bool
) -> None:
    filed = a_submission(
        {"id": "golden_talons", "paytable": "A"},
        successors=[{"section": "golden_talons", "authority": "56 Pa.B. 1", "from": from_date}],
    )
    rules = Rules(LAW, terms_of(LAW, filed))
    found = date_findings(rules, ["golden_talons"], datetime.date(2026, 8, 5), PLACE)
    assert (found == []) is is_silent


def test_a_finding_is_written_in_one_shape_with_unknown_as_null() -> None:
    claim = Claim(wager="minibaccarat.banker", due_minor=19_500, paid_minor=20_000)
    found = assert_finding(FindingCode.WAGER_OVERPAID, "w", FACTS, PLACE.at("paid"), claim)
    document = found.as_json()
    assert list(document) == [
        "schema",
        "id",
        "code",
        "severity",
        "status",
        "source",
        "feed",
        "file",
        "line",
        "column",
        "shoe",
        "coup",
        "seat",
        "wager",
        "hand",
        "due",
        "paid",
        "difference",
        "corrected",
        "residual",
        "currency",
        "sentence",
        "citation",
        "rules_version",
        "interpretations",
        "evidence",
        "occurred_at",
        "coup_began_at",
        "gaming_date",
        "coup_no",
        "stake",
        "patron",
        "wager_id",
        "settlement_id",
        "dealer",
        "title",
        "facts",
    ]
    assert document["schema"] == "ladderman.finding/2"
    money = [document[key] for key in ("due", "paid", "difference", "corrected", "residual")]
    assert money == ["195.00", "200.00", "5.00", None, None]
    assert (document["line"], document["column"], document["seat"]) == (7, "paid", None)
    assert Finding.json_fields() == tuple(document)[1:]


def test_a_feed_says_what_was_put_right_and_a_file_of_rounds_does_not() -> None:
    claim = Claim(wager="minibaccarat.banker", due_minor=19_500, paid_minor=20_000)
    of_feed = replace(PLACE, file=None, line=None, feed="T-12/1")
    live, recorded = (
        assert_finding(FindingCode.WAGER_OVERPAID, "w", FACTS, place, claim)
        for place in (of_feed, PLACE)
    )
    assert (live.corrected_minor, live.residual_minor) == (0, 500)
    assert (recorded.corrected_minor, recorded.residual_minor) == (None, None)


def shoe_of(text: str, times: int) -> dict[Card, int]:
    """Count each card of a text so many times."""
    return {parse_card(card): times for card in text.split()}


@pytest.mark.parametrize(
    ("seen", "decks", "excess"),
    [
        (shoe_of("QD", 8), 8, ""),
        (shoe_of("QD", 9), 8, "9 of QD, 8 held"),
        (shoe_of("QD", 7), 6, "7 of QD, 6 held"),
        (shoe_of("QD QH QS QC", 8), 8, ""),
        (shoe_of("Q", 32), 8, ""),
        (shoe_of("Q", 33), 8, "33 of Q, 32 held"),
        (shoe_of("Q", 20) | shoe_of("QD", 8) | shoe_of("QS", 5), 8, "33 of Q, 32 held"),
        (shoe_of("0", 128), 8, ""),
        (shoe_of("0", 129), 8, "129 of 0, 128 held"),
        (shoe_of("0", 100) | shoe_of("K", 29), 8, "129 of 0, 128 held"),
        (shoe_of("5", 33), 8, "33 of 5, 32 held"),
        (shoe_of("QD AS", 9), 8, "9 of AS, 8 held; 9 of QD, 8 held"),
    ],
)
def test_cards_are_counted_as_far_as_they_are_known(
    seen: dict[Card, int], decks: int, excess: str
) -> None:
    found = composition_excess(seen, decks)
    assert "; ".join(map(str, found)) == excess


def test_a_full_shoe_has_no_excess_and_one_more_card_has() -> None:
    cards = held_multiset(8)
    assert len(cards) == 52
    assert composition_excess(cards, 8) == ()
    for card in cards:
        (one,) = composition_excess({**cards, card: 9}, 8)
        assert (one.what, one.seen, one.held) == (str(card), 9, 8)
