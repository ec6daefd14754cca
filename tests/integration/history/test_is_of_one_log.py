"""Versions of two logs are never in one history: the higher would hide what is said later."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import closing, nullcontext
from pathlib import Path

import orjson
import pytest

from schemas import events as said
from schemas.topics import TopicName
from streams.embedding.ingest import embedded_store, ingest_files
from streams.history.archive import HistoryArchive
from streams.history.backup import back_up, restore
from streams.history.embedded.store import ChdbStore
from streams.history.log_claim import ForeignLogError, claim_history, refuse_foreign_history
from streams.history.opening import history_path
from streams.history.reading.digest import history_digests
from streams.operating import doctor
from streams.operating.doctor_checks import State
from streams.process.settings import Settings
from streams.spool.feed_identity import random_id
from tests.support.tables.table_script import TableScript

LOGS = {TopicName.EVENTS: "log-1", TopicName.PROGRESSIVE_INPUTS: "log-2"}


def written(path: Path) -> tuple[Path, Path]:
    """Write a day with an overpaid wager, and the same with its correction."""
    script = TableScript().open().shoe("S1").honest_coup().coup()
    wager = script.wager("banker", 10_000)
    script.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
    script.settle(wager, 20_000, stake_collected_minor=0).close()
    before = len(script.messages)
    script.say(
        said.PayoutCorrected,
        coup_id="S1/2",
        shoe_id="S1",
        correction_id="C1",
        settlement_id=f"T-{wager}",
        paid_change_minor=-500,
        authorised_by="F1",
    )
    day, corrected = path / "day.jsonl", path / "corrected.jsonl"
    noise = b"no event\n"  # moves the offsets of what comes behind it
    day.write_bytes(noise + b"\n".join(script.messages[:before]) + b"\n")
    corrected.write_bytes(b"\n".join(script.messages) + b"\n")
    return day, corrected


def ingested(store: Path, file: Path) -> int | None:
    """Ingest a file and say what is known to be paid in the second coup."""
    with embedded_store(store, alert=lambda _: None) as (pipeline, history):
        ingest_files(pipeline, [str(file)])
        (row,) = history.query(
            "standing_record", {"kind": "coup", "table_id": "BAC-01", "subject": "S1/2"}
        ).dicts()
    return orjson.loads(row["record_bytes"])["coup"]["paid_minor"]


def test_a_restored_history_goes_on_with_its_own_log_and_with_no_other(tmp_path: Path) -> None:
    day, corrected = written(tmp_path)
    first, second = tmp_path / "first", tmp_path / "second"
    assert ingested(first, day) == 20_000
    with closing(ChdbStore(history_path(first), create=False)) as history:
        back_up(history, tmp_path / "backup", lambda: history_digests(history))
    with closing(ChdbStore(history_path(second))) as history:
        restore(history, tmp_path / "backup", lambda: history_digests(history))

    for _ in range(2):  # a first refusal changes nothing
        with pytest.raises(ForeignLogError, match="write into a new history"):
            ingested(second, corrected)
    for name in ("log", "progressive-log", "snapshots", "progressive-snapshots"):
        shutil.rmtree(second / name, ignore_errors=True)
        shutil.copytree(first / name, second / name)
    assert ingested(second, corrected) == 19_500
    assert ingested(tmp_path / "third", corrected) == 19_500


def test_a_history_from_before_takes_the_log_beside_it_but_no_empty_one(tmp_path: Path) -> None:
    day, corrected = written(tmp_path)
    store = tmp_path / "store"
    ingested(store, day)
    with closing(ChdbStore(history_path(store), create=False)) as history:
        history._execute("TRUNCATE TABLE logs")  # as before there was such a table
    aside = tmp_path / "aside"
    aside.mkdir()
    for name in ("log", "snapshots"):
        (store / name).rename(aside / name)
    with pytest.raises(ForeignLogError, match="made from another log"):
        ingested(store, corrected)
    for name in ("log", "snapshots"):
        shutil.rmtree(store / name, ignore_errors=True)
        (aside / name).rename(store / name)
    assert ingested(store, corrected) == 19_500


def test_a_history_is_claimed_once_and_by_one_log(tmp_path: Path) -> None:
    with closing(ChdbStore(tmp_path / "history")) as history:
        history.migrate()
        with pytest.raises(ForeignLogError, match="not written by a sink yet"):
            refuse_foreign_history(history, TopicName.EVENTS, "log-1")
        for now_us in (1, 2):
            claim_history(history, LOGS, now_us, place="here")
        for name in LOGS:
            with pytest.raises(ForeignLogError, match=f"{name.value} of log log-"):
                claim_history(history, {**LOGS, name: random_id("log-")}, 3, place="here")
        claim_history(history, LOGS, 4, place="here")
        assert len(history.query("logs", {"topic": "events"})) == 1
        refuse_foreign_history(history, TopicName.EVENTS, "log-1")
        with pytest.raises(ForeignLogError, match="made from events of log log-1"):
            refuse_foreign_history(history, TopicName.EVENTS, "log-2")


def test_messages_of_another_log_are_not_taken_for_those_that_this_one_lost(
    tmp_path: Path,
) -> None:
    with closing(ChdbStore(tmp_path / "history")) as history:
        history.migrate()

        def read(log_id: str) -> object:
            archive = HistoryArchive(lambda: nullcontext(history), 0, log_id)
            return asyncio.run(archive.read(0, 10, 5))

        with pytest.raises(ForeignLogError, match="not written by a sink yet"):
            read("log-1")
        claim_history(history, LOGS, 1, place="here")
        assert read("log-1") == []
        with pytest.raises(ForeignLogError, match="made from events of log log-1"):
            read("log-3")


def test_the_doctor_says_where_a_history_is_of_another_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingested(tmp_path, written(tmp_path)[0])
    settings = Settings(data={"directory": tmp_path})
    with closing(ChdbStore(history_path(tmp_path), create=False)) as history:
        (log_id,) = history.query("logs", {"topic": "events"}).column("log_id")
    monkeypatch.setattr(doctor, "kafka_checks", lambda *_: [])

    def states(of_kafka: str | None) -> list[State]:
        monkeypatch.setattr(doctor, "events_log_id", lambda _: of_kafka)
        return [one.state for one in doctor.examine(settings) if one.area == "history"]

    assert states(str(log_id)) == [State.FINE]
    assert states(None) == [State.FINE]
    assert states("log-1") == [State.FINE, State.WRONG]
