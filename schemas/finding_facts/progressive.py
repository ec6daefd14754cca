"""Facts about progressives: hits, readings, displays, filings and what a controller says.

Amounts that may have fractions of a cent are exact decimal text in currency units; rates are as
the controller and the filing write them.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.finding_facts.meter import MeterEffect, ResetAmounts, ResetCause
from schemas.finding_facts.parts import PARTS_MAX, Exact, FactsPart, Name, Whole

LacksApproval: TypeAlias = Literal[
    "reason", "authority", "approver", "reason_and_approver", "authority_and_approver"
]
"""What the record of an act should name and does not."""


SharePolicy: TypeAlias = Literal["equal_share", "pro_rata_stake", "sequential_reset", "each_full"]
"""How several winners share a meter; codes of reading D3."""

ControllerHeard: TypeAlias = Literal["said_hit", "said_nothing", "not_heard"]
"""What the controller said of a hit."""

NotWon: TypeAlias = Literal["cards_do_not_win", "coup_voided", "no_wager"]
"""Why a meter was not won."""


class JackpotShare(FactsPart):
    """A winning wager was paid another amount than its share of the meter."""

    kind: Literal["jackpot_share"] = "jackpot_share"
    table_id: Name
    wager_id: Name
    meter_minor: Whole
    """The meter at the lock-out, as shown."""
    winner_count: Whole
    policy: SharePolicy
    """How several winners share; code of reading D3."""
    controller: ControllerHeard = "said_hit"


class JackpotPassedBy(FactsPart):
    """A wager won the meter, and the controller went on without a hit."""

    kind: Literal["jackpot_passed_by"] = "jackpot_passed_by"
    table_id: Name
    wager_id: Name
    cards: Name


class JackpotNotWon(FactsPart):
    """The controller took the meter as won, and nothing shows that it was."""

    kind: Literal["jackpot_not_won"] = "jackpot_not_won"
    table_id: Name
    wager_id: Name | None
    """None where the controller named no wager."""
    coup_id: Name
    why: NotWon


class ResetWrong(FactsPart):
    """After a hit the meters are not as a right reset leaves them."""

    kind: Literal["reset_wrong"] = "reset_wrong"
    hit_id: Name
    amounts: ResetAmounts = ()
    """Amounts that the controller said, where they are not those due."""
    causes: Annotated[tuple[ResetCause, ...], Field(max_length=PARTS_MAX)] = ()
    """What the reading after it shows."""


class OverflowMishandled(FactsPart):
    """Display and overflow are not parted at the limit."""

    kind: Literal["overflow_mishandled"] = "overflow_mishandled"
    sequence: Whole
    display: Exact
    overflow: Exact
    limit: Exact | None
    """None: no limit is filed."""
    display_due: Exact
    overflow_due: Exact


class DisplayFell(FactsPart):
    """The display fell and nothing on record explains it."""

    kind: Literal["display_fell"] = "display_fell"
    before: Exact
    after: Exact
    sequence: Whole


class SignDiffers(FactsPart):
    """The sign of a table showed another amount than the progressive."""

    kind: Literal["sign_differs"] = "sign_differs"
    table_id: Name
    shown: Exact
    due: Exact
    lag_us: Whole
    sequence: Whole


class CountMeterDiffers(FactsPart):
    """A meter that counts reads another number than the controller's own events come to."""

    kind: Literal["count_meter_differs"] = "count_meter_differs"
    meter: Literal["in", "coin_in", "hits", "wins"]
    read: Exact
    due: Exact
    """A number for ``in`` and ``hits``, an amount for the others."""
    sequence: Whole


class CountMeterFell(FactsPart):
    """A meter that counts up only fell."""

    kind: Literal["count_meter_fell"] = "count_meter_fell"
    meter: Literal["in", "coin_in"]
    before: Exact
    read: Exact
    sequence: Whole


class ClocksApart(FactsPart):
    """The clocks of a table and of the controller differ, or wagers are counted far too late."""

    kind: Literal["clocks_apart"] = "clocks_apart"
    table_id: Name
    counted: Literal["before", "after"]
    """Before or after the table accepted them."""
    least_us: Whole
    most_us: Whole
    lag_us: Whole
    sequence: Whole


