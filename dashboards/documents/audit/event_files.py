"""What became of files of events: events, coups by how they ended, checks by table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from auditors.coverage import Coverage
from auditors.table import TableState, checks_off, checks_on
from dashboards.documents.audit.files import FileSummary
from dashboards.documents.coverage import coverage_json
from schemas.events import Capability
from schemas.records import Record, RecordKind


@dataclass
class SourceSummary:
    """What became of one source: a table, or a controller that only passes through."""

    source: str
    events: int = 0
    is_table: bool = False
    is_simulated: bool = False
    coups: Counter[str] = field(default_factory=Counter)
    """How they ended: settled, undetermined, unreadable or voided."""
    unverified: int = 0
    open: int = 0
    """Coups that had not ended when the file did."""
    findings: int = 0
    progressives: tuple[str, ...] = ()
    """Of which it is the controller."""
    coverage: Coverage = field(default_factory=lambda: Coverage((), ()))

    def close(self, state: TableState) -> None:
        """Note what the source came to."""
        self.is_table = bool(state.filings or state.coups or state.shoe)
        self.is_simulated |= state.is_simulated
        self.progressives = state.controls
        self.open = sum(not one.is_closed for one in state.coups)
        reports = frozenset(state.reports)
        if state.filings:
            on, off = checks_on(reports), checks_off(reports)
            if any(submission.progressives for _, submission in state.filings):
                # The ledger has hits from the cards, where the table reports them.
                if Capability.CARDS in reports:
                    on = (*on, "progressive_hits")
                else:
                    off = (*off, ("progressive_hits", "cards are not reported"))
            self.coverage = Coverage(on, off)

    def count(self, record: Record) -> None:
        """Count a coup as it finally stands."""
        self.is_simulated |= record.is_simulated
        if record.kind is not RecordKind.COUP or record.coup is None:
            return
        coup = record.coup
        if coup.state == "open":
            return
        self.unverified += coup.is_unverified
        if coup.state == "voided":
            self.coups["voided"] += 1
        elif "?" in coup.player_cards + coup.banker_cards:
            self.coups["unreadable"] += 1
        else:
            self.coups["settled" if coup.is_determined else "undetermined"] += 1

    def as_json(self) -> dict[str, object]:
        """Give one entry of ``sources``."""
        return {
            "source": self.source,
            "is_table": self.is_table,
            "simulated": self.is_simulated,
            "events": self.events,
            "coups": self.coups.total(),
            **endings(self.coups),
            "unverified": self.unverified,
            "open": self.open,
            "findings": self.findings,
            "progressives": list(self.progressives),
            **coverage_json(self.coverage),
        }


@dataclass(frozen=True)
class MeterSummary:
    """What was checked of one meter of a progressive."""

    progressive: str
    level: int
    coverage: Coverage

    def as_json(self) -> dict[str, object]:
        """Give one entry of ``progressives``."""
        return {
            "progressive": self.progressive,
            "level": self.level,
            **coverage_json(self.coverage),
        }


def endings(coups: Counter[str]) -> dict[str, int]:
    """Name how coups ended, in the order in which it is told."""
    names = ("settled", "undetermined", "unreadable", "voided")
    return {name: coups[name] for name in names}


@dataclass
class EventFileSummary(FileSummary):
    """What became of one file of events; the sources stand with the last file of a log."""

    events: int = 0
    dead_letters: int = 0
    """Lines without a readable envelope."""
    sources: list[SourceSummary] = field(default_factory=list)
    meters: list[MeterSummary] = field(default_factory=list)
    """Of progressives, like the sources."""

    @property
    def is_simulated(self) -> bool:
        """Whether any source says that it is simulated."""
        return any(one.is_simulated for one in self.sources)

    def as_json(self) -> dict[str, object]:
        """Give one entry of ``ladderman.audit/1``."""
        coups = self.coup_endings()
        return {
            "file": self.file,
            "events": self.events,
            "dead_letters": self.dead_letters,
            "coups": coups.total(),
            **endings(coups),
            "unverified": sum(one.unverified for one in self.sources),
            "open": sum(one.open for one in self.sources),
            "simulated": self.is_simulated,
            "findings": dict(sorted(self.findings.items())),
            "sources": [one.as_json() for one in self.sources],
            "progressives": [one.as_json() for one in self.meters],
        }

    def coup_endings(self) -> Counter[str]:
        """Count the coups of all sources by how they ended."""
        return sum((one.coups for one in self.sources), Counter())
