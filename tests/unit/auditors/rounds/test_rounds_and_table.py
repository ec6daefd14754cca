"""Rows of recorded rounds and events of a table lead to the same findings, kind by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from auditors.law.packed_facts import pack
from auditors.settlement.amounts import MeterMissingError, settle_wager
from auditors.settlement.coup import Coup
from auditors.settlement.pricing import NotPayableError
from auditors.settlement.progressive_unit import filed_unit
from auditors.settlement.rules import PricedWager, Rules
from auditors.settlement.terms import WagerRef, terms_of
from schemas.cards import parse_card
from schemas.events import Capability
from schemas.findings import FindingCode
from schemas.rules_submission import RulesSubmission
from streams.simulator.filings import KINDS, STAGES, filing_of
from streams.simulator.tables.dealing import deal_hands
from tests.support.tables.submissions import a_submission
from tests.support.tables.table_script import START, Folded, TableScript
from tests.support.texts.round_audits import audited
from tests.support.texts.two_engines import (
    LAW,
    REPORTS,
    Found,
    Played,
    Wagered,
    by_events,
    by_rows,
    found,
)

FILINGS = tuple((number, stage) for number in range(KINDS) for stage in range(STAGES))
"""Every wager, letter, form of commission and rounding that the law data knows."""

GAME = LAW.sections["minibaccarat"]
WAGERS_A_COUP = 14
UNPAID = FindingCode.WAGER_NOT_SETTLED.value


class Kind(NamedTuple):
    """A wager under one letter and one set of terms, and one way in which it comes out."""

    wager: Hashable
    outcome: tuple[str, ...]


@cache
def deals() -> dict[int, Coup]:
    """Give coups of all kinds by their facts: of few ranks and suits, so that rare ones occur."""
    chance, by_facts = Random(7), dict[int, Coup]()
    for turn in range(6_000):
        ranks = chance.sample("A23456789TJQK", 1 + turn % 6)
        suits = chance.sample("CDHS", 1 + turn % 4)
        cards = [parse_card(chance.choice(ranks) + chance.choice(suits)) for _ in range(6)]
        coup = Coup(*deal_hands(cards, GAME))
        by_facts.setdefault(int(pack(coup.facts)), coup)
    return by_facts


def wagers_of(rules: Rules, submission: RulesSubmission) -> Iterator[PricedWager]:
    """Give every wager that a filing offers, on every hand that it may back."""
    for offered in submission.wagers:
        for hand in LAW.wagers[offered.id][1].backs or (None,):
            yield rules.priced(WagerRef(offered.id, hand))


def terms_behind(rules: Rules, priced: PricedWager) -> Hashable:
    """Name a wager with all by which filings can differ about it."""
    terms = rules.terms
    prices = tuple((one.code, one.odds) for one in priced.outcomes)
    readings = tuple(terms.readings[one] for one in priced.readings)
    vigorish = None
    if any(one.odds.less_vigorish for one in priced.outcomes):
        vigorish = terms.commission, terms.vigorish_rate, terms.vigorish_timing
    return priced.ref, priced.letter, prices, readings, vigorish, terms.readings["D27"]


@cache
def coups_by_filing() -> dict[tuple[int, int], dict[int, list[PricedWager]]]:
    """Say which deals each filing plays, and which wagers on each: every kind once over all."""
    seen: set[Hashable] = set()
    plan: dict[tuple[int, int], dict[int, list[PricedWager]]] = {}
    for number, stage in FILINGS:
        submission = filing_of(number, stage)
        rules = Rules(LAW, terms_of(LAW, submission))
        chosen: dict[int, list[PricedWager]] = {}
        for priced in wagers_of(rules, submission):
            name = terms_behind(rules, priced)
            if name in seen:
                continue
            seen.add(name)
            for packed in _a_deal_for_each_outcome(rules, priced, chosen):
                chosen.setdefault(packed, []).append(priced)
        if chosen:
            plan[number, stage] = chosen
    return plan


def _a_deal_for_each_outcome(
    rules: Rules, priced: PricedWager, chosen: dict[int, list[PricedWager]]
) -> Iterator[int]:
    """Give a deal for each way in which a wager comes out; one that is played already, if any."""
    by_asked: dict[int, int] = {}
    for packed in (*chosen, *deals()):
        by_asked.setdefault(packed & priced.asks, packed)
    outcomes: dict[tuple[str, ...], int] = {}
    for asked, packed in by_asked.items():
        ruling = rules.rule_packed(priced, asked)
        outcomes.setdefault(tuple(one.code for one in ruling.matched), packed)
    missing = {one.code for one in priced.outcomes} - {code for key in outcomes for code in key}
    assert not missing, f"no deal for {priced.ref}: {missing}"
    yield from outcomes.values()


def paid_in_every_way(rules: Rules, coup: Coup, priced: PricedWager) -> Iterator[Wagered]:
    """Give a wager paid rightly, by a unit too much and too little, nothing, its stake, unknown."""
    unit = filed_unit(rules, priced.ref)
    for stake in {unit} if unit else (2_500, 2_507):
        try:
            due = settle_wager(rules, coup, priced.ref, stake).due_minor
        except (NotPayableError, MeterMissingError):
            due = None
        ways = {0, stake}
        if due is not None:
            ways = {due} if stake == 2_507 else {*ways, due, due + 1, due - 1}
        yield from (Wagered(priced.ref, stake, paid) for paid in sorted(ways) if paid >= 0)
    yield Wagered(priced.ref, unit or 2_500, None)


def coups_of(number: int, stage: int) -> list[Played]:
    """Give the coups that one filing plays."""
    rules = Rules(LAW, terms_of(LAW, filing_of(number, stage)))
    coups = []
    for packed, wagers in coups_by_filing()[number, stage].items():
        coup = deals()[packed]
        paid = [way for priced in wagers for way in paid_in_every_way(rules, coup, priced)]
        player, banker = (" ".join(map(str, hand)) for hand in (coup.player, coup.banker))
        coups += [
            Played(player, banker, paid[start : start + WAGERS_A_COUP])
            for start in range(0, len(paid), WAGERS_A_COUP)
        ]
    return coups


@pytest.mark.parametrize(("number", "stage"), sorted(coups_by_filing()))
def test_every_wager_is_judged_alike_however_it_came_out_and_was_paid(
    number: int, stage: int
) -> None:
    submission, coups = filing_of(number, stage), coups_of(number, stage)
    rows, events = by_rows(submission, coups), by_events(submission, coups)
    assert rows - events == set()
    # An empty payment is no claim in a file, since many files leave losers empty (decision 0023).
    only_events = Counter(one.code for one in events - rows)
    unpaid = sum(one.paid_minor is None for coup in coups for one in coup.wagers)
    assert only_events == Counter({UNPAID: unpaid})


def test_all_plays_together_reach_every_wager_and_every_kind_of_payment() -> None:
    played = {
        priced.ref.id
        for chosen in coups_by_filing().values()
        for wagers in chosen.values()
        for priced in wagers
    }
    assert played == set(LAW.wagers)


FAULTY_DRAWS = (
    "2S 3H KD | AC 2D",
    "2S 3H | AC 2D 5H",
    "2S 3H | AC 2D",
    "2S 3H 8D | AC 2D 5H",
    "4S 3H 2C | 3C 4D",
    "4S 3H | 3C 4D 2C",
    "4S 4H 2C | AC 2D 5H",
    "4S 4H 2C | AC 2D",
    "4S 4H | AC 2D 5H",
    "2S 3H KD 4C | AC 2D 5H",
    "2S 3H KD | AC 2D 5H 4C",
    "2S | AC 2D 5H",
    "2S | 4C",
)
"""Every way to depart from the rules of dealing, by either hand and by both."""

READINGS = ({}, {"D30": "void"}, {"D30": "void", "D24": "refunded"})


def staked(*refs: WagerRef) -> list[Wagered]:
    """Stake 100.00 on each wager and hand back nothing, the stake, and twice the stake."""
    return [Wagered(ref, 10_000, paid) for ref in refs for paid in (0, 10_000, 20_000)]


def hands_of(text: str) -> tuple[str, str]:
    """Part the hands of a coup."""
    player, banker = text.split("|")
    return player.strip(), banker.strip()


@pytest.mark.parametrize("readings", READINGS, ids=str)
@pytest.mark.parametrize("game", ["minibaccarat", "baccarat"])
def test_every_faulty_draw_is_judged_alike(game: str, readings: dict[str, str]) -> None:
    side = [WagerRef("house.player_pair"), WagerRef("eclipse.sun_7")]
    if game == "baccarat":
        side = [WagerRef("house.player_pair"), WagerRef("majestic_match", "player")]
    submission = a_submission(
        *(
            {"id": one.id, "paytable": "A" if LAW.wagers[one.id][0].paytables else None}
            for one in side
        ),
        game=game,
        readings=readings,
    )
    main = [WagerRef(f"{game}.{code}") for code in ("player", "banker", "tie")]
    coups = [Played(*hands_of(draw), staked(*main, *side)) for draw in FAULTY_DRAWS]
    rows, events = by_rows(submission, coups), by_events(submission, coups)
    assert rows - events == set()
    # Rows have no order in time: that four cards never came before a payment only events can say.
    assert {(one.wager, one.code) for one in events - rows} <= {
        ("majestic_match", "SETTLED_OUT_OF_TURN")
    }
    assert {one.coup for one in rows if one.code in DRAW_CODES} == {one.coup for one in rows}


DRAW_CODES = {
    "CARD_AFTER_NATURAL",
    "DEAL_ORDER",
    "THIRD_CARD_DRAWN_IN_ERROR",
    "THIRD_CARD_NOT_DRAWN",
}

RIGHT = (Wagered(WagerRef("minibaccarat.player"), 10_000, 20_000),)
NATURAL = ("9S KD", "2S 3H")


def codes(findings: set[Found]) -> dict[str, int]:
    """Count findings by code."""
    return dict(Counter(one.code for one in findings))


@pytest.mark.parametrize(
    ("coups", "expected"),
    [
        (
            [Played(*NATURAL, RIGHT, winner=one) for one in ("player", "banker", "tie")],
            {"RESULT_MISANNOUNCED": 2},
        ),
        (
            [Played(*NATURAL, RIGHT, points=one) for one in ((9, 5), (8, 5), (9, 4), (1, 1))],
            {"POINTS_MISANNOUNCED": 3},
        ),
        ([Played("9S ?", "2S 3H", RIGHT)], {"CARD_UNREADABLE": 1}),
        (
            [Played(*NATURAL, [Wagered(WagerRef("house.dragon_7"), 10_000, 0)])],
            {"WAGER_NOT_OFFERED": 1},
        ),
    ],
)
def test_claims_that_are_wrong_are_found_alike(
    coups: list[Played], expected: dict[str, int]
) -> None:
    rows, events = by_rows(a_submission(), coups), by_events(a_submission(), coups)
    assert rows == events
    assert codes(rows) == expected


@pytest.mark.parametrize(("year", "code"), [(2015, "RULE_NOT_YET_IN_FORCE"), (2030, "RULE_LAPSED")])
def test_a_section_that_was_not_in_force_is_found_alike(year: int, code: str) -> None:
    submission = a_submission({"id": "golden_talons", "paytable": "B"})
    coups = [Played(*NATURAL, [*RIGHT, Wagered(WagerRef("golden_talons", "player"), 10_000, 0)])]
    at = START.replace(year=year)
    rows, events = by_rows(submission, coups, at), by_events(submission, coups, at)
    assert rows == events
    assert code in codes(rows)


def test_a_wager_that_the_law_does_not_know_is_a_word_in_a_file_and_an_offer_at_a_table() -> None:
    # A file may have words of its own, which a mapping explains; a table names wagers by the law.
    coups = [Played(*NATURAL, [*RIGHT, Wagered(WagerRef("golden_talons"), 10_000, 0)])]
    rows, events = by_rows(a_submission(), coups), by_events(a_submission(), coups)
    assert codes(rows) == {"EVENT_REJECTED": 1}
    assert codes(events) == {"WAGER_NOT_OFFERED": 1}


def test_a_stake_that_was_taken_twice_is_found_alike() -> None:
    # A file says it as a loss of twice the stake, a table as twice the stake collected.
    player = WagerRef("minibaccarat.player")
    lost = ("2S 3H", "9S KD")
    header = "shoe | coup | player_cards | banker_cards | seat | wager | stake | net"
    row = ["S1", "S1/1", *lost, "1", str(player), "100.00", "-200.00"]
    rules = Rules(LAW, terms_of(LAW, a_submission()))
    rows = found(audited(header, row, rules=rules).findings)

    script = TableScript().open(a_submission(), (*REPORTS, Capability.COLLECTIONS)).shoe().coup()
    wager_id = script.wager(str(player), 10_000)
    script.deal(*lost).result("banker", 5, 9)
    script.settle(wager_id, 0, stake_collected_minor=20_000).close()
    events = found(Folded(script.messages).findings)
    # A table knows what was collected before there is a result, so it cites no result.
    assert {one._replace(citation=None) for one in rows} == events
    assert codes(rows) == {"STAKE_TAKEN_TWICE": 1}
