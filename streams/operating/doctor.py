"""The doctor: what is configured, reachable and lagging, each with what to do about it."""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from schemas.topics import TopicName
from streams.history.archive import history_reader
from streams.history.identity import history_id
from streams.history.reading.status import history_status
from streams.history.store import HistoryError, HistoryReader, SchemaError, StoreMissingError
from streams.kafka.positions import sink_group
from streams.operating.doctor_checks import Check, State, duration
from streams.operating.doctor_kafka import CLOCK_OFF_S, events_log_id, kafka_checks
from streams.process.clock import Clock, SystemClock
from streams.process.settings import Settings

CANARY_LATE_S: Final = 180.0
"""A canary whose finding is older than this has not been heard twice in a row."""

CANARY_METRIC: Final = "ladderman_canary_seconds_since_finding"
"""Seconds since the canary's last finding came out of the stream."""

_ANSWER_WITHIN_S: Final = 2.0
_GIB: Final = 1024**3
_DISK_WRONG: Final = 0.05
_DISK_NOTE: Final = 0.15


def examine(settings: Settings, clock: Clock | None = None) -> list[Check]:
    """Look at everything once; nothing is changed.

    Args:
        settings: How everything is reached.
        clock: The clock of this machine.
    """
    clock = clock or SystemClock()
    of_kafka = kafka_checks(settings.kafka, clock, _sink_group(settings))
    log_id = None
    if all(check.state is not State.UNREACHABLE for check in of_kafka):
        log_id = events_log_id(settings.kafka)
    return [
        *of_kafka,
        *_history(settings, clock, log_id),
        *_processes(settings),
        *_disk(settings.data.directory),
    ]


def _sink_group(settings: Settings) -> str | None:
    """Name the group of the sinks of the history; None where the history does not answer."""
    try:
        with history_reader(settings) as reader:
            return sink_group(settings.kafka, history_id(reader))
    except HistoryError:
        return None


def _history(settings: Settings, clock: Clock, log_id: str | None) -> Iterator[Check]:
    """Look at the history.

    Args:
        settings: Where it is.
        clock: The clock of this machine.
        log_id: Id of the log of events; None where no such log is reached.
    """
    try:
        with history_reader(settings) as reader:
            status = history_status(reader)
            yield Check(
                "history",
                State.FINE,
                f"{status.coup_count:,} coups of {status.table_count} tables, "
                f"{status.byte_count / _GIB:.2f} GiB",
            )
            if log_id is not None:
                yield from _log_of(reader, log_id)
            if settings.history.store == "clickhouse":
                yield _server_clock(reader, clock)
    except StoreMissingError as error:
        yield Check(
            "history",
            State.NOTE,
            str(error).partition(";")[0],
            "ladderman sink begins one, and ladderman ingest does",
        )
    except SchemaError as error:
        says, _, do = str(error).partition("; ")
        yield Check("history", State.WRONG, says, do or "run ladderman history migrate")
    except HistoryError as error:
        yield Check("history", State.UNREACHABLE, str(error), "see infra/runbook/HistoryAway.md")


def _log_of(reader: HistoryReader, log_id: str) -> Iterator[Check]:
    """Say where the history was made from another log than the one of the settings."""
    kept = reader.query("logs", {"topic": TopicName.EVENTS.value}).column("log_id")
    if kept and kept != [log_id]:
        yield Check(
            "history",
            State.WRONG,
            f"the history was made from events of log {kept[0]}, and Kafka "
            f"has log {log_id}: it does not show new events",
            "write into a new history, see infra/runbook/TopicRecreated.md",
        )


def _server_clock(reader: HistoryReader, clock: Clock) -> Check:
    off = (int(reader.query("now").column("now_us")[0]) - clock.now_us()) / 1e6
    if abs(off) > CLOCK_OFF_S:
        word = "ahead of" if off > 0 else "behind"
        return Check(
            "clock",
            State.WRONG,
            f"the ClickHouse server is {duration(abs(off))} {word} us",
            "set both by NTP",
        )
    return Check("clock", State.FINE, "the ClickHouse server has our time")


def _processes(settings: Settings) -> Iterator[Check]:
    listen = settings.listen
    for role, port in (
        ("worker", listen.worker_port),
        ("sink", listen.sink_port),
        ("reconcile", listen.reconcile_port),
        ("publish", listen.publish_port),
    ):
        at = f"{listen.host}:{port}"
        answer = _ask(f"http://{at}/health")
        if answer is None:
            yield Check(
                f"{role} here",
                State.NOTE,
                f"nothing answers at {at}",
                f"fine where none should run; else ladderman {role}",
            )
            continue
        yield _health(role, at, answer)
        if role == "reconcile" and (canary := _canary(_ask(f"http://{at}/metrics"))) is not None:
            yield canary


def _health(role: str, at: str, answer: bytes) -> Check:
    try:
        document = json.loads(answer)
        problems = [str(problem) for problem in document["problems"]]
        is_ready = bool(document["ready"])
    except (ValueError, KeyError, TypeError):
        return Check(
            f"{role} here",
            State.WRONG,
            f"something else answers at {at}",
            f"set listen.{role}_port to a free port",
        )
    if is_ready and not problems:
        return Check(f"{role} here", State.FINE, f"ready at {at}")
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    says = f"{problems[0] if problems else 'not ready'}{more}"
    return Check(f"{role} here", State.WRONG, says, f"see http://{at}/health and its log")


def _canary(metrics: bytes | None) -> Check | None:
    """Read how long ago the canary was heard; None where none sings."""
    for family in text_string_to_metric_families((metrics or b"").decode()):
        for sample in family.samples:
            if sample.name == CANARY_METRIC:
                return canary_check(sample.value)
    return None


def canary_check(age_s: float) -> Check:
    """Judge the time since the canary's last finding, seconds."""
    says = f"its last finding came {duration(age_s)} ago"
    if age_s > CANARY_LATE_S:
        return Check("canary", State.WRONG, says, "see infra/runbook/CanaryLate.md")
    return Check("canary", State.FINE, says)


def _ask(url: str) -> bytes | None:
    try:
        with urllib.request.urlopen(url, timeout=_ANSWER_WITHIN_S) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return bytes(error.read())
    except OSError:
        return None


def _disk(directory: Path) -> Iterator[Check]:
    there = directory.absolute()
    while not there.exists():
        there = there.parent
    usage = shutil.disk_usage(there)
    yield disk_check(there, usage.free, usage.total)


def disk_check(path: Path, free: int, total: int) -> Check:
    """Judge the room on a disk, bytes."""
    share = free / total if total else 0.0
    says = f"{free / _GIB:.1f} GiB ({share:.0%}) free at {path}"
    if share < _DISK_WRONG:
        return Check("disk", State.WRONG, says, "see infra/runbook/DiskFull.md")
    if share < _DISK_NOTE:
        return Check("disk", State.NOTE, says, "make room before it is full")
    return Check("disk", State.FINE, says)
