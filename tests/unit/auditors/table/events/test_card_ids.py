"""A card that bears an id of its own comes out of a shoe once, with one face."""

from __future__ import annotations

from random import Random

import pytest

from auditors.catalogue.sentences.shared import card_sign
from auditors.incidents import incidents_of, told_of
from auditors.table import decode_state, encode_state
from auditors.table.known.state import CARD_IDS_MAX, DOUBLES_MAX
from schemas import events as said
from tests.support.tables.table_script import EVERYTHING, Folded, TableScript, all_but

DECK = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
SLOTS = (("player", 1), ("banker", 1), ("player", 2), ("banker", 2))
ASKED = ("SHOE_COMPOSITION", "EVENT_REJECTED", "CARD_FROM_OTHER_SHOE")
"""What is asked of here; coups end after four cards, whatever the rules of drawing say."""


class Cards:
    """A shoe of cards with ids, dealt four a coup."""

    def __init__(
        self, reports: tuple[said.Capability, ...] = EVERYTHING, shoe_id: str = "S1", **shoe: object
    ) -> None:
        self.script = TableScript().open(reports=reports).shoe(shoe_id, **shoe)
        self.refill(shoe_id)

    def refill(self, shoe_id: str) -> None:
        """Take up another shoe."""
        self.shoe_id, self.dealt = shoe_id, 0
        self.cards = DECK * 8
        Random(shoe_id).shuffle(self.cards)

    def deal(self, count: int, **odd: str) -> Cards:
        """Deal so many cards, each with its own id, or the next with an odd one."""
        for _ in range(count):
            hand, position = SLOTS[self.dealt % 4]
            if position == 1 and hand == "player":
                self.script.coup().close_bets()
            self.script.card(hand, position, self.cards[self.dealt], **{**self.named, **odd})
            self.dealt += 1
        return self

    @property
    def named(self) -> dict[str, str]:
        """The id of the next card."""
        return {"card_id": f"{self.shoe_id}.{self.dealt}"}

    @property
    def sentences(self) -> list[str]:
        """What is found of the ids."""
        return [one.sentence for one in self.folded.findings if one.code.value in ASKED]

    @property
    def folded(self) -> Folded:
        return Folded(self.script.messages)


def test_a_card_that_comes_out_twice_is_a_composition_that_cannot_be() -> None:
    cards = Cards().deal(60)
    first, again = cards.cards[10], cards.cards[60]
    at = cards.deal(1, card_id="S1.10").script.sequence
    assert cards.folded.said_at(at) == ["SHOE_COMPOSITION"]
    told = 4 + 5 * 2 + 1 + 2
    assert cards.sentences == [
        f"Shoe S1: card id S1.10 came out twice, {card_sign(str(first))} at event {told} and "
        f"{card_sign(str(again))} at event {at}."
    ]
    assert cards.deal(80).sentences == cards.sentences


def test_a_card_that_comes_three_times_is_named_once_and_two_cards_are_one_finding() -> None:
    cards = Cards().deal(60).deal(2, card_id="S1.10").deal(1, card_id="S1.11").deal(9)
    (sentence,) = cards.sentences
    assert sentence.count("came out twice") == 2
    assert "; card id S1.11 came out twice" in sentence


def test_an_early_repeat_is_said_as_soon_as_ids_are_known_to_be_of_single_cards() -> None:
    cards = Cards().deal(10).deal(1, card_id="S1.3").deal(42)
    assert cards.sentences == []
    assert "card id S1.3 came out twice" in cards.deal(1).sentences[0]


def test_a_card_keeps_its_face_when_it_is_used_after_a_drawing_error() -> None:
    def drawn(card: str | None, used: str) -> list[str]:
        cards = Cards().deal(60)
        cards.script.coup().close_bets()
        cards.script.of_coup(
            said.CardDrawnInError,
            error_id="E1",
            hand="player",
            card=card,
            card_id="S1.X",
            disposition="next_coup",
        )
        cards.script.card("player", 1, used, card_id="S1.X", error_id="E1")
        return cards.sentences

    assert drawn("9C", "9C") == []
    assert drawn(None, "9C") == []
    assert drawn("9C", "9") == []
    (sentence,) = drawn("9C", "KD")
    assert "card id S1.X was 9♣ at event" in sentence
    assert " and is K♦ at event" in sentence


