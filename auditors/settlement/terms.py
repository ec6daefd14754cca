"""Terms under which a coup is settled: what the property filed, or the stated defaults.

Terms name everything beside the law that a verdict depends on: commission, tie odds, paytable
letters, odds of house wagers and the interpretation codes in force.
"""

from __future__ import annotations

import datetime
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from auditors.law.model import Law, Section
from schemas.money import DEFAULT_CURRENCY, parse_amount
from schemas.odds import Odds, parse_odds, parse_rate
from schemas.rules_submission import CommissionForm, Game, RulesSubmission, VigorishTiming
from schemas.words.suggestions import near_miss


class TermsError(ValueError):
    """A wager, letter, reading or form that the law does not know, with the near miss."""


@dataclass(frozen=True)
class Terms:
    """What settlement needs beside the law; immutable, so verdicts can be cached by it."""

    readings: Mapping[str, str]
    """Interpretation id to the code in force, for every interpretation that has codes."""
    currency: str = DEFAULT_CURRENCY
    commission: CommissionForm = CommissionForm.STANDARD
    vigorish_rate: Fraction = Fraction(5, 100)
    vigorish_timing: VigorishTiming = VigorishTiming.TAKEN
    tie_odds: Odds = field(default_factory=lambda: parse_odds("8 to 1"))
    decks: int = 8
    letters: Mapping[str, str] = field(default_factory=dict)
    """Wager id or section id to paytable letter."""
    house_odds: Mapping[tuple[str, str], Odds] = field(default_factory=dict)
    """(wager id, outcome code) to odds that the submission files."""
    smallest_chip_minor: int = 1
    limits: Mapping[str, tuple[int | None, int | None]] = field(default_factory=dict)
    """Wager id to least and greatest stake, minor units, both permitted."""
    submission: RulesSubmission | None = None
    """None: no game is enforced, each wager is settled by its own section."""
    what_if: tuple[str, ...] = ()
    """Where the terms depart from the submission on request."""

    @property
    def rules_version(self) -> str | None:
        """The filing as verdicts name it, with what departs from it; None without a filing."""
        if self.submission is None:
            return None
        version = self.submission.rules_version
        return f"{version}, what if {', '.join(self.what_if)}" if self.what_if else version

    def letter(self, wager_id: str) -> str | None:
        """Give the paytable letter in force for a wager, or None where none is chosen."""
        section_id = wager_id.partition(".")[0]
        return self.letters.get(wager_id) or self.letters.get(section_id)


def default_terms(law: Law) -> Terms:
    """Give the stated defaults: eight decks, 5 % vigorish taken exactly, tie 8 to 1."""
    return Terms(readings=law.default_readings())


def terms_of(law: Law, submission: RulesSubmission) -> Terms:
    """Read the terms that a Rules Submission files.

    Raises:
        TermsError: It switches an interpretation that the law does not know or not that way.
    """
    commission, chip = submission.commission, submission.smallest_chip
    limits = {
        wager.id: (
            parse_amount(wager.minimum, submission.currency) if wager.minimum else None,
            parse_amount(wager.maximum, submission.currency) if wager.maximum else None,
        )
        for wager in submission.wagers
    }
    return with_readings(
        law,
        Terms(
            readings=law.default_readings(),
            currency=submission.currency,
            commission=commission.form if commission else CommissionForm.STANDARD,
            vigorish_rate=parse_rate(commission.rate) if commission else Fraction(5, 100),
            vigorish_timing=commission.timing if commission else VigorishTiming.TAKEN,
            tie_odds=parse_odds(submission.tie_odds),
            decks=submission.decks,
            letters={wager.id: wager.paytable for wager in submission.wagers if wager.paytable},
            house_odds={
                (wager.id, code): parse_odds(odds)
                for wager in submission.wagers
                for code, odds in wager.odds.items()
            },
            smallest_chip_minor=parse_amount(chip, submission.currency) if chip else 1,
            limits=limits,
            submission=submission,
        ),
        submission.readings,
    )


def with_readings(law: Law, terms: Terms, readings: Mapping[str, str]) -> Terms:
    """Switch interpretations.

    Raises:
        TermsError: An unknown id or code, or one that the text or its legal status decides.
    """
    for id_, code in readings.items():
        known = law.interpretations.get(id_)
        if known is None:
            hint = near_miss(id_, law.interpretations)
            raise TermsError(f"reading {id_}: no such interpretation{hint}")
        if len(known.codes) < 2:
            raise TermsError(
                f"reading {id_}: {known.kind.value} decides it; it has no alternatives"
            )
        if code not in known.codes:
            choices = ", ".join(known.codes)
            hint = near_miss(code, known.codes)
            raise TermsError(f"reading {id_}: no code {code!r}; it has {choices}{hint}")
    return replace(terms, readings={**terms.readings, **readings}) if readings else terms


@dataclass(frozen=True, slots=True)
class WagerRef:
    """A wager as people name it, resolved: its id and, where it backs one, the hand."""

    id: str
    hand: str | None = None

    def __str__(self) -> str:
        """``golden_talons@player``, or the id alone."""
        return f"{self.id}@{self.hand}" if self.hand else self.id


MAIN_WAGERS = ("player", "banker", "tie")
"""Bare names that mean the main wagers of the table's game."""


