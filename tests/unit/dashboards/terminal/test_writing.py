"""Answers for programs: cells of CSV are the same whichever command writes them."""

import csv
import io

import pytest

from dashboards.terminal.writing import write_csv


def test_cells_hold_json_where_they_hold_more_and_nothing_that_a_spreadsheet_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = {
        "seat": "=1+1",
        "differs": "-5.00",
        "events": [1, 2],
        "read": {"D24": "stands"},
        "simulated": True,
    }
    write_csv((*row, "unknown"), [{**row, "other": 1}])
    (cells,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert cells == {
        "seat": "'=1+1",
        "differs": "-5.00",
        "events": "[1, 2]",
        "read": '{"D24": "stands"}',
        "simulated": "true",
        "unknown": "",
    }
