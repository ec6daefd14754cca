"""A log that is folded as a host folds it: late events of the shoe in play are amended."""

from __future__ import annotations

from auditors.table import Absorbed, Delivered, amend
from schemas.records import encode_record
from tests.support.tables.table_script import Folded


class Amended(Folded):
    """A log of which late events are amended as a host does."""

    def take(self, offset: int, raw: bytes) -> Absorbed:
        """Fold one message, and the shoe again where it is late truth about it."""
        before = self.state
        absorbed = super().take(offset, raw)
        if absorbed.amend_from is None:
            return absorbed
        messages = [Delivered(n, self.log[n]) for n in range(absorbed.amend_from, offset + 1)]
        absorbed = amend(before, messages, self.log.__getitem__)
        self.absorbed[-1] = absorbed
        self.state = absorbed.state
        for record in absorbed.records:
            self.records[record.key] = record
        return absorbed


def current(folded: Folded) -> dict[tuple[str, str, str], bytes]:
    """Give what stands, apart from when and where it was put out; empty feed faults left out."""
    return {
        key: encode_record(record.model_copy(update={"offset": 0, "cause": "event"}))
        for key, record in folded.records.items()
        if key[1] != "feed" or record.findings
    }
