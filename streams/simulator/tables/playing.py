"""What a simulated table knows while it plays: its filing, shoe, patrons, tray and clock."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from zoneinfo import ZoneInfo

from auditors.settlement.coup import Coup
from auditors.settlement.terms import gaming_date_of, gaming_day_begins
from schemas.events import Capability, SeatVacated, VigorishCollected
from schemas.rules_submission import Game, RulesSubmission
from streams.simulator.feed import EPOCH, SECOND, Draft, FeedWriter, instant
from streams.simulator.filings import filing_of, reports_of
from streams.simulator.tables.coup_plan import CarriedCard, CoupPlan, Pace
from streams.simulator.tables.dealing import CARDS_MAX, Dealt, Shoe, dealing_order, dealt_by_rules
from streams.simulator.tables.patrons import Bet, Seating
from streams.simulator.tables.settling import Settler
from streams.simulator.tables.tray import Tray
from streams.simulator.truths import Truth

CoupListener = Callable[["PlayingTable", CoupPlan], None]
"""Hears of a coup that was dealt."""


def no_meter(_table_id: str, _coup_id: str) -> Fraction | None:
    """Know of no controller."""
    return None


@dataclass(frozen=True, slots=True)
class TableRun:
    """How long a table plays, and who listens."""

    seed: int
    start_us: int
    end_us: int | None
    """No coup begins after it; None: the table never closes."""
    coups: int | None
    """After so many coups it closes; None: no limit."""
    on_truth: Callable[[Truth], None]
    on_coup: CoupListener | None = None
    hit_every: int = 0
    """Coups between two hits of a progressive, on average; 0 for none."""
    video_every: int = 0
    """Coups between two that are told to be on a recording; 0 for none."""
    frozen: Callable[[str, str], Fraction | None] = no_meter
    """Gives the jackpot that was frozen for a table and a coup."""
    at_fault: set[str] = field(default_factory=set)
    """Progressives of the floor into which something was planted: no honest hit follows there,
    since what it pays would be wrong for the same cause."""
    meter_free_us: dict[str, int] = field(default_factory=dict)
    """Progressive of the floor to when the next fault may begin there."""


class PlayingTable:
    """One table: its filing, shoe, patrons and tray, and what anybody may do there."""

    def __init__(self, number: int, run: TableRun) -> None:
        """Prepare a table.

        Args:
            number: Number on the floor, from 0.
            run: How long it plays.
        """
        self.number, self.run = number, run
        self.source_id = source_of(number)
        self.rng = Random(f"{run.seed}/{self.source_id}")
        start = run.start_us + (number % 12) * 400_000 + self.rng.randrange(SECOND)
        self.writer = FeedWriter(self.source_id, self.rng, start)
        self.pace = Pace(start, self.rng)
        self.reports = reports_of(number)
        self.stage = 0
        self.shoe_count = self.coup_count = self.day_coups = 0
        self.shoe: Shoe | None = None
        self.carried: CarriedCard | None = None
        """A card drawn in error that begins the next coup."""
        self.marked: dict[str, int] = {}
        """Seat to vigorish marked in this shoe."""
        self.is_open = False
        self.seating = Seating(self.rng)
        self.clock_offset_us = (number % 5) * 1500
        """What its own clock lacks to true time."""
        self.tray = Tray()
        self._ids = 0
        self.supervisor = self.pseudonym("su")
        self.dealer: str | None = None
        self.dealer_until = 0
        self.file(filing_of(number, 0))
        self.day_ends_us = 0
        self.begin_day()

    def pseudonym(self, kind: str) -> str:
        """Make a keyed pseudonym of somebody."""
        return f"{kind}-{self.rng.getrandbits(40):010x}"

    def next_id(self, kind: str) -> str:
        """Make an id that is used once at this table."""
        self._ids += 1
        return f"{self.source_id}/{kind}{self._ids}"

    def file(self, submission: RulesSubmission) -> None:
        """Play under another filing from now on."""
        self.submission = submission
        self.settler = Settler(submission)
        self.zone = ZoneInfo(submission.time_zone)
        self.seating.change_offers(self.settler.offers)

    def gaming_date(self, at_us: int) -> datetime.date:
        """Give the gaming date of a moment."""
        at = instant(at_us + self.writer.shift_us)
        return gaming_date_of(at, self.zone, self.submission.gaming_day_start)

    def begin_day(self) -> None:
        """Note when the gaming day ends."""
        day = self.gaming_date(self.pace.at_us) + datetime.timedelta(days=1)
        ends = gaming_day_begins(day, self.zone, self.submission.gaming_day_start)
        self.day_ends_us = (ends - EPOCH) // datetime.timedelta(microseconds=1)
        self.day_ends_us -= self.writer.shift_us

    def tell(self, truth: Truth) -> None:
        """Pass on what an audit has to find."""
        self.run.on_truth(truth)

    @property
    def is_over(self) -> bool:
        """Whether the table closes before its next coup."""
        if self.run.coups is not None and self.coup_count >= self.run.coups:
            return True
        return self.run.end_us is not None and self.pace.at_us >= self.run.end_us

    def vacate(self, seat: str) -> list[Draft]:
        """Let a patron leave; marked vigorish is collected first."""
        patron = self.seating.patrons.pop(seat)
        drafts = self.collect(seat, patron.name)
        if Capability.SEATS_VACATED in self.reports:
            named = patron.name if Capability.PATRONS in self.reports else None
            fields: dict[str, object] = {
                "seat": seat,
                "patron": named,
                "shoe_id": self.shoe_id,
            }
            drafts.append(Draft(SeatVacated, self.pace.step(300, 1500), fields))
        return drafts

    @property
    def shoe_id(self) -> str | None:
        """The shoe in play."""
        return self.shoe.shoe_id if self.shoe else None

    def collect(self, seat: str, patron: str | None) -> list[Draft]:
        """Collect the vigorish that was marked at a seat."""
        minor = self.marked.pop(seat, 0)
        if not minor or Capability.VIGORISH not in self.reports:
            return []
        return [self.collection(self.pace.step(900, 2500), seat, patron, minor)]

    def collection(self, at_us: int, seat: str, patron: str | None, minor: int) -> Draft:
        """Tell that vigorish of the shoe in play was collected at a seat."""
        fields: dict[str, object] = {
            "collection_id": self.next_id("v"),
            "shoe_id": self.shoe_id,
            "seat": seat,
            "collected_minor": minor,
            "patron": patron if Capability.PATRONS in self.reports else None,
        }
        return Draft(VigorishCollected, at_us, fields)

    def takes_first(self, bet: Bet) -> bool:
        """Whether a stake is collected before the deal: progressive chips, at the big table."""
        return bet.offer.progressive_id is not None and self.submission.game is Game.BACCARAT

    def add_bet(self, plan: CoupPlan, seat: str, patron: str, name: str, stake: int) -> Bet:
        """Add a wager to a coup."""
        offer = self.settler.offers[name]
        bet = Bet(plan.next_wager_id(), seat, patron, offer, stake)
        plan.bets.append(bet)
        return bet

    def next_coup(self, shoe: Shoe) -> Coup:
        """Look at the coup that the next cards of the shoe make by the rules."""
        carried = [self.carried.card] if self.carried else []
        texts = carried + shoe.next_cards(CARDS_MAX - len(carried))
        return dealt_by_rules(texts, self.settler.game)

    def redeal(self, plan: CoupPlan, coup: Coup) -> None:
        """Let the coup be dealt so: the cards come out of the shoe in dealing order."""
        plan.judged = coup
        plan.steps = [
            Dealt(hand, position, card)
            for hand, position, card in dealing_order(coup.player, coup.banker)
        ]
        if self.carried and plan.steps:
            plan.steps[0].error_id = self.carried.error_id


def source_of(number: int) -> str:
    """Name a table of the floor: ``BAC-01`` is the first."""
    return f"BAC-{number + 1:02}"
