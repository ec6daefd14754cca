"""What a reading is judged by: the controller's arithmetic, and what the tables accepted."""

from __future__ import annotations

from fractions import Fraction

import pytest

from auditors.progressive.ledger.state import LEFT_OUT_US
from schemas import events as said
from schemas.findings import FindingCode
from schemas.progressive_inputs import ControllerWatermark, ProgressiveInput, TableWatermark
from schemas.progressive_rows import DayRow, LedgerRow, ReadingRow
from schemas.records import RecordKind
from tests.support.progressives.progressive_script import (
    CONTROLLER,
    ID,
    FoldedLedger,
    ProgressiveScript,
    a_meter,
    exact,
)


def two_coups(script: ProgressiveScript) -> ProgressiveScript:
    script.read()
    for _ in range(2):
        script.close(script.coup(stakes=(500, 500, 500)))
    return script


def last_reading(told: FoldedLedger) -> ReadingRow:
    row = told.rows(RecordKind.READING)[-1]
    assert isinstance(row, ReadingRow)
    return row


def test_an_honest_controller_agrees() -> None:
    told = FoldedLedger(two_coups(ProgressiveScript()).read().heard().inputs)
    row = last_reading(told)
    assert told.codes == []
    assert (row.state, row.is_arithmetic_right, row.is_complete) == ("judged", True, True)
    assert row.compared == ()


def test_a_reading_is_pending_until_every_table_has_spoken_of_its_time() -> None:
    script = two_coups(ProgressiveScript())
    coup = script.coup(counted=False)
    script.read()
    assert last_reading(FoldedLedger(script.inputs)).state == "pending"
    script.count(coup.entries[0], coup)
    told = FoldedLedger(script.heard().inputs)
    assert told.codes == []
    assert last_reading(told).is_complete is True


def test_a_wager_in_flight_at_a_reading_is_counted_with_the_next() -> None:
    script = two_coups(ProgressiveScript())
    coup = script.coup(counted=False)
    script.read().wait(10)
    script.count(coup.entries[0], coup)
    script.close(coup).read().heard()
    told = FoldedLedger(script.inputs)
    assert told.codes == []
    assert {one.is_complete for one in told.rows(RecordKind.READING)} == {True}


