"""What a drift is put down to must also be what was shown in between, and be told once."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

import pytest

from auditors import progressive
from auditors.progressive.ledger.state import Baseline
from schemas import events as said
from schemas.finding_facts import decode_facts, encode_facts
from schemas.progressive_inputs import ControllerSaid, ControllerWatermark, FiledMeter
from schemas.wire import encode_event, parse_event
from tests.support.progressives.progressive_script import (
    FoldedLedger,
    ProgressiveScript,
    a_meter,
    exact,
)

Adds = Callable[[Fraction, Fraction], tuple[Fraction, Fraction]]
"""What a controller adds to display and reserve in place of the two contributions."""

NOTHING = Fraction(0)


class Drifting(ProgressiveScript):
    """A controller that adds something else where a test says so."""

    adds: Adds | None = None

    def add(self, stake: int, filed: FiledMeter) -> None:
        """Add a contribution, or what is added in its place."""
        before = self.display, self.reserve
        super().add(stake, filed)
        if self.adds is not None:
            display, reserve = self.adds(self.display - before[0], self.reserve - before[1])
            self.display, self.reserve = before[0] + display, before[1] + reserve

    def play(self, plan: str, adds: dict[str, Adds], stake: int = 500) -> Drifting:
        """Play a coup for each letter: T1 and T2 for 1 and 2, and for the letters of ``adds``."""
        for one in plan:
            self.adds = adds.get(one)
            table = one if one.isdigit() else "2" if one.isupper() else "1"
            self.close(self.coup(f"T{table}", (stake,)))
            self.adds = None
        return self


def linked(**changes: object) -> Drifting:
    """Link a table of letter A at Minibaccarat and one of letter B at Baccarat."""
    big = a_meter(
        wager="harmony_big.harmony_progressive",
        paytable="B",
        increment_rate="19%",
        reserve_rate="5%",
        rate_citation="58 Pa. Code § 631b.10(j)",
        **changes,
    )
    return Drifting(T1=a_meter(**changes), T2=big)


def not_added(_display: Fraction, _reserve: Fraction) -> tuple[Fraction, Fraction]:
    return NOTHING, NOTHING


def added_twice(display: Fraction, reserve: Fraction) -> tuple[Fraction, Fraction]:
    return 2 * display, 2 * reserve


def sentences(script: Drifting) -> list[str]:
    return sorted(one.sentence for one in FoldedLedger(script.inputs).findings)


def test_two_causes_at_different_moments_are_told_as_they_were_seen() -> None:
    # 19 % and 5 % of 5.00 are lacking at coup 4, 15 % and 3 % are too much at coup 7: together
    # what one wager of T2 at the rates of T1 would lack, which the lock-outs contradict.
    script = linked().play("11", {}).read()
    script.play("1N11t1", {"N": not_added, "t": added_twice}).read().heard()
    assert sentences(script) == [
        "Wager C4w1 of 5.00 at T2 (event 8, coup C4) is not in the meter; the meter is 0.95 and "
        "the reserve 0.25 short.",
        "Wager C7w1 of 5.00 at T1 (event 14, coup C7) is in the meter twice; the meter is 0.75 and "
        "the reserve 0.15 too high.",
    ]


def test_what_two_causes_came_to_is_not_found_again_at_the_next_reading() -> None:
    adds: dict[str, Adds] = {
        "A": lambda _display, _reserve: (Fraction(75), Fraction(15)),
        "n": not_added,
    }
    script = linked().play("11", {}).read().play("1A1AnA1", adds).read()
    script.play("11", {}).read().play("22", {}).read().heard()
    found = sentences(script)
    assert len(found) == 2
    assert "T2's wagers fed the meter at 15 % instead of 19 % and the reserve at 3 %" in found[0]
    assert "3 wagers from event 8 on. The meter is 0.60 and the reserve 0.30 short." in found[0]
    assert found[1].startswith("Wager C7w1 of 5.00 at T1 (event 14, coup C7) is not in the meter")
    assert "pairs of causes" not in "".join(found)


def test_a_rate_of_the_reserve_alone_is_not_pinned_by_displays_that_agree() -> None:
    script = linked().play("11", {}).read()
    script.play("1111ffff", {"f": lambda display, _reserve: (display, Fraction(25))})
    (sentence,) = sentences(script.read().heard())
    assert "T1's wagers fed the reserve at 5 % instead of 3 %" in sentence
    assert "The reserve is 0.40 too high. The meter is correct." in sentence
    assert "begun in 5 ways that fit equally (events 6–18)." in sentence


def test_a_reserve_that_moved_once_can_have_done_so_since_the_reading_before() -> None:
    script = linked().play("11", {}).read().play("111", {})
    script.reserve += 7
    (sentence,) = sentences(script.play("1", {}).read().heard())
    assert sentence == (
        "The reserve rose 0.07 between events 5 and 14 of the controller with no wager or "
        "adjustment to explain it. The meter is correct. Another rate would fit as exactly."
    )  # 3.5 % of three wagers of 5.00 is 0.075 more, of which whole cents are said


def test_roundings_too_small_to_be_seen_at_a_lock_out_begin_where_they_began() -> None:
    # 15 % of 5.33 is 0.7995: less than a cent is lacking after the first coup.
    def cut(display: Fraction, reserve: Fraction) -> tuple[Fraction, Fraction]:
        return Fraction(display // 1), Fraction(reserve // 1)

    script = linked().play("11", {}).read().play("cccccc", {"c": cut}, 533).read().heard()
    (sentence,) = sentences(script)
    assert sentence == (
        "From 18:00, each contribution was truncated to whole cents before it was added: 6 wagers "
        "from event 6 on. The meter is 0.057 and the reserve 0.0594 short."
    )


@pytest.mark.parametrize(
    ("stake", "how"), [(521, "rounded up"), (530, "rounded half up or rounded up")]
)
def test_roundings_upwards_are_told_and_what_comes_to_the_same_is_said_so(
    stake: int, how: str
) -> None:
    def up(display: Fraction, reserve: Fraction) -> tuple[Fraction, Fraction]:
        return Fraction(-(-display // 1)), Fraction(-(-reserve // 1))

    script = linked().play("11", {}).read().play("u" * 14, {"u": up}, stake).read().heard()
    (sentence,) = sentences(script)
    assert sentence.startswith(f"From 18:00, each contribution was {how} to whole cents")
    assert "14 wagers from event 6 on" in sentence


def test_a_rate_in_hundredths_of_a_per_cent_is_told_where_lock_outs_bear_it_out() -> None:
    adds: dict[str, Adds] = {"f": lambda display, reserve: (display * 157 / 150, reserve)}
    script = linked().play("11", {}).read().play("111ffff", adds).read().heard()
    (sentence,) = sentences(script)
    assert sentence == (
        "From 18:01, T1's wagers fed the meter at 15.7 % instead of 15 %: 4 wagers from event 12 "
        "on. The meter is 0.14 too high. The reserve is correct."
    )


class AtTheLimit(Drifting):
    """A controller with a limit: it shows no more, and has the rest in the overflow."""

    limit = Fraction(1_000_500)

    def say(self, kind: type, **fields: object) -> None:
        """Say what is shown, not the running value."""
        if kind is said.ProgressiveLockedOut:
            fields["display"] = exact(min(self.display, self.limit))
        super().say(kind, **fields)

    def meters(self) -> AtTheLimit:
        """Read display and overflow."""
        shown = min(self.display, self.limit)
        self.read(display=exact(shown), overflow=exact(self.display - shown))
        return self


def at_the_limit() -> AtTheLimit:
    limited = a_meter(limit_minor=1_000_500)
    return AtTheLimit(T1=limited)


@pytest.mark.parametrize(("plan", "event"), [("1n11111111", 8), ("11111111n1", 22)])
def test_a_wager_that_is_not_in_the_meter_is_named_above_the_limit_too(
    plan: str, event: int
) -> None:
    script = at_the_limit()
    script.play("11", {})
    script.meters().play(plan, {"n": not_added}, 1000)
    script.meters().heard()
    (sentence,) = sentences(script)
    assert f"(event {event}, coup" in sentence or "equal wagers" in sentence
    assert "not in the meter; the meter is 1.50 and the reserve 0.30 short" in sentence


def test_what_only_the_overflow_lacks_is_mishandled() -> None:
    script = at_the_limit()
    script.play("1" * 9, {}).meters().play("11", {}).read(display="10005.00", overflow="1.00")
    (found,) = FoldedLedger(script.heard().inputs).findings
    assert (found.code.value, found.evidence) == ("OVERFLOW_MISHANDLED", (24,))
    assert found.sentence == (
        "Reading 24 shows a display of 10,005.00 and an overflow of 1.00; with the filed limit of "
        "10,005.00 they should be 10,005.00 and 3.25."
    )


@pytest.mark.parametrize("limit", [1_000_500, None])
def test_an_overflow_below_the_limit_or_without_one_is_mishandled(limit: int | None) -> None:
    script = linked(limit_minor=limit).play("11", {}).read().play("1" * 6, {})
    script.read(display="10004.00", overflow="2.00").heard()
    (found,) = FoldedLedger(script.inputs).findings
    assert found.code.value == "OVERFLOW_MISHANDLED"
    due = "with the filed limit of 10,005.00 they should be 10,005.00 and 1.00"
    if limit is None:
        due = "no limit is filed, so the display should show 10,006.00"
    assert found.sentence == (
        f"Reading 18 shows a display of 10,004.00 and an overflow of 2.00; {due}."
    )


def voided(policy: str, *, is_said: bool, is_done: bool) -> list[str]:
    """Void a coup of two wagers after a reading that has them."""
    script = linked(void_policy=policy).play("11", {}).read().play("1", {})
    coup = script.coup("T1", (500, 500))
    script.read().wait(10)
    coup.state = "voided"
    script.tell(coup)
    if is_done:
        script.display -= 150
        script.reserve -= 30
    if is_said:
        for meter, change in (("display", "-1.50"), ("reserve", "-0.30")):
            script.say(
                said.ProgressiveAdjusted,
                adjustment_id=meter,
                meter=meter,
                change=change,
                reason="coup_voided",
                approved_by="E",
                table_id="T1",
                coup_id=coup.coup_id,
            )
    return sentences(script.wait(40).play("11", {}).read().play("1", {}).read().heard())


@pytest.mark.parametrize("policy", ["reversed", "kept"])
def test_what_a_void_took_back_unsaid_is_told_once_and_by_that(policy: str) -> None:
    assert voided(policy, is_said=False, is_done=True) == [
        "The meters no longer hold what voided coup C4 at T1 had added; the controller did not say "
        "that it took it back; the meter is 1.50 and the reserve 0.30 short."
    ]


def test_what_a_void_is_said_to_take_back_and_the_meters_still_hold_is_told_by_that() -> None:
    assert voided("reversed", is_said=True, is_done=False) == [
        "The controller said that it took back what voided coup C4 at T1 had added; the meters "
        "still hold it; the meter is 1.50 and the reserve 0.30 too high."
    ]


@pytest.mark.parametrize(("policy", "is_said"), [("reversed", False), ("kept", True)])
def test_a_void_that_is_not_treated_as_filed_names_coup_event_and_effect(
    policy: str, is_said: bool
) -> None:
    done, off = "have been taken back (interpretation D9) and was not", "too high"
    if policy == "kept":
        done, off = "have stayed (interpretation D9) and was taken back", "short"
    assert voided(policy, is_said=is_said, is_done=is_said) == [
        f"Coup C4 at T1 was voided; what its wagers had added should {done}; the meter is 1.50 "
        f"and the reserve 0.30 {off}."
    ]
    assert voided(policy, is_said=not is_said, is_done=not is_said) == []


def test_a_controller_that_starts_a_new_feed_is_followed_in_order_of_time() -> None:
    script = linked().play("111", {}).read().play("11", {})
    first = len(script.inputs)
    script.play("N11", {"N": not_added}).read().heard()
    inputs = list(script.inputs[:first])
    for number, one in enumerate(script.inputs[first:], 1):
        if isinstance(one, ControllerSaid):
            event = parse_event(one.event.encode())
            place = {"feed_id": "c2", "sequence": one.sequence - 11}
            text = encode_event(event.model_copy(update=place)).decode()
            inputs.append(one.model_copy(update=place | {"version": 900 + number, "event": text}))
        elif isinstance(one, ControllerWatermark):
            inputs.append(one.model_copy(update={"feed_id": "c2"}))
        else:
            inputs.append(one)
    (found,) = FoldedLedger(inputs).findings
    assert (found.feed, found.evidence, found.coup) == ("c2", (1,), "C6")
    assert found.sentence == (
        "Wager C6w1 of 5.00 at T2 (event 1, coup C6) is not in the meter; the meter is 0.95 and "
        "the reserve 0.25 short."
    )


class OnlyCounting(Drifting):
    """A controller that says no single wagers, only how many it counted for each table."""

    def say(self, kind: type, **fields: object) -> None:
        """Say everything else."""
        if kind is not said.ProgressiveWagerAccepted:
            super().say(kind, **fields)


def only_counting() -> OnlyCounting:
    big = a_meter(paytable="B", increment_rate="19%", reserve_rate="5%")
    script = OnlyCounting(T1=a_meter(), T2=big)
    script.play("11", {}).wait(31).read()
    return script


def test_a_count_beyond_all_wagers_of_a_table_is_told_as_what_it_is() -> None:
    script = only_counting()
    script.play("11", {})
    coup = script.coup("T2")
    script.count(coup.entries[0], coup)
    script.close(coup).play("2", {}).wait(31).read()
    # The wager of T2 within the lag may be the one that seemed too many: the next reading tells.
    script.play("12", {}).wait(31).read().heard()
    (found,) = FoldedLedger(script.inputs).findings
    assert found.code.value == "CONTRIBUTION_DUPLICATED"
    assert found.sentence == (
        "The controller counted 1 wager more and 5.00 of stakes more at T2 than the table "
        "accepted; the meter is 0.95 and the reserve 0.25 too high."
    )


def test_counts_that_lack_what_the_meters_have_are_one_cause() -> None:
    script = only_counting().play("11", {})
    script.in_count, script.coin_in = script.in_count - 1, script.coin_in - 500
    script.by_table["T1"] = [3, 1500]
    script.wait(31).read().play("12", {}).wait(31).read().heard()
    assert sentences(script) == [
        "The controller counted 1 wager less and 5.00 of stakes less at T1 than the table "
        "accepted; the meter and the reserve are correct."
    ]


def test_counts_that_begin_anew_are_told_and_no_wager_is_blamed() -> None:
    script = only_counting().play("1112", {}).wait(31).read()
    script.in_count = script.coin_in = 0
    script.by_table = {name: [0, 0] for name in script.by_table}
    script.play("12", {}).wait(31).read().play("12", {}).wait(31).read().heard()
    assert sentences(script) == [
        "The controller's count of wagers fell from 6 to 2 by reading 11; it can only rise.",
        "The controller's total of stakes fell from 30.00 to 10.00 by reading 11; it can only "
        "rise.",
    ]


@pytest.mark.parametrize("before", [(0, 0), (5, 2500)])
def test_a_table_that_joins_and_leaves_is_counted_from_and_up_to_what_it_had(
    before: tuple[int, int],
) -> None:
    script = only_counting()
    filed = script.tables["T3"] = script.tables["T2"]
    script.by_table["T3"] = list(before)
    script._sequence["T3"] = 0
    script.wait(1).say(
        said.ProgressiveTableJoined,
        table_id="T3",
        in_count=before[0],
        coin_in_minor=before[1],
        increment_rate="19%",
        reserve_rate="5%",
        approved_by="E",
    )
    script.play("313", {}).wait(31).read().play("33", {}).wait(31)
    count, coin_in = script.by_table["T3"]
    script.say(
        said.ProgressiveTableLeft,
        table_id="T3",
        in_count=count,
        coin_in_minor=coin_in,
        approved_by="E",
    )
    del script.tables["T3"]
    script.wait(31).read().play("12", {}).wait(31).read()
    script.tables["T3"] = filed
    assert sentences(script.heard()) == []
    assert (count, coin_in) == (before[0] + 4, before[1] + 2000)


@pytest.mark.parametrize("late", [3, 2, 0])
def test_counts_may_be_made_up_for_within_the_lag_after_contact_is_restored(late: int) -> None:
    script = only_counting()
    script.say(said.ProgressiveLinkLost, table_id="T2")
    coups = [script.coup("T2", counted=False) for _ in range(3)]
    for coup in coups:
        script.close(coup)
    script.wait(31).read().play("1", {}).wait(31)
    script.say(said.ProgressiveLinkRestored, table_id="T2", counted_late_count=late)
    script.wait(1).read()
    for coup in coups[:late]:
        script.count(coup.entries[0], coup)
    found = sentences(script.play("21", {}).wait(31).read().play("1", {}).wait(31).read().heard())
    assert len(found) == (late < 3)
    if late < 3:
        lacking = "3 of 4 equal wagers" if late == 0 else "One of 4 equal wagers"
        assert found[0].startswith(f"{lacking} of 5.00 at T2")


OTHER: dict[str, Adds] = {
    "w": lambda display, reserve: (display * 19 / 15, reserve * 5 / 3),
    "W": lambda display, reserve: (display * 15 / 19, reserve * 3 / 5),
}
"""The rates of the other letter, at T1 and at T2."""


def test_a_rate_that_goes_on_is_one_finding_that_says_what_it_comes_to() -> None:
    script = linked().play("11", {}).read().play("1ww", OTHER).read()
    told = FoldedLedger(
        script.play("ww", OTHER)
        .read()
        .play("w1", OTHER)
        .read()
        .play("11", {})
        .read()
        .heard()
        .inputs,
        reload_every=4,
    )
    (found,) = told.findings
    assert found.sentence == (
        "From 18:01, T1's wagers fed the meter at 19 % instead of 15 % and the reserve at 5 % "
        "instead of 3 %: 5 wagers from event 8 up to reading 22. The meter is 1.00 and the reserve "
        "0.50 too high."
    )
    assert found.evidence == (8, 22)


def test_a_rate_that_goes_on_hides_neither_that_of_another_table_nor_a_step() -> None:
    script = linked().play("11", {}).read().play("1ww", OTHER).read()
    script.play("wWWW", OTHER).read().play("w1", OTHER)
    script.display += 5_000
    first, second, third = sentences(script.play("1", {}).read().play("1", {}).read().heard())
    assert first == (
        "From 18:01, T1's wagers fed the meter at 19 % instead of 15 % and the reserve at 5 % "
        "instead of 3 %: 4 wagers from event 8 up to reading 28. The meter is 0.80 and the reserve "
        "0.40 too high."
    )
    assert "T2's wagers fed the meter at 15 % instead of 19 %" in second
    assert "3 wagers from event 15 on. The meter is 0.60 and the reserve 0.30 short." in second
    assert third == (
        "The meter rose 50.00 between events 25 and 27 of the controller with no wager or "
        "adjustment to explain it. The reserve is correct."
    )


def cut(display: Fraction, reserve: Fraction) -> tuple[Fraction, Fraction]:
    return Fraction(display // 1), reserve


CUT: dict[str, Adds] = {"c": cut, "C": cut}
"""Each contribution is cut to whole minor units, at T1 and at T2."""


def test_rounding_that_goes_on_at_another_table_is_one_finding_of_the_meter() -> None:
    script = linked().play("11", {}).read().play("ccc", CUT, 250).read().play("CC", CUT, 250)
    told = FoldedLedger(
        script.read().read().play("cc", CUT, 250).read().heard().inputs, reload_every=4
    )
    (found,) = told.findings
    assert "7 wagers from event 6 up to reading 23. The meter is 0.035 short." in found.sentence


def test_rounding_that_ended_and_began_again_at_another_table_is_two_findings() -> None:
    script = linked().play("11", {}).read().play("ccc", CUT, 250).read().play("2", {}, 250).read()
    first, second = sentences(script.play("CC", CUT, 250).read().heard())
    assert "3 wagers from event 6 on. The meter is 0.015 short." in first
    assert "2 wagers from event" in second
    assert "The meter is 0.01 short." in second


def test_a_step_at_the_end_of_a_rate_is_found() -> None:
    script = linked().play("11", {}).read().play("1ww", OTHER).read().play("ww", OTHER).read()
    script.play("1", {}).display += 5_000
    found = sentences(script.play("1", {}).read().play("1", {}).read().heard())
    assert len(found) == 2
    assert "The meter is 0.80 and the reserve 0.40 too high" in found[0]
    assert "between events 19 and 21 of the controller" in found[1]


def test_two_rates_that_nothing_names_are_not_made_up_for_a_sum() -> None:
    script = only_counting().play("11121", {})
    script.display += 250
    script.reserve += 125
    (sentence,) = sentences(script.wait(31).read().play("12", {}).wait(31).read().heard())
    assert "No known cause, and no two together" in sentence
    adds: dict[str, Adds] = {"f": lambda _display, _reserve: (Fraction(100), Fraction(40))}
    seen = linked().play("11", {}).read().play("1ffff", adds).read().heard()
    assert sentences(seen) == [
        "From 18:01, T1's wagers fed the meter at 20 % instead of 15 % and the reserve at 8 % "
        "instead of 3 %: 4 wagers from event 8 on. The meter is 1.00 and the reserve 1.00 too high."
    ]


def test_a_step_of_the_reserve_beside_a_rate_is_no_rate_of_the_reserve() -> None:
    script = linked().play("11", {}).read().play("1ww1w", OTHER)
    script.reserve += 7
    (sentence,) = sentences(script.play("1", {}).read().heard())
    assert "No known cause, and no two together" in sentence


def test_hits_and_wins_are_compared_also_where_no_single_wagers_are_told() -> None:
    script = only_counting().play("12", {}).wait(31).read(hits_count=1, wins_minor=100)
    assert sentences(script.play("12", {}).wait(31).read(hits_count=1, wins_minor=100).heard()) == [
        "The controller's count of hits reads 1 at reading 6; by its own events it should be 0.",
        "The controller's total of wins reads 1.00 at reading 6; by its own events it should be "
        "0.00.",
    ]


def test_a_state_that_kept_words_is_read_and_a_lasting_cause_goes_on_in_them() -> None:
    script = linked().play("11", {}).read().play("1ww", OTHER).read().heard()
    state = FoldedLedger(script.inputs).state
    told = json.loads(progressive.encode_state(state))
    (matter,) = told["levels"][0]["baseline"][Baseline._fields.index("matters")]
    assert matter[7]["kind"] == "rate_applied"
    matter[7:] = ["Another rate since event 8", "", *matter[8:11]]
    earlier = progressive.decode_state(json.dumps(told).encode())
    (read,) = earlier.levels[0].baseline.matters
    assert read.facts.kind == "lasting_before"
    assert read[:7] == state.levels[0].baseline.matters[0][:7]
    assert progressive.decode_state(progressive.encode_state(earlier)) == earlier
    with pytest.raises(ValueError, match="no state"):
        progressive.decode_state(b'{"levels": [3]}')


def test_a_finding_says_when_the_first_wrong_act_was() -> None:
    script = linked().play("11", {}).read()
    acts = len(script.inputs)
    script.play("1w", OTHER).read().play("w", OTHER).read().heard()
    (found,) = FoldedLedger(script.inputs).findings
    moments = {
        one.sequence: parse_event(one.event.encode()).occurred_at_us
        for one in script.inputs[acts:]
        if isinstance(one, ControllerSaid)
    }
    assert found.occurred_at_us == moments[found.evidence[0]]
    assert decode_facts(encode_facts(found.facts)) == found.facts
    assert found.as_json()["facts"]["increment_applied"] == "19"
