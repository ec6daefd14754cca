"""What is dealt after the end: from a shoe that had ended, at a table that had closed."""

from __future__ import annotations

import datetime

import pytest

from schemas import events as said
from tests.support.tables.table_script import Folded, TableScript, all_but


def a_shoe() -> TableScript:
    return TableScript().open().shoe().honest_coup()


def closed(script: TableScript, coups: int) -> TableScript:
    # The opening and the close itself count, the beginning of the feed does not.
    return script.say(said.TableClosed, event_count=script.sequence, coup_count=coups)


def codes(script: TableScript) -> list[str]:
    return Folded(script.messages).codes


@pytest.mark.parametrize("reason", ["cover_card", "cards_exhausted", "irregularity", "other"])
def test_every_coup_from_a_shoe_that_had_ended_is_dealt_too_late(reason: str) -> None:
    script = a_shoe().end_shoe(reason=reason)
    assert codes(script) == []
    assert codes(script.honest_coup().honest_coup()) == ["COVER_CARD_OVERRUN"] * 2


def test_a_coup_too_late_is_found_at_its_first_card_with_its_number() -> None:
    script = a_shoe().end_shoe().coup().close_bets()
    assert codes(script) == []
    finding = Folded(script.card("player", 1, "9S").messages).finding
    assert (finding.code.value, finding.coup, finding.evidence) == (
        "COVER_CARD_OVERRUN",
        "S1/2",
        (script.sequence,),
    )
    assert finding.sentence.startswith("Coup 2 of shoe S1 was dealt although the cover card, or ")


def test_a_shoe_that_ended_is_known_where_cover_cards_are_not_reported() -> None:
    script = TableScript().open(reports=all_but(said.Capability.COVER_CARD)).shoe()
    assert codes(script.honest_coup().end_shoe().honest_coup()) == ["COVER_CARD_OVERRUN"]


def test_coups_of_the_next_shoe_and_what_is_said_late_of_the_last_one_are_none() -> None:
    script = TableScript().open().shoe().coup()
    script.wager("player", 10_000)
    script.close_bets().deal("9S KD", "2S 3H").result("player", 9, 5).settle("W1", 25_000).close()
    script.end_shoe().correct("W1", -5_000).shoe("S2")
    script.close_bets().deal("8C QH", "AD 4C")
    assert codes(script) == ["WAGER_OVERPAID"]


def test_beside_a_gap_a_shoe_may_have_been_loaded_since() -> None:
    script = a_shoe().end_shoe()
    script.say(said.Heartbeat)
    lost = script.sequence
    script.honest_coup()
    messages = [*script.messages[: lost - 1], *script.messages[lost:]]
    for _ in range(70):
        script.say(said.Heartbeat)
    messages += script.messages[len(messages) + 1 :]
    assert codes_of(messages) == ["SEQUENCE_GAP"]


def codes_of(messages: list[bytes]) -> list[str]:
    return Folded(messages).codes


def test_a_coup_at_a_closed_table_is_told_once_and_judged() -> None:
    script = closed(a_shoe(), 1)
    assert codes(script) == []
    begins = script.sequence + 1
    script.coup()
    script.wager("player", 10_000)
    script.close_bets().deal("9C KH", "2C 3D").result("player", 9, 5).settle("W1", 25_000).close()
    folded = Folded(script.messages)
    assert folded.codes == ["EVENT_REJECTED", "WAGER_OVERPAID"]
    told = next(one for one in folded.findings if one.code.value == "EVENT_REJECTED")
    assert told.sentence == (
        f"Event {begins}, wager_placed: coup S1/2 begins while the table is closed; it was judged "
        "all the same."
    )
    assert told.evidence == (begins,)


def test_a_coup_after_the_next_opening_is_none() -> None:
    script = closed(a_shoe(), 1)
    script.now += datetime.timedelta(hours=20)
    assert codes(script.open_again().shoe("S2").coup().close_bets()) == []


def test_a_coup_at_a_closed_table_by_an_id_used_before_is_told_as_both() -> None:
    script = TableScript().open().shoe().honest_coup().end_shoe().shoe("S2")
    script.say(said.TableClosed, event_count=script.sequence, coup_count=1)
    script.say(said.NoMoreBets, coup_id="S1/1", shoe_id="S2")
    sentence = Folded(script.messages).finding.sentence
    assert sentence.endswith(
        "coup S1/1 was told before, and an id is never used again; this one is kept as "
        "S1/1,S2; coup S1/1 begins while the table is closed."
    )


def test_a_shoe_by_an_id_used_before_that_a_coup_at_a_closed_table_names_is_told_too() -> None:
    reports = all_but(said.Capability.SHUFFLE, said.Capability.INSPECTION)
    script = TableScript().open(reports=reports)
    for shoe, coup in (("A", 1), ("B", 1)):
        script.say(said.NoMoreBets, coup_id=f"{shoe}/{coup}", shoe_id=shoe)
    script.say(said.TableClosed, event_count=script.sequence, coup_count=2)
    script.say(said.NoMoreBets, coup_id="A/2", shoe_id="A")
    sentences = [one.sentence for one in Folded(script.messages).findings]
    assert [one for one in sentences if "shoe A was told before" in one and "closed" in one]


def test_what_is_wrong_with_a_wager_and_that_it_begins_a_coup_at_a_closed_table_are_two() -> None:
    script = closed(a_shoe(), 1).coup()
    script.wager("banker", 333)
    script.close_bets().deal("2C 3D", "4H 5S").result("banker", 5, 9).settle("W1", 649)
    found = Folded(script.close().messages).findings
    assert [one.code.value for one in found] == ["EVENT_REJECTED", "EVENT_REJECTED"]
    assert len({one.id for one in found}) == 2
