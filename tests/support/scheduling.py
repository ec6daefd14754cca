"""Which tests run together, and which first? Those that wait, before those that compute.

Tests on a broker mostly wait, tests of properties only compute. With more workers than cores and
the long ones first, the short ones fill in the end what would be idle.
"""

from __future__ import annotations

from functools import cache

from xdist.scheduler import LoadScopeScheduling

from tests.support.source_tree import ROOT

_APART = ("tests/integration/", "tests/contracts/test_host_", "tests/properties/")
"""Where a single test takes as long as a whole file does elsewhere."""

_SHARES_LITTLE = (
    "tests/integration/test_stream_full.py", "tests/integration/test_demo_kafka.py",
    "tests/integration/test_embedded_kills.py",
)  # fmt: skip
"""Whose tests share something, but each takes far longer than to make that again."""

FIRST: tuple[str, ...] = (
    "tests/integration/test_stream", "tests/contracts/test_host_", "tests/integration/",
    "tests/contracts/", "tests/properties/", "tests/golden/", "tests/regulation/",
)  # fmt: skip
"""Beginnings of the names of tests in the order in which they begin; after them all others."""


class LongestFirst(LoadScopeScheduling):
    """Gives the next unit of tests to whichever worker has the least left, in the given order."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


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
    """Say how early a test begins: the lower the earlier."""
    return next((at for at, name in enumerate(FIRST) if nodeid.startswith(name)), len(FIRST))
