"""The partition of a key: murmur2 as in the Java client, the same for every client here."""

from __future__ import annotations

from functools import lru_cache

from aiokafka.partitioner import murmur2

_hash_of = lru_cache(maxsize=10_000)(murmur2)
"""The keys of a floor are few and come all the time."""


def partition_of(key: bytes, partitions: int) -> int:
    """Give the partition of a key.

    Args:
        key: As it is sent.
        partitions: How many there are.

    Returns:
        A number from 0 to ``partitions - 1``.
    """
    return int(_hash_of(key) & 0x7FFFFFFF) % partitions
