"""Faults of money: paid too much, too little, twice, at the wrong time, or put right wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from auditors.settlement.coup import Coup
from schemas.events import (
    Capability,
    CoupClosed,
    PayoutCorrected,
    SeatSettled,
)
from schemas.findings import FindingCode as Code
from streams.simulator.feed import Draft
from streams.simulator.plants.base import (
    SOON_US,
    WagerFault,
    move_before,
    put_after,
    settlement_of,
    takes_vigorish,
)
from streams.simulator.tables.faults import Fault, Plant

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.patrons import Bet
    from streams.simulator.tables.playing import PlayingTable

PAID: Final = frozenset({Capability.PAYMENTS, Capability.COLLECTIONS, Capability.STAKES})
"""What a table has to report so that payments per wager can be compared."""

_CARDS: Final = frozenset({Capability.CARDS, Capability.SUITS})
_MAIN: Final = ("player", "banker")


def at_moment(fault: Fault, drafts: list[Draft], deciding: Draft) -> None:
    """Let the coup go faster or slower, so that its deciding event happens when asked for."""
    begin, natural = drafts[0].at_us, deciding.at_us - drafts[0].at_us
    if fault.at_us is None or fault.at_us <= begin:
        return
    wanted = fault.at_us - begin
    for draft in drafts:
        draft.at_us = begin + (draft.at_us - begin) * wanted // natural


class BankerOverpaid(WagerFault):
    """Banker paid 1 to 1 without vigorish."""

    seat: str | None = "4"
    stake_minor = 10_000

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Pay the vigorish out."""
        settled = settlement_of(drafts, bet)
        settled.fields["paid_minor"] = bet.due_minor + bet.vigorish_minor
        settled.fields["vigorish_taken_minor"] = 0
        self.also(table, plan, drafts, bet)
        at_moment(self, drafts, settled)

    def also(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Say what is found; others add what follows."""
        self.tell(
            table,
            Code.WAGER_OVERPAID,
            plan=plan,
            difference_minor=bet.vigorish_minor,
            note=f"seat {bet.seat}: Banker paid without vigorish",
        )


class OverpaidCorrected(BankerOverpaid):
    """Banker paid without vigorish, and corrected on the spot by somebody who may."""

    authoriser: str | None = "su-4711"
    codes: tuple[Code, ...] = (Code.WAGER_OVERPAID,)
    seat = None
    is_after_close = False

    def also(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Take the vigorish after all."""
        settled = settlement_of(drafts, bet)
        before = drafts[-1] if self.is_after_close else settled
        fields: dict[str, object] = {
            **plan.fields,
            "correction_id": f"{bet.settlement_id}c",
            "settlement_id": bet.settlement_id,
            "paid_change_minor": -bet.vigorish_minor,
            "vigorish_taken_change_minor": bet.vigorish_minor,
            "reason": "vigorish was forgotten" if self.authoriser else None,
            "authorised_by": self.authoriser,
        }
        put_after(drafts, before, Draft(PayoutCorrected, before.at_us + SOON_US, fields))
        self.tell(
            table,
            *self.codes,
            plan=plan,
            difference_minor=bet.vigorish_minor,
            note="vigorish forgotten, then taken: residual 0.00",
        )


class CorrectedAfterClose(OverpaidCorrected):
    """Banker paid without vigorish, and corrected after the coup was closed."""

    is_after_close = True


class CorrectionUnauthorised(OverpaidCorrected):
    """Banker paid without vigorish, and corrected without a name or a reason."""

    authoriser = None
    codes = (Code.WAGER_OVERPAID, Code.CORRECTION_UNAUTHORISED)


class TieOverpaid(WagerFault):
    """Tie paid one step above its filed odds."""

    wagers = ("tie",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Pay one stake too much."""
        settlement_of(drafts, bet).fields["paid_minor"] = bet.due_minor + bet.stake_minor
        self.tell(
            table,
            Code.WAGER_OVERPAID,
            plan=plan,
            difference_minor=bet.stake_minor,
            note="Tie paid one to one too much",
        )


class WinnerUnderpaid(WagerFault):
    """A Player win paid short."""

    wagers = ("player",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Keep half of the winnings."""
        short = (bet.due_minor - bet.stake_minor) // 2
        settlement_of(drafts, bet).fields["paid_minor"] = bet.due_minor - short
        self.tell(
            table,
            Code.WAGER_UNDERPAID,
            plan=plan,
            difference_minor=-short,
            note="Player paid 1 to 2",
        )


class CentsCutOff(WagerFault):
    """2.55 won on Player and paid as 2.54: a binary fraction cut off (B28)."""

    wagers = ("player",)
    stake_minor = 255

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Pay one cent short."""
        settlement_of(drafts, bet).fields["paid_minor"] = bet.due_minor - 1
        self.tell(
            table,
            Code.WAGER_UNDERPAID,
            plan=plan,
            difference_minor=-1,
            note="2.55 won, 2.54 paid: a fraction was cut off",
        )


class TieTakesAll(WagerFault):
    """Player and Banker wagers are collected on a tie, though they push (B10)."""

    wagers = _MAIN
    outcome = "push"

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Collect every wager on either hand."""
        taken = [bet for bet in plan.standing if bet.offer.is_main]
        for main in taken:
            fields = settlement_of(drafts, main).fields
            fields["paid_minor"], fields["stake_collected_minor"] = 0, main.stake_minor
        self.tell(
            table,
            *[Code.WAGER_UNDERPAID] * len(taken),
            plan=plan,
            difference_minor=-sum(main.stake_minor for main in taken),
            note="a tie took the wagers on Player and Banker",
        )


class OneBonusPaid(WagerFault):
    """Several bonus wagers win and only the last is paid: one slot for the special hand (B12)."""

    wagers = ("player_pair",)
    sides = ("player_pair", "player_dragon_bonus", "small")

    def suits(self, table: PlayingTable, coup: Coup) -> bool:
        """Whether all of them win."""
        return coup.natural == "player" and all(
            table.settler.due(table.settler.offers[f"house.{side}"].ref, coup, 1000).outcome
            == "win"
            for side in self.sides
        )

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have all of them placed by one patron."""
        super().plan(table, plan)
        if self.bet is None:
            return
        here = {str(bet.offer.ref) for bet in plan.bets if bet.seat == self.bet.seat}
        for name in (f"house.{side}" for side in self.sides):
            if name not in here:
                table.add_bet(plan, self.bet.seat, self.bet.patron, name, 1000)
        # The cards of the report; another natural with a pair does where they are gone.
        plan.front = ("4S", "4D", "4S", "3C")

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Collect all winners of the patron among the bonus wagers but the last."""
        names = [f"house.{side}" for side in self.sides]
        winners = [
            own for own in plan.standing if own.seat == bet.seat and str(own.offer.ref) in names
        ]
        winners.sort(key=lambda one: names.index(str(one.offer.ref)))
        for winner in winners[:-1]:
            fields = settlement_of(drafts, winner).fields
            fields["paid_minor"], fields["stake_collected_minor"] = 0, winner.stake_minor
        self.tell(
            table,
            *[Code.WAGER_UNDERPAID] * len(winners[:-1]),
            plan=plan,
            difference_minor=-sum(winner.due_minor for winner in winners[:-1]),
            note="only the last of several winning bonus wagers was paid",
        )


class LoserPaid(WagerFault):
    """A losing Banker wager paid as if it had won."""

    wagers = ("player",)
    outcome = "lose"

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Pay 1 to 1 and leave the stake."""
        fields = settlement_of(drafts, bet).fields
        fields["paid_minor"], fields["stake_collected_minor"] = 2 * bet.stake_minor, 0
        self.tell(
            table,
            Code.LOSER_PAID,
            plan=plan,
            difference_minor=2 * bet.stake_minor,
            note="a losing wager on Player paid 1 to 1",
        )


class LoserLeft(WagerFault):
    """A losing stake left with the patron."""

    wagers = _MAIN
    outcome = "lose"

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Do not collect."""
        settlement_of(drafts, bet).fields["stake_collected_minor"] = 0
        self.tell(
            table,
            Code.LOSER_NOT_COLLECTED,
            plan=plan,
            difference_minor=bet.stake_minor,
            note="a losing stake was not taken",
        )


class RightPayoutCorrected(WagerFault):
    """A right payment that was "corrected" downwards."""

    wagers = ("player",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Take money back that was due."""
        change = (bet.due_minor - bet.stake_minor) // 2
        closed = next(draft for draft in drafts if draft.kind is CoupClosed)
        fields: dict[str, object] = {
            **plan.fields,
            "correction_id": f"{bet.settlement_id}c",
            "settlement_id": bet.settlement_id,
            "paid_change_minor": -change,
            "reason": "paid by the wrong odds",
            "authorised_by": table.supervisor,
        }
        move_before(drafts, Draft(PayoutCorrected, closed.at_us, fields), closed)
        self.tell(
            table,
            Code.WAGER_UNDERPAID,
            plan=plan,
            difference_minor=-change,
            note="a right payment was corrected the wrong way",
        )


class SeatOverpaid(WagerFault):
    """A seat paid too much in all, at a table that knows only what seats got."""

    wagers = ("player",)

    def edit(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft], bet: Bet) -> None:
        """Pay the seat too much."""
        settled = next(
            draft
            for draft in drafts
            if draft.kind is SeatSettled and draft.fields["seat"] == bet.seat
        )
        paid = cast(int, settled.fields["paid_minor"])
        settled.fields["paid_minor"] = paid + bet.stake_minor
        self.tell(
            table,
            Code.WAGER_OVERPAID,
            plan=plan,
            difference_minor=bet.stake_minor,
            note=f"seat {bet.seat} got too much in all",
        )


JUDGED: Final = PAID | _CARDS
"""The same, with the cards that decide what is due."""

_CORRECTED: Final = JUDGED | {Capability.CORRECTIONS}


PAYOUT_PLANTS: Final = (
    Plant(
        "banker_overpaid",
        (Code.WAGER_OVERPAID,),
        "Banker paid 1 to 1, the vigorish forgotten (Buono and Marcus: missing commission)",
        BankerOverpaid,
        JUDGED | {Capability.VIGORISH},
        takes_vigorish,
    ),
    Plant(
        "overpaid_and_corrected",
        (Code.WAGER_OVERPAID,),
        "Banker overpaid, put right at once with reason and authoriser: residual 0.00",
        OverpaidCorrected,
        _CORRECTED,
        takes_vigorish,
    ),
    Plant(
        "overpaid_and_corrected_later",
        (Code.WAGER_OVERPAID,),
        "the same, put right after the coup was closed",
        CorrectedAfterClose,
        _CORRECTED,
        takes_vigorish,
    ),
    Plant(
        "correction_unauthorised",
        (Code.WAGER_OVERPAID, Code.CORRECTION_UNAUTHORISED),
        "Banker overpaid and put right without authoriser or reason",
        CorrectionUnauthorised,
        _CORRECTED,
        takes_vigorish,
    ),
    Plant(
        "right_payout_corrected",
        (Code.WAGER_UNDERPAID,),
        "a right payment corrected downwards",
        RightPayoutCorrected,
        _CORRECTED,
    ),
    Plant(
        "tie_overpaid",
        (Code.WAGER_OVERPAID,),
        "Tie paid one to one above its filed odds",
        TieOverpaid,
        JUDGED,
    ),
    Plant(
        "winner_underpaid",
        (Code.WAGER_UNDERPAID,),
        "Player paid half of what it won",
        WinnerUnderpaid,
        JUDGED,
    ),
    Plant(
        "cents_cut_off",
        (Code.WAGER_UNDERPAID,),
        "2.55 won on Player, 2.54 paid: a binary fraction cut off (B28)",
        CentsCutOff,
        JUDGED,
        lambda one: one.wagers[0].minimum == "1.00",
    ),
    Plant(
        "tie_takes_player_and_banker",
        (Code.WAGER_UNDERPAID,),
        "a tie collects the wagers on both hands, one finding for each (B10)",
        TieTakesAll,
        JUDGED,
    ),
    Plant(
        "one_bonus_paid",
        (Code.WAGER_UNDERPAID, Code.WAGER_UNDERPAID),
        "three bonus wagers of one patron win, only the last is paid (B12)",
        OneBonusPaid,
        JUDGED,
        lambda one: all(one.offered(f"house.{code}") for code in OneBonusPaid.sides),
    ),
    Plant(
        "loser_paid",
        (Code.LOSER_PAID,),
        "a losing wager paid 1 to 1",
        LoserPaid,
        JUDGED,
    ),
    Plant(
        "loser_not_collected",
        (Code.LOSER_NOT_COLLECTED,),
        "a losing stake left on the layout",
        LoserLeft,
        JUDGED,
    ),
    Plant(
        "seat_overpaid",
        (Code.WAGER_OVERPAID,),
        "a seat paid too much in all, where only seat totals are reported",
        SeatOverpaid,
        frozenset({Capability.SEAT_TOTALS_ONLY}),
    ),
)
