"""What is said of a meter that differs: cause, first event, money, coups, words."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from auditors.progressive.attribution.interval import (
    Attribution,
    Cause,
    EqualFits,
    EventPlace,
    MeterChange,
    SeenDisplay,
    TableCount,
    VoidedThere,
)
from auditors.progressive.attribution.smallest_cause import attribute
from schemas.findings import FindingCode
from tests.support.progressives.attribution_words import sentence_of
from tests.support.progressives.progressive_intervals import (
    CONTROLLER,
    FIFTEEN,
    NINETEEN,
    Day,
    Played,
)


def day_of(count: int, *, events: bool = True, hit: int | None = None) -> Day:
    wagers = [Played(number, "BAC-01", 500, FIFTEEN) for number in range(1, count + 1)]
    return Day(wagers, has_wager_events=events, locked_before=hit)


def only(day: Day) -> Attribution:
    (found,) = attribute(day.interval())
    return found


def test_one_of_many_equal_wagers_is_said_as_such_with_their_sequences() -> None:
    day = day_of(212)
    day.wagers[40].times = 0
    found = only(day)
    assert found.equal_fits == EqualFits(212, 103, 525)
    assert found.code is FindingCode.METER_DRIFT
    assert (found.display_effect, found.reserve_effect) == (-75, -15)
    assert found.coups == ()
    assert found.coup_count == 71
    assert sentence_of(found) == (
        "One of 212 equal wagers of 5.00 at BAC-01 (events 103–525) is not in the meter; "
        "the meter is 0.75 and the reserve 0.15 short."
    )


def test_a_wager_with_a_stake_of_its_own_is_named_with_its_coup() -> None:
    day = day_of(30)
    day.wagers[10].stake_minor = 2500
    day.wagers[10].times = 2
    found = only(day)
    assert found.cause is Cause.COUNTED_TWICE
    assert found.place == EventPlace(*CONTROLLER, 123)
    assert found.coups == ("BAC-01-c3",)
    assert found.subject == "BAC-01/w11"
    assert sentence_of(found).startswith(
        "Wager w11 of 25.00 at BAC-01 (event 123, coup BAC-01-c3) was counted twice"
    )


def test_a_wager_that_the_controller_reports_again_is_named_by_its_second_event() -> None:
    interval = day_of(12).interval()
    again = replace(interval.counted[4], place=EventPlace(*CONTROLLER, 121))
    (found,) = attribute(replace(interval, counted=(*interval.counted, again)))[:1]
    assert found.code is FindingCode.CONTRIBUTION_DUPLICATED
    assert found.subject == "BAC-01/w5"
    assert found.place == EventPlace(*CONTROLLER, 121)
    assert (
        "a second time (event 121); the meter is 0.75 and the reserve 0.15 too high"
        in sentence_of(found)
    )


def test_a_wager_counted_in_an_earlier_interval_is_counted_twice_by_now() -> None:
    interval = day_of(12).interval()
    counted = list(interval.counted)
    counted[0] = replace(counted[0], times_before=1)
    (found,) = attribute(replace(interval, counted=tuple(counted)))
    assert (found.cause, found.subject) == (Cause.COUNTED_TWICE, "BAC-01/w1")


def test_wagers_in_a_row_that_were_not_counted_are_one_group() -> None:
    day = day_of(30)
    for one in (*day.wagers[3:8], day.wagers[20]):
        one.is_counted, one.times = False, 0
    group, single = attribute(day.interval())
    assert (group.subject, group.wager_count) == ("BAC-01/w4..w8", 5)
    assert group.place == EventPlace("BAC-01", "BAC-01-feed", 108)
    assert "The controller missed 5 wagers of 5.00 in a row at BAC-01" in sentence_of(group)
    assert (single.subject, single.wager_count) == ("BAC-01/w21", 1)


def test_a_wager_that_no_table_accepted_and_one_with_another_stake_are_told_apart() -> None:
    interval = day_of(12).interval()
    counted = list(interval.counted)
    counted[3] = replace(counted[3], wager_id="w999")
    counted[6] = replace(counted[6], stake_minor=1000)
    accepted = tuple(one for one in interval.accepted if one.wager_id != "w4")
    # The controller's meters are right for what it counted.
    more = Fraction(75), Fraction(15)
    read = interval.reading.meters
    read = replace(read, display=read.display + more[0], reserve=read.reserve + more[1])
    altered = replace(
        interval,
        accepted=accepted,
        counted=tuple(counted),
        tables=(),
        for_counted=read,
        reading=replace(interval.reading, meters=read),
    )
    unknown, other = attribute(altered)
    assert (unknown.cause, unknown.code) == (Cause.NOT_ACCEPTED, FindingCode.METER_DRIFT)
    assert "that the table did not record" in sentence_of(unknown)
    assert (other.cause, other.display_effect) == (Cause.STAKE_DIFFERS, 75)
    assert "with 10.00; the table accepted 5.00" in sentence_of(other)


def test_a_rate_that_the_controller_states_is_told_from_the_wager_at_which_it_began() -> None:
    day = day_of(40)
    for one in day.wagers[17:]:
        one.used = (Fraction(16, 100), FIFTEEN[1])
    interval = day.interval()
    change = MeterChange(
        kind="parameter",
        place=EventPlace(*CONTROLLER, 136),
        at_us=18_000_000,
        parameter="increment_rate",
        value_after=Fraction(16, 100),
    )
    (found,) = attribute(replace(interval, changes=(change,)))
    assert (found.cause, found.equal_fits, found.also_fits) == (Cause.RATE_SINCE, None, ())
    assert found.place == EventPlace(*CONTROLLER, 137)
    assert found.wager_count == 23
    assert "BAC-01's wagers fed the meter at 16 % instead of 15 %" in sentence_of(found)
    stated = TableCount("BAC-01", None, 0, Fraction(16, 100), FIFTEEN[1])
    (found,) = attribute(replace(interval, tables=(stated,)))
    assert found.place == EventPlace(*CONTROLLER, 137)


def test_a_rate_that_nothing_names_is_told_with_what_fits_as_well() -> None:
    day = day_of(40)
    for one in day.wagers[20:]:
        one.used = (Fraction(17, 100), FIFTEEN[1])
    found = only(day)
    assert found.cause is Cause.RATE_SINCE
    assert found.also_fits == (Cause.STEP_UNKNOWN,)
    assert found.equal_fits is not None
    assert found.equal_fits.first_sequence <= 143 <= found.equal_fits.last_sequence
    assert "ways that fit equally" in sentence_of(found)
    assert "A single unexplained change would fit as exactly" in sentence_of(found)


def test_a_display_seen_in_between_says_when_the_meters_parted() -> None:
    day = day_of(40)
    day.wagers[20].times = 0
    due = Fraction(5_000_000)
    seen = (SeenDisplay(130, 15, due, due), SeenDisplay(150, 25, due - 75, due))
    (found,) = attribute(replace(day.interval(), seen=seen))
    assert found.equal_fits == EqualFits(10, 131, 149)
    day.wagers[20].times = 1
    day.stepped = (Fraction(1234), Fraction(0))
    seen = (seen[0], SeenDisplay(150, 25, due + 1234, due))
    (found,) = attribute(replace(day.interval(), seen=seen))
    assert found.cause is Cause.STEP_UNKNOWN
    assert "between events 130 and 150 of the controller" in sentence_of(found)


def test_a_difference_without_any_wager_is_a_step_even_of_both_meters() -> None:
    day = day_of(0)
    day.stepped = (Fraction(1, 8), Fraction(3, 16))
    found = only(day)
    assert found.cause is Cause.STEP_UNKNOWN
    assert "The meter rose 0.00125 and the reserve rose 0.001875" in sentence_of(found)


def test_a_reset_with_wrong_funding_is_told_with_what_was_said() -> None:
    interval = day_of(30, hit=15).interval()
    (reset,) = interval.changes
    said = replace(reset, reserve_said=Fraction(500_000))
    meters = interval.reading.meters
    read = replace(meters, reserve=meters.reserve + 100_000)
    reading = replace(interval.reading, meters=read)
    (found,) = attribute(replace(interval, changes=(said,), reading=reading))
    assert (found.cause, found.reserve_effect) == (Cause.RESET_AMOUNT, 100_000)
    assert "took 5,000.00 instead of 6,000.00 from the reserve" in sentence_of(found)


def test_the_display_before_a_reset_tells_a_wrong_moment_from_a_wrong_amount() -> None:
    day = day_of(30, hit=15)
    day.cut_before = 13
    interval = day.interval()
    (reset,) = interval.changes
    before = Fraction(5_001_050)
    early, amount = Cause.RESET_EARLY, Cause.RESET_AMOUNT
    for moved, cause, also in ((-150, early, ()), (0, early, (amount,)), (-75, amount, ())):
        said = replace(reset, before_expected=before, before_said=before + moved)
        (found,) = attribute(replace(interval, changes=(said,)))
        assert (found.cause, found.also_fits) == (cause, also)


def test_an_amount_won_that_lacks_what_the_next_meter_has_leaves_one_cause() -> None:
    won = Fraction(5_001_050)
    for cut, cause in ((13, Cause.RESET_EARLY), (17, Cause.RESET_LATE)):
        day = day_of(30, hit=15)
        day.cut_before = cut
        interval = day.interval()
        (reset,) = interval.changes
        said = replace(reset, won_expected=won, won_said=won + 75 * (cut - 15))
        (found,) = attribute(replace(interval, changes=(said,)))
        assert (found.cause, found.also_fits) == (cause, ())
        assert found.code is FindingCode.RESEED_MISMATCH


def test_a_reset_that_is_said_wrong_is_told_before_a_wager_that_comes_to_the_same() -> None:
    day = day_of(30, hit=15)
    day.reset_to = Fraction(1_000_075)
    found = only(day)
    assert (found.cause, found.also_fits) == (Cause.RESET_EARLY, (Cause.RESET_AMOUNT,))
    day.reset_to = Fraction(1_000_080)
    found = only(day)
    assert (found.cause, found.also_fits) == (Cause.RESET_AMOUNT, ())


@pytest.mark.parametrize("moved", [5000, -5000])
def test_an_amount_that_a_reset_states_beside_another_cause_is_no_free_amount(moved: int) -> None:
    """A free amount fits any difference: it loses where what is on record comes to the same."""
    day = day_of(30, hit=15)
    day.cut_before = 13
    interval = day.interval()
    (reset,) = interval.changes
    meters = interval.reading.meters
    reading = replace(interval.reading, meters=replace(meters, display=meters.display + moved))
    said = replace(reset, after_said=reset.after_expected + moved)
    found = attribute(replace(interval, changes=(said,), reading=reading))
    assert {one.cause: one.display_effect for one in found} == {
        Cause.RESET_EARLY: 150,
        Cause.RESET_AMOUNT: moved,
    }
    # Where nothing on record comes to it, the amount is free.
    reading = replace(interval.reading, meters=replace(meters, display=meters.display + moved + 7))
    (found,) = attribute(replace(interval, changes=(said,), reading=reading))
    assert (found.cause, found.display_effect) == (Cause.RESET_AMOUNT, 157 + moved)


def test_wagers_counted_before_the_reading_before_tell_a_reset_at_another_moment() -> None:
    day = day_of(30, hit=15)
    day.cut_before = 13
    whole = day.interval()
    earlier, later = whole.counted[:20], whole.counted[20:]
    interval = replace(whole, counted=later, accepted=whole.accepted[20:], around=earlier)
    (found,) = attribute(replace(interval, tables=()))
    assert (found.cause, found.wager_count) == (Cause.RESET_EARLY, 2)
    assert found.stretch == (127, 129, 130, 142)


def test_resets_at_another_moment_say_how_many_wagers_went_elsewhere() -> None:
    day = day_of(30, hit=15)
    day.cut_before = 12
    found = only(day)
    assert (found.cause, found.wager_count, found.coup_count) == (Cause.RESET_EARLY, 3, 1)
    assert found.coups == ("BAC-01-c4",)
    assert found.place == EventPlace(*CONTROLLER, 125)
    assert found.stretch == (125, 129, 130, 142)
    assert "3 wagers (events 125–129) accepted before the lock-out (event 130)" in sentence_of(
        found
    )
    day.cut_before = 17
    found = only(day)
    assert (found.cause, found.wager_count) == (Cause.RESET_LATE, 2)
    assert "not in the next meter; the meter is 1.50 short. The reserve is correct" in sentence_of(
        found
    )


def test_wagers_lacking_in_the_counts_of_two_tables_are_two_causes() -> None:
    wagers = [
        Played(n, f"BAC-0{1 + n % 2}", (500, 1000)[n % 2], (FIFTEEN, NINETEEN)[n % 2])
        for n in range(1, 31)
    ]
    day = Day(wagers, has_wager_events=False)
    for one in (wagers[3], wagers[8], wagers[9]):
        one.is_counted, one.times = False, 0
    first, second = attribute(day.interval())
    assert {first.wager_count, second.wager_count} == {1, 2}
    assert {first.code, second.code} == {FindingCode.CONTRIBUTION_MISSING}
    assert {first.subject, second.subject} == {"BAC-01/w2..w30/2", "BAC-02/w1..w29/1"}
    assert any(
        "2 of 15 equal wagers of 5.00 at BAC-01" in sentence_of(one) for one in (first, second)
    )


def test_a_missing_wager_and_a_late_reset_are_both_told() -> None:
    day = day_of(40, hit=15)
    day.wagers[30].stake_minor, day.wagers[30].times = 700, 0
    day.cut_before = 17
    found = attribute(day.interval())
    assert {one.cause for one in found} == {Cause.WAGERS_NOT_COUNTED, Cause.RESET_LATE}
    assert sum(one.display_effect for one in found) == -105 - 150


def test_a_truncated_display_is_compared_as_it_is_shown() -> None:
    wagers = [Played(n, "BAC-01", 733, FIFTEEN) for n in range(1, 20)]
    day = Day(wagers)
    day.shown = lambda amount: Fraction(amount // 1)
    assert attribute(day.interval()) == ()
    wagers[4].times = 0
    found = only(day)
    assert (found.cause, found.wager_count) == (Cause.WAGERS_NOT_COUNTED, 1)
    half_up = replace(day.interval(), display_policy="round_half_up")
    meters = half_up.for_counted
    read = replace(
        meters,
        display=Fraction((meters.display + Fraction(1, 2)) // 1),
        reserve=Fraction((meters.reserve + Fraction(1, 2)) // 1),
    )
    assert attribute(replace(half_up, reading=replace(half_up.reading, meters=read))) == ()


def test_what_lies_above_the_limit_counts_as_display() -> None:
    day = day_of(10)
    interval = day.interval()
    meters = interval.reading.meters
    split = replace(meters, display=meters.display - 5_000, overflow=Fraction(5_000))
    assert attribute(replace(interval, reading=replace(interval.reading, meters=split))) == ()


def test_an_unexplained_difference_says_both_meters_and_forces_nothing() -> None:
    day = day_of(20)
    day.stepped = (Fraction(100, 3) - Fraction(1, 3) + Fraction(1, 64), Fraction(17, 16))
    found = only(day)
    assert (found.cause, found.equal_fits, found.also_fits) == (Cause.UNEXPLAINED, None, ())
    assert found.place == day.interval().reading.place
    assert sentence_of(found).startswith(
        "The meter reads 50,015.33015625 and the reserve 9,003.0106"
    )
    assert "No known cause, and no two together" in sentence_of(found)


def a_void(*, filed: bool, reversed_: bool) -> VoidedThere:
    place = EventPlace("BAC-01", "BAC-01-feed", 140)
    return VoidedThere(
        place, 20_000_000, "BAC-01-c5", 3, Fraction(225), Fraction(45), filed, reversed_
    )


def test_a_voided_coup_is_judged_by_the_filed_policy() -> None:
    interval = day_of(30).interval()
    for filed in (True, False):
        right = a_void(filed=filed, reversed_=filed)
        assert attribute(replace(interval, voids=(right,))) == ()
    (kept,) = attribute(replace(interval, voids=(a_void(filed=True, reversed_=False),)))
    assert (kept.cause, kept.code) == (Cause.VOID_KEPT, FindingCode.METER_DRIFT)
    assert (kept.display_effect, kept.reserve_effect, kept.wager_count) == (225, 45, 3)
    assert kept.subject == "void_kept/BAC-01/BAC-01-c5"
    assert "should have been taken back (interpretation D9) and was not" in sentence_of(kept)
    (taken,) = attribute(replace(interval, voids=(a_void(filed=False, reversed_=True),)))
    assert (taken.cause, taken.display_effect) == (Cause.VOID_REVERSED, -225)


def test_a_void_that_was_taken_back_unsaid_fits_as_well_as_wagers_not_added() -> None:
    day = day_of(30)
    day.stepped = (Fraction(-225), Fraction(-45))
    void = a_void(filed=False, reversed_=False)
    found = attribute(replace(day.interval(), voids=(void,)))
    (one,) = found
    assert (one.cause, one.place, one.coups) == (Cause.VOID_REVERSED, void.place, ("BAC-01-c5",))
    assert "did not say that it took it back" in sentence_of(one)
    said = a_void(filed=True, reversed_=True)
    day.stepped = (Fraction(225), Fraction(45))
    (one,) = attribute(replace(day.interval(), voids=(said,)))
    assert one.cause is Cause.VOID_KEPT
    single = replace(void, wager_count=1, display=Fraction(75), reserve=Fraction(15))
    day.stepped = (Fraction(-75), Fraction(-15))
    (one,) = attribute(replace(day.interval(), voids=(single,)))
    assert (one.cause, one.also_fits) == (Cause.VOID_REVERSED, (Cause.WAGERS_NOT_COUNTED,))


def test_a_rate_that_held_until_a_moment_is_told_with_its_end() -> None:
    day = day_of(40)
    for one in day.wagers[:20]:
        one.used = NINETEEN
    found = only(day)
    assert (found.cause, found.wager_count) == (Cause.RATE_SINCE, 20)
    assert found.equal_fits == EqualFits(2, 103, 143)  # the first twenty or the last
    day = day_of(40)
    for number, one in enumerate(day.wagers):
        one.stake_minor = 500 + 7 * number
        one.used = NINETEEN if number < 20 else None
    found = only(day)
    assert (found.equal_fits, found.wager_count) == (None, 20)
    assert "20 wagers from event 103 to event 141" in sentence_of(found)


def test_a_whole_amount_that_is_said_with_more_decimals_was_not_cut() -> None:
    wagers = [Played(n, "BAC-01", 250, FIFTEEN) for n in range(1, 7)]
    day = Day(wagers)
    day.rounded = lambda amount: Fraction(amount // 1)
    interval = day.interval()
    said = replace(interval.reading, decimals=(2, 2))
    seen = SeenDisplay(108, 4, Fraction(5_000_111), Fraction(5_000_112) + Fraction(1, 2), 2)
    (found,) = attribute(replace(interval, reading=said, seen=(seen,)))
    assert (found.cause, found.wager_count, found.coup_count) == (Cause.ROUNDING_PER_WAGER, 6, 3)
    assert found.also_fits == ()
    assert (found.display_effect, found.reserve_effect) == (-3, -3)


@pytest.mark.parametrize("is_half_up", [False, True])
def test_digits_that_a_meter_does_not_say_hide_no_cause(is_half_up: bool) -> None:
    """A ledger that has no more digits than were said does not tell that the meter has none."""
    day = Day([Played(n, "BAC-01", 733, FIFTEEN) for n in range(1, 13)])
    day.wagers[4].times = 0
    day.say(1, is_half_up=is_half_up)
    interval = day.interval()
    assert (interval.for_counted.display * 10).denominator == 1
    (found,) = attribute(interval)
    assert (found.cause, found.wager_count) == (Cause.WAGERS_NOT_COUNTED, 1)
    assert (found.display_effect, found.reserve_effect) == day.wrong_by()


def test_a_rate_the_last_digits_of_which_were_cut_off_is_named_beside_a_step() -> None:
    day = day_of(5)
    for one in day.wagers:
        one.used = (FIFTEEN[0] + Fraction(1, 200), FIFTEEN[1])
    day.say(0)
    found = only(day)
    assert day.wrong_by() == (Fraction(25, 2), 0)
    assert (found.cause, found.display_effect) == (Cause.STEP_UNKNOWN, 12)  # just what is read
    assert found.also_fits == (Cause.RATE_SINCE,)
    day.say(1)
    assert (only(day).cause, only(day).also_fits) == (Cause.RATE_SINCE, ())
