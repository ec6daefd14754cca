"""The demo through a real broker: every process is started and stopped by it, and it finds all."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from dashboards.commands.history import incidents as incidents_command
from tests.support.children.demo_child import PLANTS
from tests.support.history.clickhouse_server import running_server
from tests.support.source_tree import ROOT
from tests.support.stream.kafka import kafka_or_skip
from tests.support.stream.stream_floor import ingested_digests
from tests.support.stream.stream_processes import CONSOLE_SCRIPT, WAIT_S, wait_until
from tests.support.texts.command_line import run_command

DAY_S = 86_400


@dataclass
class Demo:
    """A running demo."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.listening = threading.Thread(target=self._listen, daemon=True)
        self.listening.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.lines.append(line.rstrip("\n"))

    def ended(self) -> int:
        """Wait for its end and give its exit code."""
        code = self.process.wait(WAIT_S)
        self.listening.join(WAIT_S)
        return code

    @property
    def said(self) -> str:
        return "\n".join(self.lines)

    def wait_for(self, text: str) -> str:
        """Wait for a line that contains a text."""

        def there() -> bool:
            assert self.process.poll() is None or text in self.said, f"it ended:\n{self.said}"
            return text in self.said

        wait_until(there, text, lambda: self.said)
        return next(line for line in self.lines if text in line)


