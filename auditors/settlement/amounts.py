"""The settlement of a wager: what is due, exactly, with the sentence that says why.

Rounding happens once per wager by the stated policy. An amount that cannot be paid exactly
without a policy is an error here, never a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from auditors.catalogue.sentences.hands import cards_sentence, result_sentence
from auditors.law.facts import Stage
from auditors.law.interpretations import (
    CardDrawnInError,
    EarlySettlement,
    OddsFor,
    ProgressiveShare,
    SeveralRows,
    StakeOutsideLimits,
)
from auditors.settlement.coup import Coup
from auditors.settlement.pricing import Price, outcome_word, price_of, standing_limit, whole_minor
from auditors.settlement.rules import PricedOutcome, PricedWager, Rules, Ruling, profit_ratio
from auditors.settlement.terms import TermsError, WagerRef
from schemas.cards import Knowledge, format_hand
from schemas.finding_facts.payment import Reckoning
from schemas.findings import FindingCode
from schemas.money import grouped_minor
from schemas.odds import OddsKind, format_percent
from schemas.rules_submission import VigorishTiming

VOID: Final = "void"
"""Outcome code of a wager that never stood: neither won nor lost, its stake is returned."""


class MeterMissingError(TermsError):
    """A wager wins the progressive, and nobody said what the meter showed."""


@dataclass(frozen=True, slots=True)
class Meter:
    """The progressive meter on which a hit is paid."""

    amount_minor: int
    """Frozen at lock-out."""
    winning_stakes_minor: tuple[int, ...]
    """Stakes of all winning wagers on the meter in order of acceptance, this one included."""
    position: int = 0
    """Which of them this wager is."""
    reset_minor: int | None = None
    """The display after a hit, for the reading that pays winners one after the other."""


@dataclass(frozen=True, slots=True)
class WagerVerdict:
    """What should have happened to one wager."""

    ref: WagerRef
    paytable: str | None
    outcome: str | None
    """``win``, ``lose`` or ``push``; None where undetermined."""
    outcome_code: str | None
    pays: str | None
    stake_minor: int
    due_minor: int | None
    """Total that should be handed back: net of vigorish taken, gross where it is marked."""
    vigorish_minor: int | None
    citation: str | None
    interpretations: dict[str, str]
    sentence: str
    """Cards, result, paragraph and arithmetic."""
    reckoning: Reckoning | None = None
    """The same as typed facts; None where the amount is open."""
    name: str = ""
    """The wager as its section names it, with its hand where it backs one."""

    @property
    def net_minor(self) -> int | None:
        """Won or lost, the stake not counted; None where undetermined."""
        return None if self.due_minor is None else self.due_minor - self.stake_minor


@dataclass(frozen=True, slots=True)
class _Amount:
    due_minor: int
    workings: str
    """How the amount comes about, as far as the amount itself: ``100.00 + 95.00 =``."""
    vigorish_minor: int = 0
    interpretations: Mapping[str, str] = field(default_factory=dict)
    remark: str = ""
    """What is said after the amount."""


def settle_wager(
    rules: Rules, coup: Coup, ref: WagerRef, stake_minor: int, meter: Meter | None = None
) -> WagerVerdict:
    """Settle one wager on one coup.

    Args:
        rules: The law under the terms of the table.
        coup: The cards, judged.
        ref: The wager, with its hand where it backs one.
        stake_minor: Accepted stake, minor units, > 0.
        meter: Needed for wagers that may win the progressive.

    Raises:
        NotPayableError: The amount has a remainder below one minor unit and no policy is filed.
        TermsError: A paytable letter, a commission form or the meter is missing.
    """
    priced = rules.priced(ref)
    if is_void(rules, coup, priced):
        return _void(rules, coup, priced, stake_minor)
    if (reason := _why_open(priced, coup)) is not None:
        return _open(rules, coup, priced, stake_minor, reason)
    ruling = rules.rule(priced, coup.facts)
    standing = stake_minor - excess_stake(rules, ref, stake_minor)
    return _settled(_Settlement(rules, coup, priced, ruling, standing, meter), stake_minor)


def is_void(rules: Rules, coup: Coup, priced: PricedWager) -> bool:
    """Whether a wager never stood, since a card drawn in error makes the coup void (D30).

    Majestic Match is settled before third cards and stands, unless it is refunded as well (D24).
    """
    readings = rules.terms.readings
    if readings[CardDrawnInError.ID] != CardDrawnInError.VOID or not _drawn_in_error(coup):
        return False
    return (
        priced.section.settles != "after_first_four"
        or readings[EarlySettlement.ID] == EarlySettlement.REFUNDED
    )


def _drawn_in_error(coup: Coup) -> bool:
    return any(fault.code in _DRAWN_IN_ERROR for fault in coup.faults)


_DRAWN_IN_ERROR: Final = (FindingCode.THIRD_CARD_DRAWN_IN_ERROR, FindingCode.CARD_AFTER_NATURAL)


def _why_open(priced: PricedWager, coup: Coup) -> str | None:
    if not coup.settles_at(priced.stage):
        faults = "; ".join(fault.sentence for fault in coup.faults)
        return f"undetermined: {faults}"
    if priced.knowledge > coup.knowledge_at(priced.stage):
        needed = "suits" if priced.knowledge is Knowledge.SUIT else "ranks"
        return f"undetermined: it depends on {needed}, which are not recorded"
    return None


def _open(
    rules: Rules, coup: Coup, priced: PricedWager, stake_minor: int, reason: str
) -> WagerVerdict:
    readings = (
        {CardDrawnInError.ID: rules.terms.readings[CardDrawnInError.ID]}
        if _drawn_in_error(coup)
        else {}
    )
    return WagerVerdict(
        ref=priced.ref,
        paytable=priced.letter,
        outcome=None,
        outcome_code=None,
        pays=None,
        stake_minor=stake_minor,
        due_minor=None,
        vigorish_minor=None,
        citation=priced.section.citation(priced.wager.loses.cite),
        interpretations=readings,
        sentence=f"{cards_sentence(coup.player, coup.banker)}. {priced.name} {reason}.",
    )


def _void(rules: Rules, coup: Coup, priced: PricedWager, stake_minor: int) -> WagerVerdict:
    stake = grouped_minor(stake_minor, rules.terms.currency)
    used = (
        (EarlySettlement.ID, CardDrawnInError.ID)
        if priced.section.settles == "after_first_four"
        else (CardDrawnInError.ID,)
    )
    faults = "; ".join(fault.sentence for fault in coup.faults)
    return WagerVerdict(
        ref=priced.ref,
        paytable=priced.letter,
        outcome=None,
        outcome_code=VOID,
        pays=None,
        stake_minor=stake_minor,
        due_minor=stake_minor,
        vigorish_minor=0,
        citation=priced.section.citation(priced.wager.loses.cite),
        interpretations={id_: rules.terms.readings[id_] for id_ in used},
        sentence=(
            f"{cards_sentence(coup.player, coup.banker)}. {faults}: the coup is void. "
            f"{priced.name}: stake {stake} returned = {stake} due."
        ),
        reckoning=Reckoning(
            player_cards=format_hand(coup.player),
            banker_cards=format_hand(coup.banker),
            claim=priced.name,
            workings=f"stake {stake} returned =",
            void=faults,
        ),
        name=priced.name,
    )


def excess_stake(rules: Rules, ref: WagerRef, stake_minor: int) -> int:
    """Say how much of a stake does not stand, because it exceeds the filed maximum (D31).

    Returns:
        Minor units to be returned whatever the outcome; 0 where a stake is settled in full.
    """
    limit = standing_limit(rules, ref)
    return 0 if limit is None else max(0, stake_minor - limit)


def _settled(settlement: _Settlement, accepted_minor: int) -> WagerVerdict:
    rules, priced = settlement.rules, settlement.priced
    rows = settlement.rows()
    amount = settlement.amount(rows)
    if amount and accepted_minor > settlement.stake_minor:
        amount = settlement.with_excess(amount, accepted_minor - settlement.stake_minor)
    row = rows[0] if rows else None
    outcome = outcome_word(rows)
    cites = [cite for each in rows for cite in (each.wins_cite, each.pays_cite)]
    citation = priced.section.citation(*(cites or [priced.wager.loses.cite]))
    interpretations = dict(settlement.ruling.interpretations)
    interpretations.update(amount.interpretations if amount else {})
    return WagerVerdict(
        ref=priced.ref,
        paytable=priced.letter,
        outcome=outcome,
        outcome_code="+".join(row.code for row in rows) if row else priced.wager.loses.code,
        pays=" + ".join(row.odds.text for row in rows) if row else "loss",
        stake_minor=accepted_minor,
        due_minor=amount.due_minor if amount else None,
        vigorish_minor=amount.vigorish_minor if amount else None,
        citation=citation,
        interpretations=interpretations,
        sentence=settlement.sentence(rows, amount, citation, rules.terms.rules_version),
        reckoning=settlement.reckoning(rows, amount) if amount else None,
        name=priced.name,
    )


@dataclass(frozen=True)
class _Settlement:
    """One wager on its way from ruling to money."""

    rules: Rules
    coup: Coup
    priced: PricedWager
    ruling: Ruling
    stake_minor: int
    meter: Meter | None

    def rows(self) -> tuple[PricedOutcome, ...]:
        """Give the rows that are paid: under ``greatest`` the one that hands over most."""
        candidates = self.ruling.candidates
        if self.priced.match == "greatest" and len(candidates) > 1:
            return (max(candidates, key=self._handed_over),)
        return self.ruling.matched

    def amount(self, rows: tuple[PricedOutcome, ...]) -> _Amount | None:
        """Work out the money; None where no odds are filed for the outcome."""
        if not rows or outcome_word(rows) == "lose":
            return _Amount(0, f"stake {self._text(self.stake_minor)} collected,")
        if any(row.odds.kind is OddsKind.UNPRICED for row in rows):
            return None
        if rows[0].odds.less_vigorish:
            return self._less_vigorish(rows[0])
        if len(rows) > 1:
            return self._several(rows)
        return self._single(rows[0])

    def _handed_over(self, row: PricedOutcome) -> Fraction:
        if row.odds.kind is OddsKind.METER:
            return self._share(row) + self._returned_with_meter()
        return self.stake_minor * (1 + profit_ratio(row, self.rules.terms))

    def _single(self, row: PricedOutcome) -> _Amount:
        stake, text = self.stake_minor, self._text
        if row.odds.kind is OddsKind.METER:
            return self._meter_amount(row)
        if row.odds.kind is OddsKind.PUSH:
            return _Amount(stake, f"stake {text(stake)} returned =")
        price, what = self._price(row), f"{row.odds} on {text(stake)}"
        if row.odds.kind is OddsKind.FOR and self.rules.terms.readings[OddsFor.ID] == OddsFor.TOTAL:
            due = whole_minor(price.due, what, self._currency)
            return _Amount(due, f"{_decimal(row.odds.ratio)} x {text(stake)} =")
        profit = whole_minor(price.profit, what, self._currency)
        used = dict([price.rounding]) if price.rounding else {}
        return _Amount(stake + profit, f"{text(stake)} + {text(profit)} =", interpretations=used)

    def _price(self, row: PricedOutcome) -> Price:
        return price_of(self.rules, self.priced, row, Fraction(self.stake_minor))

    def _less_vigorish(self, row: PricedOutcome) -> _Amount:
        terms, stake, text = self.rules.terms, self.stake_minor, self._text
        won = stake * row.odds.ratio
        profit = whole_minor(won, f"{row.odds} on {text(stake)}", self._currency)
        price = self._price(row)
        rate = f"{format_percent(terms.vigorish_rate)} of {self._exact_text(won)}"
        whole_minor(price.charged, rate, self._currency)
        vigorish, used = price.vigorish.numerator, dict([price.rounding] if price.rounding else [])
        due = price.due.numerator
        if terms.vigorish_timing is VigorishTiming.MARKED:
            workings, remark = f"{text(stake)} + {text(profit)} =", f"{text(vigorish)} marked"
            return _Amount(due, workings, vigorish, used, f", vigorish {remark}")
        return _Amount(due, f"{text(stake)} + {text(due - stake)} =", vigorish, used)

    def _several(self, rows: tuple[PricedOutcome, ...]) -> _Amount:
        """Pay every fitting row (D2 ``every``): each hands over its own total."""
        parts: list[int] = []
        for row in rows:
            what = f"{row.odds} on {self._text(self.stake_minor)}"
            parts.append(whole_minor(self._every_part(row), what, self._currency))
        stake_back = (
            self.stake_minor if self.rules.terms.readings[OddsFor.ID] == OddsFor.PROFIT else 0
        )
        due = sum(parts) + stake_back
        shown = [self._text(part) for part in ([stake_back] if stake_back else []) + parts]
        return _Amount(due, f"{' + '.join(shown)} =", interpretations=self._sharing())

    def _every_part(self, row: PricedOutcome) -> Fraction:
        if row.odds.kind is OddsKind.METER:
            return self._share(row)
        return self.stake_minor * row.odds.ratio

    def _meter_amount(self, row: PricedOutcome) -> _Amount:
        share = whole_minor(self._share(row), f"{row.odds}", self._currency)
        stake_back = self._returned_with_meter()
        due = share + stake_back
        meter = self._meter()
        winners = len(meter.winning_stakes_minor)
        is_split = self.rules.terms.readings[ProgressiveShare.ID] in (
            ProgressiveShare.EQUAL,
            ProgressiveShare.BY_STAKE,
        )
        how = "shared" if is_split else "won"
        among = f", {how} by {winners} winning wagers" if winners > 1 else ""
        plus = f" + stake {self._text(stake_back)}" if stake_back else ""
        workings = f"meter {self._text(meter.amount_minor)}{among}: {self._text(share)}{plus} ="
        return _Amount(due, workings, interpretations=self._sharing())

    def with_excess(self, amount: _Amount, excess_minor: int) -> _Amount:
        """Return what exceeds the filed maximum beside what the rest of the stake comes to."""
        readings = {StakeOutsideLimits.ID: self.rules.terms.readings[StakeOutsideLimits.ID]}
        part, excess = self._text(amount.due_minor), self._text(excess_minor)
        return replace(
            amount,
            due_minor=amount.due_minor + excess_minor,
            workings=f"{amount.workings} {part}, and {excess} above the maximum is returned:",
            interpretations={**amount.interpretations, **readings},
        )

    def _returned_with_meter(self) -> int:
        return self.stake_minor if self.rules.terms.readings[OddsFor.ID] == OddsFor.PROFIT else 0

    def _sharing(self) -> dict[str, str]:
        if self.meter is None or len(self.meter.winning_stakes_minor) < 2:
            return {}
        return {ProgressiveShare.ID: self.rules.terms.readings[ProgressiveShare.ID]}

    def _meter(self) -> Meter:
        if self.meter is None:
            raise MeterMissingError(
                f"{self.priced.ref} wins {self.ruling.matched[0].odds}: "
                "give the meter, such as --meter 125000.00"
            )
        return self.meter

    def _share(self, row: PricedOutcome) -> Fraction:
        """Give this wager's share of the meter by the reading in force (D3)."""
        meter = self._meter()
        amount = meter.amount_minor * row.odds.ratio
        return Fraction(
            share_of_meter(amount, meter, self.rules.terms.readings[ProgressiveShare.ID])
        )

    def sentence(
        self,
        rows: tuple[PricedOutcome, ...],
        amount: _Amount | None,
        citation: str | None,
        rules_version: str | None,
    ) -> str:
        """Say the verdict: cards, result, odds, arithmetic, and what it rests on."""
        coup = self.coup
        result = result_sentence(coup.player_points, coup.banker_points)
        lead = f"{cards_sentence(coup.player, coup.banker)}. {result}. "
        if self.priced.stage is Stage.FIRST_FOUR and not coup.is_determined:
            lead = f"{cards_sentence(coup.player[:2], coup.banker[:2])}. "
        money = "no odds are filed for it, the amount stays open"
        if amount:
            money = f"{amount.workings} {self._text(amount.due_minor)} due{amount.remark}"
        support = [citation] if citation else []
        support += [f"Rules Submission {rules_version}"] if rules_version else []
        basis = f" ({'; '.join(support)})" if support else ""
        return f"{lead}{self._claim(rows)}: {money}{basis}.{self._review(rows)}"

    def reckoning(self, rows: tuple[PricedOutcome, ...], amount: _Amount) -> Reckoning:
        """Give how the amount comes about as typed facts."""
        coup, player, banker = self.coup, self.coup.player, self.coup.banker
        is_by_four = self.priced.stage is Stage.FIRST_FOUR and not coup.is_determined
        if is_by_four:
            player, banker = player[:2], banker[:2]
        is_lost = outcome_word(rows) == "lose"
        return Reckoning(
            player_cards=format_hand(player),
            banker_cards=format_hand(banker),
            player_points=None if is_by_four else coup.player_points,
            banker_points=None if is_by_four else coup.banker_points,
            claim=self._claim(rows),
            workings=amount.workings,
            remark=amount.remark,
            printed=self._printed(rows) if is_lost else "",
            review=self._review(rows),
        )

    @staticmethod
    def _printed(rows: tuple[PricedOutcome, ...]) -> str:
        """Say what is printed for the outcome of a losing wager, where anything is."""
        return f", {rows[0].title} is printed {rows[0].odds}" if rows else ""

    def _claim(self, rows: tuple[PricedOutcome, ...]) -> str:
        is_main = self.priced.wager.code in ("player", "banker", "tie")
        word = outcome_word(rows)
        if word == "lose":
            return f"{self.priced.name} loses{self._printed(rows)}"
        if rows[0].odds.less_vigorish:
            rate = format_percent(self.rules.terms.vigorish_rate)
            odds = f"{rows[0].odds} ".replace(" less vigorish ", f" less {rate} vigorish")
        else:
            odds = " and ".join(row.odds.text for row in rows)
        if is_main and word == "win":
            return odds[0].upper() + odds[1:]
        titles = " and ".join(row.title for row in rows)
        letter = f", paytable {self.priced.letter}" if self.priced.letter else ""
        return f"{self.priced.name}: {titles}{letter}, {odds}"

    def _review(self, rows: tuple[PricedOutcome, ...]) -> str:
        """Name what a person should look at before money is paid (D2, D3)."""
        notes = []
        is_open = (
            self.priced.wager.match_reading == SeveralRows.ID
        )  # elsewhere the first row is the law
        if rows and is_open and self.priced.match == "first" and len(self.ruling.candidates) > 1:
            best = max(self.ruling.candidates, key=self._handed_over)
            if self._handed_over(best) > self._handed_over(rows[0]):
                notes.append(f"the row {best.title} would pay more ({SeveralRows.ID})")
        has_meter = any(row.odds.kind is OddsKind.METER for row in rows)
        if has_meter and self.meter and len(self.meter.winning_stakes_minor) > 1:
            notes.append(f"several wagers won the meter ({ProgressiveShare.ID})")
        return f" For review: {'; '.join(notes)}." if notes else ""

    @property
    def _currency(self) -> str:
        return self.rules.terms.currency

    def _text(self, minor: int) -> str:
        return grouped_minor(minor, self._currency)

    def _exact_text(self, amount: Fraction) -> str:
        return self._text(amount.numerator) if amount.denominator == 1 else str(amount)


