"""``ladderman replay`` over files of events: step by step, verdicts, and the comparison."""

import datetime
import json
import re
from pathlib import Path

import pytest

from dashboards.commands.history.replay import register
from schemas import events as said
from schemas.records import Record
from streams.replaying.file_records import FileRecords
from tests.support.tables.played_table import correct, opened_table, play, with_shoe, written
from tests.support.texts.command_line import Answer, run_command


@pytest.fixture
def events(tmp_path: Path) -> Path:
    script = play(opened_table())
    correct(play(script, 20_000), "T-W2")
    play(with_shoe(script, "S2"))
    return written(tmp_path, [*script.messages, *play(opened_table("BAC-02", "X1")).messages])


def replay(*arguments: object) -> Answer:
    return run_command(register, *arguments)


def test_a_coup_is_told_event_by_event_with_what_was_made_of_it(events: Path) -> None:
    answer = replay("S1/2", "--events", events)
    assert answer.code == 0
    text = " ".join(answer.out.split())
    for words in (
        "BAC-01: coup S1/2 from checkpoint shoe_loaded/S1 of ",
        "event 16 wager W2: 100.00 on banker at seat 4 > coup 2 of shoe S1 begins",
        "no more bets > standing: 1 wager",
        "> Banker has to draw on 3 against ",
        "announced: banker, Player 5, Banker 8 > seat 4 banker: ",
        "paid 200.00, stake collected 0.00, vigorish taken 0.00 ! HIGH WAGER_OVERPAID: ",
        "5.00 taken back allowed by P9: overpaid ! NOTICE WAGER_OVERPAID (corrected): ",
        "(5 to 8, banker); closed",
        "of 1 record identical to the record of 2025-06-07 in ",
    ):
        assert words in text
    assert "W1" not in text
    assert answer.out.endswith("authorise or refuse payment.\n")


def test_two_replays_say_the_same_to_the_letter(events: Path) -> None:
    assert replay("S1/2", "--events", events) == replay("S1/2", "--events", events)


def test_a_shoe_is_told_with_a_line_for_every_coup(events: Path) -> None:
    answer = replay("--shoe", "S1", "--events", events)
    assert answer.code == 0
    assert "BAC-01: 2 coups, S1/1 to S1/2\n" in answer.out
    assert "of 3 records\n" in answer.out.replace("\n  record", " record")


def test_a_shift_of_a_table_is_told(events: Path) -> None:
    answer = replay("--table", "BAC-01", "--from", "2025-06-07", "--events", events)
    assert answer.code == 0
    assert "BAC-01: 3 coups, S1/1 to S2/1\n" in answer.out
    assert answer.err == "range: from gaming date 2025-06-07\n"


def test_a_range_that_begins_and_ends_within_a_shoe_tells_nothing_of_other_coups(
    tmp_path: Path,
) -> None:
    script = opened_table()
    for _ in range(2):
        play(script)
    middle = f"{script.now + datetime.timedelta(milliseconds=500):%Y-%m-%dT%H:%M:%S.%f}Z"
    play(script)
    behind = f"{script.now + datetime.timedelta(milliseconds=500):%Y-%m-%dT%H:%M:%S.%f}Z"
    play(script)
    path = written(tmp_path, script.messages)
    words = ("--table", "BAC-01", "--from", middle, "--to", behind, "--events", path)
    answer = replay(*words)
    assert answer.code == 0
    assert "coup 3 of shoe S1 begins" in answer.out
    assert [f"coup {number} of shoe" in answer.out for number in (1, 2, 4)] == [False] * 3
    assert "exposed" not in answer.out
    steps = replay(*words, "--format", "json").document["steps"]
    assert {one["coup"] for one in steps} <= {"S1/3", None}
    whole = replay("--shoe", "S1", "--events", path).out
    assert [f"coup {number} of shoe S1 begins" in whole for number in (1, 2, 3, 4)] == [True] * 4


def test_json_and_lines_hold_the_same_steps_and_verdicts(events: Path) -> None:
    document = replay("S1/2", "--events", events, "--format", "json").document
    *steps, last = replay("S1/2", "--events", events, "--format", "jsonl").objects
    assert document.pop("steps") == steps
    assert document == last
    assert last["schema"] == "ladderman.replay/1"
    assert last["identical"] is True
    assert last["digest"] == last["stored_digest"]
    (coup,) = last["coups"]
    assert (coup["due"], coup["paid"], coup["currency"]) == ("195.00", "195.00", "USD")
    assert coup["wagers"][0]["pays"] == "1 to 1 less vigorish"
    assert steps[0]["type"] == "wager_placed"
    assert {one["schema"] for one in steps} == {"ladderman.replay-step/1"}
    decided = [one["type"] for one in steps if one["findings"]]
    assert decided == ["wager_settled", "payout_corrected"]


