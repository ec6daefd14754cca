"""Whenever one ledger hears what another progressive gave, both come to the same."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from auditors import progressive
from auditors.table import Delivered
from schemas import events as said
from schemas.progressive_inputs import (
    ControllerSaid,
    ProgressiveInput,
    decode_progressive_input,
    encode_progressive_input,
)
from schemas.progressive_rows import DayRow, ReadingRow
from schemas.records import Record
from tests.support.progressives.progressive_script import CONTROLLER, ID, ProgressiveScript, exact

GIVER, ITS_CONTROLLER = "HP-9", "PRG-9"
APPROVED = {"authority": "notice 12", "approved_by": "su-1"}


def of_the_giver(inputs: list[ProgressiveInput]) -> list[ProgressiveInput]:
    """Let another table and controller say, of another progressive, what a script says."""
    found = []
    for one in inputs:
        text = encode_progressive_input(one).decode()
        for old, new in ((ID, GIVER), (CONTROLLER, ITS_CONTROLLER), ("T1", "T9"), ("HP-TO", ID)):
            text = text.replace(old, new)
        found.append(decode_progressive_input(text.encode()))
    return found


def an_evening(chance: random.Random) -> dict[str, dict[str, list[ProgressiveInput]]]:
    """Play two progressives, one of which gives to the other; not everything is said in time.

    Returns:
        What each source tells each progressive, in its order.
    """
    giving, taking = ProgressiveScript(), ProgressiveScript()
    for script in (giving, taking):
        script.read()
    for number in range(chance.randint(1, 3)):
        for script in (giving, taking):
            script.close(script.coup(stakes=(500,) * chance.randint(1, 3))).read()
        giving.at_us = taking.at_us = max(giving.at_us, taking.at_us)
        display, reserve = chance.randrange(1, 400), chance.randrange(0, 90)
        is_said_first = chance.random() < 0.5
        if is_said_first:
            take_in(taking, number, display, reserve, chance)
        giving.display -= display
        giving.reserve -= reserve
        giving.wait(chance.randrange(0, 8)).say(
            said.ProgressiveTransferred,
            transfer_id=f"X{number}",
            to_progressive_id="HP-TO",
            display_moved=exact(display),
            reserve_moved=exact(reserve),
            **APPROVED,
        )
        giving.read()
        if not is_said_first:
            take_in(taking, number, display, reserve, chance)
        taking.read()
        for script in (giving, taking):
            script.wait(chance.choice((5, 45)))
    for script in (giving, taking):
        script.close(script.coup()).heard(90)
    given = of_the_giver(giving.inputs)
    told: dict[str, dict[str, list[ProgressiveInput]]] = {GIVER: {}, ID: {}}
    for one in (*given, *taking.inputs):
        name = getattr(one, "table_id", None) or getattr(one, "source_id", "")
        told[one.progressive_id].setdefault(name, []).append(one)
        if isinstance(one, ControllerSaid) and '"progressive_transferred"' in one.event:
            to_other = one.model_copy(update={"progressive_id": ID})
            told[ID].setdefault(name, []).append(to_other)
    return told


def take_in(
    script: ProgressiveScript, number: int, display: int, reserve: int, chance: random.Random
) -> None:
    """Let the receiving controller say it, all of it or a part, or only show it."""
    script.wait(chance.randrange(1, 10))
    part = chance.choice((display, display, display, display // 2, 0))
    for meter, change in (("display", part), ("reserve", reserve)):
        if change:
            script.say(
                said.ProgressiveAdjusted,
                adjustment_id=f"A{number}-{meter}",
                meter=meter,
                change=exact(change),
                reason=chance.choice(("other", "seed")),
                approved_by="su-1",
            )
    script.display += chance.choice((part, display))
    script.reserve += reserve


def folded(
    name: str, inputs: list[ProgressiveInput]
) -> tuple[progressive.ProgressiveState, dict[tuple[str, str, str], Record]]:
    state = progressive.new_state(name)
    records = {}
    for offset, one in enumerate(inputs):
        absorbed = progressive.absorb(
            state, Delivered(offset, encode_progressive_input(one)), lambda _: b""
        )
        assert absorbed.dead_letter is None
        state = absorbed.state
        records |= {record.key: record for record in absorbed.records}
    return state, records


def mixed(
    sources: dict[str, list[ProgressiveInput]], chance: random.Random
) -> list[ProgressiveInput]:
    """Mix sources that go on about alike; that of another progressive comes at any time."""
    places = [
        (chance.random() if name == ITS_CONTROLLER else (at + chance.random()) / len(said_of), name)
        for name, said_of in sources.items()
        for at in range(len(said_of))
    ]
    left = {name: iter(said_of) for name, said_of in sources.items()}
    return [next(left[name]) for _, name in sorted(places)]


def what_stands(records: dict[tuple[str, str, str], Record]) -> dict[object, object]:
    """Give findings and readings, and the amounts of days."""
    found: dict[object, object] = {}
    for key, record in records.items():
        row = record.progressive
        if isinstance(row, DayRow):
            changes = {"last_reading_sequence": 0, "is_tied": True}
            found[key] = row.model_copy(update=changes)
        elif isinstance(row, ReadingRow) or record.findings:
            found[key] = (row, record.findings, record.occurred_at_us)
    return found


@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_a_transfer_comes_to_the_same_in_both_ledgers_whenever_it_is_heard(seed: int) -> None:
    chance = random.Random(seed)
    told = an_evening(chance)
    given_away, records = folded(GIVER, mixed(told[GIVER], chance))
    assert not [one for record in records.values() for one in record.findings]
    first, stands = folded(ID, mixed(told[ID], chance))
    assert first.levels[0].ledger.adjusted == -given_away.levels[0].ledger.adjusted > 0
    for _ in range(4):
        again, records = folded(ID, mixed(told[ID], chance))
        assert again.levels[0].ledger == first.levels[0].ledger
        assert what_stands(records) == what_stands(stands)
