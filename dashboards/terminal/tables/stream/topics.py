"""The topics on Kafka for people."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from dashboards.documents.stream.topics import TopicList
from dashboards.terminal.console import add_row, plain_table, table_console, write_line
from streams.kafka.topics import CheckedTopic, Deviation


def print_topics(listed: TopicList) -> None:
    """Write the topics, what deviates, and how to mend it."""
    checked, made = listed.topics, listed.made
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
        write_line(console, f"All topics at {listed.bootstrap} are as they must be.")


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
