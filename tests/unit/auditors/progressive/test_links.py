"""Money that moves to another progressive, and the end of one."""

from __future__ import annotations

import pytest

from auditors.progressive.ledger.double_entry import day_liability
from schemas import events as said
from schemas.progressive_inputs import ControllerSaid
from schemas.progressive_rows import DayRow, LedgerRow
from schemas.records import RecordKind
from tests.support.progressives.progressive_script import (
    CONTROLLER,
    ID,
    FoldedLedger,
    ProgressiveScript,
    a_meter,
)

APPROVED = {"authority": "notice 12", "approved_by": "su-1"}
DAY_SECONDS = 86_400


def test_a_transfer_moves_display_and_reserve_on_somebodys_authority() -> None:
    for changes, found in ((APPROVED, []), ({}, ["ADJUSTMENT_UNAUTHORISED"])):
        script = ProgressiveScript()
        script.read().close(script.coup())
        script.display -= 75
        script.reserve -= 15
        script.say(
            said.ProgressiveTransferred,
            transfer_id="X1",
            to_progressive_id="HP-2",
            display_moved="0.75",
            reserve_moved="0.15",
            **changes,
        )
        told = FoldedLedger(script.read().heard().inputs)
        assert told.codes == found
        ledger = told.state.levels[0].ledger
        assert (ledger.display, ledger.reserve) == (1_000_000 * 10**14, 0)


def test_a_progressive_ends_on_somebodys_authority() -> None:
    for changes, found in ((APPROVED, []), ({}, ["ADJUSTMENT_UNAUTHORISED"])):
        script = ProgressiveScript().read()
        script.say(said.ProgressiveRemoved, display="10000.00", reserve="0.00", **changes)
        assert FoldedLedger(script.heard().inputs).codes == found


def test_an_increment_that_an_end_leaves_nowhere_is_told() -> None:
    for moved, found in (("0.75", []), ("0.50", ["METER_DRIFT"]), (None, ["METER_DRIFT"])):
        script = ProgressiveScript()
        script.read().close(script.coup())
        if moved:
            script.say(
                said.ProgressiveTransferred,
                transfer_id="X1",
                to_progressive_id="HP-2",
                display_moved=moved,
                reserve_moved="0.15",
                **APPROVED,
            )
        script.wait(5).say(said.ProgressiveRemoved, display="10000.00", reserve="0.00", **APPROVED)
        told = FoldedLedger(script.heard(60).inputs)
        assert told.codes == found
        if moved is None:
            assert (
                "no transfer moved what patrons had paid in: 0.75 of the display and 0.15 of the "
                "reserve" in (told.findings[0].sentence)
            )


def test_a_day_rolls_forward_and_is_tied_to_its_last_reading() -> None:
    script = ProgressiveScript()
    script.read().close(script.coup(stakes=(500,) * 3)).read().heard()
    script.wait(DAY_SECONDS).heard(0)
    script.close(script.coup()).read().heard(90)
    first, second = FoldedLedger(script.inputs).rows(RecordKind.PROGRESSIVE_DAY)
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
    first, second = FoldedLedger(script.inputs).rows(RecordKind.PROGRESSIVE_DAY)
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
        said.ProgressiveTableLeft,
        table_id="T2",
        in_count=1,
        coin_in_minor=500,
        approved_by="su-1",
    )
    script.close(script.coup("T1")).read().heard()
    told = FoldedLedger(script.inputs)
    assert told.codes == []
    assert told.state.levels[0].ledger.in_count == 2


def give(
    script: ProgressiveScript, display: str = "0.75", reserve: str = "0.15", overflow: str = "0"
) -> ProgressiveScript:
    """Let another progressive give to this one, and its controller say so."""
    script.wait(1).say(
        said.ProgressiveTransferred,
        progressive_id="HP-9",
        transfer_id="X1",
        to_progressive_id=ID,
        display_moved=display,
        reserve_moved=reserve,
        overflow_moved=overflow,
        **APPROVED,
    )
    return script


def show(script: ProgressiveScript, display: int, reserve: int) -> ProgressiveScript:
    """Let the meters of the controller rise."""
    script.display += display
    script.reserve += reserve
    return script


