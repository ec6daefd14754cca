"""Who folds the message that takes a finding of a ledger back says so, whoever had put it out."""

from __future__ import annotations

import hashlib

import pytest

from auditors import progressive
from auditors.progressive.ledger import context
from auditors.progressive.ledger.state import ProgressiveState, decode_state, encode_state
from auditors.table import Delivered
from auditors.values import evolve
from schemas import events as said
from schemas.progressive_inputs import ProgressiveInput, encode_progressive_input
from schemas.records import Record, RecordKind, decode_record, encode_record
from streams.operating.ledger_inspection import _digest
from tests.support.progressives.progressive_script import ID, ProgressiveScript, a_meter
from tests.unit.auditors.progressive.test_hits import pay, played_hit


def fold(
    state: ProgressiveState, inputs: list[ProgressiveInput], offset: int
) -> tuple[ProgressiveState, list[Record]]:
    """Fold messages from an offset on."""
    records: list[Record] = []
    for at, one in enumerate(inputs, offset):
        message = Delivered(at, encode_progressive_input(one))
        absorbed = progressive.absorb(state, message, lambda _: b"")
        assert absorbed.dead_letter is None
        state = absorbed.state
        records += absorbed.records
    return state, records


def after_a_restart(state: ProgressiveState) -> ProgressiveState:
    """Give the state as another worker has it from the snapshot."""
    return decode_state(encode_state(state))


def paid_in_two_parts() -> tuple[list[ProgressiveInput], list[ProgressiveInput]]:
    """Play a hit that was paid too little at first, and what came after."""
    script = ProgressiveScript()
    coup, shown = played_hit(script)
    pay(script, coup.entries[0].wager_id, shown - 500)
    script.close(coup).heard()
    first = list(script.inputs)
    script.wait(1).say(
        said.ProgressivePaid,
        payment_id="P-rest",
        hit_id="H1",
        wager_id=coup.entries[0].wager_id,
        paid_minor=500,
        slip="S-rest",
    )
    script.heard()
    return first, script.inputs[len(first) :]


def test_a_finding_of_a_hit_that_goes_after_a_restart_is_named() -> None:
    first, rest = paid_in_two_parts()
    state, records = fold(progressive.new_state(ID), first, 0)
    (found,) = [one for one in records if one.kind is RecordKind.HIT][-1].findings
    assert found.code == "JACKPOT_MISPAID"
    _, later = fold(after_a_restart(state), rest, len(first))
    (gone,) = [one for one in later if one.withdrawn]
    assert (gone.kind, gone.withdrawn, gone.findings) == (RecordKind.HIT, (found.id,), ())
    assert decode_record(encode_record(gone)).withdrawn == ()  # it follows from the versions


def test_a_message_that_is_folded_once_more_names_it_once_more() -> None:
    first, rest = paid_in_two_parts()
    kept, _ = fold(progressive.new_state(ID), first, 0)
    for _ in range(2):
        _, later = fold(after_a_restart(kept), rest, len(first))
        assert [len(one.withdrawn) for one in later if one.withdrawn] == [1]


def test_what_goes_is_forgotten_and_what_stands_is_kept() -> None:
    first, rest = paid_in_two_parts()
    state, _ = fold(progressive.new_state(ID), first, 0)
    assert [len(ids) for ids in state.standing.values()] == [1]
    state, _ = fold(state, rest, len(first))
    assert state.standing == {}


def test_a_state_of_the_build_before_is_gone_on_from() -> None:
    first, rest = paid_in_two_parts()
    state, _ = fold(progressive.new_state(ID), first, 0)
    raw = encode_state(state)
    before = raw[: raw.rindex(b',"standing"')] + b"}"
    assert decode_state(before).standing == {}
    _, later = fold(decode_state(before), rest, len(first))
    assert any(one.kind is RecordKind.HIT for one in later)


def test_what_stands_has_a_bound_and_the_latest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "STANDING_KEPT", 2)
    script = ProgressiveScript(T1=a_meter())
    script.read()
    for _ in range(5):
        coup = script.coup(counted=False)
        script.close(coup)
        script.close(script.coup())
        script.read().heard()
    state, records = fold(progressive.new_state(ID), script.inputs, 0)
    told = {"/".join(one.key[1:]) for one in records if one.findings and one.kind != "reading"}
    assert len(told) > 2
    assert len(state.standing) == 2
    assert set(state.standing) < told


def test_a_worker_that_does_not_know_what_stood_before_has_the_right_state_all_the_same() -> None:
    first, rest = paid_in_two_parts()
    state, _ = fold(progressive.new_state(ID), first, 0)
    knows_less = evolve(state, standing={})
    right = hashlib.sha256(encode_state(state)).hexdigest()
    assert _digest(state, state) == right
    assert _digest(knows_less, state) == hashlib.sha256(encode_state(knows_less)).hexdigest()
    (name,) = state.standing
    wrong = evolve(state, standing={name: ("another",)})
    assert _digest(wrong, state) == right != hashlib.sha256(encode_state(wrong)).hexdigest()
    later, _ = fold(state, rest, len(first))
    assert _digest(state, later) != right
    assert _digest(state, None) != right
