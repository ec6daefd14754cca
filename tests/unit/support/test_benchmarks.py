"""The benchmarks measure what they say, also on a small file."""

import json
import sys
from pathlib import Path

import pytest

from tests.benchmarks import recorded_rounds
from tests.benchmarks.__main__ import main
from tests.benchmarks.measuring import Measurement, write


def test_a_small_file_is_audited_with_every_check_on_and_all_that_was_planted_found() -> None:
    ratio, single, audited, read = recorded_rounds.measure(rows=500)
    assert (ratio.unit, ratio.aim) == ("x", recorded_rounds.RATIO_MAX)
    assert ratio.value > 0 < single.value
    assert abs(read.value / audited.value - ratio.value) < 0.01
    assert any("auditors.rounds" in name for name in ratio.details)


def test_figures_are_written_with_whether_their_aim_is_reached(tmp_path: Path) -> None:
    path = tmp_path / "new" / "figures.json"
    write([Measurement("a", 2.0, "x", 1.0), Measurement("b", 2.0, "s")], path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert [one["is_reached"] for one in document["measurements"]] == [False, True]


def test_a_benchmark_that_does_not_exist_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmarks", "roundz"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "no benchmark roundz; there are rounds, start, odds" in capsys.readouterr().err
