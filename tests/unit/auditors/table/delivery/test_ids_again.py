"""Ids are for ever, and devices count anew: no coup or shoe takes the place of another one."""

from __future__ import annotations

import datetime
import json

import pytest

from auditors.table import decode_state, encode_state
from auditors.table.known.state import COUPS_KEPT, OLD_COUPS_KEPT, OLD_SHOES_KEPT
from schemas import events as said
from schemas.records import Record
from tests.support.tables.amended import Amended
from tests.support.tables.table_script import Folded, TableScript, all_but

QUIET = all_but(said.Capability.CARDS_LEFT)
OF_SHOES = {"SHOE_COMPOSITION", "SHOE_ORDER_REPEATED"}
"""What is found of shoes here, because every coup is dealt the same cards."""
OVERPAID = 30_000


def play(script: TableScript, shoe_id: str, coup_id: str, paid_minor: int = 20_000) -> None:
    """Play a coup of 100.00 on Player, which wins, under an id of the device's choice."""

    def say(kind: type, **fields: object) -> None:
        script.say(kind, coup_id=coup_id, shoe_id=shoe_id, **fields)

    say(said.WagerPlaced, wager_id=f"W{coup_id}", seat="1", wager="player", stake_minor=10_000)
    say(said.NoMoreBets)
    for hand, position, card in (
        ("player", 1, "9S"),
        ("banker", 1, "2S"),
        ("player", 2, "KD"),
        ("banker", 2, "3H"),
    ):
        say(said.CardDealt, hand=hand, position=position, card=card)
    say(said.ResultAnnounced, winner="player", player_points=9, banker_points=5)
    say(
        said.WagerSettled,
        wager_id=f"W{coup_id}",
        settlement_id=f"T{coup_id}",
        paid_minor=paid_minor,
    )
    say(said.CoupClosed)


def coups_of(folded: Folded) -> dict[str, Record]:
    return {subject: one for (_, kind, subject), one in folded.records.items() if kind == "coup"}


def overpaid(folded: Folded) -> list[str | None]:
    return [one.coup for one in folded.findings if one.code.value == "WAGER_OVERPAID"]


def test_wagers_of_two_coups_that_bear_one_number_are_two_findings_whatever_the_coups_numbers() -> (
    None
):
    script = TableScript().open(reports=QUIET).shoe("S1")
    for coup_id in ("1", "10"):
        told = {"coup_id": coup_id, "shoe_id": "S1", "wager_id": "10"}
        script.say(said.WagerPlaced, **told, seat="1", wager="player", stake_minor=10_000)
        script.say(said.CoupClosed, coup_id=coup_id, shoe_id="S1")
    found = [one for one in Folded(script.messages).findings if one.wager is not None]
    assert [(one.code.value, one.coup) for one in found] == [
        ("WAGER_NOT_SETTLED", "1"),
        ("WAGER_NOT_SETTLED", "10"),
    ]
    assert len({one.id for one in found}) == 2


@pytest.mark.parametrize("count", [1, 10, COUPS_KEPT, COUPS_KEPT + 70, 110])
def test_a_device_that_counts_its_coups_anew_with_every_shoe_loses_none(count: int) -> None:
    script = TableScript().open(reports=QUIET)
    for number in range(3):
        script.shoe(f"S{number}")
        for coup in range(1, count + 1):
            play(script, f"S{number}", str(coup), OVERPAID if coup == 1 else 20_000)
        script.end_shoe(coup_count=count)
    folded = Folded(script.messages)
    coups = coups_of(folded)
    assert len(coups) == 3 * count
    assert {one.coup.state for one in coups.values() if one.coup} == {"closed"}
    assert [one.shoe_id for one in coups.values()].count("S1") == count
    assert overpaid(folded)[0] == "1"
    assert overpaid(folded)[2] == "1,S2"
    assert len(overpaid(folded)) == 3
    rejected = [one for one in folded.findings if one.code.value == "EVENT_REJECTED"]
    assert len(rejected) == 2 * count
    assert "coup 1 was told before, and an id is never used again; this one is kept as 1,S1" in (
        rejected[0].sentence
    )
    assert set(folded.codes) - OF_SHOES == {"EVENT_REJECTED", "WAGER_OVERPAID"}


