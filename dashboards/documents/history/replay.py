"""Replays: the steps of a coup or a shoe, the verdicts, and the comparison with what is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dashboards.documents.document import Document
from dashboards.documents.history.event_words import words_of
from dashboards.documents.history.videos import ShownVideo, shown_videos
from schemas.events.fields import format_instant
from schemas.money import format_minor
from schemas.records import Record, RecordKind, WagerRow
from streams.process.video_links import VideoLinks
from streams.replaying.replay import Compared, Replay, ReplayStep, digest_of

REPLAY_SCHEMA: Final = "ladderman.replay/1"
"""Name and version of the replay_document."""


STEP_SCHEMA: Final = "ladderman.replay-step/1"
"""Name and version of one step, where steps are written one a line."""


@dataclass(frozen=True, slots=True)
class ToldStep:
    """One step with what the engine made of it."""

    step: ReplayStep
    made: tuple[str, ...]
    currency: str
    zone: str | None
    """Time zone that the table has filed."""

    def said(self) -> str:
        """Say what the table said."""
        event = self.step.event
        if event is not None:
            return words_of(event, self.currency)
        return self.step.problem or "nothing more came; the waiting ended"

    def as_json(self) -> dict[str, object]:
        """Give the shape ``ladderman.replay-step/1``."""
        event = self.step.event
        return {
            "schema": STEP_SCHEMA,
            "offset": self.step.offset,
            "sequence": event.sequence if event else None,
            "type": event.type if event else None,
            "occurred_at": format_instant(event.occurred_at) if event else None,
            "coup": getattr(event, "coup_id", None),
            "said": self.said(),
            "made": list(self.made),
            "findings": [one.as_json() for one in self.step.decided],
            "withdrawn": [one.id for one in self.step.withdrawn],
        }


def _difference(one: Compared) -> str:
    name = f"{one.kind} {one.subject}"
    if one.stored is None:
        return f"{name}: nothing of it is kept"
    if one.replayed is None:
        return f"{name}: it is kept, and the replay does not give it"
    if one.stored.audit_epoch != one.replayed.audit_epoch:
        return (
            f"{name}: kept under audit epoch {one.stored.audit_epoch}, replayed under "
            f"{one.replayed.audit_epoch}"
        )
    ours, theirs = (record.model_dump(mode="json") for record in (one.replayed, one.stored))
    names = [key for key in ours if ours[key] != theirs[key] and key not in ("offset", "cause")]
    return f"{name}: other {', '.join(names)}"


@dataclass(frozen=True)
class ReplayPage(Document):
    """What came out of a replay, beside what is kept: ``ladderman.replay/1`` without its steps."""

    read_from: str
    table_id: str
    started_at: str
    """The checkpoint from which it began."""
    coups: tuple[Record, ...]
    """The coups that came out, in their order: cards, wagers, due, paid, findings."""
    compared: tuple[Compared, ...]
    videos: tuple[ShownVideo, ...]
    """Where recordings of the coups are."""

    @classmethod
    def of(cls, replay: Replay, links: VideoLinks | None = None) -> ReplayPage:
        """Give the page of a replay that has run.

        Args:
            replay: The replay.
            links: How the house makes links to recordings; None where it makes none.
        """
        places = replay.coups
        keys = [(RecordKind.COUP.value, one.coup_id) for one in places]
        videos = replay.source.videos(
            replay.table_id,
            {one.coup_id for one in places},
            places[0].began_at_us,
            places[-1].began_at_us,
        )
        return cls(
            replay.source.name,
            replay.table_id,
            replay.started_at,
            tuple(replay.records[key] for key in keys if key in replay.records),
            tuple(replay.comparison()),
            shown_videos(videos, links),
        )

    @property
    def is_identical(self) -> bool:
        """Whether the replay gives what is kept."""
        return all(one.is_identical for one in self.compared)

    @property
    def is_simulated(self) -> bool:
        """Whether any of it was played by the simulator."""
        return any(one.is_simulated for one in self.coups)

    @property
    def digest(self) -> str:
        """The digest of what came out."""
        return digest_of(one.replayed for one in self.compared)

    @property
    def stored_digest(self) -> str:
        """The digest of what is kept."""
        return digest_of(one.stored for one in self.compared)

    @property
    def differences(self) -> tuple[str, ...]:
        """Give a sentence for every record that differs."""
        return tuple(_difference(one) for one in self.compared if not one.is_identical)

    def as_json(self) -> dict[str, object]:
        """Give the whole, without its steps."""
        return {
            "schema": REPLAY_SCHEMA,
            "read_from": self.read_from,
            "source": self.table_id,
            "started_at": self.started_at,
            "simulated": self.is_simulated,
            "coups": [coup_json(one) for one in self.coups],
            "videos": [one.as_json() for one in self.videos],
            "records": len(self.compared),
            "digest": self.digest,
            "stored_digest": self.stored_digest,
            "identical": self.is_identical,
            "differences": list(self.differences),
        }


def coup_json(record: Record) -> dict[str, object]:
    """Give one coup as it stands: an entry of ``ladderman.replay/1``."""
    coup = record.coup
    assert coup is not None
    currency = record.currency
    return {
        "coup": record.subject,
        "coup_no": coup.coup_no,
        "shoe": record.shoe_id,
        "gaming_date": record.gaming_date,
        "state": coup.state,
        "determined": coup.is_determined,
        "unverified": coup.is_unverified,
        "player_cards": coup.player_cards,
        "banker_cards": coup.banker_cards,
        "player_points": coup.player_points,
        "banker_points": coup.banker_points,
        "winner": coup.winner,
        "announced_winner": coup.announced_winner,
        "staked": format_minor(coup.stake_minor, currency),
        "due": format_minor(coup.due_minor, currency),
        "paid": format_minor(coup.paid_minor, currency),
        "currency": currency,
        "rules_version": record.rules_version,
        "wagers": [_wager_json(row, currency) for row in record.wagers],
        "findings": [one.as_json() for one in record.findings],
    }


def _wager_json(row: WagerRow, currency: str) -> dict[str, object]:
    def money(minor: int | None) -> str | None:
        return None if minor is None else format_minor(minor, currency)

    return {
        "wager_id": row.wager_id,
        "wager": row.wager,
        "hand": row.hand,
        "seat": row.seat,
        "status": row.status.value,
        "paytable": row.paytable,
        "outcome": row.outcome,
        "outcome_code": row.outcome_code,
        "pays": row.pays,
        "stake": money(row.stake_minor),
        "due": money(row.due_minor),
        "paid": money(row.paid_minor),
        "citation": row.citation,
    }
