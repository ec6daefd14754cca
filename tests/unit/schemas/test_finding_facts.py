"""Facts of findings: every class has a sentence, and survives being written and read."""

import typing

import pytest

from auditors.catalogue.sentences import RENDERERS, words_of
from schemas.finding_facts import FactsPart, FindingFacts, decode_facts, encode_facts
from schemas.finding_facts.parts import ID_MAX, WORDS_MAX, PutRight
from schemas.finding_facts.payment import PaymentDiffers, Reckoning, WithdrawnPaid
from schemas.finding_facts.wager import StakeOutOfLimits
from schemas.findings import FIELDS_OF_FINDING_1, Finding, FindingCode, Severity
from schemas.records import (
    RECORD_SCHEMA,
    RECORD_SCHEMA_1,
    RecordKind,
    decode_record,
    encode_record,
)
from tests.support.tables.table_script import Folded, TableScript
from tests.unit.auditors.table.test_every_code import FEEDS

CLASSES: tuple[type[FactsPart], ...] = typing.get_args(typing.get_args(FindingFacts)[0])


def overpaid() -> Folded:
    script = TableScript().open().shoe().coup()
    wager = script.wager("banker", 10_000, "4")
    script.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
    return Folded(script.settle(wager, 20_000, stake_collected_minor=0).close().messages)


def test_every_class_of_facts_has_one_renderer_and_a_tag_of_its_own() -> None:
    assert set(RENDERERS) == set(CLASSES)
    tags = [one.model_fields["kind"].default for one in CLASSES]
    assert len(set(tags)) == len(tags)


@pytest.mark.parametrize("code", FEEDS, ids=str)
def test_a_sentence_is_a_function_of_what_its_finding_says(code: FindingCode) -> None:
    for found in Folded(FEEDS[code]()).findings:
        assert tuple(words_of(found)) == (found.sentence, found.title)
        if found.facts is None:
            continue
        assert decode_facts(encode_facts(found.facts)) == found.facts
        bare = found.model_copy(update={"sentence": "", "title": None})
        assert tuple(words_of(bare)) == (found.sentence, found.title)


def test_a_payment_names_its_act_and_what_it_is_about() -> None:
    folded = overpaid()
    found = folded.finding
    row = folded.coup("S1/1")
    assert found.coup_began_at_us == row.coup.began_at_us
    assert found.occurred_at_us is not None and found.occurred_at_us > found.coup_began_at_us
    assert (found.gaming_date, found.coup_no, found.stake_minor) == ("2025-06-07", 1, 10_000)
    assert (found.wager_id, found.settlement_id) == ("W1", "T-W1")
    document = found.as_json()
    assert document["stake"] == "100.00"
    assert document["facts"]["reckoning"]["claim"] == "1 to 1 less 5 % vigorish"
    assert document["facts"]["stake"] == "100.00"


def test_amounts_of_facts_are_decimals_where_people_read_them() -> None:
    facts = StakeOutOfLimits(
        wager_name="Tie", bound="maximum", limit_minor=100_000, staked_minor=150_000
    )
    found = Finding(
        id="0",
        code=FindingCode.WAGER_OUT_OF_LIMITS,
        severity=Severity.NOTICE,
        sentence="",
        seat="3",
        facts=facts,
    )
    assert found.as_json()["facts"] == {
        "kind": "stake_out_of_limits",
        "wager_name": "Tie",
        "bound": "maximum",
        "limit": "1000.00",
        "staked": "1500.00",
    }
    assert words_of(found).sentence == (
        "Seat 3, Tie: 1,500.00 was staked, above the filed maximum of 1,000.00."
    )


def test_a_text_beyond_its_bound_is_cut_and_never_refused() -> None:
    facts = PaymentDiffers(
        wager_name="x" * 9_999,
        outcome="win",
        stake_minor=1,
        reckoning=Reckoning(player_cards="", banker_cards="", claim="y" * 99_999),
    )
    assert (len(facts.wager_name), len(facts.reckoning.claim)) == (ID_MAX, WORDS_MAX)


@pytest.mark.parametrize(
    ("corrected", "words", "title"),
    [
        (2_000, " Corrected at 21:15:10; nothing is outstanding.", ", corrected"),
        (
            500,
            " 5.00 was corrected at 21:15:10; 15.00 is still outstanding.",
            ", 15.00 still outstanding",
        ),
        (
            2_500,
            " 25.00 was corrected at 21:15:10; the patron is now short by 5.00.",
            ", 5.00 still outstanding",
        ),
        (-500, " A correction at 21:15:10 made the difference 25.00.", ", 25.00 still outstanding"),
    ],
)
def test_what_was_put_right_is_a_sentence_of_its_own(
    corrected: int, words: str, title: str
) -> None:
    facts = WithdrawnPaid(wager_name="Tie", put_right=PutRight(at_us=1, local_time="21:15:10"))
    found = Finding(
        id="0",
        code=FindingCode.WAGER_OVERPAID,
        severity=Severity.HIGH,
        sentence="",
        seat="3",
        due_minor=0,
        paid_minor=2_000,
        difference_minor=2_000,
        corrected_minor=corrected,
        residual_minor=2_000 - corrected,
        facts=facts,
    )
    told = words_of(found)
    assert told.sentence.endswith(f"the dealer paid 20.00.{words}")
    assert told.title == f"Withdrawn Tie paid 20.00{title}"


def test_records_of_the_shape_before_are_read_and_written_as_they_were() -> None:
    record = next(one for one in overpaid().records.values() if one.findings)
    assert (record.kind, record.schema_name) == (RecordKind.COUP, RECORD_SCHEMA)
    assert decode_record(encode_record(record)) == record
    earlier = record.model_copy(update={"schema_name": RECORD_SCHEMA_1})
    raw = encode_record(earlier)
    assert b'"facts"' not in raw and b'"settlement_id"' not in raw
    read = decode_record(raw)
    assert encode_record(read) == raw
    (found,) = read.findings
    assert found.facts is None and found.title is None and found.occurred_at_us is None
    assert tuple(words_of(found)) == (found.sentence, "Paid more than due")
    assert {name for name, value in found if value is not None} <= FIELDS_OF_FINDING_1
