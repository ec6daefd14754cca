"""One coup as it stands: cards, wagers, due, paid, findings."""

from __future__ import annotations

from dataclasses import dataclass

from dashboards.documents.document import Document
from dashboards.documents.errors import NotThereError
from dashboards.documents.history.replay import coup_json
from dashboards.documents.history.tables import latest_state, zone_of
from schemas.records import Record, RecordKind
from streams.replaying.sources import RecordSource

COUP_SCHEMA = "ladderman.coup/1"
"""Name and version of the document."""


@dataclass(frozen=True)
class CoupPage(Document):
    """All about one coup: ``ladderman.coup/1``."""

    read_from: str
    record: Record
    """Its cards, wagers and findings; amounts in minor units of its currency."""
    zone: str
    """Time zone of the property."""

    def as_json(self) -> dict[str, object]:
        """Give the coup with its table."""
        return {
            "schema": COUP_SCHEMA,
            "read_from": self.read_from,
            "source": self.record.table_id,
            "simulated": self.record.is_simulated,
            "zone": self.zone,
            **coup_json(self.record),
        }


def coup_page(source: RecordSource, table_id: str, coup_id: str) -> CoupPage:
    """Give all about one coup.

    Args:
        source: The store or files.
        table_id: Its table.
        coup_id: Its id.

    Raises:
        NotThereError: The table dealt no such coup.
    """
    record = source.record_of(table_id, RecordKind.COUP.value, coup_id)
    if record is None:
        raise NotThereError("coup", f"{coup_id} of {table_id}", source.name)
    return CoupPage(source.name, record, zone_of(latest_state(source, table_id)))
