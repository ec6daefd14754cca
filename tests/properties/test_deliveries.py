"""However the messages of a table arrive, what stands in the end is what the table said.

L2: repeats and disorder within the limit. L3: delay beyond it, once late truth was amended.
What may differ is when and where a record was put out, and findings about the delivery itself.
"""

import random
from collections.abc import Sequence

import pytest

from schemas.findings import Finding, FindingCode
from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record, RecordKind, encode_record
from streams.host.dead_letters import DeadLetter, Origin
from streams.host.driving import run_now
from streams.host.partition_host import HostSettings, PartitionHost
from streams.host.ports import LogEntry
from streams.host.table_fold import TableFold
from tests.support.clocks import SetClock
from tests.support.stream.memory_ports import MemoryLog, MemorySnapshots
from tests.support.tables.floors import Message, disturbed, interleaved, table_feed, table_floor

ABOUT_DELIVERY = {
    FindingCode.SEQUENCE_GAP,
    FindingCode.SEQUENCE_CONFLICT,
    FindingCode.FEED_SPLIT,
}


class Standing:
    """An outbox that keeps the current version of everything."""

    def __init__(self) -> None:
        self.records: dict[tuple[str, str, str], Record] = {}
        self.letters: list[DeadLetter] = []

    def put(
        self,
        entry: LogEntry,
        records: Sequence[Record],
        dead_letter: DeadLetter | None,
        inputs: Sequence[ProgressiveInput] = (),
    ) -> None:
        for record in records:
            before = self.records.get(record.key)
            assert before is None or record.version > before.version
            self.records[record.key] = record
        if dead_letter is not None:
            self.letters.append(dead_letter)

    async def make_room(self) -> None:
        pass

    async def flush(self) -> None:
        pass

    def findings(self) -> list[Finding]:
        return sorted(
            (
                finding
                for record in self.records.values()
                for finding in record.findings
                if finding.code not in ABOUT_DELIVERY
            ),
            key=lambda finding: finding.id,
        )

    def subjects(self) -> dict[tuple[str, str, str], bytes]:
        """Give coups, shoes and tables without version; checkpoints say where messages stood."""
        return {
            key: encode_record(
                record.model_copy(update={"offset": 0, "cause": "event", "findings": ()})
            )
            for key, record in self.records.items()
            if record.kind not in (RecordKind.FEED, RecordKind.CHECKPOINT)
        }


def folded(floor: Sequence[Message]) -> tuple[Standing, PartitionHost]:
    log = MemoryLog()
    for key, raw in floor:
        log.append(raw, key)
    standing = Standing()
    host = PartitionHost(
        TableFold(),
        (log, MemorySnapshots(), standing),
        HostSettings(Origin("log")),
        SetClock(),
        alert=pytest.fail,
    )
    run_now(host.recover())
    return standing, host


@pytest.mark.parametrize("seed", range(4))
def test_repeats_and_disorder_within_the_limit_change_no_verdict(seed: int) -> None:
    honest, _ = folded(table_floor(seed=seed))
    mixed, host = folded(table_floor(seed=seed, delay_max=10))
    assert mixed.subjects() == honest.subjects()
    assert mixed.findings() == honest.findings() != []
    assert host.counts.amended == 0
    assert len(mixed.letters) > 5


@pytest.mark.parametrize("seed", range(3))
def test_late_truth_about_the_shoe_in_play_ends_with_the_same_verdicts(seed: int) -> None:
    honest, _ = folded(table_floor(2, seed=seed, coups_a_shoe=1000))
    late, host = folded(table_floor(2, seed=seed, coups_a_shoe=1000, delay_max=200))
    assert late.subjects() == honest.subjects()
    assert late.findings() == honest.findings() != []
    assert host.counts.amended > 5


def test_only_the_touched_coups_are_unverified_before_late_truth_comes() -> None:
    feed = table_feed("BAC-01", 30, random.Random(3), 1000)
    missing = feed.pop(40)
    without, _ = folded(feed)
    unverified = [
        record.subject
        for record in without.records.values()
        if record.coup is not None and record.coup.is_unverified
    ]
    assert 1 <= len(unverified) <= 2
    gaps = [f for r in without.records.values() for f in r.findings if f.code in ABOUT_DELIVERY]
    assert [gap.code for gap in gaps] == [FindingCode.SEQUENCE_GAP]
    with_it, host = folded([*feed, missing])
    assert host.counts.amended == 1
    assert not any(
        record.coup.is_unverified for record in with_it.records.values() if record.coup is not None
    )


def test_each_part_of_a_log_folded_by_another_host_gives_the_same() -> None:
    chance = random.Random(5)
    feeds = [
        disturbed(table_feed(f"BAC-0{n}", 20, chance, 6), chance, delay_max=90, keep_first=3)
        for n in (1, 2)
    ]
    floor = interleaved(feeds, chance)
    whole, _ = folded(floor)
    log, snapshots, standing = MemoryLog(), MemorySnapshots(), Standing()
    for start in range(0, len(floor), 37):
        for key, raw in floor[start : start + 37]:
            log.append(raw, key)
        host = PartitionHost(
            TableFold(),
            (log, snapshots, standing),
            HostSettings(Origin("log")),
            SetClock(),
            alert=pytest.fail,
        )
        run_now(host.recover())
        run_now(host.stop())
    assert standing.records == whole.records
    assert standing.letters == whole.letters