def test_shoes_and_coups_that_are_counted_anew_with_the_day_lose_none() -> None:
    script = TableScript().open(reports=QUIET)
    for day in range(2):
        if day:
            script.say(said.TableClosed, event_count=script.sequence, coup_count=42)
            script.now += datetime.timedelta(hours=20)
            script.open_again(reports=QUIET, gaming_date=script.now.date())
        for number in range(1, 7):
            script.shoe(str(number))
            for coup in range(1, 8):
                play(script, str(number), f"{number}/{coup}", OVERPAID if coup == 3 else 20_000)
            script.end_shoe(coup_count=7)
    folded = Folded(script.messages)
    assert len(coups_of(folded)) == 2 * 42
    assert len(overpaid(folded)) == len(set(overpaid(folded))) == 2 * 6


def test_an_id_of_an_open_coup_is_that_coup_whatever_shoe_its_event_names() -> None:
    script = TableScript().open(reports=QUIET).shoe("S1")
    script.say(
        said.WagerPlaced,
        coup_id="1",
        shoe_id="S1",
        wager_id="W1",
        seat="1",
        wager="player",
        stake_minor=10_000,
    )
    script.shoe("S2")
    script.say(said.NoMoreBets, coup_id="1", shoe_id="S2")
    assert list(coups_of(Folded(script.messages))) == ["1"]


def test_a_correction_of_the_coup_before_is_no_coup_that_begins() -> None:
    script = TableScript().open(reports=QUIET).shoe("S1")
    play(script, "S1", "1", OVERPAID)
    script.end_shoe(coup_count=1).shoe("S2")
    script.say(
        said.PayoutCorrected,
        coup_id="1",
        shoe_id="S2",
        correction_id="C1",
        settlement_id="T1",
        paid_change_minor=-10_000,
        reason="taken back",
        authorised_by="su-1",
    )
    folded = Folded(script.messages)
    assert list(coups_of(folded)) == ["1"]
    assert folded.finding.residual_minor == 0


def test_a_late_event_that_names_no_shoe_begins_no_coup() -> None:
    script = TableScript().open(reports=QUIET).shoe("S1")
    for coup in range(1, COUPS_KEPT + 3):
        play(script, "S1", str(coup))
    script.end_shoe(coup_count=COUPS_KEPT + 2).shoe("S2")
    script.say(said.NoMoreBets, coup_id="1")
    folded = Folded(script.messages)
    (late,) = [one for one in folded.findings if one.code.value not in OF_SHOES]
    assert "coup 1 is long closed" in late.sentence
    assert len(coups_of(folded)) == COUPS_KEPT + 2


def test_ids_that_name_their_shoe_are_forgotten_one_by_one() -> None:
    script = TableScript().open(reports=QUIET)
    script.shoe("S1")
    for coup in range(1, 100):
        play(script, "S1", f"S1/{coup}")
    folded = Folded(script.messages)
    assert set(folded.codes) == OF_SHOES
    assert len(folded.state.old_coups) == 99 - COUPS_KEPT < OLD_COUPS_KEPT


TOO_MANY = 9
"""So many coups of the same cards take more nines of spades than eight decks hold."""


def shoes_of(folded: Folded) -> dict[str, Record]:
    return {subject: one for (_, kind, subject), one in folded.records.items() if kind == "shoe"}


def shoes_with(folded: Folded, code: str) -> list[str | None]:
    return [one.shoe for one in folded.findings if one.code.value == code]


def next_day(script: TableScript) -> TableScript:
    script.say(said.TableClosed, event_count=script.sequence, coup_count=1)
    script.now += datetime.timedelta(hours=20)
    return script


@pytest.mark.parametrize("a_day", [1, 2, 4, 5, 12])
def test_shoes_that_are_numbered_anew_with_the_day_keep_what_was_found_in_each(a_day: int) -> None:
    script = TableScript().open(reports=QUIET)
    for day in range(3):
        if day:
            next_day(script).open_again(reports=QUIET, gaming_date=script.now.date())
        for number in range(1, a_day + 1):
            script.shoe(str(number))
            count = TOO_MANY if (day, number) in ((0, 1), (2, 1)) else 2
            for coup in range(count):
                play(script, str(number), f"D{day}-{number}-{coup}")
            script.end_shoe(coup_count=count)
    folded = Folded(script.messages)
    assert len(shoes_of(folded)) == 3 * a_day
    assert len(coups_of(folded)) == 3 * a_day * 2 + 2 * (TOO_MANY - 2)
    first, third = shoes_with(folded, "SHOE_COMPOSITION")
    assert first == "1"
    assert str(third).startswith("1,feed-1/")
    rejected = [one for one in folded.findings if "is never used again" in one.sentence]
    assert len(rejected) == 2 * a_day
    assert "shoe_loaded: shoe 1 was told before, and an id is never used again; this one is " in (
        rejected[0].sentence
    )


