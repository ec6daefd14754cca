"""``ladderman simulate``: a floor of simulated tables as real events, with faults on request."""

from __future__ import annotations

import datetime
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Annotated, Final

import orjson
import typer

from auditors.law import load_law
from auditors.law.status import STANDING, section_status
from auditors.settlement.terms import default_gaming_date, default_terms
from dashboards.documents.texts import quoted
from dashboards.errors import ExitCode, UsageProblem
from dashboards.terminal.progress import RowProgress
from dashboards.terminal.tables.simulation import print_plants, print_profile
from streams.simulator.floor import DEFAULT_START, Floor, FloorConfig
from streams.simulator.placing import PlantRequest, UnknownPlantError, plant_named
from streams.simulator.profile import Profile
from streams.simulator.truths import Truth

TABLES_MAX: Final = 1000
"""At most so many tables."""

PLANTS_MAX: Final = 1000
"""At most so many faults of one kind."""

_STEP: Final = 4096
_DURATION: Final = re.compile(r"(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,7})s)?")
_EXAMPLE: Final = """
Example: ladderman simulate --tables 12 --duration 8h --seed 7 --plant banker_overpaid=3 \\
    --out events.jsonl --truth truth.jsonl
"""


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command(epilog=_EXAMPLE)
    def simulate(
        *,
        tables: Annotated[int, typer.Option("--tables", help="Tables on the floor.")] = 12,
        duration: Annotated[
            str | None,
            typer.Option("--duration", help="How long, such as 8h, 90m or 1h30m (default 8h)."),
        ] = None,
        coups: Annotated[
            int | None,
            typer.Option("--coups", help="Coups over all tables, instead of a duration."),
        ] = None,
        seed: Annotated[int, typer.Option("--seed", help="The same seed, the same bytes.")] = 7,
        start: Annotated[
            str | None,
            typer.Option("--start", help="When, with an offset (default 2025-06-07T18:00-04:00)."),
        ] = None,
        plant: Annotated[
            list[str] | None,
            typer.Option(
                "--plant", metavar="NAME[=COUNT]", help="A fault to plant; again for more."
            ),
        ] = None,
        video_every: Annotated[
            int,
            typer.Option(
                "--video-every",
                metavar="COUPS",
                min=0,
                help="Tell of every so many coups of a table where its recording is; 0 for none.",
            ),
        ] = 0,
        out: Annotated[
            str | None,
            typer.Option("--out", metavar="FILE", help="One event a line; - is standard output."),
        ] = None,
        truth: Annotated[
            str | None,
            typer.Option("--truth", metavar="FILE", help="One planted fault a line."),
        ] = None,
        list_plants: Annotated[
            bool, typer.Option("--list-plants", help="List the faults that can be planted.")
        ] = False,
        profile: Annotated[
            bool,
            typer.Option("--profile", help="Say pace, seats, wagers and fit to the odds."),
        ] = False,
    ) -> int:
        """Simulate a floor of tables, with faults on request.

        The events are real ones of an honest day.
        """
        if list_plants:
            print_plants()
            return ExitCode.DONE
        config = replace(
            _config(tables, seed, (duration, coups, start), plant or []), video_every=video_every
        )
        _warn_of_dates(config.start)
        return _simulate(config, out, truth, with_profile=profile)


def _config(
    tables: int, seed: int, times: tuple[str | None, int | None, str | None], plants: list[str]
) -> FloorConfig:
    duration, coups, start = times
    if not 1 <= tables <= TABLES_MAX:
        raise UsageProblem(f"--tables {tables}: a floor has 1 to {TABLES_MAX} tables")
    if coups is not None and coups < 1:
        raise UsageProblem(f"--coups {coups}: simulate at least 1 coup")
    length = parse_duration(duration) if duration is not None else None
    if length is None and coups is None:
        length = datetime.timedelta(hours=8)
    return FloorConfig(
        tables=tables,
        seed=seed,
        start=parse_start(start) if start is not None else DEFAULT_START,
        duration=length,
        coups=coups,
        plants=tuple(parse_plant(one) for one in plants),
    )


def parse_duration(text: str, flag: str = "--duration") -> datetime.timedelta:
    """Read a length of time such as ``8h``, ``90m``, ``1h30m`` or ``2d``.

    Raises:
        UsageProblem: It is none, or nothing.
    """
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None or not any(match.groups()):
        raise UsageProblem(f"{flag} {quoted(text)}: write it like 8h, 90m or 1h30m")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    length = datetime.timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    if not length:
        raise UsageProblem(f"{flag} {text}: simulate more than nothing")
    return length


