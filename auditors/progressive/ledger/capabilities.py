"""Checks of a progressive that are on; one without its input, or not filed, is off."""

from __future__ import annotations

from collections.abc import Iterator

from auditors.law.interpretations import FixedAward, ProgressiveStake
from auditors.progressive.ledger.state import Level

_ALWAYS = ("hits", "shares", "reseeds", "adjustments", "parameters", "voids")
"""What follows from the cards, or from a word that the controller need not say."""

_NO_READING = "no reading of a controller was judged so far"


def checks_of(level: Level) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Say which checks of a level are on, and which are off with the reason."""
    switched = tuple(_switched(level))
    on = (*_ALWAYS, *(check for check, reason in switched if not reason))
    return on, tuple((check, reason) for check, reason in switched if reason)


def is_followed(level: Level) -> bool:
    """Whether the ledger follows all that moves the meter.

    It does not where fixed awards are paid from it: which, no controller says.
    """
    filed = (one.filed for one in level.tables.values())
    return not any(
        one is not None and one.readings.get(FixedAward.ID) == FixedAward.METER for one in filed
    )


def _switched(level: Level) -> Iterator[tuple[str, str]]:
    """Give each check with the reason why it is off; empty where it is on."""
    read = "" if level.baseline is not None else _NO_READING
    if not is_followed(level):
        read = (
            f"fixed awards are paid from the meter ({FixedAward.ID}) and no controller says which: "
            "ledger and liability are without them, and readings are not judged"
        )
    filed = [one.filed for one in level.tables.values() if one.filed is not None]
    single = "" if level.has_counts else "the controller reports no single wagers"
    yield "meters", read
    yield "rates", "" if level.baseline is not None else _NO_READING
    if single and not read:
        yield "contributions_by_table", ""
    yield "contributions_by_wager", single or read
    yield "wagers_after_lock_out", single or read
    no_limit = "" if any(one.limit_minor is not None for one in filed) else "no limit is filed"
    yield "overflow", read or no_limit
    yield "signs", "" if level.has_signs else "no sign of a table was read"
    is_counted = any(one.is_chips_counted for one in filed)
    yield "chips", "" if is_counted else "that chips are counted is not filed"
    is_unit = any(
        one.readings.get(ProgressiveStake.ID) == ProgressiveStake.FIXED_UNIT for one in filed
    )
    yield "stake_units", "" if is_unit else f"any amount is filed ({ProgressiveStake.ID})"
