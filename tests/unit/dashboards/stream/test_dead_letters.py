"""Dead letters are shown safely, and their ids are read with care."""

from __future__ import annotations

import pytest

from dashboards.documents.texts import escaped
from dashboards.terminal.tables.stream.dead_letters import dump_lines
from streams.host.dead_letters import HEAD_BYTES_MAX, DeadLetter, Origin, dead_letter_of
from streams.operating.dead_letter_replay import (
    FoundLetter,
    LetterId,
    NoSuchLetterError,
    ReplayRefusedError,
    counts_of,
    only_one,
    parse_letter_id,
    replay,
)
from streams.process.settings import KafkaSettings
from tests.support.tables.table_script import TableScript

NOWHERE = KafkaSettings(bootstrap="127.0.0.1:1", dev=True)


def a_letter(raw: bytes, offset: int = 7, log_id: str = "log-a") -> DeadLetter:
    return dead_letter_of(Origin(log_id, 2), offset, (b"BAC-01", raw), ("not_json", "it is not"))


def test_a_terminal_obeys_nothing_that_a_dead_letter_says() -> None:
    assert escaped("a\x1b[2Jb\u202e\n") == "a\\x1b[2Jb\\x202e\\x0a"
    (line,) = dump_lines(b'\x1b[2J{"a"\xff\x00')
    assert line.startswith("000000  1b 5b 32 4a 7b 22 61 22 ff 00 ")
    assert line.endswith('.[2J{"a"..')
    assert [row[:6] for row in dump_lines(bytes(33))] == ["000000", "000010", "000020"]


@pytest.mark.parametrize(
    "text", ["", "7", "a/b", "1/x", "log/1/2/3", "1/-2", "١/٢", "1/" + "9" * 30]
)
def test_what_is_no_id_is_refused_with_how_to_write_one(text: str) -> None:
    with pytest.raises(NoSuchLetterError, match="LOG/PARTITION/OFFSET"):
        parse_letter_id(text)


def test_the_log_may_be_left_out_where_there_is_one() -> None:
    assert parse_letter_id("2/7") == LetterId("", 2, 7)
    assert parse_letter_id("log-a/2/7") == LetterId("log-a", 2, 7)
    one, other = FoundLetter(a_letter(b"x"), 1), FoundLetter(a_letter(b"x", log_id="log-b"), 1)
    assert only_one([one], LetterId("", 2, 7)) is one
    with pytest.raises(NoSuchLetterError, match="log-a/2/7 or log-b/2/7"):
        only_one([one, other], LetterId("", 2, 7))
    with pytest.raises(NoSuchLetterError, match="no dead letter 2/9; see"):
        only_one([], LetterId("", 2, 9))


def test_dead_letters_are_counted_by_source_and_reason_the_most_first() -> None:
    letters = [FoundLetter(a_letter(b"x", offset), 1) for offset in range(3)]
    assert counts_of(letters) == [("BAC-01", "not_json", 3)]


def test_what_is_not_whole_or_cannot_be_read_now_either_is_not_replayed() -> None:
    whole = TableScript().open().messages[0]
    with pytest.raises(ReplayRefusedError, match=r"only the first 65,536 of 65,537 bytes"):
        replay(NOWHERE, a_letter(bytes(HEAD_BYTES_MAX + 1)))
    with pytest.raises(ReplayRefusedError, match="cannot be read by this version either"):
        replay(NOWHERE, a_letter(whole[:-3]))
