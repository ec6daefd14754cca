"""What was filed for a table: dates, displays, defects, changes; and what the table can report."""

from __future__ import annotations

import datetime

import pytest

from auditors.table import checks_off, checks_on
from schemas import events as said
from schemas.findings import FindingCode, Severity
from schemas.records import RecordKind
from tests.support.tables.played import PLAYER_WINS, a_table, found
from tests.support.tables.table_script import (
    EVERYTHING,
    SEAT_TOTALS,
    Folded,
    TableScript,
    a_submission,
    all_but,
    with_wager,
)

UTC = datetime.UTC


def at(moment: datetime.datetime) -> TableScript:
    script = TableScript()
    script.now = moment
    return script


# --- dates


def golden_talons_on(moment: datetime.datetime, **fields: object) -> TableScript:
    return at(moment).open(a_submission(**fields)).shoe().honest_coup()


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (datetime.datetime(2023, 8, 4, 22, tzinfo=UTC), ["RULE_NOT_YET_IN_FORCE"]),
        (datetime.datetime(2023, 8, 5, 22, tzinfo=UTC), []),
        (datetime.datetime(2026, 8, 4, 22, tzinfo=UTC), []),
        (datetime.datetime(2026, 8, 5, 22, tzinfo=UTC), ["RULE_LAPSED"]),
    ],
)
def test_a_section_on_offer_outside_its_printed_dates_is_found(
    moment: datetime.datetime, expected: list[str]
) -> None:
    assert found(golden_talons_on(moment)) == expected


def test_a_lapsed_section_is_found_when_the_first_coup_of_the_day_begins() -> None:
    script = at(datetime.datetime(2026, 8, 5, 22, tzinfo=UTC)).open().shoe()
    assert found(script) == []
    folded = Folded(script.coup().close_bets().messages)
    assert folded.said_at(script.sequence) == ["RULE_LAPSED"]
    finding = folded.finding
    assert finding.severity is Severity.NOTICE
    assert finding.citation == "58 Pa. Code § 627b.5"
    assert finding.sentence == (
        "Golden Talons: the printed term ended 2026-08-04; no successor text is held here; "
        "confirm with the Board. Gaming date 2026-08-05."
    )
    assert finding.interpretations == {"D37": "inclusive"}
    ((key, record),) = ((k, r) for k, r in folded.records.items() if r.findings)
    assert key == ("BAC-01", "table", "RULE_LAPSED/golden_talons/2026-08-05")
    assert record.kind is RecordKind.TABLE


def test_a_lapsed_section_is_found_once_for_each_gaming_date() -> None:
    # 02:00 in New York is still the gaming date of the day before; 06:00 begins the next one.
    script = golden_talons_on(datetime.datetime(2026, 8, 5, 22, tzinfo=UTC))
    script.now = datetime.datetime(2026, 8, 6, 9, 59, 50, tzinfo=UTC)
    script.honest_coup()
    script.now = datetime.datetime(2026, 8, 6, 9, 59, 59, tzinfo=UTC)
    script.honest_coup().honest_coup()
    folded = Folded(script.messages)
    lapsed = [f for f in folded.findings if f.code is FindingCode.RULE_LAPSED]
    assert [one.sentence[-11:-1] for one in lapsed] == ["2026-08-05", "2026-08-06"]
    dates = [
        record.gaming_date for (_, kind, _), record in folded.records.items() if kind == "coup"
    ]
    assert dates == ["2026-08-05", "2026-08-05", "2026-08-06", "2026-08-06"]


def test_the_gaming_date_that_the_table_states_holds_until_the_next_filed_hour() -> None:
    # Opened at 05:30 for the day to come.
    script = at(datetime.datetime(2026, 8, 5, 9, 30, tzinfo=UTC))
    script.open(gaming_date=datetime.date(2026, 8, 5)).shoe().honest_coup()
    assert found(script) == ["RULE_LAPSED"]
    assert "Gaming date 2026-08-05." in Folded(script.messages).finding.sentence


def test_a_stated_gaming_date_days_away_from_the_clock_is_not_believed() -> None:
    script = at(datetime.datetime(2026, 8, 5, 22, tzinfo=UTC))
    script.open(gaming_date=datetime.date(2025, 6, 7)).shoe().honest_coup()
    assert "Gaming date 2026-08-05." in Folded(script.messages).finding.sentence


