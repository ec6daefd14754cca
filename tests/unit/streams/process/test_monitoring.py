"""Every process tells whether it works and since when, so that alerts see one that does not."""

from __future__ import annotations

import http.client
import socket
import time
import urllib.request
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from prometheus_client.parser import text_string_to_metric_families

from streams.process.monitoring import Health, Latency, Monitor, Reading
from streams.reconcile.coverage import FOUND_KINDS, Coverage
from streams.reconcile.running import Told
from streams.worker.latency import DELIVERED, READ, EventLatency
from tests.support.clocks import SetClock

PROBLEMS: list[str] = []
AT_S = 1_750_000_000.0


@pytest.fixture
def port() -> Iterator[int]:
    PROBLEMS.clear()
    monitor = Monitor("sink", lambda: [], lambda: Health(not PROBLEMS, tuple(PROBLEMS)))
    yield monitor.serve("127.0.0.1", 0)
    monitor.close()


def samples(port: int) -> dict[str, tuple[dict[str, str], float]]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    families = text_string_to_metric_families(text)
    return {one.name: (one.labels, one.value) for family in families for one in family.samples}


def test_a_process_tells_whether_it_is_ready_and_when_it_started(port: int) -> None:
    first = samples(port)
    assert first["ladderman_ready"] == ({"role": "sink"}, 1)
    PROBLEMS.append("the history is away")
    later = samples(port)
    assert later["ladderman_ready"] == ({"role": "sink"}, 0)
    assert first["ladderman_started_seconds"] == later["ladderman_started_seconds"]
    assert first["ladderman_started_seconds"][1] > 1.7e9


class Read(NamedTuple):
    """A message that a host's own reader read."""

    offset: int
    timestamp: int


def test_latency_counts_single_times_and_many_at_once_and_each_in_its_bucket() -> None:
    latency = Latency("ladderman_wait_seconds", "Waiting", "how", ("delivered", "read"))
    latency.observe("delivered", (0.004, 0.005, 0.2))
    latency.observe("read", (3600.0,))
    (family,) = latency.collect()
    values = {
        (one.name.removeprefix("ladderman_wait_seconds_"), *sorted(one.labels.values())): one.value
        for one in family.samples
    }
    assert values["bucket", "0.005", "delivered"] == 2
    assert values["bucket", "0.15", "delivered"] == 2
    assert values["bucket", "0.3", "delivered"] == values["count", "delivered"] == 3
    assert values["bucket", "30.0", "read"] == 0
    assert values["bucket", "+Inf", "read"] == values["count", "read"] == 1
    assert values["sum", "read"] == 3600
    assert values["sum", "delivered"] == pytest.approx(0.209)


def test_an_event_counts_once_whichever_way_it_comes_to_its_host() -> None:
    latency = Latency("ladderman_wait_seconds", "Waiting", "how", (DELIVERED, READ))
    measured = EventLatency(latency, SetClock(int(AT_S * 1e6)))
    old_ms = int((AT_S - 60) * 1000)
    measured.read(0, [Read(offset, old_ms) for offset in range(10)])
    measured.delivered(0, 9, AT_S - 1)  # it was read before it came
    measured.delivered(0, 10, AT_S - 1)
    measured.read(0, [Read(offset, old_ms) for offset in range(5, 12)])  # a shoe is folded again
    measured.read(0, [Read(offset, old_ms) for offset in range(5, 8)])
    measured.read(0, [])
    measured.delivered(1, 0, AT_S - 1)
    (family,) = latency.collect()
    counts = {one.labels["how"]: one.value for one in family.samples if one.name.endswith("_count")}
    sums = {one.labels["how"]: one.value for one in family.samples if one.name.endswith("_sum")}
    assert counts == {DELIVERED: 2, READ: 11}
    assert sums == {DELIVERED: pytest.approx(2), READ: pytest.approx(660)}


def found(told: Told) -> dict[str, float]:
    readings: list[Reading] = list(told.readings())
    return dict(next(one for one in readings if one.name == "ladderman_reconcile_found").values)


def test_what_a_reconciler_may_find_is_told_before_it_is_found() -> None:
    told = Told()
    assert found(told) == dict.fromkeys(FOUND_KINDS, 0)
    coverage = Coverage()
    for kind in FOUND_KINDS:
        coverage.found(kind, "one")
    told.take(coverage)
    assert found(told) == dict.fromkeys(FOUND_KINDS, 1)


def answer(port: int, method: str, path: str, **headers: str) -> tuple[int, bytes]:
    caller = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    caller.request(method, path, headers=headers)
    given = caller.getresponse()
    try:
        return given.status, given.read()
    finally:
        caller.close()


def test_a_silent_caller_holds_up_neither_others_nor_the_end() -> None:
    monitor = Monitor("sink", lambda: [], lambda: Health(is_ready=True))
    port = monitor.serve("127.0.0.1", 0)
    with (
        socket.create_connection(("127.0.0.1", port)),
        socket.create_connection(("127.0.0.1", port)) as dripping,
    ):
        dripping.send(b"GET /hea")
        assert answer(port, "GET", "/health")[0] == 200
        assert answer(port, "GET", "/metrics")[0] == 200
        began_s = time.monotonic()
        monitor.close()
        assert time.monotonic() - began_s < 2


def test_a_caller_beyond_the_number_is_told_to_come_again(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streams.process.bounded_server.CALLERS_MAX", 1)
    monkeypatch.setattr("streams.process.bounded_server.QUESTION_SECONDS_MAX", 0.2)
    with socket.create_connection(("127.0.0.1", port)):
        time.sleep(0.05)
        assert answer(port, "GET", "/health")[0] == 503
        time.sleep(0.4)
        assert answer(port, "GET", "/health")[0] == 200


def test_pages_are_read_by_get_and_head_only(port: int) -> None:
    assert answer(port, "HEAD", "/health") == (200, b"")
    for method in ("POST", "DELETE", "OPTIONS", "TRACE", "<b>"):
        assert answer(port, method, "/health") == (405, b"ask by GET or HEAD\n")
    assert answer(port, "GET", "/other") == (404, b"ask /metrics or /health\n")


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1:9100", "[::1]:9100", "worker-1:9100", "10.0.0.7"]
)
def test_pages_are_read_by_addresses_and_local_names(port: int, host: str) -> None:
    assert answer(port, "GET", "/health", Host=host)[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:9100", "localhost.evil.example"])
def test_a_foreign_name_is_refused_in_one_line(port: int, host: str) -> None:
    for path in ("/health", "/metrics"):
        assert answer(port, "GET", path, Host=host) == (
            421,
            b"ask by an address or a local name\n",
        )
