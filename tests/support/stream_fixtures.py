"""What the scenarios of the stream share: one broker, one floor, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.development.kafka_cluster import KafkaCluster
from tests.support.stream_floor import Expected, Stream, expected_of, small_floor


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Expected:
    """What the small floor comes to; folded once for all scenarios."""
    return expected_of(small_floor(), tmp_path_factory.mktemp("expected"))


@pytest.fixture
def stream(kafka: KafkaCluster, prefix: str, tmp_path: Path) -> Iterator[Stream]:
    """Topics of one scenario on the broker that all share; no process of it outlives the test."""
    with Stream.begin(kafka.bootstrap, prefix, tmp_path) as begun:
        yield begun
