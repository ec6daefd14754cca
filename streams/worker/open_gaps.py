"""The events that are missing from feeds and have not come late, and since when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from auditors.table import TableState
from streams.host.partition_host import PartitionHost
from streams.process.clock import Clock
from streams.process.monitoring import Reading


class OpenGaps:
    """Looks at the gaps of all feeds when somebody asks, and remembers since when there are some.

    A state knows no time but that of events, so the age begins anew with each worker.
    """

    def __init__(self, clock: Clock) -> None:
        """Have seen none."""
        self._clock = clock
        self._since_s: dict[tuple[int, str], float] = {}

    def readings(self, hosts: Mapping[int, PartitionHost]) -> tuple[Reading, Reading]:
        """Give their number, and the age of the oldest, by partition."""
        now_s = self._clock.monotonic_s()
        counts = dict.fromkeys(hosts, 0)
        seen: dict[tuple[int, str], float] = {}
        for at, host in hosts.items():
            for state in host.states:
                for feed_id, count in _gaps_of(cast(TableState, state)):
                    counts[at] += count
                    seen[at, feed_id] = self._since_s.get((at, feed_id), now_s)
        self._since_s = seen
        ages = dict.fromkeys(hosts, 0.0)
        for (at, _), since_s in seen.items():
            ages[at] = max(ages[at], now_s - since_s)
        return (
            _reading("open_gaps", "Gaps of feeds that no late event has filled", counts),
            _reading(
                "open_gaps_seconds", "How long this worker has known of the oldest of them", ages
            ),
        )


def withdrawn_findings(
    prefix: str, hosts: Mapping[int, PartitionHost], count_of: Callable[[int], int]
) -> Reading:
    """Count the findings that records no longer list: late truth, or a repeat of it."""
    return Reading(
        f"{prefix}withdrawn_findings",
        "Findings that a later version of their subject no longer lists",
        {str(at): float(count_of(at)) for at in hosts},
        is_counter=True,
    )


def _gaps_of(state: TableState) -> list[tuple[str, int]]:
    feeds = (*state.superseded, *((state.feed,) if state.feed else ()))
    return [(feed.feed_id, len(feed.gaps)) for feed in feeds if feed.gaps]


def _reading(name: str, meaning: str, values: Mapping[int, float]) -> Reading:
    return Reading(
        f"ladderman_{name}", meaning, {str(at): float(value) for at, value in values.items()}
    )
