"""Events of older versions, raised to today's by numbered steps, each a pure function.

An old version stays readable for ever, because old feeds are audited again. The bytes in the log
are never rewritten: the hash chain is over what the device sent, the upcast is what we make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import Field

from schemas.events.envelope import CoupEvent, EventBase
from schemas.events.fields import Id
from schemas.events.union import AnyEvent
from schemas.events.wagers import WagerPlaced
from schemas.money import AmountError, parse_amount
from schemas.words.suggestions import near_miss


class UpcastError(ValueError):
    """An event is right for its old version, but has no meaning in the current one."""

    def __init__(self, field: str, problem: str) -> None:
        """Say which field of the old event has no meaning, and why."""
        super().__init__(f"{field}: {problem}")
        self.field = field


WAGER_NAMES_1: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Player": "player",
        "Banker": "banker",
        "Tie": "tie",
        "Player Pair": "player_pair",
        "Banker Pair": "banker_pair",
        "Dragon 7": "dragon_7",
        "Panda 8": "panda_8",
        "Golden Talons Player": "golden_talons@player",
        "Golden Talons Banker": "golden_talons@banker",
        "Majestic Match Player": "majestic_match@player",
        "Majestic Match Banker": "majestic_match@banker",
    }
)
"""Names that version 1 used, and the wagers they mean."""


class WagerPlaced1(CoupEvent):
    """Version 1 of ``wager_placed``: the wager by its printed name, the stake as a decimal."""

    type: Literal["wager_placed"] = "wager_placed"
    schema_version: Literal[1] = 1
    wager_id: Id = Field(description="The wager, unique at this table for ever.")
    seat: Id = Field(description="Seat or numbered area of the layout.")
    bet: Annotated[str, Field(min_length=1, max_length=64)] = Field(
        description="Name of the wager as printed on the layout, such as Golden Talons Player."
    )
    amount: Annotated[str, Field(pattern=r"^[0-9]{1,12}(\.[0-9]{1,3})?$")] = Field(
        description="Stake as a decimal number, such as 100.00."
    )
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] = Field(
        "USD", description="Currency of the stake."
    )
    patron: Id | None = Field(None, description="Keyed pseudonym of the patron.")


def upcast_wager_placed_1_to_2(old: WagerPlaced1) -> WagerPlaced:
    """Turn the printed name into the wager and the decimal into minor units.

    Raises:
        UpcastError: An unknown name, or an amount that is no whole number of minor units above 0.
    """
    wager = WAGER_NAMES_1.get(old.bet)
    if wager is None:
        hint = near_miss(old.bet, WAGER_NAMES_1) or "; send version 2"
        raise UpcastError("bet", f"no wager of version 1 has this name{hint}")
    try:
        stake_minor = parse_amount(old.amount, old.currency)
    except AmountError as error:
        raise UpcastError("amount", str(error)) from None
    if stake_minor < 1:
        raise UpcastError("amount", "a stake is more than nothing")
    return WagerPlaced(
        source_id=old.source_id,
        feed_id=old.feed_id,
        sequence=old.sequence,
        previous_hash=old.previous_hash,
        occurred_at=old.occurred_at,
        coup_id=old.coup_id,
        shoe_id=old.shoe_id,
        wager_id=old.wager_id,
        seat=old.seat,
        wager=wager,
        stake_minor=stake_minor,
        patron=old.patron,
    )


def _upcast_wager_placed_1(old: EventBase) -> AnyEvent:
    assert isinstance(old, WagerPlaced1)
    return upcast_wager_placed_1_to_2(old)


OLD_VERSIONS: Final[
    Mapping[tuple[str, int], tuple[type[EventBase], Callable[[EventBase], AnyEvent]]]
] = MappingProxyType({("wager_placed", 1): (WagerPlaced1, _upcast_wager_placed_1)})
"""Tag and old version to its class and the way from there to the current version."""