def test_a_registered_successor_silences_the_lapse() -> None:
    successor = {"section": "golden_talons", "authority": "56 Pa.B. 1", "from": "2026-08-05"}
    moment = datetime.datetime(2026, 8, 5, 22, tzinfo=UTC)
    assert found(golden_talons_on(moment, successors=[successor])) == []
    later = successor | {"from": "2026-08-06"}
    assert found(golden_talons_on(moment, successors=[later])) == ["RULE_LAPSED"]


def test_wagers_of_a_lapsed_section_are_settled_by_their_filed_paytable() -> None:
    script = at(datetime.datetime(2026, 8, 5, 22, tzinfo=UTC)).open().shoe().coup()
    main, side = script.wager("player", 10_000), script.wager("golden_talons@player", 500)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5)
    script.settle(main, 20_000).settle(side, 500).close()
    assert found(script) == ["RULE_LAPSED", "WAGER_UNDERPAID"]


def test_under_d37_the_printed_last_day_may_be_the_first_day_out() -> None:
    moment = datetime.datetime(2026, 8, 4, 22, tzinfo=UTC)
    assert found(golden_talons_on(moment, readings={"D37": "exclusive"})) == ["RULE_LAPSED"]


# --- displays


def shown(script: TableScript, *displays: dict[str, object]) -> TableScript:
    told = tuple(said.DisplayedPaytable(**({"shown_on": "layout"} | one)) for one in displays)
    return script.say(said.PaytablesDisplayed, displays=told)


RIGHT: tuple[dict[str, object], ...] = (
    {"wager": "golden_talons", "paytable": "B"},
    {"wager": "golden_talons@banker", "paytable": "B"},
    {"wager": "golden_talons", "odds": {"natural_win": "1 to 1"}},
    {"wager": "tie", "odds": {"tie": "8 to 1"}},
    {"wager": "house.player_pair"},
)


def test_displays_that_agree_with_the_filing_are_none() -> None:
    assert found(shown(TableScript().open(), *RIGHT)) == []


@pytest.mark.parametrize(
    ("display", "words"),
    [
        (
            {"wager": "golden_talons", "paytable": "C"},
            "The layout shows Golden Talons paytable C; paytable B was filed.",
        ),
        (
            {"wager": "house.player_pair", "paytable": "A"},
            "The layout shows Player pair paytable A; none was filed.",
        ),
        (
            {"wager": "golden_talons", "odds": {"natural_win": "2 to 1"}},
            "The layout shows Golden Talons natural_win at 2 to 1; 1 to 1 was filed.",
        ),
        (
            {"wager": "golden_talons", "odds": {"no_such_row": "2 to 1"}},
            "shows Golden Talons odds for no_such_row, which the filed paytable does not have.",
        ),
        ({"wager": "eclipse.sun_7"}, "shows Sun 7, which is not offered at this table (RS-7)."),
        ({"wager": "no_such_wager"}, "no_such_wager, which is not offered at this table (RS-7)."),
    ],
)
def test_a_display_that_differs_from_the_filing_is_found_at_once(
    display: dict[str, object], words: str
) -> None:
    script = shown(TableScript().open(), *RIGHT[-1:], display)
    folded = Folded(script.messages)
    finding = folded.finding
    assert finding.code is FindingCode.PAYTABLE_MISMATCH
    assert finding.severity is Severity.CRITICAL
    assert words in finding.sentence
    assert finding.evidence == (script.sequence,)


def test_two_wrong_displays_of_one_wager_are_one_finding_that_names_both() -> None:
    script = shown(
        TableScript().open(),
        {"wager": "golden_talons", "paytable": "A", "shown_on": "sign"},
        {"wager": "golden_talons", "paytable": "C", "shown_on": "system"},
    )
    assert Folded(script.messages).finding.sentence == (
        "The sign shows Golden Talons paytable A; paytable B was filed. The system shows Golden"
        " Talons paytable C; paytable B was filed."
    )


