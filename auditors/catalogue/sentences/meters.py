"""Sentences about meters that differ from the ledger, and about what caused it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auditors.catalogue.sentences.amounts import (
    exact,
    meters_now,
    meters_now_sentence,
    moved,
    other_correct,
)
from auditors.catalogue.sentences.shared import Words, capital, money
from auditors.law.interpretations import VoidedContribution
from schemas.finding_facts import meter as facts
from schemas.findings import Finding
from schemas.money import minor_digits
from schemas.words.counting import counted

_TABLES_NAMED: Final = 4

_CAUSES: Final[Mapping[str, str]] = {
    "wagers_not_counted": "wagers missing from the meter",
    "counted_twice": "wagers counted twice",
    "stake_differs": "a wager counted with another stake",
    "not_accepted": "a wager that no table accepted",
    "void_kept": "a voided coup that was not taken back",
    "void_reversed": "a voided coup that was taken back",
    "count_differs": "a wrong count",
    "rate_since": "another rate",
    "rounding_per_wager": "contributions rounded one by one",
    "reset_early": "a reset too early",
    "reset_late": "a reset too late",
    "reset_amount": "a reset to another amount",
    "step_unknown": "a single unexplained change",
    "unexplained": "something else",
}


def as_well(told: facts.Alternatives) -> str:
    """Say what else fits as exactly, with a space before it."""
    if told.pair_count > 1:
        return f" This is one of {told.pair_count:,} pairs of causes that fit equally."
    if not told.causes:
        return ""
    return f" {capital(' or '.join(_CAUSES[cause] for cause in told.causes))} would fit as exactly."


def events(first: int, last: int) -> str:
    """Name one event or a range of them: ``event 5``, ``events 5–9``."""
    return f"event {first}" if first == last else f"events {first}–{last}"


def wagers_in_meter(found: Finding, told: facts.WagersInMeter) -> Words:
    """Say which wagers are not in the meter, or twice."""
    is_lacking = told.cause == "wagers_not_counted"
    one = told.wager_count == 1
    done = "is not in the meter" if is_lacking else "is in the meter twice"
    if told.basis == "table_count":
        done = "was not counted" if is_lacking else "was counted twice"
    if not one:
        done = done.replace("is ", "are ", 1).replace("was ", "were ", 1)
    by = ", by the count for the table" if told.basis == "table_count" else ""
    title = "missing from the meter" if is_lacking else "in the meter twice"
    return Words(
        f"{_which_wagers(found, told)} {done}{by}; {meters_now(told.effect)}."
        f"{as_well(told.alternatives)}",
        f"{counted(told.wager_count, 'wager')} {title}",
    )


def _which_wagers(found: Finding, told: facts.WagersInMeter) -> str:
    stake = "" if told.stake_minor is None else money(found, told.stake_minor)
    of_stake = f" of {stake}" if stake else ""
    tables = ", ".join(told.tables)
    if told.equal is not None:
        number = "One" if told.wager_count == 1 else f"{told.wager_count:,}"
        kind = f"equal wagers{of_stake}" if stake else "wagers"
        where = events(told.equal.first_sequence, told.equal.last_sequence)
        return f"{number} of {told.equal.count:,} {kind} at {tables} ({where})"
    if told.wager_id is not None:
        coup = f", coup {told.coup_id}" if told.coup_id else ""
        return f"Wager {told.wager_id}{of_stake} at {tables} (event {told.first_sequence}{coup})"
    return f"{counted(told.wager_count, 'wager')}{of_stake} at {tables}"


def table_count_differs(found: Finding, told: facts.TableCountDiffers) -> Words:
    """Say by how much the counts for a table differ."""
    parts = [
        f"{what} {'less' if number < 0 else 'more'}"
        for number, what in (
            (told.wager_count, counted(abs(told.wager_count), "wager")),
            (told.coin_in_minor, f"{money(found, abs(told.coin_in_minor))} of stakes"),
        )
        if number
    ]
    return Words(
        f"The controller counted {' and '.join(parts)} at {told.table_id} than the table accepted; "
        f"{meters_now(told.effect)}.{as_well(told.alternatives)}",
        f"Count for {told.table_id} differs",
    )


def rate_applied(_found: Finding, told: facts.RateApplied) -> Words:
    """Say at which rates stakes fed the meters and at which they should have."""
    parts = [
        f"the {meter} at {applied} % instead of {filed} %"
        for meter, applied, filed in (
            ("meter", told.increment_applied, told.increment_filed),
            ("reserve", told.reserve_applied, told.reserve_filed),
        )
        if applied != filed
    ]
    return Words(
        capital(f"{_since(told)}{_whose_wagers(told.tables)} fed {' and '.join(parts)}")
        + _lasting_end(told),
        "Meter fed at another rate",
    )


def rounded_singly(found: Finding, told: facts.RoundedSingly) -> Words:
    """Say how contributions were rounded one by one."""
    unit = "cents" if minor_digits(found.currency) == 2 else "units of the currency"
    return Words(
        capital(f"{_since(told)}each contribution was {' or '.join(told.how)} to whole {unit} ")
        + f"before it was added{_lasting_end(told)}",
        "Contributions rounded one by one",
    )


def _since(told: facts.RateApplied | facts.RoundedSingly) -> str:
    return f"From {told.since_local_time}, " if told.since_local_time else ""


def _lasting_end(told: facts.RateApplied | facts.RoundedSingly) -> str:
    """Say how many wagers a lasting cause concerns, and what it came to."""
    span = f"from event {told.since_sequence} on"
    if told.until_sequence is not None:
        span = f"from event {told.since_sequence} to event {told.until_sequence}"
    if told.reading_sequence is not None:
        span = f"from event {told.since_sequence} up to reading {told.reading_sequence}"
    ways = ""
    if told.equal is not None:
        ways = (
            f" It can have begun in {told.equal.count:,} ways that fit equally "
            f"({events(told.equal.first_sequence, told.equal.last_sequence)})."
        )
    return (
        f": {counted(told.wager_count, 'wager')} {span}. {meters_now_sentence(told.effect)}{ways}"
        f"{as_well(told.alternatives)}"
    )


def _whose_wagers(tables: tuple[str, ...]) -> str:
    if len(tables) == 1:
        return f"{tables[0]}'s wagers"
    if len(tables) <= _TABLES_NAMED:
        return f"wagers at {', '.join(tables[:-1])} and {tables[-1]}"
    return f"wagers at {len(tables)} tables"


def lasting_before(_found: Finding, told: facts.LastingBefore) -> Words:
    """Say again, in its words, what an earlier build found, with what it comes to now."""
    return Words(
        f"{told.words} ({counted(told.wager_count, 'wager')} up to reading "
        f"{told.reading_sequence}){told.words_after}; {meters_now(told.effect)}.",
        "Meter differs from the ledger",
    )


def reset_mistimed(_found: Finding, told: facts.ResetMistimed) -> Words:
    """Say which wagers a reset took for the wrong meter."""
    wagers = counted(told.wager_count, "wager")
    where = events(told.first_sequence, told.last_sequence)
    lock = f" (event {told.locked_sequence})" if told.locked_sequence else ""
    side, went = "before", "went into the next meter"
    if told.when == "late":
        side, went = "after", f"{'is' if told.wager_count == 1 else 'are'} not in the next meter"
    return Words(
        f"The reset{_after(told.hit_id)} came too {told.when}: {wagers} ({where}) accepted {side} "
        f"the lock-out{lock} {went}; {meters_now(told.effect)}.{as_well(told.alternatives)}",
        f"Meter reset too {told.when}",
    )


def reset_to_other(_found: Finding, told: facts.ResetToOther) -> Words:
    """Say which amounts of a reset are not those due."""
    return Words(
        f"The reset{_after(told.hit_id)} {reset_amounts(told.amounts)}; "
        f"{meters_now(told.effect)}.{as_well(told.alternatives)}",
        "Meter reset to another amount",
    )


def reset_amounts(amounts: tuple[facts.ResetAmountSaid, ...]) -> str:
    """Say what a reset did: ``set the display to 500.00 instead of 1,000.00``."""
    ways = {
        "display": "set the display to {} instead of {}",
        "reserve": "took {} instead of {} from the reserve",
        "house": "took {} instead of {} from the house",
    }
    return " and ".join(
        ways[amount.what].format(exact(amount.said), exact(amount.due)) for amount in amounts
    )


def reset_left(_found: Finding, told: facts.ResetLeft) -> Words:
    """Say what a reset left in the display, and what the controller said of it."""
    return Words(
        f"The controller said that the reset{_after(told.hit_id)} set the display to "
        f"{exact(told.said)}; the reading shows {exact(told.left)} of it; "
        f"{meters_now(told.effect)}.{as_well(told.alternatives)}",
        "Meter reset to another amount",
    )


def reserve_kept(_found: Finding, told: facts.ReserveKept) -> Words:
    """Say that the reserve still has what it is said to have paid."""
    return Words(
        f"The reset{_after(told.hit_id)} should have taken {exact(told.amount)} from the reserve "
        f"and did not; {meters_now(told.effect)}.{as_well(told.alternatives)}",
        "Reserve not reduced by the reset",
    )


def _after(hit_id: str | None) -> str:
    return f" after hit {hit_id}" if hit_id else ""


def voided_coup(_found: Finding, told: facts.VoidedCoup) -> Words:
    """Say what was done with the contributions of a voided coup."""
    coup = f"coup {told.coup_id} at {told.table_id}"
    wagers = f"its {counted(told.wager_count, 'wager')}" if told.wager_count else "its wagers"
    sentence, title = {
        "not_taken_back": (
            f"{capital(coup)} was voided; what {wagers} had added should have been taken back "
            f"(interpretation {VoidedContribution.ID}) and was not",
            "Voided coup not taken out of the meter",
        ),
        "taken_back": (
            f"{capital(coup)} was voided; what {wagers} had added should have stayed "
            f"(interpretation {VoidedContribution.ID}) and was taken back",
            "Voided coup taken out of the meter",
        ),
        "said_not_done": (
            f"The controller said that it took back what voided {coup} had added; the meters "
            "still hold it",
            "Voided coup still in the meter",
        ),
        "done_not_said": (
            f"The meters no longer hold what voided {coup} had added; the controller did not say "
            "that it took it back",
            "Voided coup taken out unsaid",
        ),
    }[told.fault]
    return Words(f"{sentence}; {meters_now(told.effect)}.{as_well(told.alternatives)}", title)


def meter_step(_found: Finding, told: facts.MeterStep) -> Words:
    """Say by how much the meters moved without anything to explain it."""
    span = f"between events {told.since_sequence} and {told.until_sequence} of the controller"
    if told.since_sequence is None:
        span = f"before event {told.until_sequence} of the controller"
    elif told.since_feed and told.until_feed:
        span = (
            f"between event {told.since_sequence} of feed {told.since_feed} and event "
            f"{told.until_sequence} of feed {told.until_feed}"
        )
    return Words(
        f"{moved(told.effect)} {span} with no wager or adjustment to explain it."
        f"{other_correct(told.effect)}{as_well(told.alternatives)}",
        "Meter moved without explanation",
    )


def meter_unexplained(_found: Finding, told: facts.MeterUnexplained) -> Words:
    """Say what the meters read and should read where no cause fits."""
    why = "No known cause, and no two together, come to this exactly"
    if told.steps is not None:
        why = f"The search for a cause ended after {told.steps:,} steps without one"
    return Words(
        f"The meter reads {exact(told.display)} and the reserve {exact(told.reserve)}; what was "
        f"counted comes to {exact(told.display_due)} and {exact(told.reserve_due)}. "
        f"{meters_now_sentence(told.effect)} {why}.",
        "Meter differs, cause unexplained",
    )


def wagers_missed(found: Finding, told: facts.WagersMissed) -> Words:
    """Say which wagers the controller missed."""
    stake = money(found, told.stake_minor)
    if told.wager_count == 1:
        what = f"one {stake} wager at {told.table_id} ({told.wager_id}, coup {told.coup_id})"
    else:
        what = (
            f"{told.wager_count:,} wagers of {stake} in a row at {told.table_id} (from "
            f"{told.wager_id}, coup {told.coup_id}; "
            f"{events(told.first_sequence, told.last_sequence)})"
        )
    return Words(
        f"The controller missed {what}; {meters_now(told.effect)}.{as_well(told.alternatives)}",
        f"Controller missed {counted(told.wager_count, 'wager')}",
    )


def wager_counted(found: Finding, told: facts.WagerCounted) -> Words:
    """Say how the controller counted a wager otherwise than the table accepted it."""
    coup = f" (coup {told.coup_id})" if told.coup_id else ""
    wager = f"wager {told.wager_id} at {told.table_id}{coup}"
    stake = money(found, told.counted_minor)
    if told.cause == "not_accepted":
        what = f"counted a {stake} {wager} that the table did not record"
        title = "Wager counted that no table accepted"
    elif told.cause == "stake_differs":
        accepted = money(found, told.accepted_minor)
        what = f"counted {wager} with {stake}; the table accepted {accepted}"
        title = "Wager counted with another stake"
    else:
        what, title = f"counted the {stake} {wager} a second time", "Wager counted twice"
    return Words(
        f"The controller {what} (event {told.sequence}); {meters_now(told.effect)}."
        f"{as_well(told.alternatives)}",
        title,
    )


RENDERERS: Final[Mapping[type, object]] = {
    facts.LastingBefore: lasting_before,
    facts.MeterStep: meter_step,
    facts.MeterUnexplained: meter_unexplained,
    facts.RateApplied: rate_applied,
    facts.ReserveKept: reserve_kept,
    facts.ResetLeft: reset_left,
    facts.ResetMistimed: reset_mistimed,
    facts.ResetToOther: reset_to_other,
    facts.RoundedSingly: rounded_singly,
    facts.TableCountDiffers: table_count_differs,
    facts.VoidedCoup: voided_coup,
    facts.WagerCounted: wager_counted,
    facts.WagersInMeter: wagers_in_meter,
    facts.WagersMissed: wagers_missed,
}