def share_of_meter(amount: Fraction, meter: Meter, policy: str) -> int:
    """Share a jackpot among the wagers that won it.

    Leftover cents of a shared jackpot go one each to the first winners in order of acceptance.

    Args:
        amount: What the row awards of the meter, minor units.
        meter: The meter and all winning stakes.
        policy: Code of reading D3.

    Returns:
        Minor units for the wager at ``meter.position``.

    Raises:
        NotPayableError: The award itself is no whole number of minor units.
        TermsError: ``sequential_reset`` needs the reset amount and it is not known.
    """
    whole = whole_minor(amount, "the meter's award", "USD")
    stakes, position = meter.winning_stakes_minor, meter.position
    if policy == ProgressiveShare.EACH_WHOLE:
        return whole
    if policy == ProgressiveShare.SEQUENTIAL:
        if position == 0:
            return whole
        if meter.reset_minor is None:
            raise TermsError(
                f"reading {ProgressiveShare.ID}={ProgressiveShare.SEQUENTIAL} pays later winners "
                "the reset amount: file the progressive's reset in a Rules Submission"
            )
        return meter.reset_minor
    weights = stakes if policy == ProgressiveShare.BY_STAKE else (1,) * len(stakes)
    shares = [whole * weight // sum(weights) for weight in weights]
    leftover = whole - sum(shares)
    return shares[position] + (1 if position < leftover else 0)


def _decimal(ratio: Fraction) -> str:
    return f"{ratio.numerator:,}" if ratio.denominator == 1 else str(ratio)
