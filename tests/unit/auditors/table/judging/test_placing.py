"""Wagers: in time, on offer, within the filed limits, with a base wager where one is needed."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.findings import FindingCode
from tests.support.tables.played import PLAYER_WINS, a_table, dealt, found
from tests.support.tables.table_script import Folded, TableScript, a_submission, all_but, with_wager

STAKE = 10_000


def played_out(script: TableScript, paid: dict[str, int]) -> TableScript:
    script.deal(*PLAYER_WINS).result("player", 9, 5)
    for wager_id, minor in paid.items():
        script.settle(wager_id, minor)
    return script.close()


def test_a_wager_after_no_more_bets_is_late_at_once_and_settled_like_others() -> None:
    script = a_table().close_bets()
    wager_id = script.wager("player", STAKE, seat="3")
    at = script.sequence
    folded = Folded(played_out(script, {wager_id: 20_000}).messages)
    assert folded.said_at(at) == ["WAGER_LATE"]
    finding = folded.finding
    assert finding.code is FindingCode.WAGER_LATE
    assert finding.sentence == (
        "Seat 3, Player: recorded 1.0 s after no more bets; the filed grace is 0.0 s."
    )
    assert (finding.wager, finding.seat, finding.evidence) == (
        "minibaccarat.player",
        "3",
        (at - 1, at),
    )


def test_the_filed_grace_counts_to_its_last_microsecond() -> None:
    def placed(after_s: float) -> list[str]:
        script = a_table(a_submission(late_wager_grace_ms=1_500)).close_bets()
        script.of_coup(
            said.WagerPlaced, after_s, wager_id="W1", seat="1", wager="player", stake_minor=STAKE
        )
        return found(played_out(script, {"W1": 20_000}))

    assert placed(1.5) == []
    assert placed(1.500001) == ["WAGER_LATE"]


@pytest.mark.parametrize(
    ("grace_ms", "after_s", "words"),
    [
        (0, 1.25, "1.2 s after no more bets; the filed grace is 0.0 s."),
        (0, 0.04, "0.04 s after no more bets; the filed grace is 0.0 s."),
        (500, 0.501, "0.501 s after no more bets; the filed grace is 0.5 s."),
        (1_550, 1.600_001, "1.6 s after no more bets; the filed grace is 1.550 s."),
        (500, 0.500_001, "0.500001 s after no more bets; the filed grace is 0.5 s."),
    ],
)
def test_the_sentence_shows_that_the_wager_came_beyond_the_grace(
    grace_ms: int, after_s: float, words: str
) -> None:
    script = a_table(a_submission(late_wager_grace_ms=grace_ms)).close_bets()
    script.wager("player", STAKE, after_s=after_s)
    assert Folded(script.messages).finding.sentence.endswith(words)


def test_without_grace_a_wager_at_the_very_moment_after_the_call_is_late() -> None:
    script = a_table().close_bets()
    script.of_coup(said.WagerPlaced, 0.0, wager_id="W1", seat="1", wager="player", stake_minor=100)
    assert found(played_out(script, {"W1": 200})) == ["WAGER_LATE"]


def test_where_events_were_lost_a_wager_of_a_time_before_the_call_is_not_late() -> None:
    """It is told by a feed of which the beginning is missing, after the other had its turn."""
    script = a_table()
    wager_id = script.wager("player", STAKE, seat="3")
    at = script.sequence
    played_out(script.close_bets(), {wager_id: 20_000})
    raws = script.say(said.Heartbeat, 25).messages
    for stray in (at - 1, -1):
        raws[stray] = raws[stray].replace(b'"feed-1"', b'"feed-9"')
    told = {one.code for one in Folded(raws).findings}
    assert FindingCode.SEQUENCE_GAP in told
    assert FindingCode.WAGER_LATE not in told


def test_a_second_call_does_not_put_the_first_one_off() -> None:
    script = a_table().close_bets()
    wager_id = script.wager("player", STAKE)
    script.close_bets()
    assert found(played_out(script, {wager_id: 20_000})) == ["WAGER_LATE"]


def test_lateness_is_not_judged_where_the_call_is_not_reported() -> None:
    script = a_table(reports=all_but(said.Capability.NO_MORE_BETS)).close_bets()
    wager_id = script.wager("player", STAKE)
    assert found(played_out(script, {wager_id: 20_000})) == []


def test_a_wager_after_the_first_card_is_late_where_no_more_bets_was_not_called() -> None:
    """The call comes before any card leaves the shoe, so that it can have been no later."""
    script = a_table()
    early = script.wager("player", STAKE, seat="2")
    script.card("player", 1, "9S")
    at = script.sequence
    late = script.wager("player", STAKE, seat="3")
    script.close_bets().card("banker", 1, "2S").card("player", 2, "KD").card("banker", 2, "3H")
    later = script.result("player", 9, 5).wager("player", STAKE, seat="4")
    for wager_id in (early, late, later):
        script.settle(wager_id, 20_000)
    folded = Folded(script.close().messages)
    assert folded.said_at(at + 1) == ["WAGER_LATE"]
    first, second = folded.findings
    assert (first.seat, first.evidence) == ("3", (at, at + 1))
    assert first.sentence == (
        "Seat 3, Player: recorded after the first card; no more bets, which comes before it, "
        "had not been called."
    )
    assert second.sentence.startswith("Seat 4, Player: recorded 5.0 s after no more bets;")


@pytest.mark.parametrize("calls", [True, False])
def test_a_winner_added_after_the_result_is_late_whether_it_was_called_or_not(calls: bool) -> None:
    script = a_table()
    if calls:
        script.close_bets()
    wager_id = script.deal(*PLAYER_WINS).result("player", 9, 5).wager("player", STAKE)
    assert found(script.settle(wager_id, 20_000).close()) == ["WAGER_LATE"]


def test_under_a_filed_grace_the_result_stands_for_a_call_that_did_not_come() -> None:
    script = a_table(a_submission(late_wager_grace_ms=1_500))
    early = script.card("player", 1, "9S").wager("player", STAKE, seat="2")
    script.card("banker", 1, "2S").card("player", 2, "KD").card("banker", 2, "3H")
    late = script.result("player", 9, 5).wager("player", STAKE, seat="3", after_s=1.6)
    folded = Folded(script.settle(early, 20_000).settle(late, 20_000).close().messages)
    assert (folded.finding.code, folded.finding.seat) == (FindingCode.WAGER_LATE, "3")


def test_a_stake_raised_after_the_first_card_without_a_call_has_no_effect() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.card("player", 1, "9S").of_coup(said.WagerChanged, wager_id=wager_id, stake_minor=50_000)
    script.card("banker", 1, "2S").card("player", 2, "KD").card("banker", 2, "3H")
    script.result("player", 9, 5).settle(wager_id, 100_000).close()
    folded = Folded(script.messages)
    assert folded.codes == ["WAGER_CHANGED_LATE", "WAGER_OVERPAID"]
    changed = next(one for one in folded.findings if one.code is FindingCode.WAGER_CHANGED_LATE)
    assert (
        "changed or withdrawn after the first card; what is due does not change."
        in changed.sentence
    )


def test_a_card_drawn_in_error_that_begins_the_next_coup_ends_no_betting() -> None:
    script = a_table().close_bets().deal("4S 2H 5C", "4D 3C")
    script.of_coup(
        said.CardDrawnInError, error_id="E1", hand="player", position=3, disposition="next_coup"
    )
    script.result("banker", 6, 7).close().coup().card("player", 1, "5C", error_id="E1")
    wager_id = script.wager("banker", STAKE)
    script.close_bets().card("banker", 1, "9H").card("player", 2, "2D").card("banker", 2, "KC")
    assert found(script.result("banker", 7, 9).settle(wager_id, 19_500).close()) == []


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (said.WagerChanged, {"stake_minor": 2 * STAKE}),
        (said.WagerChanged, {"wager": "banker"}),
        (said.WagerWithdrawn, {}),
    ],
)
def test_a_change_after_no_more_bets_is_found_and_has_no_effect(
    kind: type, fields: dict[str, object]
) -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().of_coup(kind, wager_id=wager_id, **fields)
    at = script.sequence
    folded = Folded(played_out(script, {wager_id: 20_000}).messages)
    assert folded.said_at(at) == ["WAGER_CHANGED_LATE"]
    assert folded.finding.sentence == (
        "Seat 1, Player: changed or withdrawn after no more bets; what is due does not change."
    )
    assert folded.finding.evidence == (at - 1, at)


def test_many_late_changes_of_a_wager_are_one_finding() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets()
    for stake in (2, 3, 4):
        script.of_coup(said.WagerChanged, wager_id=wager_id, stake_minor=stake * STAKE)
    finding = Folded(played_out(script, {wager_id: 20_000}).messages).finding
    assert "changed or withdrawn 3 times after no more bets" in finding.sentence


def test_a_change_before_the_call_takes_effect() -> None:
    script = a_table()
    wager_id = script.wager("banker", STAKE)
    script.of_coup(said.WagerChanged, wager_id=wager_id, stake_minor=2 * STAKE)
    script.of_coup(said.WagerChanged, wager_id=wager_id, wager="player")
    script.close_bets()
    assert found(played_out(script, {wager_id: 40_000})) == []


def test_a_wager_taken_back_before_the_call_is_not_settled() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.of_coup(said.WagerWithdrawn, wager_id=wager_id).close_bets()
    assert found(played_out(script, {})) == []


def test_a_change_of_a_wager_that_was_never_placed_is_rejected() -> None:
    script = a_table().close_bets().of_coup(said.WagerChanged, wager_id="W9", stake_minor=1)
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.EVENT_REJECTED
    assert finding.sentence == (
        "Event 5, wager_changed: wager W9 of coup S1/1 is not known; it was kept but not used."
    )


def test_a_wager_id_used_twice_in_a_coup_is_rejected() -> None:
    script = a_table()
    script.wager("player", STAKE, wager_id="W1")
    script.wager("banker", STAKE, wager_id="W1")
    script.close_bets()
    assert found(played_out(script, {"W1": 20_000})) == ["EVENT_REJECTED"]


def test_a_wager_id_used_again_in_another_coup_is_told_apart() -> None:
    script = a_table()
    script.wager("player", STAKE, wager_id="1")
    played_out(script.close_bets(), {"1": 20_100}).coup()
    script.wager("player", STAKE, wager_id="1")
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5)
    script.settle("1", 20_100, settlement_id="T2").close()
    findings = Folded(script.messages).findings
    assert [one.code.value for one in findings] == ["WAGER_OVERPAID"] * 2
    assert len({one.id for one in findings}) == 2


@pytest.mark.parametrize("wager", ["house.dragon_7", "no_such_wager", "golden_talons", "sun_7"])
def test_a_wager_that_is_not_filed_is_found_when_it_is_placed(wager: str) -> None:
    script = a_table()
    script.wager("player", STAKE)
    script.wager(wager, 500)
    at = script.sequence
    script.close_bets()
    folded = Folded(played_out(script, {"W1": 20_000, "W2": 0}).messages)
    assert folded.said_at(at) == ["WAGER_NOT_OFFERED"]
    assert folded.codes == ["WAGER_NOT_OFFERED"]


def test_a_wager_that_is_not_filed_is_found_without_its_stake() -> None:
    script = a_table(reports=all_but(said.Capability.STAKES))
    script.wager("house.dragon_7", None)
    assert found(script) == ["WAGER_NOT_OFFERED"]


def test_a_wager_that_is_not_filed_and_taken_back_in_time_is_none() -> None:
    script = a_table()
    wager_id = script.wager("house.dragon_7", 500)
    script.of_coup(said.WagerWithdrawn, wager_id=wager_id)
    folded = Folded(script.messages)
    assert folded.codes == []
    assert folded.absorbed[-1].records[-1].findings == ()


LIMITED = with_wager("minibaccarat.player", minimum="25.00", maximum="100.00")


@pytest.mark.parametrize(
    ("stake", "expected"),
    [
        (2_499, ["WAGER_OUT_OF_LIMITS"]),
        (2_500, []),
        (10_000, []),
        (10_001, ["WAGER_OUT_OF_LIMITS"]),
    ],
)
def test_both_filed_limits_are_permitted_stakes(stake: int, expected: list[str]) -> None:
    script = a_table(LIMITED)
    wager_id = script.wager("player", stake)
    script.close_bets()
    assert found(played_out(script, {wager_id: 2 * stake})) == expected


def test_a_stake_out_of_limits_names_the_limit_and_the_reading() -> None:
    script = a_table(LIMITED)
    script.wager("player", 20_000)
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.WAGER_OUT_OF_LIMITS
    assert finding.sentence == (
        "Seat 1, Player: 200.00 was staked, above the filed maximum of 100.00 (Rules Submission"
        " RS-7)."
    )
    assert finding.interpretations == {"D31": "settle_in_full"}


def test_a_stake_lowered_into_the_limits_in_time_is_none() -> None:
    script = a_table(LIMITED)
    wager_id = script.wager("player", 20_000)
    script.of_coup(said.WagerChanged, wager_id=wager_id, stake_minor=10_000).close_bets()
    assert found(played_out(script, {wager_id: 20_000})) == []


def test_a_stake_beyond_any_table_is_rejected() -> None:
    script = a_table()
    script.wager("player", 10**12 + 1)
    assert found(script) == ["EVENT_REJECTED"]


TALONS = "golden_talons@player"


def with_talons(*others: tuple[str, str, str | None]) -> TableScript:
    """Golden Talons at seat 1 by patron P1, and other wagers: name, seat and patron."""
    script = a_table()
    script.wager(TALONS, 500, seat="1", patron="P1")
    for name, seat, patron in others:
        script.wager(name, STAKE, seat=seat, patron=patron)
    return script


def test_a_wager_without_its_base_is_found_at_no_more_bets() -> None:
    script = with_talons().close_bets()
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["WAGER_WITHOUT_BASE"]
    finding = folded.finding
    assert (finding.wager, finding.hand, finding.seat) == ("golden_talons", "player", "1")
    assert finding.citation == "58 Pa. Code § 627b.5(a), (b)"
    assert finding.interpretations == {"D36": "tie_counts"}


@pytest.mark.parametrize("base", ["player", "banker", "tie"])
def test_any_main_wager_of_the_patron_is_a_base(base: str) -> None:
    assert found(with_talons((base, "1", "P1")).close_bets()) == []


def test_a_base_of_the_patron_at_another_seat_counts() -> None:
    assert found(with_talons(("player", "2", "P1")).close_bets()) == []


def test_a_base_of_another_patron_at_the_same_seat_does_not_count() -> None:
    assert found(with_talons(("player", "1", "P2")).close_bets()) == ["WAGER_WITHOUT_BASE"]


def test_without_patrons_the_seat_decides() -> None:
    def placed(seat: str) -> list[str]:
        script = a_table(reports=all_but(said.Capability.PATRONS))
        script.wager(TALONS, 500, seat="1")
        script.wager("player", STAKE, seat=seat)
        return found(script.close_bets())

    assert placed("1") == []
    assert placed("2") == ["WAGER_WITHOUT_BASE"]


def test_where_one_of_two_wagers_names_no_patron_the_seat_decides() -> None:
    assert found(with_talons(("player", "1", None)).close_bets()) == []
    assert found(with_talons(("player", "2", None)).close_bets()) == ["WAGER_WITHOUT_BASE"]
    script = a_table()
    script.wager(TALONS, 500, seat="1")
    script.wager("player", STAKE, seat="1", patron="P1")
    assert found(script.close_bets()) == []


def test_a_base_taken_back_in_time_is_none() -> None:
    script = with_talons(("player", "1", "P1"))
    script.of_coup(said.WagerWithdrawn, wager_id="W2").close_bets()
    assert found(script) == ["WAGER_WITHOUT_BASE"]


def test_a_base_taken_back_too_late_still_stands() -> None:
    script = with_talons(("player", "1", "P1")).close_bets()
    assert found(script.of_coup(said.WagerWithdrawn, wager_id="W2")) == ["WAGER_CHANGED_LATE"]


def test_a_base_placed_too_late_is_none() -> None:
    script = with_talons().close_bets()
    script.wager("player", STAKE, patron="P1")
    assert found(script) == ["WAGER_LATE", "WAGER_WITHOUT_BASE"]


def test_under_d36_a_tie_alone_may_be_no_base() -> None:
    script = a_table(a_submission(readings={"D36": "player_or_banker_only"}))
    script.wager(TALONS, 500)
    script.wager("tie", STAKE)
    finding = Folded(script.close_bets().messages).finding
    assert finding.code is FindingCode.WAGER_WITHOUT_BASE
    assert finding.interpretations == {"D36": "player_or_banker_only"}


def phoenix(**readings: str) -> TableScript:
    wagers = [{"id": f"rising_phoenix.{code}"} for code in ("player", "banker", "tie", "sun_7")]
    submission = a_submission(game="rising_phoenix", wagers=wagers, readings=readings)
    script = a_table(submission)
    script.wager("sun_7", 500)
    return script.close_bets()


def test_under_d35_rising_phoenix_needs_no_base_unless_it_is_filed_so() -> None:
    assert found(phoenix()) == []
    finding = Folded(phoenix(D35="base_required").messages).finding
    assert finding.code is FindingCode.WAGER_WITHOUT_BASE
    assert finding.interpretations == {"D35": "base_required", "D36": "tie_counts"}


def test_majestic_match_needs_no_base() -> None:
    names = ("baccarat.player", "baccarat.banker", "baccarat.tie", "majestic_match")
    script = a_table(a_submission(game="baccarat", wagers=[{"id": one} for one in names]))
    script.wager("majestic_match@player", 500)
    assert found(script.close_bets()) == []


def test_without_the_call_base_wagers_are_judged_at_the_end() -> None:
    script = a_table(reports=all_but(said.Capability.NO_MORE_BETS))
    script.wager(TALONS, 500)
    script.deal(*PLAYER_WINS).result("player", 9, 5).settle("W1", 1_000)
    assert found(script) == []
    assert found(script.close()) == ["WAGER_WITHOUT_BASE"]


def test_wagers_are_not_judged_where_they_are_not_reported() -> None:
    script = a_table(reports=all_but(said.Capability.WAGERS))
    script.wager("no_such_wager", 500)
    dealt(script)
    assert found(script.close()) == ["WAGER_NOT_SETTLED"]
