"""In which words is it said that the controller counted otherwise than the tables accepted?"""

from __future__ import annotations

from fractions import Fraction

from auditors.law.interpretations import VoidedContribution
from auditors.progressive.attribution.interval import (
    COUPS_NAMED,
    Attribution,
    Cause,
    Interval,
    VoidedThere,
)
from auditors.progressive.attribution.matching import Unlike
from auditors.progressive.ledger.amounts import effect_text
from schemas.findings import FindingCode
from schemas.money import format_minor
from schemas.words.counting import counted


def told_unlike(interval: Interval, unlike: Unlike) -> Attribution:
    """Say what the controller counted otherwise than the tables accepted."""
    display, reserve = _effects(unlike)
    code = {
        Cause.WAGERS_NOT_COUNTED: FindingCode.CONTRIBUTION_MISSING,
        Cause.COUNTED_TWICE: FindingCode.CONTRIBUTION_DUPLICATED,
    }.get(unlike.cause, FindingCode.METER_DRIFT)
    coups = [one.coup_id for one in unlike.accepted]
    if not coups and unlike.counted is not None and unlike.counted.coup_id is not None:
        coups = [unlike.counted.coup_id]
    named = tuple(dict.fromkeys(coups))
    effect = effect_text(display, reserve, interval.currency)
    return Attribution(
        cause=unlike.cause,
        code=code,
        subject=_subject(unlike, code),
        place=(unlike.counted or unlike.accepted[0]).place,
        display_effect=display,
        reserve_effect=reserve,
        wager_count=max(1, len(unlike.accepted)),
        coups=named[:COUPS_NAMED],
        coup_count=len(named),
        equal_fits=None,
        also_fits=(),
        sentence=f"{_sentence(interval.currency, unlike)}: {effect}.",
    )


def told_void(interval: Interval, void: VoidedThere) -> Attribution:
    """Say that a voided coup was treated otherwise than is filed."""
    cause, display, reserve = Cause.VOID_KEPT, void.display, void.reserve
    done = "the controller did not take back what its wagers had added, and reversed is filed"
    if void.is_reversed:
        cause, display, reserve = Cause.VOID_REVERSED, -display, -reserve
        done = "the controller took back what its wagers had added, and kept is filed"
    wagers = counted(void.wager_count, "wager")
    effect = effect_text(display, reserve, interval.currency)
    return Attribution(
        cause=cause,
        code=FindingCode.METER_DRIFT,
        subject=void_subject(cause, void),
        place=void.place,
        display_effect=display,
        reserve_effect=reserve,
        wager_count=void.wager_count,
        coups=(void.coup_id,),
        coup_count=1,
        equal_fits=None,
        also_fits=(),
        sentence=f"Coup {void.coup_id} of {void.table_id} with {wagers} was voided (its event "
        f"{void.place.sequence}); {done} ({VoidedContribution.ID}): {effect}.",
    )


def void_subject(cause: Cause, void: VoidedThere) -> str:
    """Name a voided coup as part of a finding's subject."""
    return f"{cause.value}/{void.table_id}/{void.coup_id}"


def _effects(unlike: Unlike) -> tuple[Fraction, Fraction]:
    display = reserve = Fraction(0)
    if (said := unlike.counted) is None:
        for one in unlike.accepted:
            display -= one.stake_minor * one.increment_rate
            reserve -= one.stake_minor * one.reserve_rate
        return display, reserve
    stake = said.stake_minor
    if unlike.cause is Cause.STAKE_DIFFERS:
        stake -= unlike.accepted[0].stake_minor
    return stake * said.increment_rate, stake * said.reserve_rate


def _subject(unlike: Unlike, code: FindingCode) -> str:
    first = unlike.counted or unlike.accepted[0]
    wager = f"{first.table_id}/{first.wager_id}"
    if len(unlike.accepted) > 1:
        wager += f"..{unlike.accepted[-1].wager_id}"
    return f"{unlike.cause.value}/{wager}" if code is FindingCode.METER_DRIFT else wager


def _sentence(currency: str, unlike: Unlike) -> str:
    said = unlike.counted
    if said is None:
        return _not_counted(currency, unlike)
    coup = f" in coup {said.coup_id}" if said.coup_id else ""
    stake = format_minor(said.stake_minor, currency)
    what = f"wager {said.wager_id} of {said.table_id}{coup} with {stake}"
    event = f"(its event {said.place.sequence})"
    if unlike.cause is Cause.NOT_ACCEPTED:
        return f"The controller counted {what} {event}, and the table recorded no such wager"
    if unlike.cause is Cause.STAKE_DIFFERS:
        accepted = format_minor(unlike.accepted[0].stake_minor, currency)
        return f"The controller counted {what} {event}, and the table accepted it with {accepted}"
    return f"The controller counted {what} once more {event}"


def _not_counted(currency: str, unlike: Unlike) -> str:
    first, last = unlike.accepted[0], unlike.accepted[-1]
    stake = format_minor(first.stake_minor, currency)
    if first is last:
        return (
            f"{first.table_id} accepted wager {first.wager_id} in coup {first.coup_id} with {stake}"
            f" (its event {first.place.sequence}), and the controller did not count it"
        )
    return (
        f"{first.table_id} accepted {counted(len(unlike.accepted), 'wager')} of {stake} one after "
        f"the other (its events {first.place.sequence} to {last.place.sequence}), and the "
        "controller counted none of them"
    )
