"""Cards that cannot be of the shoe in play, and cards that were taken out of it."""

from __future__ import annotations

import pytest

from schemas import events as said
from schemas.findings import FindingCode, Severity
from tests.support.tables.played import found
from tests.support.tables.table_script import Folded, TableScript, all_but


def a_shoe() -> TableScript:
    return TableScript().open().shoe()


def foreign(reports: tuple[said.Capability, ...], **fields: object) -> TableScript:
    script = TableScript().open(reports=reports).shoe(backs=("red",), card_id_prefix="A.")
    return script.coup().close_bets().card("player", 1, "9S", **fields)


ALL = all_but()


def test_a_card_id_of_another_shoe_is_found_when_it_is_dealt() -> None:
    script = foreign(ALL, card_id="B.17", back="red")
    finding = Folded(script.messages).finding
    assert finding.code is FindingCode.CARD_FROM_OTHER_SHOE
    assert finding.severity is Severity.CRITICAL
    assert finding.sentence == ("Player card 1 (9♠): card id B.17 does not belong to shoe S1 (A.).")
    assert finding.evidence == (script.sequence,)


def test_a_back_of_another_shoe_is_found_when_it_is_dealt() -> None:
    finding = Folded(foreign(ALL, card_id="A.17", back="blue").messages).finding
    assert finding.code is FindingCode.CARD_FROM_OTHER_SHOE
    assert "back blue is not that of shoe S1 (red)" in finding.sentence


@pytest.mark.parametrize(
    ("reports", "fields"),
    [
        (ALL, {"card_id": "A.17", "back": "red"}),
        (ALL, {}),
        (all_but(said.Capability.CARD_IDS), {"card_id": "B.17"}),
        (all_but(said.Capability.BACKS), {"back": "blue"}),
    ],
)
def test_cards_of_the_shoe_or_of_which_nothing_is_reported_are_none(
    reports: tuple[said.Capability, ...], fields: dict[str, object]
) -> None:
    assert found(foreign(reports, **fields)) == []


def test_a_late_card_of_the_coup_of_another_shoe_is_not_compared_with_this_one() -> None:
    script = TableScript().open().shoe(backs=("red",)).coup().close_bets()
    script.say(
        said.ShoeLoaded,
        shoe_id="S2",
        decks=8,
        shuffle="by_hand",
        backs=("blue",),
        inspection=said.Inspection(method="by_hand"),
    )
    script.card("player", 1, "9S", back="red")
    folded = Folded(script.messages)
    assert "CARD_FROM_OTHER_SHOE" not in folded.codes
    assert folded.state.shoe is not None
    assert folded.state.shoe.order == ""


def removed(script: TableScript, removal_id: str = "M1", card: str | None = "7H") -> TableScript:
    return script.of_shoe(
        said.CardRemoved, removal_id=removal_id, taken_from="shoe", reason="damaged", card=card
    )


def test_dealing_on_without_a_removed_card_is_found_at_the_next_coup() -> None:
    script = removed(a_shoe()).coup().close_bets()
    assert found(script) == []
    script.card("player", 1, "9S")
    folded = Folded(script.messages)
    finding = folded.finding
    assert finding.code is FindingCode.CARD_REMOVED
    assert finding.sentence == (
        "Shoe S1: 7♥ was removed (event 4); dealing went on without a replacement."
    )
    script.card("banker", 1, "2S").card("player", 2, "KD").card("banker", 2, "3H").close()
    assert found(script.honest_coup()) == ["CARD_REMOVED"]


def test_the_coup_in_which_a_card_was_removed_may_be_finished() -> None:
    script = a_shoe().coup().close_bets().card("player", 1, "9S")
    removed(script).card("banker", 1, "2S").card("player", 2, "KD").card("banker", 2, "3H").close()
    assert found(script) == []
    assert found(script.honest_coup()) == ["CARD_REMOVED"]


def drawn_unseen(script: TableScript, disposition: str = "burned", **fields: object) -> TableScript:
    """Draw a card in error that no event of its own had told."""
    drawn = {"error_id": "E1", "hand": "player", "disposition": disposition, "card": "KD"}
    return script.of_coup(said.CardDrawnInError, **drawn, **fields)


def test_a_card_drawn_in_error_belongs_to_the_coup_in_which_a_card_was_removed() -> None:
    script = a_shoe().coup().close_bets().card("player", 1, "9S")
    removed(script).card("banker", 1, "2S").card("player", 2, "KD").card("banker", 2, "3H")
    assert found(drawn_unseen(script)) == []
    assert found(script.close().honest_coup()) == ["CARD_REMOVED"]


def test_a_card_of_another_shoe_that_is_drawn_in_error_and_burned_is_found() -> None:
    script = foreign(ALL, card_id="A.17", back="red")
    finding = Folded(drawn_unseen(script, card_id="B.18").messages).finding
    assert finding.code is FindingCode.CARD_FROM_OTHER_SHOE
    assert finding.sentence.startswith("The card drawn in error (K♦): card id B.18 does not ")


def test_a_card_of_another_shoe_that_is_drawn_in_error_and_dealt_is_found_once() -> None:
    script = foreign(ALL, card_id="A.17", back="red")
    drawn_unseen(script, "other_hand", card_id="B.18")
    script.card("banker", 1, "KD", card_id="B.18", error_id="E1")
    assert found(script) == ["CARD_FROM_OTHER_SHOE"]


def test_a_card_drawn_in_error_in_a_coup_of_an_earlier_shoe_left_that_shoe() -> None:
    script = a_shoe().coup().close_bets()
    script.say(
        said.ShoeLoaded,
        shoe_id="S2",
        decks=8,
        shuffle="by_hand",
        inspection=said.Inspection(method="by_hand"),
    )
    state = Folded(drawn_unseen(script).messages).state
    assert state.shoe is not None
    assert (state.shoe.shoe_id, state.shoe.order) == ("S2", "")


def test_every_removal_is_a_finding_of_its_own() -> None:
    script = removed(removed(a_shoe()), "M2", None).honest_coup()
    folded = Folded(script.messages)
    assert folded.codes == ["CARD_REMOVED", "CARD_REMOVED"]
    assert "a card was removed" in folded.findings[-1].sentence


def replaced(script: TableScript, card: str | None) -> TableScript:
    return script.of_shoe(said.CardReplaced, removal_id="M1", card=card)


def test_a_card_replaced_by_its_like_is_none() -> None:
    assert found(replaced(removed(a_shoe()), "7H").honest_coup()) == []
    assert found(replaced(removed(a_shoe()), None).honest_coup()) == []


def test_a_card_replaced_by_another_one_is_a_composition_finding() -> None:
    finding = Folded(replaced(removed(a_shoe()), "JS").messages).finding
    assert finding.code is FindingCode.SHOE_COMPOSITION
    assert finding.sentence == "Shoe S1: 7♥ was removed and replaced by J♠."


def test_a_replacement_of_nothing_is_rejected() -> None:
    assert found(replaced(a_shoe(), "7H")) == ["EVENT_REJECTED"]


def test_removals_are_not_judged_where_they_are_not_reported() -> None:
    script = removed(TableScript().open(reports=all_but(said.Capability.REMOVALS)).shoe())
    assert found(script.honest_coup()) == []
