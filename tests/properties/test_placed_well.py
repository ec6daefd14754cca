"""The short way past how a wager was placed is what its finder says, for every kind of wager."""

from __future__ import annotations

from itertools import product

from auditors.table.judging.placing_findings import _placing, is_placed_well
from auditors.table.known.context import Folding
from auditors.table.known.state import PlacedWager
from auditors.table.known.view import CoupView
from tests.support.tables.table_script import Folded, TableScript, a_submission

LIMITS = {"minimum": "10", "maximum": "20"}
NAMES = (
    "minibaccarat.player",  # without limits
    "minibaccarat.tie",  # within both
    "minibaccarat.banker",  # at least
    "golden_talons",  # at most
    "harmony_mini",  # in one unit
    "harmony",  # not offered
    "nothing known",
)
STAKES = (None, 1, 499, 500, 501, 999, 1000, 1001, 1500, 1999, 2000, 2001, 10**9)


def a_coup() -> CoupView:
    """Look at a coup on a table whose wagers have every form of limit."""
    wagers = [
        {"id": "minibaccarat.player"},
        {"id": "minibaccarat.tie", **LIMITS},
        {"id": "minibaccarat.banker", "minimum": "10"},
        {"id": "golden_talons", "paytable": "B", "maximum": "20"},
        {"id": "harmony_mini", "paytable": "A", "minimum": "5", "maximum": "5"},
    ]
    progressive = {
        "id": "HP-1",
        "wager": "harmony_mini",
        "unit": "5.00",
        "base": "10000.00",
        "reset": "10000.00",
    }
    script = TableScript().open(a_submission(wagers=wagers, progressives=[progressive])).shoe()
    script.wager("minibaccarat.player", 1000)
    state = Folded(script.messages).state
    return CoupView(Folding(state, script.sequence, 0, 0, 0), state.coups[-1])


def test_a_wager_is_placed_well_where_the_finder_finds_nothing() -> None:
    view, found = a_coup(), {True: 0, False: 0}
    for name, stake, is_late, late_changes, is_withdrawn in product(
        NAMES, STAKES, (False, True), ((), (7,), (7, 9)), (False, True)
    ):
        wager = PlacedWager(
            "W1",
            1,
            "1",
            None,
            name,
            stake,
            5,
            0,
            is_late=is_late,
            late_changes=late_changes,
            is_withdrawn=is_withdrawn,
        )
        is_well = is_placed_well(view, wager)
        assert is_well == (next(_placing(view, wager), None) is None), wager
        found[is_well] += 1
    assert min(found.values()) > 50
