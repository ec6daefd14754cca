"""The interpretations as types: the id by which data and records name each one, and its codes.

What an interpretation asks and how it is answered stands in the law data; Python knows the names.
Ids and codes are plain texts, so that records keep their bytes. The law data is held against these
types when it is loaded: every jurisdiction answers what the engine asks, in codes it can follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final


class Stated:
    """An interpretation that the law data alone applies; the engine never asks for its code."""

    ID: ClassVar[str]


class Asked(Stated):
    """An interpretation on whose code the engine branches: every jurisdiction answers it."""


class OddsFor(Asked):
    """Whether odds printed with ``for`` include the stake."""

    ID = "D1"
    TOTAL: Final = "for"
    PROFIT: Final = "to"


class SeveralRows(Asked):
    """Which of several fitting rows of a paytable is paid."""

    ID = "D2"
    FIRST: Final = "first"
    GREATEST: Final = "greatest"
    EVERY: Final = "every"


class ProgressiveShare(Asked):
    """How several winners of one meter are paid."""

    ID = "D3"
    EQUAL: Final = "equal_share"
    SEQUENTIAL: Final = "sequential_reset"
    BY_STAKE: Final = "pro_rata_stake"
    EACH_WHOLE: Final = "each_full"


class ProgressiveStake(Asked):
    """Which stakes a progressive wager may have."""

    ID = "D4"
    FIXED_UNIT: Final = "fixed_unit"
    ANY_AMOUNT: Final = "any_amount"


class TieOfOneColour(Stated):
    """Whose cards are of one colour in a tie of one colour."""

    ID = "D5"
    BOTH_HANDS: Final = "both_hands"
    EACH_HAND: Final = "each_hand"


class ResetAmount(Asked):
    """To what a meter returns after a hit."""

    ID = "D6"
    FIXED_SEED: Final = "fixed_seed"
    RESERVE_ONLY: Final = "reserve_only"


class WinningContribution(Asked):
    """Whether the contributions of the winning coup are in the amount won."""

    ID = "D7"
    INCLUDED: Final = "included"
    EXCLUDED: Final = "excluded"


class MeterCents(Asked):
    """How a meter shows what is below a cent."""

    ID = "D8"
    TRUNCATED: Final = "truncate_cent"
    ROUNDED: Final = "round_half_up"


class VoidedContribution(Asked):
    """What becomes of the contribution of a voided coup."""

    ID = "D9"
    REVERSED: Final = "reversed"
    KEPT: Final = "kept"


class FixedAward(Asked):
    """From where a fixed award of a progressive wager is paid."""

    ID = "D10"
    TRAY: Final = "tray"
    METER: Final = "meter"


class SupremeLoss(Stated):
    """Whether a Supreme 7 whose row is marked Loss wins."""

    ID = "D11"
    PAYTABLE: Final = "paytable"
    DEFINITION_EVENTS: Final = "definition_events"


class CoverAllWin(Stated):
    """Whether Cover All wins where its row is marked N/A."""

    ID = "D12"
    PAYTABLE: Final = "paytable"
    DEFINITION_EVENTS: Final = "definition_events"


class UnequalSevens(Stated):
    """Whether Blazing 7s wins with hands of two and three cards."""

    ID = "D13"
    EQUAL_COUNTS: Final = "equal_counts_only"
    THREE_CARD_ROW: Final = "mixed_pays_three_card"
    TWO_CARD_ROW: Final = "mixed_pays_two_card"


class UnpaidCell(Asked):
    """What a cell that prints N/A or Loss comes to."""

    ID = "D14"
    LOSES: Final = "loses"
    PUSH: Final = "push"


class TiedSevens(Stated):
    """Whether a tie of 7 and 7 pays a wager on a three-card 7."""

    ID = "D15"


class ThreeCardNine(Stated):
    """Whether a three-card 9 that does not win is paid."""

    ID = "D16"
    PAYS_ANY: Final = "pays_any"
    WIN_REQUIRED: Final = "win_required"


class TalonsMargin(Stated):
    """What Golden Talons pays on a natural that wins by 4 or more."""

    ID = "D17"


class TalonsNaturalTie(Stated):
    """Whether a natural tie is a win of Golden Talons."""

    ID = "D18"


class TalonsOtherTie(Stated):
    """What becomes of Golden Talons on a tie that is not natural."""

    ID = "D19"


class TalonsBothHands(Stated):
    """How Golden Talons is settled when it is placed on both hands."""

    ID = "D20"


class IdenticalCards(Stated):
    """Whether two identical cards are a Suited Match."""

    ID = "D21"
    SUITED: Final = "suited"
    NO_PAY: Final = "no_pay"


class OddsRounding(Asked):
    """How a payout that chips cannot make is rounded."""

    ID = "D22"
    EXACT: Final = "exact_cents"
    UP: Final = "round_up"
    DOWN: Final = "round_down"


class MajesticBase(Stated):
    """Whether Majestic Match needs a main wager."""

    ID = "D23"


class EarlySettlement(Asked):
    """What becomes of a wager settled before third cards when its coup is voided."""

    ID = "D24"
    STANDS: Final = "stands"
    REFUNDED: Final = "refunded"


class PhoenixPair(Stated):
    """Whether a pair of Rising Phoenix is one of rank or of value."""

    ID = "D25"
    RANK: Final = "rank"
    VALUE: Final = "value"


class CommissionFreePush(Stated):
    """When the commission-free Banker wager is a push."""

    ID = "D26"


class VigorishRounding(Asked):
    """How vigorish is rounded."""

    ID = "D27"
    EXACT: Final = "exact"
    NEAREST_25C: Final = "nearest_25c"
    UP_25C: Final = "up_25c"


class CommissionFreeRule(Stated):
    """Which commission-free rule holds."""

    ID = "D28"


class LapsedSection(Stated):
    """What holds for a wager offered after the printed end of its section."""

    ID = "D29"


class CardDrawnInError(Asked):
    """What becomes of a coup in which a third card was drawn wrongly."""

    ID = "D30"
    BY_DISPOSITION: Final = "by_disposition"
    VOID: Final = "void"


class StakeOutsideLimits(Asked):
    """How a stake above the maximum is settled."""

    ID = "D31"
    IN_FULL: Final = "settle_in_full"
    EXCESS_RETURNED: Final = "return_excess"


class BurnedCards(Asked):
    """Whether the exposed card is one of the cards burned."""

    ID = "D32"
    EXPOSED_EXTRA: Final = "exposed_extra"
    EXPOSED_INCLUDED: Final = "exposed_included"


class CloseHits(Asked):
    """Which of two close hits of linked tables came first."""

    ID = "D33"
    CONTROLLER_TIME: Final = "controller_time"
    SEQUENCE: Final = "sequence"


class PrintedEnd(Stated):
    """Which of two printed ends of a section holds."""

    ID = "D34"


class UnstatedBase(Asked):
    """Whether a bonus wager needs a main wager where its section states no condition."""

    ID = "D35"
    NOT_NEEDED: Final = "no_base_needed"
    REQUIRED: Final = "base_required"


class TieAsBase(Asked):
    """Whether Tie alone is a base wager."""

    ID = "D36"
    COUNTS: Final = "tie_counts"
    DOES_NOT_COUNT: Final = "player_or_banker_only"


class LastDay(Asked):
    """Whether a section is in force on the last day printed."""

    ID = "D37"
    INCLUDED: Final = "inclusive"
    EXCLUDED: Final = "exclusive"


INTERPRETATION_TYPES: Final[Mapping[str, type[Stated]]] = {
    asked.ID: asked
    for asked in (*Stated.__subclasses__(), *Asked.__subclasses__())
    if asked is not Asked
}
"""Interpretation id to its type."""


def codes_known(interpretation: type[Stated]) -> tuple[str, ...]:
    """Give the codes of an interpretation that Python has names for."""
    return tuple(
        text for name, text in vars(interpretation).items() if name.isupper() and name != "ID"
    )