def parse_start(text: str, flag: str = "--start") -> datetime.datetime:
    """Read an instant with its offset.

    Raises:
        UsageProblem: It is none, or has no offset, or a year that no event can have.
    """
    try:
        moment = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageProblem(
            f"{flag} {quoted(text)}: not an instant; write it like 2025-06-07T18:00-04:00"
        ) from None
    if moment.tzinfo is None:
        raise UsageProblem(
            f"{flag} {text}: without an offset; write it like {text[:10]}T18:00-04:00"
        )
    if not 2001 <= moment.year <= 2190:
        raise UsageProblem(f"{flag} {text}: events have years 2001 to 2190")
    return moment


def parse_plant(text: str) -> PlantRequest:
    """Read ``NAME`` or ``NAME=COUNT``.

    Raises:
        UsageProblem: An unknown plant, or a count that is none.
    """
    name, equals, count = (part.strip() for part in text.partition("="))
    try:
        plant_named(name)
    except UnknownPlantError as error:
        raise UsageProblem(f"--plant: {error}; --list-plants lists them") from None
    number = int(count) if count.isdecimal() and len(count) < 6 else 0
    if equals and not 1 <= number <= PLANTS_MAX:
        raise UsageProblem(
            f"--plant {quoted(text)}: the count is a whole number from 1 to {PLANTS_MAX}"
        )
    return PlantRequest(name, number if equals else 1)


def _warn_of_dates(start: datetime.datetime) -> None:
    """Say which sections are outside their printed dates when the floor opens."""
    law = load_law()
    date = default_gaming_date(start, default_terms(law))
    gone = [
        f"{section.id} ({found.value})"
        for section in law.sections.values()
        if (found := section_status(section, date, law.default_readings()).status) not in STANDING
    ]
    if gone:
        sys.stderr.write(
            f"on {date}, by the printed dates: {', '.join(gone)}; "
            "an audit finds that at every table that offers them, besides the truth file\n"
        )


def _simulate(
    config: FloorConfig, out: str | None, truth: str | None, *, with_profile: bool
) -> ExitCode:
    if out is None and not with_profile:
        raise UsageProblem("--out is missing: name a file for the events, or - for standard output")
    if out is not None and truth is not None and os.path.realpath(out) == os.path.realpath(truth):
        raise UsageProblem(f"--out and --truth both name {quoted(out)}; give two files")
    seen = Profile()
    with ExitStack() as stack:
        events = stack.enter_context(_output("--out", out))
        truths = stack.enter_context(_output("--truth", truth))
        try:
            floor = Floor(config, _writer_of(truths), seen.hear if with_profile else None)
        except UnknownPlantError as error:
            raise UsageProblem(f"--plant: {error}") from None
        with RowProgress("events") as progress:
            for number, event in enumerate(floor.events(), start=1):
                if events is not None:
                    events.write(event.raw + b"\n")
                if number % _STEP == 0:
                    progress.advance(number)
        if lost := floor.unplaced():
            raise UsageProblem(
                f"--plant {lost[0]}: no place for it was found in this day "
                f"({len(lost)} of the faults asked for); simulate longer or more tables"
            )
        for output in (events, truths):
            if output is not None:
                output.flush()  # before one of the two has its name
    if with_profile:
        print_profile(seen, to_stderr=out == "-" or truth == "-")
    return ExitCode.DONE


def _writer_of(truths: _Output | None) -> Callable[[Truth], None]:
    def write(truth: Truth) -> None:
        if truths is not None:
            truths.write(orjson.dumps(truth.as_json()) + b"\n")

    return write


class _Output:
    """Something that is written to; an error tells which."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._name = file, name

    def write(self, content: bytes) -> None:
        """Write, or say where there was no room."""
        with self._named():
            self._file.write(content)

    def flush(self) -> None:
        """Write what is still held back."""
        with self._named():
            self._file.flush()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            error.filename = self._name
            raise


@contextmanager
def _output(flag: str, name: str | None) -> Iterator[_Output | None]:
    """Open an output; a file takes its name only when it is whole."""
    if name is None:
        yield None
        return
    if name == "-":
        output = _Output(sys.stdout.buffer, "standard output")
        yield output
        output.flush()
        return
    path = Path(name)
    if path.is_dir():
        raise UsageProblem(f"{flag} {name}: is a folder; name a file to write")
    # A device or a pipe is written to as it is: a file in its place would be another thing.
    is_file = path.is_file() or not path.exists()
    path = Path(os.path.realpath(path)) if is_file else path
    if is_file and path.is_symlink():
        raise UsageProblem(f"{flag} {name}: is a link to itself; name a file to write")
    part = path.with_name(f"{path.name}.part") if is_file else path
    try:
        file = part.open("wb", buffering=1 << 20)
    except OSError as error:
        raise UsageProblem(f"{flag} {name}: {error.strerror}; name a file to write") from None
    output = _Output(file, name)
    try:
        yield output
        output.flush()
        file.close()
        if is_file:
            part.replace(path)
    except BaseException:
        with suppress(OSError):
            file.close()  # what is held back is tried once more
        if is_file:
            part.unlink(missing_ok=True)
        raise
