"""Passwords and certificates reach the broker alike through all three clients."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path

import faust
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from kafka import KafkaProducer

from schemas.topics import TopicName, topic
from streams.kafka.administration import KafkaUnavailableError, administration
from streams.kafka.connecting import aiokafka_options, faust_options, python_options
from streams.kafka.topics import check_topics, create_topics
from streams.process.settings import KafkaSettings
from tests.support.stream.kafka import kafka_or_skip
from tests.support.stream.kafka_security import (
    SecureKafka,
    add_scram_user,
    make_certificate,
    secure_kafka,
)

EVENTS = topic(TopicName.EVENTS)
WAYS = [
    ("SSL", None),
    ("SASL_PLAINTEXT", "SCRAM-SHA-256"),
    ("SASL_SSL", "PLAIN"),
    ("SASL_SSL", "SCRAM-SHA-256"),
    ("SASL_SSL", "SCRAM-SHA-512"),
]


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureKafka]:
    kafka_or_skip()
    directory = tmp_path_factory.mktemp("secure")
    make_certificate(directory)
    with secure_kafka(directory) as found:
        add_scram_user(found.cluster)
        create_topics(found.settings("PLAINTEXT"))
        yield found


def send_by_python(settings: KafkaSettings, value: bytes) -> None:
    producer = KafkaProducer(**python_options(settings))
    producer.send(EVENTS.full_name(settings.prefix), value).get(20)
    producer.close()


async def send_by_aiokafka(settings: KafkaSettings, value: bytes) -> None:
    async with AIOKafkaProducer(**aiokafka_options(settings)) as producer:
        await producer.send_and_wait(EVENTS.full_name(settings.prefix), value)


async def last_by_aiokafka(settings: KafkaSettings, count: int) -> list[bytes]:
    at = TopicPartition(EVENTS.full_name(settings.prefix), 0)
    async with AIOKafkaConsumer(**aiokafka_options(settings)) as consumer:
        consumer.assign([at])
        end = (await consumer.end_offsets([at]))[at]
        consumer.seek(at, end - count)
        return [(await consumer.getone()).value for _ in range(count)]


async def echo_by_faust(settings: KafkaSettings, value: bytes, directory: Path) -> bytes:
    """Send through a Faust app and give what its agent receives."""
    app = faust.App(
        f"t{secrets.token_hex(4)}", **faust_options(settings), datadir=directory, store="memory://"
    )
    name = EVENTS.full_name(settings.prefix)
    events = app.topic(name, value_type=bytes, value_serializer="raw")
    received: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    @app.agent(events)
    async def take(stream: faust.StreamT[bytes]) -> None:
        async for one in stream:
            if one == value and not received.done():
                received.set_result(one)

    await app.start()
    try:
        await events.send(value=value)
        return await asyncio.wait_for(received, 30)
    finally:
        await app.stop()


@pytest.mark.parametrize(("protocol", "mechanism"), WAYS)
def test_all_clients_get_through(secure: SecureKafka, protocol: str, mechanism: str | None) -> None:
    settings = secure.settings(protocol, mechanism)
    assert settings.security_protocol == protocol
    assert not any(one.deviations for one in check_topics(settings))

    first, second = secrets.token_bytes(8), secrets.token_bytes(8)
    send_by_python(settings, first)

    async def rest() -> list[bytes]:
        await send_by_aiokafka(settings, second)
        return await last_by_aiokafka(settings, 2)

    assert asyncio.run(rest()) == [first, second]


@pytest.mark.parametrize(("protocol", "mechanism"), [WAYS[0], WAYS[3]])
def test_faust_gets_through_too(
    secure: SecureKafka, protocol: str, mechanism: str | None, tmp_path: Path
) -> None:
    value = secrets.token_bytes(8)
    settings = secure.settings(protocol, mechanism)
    assert asyncio.run(echo_by_faust(settings, value, tmp_path)) == value


def refusal(settings: KafkaSettings) -> str:
    """Try to get through and give the line that says why not."""
    with (
        pytest.raises(KafkaUnavailableError) as raised,
        administration(settings, limit_s=1.5),
    ):
        pass
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_a_wrong_password_is_one_line_that_does_not_hold_it(
    secure: SecureKafka, mechanism: str
) -> None:
    line = refusal(secure.settings("SASL_SSL", mechanism, sasl_password="wrong-sesame"))
    assert "user worker" in line
    assert "see kafka.sasl_mechanism, sasl_username and sasl_password" in line
    assert "wrong-sesame" not in line


def test_a_certificate_that_is_not_trusted_is_one_line(secure: SecureKafka, tmp_path: Path) -> None:
    settings = secure.settings("SSL", tls_ca_file=make_certificate(tmp_path, "other"))
    assert "its certificate is not trusted (" in refusal(settings)


def test_plain_speech_with_a_port_of_certificates_is_one_line(secure: SecureKafka) -> None:
    settings = secure.settings("PLAINTEXT", bootstrap=secure.cluster.bootstrap_of("SSL"))
    assert "see whether its port wants kafka.tls" in refusal(settings)


def test_certificates_with_a_port_of_plain_speech_are_one_line(secure: SecureKafka) -> None:
    settings = secure.settings("SSL", bootstrap=secure.cluster.bootstrap_of("PLAINTEXT"))
    assert "it does not speak TLS with us" in refusal(settings)
