"""A device that is started anew goes on in another feed, whose numbers begin at 1.

So nothing may be told by comparing the numbers of two events of a coup or shoe.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from schemas import events as said
from tests.support.tables.table_script import Folded, TableScript, a_submission, all_but

BIG = a_submission(
    game="baccarat",
    wagers=[{"id": one} for one in ("baccarat.player", "baccarat.banker", "majestic_match")],
)
BEFORE = 40
"""So many heartbeats make the numbers of the first feed the higher ones."""

Step = Callable[[TableScript], object]


def shoe(script: TableScript) -> TableScript:
    return script.shoe()


def late_wager(script: TableScript) -> None:
    script.wager("player", 10_000)


def call(script: TableScript) -> None:
    script.close_bets()


def deal(script: TableScript) -> None:
    script.deal("9S KD", "2S 3H")


def third_cards(script: TableScript) -> None:
    script.deal("2S 3H 4D", "2D AH 9C")


def result(script: TableScript) -> None:
    script.result("player", 9, 5)


def removal(script: TableScript) -> None:
    script.of_shoe(
        said.CardRemoved, removal_id="X1", card="7H", taken_from="shoe", reason="damaged"
    )


def coup(script: TableScript) -> None:
    script.coup()


def majestic(script: TableScript) -> None:
    script.wager("majestic_match@player", 1_000, wager_id="M1")


def majestic_settled(script: TableScript) -> None:
    script.settle("M1", 0, stake_collected_minor=1_000)


def error_told(script: TableScript) -> None:
    script.of_coup(
        said.CardDrawnInError,
        error_id="E1",
        hand="player",
        position=3,
        card="4D",
        disposition="burned",
    )


def error_before_the_cards(script: TableScript) -> None:
    script.of_coup(
        said.CardDrawnInError, error_id="E1", hand="player", card="4D", disposition="burned"
    )


def replacement(script: TableScript) -> None:
    script.of_shoe(said.CardReplaced, removal_id="X1", card="7H")


def out_of_order(script: TableScript) -> None:
    for hand, position, card in (
        ("player", 1, "2S"),
        ("player", 2, "4H"),
        ("banker", 1, "2D"),
        ("banker", 2, "5H"),
        ("player", 3, "4D"),
    ):
        script.card(hand, position, card)


def player_wager(script: TableScript) -> None:
    script.wager("player", 10_000, wager_id="P1")


def overpaid(script: TableScript) -> None:
    script.settle("P1", 30_000)


def paid(script: TableScript) -> None:
    script.settle("P1", 20_000)


def put_right(minor: int) -> Step:
    return lambda script: script.correct("P1", -minor, correction_id=f"C{minor}")


def natural(script: TableScript) -> None:
    script.deal("9S KD", "2S 3H")


def unread(script: TableScript) -> None:
    script.deal("9S KD", "2S ?")


def read(script: TableScript) -> None:
    script.of_coup(said.CardRead, hand="banker", position=2, card="3H")


def close(script: TableScript) -> None:
    script.close()


DAYS: dict[str, list[Step]] = {
    "a wager after the call": [coup, call, late_wager, close],
    "a call after the wager": [coup, late_wager, call, close],
    "a card that was removed before the coup": [removal, coup, call, deal, result, close],
    "a card that was removed amid the coup": [coup, call, deal, removal, result, close],
    "Majestic Match before the third card": [coup, majestic, call, deal, majestic_settled],
    "Majestic Match after the third card": [coup, majestic, call, third_cards, majestic_settled],
    "Majestic Match before the cards": [coup, majestic, call, majestic_settled, deal, close],
    "a wager settled before the result": [coup, player_wager, call, natural, paid, result, close],
    "a wager settled after the result": [coup, player_wager, call, natural, result, paid, close],
    "a payment put right in two steps": [
        coup,
        player_wager,
        call,
        natural,
        result,
        overpaid,
        put_right(4_000),
        put_right(6_000),
        close,
    ],
    "a card that was read before the result": [coup, call, unread, read, result, close],
    "a card that was read after the result": [coup, call, unread, result, read, close],
    "a card that was replaced after one was drawn in error": [
        removal,
        coup,
        call,
        error_before_the_cards,
        replacement,
        deal,
        result,
        close,
    ],
    "cards in disorder before an error": [coup, call, out_of_order, error_told, close],
    "cards in order before an error": [coup, call, third_cards, error_told, close],
}


def day(steps: list[Step], restart_before: int | None) -> list[tuple[str, str]]:
    """Fold a day whose feed is another one from a step on; give what is found, in words."""
    script = TableScript().open(BIG, reports=all_but(said.Capability.CARDS_LEFT))
    for _ in range(BEFORE):
        script.say(said.Heartbeat)
    for number, step in enumerate([shoe, *steps]):
        if number == restart_before:
            script.restart(after_s=0.0)
        step(script)
    found = Folded(script.messages).findings
    return sorted((one.code.value, one.sentence.split(" (event")[0]) for one in found)


@pytest.mark.parametrize("name", DAYS)
def test_what_is_found_does_not_depend_on_where_a_feed_begins(name: str) -> None:
    steps = DAYS[name]
    whole = day(steps, None)
    for restart_before in range(1, len(steps) + 1):
        assert day(steps, restart_before) == whole, restart_before


def test_the_days_hold_findings_to_compare() -> None:
    found = {name: {code for code, _ in day(steps, None)} for name, steps in DAYS.items()}
    assert "WAGER_LATE" in found["a wager after the call"]
    assert "WAGER_LATE" not in found["a call after the wager"]
    assert "CARD_REMOVED" in found["a card that was removed before the coup"]
    assert "CARD_REMOVED" in found["a card that was replaced after one was drawn in error"]
    assert "CARD_REMOVED" not in found["a card that was removed amid the coup"]
    assert "SETTLED_OUT_OF_TURN" in found["Majestic Match after the third card"]
    assert "SETTLED_OUT_OF_TURN" in found["Majestic Match before the cards"]
    assert "SETTLED_OUT_OF_TURN" not in found["Majestic Match before the third card"]
    assert "SETTLED_OUT_OF_TURN" in found["a wager settled before the result"]
    assert "SETTLED_OUT_OF_TURN" not in found["a wager settled after the result"]
    assert "WAGER_OVERPAID" in found["a payment put right in two steps"]
    assert "DEAL_ORDER" in found["cards in disorder before an error"]
    assert "DEAL_ORDER" not in found["cards in order before an error"]
