"""What the scenarios of the stream share: one broker, one floor, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from auditors.law import loading
from dashboards.commands.stream.reconcile import register
from streams.development.kafka_cluster import KafkaCluster
from tests.support.once import once_in_a_run
from tests.support.stream.stream_floor import Expected, Stream, expected_of, small_floor
from tests.support.texts.command_line import run_command

Reconcile = Callable[[], tuple[int, dict]]


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Expected:
    """What the small floor comes to; folded once for all scenarios and workers."""
    return once_in_a_run(tmp_path_factory, "expected", lambda at: expected_of(small_floor(), at))


@pytest.fixture
def stream(kafka: KafkaCluster, prefix: str, tmp_path: Path) -> Iterator[Stream]:
    """Topics of one scenario on the broker that all share; no process of it outlives the test."""
    with Stream.begin(kafka.bootstrap, prefix, tmp_path) as begun:
        yield begun


@pytest.fixture
def reconcile(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> Reconcile:
    """Run ``ladderman reconcile`` once; gives its code and its document."""
    for name, value in (
        ("KAFKA_BOOTSTRAP", stream.settings.bootstrap),
        ("KAFKA_PREFIX", stream.settings.prefix),
        ("KAFKA_PARTITIONS", str(stream.settings.partitions)),
        ("KAFKA_DEV", "true"),
        ("DATA_DIRECTORY", str(stream.store)),
    ):
        monkeypatch.setenv(f"LADDERMAN_{name}", value)

    def run() -> tuple[int, dict]:
        answer = run_command(register, "--format", "json")
        assert answer.code in (0, 1), answer.err
        return answer.code, answer.document

    return run


@pytest.fixture
def newer_law(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Have this process audit under the next audit epoch; gives it."""
    epoch = loading.load_law().audit_epoch + 1
    loading._held.cache_clear()
    monkeypatch.setattr(loading, "_epoch", lambda _: epoch)
    yield epoch
    loading._held.cache_clear()
