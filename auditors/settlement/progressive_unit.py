"""The stake of a wager on a progressive, compared with the unit that was filed for it.

One rule for every path: the one-coup command, files of recorded rounds and the table fold.
"""

from __future__ import annotations

from typing import Final

from auditors.law.interpretations import ProgressiveStake
from auditors.law.wager_names import wager_title
from auditors.settlement.asserting import Claim, Place, assert_finding
from auditors.settlement.rules import Rules
from auditors.settlement.terms import WagerRef
from schemas.finding_facts.wager import StakeNotUnit
from schemas.findings import Finding, FindingCode
from schemas.money import parse_amount
from schemas.rules_submission import FiledProgressive

READING: Final = ProgressiveStake.ID
"""The interpretation that says whether the filed unit alone is permitted."""


def filed_unit(rules: Rules, ref: WagerRef) -> int | None:
    """Give the one stake that is permitted on a wager.

    Returns:
        Minor units, > 0; None where no progressive is filed for the wager, or any amount is
        permitted (D4).
    """
    filed = _filed(rules, ref)
    if filed is None or rules.terms.readings[READING] != "fixed_unit":
        return None
    return parse_amount(filed.unit, rules.terms.currency) or None


def progressive_unit_finding(
    rules: Rules, ref: WagerRef, stake_minor: int, subject: str, place: Place
) -> Finding | None:
    """Compare a stake with the filed unit of the wager's progressive.

    Args:
        rules: The law under the terms of the table.
        ref: The wager.
        stake_minor: Accepted stake, minor units, > 0.
        subject: The wager, as the catalogue's subject.
        place: Where it was recorded.
    """
    unit, filed = filed_unit(rules, ref), _filed(rules, ref)
    if unit is None or filed is None or stake_minor == unit:
        return None
    submission = rules.terms.submission
    return assert_finding(
        FindingCode.PROGRESSIVE_STAKE_NOT_UNIT,
        subject,
        StakeNotUnit(
            wager_name=wager_title(ref.id, ref.hand),
            progressive_id=filed.id,
            unit_minor=unit,
            staked_minor=stake_minor,
        ),
        place,
        Claim(
            wager=ref.id,
            hand=ref.hand,
            stake_minor=stake_minor,
            interpretations={READING: rules.terms.readings[READING]},
        ),
        submission=submission,
    )


def _filed(rules: Rules, ref: WagerRef) -> FiledProgressive | None:
    submission = rules.terms.submission
    filed = submission.progressives if submission else ()
    return next((progressive for progressive in filed if progressive.wager == ref.id), None)
