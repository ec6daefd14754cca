"""Sentences about hits, readings, displays and what a controller says of its progressive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.amounts import both_moved, exact, is_nothing
from auditors.catalogue.sentences.meters import (
    reserve_kept,
    reset_amounts,
    reset_left,
    reset_mistimed,
    reset_to_other,
)
from auditors.catalogue.sentences.shared import Words, capital, money
from auditors.catalogue.titles import title_of_code
from schemas.finding_facts import meter
from schemas.finding_facts import progressive as facts
from schemas.findings import Finding
from schemas.words.counting import counted

_SECOND_US: Final = 1_000_000

_SHARED: Final[Mapping[str, str]] = {
    "equal_share": "shared equally by {}, leftover cents to the first in order of acceptance",
    "pro_rata_stake": "shared by {} by stake, leftover cents to the first in order of acceptance",
    "sequential_reset": "won by {}; the first takes the meter, each later one the reset amount",
    "each_full": "won by {}; each takes the whole amount",
}

_LACKS: Final[Mapping[str, str]] = {
    "reason": "no reason",
    "authority": "no authority",
    "approver": "no approver",
    "reason_and_approver": "no reason and no approver",
    "authority_and_approver": "no authority and no approver",
}

_METERS: Final[Mapping[str, str]] = {
    "in": "count of wagers",
    "coin_in": "total of stakes",
    "hits": "count of hits",
    "wins": "total of wins",
}


def jackpot_share(found: Finding, told: facts.JackpotShare) -> Words:
    """Say what a winning wager was due of the meter, and what it was paid."""
    shared = ""
    if told.winner_count > 1:
        shared = f", {_SHARED[told.policy].format(f'{told.winner_count:,} winning wagers')}"
    difference = found.difference_minor or 0
    by = money(found, abs(difference))
    far = f"{by} too much" if difference > 0 else f"{by} too little"
    unsaid = {
        "said_hit": "",
        "said_nothing": " The controller reported no hit.",
        "not_heard": " No controller was heard.",
    }[told.controller]
    return Words(
        f"Wager {told.wager_id} at {told.table_id} won the meter of "
        f"{money(found, told.meter_minor)}{shared}: {money(found, found.due_minor)} was due, "
        f"{money(found, found.paid_minor)} was paid, {far}.{unsaid}",
        f"Jackpot {'overpaid' if difference > 0 else 'underpaid'} by {by}",
    )


def jackpot_passed_by(_found: Finding, told: facts.JackpotPassedBy) -> Words:
    """Say that a wager won and the controller went on without a hit."""
    return Words(
        f"Wager {told.wager_id} at {told.table_id} won the meter ({told.cards}), but the coup "
        "ended and the controller reported no hit. The amount due follows once all linked tables "
        "have reported the lock-out.",
        "Jackpot won, no hit reported",
    )


def jackpot_not_won(found: Finding, told: facts.JackpotNotWon) -> Words:
    """Say that the controller took the meter as won and why it was not."""
    why = {
        "cards_do_not_win": "the cards of that coup do not win it",
        "coup_voided": "that coup was voided",
        "no_wager": "the table accepted no wager on it in that coup",
    }[told.why]
    who = f"wager {told.wager_id}" if told.wager_id else "an unnamed wager"
    return Words(
        f"The controller reported a hit by {who} at {told.table_id} in coup {told.coup_id}, but "
        f"{why}: {money(found, found.due_minor)} was due, {money(found, found.paid_minor)} was "
        "paid.",
        "Hit reported that nothing won",
    )


def reset_wrong(found: Finding, told: facts.ResetWrong) -> Words:
    """Say what was wrong with a reset after a hit, and what the next reading shows of it."""
    parts = []
    if told.amounts:
        parts.append(f"The reset after hit {told.hit_id} {reset_amounts(told.amounts)}.")
    causes = [_reset_cause(found, cause) for cause in told.causes]
    title = title_of_code(found.code)
    if len(causes) == 1 and not told.amounts:
        title = causes[0].title
    return Words(" ".join((*parts, *(cause.sentence for cause in causes))), title)


def _reset_cause(found: Finding, told: meter.ResetCause) -> Words:
    if isinstance(told, meter.ResetMistimed):
        return reset_mistimed(found, told)
    if isinstance(told, meter.ResetToOther):
        return reset_to_other(found, told)
    if isinstance(told, meter.ResetLeft):
        return reset_left(found, told)
    if isinstance(told, meter.ReserveKept):
        return reserve_kept(found, told)
    return Words(told.words, title_of_code(found.code))


def overflow_mishandled(_found: Finding, told: facts.OverflowMishandled) -> Words:
    """Say what display and overflow show and should show."""
    read = f"display of {exact(told.display)} and an overflow of {exact(told.overflow)}"
    if told.limit is None:
        due = f"no limit is filed, so the display should show {exact(told.display_due)}"
    else:
        due = (
            f"with the filed limit of {exact(told.limit)} they should be "
            f"{exact(told.display_due)} and {exact(told.overflow_due)}"
        )
    return Words(
        f"Reading {told.sequence} shows a {read}; {due}.", "Display and overflow do not add up"
    )


def display_fell(_found: Finding, told: facts.DisplayFell) -> Words:
    """Say that the display fell, and that nothing explains it."""
    return Words(
        f"The display fell from {exact(told.before)} to {exact(told.after)} by reading "
        f"{told.sequence} with no hit, transfer, end or adjustment to explain it.",
        "Display fell without explanation",
    )


def sign_differs(_found: Finding, told: facts.SignDiffers) -> Words:
    """Say what the sign of a table showed and should have shown."""
    return Words(
        f"The sign at {told.table_id} showed {exact(told.shown)} at reading {told.sequence}; the "
        f"progressive stood at {exact(told.due)} and had shown no other amount for "
        f"{told.lag_us // _SECOND_US} s.",
        f"Sign at {told.table_id} shows another amount",
    )


def count_meter_differs(_found: Finding, told: facts.CountMeterDiffers) -> Words:
    """Say what a counting meter reads and should read."""
    name = _METERS[told.meter]
    return Words(
        f"The controller's {name} reads {exact(told.read)} at reading {told.sequence}; by its own "
        f"events it should be {exact(told.due)}.",
        f"{capital(name)} differs",
    )


def count_meter_fell(_found: Finding, told: facts.CountMeterFell) -> Words:
    """Say that a counting meter fell."""
    name = _METERS[told.meter]
    return Words(
        f"The controller's {name} fell from {exact(told.before)} to {exact(told.read)} by reading "
        f"{told.sequence}; it can only rise.",
        f"{capital(name)} fell",
    )


def clocks_apart(_found: Finding, told: facts.ClocksApart) -> Words:
    """Say how far apart two clocks are, or how late wagers are counted."""
    near, far = told.least_us // _SECOND_US, told.most_us // _SECOND_US
    seconds = f"{near}" if near == far else f"{near} to {far}"
    return Words(
        f"The controller counted {told.table_id}'s wagers {seconds} s {told.counted} the table "
        f"accepted them (up to reading {told.sequence}); {told.lag_us // _SECOND_US} s is the "
        "most that is permitted. One of the clocks is wrong, or the controller counts too late.",
        f"Clocks of {told.table_id} and the controller differ",
    )


def transfer_not_taken(_found: Finding, told: facts.TransferNotTaken) -> Words:
    """Say what another progressive gave and what was taken in."""
    gave = (
        f"Transfer {told.transfer_id} from {told.from_progressive_id} (event {told.sequence}) "
        f"gave {both_moved(told.moved)}"
    )
    is_none = is_nothing(told.taken.display) and is_nothing(told.taken.reserve)
    if told.shown_by == "reading":
        took = "the meters took in " + ("nothing" if is_none else both_moved(told.taken))
    else:
        within = f"within {(told.lag_us or 0) // _SECOND_US} s "
        took = f"{within}the controller took in " + (
            "nothing" if is_none else f"only {both_moved(told.taken)}"
        )
    return Words(f"{gave}; {took}.", "Transfer not taken in")


def rate_configured(_found: Finding, told: facts.RateConfigured) -> Words:
    """Say which rate the controller has and which is filed."""
    name = told.parameter.replace("_", " ")
    filing = [f"paytable {told.paytable}"] if told.paytable else []
    filing.append(f"Rules Submission {told.rules_version}")
    by = f" ({', '.join(filing)})"
    return Words(
        f"The controller's {name} for {told.table_id} is {told.configured}; {told.filed} is filed"
        f"{by}.",
        f"{capital(name)} of {told.table_id} is not as filed",
    )


def setting_configured(found: Finding, told: facts.SettingConfigured) -> Words:
    """Say which reset or limit the controller has and which is filed."""
    filed = "none" if told.filed_minor is None else money(found, told.filed_minor)
    filing = f" (Rules Submission {found.rules_version})" if found.rules_version else ""
    name = "reset amount" if told.parameter == "reset" else "limit"
    return Words(
        f"The controller's {name} is {exact(told.configured)} at reading {told.sequence}; {filed} "
        f"is filed{filing}, and no event records the change.",
        f"{capital(name)} is not as filed",
    )


def adjustment_unauthorised(_found: Finding, told: facts.AdjustmentUnauthorised) -> Words:
    """Say what an adjustment moved and what its record lacks."""
    sign = "" if told.change.startswith("-") else "+"
    return Words(
        f"Adjustment {told.adjustment_id} changed the {told.meter} by {sign}{exact(told.change)}; "
        f"the record names {_LACKS[told.lacks]}.",
        f"{capital(told.meter)} adjusted with {_LACKS[told.lacks]}",
    )


def transfer_unauthorised(_found: Finding, told: facts.TransferUnauthorised) -> Words:
    """Say what a transfer moved and what its record lacks."""
    return Words(
        f"Transfer {told.transfer_id} moved {exact(told.display)} of the display to "
        f"{told.to_progressive_id}; the record names {_LACKS[told.lacks]}.",
        f"Transfer with {_LACKS[told.lacks]}",
    )


def end_unauthorised(_found: Finding, told: facts.EndUnauthorised) -> Words:
    """Say that a progressive ended and what the record lacks."""
    return Words(
        f"The progressive was ended with {exact(told.display)} on the display; the record names "
        f"{_LACKS[told.lacks]}.",
        f"Progressive ended with {_LACKS[told.lacks]}",
    )


def increment_left(_found: Finding, told: facts.IncrementLeft) -> Words:
    """Say what patrons paid in that no transfer moved."""
    return Words(
        f"The progressive ended (event {told.sequence}) and no transfer moved what patrons had "
        f"paid in: {exact(told.display)} of the display and {exact(told.reserve)} of the reserve.",
        "Ended progressive not transferred in full",
    )


def parameter_changed(_found: Finding, told: facts.ParameterChanged) -> Words:
    """Say which parameter was changed and what the record lacks."""
    name = told.parameter.replace("_", " ")
    where = f" for {told.table_id}" if told.table_id else ""
    return Words(
        f"The {name}{where} was changed from {told.before or 'nothing'} to "
        f"{told.after or 'nothing'}; the record names {_LACKS[told.lacks]}.",
        f"{capital(name)} changed with {_LACKS[told.lacks]}",
    )


def chips_differ(_found: Finding, told: facts.ChipsDiffer) -> Words:
    """Say how many chips were counted and how many wagers were accepted."""
    were = "was" if told.wager_count == 1 else "were"
    return Words(
        f"{counted(told.chip_count, 'progressive chip')} for coup {told.coup_id} at "
        f"{told.table_id}, but {counted(told.wager_count, 'wager')} {were} accepted (event "
        f"{told.sequence} of the controller).",
        "Chips counted differ from wagers accepted",
    )


def accepted_after_lock_out(_found: Finding, told: facts.AcceptedAfterLockOut) -> Words:
    """Say which wager was accepted after the lock-out."""
    return Words(
        f"Wager {told.wager_id} at {told.table_id} (coup {told.coup_id}) was accepted after the "
        "lock-out, and the controller counted it.",
        "Progressive wager after the lock-out",
    )


def coup_told_late(_found: Finding, told: facts.CoupToldLate) -> Words:
    """Say that a coup came again too late for the ledger."""
    return Words(
        f"Coup {told.coup_id} at {told.table_id} was corrected too late for the ledger to take "
        "its wagers in again; its contribution is left to the reconciler.",
        "Coup corrected too late for the ledger",
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.AcceptedAfterLockOut: accepted_after_lock_out,
    facts.AdjustmentUnauthorised: adjustment_unauthorised,
    facts.ChipsDiffer: chips_differ,
    facts.ClocksApart: clocks_apart,
    facts.CountMeterDiffers: count_meter_differs,
    facts.CountMeterFell: count_meter_fell,
    facts.CoupToldLate: coup_told_late,
    facts.DisplayFell: display_fell,
    facts.EndUnauthorised: end_unauthorised,
    facts.IncrementLeft: increment_left,
    facts.JackpotNotWon: jackpot_not_won,
    facts.JackpotPassedBy: jackpot_passed_by,
    facts.JackpotShare: jackpot_share,
    facts.OverflowMishandled: overflow_mishandled,
    facts.ParameterChanged: parameter_changed,
    facts.RateConfigured: rate_configured,
    facts.ResetWrong: reset_wrong,
    facts.SettingConfigured: setting_configured,
    facts.SignDiffers: sign_differs,
    facts.TransferNotTaken: transfer_not_taken,
    facts.TransferUnauthorised: transfer_unauthorised,
}