def test_a_sign_that_stays_when_the_filing_changes_is_found_at_the_next_coup() -> None:
    script = shown(TableScript().open(), *RIGHT).shoe().honest_coup().end_shoe()
    script.say(
        said.RulesSubmissionChanged,
        submission=with_wager("golden_talons", paytable="C"),
    ).shoe("S2")
    assert found(script) == []
    assert found(script.honest_coup()) == ["PAYTABLE_MISMATCH"]


def test_a_sign_that_changes_with_the_filing_in_either_order_is_none() -> None:
    changed = with_wager("golden_talons", paytable="C")
    script = shown(TableScript().open(), RIGHT[0]).shoe().honest_coup().end_shoe()
    script.say(said.RulesSubmissionChanged, submission=changed)
    shown(script, {"wager": "golden_talons", "paytable": "C"}).shoe("S2").honest_coup()
    assert found(script) == []


def test_displays_are_not_judged_where_they_are_not_reported() -> None:
    script = TableScript().open(reports=all_but(said.Capability.DISPLAYS))
    assert found(shown(script, {"wager": "golden_talons", "paytable": "C"})) == []


def test_displays_before_any_filing_are_rejected() -> None:
    script = TableScript().say(said.FeedStarted, source_kind="table")
    assert found(shown(script, RIGHT[0])) == ["EVENT_REJECTED"]


# --- the filing itself


def test_a_filing_that_contradicts_the_conditions_of_offering_is_found_once() -> None:
    wrong = a_submission(wagers=[{"id": "minibaccarat.player"}, {"id": "majestic_match"}])
    script = TableScript().open(wrong)
    folded = Folded(script.messages)
    assert set(folded.codes) == {"RULES_SUBMISSION_DEFECT"}
    count = len(folded.codes)
    again = Folded(script.open_again(wrong).messages)
    assert len(again.codes) == count
    assert again.absorbed[-1].records[0].kind is RecordKind.CHECKPOINT


def test_an_unknown_reading_is_a_defect_and_not_in_force() -> None:
    script = a_table(a_submission(readings={"D99": "x", "D27": "never"}))
    wager_id = script.wager("player", 10_000)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 20_000).close()
    assert set(found(script)) == {"RULES_SUBMISSION_DEFECT"}


def test_another_filing_within_a_shoe_is_found_and_holds_for_coups_that_begin_later() -> None:
    script = a_table()
    wager_id = script.wager("tie", 1_000)
    script.close_bets().say(
        said.RulesSubmissionChanged, submission=a_submission(version=2, tie_odds="9 to 1")
    )
    change = script.sequence
    script.deal("4S 5H", "9C KD").result("tie", 9, 9).settle(wager_id, 9_000).close()
    script.coup()
    wager_id = script.wager("tie", 1_000)
    script.close_bets().deal("4C 5C", "9D KC").result("tie", 9, 9).settle(wager_id, 10_000).close()
    folded = Folded(script.messages)
    finding = folded.finding
    assert finding.code is FindingCode.RULES_CHANGED_MID_SHOE
    assert finding.sentence == (
        "Rules Submission RS-7/2 replaced RS-7 within shoe S1, after coup 1; rules should change "
        "between shoes."
    )
    assert finding.evidence == (change,)
    assert folded.coup("S1/1").rules_version == "RS-7"
    assert folded.coup("S1/2").rules_version == "RS-7/2"


def test_another_filing_between_shoes_is_none() -> None:
    script = TableScript().open().shoe().honest_coup().end_shoe()
    script.say(said.RulesSubmissionChanged, submission=a_submission(version=2)).shoe("S2")
    assert found(script) == []


def test_the_same_filing_said_again_within_a_shoe_is_none() -> None:
    script = TableScript().open().shoe().honest_coup()
    assert found(script.say(said.RulesSubmissionChanged, submission=a_submission())) == []


def test_a_raised_severity_is_used() -> None:
    script = a_table(a_submission(severities={"WAGER_LATE": "critical"})).close_bets()
    script.wager("player", 10_000)
    assert Folded(script.messages).finding.severity is Severity.CRITICAL


def test_many_filings_among_open_coups_are_all_remembered() -> None:
    script = TableScript().open().shoe()
    for version in range(2, 40):
        script.coup()
        script.wager("player", 10_000, wager_id=f"{script.coup_id}/1")
        script.say(said.RulesSubmissionChanged, submission=a_submission(version=version))
    folded = Folded(script.messages)
    assert len(folded.state.filings) <= 17
    assert len(folded.state.coups) == 16


