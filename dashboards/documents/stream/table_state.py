"""What a worker remembers of a table, from its newest snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from auditors.table.known.state import CoupState, FeedState, TableState
from dashboards.documents.document import Document
from streams.operating.state_inspection import KeptState, Verified

STATE_SCHEMA: Final = "ladderman.state/1"
"""Name and version of what is shown."""

VERIFIED_SCHEMA: Final = "ladderman.state-verified/1"
"""Name and version of the answer of ``verify``."""


@dataclass(frozen=True)
class StatePage(Document):
    """Where a table stands: ``ladderman.state/1``."""

    kept: KeptState

    def as_json(self) -> dict[str, object]:
        """Give the snapshot's place and what is worth knowing of the state."""
        return {"schema": STATE_SCHEMA, **_kept_json(self.kept), **_state_json(self.kept.state)}


@dataclass(frozen=True)
class StateCheck(Document):
    """Whether a snapshot is what the log gives: ``ladderman.state-verified/1``."""

    verified: Verified

    def as_json(self) -> dict[str, object]:
        """Give the snapshot's place and what differs."""
        return {
            "schema": VERIFIED_SCHEMA,
            **_kept_json(self.verified.kept),
            "equal": self.verified.is_equal,
            "differing": list(self.verified.differing),
        }


def _kept_json(kept: KeptState) -> dict[str, object]:
    header = kept.header
    return {
        "table": kept.state.source_id,
        "partition": header.partition,
        "next_offset": header.next_offset,
        "audit_epoch": header.audit_epoch,
        "log_id": header.log_id,
        "state_digest": kept.digest,
        "rejects_in_a_row": kept.streak,
    }


def _state_json(state: TableState) -> dict[str, object]:
    """Give what is worth knowing of a state."""
    shoe, filing = state.shoe, state.filing
    return {
        "open": state.is_open,
        "simulated": state.is_simulated,
        "gaming_date": state.gaming_date,
        "dealer": state.dealer,
        "submission": filing.id if filing else None,
        "feed": _feed_json(state.feed),
        "incoming_feed": _feed_json(state.incoming),
        "superseded_feeds": list(state.superseded),
        "shoe": None
        if shoe is None
        else {
            "shoe": shoe.shoe_id,
            "decks": shoe.decks,
            "coups": shoe.coup_count,
            "cards_seen": len(shoe.order) + len(shoe.others),
            "cards_unseen": shoe.unseen_count,
            "ended": shoe.is_ended,
            "unverified": shoe.is_unverified,
            "findings": len(shoe.findings),
        },
        "coups_in_play": [_coup_json(one) for one in state.coups if not one.is_closed],
        "coups_kept": len(state.coups),
        "faults": [
            {"fault": one.fault_id, "device": one.device, "sequence": one.raised_sequence}
            for one in state.faults
        ],
    }


def _feed_json(feed: FeedState | None) -> dict[str, object] | None:
    if feed is None:
        return None
    return {
        "feed": feed.feed_id,
        "next_sequence": feed.next_sequence,
        "last_hash": feed.last_hash,
        "held": [one.sequence for one in feed.held],
        "gaps": [list(one) for one in feed.gaps],
    }


def _coup_json(coup: CoupState) -> dict[str, object]:
    return {
        "coup": coup.coup_id,
        "cards": len(coup.cards),
        "wagers": len(coup.wagers),
        "unverified": coup.is_unverified,
    }
