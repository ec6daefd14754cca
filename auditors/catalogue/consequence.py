"""How severe a finding about money is: by the amount that is still out.

The rule is data beside this module. A filing may lower its amounts, which raises severities.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from auditors.law.loading import data_texts
from schemas.findings import FindingCode, Severity
from schemas.money import parse_amount
from schemas.rules_submission import RulesSubmission

_FILE = "consequence.toml"
_Text = Annotated[str, Field(min_length=1)]


class _Amounts(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    high_from: _Text
    critical_from: _Text


class _Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    codes: frozenset[FindingCode]
    amounts: Mapping[str, _Amounts]


@dataclass(frozen=True, slots=True)
class SeverityAmounts:
    """From which amount still out, minor units, a finding is how severe; None: no such amount."""

    high_from_minor: int | None
    critical_from_minor: int | None


@cache
def _rule() -> _Rule:
    return _Rule.model_validate(tomllib.loads(data_texts("catalogue")[_FILE]))


def default_amounts(currency: str) -> SeverityAmounts:
    """Give the amounts of the catalogue."""
    amounts = _rule().amounts.get(currency)
    if amounts is None:
        return SeverityAmounts(None, None)
    return SeverityAmounts(
        parse_amount(amounts.high_from, currency), parse_amount(amounts.critical_from, currency)
    )


def amounts_in_force(currency: str, submission: RulesSubmission | None) -> SeverityAmounts:
    """Give the amounts of the catalogue, or those of the filing where they are lower."""
    default = default_amounts(currency)
    filed = submission.severity_amounts if submission else None
    if filed is None or submission is None or submission.currency != currency:
        return default
    return SeverityAmounts(
        _lower(default.high_from_minor, filed.high_from, currency),
        _lower(default.critical_from_minor, filed.critical_from, currency),
    )


def _lower(default: int | None, filed: str | None, currency: str) -> int | None:
    if filed is None:
        return default
    amount = parse_amount(filed, currency)
    return amount if default is None else min(amount, default)


def severity_by_amount(
    code: FindingCode,
    outstanding_minor: int | None,
    currency: str,
    submission: RulesSubmission | None,
) -> Severity | None:
    """Say how severe a finding is by the money that is still out.

    Args:
        code: The finding's code.
        outstanding_minor: Its difference less what was put right, minor units, of either sign;
            None where it is about no amount.
        currency: The currency of the amount.
        submission: What the property filed.

    Returns:
        None where the severity does not go by an amount.
    """
    if outstanding_minor is None or code not in _rule().codes:
        return None
    amounts, out = amounts_in_force(currency, submission), abs(outstanding_minor)
    if amounts.critical_from_minor is not None and out >= max(1, amounts.critical_from_minor):
        return Severity.CRITICAL
    if amounts.high_from_minor is None:
        return Severity.NOTICE if out == 0 else None
    return Severity.HIGH if out >= max(1, amounts.high_from_minor) else Severity.NOTICE
