"""Findings with one cause are one incident: one line, the first event, coups and money."""

import random
from dataclasses import replace

import pytest

from auditors.catalogue import Lane
from auditors.incidents import Incident, TableTold, ToldCoup, ToldFinding, incidents_of
from auditors.incidents.causes import COUPS_APART_MAX, EVENTS_APART_MAX
from schemas.finding_facts.feed import EventsMissing, EventUnusable, FaultOpen
from schemas.finding_facts.parts import CardCount, CardExcess
from schemas.finding_facts.shoe import (
    CardRemoved,
    CardsCounted,
    CardsMissing,
    CardsOutAndLeft,
    CardsTooMany,
    DecksLoaded,
    ShoeComposition,
    ShoeProblem,
    ToldInWords,
)
from schemas.findings import FindingCode as Code
from schemas.findings import FindingStatus, Severity
from tests.support.tables.told_tables import (
    corrected,
    overpaid,
    told_coup,
    told_finding,
    told_shoe,
    told_table,
    told_wager,
)


def only(table: TableTold) -> Incident:
    (one,) = incidents_of(table)
    return one


def titles(table: TableTold) -> list[str]:
    return [one.title for one in incidents_of(table)]


def coups(count: int) -> list[ToldCoup]:
    return [told_coup(number, told_wager()) for number in range(1, count + 1)]


# Shoes.


def short_shoe(number: int, *problems: ShoeProblem) -> ToldFinding:
    return told_finding(
        Code.SHOE_COMPOSITION,
        at=1700 * number,
        shoe=f"S{number}",
        severity=Severity.CRITICAL,
        facts=ShoeComposition(problems=problems),
    )


def missing(*cards: str, unseen: int = 0) -> CardsMissing:
    """List cards that were not seen, such as ``2 5H``."""
    counts = [one.split() if " " in one else ("1", one) for one in cards]
    return CardsMissing(
        when="with_those_left",
        decks=8,
        missing=tuple(CardCount(card=card, count=int(count)) for count, card in counts),
        unseen=unseen,
    )


def out(out: int, left: int = 4) -> CardsOutAndLeft:
    return CardsOutAndLeft(out=out, left=left, held=416)


def nine_of(card: str) -> CardsTooMany:
    excess = (CardExcess(card=card, seen=9, held=8),)
    return CardsTooMany(when="with_those_left", decks=8, excess=excess)


SIX_DECKS = DecksLoaded(loaded=6, filed=8)


