"""``ladderman audit`` of files of events: the fold of the live pipeline, over lines of files."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

import typer

from auditors import progressive
from auditors.coverage import Coverage
from auditors.settlement.asserting import Place, assert_finding
from auditors.table import TableState
from dashboards.documents.advisory import ADVISORY
from dashboards.documents.audit.event_files import EventFileSummary, MeterSummary, SourceSummary
from dashboards.documents.audit.files import AuditSummary, FileSummary
from dashboards.errors import ExitCode, UsageProblem
from dashboards.terminal.formats import FormatOption
from dashboards.terminal.progress import ROWS_A_STEP, RowProgress
from dashboards.terminal.tables.audit import write_summary, writer_for
from dashboards.terminal.writing import write_json
from schemas.finding_facts.rounds import LineNoEvent
from schemas.findings import Finding, FindingCode
from schemas.records import Record, RecordKind
from streams.files.event_files import DamagedLine, EventFile, EventFileError, EventLine, open_events
from streams.files.event_keys import source_told_by
from streams.host.event_folding import EventFolder, FoldedLine

_FILE_SHIFT: Final = 48
"""A position is the file's number times 2**48 and the position within the file."""

_SAID_ONCE_MAX: Final = 4096
"""Findings of a source, beside those of its coups and shoes, that are known to be written."""


def audit_events(paths: Sequence[str], output: FormatOption, *, summary: bool) -> ExitCode:
    """Audit files of events as one log, and write findings or counts.

    Args:
        paths: Files, or ``-`` for standard input; several are read one after the other.
        output: In which form.
        summary: Write the counts, not the findings.

    Raises:
        UsageProblem: A file cannot be read, or no line of any is an event.
    """
    if summary and output not in (FormatOption.TABLE, FormatOption.JSON):
        raise UsageProblem(f"--summary is written as table or json, not as {output.value}")
    with ExitStack() as stack:
        try:
            files = [stack.enter_context(open_events(path)) for path in paths]
        except EventFileError as error:
            raise UsageProblem(str(error)) from None
        audit = EventAudit(files)
        if summary:
            for _ in audit.findings():
                pass
            _write_counts(audit.summaries, output)
        else:
            writer = writer_for(output, sys.stdout)
            for finding in audit.findings():
                writer.write(finding)
            writer.close(list(audit.summaries))
    if not any(one.events for one in audit.summaries):
        names = ", ".join(one.file for one in audit.summaries)
        raise UsageProblem(f"{names}: no event could be read; ladderman conform says why")
    return ExitCode.FOUND if any(one.findings for one in audit.summaries) else ExitCode.DONE


def _write_counts(summaries: Sequence[FileSummary], output: FormatOption) -> None:
    if output is FormatOption.JSON:
        write_json(AuditSummary(tuple(summaries)).as_json())
        return
    for one in summaries:
        write_summary(sys.stdout, one)
    typer.echo(f"\n{ADVISORY}")


@dataclass(slots=True)
class _Standing:
    """What one version of a record says, until no later one can come."""

    record: Record
    decided: dict[str, int]
    """Finding id to the offset of the event that decided it."""


@dataclass(slots=True)
class _Source:
    """Records of one source that a later version may still replace."""

    summary: SourceSummary
    standing: dict[tuple[str, str, str], _Standing] = field(default_factory=dict)
    written: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def has(self, record: Record) -> bool:
        """Whether an earlier version of a record is kept."""
        return record.key in self.standing

    def take(self, record: Record, decided: dict[str, int]) -> None:
        """Put a record in the place of its earlier version."""
        key = record.key
        known = self.standing.get(key)
        if known is not None:
            decided = {id_: known.decided.get(id_, at) for id_, at in decided.items()}
        self.standing[key] = _Standing(record, decided)

    def release(self, kept: frozenset[tuple[str, str]]) -> Iterator[tuple[Record, dict[str, int]]]:
        """Give the records that are final: all but those of subjects that can still change."""
        for key, one in list(self.standing.items()):
            if key[1:] in kept:
                continue
            del self.standing[key]
            yield one.record, one.decided

    def is_news(self, record: Record, finding: Finding) -> bool:
        """Whether a finding of the table or its feed is not written yet: they can come again."""
        if record.kind in (RecordKind.COUP, RecordKind.SHOE):
            return True
        if finding.id in self.written:
            return False
        self.written[finding.id] = None
        if len(self.written) > _SAID_ONCE_MAX:
            self.written.popitem(last=False)
        return True


def _in_play(state: TableState) -> frozenset[tuple[str, str]]:
    """Give kind and subject of what can still change: the shoe in play, and the latest coups.

    Of an earlier shoe, vigorish can still be collected.
    """
    coups = {(RecordKind.COUP.value, one.coup_id) for one in state.coups}
    shoes = [*state.owing_shoes, *((state.shoe,) if state.shoe is not None else ())]
    return frozenset(coups | {(RecordKind.SHOE.value, one.shoe_id) for one in shoes})


