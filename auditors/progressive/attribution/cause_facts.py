"""Attributions of a gap between meters and ledger: the causes that were found, as facts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, Literal, NamedTuple, TypeAlias
from zoneinfo import ZoneInfo

from auditors.clock import instant_of
from auditors.progressive.attribution.candidates import RESERVE_KEPT
from auditors.progressive.attribution.effort import STEPS_MAX
from auditors.progressive.attribution.explanations import Explained
from auditors.progressive.attribution.fitting import Added, Guess, rounding_word
from auditors.progressive.attribution.interval import (
    COUPS_NAMED,
    Attribution,
    Cause,
    EqualFits,
    EventPlace,
    Interval,
    MeterChange,
    kind_of,
)
from auditors.progressive.attribution.marks import moments_of
from auditors.progressive.attribution.match_facts import void_subject
from auditors.progressive.attribution.problem import Problem
from auditors.progressive.ledger.amounts import effect_of, exact_text
from schemas.finding_facts.meter import (
    Alternatives,
    CauseKind,
    EqualWays,
    MeterEffect,
    MeterFacts,
    MeterStep,
    MeterUnexplained,
    RateApplied,
    ReserveKept,
    ResetAmountSaid,
    ResetLeft,
    ResetMistimed,
    ResetToOther,
    RoundedSingly,
    TableCountDiffers,
    VoidedCoup,
    WagersInMeter,
)
from schemas.findings import FindingCode
from schemas.odds import format_percent

_Where: TypeAlias = Literal["display", "reserve", "house"]

_OF_WAGERS: Final = (Cause.WAGERS_NOT_COUNTED, Cause.COUNTED_TWICE)
_SINCE: Final = (Cause.RATE_SINCE, Cause.ROUNDING_PER_WAGER)
_OF_RESETS: Final = (Cause.RESET_EARLY, Cause.RESET_LATE, Cause.RESET_AMOUNT)


def attributed_cause(problem: Problem, one: Explained) -> Attribution:
    """Attribute one cause of a gap between the meters and the ledger."""
    guess = one.guess
    concerned = _concerned(problem, one)
    equal = _equal_fits(problem, one, concerned)
    place = _place(problem, guess, concerned)
    code = _code(problem, guess)
    display, reserve = problem.exact(guess.display), problem.exact(guess.reserve)
    coups = tuple(dict.fromkeys(wager.coup_id for wager in concerned if wager.coup_id is not None))
    if guess.void is not None:
        coups = (guess.void.coup_id,)
    is_named = equal is None or guess.cause not in _OF_WAGERS
    effect = effect_of(display, reserve, problem.interval.currency)
    return Attribution(
        cause=guess.cause,
        code=code,
        subject=_subject(guess, code, place, concerned, equal),
        place=place,
        display_effect=display,
        reserve_effect=reserve,
        wager_count=guess.void.wager_count if guess.void is not None else guess.count,
        coups=coups[:COUPS_NAMED] if is_named else (),
        coup_count=len(coups),
        equal_fits=equal,
        also_fits=one.also,
        facts=_facts(problem, one, concerned, equal, effect),
        at_us=problem.interval.at_us_of(place),
        hit_id=guess.change.hit_id
        if code is FindingCode.RESEED_MISMATCH and guess.change
        else None,
        tables=tuple(sorted({wager.table_id for wager in concerned})),
        stretch=_stretch(guess, concerned) if code is FindingCode.RESEED_MISMATCH else (),
    )


def _stretch(guess: Guess, concerned: Sequence[Added]) -> tuple[int, ...]:
    reset = guess.change
    if reset is None:
        return ()
    ends = (concerned[0].place.sequence, concerned[-1].place.sequence) if concerned else ()
    lock = (reset.locked_sequence,) if reset.locked_sequence and ends else ()
    return tuple(sorted({*lock, *ends, reset.place.sequence}))


def attributed_rest(problem: Problem) -> Attribution:
    """Attribute a gap for which no cause, and no two together, fit exactly."""
    interval = problem.interval
    read, due = interval.reading.meters, interval.for_counted
    display = read.display + read.overflow - due.display - due.overflow
    reserve = read.reserve - due.reserve
    currency = interval.currency
    place = interval.reading.place
    coups = {one.coup_id for one in problem.wagers if one.coup_id is not None}
    return Attribution(
        cause=Cause.UNEXPLAINED,
        code=FindingCode.METER_DRIFT,
        subject=_drift_subject(Cause.UNEXPLAINED, place),
        place=place,
        display_effect=display,
        reserve_effect=reserve,
        wager_count=0,
        coups=(),
        coup_count=len(coups),
        equal_fits=None,
        also_fits=(),
        facts=MeterUnexplained(
            effect=effect_of(display, reserve, currency),
            cause="unexplained",
            display=exact_text(read.display + read.overflow, currency),
            reserve=exact_text(read.reserve, currency),
            display_due=exact_text(due.display + due.overflow, currency),
            reserve_due=exact_text(due.reserve, currency),
            steps=STEPS_MAX if problem.effort.is_over else None,
        ),
        at_us=interval.reading.at_us,
    )


def _concerned(problem: Problem, one: Explained) -> tuple[Added, ...]:
    """Give the wagers that are wrong in the meter, or among which those are."""
    guess = one.guess
    if guess.cause in _OF_WAGERS:
        found = {
            (wager.at, wager.table_id, wager.wager_id): wager
            for fit in one.fits
            for wager in _possible(problem, fit, one.beside)
        }
        return tuple(found[key] for key in sorted(found))
    if guess.cause in (Cause.RESET_EARLY, Cause.RESET_LATE):
        return tuple(sorted(guess.members[: guess.count], key=lambda wager: wager.at))
    return guess.members[guess.start : guess.start + guess.count]


def _possible(problem: Problem, guess: Guess, beside: Sequence[Guess]) -> list[Added]:
    """Give the wagers of a group that can be among those concerned, by what was seen."""
    moments = moments_of(problem.marks_for((guess, *beside)), problem.scale, guess, beside)
    return [
        one
        for one in guess.members
        if any(after < one.at and (at is None or one.at <= at) for after, at in moments)
    ]


def _equal_fits(problem: Problem, one: Explained, concerned: Sequence[Added]) -> EqualFits | None:
    if one.guess.cause in _OF_WAGERS:
        if len(concerned) <= one.guess.count:
            return None
        sequences = [wager.place.sequence for wager in concerned]
        return EqualFits(len(concerned), min(sequences), max(sequences))
    if one.guess.cause in _SINCE:
        starts = [(fit.members[fit.start].place.sequence, fit.count, fit.rates) for fit in one.fits]
        if len(set(starts)) > 1:
            sequences = [sequence for sequence, _, _ in starts]
            return EqualFits(len(set(starts)), min(sequences), max(sequences))
    return None


def _place(problem: Problem, guess: Guess, concerned: Sequence[Added]) -> EventPlace:
    if guess.void is not None:
        return guess.void.place
    if guess.cause is Cause.RESET_AMOUNT and guess.change is not None:
        return guess.change.place
    return concerned[0].place if concerned else problem.interval.reading.place


def _code(problem: Problem, guess: Guess) -> FindingCode:
    """Name the finding: the controller's count tells a wager left out from one not added."""
    if guess.cause in _OF_RESETS and guess.change is not None and guess.change.hit_id:
        return FindingCode.RESEED_MISMATCH
    interval = problem.interval
    is_told = any(table.read_count is not None for table in interval.tables)
    is_count_right = guess.by_count is None and (interval.has_wager_events or is_told)
    if is_count_right or guess.cause not in _OF_WAGERS:
        return FindingCode.METER_DRIFT
    if guess.cause is Cause.WAGERS_NOT_COUNTED:
        return FindingCode.CONTRIBUTION_MISSING
    return FindingCode.CONTRIBUTION_DUPLICATED


