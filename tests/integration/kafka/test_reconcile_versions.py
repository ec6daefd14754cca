"""No version of a record ever has two contents, whatever the next message says."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from schemas import events as said
from schemas.canary import CANARY_TABLE
from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record, RecordKind, decode_record, encode_record
from schemas.wire import parse_event
from streams.history.embedded.store import ChdbStore
from streams.history.raw_bytes import as_bytes
from streams.history.writing.entries import KnownRecord
from streams.history.writing.writer import HistoryWriter
from streams.host.dead_letters import DeadLetter, Origin
from streams.host.driving import run_now
from streams.host.partition_host import HostSettings, PartitionHost
from streams.host.ports import LogEntry
from streams.host.table_fold import TableFold
from streams.kafka.pending import Pending, record_id
from streams.reconcile.comparing import says_the_same
from streams.reconcile.coverage import Coverage
from streams.reconcile.partition import PartitionReconciler, Place
from tests.support.clocks import SetClock
from tests.support.history.history_records import NOON_US, received_event
from tests.support.stream.memory_ports import MemoryLog, MemoryOutbox, MemorySnapshots
from tests.support.tables.canary_day import canary_messages
from tests.support.tables.table_script import Folded, TableScript


class Night:
    """A table whose log is folded by a host, kept in a store and reconciled, step by step."""

    def __init__(self, store: ChdbStore) -> None:
        self.store, self.writer = store, HistoryWriter(store)
        self.log, self.outbox = MemoryLog(), MemoryOutbox()
        settings = HostSettings(Origin("log"))
        ports = (self.log, MemorySnapshots(), self.outbox)
        self.host = PartitionHost(TableFold(), ports, settings, SetClock(), alert=lambda _: None)
        run_now(self.host.recover())
        self.reconciler = PartitionReconciler(Place(Origin("log"), 1), self.log, store, self)
        self.contents: dict[tuple[object, ...], set[bytes]] = defaultdict(set)
        self.amended: list[Record] = []
        self.told: list[ProgressiveInput] = []
        """What the reconciler tells ledgers."""
        self.is_sinking = True

    def say(self, *raws: bytes, table_id: str = "BAC-01") -> None:
        """Append messages, have them folded, and write what comes of them."""
        offsets = [self.log.append(raw, table_id.encode()).offset for raw in raws]
        self.writer.write(
            events=[
                received_event(parse_event(raw), raw, log_offset=offset, known_at_us=NOON_US)
                for raw, offset in zip(raws, offsets, strict=True)
            ]
        )
        run_now(self.host.follow())
        run_now(self.host.deliver())
        records = [decode_record(one.raw) for one in self.outbox.delivered]
        self.outbox.delivered.clear()
        self.keep(records)

    def keep(self, records: Sequence[Record]) -> None:
        """Note what stands on the topic of verdicts, and write it where the sink is at work."""
        for record in records:
            self.contents[(*record.key, record.version)].add(encode_record(record))
        if self.is_sinking:
            self.writer.write([KnownRecord(one, encode_record(one), NOON_US) for one in records])

    def reconcile(self, pending: Pending = Pending()) -> Coverage:  # noqa: B008 - frozen
        """Go once through the log as far as it was folded."""
        coverage = Coverage()
        asyncio.run(self.reconciler.compare_to(self.log.end, pending, coverage))
        return coverage

    def standing(self, coup_id: str, table_id: str = "BAC-01") -> Record:
        """Give what stands about a coup."""
        rows = self.store.query(
            "standing_record", {"kind": "coup", "table_id": table_id, "subject": coup_id}
        ).dicts()
        return decode_record(as_bytes(rows[0]["record_bytes"]))

    # The mender's part: what it puts onto the topics is written at once.

    async def republish(self, entry: LogEntry) -> None:
        raise AssertionError("nothing was lost")

    async def emit(self, record: Record) -> None:
        self.keep([record])

    async def emit_amended(self, record: Record, before: Record | None) -> None:
        del before
        self.amended.append(record)
        self.keep([record])

    async def tell(self, said: ProgressiveInput) -> None:
        self.told.append(said)

    async def emit_letter(self, letter: DeadLetter) -> None:
        raise AssertionError("there is no dead letter")

    async def flush(self) -> None:
        """Nothing waits."""


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    with closing(ChdbStore(tmp_path / "history")) as store:
        store.migrate()
        begun = Night(store)
        yield begun
        twice = {version for version, raws in begun.contents.items() if len(raws) > 1}
        assert not twice, f"versions with several contents: {sorted(twice)}"


class Script(TableScript):
    """A coup of the first shoe has two wagers; the payment of one comes late."""

    def __init__(self) -> None:
        super().__init__()
        self.open().shoe("S1").coup()
        first = self.wager("banker", 10_000, "1")
        self.second = self.wager("player", 10_000, "2")
        self.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
        self.settle(first, 20_000, stake_collected_minor=0)
        self.late = len(self.messages) - 1
        self.settle(self.second, 0, stake_collected_minor=10_000)
        self.close()
        for _ in range(8):
            self.honest_coup()
        self.end_shoe().shoe("S2").honest_coup()

    def correction(self) -> None:
        """Correct the other wager of that coup, though its shoe is over."""
        self.say(
            said.PayoutCorrected,
            coup_id="S1/1",
            shoe_id="S1",
            correction_id="C1",
            settlement_id=f"T-{self.second}",
            paid_change_minor=500,
            authorised_by="F1",
        )


def test_a_correction_right_behind_an_amended_coup_is_another_version(night: Night) -> None:
    script = Script()
    before = len(script.messages)
    script.correction()
    script.say(said.Heartbeat)
    raws = script.messages
    honest = Folded(raws)

    night.say(*raws[: script.late], *raws[script.late + 1 : before], raws[script.late])
    late_offset = night.log.end - 1
    night.reconcile()
    assert {one.offset for one in night.amended} == {late_offset}
    amended = night.standing("S1/1")
    assert (amended.cause, amended.coup.paid_minor) == ("amended", 20_000)

    night.say(raws[before])  # whose offset is the end that the reconciler saw
    assert night.standing("S1/1").offset == late_offset + 1
    night.reconcile()
    assert night.standing("S1/1").cause == "event"  # the host may still say more at this offset

    night.say(raws[before + 1])
    night.reconcile()
    settled = night.standing("S1/1")
    assert (settled.cause, settled.offset) == ("amended", late_offset + 2)
    assert says_the_same(settled, honest.coup("S1/1"))
    count = len(night.amended)
    night.reconcile()
    assert len(night.amended) == count


def test_what_is_amended_once_is_amended_alike_by_another_reconciler(night: Night) -> None:
    script = Script()
    raws = script.messages
    night.say(*raws[: script.late], *raws[script.late + 1 :], raws[script.late])
    night.is_sinking = False
    night.reconcile()
    first = list(night.amended)
    assert first
    # Another one, which does not see yet what the first has put out; nor that more was said.
    night.is_sinking = True
    night.reconciler = PartitionReconciler(Place(Origin("log"), 1), night.log, night.store, night)
    night.reconcile()
    assert night.amended == [*first, *first]


def test_a_new_audit_epoch_puts_out_what_the_host_would_have(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The open coup of the shoe in play, which the very next message changes."""
    script = TableScript().open().shoe("S1").honest_coup().coup()
    wager = script.wager("banker", 10_000, "1")
    script.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
    script.settle(wager, 20_000, stake_collected_minor=0)
    before = len(script.messages)
    script.close()
    raws = script.messages
    epoch = TableFold().audit_epoch

    def as_before(records: Sequence[Record], **_: object) -> None:
        old = [
            one
            if one.kind is RecordKind.CHECKPOINT
            else one.model_copy(update={"rules_version": "RS-0"})
            for one in records
        ]
        keep([one.model_copy(update={"audit_epoch": epoch - 1}) for one in old])

    keep = night.keep
    monkeypatch.setattr(night, "keep", as_before)
    night.say(*raws[:before])
    monkeypatch.setattr(night, "keep", keep)
    found = night.reconcile()
    assert found.counts["records_amended"] == 2
    renewed = night.standing("S1/2")
    assert (renewed.audit_epoch, renewed.offset, renewed.cause) == (epoch, before - 1, "event")

    night.say(raws[before])  # the next message, under the new epoch
    assert night.standing("S1/2").offset == before
    # A host that begins with an older snapshot puts the same out again.
    again = MemoryOutbox()
    host = PartitionHost(
        TableFold(),
        (night.log, MemorySnapshots(), again),
        HostSettings(Origin("log")),
        SetClock(),
        alert=lambda _: None,
    )
    run_now(host.recover())
    run_now(host.follow())
    run_now(host.deliver())
    night.keep([decode_record(one.raw) for one in again.delivered])
    found = night.reconcile()
    assert not found.counts, found.lines
    assert says_the_same(night.standing("S1/2"), Folded(raws).coup("S1/2"))


