"""``ladderman incidents`` over files of events: one line a cause, and all about one of them."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from dashboards.commands.history.incidents import register
from schemas import events as said
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest
from tests.support.tables.played_table import correct, opened_table, play, written
from tests.support.texts.command_line import Answer, run_command


@pytest.fixture
def events(tmp_path: Path) -> Path:
    script = opened_table()
    play(script, 20_000)
    script.say(said.DeviceFaultRaised, fault_id="F1", device="shuffler", fault="red light")
    play(script)
    script.say(said.DeviceFaultCleared, fault_id="F1")
    play(script, 20_000)
    return written(tmp_path, [*script.messages, *play(opened_table("BAC-02")).messages])


def incidents(command: str, *arguments: object) -> Answer:
    return run_command(register, "incidents", command, *arguments)


def test_incidents_are_listed_one_line_each_devices_apart(events: Path) -> None:
    answer = incidents("list", "--events", events)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "3 findings in 4 coups of 2 tables"
    assert lines[1] == "checks: 32 on; all: ladderman incidents list --checks"
    assert "  when (America/New_York)  id  severity  table  what" in lines
    newest, oldest = lines[lines.index("incidents: 2") + 1 :][:2]
    assert newest.startswith("  2025-06-07 18:00:")
    assert "HIGH  BAC-01  Banker overpaid" in oldest + newest
    assert newest[:21] >= oldest[:21]
    assert lines.index("devices: 1") < lines.index("incidents: 2")
    assert "total: 3 incidents: 3 high; 3 still open" in answer.out
    devices = lines.index("devices: 1")
    device = " ".join(" ".join(lines[devices : devices + 3]).split())
    assert "shuffler fault (red light) open during 1 coup" in device
    assert "checks on: " not in answer.out
    assert (
        "BAC-01, BAC-02: checks on: drawing_rules,"
        in incidents("list", "--events", events, "--checks").out
    )
    assert lines[-1].endswith("authorise or refuse payment.")


def listed(events: Path, *options: str) -> list[dict[str, Any]]:
    answer = incidents("list", "--events", events, "--format", "json", *options)
    found: list[dict[str, Any]] = answer.document["incidents"]
    return found


def test_filters_leave_out_and_say_so(events: Path) -> None:
    whole = listed(events)
    assert listed(events, "--severity", "high") == whole
    assert listed(events, "--severity", "notice", "--severity", "critical") == []
    assert listed(events, "--status", "open") == whole
    assert listed(events, "--status", "corrected") == []
    overpaid = [one for one in whole if one["code"] == "WAGER_OVERPAID"]
    assert listed(events, "--code", "wager_overpaid") == overpaid != whole
    out = incidents("list", "--events", events, "--code", "WAGER_OVERPAID").out
    assert "total: 2 incidents: 2 high; 2 still open; 1 left out by the filters" in out
    wrong = incidents("list", "--events", events, "--code", "WAGER_OVERPAYD")
    assert wrong.code == 2
    assert "did you mean WAGER_OVERPAID" in wrong.err


def test_what_was_put_right_asks_for_nothing_more(tmp_path: Path) -> None:
    script = play(opened_table(), 20_000)
    path = written(tmp_path, correct(script).messages)
    (one,) = listed(path, "--status", "corrected")
    page = incidents("show", one["id"], "--events", path)
    assert page.code == 0
    assert ", put right\n" in re.sub(" +\n", "\n", page.out)
    assert "It was put right. Until then: A winning or pushed wager was paid more" in page.out
    assert "What to do: Nothing more; it was put right." in page.out
    assert "still open" not in page.out
    assert "still outstanding 0.00 USD" in " ".join(page.out.split())


def test_several_tables_are_all_read(events: Path) -> None:
    whole = listed(events)
    assert listed(events, "--table", "BAC-01", "--table", "BAC-02") == whole
    assert {one["source"] for one in listed(events, "--table", "BAC-02")} < {
        one["source"] for one in whole
    }


def test_programs_are_told_in_order_of_time_unless_they_ask_otherwise(events: Path) -> None:
    whole = listed(events)
    assert listed(events, "--order", "oldest") == whole
    assert listed(events, "--order", "newest") == whole[::-1]
    ranks = [one["severity"] for one in listed(events, "--order", "severity")]
    assert ranks == sorted(ranks, key=["critical", "high", "notice", "info"].index)


def test_files_given_in_another_order_are_read_in_that_of_time(
    events: Path, tmp_path: Path
) -> None:
    lines = [line for line in events.read_bytes().splitlines() if b'"BAC-01"' in line]
    earlier, later = tmp_path / "part-9", tmp_path / "part-10"
    earlier.write_bytes(b"\n".join(lines[:9]))
    later.write_bytes(b"\n".join(lines[9:]))
    answer = incidents("list", "--events", later, "--events", earlier)
    assert f"read in the order of their first events: {earlier}, {later}\n" in answer.err
    assert answer.out == incidents("list", "--events", earlier, "--events", later).out
    assert "Banker overpaid" in answer.out


def test_an_empty_list_still_says_what_was_checked(tmp_path: Path) -> None:
    path = written(tmp_path, play(opened_table()).messages)
    answer = incidents("list", "--events", path, "--checks")
    assert answer.out.startswith("0 findings in 1 coup of 1 table\n")
    assert "devices: 0\nincidents: 0\ntotal: 0 incidents\n" in answer.out
    assert "BAC-01: checks on: " in answer.out


def test_json_is_one_document_with_range_checks_and_money(events: Path) -> None:
    answer = incidents("list", "--events", events, "--from", "2025-06-07", "--format", "json")
    document = answer.document
    assert document["schema"] == "ladderman.incidents/1"
    assert document["range"]["first_gaming_date"] == "2025-06-07"
    assert {one["schema"] for one in document["incidents"]} == {"ladderman.incident/1"}
    assert [one["difference"] for one in document["incidents"]].count("5.00") == 2
    assert [one["source"] for one in document["tables"]] == ["BAC-01", "BAC-02"]
    assert "payments" in document["tables"][0]["checks_on"]
    assert answer.err == "range: from gaming date 2025-06-07\n"


def test_lines_and_csv_hold_one_incident_each(events: Path) -> None:
    lines = incidents("list", "--events", events, "--format", "jsonl").objects
    assert len(lines) == 3
    header, *rows = incidents("list", "--events", events, "--format", "csv").out.splitlines()
    assert header.startswith("id,code,lane,severity,status,source,title,")
    assert len(rows) == 3


def test_a_table_and_a_range_narrow_the_list(events: Path) -> None:
    of_other = incidents("list", "--events", events, "--table", "BAC-02").out
    assert "incidents: 0\ntotal: 0 incidents\n" in of_other
    behind = incidents("list", "--events", events, "--from", "2025-06-08", "--format", "json")
    assert behind.document["incidents"] == []


def test_an_incident_is_shown_by_the_beginning_of_its_id(events: Path) -> None:
    listed = incidents("list", "--events", events, "--format", "jsonl").objects
    payout = next(one for one in listed if one["code"] == "WAGER_OVERPAID")
    answer = incidents("show", payout["id"][:8].upper(), "--events", events)
    assert answer.code == 0
    text = " ".join(answer.out.split())
    assert payout["title"] in text
    assert f"{payout['id'][:8]} HIGH WAGER_OVERPAID BAC-01, shoe S1, coup 1, seat 4: " in text
    for words in (
        payout["id"],
        "2025-06-07 18:00:14 (America/New_York)",
        "100.00 USD",
        "paid minus due",
        "What to do: Check the coup while the patron is at the table;",
        "HIGH WAGER_OVERPAID",
        "events 5, 7, 8, 9, 10, 11, 12, 14 of feed-1",
    ):
        assert words in answer.out


def test_any_id_about_a_finding_opens_its_incident(events: Path) -> None:
    listed = incidents("list", "--events", events, "--format", "jsonl").objects
    payout = next(one for one in listed if one["code"] == "WAGER_OVERPAID")
    shown = incidents("show", payout["id"], "--events", events, "--format", "json").document
    finding = shown["finding_details"][0]
    assert finding["id"] == payout["id"]
    for wanted in (
        finding["id"],
        finding["id"][:8],
        finding["coup"],
        f"{finding['shoe']}/{finding['coup_no']}",
        finding["settlement_id"],
        finding["wager_id"],
    ):
        answer = incidents("show", wanted, "--events", events, "--format", "json")
        assert answer.document["id"] == payout["id"], wanted


def test_no_range_changes_an_incident_and_one_that_hides_it_is_named(events: Path) -> None:
    (whole, *_) = incidents("list", "--events", events, "--format", "jsonl").objects
    dates = ("--from", "2025-06-07", "--to", "2025-06-07")
    ranged = incidents("list", "--events", events, *dates, "--format", "jsonl").objects
    assert whole in ranged
    hidden = incidents("show", whole["id"], "--events", events, "--from", "2025-06-08")
    assert hidden.code == 2
    last = hidden.err.splitlines()[-1]
    assert last.startswith(f"{whole['id']} is in incident {whole['id'][:8]} of BAC-01, 2025-06-07 ")
    assert last.endswith("outside --from 2025-06-08; leave that out to show it")


def test_the_first_event_of_what_was_said_or_done_wrongly_is_that_event(tmp_path: Path) -> None:
    script = opened_table()
    script.coup()
    script.close_bets()
    late = script.sequence + 1
    script.wager("banker", 2_000_000)
    script.deal("2S 3H KD", "AC 2D 5H")
    announced = script.sequence + 1
    script.result("player", 5, 8).close()
    path = written(tmp_path, script.messages)
    found = incidents("list", "--events", path, "--format", "jsonl").objects
    first = {one["code"]: one for one in found}
    assert first["WAGER_LATE"]["first_sequence"] == late
    assert first["RESULT_MISANNOUNCED"]["first_sequence"] == announced
    shown = incidents("show", first["RESULT_MISANNOUNCED"]["id"], "--events", path).out
    assert "20,000.00 USD" in shown


def test_an_incident_in_json_has_its_findings_and_what_to_do(events: Path) -> None:
    listed = incidents("list", "--events", events, "--format", "jsonl").objects
    wanted = listed[0]["id"]
    document = incidents("show", wanted, "--events", events, "--format", "json").document
    assert {name: document[name] for name in listed[0]} == listed[0]
    assert [one["schema"] for one in document["finding_details"]] == ["ladderman.finding/2"]
    assert document["what_to_do"].endswith(".")
    rows = incidents("show", wanted, "--events", events, "--format", "csv").out.splitlines()
    (cells,) = csv.DictReader(rows)
    assert json.loads(cells["evidence"]) == document["finding_details"][0]["evidence"]
    assert len(rows) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["show", "zzzz"], 2, "zzzz opens no incident in "),
        (["show", ""], 2, "give an id: of an incident, "),
        (["list", "--table", "BAC-20"], 2, "no table BAC-20 in "),
        (["list", "--from", "2025-06-09", "--to", "2025-06-08"], 2, "--from 2025-06-09 lies"),
        (["list", "--store", "x"], 2, "--store and --events: give one of them"),
    ],
)
def test_mistakes_are_one_line(events: Path, arguments: list[str], code: int, line: str) -> None:
    answer = incidents(*arguments, "--events", events)
    assert (answer.code, answer.err[: len(line)]) == (code, line)


def test_a_near_table_is_suggested(events: Path) -> None:
    answer = incidents("list", "--events", events, "--table", "bac-2")
    assert answer.err.endswith("; did you mean BAC-02?")


def test_files_without_events_and_stores_without_history_are_one_line(tmp_path: Path) -> None:
    empty = tmp_path / "rounds.csv"
    empty.write_text("round,cards\n")
    assert incidents("list", "--events", empty).err.startswith(f"--events {empty}: no event could")
    missing = incidents("list", "--store", tmp_path / "none")
    assert missing.code == 2
    assert missing.err.startswith("no history at ")


def test_simulated_records_are_marked(tmp_path: Path) -> None:
    script = opened_table()
    simulated = [raw.replace(b'"simulated":false', b'"simulated":true') for raw in script.messages]
    answer = incidents("list", "--events", written(tmp_path, simulated))
    assert answer.out.startswith("SIMULATED\n")


def test_progressives_have_checks_of_their_own_and_are_no_tables(tmp_path: Path) -> None:
    plants = (PlantRequest("jackpot_paid_short", coup=3),)
    floor = Floor(FloorConfig(tables=12, seed=7, coups=60, plants=plants))
    path = written(tmp_path, [event.raw for event in floor.events()])
    out = incidents("list", "--events", path, "--checks").out
    assert " of 12 tables\n" in out
    (checks,) = [line for line in out.splitlines() if line.startswith("HP-")][:1]
    assert checks.split(": ")[1] == "checks on"
    assert "HP-LINK-1: check off: vigorish" not in " ".join(out.split())
    document = incidents("list", "--events", path, "--format", "json").document
    (ledger,) = [one for one in document["tables"] if not one["is_table"]]
    assert "shares" in ledger["checks_on"]
    (incident,) = document["incidents"]
    shown = " ".join(incidents("show", incident["id"], "--events", path).out.split())
    assert f" progressive {ledger['source']} " in shown
    assert " coups named BAC-" in shown
