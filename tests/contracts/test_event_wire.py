"""One frozen sample of every version of every event: what was sent once is read for ever."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from schemas.events import EVENT_TYPES, version_of
from schemas.wire import encode_event, parse_event
from schemas.wire.old_versions import OLD_VERSIONS

SAMPLES = Path(__file__).parent / "event_wire"
FILES = sorted(SAMPLES.glob("*.json"))
CURRENT = [
    path
    for path in FILES
    if (path.name.split(".")[0], int(path.suffixes[0][2:])) not in OLD_VERSIONS
]


def test_every_version_of_every_event_has_its_sample() -> None:
    current = {f"{tag}.v{version_of(one)}.json" for tag, one in EVENT_TYPES.items()}
    old = {f"{tag}.v{version}.json" for tag, version in OLD_VERSIONS}
    assert {path.name for path in FILES} == current | old


def test_samples_never_change() -> None:
    """A changed class needs a new version and a new sample beside the old one."""
    listed = (SAMPLES / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    found = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in FILES]
    assert found == listed


def test_the_list_of_hashes_is_what_sha256sum_reads() -> None:
    subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=SAMPLES, check=True
    )


@pytest.mark.parametrize("path", CURRENT, ids=lambda path: path.stem)
def test_a_sample_has_every_field_and_is_written_again_alike(path: Path) -> None:
    raw = path.read_bytes()
    event = parse_event(raw)
    again = encode_event(event)
    # A filing has its own version: a later default of it is written besides.
    assert again == raw or "submission" in type(event).model_fields
    assert parse_event(again) == event
    assert list(json.loads(raw)) == list(type(event).model_fields)


def test_version_1_of_wager_placed_means_the_same_as_its_version_2() -> None:
    old = parse_event((SAMPLES / "wager_placed.v1.json").read_bytes())
    new = parse_event((SAMPLES / "wager_placed.v2.json").read_bytes())
    assert old == new
