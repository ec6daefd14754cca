"""Faults of dealing and calling: cards against the rules, wrong counts and results, no reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from auditors.settlement.coup import Coup, judge_coup
from schemas.cards import Card, parse_card
from schemas.events import Capability, CardDealt, CardRead, CountsAnnounced, ResultAnnounced
from schemas.findings import FindingCode as Code
from streams.simulator.feed import Draft
from streams.simulator.plants.base import SOON_US, draft_of, put_after
from streams.simulator.tables.dealing import CARDS_MAX, Dealt, deal_hands
from streams.simulator.tables.faults import Fault, Plant

if TYPE_CHECKING:
    from streams.simulator.tables.coup_plan import CoupPlan
    from streams.simulator.tables.playing import PlayingTable

_SPARE: Final = 20
"""Cards that have to be left before the cover card, so that the shoe's end is not touched."""


class DrawFault(Fault):
    """A coup whose third cards are not those of the rules; all else follows from the cards."""

    code = Code.THIRD_CARD_NOT_DRAWN
    hand = "player"
    front: tuple[str, ...] = ()
    """Cards of a known case, in dealing order."""

    def variant(self, coup: Coup, cards: list[Card]) -> Coup | None:
        """Give the hands that are dealt instead; None where the coup does not lend itself."""
        return None

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have a coup dealt that lends itself to the fault."""
        if table.carried is None and plan.shoe.taken + _SPARE < plan.shoe.cover_at:
            plan.front = self.front
            plan.condition = lambda coup: self._faulty(table, plan, coup) is not None

    def _faulty(self, table: PlayingTable, plan: CoupPlan, coup: Coup) -> Coup | None:
        cards = [parse_card(text) for text in plan.shoe.next_cards(CARDS_MAX)]
        other = self.variant(coup, cards)
        if other is None:
            return None
        judged = judge_coup(other.player, other.banker, table.settler.game)
        found = [(fault.code, fault.hand) for fault in judged.faults]
        return judged if found == [(self.code, self.hand)] else None

    def deal(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Deal it the wrong way."""
        faulty = self._faulty(table, plan, plan.judged) if plan.condition else None
        if faulty is not None:
            table.redeal(plan, faulty)
            self.has_begun = True

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Write down what is found."""
        if self.has_begun:
            self.tell(table, self.code, plan=plan, note=f"{self.hand} hand")
            self.finish()


class PlayerStands(DrawFault):
    """The Player hand has to draw and stands."""

    def variant(self, coup: Coup, cards: list[Card]) -> Coup | None:
        """Leave the Player's third card out; the Banker plays against a Player who stood."""
        if len(coup.player) != 3:
            return None
        player, banker = coup.player[:2], coup.banker[:2]
        stands = Coup(player, banker)
        return Coup(player, (*banker, cards[4])) if stands.banker_points <= 5 else stands


class BankerStands(DrawFault):
    """The Banker hand has to draw and stands."""

    hand = "banker"

    def variant(self, coup: Coup, cards: list[Card]) -> Coup | None:
        """Leave the Banker's third card out."""
        return Coup(coup.player, coup.banker[:2]) if len(coup.banker) == 3 else None


class BankerStandsOnTen(BankerStands):
    """Banker 3 stands against the Player's ten-valued third card (B01)."""

    front = ("2S", "AC", "3H", "2D", "KD", "5H")

    def variant(self, coup: Coup, cards: list[Card]) -> Coup | None:
        """As in the report: a ten-valued third card, Banker on 3."""
        third = coup.player[2:]
        is_case = Coup(coup.player, coup.banker[:2]).banker_points == 3
        if not third or third[0].value != 0 or not is_case:
            return None
        return super().variant(coup, cards)


class PlayerDraws(DrawFault):
    """The Player hand has to stand and draws."""

    code = Code.THIRD_CARD_DRAWN_IN_ERROR

    def variant(self, coup: Coup, cards: list[Card]) -> Coup | None:
        """Deal the Player one more; the Banker draws as against that card."""
        if len(coup.player) == 3 or coup.natural is not None:
            return None
        player = (*coup.player, cards[4])
        return Coup(player, (*coup.banker[:2], cards[5]) if len(coup.banker) == 3 else coup.banker)


