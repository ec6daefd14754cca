"""Columns of events for tests that look at loss and repetition: their sequences say all."""

from __future__ import annotations

from typing import Any

from streams.history.store import HistoryReader

_NOON_US = 1_749_312_000_000_000


def columns_of_events(first: int, last: int) -> dict[str, list[Any]]:
    """Give the events of some sequences, both included, all of one month."""
    sequences = range(first, last + 1)
    count = len(sequences)
    return {
        "source_id": ["BAC-03"] * count,
        "feed_id": ["feed1"] * count,
        "sequence": list(sequences),
        "content_hash": [f"{one:064x}" for one in sequences],
        "type": ["heartbeat"] * count,
        "occurred_at_us": [_NOON_US + one for one in sequences],
        "log_partition": [0] * count,
        "log_offset": list(sequences),
        "raw_bytes": [b"\xff %d" % one for one in sequences],
        "first_known": [2**64 - 1 - _NOON_US - one for one in sequences],
    }


def sequences_in(reader: HistoryReader) -> list[int]:
    """Give the sequences that the history has, each as often as it is read."""
    return reader.query("sequences").column("sequence")
