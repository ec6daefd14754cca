"""The metrics of a worker: counts and gauges for each partition, and its health."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, cast

from auditors.progressive import ProgressiveState
from streams.host.ledger_fold import pending_count
from streams.host.partition_host import PartitionHost
from streams.process.monitoring import Health, Reading
from streams.worker.clients import HostFactory
from streams.worker.host_keeper import HostKeeper


@dataclass(frozen=True)
class Kept:
    """Hosts of one log, with who makes them and who drives them."""

    of: str
    """Part of the names of their metrics and before their problems; empty for those of tables."""
    keeper: HostKeeper
    factory: HostFactory
    keeps_s: float
    """How long the log keeps its messages, seconds."""
    delivered_s: dict[int, float] = field(default_factory=dict)
    """When the log got the message that was delivered last, by partition; seconds since 1970."""

    @property
    def prefix(self) -> str:
        """Begin the names of its metrics."""
        return f"ladderman_{self.of}_" if self.of else "ladderman_"


def health_of(*logs: Kept) -> Health:
    """Say whether every partition is folded, and what stands in the way."""
    found = [_health(log) for log in logs]
    problems = tuple(line for health in found for line in health.problems)
    return Health(all(health.is_ready for health in found), problems)


def _health(kept: Kept) -> Health:
    keeper, factory = kept.keeper, kept.factory
    quarantined = [
        f"partition {partition}: nothing but unreadable messages from {', '.join(sources)}"
        for partition, host in keeper.hosts.items()
        if (sources := host.quarantined)
    ]
    in_the_way = [*keeper.obstacles(), *factory.outages()]
    before = f"{kept.of}: " if kept.of else ""
    problems = tuple(f"{before}{problem}" for problem in (*in_the_way, *quarantined))
    return Health(not in_the_way, problems)


_COUNTERS: Final = {
    "folded": "Messages folded",
    "skipped": "Deliveries that had been folded before",
    "healed": "Messages never delivered and read from the log instead",
    "probed": "Messages that only the look at the tail found; should stay 0",
    "dead_letters": "Messages that could not be read",
    "amended": "Shoes folded again for late events",
    "left_to_reconciler": "Late events of shoes too long to be folded again at once",
    "snapshots": "Snapshots taken",
    "passed_over": "Unreadable snapshots passed over",
    "from_archive": "Messages that the log no longer kept and the history gave",
    "lost_to_retention": "Offsets that neither log nor history had when they were to be folded",
}


def readings_of(kept: Kept) -> Iterator[Reading]:
    """Give counts and gauges of the hosts of one log."""
    keeper, factory, hosts = kept.keeper, kept.factory, kept.keeper.hosts
    prefix = kept.prefix
    for name, meaning in _COUNTERS.items():
        counts = {str(at): float(getattr(host.counts, name)) for at, host in hosts.items()}
        yield Reading(f"{prefix}{name}", meaning, counts, is_counter=True)

    def gauge(name: str, meaning: str, read: Callable[[int, PartitionHost], float]) -> Reading:
        values = {str(at): float(read(at, host)) for at, host in hosts.items()}
        return Reading(f"{prefix}{name}", meaning, values)

    yield gauge(
        "next_offset",
        "Offset of the message that is folded next",
        lambda _, host: host.next_offset,
    )
    yield gauge(
        "lag_messages",
        "Messages of the log that are not folded yet",
        lambda at, host: factory.lag(at, host.next_offset),
    )
    yield gauge(
        "own_reader_leads",
        "1 where a host reads for itself, because deliveries are behind or have paused",
        lambda at, _: keeper.leads(at),
    )
    yield gauge(
        "snapshot_bytes",
        "Size of the last snapshot, against a limit of 4 MiB",
        lambda _, host: host.counts.snapshot_bytes,
    )
    yield gauge(
        "unacknowledged_records",
        "Outputs on their way to the log",
        lambda at, _: factory.unacknowledged(at),
    )
    yield gauge(
        "old_snapshots",
        "Snapshots found behind higher ones: a worker woke up late",
        lambda at, _: factory.snapshots_out_of_order(at),
    )
    yield gauge(
        "quarantined_sources",
        "Sources of which only unreadable messages come",
        lambda _, host: len(host.quarantined),
    )


HEADROOM: Final = "retention_headroom"
"""Part of the name of a metric."""


def headroom_of(kept: Kept, now_s: float) -> Reading:
    """Say how long it takes until a message could leave the log before it is folded.

    Args:
        kept: The hosts of a log.
        now_s: Seconds since 1970 UTC.
    """
    headrooms = {}
    for partition, host in kept.keeper.hosts.items():
        read_s = kept.factory.read_appended_s(partition)
        reached_s = max(read_s, kept.delivered_s.get(partition, 0.0))
        lag = kept.factory.lag(partition, host.next_offset)
        left_s = headroom_s(kept.keeps_s, now_s - reached_s if reached_s else None, lag)
        if left_s is not None:
            headrooms[str(partition)] = left_s
    return Reading(
        f"{kept.prefix}{HEADROOM}_seconds",
        "Until a message that is not folded yet could leave the log",
        headrooms,
    )


def headroom_s(keeps_s: float, age_s: float | None, lag: int) -> float | None:
    """Say how long it takes until a message could leave the log unfolded, seconds.

    Args:
        keeps_s: How long the log keeps messages.
        age_s: Age of the latest message that was read; None where none was.
        lag: Messages behind it.

    Returns:
        None where it is not known yet.
    """
    if not lag:
        return keeps_s
    return None if age_s is None else max(0.0, keeps_s - age_s)


def pending_readings(kept: Kept) -> Reading:
    """Count the readings of meters that wait for tables which have not said everything yet."""
    values = {
        str(at): float(sum(pending_count(cast(ProgressiveState, state)) for state in host.states))
        for at, host in kept.keeper.hosts.items()
    }
    return Reading(
        f"ladderman_{kept.of}_pending_readings",
        "Readings of meters that are not judged yet",
        values,
    )
