"""The parts of the history that need no engine: its files, parameters, bytes and error lines."""

import datetime
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from streams.history.faults import engine_fault
from streams.history.migrations import (
    MIGRATIONS,
    Migration,
    load_migrations,
    pending_migrations,
    schema_version,
)
from streams.history.native import decode_blocks, encode_block, encode_part
from streams.history.parameters import bound_texts
from streams.history.queries import load_queries
from streams.history.store import (
    Answer,
    EngineBusyError,
    HistoryError,
    SchemaError,
    StoreFaultError,
    StoreOwnedError,
)
from tests.support.source_tree import ROOT

TYPES = {
    "Int64": [-(2**63), 0, 2**63 - 1],
    "UInt64": [0, 2**64 - 1, 7],
    "UInt32": [0, 2**32 - 1, 7],
    "UInt16": [0, 2**16 - 1, 7],
    "UInt8": [0, 255, 7],
    "Bool": [True, False, True],
    "String": ["", "é 牌 😀 \0 '\\\n", "x" * 70_000],
    "FixedString(3)": ["abc", "def", "ghi"],
    "Nullable(FixedString(3))": [None, "def", None],
    "LowCardinality(String)": ["a", "b", "a"],
    "LowCardinality(Nullable(String))": ["a", None, ""],
    "Nullable(String)": [None, "", "x"],
    "Nullable(Int64)": [None, -1, 0],
    "Nullable(UInt8)": [None, 0, 9],
    "Nullable(Date32)": [None, datetime.date(2000, 1, 1), datetime.date(2199, 12, 31)],
    "Array(UInt64)": [[], [1, 2**64 - 1], [3]],
    "Map(LowCardinality(String), LowCardinality(String))": [{}, {"D11": "a", "D2": ""}, {"é": "b"}],
}


@pytest.mark.parametrize("type_name", TYPES)
def test_every_type_of_column_comes_back_as_it_was(type_name: str) -> None:
    values = TYPES[type_name]
    raw = encode_block({"x": type_name}, {"x": values})
    blocks = list(decode_blocks(raw + raw))
    assert [list(block.columns[0]) for block in blocks] == [values, values]
    assert blocks[0].types == (type_name,)


def test_the_types_tried_are_those_of_the_tables() -> None:
    (tables,) = [one for one in load_migrations() if one.number == 1]
    lines = re.findall(r"^    ([a-z_]+) ([A-Z].*?)(?: CODEC.*| COMMENT.*)?,?$", tables.text, re.M)
    used = {re.sub(r"FixedString\(\d+\)", "FixedString(3)", type_name) for _, type_name in lines}
    widths = {f"Nullable(UInt{bits})" for bits in (16, 32, 64)}  # as Nullable(UInt8)
    assert len(lines) > 100
    assert used - widths <= set(TYPES)


def test_bytes_are_bytes_whether_or_not_they_are_text() -> None:
    values = [b"", b"\xff\xfe", "é".encode(), b"{}", bytes(range(256))]
    raw = encode_block({"raw_bytes": "String"}, {"raw_bytes": values})
    assert list(next(decode_blocks(raw)).columns[0]) == values


def test_columns_given_to_the_encoder_are_not_changed_by_it() -> None:
    values = [None, 5]
    encode_block({"x": "Nullable(Int64)"}, {"x": values})
    assert values == [None, 5]


def test_bytes_that_end_inside_a_block_are_an_error() -> None:
    raw = encode_block({"x": "String"}, {"x": ["some text"]})
    for length in range(1, len(raw)):
        with pytest.raises(StoreFaultError):
            list(decode_blocks(raw[:length]))


def test_columns_of_different_lengths_are_an_error() -> None:
    with pytest.raises(HistoryError, match="different lengths"):
        encode_part("coups", {"a": "UInt8", "b": "UInt8"}, {"a": [1], "b": [1, 2]})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "\\N"),
        ("\\N", "\\\\N"),
        ("a\tb\nc\\", "a\\tb\\nc\\\\"),
        (True, "true"),
        (7, "7"),
        (datetime.date(2025, 6, 7), "2025-06-07"),
        ([1, -2], "[1,-2]"),
        (("it's", "\\"), "['it\\'s','\\\\']"),
        ([], "[]"),
    ],
)
def test_parameters_are_written_so_that_they_stay_values(value: object, text: str) -> None:
    assert bound_texts({"x": value}) == {"x": text}  # type: ignore[dict-item]


@pytest.mark.parametrize("value", [1.5, b"raw", {"a": 1}, datetime.datetime(2025, 6, 7)])  # noqa: DTZ001 - refused in any zone
def test_other_values_are_no_parameters(value: object) -> None:
    with pytest.raises(TypeError, match="cannot be a parameter"):
        bound_texts({"x": value})  # type: ignore[dict-item]


def test_every_named_query_only_reads() -> None:
    queries = load_queries()
    assert "digest_coups" in queries
    for name, text in queries.items():
        code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
        assert re.match(r"\s*(SELECT|WITH)\b", code), name
        assert not re.search(r"\b(INSERT|ALTER|DROP|CREATE|TRUNCATE|SYSTEM|OPTIMIZE)\b", code), name
        assert text.startswith("-- "), f"{name} does not say what it is for"


def test_two_queries_of_one_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "more_history_queries"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "digest_coups.sql").write_text("SELECT 1")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ValueError, match="two queries are called digest_coups"):
        load_queries("more_history_queries")


