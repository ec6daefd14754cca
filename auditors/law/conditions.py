"""Conditions of the law data, and whether a coup meets them.

A condition is a table of facts, all of which hold. It is compiled into a test that reads
:class:`~auditors.law.facts.CoupFacts` of one coup or of many at once; there is no expression
language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from auditors.law.facts import CoupFacts, Fact, FactDefinition

if TYPE_CHECKING:
    from auditors.law.model import Condition

Test: TypeAlias = Callable[[CoupFacts], Fact]
"""1 where the coup meets the condition, 0 where not."""


def accepted_codes(definition: FactDefinition, wanted: object) -> tuple[int, ...]:
    """Give the codes of a fact that a value of the law data accepts.

    Args:
        definition: The fact.
        wanted: One value, a list of values (or), or a range ``{ from = 4, to = 7 }``.

    Raises:
        ValueError: The fact cannot take such a value.
    """
    if isinstance(wanted, dict):
        if set(wanted) != {"from", "to"}:
            raise ValueError(f"a range of {definition.name!r} is written {{ from = …, to = … }}")
        low, high = definition.code_of(wanted["from"]), definition.code_of(wanted["to"])
        if low > high:
            raise ValueError(f"the range of {definition.name!r} is empty")
        return tuple(range(low, high + 1))
    if isinstance(wanted, list):
        if not wanted:
            raise ValueError(f"the list of {definition.name!r} is empty")
        return tuple(definition.code_of(value) for value in wanted)
    return (definition.code_of(wanted),)


def compile_condition(condition: Condition, vocabulary: Mapping[str, FactDefinition]) -> Test:
    """Turn one table of facts into a test that is met where all of them hold."""
    parts = [
        (vocabulary[name].read, accepted_codes(vocabulary[name], wanted))
        for name, wanted in condition.items()
    ]

    def test(facts: CoupFacts) -> Fact:
        met: Fact = 1
        for read, codes in parts:
            value = read(facts)
            accepted: Fact = 0
            for code in codes:
                accepted = accepted | (value == code)
            met = met & accepted
        return met

    return test


def any_of(tests: list[Test]) -> Test:
    """Give a test that is met where at least one of these is."""

    def test(facts: CoupFacts) -> Fact:
        met: Fact = 0
        for test in tests:
            met = met | test(facts)
        return met

    return test
