"""A broker that wants passwords and certificates: every protocol, each on a listener of its own."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kafka import KafkaAdminClient
from kafka.admin import UserScramCredentialUpsertion

from streams.development.kafka_cluster import KafkaCluster
from streams.development.kafka_configuration import ClusterOptions
from streams.development.kafka_jars import needed_command
from streams.process.settings import KafkaSettings
from tests.support.stream.kafka import running_kafka

USER = "worker"
PASSWORD = "open-sesame, with \\ and ;"
KEY_PASSWORD = "sesame of the key"
_STORE_PASSWORD = "changeit"


@dataclass(frozen=True)
class SecureKafka:
    """The broker and the certificate that it is to be trusted by."""

    cluster: KafkaCluster
    certificate: Path

    def settings(
        self, protocol: str, mechanism: str | None = None, **more: object
    ) -> KafkaSettings:
        """Give the settings that reach one listener."""
        said: dict[str, object] = {
            "bootstrap": self.cluster.bootstrap_of(protocol),
            "dev": True,
            "partitions": 1,
        }
        if protocol.endswith("SSL"):
            said |= {"tls": True, "tls_ca_file": self.certificate}
        if mechanism is not None:
            said |= {
                "sasl_mechanism": mechanism,
                "sasl_username": USER,
                "sasl_password": PASSWORD,
            }
        return KafkaSettings.model_validate({**said, **more})


@contextlib.contextmanager
def secure_kafka(directory: Path) -> Iterator[SecureKafka]:
    """Run such a broker for the length of a block."""
    store, certificate = directory / "broker.p12", directory / "broker.pem"
    listeners = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
    with running_kafka(ClusterOptions(1, listeners, _properties(store))) as cluster:
        yield SecureKafka(cluster, certificate)


def make_certificate(directory: Path, name: str = "broker") -> Path:
    """Make a certificate for loopback that vouches for itself; gives it as PEM."""
    keytool = needed_command("keytool", "install a JDK")
    store, certificate = directory / f"{name}.p12", directory / f"{name}.pem"
    common = ["-alias", name, "-keystore", str(store), "-storepass", _STORE_PASSWORD]
    make = ["-genkeypair", "-keyalg", "EC", "-dname", f"CN={name}", "-validity", "2"]
    _run(keytool, *make, "-ext", "SAN=ip:127.0.0.1", "-storetype", "PKCS12", *common)
    _run(keytool, "-exportcert", "-rfc", "-file", str(certificate), *common)
    return certificate


@contextlib.contextmanager
def mutual_kafka(directory: Path) -> Iterator[SecureKafka]:
    """Run a broker that lets nobody in without the certificate of :func:`client_files`."""
    certificate = make_certificate(directory)
    trust = directory / "trust.p12"
    client, _ = client_files(directory)
    _run(
        needed_command("keytool", "install a JDK"),
        "-importcert",
        "-noprompt",
        "-alias",
        "client",
        "-file",
        str(client),
        "-keystore",
        str(trust),
        "-storetype",
        "PKCS12",
        "-storepass",
        _STORE_PASSWORD,
    )
    properties = {
        **_properties(directory / "broker.p12"),
        "ssl.truststore.location": str(trust),
        "ssl.truststore.type": "PKCS12",
        "ssl.truststore.password": _STORE_PASSWORD,
        "ssl.client.auth": "required",
    }
    with running_kafka(ClusterOptions(1, ("PLAINTEXT", "SSL"), properties)) as cluster:
        yield SecureKafka(cluster, certificate)


def client_files(directory: Path) -> tuple[Path, Path]:
    """Make the certificate of a client, and its key behind a password; gives both as PEM."""
    openssl = needed_command("openssl", "install OpenSSL")
    certificate, key = directory / "client.pem", directory / "client-key.pem"
    if not key.exists():
        _run(
            openssl,
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-days",
            "2",
            "-subj",
            "/CN=client",
            "-passout",
            f"pass:{KEY_PASSWORD}",
            "-out",
            str(certificate),
            "-keyout",
            str(key),
        )
    return certificate, key


def add_scram_user(cluster: KafkaCluster) -> None:
    """Let the broker know the user under both SCRAM mechanisms."""
    admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):  # a request may name a user only once
        user = UserScramCredentialUpsertion(USER, mechanism, PASSWORD)
        assert admin.alter_user_scram_credentials([user]) == {USER: None}
    admin.close()


def _properties(store: Path) -> dict[str, str]:
    scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    said = PASSWORD.replace("\\", "\\\\\\\\")  # once for the properties, once for the module
    plain = (
        f'org.apache.kafka.common.security.plain.PlainLoginModule required user_{USER}="{said}";'
    )
    properties = {
        "ssl.keystore.location": str(store),
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.password": _STORE_PASSWORD,
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    }
    for listener in ("sasl_plaintext", "sasl_ssl"):
        prefix = f"listener.name.{listener}"
        properties[f"{prefix}.plain.sasl.jaas.config"] = plain
        properties[f"{prefix}.scram-sha-256.sasl.jaas.config"] = scram
        properties[f"{prefix}.scram-sha-512.sasl.jaas.config"] = scram
    return properties


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
