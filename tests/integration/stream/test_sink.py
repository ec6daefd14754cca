"""The sink over the real broker: killed, or without its database, it loses and doubles nothing."""

from __future__ import annotations

import random
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from streams.development.kafka_cluster import KafkaCluster
from streams.history.backup import back_up, restore
from streams.history.embedded.owner import read_owner
from streams.history.embedded.store import ChdbStore
from streams.history.opening import history_path
from streams.history.reading.digest import history_digests
from streams.history.server.clients import ServerAddress
from streams.history.server.store import ClickHouseServerStore
from streams.history.sharing.client import OwnerClient
from streams.history.store import HistoryError, HistoryReader
from tests.support.history.clickhouse_server import ClickHouseServer, running_server
from tests.support.stream.faulty_wire import FaultyWire
from tests.support.stream.stream_floor import Expected, Stream, small_floor
from tests.support.stream.stream_processes import Running, wait_until
from tests.support.tables.floors import Message, table_feed

KILLED = -signal.SIGKILL


@pytest.fixture(scope="module")
def folded(
    kafka: KafkaCluster, tmp_path_factory: pytest.TempPathFactory, expected: Expected
) -> Iterator[Stream]:
    """Topics on which a worker has put out everything, and no sink has read anything."""
    with Stream.begin(kafka.bootstrap, "folded", tmp_path_factory.mktemp("folded")) as stream:
        worker = stream.worker()
        stream.publish(small_floor())
        stream.wait_folded(worker)
        assert worker.stop() == 0
        assert stream.output().records == expected.records
        yield stream


@pytest.fixture
def unread(folded: Stream, tmp_path: Path) -> Iterator[Stream]:
    """The same topics for a sink that writes into a new history."""
    with Stream(folded.settings, tmp_path) as stream:
        yield stream


@contextmanager
def reading(open_reader: Callable[[], HistoryReader], moments: list[int]) -> Iterator[None]:
    """Read the history again and again for the length of a block; no moment may be half written.

    Args:
        open_reader: Opens the history; while nobody answers for it, the moment passes.
        moments: Takes how many coups were complete at each moment.
    """
    over = threading.Event()
    wrong: list[str] = []

    def read() -> None:
        while not over.wait(0.02):
            try:
                with closing(open_reader()) as reader:
                    if halves := reader.query("incomplete_subjects").rows():
                        wrong.append(f"half written: {halves[:3]}")
                    moments.append(history_digests(reader)[0].row_count)
            except HistoryError:
                continue

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    assert wrong == []


def owned(path: Path) -> OwnerClient:
    """Ask the sink that owns a history; to own it would keep the next sink out."""
    owner = read_owner(path)
    if owner is None or owner.address is None:
        raise HistoryError("nobody answers for it now")
    return OwnerClient(path, owner)


def later_events() -> list[Message]:
    """Give what comes behind the floor, the same for every test: its topics are everybody's."""
    return table_feed("BAC-77", 3, random.Random(1), 12)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouseServer]:
    with running_server(tmp_path_factory.mktemp("clickhouse") / "data") as running:
        running.create_database("ladderman")
        yield running


def test_a_sink_whose_database_is_away_keeps_its_place_and_writes_it_all_later(
    unread: Stream, expected: Expected, server: ClickHouseServer
) -> None:
    address = ServerAddress(
        host=server.host, port=server.port, user=server.user, password=server.password
    )
    with FaultyWire(server.port) as wire:
        unread.environment.update(
            LADDERMAN_HISTORY_STORE="clickhouse",
            LADDERMAN_CLICKHOUSE_PORT=str(wire.port),
            LADDERMAN_CLICKHOUSE_USER=server.user,
            LADDERMAN_CLICKHOUSE_PASSWORD=server.password,
        )
        sink = unread.sink()
        sink.wait_ready()
        unread.wait_sunk(sink)
        members = member_ids(unread, sink)
        wire.refuse()
        # Raw events that no worker has folded yet are written all the same.
        later = later_events()
        unread.publish(later)
        wait_until(lambda: says_why(sink), "it to say why", lambda: sink.said)
        assert member_ids(unread, sink) == members
        wire.accept()
        unread.wait_sunk(sink)
        assert sink.ask("/health")[0] == 200
        assert member_ids(unread, sink) == members
        assert sink.stop() == 0
    with closing(ClickHouseServerStore(address)) as store:
        assert store.query("incomplete_subjects").rows() == []
        digests = {one.of: f"{one.row_count} {one.sha256}" for one in history_digests(store)}
        (events,) = server.rows("SELECT count() FROM distinct_events", "ladderman")
    assert digests == expected.digests
    assert events == (len(small_floor()) + len(later),)


def says_why(sink: Running) -> bool:
    status, body = sink.ask("/health")
    return status == 503 and b"cannot be reached" in body


def member_ids(stream: Stream, sink: Running) -> list[str]:
    with stream.administration() as admin:
        (group,) = admin.describe_groups([sink.group]).values()
    return [one["member_id"] for one in group["members"]]


def test_a_new_history_is_built_from_what_the_topics_keep(
    unread: Stream, expected: Expected
) -> None:
    assert unread.sink(rebuild=True).ended() == 0
    assert unread.digests() == expected.digests


