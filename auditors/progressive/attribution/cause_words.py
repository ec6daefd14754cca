"""In which words is the cause of a gap between meters and ledger said?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from auditors.progressive.attribution.candidates import RESERVE_KEPT
from auditors.progressive.attribution.effort import STEPS_MAX
from auditors.progressive.attribution.explanations import Explained
from auditors.progressive.attribution.fitting import Added, CountGap, Guess
from auditors.progressive.attribution.interval import (
    COUPS_NAMED,
    Attribution,
    Cause,
    EqualFits,
    Interval,
    Place,
)
from auditors.progressive.attribution.marks import moments_of
from auditors.progressive.attribution.match_words import void_subject
from auditors.progressive.attribution.problem import Problem
from auditors.progressive.ledger.amounts import effect_text, exact_text
from schemas.findings import FindingCode
from schemas.money import format_minor
from schemas.odds import format_percent
from schemas.words.counting import counted

_OF_WAGERS: Final = (Cause.WAGERS_NOT_COUNTED, Cause.COUNTED_TWICE)
_SINCE: Final = (Cause.RATE_SINCE, Cause.ROUNDING_PER_WAGER)
_OF_RESETS: Final = (Cause.RESET_EARLY, Cause.RESET_LATE, Cause.RESET_AMOUNT)
_CAUSE_WORDS: Final = {
    Cause.VOID_KEPT: "a voided coup that was not taken back",
    Cause.VOID_REVERSED: "a voided coup that was taken back",
    Cause.WAGERS_NOT_COUNTED: "wagers that are not in the meter",
    Cause.COUNTED_TWICE: "wagers that are in the meter twice",
    Cause.RATE_SINCE: "another rate",
    Cause.ROUNDING_PER_WAGER: "contributions rounded one by one",
    Cause.RESET_EARLY: "a reset too early",
    Cause.RESET_LATE: "a reset too late",
    Cause.RESET_AMOUNT: "a reset to another amount",
    Cause.STEP_UNKNOWN: "a step of unknown origin",
}


def told_explained(problem: Problem, one: Explained) -> Attribution:
    """Say one cause of a gap between the meters and the ledger."""
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
    effect = effect_text(display, reserve, problem.interval.currency)
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
        sentence=f"{_sentence(problem, one, concerned, equal)}: {effect}{_as_well(one)}.",
        hit_id=guess.change.hit_id
        if code is FindingCode.RESEED_MISMATCH and guess.change
        else None,
        is_reserve_kept=guess.detail == RESERVE_KEPT,
        tables=tuple(sorted({wager.table_id for wager in concerned})),
        parts=_since(one, concerned, equal) if guess.cause in _SINCE else ("", ""),
        stretch=_stretch(guess, concerned) if code is FindingCode.RESEED_MISMATCH else (),
    )


def _stretch(guess: Guess, concerned: Sequence[Added]) -> tuple[int, ...]:
    reset = guess.change
    if reset is None:
        return ()
    ends = (concerned[0].place.sequence, concerned[-1].place.sequence) if concerned else ()
    lock = (reset.locked_sequence,) if reset.locked_sequence and ends else ()
    return tuple(sorted({*lock, *ends, reset.place.sequence}))


def told_unexplained(problem: Problem) -> Attribution:
    """Say that no cause, and no two together, fit exactly."""
    interval = problem.interval
    read, due = interval.reading.meters, interval.for_counted
    display = read.display + read.overflow - due.display - due.overflow
    reserve = read.reserve - due.reserve
    effect = effect_text(display, reserve, interval.currency)
    place = interval.reading.place
    coups = {one.coup_id for one in problem.wagers if one.coup_id is not None}
    why = "no cause that is known, and no two together, come to this exactly"
    if problem.effort.is_over:
        why = f"no cause was found in {STEPS_MAX:,} steps of the search, and it went no further"
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
        sentence=f"{_reads(problem)}: {effect}; unexplained: {why}.",
    )


def _reads(problem: Problem) -> str:
    interval = problem.interval
    read, due, currency = interval.reading.meters, interval.for_counted, interval.currency
    return (
        f"The display reads {exact_text(read.display + read.overflow, currency)} and the reserve "
        f"{exact_text(read.reserve, currency)}, where what was counted comes to "
        f"{exact_text(due.display + due.overflow, currency)} and "
        f"{exact_text(due.reserve, currency)}"
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


def _place(problem: Problem, guess: Guess, concerned: Sequence[Added]) -> Place:
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
    place: Place,
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


def _drift_subject(cause: Cause, place: Place) -> str:
    return f"{cause.value}/{place.source_id}/{place.feed_id}/{place.sequence}"


def _sentence(
    problem: Problem, one: Explained, concerned: Sequence[Added], equal: EqualFits | None
) -> str:
    guess, interval = one.guess, problem.interval
    if guess.by_count is not None and not concerned:
        return _of_counts(guess.by_count, interval.currency, guess.cause)
    if guess.cause in _OF_WAGERS:
        return _of_wagers(problem, guess, concerned, equal)
    if guess.cause in _SINCE:
        head, tail = _since(one, concerned, equal)
        return f"{head} ({counted(len(concerned), 'wager')}){tail}"
    if guess.change is not None:
        return _of_reset(problem, guess, concerned)
    if guess.void is not None:
        said = "said" if guess.void.is_reversed else "did not say"
        done = "they hold it still" if guess.void.is_reversed else "it is not in them any more"
        return (
            f"Coup {guess.void.coup_id} of {guess.void.table_id} was voided (its event "
            f"{guess.void.place.sequence}); the controller {said} that it took back what its "
            f"wagers had added to the meters, and {done}"
        )
    moments = moments_of(problem.marks_for((guess, *one.beside)), problem.scale, guess, one.beside)
    return f"The meters moved {_between(interval, moments)}, and no recorded event says why"


def _between(interval: Interval, moments: Sequence[tuple[int, int | None]]) -> str:
    """Say between which events of the controller something happened."""
    reading, since = interval.reading.place, interval.since
    until = reading.sequence if moments[-1][1] is None else moments[-1][1]
    if since is not None and since.place.feed_id != reading.feed_id and not moments[0][0]:
        return (
            f"between event {since.place.sequence} of feed {since.place.feed_id} and event "
            f"{until} of feed {reading.feed_id} of the controller"
        )
    first = max(since.place.sequence if since is not None else 0, moments[0][0])
    if not first:
        return f"before event {until} of the controller"
    return f"between events {first} and {until} of the controller"


def _of_counts(gap: CountGap, currency: str, cause: Cause) -> str:
    """Say by how much counts differ where no single wagers can be named."""
    differs = [
        f"{what} {'less' if lacks > 0 else 'more'}"
        for what, lacks in (
            (counted(abs(gap.count), "wager"), gap.count),
            (f"{format_minor(abs(gap.coin_in_minor), currency)} of stakes", gap.coin_in_minor),
        )
        if lacks
    ]
    meters = "; its meters are right all the same" if cause is Cause.COUNT_DIFFERS else ""
    return (
        f"The controller counted {' and '.join(differs)} at {gap.table_id} than the table accepted"
        f"{meters}"
    )


def _of_wagers(
    problem: Problem, guess: Guess, concerned: Sequence[Added], equal: EqualFits | None
) -> str:
    currency = problem.interval.currency
    stakes = {one.stake_minor for one in concerned}
    stake = f" of {format_minor(concerned[0].stake_minor, currency)}" if len(stakes) == 1 else ""
    tables = ", ".join(sorted({one.table_id for one in concerned}))
    done = "is" if guess.count == 1 else "are"
    first = concerned[0]
    if equal is not None:
        kind = "equal wagers" if len(stakes) == 1 else "wagers"
        number = "One" if guess.count == 1 else f"{guess.count:,}"
        who = (
            f"{number} of {equal.count:,} {kind}{stake} at {tables}, sequences "
            f"{equal.first_sequence}–{equal.last_sequence},"
        )
    elif len(concerned) == 1:
        coup = f" in coup {first.coup_id}" if first.coup_id else ""
        who = f"Wager {first.wager_id}{stake} at {tables}{coup} (event {first.place.sequence})"
    else:
        who = f"{counted(len(concerned), 'wager')}{stake} at {tables}"
    is_lacking = guess.cause is Cause.WAGERS_NOT_COUNTED
    if guess.by_count is not None:
        how = "not counted" if is_lacking else "counted twice"
        return f"{who} {done} {how}, by the counts of the table"
    how = "not in the meter" if is_lacking else "in the meter twice"
    return f"{who} {done} {how}"


def _since(one: Explained, concerned: Sequence[Added], equal: EqualFits | None) -> tuple[str, str]:
    """Give what is said before the number of wagers, and behind it."""
    guess = one.guess
    first, last = concerned[0], concerned[-1]
    moment = f"since event {first.place.sequence}"
    if guess.start + guess.count < len(guess.members):
        moment += f" up to event {last.place.sequence}"
    if guess.cause is Cause.ROUNDING_PER_WAGER:
        how = " or ".join(dict.fromkeys(fit.detail for fit in one.fits))
        what = f"Each contribution was {how} to whole minor units by itself"
    else:
        used, filed = guess.rates or first.rates, first.rates
        tables = sorted({wager.table_id for wager in concerned})
        where = f" at {', '.join(tables)}" if len(tables) < 5 else ""
        what = (
            f"{format_percent(used[0])} and {format_percent(used[1])} of the stakes{where} went "
            f"into display and reserve in place of {format_percent(filed[0])} and "
            f"{format_percent(filed[1])}"
        )
    if equal is None:
        return f"{what} {moment}", ""
    return f"{what} {moment}", (
        f"; one of {equal.count:,} ways that fit equally, sequences "
        f"{equal.first_sequence}–{equal.last_sequence}"
    )


def _of_reset(problem: Problem, guess: Guess, concerned: Sequence[Added]) -> str:
    reset, currency = guess.change, problem.interval.currency
    if reset is None:
        return guess.cause.value
    hit = f" after hit {reset.hit_id}" if reset.hit_id else ""
    if guess.cause is not Cause.RESET_AMOUNT:
        is_early = guess.cause is Cause.RESET_EARLY
        word = "before" if is_early else "behind"
        event = f" (event {reset.locked_sequence})" if reset.locked_sequence else ""
        first, last = concerned[0].place.sequence, concerned[-1].place.sequence
        events = f"event {first}" if first == last else f"events {first}–{last}"
        added = "it added" if guess.count == 1 else "they added"
        to = "in the next meter" if is_early else "not in the next meter"
        return (
            f"The reset{hit} was too {'early' if is_early else 'late'}: it took the last meter as "
            f"locked {counted(guess.count, 'wager')} ({events}) {word} the lock-out{event}, so "
            f"that what {added} is {to}"
        )
    if guess.detail == RESERVE_KEPT:
        part = exact_text(reset.reserve_said or Fraction(0), currency)
        return f"The reset{hit} did not take from the reserve the {part} that it is said to pay"
    said = [
        f"{what} {exact_text(amount, currency)} in place of {exact_text(due, currency)}"
        for what, amount, due in (
            ("the display to", reset.after_said, reset.after_expected),
            ("from the reserve", reset.reserve_said, reset.reserve_expected),
            ("from the house", reset.house_said, reset.house_expected),
        )
        if amount is not None and due is not None and amount != due
    ]
    if said:
        return f"The reset{hit} set {', '.join(said)}"
    due = reset.after_expected or Fraction(0)
    amount = exact_text(due + problem.exact(guess.display), currency)
    return f"The reset{hit} left {amount} where {exact_text(due, currency)} was said"


def _as_well(one: Explained) -> str:
    words = []
    if one.pair_count > 1:
        words.append(f"; one of {one.pair_count:,} pairs of causes that fit equally")
    elif one.also:
        causes = " or ".join(_CAUSE_WORDS.get(cause, cause.value) for cause in one.also)
        words.append(f"; {causes} would fit as exactly")
    return "".join(words)
