"""Kinds of faults known from fines and bug reports: told as events, and as rows where rows say it.

Each case states what a dealer, a filing or a program did; the codes are worked out from the law.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from auditors.settlement.rules import Rules
from auditors.settlement.terms import terms_of
from schemas import events as said
from schemas.rules_submission import RulesSubmission
from tests.support.tables.deals import LAW
from tests.support.tables.played import BANKER_WINS, PLAYER_WINS, TIE, a_table, dealt
from tests.support.tables.table_script import Folded, TableScript, a_submission
from tests.support.texts.round_audits import audited

_HOUSE = (
    "dragon_7",
    "panda_8",
    "player_dragon_bonus",
    "banker_dragon_bonus",
    "either_pair",
    "perfect_pair",
    "player_pair",
    "big",
    "small",
    "super_six",
    "banker_no_commission",
)
_MAIN = ("minibaccarat.player", "minibaccarat.banker", "minibaccarat.tie")
HOUSE = a_submission(wagers=[{"id": one} for one in (*_MAIN, *(f"house.{x}" for x in _HOUSE))])
PHOENIX = a_submission(
    game="rising_phoenix",
    commission={"form": "free"},
    wagers=[
        {"id": f"rising_phoenix.{one}"}
        for one in ("player", "banker", "tie", "eight_over_zero", "player_8_over_0")
    ],
)
DRAGON_7 = ("2S 4H", "AC 3D 3H")
PANDA_8 = ("2S 3H 3D", "KS QH KD")
SEVENS = ("3S 4H", "2S 2H 3C")
"""A tie of 7 to 7, the Banker's in three cards."""
OVER, UNDER, PAID, LEFT = "WAGER_OVERPAID", "WAGER_UNDERPAID", "LOSER_PAID", "LOSER_NOT_COLLECTED"


@dataclass(frozen=True)
class Paid:
    """One wager of a coup, and what was handed over for it."""

    hands: tuple[str, str]
    wager: str
    stake: int
    paid: int
    codes: list[str]
    filed: RulesSubmission = HOUSE
    told: dict[str, int] = field(default_factory=dict)


PAID_CASES = {
    "Panda 8 on a Player 8 in two cards": Paid(("4S 4H", "2S 3H"), "panda_8", 500, 13_000, [PAID]),
    "Panda 8 at 25 for 1": Paid(PANDA_8, "panda_8", 500, 12_500, [UNDER]),
    "Dragon 7 on a tie of sevens": Paid(SEVENS, "dragon_7", 500, 20_500, [PAID]),
    "Dragon 7 on a Banker 7 in two cards": Paid(
        ("2S 4H", "3S 4H"), "dragon_7", 500, 20_500, [PAID]
    ),
    "Dragon 7 at 40 for 1": Paid(DRAGON_7, "dragon_7", 500, 20_000, [UNDER]),
    "margin odds for a natural": Paid(
        ("9S KH", "KS QH"), "player_dragon_bonus", 1_000, 31_000, [OVER]
    ),
    "margin odds for nine without a natural": Paid(
        ("4S KH 5D", "KS QH KD"), "player_dragon_bonus", 1_000, 31_000, []
    ),
    "a natural that loses to a better one, pushed": Paid(
        ("8S KH", "9S QH"),
        "player_dragon_bonus",
        1_000,
        1_000,
        [LEFT],
        told={"stake_collected_minor": 0},
    ),
    "a margin of three": Paid(("4S KH KS", "7S QH"), "banker_dragon_bonus", 1_000, 2_000, [PAID]),
    "Super Six where the Player wins with 6": Paid(
        ("2S 4H", "2S 3H KD"), "super_six", 1_000, 13_000, [PAID]
    ),
    "half pay on 6 paid in full": Paid(
        ("2S 3H KD", "4S 2H"), "banker_no_commission", 1_000, 2_000, [OVER]
    ),
    "two pairs pay either pair once": Paid(
        ("4S 4H", "3S 3H"), "either_pair", 1_000, 11_000, [OVER]
    ),
    "two perfect pairs pay once": Paid(("4S 4S", "3S 3S"), "perfect_pair", 1_000, 26_000, []),
    "king and queen as a pair": Paid(("KS QH", "9S KD"), "player_pair", 1_000, 12_000, [PAID]),
    "a pair made by the third card": Paid(
        ("2S 3H 3D", "7S KH"), "player_pair", 1_000, 12_000, [PAID]
    ),
    "Small on five cards": Paid(("2S 3H KD", "7S KH"), "small", 10_000, 25_000, [PAID]),
    "vigorish on a push": Paid(TIE, "banker", 10_000, 9_500, [UNDER]),
    "vigorish on the Tie wager": Paid(TIE, "tie", 10_000, 85_500, [UNDER]),
    "vigorish on the Player wager": Paid(PLAYER_WINS, "player", 10_000, 19_500, [UNDER]),
    "vigorish of stake and winnings": Paid(BANKER_WINS, "banker", 10_000, 19_000, [UNDER]),
    "a tie pushes the Tie wager": Paid(TIE, "tie", 10_000, 10_000, [UNDER]),
    "a cent short": Paid(PLAYER_WINS, "player", 1_000, 1_999, [UNDER]),
    "a cent to a loser": Paid(PLAYER_WINS, "banker", 1_000, 1, [PAID]),
    "vigorish at a commission-free table": Paid(
        BANKER_WINS, "banker", 10_000, 19_500, [UNDER], PHOENIX
    ),
    "commission-free three-card 7 paid": Paid(DRAGON_7, "banker", 10_000, 20_000, [OVER], PHOENIX),
    "commission-free two-card 7 pushed": Paid(
        ("2S 4H", "3S 4H"), "banker", 10_000, 10_000, [UNDER], PHOENIX
    ),
    "commission-free tie of sevens": Paid(SEVENS, "banker", 10_000, 10_000, [], PHOENIX),
    "8 over 0 pays beside Player 8 over Banker 0": Paid(
        PANDA_8, "eight_over_zero", 100, 13_100, [], PHOENIX
    ),
    "Player 8 over Banker 0 beside 8 over 0": Paid(
        PANDA_8, "player_8_over_0", 100, 25_100, [], PHOENIX
    ),
}


