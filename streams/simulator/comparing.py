"""Compares what an audit found with what was planted: all of it, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from schemas.findings import Finding, FindingCode
from streams.simulator.truths import Truth


@dataclass(frozen=True, slots=True)
class Comparison:
    """Planted faults held against findings."""

    planted: int
    """Faults that were planted."""
    found: int
    """Faults of which every finding was made, with the right amount."""
    missing: tuple[Truth, ...]
    """Faults of which a finding lacks, or whose money differs."""
    false: tuple[Finding, ...]
    """Findings that belong to no fault."""

    @property
    def agrees(self) -> bool:
        """Whether exactly what was planted was found."""
        return not self.missing and not self.false


def compare(truths: Iterable[Truth], findings: Iterable[Finding]) -> Comparison:
    """Give each planted fault its findings, as they come of a log.

    A finding belongs to a fault of the same source and code, at the same coup and shoe as far as
    both name one.
    """
    left: dict[tuple[str | None, FindingCode], list[Finding]] = defaultdict(list)
    for finding in findings:
        left[finding.source, finding.code].append(finding)
    planted, missing = 0, []
    # Faults that name a coup choose first, so that a vaguer one does not take their finding.
    for truth in sorted(truths, key=lambda one: (one.coup is None, one.shoe is None)):
        planted += 1
        if not _take(truth, left):
            missing.append(truth)
    false = tuple(finding for several in left.values() for finding in several)
    return Comparison(planted, planted - len(missing), tuple(missing), false)


def _take(truth: Truth, left: dict[tuple[str | None, FindingCode], list[Finding]]) -> bool:
    """Take the findings of a fault out of those that are left; False where one lacks."""
    taken = []
    for code in truth.codes_in_stream:
        here = left[truth.source, code]
        fitting = [candidate for candidate in here if _is_there(truth, candidate)]
        if not fitting:
            break
        # A finding that names the place is nearer than one that names none.
        best = min(fitting, key=lambda one: (one.coup is None, one.shoe is None))
        here.remove(best)
        taken.append(best)
    amounts = [truth.difference_minor for truth in taken if truth.difference_minor is not None]
    has_money = truth.difference_minor is not None
    same_money = sum(amounts) == truth.difference_minor if has_money else not amounts
    return len(taken) == len(truth.codes_in_stream) and same_money


def _is_there(truth: Truth, finding: Finding) -> bool:
    return all(
        planted is None or found is None or planted == found
        for planted, found in ((truth.coup, finding.coup), (truth.shoe, finding.shoe))
    )
