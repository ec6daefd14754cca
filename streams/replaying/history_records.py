"""The history as a source: named queries, answered by whoever owns it."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from auditors.incidents import TableTold, ToldCoup, ToldFinding, ToldShoe, ToldWager
from auditors.table import Delivered
from auditors.table.known.shoe_names import BESIDE
from schemas.finding_facts import decode_facts
from schemas.findings import Finding, FindingCode, FindingStatus, Severity
from schemas.money import DEFAULT_CURRENCY
from schemas.records import Record, RecordKind, VideoRow, decode_record
from schemas.wire import parse_event
from streams.history.names import names_of
from streams.history.raw_bytes import as_bytes
from streams.history.store import HistoryReader, Parameter
from streams.replaying.endings import ENDING_TYPES, EndingsFound
from streams.replaying.sources import CoupPlace
from streams.replaying.span import EVERYTHING, Span

_CHECKPOINTS_A_PAGE: Final = 8
_OFFSET_MAX: Final = 2**63 - 1
_FINDING_FIELDS: Final = names_of(
    """
    source feed file line shoe coup seat wager hand due_minor paid_minor difference_minor
    corrected_minor residual_minor currency sentence citation rules_version coup_began_at_us coup_no
    stake_minor patron wager_id settlement_id dealer title
    """
)

_Row = dict[str, Any]


class HistoryRecords:
    """What a history holds."""

    last_offset: int | None = None
    """More may always come."""

    def __init__(self, name: str, reader: HistoryReader) -> None:
        """Read a history.

        Args:
            name: How messages call it.
            reader: Answers the queries.
        """
        self.name = name
        self._reader = reader

    def _rows(self, query: str, **parameters: Parameter) -> list[_Row]:
        return self._reader.query(query, parameters).dicts()

    def tables(self) -> tuple[str, ...]:
        """Name every table, in order."""
        return tuple(sorted(row["table_id"] for row in self._rows("table_ids")))

    def told(
        self, span: Span, table_id: str | None = None, *, with_canary: bool = False
    ) -> tuple[TableTold, ...]:
        """Give what stands about each table, or about one, in a range; of the canary if asked."""
        asked = {"table_id": table_id or "", "with_canary": with_canary, **_bounds(span)}
        findings = _by_table(self._rows("told_findings", **asked))
        coups = _by_table(self._rows("told_coups", **asked))
        wagers: dict[tuple[str, str], list[ToldWager]] = {}
        for row in self._rows("told_wagers", **asked):
            wagers.setdefault((row["table_id"], row["coup_id"]), []).append(_wager(row))
        shoes = _by_table(self._rows("told_shoes", table_id=table_id or ""))
        ended = self._endings(table_id)
        return tuple(
            _table(
                name,
                (coups.get(name, []), wagers, shoes.get(name, []), findings.get(name, [])),
                ended,
            )
            for name in sorted({*findings, *coups})
        )

    def _endings(self, table_id: str | None) -> EndingsFound:
        found = EndingsFound()
        types = list(ENDING_TYPES)
        for row in self._rows("told_endings", types=types, table_id=table_id or ""):
            found.hear(parse_event(as_bytes(row["raw_bytes"])))
        return found

    def coups_named(self, coup_id: str) -> tuple[CoupPlace, ...]:
        """Find the coups with an id: one a table at most."""
        return self._places(coup_id=coup_id)

    def coup_ids(self, count_max: int) -> Sequence[str]:
        """Give some ids of coups, the latest first."""
        return [row["coup_id"] for row in self._rows("coup_ids_latest", limit=count_max)]

    def coups_of_shoe(self, shoe_id: str) -> tuple[CoupPlace, ...]:
        """Give the coups of the shoes with an id, in their order."""
        return self._places(shoe_id=shoe_id)

    def shoe_ids(self) -> Sequence[str]:
        """Give the ids of all shoes."""
        return [row["shoe_id"] for row in self._rows("shoe_ids")]

    def names_beside(self, told: str, *, of_shoes: bool) -> Sequence[str]:
        """Give the names of later coups, or shoes, whose device used an id again, in order."""
        rows = self._rows("names_beside", beginning=told + BESIDE, of_shoes=of_shoes)
        return [row["name"] for row in rows]

    def coups_in(self, table_id: str, span: Span) -> tuple[CoupPlace, ...]:
        """Give the coups of a table that began in a range, in their order."""
        return self._places(span, table_id=table_id)

    def _places(self, span: Span = EVERYTHING, **named: str) -> tuple[CoupPlace, ...]:
        asked = {"table_id": "", "coup_id": "", "shoe_id": "", **named, **_bounds(span)}
        return tuple(
            CoupPlace(
                table_id=row["table_id"],
                coup_id=row["coup_id"],
                shoe_id=row["shoe_id"],
                coup_no=row["coup_no"],
                feed_id=row["feed_id"],
                gaming_date=_iso(row["gaming_date"]),
                began_at_us=row["began_at_us"],
                first_sequence=row["first_sequence"],
                last_sequence=row["last_sequence"],
                offset=row["log_offset"],
                is_amended=row["cause"] == "amended",
            )
            for row in self._rows("coup_places", **asked)
        )

    def checkpoints(self, table_id: str, offset: int) -> Iterator[Record]:
        """Give the checkpoints of a table at or before an offset, the latest first."""
        while True:
            rows = self._rows(
                "checkpoints_of_table",
                table_id=table_id,
                log_offset=min(offset, _OFFSET_MAX),
                limit=_CHECKPOINTS_A_PAGE,
            )
            for row in rows:
                yield decode_record(as_bytes(row["record_bytes"]))
            if len(rows) < _CHECKPOINTS_A_PAGE or rows[-1]["log_offset"] == 0:
                return
            offset = rows[-1]["log_offset"] - 1

    def messages(self, table_id: str, first: int, last: int) -> Iterator[Delivered]:
        """Give the messages of a table from one offset to another, both included, in order."""
        asked: dict[str, Parameter] = {
            "source_id": table_id,
            "first_offset": first,
            "last_offset": min(last, _OFFSET_MAX),
        }
        for block in self._reader.blocks("events_of_source", asked):
            at = block.names.index("log_offset"), block.names.index("raw_bytes")
            pairs = zip(block.columns[at[0]], block.columns[at[1]], strict=True)
            yield from (Delivered(offset, as_bytes(raw)) for offset, raw in pairs)

    def records_between(self, table_id: str, first: int, last: int) -> Sequence[Record]:
        """Give the standing records whose version was caused between two offsets."""
        rows = self._rows(
            "records_between",
            table_id=table_id,
            first_offset=first,
            last_offset=min(last, _OFFSET_MAX),
        )
        return [decode_record(as_bytes(row["record_bytes"])) for row in rows]

    def videos(
        self, table_id: str, coup_ids: Collection[str], from_us: int, until_us: int
    ) -> Sequence[VideoRow]:
        """Give where recordings of some coups are, or of no coup and a stretch of time."""
        asked: dict[str, Parameter] = {
            "table_id": table_id,
            "coup_ids": sorted(coup_ids),
            "from_us": from_us,
            "until_us": until_us,
        }
        records = (
            decode_record(as_bytes(row["record_bytes"]))
            for row in self._rows("told_videos", **asked)
        )
        return [record.video for record in records if record.video is not None]

    def record_of(self, table_id: str, kind: str, subject: str) -> Record | None:
        """Give the record that stands about a subject."""
        rows = self._rows("standing_record", table_id=table_id, kind=kind, subject=subject)
        return decode_record(as_bytes(rows[0]["record_bytes"])) if rows else None


def _bounds(span: Span) -> dict[str, Parameter]:
    return {
        "first_date": datetime.date.fromisoformat(span.first_date),
        "last_date": datetime.date.fromisoformat(span.last_date),
        "from_us": span.from_us,
        "until_us": span.until_us,
    }


def _by_table(rows: list[_Row]) -> dict[str, list[_Row]]:
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(row["table_id"], []).append(row)
    return found


def _iso(day: datetime.date | None) -> str | None:
    return None if day is None else day.isoformat()


def _table(
    table_id: str,
    rows: tuple[list[_Row], dict[tuple[str, str], list[ToldWager]], list[_Row], list[_Row]],
    ended: EndingsFound,
) -> TableTold:
    coups, wagers, shoes, findings = rows
    money = coups or findings
    return TableTold(
        table_id=table_id,
        currency=money[-1]["currency"] if money else DEFAULT_CURRENCY,
        is_simulated=any(row["is_simulated"] for row in (*coups, *findings)),
        coups=tuple(_coup(row, wagers.get((table_id, row["coup_id"]), [])) for row in coups),
        shoes=tuple(
            ToldShoe(row["subject"], row["feed_id"], row["loaded_sequence"], row["loaded_at_us"])
            for row in shoes
        ),
        findings=tuple(_finding(row) for row in findings),
        ended=ended.by_table.get(table_id, {}),
    )


def _coup(row: _Row, wagers: list[ToldWager]) -> ToldCoup:
    return ToldCoup(
        coup_id=row["coup_id"],
        shoe_id=row["shoe_id"],
        coup_no=row["coup_no"],
        feed_id=row["feed_id"],
        gaming_date=_iso(row["gaming_date"]),
        first_sequence=row["first_sequence"],
        last_sequence=row["last_sequence"],
        began_at_us=row["began_at_us"],
        stake_minor=row["stake_minor"],
        is_unverified=row["is_unverified"],
        wagers=tuple(wagers),
    )


def _wager(row: _Row) -> ToldWager:
    return ToldWager(
        wager=row["wager"],
        hand=row["hand"],
        seat=row["seat"],
        outcome=row["outcome"],
        outcome_code=row["outcome_code"],
        stake_minor=row["stake_minor"],
        paid_minor=row["paid_minor"],
        vigorish_minor=row["vigorish_due_minor"],
    )


def _finding(row: _Row) -> ToldFinding:
    finding = Finding(
        id=row["finding_id"],
        code=FindingCode(row["code"]),
        severity=Severity(row["severity"]),
        status=FindingStatus(row["status"]),
        column=row["file_column"],
        interpretations=dict(row["interpretations"]),
        evidence=tuple(row["evidence"]),
        occurred_at_us=row["act_occurred_at_us"],
        gaming_date=_iso(row["act_gaming_date"]),
        facts=None if row["facts"] is None else decode_facts(row["facts"]),
        **{name: row[name] for name in _FINDING_FIELDS},
    )
    return ToldFinding(
        finding,
        RecordKind(row["kind"]),
        row["feed"] or "",
        row["occurred_at_us"],
        _iso(row["gaming_date"]),
    )
