"""The demo through a real Kafka broker, two workers and a sink, all of them started here."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from dashboards.demo.screen import DemoPlan, DemoScreen, command_line, console_script
from dashboards.documents.advisory import ADVISORY
from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.settings import settings_from
from dashboards.terminal.interruption import Interruption
from schemas.topics import TopicName
from streams.development.kafka_jars import KafkaMissingError, jars_directory
from streams.development.stream_processes import (
    StreamFailedError,
    StreamPlan,
    StreamProcesses,
    conflicting_variables,
)
from streams.history.archive import history_reader
from streams.history.identity import history_id
from streams.history.reading.status import history_status
from streams.history.store import HistoryError
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.positions import sink_group, sink_watermarks
from streams.process.clock import SystemClock
from streams.process.monitoring import MonitorError
from streams.process.settings import Settings
from streams.simulator.live.floor import LiveFloor, Watch
from streams.simulator.live.kafka import KafkaPipeline, ends_of, kafka_pipeline

PATIENCE_S: Final = 120.0
"""So long nothing may move, on a slow machine either, before a run is given up."""

_LOOK_EVERY_S: Final = 1.0
_SUNK: Final = (TopicName.EVENTS, TopicName.VERDICTS, TopicName.DEAD_LETTERS)


def play_through_kafka(
    plan: DemoPlan, store: Path | None, stream_plan: StreamPlan | None = None
) -> int:
    """Play a floor through Kafka until the comparison, and on where somebody watches.

    Args:
        plan: What is played.
        store: Where the history stays; None: it goes with all the rest.
        stream_plan: Which processes are to run; None: the usual ones, whose logs go too where the
            run ended as it should.
    """
    asked = settings_from(None)
    refuse_used_server(asked, store)
    if not jars_directory().is_dir():
        sys.stderr.write("Fetching the Kafka broker with Maven (44 MB, once)\n")
    plan_here = stream_plan or StreamPlan(console_script(), _log_folder(), store, settings=asked)
    interruption = Interruption()
    try:
        with interruption.listening():
            with interruption.breaking_off():
                processes = StreamProcesses(plan_here)
            code = _Run(plan, plan_here, processes, interruption).play()
    except (KafkaMissingError, StreamFailedError, KafkaUnavailableError, MonitorError) as error:
        raise ServiceProblem(str(error)) from None
    except TimeoutError as error:
        raise ServiceProblem(f"{error}; see the logs in {plan_here.logs}") from None
    if stream_plan is None and code == ExitCode.DONE:
        shutil.rmtree(plan_here.logs, ignore_errors=True)
    return code


def _log_folder() -> Path:
    """Give a folder that nobody uses; it is made with the first log."""
    made = Path(tempfile.mkdtemp(prefix="ladderman-stream-logs-"))
    made.rmdir()
    return made


def history_place(plan: StreamPlan) -> str | None:
    """Say where the history stays when all the rest is removed; None where it goes too."""
    if plan.store is not None:
        return f"store stays in {plan.store}"
    if plan.settings is not None and plan.settings.history.store == "clickhouse":
        at = plan.settings.clickhouse
        return f"history stays in {at.host}:{at.port}/{at.database}"
    return None


def refuse_used_server(settings: Settings, store: Path | None) -> None:
    """Keep a simulated floor out of a history on a server that holds something."""
    if settings.history.store != "clickhouse" or store is not None:
        return
    from streams.history.configured import open_to_write

    try:
        with open_to_write(settings) as history:
            is_used = any(
                table.row_count
                for table in history_status(history).tables
                if table.name != "schema_migrations"
            )
    except HistoryError as error:
        raise ServiceProblem(str(error)) from None
    if is_used:
        raise UsageProblem(
            f"clickhouse.database {settings.clickhouse.database}: holds a history already, and a "
            "simulated floor does not belong into it; name an empty database, or --store DIR"
        )


class _Run:
    """One run of the demo through Kafka."""

    def __init__(
        self,
        plan: DemoPlan,
        stream_plan: StreamPlan,
        processes: StreamProcesses,
        interruption: Interruption,
    ) -> None:
        self._plan, self._stream_plan = plan, stream_plan
        self._processes, self._interruption = processes, interruption
        self._screen = DemoScreen(plan, interruption.stop)
        self._looked_s = 0.0

    def play(self) -> int:
        """Start everything, play, and stop everything again, whatever happens."""
        screen = self._screen
        screen.line(f"{self._plan.title}, through Kafka")
        screen.line(
            f"SIMULATED: nothing below happened anywhere; simulated time runs {self._plan.rate}."
        )
        screen.line(f"logs of every process: {self._stream_plan.logs}")
        try:
            with self._interruption.breaking_off():
                self._processes.start(screen.line)
            self._name_commands()
            self._play()
        except KeyboardInterrupt:
            if not screen.is_compared:
                screen.line("stopping")
        finally:
            self._stop()
        if (place := history_place(self._stream_plan)) is not None:
            screen.line(f"\nThe {place}")
        code = screen.end()
        screen.line(ADVISORY)
        return code

    def _play(self) -> None:
        watch = Watch(self._screen.say)
        with kafka_pipeline(self._processes.settings, watch, _warn) as pipeline:
            pipeline.waits = self._look
            floor = LiveFloor(self._plan.config, pipeline, watch, SystemClock())
            self._screen.begin()
            for figures in floor.play(self._plan.speed, self._interruption.stop):
                self._look()
                if self._screen.is_status_due:
                    self._screen.status(figures, self._lag(pipeline))
                if self._screen.is_time_to_compare(floor, figures.at_us):
                    self._compare(floor, pipeline, watch)
            if history_place(self._stream_plan) is not None:
                self._until_written(pipeline)

    def _compare(self, floor: LiveFloor, pipeline: KafkaPipeline, watch: Watch) -> None:
        """Wait until all that was published is folded, and compare."""
        self._screen.status(watch.figures, self._lag(pipeline))
        pipeline.settle(self._processes.folded, PATIENCE_S)
        self._screen.status(watch.figures, self._lag(pipeline))
        self._screen.compare(floor.compare())
        if self._plan.is_watched:
            self._screen.line("The floor goes on until Ctrl-C.\n")
        else:
            self._interruption.stop.set()

    def _look(self) -> None:
        """See now and then whether everything runs, and whether somebody wants the end."""
        if self._interruption.stop.is_set() and not self._screen.is_compared:
            raise KeyboardInterrupt
        if time.monotonic() - self._looked_s >= _LOOK_EVERY_S:
            self._looked_s = time.monotonic()
            self._processes.check()

    def _lag(self, pipeline: KafkaPipeline) -> int:
        return pipeline.waiting_count + self._processes.lag_messages()

    def _until_written(self, pipeline: KafkaPipeline) -> None:
        """Wait until all that was published is folded, and written with what came of it."""
        self._screen.line("\nThe history gets the rest; Ctrl-C leaves it out.")
        kafka = self._processes.settings.kafka
        try:
            pipeline.settle(self._processes.folded, PATIENCE_S)
        except TimeoutError as error:
            _warn(f"{error}; what lacks is not in the history")
            return
        ends = {at: end for at, end in ends_of(kafka, *_SUNK).items() if end}
        deadline = time.monotonic() + PATIENCE_S
        with history_reader(self._processes.settings) as history:
            group = sink_group(kafka, history_id(history))
        while any(sink_watermarks(kafka, group).get(at, 0) < end for at, end in ends.items()):
            self._processes.check()
            if time.monotonic() > deadline:
                _warn("the sink has not written everything; what lacks is not in the history")
                return
            time.sleep(_LOOK_EVERY_S / 2)

    def _name_commands(self) -> None:
        screen, file = self._screen, str(self._processes.settings_file.absolute())
        hidden = "".join(f"-u {name} " for name in conflicting_variables(os.environ))
        before = f"env {hidden}" if hidden else ""
        screen.line("While it runs, in a second terminal:")
        for words in ("doctor", "incidents list", "history status"):
            screen.line(f"  {before}{command_line(words, ['--settings', file])}")
        screen.line("")

    def _stop(self) -> None:
        """Stop every process; a further signal makes it fast and leaves nothing behind either."""
        self._interruption.stop.set()
        try:
            self._processes.stop()
        except KeyboardInterrupt:
            self._processes.stop()


def _warn(line: str) -> None:
    sys.stderr.write(f"ladderman: {line}\n")
