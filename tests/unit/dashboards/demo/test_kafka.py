"""Whatever part of a stream fails, the demo says which in one line and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dashboards.demo import kafka as demo_kafka
from dashboards.demo.screen import DemoPlan, DemoScreen
from dashboards.errors import ExitCode, ServiceProblem
from dashboards.terminal.interruption import Interruption
from streams.development import stream_processes
from streams.development.guarded import Guard, GuardedChild
from streams.development.kafka_cluster import KafkaStartError
from streams.development.stream_processes import (
    StreamFailedError,
    StreamPlan,
    StreamProcesses,
    conflicting_variables,
)
from streams.process.settings import load_settings
from streams.simulator.comparing import Comparison
from streams.simulator.demo import demo_floor
from tests.support.stream.stream_processes import CONSOLE_SCRIPT, wait_until

PART = """
import json, signal, sys, threading, time
from http.server import BaseHTTPRequestHandler, HTTPServer
role, port, how = sys.argv[1], int(sys.argv[-1]), {how!r}
if how == role:
    print(json.dumps({{"level": "error", "message": "the disk is full"}}), flush=True)
    sys.exit(3)
if how == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        for name in (b"next_offset", b"unacknowledged_records", b"lag_messages"):
            for partition in range(4):
                self.wfile.write(b'ladderman_%s{{partition="%d"}} 0\\n' % (name, partition))
    def log_message(self, *_):
        pass
if how == "late" and role == "worker":
    threading.Timer(1.0, lambda: __import__("os")._exit(70)).start()
