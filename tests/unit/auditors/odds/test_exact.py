"""Exact odds agree with published figures, with settlement and with what is listed of them."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from auditors.law import load_law
from auditors.law.packed_facts import unpack
from auditors.odds.deals import exact_deals
from auditors.odds.exact import WagerOdds, nearest_float, wager_odds
from auditors.odds.listing import Choice, ListedOdds, listed_odds, refs_named, refs_of
from auditors.settlement.amounts import Meter, settle_wager
from auditors.settlement.coup import Coup, judge_coup
from auditors.settlement.rules import Rules
from auditors.settlement.terms import Terms, TermsError, WagerRef, default_terms, resolve_wager
from schemas.cards import RANKS, SUITS, Card, parse_hand
from schemas.odds import OddsKind, parse_odds
from schemas.rules_submission import CommissionForm

LAW = load_law()
GAME = LAW.sections["minibaccarat"]
DRAWS = {6: 878_869_206_895_680, 8: 4_998_398_275_503_360}
"""Ordered draws of six cards, the combinations of published tables."""

STAKE_MINOR = 2_000_000
"""A stake on which every price of every section is payable to the cent."""


@cache
def listed(decks: int) -> tuple[ListedOdds, ...]:
    """List the odds of every wager, once for all tests."""
    refs = [ref for wager_id in LAW.wagers for ref in refs_of(LAW, wager_id)]
    rules = Rules(LAW, default_terms(LAW))
    return tuple(listed_odds(rules, refs, exact_deals(decks, GAME), Choice()))


def entries(
    name: str,
    decks: int = 8,
    *,
    paytable: str | None = None,
    commission: str | None = None,
    tie_odds: str | None = None,
    reading: dict[str, str] | None = None,
) -> list[ListedOdds]:
    """Find the entries of one wager under the terms given; several where terms are left out."""
    ref = resolve_wager(LAW, name)
    return [
        one
        for one in listed(decks)
        if one.odds.ref == ref
        and one.interpretation == reading
        and paytable in (None, one.odds.priced.letter)
        and commission in (None, one.commission)
        and tie_odds in (None, one.tie_odds)
    ]


def odds_of(name: str, decks: int = 8, **terms: str) -> WagerOdds:
    """Give the odds of one wager under the default readings."""
    (found,) = entries(name, decks, **terms)  # type: ignore[arg-type]
    return found.odds


def terms_of_entry(entry: ListedOdds) -> Terms:
    """Put the words of an entry back into terms."""
    terms = default_terms(LAW)
    terms = replace(terms, readings={**terms.readings, **(entry.interpretation or {})})
    if entry.odds.priced.letter is not None:
        terms = replace(terms, letters={entry.odds.priced.section.id: entry.odds.priced.letter})
    if entry.commission == "free":
        terms = replace(terms, commission=CommissionForm.FREE)
    elif entry.commission is not None:
        percent = int(entry.commission.removesuffix("%"))
        terms = replace(terms, vigorish_rate=Fraction(percent, 100))
    if entry.tie_odds is not None:
        terms = replace(terms, tie_odds=parse_odds(entry.tie_odds))
    return terms


COMBINATIONS = [
    # http://www.casinoexploit.com/baccarat.html
    (8, "banker", {"commission": "5%"}, "banker_wins", 2_292_252_566_437_888),
    (8, "player", {}, "player_wins", 2_230_518_282_592_256),
    (8, "tie", {"tie_odds": "8 to 1"}, "tie", 475_627_426_473_216),
    (6, "banker", {"commission": "5%"}, "banker_wins", 403_095_751_234_560),
    (6, "player", {}, "player_wins", 392_220_492_728_832),
    (6, "tie", {"tie_odds": "8 to 1"}, "tie", 83_552_962_932_288),
    # http://wizardofodds.com/games/baccarat/appendix/5/ (Dragon Bonus, Player and Banker)
    (8, "player_dragon_bonus", {}, "win_by_9", 18_409_431_764_992),
    (8, "player_dragon_bonus", {}, "win_by_8", 34_097_645_543_424),
    (8, "player_dragon_bonus", {}, "win_by_7", 89_590_261_473_280),
    (8, "player_dragon_bonus", {}, "win_by_6", 141_238_897_317_888),
    (8, "player_dragon_bonus", {}, "win_by_5", 166_169_165_987_840),
    (8, "player_dragon_bonus", {}, "win_by_4", 186_780_352_174_080),
    (8, "player_dragon_bonus", {}, "natural_win", 812_685_054_124_032),
    (8, "player_dragon_bonus", {}, "natural_tie", 89_325_908_267_520),
    (8, "banker_dragon_bonus", {}, "win_by_9", 15_390_342_909_952),
    (8, "banker_dragon_bonus", {}, "win_by_8", 28_305_092_784_128),
    (8, "banker_dragon_bonus", {}, "win_by_7", 79_517_099_278_336),
    (8, "banker_dragon_bonus", {}, "win_by_6", 119_200_072_366_080),
    (8, "banker_dragon_bonus", {}, "win_by_5", 157_275_882_332_160),
    (8, "banker_dragon_bonus", {}, "win_by_4", 201_147_167_287_296),
    (8, "golden_talons@banker", {"paytable": "C"}, "win_by_8", 28_305_092_784_128),
    # https://wizardofodds.com/games/baccarat/side-bets/5-treasures/
    (8, "fortune_7", {"paytable": "A"}, "banker_wins_3_card_7", 112_633_011_329_024),
    (8, "golden_8", {"paytable": "B"}, "player_wins_3_card_8", 172_660_763_262_976),
    # http://user-casino.com/games/ez-baccarat/ (the Banker win that pushes)
    (
        8,
        "rising_phoenix.banker",
        {"commission": "free"},
        "banker_wins_3_card_7",
        112_633_011_329_024,
    ),
    # https://wizardofodds.com/games/baccarat/side-bets/lucky-6/ (two and three cards)
    (8, "super_six", {}, "banker_wins_6", 186_173_936_904_192 + 83_058_367_551_488),
    # https://excelpunks.com/2018/05/12/concepts-13-baccarat-vs-non-commission-baccarat-why-does-a-banker-win-on-6-pay-half/
    (8, "banker_1_or_2", {}, "banker_wins_1_or_2", 24_291_119_898_624 + 44_681_581_871_104),
    # https://jndiario.com/games/baccarat/side-bets/dragon-dragon/ (six of a kind)
    (8, "harmony_mini", {"paytable": "A"}, "six_of_a_kind", 5_872_124_160),
    # https://www.daikenfudousan.com/games/baccarat/side-bets/egalite/
    (8, "tie_0", {}, "tie_0", 28_979_901_420_544),
    (8, "tie_1_to_3", {}, "tie_1_to_3", 62_756_333_902_336),
    (8, "tie_4_to_7", {}, "tie_4_to_7", 75_978_180_206_848 + 197_887_540_208_384),
    (8, "tie_8_or_9", {}, "tie_8_or_9", 110_025_470_735_104),
]


@pytest.mark.parametrize(("decks", "name", "terms", "code", "combinations"), COMBINATIONS)
def test_an_outcome_has_as_many_combinations_as_published(
    decks: int, name: str, terms: dict[str, str], code: str, combinations: int
) -> None:
    (found,) = [one for one in odds_of(name, decks, **terms).outcomes if one.code == code]
    assert found.probability == Fraction(combinations, DRAWS[decks])


EDGES = [
    # https://www.multiplayerbaccarat.com/odds.html
    (8, "banker", {"commission": "5%"}, "1.0579"),
    (8, "banker", {"commission": "4%"}, "0.5993"),
    (8, "player", {}, "1.2351"),
    (8, "tie", {"tie_odds": "8 to 1"}, "14.3596"),
    (8, "tie", {"tie_odds": "9 to 1"}, "4.8440"),
    (6, "banker", {"commission": "5%"}, "1.0558"),
    (6, "banker", {"commission": "4%"}, "0.5972"),
    (6, "player", {}, "1.2374"),
    (6, "tie", {"tie_odds": "8 to 1"}, "14.4382"),
    (6, "tie", {"tie_odds": "9 to 1"}, "4.9313"),
    # https://www.americancasinoguide.com/casino-news/card-counting-the-super-six-baccarat-side-bet.html
    (8, "rising_phoenix.banker", {"commission": "free"}, "1.0183"),
    (8, "banker_no_commission", {}, "1.4581"),
    # https://prod-newblog.888casino.com/blog/side-bets/co-card-counting-the-dragon-and-panda-side-bets-in-ez-baccarat
    (8, "panda_8", {}, "10.1876"),
    # https://wizardofodds.com/games/baccarat/side-bets/5-treasures/
    (8, "dragon_7", {}, "7.6113"),
    # http://wizardofodds.com/games/baccarat/appendix/5/
    (8, "player_dragon_bonus", {}, "2.6517"),
    (8, "banker_dragon_bonus", {}, "9.3731"),
    (6, "player_dragon_bonus", {}, "2.67"),
    (6, "banker_dragon_bonus", {}, "9.39"),
    (8, "golden_talons@player", {"paytable": "A"}, "2.6517"),
    (8, "golden_talons@banker", {"paytable": "A"}, "9.3731"),
    # https://wordstreetjournal.com/top-ten-baccarat-side-games-detailed-odds-and-payouts/
    (8, "house.player_pair", {}, "10.36"),
    (8, "rising_phoenix.banker_pair", {}, "10.36"),
    (8, "either_pair", {}, "13.71"),
    # https://internetradiomercedes.com/games/baccarat/side-bets/perfect-pairs-ver1
    (8, "perfect_pair", {}, "13.0294"),
    (6, "perfect_pair", {}, "17.07"),
    # https://vegasfreedom.com/baccarat/what-is-big-and-small-in-baccarat/
    (6, "small", {}, "5.27"),
    (8, "big", {}, "4.35"),
    # https://advancedadvantageplay.com/side-bets/baccarat-side-bets/ (88 89 98 99)
    (8, "both_8_or_9", {}, "7.372"),
]


@pytest.mark.parametrize(("decks", "name", "terms", "published"), EDGES)
def test_the_house_edge_is_the_published_one_to_its_last_digit(
    decks: int, name: str, terms: dict[str, str], published: str
) -> None:
    edge = odds_of(name, decks, **terms).house_edge
    assert edge is not None
    digits = len(published.partition(".")[2])
    assert f"{nearest_float(edge * 100):.{digits}f}" == published


PROBABILITIES = [
    # https://internetradiomercedes.com/games/baccarat/side-bets/perfect-pairs-ver1
    (8, "perfect_pair", "0.033450"),
    (6, "perfect_pair", "0.031896"),
    # https://www.mycraftingplace.com/games/baccarat/appendix/5/ (4-5-6: four cards)
    (8, "small", "0.378868"),
    (6, "small", "0.378925"),
    # https://www.multiplayerbaccarat.com/odds.html
    (6, "player", "0.446279"),
    (8, "player", "0.446247"),
]


@pytest.mark.parametrize(("decks", "name", "published"), PROBABILITIES)
def test_a_win_is_as_likely_as_published(decks: int, name: str, published: str) -> None:
    assert f"{nearest_float(odds_of(name, decks).win_probability):.6f}" == published


@pytest.mark.parametrize("decks", [6, 8])
def test_first_two_card_wagers_have_their_closed_forms(decks: int) -> None:
    cards, other = 52 * decks, 52 * decks - 1
    royal = Fraction(8 * decks * decks, cards * other)
    suited = Fraction(13 * decks - 1, other) - royal
    for hand in ("player", "banker"):
        odds = odds_of(f"majestic_match@{hand}", decks)
        assert odds.house_edge == 1 - 26 * royal - Fraction(7, 2) * suited
        (strict,) = entries(f"majestic_match@{hand}", decks, reading={"D21": "no_pay"})
        assert odds.win_probability - strict.odds.win_probability == Fraction(decks - 1, other)


@pytest.mark.parametrize("decks", [6, 8])
def test_every_list_of_outcomes_is_whole(decks: int) -> None:
    for one in listed(decks):
        odds = one.odds
        assert sum(outcome.probability for outcome in odds.outcomes) == 1
        assert all(outcome.probability > 0 for outcome in odds.outcomes)
        codes = [outcome.code for outcome in odds.outcomes]
        assert len(set(codes)) == len(codes)
        assert codes[-1] == odds.priced.wager.loses.code
        assert all((outcome.due or 0) >= 0 for outcome in odds.outcomes)
        if one.interpretation is None:
            # No row of a paytable is dead: each one is paid on some coup.
            assert {row.code for row in odds.priced.outcomes} <= set(codes)


def test_every_wager_hand_letter_and_form_is_listed_once_under_default_readings() -> None:
    keys = [
        (str(one.odds.ref), one.odds.priced.letter, one.commission, one.tie_odds)
        for one in listed(8)
        if one.interpretation is None
    ]
    assert len(set(keys)) == len(keys)
    assert {key[0] for key in keys} == {
        str(ref) for wager_id in LAW.wagers for ref in refs_of(LAW, wager_id)
    }
    assert [key[1] for key in keys if key[0] == "harmony_big"] == list("ABCDEFGHI")
    assert [key[2] for key in keys if key[0] == "rising_phoenix.banker"] == ["4%", "5%", "free"]
    assert [key[2] for key in keys if key[0] == "minibaccarat.banker"] == ["4%", "5%"]
    assert [key[3] for key in keys if key[0] == "baccarat.tie"] == ["8 to 1", "9 to 1"]
    assert not any(key[2] for key in keys if not key[0].endswith(".banker"))


ALTERNATIVES = {
    "golden_talons@player": {},
    "eclipse.sun_7": {},
    "eclipse.supreme_7": {"B": ["D14=push"], "C": ["D14=push"]},
    "eclipse.divine_9": {letter: ["D16=win_required"] for letter in "ABC"},
    "eclipse.eclipse": {
        "A": ["D16=win_required"],
        "B": ["D11=definition_events", "D16=win_required"],
        "C": ["D11=definition_events", "D16=win_required"],
    },
    "five_treasures.blazing_7s": {
        "A": ["D13=mixed_pays_three_card", "D14=push"],
        "B": ["D13=mixed_pays_three_card", "D13=mixed_pays_two_card"],
    },
    "five_treasures.cover_all": {
        "A": ["D12=definition_events", "D13=mixed_pays_three_card", "D16=win_required"],
        "B": ["D13=mixed_pays_three_card", "D13=mixed_pays_two_card", "D16=win_required"],
    },
    "majestic_match@banker": {None: ["D21=no_pay"]},
    "rising_phoenix.player_pair": {None: ["D25=value"]},
    "house.player_pair": {},
    "minibaccarat.banker": {},
    "harmony_mini": {
        letter: ["D1=to", "D2=every", *(["D5=each_hand"] if letter in "DEF" else [])]
        for letter in "ABCDEFGHI"
    },
}


@pytest.mark.parametrize("name", ALTERNATIVES)
def test_readings_are_listed_one_at_a_time_where_they_change_the_odds(name: str) -> None:
    found: dict[str | None, list[str]] = {}
    for one in listed(8):
        if str(one.odds.ref) == name and one.interpretation is not None:
            assert one.is_alternative
            ((id_, code),) = one.interpretation.items()
            found.setdefault(one.odds.priced.letter, []).append(f"{id_}={code}")
    assert found == ALTERNATIVES[name]


def test_a_chosen_reading_letter_form_and_tie_are_not_listed_otherwise() -> None:
    terms = replace(
        default_terms(LAW),
        letters={"eclipse": "B"},
        commission=CommissionForm.FREE,
        tie_odds=parse_odds("9 to 1"),
    )
    rules = Rules(LAW, terms).under("D11", "definition_events")
    names = ("eclipse.eclipse", "eclipse.sun_7", "rising_phoenix.banker", "tie")
    refs = [resolve_wager(LAW, name) for name in names]
    choice = Choice(commission=True, tie_odds=True, readings={"D11"})
    found = [
        (one.odds.ref.id, one.odds.priced.letter, one.commission, one.tie_odds, one.interpretation)
        for one in listed_odds(rules, refs, exact_deals(8, GAME), choice)
    ]
    chosen = {"D11": "definition_events"}
    assert found == [
        ("eclipse.eclipse", "B", None, None, chosen),
        ("eclipse.eclipse", "B", None, None, {**chosen, "D16": "win_required"}),
        ("eclipse.sun_7", "B", None, None, None),
        ("rising_phoenix.banker", None, "free", None, None),
        ("minibaccarat.tie", None, None, "9 to 1", None),
    ]


def test_unpriced_house_wagers_have_probabilities_and_no_edge() -> None:
    unpriced = [
        one.odds for one in listed(8) if one.odds.priced.outcomes[0].odds.kind is OddsKind.UNPRICED
    ]
    assert len(unpriced) == 10
    for odds in unpriced:
        assert odds.house_edge is None
        assert 0 < odds.win_probability < 1
        assert odds.outcomes[0].outcome == "win"
    odd, even = (odds_of(f"player_{name}").win_probability for name in ("odd", "even"))
    assert odd + even == 1


def test_harmony_has_no_edge_but_a_return_and_a_meter_at_which_it_breaks_even() -> None:
    odds = odds_of("harmony_mini", paytable="A")
    jackpot = Fraction(5_872_124_160, DRAWS[8])
    assert odds.house_edge is None
    assert odds.jackpot_probability == jackpot
    by_code = {one.code: one.probability for one in odds.outcomes}
    # for 1: the stake is part of what is handed over.
    assert odds.return_without_jackpot == (
        1000 * by_code["four_8s"]
        + 300 * by_code["four_of_a_kind"]
        + 100 * by_code["six_zero_value_cards"]
        + 20 * by_code["tie_0"]
        + 6 * by_code["tie_1_to_5"]
        + 3 * by_code["tie_6_to_9"]
    )
    assert odds.win_probability == 1 - by_code["loses"]
    meter = odds.break_even_meter_minor(500)
    assert meter is not None
    returned = 500 * odds.return_without_jackpot
    assert returned + meter * jackpot >= 500 > returned + (meter - 1) * jackpot


def test_under_every_the_rows_of_a_harmony_tie_are_paid_together() -> None:
    (entry,) = entries("harmony_mini", paytable="H", reading={"D2": "every"})
    first = odds_of("harmony_mini", paytable="H")
    found = {one.code: one for one in entry.odds.outcomes}
    six = found["six_of_a_kind+six_zero_value_cards+tie_6_cards"]
    assert (six.pays, six.due) == ("100% of Progressive + 50 for 1 + 4 for 1", 54)
    assert six.meter_share == 1
    zeros = found["six_zero_value_cards+tie_6_cards"]
    assert (zeros.outcome, zeros.due, zeros.meter_share) == ("win", 54, 0)
    assert entry.odds.jackpot_probability == first.jackpot_probability
    # What six of a kind pays besides the meter lowers the meter that is needed, and no more.
    assert entry.odds.return_without_jackpot == sum(
        (one.due or 0) * one.probability for one in entry.odds.outcomes if not one.meter_share
    )
    lower, higher = entry.odds.break_even_meter_minor(500), first.break_even_meter_minor(500)
    assert lower is not None
    assert higher is not None
    assert lower < higher


def test_under_greatest_the_meter_is_taken_as_the_greatest_row() -> None:
    rules = Rules(LAW, replace(default_terms(LAW), letters={"harmony_mini": "H"}))
    deals = exact_deals(8, GAME)
    first = wager_odds(rules, WagerRef("harmony_mini"), deals)
    greatest = wager_odds(rules.under("D2", "greatest"), WagerRef("harmony_mini"), deals)
    # No row stands above another that pays more, so the reading changes nothing.
    assert greatest.essence() == first.essence()


def test_both_readings_of_one_colour_are_the_share_of_ties_that_they_describe() -> None:
    deals = exact_deals(8, GAME)
    f = deals.facts
    tie = np.asarray(f.winner) == 0
    player, banker = np.asarray(f.player_colour), np.asarray(f.banker_colour)
    for code, which in (
        (None, tie & (player == banker) & (player != 0)),
        ("each_hand", tie & (player != 0) & (banker != 0)),
    ):
        (entry,) = entries("harmony_big", paytable="E", reading=code and {"D5": code})
        coloured = {one.code: one.probability for one in entry.odds.outcomes}
        ranked = sum(
            coloured[higher]
            for higher in ("six_of_a_kind", "four_8s", "four_of_a_kind", "six_zero_value_cards")
        )
        share = Fraction(int(deals.weights[which].sum()), deals.total)
        assert coloured["tie_one_colour"] < share < coloured["tie_one_colour"] + ranked


def test_facts_that_a_wager_does_not_ask_for_do_not_change_its_odds() -> None:
    deals = exact_deals(8, GAME)
    names = ("player_first_card_higher", "majestic_match@player", "any_natural", "super_six")
    for name in (*names, "either_pair", "perfect_pair"):
        odds = odds_of(name)
        for row, first in odds.priced.first_matches(deals.facts):
            (found,) = [one for one in odds.outcomes if one.code == row.code]
            ways = int(deals.weights[np.asarray(first, dtype=bool)].sum())
            assert found.probability == Fraction(ways, deals.total)


def test_rules_fit_one_coup_as_they_fit_all_deals_at_once() -> None:
    deals = exact_deals(8, GAME)
    sample = random.Random(1).sample(range(len(deals)), 60)
    for one in listed(8)[::3]:
        priced = one.odds.priced
        fits = [np.asarray(row.test(deals.facts)) for row in priced.outcomes]
        for index in sample:
            coup = unpack(int(deals.examples[index]))
            mine = [row.code for row in priced.fitting(coup)]
            rows = zip(priced.outcomes, fits, strict=True)
            assert mine == [row.code for row, fit in rows if fit[index]]


RARE_COUPS = """
    KS KD KH / KC KS KD
    QC QC QS / QS QC QS
    6H 6D 6H / 6D 6H 6D
    8S 8D / 8H 8C
    4S 4D / 4H 4S
    4H 4D / 4D 4H
    KS QD JH / TC JS TD
    KH QD JH / TD JH TD
    7S KD / 7H QC
    5S KD 2C / 2H QC 5D
    7S KD / 5H QC 2D
    5S 4D / 9H KC
    AS 2D 6H / 3S KC 6D
    AS KD 8H / KC KS 9D
    KS QS 9H / KH QH 5D
    KS KS / 9H 9H
    3S KD 8H / 3H KS
    2H 5D / 3D 4H
    2H 5D / 3S 4C
