"""The order of a test run: tests that compute run beside tests that wait.

Tests on a broker mostly wait, others only compute. Some workers begin with the ones and some with
the others until they meet, so that the cores are busy while brokers are waited for.
"""

from __future__ import annotations

from functools import cache

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests.support.source_tree import ROOT

_APART = ("tests/integration/", "tests/contracts/test_host_", "tests/properties/")
"""Where a single test takes as long as a whole file does elsewhere."""

_SHARES_LITTLE = (
    "tests/integration/stream/test_full.py",
    "tests/integration/kafka/test_demo_kafka.py",
    "tests/integration/history/test_embedded_kills.py",
)
"""Whose tests share something, but each takes far longer than to make that again."""

FIRST: tuple[str, ...] = (
    "tests/integration/stream/",
    "tests/contracts/test_host_",
    "tests/integration/",
    "tests/contracts/",
    "tests/properties/",
    "tests/golden/",
    "tests/regulation/",
)
"""Beginnings of the names of tests in the order of the queue; behind them all others."""


class FromBothEnds(LoadScopeScheduling):
    """Gives units from the front of the queue to workers, and to one of three from its end."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if self.nodes.index(node) % 3 == 1:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


def unit_of(nodeid: str) -> str:
    """Name what goes to one worker as a whole: a file, or a long test that shares nothing."""
    path, _, _ = nodeid.partition("::")
    return nodeid if path.startswith(_APART) and not _shares(path) else path


@cache
def _shares(path: str) -> bool:
    """Tell whether the tests of a file share what would be made again for each of them."""
    if path in _SHARES_LITTLE:
        return False
    return 'scope="module"' in (ROOT / path).read_text(encoding="utf-8")


def rank_of(nodeid: str) -> int:
    """Say how far in front of the queue a test stands: the lower the nearer."""
    return next((at for at, name in enumerate(FIRST) if nodeid.startswith(name)), len(FIRST))
