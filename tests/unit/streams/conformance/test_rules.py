"""``feed.md``, demand by demand: what a table breaks is said with its place and how to mend it."""

import datetime
import json

import pytest

from schemas import events as said
from schemas.events import Capability as Can
from streams.conformance import Level
from tests.support.tables.conforming_day import (
    REPORTS,
    Breaking,
    Day,
    checked,
    errors,
    hints,
    only,
    place,
)
from tests.support.tables.table_script import a_submission

# What a feed can break: name, how the day goes, the rule, a part of the problem, of the advice.


def closed_without_settlement(day: Day) -> None:
    day.bet()
    day.cards().close()


def corrected(day: Day, **fields: object) -> None:
    change: dict[str, object] = {
        "correction_id": "C1",
        "settlement_id": "T-W1",
        "paid_change_minor": -500,
        "reason": "overpaid",
        "authorised_by": "P1",
    }
    day.play().of_coup(said.PayoutCorrected, **{**change, **fields})


def two_coups_at_once(day: Day) -> None:
    day.bet()
    day.deal("2S 3H", "AC 2D")
    day.play()


BREAKINGS: dict[str, tuple[Breaking, str, str, str]] = {
    "coup closed twice": (
        lambda day: day.play().close(),
        "coup",
        "coup S1/1 was closed before",
        "coup_closed last",
    ),
    "coup begun by its result": (
        lambda day: day.coup().result("tie"),
        "coup",
        "result_announced is the first event that names coup S1/1",
        "begin a coup with",
    ),
    "coup id used again": (
        lambda day: place(day.play()),
        "id",
        "coup S1/1 was closed before",
        "an id of its own",
    ),
    "coup not closed before the next is dealt": (
        two_coups_at_once,
        "coup",
        "coup S1/2 is dealt, and coup S1/1 (line ",
        "send coup_closed",
    ),
    "wager id used again": (
        lambda day: (day.play(), day.coup(), place(day, wager_id="W1")),
        "id",
        "wager W1 was used before",
        "never used again",
    ),
    "settlement id used again": (
        lambda day: (day.play(), day.play_with(settlement_id="T-W1")),
        "id",
        "settlement T-W1 was used before",
        "never used again",
    ),
    "unknown wager settled": (
        lambda day: (day.bet(), day.pay("W9")),
        "reference",
        "wager W9 is not known",
        "send that",
    ),
    "settled twice": (
        lambda day: (day.bet(), day.cards().pay("W1").pay("W1", settlement_id="T2")),
        "wager",
        "wager W1 was settled before, by T-W1",
        "payout_corrected",
    ),
    "withdrawn wager settled": (
        lambda day: (
            place(day.coup(), wager_id="W1"),
            day.of_coup(said.WagerWithdrawn, wager_id="W1").close_bets(),
            day.pay("W1"),
        ),
        "wager",
        "wager W1 was withdrawn",
        "leave out",
    ),
    "not settled": (
        closed_without_settlement,
        "wager",
        "wager W1 was not settled before",
        "losing ones too",
    ),
    "void without refund": (
        lambda day: (
            day.bet(),
            day.of_coup(said.CoupVoided, reason="misdeal", authorised_by="P1").close(),
        ),
        "wager",
        "wager W1 of voided coup S1/1 was not refunded",
        "send wager_refunded",
    ),
    "void without authoriser": (
        lambda day: (day.bet(), day.of_coup(said.CoupVoided, reason="misdeal")),
        "coup",
        "the void of coup S1/1 names no reason or no authoriser",
        "send both",
    ),
    "correction of an unknown settlement": (
        lambda day: corrected(day, settlement_id="T9"),
        "reference",
        "settlement T9 is not known",
        "by the id",
    ),
    "correction without reason": (
        lambda day: corrected(day, reason=None),
        "wager",
        "names no reason",
        "send both",
    ),
    "card dealt twice to a place": (
        lambda day: (day.bet(), day.deal("2S", ""), day.deal("2S", "")),
        "coup",
        "player card 1 of coup S1/1 was dealt before",
        "position is the place",
    ),
    "reading of a card that had been read": (
        lambda day: (
            day.bet(),
            day.deal("2S", ""),
            day.of_coup(said.CardRead, hand="player", position=1, card="3S"),
        ),
        "reference",
        "player card 1 of coup S1/1 is not one that could not be read",
        "reported without card",
    ),
    "disposition of a card that was not dealt": (
        lambda day: (
            day.bet(),
            day.of_coup(
                said.CardDrawnInError,
                error_id="E1",
                hand="banker",
                position=3,
                disposition="burned",
            ),
        ),
        "reference",
        "banker card 3 of coup S1/1 was not dealt",
        "give position only where",
    ),
    "card of an unknown error": (
        lambda day: (
            day.bet(),
            day.of_coup(said.CardDealt, hand="player", position=1, card="2S", error_id="E9"),
        ),
        "reference",
        "error E9 is not known",
        "send that event before",
    ),
    "counts announced twice": (
        lambda day: (
            day.bet(),
            day.cards(),
            day.of_coup(said.CountsAnnounced, player_points=5, banker_points=3),
        ),
        "coup",
        "counts_announced was sent before",
        "once a coup",
    ),
    "wager nobody knows": (
        lambda day: place(day.coup(), wager="bankr"),
        "name",
        "no wager 'bankr'",
        "did you mean banker?",
    ),
    "chosen hand left out": (
        lambda day: place(day.coup(), wager="golden_talons"),
        "name",
        "name the hand it is placed on",
        "name a wager",
    ),
    "shoe loaded over another": (
        lambda day: day.load("S2"),
        "shoe",
        "shoe S1 was not ended",
        "send shoe_ended",
    ),
    "shoe id used again": (
        lambda day: (
            day.say(said.ShoeEnded, shoe_id="S1", reason="other", coup_count=0),
            day.load("S1"),
        ),
        "id",
        "shoe S1 was used before",
        "never used again",
    ),
    "other shoe named": (
        lambda day: day.say(said.CoverCardDrawn, shoe_id="S9"),
        "shoe",
        "shoe S9 is named, and shoe S1 is in play",
        "name the shoe in play",
    ),
    "wrong count of coups in the shoe": (
        lambda day: day.say(said.ShoeEnded, shoe_id="S1", reason="other", coup_count=3),
        "shoe",
        "coup_count is 3, and 0 coups of the shoe came",
        "voided ones too",
    ),
    "dealt after the shoe ended": (
        lambda day: (
            day.say(said.ShoeEnded, shoe_id="S1", reason="other", coup_count=0),
            day.coup().of_coup(said.CardDealt, hand="player", position=1, card="2S"),
        ),
        "shoe",
        "shoe S1 is named, and no shoe is loaded",
        "send shoe_loaded before",
    ),
    "cover card within a coup that is over": (
        lambda day: day.play().say(said.CoverCardDrawn, shoe_id="S1", coup_id="S1/1"),
        "reference",
        "coup S1/1 is not in progress",
        "leave it out between coups",
    ),
    "replacement of nothing": (
        lambda day: day.say(said.CardReplaced, shoe_id="S1", removal_id="R9", card="2S"),
        "reference",
        "removal R9 is not known",
        "removal_id of the card_removed",
    ),
    "unknown fault cleared": (
        lambda day: day.say(said.DeviceFaultCleared, fault_id="F9"),
        "reference",
        "fault F9 is not raised",
        "name the fault_id",
    ),
    "unknown count corrected": (
        lambda day: day.say(
            said.InventoryCounted,
            count_id="I2",
            amount_minor=1,
            occasion="shift",
            corrects_count_id="I1",
            reason="slip",
            authorised_by="P1",
        ),
        "reference",
        "count I1 is not known",
        "name the count_id",
    ),
    "vigorish of a shoe that never was": (
        lambda day: day.say(
            said.VigorishCollected, collection_id="V1", shoe_id="S9", seat="4", collected_minor=5
        ),
        "reference",
        "shoe S9 was never loaded",
        "in which the vigorish",
    ),
    "opened while open": (
        lambda day: day.say(
            said.TableOpened,
            gaming_date=datetime.date(2025, 6, 7),
            submission=day.submission,
            reports=REPORTS,
        ),
        "table",
        "table_opened is sent while the table is open",
        "send table_closed",
    ),
    "wrong count of events": (
        lambda day: day.say(said.TableClosed, event_count=9, coup_count=0),
        "table",
        "event_count is 9, and 4 events came",
        "both included",
    ),
    "wrong count of coups": (
        lambda day: day.play().say(
            said.TableClosed, event_count=day.position.sequence - 1, coup_count=2
        ),
        "table",
        "coup_count is 2, and 1 coup came",
        "count every coup",
    ),
    "played after the close": (
        lambda day: (
            day.say(said.TableClosed, event_count=day.position.sequence - 1, coup_count=0),
            day.coup().close_bets(),
        ),
        "table",
        "no_more_bets is sent while the table is closed",
        "send table_opened before",
    ),
    "dealer who is not on leaves": (
        lambda day: day.say(said.DealerOff, dealer="D1"),
        "table",
        "dealer_off names D1, and nobody is on",
        "send dealer_on",
    ),
    "table speaks as a controller": (
        lambda day: day.say(
            said.ProgressiveWagerAccepted,
            progressive_id="P",
            table_id="BAC-01",
            wager_id="W1",
            stake_minor=100,
            in_count=1,
        ),
        "kind",
        "a table sends progressive_wager_accepted",
        "a source_id and feed of its own",
    ),
    "card without its promised suit": (
        lambda day: (day.bet(), day.deal("2", "")),
        "reports",
        "card 2 has no suit, and reports names suits",
        "leave suits out of reports",
    ),
    "card without its promised rank": (
        lambda day: (day.bet(), day.deal("0", "")),
        "reports",
        "card 0 has no rank, and reports names ranks",
        "leave ranks out of reports",
    ),
    "stake not sent": (
        lambda day: place(day.coup(), stake_minor=None),
        "reports",
        "wager_placed has no stake_minor",
        "leave stakes out of reports",
    ),
    "collection not sent": (
        lambda day: (day.bet(), day.cards(), day.pay("W1", stake_collected_minor=None)),
        "reports",
        "wager_settled has no stake_collected_minor",
        "send stake_collected_minor",
    ),
    "result not sent": (
        lambda day: (
            day.bet(),
            day.deal("2S 3H", "AC 2D"),
            day.of_coup(said.CountsAnnounced, player_points=5, banker_points=3),
            day.pay("W1").close(),
        ),
        "reports",
        "coup S1/1 was closed without result_announced",
        "leave announcements out",
    ),
    "seat settled though payments are promised": (
        lambda day: (
            day.bet(),
            day.of_coup(
                said.SeatSettled,
                settlement_id="T1",
                seat="4",
                paid_minor=0,
                stake_collected_minor=10_000,
            ),
        ),
        "reports",
        "seat_settled is sent, and reports names payments",
        "wager_settled for every",
    ),
    "idle without heartbeat": (
        lambda day: day.say(said.Heartbeat, 6.5),
        "heartbeat",
        "nothing was sent for 6.5 s",
        "after 5 seconds without an event",
    ),
    "silent": (
        lambda day: day.say(said.Heartbeat, 121),
        "heartbeat",
        "which is a finding",
        "heartbeat",
    ),
    "clock going back": (
        lambda day: day.say(said.Heartbeat, -1.5),
        "clock",
        "occurred_at is 1.5 s before",
        "keep the clock on UTC",
    ),
}


