"""The shape of states in snapshots, by the number that builds tell each other's apart with."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from auditors.progressive import ProgressiveState
from auditors.table import TableState
from streams.host.table_fold import STATE_FORMAT as TABLE_FORMAT
from streams.progressives.fold import STATE_FORMAT as LEDGER_FORMAT

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


@pytest.mark.parametrize(
    ("name", "state", "number"),
    [("table", TableState, TABLE_FORMAT), ("progressive", ProgressiveState, LEDGER_FORMAT)],
)
def test_states_of_another_shape_have_another_number(
    name: str, state: type[object], number: int
) -> None:
    schema = _shape(TypeAdapter(state).json_schema(mode="serialization"))
    digest = hashlib.sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))[name]
    assert (number, digest) == (recorded["format"], recorded["sha256"]), (
        "states have another shape: raise STATE_FORMAT beside the fold, have decode_state read "
        f"the shape before, and record format and sha256 in {RECORDED.name}"
    )
