"""A log says what the product says, whole and with source and coup, and of libraries how often."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from schemas.records import Record, RecordKind
from streams.host.dead_letters import Origin, dead_letter_of
from streams.host.ports import LogEntry
from streams.host.rejects import STREAK_MAX, RejectWatch, Source
from streams.kafka import finding_changes
from streams.process.logs import SAID_AGAIN_S, JsonLines, Said, Sparing, said_after
from streams.worker.output_log import LINES_MAX, WINDOW_S, LoggedOutbox, OutputLog
from tests.support.clocks import SetClock
from tests.support.history.history_records import a_coup, a_finding
from tests.support.stream.memory_ports import MemoryOutbox


class Written:
    """What a process would have on standard error."""

    def __init__(self) -> None:
        self._stream = io.StringIO()
        target = logging.StreamHandler(self._stream)
        target.setFormatter(JsonLines())
        self.handler = Sparing(target)

    def say(self, name: str, line: str, at_s: float = 0.0, level: int = logging.WARNING) -> None:
        record = logging.LogRecord(name, level, "", 0, line, None, None)
        record.created = at_s
        self.handler.handle(record)

    @property
    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self._stream.getvalue().splitlines()]

    @property
    def messages(self) -> list[str]:
        return [one["message"] for one in self.lines]


@pytest.fixture
def written() -> Iterator[Written]:
    made = Written()
    yield made
    made.handler.close()


def logger_of(written: Written) -> logging.Logger:
    logger = logging.Logger("ladderman")
    logger.addHandler(written.handler)
    return logger


def test_what_a_library_repeats_is_written_once_and_then_counted(written: Written) -> None:
    for number in range(300):
        written.say(
            "aiokafka", f"Unable connect to node with id {number % 3}: refused", number / 99
        )
    assert written.messages == ["Unable connect to node with id 0: refused"]
    written.handler.sweep(SAID_AGAIN_S - 1)
    assert len(written.lines) == 1
    written.handler.sweep(SAID_AGAIN_S)
    assert written.messages[1:] == [
        "Unable connect to node with id 2: refused (said 299 times more within 10 s)"
    ]


def test_a_count_is_written_at_the_end_of_the_process_too(written: Written) -> None:
    for at_s in (0, 1):
        written.say("kafka", "gave up", at_s)
    written.handler.close()
    assert len(written.lines) == 2
    assert "(said once more within" in written.messages[1]


def test_a_library_that_was_quiet_is_heard_again_at_once(written: Written) -> None:
    written.say("kafka", "gave up", 0)
    written.handler.sweep(SAID_AGAIN_S)
    written.say("kafka", "gave up", SAID_AGAIN_S + 1)
    assert written.messages == ["gave up", "gave up"]


def test_what_goes_on_is_counted_for_longer_and_longer(written: Written) -> None:
    for second in range(600):
        written.say("kafka", "gave up", second)
        written.handler.sweep(second)
    assert len(written.lines) < 15
    counted = sum(int(one.split("said ")[1].split(" ")[0]) for one in written.messages[1:])
    assert counted > 500


def test_nothing_of_the_product_is_left_out(written: Written) -> None:
    for number in range(30):
        written.say("ladderman", "the same line", number / 100)
        written.say("ladderman.worker", "the same line", number / 100)
    assert len(written.lines) == 60


def test_other_libraries_and_other_lines_are_each_written(written: Written) -> None:
    for name in ("kafka", "faust"):
        for line in ("one", "two"):
            written.say(name, line)
    written.say("kafka", "one", level=logging.ERROR)
    assert len(written.lines) == 5


def test_a_line_says_what_it_is_about(written: Written) -> None:
    about = Said("a wager was late", source="BAC-03", coup="c-7", shoe=None)
    logger_of(written).warning(said_after("progressives, ", about))
    (line,) = written.lines
    assert line["message"] == "progressives, a wager was late"
    assert (line["source"], line["coup"]) == ("BAC-03", "c-7")
    assert "shoe" not in line


def test_a_quarantine_names_its_source(written: Written) -> None:
    watch = RejectWatch(logger_of(written).warning)
    source = Source("BAC-03", None, valid=1)
    for offset in range(STREAK_MAX):
        watch.rejected(source, offset)
    watch.accepted_again(source)
    assert [one["source"] for one in written.lines] == ["BAC-03", "BAC-03"]


class Put:
    """An outbox of a worker whose log is looked at."""

    def __init__(self, written: Written) -> None:
        self.clock = SetClock()
        self.told = OutputLog(logger_of(written), self.clock)
        self.outbox = LoggedOutbox(MemoryOutbox(), self.told, 4)

    def put(self, *records: Record) -> None:
        self.outbox.put(LogEntry(7, b"BAC-01", b"{}"), records, None)


def test_findings_are_told_with_their_source_and_coup_when_they_are_new_changed_or_gone(
    written: Written,
) -> None:
    put = Put(written)
    finding = a_finding("w1")
    record = a_coup().model_copy(update={"findings": (finding,)})
    put.put(record)
    put.put(record)
    assert len(written.lines) == 1
    (line,) = written.lines
    assert line["level"] == "info"
    assert finding.sentence in line["message"]
    assert (line["source"], line["coup"]) == (finding.source, finding.coup)
    assert (line["finding"], line["code"]) == (finding.id, finding.code.value)
    assert (line["partition"], line["offset"]) == (4, record.offset)
    changed = finding.model_copy(update={"sentence": "it is otherwise"})
    put.put(record.model_copy(update={"findings": (changed,)}))
    put.put(record.model_copy(update={"findings": ()}))
    assert "changed" in written.messages[1]
    assert written.messages[2].endswith(f"finding {finding.id} withdrawn")
    assert written.lines[2]["coup"] == record.subject
    put.put(record.model_copy(update={"findings": (), "withdrawn": ("gone",)}))
    assert written.lines[3]["finding"] == "gone"
    assert (put.told.withdrawn(4), put.told.withdrawn(4, of_ledgers=True)) == (2, 0)


def test_an_amended_coup_is_told(written: Written) -> None:
    record = a_coup().model_copy(update={"cause": "amended", "findings": ()})
    Put(written).put(record)
    (line,) = written.lines
    assert "amended" in line["message"]
    assert (line["source"], line["coup"], line["shoe"]) == (
        record.table_id,
        record.subject,
        record.shoe_id,
    )


def test_a_coup_without_findings_is_not_worth_a_line(written: Written) -> None:
    Put(written).put(a_coup().model_copy(update={"findings": ()}))
    assert written.lines == []


def test_a_dead_letter_is_told_with_its_source_and_reason(written: Written) -> None:
    put = Put(written)
    letter = dead_letter_of(
        Origin("log", 4), 12, (b"BAC-01", b"?"), ("not_json", "no JSON\nat all")
    )
    put.outbox.put(LogEntry(12, b"BAC-01", b"?"), (), letter)
    (line,) = written.lines
    assert line["level"] == "warning"
    assert (line["source"], line["reason"], line["offset"]) == ("BAC-01", "not_json", 12)
    assert line["message"] == "dead letter log/4/12: not_json: no JSON at all"


def test_a_flood_is_counted_and_the_count_is_said(written: Written) -> None:
    put = Put(written)
    for number in range(LINES_MAX + 50):
        coup = a_coup().model_copy(
            update={"subject": f"c-{number}", "findings": (a_finding("w1"),)}
        )
        put.put(coup)
    assert len(written.lines) == LINES_MAX
    put.clock.advance(WINDOW_S)
    put.put(a_coup().model_copy(update={"findings": (a_finding("w1"),)}))
    assert written.messages[LINES_MAX].startswith("50 findings more than the log shows in 10 s")
    assert len(written.lines) == LINES_MAX + 2


def test_what_is_remembered_has_a_bound(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding_changes, "SUBJECTS_REMEMBERED", 5)
    put = Put(written)
    for number in range(20):
        record = a_coup().model_copy(
            update={"subject": f"c-{number}", "findings": (a_finding("w1"),)}
        )
        put.put(record)
    assert len(put.told._changes._last) == 5
    assert RecordKind.COUP is a_coup().kind