def test_a_new_feed_with_every_day_gives_its_shoes_names_of_their_own() -> None:
    script = TableScript().open(reports=QUIET)
    for day in range(3):
        if day:
            next_day(script).restart(f"feed-{day + 1}")
            script.open_again(reports=QUIET, gaming_date=script.now.date())
        script.shoe("1")
        play(script, "1", "1", OVERPAID)
        script.end_shoe(coup_count=1)
    folded = Folded(script.messages)
    assert len(shoes_of(folded)) == len(coups_of(folded)) == len(overpaid(folded)) == 3


def test_two_boxes_that_take_turns_are_a_shoe_with_every_loading() -> None:
    script = TableScript().open(reports=QUIET)
    for turn in range(6):
        script.shoe("red" if turn % 2 else "blue")
        play(script, "red" if turn % 2 else "blue", f"C{turn}", OVERPAID)
        script.end_shoe(coup_count=1)
    folded = Folded(script.messages)
    assert len(shoes_of(folded)) == len(overpaid(folded)) == 6
    # All is of the box that was loaded last: nothing about it was refused.
    assert [one for one in folded.findings if "is not in play" in one.sentence] == []


def test_one_id_for_every_shoe_of_a_table_that_tells_no_end_makes_no_card_one_too_many() -> None:
    script = TableScript().open(reports=QUIET)
    for turn in range(3):
        script.shoe("1")
        for coup in range(TOO_MANY - 1):
            play(script, "1", f"C{turn}-{coup}")
    folded = Folded(script.messages)
    assert len(shoes_of(folded)) == 3
    assert len(coups_of(folded)) == 3 * (TOO_MANY - 1)
    assert shoes_with(folded, "SHOE_COMPOSITION") == []


