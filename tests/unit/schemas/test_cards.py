"""Cards read in every notation that records use, and say how much they tell."""

import pytest

from schemas.cards import (
    RANKS,
    SUITS,
    Card,
    Knowledge,
    UnreadableCardError,
    card_value,
    format_hand,
    parse_card,
    parse_hand,
)

SIGNS = dict(zip(SUITS, "♣♦♥♠", strict=True))
OUTLINES = dict(zip(SUITS, "♧♢♡♤", strict=True))


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("suit", SUITS)
def test_every_card_reads_the_same_in_every_notation(rank: str, suit: str) -> None:
    card = Card(rank, suit, card_value(rank))
    names = {rank, "10" if rank == "T" else rank, "1" if rank == "A" else rank}
    marks = {suit, suit.lower(), SIGNS[suit], OUTLINES[suit], SIGNS[suit] + "\ufe0f"}
    for name in names | {name.lower() for name in names}:
        for mark in marks:
            assert parse_card(name + mark) == card
            assert parse_card(mark + name) == card
            assert parse_card(f" {name}{mark} ") == card
    assert str(card) == rank + suit


@pytest.mark.parametrize(
    ("text", "rank", "value", "knowledge"),
    [
        ("T", "T", 0, Knowledge.RANK),
        ("10", "T", 0, Knowledge.RANK),
        ("k", "K", 0, Knowledge.RANK),
        ("A", "A", 1, Knowledge.RANK),
        ("1", "A", 1, Knowledge.RANK),
        ("9", "9", 9, Knowledge.RANK),
        ("0", None, 0, Knowledge.VALUE),
        ("TD", "T", 0, Knowledge.SUIT),
    ],
)
def test_a_card_keeps_what_was_said_and_nothing_more(
    text: str, rank: str | None, value: int, knowledge: Knowledge
) -> None:
    card = parse_card(text)
    assert (card.rank, card.value, card.knowledge) == (rank, value, knowledge)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "S",
        "XS",
        "2X",
        "11",
        "12",
        "0H",
        "H0",
        "AK",
        "2S3",
        "2SS",
        "S2S",
        "TDT",
        "?",
        "2 S",
    ],
)
def test_what_names_no_card_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UnreadableCardError, match="card"):
        parse_card(text)


def test_a_long_text_is_quoted_in_part() -> None:
    with pytest.raises(UnreadableCardError) as refused:
        parse_card("x" * 5000)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2S 3H KD", "2S 3H KD"),
        ("2S,3H,KD", "2S 3H KD"),
        ("2s-3h-kd", "2S 3H KD"),
        ("K-4-9", "K 4 9"),
        ("K-4-1", "K 4 A"),
        ("K - 4 - 1", "K 4 A"),
        ("[2S, 3H]", "2S 3H"),
        ("'2S' '3H'", "2S 3H"),
        ("2S3HKD", "2S 3H KD"),
        ("10S3H10D", "TS 3H TD"),
        ("S2H3DK", "2S 3H KD"),
        ("2♠3♥K♦", "2S 3H KD"),
        ("♠2♥3", "2S 3H"),
        ("2♠️ 10♦️", "2S TD"),
        ("0 1 9", "0 A 9"),
        ("", ""),
    ],
)
def test_hands_are_split_however_they_are_parted(text: str, written: str) -> None:
    assert format_hand(parse_hand(text)) == written


@pytest.mark.parametrize("text", ["4 5 -1", "4,5,-1", "[4, 5, -1]", "4;5; -1", "4 5 -1 "])
def test_a_minus_one_that_holds_the_place_of_no_card_is_no_ace(text: str) -> None:
    with pytest.raises(UnreadableCardError, match="card 3: '-1' is no card"):
        parse_hand(text)


@pytest.mark.parametrize(("text", "position"), [("2S 3X KD", 2), ("K4 9", 1), ("2S 3H 4", None)])
def test_an_unreadable_card_of_a_hand_is_named_by_its_position(
    text: str, position: int | None
) -> None:
    if position is None:
        assert len(parse_hand(text)) == 3
        return
    with pytest.raises(UnreadableCardError, match=f"card {position}: "):
        parse_hand(text)
