"""A table that speaks: builds a chained feed event by event, and folds it."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from auditors.table import Absorbed, Delivered, TableState, absorb, new_state
from schemas import events as said
from schemas.findings import Finding
from schemas.records import Record
from schemas.rules_submission import RulesSubmission
from schemas.wire import FeedPosition, encode_event

START = datetime.datetime(2025, 6, 7, 22, 0, tzinfo=datetime.UTC)
"""Saturday 2025-06-07, 18:00 in New York."""

EVERYTHING = tuple(one for one in said.Capability if one not in (said.Capability.SEAT_TOTALS_ONLY,))
"""All that a table can report, with payments per wager."""

SEAT_TOTALS = tuple(one for one in said.Capability if one is not said.Capability.PAYMENTS)
"""The same, with payments per seat."""


def all_but(*words: said.Capability) -> tuple[said.Capability, ...]:
    """Give all that a table can report, some of it left out."""
    return tuple(one for one in EVERYTHING if one not in words)


def a_submission(**changes: object) -> RulesSubmission:
    """File a Minibaccarat table with a few side wagers."""
    filed: dict[str, object] = {
        "id": "RS-7",
        "game": "minibaccarat",
        "commission": {"form": "standard", "rate": "5%"},
        "wagers": [
            {"id": "minibaccarat.player"},
            {"id": "minibaccarat.banker"},
            {"id": "minibaccarat.tie"},
            {"id": "golden_talons", "paytable": "B"},
            {"id": "house.player_pair"},
        ],
    }
    return RulesSubmission.model_validate({**filed, **changes})


def with_wager(filed: str, **fields: object) -> RulesSubmission:
    """File the same with one wager added or filed otherwise."""
    wagers = [one.model_dump() for one in a_submission().wagers if one.id != filed]
    return a_submission(wagers=[*wagers, {"id": filed, **fields}])


class TableScript:
    """Writes one feed; every method adds events and gives the script back."""

    def __init__(self, source_id: str = "BAC-01", feed_id: str = "feed-1") -> None:
        self.messages: list[bytes] = []
        self.position = FeedPosition(source_id, feed_id)
        self.now = START
        self._coup = 0
        self._wager = 0
        self._shoe = "S1"

    @property
    def coup_id(self) -> str:
        """The coup in progress."""
        return f"{self._shoe}/{self._coup}"

    @property
    def sequence(self) -> int:
        """Sequence of the event said last."""
        return self.position.sequence - 1

    def say(self, kind: type, after_s: float = 1.0, **fields: object) -> TableScript:
        """Add one event, some seconds after the one before."""
        self.now += datetime.timedelta(microseconds=round(after_s * 1_000_000))
        event = kind(**self.position.fields(self.now), **fields)
        return self.add(encode_event(event))

    def add(self, raw: bytes) -> TableScript:
        """Take bytes as the feed's next event, whatever they say."""
        self.messages.append(raw)
        self.position = self.position.after(raw)
        return self

    def restart(self, feed_id: str = "feed-2", **fields: object) -> TableScript:
        """Begin a new feed, which names the one before it and where that ended."""
        before = self.position
        self.position = FeedPosition(before.source_id, feed_id)
        ended = {"predecessor_sequence": before.sequence - 1 or None}
        named = {"source_kind": "table", "predecessor_feed_id": before.feed_id, **ended}
        return self.say(said.FeedStarted, **{**named, **fields})

    def open(
        self,
        submission: RulesSubmission | None = None,
        reports: Iterable[said.Capability] = EVERYTHING,
        **fields: object,
    ) -> TableScript:
        """Start the feed and open the table."""
        self.say(said.FeedStarted, source_kind="table")
        return self.open_again(submission, reports, **fields)

    def open_again(
        self,
        submission: RulesSubmission | None = None,
        reports: Iterable[said.Capability] = EVERYTHING,
        **fields: object,
    ) -> TableScript:
        """Open the table."""
        # 22:00 UTC is the same day in New York, and no gaming day is longer than the calendar's.
        opened = {"gaming_date": self.now.date(), **fields}
        return self.say(
            said.TableOpened,
            submission=submission or a_submission(),
            reports=tuple(reports),
            **opened,
        )

    def shoe(self, shoe_id: str = "S1", **fields: object) -> TableScript:
        """Load an inspected shoe."""
        self._shoe, self._coup = shoe_id, 0
        said_fields: dict[str, object] = {
            "shoe_id": shoe_id,
            "decks": 8,
            "shuffle": "by_device",
            "inspection": said.Inspection(method="by_device"),
        }
        return self.say(said.ShoeLoaded, **{**said_fields, **fields})

    def end_shoe(self, **fields: object) -> TableScript:
        """End the shoe."""
        told = {"reason": "cover_card", "coup_count": self._coup, **fields}
        return self.say(said.ShoeEnded, shoe_id=self._shoe, **told)

    def of_shoe(self, kind: type, after_s: float = 1.0, **fields: object) -> TableScript:
        """Add an event of the shoe in play."""
        return self.say(kind, after_s, shoe_id=self._shoe, **fields)

    def coup(self) -> TableScript:
        """Begin the next coup; its first event follows."""
        self._coup += 1
        return self

    def of_coup(self, kind: type, after_s: float = 1.0, **fields: object) -> TableScript:
        """Add an event of the coup in progress."""
        return self.say(kind, after_s, coup_id=self.coup_id, shoe_id=self._shoe, **fields)

    def wager(self, wager: str, stake_minor: int | None, seat: str = "1", **fields: object) -> str:
        """Place a wager and give its id."""
        self._wager += 1
        placed = {"wager_id": f"W{self._wager}", **fields}
        self.of_coup(said.WagerPlaced, seat=seat, wager=wager, stake_minor=stake_minor, **placed)
        return str(placed["wager_id"])

    def close_bets(self) -> TableScript:
        """Call no more bets."""
        return self.of_coup(said.NoMoreBets)

    def deal(self, player: str, banker: str) -> TableScript:
        """Deal a coup in the order of the rules."""
        hands = {"player": player.split(), "banker": banker.split()}
        for position in (1, 2, 3):
            for hand, cards in hands.items():
                if len(cards) >= position:
                    self.card(hand, position, cards[position - 1])
        return self

    def card(self, hand: str, position: int, card: str, **fields: object) -> TableScript:
        """Deal one card; ``?`` is one that cannot be read."""
        return self.of_coup(
            said.CardDealt,
            hand=hand,
            position=position,
            card=None if card == "?" else card,
            **fields,
        )

    def result(
        self,
        winner: str,
        player: int | None = None,
        banker: int | None = None,
        **fields: object,
    ) -> TableScript:
        """Announce the result."""
        return self.of_coup(
            said.ResultAnnounced,
            winner=winner,
            player_points=player,
            banker_points=banker,
            **fields,
        )

    def settle(self, wager_id: str, paid_minor: int, **fields: object) -> TableScript:
        """Settle a wager."""
        said_fields: dict[str, object] = {"settlement_id": f"T-{wager_id}"}
        return self.of_coup(
            said.WagerSettled, wager_id=wager_id, paid_minor=paid_minor, **{**said_fields, **fields}
        )

    def correct(self, wager_id: str, change_minor: int, **fields: object) -> TableScript:
        """Put the settlement of a wager right, as somebody who may."""
        told: dict[str, object] = {
            "correction_id": f"C-{wager_id}",
            "settlement_id": f"T-{wager_id}",
            "paid_change_minor": change_minor,
            "reason": "paid wrongly",
            "authorised_by": "su-1",
        }
        return self.of_coup(said.PayoutCorrected, **{**told, **fields})

    def refund(self, wager_id: str, minor: int, **fields: object) -> TableScript:
        """Return a stake, or a part of it."""
        told = {"refund_id": f"R-{wager_id}", "reason": "coup_voided", **fields}
        return self.of_coup(said.WagerRefunded, wager_id=wager_id, refunded_minor=minor, **told)

    def void(self) -> TableScript:
        """Void the coup."""
        return self.of_coup(said.CoupVoided, reason="card torn", authorised_by="su-1")

    def close(self) -> TableScript:
        """Close the coup."""
        return self.of_coup(said.CoupClosed)

    def honest_coup(self) -> TableScript:
        """Play a coup without wagers: Player 9, Banker 5, in cards that change with the coup."""
        self.coup()
        turn, round_ = self._coup % 4, self._coup // 4 % 4
        era = self._coup // 16
        suits = ["CDHS"[(turn + place * round_ + (place + 1) * era) % 4] for place in range(4)]
        ten, (first, second) = "TJQK"[round_], ("23", "4A", "5T", "A4")[(turn + round_) % 4]
        self.close_bets()
        self.deal(f"9{suits[0]} {ten}{suits[1]}", f"{first}{suits[2]} {second}{suits[3]}")
        return self.result("player", 9, 5).close()


