"""What a worker remembers of a progressive, from its newest snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dashboards.documents.document import Document
from streams.operating.ledger_inspection import KeptLedger, VerifiedLedger

LEDGER_STATE_SCHEMA: Final = "ladderman.ledger-state/1"
"""Name and version of what is shown."""

LEDGER_VERIFIED_SCHEMA: Final = "ladderman.ledger-state-verified/1"
"""Name and version of the answer of ``verify``."""


@dataclass(frozen=True)
class LedgerPage(Document):
    """Where the ledger of a progressive stands: ``ladderman.ledger-state/1``."""

    kept: KeptLedger

    def as_json(self) -> dict[str, object]:
        """Give the snapshot's place and every level."""
        return {
            "schema": LEDGER_STATE_SCHEMA,
            **_kept_json(self.kept),
            "levels": _levels(self.kept),
        }


@dataclass(frozen=True)
class LedgerCheck(Document):
    """Whether a snapshot is what the log gives: ``ladderman.ledger-state-verified/1``."""

    verified: VerifiedLedger

    def as_json(self) -> dict[str, object]:
        """Give the snapshot's place and the digest of the ledger folded again."""
        return {
            "schema": LEDGER_VERIFIED_SCHEMA,
            **_kept_json(self.verified.kept),
            "equal": self.verified.is_equal,
            "refolded_digest": self.verified.refolded_digest,
        }


def _kept_json(kept: KeptLedger) -> dict[str, object]:
    header = kept.header
    return {
        "progressive": kept.progressive_id,
        "partition": header.partition,
        "next_offset": header.next_offset,
        "audit_epoch": header.audit_epoch,
        "log_id": header.log_id,
        "state_digest": kept.digest,
        "rejects_in_a_row": kept.streak,
    }


def _levels(kept: KeptLedger) -> list[dict[str, object]]:
    return [
        {
            "level": one.level,
            "tables": sorted(one.tables),
            "entries_waiting": one.pending_count,
            "readings_waiting": len(one.readings),
            "hits_kept": len(one.hits),
        }
        for one in kept.state.levels
    ]
