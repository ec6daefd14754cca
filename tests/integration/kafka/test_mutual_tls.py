"""A broker that wants to see a certificate of its clients sees ours, from all three clients."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from streams.kafka.topics import check_topics, create_topics
from streams.process.settings import KafkaSettings
from tests.integration.kafka.test_security import (
    echo_by_faust,
    last_by_aiokafka,
    refusal,
    send_by_aiokafka,
    send_by_python,
)
from tests.support.stream.kafka import kafka_or_skip
from tests.support.stream.kafka_security import (
    KEY_PASSWORD,
    SecureKafka,
    client_files,
    mutual_kafka,
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutual")


@pytest.fixture(scope="module")
def mutual(directory: Path) -> Iterator[SecureKafka]:
    kafka_or_skip()
    with mutual_kafka(directory) as found:
        create_topics(found.settings("PLAINTEXT"))
        yield found


@pytest.fixture
def shown(mutual: SecureKafka, directory: Path) -> KafkaSettings:
    """Settings that name our certificate."""
    certificate, key = client_files(directory)
    return mutual.settings(
        "SSL",
        tls_certificate_file=certificate,
        tls_key_file=key,
        tls_key_password=KEY_PASSWORD,
    )


def test_all_clients_show_their_certificate(shown: KafkaSettings, tmp_path: Path) -> None:
    assert not any(one.deviations for one in check_topics(shown))
    first, second, third = (secrets.token_bytes(8) for _ in range(3))
    send_by_python(shown, first)
    asyncio.run(send_by_aiokafka(shown, second))
    assert asyncio.run(last_by_aiokafka(shown, 2)) == [first, second]
    assert asyncio.run(echo_by_faust(shown, third, tmp_path)) == third


def test_who_shows_none_or_another_is_refused_in_one_line(
    mutual: SecureKafka, tmp_path: Path
) -> None:
    assert "it may want a certificate" in refusal(mutual.settings("SSL"))
    certificate, key = client_files(tmp_path)
    stranger = mutual.settings(
        "SSL",
        tls_certificate_file=certificate,
        tls_key_file=key,
        tls_key_password=KEY_PASSWORD,
    )
    line = refusal(stranger)
    assert "it may refuse our certificate; see kafka.tls_certificate_file" in line
    assert KEY_PASSWORD not in line
