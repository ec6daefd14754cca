"""The facts that the fold gives its findings are those by which incidents group them."""

from auditors.incidents import incidents_of, told_of
from auditors.incidents.compositions import Composition, composition_of
from auditors.shoe import held_multiset
from schemas import events as said
from schemas.finding_facts.feed import EventsMissing, FaultOpen
from schemas.finding_facts.parts import CardCount
from schemas.finding_facts.shoe import CardRemoved, CardsMissing, DecksLoaded, ShoeComposition
from schemas.findings import Finding
from schemas.findings import FindingCode as Code
from tests.support.tables.table_script import Folded, TableScript
from tests.support.tables.told_tables import told_finding

FULL = {str(card): count for card, count in held_multiset(8).items()}


def finding(script: TableScript, code: Code) -> Finding:
    (found,) = [one for one in Folded(script.messages).findings if one.code is code]
    return found


def inspected(**changes: int) -> said.Inspection:
    counts = {card: count + changes.get(card, 0) for card, count in FULL.items()}
    return said.Inspection(method="by_hand", card_count=sum(counts.values()), cards=counts)


def test_an_inspection_that_misses_a_card_and_counts_another_too_often_is_read() -> None:
    script = TableScript().open().shoe(inspection=inspected(QD=-1, JC=1))
    found = composition_of(finding(script, Code.SHOE_COMPOSITION))
    assert (found.absent, found.extra) == ((("QD", 1),), (("JC", 1),))
    assert (found.missing_count, found.extra_count) == (1, 1)


def test_an_inspection_that_counts_too_few_cards_is_read() -> None:
    script = (
        TableScript().open().shoe(inspection=said.Inspection(method="by_device", card_count=415))
    )
    found = composition_of(finding(script, Code.SHOE_COMPOSITION))
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
    found = composition_of(finding(ended(QD=-1), Code.SHOE_COMPOSITION))
    assert (found.missing_count, found.extra_count, found.net) == (1, 0, -1)
    assert "QD" in dict(found.absent)


def test_a_shoe_with_one_card_for_another_is_read() -> None:
    found = composition_of(finding(ended(QD=-1, JC=1), Code.SHOE_COMPOSITION))
    assert (found.missing_count, found.extra_count) == (1, 1)
    assert found.extra == (("JC", 1),)


def test_a_card_too_many_is_read() -> None:
    found = composition_of(finding(ended(JC=1), Code.SHOE_COMPOSITION))
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
        found = composition_of(finding(script, Code.SHOE_COMPOSITION))
        assert (found.absent, found.missing_count, found.extra_count) == ((("QD", 1),), 1, 0)


def test_cards_that_came_out_unseen_are_not_missing_where_the_counts_do_not_say_it() -> None:
    listed = CardsMissing(
        when="with_those_left",
        decks=8,
        missing=tuple(CardCount(card=card, count=1) for card in ("2C", "4D", "QD")),
        unseen=2,
    )
    found = composition_of(
        told_finding(Code.SHOE_COMPOSITION, at=9, facts=ShoeComposition(problems=(listed,))).finding
    )
    assert (found.missing_count, found.extra_count) == (1, 0)


def test_other_decks_are_read() -> None:
    script = TableScript().open().shoe(decks=6)
    facts = ShoeComposition(problems=(DecksLoaded(loaded=6, filed=8),))
    assert finding(script, Code.SHOE_COMPOSITION).facts == facts


def test_a_removed_card_is_read_with_its_event() -> None:
    script = TableScript().open().shoe()
    script.say(
        said.CardRemoved,
        shoe_id="S1",
        removal_id="R1",
        taken_from="shoe",
        reason="damaged",
        card="7H",
    )
    script.coup().close_bets().deal("2S 3H", "AC 2D")
    facts = CardRemoved(card="7H", removed_sequence=4)
    assert finding(script, Code.CARD_REMOVED).facts == facts


def test_a_fault_is_read_with_its_device_and_event() -> None:
    script = TableScript().open().shoe()
    script.say(said.DeviceFaultRaised, fault_id="F1", device="card_reader", fault="red (blinking)")
    script.coup().close_bets().deal("2S 3H", "AC 2D")
    assert finding(script, Code.DEVICE_FAULT_OPEN).facts == FaultOpen(
        fault_id="F1",
        device="card_reader",
        fault="red (blinking)",
        raised_sequence=4,
        coup_id="S1/1",
    )


def test_a_gap_is_read_from_its_first_to_its_last_event() -> None:
    script = TableScript().open()
    for _ in range(80):
        script.say(said.Heartbeat)
    one = [raw for n, raw in enumerate(script.messages, 1) if n != 5]
    three = [raw for n, raw in enumerate(script.messages, 1) if n not in (5, 6, 7)]
    for messages, gap in ((one, (5, 5)), (three, (5, 7))):
        (found,) = Folded(messages).findings
        assert isinstance(found.facts, EventsMissing)
        assert (found.facts.first_sequence, found.facts.last_sequence) == gap


def test_where_the_lost_end_of_a_feed_begins_is_read() -> None:
    script = TableScript().open().restart(predecessor_sequence=None)
    facts = EventsMissing(feed_id="F-BAC-01", first_sequence=3, last_sequence=None)
    told = finding(script, Code.SEQUENCE_GAP).facts
    assert told == facts.model_copy(update={"feed_id": told.feed_id})


def test_the_type_of_an_event_that_cannot_be_used_is_read() -> None:
    script = TableScript().open().shoe()
    script.say(said.DeviceFaultCleared, fault_id="F9")
    told = finding(script, Code.EVENT_REJECTED).facts
    assert (told.event_type, told.is_read) == ("device_fault_cleared", True)
    bad = script.messages[-1].replace(b'"fault_id":"F9"', b'"fault_id":9')
    (found,) = Folded([*script.messages[:-1], bad]).findings
    assert (found.facts.event_type, found.facts.is_read) == ("device_fault_cleared", False)


def test_a_finding_of_an_earlier_build_says_nothing_of_its_cards() -> None:
    told = told_finding(Code.SHOE_COMPOSITION, at=9, sentence="Shoe S1: missing: 1 of QD.")
    assert composition_of(told.finding) == Composition()


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
