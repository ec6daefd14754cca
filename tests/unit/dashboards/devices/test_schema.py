"""``ladderman schema``: the JSON Schema, and exact bytes that other programs confirm."""

import subprocess
from pathlib import Path

import pytest

from auditors.law.loading import load_law
from auditors.settlement.amounts import settle_wager
from auditors.settlement.coup import judge_coup
from auditors.settlement.rules import Rules
from auditors.settlement.terms import resolve_wager, terms_of
from dashboards.commands.devices.schema import register
from schemas.cards import parse_card
from schemas.events import (
    EVENT_TYPES,
    GENESIS_HASH,
    CardDealt,
    TableClosed,
    TableOpened,
    WagerPlaced,
    WagerSettled,
)
from schemas.wire import parse_event
from schemas.wire.vectors import event_vectors
from tests.support.texts.command_line import run_command


def test_schema_prints_one_json_document_with_every_event() -> None:
    answer = run_command(register, "schema")
    document = answer.document
    assert answer.code == 0
    assert document["$id"] == "urn:ladderman:events:1"
    assert document["title"] == "Ladderman event"
    definitions = [document["$defs"][one["$ref"].rpartition("/")[2]] for one in document["oneOf"]]
    assert [one["properties"]["type"]["const"] for one in definitions] == list(EVENT_TYPES)


def test_the_schema_demands_type_and_version_and_refuses_other_fields() -> None:
    definitions = run_command(register, "schema").document["$defs"]
    for tag, event_class in EVENT_TYPES.items():
        definition = definitions[event_class.__name__]
        assert definition["required"][:2] == ["type", "schema_version"]
        assert definition["additionalProperties"] is False
        assert definition["properties"]["type"]["const"] == tag


def test_vectors_are_confirmed_by_sha256sum(tmp_path: Path) -> None:
    answer = run_command(register, "schema", "vectors", "--out", tmp_path / "made" / "here")
    assert answer.code == 0
    directory = tmp_path / "made" / "here"
    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(checked.stdout.splitlines()) == 21
    assert len(list(directory.glob("*.json"))) == 21


def test_the_chain_is_confirmed_by_sha256sum_too(tmp_path: Path) -> None:
    run_command(register, "schema", "vectors", "--out", tmp_path)
    previous = GENESIS_HASH
    for path in sorted(tmp_path.glob("*.json")):
        assert parse_event(path.read_bytes()).previous_hash == previous
        said = subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True)
        previous = said.stdout.split()[0]


def test_the_lines_of_the_feed_are_the_files_in_order(tmp_path: Path) -> None:
    run_command(register, "schema", "vectors", "--out", tmp_path)
    lines = (tmp_path / "feed.jsonl").read_bytes().splitlines()
    assert lines == [path.read_bytes() for path in sorted(tmp_path.glob("*.json"))]


def test_a_changed_byte_is_noticed_by_sha256sum(tmp_path: Path) -> None:
    run_command(register, "schema", "vectors", "--out", tmp_path)
    path = tmp_path / event_vectors()[3].name
    path.write_bytes(path.read_bytes().replace(b"416", b"417"))
    checked = subprocess.run(
        ["sha256sum", "--check", "--quiet", "SHA256SUMS"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert checked.returncode == 1


def test_vectors_are_written_twice_but_never_over_other_content(tmp_path: Path) -> None:
    run_command(register, "schema", "vectors", "--out", tmp_path)
    assert run_command(register, "schema", "vectors", "--out", tmp_path).code == 0
    (tmp_path / "SHA256SUMS").write_text("mine")
    answer = run_command(register, "schema", "vectors", "--out", tmp_path)
    assert answer.code == 2
    assert "has other content; name an empty directory" in answer.err
    assert (tmp_path / "SHA256SUMS").read_text() == "mine"


def test_vectors_into_a_file_are_refused_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "taken"
    path.touch()
    answer = run_command(register, "schema", "vectors", "--out", path)
    assert answer.code == 2
    assert answer.err.endswith("name a directory that can be written")


@pytest.fixture
def dealt() -> dict[str, tuple]:
    """The cards of the vectors, by hand."""
    events = [vector.event for vector in event_vectors()]
    cards = [event for event in events if isinstance(event, CardDealt)]
    return {
        hand: tuple(parse_card(one.card or "") for one in cards if one.hand == hand)
        for hand in ("player", "banker")
    }


def test_the_coup_of_the_vectors_is_dealt_by_the_rules(dealt: dict[str, tuple]) -> None:
    coup = judge_coup(dealt["player"], dealt["banker"], load_law().sections["minibaccarat"])
    assert coup.is_determined
    assert (coup.player_points, coup.banker_points, coup.winner) == (6, 9, "banker")


def test_the_wagers_of_the_vectors_are_paid_what_the_law_says(dealt: dict[str, tuple]) -> None:
    law = load_law()
    opened = event_vectors()[1].event
    assert isinstance(opened, TableOpened)
    rules = Rules(law, terms_of(law, opened.submission))
    coup = judge_coup(dealt["player"], dealt["banker"], law.sections["minibaccarat"])
    events = [vector.event for vector in event_vectors()]
    placed = {one.wager_id: one for one in events if isinstance(one, WagerPlaced)}
    settled = [one for one in events if isinstance(one, WagerSettled)]
    assert {one.wager_id for one in settled} == set(placed)
    for one in settled:
        wager = placed[one.wager_id]
        ref = resolve_wager(law, wager.wager, opened.submission)
        verdict = settle_wager(rules, coup, ref, wager.stake_minor or 0)
        assert one.paid_minor == verdict.due_minor
        assert (one.vigorish_taken_minor or 0) == (verdict.vigorish_minor or 0)
        assert one.stake_collected_minor == (0 if verdict.due_minor else wager.stake_minor)


def test_the_vectors_count_their_own_events() -> None:
    (closed,) = [one.event for one in event_vectors() if one.event.type == "table_closed"]
    assert isinstance(closed, TableClosed)
    assert closed.event_count == closed.sequence - 1


def test_the_vectors_never_change() -> None:
    """Each hash rests on all vectors before it; a further event comes last."""
    hashes = [one.sha256 for one in event_vectors()]
    assert hashes[19] == "668a857ea6fb6a39b82bfeb94aab53338a4ca827a0d2afaf54be2a96cd256e0a"
    assert hashes[20] == "48cff3ebc77c2b80fd173dfd5d6999e9504d8c69138228afde569d2894f85701"
