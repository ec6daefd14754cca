"""Every event can be said in words, on one line."""

import re
from pathlib import Path

import pytest
from hypothesis import given

from dashboards.documents.history.event_words import words_of
from schemas import events as said
from schemas.events import EVENT_TYPES
from schemas.wire import parse_event
from tests.support.tables.event_strategies import event_bytes
from tests.support.tables.played_table import correct, opened_table, play

SAMPLES = Path(__file__).parents[3] / "contracts" / "event_wire"


def sample(tag: str) -> said.EventBase:
    (path,) = [one for one in SAMPLES.glob(f"{tag}.v*.json") if "old" not in one.name][-1:]
    return parse_event(path.read_bytes().rstrip(b"\n"))


@pytest.mark.parametrize("tag", EVENT_TYPES)
def test_every_type_of_event_has_words(tag: str) -> None:
    words = words_of(sample(tag), "USD")
    assert words
    assert "\n" not in words
    assert not re.search(r"None|\{|\}", words)


@given(event_bytes())
def test_words_never_fail_and_stay_on_one_line(raw: bytes) -> None:
    words = words_of(parse_event(raw), "USD")
    assert words.strip()
    assert "\n" not in words


def test_a_coup_reads_as_it_was_played() -> None:
    script = correct(play(opened_table(), 20_000))
    words = [words_of(parse_event(raw), "USD") for raw in script.messages]
    assert words[1] == (
        "table opened for gaming date 2025-06-07 under RS-7 (minibaccarat, 8 decks, 5 wagers)"
    )
    assert words[2] == "shoe S1 of 8 decks loaded, shuffled by device, inspected"
    assert words[3] == "3H exposed, 3 cards burned (opening)"
    assert words[4] == "wager W1: 100.00 on banker at seat 4"
    assert words[6] == "Player card 1: 2S"
    assert words[12] == "announced: banker, Player 5, Banker 8"
    assert words[13] == "wager W1 settled: paid 200.00, stake collected 0.00, vigorish taken 0.00"
    assert words[15] == (
        "settlement T-W1 corrected (C-T-W1): 5.00 taken back allowed by P9: overpaid"
    )


def test_a_wager_is_named_by_what_its_id_adds_to_that_of_the_coup() -> None:
    script = opened_table().coup()
    script.of_coup(said.WagerPlaced, wager_id="S1/1/7", seat="4", wager="tie", stake_minor=500)
    assert words_of(parse_event(script.messages[-1]), "USD") == "wager 7: 5.00 on tie at seat 4"
