"""What was due on a wager, and what was handed over for it."""

from __future__ import annotations

from typing import NamedTuple

from auditors.law.interpretations import EarlySettlement
from auditors.settlement.amounts import WagerVerdict, settle_wager
from auditors.settlement.pricing import NotPayableError, share_of
from auditors.settlement.terms import TermsError
from auditors.table.known.rules import Due, NamedWager
from auditors.table.known.state import Mark, Payment, PlacedWager
from auditors.table.known.view import CoupView
from schemas.events import Capability


class Judged(NamedTuple):
    """A wager of a coup with what should have happened to it."""

    placed: PlacedWager
    named: NamedWager
    due: Due | None
    """None where nothing can be said: the wager, its letter or its stake is not known, the coup
    is not dealt out, or a jackpot is for the progressive ledger to judge."""
    owed_minor: int | None
    """What is due in all: the stake of a voided coup, else the verdict's; None where open."""


def judge(view: CoupView, placed: PlacedWager) -> Judged:
    """Say what should have happened to a wager."""
    named = view.named(placed)
    due = due_of(view, placed, named)
    owed = due.due_minor if due is not None else None
    if view.state.voided is not None and not stands_when_void(view, placed, named):
        owed = placed.stake_minor
    return Judged(placed, named, due, None if placed.is_withdrawn else owed)


def due_of(view: CoupView, placed: PlacedWager, named: NamedWager) -> Due | None:
    """Say how a wager came out, and what is due on it; None where nothing can be said yet."""
    priced, stake, state = named.priced, placed.stake_minor, view.state
    if priced is None or stake is None:
        return None
    if state.is_unverified and not view.is_certainly_paid(placed):
        return None
    if state.is_unverified and not (named.is_early or view.is_certain("cards")):
        return None
    if not _is_decided(view, named):
        return None
    coup, hands = view.settled_coup, view.hands
    if coup is None:
        return None
    if coup.faults or priced.knowledge > hands.knowledge[priced.stage]:
        return _slowly(view, placed, named)
    asked = hands.packed & priced.asks
    key = (stake, asked)
    due = named.dues.get(key)
    if due is None:
        due = named.due_by_share(stake, asked) or _slowly(view, placed, named)
        if due is not None:
            share = None
            if asked not in named.shares:
                share = share_of(view.rules, priced, view.rules.rule_packed(priced, asked))
            named.remember(key, due, share)
    return due


def _is_decided(view: CoupView, named: NamedWager) -> bool:
    """Whether nothing that may still be dealt decides a wager."""
    return view.state.result is not None or view.cards_are_final or named.is_early


def _slowly(view: CoupView, placed: PlacedWager, named: NamedWager) -> Due | None:
    verdict = verdict_of(view, placed, named)
    if verdict is None:
        return None
    return Due(
        verdict.outcome,
        verdict.outcome_code,
        verdict.pays,
        verdict.due_minor,
        verdict.vigorish_minor,
        verdict.citation,
        dict(verdict.interpretations),
    )


def verdict_of(view: CoupView, placed: PlacedWager, named: NamedWager) -> WagerVerdict | None:
    """Settle a wager, with the sentence that says why; None where nothing can be said."""
    settled = _settled(view, placed, named)
    return settled if isinstance(settled, WagerVerdict) else None


def _settled(
    view: CoupView, placed: PlacedWager, named: NamedWager
) -> WagerVerdict | NotPayableError | None:
    """Settle a wager, or give why no whole amount is due; None where nothing can be said."""
    coup, stake = view.settled_coup, placed.stake_minor
    if named.ref is None or coup is None or stake is None:
        return None
    try:
        return settle_wager(view.rules, coup, named.ref, stake)
    except NotPayableError as error:
        return error
    except TermsError:
        # A jackpot is for the progressive ledger, which knows the meter at lock-out.
        return None


def unpayable(view: CoupView, placed: PlacedWager, named: NamedWager) -> str | None:
    """Say why no whole amount is due on a wager; None where one is, or nothing can be said yet."""
    state = view.state
    if named.priced is None or placed.stake_minor is None:
        return None
    if state.is_unverified or state.voided is not None or placed.is_withdrawn:
        return None
    if not _is_decided(view, named):
        return None
    settled = _settled(view, placed, named)
    return str(settled) if isinstance(settled, NotPayableError) else None


def stands_when_void(view: CoupView, placed: PlacedWager, named: NamedWager) -> bool:
    """Whether a wager was settled by the first four cards before the coup was voided (D24)."""
    voided = view.state.voided
    if voided is None or named.settles != "after_first_four" or not placed.payments:
        return False
    return (
        not is_after_void(placed.payments[0], voided)
        and view.reading(EarlySettlement.ID) == EarlySettlement.STANDS
    )


def is_after_void(payment: Payment, voided: Mark) -> bool:
    """Whether something was paid after a void: as known then, else by the numbers of events."""
    known = payment.is_after_void
    return voided.sequence < payment.sequence if known is None else known


def handed_over(view: CoupView, judged: Judged) -> tuple[int, int]:
    """Give what was handed over for a wager: by its first settlement, and after corrections.

    A losing stake that stayed with the patron counts as handed over, and refunds count with both.

    Returns:
        Minor units at first and at last.
    """
    placed = judged.placed
    first = placed.payments[0]
    change = first.paid_change_minor
    at_first, at_last = first.paid_minor, first.paid_minor + change
    returned = (placed.refunded_minor or 0) - refunded_of_excess(view, placed)
    if judged.due is not None and judged.due.outcome == "lose":
        # What was refunded does not lie on the layout any more: it counts below, and once.
        at_first = max(at_first, stake_left(view, placed, first, 0) - returned)
        left = stake_left(view, placed, first, first.collected_change_minor) - returned
        at_last = max(at_last, left)
        if change < 0 <= first.collected_change_minor:
            # What the patron gave back is gone, whether or not the stake was part of it.
            at_last = min(at_last, at_first + change)
    return at_first + returned, at_last + returned


def stake_left(view: CoupView, placed: PlacedWager, payment: Payment, change_minor: int) -> int:
    """Give the part of a stake that was not collected; 0 where collections are not told."""
    collected = collected_at(view, placed, payment)
    if collected is None:
        return 0
    return max(0, (placed.stake_minor or 0) - collected - change_minor)


def collected_at(view: CoupView, placed: PlacedWager, payment: Payment) -> int | None:
    """Give the stake collected by one settlement and before it; None where nothing was told."""
    if Capability.COLLECTIONS not in view.reports:
        return None
    if payment.collected_minor is None:
        return placed.collected_minor
    return payment.collected_minor + (placed.collected_minor or 0)


def collected_in_all(view: CoupView, placed: PlacedWager) -> int:
    """Give the stake collected in all, by every settlement, correction and collection apart."""
    if Capability.COLLECTIONS not in view.reports:
        return 0
    settled = sum(
        (one.collected_minor or 0) + one.collected_change_minor for one in placed.payments
    )
    return settled + (placed.collected_minor or 0)


def refunded_of_excess(view: CoupView, placed: PlacedWager) -> int:
    """Give the part of a refund that returns what was collected beyond the stake."""
    stake = 0 if placed.is_withdrawn else placed.stake_minor or 0
    beyond = collected_in_all(view, placed) - stake
    return max(0, min(placed.refunded_minor or 0, beyond))