def test_a_display_that_is_cut_to_cents_agrees() -> None:
    script = ProgressiveScript(T1=a_meter(increment_rate="1.57%"))
    two_coups(script)
    cut = exact(Fraction(script.display.numerator // script.display.denominator))
    assert Fraction(cut) * 100 != script.display
    assert FoldedLedger(script.read(display=cut).heard().inputs).codes == []


def test_a_wager_that_is_not_counted_is_found_once() -> None:
    script = two_coups(ProgressiveScript())
    script.close(script.coup(counted=False))
    script.read().heard()
    for _ in range(2):
        script.close(script.coup())
        script.read().heard()
    told = FoldedLedger(script.inputs)
    (found,) = told.findings
    assert found.code.value == "CONTRIBUTION_MISSING"
    assert found.source == "T1"
    assert "C3w1" in found.sentence


def test_wagers_that_go_on_being_missed_are_one_finding_whatever_is_read_in_between() -> None:
    script = two_coups(ProgressiveScript(T1=a_meter(), T2=a_meter()))
    script.close(script.coup(counted=False)).read().read().close(script.coup("T2")).read().heard()
    told = FoldedLedger(
        script.close(script.coup(counted=False)).read().heard().inputs, reload_every=3
    )
    (found,) = told.findings
    assert found.sentence.startswith("The controller missed 2 wagers of 5.00 in a row at T1")


def test_wagers_missed_before_and_after_one_that_was_counted_are_two_findings() -> None:
    script = two_coups(ProgressiveScript())
    for is_counted in (False, True, False):
        script.close(script.coup(counted=is_counted)).read().read().heard()
    assert FoldedLedger(script.inputs).codes == ["CONTRIBUTION_MISSING"] * 2


def test_a_wager_that_is_counted_twice_is_found() -> None:
    script = two_coups(ProgressiveScript())
    coup = script.coup()
    script.count(coup.entries[0], coup)
    told = FoldedLedger(script.close(coup).read().heard().inputs)
    assert told.codes == ["CONTRIBUTION_DUPLICATED"]


def test_what_was_counted_after_all_is_taken_back() -> None:
    script = two_coups(ProgressiveScript())
    coup = script.coup(counted=False)
    script.close(coup).read().heard()
    assert FoldedLedger(script.inputs).codes == ["CONTRIBUTION_MISSING"]
    script.count(coup.entries[0], coup)
    script.read().heard()
    assert FoldedLedger(script.inputs).codes == []


def test_a_table_without_contact_is_waited_for() -> None:
    script = two_coups(ProgressiveScript())
    script.say(said.ProgressiveLinkLost, table_id="T1")
    coup = script.coup(counted=False)
    script.close(coup).read().heard(60)
    script.say(said.ProgressiveLinkRestored, table_id="T1", counted_late_count=1)
    script.count(coup.entries[0], coup)
    assert FoldedLedger(script.read().heard().inputs).codes == []


def test_a_table_without_contact_that_is_never_counted_is_found() -> None:
    script = two_coups(ProgressiveScript())
    script.say(said.ProgressiveLinkLost, table_id="T1")
    script.close(script.coup(counted=False)).read().heard(60)
    script.say(said.ProgressiveLinkRestored, table_id="T1", counted_late_count=0)
    assert FoldedLedger(script.wait(1).read().heard().inputs).codes == ["CONTRIBUTION_MISSING"]


def test_a_display_that_rises_for_no_reason_drifts_once() -> None:
    script = two_coups(ProgressiveScript()).read().heard()
    script.display += 1234
    script.close(script.coup()).read().heard()
    script.close(script.coup()).read().heard()
    told = FoldedLedger(script.inputs)
    assert told.codes == ["METER_DRIFT"]
    assert last_reading(told).is_arithmetic_right is False


def test_a_display_that_falls_for_no_reason_is_told_so() -> None:
    script = two_coups(ProgressiveScript()).read().heard()
    script.display -= 700
    told = FoldedLedger(script.read().heard().inputs)
    assert "METER_DECREASED" in told.codes


def test_a_display_may_fall_by_an_approved_correction() -> None:
    script = two_coups(ProgressiveScript()).read().heard()
    script.display -= 700
    script.say(
        said.ProgressiveAdjusted,
        adjustment_id="A1",
        meter="display",
        change="-7.00",
        reason="other",
        approved_by="su-1",
    )
    told = FoldedLedger(script.read().heard().inputs)
    assert told.codes == []
    ledger = told.state.levels[0].ledger
    assert ledger.adjusted < 0


def test_a_correction_of_a_known_fault_leaves_the_ledger_alone() -> None:
    script = two_coups(ProgressiveScript())
    script.close(script.coup(counted=False)).read().heard()
    before = FoldedLedger(script.inputs)
    script.display += 75
    script.say(
        said.ProgressiveAdjusted,
        adjustment_id="A1",
        meter="display",
        change="0.75",
        reason="fault_corrected",
        approved_by="su-1",
    )
    told = FoldedLedger(script.read().heard().inputs)
    assert told.codes == ["CONTRIBUTION_MISSING"]
    assert told.state.levels[0].ledger.display == before.state.levels[0].ledger.display


def test_an_adjustment_needs_reason_and_approver() -> None:
    for changes, found in (
        ({}, ["ADJUSTMENT_UNAUTHORISED"]),
        ({"reason": "other"}, ["ADJUSTMENT_UNAUTHORISED"]),
        ({"reason": "other", "approved_by": "su-1"}, []),
    ):
        script = two_coups(ProgressiveScript())
        script.display += 500
        script.say(
            said.ProgressiveAdjusted, adjustment_id="A1", meter="display", change="5.00", **changes
        )
        assert FoldedLedger(script.read().heard().inputs).codes == found


def test_a_parameter_is_changed_on_somebodys_authority() -> None:
    for changes, found in (
        ({}, ["PARAMETER_CHANGED_IN_USE"]),
        ({"authority": "notice 12"}, ["PARAMETER_CHANGED_IN_USE"]),
        ({"authority": "notice 12", "approved_by": "su-1"}, []),
    ):
        script = two_coups(ProgressiveScript())
        script.say(
            said.ProgressiveParametersChanged,
            parameter="reset",
            value_before="10000.00",
            value_after="12000.00",
            **changes,
        )
        assert FoldedLedger(script.heard().inputs).codes == found


def test_reset_and_limit_of_a_reading_are_those_that_are_filed() -> None:
    script = ProgressiveScript(T1=a_meter(limit_minor=5_000_000))
    script.read(reset="10000.0000", limit="50000.00")
    for _ in range(2):
        script.close(script.coup()).read(reset="9000.00", limit="50000.00")
    script.close(script.coup()).read(reset="10000.00", limit="60000.00")
    first, second = FoldedLedger(script.heard().inputs).findings
    assert first.code is second.code is FindingCode.PARAMETER_CHANGED_IN_USE
    assert first.sentence == (
        "The controller's reset amount is 9,000.00 at reading 4; 10,000.00 is filed (Rules "
        "Submission RS-7), and no event records the change."
    )
    assert second.sentence.startswith("The controller's limit is 60,000.00 ")


def test_a_parameter_that_an_event_changed_is_told_by_that_event_alone() -> None:
    for authority, found in ((None, 1), ("notice 12", 0)):
        script = ProgressiveScript().read(reset="10000.00")
        script.say(
            said.ProgressiveParametersChanged,
            parameter="reset",
            value_before="10000.00",
            value_after="9000.00",
            authority=authority,
            approved_by="su-1",
        )
        told = FoldedLedger(script.read(reset="9000.00").heard().inputs)
        assert told.codes == ["PARAMETER_CHANGED_IN_USE"] * found


def test_a_ledger_says_which_checks_are_on_and_why_others_are_off() -> None:
    script = ProgressiveScript()
    script.close(script.coup()).heard()
    before = dict(ledger_row(FoldedLedger(script.inputs)).checks_off)
    assert before["meters"] == "no reading of a controller was judged so far"
    script.read().close(script.coup()).read().wait(60).close(script.coup()).heard(90)
    after = ledger_row(FoldedLedger(script.inputs))
    assert {"hits", "meters", "rates", "contributions_by_wager"} <= set(after.checks_on)
    assert set(dict(after.checks_off)) == {"overflow", "signs", "chips", "stake_units"}


def test_a_meter_that_pays_fixed_awards_is_not_judged_and_that_is_said() -> None:
    script = ProgressiveScript(T1=a_meter(readings={"D10": "meter"})).read()
    script.close(script.coup())
    script.display -= 5000
    told = FoldedLedger(script.read().heard(90).inputs)
    assert told.codes == []
    off = dict(ledger_row(told).checks_off)
    assert off["meters"] == (
        "fixed awards are paid from the meter (D10) and no controller says which: ledger and "
        "liability are without them, and readings are not judged"
    )


def ledger_row(told: FoldedLedger) -> LedgerRow:
    row = told.rows(RecordKind.LEDGER)[-1]
    assert isinstance(row, LedgerRow)
    return row


def test_above_the_limit_display_and_overflow_add_up() -> None:
    for overflow, found in (("0.90", []), ("0.00", ["OVERFLOW_MISHANDLED"])):
        script = ProgressiveScript(T1=a_meter(limit_minor=1_000_360))
        two_coups(script)
        told = FoldedLedger(script.read(display="10003.60", overflow=overflow).heard().inputs)
        assert told.codes == found


def test_a_display_above_the_limit_is_mishandled() -> None:
    script = two_coups(ProgressiveScript(T1=a_meter(limit_minor=1_000_360)))
    assert FoldedLedger(script.read().heard().inputs).codes == ["OVERFLOW_MISHANDLED"]


def test_the_sign_of_a_table_may_lag_and_must_not_differ() -> None:
    script = two_coups(ProgressiveScript()).read()
    lagging = exact(script.display)
    coup = script.coup()
    script.read(showing_table_id="T1", display=lagging).close(coup).heard()
    assert FoldedLedger(script.inputs).codes == []
    script.read(showing_table_id="T1", display="9950.00").heard()
    assert FoldedLedger(script.inputs).codes == ["LINK_DISAGREES"]


def test_chips_are_compared_where_that_is_filed() -> None:
    for is_filed, chips, found in (
        (True, 3, []),
        (True, 2, ["PROGRESSIVE_CHIPS_MISMATCH"]),
        (False, 2, []),
    ):
        script = ProgressiveScript(T1=a_meter(is_chips_counted=is_filed))
        coup = script.coup(stakes=(500, 500, 500))
        script.say(
            said.ProgressiveChipsCounted, table_id="T1", coup_id=coup.coup_id, chip_count=chips
        )
        assert FoldedLedger(script.close(coup).heard().inputs).codes == found


def test_a_wager_after_the_lock_out_must_be_refused() -> None:
    for counted, found in ((True, ["PROGRESSIVE_WAGER_AFTER_LOCKOUT"]), (False, [])):
        script = two_coups(ProgressiveScript())
        script.close(script.coup(counted=counted, late=True))
        told = FoldedLedger(script.read().heard().inputs)
        assert told.codes == found
        assert told.state.levels[0].ledger.display == int(script.display * 10**14)


def test_voids_follow_the_filed_policy() -> None:
    for policy, is_reversed, found in (
        ("reversed", True, []),
        ("reversed", False, ["METER_DRIFT"]),
        ("kept", False, []),
        ("kept", True, ["METER_DRIFT"]),
    ):
        script = two_coups(ProgressiveScript(T1=a_meter(void_policy=policy)))
        coup = script.coup()
        coup.state = "voided"
        script.wait(5).tell(coup)
        script.voided = [1, 500]
        if is_reversed:
            script.add(-500, script.tables["T1"])
            for meter, change in (("display", "-0.75"), ("reserve", "-0.15")):
                script.say(
                    said.ProgressiveAdjusted,
                    adjustment_id=f"A-{meter}",
                    meter=meter,
                    change=change,
                    reason="coup_voided",
                    approved_by="su-1",
                    table_id="T1",
                    coup_id=coup.coup_id,
                    wager_ids=("C3w1",),
                )
        told = FoldedLedger(script.wait(1).read().heard().inputs)
        assert told.codes == found, (policy, is_reversed)
        ledger = told.state.levels[0].ledger
        assert (ledger.in_count, ledger.voided_count) == (7, 1)


def test_lost_events_of_a_controller_assert_nothing() -> None:
    script = two_coups(ProgressiveScript()).read().heard()
    script.close(script.coup())
    lost = [n for n, one in enumerate(script.inputs) if "C3w1" in getattr(one, "event", "")]
    script.read().heard()
    (place,) = lost
    sequence = script.inputs[place].sequence
    last = script.inputs[-1]
    script.inputs[-1] = last.model_copy(update={"lost": ((sequence, sequence),)})
    del script.inputs[place]
    told = FoldedLedger(script.inputs)
    assert told.codes == []
    assert last_reading(told).is_arithmetic_right is None


def test_a_progressive_without_a_controller_keeps_its_ledger() -> None:
    script = two_coups(ProgressiveScript())
    script.heard(LEFT_OUT_US / 1_000_000 + 100)
    tables = [one for one in script.inputs if one.kind in ("coup", "watermark")]
    told = FoldedLedger(tables)
    (row,) = told.rows(RecordKind.LEDGER)
    assert isinstance(row, LedgerRow)
    assert (row.display, row.reserve, row.in_count) == ("10004.50", "0.90", 6)
    assert told.codes == []


def test_a_progressive_that_is_older_than_its_feeds_begins_with_the_first_reading() -> None:
    script = ProgressiveScript()
    script.display, script.in_count, script.coin_in = Fraction(1_234_567), 90_000, 45_000_000
    script.by_table["T1"] = [90_000, 45_000_000]
    two_coups(script).read().heard()
    told = FoldedLedger(script.inputs)
    assert told.codes == []
    assert told.state.levels[0].ledger.display == int(script.display * 10**14)


def closed(script: ProgressiveScript, *tables: str) -> ProgressiveScript:
    """Let tables close, and say so."""
    script.heard(5)
    for at in range(len(script.inputs) - 1, -1, -1):
        said_last = script.inputs[at]
        if not isinstance(said_last, TableWatermark):
            if isinstance(said_last, ControllerWatermark):
                continue
            break
        if said_last.table_id in tables:
            script.inputs[at] = said_last.model_copy(update={"is_open": False})
    return script


def of_tables(script: ProgressiveScript) -> list[ProgressiveInput]:
    return [one for one in script.inputs if one.kind in ("coup", "watermark")]


def test_a_ledger_without_a_controller_is_put_out_when_its_tables_have_closed() -> None:
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.close(script.coup("T1")).close(script.coup("T2", (500, 500)))
    assert FoldedLedger(of_tables(closed(script, "T1"))).rows(RecordKind.LEDGER) == []
    told = FoldedLedger(of_tables(closed(script, "T1", "T2")))
    (row,) = told.rows(RecordKind.LEDGER)
    (day,) = told.rows(RecordKind.PROGRESSIVE_DAY)
    assert isinstance(row, LedgerRow)
    assert isinstance(day, DayRow)
    assert (row.display, row.in_count, day.contributions) == ("10002.25", 3, "2.70")
    assert told.codes == []
    # It still waits for the controller, which may only be late.
    assert told.state.levels[0].ledger.in_count == 0


def test_a_controller_that_comes_when_the_tables_have_closed_has_its_turn() -> None:
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.read().close(script.coup("T1")).read().close(script.coup("T2", (500, 500))).read()
    closed(script, "T1", "T2").wait(40).read().heard(60)
    del script.inputs[-3:-1]  # the tables stay closed
    tables = of_tables(script)
    late = [*tables, *(one for one in script.inputs if one not in tables)]
    expected, told = FoldedLedger(script.inputs), FoldedLedger(late)
    assert told.codes == expected.codes == []
    assert told.standing() == expected.standing()
    assert [one.state for one in told.rows(RecordKind.READING)] == ["judged"] * 4


@pytest.mark.parametrize(("seconds", "state"), [(28, "pending"), (29, "judged")])
def test_a_reading_is_judged_at_once_where_all_tables_have_closed_long_before(
    seconds: int, state: str
) -> None:
    """Nothing is in flight any more 30 s after the last of them."""
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.read().close(script.coup("T1"))
    closed(script, "T1", "T2").wait(seconds).read()
    mark = ControllerWatermark(
        progressive_id=ID,
        source_id=CONTROLLER,
        feed_id="c",
        sequence=99,
        version=1,
        watermark_us=script.at_us,
        is_simulated=False,
        lost=(),
    )
    told = FoldedLedger([*script.inputs, mark])
    assert last_reading(told).state == state
    assert told.codes == []