@pytest.mark.parametrize("case", PAID_CASES.values(), ids=PAID_CASES.keys())
def test_a_payment_told_as_events_brings_its_findings(case: Paid) -> None:
    script = a_table(case.filed)
    script.wager(case.wager, case.stake)
    # A loser's stake is in the tray, unless the case says that it stayed with the patron.
    collected = {"stake_collected_minor": case.stake} if case.codes == [PAID] else {}
    dealt(script, case.hands).settle("W1", case.paid, **{**collected, **case.told}).close()
    assert Folded(script.messages).codes == case.codes


@pytest.mark.parametrize("case", PAID_CASES.values(), ids=PAID_CASES.keys())
def test_a_payment_told_as_a_row_brings_its_findings(case: Paid) -> None:
    player, banker = case.hands
    row = f"1 | {player} | {banker} | {case.wager} | {case.stake / 100:.2f} | {case.paid / 100:.2f}"
    found = audited(
        "coup | player_cards | banker_cards | wager | stake | paid", row, rules=under(case.filed)
    )
    assert found.codes == case.codes


def under(filed: RulesSubmission) -> Rules:
    return Rules(LAW, terms_of(LAW, filed))


DRAWN_CASES = {
    "Banker 3 draws against an 8": ("5S KH 8D", "AC 2D KD", ["THIRD_CARD_DRAWN_IN_ERROR"]),
    "Banker 3 stands against a 9": ("5S KH 9D", "AC 2D", ["THIRD_CARD_NOT_DRAWN"]),
    "Banker 4 draws against an ace": ("5S KH AD", "2C 2D KS", ["THIRD_CARD_DRAWN_IN_ERROR"]),
    "Banker 5 stands against a 4": ("5S KH 4D", "3C 2D", ["THIRD_CARD_NOT_DRAWN"]),
    "Banker 6 stands against a 6": ("5S KH 6D", "4C 2D", ["THIRD_CARD_NOT_DRAWN"]),
    "Banker 6 stands against a ten": ("5S KH KD", "4C 2D", []),
    "Banker 6 draws though the Player stood": (
        "6S KH",
        "4C 2D AD",
        ["THIRD_CARD_DRAWN_IN_ERROR"],
    ),
    "Banker 7 draws": ("5S KH 6D", "4C 3D AS", ["THIRD_CARD_DRAWN_IN_ERROR"]),
    "the loser of a natural draws to 9": ("8S KH", "2C KD 7D", ["CARD_AFTER_NATURAL"]),
    "two naturals draw": ("8S KH KD", "9C KD KH", ["CARD_AFTER_NATURAL"] * 2),
    "nobody draws on zero": ("TS KD", "QS JH", ["THIRD_CARD_NOT_DRAWN"] * 2),
    "the Player draws on 7, the Banker as it lies": (
        "7S KH 2D",
        "2C KD",
        ["THIRD_CARD_DRAWN_IN_ERROR", "THIRD_CARD_NOT_DRAWN"],
    ),
}