"""


def coups() -> Iterator[Coup]:
    """Deal coups at random, one of each result, and by hand what chance would hardly deal."""
    for line in RARE_COUPS.split("\n"):
        if line.strip():
            player, banker = (parse_hand(hand) for hand in line.split("/"))
            coup = judge_coup(player, banker, GAME)
            assert coup.is_determined, line
            yield coup
    shoe = [parse_hand(rank + suit)[0] for rank in RANKS for suit in SUITS] * 8
    chance, seen = random.Random(627), set()
    for _ in range(4000):
        coup = next(_correctly_dealt(chance.sample(shoe, 6)))
        kind = (coup.player_points, coup.banker_points, len(coup.player), len(coup.banker))
        if kind not in seen:
            seen.add(kind)
            yield coup


def _correctly_dealt(cards: list[Card]) -> Iterator[Coup]:
    """Give the coup that six cards make: the hands that have no drawing fault."""
    player, banker, rest = (cards[0], cards[2]), (cards[1], cards[3]), tuple(cards[4:])
    for drawn in itertools.product((0, 1), repeat=2):
        third = rest[: drawn[0]]
        fourth = rest[drawn[0] :][: drawn[1]]
        coup = judge_coup(player + third, banker + fourth, GAME)
        if coup.is_determined:
            yield coup


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_every_coup_settles_as_one_of_the_outcomes_at_the_money_reckoned_with(every: int) -> None:
    dealt = list(coups())
    meter = Meter(amount_minor=12_345_678, winning_stakes_minor=(STAKE_MINOR,))
    for entry in list(listed(8))[::every]:
        rules = Rules(LAW, terms_of_entry(entry))
        odds = {one.code: one for one in entry.odds.outcomes}
        seen: set[str] = set()
        for coup in dealt:
            verdict = settle_wager(rules, coup, entry.odds.ref, STAKE_MINOR, meter)
            one = odds[str(verdict.outcome_code)]
            assert (verdict.outcome, verdict.pays) == (one.outcome, one.pays)
            seen.add(one.code)
            if one.due is None:
                assert verdict.due_minor is None
                continue
            expected = one.due * STAKE_MINOR + one.meter_share * meter.amount_minor
            assert verdict.due_minor == expected, (entry, coup)
        # Every outcome has been met, except some of the sums under D2.
        assert seen >= {code for code in odds if "+" not in code}, entry


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("golden_talons", ["golden_talons@player", "golden_talons@banker"]),
        ("golden_talons@banker", ["golden_talons@banker"]),
        ("harmony_mini", ["harmony_mini"]),
        ("banker", ["minibaccarat.banker"]),
        ("moon_8x", "no wager 'moon_8x'; did you mean moon_8"),
        ("player_pair", "write one of house.player_pair, rising_phoenix.player_pair"),
        ("golden_talons@tie", "name the hand it is placed on"),
        ("banker@player", "it backs no chosen hand"),
    ],
)
def test_a_text_names_its_wagers_or_says_why_not(text: str, found: list[str] | str) -> None:
    if isinstance(found, str):
        with pytest.raises(TermsError, match=found):
            refs_named(LAW, text)
    else:
        assert [str(ref) for ref in refs_named(LAW, text)] == found


@pytest.mark.parametrize("section", ["eclipse", "house", "rising_phoenix", "minibaccarat"])
def test_a_section_of_several_wagers_means_all_of_them(section: str) -> None:
    wagers = LAW.sections[section].wager
    assert [ref.id for ref in refs_named(LAW, section)] == [f"{section}.{w.code}" for w in wagers]