def adjust(script: ProgressiveScript, meter: str, change: str) -> ProgressiveScript:
    """Let the receiving controller say it again."""
    script.wait(1).say(
        said.ProgressiveAdjusted,
        adjustment_id=f"A-{meter}",
        meter=meter,
        change=change,
        reason="other",
        approved_by="su-1",
    )
    return script


def assert_received(told: FoldedLedger, script: ProgressiveScript) -> None:
    assert [one.sentence for one in told.findings] == []
    (level,) = told.state.levels
    assert level.ledger.display == script.display * 10**14
    assert level.ledger.reserve == script.reserve * 10**14
    assert level.ledger.adjusted == 90 * 10**14
    row = told.rows(RecordKind.LEDGER)[-1]
    assert isinstance(row, LedgerRow)
    (received,) = row.received
    assert (received.transfer_id, received.from_progressive_id) == ("X1", "HP-9")
    assert (received.display, received.reserve) == ("0.75", "0.15")
    day = told.rows(RecordKind.PROGRESSIVE_DAY)[-1]
    assert isinstance(day, DayRow)
    assert day_liability(day, "USD").is_balanced


def test_what_another_progressive_gives_is_taken_in_with_its_source() -> None:
    """Shown before it is said, at once, or within the lag; what lay above the limit included."""
    for overflow in (False, True):
        parts = {"display": "0.25", "overflow": "0.50"} if overflow else {}
        for order in ("shown first", "said first", "later"):
            script = ProgressiveScript()
            script.read().close(script.coup()).read()
            if order == "shown first":
                give(show(script, 75, 15).read(), **parts)
            else:
                give(script, **parts)
                if order == "later":
                    script.read()
                show(script, 75, 15).read()
            script.close(script.coup()).read()
            assert_received(FoldedLedger(script.heard(60).inputs), script)


def test_a_receipt_that_is_said_again_as_an_adjustment_counts_once() -> None:
    for is_said_first in (True, False):
        script = ProgressiveScript()
        script.read().close(script.coup()).read()
        if is_said_first:
            give(script).read()
        adjust(adjust(show(script, 75, 15), "display", "0.75"), "reserve", "0.15").read()
        if not is_said_first:
            give(script)
        script.close(script.coup()).read()
        assert_received(FoldedLedger(script.heard(60).inputs), script)


def test_a_transfer_that_the_receiver_does_not_show_or_shows_otherwise_is_found() -> None:
    for shown, told_of in ((0, "0.00"), (50, "0.50")):
        for is_adjusted in {False, shown > 0}:
            script = ProgressiveScript()
            script.read().close(script.coup()).read()
            give(script)
            if is_adjusted:
                adjust(script, "display", f"0.{shown}")
            show(script, shown, 0).read()
            script.wait(40).close(script.coup()).read()
            told = FoldedLedger(script.close(script.coup()).read().heard(60).inputs)
            (found,) = told.findings
            assert found.code.value == "METER_DRIFT"
            assert found.sentence.startswith(
                "Transfer X1 from HP-9 (event 5) gave 0.75 of the display and 0.15 of the reserve"
            )
            assert found.sentence.endswith(
                "took in nothing."
                if told_of == "0.00"
                else f"took in {told_of} of the display and 0.00 of the reserve."
            )
            # The ledger has all that was given, whatever the meters show.
            assert told.state.levels[0].ledger.adjusted == 90 * 10**14


def by_another(script: ProgressiveScript) -> ControllerSaid:
    """Take out what was said last and let the controller of another progressive say it."""
    foreign = script.inputs.pop()
    assert isinstance(foreign, ControllerSaid)
    text = foreign.event.replace(f'"{CONTROLLER}"', '"PRG-9"')
    return foreign.model_copy(update={"source_id": "PRG-9", "event": text})


