"""Names of shoes and coups that come back: the same one as before, or one of another day.

Many a table counts its shoes and coups anew every day. Where rows state times, what is long apart
is something else under the same name.
"""

from __future__ import annotations

import datetime
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, NamedTuple

from auditors.table.known.shoe_names import APART_US

APART: Final = datetime.timedelta(microseconds=APART_US)
"""No shoe is dealt from again after so long."""

NAMES_MAX: Final = 10_000
"""Names that are remembered, each with its latest uses."""

_USES_MAX: Final = 32


@dataclass(slots=True)
class _Use:
    number: int
    first: datetime.datetime
    last: datetime.datetime


class Again(NamedTuple):
    """A name that is used once more."""

    name: Hashable
    number: int


class NameUses:
    """Tells the uses of a name apart by the times of their rows, in whatever order these stand."""

    def __init__(self) -> None:
        self._uses: OrderedDict[Hashable, list[_Use]] = OrderedDict()

    def of(self, name: Hashable, instant: datetime.datetime | None) -> Hashable:
        """Give what a row is of: the name itself for its first use, else the name and its number.

        Args:
            name: The cells that name table, source and shoe.
            instant: When the row was dealt; where it does not state that, it is of the latest use.
        """
        uses = self._uses.get(name)
        if uses is None:
            if instant is not None:
                self._uses[name] = [_Use(0, instant, instant)]
                if len(self._uses) > NAMES_MAX:
                    self._uses.popitem(last=False)
            return name
        use = uses[-1] if instant is None else _use_at(uses, instant)
        return Again(name, use.number) if use.number else name


def _use_at(uses: list[_Use], instant: datetime.datetime) -> _Use:
    """Find the use that a time belongs to, or begin one; it is the last of them afterwards."""
    for use in reversed(uses):
        if use.first - APART <= instant <= use.last + APART:
            use.first, use.last = min(use.first, instant), max(use.last, instant)
            if use is not uses[-1]:
                uses.remove(use)
                uses.append(use)
            return use
    begun = _Use(1 + max(use.number for use in uses), instant, instant)
    uses.append(begun)
    del uses[:-_USES_MAX]
    return begun
