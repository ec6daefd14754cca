"""A table day that conforms to ``feed.md``, and can be made not to."""

import datetime
from collections.abc import Callable

from schemas import events as said
from schemas.events import Capability as Can
from streams.conformance import ConformanceCheck, ConformanceSummary, Level, Problem
from tests.support.tables.table_script import TableScript, a_submission

REPORTS = (
    Can.CARDS,
    Can.RANKS,
    Can.SUITS,
    Can.DEAL_ORDER,
    Can.SHUFFLE,
    Can.INSPECTION,
    Can.BURN,
    Can.WAGERS,
    Can.STAKES,
    Can.NO_MORE_BETS,
    Can.COUNTS,
    Can.ANNOUNCEMENTS,
    Can.PAYMENTS,
    Can.COLLECTIONS,
    Can.CORRECTIONS,
    Can.REFUNDS,
    Can.FAULTS,
    Can.REMOVALS,
    Can.DRAWING_ERRORS,
    Can.CHIPS,
    Can.SEATS_VACATED,
    Can.VIGORISH,
)


class Day(TableScript):
    """A table day that conforms, and can be made not to."""

    def begin(self, reports: tuple[Can, ...] = REPORTS, **opening: object) -> "Day":
        """Start the feed and open the table."""
        self.say(said.FeedStarted, source_kind="table")
        self.submission = a_submission()
        self.say(
            said.TableOpened,
            **{
                "gaming_date": datetime.date(2025, 6, 7),
                "submission": self.submission,
                "reports": reports,
                **opening,
            },
        )
        return self

    def load(self, shoe_id: str = "S1") -> "Day":
        """Load a shoe and burn its cards."""
        self.shoe(shoe_id)
        self.say(said.CardsBurned, shoe_id=shoe_id, exposed_card="3H", burned_count=3)
        return self

    def bet(self) -> str:
        """Begin a coup with 100.00 on Banker and call no more bets."""
        self.coup()
        wager_id = self.wager("banker", 10_000, "4")
        self.close_bets()
        return wager_id

    def cards(self) -> "Day":
        """Deal the coup, Banker 8 to 5, and announce it."""
        self.deal("2S 3H", "AC 2D")
        self.of_coup(said.CountsAnnounced, player_points=5, banker_points=3)
        self.of_coup(said.CardDealt, hand="player", position=3, card="KD")
        self.of_coup(said.CardDealt, hand="banker", position=3, card="5H")
        self.result("banker", 5, 8)
        return self

    def pay(self, wager_id: str, **fields: object) -> "Day":
        """Settle the wager as it is due."""
        paid: dict[str, object] = {"stake_collected_minor": 0, "vigorish_taken_minor": 500}
        self.settle(wager_id, 19_500, **{**paid, **fields})
        return self

    def play(self) -> "Day":
        """Play a whole coup."""
        wager_id = self.bet()
        self.cards().pay(wager_id).close()
        return self

    def play_with(self, **fields: object) -> "Day":
        """Play a coup with other fields in its settlement."""
        wager_id = self.bet()
        return self.cards().pay(wager_id, **fields)

    def end(self, coups: int = 1, shoe_id: str = "S1") -> "Day":
        """End the shoe and close the table with its counts."""
        self.say(said.ShoeEnded, shoe_id=shoe_id, reason="table_closed", coup_count=coups)
        self.say(
            said.TableClosed,
            event_count=self.position.sequence - 1,
            coup_count=coups,
        )
        return self


def checked(messages: list[bytes]) -> tuple[list[Problem], ConformanceSummary]:
    """Check messages as the lines of a file."""
    check = ConformanceCheck()
    found = [one for n, raw in enumerate(messages, 1) for one in check.line(n, raw)]
    return [*found, *check.finish()], check.summary


def errors(messages: list[bytes]) -> list[tuple[str, int]]:
    """Give rule and line of every error."""
    return [(one.rule, one.line) for one in checked(messages)[0] if one.level is Level.ERROR]


def hints(messages: list[bytes]) -> list[str]:
    """Give the rule of every hint."""
    return [one.rule for one in checked(messages)[0] if one.level is Level.HINT]


def only(messages: list[bytes]) -> Problem:
    """Give the one error that there is."""
    (one,) = [one for one in checked(messages)[0] if one.level is Level.ERROR]
    return one


def place(day: Day, **fields: object) -> Day:
    """Place another wager in the coup in progress."""
    wager: dict[str, object] = {"wager_id": "WX", "seat": "4", "wager": "player", "stake_minor": 1}
    day.of_coup(said.WagerPlaced, **{**wager, **fields})
    return day


Breaking = Callable[[Day], object]
"""How a day is made not to conform."""
