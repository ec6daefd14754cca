"""What the reconciler amends in closed shoes reaches the ledgers of progressives too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from auditors import progressive
from auditors.progressive.ledger.chunks import effects_in
from auditors.progressive.ledger.effects import Effect
from auditors.table import Delivered
from schemas import events as said
from schemas.progressive_inputs import (
    CoupOnProgressive,
    ProgressiveInput,
    TableWatermark,
    encode_progressive_input,
)
from streams.history.embedded.store import ChdbStore
from streams.host.dead_letters import Origin
from streams.reconcile.partition import PartitionReconciler, Place
from tests.integration.kafka.test_reconcile_versions import Night
from tests.support.tables.table_script import Folded, TableScript
from tests.unit.auditors.table.test_progressives import UNIT, filing

PROGRESSIVE = "HP-1"


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    with closing(ChdbStore(tmp_path / "history")) as store:
        store.migrate()
        yield Night(store)


class Script(TableScript):
    """A wager on the progressive in a shoe that is over by the time it is heard of."""

    def __init__(self) -> None:
        super().__init__()
        self.open(filing()).shoe("S1").coup()
        self.played(seats=("1", "2"))
        self.late = next(n for n, raw in enumerate(self.messages) if b'"W2"' in raw)
        for _ in range(8):
            self.coup().played(seats=("3",))
        self.end_shoe().shoe("S2").coup().played(seats=("4",))

    def played(self, seats: tuple[str, ...]) -> None:
        """Play a coup in which some seats wager on the progressive."""
        wagers = [self.wager("banker", 10_000, seats[0])]
        wagers += [self.wager("harmony_mini", UNIT, seat) for seat in seats]
        self.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
        self.settle(wagers[0], 20_000, stake_collected_minor=0)
        for wager in wagers[1:]:
            self.settle(wager, 0, stake_collected_minor=UNIT)
        self.close()

    def in_disorder(self) -> list[bytes]:
        """Give the messages as they came."""
        raws = self.messages
        return [*raws[: self.late], *raws[self.late + 1 :], raws[self.late]]


def entries(inputs: Iterable[ProgressiveInput]) -> set[Effect]:
    """Fold what a ledger is told, and give the entries that it then has."""
    state = progressive.new_state(PROGRESSIVE)
    for offset, one in enumerate(inputs):
        raw = encode_progressive_input(one)
        folded = progressive.absorb(state, Delivered(offset, raw), lambda _: b"")
        assert folded.dead_letter is None
        state = folded.state
    (level,) = state.levels
    return {one for one in effects_in(level.pending) if one.kind == "accept"}


def honest(script: Script) -> list[ProgressiveInput]:
    return [one for absorbed in Folded(script.messages).absorbed for one in absorbed.inputs]


def test_a_wager_of_a_closed_shoe_that_is_heard_of_late_reaches_the_ledger(night: Night) -> None:
    script = Script()
    night.say(*script.in_disorder())
    expected = entries(honest(script))
    host_told = list(night.outbox.told)
    assert {one.name for one in expected - entries(host_told)} == {"W2"}
    night.reconcile()
    (told,) = night.told
    assert isinstance(told, CoupOnProgressive)
    assert (told.coup_id, told.version & (1 << 48) - 1) == ("S1/1", night.log.end - 1)
    assert entries([*host_told, told]) == expected
    # Before or after what the host tells, and however often.
    assert entries([told, *host_told, told]) == expected
    night.reconcile()
    assert night.told == [told]


def test_ledgers_are_told_the_same_bytes_until_the_record_stands(night: Night) -> None:
    script = Script()
    night.say(*script.in_disorder())
    night.is_sinking = False
    night.reconcile()
    night.reconciler = PartitionReconciler(Place(Origin("log"), 1), night.log, night.store, night)
    night.reconcile()
    first, second = map(encode_progressive_input, night.told)
    assert first == second


def test_a_closed_shoe_says_nothing_of_the_filing_in_force_since(night: Night) -> None:
    script = Script()
    other = filing(letter="B", id="RS-8")
    script.say(said.RulesSubmissionChanged, submission=other)
    night.say(*script.in_disorder())
    night.reconcile()
    state = progressive.new_state(PROGRESSIVE)
    inputs = [*night.outbox.told, *night.told]
    assert isinstance(inputs[-1], CoupOnProgressive)
    assert isinstance(inputs[-2], TableWatermark)
    for offset, one in enumerate(inputs):
        raw = encode_progressive_input(one)
        state = progressive.absorb(state, Delivered(offset, raw), lambda _: b"").state
    filed = state.levels[0].tables["BAC-01"].filed
    assert filed is not None
    assert filed.rules_version == "RS-8"