class BankerDraws(DrawFault):
    """The Banker hand has to stand and draws."""

    code = Code.THIRD_CARD_DRAWN_IN_ERROR
    hand = "banker"

    def variant(self, coup: Coup, cards: list[Card]) -> Coup | None:
        """Deal the Banker one more."""
        if len(coup.banker) == 3 or coup.natural is not None:
            return None
        return Coup(coup.player, (*coup.banker, cards[2 + len(coup.player)]))


class CardAfterNatural(DrawFault):
    """A third card to the Player hand though a hand has a natural."""

    code = Code.CARD_AFTER_NATURAL

    def variant(self, coup: Coup, cards: list[Card]) -> Coup | None:
        """Deal the Player one more."""
        return Coup((*coup.player, cards[4]), coup.banker) if coup.natural else None


class OutOfTurn(Fault):
    """Both cards of the Player hand are dealt before the Banker's first."""

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Wait for a shoe with cards enough."""
        self.has_begun = table.carried is None and plan.shoe.taken + _SPARE < plan.shoe.cover_at

    def deal(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Deal the same four cards to other places."""
        if not self.has_begun:
            return
        coup, game = plan.judged, table.settler.game
        first, second = coup.player[0], coup.banker[0]
        third, fourth = coup.player[1], coup.banker[1]
        thirds = [parse_card(text) for text in plan.shoe.next_cards(CARDS_MAX)][4:]
        # The first two cards go to the Player hand, so it is another coup that is dealt out.
        player, banker = deal_hands([first, third, second, fourth, *thirds], game)
        table.redeal(plan, judge_coup(player, banker, game))
        head = [("player", 1), ("player", 2), ("banker", 1), ("banker", 2)]
        cards = (first, second, third, fourth)
        plan.steps[:4] = [
            Dealt(hand, position, str(card))
            for (hand, position), card in zip(head, cards, strict=True)
        ]

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Write down what is found."""
        if self.has_begun:
            self.tell(table, Code.DEAL_ORDER, plan=plan, note="dealt P1 P2 B1 B2")
            self.finish()


class WrongCall(Fault):
    """A call that the cards do not bear out; payments follow the cards."""

    def script(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> None:
        """Change the call."""
        if self.change(table, plan, drafts):
            self.finish()

    def change(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> bool:
        """Change the call; False where this coup does not lend itself."""
        return False


class WinnerMisannounced(WrongCall):
    """Another winner is announced than the cards show (B09)."""

    front: tuple[str, ...] = ()

    def plan(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Have the cards of a known case dealt."""
        plan.front = self.front

    def change(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> bool:
        """Announce the next of the three results."""
        fields = draft_of(drafts, ResultAnnounced).fields
        after = {"player": "banker", "banker": "tie", "tie": "banker"}
        fields["winner"] = after[plan.judged.winner]
        self.tell(
            table,
            Code.RESULT_MISANNOUNCED,
            plan=plan,
            note=f"announced {fields['winner']}, the cards say {plan.judged.winner}",
        )
        return True


class TieStoredAsBanker(WinnerMisannounced):
    """The 7-7 tie of a public log that was stored as a Banker win (B09)."""

    front = ("6H", "JC", "8S", "2D", "3D", "5S")


class PointsMisannounced(WrongCall):
    """A final count one too high or low, the winner right."""

    def change(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> bool:
        """Announce another count of the losing hand."""
        fields = draft_of(drafts, ResultAnnounced).fields
        points = plan.judged.player_points
        fields["player_points"] = points - 1 if points else 1
        self.tell(table, Code.POINTS_MISANNOUNCED, plan=plan, note="final count of the Player hand")
        return True


class CountsMisannounced(WrongCall):
    """A wrong count after two cards."""

    def change(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> bool:
        """Announce another count of the Banker hand."""
        fields = draft_of(drafts, CountsAnnounced).fields
        fields["banker_points"] = (int(str(fields["banker_points"])) + 1) % 10
        self.tell(table, Code.POINTS_MISANNOUNCED, plan=plan, note="count after two cards")
        return True


class WinnersMislisted(WrongCall):
    """A winning wager left out of the announced list."""

    def change(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> bool:
        """Leave the first winner out."""
        fields = draft_of(drafts, ResultAnnounced).fields
        listed = fields["winning_wagers"]
        if not isinstance(listed, tuple) or not listed:
            return False
        fields["winning_wagers"] = listed[1:]
        self.tell(
            table, Code.WINNING_WAGERS_MISREPORTED, plan=plan, note=f"{listed[0]} was left out"
        )
        return True


class CardUnreadable(WrongCall):
    """A card that the reader could not read."""

    def change(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> bool:
        """Blank the Banker's second card."""
        fields = draft_of(drafts, CardDealt, hand="banker", position=2).fields
        fields["card"] = None
        self.tell(table, Code.CARD_UNREADABLE, plan=plan, note="Banker card 2")
        return True


class CardReadLater(CardUnreadable):
    """A card that could not be read when it was dealt, and was read before the result."""

    def change(self, table: PlayingTable, plan: CoupPlan, drafts: list[Draft]) -> bool:
        """Blank the Banker's second card, and read it after a moment."""
        dealt = draft_of(drafts, CardDealt, hand="banker", position=2)
        fields = {"hand": "banker", "position": 2, "card": dealt.fields["card"]}
        if not super().change(table, plan, drafts):
            return False
        told = {name: dealt.fields[name] for name in ("coup_id", "shoe_id")}
        put_after(drafts, dealt, Draft(CardRead, dealt.at_us + SOON_US, {**told, **fields}))
        return True


_CARDS: Final = frozenset({Capability.CARDS, Capability.SUITS, Capability.DEAL_ORDER})
_CALLS: Final = _CARDS | {Capability.ANNOUNCEMENTS}

DEAL_PLANTS: Final = (
    Plant(
        "player_stands_wrongly",
        (Code.THIRD_CARD_NOT_DRAWN,),
        "the Player hand has to draw and stands",
        PlayerStands,
        _CARDS,
    ),
    Plant(
        "banker_stands_wrongly",
        (Code.THIRD_CARD_NOT_DRAWN,),
        "the Banker hand has to draw and stands",
        BankerStands,
        _CARDS,
    ),
    Plant(
        "banker_stands_on_ten",
        (Code.THIRD_CARD_NOT_DRAWN,),
        "Banker 3 stands against a ten-valued third card (B01)",
        BankerStandsOnTen,
        _CARDS,
    ),
    Plant(
        "player_draws_wrongly",
        (Code.THIRD_CARD_DRAWN_IN_ERROR,),
        "the Player hand has to stand and draws, without a disposition",
        PlayerDraws,
        _CARDS,
    ),
    Plant(
        "banker_draws_wrongly",
        (Code.THIRD_CARD_DRAWN_IN_ERROR,),
        "the Banker hand has to stand and draws, without a disposition",
        BankerDraws,
        _CARDS,
    ),
    Plant(
        "card_after_natural",
        (Code.CARD_AFTER_NATURAL,),
        "a third card to the Player hand after a natural",
        CardAfterNatural,
        _CARDS,
    ),
    Plant(
        "dealt_out_of_turn",
        (Code.DEAL_ORDER,),
        "both cards of the Player hand before the Banker's first",
        OutOfTurn,
        _CARDS,
    ),
    Plant(
        "winner_misannounced",
        (Code.RESULT_MISANNOUNCED,),
        "another winner announced than the cards show",
        WinnerMisannounced,
        _CALLS,
    ),
    Plant(
        "tie_stored_as_banker",
        (Code.RESULT_MISANNOUNCED,),
        "a 7-7 tie announced as a Banker win (B09)",
        TieStoredAsBanker,
        _CALLS,
    ),
    Plant(
        "points_misannounced",
        (Code.POINTS_MISANNOUNCED,),
        "a final count announced wrongly",
        PointsMisannounced,
        _CALLS,
    ),
    Plant(
        "counts_misannounced",
        (Code.POINTS_MISANNOUNCED,),
        "a count after two cards announced wrongly",
        CountsMisannounced,
        _CALLS | {Capability.COUNTS},
    ),
    Plant(
        "winners_mislisted",
        (Code.WINNING_WAGERS_MISREPORTED,),
        "a winning wager left out of the announced list",
        WinnersMislisted,
        _CALLS | {Capability.WINNING_WAGERS},
    ),
    Plant(
        "card_unreadable",
        (Code.CARD_UNREADABLE,),
        "a card that could not be read",
        CardUnreadable,
        _CARDS,
    ),
    Plant(
        "card_read_later",
        (Code.CARD_UNREADABLE,),
        "a card that could not be read, and was read before the result",
        CardReadLater,
        _CARDS,
    ),
)
