"""What the facts of findings are made of: bounded texts, counts, amounts, and small parts.

Money is whole minor units; an amount finer than that is decimal text. A text is cut at its bound
instead of refused, because a fold that cannot write a finding would lose it.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

ID_MAX: Final = 512
"""Characters of an id or name that are kept."""

WORDS_MAX: Final = 4096
"""Characters of a clause that are kept."""

PARTS_MAX: Final = 512
"""Parts of one kind in the facts of one finding: more than any check names."""


def _cut_id(value: object) -> object:
    return f"{value[: ID_MAX - 1]}…" if isinstance(value, str) and len(value) > ID_MAX else value


def _cut_words(value: object) -> object:
    long = isinstance(value, str) and len(value) > WORDS_MAX
    return f"{value[: WORDS_MAX - 1]}…" if isinstance(value, str) and long else value


Name = Annotated[str, BeforeValidator(_cut_id), Field(max_length=ID_MAX)]
"""An id, a name or a card."""

Words = Annotated[str, BeforeValidator(_cut_words), Field(max_length=WORDS_MAX)]
"""A clause that describes a record, without a mark at its end."""

Exact = Annotated[str, Field(pattern=r"^-?[0-9]+(\.[0-9]+)?$", max_length=64)]
"""An exact amount of currency units as decimal text."""

Whole = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""A count, a sequence, a time in microseconds or an amount in minor units."""


class FactsPart(BaseModel):
    """A part of the facts of a finding."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PutRight(FactsPart):
    """When and by what a difference was put right, in whole or in part."""

    at_us: Whole | None = None
    """Time of the last correction, microseconds since 1970 UTC; None where a refund did it."""
    local_time: Name | None = None
    """The same at the property, such as ``21:15:10``."""


class CardCount(FactsPart):
    """A card, rank or value, and how many of it."""

    card: Name
    """``QD``, ``Q`` for queens of any suit, or ``0`` for all ten-valued cards."""
    count: Whole


class CardExcess(FactsPart):
    """More of a card, rank or value than the decks hold."""

    card: Name
    seen: Whole
    held: Whole