class EventAudit:
    """One audit of files of events, counting as it goes."""

    def __init__(self, files: Sequence[EventFile]) -> None:
        """Begin before the first line.

        Args:
            files: Open files, read in this order as one log.
        """
        self._files = files
        self.summaries = [EventFileSummary(one.name) for one in files]
        self._firsts: list[int] = []
        """Offset before the first line of each file that was begun."""
        self._folder = EventFolder(self._read_at)
        self._sources: dict[str, _Source] = {}
        self._ledgers = _Source(SourceSummary(""))
        """Records of all progressives; any of them may still be replaced until the end."""

    def _read_at(self, position: int) -> bytes:
        file = self._files[position >> _FILE_SHIFT]
        return file.read_at(position & ((1 << _FILE_SHIFT) - 1))

    def findings(self) -> Iterator[Finding]:
        """Give every finding once, as it finally stands, table by table and shoe by shoe."""
        offset = 0
        for number, file in enumerate(self._files):
            self._firsts.append(offset)
            with RowProgress(file.name, "events") as progress:
                for count, line in enumerate(file.lines(), start=1):
                    if count % ROWS_A_STEP == 0:
                        progress.advance(count)
                    if isinstance(line, DamagedLine):
                        yield self._dead(number, line.line, line.message)
                        continue
                    yield from self._line(number, offset + line.line, line)
            offset += file.line_count
        for folded in self._folder.finish():
            yield from self._folded(folded)
        for source_id in self._sources:
            yield from self._released(source_id, is_end=True)
        yield from self._released_of_ledgers()
        self._close()

    def _line(self, number: int, offset: int, line: EventLine) -> Iterator[Finding]:
        position = (number << _FILE_SHIFT) + line.position
        folded = self._folder.take(offset, position, line.raw)
        if folded.dead is not None:
            yield self._dead(number, line.line, folded.dead.message, line.raw)
            return
        self.summaries[number].events += 1
        self._source(folded).summary.events += 1
        yield from self._folded(folded)

    def _dead(self, number: int, line: int, problem: str, raw: bytes = b"") -> Finding:
        """Assert that a line is no event, not even one with a readable envelope."""
        summary = self.summaries[number]
        summary.dead_letters += 1
        summary.findings[FindingCode.EVENT_REJECTED.value] += 1
        source_id = source_told_by(raw)
        finding = assert_finding(
            FindingCode.EVENT_REJECTED,
            str(line),
            LineNoEvent(problem=problem, named_source=source_id),
            Place(file=summary.file, line=line),
        )
        return finding.model_copy(update={"source": source_id})  # its id is of the file

    def _source(self, folded: FoldedLine) -> _Source:
        source_id = folded.source_id or ""
        source = self._sources.get(source_id)
        if source is None:
            source = self._sources[source_id] = _Source(SourceSummary(source_id))
        return source

    def _folded(self, folded: FoldedLine) -> Iterator[Finding]:
        source_id, source = folded.source_id or "", self._source(folded)
        for record in folded.records:
            if record.kind is RecordKind.CHECKPOINT:
                if record.subject.startswith("shoe_loaded/"):
                    yield from self._released(source_id, is_end=False)
                continue
            decided = {one.id: self._folder.deciding_offset(folded, one) for one in record.findings}
            source.take(record, decided)
        self._take_of_ledgers(folded)

    def _take_of_ledgers(self, folded: FoldedLine) -> None:
        """Keep what stands about progressives, as far as something was found."""
        for record in folded.ledger_records:
            if record.findings or self._ledgers.has(record):
                decided = {
                    one.id: self._folder.deciding_offset_of_ledger(folded, one)
                    for one in record.findings
                }
                self._ledgers.take(record, decided)

    def _state(self, source_id: str) -> TableState:
        return self._folder.sources[source_id].state

    def _released(self, source_id: str, *, is_end: bool) -> Iterator[Finding]:
        """Give the findings of a source that are final, in the order of their lines."""
        source = self._sources[source_id]
        kept = frozenset[tuple[str, str]]() if is_end else _in_play(self._state(source_id))
        found: list[tuple[int, Finding]] = []
        for record, decided in source.release(kept):
            source.summary.count(record)
            found += [
                (decided[one.id], one) for one in record.findings if source.is_news(record, one)
            ]
        yield from self._placed(source.summary, found)

    def _released_of_ledgers(self) -> Iterator[Finding]:
        """Give the findings about progressives, in the order of their lines."""
        found: dict[str, list[tuple[int, Finding]]] = {}
        for record, decided in self._ledgers.release(frozenset()):
            for one in record.findings:
                found.setdefault(one.source or "", []).append((decided[one.id], one))
        for source_id, of_source in found.items():
            known = self._sources.get(source_id)
            summary = known.summary if known else self._ledgers.summary
            yield from self._placed(summary, of_source)

    def _placed(
        self, of_source: SourceSummary, found: list[tuple[int, Finding]]
    ) -> Iterator[Finding]:
        """Count findings, and give each with its file and line."""
        for offset, finding in sorted(found, key=lambda one: one[0]):
            number = max(0, bisect_right(self._firsts, offset - 1) - 1)
            summary = self.summaries[number]
            summary.findings[finding.code.value] += 1
            of_source.findings += 1
            line = offset - self._firsts[number]
            yield finding.model_copy(update={"file": summary.file, "line": line})

    def _close(self) -> None:
        """Say of each table what was audited: in the summary of the last file."""
        last = self.summaries[-1]
        for source_id, source in sorted(self._sources.items()):
            source.summary.close(self._state(source_id))
            last.sources.append(source.summary)
        for name, ledger in sorted(self._folder.ledgers.states.items()):
            for level in ledger.levels:
                if level.is_filed:
                    coverage = Coverage(*progressive.checks_of(level))
                    last.meters.append(MeterSummary(name, level.level, coverage))
