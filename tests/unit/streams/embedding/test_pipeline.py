"""The embedded pipeline: one owner, nothing lost, and a word for whatever went wrong."""

import gzip
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from schemas.rules_submission import FiledProgressive
from schemas.wire.errors import RejectReason
from streams.embedding import ingest
from streams.embedding.ingest import IngestError, ingest_files, key_of
from streams.embedding.pipeline import EmbeddedPipeline
from streams.history.writing.entries import DeadLetter as StoredLetter
from streams.history.writing.entries import KnownRecord, ReceivedEvent
from streams.history.writing.outbox import HistoryOutbox
from streams.host.errors import HostError, SnapshotRefusedError
from streams.host.file_snapshots import KEPT_COUNT
from streams.host.ledger_fold import ProgressiveFold
from streams.host.table_fold import TableFold
from streams.process.durable import PathInUseError
from streams.spool import SpoolFullError
from tests.support.clocks import SetClock
from tests.support.stream.tally_fold import TallyFold, TallyState
from tests.support.tables.floors import Message, table_floor
from tests.support.tables.table_script import TableScript, with_wager

WORDS = [b"%d w%d" % (number, number) for number in range(1, 41)]


class Pages:
    """A history that keeps what was written, batch by batch."""

    def __init__(self) -> None:
        self.batches: list[tuple[list[KnownRecord], list[ReceivedEvent], list[StoredLetter]]] = []
        self.fails = False

    def write(
        self,
        records: Sequence[KnownRecord] = (),
        events: Sequence[ReceivedEvent] = (),
        dead_letters: Sequence[StoredLetter] = (),
    ) -> object:
        if self.fails:
            raise OSError("the disk is gone")
        self.batches.append((list(records), list(events), list(dead_letters)))
        return None

    @property
    def records(self) -> list[KnownRecord]:
        return [one for batch in self.batches for one in batch[0]]

    @property
    def events(self) -> list[ReceivedEvent]:
        return [one for batch in self.batches for one in batch[1]]

    @property
    def letters(self) -> list[StoredLetter]:
        return [one for batch in self.batches for one in batch[2]]


class Nothing:
    """An outbox that keeps nothing."""

    def put(self, *_: object) -> None:
        pass

    async def make_room(self) -> None:
        pass

    async def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def of_ledgers(self) -> "Nothing":
        return self


