"""The artifacts of the broker are fetched once, are what is pinned, or are fetched anew."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest

from streams.development.kafka_guard import is_broker_of
from streams.development.kafka_jars import KafkaMissingError, cache_directory, kafka_jars

CONTENT = {"a.jar": b"first", "b.jar": b"second"}

# Writes what CONTENT says where the real one would, and a line for each time that it was called.
MAVEN = """#!/bin/sh
for option in "$@"; do
  case "$option" in -DoutputDirectory=*) target="${{option#-DoutputDirectory=}}" ;; esac
done
echo called >> {calls}
sleep 0.1
mkdir -p "$target"
printf first > "$target/a.jar"
printf {second} > "$target/b.jar"
exit {code}
"""


class Place:
    """Pins, a cache and a Maven that counts its calls."""

    def __init__(self, root: Path) -> None:
        self.pins, self.cache = root / "pins", root / "cache"
        self.bin, self.calls = root / "bin", root / "calls"
        self.pins.mkdir()
        self.bin.mkdir()
        lines = [f"{hashlib.sha256(raw).hexdigest()}  {name}\n" for name, raw in CONTENT.items()]
        (self.pins / "SHA256SUMS").write_text("".join(lines))
        self.install_maven()

    def install_maven(self, second: str = "second", code: int = 0) -> None:
        maven = self.bin / "mvn"
        maven.write_text(MAVEN.format(calls=self.calls, second=second, code=code))
        maven.chmod(0o755)

    def jars(self) -> Path:
        return kafka_jars(self.pins, self.cache)

    @property
    def call_count(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    found = Place(tmp_path)
    monkeypatch.setenv("PATH", f"{found.bin}:/usr/bin:/bin")
    return found


def test_artifacts_are_fetched_once(place: Place) -> None:
    jars = place.jars()
    assert {path.name: path.read_bytes() for path in jars.iterdir()} == CONTENT
    assert place.jars() == jars
    assert place.call_count == 1


@pytest.mark.parametrize("harm", ["cut", "changed", "removed", "added"])
def test_a_damaged_artifact_is_fetched_anew(place: Place, harm: str) -> None:
    jars = place.jars()
    if harm == "removed":
        (jars / "b.jar").unlink()
    else:
        name = "c.jar" if harm == "added" else "b.jar"
        (jars / name).write_bytes({"cut": b"sec", "changed": b"Second", "added": b""}[harm])
    assert {path.name: path.read_bytes() for path in place.jars().iterdir()} == CONTENT
    assert place.call_count == 2


def test_two_who_fetch_at_once_fetch_once(place: Place) -> None:
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(place.jars())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert place.call_count == 1


def test_other_bytes_than_the_pinned_ones_are_refused_and_not_kept(place: Place) -> None:
    place.install_maven(second="other")
    with pytest.raises(KafkaMissingError, match=r"b\.jar is not what .*SHA256SUMS pins \(1 of 2"):
        place.jars()
    assert [path.name for path in place.cache.iterdir()] == ["kafka.lock"]
    place.install_maven()
    assert (place.jars() / "b.jar").read_bytes() == b"second"


def test_a_maven_that_fails_is_one_line(place: Place) -> None:
    place.install_maven(code=1)
    with pytest.raises(KafkaMissingError, match="Maven could not fetch the broker") as raised:
        place.jars()
    assert "\n" not in str(raised.value)


def test_without_maven_the_line_says_what_to_install(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(place.cache))
    with pytest.raises(KafkaMissingError, match="mvn is not installed; install Maven"):
        place.jars()


def test_without_maven_what_was_fetched_before_is_used(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    jars = place.jars()
    monkeypatch.setenv("PATH", str(place.cache))
    assert place.jars() == jars


def test_without_a_checkout_the_line_says_so(tmp_path: Path) -> None:
    with pytest.raises(KafkaMissingError, match="needs a checkout"):
        kafka_jars(tmp_path, tmp_path / "cache")


def test_the_cache_lies_where_the_user_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "ladderman"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_directory() == tmp_path / "home" / ".cache" / "ladderman"


def test_the_guard_spares_what_is_not_its_broker(tmp_path: Path) -> None:
    """A process id may belong to somebody else by the time that the guard acts."""
    assert not is_broker_of(1, tmp_path)
