"""A mapping in a TOML file says the same as the flags, and every mistake in it is one line."""

from pathlib import Path

import pytest

from auditors.rounds.mapping import MappingError
from streams.files.mapping_files import read_mapping

WHOLE = """
card_order = ["p1", "p2", "p3", "b1", "b2", "b3"]
zone = "America/New_York"

[columns]
coup = "round_no"
winner = ["result", "result_2"]

[winner_values]
PUNTO = "player"

[wagers]
PP = "house.player_pair"

[winning_wagers]
big = "house.big"
"""


def test_a_whole_mapping_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_bytes(b"\xef\xbb\xbf" + WHOLE.encode())  # as some editors save it
    mapping = read_mapping(path)
    assert mapping.columns == {"coup": ("round_no",), "winner": ("result", "result_2")}
    assert mapping.winner_words == {"PUNTO": "player"}
    assert mapping.wager_names == {"PP": "house.player_pair"}
    assert mapping.winning_names == {"big": "house.big"}
    assert mapping.card_order == ("p1", "p2", "p3", "b1", "b2", "b3")
    assert mapping.zone == "America/New_York"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"colums = {}", "unknown key 'colums'; did you mean columns?"),
        (b"[columns]\ncoup = 5", "columns.coup: a text is expected"),
        (b"[columns]\ncoup = ''", "columns.coup: a text is expected"),
        (b"columns = 5", "columns: a table is expected, such as [columns]"),
        (b"[winner_values]\nP = 5", "winner_values.P: a text is expected"),
        (b"card_order = 5", "card_order: a text is expected"),
        (b"zone = 5", "zone: a text is expected"),
        (b"coup = ", "not TOML"),
        (b"\xff\xfe", "not UTF-8"),
        (b"a = " + b"[" * 5000, "nesting without end"),
        (b"a = " + b"9" * 5000, "no mapping"),
        (b"x" * 1_100_000, "larger than any mapping"),
    ],
)
def test_a_mistake_is_one_line_with_file_and_key(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "m.toml"
    path.write_bytes(content)
    with pytest.raises(MappingError) as refused:
        read_mapping(path)
    assert said in str(refused.value)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_mapping_is_named(tmp_path: Path) -> None:
    with pytest.raises(MappingError, match=r"none\.toml: no such file"):
        read_mapping(tmp_path / "none.toml")