def test_a_card_taken_out_of_a_hand_and_dealt_to_the_other_comes_out_once() -> None:
    cards = Cards().deal(60)
    cards.script.card("player", 3, "9C", card_id="S1.X")
    cards.script.of_coup(
        said.CardDrawnInError,
        error_id="E1",
        hand="player",
        position=3,
        card="9C",
        card_id="S1.X",
        disposition="other_hand",
    )
    cards.script.card("banker", 3, "9C", card_id="S1.X", error_id="E1")
    assert cards.sentences == []
    assert "S1.X came out twice" in cards.deal(1, card_id="S1.X").sentences[0]


def test_burned_discarded_and_wrongly_drawn_cards_are_not_dealt_any_more() -> None:
    cards = Cards().deal(60)
    cards.script.of_shoe(
        said.CardsBurned,
        occasion="procedure",
        exposed_card="2C",
        exposed_card_id="S1.B",
        burned_count=0,
    )
    cards.script.of_shoe(said.CardExposed, disposition="discarded", card="3C", card_id="S1.D")
    cards.script.of_shoe(said.CardExposed, disposition="played", card="4C", card_id="S1.P")
    cards.deal(1, card_id="S1.P")
    assert cards.sentences == []
    (sentence,) = cards.deal(1, card_id="S1.B").deal(1, card_id="S1.D").sentences
    assert "S1.B came out twice, 2♣" in sentence
    assert "S1.D came out twice, 3♣" in sentence


def test_a_card_that_takes_the_place_of_a_removed_one_may_have_been_out() -> None:
    cards = Cards().deal(60)
    cards.script.of_shoe(
        said.CardRemoved, removal_id="R1", taken_from="shoe", reason="damaged", card="5C"
    )
    cards.script.of_shoe(said.CardReplaced, removal_id="R1", card="5C", card_id="S1.7")
    assert cards.deal(1, card_id="S1.7").sentences == []
    assert "S1.7 came out twice" in cards.deal(1, card_id="S1.7").sentences[0]


def test_a_card_that_is_read_later_is_the_same_card() -> None:
    cards = Cards().deal(60)
    cards.script.coup().card("player", 1, "?", card_id="S1.X").card("banker", 1, "?")
    for hand, card_id in (("player", "S1.X"), ("banker", "S1.Y")):
        cards.script.of_coup(said.CardRead, hand=hand, position=1, card="9C", card_id=card_id)
    cards.script.card("player", 2, "8C", card_id="S1.Z")
    assert cards.sentences == []
    (sentence,) = cards.deal(1, card_id="S1.Y").sentences
    assert "card id S1.Y came out twice, 9♣" in sentence
    cards.script.coup().card("player", 1, "?")
    cards.script.of_coup(said.CardRead, hand="player", position=1, card="9C", card_id="S1.X")
    assert "card id S1.X came out twice, 9♣" in cards.sentences[0]


def test_one_card_sent_twice_for_its_place_is_a_fault_of_the_deal_only() -> None:
    cards = Cards().deal(61)
    cards.script.card("player", 1, cards.cards[60], card_id="S1.60")
    assert cards.sentences == []
    assert "DEAL_ORDER" in Folded(cards.script.close().messages).codes


def test_ids_of_a_shoe_may_come_again_in_the_next_one() -> None:
    cards = Cards().deal(100)
    cards.script.end_shoe().shoe("S2")
    cards.dealt = 0
    assert cards.deal(100).sentences == []


def test_beside_missing_events_a_card_that_comes_again_is_not_asserted() -> None:
    cards = Cards().deal(60)
    lost = len(cards.script.messages)
    cards.script.say(said.Heartbeat)
    cards.deal(60).deal(1, card_id="S1.5")
    assert len(cards.sentences) == 1
    folded = Folded([*cards.script.messages[:lost], *cards.script.messages[lost + 1 :]])
    assert "SEQUENCE_GAP" in folded.codes
    assert "SHOE_COMPOSITION" not in folded.codes


@pytest.mark.parametrize(
    "shared",
    [
        lambda cards: "same",
        lambda cards: cards.cards[cards.dealt],
        lambda cards: f"{cards.cards[cards.dealt]}.{cards.dealt % 2}",
        lambda cards: f"slot-{cards.dealt % 6}",
    ],
    ids=["one id", "ids of faces", "ids of faces and packs", "ids of slots"],
)
def test_ids_that_several_cards_bear_are_said_once_and_not_card_by_card(shared: object) -> None:
    cards = Cards()
    for shoe_id in ("S1", "S2", "S3"):
        if shoe_id != "S1":
            cards.script.end_shoe().shoe(shoe_id)
            cards.refill(shoe_id)
        for _ in range(200):
            cards.deal(1, card_id=shared(cards))  # type: ignore[operator]
    (sentence,) = cards.sentences
    assert "card ids do not tell cards apart" in sentence
    assert "of shoe S1 came with an id that had come out" in sentence
    # A device that was mended is believed again.
    cards.script.end_shoe().shoe("S4")
    cards.refill("S4")
    assert "S4.9 came out twice" in cards.deal(60).deal(1, card_id="S4.9").sentences[1]


