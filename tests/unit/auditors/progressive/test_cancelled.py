"""Two faults that cancel by the reading are found where displays in between showed them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from auditors.progressive.attribution.interval import Attribution, Cause, SeenDisplay
from auditors.progressive.attribution.smallest_cause import attribute
from tests.support.progressives.progressive_intervals import FIFTEEN, RESET, Day, Played
from tests.support.progressives.progressive_script import FoldedLedger, ProgressiveScript, a_meter


def missed(script: ProgressiveScript, stake: int = 500) -> None:
    """Let the controller say that it counted a wager, and not add it; then lock the table."""
    display, reserve = script.display, script.reserve
    coup = script.coup(stakes=(stake,))
    script.display, script.reserve = display, reserve
    script.close(coup)


def doubled(script: ProgressiveScript, stake: int = 500) -> None:
    """Let the controller add a wager twice that it counted once."""
    coup = script.coup(stakes=(stake,))
    script.add(stake, a_meter())
    script.close(coup)


def test_two_equal_faults_that_cancel_are_found_by_the_displays_between_them() -> None:
    script = ProgressiveScript().read()
    script.close(script.coup(stakes=(500, 500)))
    missed(script)
    script.close(script.coup(stakes=(500,)))
    doubled(script)
    told = FoldedLedger(script.close(script.coup()).read().heard().inputs)
    assert told.codes == ["METER_DRIFT", "METER_DRIFT"]
    words = " ".join(one.sentence for one in told.findings)
    assert "not in the meter; the meter is 0.75" in words
    assert "in the meter twice; the meter is 0.75" in words


def test_two_equal_faults_between_two_displays_are_seen_by_nobody() -> None:
    script = ProgressiveScript().read()
    script.close(script.coup(stakes=(500, 500)))
    told = FoldedLedger(script.close(script.coup(stakes=(500, 500))).read().heard().inputs)
    assert told.codes == []


def a_reset(to: int, missing: int | None) -> Day:
    wagers = [Played(number, "BAC-01", 500, FIFTEEN) for number in range(1, 41)]
    day = Day(wagers, locked_before=10, reset_to=RESET + to)
    if missing is not None:
        wagers[missing].times = 0
        wagers[missing].stake_minor = 900
    return day


def causes(found: tuple[Attribution, ...]) -> set[Cause]:
    return {one.cause for one in found}


def test_a_reset_to_another_amount_and_a_wager_left_out_are_told_where_they_cancel() -> None:
    """The display is right by the reading; what the reset says it left is evidence."""
    interval = a_reset(135, 30).interval()
    assert interval.reading.meters.display == interval.for_counted.display
    found = attribute(interval)
    assert causes(found) == {Cause.RESET_AMOUNT, Cause.WAGERS_NOT_COUNTED}
    assert sum(one.display_effect for one in found) == 0


def test_where_all_meters_cancel_what_the_reset_says_shows_that_something_is_wrong() -> None:
    """The reset took as much less from the reserve as the wager that was left out lacks there."""
    interval = a_reset(135, 30).interval()
    (reset,) = interval.changes
    less = Fraction(27)
    reset = replace(reset, reserve_said=reset.reserve_said - less)
    meters = interval.reading.meters
    meters = replace(meters, reserve=meters.reserve + less)
    interval = replace(interval, changes=(reset,), reading=replace(interval.reading, meters=meters))
    assert meters == interval.for_counted
    assert causes(attribute(interval)) == {Cause.RESET_AMOUNT, Cause.WAGERS_NOT_COUNTED}


def test_counts_that_lack_what_a_reset_has_too_much_are_no_mere_counts() -> None:
    day = a_reset(135, 30)
    day.has_wager_events = False
    day.wagers[30].is_counted = False
    interval = day.interval()
    (reset,) = interval.changes
    meters = replace(
        interval.reading.meters,
        display=interval.for_counted.display,
        reserve=interval.for_counted.reserve,
    )
    reset = replace(reset, reserve_said=reset.reserve_said - 27)
    found = attribute(
        replace(interval, changes=(reset,), reading=replace(interval.reading, meters=meters))
    )
    assert causes(found) == {Cause.RESET_AMOUNT, Cause.WAGERS_NOT_COUNTED}


def test_a_wager_left_out_before_the_reset_is_in_what_the_reset_says() -> None:
    """It explains both; nothing is said of the amount of the reset."""
    day = a_reset(0, 12)
    day.wagers[12].stake_minor = 500
    (found,) = attribute(day.interval())
    assert found.cause is Cause.WAGERS_NOT_COUNTED
    assert found.equal_fits is not None
    assert found.equal_fits.last_sequence <= 100 + 2 * 16


def test_displays_that_nothing_explains_force_no_cause() -> None:
    interval = replace(a_reset(0, None).interval(), changes=())
    due = interval.for_counted
    reading = replace(interval.reading, meters=due)
    seen = SeenDisplay(141, 0, Fraction(5_000_017), Fraction(5_000_000))
    assert attribute(replace(interval, reading=reading, seen=(seen,), tables=())) == ()
