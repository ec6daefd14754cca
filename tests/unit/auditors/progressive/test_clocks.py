"""A controller whose clock is further off than anything is in flight is told, table by table."""

from __future__ import annotations

from schemas import events as said
from tests.support.progressives.progressive_script import (
    SECOND,
    FoldedLedger,
    ProgressiveScript,
    a_meter,
)


class WithClock(ProgressiveScript):
    """The controller's clock is ahead of those of the tables, or behind."""

    ahead_seconds = 0

    def say(self, kind: type, **fields: object) -> None:
        """Let the controller say something at its own time."""
        self.at_us += self.ahead_seconds * SECOND
        super().say(kind, **fields)
        self.at_us -= self.ahead_seconds * SECOND


def a_night(ahead_seconds: int, coups: int = 10) -> WithClock:
    script = WithClock(T1=a_meter(), T2=a_meter())
    script.ahead_seconds = ahead_seconds
    script.read()
    for number in range(coups):
        script.close(script.coup(("T1", "T2")[number % 2], stakes=(500, 500))).read()
    script.heard(200)
    return script


def test_a_clock_that_is_off_beyond_the_lag_is_found_at_every_table() -> None:
    for ahead, word in ((45, "after"), (-45, "before")):
        found = FoldedLedger(a_night(ahead).inputs).findings
        assert [one.code.value for one in found] == ["LINK_DISAGREES"] * 2
        for table, one in zip(("T1", "T2"), sorted(found, key=lambda f: f.sentence), strict=True):
            assert one.sentence.startswith(f"The controller counted {table}'s wagers ")
            assert f"45 s {word} the table accepted them (up to reading " in one.sentence
            assert one.source == "PRG-1"


def test_a_clock_that_is_off_within_the_lag_is_none_of_it() -> None:
    for ahead in (29, -29, 0):
        assert FoldedLedger(a_night(ahead).inputs).codes == []


def test_a_clock_so_far_off_that_wagers_are_found_late_is_told_too() -> None:
    told = FoldedLedger(a_night(75).inputs)
    assert told.codes.count("LINK_DISAGREES") == 2


def test_some_wagers_that_are_counted_late_say_nothing_of_a_clock() -> None:
    script = WithClock().read()
    for number in range(10):
        coup = script.coup(stakes=(500, 500), counted=False)
        script.ahead_seconds = 45 if number % 3 else 0
        for wager in coup.entries:
            script.count(wager, coup)
        script.ahead_seconds = 0
        script.close(coup).wait(30).read()
    assert "LINK_DISAGREES" not in FoldedLedger(script.heard(200).inputs).codes


def test_what_is_made_up_for_after_contact_was_lost_says_nothing_of_a_clock() -> None:
    script = ProgressiveScript().read()
    script.say(said.ProgressiveLinkLost, table_id="T1")
    coups = [script.coup(stakes=(500, 500), counted=False) for _ in range(5)]
    script.wait(60).say(said.ProgressiveLinkRestored, table_id="T1")
    for coup in coups:
        for wager in coup.entries:
            script.count(wager, coup)
    told = FoldedLedger(script.wait(1).read().heard(200).inputs)
    assert told.codes == []


def test_what_is_said_of_clocks_does_not_depend_on_the_order_of_arrival() -> None:
    inputs = a_night(45).inputs
    by_source: dict[str, list[object]] = {}
    for one in inputs:
        name = getattr(one, "table_id", None) or getattr(one, "source_id", "")
        by_source.setdefault(name, []).append(one)
    first = FoldedLedger(inputs)
    for names in (("T1", "T2", "PRG-1"), ("PRG-1", "T2", "T1"), ("T2", "PRG-1", "T1")):
        again = FoldedLedger([one for name in names for one in by_source[name]])  # type: ignore[misc]
        assert again.standing().keys() == first.standing().keys()
        assert {one.id for one in again.findings} == {one.id for one in first.findings}