@pytest.mark.parametrize("word", [said.Capability.CARD_IDS, said.Capability.DRAWING_ERRORS])
def test_without_ids_or_dispositions_nothing_is_asserted(word: said.Capability) -> None:
    cards = Cards(all_but(word)).deal(60).deal(1, card_id="S1.10")
    assert cards.sentences == []
    records = [one for absorbed in cards.folded.absorbed for one in absorbed.records]
    assert any("card_doubles" in dict(one.checks_off) for one in records)


def test_a_card_of_another_shoe_is_that_and_no_double() -> None:
    cards = Cards(card_id_prefix="S1.").deal(60).deal(2, card_id="X.1")
    assert len(cards.sentences) == 1
    assert "card id X.1 does not belong to shoe S1" in cards.sentences[0]


def test_long_ids_are_told_apart_and_what_is_kept_is_bounded() -> None:
    cards = Cards().deal(60)
    long = "L" * 60
    cards.deal(1, card_id=f"{long}-1").deal(1, card_id=f"{long}-2")
    assert cards.sentences == []
    assert f"card id {long}-1 came out twice" in cards.deal(1, card_id=f"{long}-1").sentences[0]
    shoe = Folded(Cards().deal(416).script.messages).state.shoe
    assert shoe is not None
    assert "".join(shoe.card_ids or ()).count("\n") == 416
    assert max(map(len, shoe.card_ids or ())) < CARD_IDS_MAX


def test_at_most_so_many_ids_are_named() -> None:
    cards = Cards().deal(200)
    for number in range(DOUBLES_MAX + 3):
        cards.deal(1, card_id=f"S1.{number}")
    (sentence,) = cards.sentences
    assert sentence.count("came out twice") == DOUBLES_MAX


def test_what_is_known_of_ids_outlives_a_restart() -> None:
    cards = Cards().deal(10).deal(1, card_id="S1.3")
    folded = cards.folded
    assert decode_state(encode_state(folded.state)) == folded.state
    assert folded.state.shoe is not None
    assert len(folded.state.shoe.doubles) == 1


def test_the_incident_of_a_card_that_came_twice_says_so() -> None:
    cards = Cards().deal(60).deal(1, card_id="S1.10").deal(1, card_id="S1.11")
    (table,) = told_of(cards.folded.records.values())
    titles = [one.title for one in incidents_of(table) if "twice" in one.title]
    assert titles == ["2 cards came out of the shoe twice, 15 coups, 0.00 staked"]


def test_ids_that_turn_out_to_be_shared_withdraw_what_was_said_by_them() -> None:
    cards = Cards().deal(60).deal(1, card_id="S1.3")
    assert "card id S1.3 came out twice" in cards.sentences[0]
    first = next(one for one in cards.folded.findings if one.code.value == "SHOE_COMPOSITION")
    for number in range(8):
        cards.deal(1, card_id=f"S1.{number + 10}")
    (sentence,) = cards.sentences
    assert "card ids do not tell cards apart" in sentence
    records = [one for absorbed in cards.folded.absorbed for one in absorbed.records]
    assert any(first.id in one.withdrawn for one in records)


def test_what_was_said_by_shared_ids_before_events_were_lost_is_withdrawn_too() -> None:
    script = TableScript().open().shoe("S1", card_id_prefix="S1.")

    def play(*ids: int) -> None:
        script.coup().close_bets()
        for at, one in enumerate(ids):
            hand, position = ("player", "banker")[at % 2], at // 2 + 1
            script.card(hand, position, "?", card_id=f"S1.{one}")
        script.close()

    for first in range(0, 60, 4):
        play(*range(first, first + 4))
    play(3, 60, 61, 62)
    lost = len(script.say(said.Heartbeat).messages) - 1
    for number in range(24):
        play(1000 + number % 12, 2000 + number % 6, 3000 + number % 9, 4000 + number % 5)
    folded = Folded(script.messages[:lost] + script.messages[lost + 1 :])
    assert "SHOE_COMPOSITION" not in folded.codes
    sentences = [one.sentence for one in folded.findings]
    assert any("card ids do not tell cards apart" in one for one in sentences)
