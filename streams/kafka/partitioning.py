"""Which partition does a key belong to? The same for every client: murmur2, as Java has it."""

from __future__ import annotations

from aiokafka.partitioner import murmur2


def partition_of(key: bytes, partitions: int) -> int:
    """Give the partition of a key.

    Args:
        key: As it is sent.
        partitions: How many there are.

    Returns:
        A number from 0 to ``partitions - 1``.
    """
    return int(murmur2(key) & 0x7FFFFFFF) % partitions
