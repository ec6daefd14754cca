"""Fills, credits, inventories and drops: one number has one amount, and the first one counts."""

from __future__ import annotations

import datetime

import pytest

from auditors.table.known.state import SLIPS_KEPT
from schemas import events as said
from tests.support.tables.table_script import Folded, TableScript

DROP = {"gaming_date": datetime.date(2025, 6, 7)}
SPOT = {"occasion": "spot_check"}
RIGHTLY = {"reason": "miscounted", "authorised_by": "su-1"}
KINDS = [
    (said.ChipsFilled, "fill_id", {}, "chips_filled: fill"),
    (said.ChipsCredited, "credit_id", {}, "chips_credited: credit"),
    (said.InventoryCounted, "count_id", SPOT, "inventory_counted: count"),
    (said.DropCounted, "count_id", DROP, "drop_counted: count"),
]


def told(kind: type, field: str, fields: dict[str, object], *amounts: int) -> TableScript:
    script = TableScript().open()
    for amount in amounts:
        script.say(kind, amount_minor=amount, **{field: "N-7"}, **fields)
    return script


@pytest.mark.parametrize(("kind", "field", "fields", "words"), KINDS)
def test_one_number_with_two_amounts_is_an_event_that_is_not_used(
    kind: type, field: str, fields: dict[str, object], words: str
) -> None:
    finding = Folded(told(kind, field, fields, 500_000, 600_000).messages).finding
    assert finding.code.value == "EVENT_REJECTED"
    assert finding.sentence == (
        f"Event 4, {words} N-7 was told as 5000.00 by event 3, which stays in force, and now as "
        "6000.00; it was kept but not used."
    )


@pytest.mark.parametrize(("kind", "field", "fields", "words"), KINDS)
def test_one_number_said_again_with_its_amount_is_said_once(
    kind: type, field: str, fields: dict[str, object], words: str
) -> None:
    assert Folded(told(kind, field, fields, 500_000, 500_000).messages).codes == [], words


def test_the_first_amount_stays_in_force_against_every_other() -> None:
    folded = Folded(told(said.ChipsFilled, "fill_id", {}, 1, 2, 1, 2, 3).messages)
    assert [one.evidence for one in folded.findings] == [(4,), (6,), (7,)]


def test_fills_credits_and_counts_have_numbers_of_their_own() -> None:
    script = TableScript().open()
    script.say(said.ChipsFilled, fill_id="7", amount_minor=1)
    script.say(said.ChipsCredited, credit_id="7", amount_minor=2)
    script.say(said.InventoryCounted, count_id="7", amount_minor=3, **SPOT)
    assert Folded(script.messages).codes == []


def test_one_number_for_an_inventory_and_a_drop_is_found() -> None:
    script = TableScript().open()
    script.say(said.InventoryCounted, count_id="7", amount_minor=3, **SPOT)
    script.say(said.DropCounted, count_id="7", amount_minor=3, **DROP)
    sentence = Folded(script.messages).finding.sentence
    assert (
        "count 7 was told as an inventory by event 3, which stays in force, and now as a drop"
        in sentence
    )


def counted(script: TableScript, count_id: str, minor: int, corrects: str | None = None) -> None:
    fields = {**SPOT, **(RIGHTLY if corrects else {})}
    script.say(
        said.InventoryCounted,
        count_id=count_id,
        amount_minor=minor,
        corrects_count_id=corrects,
        **fields,
    )


def test_a_count_is_put_right_again_by_correcting_the_one_that_stands() -> None:
    script = TableScript().open()
    counted(script, "A", 100)
    counted(script, "B", 200, "A")
    counted(script, "C", 300, "B")
    assert Folded(script.messages).codes == []


def test_one_count_replaced_by_two_amounts_is_found() -> None:
    script = TableScript().open()
    counted(script, "A", 100)
    counted(script, "B", 200, "A")
    counted(script, "C", 300, "A")
    assert Folded(script.messages).finding.sentence == (
        "Event 5, inventory_counted: count A was replaced by count B (2.00, event 4) before, so "
        "count C (3.00) cannot replace it as well; it was kept but not used."
    )


def test_counts_of_the_same_thing_under_two_numbers_are_two_counts() -> None:
    script = TableScript().open()
    script.say(said.DropCounted, count_id="1", amount_minor=3, **DROP)
    script.say(said.DropCounted, count_id="2", amount_minor=4, **DROP)
    assert Folded(script.messages).codes == []


def test_a_count_that_is_replaced_by_nobody_is_said_once() -> None:
    script = TableScript().open()
    counted(script, "A", 100)
    for _ in range(2):
        script.say(
            said.InventoryCounted, count_id="B", amount_minor=200, corrects_count_id="A", **SPOT
        )
    folded = Folded(script.messages)
    assert folded.codes == ["CORRECTION_UNAUTHORISED"]
    assert folded.absorbed[-1].records == ()


def test_numbers_are_known_across_feeds_and_days_as_far_as_they_are_kept() -> None:
    script = told(said.ChipsFilled, "fill_id", {}, 500_000)
    script.restart()
    script.say(said.ChipsFilled, fill_id="N-7", amount_minor=1)
    assert Folded(script.messages).codes == ["EVENT_REJECTED"]
    script = told(said.ChipsFilled, "fill_id", {}, 500_000)
    for number in range(SLIPS_KEPT):
        script.say(said.ChipsFilled, fill_id=f"M-{number}", amount_minor=1)
    folded = Folded(script.say(said.ChipsFilled, fill_id="N-7", amount_minor=1).messages)
    assert folded.codes == []
    assert len(folded.state.slips) == SLIPS_KEPT


def test_a_second_replacement_that_is_told_again_is_no_news() -> None:
    script = TableScript().open()
    told = {"occasion": "opening", "reason": "miscounted", "authorised_by": "su-1"}
    script.say(said.InventoryCounted, count_id="C1", amount_minor=100, occasion="opening")
    for count_id, minor in (("C2", 200), ("C3", 300), ("C3", 300)):
        counted = {"count_id": count_id, "amount_minor": minor, "corrects_count_id": "C1"}
        script.say(said.InventoryCounted, **counted, **told)
    assert Folded(script.messages).codes == ["EVENT_REJECTED"]
