"""Short ways through the fold lead where the long ones do, on a floor with faults and jackpots."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from auditors.table import Absorbed, absorb, encode_state, new_state, progressive_inputs
from auditors.table.delivery import absorbing
from auditors.table.delivery.absorbing import Delivered, Message
from auditors.table.known.state import FeedState, TableState
from schemas.events.union import AnyEvent
from schemas.progressive_inputs import encode_progressive_input
from schemas.records import encode_record
from streams.simulator.floor import Floor, FloorConfig, FloorEvent
from streams.simulator.placing import PlantRequest


@pytest.fixture(scope="module")
def floor() -> list[FloorEvent]:
    plants = tuple(PlantRequest(one) for one in ("banker_overpaid", "overpaid_and_corrected_later"))
    return list(Floor(FloorConfig(tables=4, seed=3, coups=48, plants=plants, hit_every=8)).events())


def by_the_long_way(
    state: TableState, feed: FeedState, said: tuple[AnyEvent, Message], *, is_amending: bool
) -> Absorbed:
    del feed
    event, delivered = said
    passage = absorbing._Passage(
        state, delivered.offset, lambda _: b"", {} if is_amending else None
    )
    parsed = absorbing.Parsed(event, event, "", delivered.raw)
    assert passage.take(absorbing._arrival(event, delivered), parsed) is None
    records, inputs = tuple(passage.records.values()), passage.inputs
    return Absorbed(passage.state, records, progressive_inputs.in_order(inputs))


def folded(floor: Sequence[FloorEvent]) -> list[bytes]:
    """Give all that folding a floor gives, as bytes."""
    states: dict[str, TableState] = {}
    put_out: list[bytes] = []
    for offset, event in enumerate(floor):
        state = states.get(event.source_id) or new_state(event.source_id)
        absorbed = absorb(state, Delivered(offset, event.raw), lambda at: floor[at].raw)
        states[event.source_id] = absorbed.state
        put_out += [encode_record(one) for one in absorbed.records]
        put_out += [encode_progressive_input(one) for one in absorbed.inputs]
    return put_out + [encode_state(state) for state in states.values()]


def test_the_next_event_of_a_feed_gives_what_the_gate_would_give(
    floor: list[FloorEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = folded(floor)
    monkeypatch.setattr(absorbing, "_absorb_next", by_the_long_way)
    assert folded(floor) == short


def test_ledgers_are_told_the_same_as_after_a_look_at_every_coup(
    floor: list[FloorEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = folded(floor)
    assert any(b'"kind":"coup","schema_name"' in one for one in short)
    monkeypatch.setattr(progressive_inputs, "_is_amid_coup", lambda *_: False)
    monkeypatch.setattr(absorbing, "may_say", lambda *_: True)
    assert folded(floor) == short
