"""The meters that a table feeds under a filing, and what a coup adds to each of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from auditors.law.interpretations import (
    CloseHits,
    FixedAward,
    MeterCents,
    OddsFor,
    ProgressiveShare,
    ProgressiveStake,
    ResetAmount,
    SeveralRows,
    VoidedContribution,
    WinningContribution,
)
from auditors.settlement.amounts import is_void
from auditors.settlement.rules import PricedOutcome, Ruling
from auditors.table.known.context import Folding
from auditors.table.known.rules import NamedWager, TableRules, rules_under
from auditors.table.known.state import CoupState, PlacedWager
from auditors.table.known.view import CoupView
from schemas.events import Capability
from schemas.money import parse_amount
from schemas.odds import OddsKind
from schemas.progressive_inputs import AcceptedWager, CardsHit, FiledMeter
from schemas.rules_submission import FiledProgressive, RulesSubmission

_READINGS: Final = (
    OddsFor.ID,
    SeveralRows.ID,
    ProgressiveShare.ID,
    ProgressiveStake.ID,
    ResetAmount.ID,
    WinningContribution.ID,
    MeterCents.ID,
    VoidedContribution.ID,
    FixedAward.ID,
    CloseHits.ID,
)
_FILINGS_KEPT: Final = 256
_CARDS_KEPT: Final = 16_384


class LinkedMeter(NamedTuple):
    """One level of a progressive that a wager of the table feeds."""

    progressive_id: str
    filed: FiledMeter
    wager: NamedWager


class Told(NamedTuple):
    """What a coup says to a meter, when it is said aside; equal where nothing is new."""

    state: Literal["open", "locked", "closed", "voided"]
    locked_at_us: int | None
    is_unverified: bool
    entries: tuple[AcceptedWager, ...]
    hit: CardsHit | None


_METERS: Final[dict[str, tuple[LinkedMeter, ...]]] = {}


def meters_under(key: str, submission: RulesSubmission) -> tuple[LinkedMeter, ...]:
    """Give the meters that a filing names; remembered by the filing's content.

    One whose wager or rate nobody can tell is left out: the filing's defect says so.

    Args:
        key: The filing's, as in the state.
        submission: The filing.
    """
    if not submission.progressives:
        return ()
    found = _METERS.get(key)
    if found is None:
        rules = rules_under(key, submission)
        meters: dict[tuple[str, int], LinkedMeter] = {}
        for one in submission.progressives:
            meter = _linked(rules, one)
            if meter is not None:
                meters.setdefault((one.id, one.level), meter)
        found = tuple(meters.values())
        if len(_METERS) >= _FILINGS_KEPT:
            _METERS.clear()
        _METERS[key] = found
    return found


def _linked(rules: TableRules, one: FiledProgressive) -> LinkedMeter | None:
    law, terms = rules.rules.law, rules.rules.terms
    if one.wager not in law.wagers:
        return None
    named, section = rules.named(one.wager), law.wagers[one.wager][0]
    letter = named.priced.letter if named.priced else None
    printed = section.progressive
    rates = (one.increment_rate, one.reserve_rate)
    if printed is not None and letter is not None:
        rates = (rates[0] or printed.increment[letter], rates[1] or printed.reserve[letter])
    if rates[0] is None:
        return None
    submission = rules.submission
    unit, base, reset = (
        parse_amount(text, terms.currency) for text in (one.unit, one.base, one.reset)
    )
    filed = FiledMeter(
        rules_version=submission.rules_version,
        wager=one.wager,
        level=one.level,
        paytable=letter,
        increment_rate=rates[0],
        reserve_rate=rates[1] or "0%",
        rate_citation=section.citation(printed.cite) if printed else None,
        unit_minor=unit,
        base_minor=base,
        reset_minor=reset,
        limit_minor=parse_amount(one.limit, terms.currency) if one.limit is not None else None,
        void_policy=one.void_policy,
        is_chips_counted=one.chips_counted,
        is_linked=one.linked,
        readings={id_: terms.readings[id_] for id_ in _READINGS},
        time_zone=submission.time_zone,
        gaming_day_start=submission.gaming_day_start.isoformat().removesuffix(":00"),
        jurisdiction=law.id,
    )
    return LinkedMeter(one.id, filed, named)


def told_by(view: CoupView, meter: LinkedMeter, now_us: int) -> Told:
    """Say what a coup tells a meter.

    Outcomes and payments are told where they matter to it: once the coup is over, or its cards win
    the meter.

    Args:
        view: The coup.
        meter: The meter.
        now_us: When the event happened that is being folded, by the table's clock.
    """
    state = view.state
    hit = hit_of(view, meter, now_us)
    is_over = hit is not None or state.is_closed or state.voided is not None
    call = state.no_more_bets
    return Told(
        state="voided"
        if state.voided is not None
        else "closed"
        if state.is_closed
        else "open"
        if call is None
        else "locked",
        locked_at_us=None if call is None else call.occurred_at_us + state.clock_offset_us,
        is_unverified=state.is_unverified,
        entries=tuple(_entries(view, meter, is_over=is_over)),
        hit=hit,
    )


def runs_on(wager: PlacedWager, view: CoupView, meter: LinkedMeter) -> bool:
    """Whether a wager feeds a meter: placed as its wager, and not withdrawn in time."""
    ref = view.named(wager).ref
    return not wager.is_withdrawn and ref is not None and ref.id == meter.filed.wager


def _entries(view: CoupView, meter: LinkedMeter, *, is_over: bool) -> Iterator[AcceptedWager]:
    offset_us = view.state.clock_offset_us
    for placed in view.state.wagers:
        if not runs_on(placed, view, meter):
            continue
        named = view.named(placed)
        ruling = _ruling(view, named) if is_over else None
        yield AcceptedWager(
            wager_id=placed.wager_id,
            wager_no=placed.wager_no,
            seat=placed.seat,
            patron=placed.patron,
            stake_minor=placed.stake_minor,
            accepted_at_us=placed.placed_at_us + offset_us,
            sequence=placed.sequence,
            is_late=placed.is_late,
            outcome_code=_code(named, ruling),
            is_meter_won=bool(_meter_row(named, ruling)),
            paid_minor=_paid(placed) if is_over else None,
        )


def _paid(placed: PlacedWager) -> int | None:
    if not placed.payments and placed.refunded_minor is None:
        return None
    paid = sum(one.paid_minor + one.paid_change_minor for one in placed.payments)
    return paid + (placed.refunded_minor or 0)


def _ruling(view: CoupView, named: NamedWager) -> Ruling | None:
    """Rule on a wager once the cards are final; None where nothing can be said."""
    priced, state = named.priced, view.state
    if priced is None or state.voided is not None or not view.cards_are_final:
        return None
    coup, rules = view.settled_coup, view.rules
    if coup is None or is_void(rules, coup, priced):
        return None
    if not coup.settles_at(priced.stage) or priced.knowledge > coup.knowledge_at(priced.stage):
        return None
    hands = view.hands
    if coup is hands.coup:
        return rules.rule_packed(priced, hands.packed)
    return rules.rule(priced, coup.facts)


def _code(named: NamedWager, ruling: Ruling | None) -> str | None:
    if ruling is None or named.priced is None:
        return None
    return "+".join(one.code for one in ruling.matched) or named.priced.wager.loses.code


def _meter_row(named: NamedWager, ruling: Ruling | None) -> PricedOutcome | None:
    """Give the row that is paid from the meter; where the greatest counts, it may be that one."""
    if ruling is None or named.priced is None:
        return None
    rows = ruling.matched if named.priced.match == "first" else ruling.candidates
    return next((one for one in rows if one.odds.kind is OddsKind.METER), None)


_WINS_NONE: Final[dict[tuple[str, str, bool], bool]] = {}


def wins_no_meter(folding: Folding, coup: CoupState) -> bool:
    """Whether the cards of a coup win none of its meters; remembered by filing and cards.

    Only of a coup whose result was announced, without drawing errors, losses of events or a void:
    nothing but the filing and the cards decides then, and every settlement asks.
    """
    key = (coup.filing, coup.hands, Capability.CARDS in folding.state.reports)
    found = _WINS_NONE.get(key)
    if found is None:
        view = CoupView(folding, coup)
        meters = meters_under(coup.filing, view.submission)
        found = all(hit_of(view, one, folding.occurred_at_us) is None for one in meters)
        if len(_WINS_NONE) >= _CARDS_KEPT:
            _WINS_NONE.clear()
        _WINS_NONE[key] = found
    return found


def hit_of(view: CoupView, meter: LinkedMeter, now_us: int) -> CardsHit | None:
    """Say whether the cards win the meter, whoever wagered on it.

    Args:
        view: The coup.
        meter: The meter.
        now_us: When the event happened that is being folded: where no result is announced it
            stands for the moment at which the cards became final.
    """
    ruling = _ruling(view, meter.wager)
    row = _meter_row(meter.wager, ruling)
    if row is None or meter.wager.priced is None:
        return None
    state: CoupState = view.state
    mark = state.result
    decided_at_us = mark.occurred_at_us if mark else now_us
    return CardsHit(
        outcome_code=row.code,
        pays=row.odds.text,
        citation=meter.wager.priced.section.citation(row.wins_cite, row.pays_cite),
        cards=f"{view.hands.player_text} / {view.hands.banker_text}",
        decided_at_us=decided_at_us + state.clock_offset_us,
        sequence=mark.sequence if mark else max(view.card_sequences),
    )
