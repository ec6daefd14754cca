"""Tests that share something costly stay together, those that wait stand in front."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.once import once_in_a_run
from tests.support.scheduling import rank_of, unit_of

STREAM = "tests/integration/stream/test_disorder.py::test_one"
SHARING = "tests/integration/stream/test_sink.py::test_one"
UNIT = "tests/unit/schemas/test_money.py::test_one[a::b]"


def test_a_long_test_that_shares_nothing_goes_to_a_worker_alone() -> None:
    assert unit_of(STREAM) == STREAM


@pytest.mark.parametrize("nodeid", [SHARING, UNIT])
def test_tests_that_share_something_or_are_short_stay_in_their_file(nodeid: str) -> None:
    assert unit_of(nodeid) == nodeid.partition("::")[0]


def test_scenarios_of_the_stream_stand_in_front_and_unit_tests_behind() -> None:
    others = ("tests/contracts/test_host_kafka.py::A::b", "tests/properties/test_a.py::b")
    ranks = [rank_of(one) for one in (STREAM, *others, UNIT)]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


def test_what_a_run_needs_is_made_once_and_read_by_all(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    places: list[Path] = []

    def make(at: Path) -> set[int]:
        places.append(at)
        return {len(places)}

    def ask() -> set[int]:
        return once_in_a_run(tmp_path_factory, "made_once", make)

    assert ask() == ask() == {1}
    assert [one.is_dir() for one in places] == [True]


def test_what_failed_to_be_made_is_made_by_the_next_who_asks(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    def fail(_: Path) -> int:
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        once_in_a_run(tmp_path_factory, "made_later", fail)
    assert once_in_a_run(tmp_path_factory, "made_later", lambda _: 7) == 7
