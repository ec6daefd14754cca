"""Every code of the catalogue that is about a table has a feed that brings it, and it alone."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import orjson
import pytest

from auditors.catalogue import Lane, load_catalogue
from schemas import events as said
from schemas.findings import FindingCode as Code
from schemas.findings import FindingStatus, Severity
from schemas.wire import FeedPosition
from tests.support.tables.played import BANKER_WINS, PLAYER_WINS, a_table, dealt
from tests.support.tables.table_script import Folded, TableScript, a_submission, with_wager

STAKE = 10_000
PROGRESSIVE = {code for code, one in load_catalogue().items() if one.lane is Lane.PROGRESSIVE}
"""What the ledger of a progressive finds, and not the fold of a table."""

Feed = Callable[[], list[bytes]]


def settled(
    wager: str, paid: int, hands: tuple[str, str] = PLAYER_WINS, **fields: object
) -> TableScript:
    """One wager of 100.00 and its payment, coup closed."""
    script = a_table()
    wager_id = script.wager(wager, STAKE)
    return dealt(script, hands).settle(wager_id, paid, **fields).close()


def beats(script: TableScript, count: int = 70) -> TableScript:
    for _ in range(count):
        script.say(said.Heartbeat, 0.1)
    return script


def gap() -> list[bytes]:
    messages = beats(TableScript().open()).messages
    return [*messages[:5], *messages[6:]]


def conflict() -> list[bytes]:
    messages = beats(TableScript().open(), 3).messages
    other = orjson.loads(messages[3]) | {"clock_offset_us": 7}
    return [*messages, orjson.dumps(other)]


def broken_chain() -> list[bytes]:
    script = TableScript().open()
    script.position = FeedPosition("BAC-01", "feed-1", script.position.sequence, "ab" * 32)
    return beats(script, 2).messages


def split() -> list[bytes]:
    script = beats(TableScript().open(), 2)
    old = list(script.messages)
    beats(script, 1)
    further = script.messages[-1]
    restarted = TableScript()
    restarted.messages, restarted.position = old, script.position
    restarted.now = script.now
    return [*restarted.restart(predecessor_sequence=script.sequence - 1).messages, further]


def rejected() -> list[bytes]:
    script = TableScript().open()
    bad = orjson.loads(beats(script, 1).messages[-1]) | {"type": "heartbeet"}
    return [*script.messages[:-1], orjson.dumps(bad)]


def fault_open() -> list[bytes]:
    script = TableScript().open().shoe()
    script.say(said.DeviceFaultRaised, fault_id="F1", device="shuffler", fault="red light")
    return script.honest_coup().messages


def late_change() -> list[bytes]:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().of_coup(said.WagerWithdrawn, wager_id=wager_id)
    script.deal(*PLAYER_WINS).result("player", 9, 5)
    return script.settle(wager_id, 2 * STAKE).close().messages


def late_wager() -> list[bytes]:
    script = a_table().close_bets()
    wager_id = script.wager("player", STAKE)
    script.deal(*PLAYER_WINS).result("player", 9, 5)
    return script.settle(wager_id, 2 * STAKE).close().messages


def excess() -> list[bytes]:
    script = TableScript().open().shoe()
    for _ in range(9):
        script.of_shoe(said.CardExposed, disposition="discarded", card="QD")
    return script.messages


def overrun() -> list[bytes]:
    script = TableScript().open().shoe().of_shoe(said.CoverCardDrawn)
    return script.honest_coup().honest_coup().messages


def foreign() -> list[bytes]:
    script = TableScript().open().shoe(backs=("red",)).coup().close_bets()
    script.card("player", 1, "9S", back="blue").card("banker", 1, "2S")
    return script.card("player", 2, "KD").card("banker", 2, "3H").close().messages


def removed() -> list[bytes]:
    script = TableScript().open().shoe()
    script.of_shoe(
        said.CardRemoved, removal_id="M1", taken_from="shoe", reason="damaged", card="7H"
    )
    return script.honest_coup().messages


def repeated() -> list[bytes]:
    script = TableScript().open().shoe()
    for _ in range(2):
        for suit in "CDH":
            script.coup().close_bets().deal(f"9{suit} K{suit}", f"2{suit} 3{suit}").close()
    return script.messages


def called(player: str, banker: str, winner: str, *points: int, **fields: object) -> list[bytes]:
    script = a_table().close_bets().deal(player, banker)
    return script.result(winner, *points, **fields).close().messages


def out_of_order() -> list[bytes]:
    script = a_table().close_bets().card("banker", 1, "2S").card("player", 1, "9S")
    script.card("player", 2, "KD").card("banker", 2, "3H")
    return script.result("player", 9, 5).close().messages


def unreadable() -> list[bytes]:
    return called("? KD", "2S 3H", "player", 9, 5)


def one_wager(name: str, minor: int, submission: object = None) -> list[bytes]:
    script = a_table(submission)  # type: ignore[arg-type]
    script.wager(name, minor)
    return script.close_bets().messages


def taken_twice() -> list[bytes]:
    return settled("banker", 0, stake_collected_minor=2 * STAKE).messages


def not_settled() -> list[bytes]:
    script = a_table()
    script.wager("player", STAKE)
    return dealt(script).close().messages


def too_early() -> list[bytes]:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).settle(wager_id, 2 * STAKE)
    return script.result("player", 9, 5).close().messages


def unauthorised() -> list[bytes]:
    script = settled("player", 2 * STAKE).correct("W1", 0, authorised_by=None)
    return script.messages


def outstanding() -> list[bytes]:
    marked = a_submission(commission={"form": "standard", "timing": "marked"})
    script = a_table(marked)
    wager_id = script.wager("banker", STAKE)
    dealt(script, BANKER_WINS).settle(wager_id, 20_000, vigorish_marked_minor=500).close()
    return script.end_shoe().messages


def kept_when_void() -> list[bytes]:
    script = a_table()
    script.wager("player", STAKE)
    return script.close_bets().void().close().messages


def on_date(year: int, month: int, day: int) -> list[bytes]:
    script = TableScript()
    script.now = datetime.datetime(year, month, day, 22, tzinfo=datetime.UTC)
    return script.open().shoe().honest_coup().messages


def shown_wrongly() -> list[bytes]:
    display = said.DisplayedPaytable(wager="golden_talons", shown_on="sign", paytable="A")
    return TableScript().open().say(said.PaytablesDisplayed, displays=(display,)).messages


def defect() -> list[bytes]:
    return TableScript().open(with_wager("golden_talons", paytable="Z")).messages


def changed_mid_shoe() -> list[bytes]:
    script = TableScript().open().shoe().honest_coup()
    return script.say(said.RulesSubmissionChanged, submission=a_submission(version=2)).messages


FEEDS: dict[Code, Feed] = {
    Code.SEQUENCE_GAP: gap,
    Code.SEQUENCE_CONFLICT: conflict,
    Code.CHAIN_BROKEN: broken_chain,
    Code.FEED_SPLIT: split,
    Code.CLOCK_REGRESSION: lambda: TableScript().open().say(said.Heartbeat, -5.0).messages,
    Code.EVENT_REJECTED: rejected,
    Code.DEVICE_FAULT_OPEN: fault_open,
    Code.TABLE_SILENT: lambda: TableScript().open().say(said.Heartbeat, 121.0).messages,
    Code.SHOE_COMPOSITION: excess,
    Code.SHOE_NOT_INSPECTED: lambda: (
        TableScript().open().shoe(inspection=None).honest_coup().messages
    ),
    Code.BURN_MISMATCH: lambda: (
        TableScript()
        .open()
        .shoe()
        .of_shoe(said.CardsBurned, exposed_card="7D", burned_count=6)
        .messages
    ),
    Code.COVER_CARD_OVERRUN: overrun,
    Code.CARD_FROM_OTHER_SHOE: foreign,
    Code.CARD_REMOVED: removed,
    Code.SHOE_ORDER_REPEATED: repeated,
    Code.DEAL_ORDER: out_of_order,
    Code.CARD_AFTER_NATURAL: lambda: called("9S KD 2H", "2S 3H", "banker", 1, 5),
    Code.THIRD_CARD_NOT_DRAWN: lambda: called("2S 3H", "7D KC", "banker", 5, 7),
    Code.THIRD_CARD_DRAWN_IN_ERROR: lambda: called("7D KC 2H", "6S KH", "player", 9, 6),
    Code.RESULT_MISANNOUNCED: lambda: called(*PLAYER_WINS, "banker", 9, 5),
    Code.POINTS_MISANNOUNCED: lambda: called(*PLAYER_WINS, "player", 9, 6),
    Code.WINNING_WAGERS_MISREPORTED: lambda: called(
        *PLAYER_WINS, "player", 9, 5, winning_wagers=("player", "tie", "golden_talons@player")
    ),
    Code.CARD_UNREADABLE: unreadable,
    Code.WAGER_LATE: late_wager,
    Code.WAGER_CHANGED_LATE: late_change,
    Code.WAGER_NOT_OFFERED: lambda: one_wager("house.dragon_7", 500),
    Code.WAGER_WITHOUT_BASE: lambda: one_wager("golden_talons@player", 500),
    Code.WAGER_OUT_OF_LIMITS: lambda: one_wager(
        "player", 6_000, with_wager("minibaccarat.player", maximum="50.00")
    ),
    Code.STAKE_TAKEN_TWICE: taken_twice,
    Code.WAGER_OVERPAID: lambda: settled("player", 20_001).messages,
    Code.WAGER_UNDERPAID: lambda: settled("player", 19_999).messages,
    Code.LOSER_PAID: lambda: settled("banker", 19_500).messages,
    Code.LOSER_NOT_COLLECTED: lambda: settled("banker", 0, stake_collected_minor=0).messages,
    Code.WAGER_NOT_SETTLED: not_settled,
    Code.SETTLED_OUT_OF_TURN: too_early,
    Code.SETTLED_TWICE: lambda: (
        settled("player", 20_000).settle("W1", 20_000, settlement_id="T2").messages
    ),
    Code.SETTLEMENT_CONFLICT: lambda: settled("player", 20_000).settle("W1", 1).messages,
    Code.CORRECTION_UNAUTHORISED: unauthorised,
    Code.VIGORISH_WRONG: lambda: (
        settled("banker", 19_500, BANKER_WINS, vigorish_taken_minor=400).messages
    ),
    Code.VIGORISH_OUTSTANDING: outstanding,
    Code.VOID_NOT_REFUNDED: kept_when_void,
    Code.RULE_LAPSED: lambda: on_date(2026, 8, 5),
    Code.RULE_NOT_YET_IN_FORCE: lambda: on_date(2023, 8, 4),
    Code.PAYTABLE_MISMATCH: shown_wrongly,
    Code.RULES_SUBMISSION_DEFECT: defect,
    Code.RULES_CHANGED_MID_SHOE: changed_mid_shoe,
}
"""Code to a feed that brings it."""


BY_AMOUNT = {
    Code.WAGER_OVERPAID: Severity.NOTICE,
    Code.WAGER_UNDERPAID: Severity.NOTICE,
    Code.VIGORISH_OUTSTANDING: Severity.HIGH,
}
"""Codes of which these feeds bring so little, or so much, that another severity follows."""


def test_there_is_a_feed_for_every_code_that_is_about_a_table() -> None:
    assert set(FEEDS) == set(Code) - PROGRESSIVE


@pytest.mark.parametrize("code", FEEDS, ids=str)
def test_a_feed_brings_its_finding_and_nothing_else(code: Code) -> None:
    folded = Folded(FEEDS[code]())
    finding = folded.finding
    assert finding.code is code
    assert finding.severity is BY_AMOUNT.get(code, load_catalogue()[code].severity)
    assert finding.status is FindingStatus.STANDING
    assert finding.source == "BAC-01"
    assert finding.feed in {"feed-1", "feed-2"}
    assert finding.sentence.endswith(".")
    assert finding.evidence == tuple(sorted(set(finding.evidence)))
    assert finding.evidence
    assert min(finding.evidence) >= 1
    assert finding.difference_minor == (
        None if finding.due_minor is None else (finding.paid_minor or 0) - finding.due_minor
    )


@pytest.mark.parametrize("code", FEEDS, ids=str)
def test_a_finding_stands_on_one_record_of_its_subject(code: Code) -> None:
    folded = Folded(FEEDS[code]())
    (record,) = [record for record in folded.records.values() if record.findings]
    about = {"coup": record.coup is not None, "shoe": record.shoe is not None}
    assert about.get(record.kind.value, True)
    if record.kind.value in {"feed", "table"}:
        assert record.subject.startswith(code.value + "/")
