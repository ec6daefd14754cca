"""Folds a shoe again when an event comes after its gap was declared.

From the state at the loading of the shoe everything is folded in the order of sequence; what comes
out differently is put out again, with a higher version and the cause ``amended``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from auditors.table.delivery.absorbing import (
    Absorbed,
    DeadReason,
    Delivered,
    Lost,
    absorb_knowing,
    parse,
)
from auditors.table.delivery.gate import feed_of, without
from auditors.table.known.state import HASH_KEPT, HASHES_KEPT, TableState, decode_state
from auditors.table.progressive_inputs import Noted, note, say_amended
from auditors.values import evolve
from schemas.records import Record, encode_record

_Records = dict[tuple[str, str, str], Record]


def amend(
    state: TableState, messages: Sequence[Delivered], read_again: Callable[[int], bytes]
) -> Absorbed:
    """Fold the shoe in play again, now that a late event has come.

    Args:
        state: The source as it was folded without the late event.
        messages: All messages of the source from the shoe's first offset on, in the order of the
            log; the last one is the late event.
        read_again: Gives the bytes at an offset, as for :func:`~auditors.table.absorb`.

    Returns:
        The amended state, and the records that differ from those put out before, all with the
        offset of the late event.
    """
    assert state.checkpoint is not None, "a shoe is amended from its loading"
    start = evolve(decode_state(state.checkpoint.encode()), checkpoint=state.checkpoint)
    places = [place for place in map(_place_of, messages) if place is not None]
    late = places[-1]
    lost = _lost(state)
    told = [one for one in places[:-1] if _was_folded(state, lost, one)]
    _, before, said_before = _fold(start, told, read_again, lost)
    still_lost = {**lost, late.feed_id: without(lost.get(late.feed_id, ()), late.sequence)}
    amended, after, said = _fold(start, [*told, late], read_again, still_lost)
    changes = {"offset": late.message.offset, "cause": "amended"}
    changed = [
        record.model_copy(update={**changes, "withdrawn": _withdrawn(before.get(key), record)})
        for key, record in after.items()
        if key not in before or _content(before[key]) != _content(record)
    ]
    gone = [
        record.model_copy(update={**changes, "findings": (), "withdrawn": _withdrawn(record, None)})
        for key, record in before.items()
        if key not in after and record.findings
    ]
    amended = _resumed(amended, state, messages[0].offset)
    inputs = say_amended(said_before, said, late.message.offset)
    return Absorbed(amended, tuple(changed + gone), inputs)


class _Place(NamedTuple):
    """Where a message belongs."""

    feed_id: str
    sequence: int
    message: Delivered


def _place_of(message: Delivered) -> _Place | None:
    parsed = parse(message.raw)
    if isinstance(parsed, DeadReason):
        return None
    return _Place(parsed.head.feed_id, parsed.head.sequence, message)


def _lost(state: TableState) -> Lost:
    """Give what is missing so far."""
    feeds = (*state.superseded, *((state.feed,) if state.feed else ()))
    return {feed.feed_id: feed.gaps for feed in feeds if feed.gaps}


def _was_folded(state: TableState, lost: Lost, place: _Place) -> bool:
    """Whether a message was taken in: not one that is late itself, or of a feed that was over."""
    if any(first <= place.sequence <= last for first, last in lost.get(place.feed_id, ())):
        return False
    feed, is_superseded = feed_of(state, place.feed_id)
    return not is_superseded or place.sequence < feed.next_sequence


def _fold(
    start: TableState, places: Sequence[_Place], read_again: Callable[[int], bytes], lost: Lost
) -> tuple[TableState, _Records, Noted]:
    """Fold messages by feed as they came, and by sequence within each feed."""
    state = start
    records: _Records = {}
    said: Noted = {}
    feeds: dict[str, int] = {}
    for place in places:
        feeds.setdefault(place.feed_id, len(feeds))
    for place in sorted(
        places, key=lambda one: (feeds[one.feed_id], one.sequence, one.message.offset)
    ):
        absorbed = absorb_knowing(state, place.message, read_again, lost)
        state = absorbed.state
        records.update((record.key, record) for record in absorbed.records)
        note(said, absorbed.inputs)
    return state, records, said


def _resumed(amended: TableState, state: TableState, first_offset: int) -> TableState:
    """Add to the amended state what only the delivery tells, and folding again does not."""
    shoe = amended.shoe
    if shoe is not None and shoe.first_offset > first_offset:
        # Its loading came late: what follows it stands before it in the log.
        shoe = evolve(shoe, first_offset=first_offset)
    known = {feed.feed_id: feed.hashes for feed in state.superseded}
    superseded = tuple(
        evolve(feed, hashes=feed.hashes or known.get(feed.feed_id, ""))
        for feed in amended.superseded
    )
    amended = evolve(amended, shoe=shoe, split_asserted=state.split_asserted, superseded=superseded)
    new, old = amended.feed, state.feed
    if new is None or old is None or new.feed_id != old.feed_id:
        return amended
    if new.next_sequence == old.next_sequence and len(new.hashes) < len(old.hashes):
        earlier = old.hashes[: len(old.hashes) - len(new.hashes)]
        hashes = (earlier + new.hashes)[-HASHES_KEPT * HASH_KEPT :]
        amended = evolve(amended, feed=evolve(new, hashes=hashes))
    return amended


def _withdrawn(before: Record | None, after: Record | None) -> tuple[str, ...]:
    """Name the findings that stood and no longer do."""
    standing = {one.id for one in after.findings} if after is not None else set()
    stood = before.findings if before is not None else ()
    return tuple(one.id for one in stood if one.id not in standing)


def _content(record: Record) -> bytes:
    """Give what a record says, apart from when it was put out."""
    return encode_record(record.model_copy(update={"offset": 0, "cause": "event"}))