class Folded:
    """What a log folds to."""

    def __init__(self, messages: Iterable[bytes], source_id: str = "BAC-01") -> None:
        self.log = list(messages)
        self.state: TableState = new_state(source_id)
        self.absorbed: list[Absorbed] = []
        self.records: dict[tuple[str, str, str], Record] = {}
        for offset, raw in enumerate(self.log):
            self.take(offset, raw)

    def take(self, offset: int, raw: bytes) -> Absorbed:
        """Fold one message."""
        absorbed = absorb(self.state, Delivered(offset, raw), self.log.__getitem__)
        self.state = absorbed.state
        self.absorbed.append(absorbed)
        for record in absorbed.records:
            self.records[record.key] = record
        return absorbed

    @property
    def findings(self) -> list[Finding]:
        """Every finding that stands, in the order of the records."""
        return [finding for record in self.records.values() for finding in record.findings]

    @property
    def codes(self) -> list[str]:
        """Codes of the findings that stand, sorted."""
        return sorted(finding.code.value for finding in self.findings)

    @property
    def finding(self) -> Finding:
        """The one finding that stands."""
        (finding,) = self.findings
        return finding

    def coup(self, coup_id: str) -> Record:
        """The record of a coup as it stands."""
        return next(
            record
            for (_, kind, subject), record in self.records.items()
            if (kind, subject) == ("coup", coup_id)
        )

    def said_at(self, sequence: int) -> list[str]:
        """Codes of the findings on the records that one event caused, sorted."""
        records = self.absorbed[sequence - 1].records
        return sorted(one.code.value for record in records for one in record.findings)