def told_at_any_place(script: ProgressiveScript, foreign: ControllerSaid) -> list[FoldedLedger]:
    """Let what nobody waits for come before, among and behind everything else."""
    said = script.inputs
    return [
        FoldedLedger([*said[:place], foreign, foreign, *said[place:]])
        for place in (0, len(said) // 4, len(said) // 2, len(said) - 3, len(said))
    ]


def without_moments(told: FoldedLedger) -> dict[tuple[str, str, str], tuple[object, ...]]:
    """Give what stands, apart from how far readings were when a ledger was put out last."""
    found = {}
    for key, (row, findings, at_us, date) in told.standing().items():
        if isinstance(row, LedgerRow):
            changes: dict[str, object] = {"pending_count": 0, "as_of_us": 0}
            found[key] = (row.model_copy(update=changes), findings, 0, date)
        elif isinstance(row, DayRow):
            changes = {"last_reading_sequence": 0, "is_tied": True}
            found[key] = (row.model_copy(update=changes), findings, at_us, date)
        else:
            found[key] = (row, findings, at_us, date)
    return found


@pytest.mark.parametrize("is_said_first", [True, False])
def test_whenever_the_transfer_of_another_controller_is_heard_it_comes_to_the_same(
    is_said_first: bool,
) -> None:
    script = ProgressiveScript()
    script.read().close(script.coup()).read()
    if is_said_first:
        foreign = by_another(give(script))
    adjust(adjust(show(script, 75, 15), "display", "0.75"), "reserve", "0.15").read()
    if not is_said_first:
        foreign = by_another(give(script))
    script.close(script.coup()).read().heard(60)
    first, *others = told_at_any_place(script, foreign)
    for told in (first, *others):
        assert "PRG-9" not in told.state.sources
        assert_received(told, script)
        assert without_moments(told) == without_moments(first)


@pytest.mark.parametrize(("shown", "adjusted"), [(75, 0), (50, 50), (0, 0)])
def test_what_the_receiver_does_not_say_of_another_controllers_transfer_is_found_in_any_order(
    shown: int, adjusted: int
) -> None:
    script = ProgressiveScript()
    script.read().close(script.coup()).read()
    foreign = by_another(give(script))
    if adjusted:
        adjust(script, "display", f"0.{adjusted}")
    show(script, shown, 0).read()
    script.wait(40).close(script.coup()).read()
    script.close(script.coup()).read().heard(60)
    first, *others = told_at_any_place(script, foreign)
    (unsaid,) = [one for one in first.findings if one.sentence.startswith("Transfer X1")]
    took = f"only 0.{adjusted:02} of the display and 0.00 of the reserve" if adjusted else "nothing"
    assert unsaid.sentence == (
        f"Transfer X1 from HP-9 (event {foreign.sequence}) gave 0.75 of the display and 0.15 of "
        f"the reserve; within 30 s the controller took in {took}."
    )
    assert len(first.findings) == (1 if shown == adjusted else 2)
    for told in (first, *others):
        assert without_moments(told) == without_moments(first)
        assert told.state.levels[0].ledger.adjusted == 90 * 10**14


def test_a_transfer_that_the_receiver_puts_right_later_is_in_the_ledger_once() -> None:
    script = ProgressiveScript()
    script.read().close(script.coup()).read()
    foreign = by_another(give(script))
    script.wait(40).close(script.coup()).read()
    for meter, change in (("display", "0.75"), ("reserve", "0.15")):
        script.wait(1).say(
            said.ProgressiveAdjusted,
            adjustment_id=f"A-{meter}",
            meter=meter,
            change=change,
            reason="fault_corrected",
            approved_by="su-1",
        )
    show(script, 75, 15).read().close(script.coup()).read().heard(60)
    first, *others = told_at_any_place(script, foreign)
    assert [one.sentence[:11] for one in first.findings] == ["Transfer X1"]
    for told in (first, *others):
        assert without_moments(told) == without_moments(first)
        ledger = told.state.levels[0].ledger
        assert (ledger.adjusted, ledger.display) == (90 * 10**14, script.display * 10**14)


def test_a_transfer_from_level_to_level_is_taken_out_of_one_and_into_the_other() -> None:
    script = ProgressiveScript(T1=a_meter())
    script.read().close(script.coup()).read()
    script.say(
        said.ProgressiveTransferred,
        transfer_id="X1",
        to_progressive_id=ID,
        to_level=2,
        display_moved="0.75",
        reserve_moved="0.15",
        **APPROVED,
    )
    show(script, -75, -15).read()
    told = FoldedLedger(script.heard(60).inputs)
    assert told.codes == []
    first, second = told.state.levels
    assert first.ledger.adjusted == -90 * 10**14
    assert second.ledger.adjusted == 90 * 10**14
