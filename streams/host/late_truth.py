"""Late truth in a host: it reads the shoe again from the log and has it folded again.

An event arrived after its absence had been declared a gap. The fold says at which offset the shoe
in play began; the messages of that source from there on are read from the log, so that every host
that ever folds this log does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from streams.host.errors import log_replaced
from streams.host.partition_fold import NotAtHandError
from streams.host.ports import Fold, Folded, Log, LogEntry

AMENDED_EVENTS_MAX: Final = 50_000
"""A shoe with more messages than this is left to the reconciler."""

SHORT_ENDS_MAX: Final = 3
"""A log that ends before what was read of it, so often in a row, is another one."""


async def entries_of(
    log: Log, late: LogEntry, start: int, *, read_count: int
) -> list[LogEntry] | None:
    """Read a source's messages from the first of the shoe to the late one.

    Returns:
        The messages in log order; None where they are too many, or no longer kept.

    Raises:
        LogReplacedError: The log ends before the late message, though it was read from there.
    """
    if start < await log.start_offset():
        return None
    entries: list[LogEntry] = []
    short_ends = 0
    while start < late.offset:
        batch = await log.read(start, min(read_count, late.offset - start))
        if batch.next_offset == start:
            # A broker that is behind for a moment must not decide what is amended here.
            short_ends += 1
            if short_ends >= SHORT_ENDS_MAX:
                raise log_replaced(late.offset, start)
            continue
        entries.extend(
            entry for entry in batch.entries if entry.key == late.key and entry.offset < late.offset
        )
        if len(entries) > AMENDED_EVENTS_MAX:
            return None
        start = batch.next_offset
    return [*entries, late]


async def amend_source(
    fold: Fold,
    state: object,
    entries: Sequence[LogEntry],
    reading: tuple[Log, Callable[[int], bytes]],
) -> Folded:
    """Fold the shoe in play again, with a late message in its place.

    Args:
        fold: The pure fold.
        state: The source as it was before the late message.
        entries: What :func:`entries_of` gave.
        reading: The log, and what is in memory of it.
    """
    log, in_memory = reading
    by_offset = {entry.offset: entry.raw for entry in entries}

    def read_again(offset: int) -> bytes:
        found = by_offset.get(offset)
        return found if found is not None else in_memory(offset)

    while True:
        try:
            return fold.amend(state, entries, read_again)
        except NotAtHandError as needed:
            # Pure, so it can simply be asked again.
            by_offset[needed.offset] = await log.read_one(needed.offset)
