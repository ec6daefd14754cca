"""Facts about how a wager was placed: in time, offered, within limits, with a base wager."""

from __future__ import annotations

from typing import Literal, TypeAlias

from schemas.finding_facts.parts import FactsPart, Name, Whole


class WagerLate(FactsPart):
    """A wager was recorded after no more bets, or after the first card."""

    kind: Literal["wager_late"] = "wager_late"
    wager_name: Name
    after: Literal["no_more_bets", "first_card"]
    after_us: Whole | None = None
    """How long after the call, microseconds; None where the first card decides."""
    grace_us: Whole = 0
    """The filed grace, microseconds."""


class WagerChangedLate(FactsPart):
    """A wager was changed or withdrawn after no more bets, or after the first card."""

    kind: Literal["wager_changed_late"] = "wager_changed_late"
    wager_name: Name
    after: Literal["no_more_bets", "first_card"]
    times: Whole = 1


class WagerNotOffered(FactsPart):
    """A wager is not among those of the Rules Submission."""

    kind: Literal["wager_not_offered"] = "wager_not_offered"
    wager_name: Name


class StakeOutOfLimits(FactsPart):
    """A stake is outside the filed limits of its wager."""

    kind: Literal["stake_out_of_limits"] = "stake_out_of_limits"
    wager_name: Name
    bound: Literal["minimum", "maximum"]
    limit_minor: Whole
    staked_minor: Whole


class BaseWagerMissing(FactsPart):
    """A wager that needs a base wager was placed without one."""

    kind: Literal["base_wager_missing"] = "base_wager_missing"
    wager_name: Name


class StakeNotUnit(FactsPart):
    """The stake on a progressive is not the one unit that is filed."""

    kind: Literal["stake_not_unit"] = "stake_not_unit"
    wager_name: Name
    progressive_id: Name
    unit_minor: Whole
    staked_minor: Whole


WagerFacts: TypeAlias = (
    WagerLate
    | WagerChangedLate
    | WagerNotOffered
    | StakeOutOfLimits
    | BaseWagerMissing
    | StakeNotUnit
)
"""Facts of findings about the placing of wagers."""
