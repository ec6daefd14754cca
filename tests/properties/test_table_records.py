"""Records that the fold builds read back as what they were, field by field in their order."""

from __future__ import annotations

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.findings import Finding, FindingCode, Severity
from schemas.records import CoupRow, Record, WagerRow, decode_record, encode_record
from tests.properties.test_table_fold import folded
from tests.support.tables.table_days import table_days
from tests.support.tables.table_script import TableScript


@given(table_days())
@settings(max_examples=40)
def test_every_record_passes_all_checks_field_by_field_in_their_order(day: TableScript) -> None:
    for record in folded(enumerate(day.messages))[1]:
        written = record.model_copy(update={"withdrawn": ()})
        assert decode_record(encode_record(record)) == written
        assert list(record.__dict__) == list(Record.model_fields)
        for wager in record.wagers:
            assert list(wager.__dict__) == list(WagerRow.model_fields)
        if record.coup is not None:
            assert list(record.coup.__dict__) == list(CoupRow.model_fields)


@given(table_days(), st.text(), st.integers(-(2**63), 2**63 - 1))
@settings(max_examples=40)
def test_whatever_is_said_the_bytes_of_a_record_are_its_one_way_of_writing(
    day: TableScript, text: str, amount: int
) -> None:
    record = folded(enumerate(day.messages))[1][-1]
    found = Finding(
        id=text,
        code=FindingCode.WAGER_OVERPAID,
        severity=Severity.INFO,
        sentence=text,
        paid_minor=amount,
        interpretations={text: text},
    )
    raw = encode_record(record.model_copy(update={"findings": (found,), "subject": text}))
    assert orjson.dumps(orjson.loads(raw)) == raw
