"""The hits of progressives on a simulated floor, and what each winner gets.

Six of a kind comes less than once in 850,000 coups, so it is brought about: the next six cards are
chosen among those still in the shoe, which nobody has seen. The shoe adds up all the same.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Final

from auditors.law.interpretations import OddsFor, ProgressiveShare, SeveralRows
from auditors.settlement.amounts import Meter, settle_wager, share_of_meter
from auditors.settlement.coup import Coup
from schemas.events import Capability, ResultAnnounced
from schemas.money import parse_amount

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.dealing import Shoe
    from streams.simulator.tables.patrons import Bet
    from streams.simulator.tables.playing import PlayingTable
    from streams.simulator.tables.settling import Offer

HIT_EVERY: Final = 300
"""Coups of a table between two hits, on average."""

FIRST_HIT: Final = 90
"""No table is hit before so many of its coups."""

_RANKS: Final = "TJQKA2567"
"""Six cards of these ranks are dealt by the rules; two of any other are a natural or stand."""

_ALIKE: Final = 6
_WINNERS_WANTED: Final = 3
_CARDS_TO_CHOOSE_FROM: Final = 60

AFTER: Final = ResultAnnounced
"""The event that makes the cards final; what comes after it depends on the meter."""


class Jackpots:
    """Brings about the hits of one table."""

    def __init__(self, rng: Random, every: int) -> None:
        """Choose the first coup that wins.

        Args:
            rng: The table's chance for this alone.
            every: Coups between two hits, on average; 0 for none.
        """
        self._rng, self._every = rng, every
        self._next = min(FIRST_HIT, every) + rng.randrange(every) if every else 0

    def is_due(self, table: PlayingTable) -> bool:
        """Whether the next coup is to win, and can."""
        if not self._every or table.coup_count < self._next:
            return False
        at_fault = table.run.at_fault
        return can_win(table) and all(
            progressive.id not in at_fault for progressive in table.submission.progressives
        )

    def arrange(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have the coup win, for one wager or several."""
        self._next = table.coup_count + self._every // 2 + self._rng.randrange(self._every)
        wanted = self._rng.randrange(_WINNERS_WANTED + 1)
        win_meter(table, plan, self._rng, wanted)


def can_win(table: PlayingTable) -> bool:
    """Whether a coup of the table can win the meter now."""
    shoe, readings = table.shoe, table.settler.terms.readings
    return (
        shoe is not None
        and table.carried is None
        and bool(table.submission.progressives)
        and Capability.PAYMENTS in table.reports
        # Elsewhere a winner is handed more than the share of the meter.
        and (readings[OddsFor.ID], readings[SeveralRows.ID]) == (OddsFor.TOTAL, SeveralRows.FIRST)
        and len(shoe.left) > _CARDS_TO_CHOOSE_FROM
        and _rank(shoe, Random(0)) is not None
    )


def win_meter(table: PlayingTable, plan: CoupPlan, rng: Random, winners: int) -> None:
    """Have six cards of one rank dealt, with at least so many wagers on the meter."""
    rank = _rank(plan.shoe, rng)
    if rank is None:
        raise ValueError(f"{plan.shoe.shoe_id} holds no six cards of one rank any more")
    alike = [card for card in plan.shoe.left if card[0] == rank]
    plan.front = tuple(rng.sample(alike, _ALIKE))
    plan.wins_meter, plan.is_plain = True, False
    plan.condition = is_alike
    offer = meter_offer(table)
    seats = sorted(table.seating.patrons)
    while len(plan.on_meter) < winners and seats:
        patron = table.seating.patrons[seats.pop(0)]
        if not any(bet.seat == patron.seat and bet.offer.progressive_id for bet in plan.bets):
            place_on_meter(table, plan, patron.seat, offer)


def place_on_meter(table: PlayingTable, plan: CoupPlan, seat: str, offer: Offer) -> Bet:
    """Have a patron wager on the progressive, beside a main wager."""
    patron = table.seating.patrons[seat]
    if not any(bet.seat == seat and bet.offer.is_base for bet in plan.bets):
        main = table.settler.offers[f"{table.submission.game.value}.player"]
        table.add_bet(plan, seat, patron.name, str(main.ref), main.minimum_minor)
    return table.add_bet(plan, seat, patron.name, str(offer.ref), offer.minimum_minor)


def meter_offer(table: PlayingTable) -> Offer:
    """Find the wager that runs on the progressive."""
    return next(offer for offer in table.settler.offers.values() if offer.progressive_id)


def is_alike(coup: Coup) -> bool:
    """Whether six cards of one rank lie on the table."""
    return len(coup.player) + len(coup.banker) == _ALIKE and bool(coup.facts.common_rank)


def _rank(shoe: Shoe, rng: Random) -> str | None:
    """Choose a rank of which six cards are left."""
    ranks = [card[0] for card in shoe.left]
    fitting = [rank for rank in _RANKS if ranks.count(rank) >= _ALIKE]
    return rng.choice(fitting) if fitting else None


def award(table: PlayingTable, plan: CoupPlan, frozen: Fraction | None) -> None:
    """Give each winner its due.

    Args:
        table: The table.
        plan: The coup; its cards are final.
        frozen: The meter as at the lock-out, minor units; None: as filed for a reset, where no
            controller listens.
    """
    winners, rules = plan.on_meter, table.settler.rules
    if not winners:
        return
    filed, currency = table.submission.progressives[0], table.submission.currency
    reset = parse_amount(filed.reset, currency)
    amount = reset if frozen is None else int(frozen)
    stakes = tuple(bet.stake_minor for bet in winners)
    as_they_lie = replace(plan.judged, faults=())
    for position, bet in enumerate(winners):
        meter = Meter(amount, stakes, position, reset)
        due = settle_wager(rules, as_they_lie, bet.offer.ref, bet.stake_minor, meter).due_minor
        if due is None:
            raise ValueError(f"{bet.name} wins the meter and has no amount due")
        bet.due_minor = due
        policy = rules.terms.readings[ProgressiveShare.ID]
        plan.shares[bet.wager_id] = share_of_meter(Fraction(amount), meter, policy)
