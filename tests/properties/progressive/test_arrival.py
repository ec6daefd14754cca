"""Whichever source a ledger hears first, it says the same: what tables and controllers said."""

from __future__ import annotations

import random
from functools import cache
from itertools import islice, permutations

import pytest

from auditors import progressive
from auditors.table import Delivered, absorb, new_state
from schemas.progressive_inputs import ProgressiveInput, encode_progressive_input
from schemas.records import Record
from tests.support.tables.floors import progressive_floor, standing_apart_from_delivery

ORDERS = 24
ByProgressive = dict[str, dict[str, list[ProgressiveInput]]]


@cache
def told() -> ByProgressive:
    """Give what the sources of a floor tell each progressive, source by source, in their order."""
    floor = progressive_floor(coups=60)
    states = {}
    found: ByProgressive = {}
    for offset, (key, raw) in enumerate(floor):
        name = key.decode()
        absorbed = absorb(
            states.get(name) or new_state(name),
            Delivered(offset, raw),
            lambda held: floor[held][1],
        )
        states[name] = absorbed.state
        for one in absorbed.inputs:
            found.setdefault(one.progressive_id, {}).setdefault(name, []).append(one)
    return found


def merged(sources: dict[str, list[ProgressiveInput]], chance: random.Random) -> list:
    """Mix what sources tell, some of it many minutes early or late; each keeps its own order."""
    left = {name: list(said) for name, said in sources.items()}
    mixed: list[ProgressiveInput] = []
    while left:
        name = chance.choice(sorted(left))
        count = chance.randint(1, 30)
        mixed += left[name][:count]
        del left[name][:count]
        if not left[name]:
            del left[name]
    return mixed


def standing(name: str, inputs: list[ProgressiveInput]) -> dict[tuple[str, str, str], bytes]:
    state = progressive.new_state(name)
    records: list[Record] = []
    for offset, said in enumerate(inputs):
        raw = encode_progressive_input(said)
        folded = progressive.absorb(state, Delivered(offset, raw), lambda _: b"")
        assert folded.dead_letter is None
        state = folded.state
        records += folded.records
    return standing_apart_from_delivery(records)


@pytest.mark.parametrize("seed", range(1, 5))
def test_a_ledger_says_the_same_whichever_source_it_hears_first(seed: int) -> None:
    for name, sources in told().items():
        expected = standing(name, merged(sources, random.Random(0)))
        assert {"ledger", "reading", "progressive_day"} <= {key[1] for key in expected}
        assert standing(name, merged(sources, random.Random(f"{name}/{seed}"))) == expected


def test_sources_may_be_heard_one_after_the_other_in_any_order() -> None:
    """As of hosts of which one begins when the other is through: tables have closed by then."""
    for name, sources in told().items():
        expected = standing(name, merged(sources, random.Random(0)))
        for order in islice(permutations(sorted(sources)), ORDERS):
            inputs = [said for source in order for said in sources[source]]
            assert standing(name, inputs) == expected, order


def test_repeats_after_a_crash_change_nothing() -> None:
    for name, sources in told().items():
        once = merged(sources, random.Random(0))
        half = len(once) // 2
        repeated = [*once[:half], *once[half // 2 :], *once[-20:]]
        assert standing(name, repeated) == standing(name, once)
