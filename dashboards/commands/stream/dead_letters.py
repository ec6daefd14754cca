"""``ladderman dead-letters``: what could not be read, why, and how it comes back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from dashboards.commands.help import HelpGroup
from dashboards.documents.stream.dead_letters import (
    LetterList,
    LetterPage,
    put_aside_at,
)
from dashboards.documents.texts import escaped
from dashboards.errors import ServiceProblem, UsageProblem
from dashboards.options.history import StoreChoice
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.answers import write_answer
from dashboards.terminal.console import table_console, write_line
from dashboards.terminal.formats import DocumentFormat, FormatOption
from dashboards.terminal.tables.stream.dead_letters import dump_lines, print_letters
from dashboards.terminal.waiting import waiting_is_told
from streams.history.opening import AnyHistory, history_path, open_configured, open_history
from streams.history.store import HistoryError, StoreMissingError
from streams.kafka.administration import KafkaUnavailableError
from streams.operating.dead_letter_replay import (
    FoundLetter,
    LetterCount,
    LetterId,
    NoSuchLetterError,
    ReplayRefusedError,
    counts_in_history,
    counts_of,
    letter_in_history,
    letters_in_history,
    letters_on_topic,
    only_one,
    parse_letter_id,
    replay,
    source_of,
)
from streams.process.settings_errors import SettingsError

SHOWN_BYTES: Final = 512
"""So many bytes are shown unless more are asked for."""


class Place(StrEnum):
    """Where dead letters are looked for."""

    HISTORY = "history"
    TOPIC = "topic"


_PlaceChoice = Annotated[
    Place, typer.Option("--from", help="Look into the history, or into the topic on Kafka.")
]
_LetterId = Annotated[
    str, typer.Argument(metavar="ID", help="LOG/PARTITION/OFFSET, or PARTITION/OFFSET.")
]


def register(app: typer.Typer) -> None:
    """Add ``dead-letters`` with its commands."""
    letters = typer.Typer(
        cls=HelpGroup,
        epilog="Example: ladderman dead-letters list --source BAC-01",
        help="Messages that could not be read: why, bytes, replay.",
        no_args_is_help=True,
    )
    app.add_typer(letters, name="dead-letters")
    letters.command("list", epilog="Example: ladderman dead-letters list --source BAC-01")(
        list_letters
    )
    letters.command("show", epilog="Example: ladderman dead-letters show 0/8812")(show_letter)
    letters.command("replay", epilog="Example: ladderman dead-letters replay 0/8812")(replay_letter)


def list_letters(
    store: StoreChoice = None,
    settings: SettingsOption = None,
    place: _PlaceChoice = Place.HISTORY,
    source: Annotated[str, typer.Option("--source", help="Only those under this key.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Only those with this reason.")] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many.")] = 50,
    output: Annotated[
        FormatOption, typer.Option("--format", help="How to write the list.")
    ] = FormatOption.TABLE,
) -> None:
    """List dead letters with their reasons, latest first, and count them by source."""
    where = _Where(place, store, settings)
    with _one_line(where):
        found, counts = _listed(where, (source, reason), limit)
    listed = LetterList(place.value, tuple(found), tuple(counts))
    write_answer(listed, output, lambda: print_letters(listed))


@dataclass(frozen=True, slots=True)
class _Where:
    """Where dead letters are looked for, as the options say."""

    place: Place
    store: Path | None
    settings: Path | None

    def __post_init__(self) -> None:
        if self.store is not None and self.place is Place.TOPIC:
            raise UsageProblem("--store and --from topic: give one of them")
        if self.store is not None and self.settings is not None:
            raise UsageProblem("--store and --settings: give one of them")

    def in_history(self) -> AnyHistory:
        """Open the history for reading."""
        if self.store is not None:
            return open_history(history_path(self.store))
        return open_configured(settings_from(self.settings))

    def on_topic(self) -> list[FoundLetter]:
        """Read all that the topic holds."""
        return letters_on_topic(settings_from(self.settings).kafka)


def _listed(
    where: _Where, wanted: tuple[str, str], limit: int
) -> tuple[list[FoundLetter], list[LetterCount]]:
    source, reason = wanted
    if where.place is Place.HISTORY:
        with where.in_history() as reader:
            return (
                letters_in_history(reader, source, reason, limit),
                counts_in_history(reader),
            )
    letters = where.on_topic()
    chosen = [
        one
        for one in letters
        if source in ("", source_of(one.letter)) and reason in ("", one.letter.reason)
    ]
    return chosen[:limit], counts_of(letters)


def show_letter(
    letter_id: _LetterId,
    store: StoreChoice = None,
    settings: SettingsOption = None,
    place: _PlaceChoice = Place.HISTORY,
    count: Annotated[
        int, typer.Option("--bytes", min=0, help="Show at most so many bytes.")
    ] = SHOWN_BYTES,
    output: Annotated[
        DocumentFormat, typer.Option("--format", help="How to write it.")
    ] = DocumentFormat.TABLE,
) -> None:
    """Show one dead letter: where it stood, why it could not be read, and its bytes."""
    where = _Where(place, store, settings)
    with _one_line(where):
        found = _one(where, parse_letter_id(letter_id))
    page = LetterPage(found, count)
    write_answer(page, output, lambda: _print_letter(page, place))


def _print_letter(page: LetterPage, place: Place) -> None:
    found, count = page.found, page.byte_count
    console, letter = table_console(), found.letter
    for name, value in (
        ("id", letter.letter_id),
        ("put aside", put_aside_at(found.known_at_us)),
        ("key", source_of(letter) or (letter.key.hex() if letter.key else "(none)")),
        ("reason", letter.reason),
        ("detail", letter.detail),
        ("bytes", f"{letter.length:,}, of which {len(letter.head):,} are kept"),
        ("sha256", letter.sha256),
        ("replayed", found.replayed_to or ("no" if place is Place.TOPIC else "ask --from topic")),
    ):
        write_line(console, f"{name:10}{escaped(value)}", hang=10)
    typer.echo()
    for line in dump_lines(letter.head[:count]):
        typer.echo(line)
    if len(letter.head) > count:
        typer.echo(f"and {len(letter.head) - count:,} more; --bytes {len(letter.head)} shows all")


def replay_letter(
    letter_id: _LetterId, settings: SettingsOption = None, place: _PlaceChoice = Place.HISTORY
) -> None:
    """Put the bytes of a dead letter onto the log again, once they can be read.

    Late truth about a shoe in play is amended at once, about a closed one by the reconciler.
    """
    loaded, where = settings_from(settings), _Where(place, None, settings)
    with _one_line(where):
        letter = _one(where, parse_letter_id(letter_id)).letter
        there = replay(loaded.kafka, letter)
    typer.echo(f"dead letter {letter.letter_id} replayed to partition/offset {there}")


def _one(where: _Where, letter_id: LetterId) -> FoundLetter:
    if where.place is Place.HISTORY:
        with where.in_history() as reader:
            return letter_in_history(reader, letter_id)
    found = [
        one
        for one in where.on_topic()
        if (one.letter.origin.partition, one.letter.offset) == letter_id[1:]
        and letter_id.log_id in ("", one.letter.origin.log_id)
    ]
    return only_one(found, letter_id)


@contextmanager
def _one_line(where: _Where) -> Iterator[None]:
    try:
        with waiting_is_told():
            yield
    except (NoSuchLetterError, ReplayRefusedError, SettingsError) as error:
        raise UsageProblem(str(error)) from None
    except HistoryError as error:
        is_of_settings = where.place is Place.HISTORY and where.store is None
        hint = "; --from topic asks Kafka instead" if is_of_settings else ""
        is_missing = isinstance(error, StoreMissingError)
        raise (UsageProblem if is_missing else ServiceProblem)(f"{error}{hint}") from None
    except KafkaUnavailableError as error:
        raise ServiceProblem(str(error)) from None