def test_a_difference_is_named_and_gives_exit_code_1(
    events: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = FileRecords.record_of

    def edited(self: FileRecords, table_id: str, kind: str, subject: str) -> Record | None:
        record = original(self, table_id, kind, subject)
        assert record is not None
        assert record.coup is not None
        coup = record.coup.model_copy(update={"winner": "player"})
        return record.model_copy(update={"coup": coup})

    monkeypatch.setattr(FileRecords, "record_of", edited)
    answer = replay("S1/2", "--events", events)
    assert answer.code == 1
    assert "differs from " in answer.out
    assert "coup S1/2: other coup\n" in answer.out
    document = replay("S1/2", "--events", events, "--format", "json").document
    assert document["identical"] is False
    assert document["differences"] == ["coup S1/2: other coup"]


def test_another_audit_epoch_is_named(events: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = FileRecords.record_of

    def older(self: FileRecords, table_id: str, kind: str, subject: str) -> Record | None:
        record = original(self, table_id, kind, subject)
        assert record is not None
        return record.model_copy(update={"audit_epoch": 0, "currency": "CAD"})

    monkeypatch.setattr(FileRecords, "record_of", older)
    out = " ".join(replay("S1/2", "--events", events).out.split())
    assert "coup S1/2: kept under audit epoch 0, replayed under " in out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "name a coup, a --shoe, or a --table with --from and --to"),
        (["S1/2", "--shoe", "S1"], "name a coup, a --shoe, or a --table with --from and --to;"),
        (["--shoe", "S1", "--from", "2025-06-07"], "name a coup, a --shoe, or a --table with"),
        (["S1/22"], "no coup S1/22 in "),
        (["--shoe", "S"], "no coup of shoe S in "),
        (["S1/1", "--table", "BAC-02"], "no coup S1/1 of BAC-02 in "),
        (["--table", "BAC-01", "--from", "2025-06-08"], "no coup of BAC-01 in "),
    ],
)
def test_mistakes_are_one_line(events: Path, arguments: list[str], line: str) -> None:
    answer = replay(*arguments, "--events", events)
    assert answer.code == 2
    assert answer.err.splitlines()[-1].startswith(line)


def test_near_coups_and_shoes_are_suggested(events: Path) -> None:
    assert replay("S1/22", "--events", events).err.endswith("; did you mean S1/2?")
    assert replay("--shoe", "S22", "--events", events).err.endswith("; did you mean S2?")


def test_times_stand_under_their_date_and_zone(events: Path) -> None:
    out = replay("S1/2", "--events", events).out
    assert out.count("2025-06-07 (America/New_York)\n") == 1
    assert out.index("2025-06-07 (America/New_York)\n") < out.index(" event ")


def test_a_voided_coup_has_no_winner(tmp_path: Path) -> None:
    script = opened_table()
    script.coup().close_bets()
    script.deal("2S 3H KD", "AC 2D 5H").void().close()
    path = written(tmp_path, play(script).messages)
    (line,) = [
        line
        for line in replay("S1/1", "--events", path).out.splitlines()
        if line.startswith("coup 1: Player")
    ]
    assert line.endswith("; voided")
    assert "banker" not in line
    row = next(
        line
        for line in replay("--shoe", "S1", "--events", path).out.splitlines()
        if line.startswith("1 ")
    )
    assert "voided" in row.split()
    assert "banker" not in row.split()


def test_every_table_that_is_named_is_told(events: Path) -> None:
    words = ("--table", "BAC-01", "--table", "BAC-02", "--from", "2025-06-07", "--events", events)
    told = replay(*words)
    assert told.code == 0
    heads = [line for line in told.out.splitlines() if re.match(r"BAC-0\d: ", line)]
    assert [line[:6] for line in heads] == ["BAC-01", "BAC-02"]
    lines = replay(*words, "--format", "jsonl").out.splitlines()
    documents = [json.loads(line) for line in lines if '"ladderman.replay/1"' in line]
    assert [one["source"] for one in documents] == ["BAC-01", "BAC-02"]
    whole = replay(*words, "--format", "json")
    assert whole.code == 2
    assert "a document is of one table; name one, or choose --format jsonl" in whole.err


def test_a_coup_of_several_tables_asks_for_the_table(tmp_path: Path) -> None:
    messages = [*play(opened_table()).messages, *play(opened_table("BAC-02")).messages]
    path = written(tmp_path, messages)
    answer = replay("S1/1", "--events", path)
    assert answer.err == "coup S1/1 is of several tables; add --table, one of BAC-01, BAC-02"
    assert replay("S1/1", "--table", "BAC-02", "--events", path).code == 0
    answer = replay("--shoe", "S1", "--events", path)
    assert answer.err == "shoe S1 is of several tables; add --table, one of BAC-01, BAC-02"


def test_heartbeats_are_not_told_to_people(tmp_path: Path) -> None:
    script = opened_table().coup()
    script.wager("banker", 10_000, "4")
    script.say(said.Heartbeat).close_bets()
    path = written(tmp_path, script.messages)
    assert "heartbeat" not in replay("S1/1", "--events", path).out


def used_again(tmp_path: Path) -> tuple[Path, list[str]]:
    """Write a day of three shoes, two of one id, whose coups are numbered anew too."""
    script, names = opened_table(shoe_id="1"), []
    play(script).end_shoe()
    play(with_shoe(script, "2")).end_shoe()
    script.shoe("1")
    names.append(f"1,feed-1/{script.sequence}")
    play(script).end_shoe()
    return written(tmp_path, script.messages), names


def test_others_of_an_id_that_was_used_again_are_named(tmp_path: Path) -> None:
    path, (again,) = used_again(tmp_path)
    first = replay("--shoe", "1", "--events", path)
    assert first.code == 0
    assert first.err == f"shoe id 1 was used again: {again}\n"
    assert "BAC-01: coup 1/1\n" in first.out
    second = replay("--shoe", again, "--events", path)
    assert second.code == 0
    assert second.err == ""
    assert f"1/1,{again}" in " ".join(second.out.split())
    coup = replay("1/1", "--events", path)
    assert coup.err == f"coup id 1/1 was used again: 1/1,{again}\n"