@contextmanager
def running_demo(folder: Path, **settings: str) -> Iterator[Demo]:
    """Play the small floor, with everything temporary below a folder.

    Args:
        folder: Where the store stays too, unless settings are given.
        **settings: Variables that name a server for the history.
    """
    (folder / "tmp").mkdir()
    kept = {key: value for key, value in os.environ.items() if "LADDERMAN" not in key}
    store = [] if settings else [str(folder / "store")]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.children.demo_child", str(folder / "logs"), *store],
        cwd=ROOT,
        env={**kept, "TMPDIR": str(folder / "tmp"), **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    demo = Demo(process)
    try:
        yield demo
    finally:
        process.kill()
        demo.ended()


def still_running(folder: Path) -> list[str]:
    """List the processes whose command line names a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder / "tmp") in words:
            found.append(words)
    return found


def ran(
    line: str, settings: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    """Run a command as it was printed, where the same variables are set as for the demo."""
    return subprocess.run(
        shlex.split(line),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
        cwd=ROOT,
        env={**os.environ, **settings},
    )


def worker_ages(settings: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Read from both workers the room before retention and the clocks of devices."""
    names = ("ladderman_retention_headroom_seconds", "ladderman_device_clock_skew_seconds")
    found: tuple[dict[str, float], dict[str, float]] = ({}, {})
    for log in settings.parent.glob("worker-*.pid"):
        words = Path(f"/proc/{log.read_text().strip()}/cmdline").read_bytes().split(b"\0")
        port = int(words[words.index(b"--port") + 1])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                if sample.name in names:
                    found[names.index(sample.name)][next(iter(sample.labels.values()))] = (
                        sample.value
                    )
    return found


@pytest.fixture(scope="module")
def needs_kafka() -> None:
    kafka_or_skip()


@pytest.mark.usefixtures("needs_kafka")
def test_a_small_floor_is_audited_through_kafka_and_nothing_is_left_behind(tmp_path: Path) -> None:
    with running_demo(tmp_path) as demo:
        demo.wait_for("history status --settings")
        printed = [line for line in demo.lines if line.startswith("  ")]
        with ThreadPoolExecutor() as threads:
            doctor, incidents, status = threads.map(ran, printed)
        demo.wait_for("The floor goes on until Ctrl-C.")
        headroom, skews = worker_ages(Path(shlex.split(printed[0])[-1]))
        demo.process.send_signal(signal.SIGINT)
        assert demo.ended() == 0, demo.said

    assert set(headroom) == {"0", "1"}
    assert all(29 * DAY_S < seconds <= 30 * DAY_S for seconds in headroom.values())
    assert {"BAC-01", "BAC-02", "BAC-03", "BAC-04"} <= set(skews)
    assert max(skews.values()) < -100 * DAY_S  # the floor plays in the past

    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert "every partition is folded" in doctor.stdout or "until an event" in doctor.stdout
    assert incidents.returncode == 0, incidents.stderr
    assert status.returncode == 0, status.stderr
    assert f"planted {len(PLANTS)}, found {len(PLANTS)}, false 0" in demo.said
    overpaid = r"^18:\d\d:\d\d [0-9a-f]{8} BAC-0\d, shoe \S+, coup 3, seat \d: Banker overpaid"
    assert re.search(overpaid, demo.said, re.M)
    assert re.search(r"coups, [\d,.]+ staked and settled, .*, lag [\d,]+ events", demo.said)
    assert "SIMULATED" in demo.lines[1]
    assert {path.name for path in (tmp_path / "logs").iterdir()} == {
        "broker-1.log",
        "worker-1.log",
        "worker-2.log",
        "sink.log",
    }
    wait_until(lambda: not still_running(tmp_path), "every process to end")
    assert list((tmp_path / "tmp").iterdir()) == []

    kept = run_command(
        incidents_command.register, "incidents", "list", "--store", tmp_path / "store"
    )
    assert "overpaid" in kept.out.lower(), kept.err
    assert "SIMULATED" in kept.out


@pytest.mark.slow
@pytest.mark.usefixtures("needs_kafka")
def test_a_floor_whose_history_is_on_a_server_stays_there_whole(tmp_path: Path) -> None:
    with running_server(tmp_path / "clickhouse") as server:
        database = server.create_database("floor")
        settings = {
            "LADDERMAN_HISTORY_STORE": "clickhouse",
            "LADDERMAN_CLICKHOUSE_HOST": server.host,
            "LADDERMAN_CLICKHOUSE_PORT": str(server.port),
            "LADDERMAN_CLICKHOUSE_DATABASE": database,
            "LADDERMAN_CLICKHOUSE_USER": server.user,
            "LADDERMAN_CLICKHOUSE_PASSWORD": server.password,
        }
        with running_demo(tmp_path, **settings) as demo:
            demo.wait_for("history status --settings")
            printed = [line for line in demo.lines if line.startswith("  env -u LADDERMAN_")]
            demo.wait_for("The floor goes on until Ctrl-C.")
            with ThreadPoolExecutor() as threads:
                doctor, incidents, status = threads.map(lambda line: ran(line, settings), printed)
            demo.process.send_signal(signal.SIGINT)
            assert demo.ended() == 0, demo.said
        place = f"{server.host}:{server.port}/{database}"
        assert f"The history stays in {place}" in demo.said
        assert f"planted {len(PLANTS)}, found {len(PLANTS)}, false 0" in demo.said
        assert doctor.returncode == 0, doctor.stdout + doctor.stderr
        assert "the ClickHouse server has our time" in doctor.stdout
        assert incidents.returncode == 0, incidents.stderr
        assert "Banker overpaid" in incidents.stdout
        assert status.returncode == 0, status.stderr
        assert place in status.stdout

        answer = ran(f"{CONSOLE_SCRIPT} history digest --format json", settings)
        written = orjson.loads(answer.stdout)["digests"]
        kept = server.rows(
            "SELECT source_id, raw_bytes FROM events ORDER BY log_partition, log_offset", database
        )
        messages = [(str(source).encode(), str(raw).encode()) for source, raw in kept]
        assert {one["of"]: f"{one['row_count']} {one['sha256']}" for one in written} == (
            ingested_digests(messages, tmp_path / "again")
        )
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.slow
@pytest.mark.usefixtures("needs_kafka")
def test_a_worker_that_dies_ends_the_demo_with_one_line(tmp_path: Path) -> None:
    with running_demo(tmp_path) as demo:
        demo.wait_for("history status --settings")
        (file,) = (tmp_path / "tmp").glob("*/worker-2.pid")
        os.kill(int(file.read_text()), signal.SIGKILL)
        assert demo.ended() == 3, demo.said
    assert demo.lines[-1] == (
        f"worker-2 ended by signal 9; see {tmp_path / 'logs' / 'worker-2.log'}"
    ) or demo.lines[-1].startswith("worker-2 ended by signal 9: ")
    wait_until(lambda: not still_running(tmp_path), "every process to end")
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.slow
@pytest.mark.usefixtures("needs_kafka")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("after", ["logs of every process", "Kafka ready", "history status"])
def test_a_demo_that_is_broken_off_leaves_nothing_behind(
    tmp_path: Path, number: signal.Signals, after: str
) -> None:
    with running_demo(tmp_path) as demo:
        demo.wait_for(after)
        time.sleep(0.5)
        demo.process.send_signal(number)
        code = demo.ended()
    assert code == (-9 if number is signal.SIGKILL else 130), demo.said
    wait_until(lambda: not still_running(tmp_path), "every process to end")
    wait_until(lambda: not list((tmp_path / "tmp").iterdir()), "every folder to be removed")
