"""``ladderman audit`` of files of events: the live fold over lines of files."""

import contextlib
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from dashboards.commands.audit import audit as audit_command
from dashboards.commands.audit.event_files import audit_events
from dashboards.errors import UsageProblem
from dashboards.terminal.formats import FormatOption
from schemas import events as said
from streams.simulator.floor import Floor, FloorConfig
from tests.support.tables.table_script import TableScript
from tests.support.texts.command_line import Answer, run_command


def write(folder: Path, messages: Sequence[bytes], name: str = "events.jsonl") -> Path:
    path = folder / name
    content = b"".join(raw + b"\n" for raw in messages)
    path.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    return path


def audited(*paths: Path, output: str = "jsonl", summary: bool = False) -> Answer:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = audit_events([str(one) for one in paths], FormatOption(output), summary=summary)
    return Answer(int(code), out.getvalue(), err.getvalue())


def opened(source_id: str = "BAC-01") -> TableScript:
    script = TableScript(source_id).open().shoe()
    return script.say(said.CardsBurned, shoe_id="S1", exposed_card="3H", burned_count=3)


def play(script: TableScript, paid_minor: int = 19_500) -> TableScript:
    """Play a coup that Banker wins 8 to 5, 100.00 on Banker at seat 4."""
    script.coup()
    wager_id = script.wager("banker", 10_000, "4")
    suit = "SHDC"[len(script.messages) // 10 % 4]
    zero = "TJQK"[len(script.messages) // 40 % 4]
    script.close_bets().deal(f"2{suit} 3H {zero}D", f"AC 2{suit} 5H").result("banker", 5, 8)
    vigorish = {"vigorish_taken_minor": 20_000 - paid_minor}
    return script.settle(wager_id, paid_minor, stake_collected_minor=0, **vigorish).close()


def test_what_is_wrong_with_a_shoe_is_one_finding_however_often_more_is_known(
    tmp_path: Path,
) -> None:
    script = TableScript().open()
    script.shoe(inspection=said.Inspection(method="by_hand", card_count=415))
    play(script).end_shoe(cards_left_count=408)
    play(script.shoe("S2")).end_shoe(cards_left_count=410)
    (finding,) = audited(write(tmp_path, script.messages)).objects
    assert (finding["code"], finding["shoe"], finding["line"]) == ("SHOE_COMPOSITION", "S1", 3)
    assert "415 cards" in finding["sentence"]
    assert "6 dealt or burned + 408 left" in finding["sentence"]


def test_a_clean_feed_has_no_finding_and_says_what_was_checked(tmp_path: Path) -> None:
    answer = audited(write(tmp_path, play(opened()).messages), output="table")
    assert answer.code == 0
    assert "15 events; 1 coup: 1 settled, 0 undetermined, 0 unreadable, 0 voided\n" in answer.out
    assert "findings: 0" in answer.out
    assert "BAC-01: checks on: drawing_rules, " in answer.out
    assert answer.out.endswith("Advisory; does not authorise or refuse payment.\n")


def test_a_finding_names_the_line_of_the_event_that_decided_it_and_comes_once(
    tmp_path: Path,
) -> None:
    script = play(opened(), paid_minor=20_000)
    answer = audited(write(tmp_path, script.messages))
    assert answer.code == 1
    (finding,) = answer.objects
    assert finding["schema"] == "ladderman.finding/2"
    assert (finding["code"], finding["difference"]) == ("WAGER_OVERPAID", "5.00")
    settled = next(n for n, raw in enumerate(script.messages, 1) if b"wager_settled" in raw)
    assert (finding["file"], finding["line"]) == (str(tmp_path / "events.jsonl"), settled)
    assert (finding["source"], finding["coup"], finding["seat"]) == ("BAC-01", "S1/1", "4")
    assert "15 events; 1 coup: 1 settled" in answer.err


def test_a_finding_is_written_as_it_finally_stands(tmp_path: Path) -> None:
    script = play(opened(), paid_minor=20_000)
    settled = len(script.messages) - 1
    script.of_coup(
        said.PayoutCorrected,
        correction_id="C1",
        settlement_id="T-W1",
        paid_change_minor=-500,
        vigorish_taken_change_minor=500,
        reason="overpaid",
        authorised_by="P9",
    )
    (finding,) = audited(write(tmp_path, script.messages)).objects
    assert (finding["status"], finding["corrected"], finding["residual"]) == (
        "corrected",
        "5.00",
        "0.00",
    )
    assert finding["line"] == settled


def test_sources_that_are_interleaved_are_audited_apart(tmp_path: Path) -> None:
    one, two = play(opened(), 20_000), play(opened("BAC-02"))
    mixed = [raw for pair in zip(one.messages, two.messages, strict=True) for raw in pair]
    answer = audited(write(tmp_path, mixed), output="json")
    (finding,) = answer.document["findings"]
    assert finding["source"] == "BAC-01"
    (summary,) = answer.document["summary"]["files"]
    assert summary["events"] == 30
    assert [(s["source"], s["coups"], s["findings"]) for s in summary["sources"]] == [
        ("BAC-01", 1, 1),
        ("BAC-02", 1, 0),
    ]


def test_a_coup_that_is_not_over_is_said_to_be_open(tmp_path: Path) -> None:
    script = play(opened()).coup()
    script.wager("banker", 10_000, "4")
    summary = audited(write(tmp_path, script.messages), output="json", summary=True).document
    (one,) = summary["files"]
    assert (one["coups"], one["open"], one["settled"]) == (1, 1, 1)


def test_voided_and_unreadable_coups_are_counted_as_such(tmp_path: Path) -> None:
    script = opened().coup()
    wager_id = script.wager("banker", 10_000, "4")
    script.close_bets().of_coup(said.CoupVoided, reason="misdeal", authorised_by="P9")
    script.of_coup(
        said.WagerRefunded,
        refund_id="R1",
        wager_id=wager_id,
        refunded_minor=10_000,
        reason="coup_voided",
    ).close()
    script.coup().close_bets().deal("2S ? KD", "AC 2D 5H").result("banker", 5, 8).close()
    answer = audited(write(tmp_path, script.messages), output="json")
    (one,) = answer.document["summary"]["files"]
    assert (one["coups"], one["voided"], one["unreadable"], one["settled"]) == (2, 1, 1, 0)


def test_lines_that_are_no_event_are_findings_and_everything_else_goes_on(tmp_path: Path) -> None:
    script = play(opened(), 20_000)
    lines = [b"{broken", b'["heartbeat"]', b"{" * 200_000, *script.messages, b'{"type":"beat"}']
    found = audited(write(tmp_path, lines)).objects
    assert [(one["code"], one["line"]) for one in found] == [
        ("EVENT_REJECTED", 1),
        ("EVENT_REJECTED", 2),
        ("EVENT_REJECTED", 3),
        ("EVENT_REJECTED", len(lines)),
        ("WAGER_OVERPAID", len(lines) - 2),
    ]
    assert found[0]["sentence"].startswith("Line 1 is no event: no JSON from character 2 on")
    assert found[2]["sentence"].startswith("Line 3 is no event: 200,000 bytes;")
    assert {one["source"] for one in found[:4]} == {None}


def test_an_event_with_a_readable_envelope_is_rejected_under_its_sequence(tmp_path: Path) -> None:
    script = opened()
    script.say(said.Heartbeat)
    bad = script.messages[-1].replace(b'"heartbeat"', b'"heartbeet"')
    (finding,) = audited(write(tmp_path, [*script.messages[:-1], bad])).objects
    assert (finding["code"], finding["source"], finding["line"]) == ("EVENT_REJECTED", "BAC-01", 5)
    assert "did you mean heartbeat?" in finding["sentence"]


def test_what_still_waits_at_the_end_of_the_file_counts_as_after_a_gap(tmp_path: Path) -> None:
    script = play(opened(), 20_000)
    missing = 6
    kept = [raw for n, raw in enumerate(script.messages, 1) if n != missing]
    answer = audited(write(tmp_path, kept), output="json")
    (gap,) = answer.document["findings"]
    assert (gap["code"], gap["line"]) == ("SEQUENCE_GAP", missing)
    assert gap["sentence"].startswith("Event 6 is missing")
    (one,) = answer.document["summary"]["files"]
    assert (one["coups"], one["unverified"]) == (1, 1)
    assert one["events"] == len(kept)


def test_events_of_a_source_are_those_that_came_whatever_waited_at_the_end(tmp_path: Path) -> None:
    kept = [*opened().messages, *opened("BAC-02").messages]
    del kept[-2]
    (one,) = audited(write(tmp_path, kept), output="json").document["summary"]["files"]
    assert one["events"] == len(kept)
    assert [source["events"] for source in one["sources"]] == [4, 3]


def test_late_truth_about_the_shoe_in_play_is_amended(tmp_path: Path) -> None:
    script = opened()
    for _ in range(7):
        play(script, 20_000)
    late = script.messages.pop(6)
    messages = [*script.messages, late]
    answer = audited(write(tmp_path, messages), output="json")
    found = answer.document["findings"]
    assert [one["code"] for one in found] == ["WAGER_OVERPAID"] * 7
    lines = [n for n, raw in enumerate(messages, 1) if b"wager_settled" in raw]
    assert [one["line"] for one in found] == lines
    (one,) = answer.document["summary"]["files"]
    assert (one["coups"], one["settled"], one["unverified"]) == (7, 7, 0)


def test_a_finding_about_the_table_that_comes_again_is_written_once(tmp_path: Path) -> None:
    script = opened()
    shown = {
        "displays": (said.DisplayedPaytable(wager="golden_talons", shown_on="sign", paytable="C"),)
    }
    script = TableScript().open()
    script.say(said.PaytablesDisplayed, **shown).shoe("S1").shoe("S2")
    script.say(said.PaytablesDisplayed, **shown)
    found = audited(write(tmp_path, script.messages)).objects
    assert [one["code"] for one in found].count("PAYTABLE_MISMATCH") == 1
    assert [one["line"] for one in found if one["code"] == "PAYTABLE_MISMATCH"] == [3]


def test_several_files_are_one_log_and_findings_name_their_own_file(tmp_path: Path) -> None:
    script = play(play(opened()), 20_000)
    first = write(tmp_path, script.messages[:20], "a.jsonl")
    second = write(tmp_path, script.messages[20:], "b.jsonl.gz")
    answer = audited(first, second, output="json")
    (finding,) = answer.document["findings"]
    settled = max(n for n, raw in enumerate(script.messages, 1) if b"wager_settled" in raw)
    assert (finding["file"], finding["line"]) == (str(second), settled - 20)
    one, two = answer.document["summary"]["files"]
    assert (one["events"], one["findings"]) == (20, {})
    assert (two["coups"], two["findings"]) == (2, {"WAGER_OVERPAID": 1})


def test_simulated_events_are_marked(tmp_path: Path) -> None:
    script = TableScript()
    script.say(said.FeedStarted, source_kind="table", simulated=True)
    path = write(tmp_path, script.messages)
    assert "1 event; 0 coups" in audited(path, output="table").out
    assert audited(path, output="table").out.count("SIMULATED") == 1
    assert audited(path, output="json").document["summary"]["files"][0]["simulated"] is True


def test_checks_of_progressives_are_listed_by_meter(tmp_path: Path) -> None:
    floor = Floor(FloorConfig(tables=12, seed=2, coups=48))
    path = write(tmp_path, [event.raw for event in floor.events()])
    out = audited(path, output="table").out
    assert "HP-LINK-1: checks on: hits, shares, " in out
    assert "HP-LINK-1: check off: overflow: no limit is filed\n" in out
    document = audited(path, output="json").document["summary"]["files"][0]
    (solo,) = [one for one in document["progressives"] if one["progressive"] == "HP-SOLO-1"]
    assert {"meters", "overflow"} <= set(solo["checks_on"])
    off = {one["check"]: one["reason"] for one in solo["checks_off"]}
    assert off["contributions_by_wager"] == "the controller reports no single wagers"
    (linked,) = [one for one in document["sources"] if one["source"] == "BAC-07"]
    assert "progressive_hits" in linked["checks_on"]


def test_a_controller_is_named_as_not_compared(tmp_path: Path) -> None:
    script = TableScript("PRG-01")
    script.say(said.FeedStarted, source_kind="progressive_controller").say(said.Heartbeat)
    answer = audited(write(tmp_path, script.messages), output="table")
    assert answer.code == 0
    assert "PRG-01: no table was opened; its events are not compared here" in answer.out


def test_csv_has_a_header_and_counts_are_written_alone_on_request(tmp_path: Path) -> None:
    path = write(tmp_path, play(opened(), 20_000).messages)
    header, row = audited(path, output="csv").out.splitlines()
    assert header.startswith("schema,id,code,severity,status,source,feed,file,line,")
    assert ",WAGER_OVERPAID,high,standing,BAC-01,feed-1," in row
    counts = audited(path, output="table", summary=True)
    assert counts.code == 1
    assert "1  WAGER_OVERPAID" in counts.out
    assert "overpaid 5.00" not in counts.out
    with pytest.raises(UsageProblem, match="--summary is written as table or json, not as csv"):
        audited(path, output="csv", summary=True)


def test_nothing_readable_is_bad_usage(tmp_path: Path) -> None:
    path = write(tmp_path, [b"{", b"{}"])
    with pytest.raises(UsageProblem, match="no event could be read; ladderman conform says why"):
        audited(path)
    with pytest.raises(UsageProblem, match="no such file"):
        audited(tmp_path / "none.jsonl")


def test_json_of_no_finding_is_a_whole_document(tmp_path: Path) -> None:
    answer = audited(write(tmp_path, play(opened()).messages), output="json")
    assert json.loads(answer.out)["findings"] == []
    assert answer.code == 0


def test_the_audit_command_tells_events_by_their_first_bytes(tmp_path: Path) -> None:
    path = write(tmp_path, play(opened(), 20_000).messages, "no-name-ending")
    answer = run_command(audit_command.register, path, "--format", "jsonl")
    assert answer.code == 1
    assert answer.objects == audited(path).objects
    counts = run_command(audit_command.register, path, "--summary", "--format", "json")
    assert counts.document["files"][0]["events"] == 15


@pytest.mark.parametrize(
    ("options", "flag"),
    [
        (["--decks", "6"], "--decks"),
        (["--submission", "s.toml"], "--submission"),
        (["--map", "coup=round"], "--map"),
        (["--preview"], "--preview"),
        (["--zone", "UTC", "--reading", "D11=paytable"], "--zone"),
    ],
)
def test_options_for_rows_are_refused_with_events(
    tmp_path: Path, options: list[str], flag: str
) -> None:
    path = write(tmp_path, opened().messages)
    answer = run_command(audit_command.register, path, *options)
    assert answer.code == 2
    assert answer.err.startswith(f"{flag}: {path} holds events, which carry their own")


def test_events_and_rows_are_audited_apart(tmp_path: Path) -> None:
    events, rows = write(tmp_path, opened().messages), tmp_path / "rounds.csv"
    rows.write_text("player_cards,banker_cards\n")
    answer = run_command(audit_command.register, rows, events)
    assert answer.code == 2
    assert answer.err == f"{events} holds events and {rows} does not; audit them apart"
