"""Cards that come out of a shoe are counted as they were told to come out."""

from __future__ import annotations

from schemas import events as said
from tests.support.played import found
from tests.support.table_script import TableScript, a_submission


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
