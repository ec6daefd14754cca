"""What a worker remembers of a table, for people."""

from __future__ import annotations

from auditors.table.known.state import FeedState, TableState
from streams.operating.state_inspection import KeptState, Verified


def verdict(verified: Verified) -> str:
    """Say whether the snapshot is what the log gives."""
    kept = verified.kept
    place = f"offset {kept.header.next_offset} of partition {kept.header.partition}"
    if verified.is_equal:
        return f"{kept.state.source_id}: the snapshot is what the log gives up to {place}."
    if verified.refolded is None:
        return f"{kept.state.source_id}: the log has nothing of it up to {place}."
    return (
        f"{kept.state.source_id}: the snapshot differs from what the log gives up to {place}, in "
        f"{', '.join(verified.differing)}. Stop the workers, remove the snapshots of the partition "
        "and start them again: they fold it anew. Then run ladderman reconcile."
    )


def state_lines(kept: KeptState) -> list[tuple[str, str]]:
    """Say where a table stands, line by line with its heading."""
    state, header = kept.state, kept.header
    filing = state.filing
    simulated = " SIMULATED" * state.is_simulated
    lines = [
        ("table", f"{state.source_id}{simulated}, {'open' if state.is_open else 'not open'}"),
        (
            "snapshot",
            f"offset {header.next_offset:,} of partition {header.partition}, "
            f"audit epoch {header.audit_epoch}",
        ),
        ("digest", kept.digest),
        ("feed", _feed_words(state.feed)),
    ]
    if state.incoming is not None:
        lines.append(("coming", _feed_words(state.incoming)))
    lines += [
        ("gaming", f"{state.gaming_date or 'no date yet'}, dealer {state.dealer or 'not known'}"),
        ("rules", filing.id if filing else "none filed"),
        ("shoe", _shoe_words(state)),
    ]
    playing = [one for one in state.coups if not one.is_closed]
    lines += [
        (
            "coup",
            f"{one.coup_id}: {len(one.cards)} cards, {len(one.wagers)} wagers"
            f"{', unverified' if one.is_unverified else ''}",
        )
        for one in playing
    ] or [("coup", "none in play")]
    lines += [
        ("fault", f"{one.device}: {one.words} (event {one.raised_sequence})")
        for one in state.faults
    ]
    if kept.streak:
        lines.append(("rejects", f"{kept.streak} messages in a row could not be read"))
    return lines


def _feed_words(feed: FeedState | None) -> str:
    if feed is None:
        return "nothing heard yet"
    gaps = ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in feed.gaps)
    held = ", ".join(str(one.sequence) for one in feed.held)
    return (
        f"{feed.feed_id}, next event {feed.next_sequence:,}; "
        f"gaps: {gaps or 'none'}; waiting for their turn: {held or 'none'}"
    )


def _shoe_words(state: TableState) -> str:
    shoe = state.shoe
    if shoe is None:
        return "none loaded"
    seen = len(shoe.order) + len(shoe.others) + shoe.unseen_count
    return (
        f"{shoe.shoe_id}, {shoe.decks} decks, {shoe.coup_count} coups, {seen} cards out, "
        f"{len(shoe.findings)} findings{', ended' if shoe.is_ended else ''}"
        f"{', unverified' if shoe.is_unverified else ''}"
    )
