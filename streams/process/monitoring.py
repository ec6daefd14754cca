"""Metrics and a health page of a process, on loopback by default."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import accumulate
from typing import Final

import orjson
from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from streams.process.pages import Page, PageServer

LATENCY_BUCKETS_S: Final = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.3, 1.0, 5.0, 30.0)
"""Bounds of the latency histogram, seconds."""

HEALTH_SCHEMA: Final = "ladderman.health/1"
"""Name and version of the health document."""


class MonitorError(Exception):
    """Metrics and health cannot be served; one line says where and why."""


@dataclass(frozen=True, slots=True)
class Health:
    """Whether a process does its work, and what people should know about that."""

    is_ready: bool
    problems: tuple[str, ...] = ()

    def as_json(self, role: str) -> dict[str, object]:
        """Give the health document."""
        return {
            "schema": HEALTH_SCHEMA,
            "role": role,
            "ready": self.is_ready,
            "problems": list(self.problems),
        }


@dataclass(frozen=True, slots=True)
class Reading:
    """One number that is read when somebody asks."""

    name: str
    """With its unit last, such as ``ladderman_lag_messages``."""
    meaning: str
    values: Mapping[str, float]
    """Label value to number; the empty label for a number that has none."""
    label: str = "partition"
    is_counter: bool = False


class _Readings(Collector):
    def __init__(
        self, role: str, read: Callable[[], Iterable[Reading]], health: Callable[[], Health]
    ) -> None:
        self._role, self._read, self._health = role, read, health
        self._started_s = time.time()

    def _common(self) -> Iterable[Reading]:
        """Give what every process tells: alerts see by it that one is missing, stuck or dying."""
        yield Reading(
            "ladderman_ready",
            "1 where the process does its work; what stands in its way is on its health page",
            {self._role: float(self._health().is_ready)},
            "role",
        )
        yield Reading(
            "ladderman_started_seconds",
            "When the process started, seconds since 1970",
            {self._role: self._started_s},
            "role",
        )

    def collect(self) -> Iterable[Metric]:
        """Read everything now."""
        for reading in (*self._common(), *self._read()):
            family = CounterMetricFamily if reading.is_counter else GaugeMetricFamily
            has_label = "" not in reading.values
            labels = [reading.label] if has_label else []
            metric = family(reading.name, reading.meaning, labels=labels)
            for label, value in reading.values.items():
                metric.add_metric([label] if has_label else [], value)
            yield metric


class Latency(Collector):
    """A histogram of seconds, filled by one thread, by single times or by many at once.

    The client's own takes 3 microseconds for each, a fifteenth of what an event costs.
    """

    def __init__(self, name: str, meaning: str, label: str, values: Sequence[str]) -> None:
        """Have counted nothing; every value is told from the start."""
        self._name, self._meaning, self._label = name, meaning, label
        self._counts = {value: [0] * (len(LATENCY_BUCKETS_S) + 1) for value in values}
        self._sums = dict.fromkeys(values, 0.0)

    def observe(self, value: str, seconds: Sequence[float]) -> None:
        """Count some times, in seconds."""
        counts = self._counts[value]
        for second in seconds:
            counts[bisect_left(LATENCY_BUCKETS_S, second)] += 1
        self._sums[value] += sum(seconds)

    def collect(self) -> Iterable[Metric]:
        """Read everything now."""
        family = HistogramMetricFamily(self._name, self._meaning, labels=[self._label])
        bounds = [*map(str, LATENCY_BUCKETS_S), "+Inf"]
        for value, counts in self._counts.items():
            buckets = list(zip(bounds, accumulate(counts), strict=True))
            family.add_metric([value], buckets, self._sums[value])
        yield family


class Monitor:
    """Serves ``/metrics`` and ``/health`` from a thread of its own."""

    def __init__(
        self, role: str, read: Callable[[], Iterable[Reading]], health: Callable[[], Health]
    ) -> None:
        """Serve nothing yet.

        Args:
            role: What the process is, such as ``worker``.
            read: Gives the numbers when they are asked for.
            health: Says whether the process does its work.
        """
        self._role, self._health = role, health
        self._registry = CollectorRegistry()
        self._registry.register(_Readings(role, read, health))
        self._server: PageServer | None = None

    def latency(self, name: str, meaning: str, label: str, values: Sequence[str]) -> Latency:
        """Give a histogram of seconds to fill.

        Args:
            name: Without the product's prefix and the unit.
            meaning: From when to when is measured.
            label: Name of what is told apart.
            values: All that it may be.
        """
        latency = Latency(f"ladderman_{name}_seconds", meaning, label, values)
        self._registry.register(latency)
        return latency

    def serve(self, host: str, port: int) -> int:
        """Begin to serve.

        Args:
            host: Address to listen on.
            port: Port; 0 for any free one.

        Returns:
            The port.

        Raises:
            MonitorError: Nobody can listen there.
        """
        try:
            self._server = PageServer(host, port, self._page)
        except OSError as error:
            raise MonitorError(
                f"metrics and health cannot be served on {host}:{port}: "
                f"{(error.strerror or str(error)).lower()}; choose another with --port"
            ) from None
        return self._server.port

    def close(self) -> None:
        """Serve no more."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def _page(self, path: str) -> Page | None:
        """Give what stands under a path; None where nothing does."""
        if path == "/metrics":
            return Page(HTTPStatus.OK, CONTENT_TYPE_LATEST, generate_latest(self._registry))
        if path == "/health":
            health = self._health()
            # Problems that stand in no way are told; who restarts on 503 must not for a bad source.
            status = HTTPStatus.OK if health.is_ready else HTTPStatus.SERVICE_UNAVAILABLE
            return Page(
                status, "application/json", orjson.dumps(health.as_json(self._role)) + b"\n"
            )
        return None
