"""What incidents read back from sentences is what the fold writes into them."""

from auditors.incidents.sentences import (
    Composition,
    read_composition,
    read_decks,
    read_event_type,
    read_fault,
    read_gap,
    read_removal,
)

from auditors.incidents import incidents_of, told_of
from auditors.shoe import held_multiset
from schemas import events as said
from schemas.events.fields import SEQUENCE_MAX
from schemas.findings import FindingCode as Code
from tests.support.tables.table_script import Folded, TableScript

FULL = {str(card): count for card, count in held_multiset(8).items()}


def sentence(script: TableScript, code: Code) -> str:
    (found,) = [one for one in Folded(script.messages).findings if one.code is code]
    return found.sentence


def inspected(**changes: int) -> said.Inspection:
    counts = {card: count + changes.get(card, 0) for card, count in FULL.items()}
    return said.Inspection(method="by_hand", card_count=sum(counts.values()), cards=counts)


def test_an_inspection_that_misses_a_card_and_counts_another_too_often_is_read() -> None:
    script = TableScript().open().shoe(inspection=inspected(QD=-1, JC=1))
    found = read_composition(sentence(script, Code.SHOE_COMPOSITION))
    assert (found.absent, found.extra) == ((("QD", 1),), (("JC", 1),))
    assert (found.missing_count, found.extra_count) == (1, 1)


def test_an_inspection_that_counts_too_few_cards_is_read() -> None:
    script = (
        TableScript().open().shoe(inspection=said.Inspection(method="by_device", card_count=415))
    )
    found = read_composition(sentence(script, Code.SHOE_COMPOSITION))
    assert (found.missing_count, found.extra_count) == (1, 0)


def ended(**changes: int) -> TableScript:
    """End a shoe of which three cards were burned unseen and the rest is left."""
    script = TableScript().open().shoe()
    script.say(said.CardsBurned, shoe_id="S1", exposed_card="3H", burned_count=3)
    left = {card: count + changes.get(card, 0) for card, count in FULL.items()}
    for card in ("3H", "2C", "4D", "5S"):
        left[card] -= 1
    return script.say(
        said.ShoeEnded,
        shoe_id="S1",
        reason="table_closed",
        coup_count=0,
        cards_left_count=sum(left.values()),
        cards_left=left,
    )


def test_a_shoe_that_ends_one_card_short_is_read_though_burned_cards_were_not_seen() -> None:
    found = read_composition(sentence(ended(QD=-1), Code.SHOE_COMPOSITION))
    assert (found.missing_count, found.extra_count, found.net) == (1, 0, -1)
    assert "QD" in dict(found.absent)


def test_a_shoe_with_one_card_for_another_is_read() -> None:
    found = read_composition(sentence(ended(QD=-1, JC=1), Code.SHOE_COMPOSITION))
    assert (found.missing_count, found.extra_count) == (1, 1)
    assert found.extra == (("JC", 1),)


def test_a_card_too_many_is_read() -> None:
    found = read_composition(sentence(ended(JC=1), Code.SHOE_COMPOSITION))
    assert (found.missing_count, found.extra_count) == (0, 1)


def test_what_an_inspection_after_play_misses_is_missing_whether_or_not_cards_came_out_unseen() -> (
    None
):
    for left in (None, {**FULL, "3H": 7, "2C": 7, "4D": 7, "5S": 7, "QD": 7}):
        script = TableScript().open().shoe()
        script.of_shoe(said.CardsBurned, exposed_card="3H", burned_count=3)
        cards = {**FULL, "QD": 7}
        after = said.Inspection(method="by_hand", cards=cards)
        script.end_shoe(coup_count=0, cards_left=left, inspection=after)
        found = read_composition(sentence(script, Code.SHOE_COMPOSITION))
        assert (found.absent, found.missing_count, found.extra_count) == ((("QD", 1),), 1, 0)


def test_cards_that_came_out_unseen_are_not_missing_where_the_counts_do_not_say_it() -> None:
    listed = "with those left missing: 1 of 2C, 1 of 4D, 1 of QD (2 of these may be the cards that"
    found = read_composition(f"Shoe S1: {listed} came out unseen).")
    assert (found.missing_count, found.extra_count) == (1, 0)


