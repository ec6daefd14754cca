"""Outcome of a wager: the law data evaluated under given terms.

The same compiled outcomes classify one coup, weigh all deals for the odds and price recorded
rounds in bulk. One definition of the law, three uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from auditors.law.conditions import Test, any_of, compile_condition
from auditors.law.facts import FACTS, CoupFacts, Fact, Stage
from auditors.law.interpretations import OddsFor, SeveralRows, UnpaidCell
from auditors.law.model import Condition, Law, Outcome, Section, Wager
from auditors.law.packed_facts import field_mask, pack, unpack
from auditors.settlement.terms import Terms, TermsError, WagerRef
from schemas.cards import Knowledge
from schemas.odds import Odds, OddsKind, parse_odds


@dataclass(frozen=True, slots=True)
class PricedOutcome:
    """One outcome of a wager under one letter, form and set of readings."""

    code: str
    title: str
    odds: Odds
    wins_cite: str
    pays_cite: str
    test: Test


@dataclass(frozen=True, slots=True)
class Ruling:
    """How a wager came out on the facts of one coup."""

    matched: tuple[PricedOutcome, ...]
    """The rows that count: one under ``first`` and ``greatest``, all that fit under ``every``;
    empty: the wager loses."""
    candidates: tuple[PricedOutcome, ...]
    """Every row that fits, in printed order."""
    interpretations: Mapping[str, str]
    """Those interpretations that decide this outcome, with the code in force."""


@dataclass(frozen=True)
class PricedWager:
    """A wager whose outcomes are compiled and priced: ready to rule on any coup."""

    ref: WagerRef
    section: Section
    wager: Wager
    letter: str | None
    outcomes: tuple[PricedOutcome, ...]
    match: str
    """``first``, ``greatest`` or ``every``: how several fitting rows are taken."""
    knowledge: Knowledge
    """What must be known of the cards to rule on it."""
    stage: Stage
    """Which facts it rests on: the first four cards, or the whole result."""
    readings: tuple[str, ...]
    """Interpretations that can change its outcome."""
    asks: int
    """Bits of packed facts that can change its outcome, under any reading."""

    @property
    def name(self) -> str:
        """The wager as sentences name it: ``Golden Talons on Player``."""
        if self.ref.hand is None:
            return self.wager.title
        return f"{self.wager.title} on {self.ref.hand.capitalize()}"

    def fitting(self, facts: CoupFacts) -> tuple[PricedOutcome, ...]:
        """Give every row that fits the facts of one coup, in printed order."""
        return tuple(outcome for outcome in self.outcomes if outcome.test(facts))

    def counted(self, fitting: tuple[PricedOutcome, ...]) -> tuple[PricedOutcome, ...]:
        """Give those of the rows that fit that count: the first, or under ``every`` all."""
        return fitting if self.match == "every" else fitting[:1]

    def is_won(self, facts: CoupFacts) -> bool:
        """Whether it wins on the facts of one coup; what decides it is left to the ruling."""
        return any(outcome.odds.is_win for outcome in self.counted(self.fitting(facts)))

    def first_matches(self, facts: CoupFacts) -> Iterator[tuple[PricedOutcome, Fact]]:
        """Give each outcome with 1 where it is the first that fits; facts may be arrays."""
        taken: Fact = 0
        for outcome in self.outcomes:
            fits = outcome.test(facts)
            yield outcome, fits & (taken == 0)
            taken = taken | fits


@dataclass(frozen=True)
class Rules:
    """The law under given terms; everything that settles, audits or computes odds asks it."""

    law: Law
    terms: Terms
    _priced: dict[tuple[WagerRef, str | None], PricedWager] = field(
        default_factory=dict, repr=False, compare=False
    )
    _rulings: dict[tuple[WagerRef, str | None, Fact], Ruling] = field(
        default_factory=dict, repr=False, compare=False
    )
    _alternatives: dict[tuple[str, str], Rules] = field(
        default_factory=dict, repr=False, compare=False
    )

    def letter_of(self, ref: WagerRef) -> str | None:
        """Give the paytable letter in force for a wager; None where its section has none.

        Raises:
            TermsError: Several letters exist and none is chosen, or the chosen one is not printed.
        """
        section, _ = self.law.wagers[ref.id]
        chosen = self.terms.letter(ref.id)
        if not section.paytables:
            if chosen is not None:
                raise TermsError(f"{section.id} prints no paytable letters; drop {chosen!r}")
            return None
        letters = ", ".join(section.paytables)
        if chosen is None:
            raise TermsError(
                f"{ref.id}: choose a paytable: --paytable {section.id}=LETTER, one of {letters}"
            )
        if chosen not in section.paytables:
            raise TermsError(f"{ref.id}: no paytable {chosen!r}; the section prints {letters}")
        return chosen

    def priced(self, ref: WagerRef) -> PricedWager:
        """Compile a wager under the letter, form and readings in force.

        Raises:
            TermsError: As for :meth:`letter_of`, or the section defines no such commission form.
        """
        key = (ref, self.terms.letter(ref.id))
        found = self._priced.get(key)
        if found is None:
            found = self._priced[key] = _Compiler(self, ref).compile()
        return found

    def rule(self, priced: PricedWager, facts: CoupFacts) -> Ruling:
        """Rule on a wager from the facts of one coup."""
        return self.rule_packed(priced, pack(facts))

    def rule_packed(self, priced: PricedWager, packed: Fact) -> Ruling:
        """Rule on a wager from packed facts; rulings are cached by the facts that it asks for."""
        asked = packed & priced.asks
        key = (priced.ref, priced.letter, asked)
        ruling = self._rulings.get(key)
        if ruling is None:
            ruling = self._rulings[key] = self._rule(priced, unpack(asked))
        return ruling

    def _rule(self, priced: PricedWager, facts: CoupFacts) -> Ruling:
        candidates = priced.fitting(facts)
        matched = priced.counted(candidates)
        used = {}
        for id_ in priced.readings:
            if self._changes_outcome(id_, priced, facts, candidates):
                used[id_] = self.terms.readings[id_]
        for id_, applies in (
            (
                OddsFor.ID,
                any(outcome.odds.kind in (OddsKind.FOR, OddsKind.METER) for outcome in matched),
            ),
            (SeveralRows.ID, priced.wager.match_reading == SeveralRows.ID and len(candidates) > 1),
        ):
            if applies and priced.section.kind != "house":
                used[id_] = self.terms.readings[id_]
        if priced.match == "every":
            matched = tuple(outcome for outcome in matched if outcome.odds.is_win) or matched[:1]
        return Ruling(matched, candidates, dict(sorted(used.items(), key=_by_number)))

    def _changes_outcome(
        self,
        id_: str,
        priced: PricedWager,
        facts: CoupFacts,
        candidates: tuple[PricedOutcome, ...],
    ) -> bool:
        """Whether another code of the interpretation would bring this coup out otherwise."""
        # Only the first row counts under ``first``; otherwise any row that fits may be paid.
        counted = 1 if priced.match == "first" else len(self.law.wagers[priced.ref.id][1].outcome)
        mine = [(candidate.odds.kind, candidate.odds.ratio) for candidate in candidates[:counted]]
        for code in self.law.interpretations[id_].codes:
            if code == self.terms.readings[id_]:
                continue
            other = self.under(id_, code).priced(priced.ref).fitting(facts)
            if [(outcome.odds.kind, outcome.odds.ratio) for outcome in other[:counted]] != mine:
                return True
        return False

    def under(self, id_: str, code: str) -> Rules:
        """Give the same rules with one interpretation switched."""
        found = self._alternatives.get((id_, code))
        if found is None:
            terms = replace(self.terms, readings={**self.terms.readings, id_: code})
            found = self._alternatives[id_, code] = Rules(self.law, terms)
        return found


def _by_number(item: tuple[str, str]) -> int:
    return int(item[0][1:])


class _Compiler:
    """Compiles one wager of one section under the terms of the rules."""

    def __init__(self, rules: Rules, ref: WagerRef) -> None:
        self.rules, self.ref, self.terms = rules, ref, rules.terms
        self.section, self.wager = rules.law.wagers[ref.id]
        self.letter = rules.letter_of(ref)
        self.vocabulary = FACTS[ref.hand]
        self.knowledge, self.stage = Knowledge.VALUE, Stage.FIRST_FOUR
        self.readings: set[str] = set()

    def compile(self) -> PricedWager:
        self._check_form()
        outcomes = tuple(
            self._priced(outcome)
            for outcome in self.wager.outcome
            if not outcome.only or self.letter in outcome.only
            if self._stands(outcome)
        )
        match = self.wager.match
        if self.wager.match_reading:
            match = self.terms.readings[self.wager.match_reading]  # type: ignore[assignment]
        return PricedWager(
            ref=self.ref,
            section=self.section,
            wager=self.wager,
            letter=self.letter,
            outcomes=outcomes,
            match=match,
            knowledge=self.knowledge,
            stage=self.stage,
            readings=tuple(sorted(self.readings)),
            asks=field_mask(self._fields_asked()),
        )

    def _fields_asked(self) -> set[str]:
        """List the fields that any row reads, whatever the reading, those of siblings included."""
        siblings = {
            code for outcome in self.wager.outcome for code in outcome.any_wins + outcome.any_occurs
        }
        wagers = [
            self.wager,
            *(sibling for sibling in self.section.wager if sibling.code in siblings),
        ]
        return {
            field
            for wager in wagers
            for outcome in wager.outcome
            for condition in outcome.conditions()
            for name in condition
            for field in self.vocabulary[name].fields
        }

    def _check_form(self) -> None:
        forms = {
            outcome.applies_if["commission"] for outcome in self.wager.outcome if outcome.applies_if
        }
        charges = any("less vigorish" in str(outcome.pays) for outcome in self.wager.outcome)
        if charges and self.terms.commission.value == "free" and "free" not in forms:
            raise TermsError(
                f"{self.ref.id}: {self.section.section} defines no commission-free game; "
                "choose --commission 4 or 5"
            )

    def _stands(self, outcome: Outcome) -> bool:
        """Whether the outcome is part of the wager under the form and readings in force."""
        self.readings.update(outcome.reading)
        form = outcome.applies_if.get("commission")
        if form is not None and form != self.terms.commission.value:
            return False
        return all(self.terms.readings[id_] == code for id_, code in outcome.reading.items())

    def _priced(self, outcome: Outcome) -> PricedOutcome:
        return PricedOutcome(
            outcome.code,
            outcome.title,
            self._odds(outcome),
            outcome.wins_cite,
            outcome.pays_cite,
            self._test(outcome),
        )

    def _odds(self, outcome: Outcome) -> Odds:
        odds = outcome.odds(self.letter)
        if outcome.pays_from == "submission.tie_odds":
            odds = self.terms.tie_odds
        elif outcome.pays_from == "submission.odds":
            odds = self.terms.house_odds.get((self.ref.id, outcome.code), odds)
        if odds.kind in (OddsKind.LOSS, OddsKind.NOT_APPLICABLE):
            self.readings.add(UnpaidCell.ID)
            if self.terms.readings[UnpaidCell.ID] == UnpaidCell.PUSH:
                return parse_odds("push")
        return odds

    def _test(self, outcome: Outcome) -> Test:
        tests = [self._condition(condition) for condition in outcome.conditions()]
        for code in outcome.any_wins:
            tests.append(_wins_test(self._sibling(code)))
        for code in outcome.any_occurs:
            tests += [outcome.test for outcome in self._sibling(code).outcomes]
        return tests[0] if len(tests) == 1 else any_of(tests)

    def _condition(self, condition: Condition) -> Test:
        for name in condition:
            self.knowledge = max(self.knowledge, self.vocabulary[name].knowledge)
            self.stage = max(self.stage, self.vocabulary[name].stage)
        return compile_condition(condition, self.vocabulary)

    def _sibling(self, code: str) -> PricedWager:
        """Compile a sibling under this wager's letter, whatever letter is filed for it."""
        sibling = WagerRef(f"{self.section.id}.{code}")
        letters = {**self.terms.letters, sibling.id: self.letter} if self.letter else {}
        terms = replace(self.terms, letters=letters)
        priced = _Compiler(Rules(self.rules.law, terms), sibling).compile()
        self.knowledge = max(self.knowledge, priced.knowledge)
        self.stage = max(self.stage, priced.stage)
        self.readings.update(priced.readings)
        return priced


def _wins_test(sibling: PricedWager) -> Test:
    """A test that is met where the sibling's first fitting row is priced as a win."""

    def test(facts: CoupFacts) -> Fact:
        won: Fact = 0
        for outcome, is_first in sibling.first_matches(facts):
            if outcome.odds.is_win:
                won = won | is_first
        return won

    return test


def profit_ratio(outcome: PricedOutcome, terms: Terms) -> Fraction:
    """Give the profit per unit staked of a fixed price, before vigorish.

    Under reading D1 ``for`` the total handed over includes the stake; under ``to`` it does not.
    """
    odds = outcome.odds
    if odds.kind is OddsKind.TO:
        return odds.ratio
    if odds.kind is OddsKind.FOR:
        return odds.ratio if terms.readings[OddsFor.ID] == OddsFor.PROFIT else odds.ratio - 1
    return Fraction(0) if odds.kind is OddsKind.PUSH else Fraction(-1)
