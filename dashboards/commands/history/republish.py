"""``ladderman history republish``: Kafka's log made anew from the history."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from streams.history.store import HistoryError
from streams.process.settings_errors import SettingsError

if TYPE_CHECKING:
    from streams.operating.log_rebuild import Rebuilt


def republish(
    settings: SettingsOption = None,
    prefix: Annotated[
        str | None,
        typer.Option("--prefix", metavar="NAME", help="Of the new topics; default: kafka.prefix."),
    ] = None,
) -> int:
    """Publish every raw event of the history into empty topics, each feed in its order.

    Workers that fold them come to the same verdicts under new versions: point them, the sink and
    a new history at the new prefix, and compare ladderman history digest. Exit 1 where an event
    does not carry the hash of the one before it.
    """
    # Kafka's clients take half a second to import, which no other history command should wait for.
    from dashboards.terminal.waiting import waiting_is_told
    from streams.history.archive import history_reader
    from streams.kafka.administration import KafkaUnavailableError
    from streams.kafka.events_topic import NoEventsTopicError
    from streams.operating.log_rebuild import LISTED_MAX, RebuildRefusedError, rebuild_log

    loaded = settings_from(settings)
    kafka = loaded.kafka.model_copy(update={"prefix": prefix} if prefix else {})
    try:
        with waiting_is_told(), history_reader(loaded) as reader:
            rebuilt = rebuild_log(kafka, reader, _report if sys.stderr.isatty() else None)
    except (RebuildRefusedError, NoEventsTopicError, SettingsError) as error:
        raise UsageProblem(str(error)) from None
    except (HistoryError, KafkaUnavailableError) as error:
        raise ServiceProblem(str(error)) from None
    typer.echo(
        f"published {rebuilt.events:,} events of {rebuilt.sources:,} sources in "
        f"{rebuilt.feeds:,} feeds under {kafka.prefix}; {rebuilt.missing:,} sequences are missing, "
        f"{rebuilt.conflicts:,} have several contents"
    )
    for line in rebuilt.lines:
        typer.echo(line)
    if rebuilt.breaks > LISTED_MAX:
        typer.echo(f"and {rebuilt.breaks - LISTED_MAX:,} more breaks")
    return ExitCode.FOUND if rebuilt.breaks else ExitCode.DONE


def _report(rebuilt: Rebuilt) -> None:
    sys.stderr.write(f"\r{rebuilt.events:,} events")
    sys.stderr.flush()
