"""What is put out about a hit: its row, who is due what, and the findings about it.

Everything is worked out anew from what is known each time, so a payment that comes later puts
right what was found before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from auditors.law import Section
from auditors.law.interpretations import (
    CloseHits,
    MeterCents,
    OddsFor,
    ProgressiveShare,
    ResetAmount,
)
from auditors.progressive.hits.reseeding import Reseed, ReseedSaid, judge_reseed
from auditors.progressive.hits.winners import ShareDue, due_shares, judge_share
from auditors.progressive.ledger.context import Origin, Work, filed_of, law_of
from auditors.progressive.ledger.linked_coups import find_coup
from auditors.progressive.ledger.scaling import SCALE, decimal_text, fraction_of, shown_parts
from auditors.progressive.ledger.state import ASKED_US, LAG_US, Hit, KeptCoup, Level
from auditors.settlement.asserting import Claim
from auditors.settlement.terms import TermsError
from schemas.finding_facts.progressive import (
    ControllerHeard,
    JackpotNotWon,
    JackpotPassedBy,
    JackpotShare,
    NotWon,
    ResetWrong,
    SharePolicy,
)
from schemas.findings import Finding, FindingCode
from schemas.progressive_inputs import AcceptedWager, FiledMeter
from schemas.progressive_rows import HitRow, ShareRow
from schemas.records import RecordKind


def put_hit(work: Work, level: Level, hit: Hit) -> None:
    """Put a hit out as far as it is known."""
    filed = hit.filed or filed_of(level)
    dues = _dues(work, hit, filed)
    shares = tuple(
        ShareRow(
            table_id=hit.table_id,
            wager=wager,
            due_minor=None if due is None else due.due_minor,
            paid_minor=_paid(hit, wager),
            slip=next((one.slip for one in hit.payments if one.wager_id == wager.wager_id), None),
        )
        for wager, due in zip(hit.winners, dues, strict=True)
    )
    row = HitRow(
        hit_id=hit.hit_id,
        level=level.level,
        table_id=hit.table_id,
        coup_id=hit.coup_id,
        cards=hit.cards.cards if hit.cards else None,
        locked_at_us=hit.locked_us,
        amount=_text(work, hit.amount),
        amount_said=_text(work, hit.said_amount),
        policy=filed.readings.get(ProgressiveShare.ID) if filed and len(hit.winners) > 1 else None,
        close_order=_order(filed) if filed and close_hits(level, hit) else None,
        known_us=_known_us(level, hit),
        needs_review=_needs_review(level, hit),
        state="reset" if hit.reset_said else "paid" if hit.payments else "open",
        shares=shares,
        display_after=_text(work, hit.reset_said.after if hit.reset_said else None),
        reserve_funded=_text(work, hit.reset_said.reserve_funded if hit.reset_said else None),
        house_funded=_text(work, hit.reset_said.house_funded if hit.reset_said else None),
    )
    at_us = hit.cards.decided_at_us if hit.cards else hit.said_us
    findings = (*_of_shares(work, level, hit, dues), *_of_reset(work, level, hit, filed))
    subject = f"{hit.table_id}/{hit.coup_id}/{level.level}"
    work.emit(level, RecordKind.HIT, subject, at_us, row=row, findings=findings)


def _known_us(level: Level, hit: Hit) -> int:
    """Give up to when things happened that are in what is known of a hit."""
    coup, reset = _coup_of(level, hit), hit.reset_said
    decided_us = hit.cards.decided_at_us if hit.cards else 0
    return max(
        decided_us,
        hit.said_us,
        coup.told_us if coup is not None else 0,
        max(decided_us, hit.said_us) + LAG_US if hit.is_overdue else 0,
        hit.closed_us + ASKED_US if hit.is_passed else 0,
        *(one.at_us for one in hit.payments),
        max(reset.at_us, reset.judged_us) if reset is not None else 0,
    )


def _needs_review(level: Level, hit: Hit) -> bool:
    """Whether somebody must look.

    Several won, hits were close, one side has not spoken, or the controller says another amount.
    """
    several = len(hit.winners) > 1 or len(hit.said_wagers) > 1
    is_other = None not in (hit.amount, hit.said_amount) and (
        abs((hit.said_amount or 0) - (hit.amount or 0)) >= SCALE
    )
    is_one_sided = hit.cards is None or hit.hit_id is None
    is_close = hit.is_close or bool(close_hits(level, hit))
    return several or is_close or is_one_sided or is_other


def _order(filed: FiledMeter) -> str:
    return filed.readings.get(CloseHits.ID, CloseHits.CONTROLLER_TIME)


def close_hits(level: Level, hit: Hit) -> list[Hit]:
    """Give the other hits whose cards fell within the lag, taken in or not (D33)."""
    decided_us = hit.cards.decided_at_us if hit.cards else hit.said_us
    return [
        one
        for one in level.hits
        if (one.table_id, one.coup_id) != (hit.table_id, hit.coup_id)
        and one.cards is not None
        and abs(one.cards.decided_at_us - decided_us) <= LAG_US
    ]


def hit_name(work: Work, level: Level, hit: Hit) -> str:
    """Name a hit in the subject of a finding."""
    return work.subject(level, f"{hit.table_id}/{hit.coup_id}")


def _text(work: Work, parts: int | None) -> str | None:
    return None if parts is None else decimal_text(parts, work.currency)


def _dues(work: Work, hit: Hit, filed: FiledMeter | None) -> tuple[ShareDue | None, ...]:
    if hit.amount is None or filed is None or not hit.winners:
        return (None,) * len(hit.winners)
    shown = (
        shown_parts(hit.amount, filed.readings.get(MeterCents.ID, MeterCents.TRUNCATED)) // SCALE
    )
    order = sorted(hit.winners, key=lambda one: (one.accepted_at_us, one.sequence))
    policy = filed.readings.get(ProgressiveShare.ID, ProgressiveShare.EQUAL)
    try:
        dues = due_shares(
            shown,
            [one.stake_minor or filed.unit_minor for one in order],
            policy,
            filed.reset_minor,
            work.currency,
        )
    except TermsError:
        return (None,) * len(hit.winners)
    by_wager = {one.wager_id: due for one, due in zip(order, dues, strict=True)}
    return tuple(by_wager[one.wager_id] for one in hit.winners)


def _paid(hit: Hit, wager: AcceptedWager) -> int | None:
    """Give what was paid for a wager: what the controller says, else what the table does."""
    said = [one.paid_minor for one in hit.payments if one.wager_id == wager.wager_id]
    if said or wager.paid_minor is None:
        return sum(said) if said else None
    # The table says all that it handed over; under "to" the stake is in it, beside the share.
    is_stake_back = hit.filed is not None and hit.filed.readings.get(OddsFor.ID) == OddsFor.PROFIT
    stake = wager.stake_minor or 0
    return max(wager.paid_minor - stake, 0) if is_stake_back else wager.paid_minor


def _of_shares(
    work: Work, level: Level, hit: Hit, dues: tuple[ShareDue | None, ...]
) -> Iterator[Finding]:
    name = hit_name(work, level, hit)
    if hit.cards is None:
        if hit.hit_id is not None:
            yield from _without_cards(work, level, hit, name)
        return
    is_controller_heard = any(one.is_controller for one in work.state.sources.values())
    for wager, due in zip(hit.winners, dues, strict=True):
        if due is None:
            if hit.is_passed and hit.hit_id is None and not _paid(hit, wager):
                yield _passed_by(work, level, hit, wager, name)
            continue
        paid = _paid(hit, wager)
        is_said = any(one.wager_id == wager.wager_id for one in hit.payments)
        # What is not paid yet may be paid still, unless all is over and nobody took it as won.
        if not (is_said or hit.reset_said or (hit.is_overdue and hit.is_closed)):
            continue
        if paid is None and not is_controller_heard:
            continue  # nobody says what was paid
        paid = paid or 0
        wrong = judge_share(name, wager.wager_id, due, paid)
        if wrong is None:
            continue
        evidence = [one.sequence for one in hit.payments if one.wager_id == wager.wager_id]
        said = Origin(hit.said_source, hit.said_feed, tuple(sorted(evidence)), 0, hit.coup_id)
        if not hit.said_source:
            evidence = sorted({wager.sequence, hit.cards.sequence})
            said = Origin(hit.table_id, hit.feed_id, tuple(evidence), 0, hit.coup_id)
        elif not evidence:
            said.evidence = (hit.said_sequence,)
        said.seat = wager.seat
        said.act_us = _paid_us(hit, wager.wager_id)
        claim = Claim(
            wager=hit.filed.wager if hit.filed else None,
            due_minor=wrong.due_minor,
            paid_minor=wrong.paid_minor,
            citation=hit.cards.citation or _won_citation(hit.filed),
            interpretations=wrong.interpretations,
        )
        unheard = "said_nothing" if is_controller_heard else "not_heard"
        is_told = hit.hit_id and is_controller_heard
        facts = JackpotShare(
            table_id=hit.table_id,
            wager_id=wager.wager_id,
            meter_minor=due.meter_minor,
            winner_count=due.winner_count,
            policy=cast(SharePolicy, due.policy),
            controller="said_hit" if is_told else cast(ControllerHeard, unheard),
        )
        yield work.finding(level, FindingCode.JACKPOT_MISPAID, wrong.subject, facts, said, claim)


def _paid_us(hit: Hit, wager_id: str) -> int:
    """Give when a wager was paid last, else when its coup won or was said to have won."""
    paid = [payment.at_us for payment in hit.payments if payment.wager_id == wager_id]
    return max(paid, default=0) or (hit.cards.decided_at_us if hit.cards else hit.said_us)


def _passed_by(work: Work, level: Level, hit: Hit, wager: AcceptedWager, name: str) -> Finding:
    """Say that a wager won and the controller passed it by; what is due is not known yet."""
    assert hit.cards is not None
    evidence = tuple(sorted({wager.sequence, hit.cards.sequence}))
    said = Origin(
        hit.table_id, hit.feed_id, evidence, 0, hit.coup_id, wager.seat, hit.cards.decided_at_us
    )
    claim = Claim(
        wager=hit.filed.wager if hit.filed else None,
        paid_minor=_paid(hit, wager) or 0,
        citation=hit.cards.citation or _won_citation(hit.filed),
    )
    return work.finding(
        level,
        FindingCode.JACKPOT_MISPAID,
        f"{name}/{wager.wager_id}",
        JackpotPassedBy(table_id=hit.table_id, wager_id=wager.wager_id, cards=hit.cards.cards),
        said,
        claim,
    )


def _filed_of(level: Level, hit: Hit) -> FiledMeter | None:
    """Give what is filed for the table of a hit."""
    table = level.tables.get(hit.table_id)
    return hit.filed or (table.filed if table is not None else None)


def _won_citation(filed: FiledMeter | None) -> str | None:
    """Cite by what a meter is paid, in the section under which the table plays."""
    law, section = law_of(filed), _section_of(filed)
    rates = section.progressive if section else None
    if section is None or rates is None:
        return law.jurisdiction.citations.meter_won
    return section.citation(rates.award_cite)


def _reset_citation(filed: FiledMeter | None) -> str | None:
    """Cite to what a meter returns, in the section under which the table plays."""
    law, section = law_of(filed), _section_of(filed)
    rates = section.progressive if section else None
    if section is None or rates is None:
        return law.jurisdiction.citations.meter_reset
    return section.citation(rates.cite)


def _section_of(filed: FiledMeter | None) -> Section | None:
    return law_of(filed).sections.get(filed.wager.partition(".")[0]) if filed else None


def are_cards_unknown(level: Level, hit: Hit) -> bool:
    """Whether a coup is over and its record cannot show what its cards win."""
    coup = _coup_of(level, hit)
    if coup is None or not coup.is_decided or coup.is_voided:
        return False
    return coup.is_unverified or (coup.wagers > 0 and not coup.is_ruled)


def _coup_of(level: Level, hit: Hit) -> KeptCoup | None:
    table = level.tables.get(hit.table_id)
    return find_coup(table, hit.coup_id) if table is not None else None


def _without_cards(work: Work, level: Level, hit: Hit, name: str) -> Iterator[Finding]:
    """A hit that no cards show is due to nobody, once the record of its coup is whole."""
    coup = _coup_of(level, hit)
    if coup is None or not coup.is_decided or are_cards_unknown(level, hit):
        return
    filed = _filed_of(level, hit)
    why: NotWon = "cards_do_not_win"
    if coup.is_voided:
        why = "coup_voided"
    elif not coup.wagers:
        why = "no_wager"
    for wager_id in hit.said_wagers or ("",):
        paid = sum(one.paid_minor for one in hit.payments if one.wager_id == wager_id)
        said = Origin(hit.said_source, hit.said_feed, (hit.said_sequence,), 0, hit.coup_id)
        said.act_us = _paid_us(hit, wager_id)
        yield work.finding(
            level,
            FindingCode.JACKPOT_MISPAID,
            f"{name}/{wager_id}",
            JackpotNotWon(
                table_id=hit.table_id, wager_id=wager_id or None, coup_id=hit.coup_id, why=why
            ),
            said,
            Claim(due_minor=0, paid_minor=paid, citation=_won_citation(filed)),
        )


def _of_reset(work: Work, level: Level, hit: Hit, filed: FiledMeter | None) -> Iterator[Finding]:
    reset = hit.reset_said
    if reset is None or not reset.is_judged or filed is None:
        return
    policy = filed.readings.get(ResetAmount.ID, ResetAmount.FIXED_SEED)
    wrong = judge_reseed(
        Reseed(
            *(fraction_of(one) for one in (reset.due_display, reset.due_reserve, reset.due_house))
        ),
        fraction_of(reset.since),
        ReseedSaid(
            *(
                fraction_of(one)
                for one in (reset.before, reset.after, reset.reserve_funded, reset.house_funded)
            )
        ),
        policy,
        work.currency,
        fraction_of(SCALE),
    )
    if wrong is None and not reset.causes:
        return
    # A cause that is the amount says the amounts itself.
    stated = wrong.amounts if wrong is not None and not reset.is_amount else ()
    evidence = tuple(sorted({reset.sequence, *reset.events}))
    said = Origin(hit.said_source, hit.said_feed, evidence, 0, hit.coup_id, act_us=reset.at_us)
    claim = Claim(
        interpretations={ResetAmount.ID: policy}, citation=_reset_citation(_filed_of(level, hit))
    )
    yield work.finding(
        level,
        FindingCode.RESEED_MISMATCH,
        hit_name(work, level, hit),
        ResetWrong(hit_id=hit.hit_id or "", amounts=stated, causes=reset.causes),
        said,
        claim,
    )
