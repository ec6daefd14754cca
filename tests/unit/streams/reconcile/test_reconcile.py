"""The coverage is never rounded up, and what the gate lets pass is told apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.table import encode_state
from dashboards.documents.stream.coverage import summary
from schemas.records import encode_record
from streams.host.dead_letters import Origin
from streams.host.driving import run_now
from streams.host.ports import LogEntry
from streams.kafka.positions import version_in
from streams.reconcile.comparing import record_id
from streams.reconcile.coverage import (
    LISTED_MAX,
    Coverage,
    PartitionCoverage,
    TableCoverage,
    percent_text,
)
from streams.reconcile.mending import finding_changes
from streams.reconcile.refolding import (
    BoundedLog,
    GatheringOutbox,
    NoticingFold,
    Refolded,
    refolding_host,
)
from streams.reconcile.running import Told
from tests.support.history.history_records import a_coup
from tests.support.stream.memory_ports import MemoryLog
from tests.support.tables.floors import table_feed
from tests.support.tables.table_script import TableScript


def test_a_million_coups_but_one_are_not_all_of_them() -> None:
    assert percent_text(1_203_440, 1_203_441) == "99.999"
    assert percent_text(1_203_441, 1_203_441) == "100.000"
    assert percent_text(0, 0) == "100.000"


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_only_everything_is_a_hundred_percent(part: int, more: int) -> None:
    whole = part + more
    text = percent_text(part, whole)
    assert text != "100.000"
    assert int(text.replace(".", "")) * whole <= part * 100_000


def test_coverage_says_what_it_covers_and_lists_no_more_than_people_read() -> None:
    coverage = Coverage(tables={"BAC-01": TableCoverage(3, 1), "BAC-02": TableCoverage(1)})
    assert coverage.sentence == "verdicts cover 75.000 % of 4 coups"
    assert not coverage.is_complete
    for _ in range(LISTED_MAX + 5):
        coverage.found("events_missing", "one")
    assert (len(coverage.lines), coverage.counts["events_missing"]) == (LISTED_MAX, LISTED_MAX + 5)
    assert Coverage().is_complete
    obstacle = PartitionCoverage(0, obstacle="no worker has kept a snapshot of it yet")
    assert not Coverage(partitions=[obstacle]).is_complete
    assert Coverage().sentence == "no coups to cover yet"


def test_what_was_published_and_not_compared_is_said_beside_the_share() -> None:
    places = [
        PartitionCoverage(0, log_end=50, compared_to=20, not_folded=25),
        PartitionCoverage(1, log_end=7, compared_to=7),
    ]
    coverage = Coverage(tables={"BAC-01": TableCoverage(4)}, partitions=places)
    assert (coverage.waiting, coverage.as_json()["messages_waiting"]) == (30, 30)
    assert summary(coverage) == (
        "verdicts cover 100.000 % of 4 coups; not compared yet: 25 that no worker has kept as "
        "folded and 5 that the sink has not written"
    )
    places[0].compared_to = 50
    assert summary(coverage) == "verdicts cover 100.000 % of 4 coups"


def test_a_reconciler_that_cannot_read_the_log_is_not_ready_whatever_the_last_round_said() -> None:
    told = Told()
    assert told.health().problems == ("the first round is not done yet",)
    told.take(Coverage())
    assert told.health().is_ready
    told.outages = lambda: ("events 0 cannot be read: no answer within 5 s",)
    assert told.health().problems == ("events 0 cannot be read: no answer within 5 s",)


def refold(log: MemoryLog, limit: int, chunk: int = 7) -> tuple[NoticingFold, list[Refolded]]:
    """Fold a log up to a limit and gather what comes out."""
    gathered: list[Refolded] = []

    async def take(messages: list[Refolded]) -> None:
        assert len(messages) < chunk + 8  # room is asked for after so many messages
        gathered.extend(messages)

    fold, bounded = NoticingFold(), BoundedLog(log)
    host = refolding_host(fold, bounded, GatheringOutbox(take, chunk), (Origin("log"), 1))
    bounded.end = limit
    run_now(host.recover())
    run_now(host.follow())
    run_now(host.deliver())
    assert host.next_offset == min(limit, log.end)
    return fold, gathered


def feed() -> list[bytes]:
    """Two shoes of one table."""
    import random

    return [raw for _, raw in table_feed("BAC-01", 20, random.Random(3), 8)]


def test_nothing_above_the_limit_is_folded() -> None:
    log = MemoryLog(feed())
    _, gathered = refold(log, 50)
    assert [one.entry.offset for one in gathered] == list(range(50))


def test_a_late_event_of_a_closed_shoe_is_noticed_and_one_of_the_shoe_in_play_is_not() -> None:
    raws = feed()
    closed = [*raws[:30], *raws[31:], raws[30]]
    fold, _ = refold(MemoryLog(closed), len(closed))
    (late,) = fold.take_noticed()
    assert (late.is_late, late.sequence, late.offset) == (True, 31, len(closed) - 1)
    assert fold.take_noticed() == []

    at = len(raws) - 40
    in_play = [*raws[:at], *raws[at + 1 :], raws[at]]
    fold, _ = refold(MemoryLog(in_play), len(in_play))
    assert fold.take_noticed() == []


def test_a_repeat_whose_hash_is_forgotten_is_noticed_and_a_fresh_one_is_not() -> None:
    raws = feed()
    fold, _ = refold(MemoryLog([*raws, raws[-1], raws[5]]), len(raws) + 2)
    (old,) = fold.take_noticed()
    assert (old.is_late, old.sequence) == (False, 6)
    assert encode_state(old.state)


def test_changes_of_findings_say_what_is_new_changed_and_withdrawn() -> None:
    script = TableScript().open().shoe()
    script.coup()
    wager = script.wager("banker", 10_000)
    script.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
    script.settle(wager, 20_500, stake_collected_minor=0).close()
    _, gathered = refold(MemoryLog(script.messages), len(script.messages))
    coups = [record for one in gathered for record in one.records if record.findings]
    record = coups[-1]
    assert b'"change":"new"' in finding_changes(record, None)[0]
    assert finding_changes(record, record) == []
    bare = record.model_copy(update={"findings": ()})
    assert b'"change":"withdrawn"' in finding_changes(bare, record)[0]


def test_messages_that_are_not_asked_for_are_stepped_over() -> None:
    log = MemoryLog()
    for number in range(6):
        log.append(b"x", b"BAC-0%d" % (number % 2))
    shown = BoundedLog(log, lambda entry: entry.key == b"BAC-01")
    shown.end = 5
    batch = run_now(shown.read(0, 100))
    assert batch.entries == [LogEntry(1, b"BAC-01", b"x"), LogEntry(3, b"BAC-01", b"x")]
    assert batch.next_offset == 5


NOT_HASHABLE = b'{"table_id":[],"kind":"coup","subject":"S1/1","offset":1,"audit_epoch":1}'


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"7", b"null", b'"a"', b"{}", b'{"table_id":"B"}', b"\xff", NOT_HASHABLE],
)
def test_what_no_worker_wrote_is_on_its_way_to_nowhere(raw: bytes) -> None:
    assert version_in(raw) is None


def test_a_record_on_its_way_is_known_by_its_version() -> None:
    record = a_coup(offset=7)
    assert version_in(encode_record(record)) == (record_id(record), record.audit_epoch)
