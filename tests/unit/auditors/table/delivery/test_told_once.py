"""What is said twice at a table counts once: stakes, sections, events of a new feed."""

from __future__ import annotations

import datetime

from schemas import events as said
from schemas.wire import FeedPosition
from tests.support.tables.table_script import Folded, TableScript, a_submission


def a_coup(script: TableScript, wager: str, stake_minor: int) -> str:
    script.shoe().coup()
    wager_id = script.wager(wager, stake_minor)
    script.close_bets().deal("9S KD", "2S 3H")
    script.of_coup(said.CountsAnnounced, player_points=9, banker_points=5)
    script.result("player", 9, 5)
    return wager_id


def test_a_losing_stake_that_was_paid_as_a_winner_is_handed_over_once() -> None:
    script = TableScript().open()
    wager_id = a_coup(script, "banker", 10_000)
    script.settle(wager_id, 20_000, stake_collected_minor=0).close()
    (finding,) = Folded(script.messages).findings
    assert finding.code.value == "LOSER_PAID"
    assert finding.difference_minor == 20_000


def test_a_losing_stake_that_was_left_counts_as_handed_over() -> None:
    script = TableScript().open()
    wager_id = a_coup(script, "banker", 10_000)
    script.settle(wager_id, 0, stake_collected_minor=0).close()
    (finding,) = Folded(script.messages).findings
    assert finding.code.value == "LOSER_NOT_COLLECTED"
    assert finding.difference_minor == 10_000


def test_a_wager_that_a_faulty_draw_leaves_open_is_no_misreported_winner() -> None:
    script = TableScript().open().shoe().coup()
    wager_id = script.wager("banker", 10_000)
    script.close_bets().deal("2S 3H", "2D 4C")
    script.of_coup(
        said.ResultAnnounced,
        winner="banker",
        player_points=5,
        banker_points=6,
        winning_wagers=("banker",),
    )
    script.settle(wager_id, 19_500).close()
    assert Folded(script.messages).codes == ["THIRD_CARD_NOT_DRAWN"]


def test_a_pair_announced_on_a_faulty_draw_is_still_judged_by_the_first_four_cards() -> None:
    script = TableScript().open().shoe().coup()
    wager_id = script.wager("banker", 10_000)
    script.close_bets().deal("2S 3H", "2D 4C")
    script.of_coup(
        said.ResultAnnounced,
        winner="banker",
        player_points=5,
        banker_points=6,
        winning_wagers=("house.player_pair",),
    )
    script.settle(wager_id, 19_500).close()
    assert Folded(script.messages).codes == ["THIRD_CARD_NOT_DRAWN", "WINNING_WAGERS_MISREPORTED"]


def with_a_new_feed(script: TableScript) -> TableScript:
    before = script.position
    script.position = FeedPosition(before.source_id, "feed-2")
    return script.say(
        said.FeedStarted,
        source_kind="table",
        predecessor_feed_id=before.feed_id,
        predecessor_sequence=before.sequence - 1,
    )


def test_the_close_counts_the_events_of_a_feed_that_began_after_the_opening() -> None:
    script = with_a_new_feed(TableScript().open().shoe())
    script.say(said.Heartbeat).say(said.TableClosed, event_count=3, coup_count=0)
    assert Folded(script.messages).codes == []


def test_another_count_of_a_feed_that_began_after_the_opening_is_refused() -> None:
    script = with_a_new_feed(TableScript().open().shoe())
    script.say(said.Heartbeat).say(said.TableClosed, event_count=4, coup_count=0)
    assert Folded(script.messages).codes == ["EVENT_REJECTED"]


def lapsed_day() -> TableScript:
    script = TableScript()
    script.now = datetime.datetime(2026, 8, 5, 22, 0, tzinfo=datetime.UTC)
    return script.open()


def test_a_lapsed_section_is_found_once_a_day_whatever_is_filed_or_fed_anew() -> None:
    script = lapsed_day().shoe("S1").coup().close_bets().deal("9S KD", "2S 3H").close()
    script.say(said.RulesSubmissionChanged, submission=a_submission(version=2))
    script = with_a_new_feed(script).shoe("S2").coup().close_bets()
    assert Folded(script.messages).codes == ["RULES_CHANGED_MID_SHOE", "RULE_LAPSED"]


def test_a_section_that_is_filed_later_in_the_day_is_looked_at_too() -> None:
    wagers = [{"id": "minibaccarat.player"}, {"id": "minibaccarat.banker"}]
    first = a_submission(wagers=wagers)
    script = TableScript()
    script.now = datetime.datetime(2026, 8, 5, 22, 0, tzinfo=datetime.UTC)
    script.open(first).shoe("S1").coup().close_bets().deal("9S KD", "2S 3H").close()
    script.say(said.ShoeEnded, shoe_id="S1", reason="other", coup_count=1)
    script.say(said.RulesSubmissionChanged, submission=a_submission(version=2))
    script.shoe("S2").coup().close_bets()
    assert Folded(script.messages).codes == ["RULE_LAPSED"]


def a_marked_win(script: TableScript, seat: str, stake_minor: int) -> None:
    script.coup()
    wager_id = script.wager("banker", stake_minor, seat)
    script.close_bets().deal("2S 3H KC", "9D KD")
    script.result("banker", 5, 9)
    script.settle(wager_id, 2 * stake_minor, vigorish_marked_minor=stake_minor // 20).close()


def with_marked_vigorish() -> TableScript:
    commission = {"form": "standard", "rate": "5%", "timing": "marked"}
    return TableScript().open(a_submission(commission=commission)).shoe()


def test_a_new_patron_who_pays_the_marks_of_today_does_not_pay_an_old_debt() -> None:
    script = with_marked_vigorish()
    a_marked_win(script, "4", 400_00)
    script.say(said.SeatVacated, seat="4", shoe_id="S1")
    a_marked_win(script, "4", 20_00)
    script.say(
        said.VigorishCollected, collection_id="V1", shoe_id="S1", seat="4", collected_minor=1_00
    )
    script.say(said.ShoeEnded, shoe_id="S1", reason="other", coup_count=2)
    findings = [
        one for one in Folded(script.messages).findings if one.code == "VIGORISH_OUTSTANDING"
    ]
    assert [(one.difference_minor, one.residual_minor) for one in findings] == [(-2000, -2000)]


def test_what_is_collected_beyond_the_marks_of_today_pays_the_old_debt() -> None:
    script = with_marked_vigorish()
    a_marked_win(script, "4", 400_00)
    script.say(said.SeatVacated, seat="4", shoe_id="S1")
    a_marked_win(script, "4", 20_00)
    script.say(
        said.VigorishCollected, collection_id="V1", shoe_id="S1", seat="4", collected_minor=21_00
    )
    script.say(said.ShoeEnded, shoe_id="S1", reason="other", coup_count=2)
    findings = [
        one for one in Folded(script.messages).findings if one.code == "VIGORISH_OUTSTANDING"
    ]
    assert [(one.difference_minor, one.residual_minor) for one in findings] == [(-2000, 0)]