def test_every_migration_says_why_and_can_be_repeated() -> None:
    migrations = load_migrations()
    assert [one.number for one in migrations] == [0, 1, 2, 3, 4, None]
    for one in migrations:
        assert one.text.startswith("-- ")
        assert one.statements
        for statement in one.statements:
            if statement.startswith("ALTER TABLE "):
                added = re.findall(r"^ {4}([A-Z ]+) [a-z]", statement, re.M)
                assert added
                assert set(added) == {"ADD COLUMN IF NOT EXISTS"}
            else:
                assert re.match(r"CREATE (TABLE IF NOT EXISTS|OR REPLACE VIEW) \w+", statement)
            assert not re.search(r";\s*$", statement, re.M)


def test_every_table_names_its_version_engine_and_partition() -> None:
    (tables,) = [one for one in load_migrations() if one.number == 1]
    assert len(tables.statements) == 7
    for statement in tables.statements:
        assert "ENGINE = ReplacingMergeTree(first_known)" in statement
        assert "now()" not in statement
        assert "TTL" not in statement
        assert "fsync_after_insert = 1" in statement


def write(folder: Path, *names: str) -> Path:
    """Make a folder of migrations."""
    (folder / "views").mkdir()
    for name in names:
        (folder / name).write_text(f"-- {name}\nSELECT 1;\n")
    return folder


def test_migrations_are_numbered_without_a_gap(tmp_path: Path) -> None:
    write(tmp_path, "0000_a.sql", "0001_b.sql", "views/v.sql")
    assert [one.name for one in load_migrations(tmp_path)] == [
        "0000_a.sql",
        "0001_b.sql",
        "views/v.sql",
    ]
    (tmp_path / "0003_d.sql").write_text("")
    with pytest.raises(SchemaError, match="numbered 0000, 0001"):
        load_migrations(tmp_path)


@pytest.mark.parametrize("name", ["1_a.sql", "0001-a.sql", "notes.sql"])
def test_a_misnamed_migration_is_refused(tmp_path: Path, name: str) -> None:
    write(tmp_path, "0000_a.sql", name)
    with pytest.raises(SchemaError, match=re.escape(name)):
        load_migrations(tmp_path)


def test_an_installation_without_migrations_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="install Ladderman again"):
        load_migrations(tmp_path / "schema")
    assert MIGRATIONS.is_dir()


def test_what_is_pending_follows_from_what_was_applied() -> None:
    known = (
        Migration("0000_a.sql", "a"),
        Migration("0001_b.sql", "b"),
        Migration("views/v.sql", "v"),
    )
    hashes = {one.name: one.content_hash for one in known}
    assert pending_migrations({}, known) == known
    assert pending_migrations(hashes, known) == ()
    assert pending_migrations(hashes | {"views/v.sql": "old"}, known) == known[2:]
    assert pending_migrations(hashes | {"views/gone.sql": "x"}, known) == ()
    with pytest.raises(SchemaError, match=r"0001_b\.sql is not what was applied"):
        pending_migrations(hashes | {"0001_b.sql": "edited"}, known)
    with pytest.raises(SchemaError, match=r"0002_c\.sql, which this version does not know"):
        pending_migrations(hashes | {"0002_c.sql": "x"}, known)
    assert schema_version(hashes) == 1
    assert schema_version([]) == 0


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)", StoreFaultError, "full"),
        (
            "Cannot open file /x/status, errno: 11 (CANNOT_OPEN_FILE)",
            StoreOwnedError,
            "open in another program",
        ),
        ("EmbeddedServer already initialized with path", EngineBusyError, "already has another"),
        ("Checksum doesn't match (CHECKSUM_DOESNT_MATCH)", StoreFaultError, "is damaged"),
        (
            "something\n\nelse (version 26.9.2.1). Stack trace: 0x1",
            StoreFaultError,
            "something else",
        ),
    ],
    ids=["full", "foreign", "second", "damaged", "other"],
)
def test_errors_of_the_engine_become_one_line(text: str, kind: type, said: str) -> None:
    error = engine_fault(Path("h"), RuntimeError(f"Code: 243. DB::Exception: {text}"))
    assert type(error) is kind
    assert said in str(error)
    assert str(error).startswith("history h")
    assert "\n" not in str(error)
    assert "DB::Exception" not in str(error)
    assert "Stack trace" not in str(error)


@pytest.mark.parametrize("sign", ["Permission denied", "No space left on device"])
def test_a_history_that_may_not_be_read_is_not_called_damaged(sign: str) -> None:
    text = f"Error initializing EmbeddedServer: filesystem error: in create_directories: {sign}"
    said = str(engine_fault(Path("h"), RuntimeError(f"Code: 36. DB::Exception: {text}")))
    assert "damaged" not in said
    assert said.startswith("history h: ")


def test_a_temporary_folder_that_the_engine_cannot_use_is_one_line(tmp_path: Path) -> None:
    words = ("history", "migrate", "--store", str(tmp_path / "store"))
    result = subprocess.run(
        [sys.executable, "-c", "from dashboards.cli import main; main()", *words],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": "/proc"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 3
    assert result.stderr.count("\n") == 1
    assert "the temporary folder /proc: no such file or directory; " in result.stderr


def test_a_very_long_error_is_cut() -> None:
    assert len(str(engine_fault(Path("h"), RuntimeError("x" * 5_000)))) < 300


def test_an_answer_without_rows_knows_no_names() -> None:
    empty = Answer(())
    assert (len(empty), empty.names, empty.rows(), empty.dicts(), empty.column("x")) == (
        0,
        (),
        [],
        [],
        [],
    )