@pytest.mark.parametrize("name", BREAKINGS)
def test_what_a_feed_breaks_is_said_with_its_line_and_how_to_mend_it(name: str) -> None:
    breaking, rule, problem, advice = BREAKINGS[name]
    day = Day().begin().load()
    breaking(day)
    one = only(day.messages)
    assert one.rule == rule
    assert problem in one.problem
    assert advice in one.advice
    assert one.line == one.sequence
    assert (one.source, one.feed) == ("BAC-01", "feed-1")
    assert one.type == json.loads(day.messages[one.line - 1])["type"]


def test_a_wager_withdrawn_after_the_call_stands_and_is_settled() -> None:
    day = Day().begin().load()
    wager_id = day.bet()
    day.of_coup(said.WagerWithdrawn, wager_id=wager_id)
    day.cards().pay(wager_id).close().end()
    assert errors(day.messages) == []


def test_a_filing_with_a_defect_is_a_hint_wherever_it_is_sent() -> None:
    filed = a_submission()
    wagers = filed.wagers
    typo = wagers[0].model_copy(update={"id": "minibaccarat.playr"})
    defect = filed.model_copy(update={"id": "RS-9", "wagers": (typo, *wagers)})
    for messages in (
        Day().begin(submission=defect).load().messages,
        Day().begin().say(said.RulesSubmissionChanged, submission=defect).load().messages,
    ):
        assert errors(messages) == []
        (one,) = [one for one in checked(messages)[0] if one.rule == "submission"]
        assert one.level is Level.HINT
        assert "RS-9" in one.problem
        assert "No wager 'minibaccarat.playr'; did you mean minibaccarat.player?" in one.problem
        assert "ladderman submission check" in one.advice
    assert "submission" not in hints(Day().begin().load().messages)


