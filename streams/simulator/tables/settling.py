"""What a simulated dealer owes: the product's own settlement, remembered by outcome and stake.

No law is written down here: every amount comes from
:func:`auditors.settlement.amounts.settle_wager`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from auditors.law import load_law
from auditors.law.model import Section
from auditors.law.packed_facts import pack
from auditors.odds.listing import refs_of
from auditors.settlement.amounts import settle_wager
from auditors.settlement.checks import is_base, needs_base
from auditors.settlement.coup import Coup
from auditors.settlement.pricing import outcome_word
from auditors.settlement.rules import Rules
from auditors.settlement.terms import MAIN_WAGERS, Terms, WagerRef, game_section, is_game, terms_of
from schemas.money import parse_amount
from schemas.odds import OddsKind
from schemas.rules_submission import RulesSubmission, VigorishTiming

_RULINGS_KEPT: Final = 40_000
"""After so many coups the engine's memory of rulings is begun anew, so that it stays bounded."""


@dataclass(frozen=True, slots=True)
class Due:
    """The outcome of one wager and what is due for it."""

    outcome: str
    due_minor: int
    vigorish_minor: int


@dataclass(frozen=True, slots=True)
class Offer:
    """One wager that patrons of the table may place."""

    ref: WagerRef
    letter: str | None
    minimum_minor: int
    maximum_minor: int
    unit_minor: int | None
    """The one permitted stake, where the wager runs on a progressive."""
    progressive_id: str | None
    needs_base: bool
    is_base: bool
    settles_early: bool
    """Whether it is settled on the first four cards."""
    is_main: bool
    """Whether it is Player or Banker of the table's game."""


class Settler:
    """Settles wagers of one table under the filing in force."""

    def __init__(self, submission: RulesSubmission) -> None:
        self.submission = submission
        self.terms: Terms = terms_of(load_law(), submission)
        self.game: Section = game_section(load_law(), self.terms)
        self._dues: dict[tuple[WagerRef, tuple[str, ...], int, int], Due] = {}
        self._coups = 0
        self._renew()
        self.offers: dict[str, Offer] = {
            str(offer.ref): offer for offer in self._offers(submission)
        }

    def _renew(self) -> None:
        self.rules = Rules(load_law(), self.terms)

    @property
    def marks_vigorish(self) -> bool:
        """Whether vigorish is marked and collected later."""
        return self.terms.vigorish_timing is VigorishTiming.MARKED

    def _offers(self, submission: RulesSubmission) -> list[Offer]:
        running = {progressive.wager: progressive for progressive in submission.progressives}
        found = []
        for filed in submission.wagers:
            least, most = self.terms.limits[filed.id]
            section, wager = load_law().wagers[filed.id]
            progressive = running.get(filed.id)
            unit = parse_amount(progressive.unit, submission.currency) if progressive else None
            for ref in refs_of(load_law(), filed.id):
                found.append(
                    Offer(
                        ref=ref,
                        letter=filed.paytable,
                        minimum_minor=least or 100,
                        maximum_minor=most or 100_000,
                        unit_minor=unit,
                        progressive_id=progressive.id if progressive else None,
                        needs_base=needs_base(self.rules, section, wager),
                        is_base=is_base(self.rules, ref),
                        settles_early=(wager.settles or section.settles) == "after_first_four",
                        is_main=wager.code in MAIN_WAGERS[:2] and is_game(load_law(), section.id),
                    )
                )
        return found

    def begin_coup(self) -> None:
        """Note that a coup is settled."""
        self._coups += 1
        if self._coups % _RULINGS_KEPT == 0:
            self._renew()
            self._dues.clear()

    def due(self, ref: WagerRef, coup: Coup, stake_minor: int) -> Due:
        """Say what is due, the cards taken as they lie."""
        priced = self.rules.priced(ref)
        ruling = self.rules.rule_packed(priced, pack(coup.facts))
        fitting = tuple(row.code for row in ruling.matched)
        key = (ref, fitting, len(ruling.candidates), stake_minor)
        found = self._dues.get(key)
        if found is None:
            as_they_lie = replace(coup, faults=())
            verdict = settle_wager(self.rules, as_they_lie, ref, stake_minor)
            if verdict.due_minor is None:
                raise ValueError(f"{ref} has no amount due: {verdict.sentence}")
            found = Due(verdict.outcome or "", verdict.due_minor, verdict.vigorish_minor or 0)
            self._dues[key] = found
        return found

    def outcome_code(self, ref: WagerRef, coup: Coup) -> str:
        """Name the rows of the paytable that a wager comes to; empty where it loses."""
        ruling = self.rules.rule_packed(self.rules.priced(ref), pack(coup.facts))
        return "+".join(row.code for row in ruling.matched)

    def wins_meter(self, ref: WagerRef, coup: Coup) -> bool:
        """Whether a wager wins the progressive."""
        ruling = self.rules.rule_packed(self.rules.priced(ref), pack(coup.facts))
        return any(candidate.odds.kind is OddsKind.METER for candidate in ruling.candidates)

    def winning(self, coup: Coup) -> tuple[str, ...]:
        """Name every offered wager that wins, as the table announces them."""
        packed = pack(coup.facts)
        return tuple(
            name
            for name, offer in self.offers.items()
            if outcome_word(self.rules.rule_packed(self.rules.priced(offer.ref), packed).matched)
            == "win"
        )
