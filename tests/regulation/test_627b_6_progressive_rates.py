"""58 Pa. Code §§ 627b.6(j), 631b.10(j): each contribution at the rates of its table's letter."""

from __future__ import annotations

from fractions import Fraction

import pytest

from auditors.law import load_law
from auditors.progressive.ledger.scaling import SCALE, decimal_text, fraction_of, rate_parts
from schemas import events as said
from schemas.odds import parse_rate
from schemas.progressive_rows import LedgerRow
from schemas.records import RecordKind
from tests.support.progressives.progressive_script import FoldedLedger, ProgressiveScript, a_meter

SECTIONS = ("harmony_mini", "harmony_big")
LETTERS = "ABCDEFGHI"


def filed(section: str, letter: str) -> dict[str, object]:
    rates = load_law().sections[section].progressive
    assert rates is not None
    return {
        "wager": f"{section}.harmony_progressive",
        "paytable": letter,
        "increment_rate": rates.increment[letter],
        "reserve_rate": rates.reserve[letter],
    }


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("letter", LETTERS)
def test_j_meter_and_reserve_grow_by_the_rates_of_the_letter(section: str, letter: str) -> None:
    script = ProgressiveScript(T1=a_meter(**filed(section, letter)))
    script.read().close(script.coup(stakes=(500, 500, 500, 500)))
    told = FoldedLedger(script.read().heard(90).inputs)
    assert told.codes == []
    increment, reserve = (19, 5) if letter in "BEH" else (15, 3)
    row = told.rows(RecordKind.LEDGER)[-1]
    assert isinstance(row, LedgerRow)
    assert Fraction(row.display) * 100 == 1_000_000 + Fraction(2000 * increment, 100)
    assert Fraction(row.reserve) * 100 == Fraction(2000 * reserve, 100)


@pytest.mark.parametrize("letter", LETTERS)
def test_j_another_rate_at_the_controller_is_found_and_the_right_one_is_not(letter: str) -> None:
    meter = a_meter(**filed("harmony_mini", letter))
    other = "15%" if letter in "BEH" else "19%"
    for stated, found in ((meter.increment_rate, []), (other, ["RATE_MISMATCH"])):
        script = ProgressiveScript(T1=meter)
        script.say(
            said.ProgressiveTableJoined,
            table_id="T1",
            increment_rate=stated,
            reserve_rate=meter.reserve_rate,
            approved_by="su-1",
        )
        told = FoldedLedger(script.heard().heard().inputs)
        assert told.codes == found
        assert all(letter in one.sentence for one in told.findings)


def test_j_a_rate_that_is_changed_to_another_one_is_found_although_it_was_approved() -> None:
    script = ProgressiveScript()
    script.read().say(
        said.ProgressiveParametersChanged,
        parameter="reserve_rate",
        value_before="3%",
        value_after="5%",
        table_id="T1",
        authority="notice 12",
        approved_by="su-1",
    )
    (found,) = FoldedLedger(script.heard().heard().inputs).findings
    assert found.code.value == "RATE_MISMATCH"
    assert "5%" in found.sentence
    assert "3%" in found.sentence


def test_j_both_sections_on_one_link_each_feed_it_by_their_own_letter() -> None:
    script = ProgressiveScript(
        T1=a_meter(**filed("harmony_mini", "A")), T2=a_meter(**filed("harmony_big", "B"))
    )
    script.read()
    for table in ("T1", "T2"):
        script.close(script.coup(table, (500,)))
    told = FoldedLedger(script.read().heard().inputs)
    assert told.codes == []
    ledger = told.state.levels[0].ledger
    assert fraction_of(ledger.display) == 1_000_000 + 75 + 95
    assert fraction_of(ledger.reserve) == 15 + 25


def test_j_157_in_ten_thousand_of_a_million_is_15_700() -> None:
    stake = 100_000_000
    assert rate_parts("1.57%") * stake == 1_570_000 * SCALE
    assert decimal_text(rate_parts("1.57%") * stake, "USD") == "15700.00"
    assert parse_rate("1.57%") == Fraction(157, 10_000)
    script = ProgressiveScript(T1=a_meter(increment_rate="1.57%", base_minor=0))
    script.read().close(script.coup(stakes=(stake // 4,) * 4))
    told = FoldedLedger(script.read(display="15700.00").heard(90).inputs)
    assert told.codes == []
    row = told.rows(RecordKind.LEDGER)[-1]
    assert isinstance(row, LedgerRow)
    assert (row.display, row.display_shown) == ("15700.00", "15700.00")


def test_j_no_part_of_a_cent_is_ever_lost() -> None:
    script = ProgressiveScript(T1=a_meter(increment_rate="0.00000001%", base_minor=0))
    for _ in range(10):
        script.close(script.coup(stakes=(1,) * 10))
    ledger = FoldedLedger(script.heard().inputs).state.levels[0].ledger
    assert fraction_of(ledger.display) == Fraction(100, 10**10)
