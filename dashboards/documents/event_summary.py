"""What was audited in a file of events? Events, coups by how they ended, checks by table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import IO

from auditors.coverage import Coverage
from auditors.table import TableState, checks_off, checks_on
from dashboards.terminal.audit import FileSummary, write_finding_counts
from schemas.events import Capability
from schemas.records import Record, RecordKind
from schemas.words.counting import counted


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
            **_endings(self.coups),
            "unverified": self.unverified,
            "open": self.open,
            "findings": self.findings,
            "progressives": list(self.progressives),
            "checks_on": list(self.coverage.on),
            "checks_off": _checks_off_json(self.coverage),
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
            "checks_on": list(self.coverage.on),
            "checks_off": _checks_off_json(self.coverage),
        }


def _checks_off_json(coverage: Coverage) -> list[dict[str, str]]:
    return [{"check": check, "reason": reason} for check, reason in coverage.off]


def _endings(coups: Counter[str]) -> dict[str, int]:
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
        coups = self._coups()
        return {
            "file": self.file,
            "events": self.events,
            "dead_letters": self.dead_letters,
            "coups": coups.total(),
            **_endings(coups),
            "unverified": sum(one.unverified for one in self.sources),
            "open": sum(one.open for one in self.sources),
            "simulated": self.is_simulated,
            "findings": dict(sorted(self.findings.items())),
            "sources": [one.as_json() for one in self.sources],
            "progressives": [one.as_json() for one in self.meters],
        }

    def _coups(self) -> Counter[str]:
        return sum((one.coups for one in self.sources), Counter())

    def write(self, out: IO[str]) -> None:
        """Write it for people."""
        out.write(f"\n{self.file}: {counted(self.events, 'event')}")
        if self.dead_letters:
            out.write(f", {counted(self.dead_letters, 'line')} without an event")
        coups = self._coups()
        if self.sources:
            parts = [f"{count:,} {name}" for name, count in _endings(coups).items()]
            out.write(f"; {counted(coups.total(), 'coup')}: {', '.join(parts)}")
            unverified = sum(one.unverified for one in self.sources)
            still_open = sum(one.open for one in self.sources)
            out.write(f"; {unverified:,} unverified" if unverified else "")
            out.write(f"; {still_open:,} still open at the end" if still_open else "")
        out.write("; SIMULATED\n" if self.is_simulated else "\n")
        write_finding_counts(out, self.findings)
        for names, coverage in (*self._coverages(), *self._meter_coverages()):
            out.write(f"  {names}: checks on: {', '.join(coverage.on) or 'none'}\n")
            for check, reason in coverage.off:
                out.write(f"  {names}: check off: {check}: {reason}\n")
        for one in self.sources:
            if one.progressives:
                names = ", ".join(one.progressives)
                out.write(f"  {one.source}: the controller of {names}, compared with the tables\n")
            elif not one.is_table:
                out.write(
                    f"  {one.source}: no table was opened; its events are not compared here\n"
                )

    def _meter_coverages(self) -> list[tuple[str, Coverage]]:
        """Give the meters that were checked alike, together."""
        alike: dict[Coverage, list[str]] = {}
        for one in self.meters:
            name = one.progressive + (f" level {one.level}" if one.level > 1 else "")
            alike.setdefault(one.coverage, []).append(name)
        return [(", ".join(names), coverage) for coverage, names in alike.items()]

    def _coverages(self) -> list[tuple[str, Coverage]]:
        """Give the tables that were checked alike, together."""
        alike: dict[Coverage, list[str]] = {}
        for one in self.sources:
            if one.is_table:
                alike.setdefault(one.coverage, []).append(one.source)
        return [(", ".join(names), coverage) for coverage, names in alike.items()]
