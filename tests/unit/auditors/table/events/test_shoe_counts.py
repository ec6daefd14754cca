"""Cards that come out of a shoe are counted as they were told to come out."""

from __future__ import annotations

import pytest

from schemas import events as said
from tests.support.tables.played import found
from tests.support.tables.table_script import TableScript, a_submission


def test_a_burn_that_turns_no_card_takes_out_as_many_cards_as_it_says() -> None:
    def burned(left: int, *, turns_one: bool) -> list[str]:
        script = TableScript().open(a_submission(burn_exposed_card=turns_one)).shoe()
        script.of_shoe(said.CardsBurned, burned_count=1)
        return found(script.end_shoe(cards_left_count=left))

    assert burned(415, turns_one=False) == []
    assert burned(414, turns_one=False) == ["SHOE_COMPOSITION"]
    # Where the first card is turned up it came out as well, though nobody could read it.
    assert burned(414, turns_one=True) == []
    assert burned(415, turns_one=True) == ["SHOE_COMPOSITION"]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (said.CardsBurned, {"exposed_card": "AC", "exposed_card_id": "S9-7", "burned_count": 1}),
        (said.CardExposed, {"disposition": "discarded", "card": "AC", "back": "red"}),
        (said.CardExposed, {"disposition": "burned", "card_id": "S9-7"}),
        (
            said.CardRemoved,
            {"removal_id": "R1", "taken_from": "layout", "reason": "foreign", "back": "red"},
        ),
    ],
)
def test_a_card_of_another_shoe_is_found_wherever_it_is_seen(
    kind: type, fields: dict[str, object]
) -> None:
    def seen(**loaded: object) -> list[str]:
        script = TableScript().open().shoe(**loaded)
        return found(script.of_shoe(kind, **fields))

    assert seen(backs=("blue",), card_id_prefix="S1-") == ["CARD_FROM_OTHER_SHOE"]
    assert seen(backs=("blue", "red"), card_id_prefix="S9-") == []
    assert seen() == []


def test_a_played_card_that_was_exposed_is_judged_where_it_is_dealt() -> None:
    script = TableScript().open().shoe(backs=("blue",))
    script.of_shoe(said.CardExposed, disposition="played", card="AC", back="red")
    assert found(script) == []
