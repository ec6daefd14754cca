"""The ledger of many wagers through the embedded host and its history, killed on the way."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from schemas.money import parse_exact
from schemas.progressive_inputs import encode_progressive_input
from streams.embedding.ingest import embedded_store
from streams.embedding.ledgers import LOG_DIRECTORY
from streams.history.reading.progressives import ProgressiveHistory
from streams.host.driving import run_now
from streams.host.ledger_fold import ProgressiveFold
from streams.host.steps import Step
from streams.spool.file_log import FileLog
from tests.support.clocks import SetClock
from tests.support.progressives.wager_ledgers import PROGRESSIVE, Straight, Wagers

MANY = int(os.environ.get("LADDERMAN_LEDGER_WAGERS", "100000"))
SNAPSHOTS = 12
"""The log is so many times as long as the way between two snapshots."""

KILLS = {Step.CUT: 1, Step.FLUSHED: 1, Step.KEPT: 1, Step.RESTORED: 2}
"""After so many times of a step a process ends, one process for each."""


class KilledError(Exception):
    """The process is gone."""


def killing(step: Step, occurrence: int) -> Callable[[Step], None]:
    left = [occurrence]

    def after(done: Step) -> None:
        if done is step:
            left[0] -= 1
            if left[0] == 0:
                raise KilledError(step)

    return after


def test_the_ledger_is_exact_out_of_the_history_after_kills_and_on_replay(tmp_path: Path) -> None:
    wagers = Wagers(MANY, tells_wagers=False)
    count = _write_log(tmp_path / "store", wagers)
    for step, occurrence in ((Step.PUT, count // 5), *KILLS.items()):
        with (
            pytest.raises(KilledError),
            embedded_store(
                tmp_path / "store",
                alert=_quiet,
                after_step=killing(step, occurrence),
                snapshot_every=count // SNAPSHOTS,
            ) as (pipeline, _),
        ):
            pipeline.catch_up()
    _assert_history(tmp_path / "store", wagers.facts)
    # From nothing, and undisturbed: a replay.
    _write_log(tmp_path / "again", Wagers(MANY, tells_wagers=False))
    _assert_history(tmp_path / "again", wagers.facts)


def test_a_ledger_of_an_earlier_audit_epoch_is_folded_anew_once(
    tmp_path: Path, newer_law: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wagers = Wagers(600, tells_wagers=False)
    count = _write_log(tmp_path, wagers)
    alerts: list[str] = []

    def folded(epoch: int) -> int:
        monkeypatch.setattr(ProgressiveFold, "audit_epoch", epoch)
        with embedded_store(tmp_path, alert=alerts.append) as (pipeline, _):
            pipeline.catch_up()
            assert pipeline.ledgers is not None
            return pipeline.ledgers.counts.folded

    assert [folded(newer_law - 1), folded(newer_law - 1)] == [count, 0]
    assert [folded(newer_law), folded(newer_law)] == [count, 0]
    (said,) = alerts
    assert said.endswith(f"and is folded again under {newer_law}")
    _assert_history(tmp_path, wagers.facts)


def _write_log(store: Path, wagers: Wagers) -> int:
    log = FileLog(store / LOG_DIRECTORY, SetClock())
    told = [encode_progressive_input(said) for said in wagers.messages()]
    log.extend((PROGRESSIVE.encode(), raw) for raw in told)
    log.close()
    return len(told)


def _assert_history(store: Path, facts: Straight) -> None:
    with embedded_store(store, alert=_quiet) as (pipeline, at):
        pipeline.catch_up()
        pipeline.deliver()
        history = ProgressiveHistory("this history", at)
        ((_, row),) = history.ledgers(PROGRESSIVE)
        assert _minor(row.display) == facts.display
        assert _minor(row.reserve) == facts.reserve
        assert _minor(row.house_funded) == facts.house
        assert (row.in_count, row.coin_in_minor) == (facts.in_count, facts.coin_in)
        assert (row.voided_count, row.voided_minor) == (facts.voided, facts.voided_minor)
        assert row.hits_count == facts.hits == len(history.hits(PROGRESSIVE))
        assert history.with_findings(PROGRESSIVE) == ()
        assert pipeline.ledgers is not None
        run_now(pipeline.ledgers.deliver())


def _minor(text: str) -> Fraction:
    return parse_exact(text, "USD")


def _quiet(_line: str) -> None:
    """Say nothing."""
