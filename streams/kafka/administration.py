"""The administration of a cluster through one client; each failure is one line."""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
from collections.abc import Iterator
from typing import Final

from kafka import KafkaAdminClient
from kafka.errors import (
    AuthorizationError,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    RequestTimedOutError,
    SaslAuthenticationFailedError,
)

from streams.kafka.answers import told, where_of
from streams.kafka.connecting import connected_client, tls_context
from streams.process.settings import KafkaSettings

CONNECT_LIMIT_S: Final = 5.0
_ABOUT_OUR_CERTIFICATE: Final = ("ALERT_BAD_CERTIFICATE", "ALERT_CERTIFICATE", "ALERT_UNKNOWN_CA")
"""In the names of the alerts of a broker that wants another certificate of us, or one at all."""

_PROBE_LIMIT_S: Final = 3.0
_SEE_USER: Final = "see kafka.sasl_mechanism, sasl_username and sasl_password"
_SEE_BROKERS: Final = "see whether its brokers are stuck, or start them again"

_WHICH_REQUESTS: Final = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
"""A request that every broker answers to everybody: size, ApiVersions 0, number 1, no name."""

# The client reports each of its tries; without a log they would land on the terminal.
logging.getLogger("kafka").addHandler(logging.NullHandler())


class KafkaUnavailableError(Exception):
    """The cluster cannot be reached or refuses us; one line says which and what to do."""


@contextlib.contextmanager
def administration(
    settings: KafkaSettings, limit_s: float = CONNECT_LIMIT_S
) -> Iterator[KafkaAdminClient]:
    """Give a client that asks and changes what a cluster has.

    Args:
        settings: Where the cluster is and who asks.
        limit_s: How long is tried to reach it.

    Raises:
        KafkaUnavailableError: It cannot be reached, or refuses us.
        SettingsError: A certificate file cannot be used.
    """
    try:
        with told(settings, limit_s + _PROBE_LIMIT_S):
            try:
                admin = connected_client(KafkaAdminClient, settings, limit_s)
            except KafkaError as error:
                raise KafkaUnavailableError(unavailable_line(settings, error)) from None
        with contextlib.closing(admin), told(settings, settings.request_timeout_s):
            yield admin
    except KafkaError as error:
        raise KafkaUnavailableError(unavailable_line(settings, error)) from None


def unavailable_line(settings: KafkaSettings, error: Exception) -> str:
    """Say in one line why a cluster does not answer us, and what to do."""
    where = where_of(settings)
    words = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, SaslAuthenticationFailedError):
        return f"{where} refuses user {settings.sasl_username}: {words}; {_SEE_USER}"
    if isinstance(error, AuthorizationError):
        return f"{where} does not allow us that: {words}; ask for the rights of the topics"
    if isinstance(error, KafkaTimeoutError | KafkaConnectionError | RequestTimedOutError):
        return f"{where} cannot be reached: {_seen_from_here(settings) or _ended(settings)}"
    return f"{where} does not do that: {words}"


def unanswered_line(settings: KafkaSettings, why: str) -> str:
    """Say in one line that a cluster takes connections and says nothing, and what to do."""
    return f"{where_of(settings)} takes connections and does not answer: {why}; {_SEE_BROKERS}"


def _ended(settings: KafkaSettings) -> str:
    """Say why a broker that takes connections may end them: often before it has said why."""
    if settings.sasl_mechanism:
        return f"it ends the connection, so user {settings.sasl_username} may be wrong; {_SEE_USER}"
    if settings.tls:
        return _of_certificate(settings)
    return "it ends the connection or is too slow; see whether its port wants kafka.tls or a user"


def _of_certificate(settings: KafkaSettings) -> str:
    shown = "refuse our certificate" if settings.tls_certificate_file else "want a certificate"
    return f"it ends the connection, so it may {shown}; see kafka.tls_certificate_file"


def _seen_from_here(settings: KafkaSettings) -> str | None:
    """Try the first address by hand, since the client only says that it gave up."""
    host, _, port = settings.servers[0].rpartition(":")
    context = tls_context(settings)
    try:
        plain = socket.create_connection((host.strip("[]"), int(port)), _PROBE_LIMIT_S)
    except OSError as error:
        return f"{error.strerror or error}; start it, or set kafka.bootstrap"
    try:
        with plain:
            if context is None:
                _first_answer(plain)
                return None
            with context.wrap_socket(plain, server_hostname=host.strip("[]")) as wrapped:
                _first_answer(wrapped)
                return None
    except ssl.SSLCertVerificationError as error:
        return f"its certificate is not trusted ({error.verify_message}); see kafka.tls_ca_file"
    except ssl.SSLError as error:
        if any(word in (error.reason or "") for word in _ABOUT_OUR_CERTIFICATE):
            return _of_certificate(settings)
        return f"it does not speak TLS with us ({error.reason}); see kafka.tls and its port"
    except TimeoutError:
        return (
            f"it accepts connections and does not answer for {_PROBE_LIMIT_S:g} s; {_SEE_BROKERS}"
        )
    except OSError as error:
        return f"{error.strerror or error}; start it, or set kafka.bootstrap"


def _first_answer(connection: socket.socket) -> None:
    """Ask which requests are known, which needs no user, and wait for a byte or for the end.

    Raises:
        TimeoutError: There is neither.
    """
    try:
        connection.sendall(_WHICH_REQUESTS)
        connection.recv(1)
    except ConnectionError:
        return  # as good as an end
