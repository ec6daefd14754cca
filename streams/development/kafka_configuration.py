"""The configuration of a development broker: small, on loopback, in a directory of its own."""

from __future__ import annotations

import base64
import random
import secrets
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

HOST: Final = "127.0.0.1"

PLAIN: Final = "PLAINTEXT"
"""The listener that brokers use among themselves and that needs no password."""

_PORTS: Final = range(20_000, 32_000)
"""Below the ports that systems give to outgoing connections: a client that tries to reach a
stopped broker there could otherwise be connected to itself and keep the port from it."""


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """What may differ between clusters for development."""

    brokers: int = 1
    listeners: tuple[str, ...] = (PLAIN,)
    """Listeners for clients, each named by its protocol, such as ``SASL_SSL``; PLAINTEXT first."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Further lines of server.properties; they win over what is written here."""
    heap_mb: int = 256
    logs: Path | None = None
    """Where the brokers' logs are kept; None: beside their data, and gone with it."""


@dataclass(frozen=True, slots=True)
class BrokerPorts:
    """Where one broker listens."""

    clients: Mapping[str, int]
    """By listener."""
    controller: int


def free_ports(count: int) -> list[int]:
    """Find ports of loopback that nobody listens on; another may still take them first."""
    found: list[int] = []
    candidates = list(_PORTS)
    random.SystemRandom().shuffle(candidates)
    for port in candidates:
        if len(found) == count:
            break
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
        found.append(port)
    return found


def choose_ports(options: ClusterOptions) -> list[BrokerPorts]:
    """Choose the ports of every broker of a cluster."""
    each = len(options.listeners) + 1
    ports = free_ports(each * options.brokers)
    return [
        BrokerPorts(dict(zip(options.listeners, ports[at + 1 : at + each], strict=True)), ports[at])
        for at in range(0, len(ports), each)
    ]


def new_kafka_id() -> str:
    """Make the id of a cluster or directory in Kafka's form; none begins with ``-``."""
    return base64.urlsafe_b64encode(b"\x00" + secrets.token_bytes(15)).decode().rstrip("=")


def write_broker_files(
    directory: Path,
    number: int,
    options: ClusterOptions,
    ports: Sequence[BrokerPorts],
    cluster: str,
) -> Path:
    """Write what a broker starts from: its properties, and whose its data directory is.

    Writing ``meta.properties`` is all that formatting does where nothing but defaults is asked
    for, and saves a second virtual machine.

    Returns:
        The properties file.
    """
    data = directory / f"broker-{number}"
    data.mkdir()
    meta = {
        "version": "1",
        "cluster.id": cluster,
        "node.id": str(number),
        "directory.id": new_kafka_id(),
    }
    (data / "meta.properties").write_text(_lines(meta), encoding="ascii")
    path = directory / f"broker-{number}.properties"
    path.write_text(_lines(_properties(data, number, options, ports)), encoding="utf-8")
    return path


def _lines(properties: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in properties.items())


def _properties(
    data: Path, number: int, options: ClusterOptions, ports: Sequence[BrokerPorts]
) -> dict[str, str]:
    own = ports[number - 1]
    clients = [f"{name}://{HOST}:{port}" for name, port in own.clients.items()]
    voters = [f"{at}@{HOST}:{port.controller}" for at, port in enumerate(ports, 1)]
    copies = str(min(3, options.brokers))
    protocols = [f"{name}:{name}" for name in options.listeners]
    return {
        "process.roles": "broker,controller",
        "node.id": str(number),
        "controller.quorum.voters": ",".join(voters),
        "listeners": ",".join([*clients, f"CONTROLLER://{HOST}:{own.controller}"]),
        "advertised.listeners": ",".join(clients),
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": PLAIN,
        "listener.security.protocol.map": ",".join([*protocols, "CONTROLLER:PLAINTEXT"]),
        "log.dirs": str(data),
        "offsets.topic.replication.factor": copies,
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "4",
        # Members of a group join at once instead of waiting three seconds for each other.
        "group.initial.rebalance.delay.ms": "0",
        "auto.create.topics.enable": "false",
        # A killed broker is replaced soon, yet a busy machine does not lose one that lives.
        "broker.session.timeout.ms": "4000",
        "broker.heartbeat.interval.ms": "500",
        "num.network.threads": "2",
        "num.io.threads": "2",
        **options.properties,
    }
