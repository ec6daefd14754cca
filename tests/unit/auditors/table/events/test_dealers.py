"""The dealer of a coup: whoever took the table last, until that one leaves it."""

from __future__ import annotations

from schemas import events as said
from tests.support.tables.table_script import Folded, TableScript


def dealers(script: TableScript) -> list[str | None]:
    """Give the dealer of each coup."""
    records = Folded(script.messages).records.values()
    return [one.coup.dealer for one in records if one.coup is not None]


def test_a_coup_names_who_dealt_it() -> None:
    script = TableScript().open().shoe().honest_coup()
    script.say(said.DealerOn, dealer="D1").honest_coup()
    script.say(said.DealerOff, dealer="D1").honest_coup()
    assert dealers(script) == [None, "D1", None]


def test_a_relief_who_comes_before_the_other_leaves_stays_on() -> None:
    script = TableScript().open().shoe()
    script.say(said.DealerOn, dealer="D1").honest_coup()
    script.say(said.DealerOn, dealer="D2").say(said.DealerOff, dealer="D1").honest_coup()
    script.say(said.DealerOff, dealer="D2").honest_coup()
    assert dealers(script) == ["D1", "D2", None]
