"""Connection options, so that all Kafka clients use the same addresses, user and certificates.

kafka-python (devices and administration), aiokafka (own readers and producers) and Faust (the
head of the log) each want them in words of their own; all come from one settings class.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import Any, Final, TypeVar

from kafka.errors import KafkaError
from kafka.net.compat import KafkaNetClient

from schemas.topics import MESSAGE_BYTES_MAX
from streams.process.settings import KafkaSettings
from streams.process.settings_errors import SettingsError

CLIENT_ID: Final = "ladderman"

C = TypeVar("C")


class _Unshown(str):
    """A text that the clients can use and their debug logs, which write all options, cannot."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'**********'"


def tls_context(settings: KafkaSettings) -> ssl.SSLContext | None:
    """Make what certificates are checked and shown with; None where TLS is off.

    Raises:
        SettingsError: A file cannot be read or holds nothing of use.
    """
    if not settings.tls:
        return None
    context = ssl.create_default_context()
    context.check_hostname = settings.tls_check_hostname
    if settings.tls_ca_file is not None:
        try:
            # Only these are trusted, not those of the system besides.
            context = ssl.create_default_context(cafile=str(settings.tls_ca_file))
            context.check_hostname = settings.tls_check_hostname
        except OSError as error:
            raise _unusable("kafka.tls_ca_file", settings.tls_ca_file, error) from None
    if settings.tls_certificate_file is not None and settings.tls_key_file is not None:
        password = settings.tls_key_password
        try:
            context.load_cert_chain(
                settings.tls_certificate_file,
                settings.tls_key_file,
                # A text, never None: OpenSSL would ask the terminal for it.
                lambda: password.get_secret_value() if password else "",
            )
        except OSError as error:
            name = "kafka.tls_certificate_file and kafka.tls_key_file"
            raise _unusable(name, settings.tls_certificate_file, error) from None
    return context


def _unusable(key: str, path: object, error: OSError) -> SettingsError:
    reason = error.strerror or getattr(error, "reason", None) or "it holds no such thing"
    return SettingsError(f"{key} {path} cannot be used: {reason}; name a PEM file")


def _password(settings: KafkaSettings) -> _Unshown | None:
    secret = settings.sasl_password
    return _Unshown(secret.get_secret_value()) if secret else None


def python_options(settings: KafkaSettings) -> dict[str, Any]:
    """Give the options of every kafka-python client.

    Raises:
        SettingsError: A certificate file cannot be used.
    """
    return {"client_id": CLIENT_ID, **_common_options(settings)}


def aiokafka_options(settings: KafkaSettings) -> dict[str, Any]:
    """Give the options of every aiokafka client.

    Raises:
        SettingsError: A certificate file cannot be used.
    """
    options = {"client_id": CLIENT_ID, **_common_options(settings)}
    # It refuses None for a mechanism that it does not use.
    return {key: value for key, value in options.items() if value is not None}


def connected_client(
    make: Callable[..., C], settings: KafkaSettings, limit_s: float, **options: object
) -> C:
    """Make a kafka-python client that has reached the cluster.

    Args:
        make: ``KafkaAdminClient`` or ``KafkaProducer``.
        settings: Where the cluster is and who asks.
        limit_s: How long is tried to reach it.
        **options: Further options of the client.

    Raises:
        KafkaError: The cluster cannot be reached, or refuses us.
        SettingsError: A certificate file cannot be used.
    """
    made: list[KafkaNetClient] = []

    def make_network(**configuration: Any) -> KafkaNetClient:
        made.append(KafkaNetClient(**configuration))
        return made[-1]

    said = {**python_options(settings), **options}
    try:
        return make(bootstrap_timeout_ms=int(limit_s * 1000), kafka_client=make_network, **said)
    except KafkaError:
        # A client that never came to be leaves its thread and its sockets behind.
        for network in made:
            network.close()
        raise


def _common_options(settings: KafkaSettings) -> dict[str, Any]:
    return {
        "bootstrap_servers": settings.servers,
        "request_timeout_ms": int(settings.request_timeout_s * 1000),
        "security_protocol": settings.security_protocol,
        "ssl_context": tls_context(settings),
        "sasl_mechanism": settings.sasl_mechanism,
        "sasl_plain_username": settings.sasl_username,
        "sasl_plain_password": _password(settings),
    }


def faust_options(settings: KafkaSettings) -> dict[str, Any]:
    """Give the options of a Faust app that concern its connection and its membership.

    Raises:
        SettingsError: A certificate file cannot be used.
    """
    options: dict[str, Any] = {
        "broker": [f"kafka://{server}" for server in settings.servers],
        "broker_client_id": CLIENT_ID,
        "broker_request_timeout": settings.request_timeout_s,
        "broker_session_timeout": settings.session_timeout_s,
        "broker_heartbeat_interval": settings.heartbeat_s,
        "broker_commit_interval": settings.commit_every_s,
        "consumer_max_fetch_size": MESSAGE_BYTES_MAX,
        "producer_acks": -1,
        # Topics are made beforehand and never by a worker; there is no framework table.
        "topic_allow_declare": False,
        "topic_disable_leader": True,
        "stream_wait_empty": True,
        # Its pages would listen on every address and show what is folded.
        "web_enabled": False,
    }
    # The framework takes half a second to import, which most commands need not wait for.
    from faust import SASLCredentials, SSLCredentials

    context = tls_context(settings)
    if settings.sasl_mechanism:
        options["broker_credentials"] = SASLCredentials(
            username=settings.sasl_username,
            password=_password(settings),
            mechanism=settings.sasl_mechanism,
            ssl_context=context,
        )
    elif context is not None:
        options["broker_credentials"] = SSLCredentials(context)
    return options
