"""157/10000 of 1,000,000.00 is 15,700.00 from the events through the history to every output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dashboards.commands.history import progressives as progressives_command
from schemas import events as said
from schemas.rules_submission import RulesSubmission
from streams.embedding.ingest import embedded_store, ingest_files
from tests.support.tables.table_script import TableScript, a_submission
from tests.support.texts.command_line import run_command

STAKE = 100_000_000
RATES = {"increment_rate": "1.57%", "reserve_rate": "0.3%"}


def a_filing() -> RulesSubmission:
    wagers = [one.model_dump() for one in a_submission().wagers]
    wagers.append({"id": "harmony_mini", "paytable": "A", "minimum": "5", "maximum": "1000000"})
    running = {
        "id": "HP-1",
        "wager": "harmony_mini",
        "unit": "1000000.00",
        "base": "10000.00",
        "reset": "10000.00",
        **RATES,
    }
    return a_submission(wagers=wagers, progressives=[running])


def of_meter(controller: TableScript, kind: type, **fields: object) -> None:
    controller.say(kind, progressive_id="HP-1", **fields)


def read(controller: TableScript, display: str, reserve: str, count: int) -> None:
    meter = said.TableMeter(table_id="BAC-01", in_count=count, coin_in_minor=count * STAKE, **RATES)
    of_meter(
        controller,
        said.ProgressiveReading,
        display=display,
        reserve=reserve,
        in_count=count,
        coin_in_minor=count * STAKE,
        hits_count=0,
        wins_minor=0,
        tables=(meter,),
    )


def told(display: str) -> list[bytes]:
    """Let a million be wagered on the meter, and the controller read this afterwards."""
    table = TableScript().open(a_filing()).shoe()
    controller = TableScript("PRG-1", "feed-p")
    controller.say(said.FeedStarted, source_kind="progressive_controller")
    read(controller, "10000.00", "0.00", 0)
    table.coup()
    base = table.wager("minibaccarat.player", 10_000)
    wager_id = table.wager("harmony_mini", STAKE)
    coup_id, controller.now = table.coup_id, table.now
    of_meter(
        controller,
        said.ProgressiveWagerAccepted,
        table_id="BAC-01",
        wager_id=wager_id,
        stake_minor=STAKE,
        in_count=1,
        coup_id=coup_id,
    )
    table.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
    for lost, stake in ((base, 10_000), (wager_id, STAKE)):
        table.settle(lost, 0, stake_collected_minor=stake)
    table.close()
    controller.now = table.now
    read(controller, display, "3000.00", 1)
    for script in (table, controller):
        for _ in range(24):
            script.say(said.Heartbeat, after_s=5)
    messages = table.messages + controller.messages
    return sorted(messages, key=lambda raw: str(json.loads(raw)["occurred_at"]))


@pytest.mark.parametrize(("display", "found"), [("25700.00", []), ("25699.00", ["METER_DRIFT"])])
def test_157_of_10000_of_a_million_is_15700_in_every_output(
    tmp_path: Path, display: str, found: list[str]
) -> None:
    events = tmp_path / "events.jsonl"
    events.write_bytes(b"".join(raw + b"\n" for raw in told(display)))
    with embedded_store(tmp_path / "store", alert=print) as (pipeline, _):
        ingest_files(pipeline, [str(events)])

    def asked(command: str, *arguments: object) -> str:
        return run_command(
            progressives_command.register,
            "progressives",
            command,
            *arguments,
            "--store",
            tmp_path / "store",
        ).out

    shown = json.loads(asked("show", "HP-1", "--format", "json"))
    (meter,) = shown["progressives"]
    assert (meter["display"], meter["display_shown"]) == ("25700.00", "25700.00")
    assert (meter["reserve"], meter["coin_in"]) == ("3000.00", "1000000.00")
    assert [one["code"] for one in shown["findings"]] == found
    assert "25700.00 USD, exactly 25700.00" in asked("show", "HP-1")
    day = json.loads(
        asked("liability", "--gaming-date", "2025-06-07", "--format", "jsonl").splitlines()[0]
    )
    assert (day["contributions"], day["display"], day["balanced"]) == ("18700.00", "25700.00", True)
    assert ",25700.00,25700.00,3000.00," in asked("list", "--format", "csv")
