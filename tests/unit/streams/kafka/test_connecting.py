"""The three clients get the same addresses, users and certificates, and show no secret."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiokafka.partitioner import DefaultPartitioner as AioPartitioner
from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner import murmur2 as python_murmur2

from streams.kafka.connecting import aiokafka_options, faust_options, python_options
from streams.kafka.partitioning import partition_of
from streams.process.settings import KafkaSettings
from streams.process.settings_errors import SettingsError

SECRET = "open-sesame"
WITH_USER = KafkaSettings.model_validate(
    {
        "bootstrap": "a:1,b:2",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_username": "worker",
        "sasl_password": SECRET,
        "tls": True,
    }
)


def test_all_clients_get_the_same_user_and_the_same_way() -> None:
    for options in (python_options(WITH_USER), aiokafka_options(WITH_USER)):
        assert options["bootstrap_servers"] == ["a:1", "b:2"]
        assert options["security_protocol"] == "SASL_SSL"
        assert options["sasl_mechanism"] == "SCRAM-SHA-512"
        assert (options["sasl_plain_username"], options["sasl_plain_password"]) == (
            "worker",
            SECRET,
        )
        assert options["ssl_context"].check_hostname
    faust = faust_options(WITH_USER)
    credentials = faust["broker_credentials"]
    assert faust["broker"] == ["kafka://a:1", "kafka://b:2"]
    assert credentials.protocol.value == "SASL_SSL"
    assert credentials.mechanism.value == "SCRAM-SHA-512"
    assert (credentials.username, credentials.password) == ("worker", SECRET)


def test_without_users_and_certificates_nothing_of_them_is_said() -> None:
    plain = KafkaSettings()
    assert python_options(plain)["ssl_context"] is None
    assert "sasl_mechanism" not in aiokafka_options(plain)
    assert "broker_credentials" not in faust_options(plain)


def test_certificates_without_a_user_reach_faust_too() -> None:
    credentials = faust_options(KafkaSettings(tls=True))["broker_credentials"]
    assert credentials.protocol.value == "SSL"
    assert credentials.context.check_hostname


@pytest.mark.parametrize("options", [python_options, aiokafka_options, faust_options])
def test_a_client_that_logs_its_options_shows_no_password(options) -> None:
    assert SECRET not in repr(options(WITH_USER))
    assert SECRET not in f"{options(WITH_USER)}"


def test_the_name_of_a_host_is_checked_unless_told_otherwise(tmp_path: Path) -> None:
    settings = KafkaSettings(tls=True, tls_check_hostname=False)
    context = python_options(settings)["ssl_context"]
    assert not context.check_hostname
    assert context.verify_mode.name == "CERT_REQUIRED"


@pytest.mark.parametrize("content", [None, "", "no certificate"])
def test_a_certificate_file_that_is_none_is_one_line(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    settings = KafkaSettings(tls=True, tls_ca_file=path)
    with pytest.raises(SettingsError, match=r"^kafka\.tls_ca_file .*ca\.pem cannot be used: "):
        python_options(settings)


def test_a_key_that_does_not_fit_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "own.pem"
    path.write_text("nothing")
    settings = KafkaSettings(tls=True, tls_certificate_file=path, tls_key_file=path)
    with pytest.raises(SettingsError, match=r"tls_certificate_file and kafka\.tls_key_file .*own"):
        aiokafka_options(settings)


# What Java's Utils.murmur2 gives, from the tests of Apache Kafka itself.
JAVA = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


@pytest.mark.parametrize("key", JAVA)
def test_a_key_belongs_where_java_puts_it(key: bytes) -> None:
    assert partition_of(key, 1 << 31) == JAVA[key] & 0x7FFFFFFF


@given(st.binary(min_size=1, max_size=64), st.integers(1, 1000))
def test_a_key_belongs_where_every_client_puts_it(key: bytes, partitions: int) -> None:
    everywhere = list(range(partitions))
    assert partition_of(key, partitions) == AioPartitioner()(key, everywhere, everywhere)
    assert partition_of(key, partitions) == (python_murmur2(key) & 0x7FFFFFFF) % partitions
