"""Exact bytes for a device maker to compare with: twenty-one events of one chained feed.

One coup from the opening of a table to its close, right by the rules: Banker 9, Player 6; then
where its recording is. The times, ids and hashes never change, so every language can be tested
against them. A further event comes last.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from schemas.events import (
    Camera,
    Capability,
    CardDealt,
    CardsBurned,
    CountsAnnounced,
    CoupClosed,
    DealerOn,
    FeedStarted,
    Heartbeat,
    Inspection,
    NoMoreBets,
    ResultAnnounced,
    ShoeLoaded,
    TableClosed,
    TableOpened,
    VideoReference,
    WagerPlaced,
    WagerSettled,
)
from schemas.events.envelope import EnvelopeFields
from schemas.events.union import AnyEvent
from schemas.rules_submission import Commission, CommissionForm, Game, OfferedWager, RulesSubmission
from schemas.wire import FeedPosition, chain_hash, encode_event

CHECKSUM_FILE: Final = "SHA256SUMS"
"""Name of the list that ``sha256sum -c`` reads."""

_SOURCE: Final = "BAC-03"
_FEED: Final = "7c9e6679f3b04d8a"
_BEGINNING: Final = datetime.datetime(2025, 6, 7, 22, 0, 0, 0, tzinfo=datetime.UTC)
_SHOE: Final = "BAC-03-20250607-1"
_COUP: Final = f"{_SHOE}/1"
_REPORTS: Final = (
    Capability.CARDS,
    Capability.RANKS,
    Capability.SUITS,
    Capability.DEAL_ORDER,
    Capability.SHUFFLE,
    Capability.INSPECTION,
    Capability.BURN,
    Capability.WAGERS,
    Capability.STAKES,
    Capability.NO_MORE_BETS,
    Capability.COUNTS,
    Capability.ANNOUNCEMENTS,
    Capability.PAYMENTS,
    Capability.COLLECTIONS,
    Capability.VIGORISH,
    Capability.DEALERS,
)


class EventVector(NamedTuple):
    """One event of the vectors."""

    name: str
    """File name, such as ``09-card_dealt.json``."""
    event: AnyEvent
    raw: bytes
    """Its exact bytes, without a line end."""

    @property
    def sha256(self) -> str:
        """Hash of the bytes, which the next event carries."""
        return chain_hash(self.raw)


@cache
def event_vectors() -> tuple[EventVector, ...]:
    """Make the events, in feed order."""
    position = FeedPosition(_SOURCE, _FEED)
    vectors = []
    for make in _happenings():
        # Not whole seconds, so that a writer that drops zeros is found out.
        passed = datetime.timedelta(seconds=2, microseconds=300_007) * position.sequence
        event = make(position.fields(_BEGINNING + passed))
        raw = encode_event(event)
        vectors.append(EventVector(f"{position.sequence:02}-{event.type}.json", event, raw))
        position = position.after(raw)
    return tuple(vectors)


def checksum_lines() -> str:
    """Give the list of hashes in the form of ``sha256sum``."""
    return "".join(f"{vector.sha256}  {vector.name}\n" for vector in event_vectors())


_Making = Callable[[EnvelopeFields], AnyEvent]


def _happenings() -> Iterator[_Making]:
    yield from _opening()
    yield from _wagering()
    yield from _dealing()
    yield from _settling()
    yield from _recorded()


def _opening() -> Iterator[_Making]:
    wagers = (
        OfferedWager(id="minibaccarat.player", minimum="25.00", maximum="5000.00"),
        OfferedWager(id="minibaccarat.banker", minimum="25.00", maximum="5000.00"),
        OfferedWager(id="minibaccarat.tie", minimum="5.00", maximum="500.00"),
        OfferedWager(id="golden_talons", paytable="A", minimum="5.00", maximum="250.00"),
    )
    submission = RulesSubmission(
        id="RS-7",
        facility="Café Royal",
        game=Game.MINIBACCARAT,
        commission=Commission(form=CommissionForm.STANDARD),
        wagers=wagers,
    )
    inspection = Inspection(method="by_device", card_count=416)
    yield lambda at: FeedStarted(**at, source_kind="table", software="Example shoe reader 4.2")
    yield lambda at: TableOpened(
        **at,
        gaming_date=datetime.date(2025, 6, 7),
        submission=submission,
        reports=_REPORTS,
        seats=("1", "2", "3", "4", "5", "6"),
        cameras=(Camera(camera_id="CAM-118", shows="layout", clock_offset_us=-120_000),),
        clock_offset_us=1_500,
        pit="Salon privé – 2",
    )
    yield lambda at: DealerOn(**at, dealer="d-5f1c09")
    yield lambda at: ShoeLoaded(
        **at, shoe_id=_SHOE, decks=8, shuffle="by_device", inspection=inspection
    )
    yield lambda at: CardsBurned(**at, shoe_id=_SHOE, exposed_card="3H", burned_count=3)


def _wagering() -> Iterator[_Making]:
    yield lambda at: WagerPlaced(
        **at,
        coup_id=_COUP,
        shoe_id=_SHOE,
        wager_id=f"{_COUP}/1",
        seat="4",
        wager="banker",
        stake_minor=10_000,
        patron="p-81d2aa",
    )
    yield lambda at: WagerPlaced(
        **at,
        coup_id=_COUP,
        shoe_id=_SHOE,
        wager_id=f"{_COUP}/2",
        seat="4",
        wager="golden_talons@player",
        stake_minor=2_500,
        patron="p-81d2aa",
    )
    yield lambda at: NoMoreBets(**at, coup_id=_COUP, shoe_id=_SHOE)


def _dealing() -> Iterator[_Making]:
    yield lambda at: CardDealt(
        **at, coup_id=_COUP, shoe_id=_SHOE, hand="player", position=1, card="2S"
    )
    yield lambda at: CardDealt(
        **at, coup_id=_COUP, shoe_id=_SHOE, hand="banker", position=1, card="3D"
    )
    yield lambda at: CardDealt(
        **at, coup_id=_COUP, shoe_id=_SHOE, hand="player", position=2, card="4H"
    )
    yield lambda at: CardDealt(
        **at, coup_id=_COUP, shoe_id=_SHOE, hand="banker", position=2, card="2C"
    )
    yield lambda at: CountsAnnounced(
        **at, coup_id=_COUP, shoe_id=_SHOE, player_points=6, banker_points=5
    )
    yield lambda at: CardDealt(
        **at, coup_id=_COUP, shoe_id=_SHOE, hand="banker", position=3, card="4S"
    )
    yield lambda at: ResultAnnounced(
        **at, coup_id=_COUP, shoe_id=_SHOE, winner="banker", player_points=6, banker_points=9
    )


def _settling() -> Iterator[_Making]:
    yield lambda at: WagerSettled(
        **at,
        coup_id=_COUP,
        shoe_id=_SHOE,
        settlement_id=f"{_COUP}/2",
        wager_id=f"{_COUP}/2",
        paid_minor=0,
        stake_collected_minor=2_500,
    )
    yield lambda at: WagerSettled(
        **at,
        coup_id=_COUP,
        shoe_id=_SHOE,
        settlement_id=f"{_COUP}/1",
        wager_id=f"{_COUP}/1",
        paid_minor=19_500,
        stake_collected_minor=0,
        vigorish_taken_minor=500,
    )
    yield lambda at: CoupClosed(**at, coup_id=_COUP, shoe_id=_SHOE)
    yield lambda at: Heartbeat(**at)
    yield lambda at: TableClosed(**at, event_count=19, coup_count=1)


def _recorded() -> Iterator[_Making]:
    began, ended = (_BEGINNING + datetime.timedelta(seconds=seconds) for seconds in (13, 42))
    yield lambda at: VideoReference(
        **at,
        camera_id="CAM-118",
        recorded_from=began,
        recorded_until=ended,
        recording="VR-20250607/0001",
        coup_id=_COUP,
    )
