"""The software of the development broker: pinned Maven artifacts, fetched once.

``infra/kafka/pom.xml`` names them, ``infra/kafka/SHA256SUMS`` says what their bytes are. They lie
in a cache outside the tree; whatever is not exactly what is pinned is fetched anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

PINS: Final = Path(__file__).resolve().parents[2] / "infra" / "kafka"
"""Where pom.xml, SHA256SUMS and the logging of the broker lie."""

_FETCH_LIMIT_S: Final = 300


class KafkaMissingError(Exception):
    """No broker can run here; one line says what is missing and how to get it."""


def cache_directory() -> Path:
    """Give the directory below which the artifacts are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "ladderman"


def needed_command(name: str, purpose: str) -> str:
    """Find a command of the system.

    Raises:
        KafkaMissingError: It is not there.
    """
    found = shutil.which(name)
    if found is None:
        raise KafkaMissingError(f"{name} is not installed; {purpose}")
    return found


def jars_directory(pins: Path = PINS, cache: Path | None = None) -> Path:
    """Give the directory that the broker's jars are in, or will be once they are fetched."""
    sums = pins / "SHA256SUMS"
    pinned = hashlib.sha256(sums.read_bytes() if sums.exists() else b"").hexdigest()
    return (cache or cache_directory()) / f"kafka-{pinned[:12]}"


def kafka_jars(pins: Path = PINS, cache: Path | None = None) -> Path:
    """Give the directory of the broker's jars; fetch them where they are missing or damaged.

    Args:
        pins: Directory of pom.xml and SHA256SUMS.
        cache: Where the jars are kept; None for the user's cache.

    Raises:
        KafkaMissingError: Maven is missing or could not fetch what is pinned.
    """
    sums = _pinned_sums(pins)
    cache = cache or cache_directory()
    jars = jars_directory(pins, cache)
    with _one_at_a_time(cache):
        if not _differing(jars, sums):
            return jars
        shutil.rmtree(jars, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="fetching-", dir=cache) as scratch:
            fetched = Path(scratch) / "jars"
            _fetch(pins / "pom.xml", fetched)
            if wrong := _differing(fetched, sums):
                raise KafkaMissingError(
                    f"{wrong[0]} is not what {pins / 'SHA256SUMS'} pins ({len(wrong)} of "
                    f"{len(sums)} differ); remove it from Maven's local repository and try again"
                )
            fetched.rename(jars)
    return jars


def _pinned_sums(pins: Path) -> dict[str, str]:
    try:
        lines = (pins / "SHA256SUMS").read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        raise KafkaMissingError(
            f"{pins / 'SHA256SUMS'} is missing; the broker for development needs a checkout"
        ) from None
    return {name: digest for digest, name in (line.split() for line in lines)}


def _differing(jars: Path, sums: Mapping[str, str]) -> list[str]:
    """List what is missing, damaged or too many in a directory; hashing all takes 0.2 s."""
    there = {path.name for path in jars.iterdir()} if jars.is_dir() else set()
    damaged = {name for name in there & set(sums) if _sum_of(jars / name) != sums[name]}
    return sorted((there ^ set(sums)) | damaged)


def _sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(pom: Path, target: Path) -> None:
    maven = needed_command("mvn", "install Maven (3.8 or newer) to fetch the Kafka broker")
    command = [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
    options = [f"-DoutputDirectory={target}", "-DincludeScope=runtime"]
    try:
        done = subprocess.run(
            [*command, *options],
            capture_output=True,
            text=True,
            check=False,
            timeout=_FETCH_LIMIT_S,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise KafkaMissingError(
            f"Maven fetched no broker within {_FETCH_LIMIT_S} s; see whether the network is there"
        ) from None
    if done.returncode:
        words = (done.stdout + done.stderr).strip().splitlines() or ["it says nothing"]
        raise KafkaMissingError(f"Maven could not fetch the broker: {words[0]}")


@contextlib.contextmanager
def _one_at_a_time(cache: Path) -> Iterator[None]:
    """Let one caller of this machine fetch while the others wait for it."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "kafka.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