HTTPServer(("127.0.0.1", port), Pages).serve_forever()
"""
"""Stands for a worker or a sink: it tells about itself, or fails."""


class NoBroker:
    """A cluster that needs no Java."""

    brokers: list[Any]
    bootstrap = "127.0.0.1:1"

    def __init__(self, options: object) -> None:
        self.brokers = []
        self.is_stopped = False

    def start(self) -> None:
        """Start nothing."""

    def stop(self) -> None:
        """Note it."""
        self.is_stopped = True


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stream_processes, "KafkaCluster", NoBroker)
    monkeypatch.setattr(stream_processes, "create_topics", lambda _: (["one"], []))
    monkeypatch.setattr(stream_processes, "STOP_LIMIT_S", 3.0)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))


def stream(tmp_path: Path, how: str = "well", **plan: Any) -> StreamProcesses:
    program = [sys.executable, "-c", PART.format(how=how)]
    return StreamProcesses(StreamPlan(program, tmp_path / "logs", **plan))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


@pytest.fixture
def started(tmp_path: Path) -> Iterator[StreamProcesses]:
    processes = stream(tmp_path, "late")
    try:
        processes.start(lambda _: None)
        yield processes
    finally:
        processes.stop()


def test_a_stream_starts_says_how_far_it_is_and_leaves_only_its_logs(tmp_path: Path) -> None:
    processes, told = stream(tmp_path), []
    processes.start(told.append)
    pids = [one.pid for one in processes.children]
    settings = load_settings(processes.settings_file, environment={})
    assert settings.listen.worker_port == processes.settings.listen.worker_port
    assert settings.kafka == processes.settings.kafka
    assert settings.data.history_directory == processes.settings.data.history_directory
    assert processes.settings_file.stat().st_mode & 0o077 == 0
    assert processes.folded() == dict.fromkeys(range(4), 0)
    processes.stop()
    assert [line.split(" after ")[0] for line in told] == [
        "Apache Kafka ready",
        "1 topics of 4 partitions made",
        "2 workers and the sink ready",
    ]
    assert len(pids) == 3
    assert not any(is_alive(pid) for pid in pids if pid)
    assert list((tmp_path / "tmp").iterdir()) == []
    names = sorted(path.name for path in (tmp_path / "logs").iterdir())
    assert names == ["sink.log", "worker-1.log", "worker-2.log"]


def test_a_server_that_the_settings_name_keeps_the_history(tmp_path: Path) -> None:
    asked = tmp_path / "mine.toml"
    asked.write_text(
        "[history]\nstore = 'clickhouse'\n[clickhouse]\nhost = 'ch-1'\ndatabase = 'stage'\n"
        "password = 'a \\ word'\n[kafka]\nprefix = 'mine'\n"
    )
    settings = load_settings(asked, environment={})
    for store, kept in ((None, "clickhouse"), (tmp_path / "store", "embedded")):
        processes = stream(tmp_path, settings=settings, store=store)
        processes.start(lambda _: None)
        written = load_settings(processes.settings_file, environment={})
        processes.stop()
        assert written.history.store == processes.settings.history.store == kept
        if store is None:
            assert written.clickhouse == settings.clickhouse
        else:
            assert written.data.history_directory == store / "history"
        assert written.kafka.prefix == "ladderman"


@pytest.mark.parametrize(
    ("how", "names"), [("worker", ("worker-1", "worker-2")), ("sink", ("sink",))]
)
def test_a_part_that_ends_while_starting_is_named_with_its_last_words(
    tmp_path: Path, how: str, names: tuple[str, ...]
) -> None:
    processes = stream(tmp_path, how)
    with pytest.raises(StreamFailedError) as refused:
        processes.start(lambda _: None)
    processes.stop()
    logs = {name: tmp_path / "logs" / f"{name}.log" for name in names}
    assert str(refused.value) in {  # whichever ended first
        f"{name} ended with 3: the disk is full; see {log}" for name, log in logs.items()
    }
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_part_that_ends_later_is_noticed(started: StreamProcesses) -> None:
    started.check()
    wait_until(lambda: any(one.pid is None for one in started.children), "a worker to end")
    with pytest.raises(StreamFailedError, match=r"^worker-\d ended with 70; see "):
        started.check()


def test_a_part_that_does_not_hear_is_ended_by_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_processes, "STOP_LIMIT_S", 0.2)
    processes = stream(tmp_path, "deaf")
    processes.start(lambda _: None)
    pids = [one.pid for one in processes.children]
    processes.stop()
    assert not any(is_alive(pid) for pid in pids if pid)


def test_a_part_that_is_never_ready_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_processes, "READY_LIMIT_S", 1.0)
    monkeypatch.setattr(stream_processes, "SLOW_AFTER_S", 0.2)
    processes, told = stream(tmp_path, partitions=5), []
    with pytest.raises(StreamFailedError, match=r"^.+ within 1 s; see "):
        processes.start(told.append)
    lacks = "not every partition has a worker"
    wait_until(lambda: processes._not_ready() == lacks, "all but one partition")
    processes.stop()
    assert told[-1].endswith(" yet; waiting, this machine is slow or busy")


def test_a_broker_that_does_not_start_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: NoBroker) -> None:
        raise KafkaStartError("broker 1 ended at once: no space\nsecond line")

    monkeypatch.setattr(NoBroker, "start", start)
    processes = stream(tmp_path)
    with pytest.raises(StreamFailedError) as refused:
        processes.start(lambda _: None)
    processes.stop()
    assert str(refused.value) == (
        f"broker 1 ended at once; its reason is in {tmp_path / 'logs' / 'broker-1.log'}"
    )
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_whole_demo_ends_with_3_where_a_part_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = [sys.executable, "-c", PART.format(how="sink")]
    plan = DemoPlan(demo_floor(), 7, None, is_watched=False)
    with pytest.raises(ServiceProblem, match=r"^sink ended with 3: the disk is full; see "):
        demo_kafka.play_through_kafka(plan, None, StreamPlan(program, tmp_path / "logs"))
    assert list((tmp_path / "tmp").iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert "SIMULATED" in capsys.readouterr().out


@pytest.mark.parametrize("code", [ExitCode.DONE, ExitCode.FOUND])
def test_logs_of_a_run_that_ended_as_it_should_go_and_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: ExitCode
) -> None:
    class Run:
        def __init__(self, _plan: DemoPlan, stream_plan: StreamPlan, *_: object) -> None:
            stream_plan.logs.mkdir()
            (stream_plan.logs / "sink.log").touch()

        def play(self) -> int:
            return code

    monkeypatch.setattr(demo_kafka, "_Run", Run)
    monkeypatch.setattr(demo_kafka, "StreamProcesses", lambda _: None)
    monkeypatch.setattr(demo_kafka, "jars_directory", lambda: tmp_path)
    monkeypatch.setattr(demo_kafka, "_log_folder", lambda: tmp_path / "logs")
    plan = DemoPlan(demo_floor(), 7, None, is_watched=False)
    assert demo_kafka.play_through_kafka(plan, None) == code
    assert (tmp_path / "logs").exists() is (code is not ExitCode.DONE)


def test_a_starter_that_is_killed_takes_its_processes_with_it(tmp_path: Path) -> None:
    guarded = tmp_path / "guarded"
    guarded.mkdir()
    starter = (
        "import sys, time; from pathlib import Path;"
        "from streams.development.guarded import Guard, GuardedChild;"
        "place = Path(sys.argv[1]); guard = Guard(place);"
        "words = [sys.executable, '-c', 'import time; time.sleep(60)', str(place)];"
        "one = GuardedChild('one', place, words, place.parent / 'one.log');"
        "one.launch(guard); print(one.pid, flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", starter, str(guarded)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    time.sleep(0.3)  # until it has become what it is to be
    assert is_alive(pid)
    process.kill()
    process.wait()
    process.stdout.close()
    wait_until(lambda: not guarded.exists(), "the guard")
    wait_until(lambda: not is_alive(pid), "the process to end")


def test_a_guarded_process_can_be_started_again(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    guard = Guard(tmp_path / "place")
    words = [sys.executable, "-c", "print('here')", str(tmp_path / "place")]
    one = GuardedChild("one", tmp_path / "place", words, tmp_path / "one.log")
    for _ in range(2):
        one.launch(guard)
        assert one.wait_ended(10)
    guard.close()
    assert one.exit_code == 0
    assert one.log_tail(5) == "here\nhere"
    assert not (tmp_path / "place").exists()


def test_only_variables_that_would_win_over_the_file_are_named() -> None:
    environment = {
        "LADDERMAN_KAFKA_BOOTSTRAP": "elsewhere:9092",
        "LADDERMAN_SETTINGS": "mine.toml",
        "PATH": "/bin",
        "LADDERMAN_DATA_DIRECTORY": "d",
    }
    assert conflicting_variables(environment) == [
        "LADDERMAN_DATA_DIRECTORY",
        "LADDERMAN_KAFKA_BOOTSTRAP",
    ]


def test_without_java_one_line_says_what_to_install(tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [str(CONSOLE_SCRIPT), "demo", "--kafka"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr == (
        "ladderman: java is not installed; install a JDK (17 or newer) to run the Kafka broker\n"
    )
    assert done.stdout == ""
    assert list(tmp_path.glob("ladderman-*")) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_asks_and_the_second_breaks_off(number: signal.Signals) -> None:
    interruption = Interruption()
    with interruption.listening():
        signal.raise_signal(number)
        assert interruption.stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)


def test_the_first_signal_breaks_a_start_off() -> None:
    interruption = Interruption()
    with interruption.listening(), pytest.raises(KeyboardInterrupt), interruption.breaking_off():
        signal.raise_signal(signal.SIGINT)
    assert interruption.stop.is_set()


@pytest.mark.parametrize(
    ("comparison", "code"),
    [
        (None, ExitCode.INTERRUPTED),
        (Comparison(2, 2, (), ()), ExitCode.DONE),
        (Comparison(2, 2, (), ("one",)), ExitCode.FOUND),  # type: ignore[arg-type]
    ],
)
def test_the_exit_code_tells_how_far_it_came(comparison: Comparison | None, code: ExitCode) -> None:
    screen = DemoScreen(DemoPlan(demo_floor(), 7, None, is_watched=False), threading.Event())
    if comparison is not None:
        screen._comparison = comparison
    assert screen.end() is code