# --- devices and closing


def test_a_fault_open_while_a_coup_is_dealt_is_found_once() -> None:
    script = TableScript().open().shoe()
    script.say(said.DeviceFaultRaised, fault_id="F1", device="shuffler", fault="red light")
    script.coup().close_bets()
    assert found(script) == []
    script.card("player", 1, "9S")
    folded = Folded(script.messages)
    assert folded.said_at(script.sequence) == ["DEVICE_FAULT_OPEN"]
    assert folded.finding.sentence == (
        "Coup S1/1 was dealt while the shuffler had an open fault (red light; fault F1, raised at "
        "event 4)."
    )
    script.card("banker", 1, "2S").card("player", 2, "KD").card("banker", 2, "3H").close()
    script.honest_coup().say(said.DeviceFaultCleared, fault_id="F1").honest_coup()
    assert found(script) == ["DEVICE_FAULT_OPEN"]


def test_a_fault_cleared_before_the_next_deal_is_none() -> None:
    script = TableScript().open().shoe()
    script.say(said.DeviceFaultRaised, fault_id="F1", device="camera", fault="no picture")
    script.say(said.DeviceFaultCleared, fault_id="F1").honest_coup()
    assert found(script) == []


def test_faults_are_not_judged_where_they_are_not_reported() -> None:
    script = TableScript().open(reports=all_but(said.Capability.FAULTS)).shoe()
    script.say(said.DeviceFaultRaised, fault_id="F1", device="camera", fault="no picture")
    assert found(script.honest_coup()) == []


def test_a_fault_cleared_that_was_not_raised_is_rejected() -> None:
    script = TableScript().open().say(said.DeviceFaultCleared, fault_id="F1")
    assert found(script) == ["EVENT_REJECTED"]


@pytest.mark.parametrize(
    ("events", "coups", "words"),
    [
        (9, 1, "9 events stated, 10 came"),
        (10, 2, "2 coups stated, 1 came"),
        (1, 0, "1 events stated, 10 came; 0 coups stated, 1 came"),
    ],
)
def test_a_close_that_counts_otherwise_is_found(events: int, coups: int, words: str) -> None:
    script = TableScript().open().shoe().honest_coup()
    script.say(said.TableClosed, event_count=events, coup_count=coups)
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.EVENT_REJECTED
    assert words in finding.sentence


def test_a_close_that_counts_right_is_none() -> None:
    script = TableScript().open().shoe().honest_coup()
    script.say(said.TableClosed, event_count=script.sequence, coup_count=1)
    assert found(script) == []
    script.open_again().shoe("S2").honest_coup()
    script.say(said.TableClosed, event_count=10, coup_count=1)
    assert found(script) == []


def test_the_close_of_the_table_ends_its_coups() -> None:
    script = a_table()
    script.wager("player", 10_000)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5)
    script.say(said.TableClosed, event_count=script.sequence, coup_count=1)
    assert found(script) == ["WAGER_NOT_SETTLED"]


def test_a_close_of_a_table_that_was_not_open_is_rejected() -> None:
    script = TableScript().say(said.FeedStarted, source_kind="table")
    assert found(script.say(said.TableClosed, event_count=2, coup_count=0)) == ["EVENT_REJECTED"]


def test_a_simulated_opening_marks_its_records_until_the_close() -> None:
    script = TableScript().open(simulated=True).shoe().honest_coup()
    script.say(said.TableClosed, event_count=script.sequence, coup_count=1)
    script.open_again().shoe("S2").honest_coup()
    folded = Folded(script.messages)
    assert folded.coup("S1/1").is_simulated
    assert not folded.coup("S2/1").is_simulated


# --- what a table can report


def test_a_table_that_reports_everything_has_no_check_off() -> None:
    words = frozenset(EVERYTHING)
    assert checks_off(words) == ()
    assert len(checks_on(words)) == len(set(checks_on(words)))


