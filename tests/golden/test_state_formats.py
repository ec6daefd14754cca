"""What states can hold, by the number that builds tell each other's apart with."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import orjson
import pytest
from pydantic import TypeAdapter

from auditors.progressive import STATE_FORMAT as LEDGER_FORMAT
from auditors.progressive import ProgressiveState
from auditors.table import STATE_FORMAT as TABLE_FORMAT
from auditors.table import TableState, decode_state, encode_state
from tests.support.tables.played import a_table
from tests.support.tables.table_script import Folded

RECORDED = Path(__file__).with_name("state_formats.json")


def _shape(value: object) -> object:
    """Give a JSON schema without what only explains it."""
    if isinstance(value, dict):
        return {
            key: _shape(one)
            for key, one in value.items()
            if key not in ("title", "description") or not isinstance(one, str)
        }
    return [_shape(one) for one in value] if isinstance(value, list) else value


def _held_by(state: type[object]) -> object:
    """Give the shape of a state, and the bounds of its collections."""
    bounds = {
        name: value
        for name, value in vars(sys.modules[state.__module__]).items()
        if name.endswith(("_MAX", "_KEPT")) and isinstance(value, int)
    }
    assert bounds
    return [_shape(TypeAdapter(state).json_schema(mode="serialization")), bounds]


@pytest.mark.parametrize(
    ("name", "state", "number"),
    [("table", TableState, TABLE_FORMAT), ("progressive", ProgressiveState, LEDGER_FORMAT)],
)
def test_states_of_another_shape_have_another_number(
    name: str, state: type[object], number: int
) -> None:
    digest = hashlib.sha256(json.dumps(_held_by(state), sort_keys=True).encode()).hexdigest()
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))[name]
    assert (number, digest) == (recorded["format"], recorded["sha256"]), (
        "states have another shape or other bounds: raise STATE_FORMAT, have decode_state read "
        f"the shape before, and record format and sha256 in {RECORDED.name}"
    )


def test_a_table_state_of_format_2_is_read() -> None:
    state = Folded(a_table().close_bets().void().messages).state
    told = orjson.loads(encode_state(state))
    del told["slips"]
    for added in ("card_ids", "double_count", "doubles", "had_shared_ids"):
        del told["shoe"][added]
    told["coups"][-1]["voided"].pop()
    assert decode_state(orjson.dumps(told)) == state