def resolve_wager(law: Law, text: str, submission: RulesSubmission | None = None) -> WagerRef:
    """Find the wager that a text names.

    Args:
        law: The law.
        text: ``section.wager``, a bare code, or either with ``@player`` or ``@banker``.
        submission: Its game gives ``player``, ``banker`` and ``tie`` their section, and only the
            wagers it offers make a bare code ambiguous; without it every wager counts as offered
            and the main wagers are those of Minibaccarat.

    Raises:
        TermsError: Unknown or ambiguous wager, or a hand that it cannot or must name.
    """
    name, at, hand = text.strip().partition("@")
    wager_id = _wager_id(law, name, submission)
    backs = law.wagers[wager_id][1].backs
    if backs and hand not in backs:
        choices = " or ".join(f"{name}@{hand}" for hand in backs)
        raise TermsError(f"wager {text!r}: name the hand it is placed on: {choices}")
    if at and not backs:
        raise TermsError(f"wager {text!r}: it backs no chosen hand; write {name}")
    return WagerRef(wager_id, hand or None)


def _wager_id(law: Law, name: str, submission: RulesSubmission | None) -> str:
    if name in law.wagers:
        return name
    if name in MAIN_WAGERS:
        wager_id = f"{_main_game(law, submission).id}.{name}"
        if wager_id not in law.wagers:
            raise TermsError(f"no wager {wager_id!r}")
        return wager_id
    candidates = [wager_id for wager_id in law.wagers if wager_id.rpartition(".")[2] == name]
    if submission is not None:
        offered = [candidate for candidate in candidates if submission.offered(candidate)]
        candidates = offered or candidates
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise TermsError(f"wager {name!r} is ambiguous; write one of {', '.join(candidates)}")
    bare = {wager_id.rpartition(".")[2] for wager_id in law.wagers}
    section = law.sections.get(name)
    if section is not None:
        ids = ", ".join(section.wager_id(wager) for wager in section.wager)
        raise TermsError(f"wager {name!r} is a section with several wagers: {ids}")
    raise TermsError(f"no wager {name!r}{near_miss(name, {*law.wagers, *bare})}")


def is_game(law: Law, section_id: str) -> bool:
    """Whether a section is a game of its own, with main wagers."""
    return all(f"{section_id}.{code}" in law.wagers for code in MAIN_WAGERS)


def game_section(law: Law, terms: Terms) -> Section:
    """Give the main game whose drawing rules hold: the submission's, else Minibaccarat."""
    submission = terms.submission
    is_big = submission is not None and submission.game is Game.BACCARAT
    return _dealt(law, Game.BACCARAT if is_big else Game.MINIBACCARAT)


def filed_game(law: Law, submission: RulesSubmission) -> Section:
    """Give the section of the game that is filed, or the first that is held where it is not."""
    return law.sections.get(submission.game.value) or _dealt(law, Game.MINIBACCARAT)


def _main_game(law: Law, submission: RulesSubmission | None) -> Section:
    return filed_game(law, submission) if submission else _dealt(law, Game.MINIBACCARAT)


def _dealt(law: Law, game: Game) -> Section:
    """Give a main game, or the first that is held."""
    held = law.sections.get(game.value)
    return held or next(section for section in law.sections.values() if section.kind == "main")


def default_gaming_date(occurred_at: datetime.datetime, terms: Terms) -> datetime.date:
    """Give the gaming date of an instant under some terms.

    Raises:
        OverflowError: The instant lies at an end of the calendar.
    """
    return gaming_date_of(occurred_at, *gaming_day(terms))


def gaming_day(terms: Terms) -> tuple[zoneinfo.ZoneInfo, datetime.time]:
    """Give the property's zone and the hour at which its gaming day begins."""
    filed = terms.submission
    zone = filed.time_zone if filed else "America/New_York"
    return zoneinfo.ZoneInfo(zone), filed.gaming_day_start if filed else datetime.time(6, 0)


def gaming_date_of(
    occurred_at: datetime.datetime, zone: zoneinfo.ZoneInfo, start: datetime.time
) -> datetime.date:
    """Give the gaming date of an instant: days begin at the filed hour of the property's zone.

    A day begins once, when the clock first shows the hour or a later one of its date: the first
    time of an hour that autumn repeats, the end of a gap that spring leaves.
    """
    local = occurred_at.astimezone(zone)
    day = local.date()
    if local.time() >= start or (local.fold and _was_shown(occurred_at, day, zone, start)):
        return day
    return day - datetime.timedelta(days=1)


def _was_shown(
    instant: datetime.datetime, day: datetime.date, zone: zoneinfo.ZoneInfo, start: datetime.time
) -> bool:
    """Whether the clock had shown an hour of a date already, before it was turned back."""
    first = datetime.datetime.combine(day, start, zone).astimezone(datetime.UTC)
    return first <= instant.astimezone(datetime.UTC)


def gaming_day_begins(
    date: datetime.date, zone: zoneinfo.ZoneInfo, start: datetime.time
) -> datetime.datetime:
    """Give the instant, in UTC, at which a gaming date begins, as :func:`gaming_date_of` has it."""
    first = datetime.datetime.combine(date, start, zone)
    late = first.astimezone(datetime.UTC)
    early = first.replace(fold=1).astimezone(datetime.UTC)
    if early >= late:
        return late
    # The clock never shows the hour: the day begins where the clock is turned, in between.
    offset = late.astimezone(zone).utcoffset()
    while late - early > datetime.timedelta(microseconds=1):
        middle = early + (late - early) // 2
        if middle.astimezone(zone).utcoffset() == offset:
            late = middle
        else:
            early = middle
    return late
