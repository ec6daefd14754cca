"""A whole stream on one machine: every part is a process, and none outlives the starter.

A broker, workers and a sink are started, looked after and stopped again. All they keep lies in one
guarded directory that goes with them; their logs, and a store where one is named, stay.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson
from prometheus_client.parser import text_string_to_metric_families

from schemas.topics import TopicName
from streams.development.guarded import Guard, GuardedChild
from streams.development.kafka_cluster import KafkaCluster, KafkaStartError
from streams.development.kafka_configuration import HOST, ClusterOptions, free_ports
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.topics import create_topics
from streams.process.settings import (
    ENV_PREFIX,
    ClickHouseSettings,
    DataSettings,
    HistorySettings,
    KafkaSettings,
    ListenSettings,
    Settings,
)
from streams.process.settings_errors import FILE_VARIABLE

READY_LIMIT_S: Final = 180.0
"""A machine that takes longer to start the processes will not show a live stream."""

SLOW_AFTER_S: Final = 20.0
"""After so long it is said that something is still awaited."""

STOP_LIMIT_S: Final = 12.0
"""How long a process may take for an orderly end."""

_OWN_LIMIT_S: Final = 10.0
"""After which it ends itself by force."""

SETTINGS_FILE: Final = "ladderman.toml"

_METRICS_OF: Final = {TopicName.EVENTS: "", TopicName.PROGRESSIVE_INPUTS: "progressive_"}
"""Part of the names of the metrics of those who fold a topic."""

_ANSWER_WITHIN_S: Final = 5.0
_LOOK_EVERY_S: Final = 0.2
_EXIT_WORDS: Final = {2: "refused what it was given", 3: "something it needs was away"}


class StreamFailedError(Exception):
    """A part of the stream did not start or ended by itself; one line says which, and its log."""


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """What is to run."""

    program: Sequence[str]
    """Words before ``worker`` or ``sink``: the console script."""
    logs: Path
    """Where logs are kept."""
    store: Path | None = None
    """Where the history stays; None: it goes with everything else."""
    workers: int = 2
    partitions: int = 4
    heap_mb: int = 256
    settings: Settings | None = None
    """Of whoever asks; a ClickHouse server that they name keeps the history."""


class StreamProcesses:
    """A broker, workers and a sink; stopped with the block that they were started in."""

    def __init__(self, plan: StreamPlan) -> None:
        """Describe a stream that does not run yet.

        Raises:
            KafkaMissingError: There is no Java, or no Maven to fetch the broker with.
        """
        self._plan = plan
        self._cluster = KafkaCluster(ClusterOptions(heap_mb=plan.heap_mb, logs=plan.logs))
        self._directory: Path | None = None
        self._guard: Guard | None = None
        self._workers: dict[int, GuardedChild] = {}
        """By the port on which they tell about themselves."""
        self._sink: GuardedChild | None = None
        self._settings: Settings | None = None

    @property
    def settings(self) -> Settings:
        """How its parts are reached; there once it was started."""
        assert self._settings is not None, "it was not started"
        return self._settings

    @property
    def settings_file(self) -> Path:
        """The file of :attr:`settings`, for other commands."""
        assert self._directory is not None, "it was not started"
        return self._directory / SETTINGS_FILE

    @property
    def children(self) -> list[GuardedChild]:
        """Every process that was started."""
        sink = [] if self._sink is None else [self._sink]
        return [*self._cluster.brokers, *self._workers.values(), *sink]

    def start(self, tell: Callable[[str], None]) -> None:
        """Start everything and wait until each part does its work.

        Args:
            tell: Told how far it is, one line.

        Raises:
            StreamFailedError: A part did not start.
        """
        began_s = time.monotonic()
        self._plan.logs.mkdir(parents=True, exist_ok=True)
        self._directory = Path(tempfile.mkdtemp(prefix="ladderman-stream-"))
        self._guard = Guard(self._directory)
        (self._directory / "tmp").mkdir()
        try:
            self._cluster.start()
        except KafkaStartError as error:
            # What it wrote last is of no use without what stands before it.
            what = str(error).splitlines()[0].partition(":")[0]
            raise StreamFailedError(
                f"{what}; its reason is in {self._plan.logs / 'broker-1.log'}"
            ) from None
        tell(f"Apache Kafka ready after {time.monotonic() - began_s:.1f} s")
        self._settings = self._write_settings()
        try:
            made, _ = create_topics(self._settings.kafka)
        except KafkaUnavailableError as error:
            raise StreamFailedError(str(error)) from None
        tell(f"{len(made)} topics of {self._settings.kafka.partitions} partitions made")
        self._launch()
        self._wait_ready(tell)
        tell(
            f"{len(self._workers)} workers and the sink ready after "
            f"{time.monotonic() - began_s:.1f} s"
        )

    def _write_settings(self) -> Settings:
        """Write the settings of every process into the guarded directory."""
        assert self._directory is not None, "it was made before"
        asked = self._plan.settings
        worker, sink, publish, reconcile, console = free_ports(5)
        data: dict[str, object] = {"directory": str(self._directory / "store")}
        if self._plan.store is not None:
            data = {
                "directory": str(self._plan.store),
                "spool": str(self._directory / "spool"),
            }
        document: dict[str, dict[str, object]] = {
            "kafka": {
                "bootstrap": self._cluster.bootstrap,
                "dev": True,
                "partitions": self._plan.partitions,
                "stop_limit_s": _OWN_LIMIT_S,
            },
            "data": data,
            "listen": {
                "worker_port": worker,
                "sink_port": sink,
                "publish_port": publish,
                "reconcile_port": reconcile,
                "console_port": console,
            },
        }
        if self._plan.store is None and asked is not None and asked.history.store == "clickhouse":
            document["history"] = {"store": "clickhouse"}
            document["clickhouse"] = _clickhouse_section(asked)
        path = self._directory / SETTINGS_FILE
        path.touch(mode=0o600)  # there may be a password in it
        path.write_text(_as_toml(document), encoding="utf-8")
        # Built part by part: variables of whoever asks would win over what is given as a whole.
        return Settings.model_construct(
            kafka=KafkaSettings.model_validate(document["kafka"]),
            data=DataSettings.model_validate(document["data"]),
            listen=ListenSettings.model_validate(document["listen"]),
            history=HistorySettings.model_validate(document.get("history", {})),
            clickhouse=ClickHouseSettings.model_validate(document.get("clickhouse", {})),
        )

    def _launch(self) -> None:
        settings = self.settings
        ports = [settings.listen.worker_port, *free_ports(self._plan.workers - 1)]
        for number, port in enumerate(ports, 1):
            self._workers[port] = self._launched(f"worker-{number}", "worker", port)
        self._sink = self._launched("sink", "sink", settings.listen.sink_port)

    def _launched(self, name: str, command: str, port: int) -> GuardedChild:
        assert self._directory is not None
        assert self._guard is not None
        words = [*self._plan.program, command, "--settings", str(self.settings_file)]
        log = self._plan.logs / f"{name}.log"
        child = GuardedChild(name, self._directory, [*words, "--port", str(port)], log)
        child.launch(self._guard, _environment(self._directory))
        return child

    def _wait_ready(self, tell: Callable[[str], None]) -> None:
        deadline = time.monotonic() + READY_LIMIT_S
        slow_at_s: float | None = time.monotonic() + SLOW_AFTER_S
        while missing := self._not_ready():
            self.check()
            if time.monotonic() > deadline:
                raise StreamFailedError(
                    f"{missing} within {READY_LIMIT_S:.0f} s; see {self._plan.logs}"
                )
            if slow_at_s is not None and time.monotonic() > slow_at_s:
                tell(f"{missing} yet; waiting, this machine is slow or busy")
                slow_at_s = None
            time.sleep(_LOOK_EVERY_S)

    def _not_ready(self) -> str | None:
        """Say what is not ready; None where everything is."""
        assert self._sink is not None, "it was started before"
        for port, child in self._workers.items():
            if not _is_healthy(port) or not _metric(port, "next_offset"):
                return f"{child.name} is not ready"
        if len(self.folded()) < self._plan.partitions:
            return "not every partition has a worker"
        if not _is_healthy(self.settings.listen.sink_port):
            return "the sink is not ready"
        return None

    def check(self) -> None:
        """Make sure that every process runs.

        Raises:
            StreamFailedError: One ended by itself.
        """
        for child in self.children:
            if child.pid is None:
                raise StreamFailedError(_ended_line(child))

    def folded(self, name: TopicName = TopicName.EVENTS) -> dict[int, int]:
        """Say for each partition of a topic up to which offset it is folded and told, by now."""
        of = _METRICS_OF[name]
        reached: dict[int, int] = {}
        for port in self._workers:
            next_offsets = _metric(port, f"{of}next_offset")
            waiting = _metric(port, f"{of}unacknowledged_records")
            for partition, offset in next_offsets.items():
                if not waiting.get(partition, 1.0):
                    reached[partition] = max(int(offset), reached.get(partition, 0))
        return reached

    def lag_messages(self) -> int:
        """Say how many events of the log are not folded yet, as far as workers know."""
        return int(sum(sum(_metric(port, "lag_messages").values()) for port in self._workers))

    def stop(self) -> None:
        """Stop everything in order and remove what it kept; a second call does nothing.

        A process that takes too long is ended by force, and so is everything where this is
        broken off: whatever happens, nothing stays behind.
        """
        try:
            for child in self._workers.values():
                child.signal(signal.SIGTERM)
            for child in self._workers.values():
                child.stop(STOP_LIMIT_S)
            if self._sink is not None:
                self._sink.stop(STOP_LIMIT_S)
        finally:
            for child in [*self._workers.values(), *([self._sink] if self._sink else [])]:
                child.kill()
            self._cluster.stop()
            if self._guard is not None:
                self._guard.close()
            if self._directory is not None:
                shutil.rmtree(self._directory, ignore_errors=True)
            with contextlib.suppress(OSError):
                self._plan.logs.rmdir()  # where nothing was started, there is nothing to see


def conflicting_variables(environment: Mapping[str, str]) -> list[str]:
    """Name the variables that would win over the settings file of a stream."""
    return sorted(
        name for name in environment if name.startswith(ENV_PREFIX) and name != FILE_VARIABLE
    )


def _environment(directory: Path) -> dict[str, str]:
    """Give the environment of the processes: the settings file alone decides."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ENV_PREFIX)}
    return {**kept, "TMPDIR": str(directory / "tmp")}