def test_a_device_that_knows_heartbeats_may_pause_while_it_is_started_anew() -> None:
    day = Day().begin().load()
    day.say(said.Heartbeat, 5).say(said.Heartbeat, 24).say(said.Heartbeat, 30)
    assert errors(day.messages) == []
    (one,) = [one for one in checked(day.messages)[0] if one.rule == "heartbeat"]
    assert one.level is Level.HINT
    assert one.problem.startswith("nothing was sent for 24.0 s")
    assert errors(day.say(said.Heartbeat, 121).messages) == [("heartbeat", len(day.messages))]


def test_a_card_id_that_comes_again_in_a_shoe_is_a_hint_once_a_shoe() -> None:
    def dealt(*card_ids: str, **fields: object) -> Day:
        day = Day().begin((*REPORTS, Can.CARD_IDS)).load()
        day.bet()
        for number, card_id in enumerate(card_ids):
            hand, position = ("player", "banker")[number % 2], number // 2 + 1
            day.card(hand, position, "2S", card_id=card_id, **fields if number else {})
        return day

    (hint,) = [one for one in checked(dealt(*"abab").messages)[0] if one.rule == "id"]
    assert hint.level is Level.HINT
    assert hint.problem == "card id a was dealt before from the shoe"
    assert "leave card_ids out of reports" in hint.advice
    assert "id" not in hints(dealt("a", "a", error_id="E1").messages)
    day = dealt("a", "b")
    day.load("S2")
    assert "id" not in hints(day.card("player", 1, "2S", card_id="a").messages)