def test_two_histories_of_one_log_each_get_everything(
    unread: Stream, expected: Expected, tmp_path: Path
) -> None:
    """Sinks that write into different histories take nothing from each other."""
    other = tmp_path / "other"
    other.mkdir()
    with Stream(unread.settings, other) as second:
        sinks = [unread.sink(), second.sink()]
        assert all("is new: it gets all" in one.said for one in sinks if one.port)
        assert sinks[0].group != sinks[1].group
        unread.wait_sunk(sinks[0])
        second.wait_sunk(sinks[1])
        assert [one.stop() for one in sinks] == [0, 0]
        assert unread.digests() == second.digests() == expected.digests


def test_a_history_that_was_brought_back_from_an_earlier_day_takes_in_what_it_lacks(
    unread: Stream, expected: Expected, tmp_path: Path
) -> None:
    sink = unread.sink()
    assert sink.port
    group, kept = sink.group, tmp_path / "kept"
    assert sink.stop() == 0
    copy(unread.store, kept)  # it has an id, and not all of the rows
    sink = unread.sink()
    unread.wait_sunk(sink)
    assert sink.stop() == 0
    shutil.rmtree(unread.store)
    copy(kept, unread.store)
    sink = unread.sink()
    sink.wait_ready()
    assert sink.group == group
    wait_until(lambda: has_all(unread, expected), "what came since", lambda: sink.said)
    assert sink.stop() == 0
    assert unread.digests() == expected.digests


def copy(store: Path, to: Path) -> None:
    """Copy a store as ``cp -a`` does."""
    shutil.copytree(store, to, symlinks=True)


def has_all(stream: Stream, expected: Expected) -> bool:
    with closing(owned(history_path(stream.store))) as reader:
        found = {one.of: f"{one.row_count} {one.sha256}" for one in reader.digests()}
    return found == expected.digests


def test_a_restored_backup_goes_on_where_it_was_made_in_a_group_of_its_own(
    unread: Stream, expected: Expected, tmp_path: Path
) -> None:
    sink = unread.sink()
    unread.wait_sunk(sink)
    group = sink.group
    assert sink.stop() == 0
    with closing(ChdbStore(history_path(unread.store), create=False)) as history:
        back_up(history, tmp_path / "backup", lambda: history_digests(history))
    later = later_events()
    unread.publish(later)
    with Stream(unread.settings, tmp_path / "restored") as restored:
        restored.directory.mkdir()
        restored.store.mkdir()
        with closing(ChdbStore(history_path(restored.store))) as history:
            restore(history, tmp_path / "backup", lambda: history_digests(history))
        sink = restored.sink()
        restored.wait_sunk(sink)
        assert sink.group != group
        assert sink.total("sink_messages") == len(later), "only what came since was read"
        assert sink.stop() == 0
        assert restored.digests() == expected.digests


def test_a_history_of_an_earlier_version_goes_on_where_the_group_of_all_sinks_stood(
    unread: Stream, expected: Expected
) -> None:
    sink = unread.sink()
    unread.wait_sunk(sink)
    assert sink.stop() == 0
    with unread.administration() as admin:
        stood = admin.list_group_offsets(sink.group)[sink.group]
        admin.alter_group_offsets(f"{unread.settings.prefix}-sink", stood)
    with closing(ChdbStore(history_path(unread.store), create=False)) as history:
        history._execute("TRUNCATE TABLE identity")  # as before there were such tables
        history._execute("TRUNCATE TABLE sink_marks")
    later = later_events()
    unread.publish(later)
    sink = unread.sink()
    unread.wait_sunk(sink)
    assert sink.total("sink_messages") == len(later), "nothing was read twice"
    assert sink.stop() == 0
    assert unread.digests() == expected.digests


def test_a_copy_of_a_history_is_not_written_beside_it(unread: Stream, tmp_path: Path) -> None:
    """Both have the same id, so each sink would get half of the rows."""
    sink = unread.sink()
    unread.wait_sunk(sink)
    assert sink.stop() == 0
    other = tmp_path / "other"
    other.mkdir()
    copy(unread.store, other / "store")
    with Stream(unread.settings, other) as copied:
        sinks = [unread.sink(), copied.sink()]
        wait_until(
            lambda: any(one.has_ended for one in sinks),
            "one of them to end",
            lambda: "\n".join(one.said for one in sinks),
        )
        ended = next(one for one in sinks if one.has_ended)
        assert ended.ended() == 2
        assert "another sink is given a part of the topics" in ended.said
        assert "set an empty data.directory" in ended.said


def test_a_sink_killed_between_inserts_and_before_commits_changes_nothing(
    unread: Stream, expected: Expected
) -> None:
    chance = random.Random(3)
    moments: list[int] = []
    path = history_path(unread.store)
    with reading(lambda: owned(path), moments):
        for death in ({"after_inserts": 5}, {"after_commits": 2}, {"after_inserts": 4}):
            assert unread.odd_sink(name="s1", **death).ended() == KILLED
        dying = unread.sink("s1")
        assert dying.port
        time.sleep(chance.uniform(0.0, 1.0))  # the moment is the point, nothing is waited for
        dying.kill()
        last = unread.sink("s1")
        unread.wait_sunk(last)
    assert moments == sorted(moments), "a coup that had been there was gone"
    assert unread.digests() == expected.digests
    assert last.stop() == 0