def _as_toml(document: Mapping[str, Mapping[str, object]]) -> str:
    """Write sections of plain values; their JSON is TOML too."""
    lines = []
    for section, content in document.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {orjson.dumps(value).decode()}" for key, value in content.items()]
    return "\n".join([*lines, ""])


def _clickhouse_section(settings: Settings) -> dict[str, object]:
    section = settings.clickhouse.model_dump(mode="json", exclude_none=True)
    return {**section, "password": settings.clickhouse.password.get_secret_value()}


def _ended_line(child: GuardedChild) -> str:
    code = child.exit_code
    why = _last_message(child)
    how = f"ended by signal {-code}" if code is not None and code < 0 else f"ended with {code}"
    word = _EXIT_WORDS.get(code or 0, "")
    told = f": {why}" if why else f": {word}" if word else ""
    return f"{child.name} {how}{told}; see {child.log}"


def _last_message(child: GuardedChild) -> str:
    """Give the last thing that a process said, without its surroundings."""
    last = child.log_tail(1).strip()
    with contextlib.suppress(orjson.JSONDecodeError, KeyError, TypeError):
        return str(orjson.loads(last)["message"])
    return last.removeprefix("ladderman: ")


def _ask(port: int, path: str) -> tuple[int, bytes]:
    """Ask a process for a page; status 0 where it does not answer."""
    try:
        url = f"http://{HOST}:{port}{path}"
        with urllib.request.urlopen(url, timeout=_ANSWER_WITHIN_S) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, b""
    except OSError:
        return 0, b""


def _is_healthy(port: int) -> bool:
    return _ask(port, "/health")[0] == 200


def _metric(port: int, name: str) -> dict[int, float]:
    """Read a metric of a process by partition; nothing where it does not answer."""
    _, body = _ask(port, "/metrics")
    return dict(_samples(body.decode(), f"ladderman_{name}"))


def _samples(text: str, name: str) -> Iterator[tuple[int, float]]:
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name and "partition" in sample.labels:
                yield int(sample.labels["partition"]), sample.value
