"""``ladderman progressives`` over a history: what is shown of meters, and the file of a hit."""

import csv
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dashboards.commands.history.progressives import register
from dashboards.documents.advisory import ADVISORY
from dashboards.errors import ExitCode
from schemas.progressive_rows import ReceiptRow
from streams.history.embedded.store import ChdbStore
from streams.history.writing.writer import HistoryWriter
from tests.support.history.history_records import NOON_US, known
from tests.support.progressives.progressive_records import (
    a_day,
    a_drifting_reading,
    a_hit,
    a_ledger,
    a_reading,
    controller_events,
    known_now,
    table_events,
    the_winning_coup,
)
from tests.support.texts.command_line import Answer, run_command


def rows_of(path: Path) -> list[dict[str, str]]:
    """Read a table with a header."""
    return list(csv.DictReader(io.StringIO(path.read_text())))


SECOND = 1_000_000
RECEIVED = ReceiptRow(
    transfer_id="X1",
    from_progressive_id="HARMONY-9",
    from_level=1,
    at_us=NOON_US,
    display="0.75",
    reserve="0.15",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a store with one progressive, written twice, as a sink may."""
    store = tmp_path_factory.mktemp("progressives") / "store"
    records = [
        *(known_now(a_ledger(minute)) for minute in range(3)),
        known_now(a_ledger(1, level=2, received=(RECEIVED,))),
        known_now(a_reading(0, 38)),
        known_now(a_reading(1, 40)),
        known_now(a_reading(2, 41, state="pending", known_us=NOON_US + 120 * SECOND)),
        known_now(a_drifting_reading(2, 41)),
        known_now(a_reading(4, 44, state="pending")),
        known_now(a_hit(hit_id=None, amount=None, amount_said=None, state="open", shares=())),
        known_now(a_hit(known_us=NOON_US + 200 * SECOND)),
        known_now(a_hit(hit_id=None, table_id="BAC-02", coup_id="S9/1", cards=None, shares=())),
        known_now(a_day()),
        known_now(
            a_day(
                "HARMONY-2",
                opening="100.00",
                contributions="0.50",
                closing="100.5025",
                display="60.0025",
                reserve="40.50",
                last_reading_sequence=None,
            )
        ),
        known(the_winning_coup()),
    ]
    with ChdbStore(store / "history") as opened:
        opened.migrate()
        for _ in range(2):
            HistoryWriter(opened).write(records, [*controller_events(), *table_events()])
    return store


@pytest.fixture
def progressives(store: Path) -> Callable[..., Answer]:
    """Run one of the commands on that store."""

    def run(command: str, *arguments: object) -> Answer:
        return run_command(register, "progressives", command, *arguments, "--store", store)

    return run


def test_every_meter_is_listed_with_its_latest_ledger(progressives: Callable[..., Answer]) -> None:
    answer = progressives("list")
    assert answer.code == ExitCode.DONE
    lines = answer.out.splitlines()
    assert lines[:2] == ["SIMULATED", "2 meters"]
    assert "HARMONY-1    1" in lines[3]
    assert "12500.00 USD" in lines[3]
    assert answer.out.rstrip().endswith("authorise or refuse payment.")
    document = progressives("list", "--format", "json").document
    assert document["schema"] == "ladderman.progressives/1"
    first, second = document["progressives"]
    assert (first["schema"], first["display"]) == ("ladderman.progressive/1", "12500.0175")
    assert (first["coin_in"], first["pending_readings"]) == ("16680.00", 1)
    assert first["tables"][1] == {
        "source": "BAC-02",
        "increment_rate": "19%",
        "reserve_rate": "5%",
    }
    assert second["received"] == [
        {
            "transfer": "X1",
            "from": "HARMONY-9",
            "level": 1,
            "display": "0.75",
            "reserve": "0.15",
            "at": "2025-06-07T16:00:00.000000Z",
        }
    ]
    # The row of its ledger was put out while a reading waited; none waits any more.
    assert (second["level"], second["pending_readings"]) == (2, 0)
    lines = progressives("list", "--format", "jsonl").objects
    assert lines == [first, second]
    (row, _) = csv.DictReader(io.StringIO(progressives("list", "--format", "csv").out))
    assert row["tables"] == "BAC-01:15%:3% BAC-02:19%:5%"
    assert row["simulated"] == "true"


def test_a_progressive_is_shown_with_pending_readings_hits_and_findings(
    progressives: Callable[..., Answer],
) -> None:
    out = progressives("show", "HARMONY-1").out
    assert "SIMULATED" in out.splitlines()[0]
    assert "12500.00 USD, exactly 12500.0175" in out
    assert "latest readings: 4, 1 of them pending" in out
    (waiting,) = [line for line in out.splitlines() if line.rstrip().endswith("pending")][1:]
    assert " 44 " in waiting
    assert "meters differ" in out
    assert "0.75 of the display and 0.15 of the reserve of HARMONY-9 by transfer X1" in " ".join(
        out.split()
    )
    assert "hit H-17 2025-06-07 12:03:00, open, for review: several wagers won" in out
    assert "wager w1, seat 1: 6,250.85 due, 6,250.85 paid, slip SL-1" in out
    assert "wager w2, seat 2: 6,250.85 due, not paid" in out
    assert "no cards that win the meter are on record" in out
    assert "HIGH METER_DRIFT" in out
    document = progressives("show", "HARMONY-1", "--format", "json").document
    assert document["simulated"] is True
    assert document["hits"][0]["review_reasons"] == ["several wagers won"]
    assert [one["state"] for one in document["readings"]] == ["judged"] * 3 + ["pending"]
    assert document["readings"][2]["compared"] == [
        {
            "meter": "display",
            "read": "12499.25",
            "for_counted": "12500.00",
            "for_accepted": "12500.00",
        }
    ]
    assert document["readings"][3]["arithmetic_right"] is None
    objects = progressives("show", "HARMONY-1", "--format", "jsonl").objects
    assert {one["schema"] for one in objects} == {
        "ladderman.progressive/1",
        "ladderman.reading/1",
        "ladderman.hit/1",
        "ladderman.finding/2",
    }
    rows = list(
        csv.DictReader(io.StringIO(progressives("show", "HARMONY-1", "--format", "csv").out))
    )
    assert [row["sequence"] for row in rows] == ["38", "40", "41", "44"]
    assert rows[2]["compared"] == "display:12499.25:12500.00:12500.00"


def test_a_progressive_is_shown_as_it_was_at_a_moment(progressives: Callable[..., Answer]) -> None:
    at = progressives("show", "HARMONY-1", "--at", "2025-06-07T12:01:30-04:00", "--format", "json")
    document = at.document
    assert document["at"] == "2025-06-07T16:01:30.000000Z"
    assert [one["display"] for one in document["progressives"]] == ["12500.0100", "12500.0100"]
    assert [one["sequence"] for one in document["readings"]] == [38, 40]
    assert document["hits"] == document["findings"] == []
    # What is judged, said and paid later is not known yet.
    for at, states, drifts, hits in (
        ("12:02:29", ["judged"] * 2 + ["pending"], 0, []),
        ("12:02:30", ["judged"] * 3, 1, []),
        ("12:03:10", ["judged"] * 3, 1, [(None, None, 0)]),
        ("12:03:40", ["judged"] * 3, 1, [("H-17", "12501.7025", 1)]),
    ):
        document = progressives(
            "show", "HARMONY-1", "--at", f"2025-06-07T{at}-04:00", "--format", "json"
        ).document
        assert [one["state"] for one in document["readings"]] == states
        assert len(document["findings"]) == drifts
        waiting = states.count("pending")
        assert document["progressives"][0]["pending_readings"] == waiting
        found = [
            (one["hit"], one["amount"], sum(share["paid"] is not None for share in one["shares"]))
            for one in document["hits"]
            if one["source"] == "BAC-01"
        ]
        assert found == hits
    early = progressives("show", "HARMONY-1", "--at", "2025-06-07T11:00-04:00")
    assert early.code == ExitCode.BAD_USAGE
    assert "had no ledger yet at 2025-06-07T15:00:00.000000Z" in early.err
    bare = progressives("show", "HARMONY-1", "--at", "2025-06-07T11:00")
    assert "an instant needs its offset" in bare.err
    odd = progressives("show", "HARMONY-1", "--at", "noon")
    assert odd.err == '--at "noon": no instant; write 2025-06-07T18:00-04:00'


def test_unknown_names_are_refused_with_the_near_miss(
    progressives: Callable[..., Answer], tmp_path: Path
) -> None:
    answer = progressives("show", "HARMONY1")
    assert answer.code == ExitCode.BAD_USAGE
    assert answer.err.endswith("; did you mean HARMONY-1?")
    answer = progressives("show", "zzz")
    assert answer.err.endswith("; there are HARMONY-1")
    answer = progressives("pack", "H-71", "--out", tmp_path / "pack")
    assert answer.code == ExitCode.BAD_USAGE
    assert answer.err.endswith("; did you mean H-17?")
    assert not (tmp_path / "pack").exists()
    answer = progressives("liability", "--gaming-date", "2025-06-08")
    assert answer.code == ExitCode.BAD_USAGE
    assert "no liability of gaming date 2025-06-08" in answer.err
    assert answer.err.endswith("; there are 2025-06-07")
    missing = run_command(register, "progressives", "list", "--store", tmp_path / "none")
    assert missing.code == ExitCode.BAD_USAGE


def test_the_liability_of_a_date_adds_up_and_is_tied_to_readings(
    progressives: Callable[..., Answer],
) -> None:
    out = progressives("liability", "--gaming-date", "2025-06-07").out
    assert "HARMONY-1 level 1, USD: open, tied to reading 41" in out
    assert "HARMONY-2 level 1, USD: open, tied to no reading" in out
    assert "together, 2 meters, USD" in out
    assert "out of balance by" in out  # HARMONY-2 was written so: 0.0025 come from nowhere
    document = progressives("liability", "--gaming-date", "2025-06-07", "--format", "json").document
    first, second = document["liabilities"]
    (total,) = document["totals"]
    assert first["schema"] == total["schema"] == "ladderman.liability/1"
    assert (first["closing"], first["residue"], first["balanced"]) == ("16500.004", "0.004", True)
    assert (first["last_reading"], first["tied"]) == (41, True)
    assert second["balanced"] is total["balanced"] is False
    assert (total["closing"], total["residue"]) == ("16600.5065", "0.0065")
    assert (total["progressive"], total["level"]) == (None, None)
    rows = progressives("liability", "--gaming-date", "2025-06-07", "--format", "csv").out
    assert len(rows.splitlines()) == 4
    lines = progressives("liability", "--gaming-date", "2025-06-07", "--format", "jsonl").objects
    assert lines == [first, second, total]


@pytest.fixture(scope="module")
def pack(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the pack of the hit with two winners."""
    out = tmp_path_factory.mktemp("pack") / "hit-17"
    answer = run_command(register, "progressives", "pack", "H-17", "--out", out, "--store", store)
    assert answer.code == ExitCode.DONE
    assert answer.out.startswith("SIMULATED; pack of hit H-17 written to ")
    assert "evidence: 20 events" in answer.out
    assert "for review" in answer.out
    again = run_command(
        register,
        "progressives",
        "pack",
        "H-17",
        "--out",
        out.parent / "again",
        "--store",
        store,
        "--format",
        "json",
    )
    assert again.document == json.loads((out / "manifest.json").read_text())
    assert (out.parent / "again" / "SHA256SUMS").read_bytes() == (out / "SHA256SUMS").read_bytes()
    assert answer.out.rstrip().endswith(ADVISORY)
    return out


def test_a_pack_is_checked_with_sha256sum_and_finds_what_was_changed(
    pack: Path, tmp_path: Path
) -> None:
    checked = subprocess.run(
        ["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=pack, capture_output=True, check=True
    )
    named = [line.rpartition(":")[0] for line in checked.stdout.decode().splitlines()]
    assert sorted(named) == sorted(
        str(path.relative_to(pack))
        for path in pack.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    )
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", pack, copy], check=True)
    (copy / "cards.txt").write_text("Player: 2S 3S\n")
    changed = subprocess.run(
        ["sha256sum", "-c", "SHA256SUMS"], cwd=copy, capture_output=True, check=False
    )
    assert changed.returncode == 1
    assert b"cards.txt: FAILED" in changed.stdout


def test_every_page_of_a_pack_carries_the_advisory_and_the_mark(pack: Path) -> None:
    for path in pack.glob("*.txt"):
        text = path.read_text()
        assert ADVISORY in text
        assert "SIMULATED" in text
    manifest = json.loads((pack / "manifest.json").read_text())
    assert (manifest["advisory"], manifest["simulated"]) == (ADVISORY, True)
    assert manifest["schema"] == "ladderman.hit-pack/1"
    assert json.loads((pack / "hit.json").read_text())["schema"] == "ladderman.hit/1"


def test_a_pack_reckons_the_hit_step_by_step(pack: Path) -> None:
    lines = (pack / "recomputation.txt").read_text().splitlines()
    assert "Reading (controller's event 1): display 12500.2525." in lines
    assert "2 wager w1 at BAC-01, stake 5.00 x 15 % = + 0.75: 12501.0025" in lines
    assert "11 wager w10 at BAC-02, stake 2.50 x 19 % = + 0.475: 12507.4775" in lines
    assert "12 adjustment A-1 (coup_voided) -5.775: 12501.7025" in lines
    assert "Reckoned at the lock-out: 12501.7025." in lines
    assert "The ledger has 12501.7025 at the lock-out." in lines
    assert "Both agree." in lines
    assert not [line for line in lines if "late" in line]
    (second,) = [line for line in lines if line.startswith("Wager w2")]
    assert second.endswith("6250.85 due; not paid yet.")
    assert lines[-1] == "The meter was not set back yet."


def test_the_evidence_of_a_pack_is_the_events_as_received(pack: Path) -> None:
    rows = rows_of(pack / "evidence" / "index.csv")
    assert len(rows) == 20
    originals = {
        (one.source_id, one.sequence): one.raw_bytes
        for one in (*controller_events(), *table_events())
    }
    for row in rows:
        raw = (pack / row["file"]).read_bytes()
        assert raw == originals[(row["source"], int(row["sequence"]))]
    controller = [int(row["sequence"]) for row in rows if row["source"] == "PC-1"]
    assert controller == [*range(1, 14), 15, 16]
    assert [int(row["sequence"]) for row in rows if row["source"] == "BAC-01"] == list(
        range(20, 25)
    )
    wagers = rows_of(pack / "wagers.csv")
    assert [(row["won_meter"], row["wager_id"]) for row in wagers] == [
        ("yes", "w1"),
        ("yes", "w2"),
        ("", "w3"),
    ]
    assert "Player: KS KD KH" in (pack / "cards.txt").read_text()
    assert "event 13" in (pack / "lockout.txt").read_text()
    history = rows_of(pack / "meter-history.csv")
    assert [row["state"] for row in history] == ["judged", "judged", "judged", "pending"]


def test_a_pack_is_never_written_over(
    progressives: Callable[..., Answer], pack: Path, tmp_path: Path
) -> None:
    before = {path: path.read_bytes() for path in pack.rglob("*") if path.is_file()}
    answer = progressives("pack", "H-17", "--out", pack)
    assert answer.code == ExitCode.BAD_USAGE
    assert "is there already; a pack is never written over" in answer.err
    assert {path: path.read_bytes() for path in pack.rglob("*") if path.is_file()} == before
    blocked = tmp_path / "file"
    blocked.write_text("")
    answer = progressives("pack", "H-17", "--out", blocked / "pack")
    assert answer.code == ExitCode.BAD_USAGE
    assert "Not a directory" in answer.err


def test_a_hit_that_the_controller_did_not_name_is_packed_by_its_coup(
    progressives: Callable[..., Answer], tmp_path: Path
) -> None:
    answer = progressives("pack", "BAC-02/S9/1", "--out", tmp_path / "pack")
    assert answer.code == ExitCode.DONE
    text = (tmp_path / "pack" / "recomputation.txt").read_text()
    assert "No cards that win the meter are on record; by the record nothing is due." in text
    assert "The record of the coup is not at hand." in (tmp_path / "pack" / "cards.txt").read_text()


def test_a_history_without_progressives_lists_none(tmp_path: Path) -> None:
    with ChdbStore(tmp_path / "store" / "history") as opened:
        opened.migrate()
    answer = run_command(register, "progressives", "list", "--store", tmp_path / "store")
    assert (answer.code, answer.out.splitlines()[:2]) == (ExitCode.DONE, ["0 meters", ""])
    shown = run_command(register, "progressives", "show", "X", "--store", tmp_path / "store")
    assert shown.err.endswith("; there are none")
    day = run_command(
        register,
        "progressives",
        "liability",
        "--gaming-date",
        "2025-06-07",
        "--store",
        tmp_path / "store",
    )
    assert day.err.endswith("; no progressive was played there")