def _subject(
    guess: Guess,
    code: FindingCode,
    place: EventPlace,
    concerned: Sequence[Added],
    equal: EqualFits | None,
) -> str:
    if guess.void is not None:
        return void_subject(guess.cause, guess.void)
    if guess.by_count is not None and not concerned:
        return f"{guess.cause.value}/{guess.by_count.table_id}/{place.feed_id}/{place.sequence}"
    if code in (FindingCode.METER_DRIFT, FindingCode.RESEED_MISMATCH):
        return _drift_subject(guess.cause, place)
    if len(concerned) == 1:
        return f"{concerned[0].table_id}/{concerned[0].wager_id}"
    first, last = concerned[0], concerned[-1]
    group = f"{first.table_id}/{first.wager_id}..{last.wager_id}"
    return group if equal is None else f"{group}/{guess.count}"


def _drift_subject(cause: Cause, place: EventPlace) -> str:
    return f"{cause.value}/{place.source_id}/{place.feed_id}/{place.sequence}"


def _facts(
    problem: Problem,
    one: Explained,
    concerned: Sequence[Added],
    equal: EqualFits | None,
    effect: MeterEffect,
) -> MeterFacts:
    guess = one.guess
    cause = _Cause(effect, kind_of(guess.cause), _alternatives(one))
    if guess.by_count is not None and not concerned:
        return TableCountDiffers(
            effect=cause.effect,
            cause=cause.kind,
            alternatives=cause.alternatives,
            table_id=guess.by_count.table_id,
            wager_count=-guess.by_count.count,
            coin_in_minor=-guess.by_count.coin_in_minor,
        )
    if guess.cause in _OF_WAGERS:
        return _of_wagers(guess, concerned, equal, cause)
    if guess.cause in _SINCE:
        return _since(problem, one, concerned, equal, cause)
    if guess.change is not None:
        return _of_reset(problem, guess, concerned, cause)
    if guess.void is not None:
        return VoidedCoup(
            effect=cause.effect,
            cause=cause.kind,
            alternatives=cause.alternatives,
            table_id=guess.void.table_id,
            coup_id=guess.void.coup_id,
            sequence=guess.void.place.sequence,
            fault="said_not_done" if guess.void.is_reversed else "done_not_said",
        )
    moments = moments_of(problem.marks_for((guess, *one.beside)), problem.scale, guess, one.beside)
    return _step(problem.interval, moments, cause)


