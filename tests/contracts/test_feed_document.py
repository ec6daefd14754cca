"""``schemas/feed.md`` says to device makers exactly what the code does."""

import hashlib
import json
import re
import subprocess
import sys

import pytest

from schemas.events import EVENT_TYPES, GENESIS_HASH, Capability, SentBy, tags_where
from schemas.wire import DEPTH_MAX, EVENT_BYTES_MAX, chain_hash, parse_event
from schemas.wire.errors import RejectReason
from schemas.wire.json_schema import event_json_schema
from schemas.wire.vectors import event_vectors
from tests.support.texts.feed_document import (
    FEED_DOCUMENT,
    document_parts,
    reference_text,
    with_own_samples,
)

WRITTEN, REFERENCE = document_parts()


def blocks(language: str) -> list[str]:
    """Give the fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", WRITTEN, re.MULTILINE | re.DOTALL)


def test_the_reference_is_made_from_the_classes() -> None:
    """``python -m tests.support.texts.feed_document`` writes it anew."""
    assert reference_text() == REFERENCE.removeprefix("\n")


def test_it_says_when_to_send_every_event() -> None:
    assert [tag for tag in EVENT_TYPES if f"`{tag}`" not in WRITTEN] == []


def rows_of(section: int) -> list[tuple[set[str], set[str]]]:
    """Give what stands in quotes in the first and in the last cell of each row of a section."""
    text = WRITTEN.partition(f"\n## {section}. ")[2].partition("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    cells = [(set(re.findall(r"`(\w+)`", one)) for one in (row[0], row[-1])) for row in rows]
    return [(first, last) for first, last in cells]


def test_what_a_controller_sends_stands_in_its_own_table() -> None:
    by_controllers = tags_where(lambda one: one.sent_by is SentBy.CONTROLLER)
    assert set().union(*(first for first, _ in rows_of(8))) == by_controllers
    assert set().union(*(first for first, _ in rows_of(5))) & by_controllers == set()


def test_a_word_of_reports_promises_the_events_that_it_names() -> None:
    parts = {"shoe_loaded": {"shuffle", "inspection"}, "shoe_ended": {"cards_left"}}
    rows = [(words, named) for words, named in rows_of(5) if words <= set(Capability)]
    assert set().union(*(words for words, _ in rows)) == set(Capability)
    for words, named in rows:
        if named:
            for tag in named & set(EVENT_TYPES):
                promised_by = EVENT_TYPES[tag].promised_by
                assert promised_by in words or words <= parts.get(tag, set()), (words, tag)


def test_it_explains_every_capability_and_every_reason() -> None:
    words = [*Capability, *RejectReason]
    assert [word for word in words if f"`{word}`" not in WRITTEN] == []


def test_it_points_into_the_schema_at_what_is_there() -> None:
    named = re.findall(r"`#/\$defs/(\w+)`", WRITTEN)
    definitions = event_json_schema()["$defs"]
    assert isinstance(definitions, dict)
    assert named == ["CardDealt", "RulesSubmission"]
    assert set(named) <= set(definitions)


def test_it_names_the_limits_that_hold() -> None:
    assert f"({EVENT_BYTES_MAX:,} bytes)" in WRITTEN
    assert f"at most {DEPTH_MAX}\n   brackets" in WRITTEN


def test_its_sample_bytes_are_those_of_the_vectors() -> None:
    vectors = event_vectors()
    assert with_own_samples(WRITTEN) == WRITTEN
    samples = blocks("json")[1].encode().splitlines()
    assert samples == [vectors[0].raw, vectors[8].raw]
    hashes = re.findall(r"`([0-9a-f]{64})`", WRITTEN)
    assert hashes == [hashlib.sha256(raw).hexdigest() for raw in samples]
    assert [vectors[1].event.previous_hash, vectors[9].event.previous_hash] == hashes


def test_its_submission_is_that_of_the_vectors() -> None:
    assert json.loads(blocks("json")[0]) == json.loads(event_vectors()[1].raw)["submission"]


@pytest.mark.parametrize(
    ("language", "program"), [("python", [sys.executable, "-I"]), ("sh", ["sh"])]
)
def test_its_examples_write_a_chained_feed(language: str, program: list[str]) -> None:
    (source,) = blocks(language)
    finished = subprocess.run(program, input=source.encode(), capture_output=True, check=True)
    lines = finished.stdout.splitlines()
    assert len(lines) == 2
    previous = GENESIS_HASH
    for sequence, raw in enumerate(lines, start=1):
        event = parse_event(raw)
        assert (event.sequence, event.previous_hash) == (sequence, previous)
        previous = chain_hash(raw)


def test_no_line_of_the_written_part_is_too_long_to_read() -> None:
    prose = re.sub(r"^```.*?^```$", "", WRITTEN, flags=re.MULTILINE | re.DOTALL)
    long = [line for line in prose.splitlines() if len(line) > 240]
    assert long == []
    assert FEED_DOCUMENT.name == "feed.md"
