"""The doctor's words and states, without anything to look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboards.documents.stream.health import changed_settings
from streams.history.store import HistoryReader, SchemaError
from streams.kafka import administration
from streams.operating.doctor import CANARY_LATE_S, canary_check, disk_check, examine
from streams.operating.doctor_checks import Check, State, duration, worst
from streams.process.settings import KafkaSettings, Settings


def test_what_is_unreachable_is_worse_than_what_is_wrong() -> None:
    fine, wrong = Check("a", State.FINE, "x"), Check("b", State.WRONG, "x")
    assert worst([]) is State.FINE
    assert worst([fine, wrong]) is State.WRONG
    assert worst([Check("c", State.UNREACHABLE, "x"), wrong]) is State.UNREACHABLE


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (119, "119 s"), (600, "10 min"), (7200, "2 h"), (200_000, "2 days")],
)
def test_spans_are_said_as_people_say_them(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_a_disk_and_a_canary_are_judged_by_their_limits() -> None:
    gib = 1024**3
    assert disk_check(Path("/d"), 4 * gib, 100 * gib).state is State.WRONG
    assert disk_check(Path("/d"), 10 * gib, 100 * gib).state is State.NOTE
    assert disk_check(Path("/d"), 50 * gib, 100 * gib).state is State.FINE
    assert canary_check(CANARY_LATE_S + 1).state is State.WRONG
    assert canary_check(30).state is State.FINE


def test_only_what_differs_from_its_default_is_shown_and_no_secret() -> None:
    settings = Settings(
        kafka={
            "bootstrap": "broker:9092",
            "sasl_mechanism": "PLAIN",
            "sasl_username": "floor",
            "sasl_password": "hunter2",
        }
    )
    shown = dict(changed_settings(settings))
    assert shown["kafka.bootstrap"] == "broker:9092"
    assert shown["kafka.sasl_password"] == "set"
    assert "hunter2" not in str(shown)
    assert "kafka.prefix" not in shown


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a cluster that is not there for a moment only."""
    connect = administration.connected_client
    monkeypatch.setattr(
        administration,
        "connected_client",
        lambda make, settings, limit_s, **options: connect(
            make, settings, min(limit_s, 0.3), **options
        ),
    )


@pytest.mark.usefixtures("impatient")
def test_a_kafka_that_was_never_set_is_no_fault_and_one_that_was_is(tmp_path: Path) -> None:
    data = {"directory": tmp_path}
    named = Settings(data=data, kafka={"bootstrap": "127.0.0.1:1"})
    (unreachable,) = [one for one in examine(named) if one.area == "kafka"]
    assert unreachable.do == "start the brokers, see infra/runbook/KafkaUnreachable.md"
    assert unreachable.state is State.UNREACHABLE
    assert KafkaSettings().model_fields_set == set()


@pytest.mark.usefixtures("impatient")
def test_a_history_of_another_version_answers_and_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Settings) -> HistoryReader:
        raise SchemaError("history /h lacks 0003_sinks.sql; run ladderman history migrate")

    monkeypatch.setattr("streams.operating.doctor.history_reader", refuse)
    settings = Settings(data={"directory": tmp_path}, kafka={"bootstrap": "127.0.0.1:1"})
    (found,) = [one for one in examine(settings) if one.area == "history"]
    assert (found.state, found.says) == (State.WRONG, "history /h lacks 0003_sinks.sql")
    assert found.do == "run ladderman history migrate"
