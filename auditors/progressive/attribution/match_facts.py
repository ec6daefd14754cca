"""Attributions of what the controller counted otherwise than the tables accepted."""

from __future__ import annotations

from fractions import Fraction

from auditors.progressive.attribution.interval import (
    COUPS_NAMED,
    Attribution,
    Cause,
    Interval,
    VoidedThere,
    kind_of,
)
from auditors.progressive.attribution.matching import Unlike
from auditors.progressive.ledger.amounts import effect_of
from schemas.finding_facts.meter import (
    MeterEffect,
    MeterFacts,
    VoidedCoup,
    WagerCounted,
    WagersMissed,
)
from schemas.findings import FindingCode


def attributed_unlike(interval: Interval, unlike: Unlike) -> Attribution:
    """Attribute what the controller counted otherwise than the tables accepted."""
    display, reserve = _effects(unlike)
    code = {
        Cause.WAGERS_NOT_COUNTED: FindingCode.CONTRIBUTION_MISSING,
        Cause.COUNTED_TWICE: FindingCode.CONTRIBUTION_DUPLICATED,
    }.get(unlike.cause, FindingCode.METER_DRIFT)
    coups = [one.coup_id for one in unlike.accepted]
    if not coups and unlike.counted is not None and unlike.counted.coup_id is not None:
        coups = [unlike.counted.coup_id]
    named = tuple(dict.fromkeys(coups))
    effect = effect_of(display, reserve, interval.currency)
    place = (unlike.counted or unlike.accepted[0]).place
    return Attribution(
        cause=unlike.cause,
        code=code,
        subject=_subject(unlike, code),
        place=place,
        display_effect=display,
        reserve_effect=reserve,
        wager_count=max(1, len(unlike.accepted)),
        coups=named[:COUPS_NAMED],
        coup_count=len(named),
        equal_fits=None,
        also_fits=(),
        facts=_facts(interval, unlike, effect),
        at_us=interval.at_us_of(place),
    )


def attributed_void(interval: Interval, void: VoidedThere) -> Attribution:
    """Attribute a voided coup that was treated otherwise than is filed."""
    cause, display, reserve = Cause.VOID_KEPT, void.display, void.reserve
    if void.is_reversed:
        cause, display, reserve = Cause.VOID_REVERSED, -display, -reserve
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
        facts=VoidedCoup(
            effect=effect_of(display, reserve, interval.currency),
            cause=kind_of(cause),
            table_id=void.table_id,
            coup_id=void.coup_id,
            sequence=void.place.sequence,
            wager_count=void.wager_count,
            fault="taken_back" if void.is_reversed else "not_taken_back",
        ),
        at_us=void.at_us,
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


def _facts(interval: Interval, unlike: Unlike, effect: MeterEffect) -> MeterFacts:
    said = unlike.counted
    if said is None:
        first, last = unlike.accepted[0], unlike.accepted[-1]
        return WagersMissed(
            effect=effect,
            cause=kind_of(unlike.cause),
            table_id=first.table_id,
            wager_id=first.wager_id,
            coup_id=first.coup_id,
            stake_minor=first.stake_minor,
            wager_count=len(unlike.accepted),
            first_sequence=first.place.sequence,
            last_sequence=last.place.sequence,
        )
    return WagerCounted(
        effect=effect,
        cause=kind_of(unlike.cause),
        table_id=said.table_id,
        wager_id=said.wager_id,
        coup_id=said.coup_id,
        counted_minor=said.stake_minor,
        accepted_minor=unlike.accepted[0].stake_minor if unlike.accepted else None,
        sequence=said.place.sequence,
    )
