"""A real Kafka cluster on this machine: started, watched, and surely stopped again.

A cluster has one directory, which is guarded (see :mod:`streams.development.guarded`): whatever way
this process ends, brokers and directory go with it.
"""

from __future__ import annotations

import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from streams.development.guarded import Guard, GuardedChild
from streams.development.kafka_configuration import (
    HOST,
    PLAIN,
    BrokerPorts,
    ClusterOptions,
    choose_ports,
    new_kafka_id,
    write_broker_files,
)
from streams.development.kafka_jars import PINS, kafka_jars, needed_command
from streams.kafka.administration import KafkaUnavailableError, administration
from streams.process.settings import KafkaSettings

START_LIMIT_S: Final = 60.0
STOP_LIMIT_S: Final = 10.0
_REMOVAL_LIMIT_S: Final = 2.0
"""A cluster whose data goes with it is not waited for longer: the last brokers of a quorum take
five seconds to find that nobody is left to say goodbye to."""
_PORT_TRIES: Final = 3
_LOG_TAIL_LINES: Final = 15


class KafkaStartError(Exception):
    """A broker did not become ready; the text ends with the last lines that it wrote."""


class _PortTakenError(Exception):
    """Somebody took a port between its choice and its use."""


class KafkaBroker(GuardedChild):
    """One broker of a cluster."""

    def __init__(
        self, number: int, place: tuple[Path, Path], command: Sequence[str], ports: BrokerPorts
    ) -> None:
        """Describe a broker that does not run yet.

        Args:
            number: From 1.
            place: The directory of the cluster, and where its log goes.
            command: What starts it.
            ports: Where it listens.
        """
        directory, logs = place
        name = f"broker-{number}"
        super().__init__(name, directory, command, logs / f"{name}.log")
        self.number = number
        self.ports = ports

    def address(self, listener: str = PLAIN) -> str:
        """Give where clients reach it."""
        return f"{HOST}:{self.ports.clients[listener]}"

    def stop(self, limit_s: float = STOP_LIMIT_S) -> bool:
        """Stop it in good order, and by force where that takes too long."""
        return super().stop(limit_s)

    def log_tail(self, lines: int = _LOG_TAIL_LINES) -> str:
        """Give the last lines that it wrote."""
        return super().log_tail(lines)

    def is_listening(self) -> bool:
        """Tell whether it takes connections."""
        try:
            socket.create_connection((HOST, self.ports.clients[PLAIN]), 1.0).close()
        except OSError:
            return False
        return True


class KafkaCluster:
    """A Kafka of one or more brokers on loopback, gone when its owner is."""

    def __init__(self, options: ClusterOptions = ClusterOptions()) -> None:  # noqa: B008 - frozen
        """Describe a cluster; :meth:`start` starts it.

        Raises:
            KafkaMissingError: There is no Java, or no Maven to fetch the broker with.
        """
        self.options = options
        self.brokers: list[KafkaBroker] = []
        self.directory: Path | None = None
        self._java = needed_command("java", "install a JDK (17 or newer) to run the Kafka broker")
        self._jars = kafka_jars()
        self._guard: Guard | None = None

    @property
    def bootstrap(self) -> str:
        """Where clients begin: the plain listeners of all brokers, by commas."""
        return self.bootstrap_of(PLAIN)

    def bootstrap_of(self, listener: str) -> str:
        """Give where clients of one listener begin."""
        return ",".join(broker.address(listener) for broker in self.brokers)

    def start(self) -> Self:
        """Start all brokers and wait until they take requests.

        Raises:
            KafkaStartError: One did not become ready.
        """
        for left in reversed(range(_PORT_TRIES)):
            self._prepare()
            try:
                self.start_brokers()
            except _PortTakenError as error:
                self.stop()
                if not left:
                    raise KafkaStartError(f"no port of loopback stays free: {error}") from None
            except BaseException:
                self.stop()
                raise
            else:
                break
        return self

    def _prepare(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="ladderman-kafka-"))
        self._guard = Guard(self.directory)
        ports, cluster = choose_ports(self.options), new_kafka_id()
        self.brokers = []
        for number, own in enumerate(ports, 1):
            path = write_broker_files(self.directory, number, self.options, ports, cluster)
            place = (self.directory, self.options.logs or self.directory)
            self.brokers.append(KafkaBroker(number, place, self._command(path), own))
            self.brokers[-1].log.unlink(missing_ok=True)  # of a try whose port was taken

    def _command(self, properties: Path) -> list[str]:
        return [
            self._java,
            f"-Xmx{self.options.heap_mb}m",
            "-Xms128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",  # short lives: quick code at once beats best code later
            f"-Dlog4j2.configurationFile={PINS / 'log4j2.properties'}",
            "-cp",
            f"{self._jars}/*",
            "kafka.Kafka",
            str(properties),
        ]

    def start_brokers(self, *numbers: int) -> None:
        """Start some brokers (none named: all) and wait until they take requests.

        Raises:
            KafkaStartError: One did not become ready.
        """
        chosen = [broker for broker in self.brokers if not numbers or broker.number in numbers]
        assert self._guard is not None, "it was started before"
        for broker in chosen:
            broker.launch(self._guard)
        deadline = time.monotonic() + START_LIMIT_S
        for broker in chosen:
            while not broker.is_listening():
                _still_coming(broker, deadline)
                time.sleep(0.05)
        while not self._are_ready({broker.number for broker in chosen}, chosen[0].address()):
            for broker in chosen:
                _still_coming(broker, deadline)
            time.sleep(0.1)

    def _are_ready(self, numbers: set[int], address: str) -> bool:
        settings = KafkaSettings(bootstrap=address, dev=True)
        try:
            with administration(settings, limit_s=2.0) as admin:
                described = admin.describe_cluster()["brokers"]
        except KafkaUnavailableError:
            return False
        return numbers <= {broker["broker_id"] for broker in described if not broker["is_fenced"]}

    def broker(self, number: int) -> KafkaBroker:
        """Give a broker by its number, from 1."""
        return self.brokers[number - 1]

    def stop(self) -> None:
        """Stop all brokers, by force where they take too long, and remove everything."""
        for broker in self.brokers:
            # A broker that was stopped with SIGSTOP hears SIGTERM only after SIGCONT.
            broker.signal(signal.SIGCONT)
            broker.signal(signal.SIGTERM)
        deadline = time.monotonic() + _REMOVAL_LIMIT_S
        for broker in self.brokers:
            if not broker.wait_ended(max(0.0, deadline - time.monotonic())):
                broker.kill()
        if self._guard is not None:
            self._guard.close()
            self._guard = None
        if self.directory is not None:
            shutil.rmtree(self.directory, ignore_errors=True)
        self.brokers = []

    def __enter__(self) -> Self:
        """Start it for the length of a block."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it and remove everything."""
        self.stop()


def _still_coming(broker: KafkaBroker, deadline: float) -> None:
    """Go on waiting for a broker, unless it ended or the time is over."""
    if broker.pid is None:
        tail = broker.log_tail()
        if "Address already in use" in tail:
            raise _PortTakenError(f"broker {broker.number} found its port taken")
        raise KafkaStartError(f"broker {broker.number} ended at once: {tail}")
    if time.monotonic() > deadline:
        raise KafkaStartError(
            f"broker {broker.number} was not ready within {START_LIMIT_S:.0f} s: "
            f"{broker.log_tail()}"
        )
