"""The file of a hit: what is reckoned from what was said, and what the pages hold."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from dataclasses import replace

import pytest

from auditors.progressive.hits.pack import Evidence, PackContent, PackFile, pack_files
from auditors.progressive.hits.recomputation import Reckoning, recomputed
from schemas import events as said
from schemas.events.progressive import ProgressiveEvent
from schemas.progressive_rows import HitRow, LedgerRow
from schemas.wire import parse_event
from tests.support.progressives.progressive_records import (
    a_hit,
    a_ledger,
    controller_events,
    the_winning_coup,
)


def heard() -> list[ProgressiveEvent]:
    events = [parse_event(one.raw_bytes) for one in controller_events()]
    return [one for one in events if isinstance(one, ProgressiveEvent)]


def the_hit(**changes: object) -> HitRow:
    row = a_hit(**changes).progressive
    assert isinstance(row, HitRow)
    return row


def the_ledger(**changes: object) -> LedgerRow:
    row = a_ledger(**changes).progressive
    assert isinstance(row, LedgerRow)
    return row


def lines(hit: HitRow, events: list[ProgressiveEvent], ledger: LedgerRow | None) -> list[str]:
    return list(recomputed(Reckoning(hit, "USD", ledger, events)))


def test_without_a_reading_nothing_is_made_up() -> None:
    found = lines(the_hit(), [], the_ledger())
    assert found[0] == "No reading of the controller before the lock-out is at hand to begin from."
    assert "The ledger has 12501.7025 at the lock-out." in found


def test_a_table_without_a_rate_at_hand_is_said_and_not_guessed() -> None:
    found = lines(the_hit(), heard(), the_ledger(tables=(("BAC-01", "15%", "3%"),)))
    assert "11 wager w10 at BAC-02, stake 2.50: no rate of this table is at hand: 12507.0025" in (
        found
    )


def test_a_controller_that_reports_no_wagers_is_told_by_its_counts() -> None:
    events = [one for one in heard() if not isinstance(one, said.ProgressiveWagerAccepted)]
    found = lines(the_hit(), events, the_ledger())
    assert "The controller reports no single wagers; see the counts in meter-history.csv." in found


def test_a_controller_that_counted_no_wager_lately_may_report_each() -> None:
    events = [one for one in heard() if not isinstance(one, said.ProgressiveWagerAccepted)]
    found = lines(the_hit(), events, the_ledger(checks_on=("hits", "contributions_by_wager")))
    assert "No wager was counted between that reading and the lock-out." in found
    assert not any("no single wagers" in one for one in found)


def test_another_amount_of_the_controller_is_told_by_how_much() -> None:
    found = lines(the_hit(amount_said="12501.00"), heard(), the_ledger())
    assert "The controller's less the ledger's: -0.7025." in found


@pytest.mark.parametrize(
    ("policy", "amount", "due"),
    [
        ("equal_share", "100.01", ("50.01", "50.00")),
        ("sequential_reset", "12500.00", ("12500.00", "10000.00")),
        ("each_full", "12500.00", ("12500.00", "12500.00")),
    ],
)
def test_shares_are_reckoned_under_the_reading_in_force(
    policy: str, amount: str, due: tuple[str, str]
) -> None:
    found = lines(the_hit(policy=policy, amount=amount), [], the_ledger())
    shares = [line for line in found if line.startswith("Wager ")]
    assert [f": {one} due; " in line for one, line in zip(due, shares, strict=True)] == [True] * 2
    assert any(line.startswith("  The record has 6250.85 due.") for line in found)


def test_a_rounded_amount_is_shared_as_the_record_shares_it() -> None:
    shares = the_hit().shares
    hit = the_hit(
        amount="12501.706",
        shares=(
            shares[0].model_copy(update={"due_minor": 625_086}),
            shares[1].model_copy(update={"due_minor": 625_085}),
        ),
    )
    found = lines(hit, [], the_ledger())
    assert not [line for line in found if "The record has" in line]
    assert any("meter 12501.71, 2 winning wagers" in line for line in found)


def test_a_single_winner_is_due_the_meter_without_a_policy_on_record() -> None:
    alone = the_hit(policy=None, shares=the_hit().shares[:1], amount="12501.71")
    found = lines(alone, [], the_ledger())
    assert any("meter 12501.71: 12501.71 due" in line for line in found)


def test_odd_cents_are_recomputed_in_order_of_acceptance_however_winners_are_listed() -> None:
    shares = the_hit().shares
    turned = the_hit(shares=shares[::-1], amount="12501.71")
    found = [line for line in lines(turned, [], the_ledger()) if line.startswith("Wager ")]
    assert [line.split(",")[0] for line in found] == ["Wager w1", "Wager w2"]


def test_what_stays_open_is_said_to_stay_open() -> None:
    assert "nothing is due" in " ".join(lines(the_hit(cards=None), [], None))
    assert "Nobody wagered" in " ".join(lines(the_hit(shares=()), [], None))
    assert "stays open" in " ".join(lines(the_hit(amount=None), [], None))
    open_ = lines(the_hit(policy="sequential_reset"), [], None)
    assert any(line.startswith("What is due stays open: ") for line in open_)
    done = lines(
        the_hit(display_after="10002.25", reserve_funded="4000", house_funded="6000"), [], None
    )
    assert done[-1] == (
        "The meter was set back to 10002.25: 4000 from the reserve, 6000 from the house."
    )


def content(**changes: object) -> PackContent:
    record = a_hit()
    assert isinstance(record.progressive, HitRow)
    base = PackContent(
        progressive_id="HARMONY-1",
        record=record,
        hit=record.progressive,
        hit_json={"schema": "ladderman.hit/1"},
        coup=the_winning_coup(),
        ledger=the_ledger(),
        readings=[],
        heard=heard(),
        evidence=[Evidence("PC-1", "pc-feed", 1, "then", b'{"a":1}')],
        findings=[],
        locked_at="then",
        advisory="Advisory.",
    )
    return replace(base, **changes)


def by_path(files: tuple[PackFile, ...]) -> dict[str, bytes]:
    found = {one.path: one.content for one in files}
    assert len(found) == len(files)
    return found


def test_equal_content_gives_equal_bytes_and_every_file_is_summed() -> None:
    one_hit = content()
    first = pack_files(one_hit)
    assert first == pack_files(one_hit)
    files = by_path(first)
    sums = files.pop("SHA256SUMS").decode()
    assert sums == "".join(
        f"{hashlib.sha256(content_).hexdigest()}  {path}\n" for path, content_ in files.items()
    )
    manifest = json.loads(files.pop("manifest.json"))
    assert [one["path"] for one in manifest["files"]] == list(files)


def test_other_bytes_of_one_sequence_are_both_kept_and_odd_names_stay_apart() -> None:
    evidence = [
        Evidence("PC-1", "feed", 7, "then", b"one"),
        Evidence("PC-1", "feed", 7, "then", b"other"),
        Evidence("PC/1", "..", 7, "then", b"third"),
        Evidence("PC:1", "..", 7, "then", b"fourth"),
    ]
    files = by_path(pack_files(content(evidence=evidence)))
    kept = {path: raw for path, raw in files.items() if path.endswith(".json") and "feed" in path}
    assert sorted(kept.values()) == [b"one", b"other"]
    assert not [path for path in files if ".." in path or path.startswith("/")]
    rows = list(csv.DictReader(io.StringIO(files["evidence/index.csv"].decode())))
    assert [files[row["file"]] for row in rows] == [b"one", b"other", b"third", b"fourth"]
    assert all(row["sha256"] == hashlib.sha256(files[row["file"]]).hexdigest() for row in rows)


def test_what_is_not_simulated_is_not_marked_and_a_missing_coup_is_said() -> None:
    real = a_hit().model_copy(update={"is_simulated": False})
    files = by_path(pack_files(content(record=real, coup=None)))
    assert b"SIMULATED" not in files["README.txt"]
    assert b"Advisory." in files["cards.txt"]
    assert b"not at hand" in files["cards.txt"]


def test_wagers_show_who_won_the_meter_and_in_which_order() -> None:
    rows = csv.DictReader(io.StringIO(by_path(pack_files(content()))["wagers.csv"].decode()))
    assert [(one["wager_id"], one["won_meter"], one["due"], one["paid"]) for one in rows] == [
        ("w1", "yes", "6250.85", "6250.85"),
        ("w2", "yes", "6250.85", ""),
        ("w3", "", "195.00", "195.00"),
    ]
