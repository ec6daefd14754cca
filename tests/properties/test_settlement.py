"""Every possible coup is priced, no wager loses more than its stake, and all paths agree."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditors.law.facts import CoupFacts
from auditors.law.packed_facts import FIELD_BITS, facts_of, pack, unpack
from auditors.odds.deals import exact_deals
from auditors.rounds import RoundsMapping, RowAuditor
from auditors.rounds.mapping import DeclaredMapping, read_header
from auditors.settlement.amounts import Meter, settle_wager
from auditors.settlement.pricing import NotPayableError, share_of
from auditors.settlement.rules import PricedWager, Rules
from auditors.settlement.terms import TermsError, WagerRef
from schemas.cards import Card, format_hand, parse_card
from schemas.odds import OddsKind
from tests.support.tables.deals import GAME, LAW, a_coup, rules_with

DECK = [parse_card(rank + suit) for rank in "A23456789TJQK" for suit in "CDHS"]
REFS = [
    WagerRef(id_, hand) for id_, (_, wager) in LAW.wagers.items() for hand in wager.backs or (None,)
]
LETTERS = {one.id: one.paytables for one in LAW.sections.values() if one.paytables}
OUTCOME_READINGS = ("D5", "D11", "D12", "D13", "D14", "D16", "D21", "D25")
METER = Meter(12_345_600, (500,))


def variants() -> list[Rules]:
    """Give the law under every letter, commission form and reading, one departure at a time."""
    most = max(len(letters) for letters in LETTERS.values())
    found = []
    for number, commission in product(range(most), ("5", "4", "free")):
        letters = {id_: chosen[number % len(chosen)] for id_, chosen in LETTERS.items()}
        found.append(rules_with(letters=letters, commission=commission))
    for number, id_ in product(range(most), OUTCOME_READINGS):
        letters = {key: chosen[number % len(chosen)] for key, chosen in LETTERS.items()}
        for code in LAW.interpretations[id_].codes:
            found.append(rules_with(letters=letters, readings={id_: code}))
    for one in LAW.interpretations["D2"].codes:
        found.append(
            rules_with(
                letters={id_: chosen[0] for id_, chosen in LETTERS.items()}, readings={"D2": one}
            )
        )
    return found


def priced_wagers(rules: Rules) -> list[PricedWager]:
    """Price every wager that the terms allow."""
    found = []
    for ref in REFS:
        try:
            found.append(rules.priced(ref))
        except TermsError as error:
            assert rules.terms.commission.value == "free"
            assert "commission-free" in str(error)
    return found


@cache
def distinct_facts(asks: int) -> tuple[int, ...]:
    """Give the distinct facts of every correctly dealt coup, as far as a wager asks for them."""
    packed = np.asarray(pack(exact_deals(8, GAME).facts))
    return tuple(int(one) for one in np.unique(packed & asks))


def test_every_possible_coup_is_priced_by_every_paytable_and_never_below_nothing() -> None:
    seen: set[tuple[object, ...]] = set()
    for rules in variants():
        for priced in priced_wagers(rules):
            essence = (
                priced.ref,
                priced.match,
                *((o.code, o.odds) for o in priced.outcomes),
                *(rules.terms.readings[id_] for id_ in priced.readings),
            )
            if essence in seen:
                continue
            seen.add(essence)
            for facts in distinct_facts(priced.asks):
                ruling = rules.rule_packed(priced, facts)
                share = share_of(rules, priced, ruling)
                kinds = {row.odds.kind for row in ruling.matched}
                assert len(ruling.matched) <= 1 or priced.match == "every"
                if share is None:
                    assert kinds & {OddsKind.METER, OddsKind.UNPRICED} or priced.match != "first"
                else:
                    assert share.due >= 0
                    assert (share.due == 0) == (
                        not kinds or kinds <= {OddsKind.LOSS, OddsKind.NOT_APPLICABLE}
                    )
    assert len(seen) > 130


@pytest.mark.parametrize("letter", LETTERS["harmony_mini"])
def test_every_tie_wins_something_on_every_harmony_paytable(letter: str) -> None:
    rules = rules_with(letters={"harmony_mini": letter})
    priced = rules.priced(WagerRef("harmony_mini"))
    for packed in distinct_facts(priced.asks):
        matched = rules.rule_packed(priced, packed).matched
        assert bool(matched) == (unpack(packed).winner == 0)


@given(st.lists(st.integers(0, 2**40 - 1), min_size=1, max_size=20))
def test_packing_and_unpacking_give_the_facts_back(numbers: list[int]) -> None:
    for number in numbers:
        facts = unpack(number)
        assert pack(facts) == number
        fits = (value < 1 << bits for value, bits in zip(facts, FIELD_BITS, strict=True))
        assert all(fits)


@st.composite
def hands(draw: st.DrawFn) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Deal two hands, mostly by the rules and sometimes with a card too few or too many."""
    cards = draw(st.lists(st.sampled_from(DECK), min_size=6, max_size=6))
    for size in draw(st.permutations([(2, 2), (3, 2), (2, 3), (3, 3)])):
        player = (cards[0], cards[2], cards[4])[: size[0]]
        banker = (cards[1], cards[3], cards[5])[: size[1]]
        if a_coup(format_hand(player), format_hand(banker)).is_determined:
            break
    if draw(st.integers(0, 9)) == 0:
        player = (*player, cards[5])
    return player, banker


