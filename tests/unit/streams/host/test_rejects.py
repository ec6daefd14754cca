"""What a host cannot read: a dead letter each, and nothing ever stops for it."""

import pytest

from streams.host import rejects
from streams.host.driving import run_now
from streams.host.partition_host import PartitionHost
from tests.support.stream.host_partition import WORDS, Partition, numbered, words_of
from tests.support.stream.memory_ports import Emitted


@pytest.mark.parametrize(
    ("key", "raw", "reason"),
    [
        (b"BAC-01", b"what", "not_a_tally"),
        (b"BAC-01", b"", "not_a_tally"),
        (b"", b"what", "not_a_tally"),
        (b"", b"1 ace", "no_key"),
        (b"BAC 01", b"1 ace", "bad_key"),
        (b"\xff\xfe", b"1 ace", "bad_key"),
        (b"x" * 300, b"1 ace", "bad_key"),
        (b"BAC-01\n", b"1 ace", "bad_key"),
    ],
)
def test_what_cannot_be_read_is_a_dead_letter_and_the_rest_goes_on(
    key: bytes, raw: bytes, reason: str
) -> None:
    partition = Partition(numbered(WORDS), every=1000)
    partition.log.append(raw, key)
    partition.log.append(b"11 ten")
    host = partition.recovered()
    letters = [one for one in partition.outputs() if one.key[0] == "dead-letter"]
    assert letters == [Emitted(("dead-letter", "log-1/0/10"), 10, reason.encode())]
    assert words_of(host) == (*WORDS, "ten")
    assert list(host._core.sources) == [b"BAC-01"]


def test_a_key_of_another_partition_is_a_dead_letter() -> None:
    partition = Partition()
    host = PartitionHost(
        partition.fold,
        (partition.log, partition.snapshots, partition.outbox),
        partition.settings,
        partition.clock,
        alert=partition.alerts.append,
        owns=lambda key: key != b"BAC-09",
    )
    partition.log.append(b"1 ace", b"BAC-09")
    run_now(host.recover())
    assert [one.raw for one in partition.outputs()] == [b"wrong_partition"]


def test_invented_sources_do_not_outgrow_the_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streams.host.partition_fold.SOURCES_MAX", 5)
    partition = Partition(every=1000)
    for number in range(20):
        partition.log.append(b"1 ace", b"S%d" % number)
    host = partition.recovered()
    assert len(host._core.sources) == 5
    assert host.counts.dead_letters == 15


def reject(partition: Partition, source: bytes, count: int) -> None:
    for _ in range(count):
        partition.log.append(b"what", source)


def establish(partition: Partition, *sources: bytes) -> None:
    for source in sources:
        for number in range(1, rejects.VALID_COUNTED + 1):
            partition.log.append(b"%d x" % number, source)


def test_a_source_that_only_sends_rejects_is_quarantined_until_its_first_valid_event() -> None:
    partition = Partition(every=10_000)
    establish(partition, b"BAC-01")
    reject(partition, b"BAC-01", rejects.STREAK_MAX - 1)
    host = partition.recovered()
    assert host.quarantined == ()
    reject(partition, b"BAC-01", 1)
    run_now(host.follow())
    assert host.quarantined == ("BAC-01",)
    assert "BAC-01 is in quarantine: 100 messages in a row" in partition.alerts[0]
    partition.log.append(b"1001 x", b"BAC-01")
    run_now(host.follow())
    assert host.quarantined == ()
    assert "BAC-01 left quarantine after 100 rejects" in partition.alerts[1]
    assert host.counts.dead_letters == 100


def test_events_that_can_be_placed_but_not_used_count_as_rejects() -> None:
    partition = Partition([b"%d bad" % number for number in range(1, 101)], every=1000)
    assert partition.recovered().quarantined == ("BAC-01",)


def test_garbage_under_the_keys_of_every_source_stops_nothing_and_delays_no_snapshot() -> None:
    partition = Partition(every=500)
    sources = tuple(b"BAC-%02d" % number for number in range(1, 6))
    establish(partition, *sources)
    for _ in range(3 * rejects.STREAK_MAX):
        for source in sources:
            reject(partition, source, 1)
    host = partition.recovered()
    assert len(host.quarantined) == len(sources)
    assert max(position[1] for position, _ in partition.snapshots.kept) > partition.log.end - 500
    for source in sources:
        partition.log.append(b"1001 ten", source)
    run_now(host.follow())
    assert host.quarantined == ()
    assert host.counts.dead_letters == 3 * rejects.STREAK_MAX * len(sources)


def test_an_orderly_stop_keeps_a_snapshot_amid_garbage() -> None:
    partition = Partition(every=100_000)
    establish(partition, b"BAC-01")
    reject(partition, b"BAC-01", 5)
    host = partition.recovered()
    run_now(host.stop())
    assert max(position[1] for position, _ in partition.snapshots.kept) == partition.log.end


def test_counted_strangers_are_bounded() -> None:
    partition = Partition(every=100_000)
    for number in range(3000):
        reject(partition, b"S%d" % number, 1)
    host = partition.recovered()
    assert len(host._core.watch._strangers) == rejects.STRANGERS_MAX
    assert host._core.sources == {}
