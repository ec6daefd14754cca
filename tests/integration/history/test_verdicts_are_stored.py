"""From event to stored finding: vigorish not due or paid late, cards read later or dealt twice."""

from __future__ import annotations

import json
from pathlib import Path

from schemas import events as said
from tests.support.ladderman import ladderman
from tests.support.tables.played import BANKER_WINS, a_table, dealt
from tests.support.tables.played_table import written
from tests.support.tables.table_script import TableScript, a_submission

MARKED = a_submission(commission={"form": "standard", "rate": "5%", "timing": "marked"})


def collected(script: TableScript, collection: str, minor: int) -> None:
    script.say(
        said.VigorishCollected,
        collection_id=collection,
        shoe_id="S1",
        seat="4",
        collected_minor=minor,
    )


def a_day() -> TableScript:
    """Two marked wins, 1.00 collected too much; a card read late; 3.00 paid in the next shoe."""
    script = a_table(MARKED)
    script.wager("banker", 10_000, seat="4")
    dealt(script, BANKER_WINS).settle("W1", 20_000, vigorish_marked_minor=500).close()
    collected(script, "V1", 600)
    script.say(said.SeatVacated, seat="4").coup()
    script.wager("banker", 10_000, seat="4")
    script.close_bets().deal("2S ? KD", "AC 2D 5H")
    script.of_coup(said.CardRead, hand="player", position=2, card="3H")
    script.result("banker", 5, 8).settle("W2", 20_000, vigorish_marked_minor=500).close()
    script.shoe("S2")
    collected(script, "V2", 300)
    return script


def stored_titles(events: Path, store: Path) -> str:
    """Put events into a new history; give the titles of its incidents, one a line."""
    assert ladderman("ingest", events, "--store", store).code == 0
    listed = ladderman("incidents", "list", "--store", store, "--format", "jsonl").out
    return "\n".join(json.loads(line).get("title", "") for line in listed.splitlines())


def test_what_was_found_stands_in_the_history_as_it_came_to_be(tmp_path: Path) -> None:
    events = written(tmp_path, a_day().messages)
    titles = stored_titles(events, tmp_path / "store")
    assert "1.00 vigorish collected that was not due at BAC-01 seat 4" in titles
    assert "marked vigorish not collected at 1 seat" in titles
    assert "Player card 2 read late, as 3H at BAC-01, shoe S1, coup 2" in titles
    audited = ladderman("audit", events, "--format", "jsonl").out
    found = {
        one["code"]: (one["status"], one["difference"], one["residual"])
        for one in map(json.loads, audited.splitlines())
        if one["schema"] == "ladderman.finding/2"
    }
    assert found == {
        "VIGORISH_WRONG": ("standing", "1.00", "1.00"),
        "VIGORISH_OUTSTANDING": ("standing", "-5.00", "-2.00"),
        "CARD_UNREADABLE": ("corrected", None, None),
    }


def a_night() -> TableScript:
    """A card dealt twice by its id, a fill told with two amounts, a coup voided by nobody."""
    script = a_table()
    ranks = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    for number, card in enumerate([*ranks, "2C", "3C", "4C", "5C"]):
        hand, position = ("player", "banker")[number % 2], number % 4 // 2 + 1
        if number and not number % 4:
            script.coup()
        script.card(hand, position, card, card_id=f"S1.{number if number < 55 else 7}")
    script.of_coup(said.CoupVoided).close()
    for minor in (500_000, 600_000):
        script.say(said.ChipsFilled, fill_id="F-1", amount_minor=minor)
    return script


def test_what_came_twice_and_what_nobody_allowed_stand_in_the_history(tmp_path: Path) -> None:
    events = written(tmp_path, a_night().messages)
    titles = stored_titles(events, tmp_path / "store")
    assert "1 card came out of the shoe twice" in titles
    assert "Void with no supervisor and no reason at BAC-01, shoe S1, coup 14" in titles
    assert "Content that cannot be used: chips_filled at BAC-01" in titles
