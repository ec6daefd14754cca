"""Money that moves to another progressive, and the end of one."""

from __future__ import annotations

from schemas import events as said
from schemas.progressive_rows import DayRow
from schemas.records import RecordKind
from tests.support.progressive_script import ProgressiveScript, Told, a_meter

APPROVED = {"authority": "notice 12", "approved_by": "su-1"}
DAY_SECONDS = 86_400


def test_a_transfer_moves_display_and_reserve_on_somebodys_authority() -> None:
    for changes, found in ((APPROVED, []), ({}, ["ADJUSTMENT_UNAUTHORISED"])):
        script = ProgressiveScript()
        script.read().close(script.coup())
        script.display -= 75
        script.reserve -= 15
        script.say(
            said.ProgressiveTransferred, transfer_id="X1", to_progressive_id="HP-2",
            display_moved="0.75", reserve_moved="0.15", **changes,
        )  # fmt: skip
        told = Told(script.read().heard().inputs)
        assert told.codes == found
        ledger = told.state.levels[0].ledger
        assert (ledger.display, ledger.reserve) == (1_000_000 * 10**14, 0)


def test_a_progressive_ends_on_somebodys_authority() -> None:
    for changes, found in ((APPROVED, []), ({}, ["ADJUSTMENT_UNAUTHORISED"])):
        script = ProgressiveScript().read()
        script.say(said.ProgressiveRemoved, display="10000.00", reserve="0.00", **changes)
        assert Told(script.heard().inputs).codes == found


def test_an_increment_that_an_end_leaves_nowhere_is_told() -> None:
    for moved, found in (("0.75", []), ("0.50", ["METER_DRIFT"]), (None, ["METER_DRIFT"])):
        script = ProgressiveScript()
        script.read().close(script.coup())
        if moved:
            script.say(
                said.ProgressiveTransferred, transfer_id="X1", to_progressive_id="HP-2",
                display_moved=moved, reserve_moved="0.15", **APPROVED,
            )  # fmt: skip
        script.wait(5).say(said.ProgressiveRemoved, display="10000.00", reserve="0.00", **APPROVED)
        told = Told(script.heard(60).inputs)
        assert told.codes == found
        if moved is None:
            assert (
                "with 0.75 of the display above what the house put in and 0.15 of the reserve"
                in (told.findings[0].sentence)
            )


def test_a_day_rolls_forward_and_is_tied_to_its_last_reading() -> None:
    script = ProgressiveScript()
    script.read().close(script.coup(stakes=(500,) * 3)).read().heard()
    script.wait(DAY_SECONDS).heard(0)
    script.close(script.coup()).read().heard(90)
    first, second = Told(script.inputs).rows(RecordKind.PROGRESSIVE_DAY)
    assert isinstance(first, DayRow)
    assert isinstance(second, DayRow)
    assert (first.opening, first.contributions, first.closing) == ("10000.00", "2.70", "10002.70")
    assert (first.is_closed, first.is_tied, first.display) == (True, True, "10002.25")
    assert (second.opening, second.contributions) == ("10002.70", "0.90")
    assert not second.is_closed


def test_what_becomes_known_of_a_closed_day_is_a_correction_of_the_present_one() -> None:
    script = ProgressiveScript()
    script.read()
    coup = script.coup(stakes=(500, 500))
    script.close(coup).read().heard()
    script.wait(DAY_SECONDS).heard(0)
    other = script.close(script.coup()).read().heard()
    coup.entries = coup.entries[:1]
    script.tell(coup)
    other.heard(90)
    first, second = Told(script.inputs).rows(RecordKind.PROGRESSIVE_DAY)
    assert isinstance(first, DayRow)
    assert isinstance(second, DayRow)
    assert (first.closing, first.corrections) == ("10001.80", "0.00")
    assert (second.opening, second.corrections) == ("10001.80", "-0.90")
    assert (second.contributions, second.closing) == ("0.90", "10001.80")


def test_a_table_that_leaves_keeps_what_it_brought() -> None:
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.read()
    script.close(script.coup("T2")).read()
    script.say(
        said.ProgressiveTableLeft, table_id="T2", in_count=1, coin_in_minor=500,
        approved_by="su-1",
    )  # fmt: skip
    script.close(script.coup("T1")).read().heard()
    told = Told(script.inputs)
    assert told.codes == []
    assert told.state.levels[0].ledger.in_count == 2
