"""A simulated floor in a test with its progressives: both folds in memory, in one process."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

from auditors import progressive, table
from auditors.table import Delivered
from schemas.findings import Finding
from schemas.progressive_inputs import ProgressiveInput, encode_progressive_input
from schemas.records import Record
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest
from streams.simulator.truths import Truth

TABLES = 12


@dataclass
class Ledgers:
    """Folds what is said to the ledgers of progressives."""

    states: dict[str, progressive.ProgressiveState] = field(default_factory=dict)
    records: dict[tuple[str, str, str], Record] = field(default_factory=dict)
    raised: list[Finding] = field(default_factory=list)
    """Every finding that was ever put out, also where it was taken back since."""
    offset: int = 0

    def take(self, raw: bytes, progressive_id: str) -> None:
        """Fold one message."""
        state = self.states.get(progressive_id) or progressive.new_state(progressive_id)
        absorbed = progressive.absorb(state, Delivered(self.offset, raw), _never)
        self.offset += 1
        assert absorbed.dead_letter is None, absorbed.dead_letter
        self.states[progressive_id] = absorbed.state
        for record in absorbed.records:
            self.records[record.key] = record
            self.raised += record.findings

    @property
    def findings(self) -> list[Finding]:
        """Every finding that stands."""
        return [finding for record in self.records.values() for finding in record.findings]


@dataclass
class Floors:
    """Folds a floor: tables and controller first, then what they say to the ledgers."""

    log: list[bytes] = field(default_factory=list)
    states: dict[str, table.TableState] = field(default_factory=dict)
    records: dict[tuple[str, str, str], Record] = field(default_factory=dict)
    offsets: dict[str, list[int]] = field(default_factory=dict)
    inputs: list[ProgressiveInput] = field(default_factory=list)
    ledgers: Ledgers = field(default_factory=Ledgers)

    def take(self, source_id: str, raw: bytes) -> None:
        """Fold one event, and at once what it says to the ledgers."""
        self.log.append(raw)
        offset = len(self.log) - 1
        self.offsets.setdefault(source_id, []).append(offset)
        state = self.states.get(source_id) or table.new_state(source_id)
        absorbed = table.absorb(state, Delivered(offset, raw), self.log.__getitem__)
        self._put_out(absorbed)
        if absorbed.amend_from is not None:
            messages = [
                Delivered(one, self.log[one])
                for one in self.offsets[source_id]
                if one >= absorbed.amend_from
            ]
            absorbed = table.amend(absorbed.state, messages, self.log.__getitem__)
            self._put_out(absorbed)
        self.states[source_id] = absorbed.state

    def _put_out(self, absorbed: table.Absorbed) -> None:
        for record in absorbed.records:
            self.records[record.key] = record
        for said in absorbed.inputs:
            self.inputs.append(said)
            self.ledgers.take(encode_progressive_input(said), said.progressive_id)

    @property
    def findings(self) -> list[Finding]:
        """Every finding that stands, of tables and of progressives."""
        mine = [finding for record in self.records.values() for finding in record.findings]
        return mine + self.ledgers.findings


def _never(_offset: int) -> bytes:
    raise AssertionError("a ledger reads nothing again")


def played(config: FloorConfig) -> tuple[list[Truth], Floors]:
    """Play a whole floor and fold it."""
    truths: list[Truth] = []
    floors = Floors()
    for event in Floor(config, truths.append).events():
        floors.take(event.source_id, event.raw)
    return truths, floors


def planted(name: str, seed: int = 7, coups: int = 16) -> tuple[list[Truth], Floors]:
    """Play a floor with one plant, and fold it."""
    plants = (PlantRequest(name, coup=5),)
    return played(FloorConfig(tables=TABLES, seed=seed, coups=coups * TABLES, plants=plants))


def in_order(inputs: Iterable[ProgressiveInput]) -> Ledgers:
    """Fold messages as they stand."""
    ledgers = Ledgers()
    for said in inputs:
        ledgers.take(encode_progressive_input(said), said.progressive_id)
    return ledgers


def refolded(inputs: Iterable[ProgressiveInput], seed: int, *, twice: float = 0.0) -> Ledgers:
    """Fold messages in another order that a log can have, some of them twice.

    Order is kept within what one source says, as a partition keeps it.
    """
    chance, by_source = random.Random(seed), dict[str, list[ProgressiveInput]]()
    for said in inputs:
        source = getattr(said, "table_id", None) or getattr(said, "source_id", "")
        by_source.setdefault(source, []).append(said)
    ledgers = Ledgers()
    lists = [one[::-1] for one in by_source.values()]
    while lists:
        here = chance.choice(lists)
        for _ in range(min(len(here), chance.randrange(1, 40))):
            said = here.pop()
            raw = encode_progressive_input(said)
            for _ in range(2 if chance.random() < twice else 1):
                ledgers.take(raw, said.progressive_id)
        lists = [one for one in lists if one]
    return ledgers
