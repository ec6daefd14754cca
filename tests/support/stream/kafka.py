"""A real broker for tests: one for a whole run, or one of its own for a test that harms it."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator

import pytest

from streams.development.kafka_cluster import KafkaCluster
from streams.development.kafka_configuration import ClusterOptions
from streams.development.kafka_jars import KafkaMissingError


def kafka_or_skip(options: ClusterOptions = ClusterOptions()) -> KafkaCluster:  # noqa: B008
    """Give a cluster that is not started; skip the test where none can run, but not in CI."""
    try:
        return KafkaCluster(options)
    except KafkaMissingError as error:
        if os.environ.get("CI"):
            pytest.fail(f"the broker tests never skip in CI: {error}")
        pytest.skip(str(error))


@contextlib.contextmanager
def running_kafka(options: ClusterOptions = ClusterOptions()) -> Iterator[KafkaCluster]:  # noqa: B008
    """Run a cluster for the length of a block."""
    with kafka_or_skip(options) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def kafka() -> Iterator[KafkaCluster]:
    """One broker for every test of this run that does it no harm."""
    quick_compaction = {"log.cleaner.backoff.ms": "500"}
    with running_kafka(ClusterOptions(properties=quick_compaction)) as cluster:
        yield cluster


@pytest.fixture
def prefix() -> str:
    """Give names of topics and groups that no other test uses."""
    return f"t{secrets.token_hex(4)}"