@pytest.mark.parametrize(
    ("player", "banker", "codes"), DRAWN_CASES.values(), ids=DRAWN_CASES.keys()
)
def test_a_draw_brings_its_findings_told_as_events_and_as_a_row(
    player: str, banker: str, codes: list[str]
) -> None:
    assert Folded(dealt(a_table(), (player, banker)).close().messages).codes == codes
    row = f"1 | {player} | {banker}"
    assert sorted(audited("coup | player_cards | banker_cards", row).codes) == codes


def settled(script: TableScript, **paid: int) -> TableScript:
    for wager_id, minor in paid.items():
        script.settle(wager_id, minor)
    return script


def swapped() -> TableScript:
    """What a pair won is paid for Player, and what Player won for the pair."""
    script = a_table(HOUSE)
    script.wager("player", 1_000)
    script.wager("player_pair", 1_000)
    return settled(dealt(script, ("4S 4H", "KS 3H")), W1=12_000, W2=2_000).close()


def as_one() -> TableScript:
    """Two wagers of one kind at one seat are paid as one."""
    script = a_table()
    script.wager("player", 1_000)
    script.wager("player", 1_000)
    return settled(dealt(script), W1=4_000, W2=0).close()


def other_currency() -> TableScript:
    """The table goes over to another currency between two shoes."""
    script = a_table()
    script.wager("player", 1_000)
    settled(dealt(script), W1=2_000).close().end_shoe()
    script.say(said.RulesSubmissionChanged, submission=a_submission(id="RS-8", currency="HKD"))
    script.shoe("S2").coup()
    script.wager("player", 1_000)
    return settled(dealt(script, ("9H KC", "2C 3D")), W2=2_500).close()


def odds_of_the_next_filing() -> TableScript:
    """A coup that began under 8 to 1 is paid at the 9 to 1 filed while it was dealt."""
    script = a_table()
    script.wager("tie", 1_000)
    script.close_bets()
    script.say(said.RulesSubmissionChanged, submission=a_submission(id="RS-8", tie_odds="9 to 1"))
    script.deal(*TIE).result("tie", 9, 9)
    return settled(script, W1=10_000).close()


def not_enough_cards() -> TableScript:
    """The shoe runs out within a coup, which is voided and refunded."""
    script = a_table()
    script.wager("player", 1_000)
    script.close_bets().deal("2S KD", "2H 3H").void().refund("W1", 1_000).close()
    return script.end_shoe(reason="cards_exhausted")


def void_after_paying() -> TableScript:
    """A coup is voided after it was paid, and the winnings stay with the patron."""
    script = a_table()
    script.wager("player", 1_000)
    settled(dealt(script), W1=2_000)
    return script.void().refund("W1", 1_000).close()


def wager_of_the_next_coup() -> TableScript:
    """Wagers of the next coup are placed while this one is paid."""
    script = a_table()
    script.wager("player", 1_000)
    dealt(script).coup()
    script.wager("banker", 1_000, "2")
    script._coup -= 1
    settled(script, W1=2_000).close()
    settled(dealt(script.coup(), BANKER_WINS), W2=1_950)
    return script.close()


SAID_CASES = {
    "payouts of two wagers swapped": (swapped, [OVER, UNDER]),
    "two wagers of a kind paid as one": (as_one, [OVER, UNDER]),
    "another currency from the next shoe on": (other_currency, [OVER]),
    "paid by the next coup's filing": (odds_of_the_next_filing, ["RULES_CHANGED_MID_SHOE", OVER]),
    "not enough cards to finish": (not_enough_cards, []),
    "voided after paying, winnings kept": (void_after_paying, [OVER]),
    "wagers of the next coup": (wager_of_the_next_coup, []),
}


@pytest.mark.parametrize(("say", "codes"), SAID_CASES.values(), ids=SAID_CASES.keys())
def test_a_course_of_events_brings_its_findings(say: object, codes: list[str]) -> None:
    assert callable(say)
    assert Folded(say().messages).codes == codes