def test_conflicts_of_one_event_are_told_once_each_and_come_to_rest(night: Night) -> None:
    script = TableScript().open().shoe("S1")
    for _ in range(25):
        script.honest_coup()
    raws = script.messages
    others = [raws[5].replace(b'"BAC-01"', b'"BAC-01" ' + b" " * n) for n in range(2)]
    night.say(*raws, *others)
    assert night.reconcile().counts["sequence_conflicts"] >= 1
    assert {one.offset for one in night.amended} <= {len(raws), len(raws) + 1}
    assert not night.reconcile().counts
    assert not night.reconcile().counts


def test_other_bytes_under_a_version_are_told_in_every_round_and_nothing_is_put_beside_them(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of both would be mixed: a finding of one under the coup of the other."""
    night.say(*TableScript().open().shoe("S1").honest_coup().messages)
    stands = night.standing("S1/1")
    other = stands.model_copy(update={"rules_version": "RS-0"})
    night.writer.write([KnownRecord(other, encode_record(other), NOON_US)])
    put_out: list[Record] = []

    async def emit(record: Record) -> None:
        put_out.append(record)

    monkeypatch.setattr(night, "emit", emit)
    for _ in range(3):
        found = night.reconcile()
        assert found.counts == {"records_conflicting": 1}, found.lines
        assert (found.coups, found.covered) == (1, 0)
    assert put_out == []


@pytest.mark.parametrize(("more", "counts"), [(1, {}), (0, {"records_conflicting": 1})])
def test_a_checkpoint_of_a_build_with_other_states_is_no_conflict_and_needs_none_beside_it(
    night: Night, more: int, counts: dict[str, int]
) -> None:
    night.is_sinking = False
    night.say(*TableScript().open().shoe("S1").honest_coup().messages)
    for (raw,) in night.contents.values():
        record = decode_record(raw)
        if record.subject == "shoe_loaded/S1":
            changes = {"state": "{}", "state_format": record.state_format + more}
            record = record.model_copy(update=changes)
        night.writer.write([KnownRecord(record, encode_record(record), NOON_US)])
    found = night.reconcile()
    assert found.counts == counts, found.lines


def test_what_was_on_its_way_and_never_came_is_put_out_in_a_later_round(night: Night) -> None:
    night.is_sinking = False
    night.say(*TableScript().open().shoe("S1").honest_coup().messages)
    records = [decode_record(raw) for raws in night.contents.values() for raw in raws]
    on_its_way = Pending(frozenset((record_id(one), one.audit_epoch) for one in records))
    assert night.reconcile(on_its_way).pending == len(records)
    night.is_sinking = True
    late = night.reconcile()
    assert (late.counts, late.pending) == ({"records_missing": len(records)}, 0)
    assert night.reconcile().is_complete


def test_the_canary_is_reconciled_and_counts_as_no_table(night: Night) -> None:
    night.is_sinking = False
    night.say(*canary_messages(3), table_id=CANARY_TABLE)
    night.is_sinking = True
    found = night.reconcile()
    assert found.counts["records_missing"] > 0
    assert (found.coups, found.covered, found.tables) == (0, 0, {})
    assert night.standing("c-1/1", CANARY_TABLE).table_id == CANARY_TABLE
    assert night.reconcile().sentence == "no coups to cover yet"


def test_a_real_table_with_the_name_of_the_canary_is_covered(night: Night) -> None:
    night.say(*canary_messages(3, simulated=False), table_id=CANARY_TABLE)
    assert night.reconcile().sentence == "verdicts cover 100.000 % of 3 coups"
