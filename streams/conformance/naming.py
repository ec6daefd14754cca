"""Checks of names: ids used once, wagers and seats that are known, and a sound filing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from auditors.filings import check_submission
from auditors.law import law_in_force
from auditors.settlement.terms import TermsError, resolve_wager
from schemas.rules_submission import RulesSubmission
from schemas.words.suggestions import near_miss
from streams.conformance.problems import Level, Rule, Said

_NAMES_KEPT: Final = 4096


class IdRegister:
    """Which ids a source has used; eight bytes of hash for each, so that a year fits."""

    def __init__(self) -> None:
        self._used: dict[str, set[bytes]] = {}

    def take(self, kind: str, id_: str) -> Iterator[Said]:
        """Note a new id, or say that it is not new.

        Args:
            kind: What it names, such as ``coup``.
            id_: The id.
        """
        used, digest = self._used.setdefault(kind, set()), _digest(id_)
        if digest in used:
            yield Said(
                Rule.ID,
                f"{kind} {id_} was used before at this source",
                "an id is never used again, not after a restart and not in the next year",
            )
        used.add(digest)

    def is_known(self, kind: str, id_: str) -> bool:
        """Whether an id was used."""
        return _digest(id_) in self._used.get(kind, ())


def _digest(id_: str) -> bytes:
    return hashlib.blake2b(id_.encode(), digest_size=8).digest()


class WagerNames:
    """Names of wagers against the law and a filing; each looked up once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Said, ...]] = {}

    def check(self, name: str, submission: RulesSubmission) -> tuple[Said, ...]:
        """Say what is wrong with the name of a wager."""
        key = (submission.rules_version, name)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _NAMES_KEPT:
                self._known.clear()
            found = self._known[key] = tuple(_wager_problems(name, submission))
        return found


def _wager_problems(name: str, submission: RulesSubmission) -> Iterator[Said]:
    try:
        ref = resolve_wager(law_in_force(submission.jurisdiction), name, submission)
    except TermsError as error:
        problem, _, advice = str(error).partition("; ")
        yield Said(Rule.NAME, problem, advice or "name a wager of the filed rules submission")
        return
    if submission.offered(ref.id) is None:
        yield Said(
            Rule.NAME,
            f"wager {name} is not among the wagers of {submission.rules_version}",
            "correct the name, if it is one; if the wager was really taken, this is a finding",
            Level.HINT,
            once=f"offered {name}",
        )


def submission_problems(submission: RulesSubmission) -> Iterator[Said]:
    """Say what of a filing contradicts itself or the law; its sender passes it on as it is."""
    for defect in check_submission(law_in_force(submission.jurisdiction), submission, None):
        yield Said(
            Rule.SUBMISSION,
            f"submission {submission.rules_version}, {defect.sentence.rstrip('.')}",
            "have the house mend what it filed (ladderman submission check); this is a finding",
            Level.HINT,
            once=f"filing {submission.rules_version} {defect.id}",
        )


def seat_problem(seat: str, seats: Sequence[str]) -> Iterator[Said]:
    """Say that a seat is none of those that the table named at its opening."""
    if seats and seat not in seats:
        yield Said(
            Rule.NAME,
            f"seat {seat} is none of the seats of table_opened{near_miss(seat, seats)}",
            f"name one of {', '.join(seats[:12])}, or name all seats in table_opened",
        )
