"""Settings that every test shares, and the services and the order of a run."""

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.support.scheduling import FromBothEnds, rank_of
from tests.support.stream.kafka import kafka, prefix

__all__ = ["kafka", "prefix"]

settings.register_profile(
    "ladderman",
    deadline=None,  # the two cores are shared: time says nothing about the example
    suppress_health_check=[HealthCheck.too_slow],  # same
    derandomize="CI" in os.environ,  # a build that failed fails again with the same example
    print_blob=True,
)
settings.load_profile("ladderman")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> FromBothEnds | None:
    """Have some workers wait and some compute, unless another way was asked for."""
    if config.option.dist != "load":
        return None
    config.option.loadscopereorder = False  # the order is that of the collection, see below
    return FromBothEnds(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put those that wait in front where several workers share the tests."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: rank_of(item.nodeid))
