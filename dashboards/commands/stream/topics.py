"""``ladderman topics``: are the topics there, and kept as they must be?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

import typer

from dashboards.commands.help import HelpGroup
from dashboards.documents.stream.topics import TopicList
from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.answers import write_answer
from dashboards.terminal.formats import LinesFormat
from dashboards.terminal.tables.stream.topics import print_topics
from dashboards.terminal.waiting import waiting_is_told
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.topics import CheckedTopic, check_topics, create_topics
from streams.process.settings import KafkaSettings
from streams.process.settings_errors import SettingsError

T = TypeVar("T")


_FormatChoice = Annotated[LinesFormat, typer.Option("--format", help="How to write it.")]


def register(app: typer.Typer) -> None:
    """Add ``topics create`` and ``topics check``."""
    topics = typer.Typer(
        cls=HelpGroup,
        no_args_is_help=True,
        epilog="Example: ladderman topics check --settings floor.toml",
        help="Create the topics on Kafka, and check their settings.",
    )
    app.add_typer(topics, name="topics")
    topics.command("create", epilog="Example: ladderman topics create --settings floor.toml")(
        create
    )
    topics.command("check", epilog="Example: ladderman topics check --format json")(check)


def create(settings: SettingsOption = None, output: _FormatChoice = LinesFormat.TABLE) -> int:
    """Make the topics that are missing; exit 1 where one that exists is not as it must be.

    What exists is never changed: the answer says what to do about it.
    """
    kafka = settings_from(settings).kafka
    made, checked = _asked(create_topics, kafka)
    if output is not LinesFormat.TABLE:
        sys.stderr.write(f"made: {', '.join(made) or 'none, all existed'}\n")
    _write(TopicList(kafka.bootstrap, tuple(checked), tuple(made)), output)
    return _code(checked)


def check(settings: SettingsOption = None, output: _FormatChoice = LinesFormat.TABLE) -> int:
    """Say in plain words what about the topics is not as it must be; exit 1 where something is."""
    kafka = settings_from(settings).kafka
    checked = _asked(check_topics, kafka)
    _write(TopicList(kafka.bootstrap, tuple(checked)), output)
    return _code(checked)


def _asked(question: Callable[[KafkaSettings], T], kafka: KafkaSettings) -> T:
    try:
        with waiting_is_told():
            return question(kafka)
    except SettingsError as error:
        raise UsageProblem(str(error)) from None
    except KafkaUnavailableError as error:
        raise ServiceProblem(str(error)) from None


def _code(checked: Sequence[CheckedTopic]) -> int:
    return ExitCode.FOUND if any(one.deviations for one in checked) else ExitCode.DONE


def _write(listed: TopicList, output: LinesFormat) -> None:
    write_answer(listed, output, lambda: print_topics(listed))