@pytest.mark.parametrize("word", sorted(said.Capability))
def test_a_check_is_either_on_or_off_with_a_reason(word: str) -> None:
    reports = frozenset(EVERYTHING) - {said.Capability(word)}
    on, off = checks_on(reports), checks_off(reports)
    names = {check for check, _ in off}
    assert names.isdisjoint(on)
    assert names | set(on) == set(checks_on(frozenset(EVERYTHING)))
    assert all(reason for _, reason in off)


def test_payments_by_seat_are_compared_by_seat() -> None:
    on, off = checks_on(frozenset(SEAT_TOTALS)), dict(checks_off(frozenset(SEAT_TOTALS)))
    assert "seat_payments" in on
    assert off["payments"] == "payments are reported per seat; they are compared per seat"


def test_the_opening_is_put_out_with_the_checks_that_are_off() -> None:
    script = TableScript().open(reports=all_but(said.Capability.SUITS))
    record = Folded(script.messages).records["BAC-01", "checkpoint", "table_opened/feed-1/2"]
    assert record.checks_off == (("wagers_on_suits", "suits are not reported"),)


def by_seat(**paid: int) -> TableScript:
    """Seat 1 wins 200.00 in all, seat 2 loses its 50.00."""
    script = a_table(reports=SEAT_TOTALS)
    script.wager("player", 10_000, seat="1")
    script.wager("banker", 2_000, seat="1")
    script.wager("banker", 5_000, seat="2")
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5)
    for seat, minor in paid.items():
        number = seat.removeprefix("seat_")
        script.of_coup(said.SeatSettled, settlement_id=f"T{number}", seat=number, paid_minor=minor)
    return script


def test_seat_totals_that_agree_are_none() -> None:
    assert found(by_seat(seat_1=20_000, seat_2=0).close()) == []


def test_a_seat_total_that_differs_is_found_at_the_end_of_the_coup() -> None:
    script = by_seat(seat_1=20_500, seat_2=0)
    assert found(script) == []
    finding = Folded(script.close().messages).finding
    assert finding.code is FindingCode.WAGER_OVERPAID
    assert (finding.seat, finding.wager) == ("1", None)
    assert (finding.due_minor, finding.paid_minor, finding.difference_minor) == (
        20_000,
        20_500,
        500,
    )
    assert finding.sentence == (
        "Seat 1: 200.00 + 0.00 = 200.00 due in all; 205.00 paid; overpaid 5.00."
    )


def test_a_seat_total_too_low_is_underpaid_and_may_be_put_right() -> None:
    script = by_seat(seat_1=19_000, seat_2=0)
    script.correct("x", 1_000, settlement_id="T1").close()
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.WAGER_UNDERPAID
    assert (finding.difference_minor, finding.residual_minor) == (-1_000, 0)


def test_money_for_a_losing_seat_is_overpaid() -> None:
    finding = Folded(by_seat(seat_1=20_000, seat_2=5_000).close().messages).finding
    assert (finding.code, finding.seat) == (FindingCode.WAGER_OVERPAID, "2")


def test_money_for_a_seat_without_wagers_is_overpaid() -> None:
    finding = Folded(by_seat(seat_1=20_000, seat_2=0, seat_3=100).close().messages).finding
    assert (finding.code, finding.seat, finding.due_minor) == (FindingCode.WAGER_OVERPAID, "3", 0)


def test_a_seat_without_settlement_is_found_at_the_end() -> None:
    finding = Folded(by_seat(seat_1=20_000).close().messages).finding
    assert finding.code is FindingCode.WAGER_NOT_SETTLED
    assert finding.sentence == "Seat 2: neither paid nor collected by the end of the coup."


def test_a_seat_settled_twice_is_found_with_its_money() -> None:
    script = by_seat(seat_1=20_000, seat_2=0)
    script.of_coup(said.SeatSettled, settlement_id="again", seat="1", paid_minor=20_000)
    folded = Folded(script.close().messages)
    assert folded.finding.code is FindingCode.SETTLED_TWICE
    assert folded.finding.difference_minor == 20_000


def test_a_seat_settlement_with_another_amount_is_a_conflict() -> None:
    script = by_seat(seat_1=20_000, seat_2=0)
    script.of_coup(said.SeatSettled, settlement_id="T1", seat="1", paid_minor=1)
    assert found(script.close()) == ["SETTLEMENT_CONFLICT"]
