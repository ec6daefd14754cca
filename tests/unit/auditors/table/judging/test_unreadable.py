"""Events whose place is known and whose words are not, in the fold of a table."""

from __future__ import annotations

import orjson
import pytest

from tests.support.tables.played import PLAYER_WINS, a_table
from tests.support.tables.table_script import Folded, TableScript

STAKE = 10_000


def unreadable(script: TableScript, kind: str, **fields: object) -> bytes:
    """Write the next event of a script: its envelope can be read, its content cannot."""
    return orjson.dumps(
        {
            "type": kind,
            "schema_version": 1,
            "source_id": "BAC-01",
            "feed_id": "feed-1",
            "sequence": script.sequence + 1,
            "previous_hash": script.position.previous_hash,
            "occurred_at": f"{script.now:%Y-%m-%dT%H:%M:%S.%f}Z",
            **fields,
        }
    )


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("wager_placed", {"wager": "banker"}),
        ("wager_placed", {"schema_version": 9}),
        ("card_dealt", {"card": "10S"}),
        ("table_opened", {}),
        ("shoe_loaded", {"decks": 0.5}),
    ],
)
def test_nothing_is_asserted_that_an_event_which_cannot_be_read_may_explain(
    kind: str, fields: dict[str, object]
) -> None:
    script = a_table()
    script.add(unreadable(script, kind, **fields))
    script.wager("golden_talons@player", 500)
    script.close_bets().deal("2S", "3H 4D").result("banker", 2, 7)
    folded = Folded(script.close().messages)
    assert folded.codes == ["EVENT_REJECTED"]
    assert folded.finding.sentence.endswith(" The coups beside it are unverified.")
    (coup,) = folded.state.coups
    assert coup.is_unverified


def test_what_was_decided_before_an_event_that_cannot_be_read_stays_decided() -> None:
    script = a_table()
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 20_100)
    script.add(unreadable(script, "payout_corrected"))
    folded = Folded(script.close().messages)
    assert folded.codes == ["EVENT_REJECTED", "WAGER_OVERPAID"]


@pytest.mark.parametrize("kind", ["heartbeat", "chips_filled", "dealer_on", "table_lights_on"])
def test_a_coup_does_not_depend_on_an_event_that_tells_nothing_of_it(kind: str) -> None:
    script = a_table()
    script.add(unreadable(script, kind, amount_minor="5000.00"))
    wager_id = script.wager("player", STAKE)
    script.close_bets().deal(*PLAYER_WINS).result("player", 9, 5).settle(wager_id, 20_100)
    folded = Folded(script.close().messages)
    assert folded.codes == ["EVENT_REJECTED", "WAGER_OVERPAID"]
    assert not folded.state.coups[0].is_unverified
    assert "unverified" not in folded.findings[0].sentence
