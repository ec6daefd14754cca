"""The profile of a simulated floor: pace, seats, penetration, wagers, and fit to the odds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from auditors.law import load_law
from auditors.law.packed_facts import pack
from auditors.odds.deals import exact_deals
from auditors.odds.exact import wager_odds
from auditors.odds.listing import TIE_ODDS, commission_forms, refs_of
from auditors.settlement.rules import PricedWager, Rules
from auditors.settlement.terms import WagerRef, default_terms
from schemas.odds import format_percent
from schemas.rules_submission import CommissionForm
from streams.simulator.chi_square import Fit, fit_of
from streams.simulator.feed import SECOND
from streams.simulator.tables.coup_plan import CoupPlan
from streams.simulator.tables.playing import PlayingTable

P_LEAST: Final = 0.001
"""All fits together count as good above this p-value."""

_TESTED: Final = (
    (WagerRef("minibaccarat.player"), None),
    (WagerRef("golden_talons", "player"), "A"),
    (WagerRef("golden_talons", "banker"), "B"),
    (WagerRef("rising_phoenix.player_pair"), None),
    (WagerRef("rising_phoenix.banker_pair"), None),
    (WagerRef("majestic_match", "player"), None),
    (WagerRef("house.small"), None),
    (WagerRef("eclipse.divine_9"), "A"),
)
"""Wagers whose outcomes, coup by coup, are held against their exact odds."""


@dataclass(frozen=True, slots=True)
class WagerKind:
    """One wager under one letter and form: what is counted by itself."""

    wager: str
    hand: str | None
    letter: str | None
    form: str | None
    """``4%``, ``5%``, ``free``, or the odds of a tie; None where nothing is filed for it."""


@dataclass(frozen=True, slots=True)
class OutcomeFit:
    """How well the outcomes of one wager fit its odds."""

    wager: str
    decks: int
    coups: int
    fit: Fit


@dataclass(slots=True)
class _ShoeSeen:
    shoe_id: str
    dealt: int
    held: int
    is_dealt_out: bool


@dataclass(slots=True)
class _Tested:
    priced: PricedWager
    rules: Rules
    counts: Counter[str] = field(default_factory=Counter)


class Profile:
    """Listens to the coups of a floor and counts."""

    def __init__(self) -> None:
        self.coups = self.seats = 0
        self.placed: Counter[WagerKind] = Counter()
        self._first_us: dict[str, int] = {}
        self._last_us: dict[str, int] = {}
        self._shoes: dict[str, _ShoeSeen] = {}
        self._penetration: list[Fraction] = []
        self._kinds: dict[tuple[str, int, str], WagerKind] = {}
        self._tested: dict[int, list[_Tested]] = {}

    def hear(self, table: PlayingTable, plan: CoupPlan) -> None:
        """Take in a coup that was dealt."""
        self.coups += 1
        self.seats += len({bet.seat for bet in plan.bets})
        self._first_us.setdefault(table.source_id, plan.start_us)
        self._last_us[table.source_id] = table.pace.at_us
        self._see_shoe(table.source_id, plan)
        for bet in plan.standing:
            self.placed[self._kind(table, bet.name)] += 1
        # A coup that was steered to an outcome, or never dealt out, says nothing of the odds.
        if plan.is_plain and not plan.is_void:
            packed = pack(plan.judged.facts)
            for tested in self._tested_at(plan.shoe.decks):
                matched = tested.rules.rule_packed(tested.priced, packed).matched
                tested.counts["+".join(row.code for row in matched)] += 1

    def _see_shoe(self, source_id: str, plan: CoupPlan) -> None:
        shoe, before = plan.shoe, self._shoes.get(source_id)
        if before is not None and before.shoe_id != shoe.shoe_id and before.is_dealt_out:
            self._penetration.append(Fraction(before.dealt, before.held))
        self._shoes[source_id] = _ShoeSeen(
            shoe.shoe_id, shoe.taken, len(shoe.cards), shoe.is_cover_drawn
        )

    def _kind(self, table: PlayingTable, name: str) -> WagerKind:
        key = (table.submission.id, table.submission.version, name)
        found = self._kinds.get(key)
        if found is None:
            terms, ref = table.settler.terms, _ref(name)
            letter = terms.letters.get(ref.id)
            found = WagerKind(ref.id, ref.hand, letter, None)
            if commission_forms(load_law(), ref):
                rate = format_percent(terms.vigorish_rate).replace(" ", "")
                form = "free" if terms.commission is CommissionForm.FREE else rate
                found = replace(found, form=form)
            elif _has_tie_odds(ref):
                found = replace(found, form=terms.tie_odds.text)
            self._kinds[key] = found
        return found

    def _tested_at(self, decks: int) -> list[_Tested]:
        found = self._tested.get(decks)
        if found is None:
            law, found = load_law(), []
            for ref, letter in _TESTED:
                letters = {ref.id: letter} if letter else {}
                terms = replace(default_terms(law), decks=decks, letters=letters)
                rules = Rules(law, terms)
                found.append(_Tested(rules.priced(ref), rules))
            self._tested[decks] = found
        return found

    @property
    def coups_an_hour(self) -> float:
        """Coups of one table in an hour of play, on average."""
        played = sum(
            self._last_us[table_id] - self._first_us[table_id] for table_id in self._last_us
        )
        return self.coups * 3600 * SECOND / played if played else 0.0

    @property
    def seats_a_coup(self) -> float:
        """Seats with a wager, on average."""
        return self.seats / self.coups if self.coups else 0.0

    @property
    def penetration(self) -> float | None:
        """Part of a shoe that leaves it before the next one, on average; None: none was ended."""
        found = self._penetration
        return float(sum(found, Fraction(0)) / len(found)) if found else None

    def counts(self) -> Iterator[tuple[WagerKind, int]]:
        """Give every wager, hand, letter and form that the law has, with how often it stood."""
        for kind in wager_kinds():
            yield kind, self.placed.get(kind, 0)

    def fits(self) -> list[OutcomeFit]:
        """Hold the outcomes of coups against the exact odds."""
        found = []
        for decks, tested in sorted(self._tested.items()):
            deals = exact_deals(decks, load_law().sections["minibaccarat"])
            for kind in tested:
                odds: dict[str, Fraction] = {}
                loss = kind.priced.wager.loses.code
                for outcome in wager_odds(kind.rules, kind.priced.ref, deals).outcomes:
                    code = "" if outcome.code == loss else outcome.code
                    odds[code] = odds.get(code, Fraction(0)) + outcome.probability
                fit = fit_of(kind.counts, odds)
                found.append(OutcomeFit(str(kind.priced.ref), decks, kind.counts.total(), fit))
        return found

    def fits_well(self, fits: list[OutcomeFit]) -> bool:
        """Whether the coups fit: the worst of so many tests is not below :data:`P_LEAST`."""
        return all(outcome.fit.p_value * len(fits) > P_LEAST for outcome in fits)


def wager_kinds() -> Iterator[WagerKind]:
    """Give every wager with each hand, letter, commission form and tie odds that it can have."""
    law = load_law()
    for wager_id, (section, _) in law.wagers.items():
        for ref in refs_of(law, wager_id):
            for letter in section.paytables or (None,):
                for form in _forms(ref):
                    yield WagerKind(ref.id, ref.hand, letter, form)


def _forms(ref: WagerRef) -> tuple[str | None, ...]:
    forms = commission_forms(load_law(), ref)
    if forms:
        found = ("4%", "5%") if CommissionForm.STANDARD in forms else ()
        return (*found, "free") if CommissionForm.FREE in forms else found
    return tuple(odds.text for odds in TIE_ODDS) if _has_tie_odds(ref) else (None,)


def _has_tie_odds(ref: WagerRef) -> bool:
    _, wager = load_law().wagers[ref.id]
    return any(outcome.pays_from == "submission.tie_odds" for outcome in wager.outcome)


def _ref(name: str) -> WagerRef:
    wager_id, _, hand = name.partition("@")
    return WagerRef(wager_id, hand or None)