class _Cause(NamedTuple):
    """What the facts of every cause begin with."""

    effect: MeterEffect
    kind: CauseKind
    alternatives: Alternatives


def _alternatives(one: Explained) -> Alternatives:
    causes = () if one.pair_count > 1 else tuple(kind_of(cause) for cause in one.also)
    return Alternatives(pair_count=one.pair_count, causes=causes)


def _ways(equal: EqualFits | None) -> EqualWays | None:
    if equal is None:
        return None
    return EqualWays(
        count=equal.count,
        first_sequence=equal.first_sequence,
        last_sequence=equal.last_sequence,
    )


def _step(
    interval: Interval, moments: Sequence[tuple[int, int | None]], cause: _Cause
) -> MeterStep:
    """Give between which events of the controller the meters moved."""
    reading, since = interval.reading.place, interval.since
    until = reading.sequence if moments[-1][1] is None else moments[-1][1]
    is_other = since is not None and since.place.feed_id != reading.feed_id and not moments[0][0]
    first = max(since.place.sequence if since is not None else 0, moments[0][0])
    if since is not None and is_other:
        first = since.place.sequence
    return MeterStep(
        effect=cause.effect,
        cause=cause.kind,
        alternatives=cause.alternatives,
        since_sequence=first or None,
        until_sequence=until,
        since_feed=since.place.feed_id if since is not None and is_other else None,
        until_feed=reading.feed_id if is_other else None,
    )


def _of_wagers(
    guess: Guess, concerned: Sequence[Added], equal: EqualFits | None, cause: _Cause
) -> WagersInMeter:
    stakes = {wager.stake_minor for wager in concerned}
    first = concerned[0]
    is_known = equal is None and len(concerned) == 1
    return WagersInMeter(
        effect=cause.effect,
        cause=cause.kind,
        alternatives=cause.alternatives,
        basis="meter" if guess.by_count is None else "table_count",
        wager_id=first.wager_id if is_known else None,
        coup_id=first.coup_id if is_known else None,
        first_sequence=first.place.sequence,
        tables=tuple(sorted({wager.table_id for wager in concerned})),
        stake_minor=first.stake_minor if len(stakes) == 1 else None,
        wager_count=guess.count if equal is not None else len(concerned),
        equal=_ways(equal),
    )


