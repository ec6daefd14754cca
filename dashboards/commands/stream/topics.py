"""``ladderman topics``: are the topics there, and kept as they must be?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Annotated, Final, TypeVar

import typer

from dashboards.commands.help import HelpGroup
from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.waiting import waiting_is_told
from dashboards.terminal.writing import (
    add_row,
    plain_table,
    table_console,
    write_json,
    write_json_lines,
    write_line,
)
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.topics import CheckedTopic, Deviation, check_topics, create_topics
from streams.process.settings import KafkaSettings
from streams.process.settings_errors import SettingsError

TOPICS_SCHEMA: Final = "ladderman.topics/1"
TOPIC_SCHEMA: Final = "ladderman.topic/1"

T = TypeVar("T")


class TopicsFormat(StrEnum):
    """In which form an answer about topics is written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


_FormatChoice = Annotated[TopicsFormat, typer.Option("--format", help="How to write it.")]


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


def create(settings: SettingsOption = None, output: _FormatChoice = TopicsFormat.TABLE) -> int:
    """Make the topics that are missing; exit 1 where one that exists is not as it must be.

    What exists is never changed: the answer says what to do about it.
    """
    kafka = settings_from(settings).kafka
    made, checked = _asked(create_topics, kafka)
    if output is not TopicsFormat.TABLE:
        sys.stderr.write(f"made: {', '.join(made) or 'none, all existed'}\n")
    _write(kafka, checked, output, made)
    return _code(checked)


def check(settings: SettingsOption = None, output: _FormatChoice = TopicsFormat.TABLE) -> int:
    """Say in plain words what about the topics is not as it must be; exit 1 where something is."""
    kafka = settings_from(settings).kafka
    checked = _asked(check_topics, kafka)
    _write(kafka, checked, output)
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


def _write(
    kafka: KafkaSettings,
    checked: Sequence[CheckedTopic],
    output: TopicsFormat,
    made: Sequence[str] = (),
) -> None:
    if output is TopicsFormat.JSON:
        write_json(
            {
                "schema": TOPICS_SCHEMA,
                "bootstrap": kafka.bootstrap,
                "topics": [_as_json(one) for one in checked],
            }
        )
    elif output is TopicsFormat.JSONL:
        write_json_lines(_as_json(one) for one in checked)
    else:
        _print(kafka, checked, made)


def _as_json(one: CheckedTopic) -> dict[str, object]:
    facts = one.facts
    return {
        "schema": TOPIC_SCHEMA,
        "name": one.name,
        "topic_id": facts.topic_id if facts else None,
        "key": one.topic.key.value,
        "content": one.topic.content,
        "cleanup": one.topic.cleanup,
        "partitions": facts.partitions if facts else None,
        "replication": min(facts.replicas, default=None) if facts else None,
        "deviations": [{"what": d.what, "mend": d.mend} for d in one.deviations],
    }


def _print(kafka: KafkaSettings, checked: Sequence[CheckedTopic], made: Sequence[str]) -> None:
    console = table_console()
    table = plain_table("topic", "partitions", "copies", "kept", "state")
    for one in checked:
        facts = one.facts
        add_row(
            table,
            one.name,
            str(facts.partitions) if facts else None,
            str(min(facts.replicas, default=0)) if facts else None,
            "last of each" if one.topic.cleanup == "compact" else f"{one.topic.retention_days} d",
            _state(one, made),
        )
    console.print(table)
    write_line(console)
    for what, found in _by_what(checked).items():
        write_line(console, f"{', '.join(one.topic for one in found)}: {what}.", hang=4)
        for mend in dict.fromkeys(one.mend for one in found):
            typer.echo(f"    {mend}")  # not wrapped: it may be a command that is copied
        write_line(console)
    count = sum(len(one.deviations) for one in checked)
    if count:
        write_line(console, f"{count} {'deviation' if count == 1 else 'deviations'}.")
    else:
        write_line(console, f"All topics at {kafka.bootstrap} are as they must be.")


def _by_what(checked: Sequence[CheckedTopic]) -> dict[str, list[Deviation]]:
    """Put together what is the same of several topics."""
    found: dict[str, list[Deviation]] = {}
    for one in checked:
        for deviation in one.deviations:
            found.setdefault(deviation.what, []).append(deviation)
    return found


def _state(one: CheckedTopic, made: Sequence[str]) -> str:
    if one.facts is None:
        return "missing"
    if one.deviations:
        return f"deviates ({len(one.deviations)})"
    return "made" if one.name in made else "in order"