def test_a_device_started_anew_amid_a_shoe_says_where_it_stands() -> None:
    script = TableScript().open(reports=QUIET).shoe("S1")
    for coup in range(TOO_MANY // 2):
        play(script, "S1", f"C{coup}")
    script.restart().open_again(reports=QUIET).shoe("S1")
    for coup in range(TOO_MANY // 2, TOO_MANY):
        play(script, "S1", f"C{coup}")
    folded = Folded(script.messages)
    assert list(shoes_of(folded)) == ["S1"]
    assert shoes_with(folded, "SHOE_COMPOSITION") == ["S1"]
    (told_again,) = [one for one in folded.findings if one.code.value == "EVENT_REJECTED"]
    assert "shoe S1 was loaded before; it was kept but not used." in told_again.sentence


def test_shoes_of_a_table_that_tells_no_loadings_come_again_too() -> None:
    script = TableScript().open(reports=QUIET)
    for turn in range(4):
        play(script, str(turn % 2), "1", OVERPAID)
    folded = Folded(script.messages)
    assert len(shoes_of(folded)) == len(coups_of(folded)) == len(overpaid(folded)) == 4
    rejected = [one for one in folded.findings if one.code.value == "EVENT_REJECTED"]
    assert "coup 1 and shoe 0 were told before, and ids are never used again; these are" in (
        rejected[-2].sentence
    )


def test_an_event_that_names_an_earlier_shoe_does_not_bring_it_back() -> None:
    script = TableScript().open(reports=QUIET)
    for shoe in ("S1", "S2"):
        script.shoe(shoe)
        play(script, shoe, f"{shoe}/1")
        script.end_shoe(coup_count=1)
    script.shoe("S3")
    play(script, "S1", "S3/1")
    play(script, "S3", "S3/2")
    folded = Folded(script.messages)
    assert folded.state.shoe is not None
    assert folded.state.shoe.shoe_id == "S3"
    assert list(coups_of(folded)) == ["S1/1", "S2/1", "S3/2"]
    refused = [one for one in folded.findings if "S1 is not in play any more" in one.sentence]
    assert refused


def test_vigorish_is_collected_for_the_latest_shoe_of_its_id() -> None:
    script = TableScript().open(reports=QUIET)
    for _ in range(2):
        script.shoe("1")
        script.say(
            said.WagerPlaced,
            coup_id=f"C{script.sequence}",
            shoe_id="1",
            wager_id=f"W{script.sequence}",
            seat="1",
            wager="banker",
            stake_minor=10_000,
        )
        script.end_shoe(coup_count=1)
    script.say(
        said.VigorishCollected, shoe_id="1", seat="1", collection_id="V1", collected_minor=500
    )
    folded = Folded(script.messages)
    (owed,) = [one for one in folded.findings if one.code.value.startswith("VIGORISH")]
    assert str(owed.shoe).startswith("1,feed-1/")


def test_an_id_is_known_as_long_as_it_is_among_the_latest() -> None:
    script = TableScript().open(reports=QUIET)
    for number in range(OLD_SHOES_KEPT + 2):
        script.shoe(f"S{number}")
    script.shoe("S2").shoe("S0")
    folded = Folded(script.messages)
    assert len(folded.state.old_shoes) == OLD_SHOES_KEPT
    assert folded.state.shoe is not None
    assert folded.state.shoe.shoe_id == "S0"
    assert folded.codes == ["EVENT_REJECTED"]


@pytest.mark.parametrize("shoe_id", ["N3", "N1"])
def test_a_shoe_whose_loading_was_lost_is_judged_by_whatever_id_it_has(shoe_id: str) -> None:
    script = TableScript().open()
    for number in (1, 2):
        script.shoe(f"N{number}").honest_coup().end_shoe()
    lost = len(script.shoe(shoe_id).messages) - 1
    script.of_shoe(said.CardsBurned, occasion="opening", exposed_card="5H", burned_count=5)
    for _ in range(2):
        wager = script.coup().wager("player", 10_000)
        script.close_bets().deal("9C KH", "2C 3D").result("player", 9, 5)
        script.settle(wager, 30_000).close()
    for _ in range(70):
        script.say(said.Heartbeat, 0.5)
    codes = Folded(script.messages[:lost] + script.messages[lost + 1 :]).codes
    named = ["EVENT_REJECTED"] if shoe_id == "N1" else []
    assert codes == [*named, "SEQUENCE_GAP", "WAGER_OVERPAID"]


def test_shoes_of_a_state_before_this_are_known_by_their_cards() -> None:
    script = TableScript().open().shoe("A").honest_coup().end_shoe().shoe("B").honest_coup()
    folded = Folded(script.messages)
    before = json.loads(encode_state(folded.state))
    del before["old_shoes"]
    folded.state = decode_state(json.dumps(before).encode())
    script.end_shoe().shoe("A")
    folded.log = script.messages
    for offset in (-2, -1):
        folded.take(len(script.messages) + offset, script.messages[offset])
    assert folded.finding.sentence.startswith(
        f"Event {script.sequence}, shoe_loaded: shoe A was told before"
    )


@pytest.mark.parametrize("is_of_format_2", [True, False])
def test_a_shoe_that_a_build_before_this_refused_to_load_is_judged_on(
    is_of_format_2: bool,
) -> None:
    script = TableScript().open(reports=QUIET)
    for shoe_id in ("A", "B"):
        script.shoe(shoe_id)
        play(script, shoe_id, f"{shoe_id}/1")
        script.end_shoe()
    folded = Folded(script.messages)
    before = json.loads(encode_state(folded.state))
    if is_of_format_2:
        del before["old_shoes"]
    folded.state = decode_state(json.dumps(before).encode())
    count = len(script.messages)
    play(script, "A", "A/2", OVERPAID)
    folded.log = script.messages
    for offset in range(count, len(script.messages)):
        folded.take(offset, script.messages[offset])
    found = sorted({*folded.codes} - OF_SHOES)
    assert found == ["EVENT_REJECTED", *["WAGER_OVERPAID"] * is_of_format_2]


def test_a_coup_has_one_name_whether_the_loading_of_its_shoe_is_late_or_not() -> None:
    script = TableScript().open()
    for number in (1, 2):
        script.shoe(f"N{number}")
        play(script, f"N{number}", "1", OVERPAID)
    lost = next(n for n, raw in enumerate(script.messages) if b'"shoe_id":"N2"' in raw)
    for _ in range(70):
        script.say(said.Heartbeat, 0.5)
    late = [*script.messages[:lost], *script.messages[lost + 1 :], script.messages[lost]]
    assert set(coups_of(Amended(late))) == set(coups_of(Folded(script.messages)))


def test_a_shoe_by_an_id_used_before_is_not_told_again_at_its_number_in_the_next_feed() -> None:
    script = TableScript().open().shoe("A").honest_coup().end_shoe().shoe("A")
    loaded = script.sequence
    script.restart(after_s=0.0)
    while script.sequence < loaded - 1:
        script.say(said.Heartbeat)
    script.of_coup(said.NoMoreBets)
    assert [one.subject for one in Folded(script.messages).records.values() if one.findings] == [
        f"EVENT_REJECTED/feed-1/{loaded}"
    ]
