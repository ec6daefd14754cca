"""``ladderman publish``: bring events into the log, whatever fails between."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from dashboards.commands.devices.publish_input import StoppableInput
from dashboards.documents.texts import quoted
from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.interruption import Interruption
from schemas.words.suggestions import near_miss
from streams.files.event_keys import is_source_id
from streams.files.line_groups import LinesError
from streams.files.opened_files import STANDARD_INPUT
from streams.process.clock import SystemClock
from streams.process.durable import PathInUseError
from streams.process.monitoring import Monitor, MonitorError
from streams.process.settings import Settings
from streams.process.settings_errors import SettingsError
from streams.publishing.drafts import ChangedLinesError
from streams.publishing.kafka_sender import KafkaSender
from streams.publishing.publication import STOP_WITHIN_S, Publication, Speaker
from streams.publishing.publisher import SendFailedError
from streams.spool.errors import SpoolError

PATIENCE_S: Final = 60.0
_RANGE: Final = re.compile(r"([0-9]{1,15})\.\.([0-9]{1,15})")
_EXAMPLE: Final = """
Example: ladderman publish events.jsonl --rate 1000

Events that have their sequence and hash are sent as they are. Drafts, without feed_id, sequence and
previous_hash, get them from the spool of their source. Lines that are no event are sent as they
are, since what a device said is evidence: they become dead letters. After a kill, give the same
file again: what was taken before is not taken twice, and nothing is numbered anew.
"""


FileArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE",
        help="One event a line, maybe gzipped; - is standard input; none: only what waits in the "
        "spools.",
    ),
]
RateOption = Annotated[
    float | None, typer.Option("--rate", help="At most so many events a second.")
]
ResendOption = Annotated[
    str | None,
    typer.Option("--resend", metavar="A..B", help="Send these sequences of --source again."),
]
SourceOption = Annotated[
    str | None,
    typer.Option("--source", help="The source of drafts that name none, or of --resend."),
]
SpoolOption = Annotated[
    Path | None,
    typer.Option(
        "--spool", metavar="DIR", help="Directory of the spools; default from the settings."
    ),
]
ControllerOption = Annotated[
    bool, typer.Option("--controller", help="Drafts are of progressive controllers.")
]
SimulatedOption = Annotated[
    bool, typer.Option("--simulated", help="Drafts are of simulated sources.")
]
PatienceOption = Annotated[
    float,
    typer.Option("--patience", help="Seconds without an acknowledgement to give up after."),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=0,
        max=65535,
        help="Metrics and health; 0: any free port. Without it only for standard input.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command(epilog=_EXAMPLE)
    def publish(
        *,
        file: FileArgument = None,
        rate: RateOption = None,
        resend: ResendOption = None,
        source: SourceOption = None,
        spool: SpoolOption = None,
        controller: ControllerOption = False,
        simulated: SimulatedOption = False,
        patience: PatienceOption = PATIENCE_S,
        port: PortOption = None,
        settings: SettingsOption = None,
    ) -> int:
        """Publish events to Kafka through a spool; none is lost.

        No event is numbered anew, also after a kill.

        Exit 0: all lines are events, and acknowledged; 1: all is acknowledged, and lines make no
        event or are none; 3: not everything was acknowledged in time; 130: stopped by Ctrl-C or
        SIGTERM before the end of FILE. Standard input ends by them in good order, as by its end.
        """
        _check(rate, source, patience)
        loaded = settings_from(settings)
        speaker = Speaker(source, is_controller=controller, is_simulated=simulated)
        interruption = Interruption()
        with (
            interruption.listening(),
            _publication(loaded, spool, speaker, interruption.stop) as publication,
        ):
            if resend is not None:
                if file is not None:
                    raise UsageProblem("--resend takes no file: it sends what is in the spool")
                with interruption.breaking_off():
                    return _resend(publication, source, resend)
            with _watched(publication, loaded, file, port):
                publication.open_waiting()
                is_whole = file is None or _take(publication, file, (rate, patience), interruption)
                return _finish(publication, patience, interruption, is_whole=is_whole)


def _check(rate: float | None, source: str | None, patience: float) -> None:
    if rate is not None and not 0 < rate <= 1_000_000:
        raise UsageProblem(f"--rate {rate:g}: write a number of events a second above 0")
    if not 0 <= patience < float("inf"):
        raise UsageProblem(f"--patience {patience:g}: write a number of seconds")
    if source is not None and not is_source_id(source):
        raise UsageProblem(
            f"--source {quoted(source)}: letters, digits and . _ - only, 64 at most, "
            "beginning with a letter or digit"
        )


@contextmanager
def _publication(
    settings: Settings, spool: Path | None, speaker: Speaker, stop: threading.Event
) -> Iterator[Publication]:
    """Open the spools for the length of a block; every problem is one line."""
    directory = spool or settings.data.spool_directory
    with closing(KafkaSender(settings.kafka)) as sender:
        publication = Publication(directory, sender, SystemClock(), _report, speaker, stop)
        try:
            with closing(publication):
                yield publication
        except (LinesError, ChangedLinesError, PathInUseError, SettingsError) as error:
            raise UsageProblem(str(error)) from None
        except (SpoolError, OSError) as error:
            raise ServiceProblem(f"spools in {directory}: {error}") from None
        except SendFailedError as error:
            raise ServiceProblem(str(error)) from None


def _report(line: str) -> None:
    sys.stderr.write(f"{line}\n")


@contextmanager
def _watched(
    publication: Publication, settings: Settings, file: str | None, port: int | None
) -> Iterator[None]:
    """Serve metrics and health where the command stays, or was told to."""
    if port is None and file != STANDARD_INPUT:
        yield
        return
    host = settings.listen.host
    monitor = Monitor("publish", publication.readings, publication.health)
    try:
        served = monitor.serve(host, settings.listen.publish_port if port is None else port)
        _report(f"metrics and health on {host}:{served}")
    except MonitorError as error:
        if port is not None:
            raise UsageProblem(str(error)) from None
        _report(str(error))  # what a device says matters more than who watches it
    try:
        yield
    finally:
        monitor.close()


def _take(
    publication: Publication,
    file: str,
    pace: tuple[float | None, float],
    interruption: Interruption,
) -> bool:
    """Take lines; say whether all that will ever come were taken.

    Args:
        publication: Takes them.
        file: Where they are.
        pace: So many a second, if any, and for how long an acknowledgement is waited for.
        interruption: Says whether somebody wants the end.
    """
    rate, patience = pace
    lines = StoppableInput(file, interruption, SystemClock())
    try:
        for group in lines.groups(rate):
            publication.take(group)
    except (LinesError, ChangedLinesError) as error:
        # What came before is no worse for it; nobody knows when this command runs again.
        if not publication.drain(patience):
            problem = _unsent(publication, patience, is_whole=True)
            raise ServiceProblem(f"{error}; {problem}") from None
        raise
    return lines.is_at_end or file == STANDARD_INPUT


def _finish(
    publication: Publication, patience: float, interruption: Interruption, *, is_whole: bool
) -> int:
    if interruption.stop.is_set():
        _report(f"stopping: what was taken is still sent, for {STOP_WITHIN_S:g} s at most")
    counts, is_drained = publication.counts, publication.drain(patience)
    _report_lines(counts.refusals, counts.refused, "that make no event")
    _report_lines(counts.no_event_reasons, counts.no_events, "that are no event")
    if counts.no_events:
        _report(
            "lines that are no event go into the log as they are and become dead letters: see "
            "ladderman dead-letters list --from topic; ladderman conform FILE says how to mend them"
        )
    if not is_drained:
        raise _unsent(publication, None if interruption.stop.is_set() else patience, is_whole)
    words = [f"{counts.taken:,} {'event' if counts.taken == 1 else 'events'} published"]
    if counts.left:
        words.append(f"{counts.left:,} that had waited in the spool sent")
    if counts.known:
        words.append(f"{counts.known:,} had been taken before")
    if counts.refused:
        words.append(
            f"{counts.refused:,} {'line makes' if counts.refused == 1 else 'lines make'} no event"
        )
    if counts.no_events:
        one, several = "line is no event and was sent as it is", "lines are no events and were sent"
        words.append(
            f"{counts.no_events:,} {one if counts.no_events == 1 else f'{several} as they are'}"
        )
    rest = "" if is_whole else " Stopped before the end of the file: give it again for the rest."
    typer.echo(f"{', '.join(words)}; all acknowledged.{rest}")
    if not is_whole:
        return ExitCode.INTERRUPTED
    return ExitCode.FOUND if counts.refused or counts.no_events else ExitCode.DONE


def _unsent(publication: Publication, patience: float | None, is_whole: bool) -> ServiceProblem:
    """Say what was not acknowledged, and whether it is kept; None: it was not waited for."""
    lost = publication.unwritten_count
    waiting = f"{publication.waiting_count - lost:,} events wait in the spool"
    waited = "" if patience is None else f", none was acknowledged for {patience:g} s"
    line = f"{waiting}{waited}; they are sent when ladderman publish runs again"
    if lost:
        return ServiceProblem(
            f"{lost:,} {'event was' if lost == 1 else 'events were'} not kept, the disk has no "
            f"room: free some space and give the same lines again; {line}"
        )
    return ServiceProblem(f"{line}{'' if is_whole else ', with the same file for the rest of it'}")


def _report_lines(reasons: list[str], count: int, which: str) -> None:
    for line in reasons:
        _report(line)
    if count > len(reasons):
        _report(f"and {count - len(reasons):,} more lines {which}")


def _resend(publication: Publication, source: str | None, text: str) -> int:
    match = _RANGE.fullmatch(text.strip())
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageProblem(f"--resend {quoted(text)}: write two sequences, such as 100..250")
    known = publication.sources()
    if source is None and len(known) == 1:
        source = known[0]
    if source is None:
        raise UsageProblem(f"--resend needs --source: {', '.join(known) or 'no spool is there'}")
    if source not in known:
        there = f"known are {', '.join(known)}" if known else "none is there"
        hint = near_miss(source, known) or f"; {there}, and finished events are kept in none"
        raise UsageProblem(f"--source {source}: no spool of it{hint}")
    count = publication.resend(source, int(match[1]), int(match[2]))
    if not count:
        raise UsageProblem(f"--resend {text}: {source} has not said so much yet")
    typer.echo(f"{count:,} events of {source} sent again; all acknowledged.")
    return ExitCode.DONE