class Filed:
    """What a property might file, with a short name for reports of failures."""

    def __init__(self, rules: Rules, chosen: str) -> None:
        self.rules, self.chosen = rules, chosen

    def __repr__(self) -> str:
        return self.chosen


@st.composite
def filings(draw: st.DrawFn) -> Filed:
    """Choose letters, readings, commission and rounding at random."""
    readings = {
        id_: draw(st.sampled_from(sorted(LAW.interpretations[id_].codes)))
        for id_ in (*OUTCOME_READINGS, "D1", "D2", "D22", "D24", "D27", "D30")
    }
    chosen = {
        "letters": {id_: draw(st.sampled_from(letters)) for id_, letters in LETTERS.items()},
        "readings": readings,
        "commission": draw(st.sampled_from(("4", "5"))),
        "marked": draw(st.booleans()),
        "chip": draw(st.sampled_from((1, 25, 100))),
    }
    return Filed(rules_with(**chosen), repr(chosen))


@given(hands(), filings(), st.sampled_from(REFS), st.integers(1, 10**7))
@settings(max_examples=400)
def test_no_wager_loses_more_than_its_stake_and_shares_agree(
    dealt: tuple[tuple[Card, ...], tuple[Card, ...]], filed: Filed, ref: WagerRef, stake: int
) -> None:
    rules, coup = filed.rules, a_coup(*map(format_hand, dealt))
    try:
        found = settle_wager(rules, coup, ref, stake, replace(METER, winning_stakes_minor=(stake,)))
    except NotPayableError:
        return
    if found.due_minor is None:
        assert found.outcome is None or found.pays == "unpriced"
        return
    assert found.net_minor >= -stake
    assert (found.outcome == "lose") == (found.due_minor == 0)
    assert found.outcome != "push" or found.net_minor == 0
    if found.outcome is not None:
        priced = rules.priced(ref)
        share = share_of(rules, priced, rules.rule(priced, coup.facts))
        assert share is None or found.due_minor * share.step == stake * share.due


COLUMNS = (
    "coup",
    "player_cards",
    "banker_cards",
    "winner",
    "player_points",
    "banker_points",
    "wager",
    "stake",
    "paid",
)
READING: RoundsMapping = read_header(LAW, COLUMNS, DeclaredMapping())


@given(
    hands(),
    filings(),
    st.sampled_from(REFS),
    st.integers(1, 10**6),
    st.integers(-300, 300),
)
@settings(max_examples=400)
def test_settle_and_audit_give_the_same_verdict(
    dealt: tuple[tuple[Card, ...], tuple[Card, ...]],
    filed: Filed,
    ref: WagerRef,
    stake: int,
    wrong_by: int,
) -> None:
    """A payment of what is due has no finding; any other has one with the same amount due."""
    rules, coup = filed.rules, a_coup(*map(format_hand, dealt))
    try:
        settled = settle_wager(rules, coup, ref, stake)
        due = settled.due_minor
    except TermsError:
        return  # a meter is needed
    except NotPayableError:
        settled, due = None, stake
    paid = max(0, (due or 0) + wrong_by)
    auditor = RowAuditor(rules, GAME, READING, "rounds.csv")
    player, banker = map(format_hand, dealt)
    row = (
        "1",
        player,
        banker,
        coup.winner,
        str(coup.player_points),
        str(coup.banker_points),
        str(ref),
        f"{stake / 100:.2f}",
        f"{paid / 100:.2f}",
    )
    for line in (2, 3):  # read first, and again from what is remembered
        status, found = auditor.audit(line, row)
        assert status.value == ("settled" if coup.is_determined else "undetermined")
        about_money = [one for one in found if one.wager]
        if settled is None:
            assert [one.code.value for one in found if one.column == "stake"] == ["EVENT_REJECTED"]
        elif due is None or paid == due:
            assert about_money == []
        else:
            (one,) = about_money
            assert (one.due_minor, one.paid_minor) == (due, paid)
            assert one.difference_minor == paid - due
            assert (one.citation, one.interpretations) == (
                settled.citation,
                settled.interpretations,
            )


@given(hands(), filings(), st.sampled_from(REFS), st.integers(0, 2**40 - 1))
@settings(max_examples=300)
def test_facts_that_a_wager_does_not_ask_for_change_nothing(
    dealt: tuple[tuple[Card, ...], tuple[Card, ...]], filed: Filed, ref: WagerRef, noise: int
) -> None:
    """Rulings are remembered by the facts that are asked for; no other may matter."""
    rules, (player, banker) = filed.rules, dealt
    facts: CoupFacts = facts_of(player[:3], banker[:3])
    priced = rules.priced(ref)
    packed = int(pack(facts))
    scrambled = (packed & priced.asks) | (noise & ~priced.asks)
    fresh = Rules(LAW, rules.terms)
    expected = fresh._rule(fresh.priced(ref), unpack(packed))
    other = fresh._rule(fresh.priced(ref), unpack(scrambled))
    for ruling in (other, rules.rule_packed(priced, packed)):
        assert [one.code for one in ruling.matched] == [one.code for one in expected.matched]
        assert ruling.interpretations == expected.interpretations
