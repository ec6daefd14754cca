"""Every process tells whether it works and since when, so that alerts see one that does not."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from streams.monitoring import Health, Monitor, Reading
from streams.reconcile.coverage import FOUND_KINDS, Coverage
from streams.reconcile.running import _Told

PROBLEMS: list[str] = []


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


def found(told: _Told) -> dict[str, float]:
    readings: list[Reading] = list(told.readings())
    return dict(next(one for one in readings if one.name == "ladderman_reconcile_found").values)


def test_what_a_reconciler_may_find_is_told_before_it_is_found() -> None:
    told = _Told()
    assert found(told) == dict.fromkeys(FOUND_KINDS, 0)
    coverage = Coverage()
    for kind in FOUND_KINDS:
        coverage.found(kind, "one")
    told.take(coverage)
    assert found(told) == dict.fromkeys(FOUND_KINDS, 1)