def test_other_decks_are_read() -> None:
    script = TableScript().open().shoe(decks=6)
    assert read_decks(sentence(script, Code.SHOE_COMPOSITION)) == (6, 8)


def test_a_removed_card_is_read_with_its_event() -> None:
    script = TableScript().open().shoe()
    script.say(
        said.CardRemoved, shoe_id="S1", removal_id="R1", taken_from="shoe", reason="damaged",
        card="7H",
    )  # fmt: skip
    script.coup().close_bets().deal("2S 3H", "AC 2D")
    assert read_removal(sentence(script, Code.CARD_REMOVED)) == ("7H", 4)


def test_a_fault_is_read_with_its_device_and_event() -> None:
    script = TableScript().open().shoe()
    script.say(said.DeviceFaultRaised, fault_id="F1", device="card_reader", fault="red (blinking)")
    script.coup().close_bets().deal("2S 3H", "AC 2D")
    assert read_fault(sentence(script, Code.DEVICE_FAULT_OPEN)) == (
        "card reader",
        "red (blinking)",
        4,
    )


def test_a_gap_is_read_from_its_first_to_its_last_event() -> None:
    script = TableScript().open()
    for _ in range(80):
        script.say(said.Heartbeat)
    one = [raw for n, raw in enumerate(script.messages, 1) if n != 5]
    three = [raw for n, raw in enumerate(script.messages, 1) if n not in (5, 6, 7)]
    for messages, gap in ((one, (5, 5)), (three, (5, 7))):
        (found,) = Folded(messages).findings
        assert read_gap(found.sentence) == gap


def test_where_the_lost_end_of_a_feed_begins_is_read() -> None:
    script = TableScript().open().restart(predecessor_sequence=None)
    assert read_gap(sentence(script, Code.SEQUENCE_GAP)) == (3, SEQUENCE_MAX)


def test_the_type_of_an_event_that_cannot_be_used_is_read() -> None:
    script = TableScript().open().shoe()
    script.say(said.DeviceFaultCleared, fault_id="F9")
    assert read_event_type(sentence(script, Code.EVENT_REJECTED)) == "device_fault_cleared"
    bad = script.messages[-1].replace(b'"fault_id":"F9"', b'"fault_id":9')
    (found,) = Folded([*script.messages[:-1], bad]).findings
    assert read_event_type(found.sentence) == "device_fault_cleared"


def test_sentences_of_another_form_say_nothing() -> None:
    assert read_composition("Something else.") == Composition()
    assert read_decks("Something else.") is None
    assert read_removal("Something else.") is None
    assert read_fault("Something else.") is None
    assert read_gap("Something else.") is None
    assert read_event_type("Something else.") == ""


def test_records_of_the_fold_are_grouped_with_their_money() -> None:
    script = TableScript().open().shoe()
    for _ in range(3):
        script.coup()
        wager_id = script.wager("banker", 10_000, "4")
        script.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
        script.settle(wager_id, 20_000, stake_collected_minor=0).close()
    records = Folded(script.messages).records.values()
    (table,) = told_of(records)
    one = next(one for one in incidents_of(table) if one.code is Code.WAGER_OVERPAID)
    assert one.title == "commission not taken on 3 Banker wins at BAC-01 seat 4, 15.00"
    assert one.coup_ids == ("S1/1", "S1/2", "S1/3")
    assert one.staked_minor == 30_000


def test_a_card_of_another_shoe_that_came_out_between_coups_reaches_those_before_it() -> None:
    script = TableScript().open().shoe(backs=("blue",)).honest_coup().honest_coup()
    script.of_shoe(said.CardExposed, disposition="discarded", card="9C", back="red").honest_coup()
    (table,) = told_of(Folded(script.messages).records.values())
    (one,) = incidents_of(table)
    assert one.title == "1 card of another shoe in the shoe, 2 coups, 0.00 staked"
