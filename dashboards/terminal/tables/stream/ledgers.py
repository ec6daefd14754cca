"""What a worker remembers of a progressive, for people."""

from __future__ import annotations

from dashboards.documents.instants import utc
from dashboards.terminal.console import table_console, write_line
from streams.operating.ledger_inspection import KeptLedger, VerifiedLedger


def print_ledger(kept: KeptLedger) -> None:
    """Show where the ledger of a progressive stands: up to when, and who feeds each level."""
    header, state = kept.header, kept.state
    lines = [
        ("ledger", kept.progressive_id),
        (
            "snapshot",
            f"offset {header.next_offset:,} of partition {header.partition}, "
            f"audit epoch {header.audit_epoch}",
        ),
        ("digest", kept.digest),
        ("taken in", f"up to {_until(state.frontier_us)}"),
    ]
    lines += [
        (
            f"level {one.level}",
            f"tables: {', '.join(sorted(one.tables)) or 'none'}; entries that wait: "
            f"{one.pending_count}; readings that wait: {len(one.readings)}; hits kept: "
            f"{len(one.hits)}",
        )
        for one in state.levels
    ]
    if kept.streak:
        lines.append(("rejects", f"{kept.streak} messages in a row could not be read"))
    console = table_console()
    for name, value in lines:
        write_line(console, f"{name:11}{value}", hang=11)


def print_verified(verified: VerifiedLedger) -> None:
    """Say whether the snapshot of a ledger is what the log gives."""
    kept = verified.kept
    place = f"offset {kept.header.next_offset} of partition {kept.header.partition}"
    if verified.is_equal:
        words = f"the snapshot is what the log gives up to {place}."
    elif verified.refolded_digest is None:
        words = (
            "the log no longer keeps the first messages, so the snapshot cannot be compared. "
            "ladderman ingest of the events gives the same ledger in a store of its own."
        )
    else:
        words = (
            f"the snapshot differs from what the log gives up to {place}. Stop the workers, remove "
            "the progressive snapshots of the partition and start them again: they fold it anew."
        )
    write_line(table_console(), f"{kept.progressive_id}: {words}", hang=4)


def _until(moment_us: int) -> str:
    return utc(moment_us if moment_us > 0 else None) or "nothing yet"
