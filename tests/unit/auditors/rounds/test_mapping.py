"""Headers are recognised or mapped, and a declaration that does not fit is one line."""

import pytest

from auditors.rounds.columns import RoundsMapping
from auditors.rounds.mapping import (
    DeclaredMapping,
    MappingError,
    check_wager_names,
    read_header,
)
from tests.support.tables.deals import LAW
from tests.support.tables.submissions import a_submission

CARDS = ("player_cards", "banker_cards")
RECORDED = (
    "source",
    "round_id",
    "shoe_key",
    "round_in_shoe",
    "player_cards",
    "banker_cards",
    "recorded_winner",
    "recorded_player_total",
    "recorded_banker_total",
)


def read(*names: str, **declared: object) -> RoundsMapping:
    """Read a header under a declaration."""
    return read_header(LAW, names, DeclaredMapping(**declared))


def test_our_own_names_are_recognised() -> None:
    names = (
        "coup",
        "shoe",
        "table",
        "seat",
        *CARDS,
        "winner",
        "player_points",
        "banker_points",
        "wager",
        "hand",
        "stake",
        "paid",
        "net",
        "winning_wagers",
        "occurred_at",
    )
    columns = read(*names).columns
    for position, name in enumerate(names):
        found = {
            "winner": columns.winners,
            "winning_wagers": columns.winning_wagers,
            "player_points": [columns.points[0][0]],
            "banker_points": [columns.points[0][1]],
        }.get(name) or [getattr(columns, name, None)]
        assert list(found) == [position], name


def test_the_recorded_layout_is_recognised_with_both_its_winners() -> None:
    reading = read(*RECORDED, "provider_winner", "provider_winning_bets")
    columns = reading.columns
    assert (columns.coup, columns.shoe, columns.source) == (1, 2, 0)
    assert columns.winners == (6, 9)
    assert columns.points == ((7, 8),)
    assert columns.winning_wagers == (10,)
    assert len(reading.winning_names[10]) == 26
    assert reading.winning_names[10]["super_six_alt"] == "house.super_six"
    assert reading.wager_names["player_pair"] == "house.player_pair"


def test_the_recorded_layout_is_recognised_without_the_name_of_its_source() -> None:
    reading = read("round_id", *CARDS, "recorded_winner", "provider_winner", "wager_on", "wager")
    columns = reading.columns
    assert (columns.coup, columns.winners) == (0, (3, 4))
    assert (columns.wager, columns.stake) == (5, 6)


def test_a_declaration_goes_before_what_is_recognised() -> None:
    reading = read(*RECORDED, "my_id", columns={"coup": ("my_id",)})
    assert reading.columns.coup == 9
    assert reading.columns.winners == (6,)


def test_several_columns_may_make_the_same_claim() -> None:
    columns = read(*CARDS, "a", "b", columns={"winner": ("a", "b")}).columns
    assert columns.winners == (2, 3)


def test_blanks_around_header_names_do_not_count() -> None:
    assert read(" player_cards ", "banker_cards", "winner\t").columns.winners == (2,)


def test_one_column_of_cards_is_left_out_where_hands_have_their_own() -> None:
    assert read("cards").columns.cards == 0
    assert read("cards", *CARDS).columns.cards is None


@pytest.mark.parametrize(
    ("names", "declared", "said"),
    [
        (("a", "b"), {}, "no column of cards is recognised; its columns are a, b; map them"),
        (("player_cards",), {}, "no column of cards is recognised"),
        (
            CARDS,
            {"columns": {"winer": ("player_cards",)}},
            "'winer' is not one of our names; did you mean winner?",
        ),
        (CARDS, {"columns": {"xyzzy": ("player_cards",)}}, "ours are coup, shoe, table"),
        (
            CARDS,
            {"columns": {"coup": ("player_card",)}},
            "the file has no column 'player_card'; did you mean player_cards?",
        ),
        (CARDS, {"columns": {"coup": ("zzz",)}}, "its columns are player_cards, banker_cards"),
        (
            (*CARDS, "x", "y"),
            {"columns": {"coup": ("x", "y")}},
            "coup is said by one column, not by x, y",
        ),
        ((*CARDS, "winner", "winner"), {}, "the file has 2 columns named 'winner'"),
        (
            CARDS,
            {"winner_words": {"P": "plyer"}},
            "winner P=plyer: write player, banker or tie; did you mean player?",
        ),
        (CARDS, {"card_order": ("p1", "b1")}, "card order p1,b1: name each of p1, b1"),
        (CARDS, {"card_order": ("p1", "p1", "b1", "b2", "p3", "b3")}, "name each of"),
    ],
)
def test_what_does_not_fit_is_one_line(
    names: tuple[str, ...], declared: dict[str, object], said: str
) -> None:
    with pytest.raises(MappingError) as refused:
        read(*names, **declared)
    assert said in str(refused.value)


def test_two_columns_of_one_name_matter_only_where_they_are_read() -> None:
    assert read(*CARDS, "note", "note").columns.player_cards == 0


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (
            {"wager_names": {"PP": "house.player_pear"}},
            "wagers.PP: no wager 'house.player_pear'; did you mean house.player_pair?",
        ),
        ({"wager_names": {"PP": "player_pair"}}, "wagers.PP: wager 'player_pair' is ambiguous"),
        (
            {"winning_names": {"x": "golden_talons"}},
            "winning_wagers.x: wager 'golden_talons': name the hand",
        ),
        ({"winning_names": {"x": "rising_phoenix"}}, "is a section with several wagers"),
    ],
)
def test_a_declared_word_needs_a_wager_that_exists(declared: dict[str, object], said: str) -> None:
    with pytest.raises(MappingError) as refused:
        check_wager_names(LAW, DeclaredMapping(**declared), None)
    assert said in str(refused.value)


def test_a_declared_wager_may_leave_its_hand_to_a_column() -> None:
    check_wager_names(LAW, DeclaredMapping(wager_names={"GT": "golden_talons"}), None)
    check_wager_names(LAW, DeclaredMapping(winning_names={"x": "golden_talons@player"}), None)


def test_a_bare_code_is_clear_where_the_submission_offers_one() -> None:
    declared = DeclaredMapping(wager_names={"S7": "sun_7"})
    with pytest.raises(MappingError, match="ambiguous"):
        check_wager_names(LAW, declared, None)
    check_wager_names(LAW, declared, a_submission({"id": "eclipse.sun_7", "paytable": "A"}))
