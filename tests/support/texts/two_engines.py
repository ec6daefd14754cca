"""The same coup told twice: as rows of a file of rounds, and as events of a table.

Rows say less than events, so only what both can say is translated: cards, result, counts, wagers
and what was handed back. What the two engines find is brought into one form to be compared.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from auditors.law import load_law
from auditors.rounds import RowAuditor
from auditors.rounds.mapping import DeclaredMapping, read_header
from auditors.settlement.coup import judge_coup
from auditors.settlement.rules import Rules
from auditors.settlement.terms import WagerRef, game_section, terms_of
from schemas import events as said
from schemas.cards import UnreadableCardError, parse_hand
from schemas.findings import Finding
from schemas.money import format_minor
from schemas.rules_submission import RulesSubmission
from tests.support.tables.table_script import START, Folded, TableScript

LAW: Final = load_law()
SHOE: Final = "S1"
REPORTS: Final = (
    said.Capability.CARDS,
    said.Capability.RANKS,
    said.Capability.SUITS,
    said.Capability.WAGERS,
    said.Capability.STAKES,
    said.Capability.PATRONS,
    said.Capability.COUNTS,
    said.Capability.ANNOUNCEMENTS,
    said.Capability.PAYMENTS,
)
"""What rows can say; collections, vigorish and the order of dealing are not among it."""

HEADER: Final = (
    "shoe",
    "coup",
    "seat",
    "patron",
    "player_cards",
    "banker_cards",
    "winner",
    "player_points",
    "banker_points",
    "wager",
    "stake",
    "paid",
    "occurred_at",
)


class Wagered(NamedTuple):
    """A wager with what was handed back for it, the stake included; None: nothing is recorded."""

    ref: WagerRef
    stake_minor: int
    paid_minor: int | None


@dataclass(frozen=True)
class Played:
    """A coup as it was recorded, whatever it should have been."""

    player: str
    banker: str
    wagers: Sequence[Wagered] = ()
    winner: str | None = None
    """None: as the cards lie."""
    points: tuple[int, int] | None = None
    """None: as the cards lie."""

    @property
    def lying(self) -> tuple[str, tuple[int, int]]:
        """Winner and points as recorded; where a card cannot be read, something that may be."""
        try:
            hands = parse_hand(self.player), parse_hand(self.banker)
        except UnreadableCardError:
            return self.winner or "player", self.points or (9, 0)
        coup = judge_coup(*hands, LAW.sections["minibaccarat"])
        return (
            self.winner or coup.winner,
            self.points or (coup.player_points, coup.banker_points),
        )


class Found(NamedTuple):
    """A finding as far as rows and events can agree on it."""

    coup: str | None
    seat: str | None
    code: str
    wager: str | None
    hand: str | None
    due_minor: int | None
    paid_minor: int | None
    difference_minor: int | None
    citation: str | None
    interpretations: tuple[tuple[str, str], ...]


ABOUT_THE_COUP: Final = frozenset(
    {
        "CARD_AFTER_NATURAL",
        "CARD_UNREADABLE",
        "DEAL_ORDER",
        "POINTS_MISANNOUNCED",
        "RESULT_MISANNOUNCED",
        "THIRD_CARD_DRAWN_IN_ERROR",
        "THIRD_CARD_NOT_DRAWN",
    }
)
"""Codes of findings about no wager: a row has a seat even so, an event has none."""

ABOUT_THE_DAY: Final = frozenset({"RULE_LAPSED", "RULE_NOT_YET_IN_FORCE"})
"""Codes of findings about a section on a gaming date: a row names its coup even so."""


def found(findings: Iterable[Finding]) -> set[Found]:
    """Bring findings of coups into the common form; those about a shoe are not compared here."""
    return {
        Found(
            coup=None if one.code.value in ABOUT_THE_DAY else one.coup,
            seat=None if one.code.value in ABOUT_THE_COUP | ABOUT_THE_DAY else one.seat,
            code=one.code.value,
            wager=one.wager,
            hand=one.hand,
            due_minor=one.due_minor,
            paid_minor=one.paid_minor,
            difference_minor=one.difference_minor,
            citation=one.citation,
            interpretations=tuple(sorted(one.interpretations.items())),
        )
        for one in findings
        if not one.code.value.startswith("SHOE_")
    }


def coup_id(number: int) -> str:
    """Name a coup, from 1."""
    return f"{SHOE}/{number}"


def seat_of(number: int) -> str:
    """Name the seat of a wager of a coup, from 0: each its own, so no two are mixed up."""
    return str(number + 1)


def by_rows(
    submission: RulesSubmission, coups: Sequence[Played], at: datetime.datetime = START
) -> set[Found]:
    """Audit coups as rows of a file."""
    terms = terms_of(LAW, submission)
    reading = read_header(LAW, HEADER, DeclaredMapping())
    auditor = RowAuditor(Rules(LAW, terms), game_section(LAW, terms), reading, "rounds.csv")
    findings: list[Finding] = []
    line = 1
    for number, coup in enumerate(coups, start=1):
        winner, points = coup.lying
        head = [SHOE, coup_id(number)]
        cards = [coup.player, coup.banker, winner, *map(str, points)]
        for cells in _wager_cells(coup, submission.currency):
            line += 1
            seat, *wager = cells
            row = [*head, seat, seat and f"patron-{seat}", *cards, *wager, at.isoformat()]
            findings += auditor.audit(line, row)[1]
    findings += auditor.finish()
    return found(findings)


def _wager_cells(coup: Played, currency: str) -> list[list[str]]:
    cells = []
    for number, (ref, stake, paid) in enumerate(coup.wagers):
        total = "" if paid is None else format_minor(paid, currency)
        cells.append([seat_of(number), str(ref), format_minor(stake, currency), total])
    return cells or [["", "", "", ""]]


def by_events(
    submission: RulesSubmission, coups: Sequence[Played], at: datetime.datetime = START
) -> set[Found]:
    """Audit coups as events of a table."""
    script = TableScript()
    script.now = at
    script.open(submission, REPORTS, gaming_date=at.date()).shoe(SHOE, decks=submission.decks)
    for coup in coups:
        _tell(script.coup(), coup)
    return found(Folded(script.messages).findings)


def _tell(script: TableScript, coup: Played) -> None:
    """Tell one coup: wagers, first four cards, early settlements, third cards, result, payments."""
    placed = []
    for number, (ref, stake, paid) in enumerate(coup.wagers):
        seat = seat_of(number)
        wager_id = script.wager(str(ref), stake, seat, patron=f"patron-{seat}")
        is_early = LAW.wagers[ref.id][0].settles == "after_first_four"
        placed.append((wager_id, paid, is_early))
    hands = {"player": coup.player.split(), "banker": coup.banker.split()}
    _deal(script, hands, (1, 2))
    _settle(script, placed, is_early=True)
    _deal(script, hands, (3, 4))
    winner, points = coup.lying
    script.result(winner, *points)
    _settle(script, placed, is_early=False)
    script.close()


def _deal(script: TableScript, hands: dict[str, list[str]], positions: Sequence[int]) -> None:
    for position in positions:
        for hand, cards in hands.items():
            if len(cards) >= position:
                script.card(hand, position, cards[position - 1])


def _settle(
    script: TableScript, placed: Iterable[tuple[str, int | None, bool]], *, is_early: bool
) -> None:
    for wager_id, paid, settles_early in placed:
        if paid is not None and settles_early is is_early:
            script.settle(wager_id, paid)
