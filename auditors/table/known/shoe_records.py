"""Findings about a shoe, which stand on the record of the shoe."""

from __future__ import annotations

from dataclasses import replace

from auditors.settlement.asserting import Claim, assert_finding
from auditors.table.known.context import Belonging, Folding
from auditors.table.known.state import FINDINGS_MAX, ShoeState
from auditors.values import evolve
from schemas.events import Capability
from schemas.finding_facts import FindingFacts
from schemas.findings import Finding, FindingCode
from schemas.records import RecordKind, ShoeRow


def shoe_in_play(folding: Folding) -> ShoeState:
    """Give the shoe in play; only where there is one."""
    shoe = folding.state.shoe
    assert shoe is not None, "a check of the shoe runs where there is one"
    return shoe


def shoe_finding(
    folding: Folding,
    code: FindingCode,
    subject: str,
    told: FindingFacts,
    claim: Claim | None = None,
    seat: str | None = None,
    of_shoe: ShoeState | None = None,
) -> Finding:
    """Build a finding about the shoe in play, or about an earlier one."""
    shoe = of_shoe or shoe_in_play(folding)
    place = replace(
        folding.place(),
        feed=shoe.feed_id,
        shoe=shoe.shoe_id,
        seat=seat,
        gaming_date=shoe.gaming_date,
    )
    return assert_finding(
        code, subject, told, place, claim or Claim(), submission=folding.submission
    )


def why_foreign(
    folding: Folding, shoe: ShoeState, card_id: str | None, back: str | None
) -> str | None:
    """Say why a card cannot have come out of a shoe; None where nothing says so."""
    prefix = shoe.card_id_prefix
    if card_id and prefix and not card_id.startswith(prefix) and folding.can(Capability.CARD_IDS):
        return f"card id {card_id} does not belong to shoe {shoe.shoe_id} ({prefix})"
    if back and shoe.backs and back not in shoe.backs and folding.can(Capability.BACKS):
        return f"back {back} is not that of shoe {shoe.shoe_id} ({', '.join(shoe.backs)})"
    return None


def assert_of_shoe(folding: Folding, found: Finding, *, is_renewed: bool = False) -> None:
    """Put a finding on the record of the shoe in play.

    Args:
        folding: The event on its way.
        found: The finding.
        is_renewed: It takes the place of an earlier one of the same subject, which stands
            otherwise.
    """
    shoe = shoe_in_play(folding)
    if not is_renewed and any(one.id == found.id for one in shoe.findings):
        return
    after = with_finding(shoe, found)
    if after is not shoe:
        folding.put_shoe(after)
        emit_shoe(folding, after)


def with_finding(shoe: ShoeState, found: Finding) -> ShoeState:
    """Give a shoe with a finding, in the place of an earlier one of the same subject."""
    known = next((one for one in shoe.findings if one.id == found.id), None)
    if known is None:
        if len(shoe.findings) >= FINDINGS_MAX:
            return shoe
        return evolve(shoe, findings=(*shoe.findings, found))
    evidence = tuple(sorted({*known.evidence[:1], *found.evidence}))
    # What a shoe lacked first showed when it was first asserted, whatever has come since.
    at_us = found.occurred_at_us if known.occurred_at_us is None else known.occurred_at_us
    found = found.model_copy(update={"evidence": evidence, "occurred_at_us": at_us})
    findings = tuple(found if one is known else one for one in shoe.findings)
    return evolve(shoe, findings=findings)


def emit_shoe(folding: Folding, shoe: ShoeState, withdrawn: tuple[str, ...] = ()) -> None:
    """Put out the record of a shoe, and which findings no longer stand on it."""
    row = ShoeRow(
        state="closed" if shoe.is_ended else "open",
        decks=shoe.decks,
        coup_count=shoe.coup_count,
        cards_out=shoe.cards_out,
        loaded_sequence=shoe.loaded_sequence,
        loaded_at_us=shoe.loaded_at_us,
    )
    filing = folding.state.filing
    folding.emit(
        folding.record(
            RecordKind.SHOE,
            shoe.shoe_id,
            Belonging(
                shoe.feed_id,
                shoe.shoe_id,
                shoe.gaming_date,
                folding.currency,
                filing.rules_version if filing else None,
            ),
            shoe=row,
            findings=shoe.findings,
            withdrawn=withdrawn,
        )
    )
