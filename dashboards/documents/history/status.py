"""The history itself: what is in it, and one digest for each kind of verdict."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final

from dashboards.documents.document import Document
from dashboards.documents.instants import utc
from streams.history.embedded.owner import Owner
from streams.history.opening import AnyHistory, place_of
from streams.history.reading.digest import Digest
from streams.history.reading.holdings import Holdings, holdings_of
from streams.history.reading.status import HistoryStatus, history_status
from streams.history.sharing.shared import SharedHistory

STATUS_SCHEMA: Final = "ladderman.history-status/1"
"""Name and version of the status in JSON."""

DIGESTS_SCHEMA: Final = "ladderman.history-digests/1"
"""Name and version of the document of all digests."""

DIGEST_SCHEMA: Final = "ladderman.history-digest/1"
"""Name and version of one digest, where digests are written one a line."""


@dataclass(frozen=True)
class StatusPage(Document):
    """Rows, subjects, time, size, schema and owner of a history: ``ladderman.history-status/1``."""

    columns = ("name", "row_count", "byte_count", "part_count")

    path: str
    status: HistoryStatus
    held: Holdings
    """The gaming dates that it holds, and what it lacks."""
    owner: Owner | None
    """The process that keeps the store open and serves others; None: this one does."""

    def as_json(self) -> dict[str, object]:
        """Give the whole page."""
        status, owner = self.status, self.owner
        return {
            "schema": STATUS_SCHEMA,
            "path": self.path,
            "owner": None if owner is None else {"pid": owner.pid, "command": owner.command},
            "schema_version": status.schema_version,
            "byte_count": status.byte_count,
            "simulated": status.has_simulated,
            "gaming_tables": status.table_count,
            "coups": status.coup_count,
            "wagers": status.wager_count,
            "findings": status.finding_count,
            "other_subjects": status.other_subject_count,
            "first_gaming_date": _iso(status.first_gaming_date),
            "last_gaming_date": _iso(status.last_gaming_date),
            "first_occurred_at": utc(status.first_occurred_at_us),
            "last_occurred_at": utc(status.last_occurred_at_us),
            "tables": list(self.rows()),
            **holdings_json(self.held),
        }

    def rows(self) -> Iterable[dict[str, object]]:
        """Give one table of the database a row."""
        return [
            {
                "name": table.name,
                "row_count": table.row_count,
                "byte_count": table.byte_count,
                "part_count": table.part_count,
            }
            for table in self.status.tables
        ]


def status_page(history: AnyHistory) -> StatusPage:
    """Give the status of a history."""
    owner = history.owner if isinstance(history, SharedHistory) else None
    return StatusPage(place_of(history), history_status(history), holdings(history), owner)


def holdings(history: AnyHistory) -> Holdings:
    """Look at what a history holds."""
    path = history.path if isinstance(history, SharedHistory) else None
    return holdings_of(history, place_of(history), path)


def holdings_json(held: Holdings) -> dict[str, object]:
    """Give what a history holds and lacks, for the document of its status."""
    return {
        "gaming_dates": [day.isoformat() for day in held.gaming_dates],
        "simulated_and_real": held.is_mixed,
        "interrupted_ingests": [asdict(mark) for mark in held.interrupted],
        "ingests_under_way": [asdict(mark) for mark in held.under_way],
        "lacks": list(held.lacks),
    }


@dataclass(frozen=True)
class DigestList(Document):
    """One SHA-256 for each kind of verdict that stands: ``ladderman.digests/1``."""

    columns = ("of", "row_count", "sha256")

    digests: tuple[Digest, ...]

    def as_json(self) -> dict[str, object]:
        """Give all digests."""
        return {"schema": DIGESTS_SCHEMA, "digests": [_digest_json(one) for one in self.digests]}

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one digest a line."""
        return [{"schema": DIGEST_SCHEMA, **_digest_json(one)} for one in self.digests]


def _digest_json(digest: Digest) -> dict[str, object]:
    return {"of": digest.of, "row_count": digest.row_count, "sha256": digest.sha256}


def _iso(day: datetime.date | None) -> str | None:
    return None if day is None else day.isoformat()
