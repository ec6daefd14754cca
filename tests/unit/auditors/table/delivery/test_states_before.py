"""States of builds before this know less of cards, payments and calls, and are read."""

from __future__ import annotations

import json

import pytest

from auditors.table import TableState, decode_state, encode_state
from schemas import events as said
from tests.support.tables.table_script import Folded, TableScript, a_submission, all_but

FILED = a_submission(
    game="baccarat",
    wagers=[{"id": one} for one in ("baccarat.player", "baccarat.banker", "majestic_match")],
)


def before_this(state: TableState) -> TableState:
    """Give a state as a build before this one would have left it."""
    raw = json.loads(encode_state(state))
    for coup in raw["coups"]:
        coup["cards"] = [one[:9] for one in coup["cards"]]
        coup["called_before"] = [one[:8] for one in coup["called_before"]]
        for name in ("counts", "result", "voided", "no_more_bets"):
            coup[name] = coup[name] and coup[name][:8]
        coup["wagers"] = [[*one[:13], [paid[:10] for paid in one[13]]] for one in coup["wagers"]]
        coup["seats"] = [[seat, paid[:10]] for seat, paid in coup["seats"]]
    return decode_state(json.dumps(raw).encode())


def a_day(name: str) -> TableScript:
    reports = all_but(said.Capability.CARDS_LEFT)
    script = TableScript().open(FILED, reports).shoe().coup()
    wager = script.wager("majestic_match@player", 1_000)
    if name == "paid after the void":
        script.close_bets().deal("KS QS", "2D AH").void().settle(wager, 1_000)
    elif name == "paid before the void":
        script.close_bets().deal("KS QS", "2D AH").settle(wager, 26_000).void()
    else:
        script.close_bets().deal("9C KH", "2C 3D").settle(wager, 0, stake_collected_minor=1_000)
        script.result("banker", 9, 5).result("player", 9, 5)
    return script.close()


@pytest.mark.parametrize("name", ["paid after the void", "paid before the void", "called again"])
def test_what_is_found_does_not_depend_on_the_build_that_folded_the_beginning(name: str) -> None:
    messages = a_day(name).messages
    whole = Folded(messages)
    for count in range(1, len(messages)):
        folded = Folded(messages[:count])
        folded.state, folded.log = before_this(folded.state), messages
        for offset in range(count, len(messages)):
            folded.take(offset, messages[offset])
        assert folded.findings == whole.findings, count