def shoes_of_84(count: int) -> tuple[list[ToldCoup], tuple]:
    dealt = [
        told_coup(n, shoe=(n - 1) // 84 + 1, stake_minor=10_000) for n in range(1, 84 * count + 1)
    ]
    return dealt, tuple(told_shoe(n, 84 * (n - 1) + 1) for n in range(1, count + 1))


def test_parx_one_missing_card_over_five_shoes_is_one_line_with_coups_and_money() -> None:
    dealt, shoes = shoes_of_84(5)
    found = [
        short_shoe(n, out(411), missing(*cards))
        for n, cards in enumerate(
            (("6C", "QD", "9C"), ("QD", "2 5H"), ("3S", "QD", "TH"), ("QD", "KC"), ("QD",)), 1
        )
    ]
    one = only(told_table(dealt, *found, shoes=shoes))
    assert one.title == (
        "1 card missing from the shoe (QD) in 5 consecutive shoes, 420 coups, 42,000.00 staked"
    )
    assert (one.code, one.lane, one.severity) == (
        Code.SHOE_COMPOSITION,
        Lane.SHOE,
        Severity.CRITICAL,
    )
    assert (len(one.coup_ids), one.coup_ids[0], one.coup_ids[-1]) == (420, "C1", "C420")
    assert one.shoe_ids == ("S1", "S2", "S3", "S4", "S5")
    assert (one.first_feed_id, one.first_sequence) == ("feed-1", 20)
    assert one.staked_minor == 4_200_000
    assert one.difference_minor is None


def test_one_short_shoe_is_told_without_shoes() -> None:
    dealt, shoes = shoes_of_84(1)
    found = short_shoe(1, out(411), missing("QD"))
    assert titles(told_table(dealt, found, shoes=shoes)) == [
        "1 card missing from the shoe (QD), 84 coups, 8,400.00 staked"
    ]


def test_a_sound_shoe_between_two_short_ones_ends_the_incident() -> None:
    dealt, shoes = shoes_of_84(3)
    problems = (out(411), missing("QD"))
    found = (short_shoe(1, *problems), short_shoe(3, *problems))
    assert [one.shoe_ids for one in incidents_of(told_table(dealt, *found, shoes=shoes))] == [
        ("S1",),
        ("S3",),
    ]


@pytest.mark.parametrize(
    "second",
    [
        (out(411), missing("5H")),
        (out(410), missing("QD", "5H")),
        (nine_of("JC"), missing("QD")),
        (SIX_DECKS,),
    ],
    ids=["other-card", "two-cards", "one-more", "decks"],
)
def test_shoes_that_differ_otherwise_are_other_incidents(second: tuple[ShoeProblem, ...]) -> None:
    dealt, shoes = shoes_of_84(2)
    first = short_shoe(1, out(411), missing("QD"))
    found = incidents_of(told_table(dealt, first, short_shoe(2, *second), shoes=shoes))
    assert [one.shoe_ids for one in found] == [("S1",), ("S2",)]


@pytest.mark.parametrize(
    ("problems", "words"),
    [
        (
            (nine_of("JC"), missing("QD", "6C", unseen=1)),
            "1 card missing from the shoe and 1 card too many in the shoe (JC)",
        ),
        (
            (missing("3D"), nine_of("3S"), missing("3D", "6C", unseen=1)),
            "1 card missing from the shoe (3D) and 1 card too many in the shoe (3S)",
        ),
        (
            (CardsCounted(when="inspected", counted=415, held=416),),
            "1 card missing from the shoe",
        ),
        ((out(413, 5),), "2 cards too many in the shoe"),
        ((SIX_DECKS,), "shoe loaded with 6 decks, 8 filed"),
        (
            (ToldInWords(words="411 cards out and 4 left, 416 held"),),
            "the shoe does not hold what its decks hold",
        ),
    ],
)
def test_how_a_shoe_differs_is_told_as_far_as_it_is_known(
    problems: tuple[ShoeProblem, ...], words: str
) -> None:
    dealt, shoes = shoes_of_84(1)
    assert titles(told_table(dealt, short_shoe(1, *problems), shoes=shoes)) == [
        f"{words}, 84 coups, 8,400.00 staked"
    ]


def test_a_foreign_card_explains_the_card_too_many_and_reaches_until_it_came_out() -> None:
    dealt, shoes = shoes_of_84(1)
    foreign = told_finding(Code.CARD_FROM_OTHER_SHOE, 64, shoe="S1", severity=Severity.CRITICAL)
    extra = short_shoe(1, out(413))
    one = only(told_table(dealt, foreign, extra, shoes=shoes))
    assert one.title == "1 card of another shoe dealt, 64 coups, 6,400.00 staked"
    assert one.codes == ((Code.CARD_FROM_OTHER_SHOE, 1), (Code.SHOE_COMPOSITION, 1))


def removed(sequence: int, noticed: int) -> ToldFinding:
    return told_finding(
        Code.CARD_REMOVED,
        at=noticed,
        shoe="S1",
        facts=CardRemoved(card="7H", removed_sequence=sequence),
    )


def test_hollywood_a_removed_card_reaches_the_coups_until_it_is_replaced() -> None:
    dealt, shoes = shoes_of_84(1)
    found = removed(205, 225)
    assert titles(told_table(dealt, found, shoes=shoes)) == [
        "7H removed and not replaced, 74 coups, 7,400.00 staked"
    ]
    ended = {("feed-1", 205): ("feed-1", 1061)}
    assert titles(told_table(dealt, found, shoes=shoes, ended=ended)) == [
        "7H removed and not replaced, 42 coups, 4,200.00 staked"
    ]


def test_a_removed_card_explains_that_it_is_missing_and_no_other() -> None:
    dealt, shoes = shoes_of_84(1)
    short = short_shoe(1, out(411), missing("7H"))
    assert only(told_table(dealt, removed(205, 225), short, shoes=shoes)).code is Code.CARD_REMOVED
    other = short_shoe(1, out(411), missing("QD"))
    assert len(incidents_of(told_table(dealt, removed(205, 225), other, shoes=shoes))) == 2


def test_coups_after_the_cover_card_are_one_incident_with_their_own_money() -> None:
    dealt, shoes = shoes_of_84(1)
    found = [told_finding(Code.COVER_CARD_OVERRUN, n, shoe="S1") for n in (82, 83, 84)]
    assert titles(told_table(dealt, *found, shoes=shoes)) == [
        "3 coups dealt after the last permitted one, 300.00 staked"
    ]


def test_uncollected_vigorish_is_told_by_seats_and_money() -> None:
    dealt, shoes = shoes_of_84(1)
    found = [
        told_finding(Code.VIGORISH_OUTSTANDING, at=1700, shoe="S1", seat=seat, difference=-500)
        for seat in ("1", "4")
    ]
    one = only(told_table(dealt, *found, shoes=shoes))
    assert one.title == "marked vigorish not collected at 2 seats, 10.00"
    assert (one.difference_minor, one.coup_ids) == (-1000, ())


# Feeds and devices.


def gap(first: int, last: int | None) -> ToldFinding:
    at = first - 1 if last is None else last + 1
    facts = EventsMissing(feed_id="feed-1", first_sequence=first, last_sequence=last)
    return told_finding(Code.SEQUENCE_GAP, at=at, facts=facts)


def test_the_lost_end_of_a_feed_is_told_with_the_coup_that_it_leaves_unverified() -> None:
    dealt = [told_coup(n, is_unverified=n == 10) for n in range(1, 11)]
    one = only(told_table(dealt, gap(215, None)))
    assert one.title == "the end of the feed missing, 1 coup unverified, 100.00 staked"
    assert one.coup_ids == ("C10",)


def test_a_gap_is_told_with_the_coups_that_it_leaves_unverified() -> None:
    dealt = [told_coup(n, is_unverified=n in (5, 6)) for n in range(1, 11)]
    one = only(told_table(dealt, gap(118, 122)))
    assert one.title == "5 events missing from the feed, 2 coups unverified, 200.00 staked"
    assert one.coup_ids == ("C5", "C6")
    assert one.lane is Lane.DEVICES


def test_gaps_that_lie_together_are_one_incident_and_others_have_their_own_coups() -> None:
    far = 130 + EVENTS_APART_MAX + 20
    dealt = [told_coup(n, is_unverified=n in (6, far // 20)) for n in range(1, 40)]
    near, other = incidents_of(told_table(dealt, gap(120, 121), gap(125, 125), gap(far, far)))
    assert near.title == (
        "3 events missing from the feed in 2 places, 1 coup unverified, 100.00 staked"
    )
    assert other.coup_ids == (f"C{far // 20}",)


def test_events_that_cannot_be_used_are_told_by_their_type() -> None:
    found = [
        told_finding(
            Code.EVENT_REJECTED,
            at=at,
            severity=Severity.NOTICE,
            facts=EventUnusable(
                sequence=at, event_type=event_type, problem="it is not known", then="kept_unused"
            ),
        )
        for at, event_type in ((10, "wager_settled"), (30, "wager_settled"), (20, "shoe_ended"))
    ]
    assert titles(told_table([], *found)) == [
        "Content that cannot be used: wager_settled, 2 times at BAC-03",
        "Content that cannot be used: shoe_ended at BAC-03",
    ]


def fault(number: int, raised: int, dealt: int, device: str = "shuffler") -> ToldFinding:
    return told_finding(
        Code.DEVICE_FAULT_OPEN,
        at=dealt,
        facts=FaultOpen(
            fault_id=f"F{number}",
            device=device,
            fault="red light",
            raised_sequence=raised,
            coup_id="C4",
        ),
    )


def test_a_device_fault_is_told_with_the_coups_dealt_until_it_was_cleared() -> None:
    ended = {("feed-1", 78): ("feed-1", 361)}
    one = only(told_table(coups(30), fault(1, 78, 85), ended=ended))
    assert one.title == "shuffler fault (red light) open during 14 coups"
    assert (one.first_sequence, one.coup_ids[0], one.coup_ids[-1]) == (78, "C4", "C17")


def test_a_light_that_is_ignored_three_times_is_one_incident() -> None:
    ended = {("feed-1", 20 * n - 2): ("feed-1", 20 * n + 21) for n in (4, 5, 6)}
    found = [fault(n, 20 * n - 2, 20 * n + 5) for n in (4, 5, 6)]
    one = only(told_table(coups(30), *found, ended=ended))
    assert (one.title, len(one.finding_ids)) == (
        "shuffler fault (red light) open during 3 coups",
        3,
    )


def test_cards_that_a_faulty_reader_could_not_read_follow_from_the_fault() -> None:
    ended = {("feed-1", 78): ("feed-1", 361)}
    unread = [told_finding(Code.CARD_UNREADABLE, n, severity=Severity.NOTICE) for n in (5, 29)]
    found = incidents_of(
        told_table(coups(30), fault(1, 78, 85, "card_reader"), *unread, ended=ended)
    )
    assert [one.codes for one in found] == [
        ((Code.DEVICE_FAULT_OPEN, 1), (Code.CARD_UNREADABLE, 1)),
        ((Code.CARD_UNREADABLE, 1),),
    ]


# Rules.


def test_payouts_that_follow_from_a_wrong_paytable_are_one_incident_with_it() -> None:
    talons = told_wager("golden_talons", outcome_code="pair", vigorish_minor=None, stake_minor=500)
    dealt = [told_coup(n, told_wager(), talons) for n in range(1, 21)]
    shown = told_finding(
        Code.PAYTABLE_MISMATCH,
        at=25,
        wager="golden_talons",
        severity=Severity.CRITICAL,
        title="Golden Talons paytable B shown, A filed",
    )
    paid = [overpaid(n, 1000, wager="golden_talons") for n in (3, 9)]
    one, other = incidents_of(told_table(dealt, shown, *paid, overpaid(5)))
    assert one.title == (
        "Golden Talons paytable B shown, A filed; 20 coups, 100.00 staked, "
        "2 payouts differ by 20.00"
    )
    assert (one.staked_minor, one.difference_minor) == (10_000, 2_000)
    assert other.code is Code.WAGER_OVERPAID


def test_a_lapsed_section_is_one_incident_over_its_dates_with_its_own_stakes() -> None:
    talons = told_wager("golden_talons", stake_minor=500)
    dealt = [told_coup(1, told_wager(), talons), told_coup(2, told_wager())]
    found = told_finding(
        Code.RULE_LAPSED,
        at=25,
        severity=Severity.NOTICE,
        citation="58 Pa. Code § 627b.5",
        title="Golden Talons: printed term ended 2026-08-04",
    )
    assert titles(told_table(dealt, found)) == [
        "Golden Talons: printed term ended 2026-08-04; 1 gaming date, 1 coup, 5.00 staked"
    ]


def test_the_defects_of_one_filing_are_one_incident() -> None:
    found = [
        told_finding(Code.RULES_SUBMISSION_DEFECT, at=2, rules_version="RS-7", id=f"{n}")
        for n in range(5)
    ]
    assert titles(told_table([], *found)) == ["5 defects in RS-7 at BAC-03"]


# Coups.


def test_a_single_payout_is_told_with_table_seat_and_coup() -> None:
    one = only(told_table(coups(3), overpaid(1)))
    assert one.title == (
        "Banker overpaid 5.00 at BAC-03 seat 4, shoe S1, coup 1 — paid 200.00, due 195.00"
    )
    assert (one.staked_minor, one.wrongly_paid_minor, one.residual_minor) == (10_000, 500, 500)


def test_a_payout_put_right_on_the_spot_is_told_as_corrected() -> None:
    one = only(told_table(coups(3), corrected(overpaid(1))))
    assert one.status is FindingStatus.CORRECTED
    assert one.title.endswith("due 195.00; corrected")
    assert (one.corrected_minor, one.residual_minor, one.first_sequence) == (500, 0, 35)


def test_the_wrong_commission_on_37_banker_wins_is_one_line() -> None:
    lost = told_wager(outcome="lose", outcome_code="lose", paid_minor=0)
    player = told_wager("minibaccarat.player", "2")
    dealt = [told_coup(n, told_wager() if n % 2 else lost, player) for n in range(1, 2 * 37 + 1)]
    found = [overpaid(n) for n in range(1, 2 * 37 + 1, 2)]
    one = only(told_table(dealt, *found))
    assert one.title == "commission not taken on 37 Banker wins at BAC-03 seat 4, 185.00"
    assert (len(one.finding_ids), one.wrongly_paid_minor) == (37, 18_500)
    one = only(told_table(dealt, *(overpaid(n, 100) for n in range(1, 74, 2))))
    assert one.title == "wrong commission on 37 Banker wins at BAC-03 seat 4, 37.00"


def test_a_right_payment_of_the_same_wager_ends_the_incident() -> None:
    found = [overpaid(n) for n in (1, 2, 4, 5)]
    assert [one.coup_ids for one in incidents_of(told_table(coups(6), *found))] == [
        ("C1", "C2"),
        ("C4", "C5"),
    ]


def test_losses_and_other_outcomes_between_do_not_end_it() -> None:
    wagers = {
        2: told_wager(outcome="lose"),
        3: told_wager(outcome_code="other_win"),
        4: told_wager("minibaccarat.tie"),
    }
    dealt = [told_coup(n, wagers.get(n, told_wager())) for n in range(1, 6)]
    assert only(told_table(dealt, overpaid(1), overpaid(5))).coup_ids == ("C1", "C5")


def test_other_rules_are_another_incident() -> None:
    found = (overpaid(1), overpaid(2, rules_version="RS-8"))
    assert len(incidents_of(told_table(coups(2), *found))) == 2


def test_allison_losing_stakes_of_one_seat_left_alone_are_one_incident_whatever_the_wager() -> None:
    names = ("minibaccarat.player", "minibaccarat.banker")
    dealt = [
        told_coup(
            n,
            told_wager(names[n % 2], "2", "lose", paid_minor=0),
            told_wager(names[n % 2], "5", "lose", paid_minor=0),
        )
        for n in range(1, 11)
    ]
    found = [
        told_finding(Code.LOSER_NOT_COLLECTED, n, wager=names[n % 2], seat="2", difference=10_000)
        for n in range(3, 8)
    ]
    assert titles(told_table(dealt, *found)) == [
        "Losing stake left with the patron: 5 times at BAC-03 seat 2, 500.00"
    ]


def test_wrong_payouts_of_one_coup_on_several_wagers_are_one_incident() -> None:
    found = [
        told_finding(
            Code.WAGER_UNDERPAID, 5, wager=f"minibaccarat.{name}", seat=seat, difference=-10_000
        )
        for name, seat in (("player", "1"), ("banker", "2"), ("banker", "3"))
    ]
    assert titles(told_table(coups(9), *found)) == [
        "3 payouts underpaid at BAC-03, shoe S1, coup 5, 300.00"
    ]


def test_a_wrong_announcement_explains_the_payouts_of_its_coup_only() -> None:
    wrong = told_finding(Code.RESULT_MISANNOUNCED, 5)
    found = incidents_of(told_table(coups(9), wrong, overpaid(5), overpaid(7)))
    assert [(one.code, one.coup_ids) for one in found] == [
        (Code.RESULT_MISANNOUNCED, ("C5",)),
        (Code.WAGER_OVERPAID, ("C7",)),
    ]
    assert found[0].difference_minor == 500


def test_wrong_counts_alone_explain_no_payout() -> None:
    wrong = told_finding(Code.POINTS_MISANNOUNCED, 5, severity=Severity.NOTICE)
    assert len(incidents_of(told_table(coups(9), wrong, overpaid(5)))) == 2


def test_a_late_change_explains_the_payout_of_its_wager_only() -> None:
    late = told_finding(Code.WAGER_CHANGED_LATE, 5, wager="minibaccarat.banker", seat="4")
    other = overpaid(5, seat="6")
    found = {one.code: one for one in incidents_of(told_table(coups(9), late, overpaid(5), other))}
    one, two = found[Code.WAGER_CHANGED_LATE], found[Code.WAGER_OVERPAID]
    assert one.codes == ((Code.WAGER_CHANGED_LATE, 1), (Code.WAGER_OVERPAID, 1))
    assert one.title == (
        "Wager changed after no more bets: Banker at BAC-03 seat 4, shoe S1, coup 5 — paid 200.00, "
        "due 195.00"
    )
    assert two.codes == ((Code.WAGER_OVERPAID, 1),)


def test_a_correction_without_authoriser_belongs_to_the_payout_that_it_corrects() -> None:
    payout = corrected(overpaid(5))
    correction = told_finding(Code.CORRECTION_UNAUTHORISED, 5, at=payout.finding.evidence[-1])
    assert only(told_table(coups(9), payout, correction)).status is FindingStatus.STANDING
    other = told_finding(Code.CORRECTION_UNAUTHORISED, 5, at=119)
    assert len(incidents_of(told_table(coups(9), payout, other))) == 2


def test_where_nothing_tells_of_occasions_a_few_coups_may_lie_between() -> None:
    late = [
        told_finding(Code.WAGER_LATE, n, wager="minibaccarat.banker", seat="4")
        for n in (1, 1 + COUPS_APART_MAX, 2 + 2 * COUPS_APART_MAX)
    ]
    found = incidents_of(told_table(coups(30), *late))
    assert [len(one.finding_ids) for one in found] == [2, 1]
    assert found[0].title == ("Wager placed after no more bets: Banker, 2 times at BAC-03 seat 4")


def test_a_finding_whose_coup_is_not_in_the_range_is_an_incident_all_the_same() -> None:
    one = only(told_table([], overpaid(5)))
    assert one.title == "Banker overpaid 5.00 at BAC-03 seat 4 — paid 200.00, due 195.00"
    assert one.coup_ids == ()


# All of them.


def many() -> tuple[list[ToldCoup], list[ToldFinding]]:
    dealt, _ = shoes_of_84(2)
    dealt = [
        told_coup(n, told_wager(), shoe=(n - 1) // 84 + 1, is_unverified=n == 30)
        for n in range(1, 169)
    ]
    found = [
        short_shoe(1, out(411), missing("QD")),
        gap(600, 601),
        fault(1, 78, 85),
        *(overpaid(n) for n in (10, 11, 12, 40)),
        told_finding(Code.RESULT_MISANNOUNCED, 40),
        told_finding(Code.EVENT_REJECTED, at=700),
        *(told_finding(code, at=900 + 20 * n) for n, code in enumerate(Code)),
        *(told_finding(code, 100 + n % 60) for n, code in enumerate(Code)),
    ]
    return dealt, found


def test_every_finding_is_in_exactly_one_incident() -> None:
    dealt, found = many()
    grouped = [id_ for one in incidents_of(told_table(dealt, *found)) for id_ in one.finding_ids]
    assert sorted(grouped) == sorted(one.finding.id for one in found)


def test_the_order_in_which_findings_come_changes_nothing() -> None:
    dealt, found = many()
    expected = incidents_of(told_table(dealt, *found))
    for seed in range(5):
        random.Random(seed).shuffle(found)
        assert incidents_of(told_table(dealt, *found)) == expected


def test_an_incident_keeps_its_id_as_it_grows() -> None:
    one = only(told_table(coups(9), overpaid(1)))
    grown = only(told_table(coups(9), overpaid(1), overpaid(2), overpaid(3)))
    assert one.id == grown.id == overpaid(1).finding.id


def test_the_worst_severity_counts() -> None:
    wrong = told_finding(Code.POINTS_MISANNOUNCED, 5, severity=Severity.NOTICE)
    worse = told_finding(Code.THIRD_CARD_NOT_DRAWN, 5, severity=Severity.CRITICAL)
    assert only(told_table(coups(9), wrong, worse)).severity is Severity.CRITICAL


def test_an_incident_is_written_with_money_as_decimals() -> None:
    document = only(told_table(coups(3), overpaid(1), is_simulated=True)).as_json()
    assert document["schema"] == "ladderman.incident/1"
    assert (document["staked"], document["difference"], document["currency"]) == (
        "100.00",
        "5.00",
        "USD",
    )
    assert document["first_occurred_at"] == "1970-01-01T00:01:00.000000Z"
    assert document["codes"] == {"WAGER_OVERPAID": 1}
    assert (document["coup_count"], document["first_coup"]) == (1, "C1")
    assert document["simulated"] is True


def test_an_incident_keeps_its_id_when_its_first_finding_is_corrected_days_later() -> None:
    first, second = overpaid(1), overpaid(2)
    later = replace(corrected(first), occurred_at_us=first.occurred_at_us + 10**12)
    before, after = (only(told_table(coups(9), one, second)) for one in (first, later))
    assert (before.id, before.first_occurred_at_us) == (after.id, after.first_occurred_at_us)
