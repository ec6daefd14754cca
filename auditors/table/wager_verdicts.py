"""What was due on the wagers of a coup, and does what was paid agree?"""

from __future__ import annotations

from dataclasses import dataclass

from auditors.coup import Coup
from auditors.facts import Stage
from auditors.rules import PricedWager, Rules
from auditors.settlement import NotPayableError, WagerVerdict, settle_wager
from auditors.table.evaluation import CoupView
from auditors.table.offering import priced_or_none
from auditors.table.state import PlacedWager
from auditors.terms import TermsError, WagerRef
from schemas.records import WagerRow, WagerStatus


@dataclass(frozen=True, slots=True)
class JudgedWager:
    """A wager of a coup with what should have happened to it."""

    placed: PlacedWager
    ref: WagerRef | None
    priced: PricedWager | None
    verdict: WagerVerdict | None
    """None where nothing can be said: the wager, its letter or its stake is not known, the coup
    is not dealt out or a jackpot is for the progressive ledger to judge."""
    settled_stake_minor: int | None
    """The stake that is settled: the filed limits may return part of it (D31)."""

    @property
    def settles(self) -> str:
        """When the law has it settled; ``not_stated`` where the wager is not known."""
        if self.priced is None:
            return "not_stated"
        return self.priced.wager.settles or self.priced.section.settles

    @property
    def due_minor(self) -> int | None:
        """What is due in all, an excess returned included; None where undetermined."""
        if self.verdict is None or self.verdict.due_minor is None:
            return None
        excess = (self.placed.stake_minor or 0) - (self.settled_stake_minor or 0)
        return self.verdict.due_minor + excess


def judge_wagers(view: CoupView) -> tuple[JudgedWager, ...]:
    """Settle every wager of the coup that stands."""
    return tuple(_judge(view, placed) for placed in view.state.wagers)


def _judge(view: CoupView, placed: PlacedWager) -> JudgedWager:
    ref = view.refs[placed.wager_id]
    priced = priced_or_none(view.rules, ref)
    stake = _settled_stake(view.rules, ref, placed.stake_minor)
    coup = view.coup
    if ref is None or priced is None or stake is None or stake == 0 or coup is None:
        return JudgedWager(placed, ref, priced, None, stake)
    if view.state.is_unverified or not _can_settle(view, priced):
        return JudgedWager(placed, ref, priced, None, stake)
    return JudgedWager(placed, ref, priced, _verdict(view.rules, coup, ref, stake), stake)


def _settled_stake(rules: Rules, ref: WagerRef | None, stake_minor: int | None) -> int | None:
    """Give the stake that counts: the part above the maximum is returned under D31."""
    if stake_minor is None or ref is None or rules.terms.readings["D31"] != "return_excess":
        return stake_minor
    _, most = rules.terms.limits.get(ref.id, (None, None))
    return stake_minor if most is None else min(stake_minor, most)


def _can_settle(view: CoupView, priced: PricedWager) -> bool:
    """Whether the cards that decide the wager have all come."""
    return view.cards_are_final or priced.stage is Stage.FIRST_FOUR


def _verdict(rules: Rules, coup: Coup, ref: WagerRef, stake_minor: int) -> WagerVerdict | None:
    try:
        # A jackpot is for the progressive ledger, which knows the meter at lock-out.
        return settle_wager(rules, coup, ref, stake_minor)
    except (NotPayableError, TermsError):
        return None


def wager_row(view: CoupView, judged: JudgedWager) -> WagerRow:
    """Write a wager as a row of the record."""
    placed, verdict = judged.placed, judged.verdict
    payments = placed.payments
    paid = sum(one.paid_minor + one.paid_change_minor for one in payments)
    has_paid = bool(payments) or placed.refunded_minor is not None
    vigorish = [
        (one.taken_minor or 0) + (one.marked_minor or 0)
        + one.taken_change_minor + one.marked_change_minor
        for one in payments
        if one.taken_minor is not None or one.marked_minor is not None
    ]  # fmt: skip
    # Every field is the fold's own; see Folding.record.
    return WagerRow.model_construct(
        wager_no=placed.wager_no,
        wager_id=placed.wager_id,
        wager=judged.ref.id if judged.ref else placed.name,
        hand=judged.ref.hand if judged.ref else None,
        seat=placed.seat,
        patron=placed.patron,
        status=_status(placed),
        paytable=judged.priced.letter if judged.priced else None,
        outcome=verdict.outcome if verdict else None,
        outcome_code=verdict.outcome_code if verdict else None,
        pays=verdict.pays if verdict else None,
        stake_minor=placed.stake_minor,
        due_minor=_due(view, judged),
        paid_minor=paid + (placed.refunded_minor or 0) if has_paid else None,
        vigorish_due_minor=verdict.vigorish_minor if verdict else None,
        vigorish_paid_minor=sum(vigorish) if vigorish else None,
        citation=verdict.citation if verdict else None,
        interpretations=verdict.interpretations if verdict else {},
    )


def _due(view: CoupView, judged: JudgedWager) -> int | None:
    """Give what is due: the stake where the coup is void, unless it was settled before (D24)."""
    if judged.placed.is_withdrawn:
        return None
    if view.state.voided is not None and not stands_when_void(view, judged):
        return judged.placed.stake_minor
    return judged.due_minor


def stands_when_void(view: CoupView, judged: JudgedWager) -> bool:
    """Whether a wager was settled by the first four cards before the coup was voided (D24)."""
    if judged.settles != "after_first_four":
        return False
    voided = view.state.voided
    settled = judged.placed.payments and voided is not None
    before = settled and judged.placed.payments[0].sequence < voided.sequence  # type: ignore[union-attr]
    return bool(before) and view.rules.terms.readings["D24"] == "stands"


def _status(placed: PlacedWager) -> WagerStatus:
    if placed.is_withdrawn:
        return WagerStatus.WITHDRAWN
    if placed.refunded_minor is not None:
        return WagerStatus.REFUNDED
    return WagerStatus.SETTLED if placed.payments else WagerStatus.PLACED
