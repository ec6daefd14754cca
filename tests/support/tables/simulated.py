"""A simulated floor in a test: its events, and what an audit finds in them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from auditors.table import Absorbed, Delivered, TableState, absorb, amend, new_state
from schemas.events.union import AnyEvent
from schemas.findings import Finding
from schemas.records import Record
from schemas.wire import parse_event
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest
from streams.simulator.plants.progressive.counting import PROGRESSIVE_PLANTS
from streams.simulator.plants.progressive.ends import END_PLANTS
from streams.simulator.plants.progressive.hits import HIT_PLANTS
from streams.simulator.plants.progressive.meters import METER_PLANTS
from streams.simulator.truths import Truth

TABLES = 12
"""A floor with every kind of table."""

ON_PROGRESSIVES = frozenset(
    plant.name for plant in (*PROGRESSIVE_PLANTS, *METER_PLANTS, *HIT_PLANTS, *END_PLANTS)
)
"""Plants that the tables alone do not show; see
:mod:`tests.support.progressives.progressive_floor`."""

COUPS_NEEDED = {
    "cover_card_overrun": 100,
    "shoe_repeated": 180,
    "zender_late_maximum": 100,
    "golden_nugget_unshuffled": 30,
    "vigorish_paid_late": 100,
}
"""Coups that a table plays until a fault is whole, where the usual few do not do."""


@dataclass
class Auditor:
    """Folds what is delivered, table by table."""

    log: dict[int, bytes] = field(default_factory=dict)
    offset: int = 0
    states: dict[str, TableState] = field(default_factory=dict)
    records: dict[tuple[str, str, str], Record] = field(default_factory=dict)
    dead: list[str] = field(default_factory=list)
    offsets: dict[str, list[int]] = field(default_factory=dict)

    def take(self, source_id: str, raw: bytes) -> None:
        """Fold one message; a controller's events are left to its own fold."""
        self.log[self.offset] = raw
        self.offset += 1
        if not source_id.startswith("BAC"):
            return
        state = self.states.get(source_id) or new_state(source_id)
        absorbed = absorb(state, Delivered(self.offset - 1, raw), self.log.__getitem__)
        self.states[source_id] = absorbed.state
        if absorbed.dead_letter is not None:
            self.dead.append(source_id)
        self.offsets.setdefault(source_id, []).append(self.offset - 1)
        if absorbed.amend_from is not None:
            self._put_out(absorbed.records)
            absorbed = self._amended(source_id, absorbed)
            self.states[source_id] = absorbed.state
        self._put_out(absorbed.records)

    def _amended(self, source_id: str, absorbed: Absorbed) -> Absorbed:
        """Fold the shoe in play again, as a host does it."""
        first = absorbed.amend_from or 0
        messages = [
            Delivered(offset, self.log[offset])
            for offset in self.offsets[source_id]
            if offset >= first
        ]
        return amend(absorbed.state, messages, self.log.__getitem__)

    def _put_out(self, records: Iterable[Record]) -> None:
        for record in records:
            self.records[record.key] = record

    def forget(self) -> None:
        """Let go of what was delivered and put out so far; the states go on."""
        self.records.clear()
        self.log.clear()
        self.offsets.clear()

    @property
    def findings(self) -> list[Finding]:
        """Every finding that stands."""
        return [finding for record in self.records.values() for finding in record.findings]


def hours(number: float) -> datetime.timedelta:
    """Give so many hours."""
    return datetime.timedelta(hours=number)


def audited(config: FloorConfig) -> tuple[list[Truth], list[Finding]]:
    """Play a whole floor and audit it."""
    truths: list[Truth] = []
    auditor = Auditor()
    for event in Floor(config, truths.append).events():
        auditor.take(event.source_id, event.raw)
    return truths, auditor.findings


def planted_table(name: str, seed: int = 7) -> tuple[list[Truth], Auditor]:
    """Play just the table at which a fault is planted, and audit it."""
    coups = COUPS_NEEDED.get(name, 16)
    config = FloorConfig(
        tables=TABLES, seed=seed, coups=coups * TABLES, plants=(PlantRequest(name, coup=1),)
    )
    truths: list[Truth] = []
    floor = Floor(config, truths.append)
    (table,) = (one for one in floor.tables if one.faults)
    auditor = Auditor()
    for messages in table.messages():
        for message in messages:
            auditor.take(table.source_id, message.raw)
    assert floor.unplaced() == ()
    return truths, auditor


def events_of(config: FloorConfig) -> Iterator[AnyEvent]:
    """Read every event of a floor."""
    return (parse_event(event.raw) for event in Floor(config).events())


def of_kind(events: Iterable[AnyEvent], kind: type) -> list[AnyEvent]:
    """Choose the events of one kind."""
    return [event for event in events if isinstance(event, kind)]
