"""When is a coup put out, and as what? Whole, whenever what stands about it has changed."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from auditors.table.context import Folding, rules_of
from auditors.table.evaluation import CoupView, card_findings
from auditors.table.state import CoupState, with_coup
from auditors.table.wager_findings import payment_findings, placing_findings
from auditors.table.wager_verdicts import JudgedWager, judge_wagers, wager_row
from schemas.findings import Finding
from schemas.records import CoupRow, Record, RecordKind, WagerRow, WagerStatus


def view_of(folding: Folding, coup: CoupState) -> CoupView:
    """Look at a coup under the rules that it is played by."""
    table_rules = rules_of(folding.state, coup.filing)
    terms = table_rules.rules.terms
    place = folding.place(
        coup=coup.coup_id,
        shoe=coup.shoe_id,
        currency=terms.currency,
        rules_version=terms.rules_version,
    )
    return CoupView(
        state=coup,
        rules=table_rules.rules,
        table_rules=table_rules,
        reports=frozenset(folding.state.reports),
        place=place,
        is_final=coup.is_closed,
    )


def put_out(folding: Folding, coup: CoupState, *, at_end: bool = False) -> None:
    """Judge a coup whole, and put it out where something new stands or it has ended.

    Args:
        folding: The event on its way.
        coup: The coup, as the event left it.
        at_end: The coup has just ended, so its record is due whatever stands.
    """
    view = view_of(folding, coup)
    judged = judge_wagers(view)
    found = (
        *card_findings(view),
        *placing_findings(view, judged),
        *payment_findings(view, judged),
    )
    digest = _digest(found) if found else None
    if digest == coup.emitted and not at_end and not coup.is_closed:
        return
    folding.state = with_coup(folding.state, replace(coup, emitted=digest))
    folding.emit(_record(folding, view, judged, found))


def _digest(found: tuple[Finding, ...]) -> str:
    text = "|".join(f"{one.id}{one.status}{one.sentence}" for one in found)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _record(
    folding: Folding,
    view: CoupView,
    judged: tuple[JudgedWager, ...],
    found: tuple[Finding, ...],
) -> Record:
    state = view.state
    rows = tuple(wager_row(view, one) for one in judged)
    return folding.record(
        RecordKind.COUP,
        state.coup_id,
        shoe_id=state.shoe_id,
        gaming_date=state.gaming_date,
        currency=view.rules.terms.currency,
        rules_version=view.rules.terms.rules_version,
        coup=_row(view, rows),
        wagers=rows,
        findings=found,
    )


def _row(view: CoupView, wagers: tuple[WagerRow, ...]) -> CoupRow:
    state, coup = view.state, view.coup
    rows = [row for row in wagers if row.status is not WagerStatus.WITHDRAWN]
    is_dealt = coup is not None and coup.has_first_four
    result = state.result
    # Every field is the fold's own; see Folding.record.
    return CoupRow.model_construct(
        coup_no=state.coup_no,
        state="voided" if state.voided else "closed" if state.is_closed else "open",
        is_determined=coup is not None and view.cards_are_final and coup.is_determined,
        is_unverified=state.is_unverified,
        player_cards=_cards(view, "player"),
        banker_cards=_cards(view, "banker"),
        player_points=coup.player_points if coup and is_dealt else None,
        banker_points=coup.banker_points if coup and is_dealt else None,
        winner=coup.winner if coup and is_dealt and view.cards_are_final else None,
        natural=coup.natural if coup and is_dealt else None,
        announced_winner=result.winner if result else None,
        dealer=state.dealer,
        first_sequence=state.first_sequence,
        last_sequence=state.last_sequence,
        began_at_us=state.began_at_us,
        stake_minor=sum(row.stake_minor or 0 for row in rows),
        due_minor=sum(row.due_minor or 0 for row in rows),
        paid_minor=sum(row.paid_minor or 0 for row in rows)
        + sum(one.payment.paid_minor + one.payment.paid_change_minor for one in state.seats),
    )


def _cards(view: CoupView, hand: str) -> str:
    dealt = sorted(
        (card for card in view.in_hand if card.hand == hand), key=lambda one: one.position
    )
    return " ".join(card.card or "?" for card in dealt)


def close_coup(folding: Folding, coup: CoupState) -> None:
    """End a coup: what has not been reported by now is absent."""
    if coup.is_closed:
        return
    closed = replace(coup, is_closed=True)
    folding.state = with_coup(folding.state, closed)
    put_out(folding, closed, at_end=True)
