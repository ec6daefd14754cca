"""Several files of events are read in the order of time, whatever a shell made of their names."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from dashboards.commands.audit import audit as audit_command
from streams.files.file_order import in_order_of_time
from streams.simulator.floor import Floor, FloorConfig
from tests.support.texts.command_line import run_command


def written(path: Path, lines: Sequence[bytes]) -> str:
    content = b"".join(line + b"\n" for line in lines)
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return str(path)


@pytest.fixture(scope="module")
def day() -> list[bytes]:
    return [event.raw for event in Floor(FloorConfig(tables=1, seed=9001, coups=20)).events()]


@pytest.mark.parametrize("end", ["jsonl", "gz"])
def test_parts_of_a_day_are_read_in_the_order_of_their_first_events(
    end: str, day: list[bytes], tmp_path: Path
) -> None:
    later = written(tmp_path / f"part-10.{end}", day[300:])
    earlier = written(tmp_path / f"part-9.{end}", [b"", b'{"half', *day[:300]])
    assert in_order_of_time([later, earlier]) == [earlier, later]
    assert in_order_of_time([earlier, later]) == [earlier, later]


def test_files_of_one_time_stay_in_the_order_given(day: list[bytes], tmp_path: Path) -> None:
    files = [written(tmp_path / name, day[:5]) for name in ("b.jsonl", "a.jsonl")]
    assert in_order_of_time(files) == files


@pytest.mark.parametrize("what", ["nothing", "missing", "folder", "damaged", "no_time"])
def test_what_does_not_tell_its_time_leaves_the_order_as_it_is(
    what: str, day: list[bytes], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    if what == "folder":
        other.mkdir()
    elif what != "missing":
        content = {"nothing": b"", "damaged": b"\x1f\x8b\x08nonsense", "no_time": b'{"a":1}\n[]\n'}
        other.write_bytes(content[what])
    files = [str(other), written(tmp_path / "later", day[300:]), written(tmp_path / "e", day[:300])]
    assert in_order_of_time(files) == files
    assert in_order_of_time(["-", *files[1:]]) == ["-", *files[1:]]


def test_an_audit_of_parts_in_another_order_says_so_and_finds_the_same(
    day: list[bytes], tmp_path: Path
) -> None:
    later, earlier = written(tmp_path / "10", day[300:]), written(tmp_path / "9", day[:300])
    answer = run_command(audit_command.register, later, earlier, "--format", "jsonl")
    assert answer.code == 0
    assert answer.out == ""
    first = answer.err.splitlines()[0]
    assert first == f"read in the order of their first events: {earlier}, {later}"
    in_order = run_command(audit_command.register, earlier, later, "--format", "jsonl")
    assert answer.err == f"{first}\n{in_order.err}"
