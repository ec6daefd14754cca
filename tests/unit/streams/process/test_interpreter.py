"""The interpreter looks for garbage seldom where events are folded for long."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

from streams.process.interpreter import collect_seldom, prepare_interpreter


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    threshold, interval = gc.get_threshold(), sys.getswitchinterval()
    yield
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)
    gc.unfreeze()


def test_what_is_in_memory_is_never_looked_through_again() -> None:
    collect_seldom()
    assert gc.get_freeze_count() > 10_000
    assert gc.get_threshold()[0] > 1_000
    assert gc.isenabled()


def test_a_worker_lets_its_threads_take_turns_soon_besides() -> None:
    prepare_interpreter()
    assert gc.get_freeze_count() > 0
    assert sys.getswitchinterval() == pytest.approx(0.001)
