"""Rounds that others recorded: the audit finds what a short script of plain rules finds.

The files are not part of the product. They are found through ``LADDERMAN_ROUNDS`` or in
``../shared/data/rounds`` beside the checkout; tests that need them are skipped elsewhere.
"""

import csv
import json
import os
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

from dashboards.cli import run
from tests.support.source_tree import ROOT

FOLDER = Path(os.environ.get("LADDERMAN_ROUNDS", ROOT.parent / "shared" / "data" / "rounds"))
FILES = ("api_wagers_sim", "bbin_live", "halverson_sim", "handlog_live", "provider_samples")
pytestmark = pytest.mark.skipif(
    not all((FOLDER / f"{name}.csv").is_file() for name in FILES),
    reason="the recorded rounds are not here; name their folder in LADDERMAN_ROUNDS",
)

VALUE = {str(number): number for number in range(10)} | {"A": 1} | dict.fromkeys("TJQK", 0)
# Banker's points, then the values of Player's third card on which Banker draws.
DRAWS = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}

Row = dict[str, str]


@cache
def rows_of(name: str) -> list[Row]:
    """Read one file as it is."""
    with (FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def values(hand: str) -> list[int]:
    """Give the values of a hand's cards."""
    return [VALUE[card[0]] for card in hand.upper().split()]


def count(numbers: list[int]) -> int:
    """Count a hand."""
    return sum(numbers) % 10


def draw_faults(row: Row) -> Iterator[str]:
    """Name what is wrong with the draw of a round."""
    player, banker = values(row["player_cards"]), values(row["banker_cards"])
    if max(count(player[:2]), count(banker[:2])) >= 8:
        yield from ["CARD_AFTER_NATURAL"] * ((len(player) == 3) + (len(banker) == 3))
        return
    banker_must = count(banker[:2]) <= 5
    if len(player) == 3:
        banker_must = str(player[2]) in DRAWS[count(banker[:2])]
    for hand, must in ((player, count(player[:2]) <= 5), (banker, banker_must)):
        if must and len(hand) == 2:
            yield "THIRD_CARD_NOT_DRAWN"
        if not must and len(hand) == 3:
            yield "THIRD_CARD_DRAWN_IN_ERROR"


def result(row: Row) -> str:
    """Say which hand wins."""
    player, banker = count(values(row["player_cards"])), count(values(row["banker_cards"]))
    return "tie" if player == banker else "player" if player > banker else "banker"


def claim_faults(row: Row) -> Iterator[str]:
    """Name what is wrong with the recorded winners and points of a round."""
    for column in ("recorded_winner", "provider_winner"):
        if row.get(column) and row[column] != result(row):
            yield "RESULT_MISANNOUNCED"
    totals = [row["recorded_player_total"], row["recorded_banker_total"]]
    cards = [str(count(values(row[f"{hand}_cards"]))) for hand in ("player", "banker")]
    if any(total and total != card for total, card in zip(totals, cards, strict=True)):
        yield "POINTS_MISANNOUNCED"


def net_due(row: Row) -> Decimal:
    """Say what a wager on Player, Banker or Tie wins or loses: 5 %, tie 8 to 1."""
    stake, winner, on = Decimal(row["wager"]), result(row), row["wager_on"]
    if winner == on:
        return stake * {"player": 1, "banker": Decimal("0.95"), "tie": 8}[on]
    return Decimal(0) if winner == "tie" else -stake


def payment_faults(row: Row) -> Iterator[str]:
    """Name what is wrong with the payment of a round that was drawn rightly."""
    if not row.get("wager_on") or list(draw_faults(row)):
        return
    if row["wager_on"] not in ("player", "banker", "tie"):
        return
    difference = round(Decimal(row["payout_net"]), 2) - net_due(row)
    if difference and net_due(row) == -Decimal(row["wager"]):
        yield "LOSER_PAID"
    elif difference:
        yield "WAGER_OVERPAID" if difference > 0 else "WAGER_UNDERPAID"


def shoe_faults(name: str) -> Iterator[str]:
    """Name the shoes that show more of a card, rank or value than eight decks hold."""
    held = {"bbin_live": 8, "handlog_live": 32, "halverson_sim": 32}
    shoes: dict[str, Counter[str]] = {}
    for row in rows_of(name):
        if row["shoe_key"]:
            cards = f"{row['player_cards']} {row['banker_cards']}".upper().split()
            shoes.setdefault(row["shoe_key"], Counter()).update(cards)
    for cards in shoes.values():
        limits = {card: 128 if card == "0" else held[name] for card in cards}
        if any(seen > limits[card] for card, seen in cards.items()):
            yield "SHOE_COMPOSITION"


def repeated_runs(name: str) -> Iterator[str]:
    """Name the runs of 13 cards that a shoe shows again, of itself or of one of four before it.

    That is the plain rule for files of ranks: 13 ** 13 is more than 10 ** 9 for every two places
    of five shoes of 420 cards; a run that goes on is one.
    """
    shoes: dict[str, list[str]] = {}
    for row in rows_of(name):
        if row["shoe_key"]:
            player, banker = (
                row["player_cards"].upper().split(),
                row["banker_cards"].upper().split(),
            )
            firsts = [card for pair in zip(player[:2], banker[:2], strict=True) for card in pair]
            shoes.setdefault(row["shoe_key"], []).extend([*firsts, *player[2:], *banker[2:]])
    before: list[dict[tuple[str, ...], int]] = []
    for cards in shoes.values():
        seen: dict[tuple[str, ...], int] = {}
        last: set[int] = set()
        for end in range(13, len(cards) + 1):
            run = tuple(cards[end - 13 : end])
            ends = {one[run] for one in (seen, *before) if run in one}
            if ends and not ends & {one + 1 for one in last}:
                yield "SHOE_ORDER_REPEATED"
            last = ends
            seen.setdefault(run, end)
        before = [*before, seen][-4:]


@cache
def expected(name: str) -> Counter[str]:
    """Count what is wrong with a file, by plain rules."""
    found: Counter[str] = Counter(shoe_faults(name))
    if name == "handlog_live":  # whole coups were typed in twice, in a row
        found.update(repeated_runs(name))
    for row in rows_of(name):
        found.update([*draw_faults(row), *claim_faults(row), *payment_faults(row)])
    return found


def audited(name: str, capsys: pytest.CaptureFixture[str], *flags: str) -> dict:
    """Audit one file and give the JSON document."""
    code = run(["audit", str(FOLDER / f"{name}.csv"), "--format", "json", *flags])
    document = json.loads(capsys.readouterr().out)
    counts = document["summary"]["files"][0] if "summary" in document else document["files"][0]
    assert code == (1 if counts["findings"] else 0)
    return document


@pytest.mark.parametrize("name", FILES)
def test_the_counts_are_those_of_plain_rules(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    summary = audited(name, capsys, "--summary")["files"][0]

    assert summary["findings"] == dict(sorted(expected(name).items()))
    faulty = sum(1 for row in rows_of(name) if list(draw_faults(row)))
    assert summary["undetermined"] == faulty
    assert (summary["rows"], summary["unreadable"]) == (len(rows_of(name)), 0)
    assert summary["settled"] == len(rows_of(name)) - faulty


@pytest.mark.parametrize("name", ["api_wagers_sim", "bbin_live", "handlog_live"])
def test_every_finding_stands_in_the_line_of_its_round(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    document = audited(name, capsys)
    found = {(one["line"], one["code"]) for one in document["findings"] if one["coup"]}

    wanted = {
        (line, code)
        for line, row in enumerate(rows_of(name), start=2)
        for code in (*draw_faults(row), *claim_faults(row), *payment_faults(row))
    }
    assert found == wanted
    ids = [one["id"] for one in document["findings"]]
    assert len(ids) == len(set(ids))


def test_bbin_live_has_fourteen_stored_winners_that_are_not_what_the_cards_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = audited("bbin_live", capsys)

    assert [one["code"] for one in document["findings"]] == ["RESULT_MISANNOUNCED"] * 14
    assert {one["column"] for one in document["findings"]} == {"recorded_winner"}
    assert {"597501353", "589231473"} <= {one["coup"] for one in document["findings"]}


def test_bbin_live_every_kind_of_winning_bet_is_compared_in_every_round_that_has_a_list(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Were a kind not compared, taking it out of the lists would find nothing."""
    listed = [row for row in rows_of("bbin_live") if row["provider_winning_bets"]]
    kinds = sorted({kind for row in listed for kind in row["provider_winning_bets"].split()})
    assert len(kinds) == 26

    for kind in kinds:
        reported = next(row for row in listed if kind in row["provider_winning_bets"].split())
        others = [one for one in reported["provider_winning_bets"].split() if one != kind]
        path = tmp_path / "one.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(reported))
            writer.writeheader()
            writer.writerow({**reported, "provider_winning_bets": " ".join(others)})
        assert run(["audit", str(path), "--format", "jsonl"]) == 1
        (finding,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert finding["code"] == "WINNING_WAGERS_MISREPORTED"
        assert f"{kind} was left out of the record although won." in finding["sentence"]


def test_api_wagers_amounts_with_a_binary_tail_are_said_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(["audit", str(FOLDER / "api_wagers_sim.csv"), "--summary"])
    text = capsys.readouterr().out
    assert text.count("binary tail") == 1
    assert "column payout_net" in text


def test_what_a_file_does_not_record_is_off_with_a_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    off = {
        name: {one["check"] for one in audited(name, capsys, "--summary")["files"][0]["checks_off"]}
        for name in FILES
    }
    assert "suits" in off["handlog_live"]
    assert "ranks" not in off["handlog_live"]
    assert {"suits", "ranks"} <= off["halverson_sim"]
    assert "dates" in off["provider_samples"]
    assert "dates" not in off["api_wagers_sim"]
    assert {"payouts", "base_wager"} <= off["bbin_live"]


def test_handlog_live_has_runs_of_coups_that_were_recorded_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Read in the file: lines 466 to 475 of ``shoe_6`` are lines 449 to 458 of it once more."""
    repeated = [
        one
        for one in audited("handlog_live", capsys)["findings"]
        if one["code"] == "SHOE_ORDER_REPEATED"
    ]
    places = [(one["shoe"], one["line"]) for one in repeated]
    assert places == [
        ("shoe_6", 466),
        ("shoe_25", 2122),
        ("shoe_26", 2129),
        ("shoe_74", 5414),
        ("shoe_74", 5418),
    ]
    assert repeated[0]["sentence"].endswith("of the same shoe (line 449).")
    hands = [(row["player_cards"], row["banker_cards"]) for row in rows_of("handlog_live")]
    assert hands[466 - 2 : 476 - 2] == hands[449 - 2 : 459 - 2]
