"""The progressives of the simulated floor, and how they are filed.

Every twelve tables have three: one of Minibaccarat tables alone, one that links tables of both
games, and one that a single table has for itself. Their filings differ in all that they can.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from auditors.law import load_law
from auditors.law.interpretations import (
    MeterCents,
    ProgressiveShare,
    ResetAmount,
    VoidedContribution,
)
from schemas.rules_submission import FiledProgressive

KINDS_A_GROUP: Final = 12
"""Kinds of tables; so many tables in a row have their progressives to themselves."""

_MINI, _LINK, _SOLO = "HP-MINI", "HP-LINK", "HP-SOLO"

_OF_KIND: Final[Mapping[int, str]] = MappingProxyType(
    {0: _MINI, 1: _MINI, 2: _MINI, 3: _LINK, 6: _LINK, 8: _SOLO, 11: _LINK}
)
"""Kind of table to the progressive that its Harmony wager runs on."""

_UNITS: Final = MappingProxyType({_MINI: "5.00", _LINK: "2.50", _SOLO: "2.50"})
_LIMIT: Final = "10002.00"
_LEAVES: Final = 11
"""The kind of table that leaves its link when it closes."""


def progressive_id(number: int) -> str | None:
    """Name the progressive that a table's Harmony wager runs on; None where it has none."""
    group, kind = divmod(number, KINDS_A_GROUP)
    name = _OF_KIND.get(kind)
    return None if name is None else f"{name}-{group + 1}"


def unit_of(number: int) -> str:
    """Give the one stake of a table's Harmony wager."""
    return _UNITS[_kind_of(progressive_id(number) or f"{_MINI}-1")]


def counts_chips(number: int) -> bool:
    """Whether the chips of each coup are counted at a table."""
    return _kind_of(progressive_id(number) or "") == _LINK


def reports_wagers(id_: str) -> bool:
    """Whether the controller tells each wager by itself; else it tells counts in its readings."""
    return _kind_of(id_) != _SOLO


def cuts_display(id_: str) -> bool:
    """Whether the controller sends the display in whole cents, as it is shown."""
    return _kind_of(id_) == _SOLO


def leaves_when_closed(id_: str, table_id: str) -> bool:
    """Whether a table leaves the progressive when it closes, and joins it when it opens."""
    number = int(table_id.rpartition("-")[2]) - 1
    return progressive_id(number) == id_ and number % KINDS_A_GROUP == _LEAVES


def readings_of(number: int) -> dict[str, str]:
    """Give what the house files about its progressive where texts are silent."""
    id_ = progressive_id(number)
    if id_ is None or _kind_of(id_) == _MINI:
        return {}
    if _kind_of(id_) == _LINK:
        return {
            ProgressiveShare.ID: ProgressiveShare.BY_STAKE,
            VoidedContribution.ID: VoidedContribution.KEPT,
        }
    is_second = number // KINDS_A_GROUP % 2 == 1
    return (
        {
            ProgressiveShare.ID: ProgressiveShare.EACH_WHOLE,
            ResetAmount.ID: ResetAmount.RESERVE_ONLY,
            MeterCents.ID: MeterCents.ROUNDED,
        }
        if is_second
        else {}
    )


def filed_progressive(number: int, stage: int, section_id: str, letter: str) -> FiledProgressive:
    """File the progressive of a table.

    Args:
        number: Number of the table on the floor, from 0.
        stage: Which of its filings.
        section_id: The section of its wager, which is the wager's id.
        letter: Paytable of the wager.
    """
    rates = load_law().sections[section_id].progressive
    id_ = progressive_id(number)
    if rates is None or id_ is None:
        raise ValueError(f"{section_id} at table {number} has no progressive")
    kind = _kind_of(id_)
    return FiledProgressive(
        id=id_,
        wager=section_id,
        linked=kind != _SOLO,
        unit=_UNITS[kind],
        base="10000.00",
        reset="9000.00" if kind == _SOLO and stage == 1 else "10000.00",
        limit=_LIMIT if kind == _SOLO else None,
        increment_rate=rates.increment[letter],
        reserve_rate=rates.reserve[letter],
        void_policy="kept" if kind == _LINK else "reversed",
        chips_counted=kind == _LINK,
    )


def _kind_of(id_: str) -> str:
    return id_.rpartition("-")[0]
