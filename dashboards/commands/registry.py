"""The commands by name: their help groups, one line of help each, and the module of each.

Help, completion and near misses are answered from here; no command's module is imported for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WIDTH_OF_HELP: Final = 62
"""Signs of a line of help: it stands beside the longest name on a screen of 80 columns."""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command: its name and its line in the help."""

    name: str
    help: str


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """Commands that stand together in the help and in one folder."""

    title: str
    wing: str
    """The folder below ``dashboards.commands``."""
    commands: tuple[CommandEntry, ...]

    def module_of(self, name: str) -> str:
        """Give the module of a command of this group."""
        return f"dashboards.commands.{self.wing}.{name.replace('-', '_')}"


GROUPS: Final = (
    CommandGroup(
        "Audit and settle",
        "audit",
        (
            CommandEntry("audit", "Audit files of recorded rounds or events."),
            CommandEntry("settle", "Settle the wagers of one coup, each with its paragraph."),
            CommandEntry("simulate", "Simulate a floor of tables, with faults on request."),
            CommandEntry("demo", "Play a simulated floor with planted faults; audit it live."),
        ),
    ),
    CommandGroup(
        "Live stream",
        "stream",
        (
            CommandEntry("topics", "Create the topics on Kafka, and check their settings."),
            CommandEntry("worker", "Audit the tables that this worker is given, until stopped."),
            CommandEntry("sink", "Write what workers decide into the history, until stopped."),
            CommandEntry("reconcile", "Compare the history with the log and mend what it lacks."),
            CommandEntry("dead-letters", "Messages that could not be read: why, bytes, replay."),
            CommandEntry("state", "What the workers remember of a table or a progressive."),
            CommandEntry("doctor", "Check settings, services and lags; suggest what to do."),
        ),
    ),
    CommandGroup(
        "History and reports",
        "history",
        (
            CommandEntry("ingest", "Put files of events into a store and audit them."),
            CommandEntry("history", "The history: status, digests, backup and restore."),
            CommandEntry("incidents", "Findings with one cause, as one line each."),
            CommandEntry("replay", "Replay a coup or a shoe step by step, with its verdicts."),
            CommandEntry("progressives", "Progressive meters: ledger, readings, hits, liability."),
        ),
    ),
    CommandGroup(
        "Law and filings",
        "law",
        (
            CommandEntry("rules", "The law as held: sections, paytables, interpretations."),
            CommandEntry("submission", "What a property files: write one, check it, compare two."),
            CommandEntry("odds", "Compute the exact odds of a wager and the house edge."),
        ),
    ),
    CommandGroup(
        "Devices",
        "devices",
        (
            CommandEntry("conform", "Check a feed event by event, and show how to mend it."),
            CommandEntry("schema", "Print the JSON Schema of all events; write exact bytes."),
            CommandEntry("publish", "Publish events to Kafka through a spool; none is lost."),
        ),
    ),
)
"""All commands, in the order of the help."""

ENTRIES: Final = {entry.name: entry for group in GROUPS for entry in group.commands}
"""The commands by name."""

MODULES: Final = {
    entry.name: group.module_of(entry.name) for group in GROUPS for entry in group.commands
}
"""The module of every command, by name."""
