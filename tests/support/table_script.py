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

    def say(self, kind: type, after_s: float = 1.0, **fields: object) -> TableScript:
        """Add one event, some seconds after the one before."""
        self.now += datetime.timedelta(microseconds=round(after_s * 1_000_000))
        event = kind(**self.position.fields(self.now), **fields)
        raw = encode_event(event)
        self.messages.append(raw)
        self.position = self.position.after(raw)
        return self

    def open(
        self,
        submission: RulesSubmission | None = None,
        reports: Iterable[said.Capability] = EVERYTHING,
    ) -> TableScript:
        """Start the feed and open the table."""
        self.say(said.FeedStarted, source_kind="table")
        return self.say(
            said.TableOpened,
            gaming_date=datetime.date(2025, 6, 7),
            submission=submission or a_submission(),
            reports=tuple(reports),
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

    def coup(self) -> TableScript:
        """Begin the next coup; its first event follows."""
        self._coup += 1
        return self

    def of_coup(self, kind: type, after_s: float = 1.0, **fields: object) -> TableScript:
        """Add an event of the coup in progress."""
        return self.say(kind, after_s, coup_id=self.coup_id, shoe_id=self._shoe, **fields)

    def wager(self, wager: str, stake_minor: int, seat: str = "1", **fields: object) -> str:
        """Place a wager and give its id."""
        self._wager += 1
        wager_id = f"W{self._wager}"
        self.of_coup(
            said.WagerPlaced,
            wager_id=wager_id,
            seat=seat,
            wager=wager,
            stake_minor=stake_minor,
            **fields,
        )
        return wager_id

    def close_bets(self) -> TableScript:
        """Call no more bets."""
        return self.of_coup(said.NoMoreBets)

    def deal(self, player: str, banker: str) -> TableScript:
        """Deal a coup in the order of the rules."""
        hands = {"player": player.split(), "banker": banker.split()}
        for position in (1, 2, 3):
            for hand, cards in hands.items():
                if len(cards) >= position:
                    card = cards[position - 1]
                    self.of_coup(
                        said.CardDealt, hand=hand, position=position,
                        card=None if card == "?" else card,
                    )  # fmt: skip
        return self

    def result(
        self, winner: str, player: int | None = None, banker: int | None = None
    ) -> TableScript:
        """Announce the result."""
        return self.of_coup(
            said.ResultAnnounced, winner=winner, player_points=player, banker_points=banker
        )

    def settle(self, wager_id: str, paid_minor: int, **fields: object) -> TableScript:
        """Settle a wager."""
        said_fields: dict[str, object] = {"settlement_id": f"T-{wager_id}"}
        return self.of_coup(
            said.WagerSettled, wager_id=wager_id, paid_minor=paid_minor, **{**said_fields, **fields}
        )

    def close(self) -> TableScript:
        """Close the coup."""
        return self.of_coup(said.CoupClosed)


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