def _since(
    problem: Problem,
    one: Explained,
    concerned: Sequence[Added],
    equal: EqualFits | None,
    cause: _Cause,
) -> RateApplied | RoundedSingly:
    """Give since when something lasted, and how many wagers it concerns."""
    guess, first = one.guess, concerned[0]
    is_over = guess.start + guess.count < len(guess.members)
    tables = tuple(sorted({wager.table_id for wager in concerned}))
    until = concerned[-1].place.sequence if is_over else None
    local_time = _local_time(problem.interval, first)
    if guess.cause is Cause.ROUNDING_PER_WAGER:
        return RoundedSingly(
            effect=cause.effect,
            cause=cause.kind,
            alternatives=cause.alternatives,
            tables=tables,
            since_sequence=first.place.sequence,
            since_local_time=local_time,
            until_sequence=until,
            wager_count=len(concerned),
            equal=_ways(equal),
            how=tuple(dict.fromkeys(rounding_word(fit.detail) for fit in one.fits)),
        )
    used, filed = guess.rates or first.rates, first.rates
    return RateApplied(
        effect=cause.effect,
        cause=cause.kind,
        alternatives=cause.alternatives,
        tables=tables,
        since_sequence=first.place.sequence,
        since_local_time=local_time,
        until_sequence=until,
        wager_count=len(concerned),
        equal=_ways(equal),
        increment_applied=_percent(used[0]),
        reserve_applied=_percent(used[1]),
        increment_filed=_percent(filed[0]),
        reserve_filed=_percent(filed[1]),
    )


def _percent(rate: Fraction) -> str:
    return format_percent(rate).removesuffix(" %")


def _local_time(interval: Interval, first: Added) -> str | None:
    at_us = interval.at_us_of(first.place)
    if at_us is None or interval.time_zone is None:
        return None
    return instant_of(at_us).astimezone(ZoneInfo(interval.time_zone)).strftime("%H:%M")


def _of_reset(
    problem: Problem, guess: Guess, concerned: Sequence[Added], cause: _Cause
) -> MeterFacts:
    reset, currency = guess.change, problem.interval.currency
    assert reset is not None
    if guess.cause is not Cause.RESET_AMOUNT:
        return ResetMistimed(
            effect=cause.effect,
            cause=cause.kind,
            alternatives=cause.alternatives,
            hit_id=reset.hit_id,
            when="early" if guess.cause is Cause.RESET_EARLY else "late",
            wager_count=guess.count,
            first_sequence=concerned[0].place.sequence,
            last_sequence=concerned[-1].place.sequence,
            locked_sequence=reset.locked_sequence or None,
        )
    if guess.detail == RESERVE_KEPT:
        return ReserveKept(
            effect=cause.effect,
            cause=cause.kind,
            alternatives=cause.alternatives,
            hit_id=reset.hit_id,
            amount=exact_text(reset.reserve_said or Fraction(0), currency),
        )
    if amounts := _amounts_of(reset, currency):
        return ResetToOther(
            effect=cause.effect,
            cause=cause.kind,
            alternatives=cause.alternatives,
            hit_id=reset.hit_id,
            amounts=amounts,
        )
    due = reset.after_expected or Fraction(0)
    return ResetLeft(
        effect=cause.effect,
        cause=cause.kind,
        alternatives=cause.alternatives,
        hit_id=reset.hit_id,
        left=exact_text(due + problem.exact(guess.display), currency),
        said=exact_text(due, currency),
    )


def _amounts_of(reset: MeterChange, currency: str) -> tuple[ResetAmountSaid, ...]:
    """Give the amounts of a reset that the controller says otherwise than they are due."""
    pairs: tuple[tuple[_Where, Fraction | None, Fraction | None], ...] = (
        ("display", reset.after_said, reset.after_expected),
        ("reserve", reset.reserve_said, reset.reserve_expected),
        ("house", reset.house_said, reset.house_expected),
    )
    return tuple(
        ResetAmountSaid(what=what, said=exact_text(said, currency), due=exact_text(due, currency))
        for what, said, due in pairs
        if said is not None and due is not None and said != due
    )