class Machine:
    """A store directory that is opened again and again."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.clock = SetClock()
        self.alerts: list[str] = []
        self.pages = Pages()
        self._open: EmbeddedPipeline | None = None

    def tally(self, every: int = 10) -> EmbeddedPipeline:
        self._open = EmbeddedPipeline(
            self.directory,
            TallyFold(),
            Nothing(),
            self.clock,
            alert=self.alerts.append,
            snapshot_every=every,
            read_count=5,
        )
        return self._open

    def tables(self) -> EmbeddedPipeline:
        self._open = EmbeddedPipeline(
            self.directory,
            TableFold(),
            HistoryOutbox(self.pages, self.clock),
            self.clock,
            alert=self.alerts.append,
        )
        return self._open

    def ledgers(self) -> EmbeddedPipeline:
        self._open = EmbeddedPipeline(
            self.directory,
            TableFold(),
            HistoryOutbox(self.pages, self.clock),
            self.clock,
            alert=self.alerts.append,
            progressives=ProgressiveFold(),
        )
        return self._open

    def abandon(self) -> None:
        if self._open is not None:
            self._open.abandon()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    one = Machine(tmp_path / "store")
    yield one
    one.abandon()


def words_of(pipeline: EmbeddedPipeline) -> int:
    state = pipeline.host._core.sources[b"BAC-01"].state
    assert isinstance(state, TallyState)
    return state.next_sequence - 1


def filled(machine: Machine) -> list[Path]:
    """Fold forty words and give the snapshots, the newest first."""
    pipeline = machine.tally()
    pipeline.extend((b"BAC-01", raw) for raw in WORDS)
    assert pipeline.catch_up() == 40
    pipeline.close()
    return sorted((machine.directory / "snapshots").iterdir(), reverse=True)


def test_a_store_goes_on_from_its_last_snapshot(machine: Machine) -> None:
    snapshots = filled(machine)
    assert [path.name for path in snapshots] == [
        f"000001-{offset:020d}.snapshot" for offset in (40, 30, 20)
    ]
    assert len(snapshots) == KEPT_COUNT
    pipeline = machine.tally()
    assert (words_of(pipeline), pipeline.counts.folded, pipeline.next_offset) == (40, 0, 40)


def test_a_store_has_one_owner(machine: Machine) -> None:
    pipeline = machine.tally()
    with pytest.raises(PathInUseError, match=r"log is in use by pipeline, process \d+"):
        machine.tally()
    machine._open = pipeline


def test_a_damaged_snapshot_falls_back_to_the_one_before(machine: Machine) -> None:
    newest, *_ = filled(machine)
    newest.write_bytes(newest.read_bytes()[:-3])
    pipeline = machine.tally()
    assert (words_of(pipeline), pipeline.counts.folded) == (40, 10)
    assert len(machine.alerts) == 1
    assert "unreadable" in machine.alerts[0]


def test_without_a_readable_snapshot_everything_is_folded_again(machine: Machine) -> None:
    for path in filled(machine):
        path.write_bytes(b"")
    pipeline = machine.tally()
    assert (words_of(pipeline), pipeline.counts.folded) == (40, 40)
    assert len(machine.alerts) == 3


def test_a_half_written_snapshot_is_none(machine: Machine) -> None:
    newest, *_ = filled(machine)
    newest.rename(newest.with_name(f".{newest.name}.new"))
    assert words_of(machine.tally()) == 40
    assert machine.alerts == []


def test_a_torn_end_of_the_log_is_cut_off_aloud(machine: Machine) -> None:
    filled(machine)
    (log,) = (machine.directory / "log").glob("0*.log")
    with log.open("ab") as file:
        file.write(b"torn")
    assert words_of(machine.tally()) == 40
    assert "4 bytes that were never folded were removed" in machine.alerts[0]


def test_a_log_that_lost_folded_events_is_refused(machine: Machine) -> None:
    filled(machine)
    (log,) = (machine.directory / "log").glob("0*.log")
    log.write_bytes(log.read_bytes()[:-1])
    with pytest.raises(SnapshotRefusedError, match="reaches to offset 40, the log ends at 39"):
        machine.tally()


def test_snapshots_of_a_log_that_was_made_anew_are_refused(machine: Machine) -> None:
    filled(machine)
    for path in (machine.directory / "log").iterdir():
        path.unlink()
    with pytest.raises(SnapshotRefusedError, match="the log was created again"):
        machine.tally()


def test_a_log_without_its_id_is_not_guessed_at(machine: Machine) -> None:
    filled(machine)
    (machine.directory / "log" / "log.json").write_text("[]")
    with pytest.raises(HostError, match=r"log.json does not say log_id"):
        machine.tally()


def test_a_follower_folds_what_another_thread_puts_into_the_log(machine: Machine) -> None:
    pipeline = machine.tally()
    stop = threading.Event()
    follower = threading.Thread(target=pipeline.follow, args=(stop,))
    follower.start()
    for raw in WORDS:
        pipeline.extend([(b"BAC-01", raw)])
    waited = threading.Event()
    for _ in range(500):
        if pipeline.next_offset == 40:
            break
        waited.wait(0.01)
    stop.set()
    follower.join()
    assert words_of(pipeline) == 40


def write_lines(path: Path, floor: Sequence[Message]) -> str:
    path.write_bytes(b"".join(raw + b"\n" for _, raw in floor))
    return str(path)


FLOOR = tuple(table_floor(1, 4))


def test_every_line_reaches_the_history_once_with_its_records(
    tmp_path: Path, machine: Machine
) -> None:
    file = write_lines(tmp_path / "a.jsonl", FLOOR)
    pipeline = machine.tables()
    counts = ingest_files(pipeline, [file, file])
    assert (counts.lines, counts.taken, counts.known) == (2 * len(FLOOR), len(FLOOR), len(FLOOR))
    assert [one.raw_bytes for one in machine.pages.events] == [raw for _, raw in FLOOR]
    assert [one.log_offset for one in machine.pages.events] == list(range(len(FLOOR)))
    assert {one.known_at_us for one in machine.pages.records} == {machine.clock.us}
    assert any(one.record.findings for one in machine.pages.records)
    event = machine.pages.events[1]
    assert (event.source_id, event.feed_id, event.sequence, event.type) == (
        "BAC-01",
        "feed-BAC-01",
        2,
        "table_opened",
    )


BAD_LINES = [
    (b'{"type":"heartbeat"', RejectReason.NOT_JSON.value),
    (b"\xff\xfe", RejectReason.NOT_UTF8.value),
    (b"[1]", RejectReason.NOT_AN_OBJECT.value),
    (
        b'{"type":"heartbeat","schema_version":1,"a":' + b"[" * 9 + b"]" * 9 + b"}",
        RejectReason.TOO_DEEP.value,
    ),
    (b"x" * 10_000_000, RejectReason.TOO_LARGE.value),
    (b'{"source_id":"BAC 01","type":"heartbeat"}', RejectReason.BAD_FIELD.value),
    (b'{"source_id":"BAC-01","type":"heart"}', RejectReason.UNKNOWN_TYPE.value),
    (b'{"source_id":7}', RejectReason.BAD_FIELD.value),
]


def test_lines_that_are_no_events_become_dead_letters_with_their_reason(
    tmp_path: Path, machine: Machine
) -> None:
    file = tmp_path / "bad.jsonl"
    middle = len(FLOOR) // 2
    file.write_bytes(
        b"\n".join(
            [
                *(raw for _, raw in FLOOR[:middle]),
                *(raw for raw, _ in BAD_LINES),
                *(raw for _, raw in FLOOR[middle:]),
            ]
        )
    )
    pipeline = machine.tables()
    ingest_files(pipeline, [str(file)])
    letters = machine.pages.letters
    assert [one.reason for one in letters] == [reason for _, reason in BAD_LINES]
    large = letters[4]
    assert (large.byte_count, len(large.raw_bytes)) == (10_000_000, 64 * 1024)
    assert [one.raw_bytes for one in machine.pages.events] == [raw for _, raw in FLOOR]
    assert ingest_files(pipeline, [str(file)]).taken == 0


def test_an_overlong_line_is_cut_and_the_next_one_read(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest, "LINE_BYTES_MAX", 5000)
    monkeypatch.setattr(ingest, "_CHUNK", 700)
    file = tmp_path / "long.jsonl"
    file.write_bytes(b"x" * 20_000 + b"\n" + FLOOR[0][1] + b"\n" + b"y" * 5000)
    counts = ingest_files(machine.tables(), [str(file)])
    assert (counts.lines, counts.cut) == (3, 2)
    assert [one.raw_bytes for one in machine.pages.events] == [FLOOR[0][1]]
    assert [one.byte_count for one in machine.pages.letters] == [5000, 5000]


def test_a_packed_file_that_breaks_off_gives_what_stands_before(
    tmp_path: Path, machine: Machine
) -> None:
    packed = gzip.compress(b"".join(raw + b"\n" for _, raw in FLOOR), mtime=0)
    file = tmp_path / "half.jsonl.gz"
    file.write_bytes(packed[: len(packed) - 20])
    counts = ingest_files(machine.tables(), [str(file)])
    assert counts.taken > 5
    assert len(counts.broken) == 1
    assert "half.jsonl.gz: breaks off after line" in counts.broken[0]


def test_a_file_that_cannot_be_opened_stops_everything_before_it_begins(
    tmp_path: Path, machine: Machine
) -> None:
    file = write_lines(tmp_path / "a.jsonl", FLOOR)
    pipeline = machine.tables()
    for bad, problem in ((tmp_path, "is a folder"), (tmp_path / "no", "no such file")):
        with pytest.raises(IngestError, match=problem):
            ingest_files(pipeline, [file, str(bad)])
    assert pipeline.log.records.end == 0


def test_a_full_disk_stops_the_ingest_and_another_go_completes_it(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_lines(tmp_path / "a.jsonl", FLOOR)
    monkeypatch.setattr(ingest, "GROUP_LINES", 10)
    pipeline = machine.tables()
    real, calls = pipeline.log.records.extend, iter(range(1000))

    def extend(payloads: Iterable[bytes]) -> None:
        for payload in payloads:
            if next(calls) == 25:
                raise SpoolFullError("no room on the disk")
            real([payload])

    monkeypatch.setattr(pipeline.log.records, "extend", extend)
    with pytest.raises(SpoolFullError):
        ingest_files(pipeline, [file])
    counts = ingest_files(pipeline, [file])
    assert counts.known == 25
    assert [one.raw_bytes for one in machine.pages.events] == [raw for _, raw in FLOOR]


def test_a_batch_that_cannot_be_written_stops_the_pipeline_and_is_written_by_the_next(
    tmp_path: Path, machine: Machine
) -> None:
    file = write_lines(tmp_path / "a.jsonl", FLOOR)
    pipeline = machine.tables()
    machine.pages.fails = True
    with pytest.raises(OSError, match="the disk is gone"):
        ingest_files(pipeline, [file])
    with pytest.raises(HostError, match="has stopped: the disk is gone"):
        pipeline.close()
    assert list((machine.directory / "snapshots").iterdir()) == []
    machine.pages.fails = False
    machine.tables().close()
    assert [one.raw_bytes for one in machine.pages.events] == [raw for _, raw in FLOOR]


def test_batches_are_written_in_the_order_in_which_they_were_put(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streams.history.writing.outbox.BATCH_MESSAGES", 7)
    pipeline = machine.tables()
    pipeline.extend(FLOOR)
    pipeline.catch_up()
    pipeline.deliver()
    assert len(machine.pages.batches) > 4
    assert [one.log_offset for one in machine.pages.events] == list(range(len(FLOOR)))
    offsets = [one.record.offset for one in machine.pages.records]
    assert offsets == sorted(offsets)


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        (b'{"source_id":"BAC-01"}', b"BAC-01"),
        (b'{"source_id":"BAC-01\\n"}', b""),
        (b'{"source_id":"' + b"x" * 65 + b'"}', b""),
        (b'{"source_id":["BAC-01"]}', b""),
        (b'["source_id"]', b""),
        (b"", b""),
    ],
)
def test_the_key_of_a_line_is_its_source_or_nothing(raw: bytes, key: bytes) -> None:
    assert key_of(raw) == key


def progressive_table() -> list[Message]:
    """Say three coups of a table on a progressive whose id no source could have."""
    filed = {
        "id": "HP:1/a",
        "wager": "harmony_mini",
        "unit": "5.00",
        "base": "100.00",
        "reset": "100.00",
    }
    offered = with_wager("harmony_mini", paytable="A")
    submission = offered.model_copy(update={"progressives": (FiledProgressive(**filed),)})
    script = TableScript().open(submission).shoe()
    for _ in range(3):
        script.coup()
        script.wager("harmony_mini", 500)
        script.close_bets().close()
    return [(b"BAC-01", raw) for raw in script.messages]


def test_what_tables_tell_is_in_the_second_log_before_the_snapshot_and_repeated_after_a_crash(
    machine: Machine,
) -> None:
    pipeline = machine.ledgers()
    pipeline.extend(progressive_table())
    pipeline.catch_up()
    assert pipeline.ledgers is not None
    told = pipeline.ledgers.next_offset
    assert told == pipeline.ledgers.counts.folded >= 7
    pipeline.abandon()  # before any snapshot: the tables are folded, and the ledgers told, again
    again = machine.ledgers()
    assert again.ledgers is not None
    assert (again.ledgers.counts.folded, again.ledgers.counts.dead_letters) == (2 * told, 0)
    (state,) = again.ledgers.states
    again.close()
    last = machine.ledgers()
    assert last.ledgers is not None
    assert last.ledgers.counts.folded == 0
    assert last.ledgers.states == (state,)
    assert {one.source_id for one in machine.pages.events} == {"BAC-01"}


def test_a_ledger_without_room_stops_the_tables_before_their_snapshot(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = machine.ledgers()
    pipeline.extend(progressive_table())

    def full(*_: object) -> int:
        raise SpoolFullError("no room")

    monkeypatch.setattr("streams.embedding.ledgers.FileLog.extend", full)
    with pytest.raises(SpoolFullError):
        pipeline.catch_up()
    with pytest.raises(SpoolFullError):
        pipeline.close()
    assert not list((machine.directory / "snapshots").iterdir())