class TransferNotTaken(FactsPart):
    """What another progressive gave was not taken in, or only in part."""

    kind: Literal["transfer_not_taken"] = "transfer_not_taken"
    transfer_id: Name
    from_progressive_id: Name
    moved: MeterEffect
    taken: MeterEffect
    shown_by: Literal["reading", "controller"]
    lag_us: Whole | None = None
    """Within this time the controller had to say it; None where a reading shows it."""
    sequence: Whole
    """Of the transfer."""


class RateConfigured(FactsPart):
    """The controller has another rate for a table than is filed."""

    kind: Literal["rate_configured"] = "rate_configured"
    table_id: Name
    parameter: Literal["increment_rate", "reserve_rate"]
    configured: Name
    filed: Name
    paytable: Name | None
    rules_version: Name
    """Of the table's own filing."""


class SettingConfigured(FactsPart):
    """The controller has another reset or limit than is filed, and no event says why."""

    kind: Literal["setting_configured"] = "setting_configured"
    parameter: Literal["reset", "limit"]
    configured: Exact
    filed_minor: Whole | None
    """None: none is filed."""
    sequence: Whole


class AdjustmentUnauthorised(FactsPart):
    """A meter was adjusted without a reason or an approver."""

    kind: Literal["adjustment_unauthorised"] = "adjustment_unauthorised"
    adjustment_id: Name
    meter: Name
    change: Exact
    lacks: LacksApproval


class TransferUnauthorised(FactsPart):
    """A transfer to another progressive names no authority or no approver."""

    kind: Literal["transfer_unauthorised"] = "transfer_unauthorised"
    transfer_id: Name
    to_progressive_id: Name
    display: Exact
    lacks: LacksApproval


class EndUnauthorised(FactsPart):
    """A progressive was ended without an authority or an approver."""

    kind: Literal["end_unauthorised"] = "end_unauthorised"
    display: Exact
    lacks: LacksApproval


class IncrementLeft(FactsPart):
    """A progressive ended, and what patrons paid in went nowhere."""

    kind: Literal["increment_left"] = "increment_left"
    display: Exact
    """Above what the house put in."""
    reserve: Exact
    sequence: Whole


class ParameterChanged(FactsPart):
    """A parameter was changed without an authority or an approver."""

    kind: Literal["parameter_changed"] = "parameter_changed"
    parameter: Name
    table_id: Name | None
    before: Name | None
    after: Name | None
    lacks: LacksApproval


class ChipsDiffer(FactsPart):
    """As many chips as wagers were not counted."""

    kind: Literal["chips_differ"] = "chips_differ"
    table_id: Name
    coup_id: Name
    chip_count: Whole
    wager_count: Whole
    sequence: Whole


class AcceptedAfterLockOut(FactsPart):
    """A wager was accepted after the lock-out, and the controller counted it."""

    kind: Literal["accepted_after_lock_out"] = "accepted_after_lock_out"
    table_id: Name
    wager_id: Name
    coup_id: Name


class CoupToldLate(FactsPart):
    """A coup was told again when its wagers were no longer kept one by one."""

    kind: Literal["coup_told_late"] = "coup_told_late"
    table_id: Name
    coup_id: Name


ProgressiveFacts: TypeAlias = (
    JackpotShare
    | JackpotPassedBy
    | JackpotNotWon
    | ResetWrong
    | OverflowMishandled
    | DisplayFell
    | SignDiffers
    | CountMeterDiffers
    | CountMeterFell
    | ClocksApart
    | TransferNotTaken
    | RateConfigured
    | SettingConfigured
    | AdjustmentUnauthorised
    | TransferUnauthorised
    | EndUnauthorised
    | IncrementLeft
    | ParameterChanged
    | ChipsDiffer
    | AcceptedAfterLockOut
    | CoupToldLate
)
"""Facts of findings about progressives, apart from causes in the meters."""
