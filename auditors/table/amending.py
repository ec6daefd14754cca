"""What changes when an event comes after its gap was declared? The shoe is folded again.

From the state at the loading of the shoe everything is folded in the order of sequence; what comes
out differently is put out again, with a higher version and the cause ``amended``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from auditors.table.folding import Absorbed, Delivered, absorb
from auditors.table.state import TableState, decode_state
from schemas.records import Record, encode_record
from schemas.wire import parse_event
from schemas.wire_errors import UnreadableEventError


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
    assert state.checkpoint is not None
    start = decode_state(state.checkpoint.encode())
    start = replace(start, checkpoint=state.checkpoint)
    late = messages[-1].offset
    before = _final_records(start, messages[:-1], read_again)[1]
    amended, after = _final_records(start, _in_sequence(messages), read_again)
    changed = [
        record.model_copy(update={"offset": late, "cause": "amended"})
        for key, record in after.items()
        if key not in before or _content(before[key]) != _content(record)
    ]
    gone = [
        record.model_copy(update={"offset": late, "cause": "amended", "findings": ()})
        for key, record in before.items()
        if key not in after and record.findings
    ]
    return Absorbed(amended, tuple(changed + gone))


def _final_records(
    start: TableState, messages: Sequence[Delivered], read_again: Callable[[int], bytes]
) -> tuple[TableState, dict[tuple[str, str], Record]]:
    state = start
    records: dict[tuple[str, str], Record] = {}
    for message in messages:
        absorbed = absorb(state, message, read_again, is_amending=True)
        state = absorbed.state
        for record in absorbed.records:
            records[record.kind.value, record.subject] = record
    return state, records


def _in_sequence(messages: Sequence[Delivered]) -> list[Delivered]:
    """Order messages by feed as they came, and by sequence within each feed."""
    feeds: dict[str, int] = {}
    keyed = []
    for message in messages:
        feed, sequence = _position(message.raw)
        keyed.append((feeds.setdefault(feed, len(feeds)), sequence, message.offset, message))
    return [one[-1] for one in sorted(keyed, key=lambda one: one[:3])]


def _position(raw: bytes) -> tuple[str, int]:
    try:
        event = parse_event(raw)
    except UnreadableEventError as error:
        envelope = error.envelope
        return (envelope.feed_id, envelope.sequence) if envelope else ("", 0)
    return event.feed_id, event.sequence


def _content(record: Record) -> bytes:
    """Give what a record says, apart from when it was put out."""
    return encode_record(record.model_copy(update={"offset": 0, "cause": "event"}))
