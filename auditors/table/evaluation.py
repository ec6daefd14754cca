"""What stands about a coup? Judged whole from everything that was told of it.

The judgement is made anew each time, so a correction, a late settlement or a void needs no undoing:
a finding that no longer follows is no longer listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from auditors.asserting import Claim, Place, assert_finding
from auditors.checks import draw_findings, points_finding, winner_finding
from auditors.coup import Coup, judge_coup
from auditors.rules import Rules
from auditors.table.context import TableRules
from auditors.table.offering import winning_names
from auditors.table.state import CoupState, DealtCard, Mark
from auditors.terms import TermsError, WagerRef, resolve_wager
from schemas.cards import Card, parse_card
from schemas.events import Capability
from schemas.findings import Finding, FindingCode

_IN_ORDER = (("player", 1), ("banker", 1), ("player", 2), ("banker", 2))


@dataclass(frozen=True)
class CoupView:
    """A coup with the rules it is judged under: what all checks of it read."""

    state: CoupState
    rules: Rules
    table_rules: TableRules
    reports: frozenset[str]
    place: Place
    is_final: bool
    """The coup is over: what has not been reported by now counts as absent."""

    def at(self, sequence: int, **where: str | None) -> Place:
        """Give the place of a finding that rests on one event."""
        return replace(self.place, evidence=(sequence,), **where)  # type: ignore[arg-type]

    def can(self, *capabilities: Capability) -> bool:
        """Whether the table reports all of these."""
        return self.reports.issuperset(capabilities)

    @cached_property
    def in_hand(self) -> tuple[DealtCard, ...]:
        """The cards that lie in the hands, in the order in which they were dealt."""
        return self.state.cards

    @cached_property
    def unreadable(self) -> tuple[DealtCard, ...]:
        """Cards that could not be read."""
        return tuple(card for card in self.in_hand if card.card is None)

    def hand(self, name: str) -> tuple[Card, ...]:
        """Give the readable cards of a hand, by position."""
        dealt = sorted(
            (card for card in self.in_hand if card.hand == name), key=lambda one: one.position
        )
        return tuple(parse_card(card.card) for card in dealt if card.card is not None)

    @cached_property
    def coup(self) -> Coup | None:
        """The cards, judged; None where one is unreadable or the coup cannot be judged yet."""
        if self.unreadable or not self.in_hand:
            return None
        player, banker = self.hand("player"), self.hand("banker")
        if self.cards_are_final:
            return judge_coup(player, banker, self.table_rules.game)
        # Until then a disposition may still explain a card, and a card may still come.
        return Coup(player, banker) if min(len(player), len(banker)) >= 2 else None

    @cached_property
    def cards_are_final(self) -> bool:
        """Whether no further card can come: a result, a payment after it, or the end."""
        return self.is_final or self.state.result is not None

    @cached_property
    def refs(self) -> dict[str, WagerRef | None]:
        """Wager id to the law's wager; None where the table named none that is known."""
        return {one.wager_id: resolve(self.rules, one.name) for one in self.state.wagers}


def resolve(rules: Rules, name: str) -> WagerRef | None:
    """Find the wager that a table named under its filing, or None."""
    try:
        return resolve_wager(rules.law, name, rules.terms.submission)
    except TermsError:
        return None


def card_findings(view: CoupView) -> Iterator[Finding]:
    """Judge the cards: read, of this shoe, in order, drawn by the rules, announced rightly."""
    state = view.state
    if state.is_overrun:
        yield _plain(
            view, FindingCode.COVER_CARD_OVERRUN, state.coup_id,
            f"Coup {state.coup_no} of shoe {state.shoe_id} was dealt after the last coup that "
            "the cover card permits.", state.first_sequence,
        )  # fmt: skip
    if state.is_unverified or not view.can(Capability.CARDS):
        return
    for card in view.unreadable:
        where = f"{card.hand.capitalize()} card {card.position}"
        yield _plain(
            view, FindingCode.CARD_UNREADABLE, f"{state.coup_id}/{card.hand}/{card.position}",
            f"{where} could not be read; the coup is undetermined.", card.sequence, card.hand,
        )  # fmt: skip
    for card in view.in_hand:
        if card.foreign is not None:
            where = f"{card.hand.capitalize()} card {card.position}"
            subject = f"{state.coup_id}/{card.card_id or f'{card.hand}{card.position}'}"
            yield _plain(
                view, FindingCode.CARD_FROM_OTHER_SHOE, subject,
                f"{where} ({card.card or 'unread'}): {card.foreign}.", card.sequence, card.hand,
            )  # fmt: skip
    disorder = _disorder(view) if view.cards_are_final else None
    if disorder is not None:
        yield disorder
    if view.coup is not None and view.cards_are_final:
        yield from _drawing(view, view.coup, has_disorder=disorder is not None)
        yield from _announcements(view, view.coup)


def _plain(
    view: CoupView,
    code: FindingCode,
    subject: str,
    sentence: str,
    sequence: int,
    hand: str | None = None,
) -> Finding:
    return assert_finding(
        code,
        subject,
        sentence,
        view.at(sequence),
        Claim(hand=hand, citation=_citation(view, code)),
        submission=view.rules.terms.submission,
    )


def _citation(view: CoupView, code: FindingCode) -> str | None:
    cites, game = view.table_rules.game.cites, view.table_rules.game
    paragraphs = {
        FindingCode.DEAL_ORDER: "deal",
        FindingCode.COVER_CARD_OVERRUN: "shoe",
        FindingCode.WAGER_LATE: "deal",
    }
    name = paragraphs.get(code)
    return game.citation(getattr(cites, name)) if cites and name else None


def _disorder(view: CoupView) -> Finding | None:
    """Find cards that are missing, too many, doubled or out of the order of the rules."""
    dealt = [card for card in view.in_hand if not card.error_id]
    places = [(card.hand, card.position) for card in view.in_hand]
    problem = None
    if not places:
        if view.is_final and view.state.voided is None and view.state.wagers:
            problem = "no card was dealt"
    elif len(set(places)) < len(places) or any(position > 3 for _, position in places):
        problem = "a place was dealt to twice, or a hand got more than three cards"
    elif not set(_IN_ORDER) <= set(places):
        if view.state.voided is not None:
            return None
        problem = "a hand has fewer than two cards"
    elif view.can(Capability.DEAL_ORDER) and not view.state.errors:
        expected = [*_IN_ORDER, ("player", 3), ("banker", 3)]
        order = [(card.hand, card.position) for card in dealt]
        if order != [place for place in expected if place in order]:
            problem = "cards were not dealt in turn, Player first"
    if problem is None:
        return None
    shown = " ".join(f"{hand[0].upper()}{position}" for hand, position in places)
    last = view.in_hand[-1].sequence if view.in_hand else view.state.last_sequence
    return _plain(
        view, FindingCode.DEAL_ORDER, view.state.coup_id,
        f"Coup {view.state.coup_no}: {problem} (dealt: {shown or 'nothing'}).", last,
    )  # fmt: skip


def _drawing(view: CoupView, coup: Coup, *, has_disorder: bool) -> Iterator[Finding]:
    if view.state.voided is not None and not coup.has_first_four:
        return
    for finding in draw_findings(view.rules, coup, view.place):
        if finding.code is FindingCode.DEAL_ORDER and has_disorder:
            continue
        missing = finding.code in (FindingCode.THIRD_CARD_NOT_DRAWN, FindingCode.DEAL_ORDER)
        if missing and view.state.voided is not None:
            continue
        thirds = [card.sequence for card in view.in_hand if card.hand == finding.hand]
        yield finding.model_copy(update={"evidence": tuple(thirds[-3:])})


def _announcements(view: CoupView, coup: Coup) -> Iterator[Finding]:
    state, game = view.state, view.table_rules.game
    first = Coup(coup.player[:2], coup.banker[:2])
    for mark, judged, name in (
        (state.counts, first, "counts_announced"),
        (state.result, coup, "result_announced"),
    ):
        if mark is None:
            continue
        place = view.at(mark.sequence, column=name)
        claimed = (mark.player_points, mark.banker_points)
        found = points_finding(view.rules, judged, claimed, place, game)
        if found is not None:
            yield found
        if mark.winner is not None:
            found = winner_finding(view.rules, judged, mark.winner, place, game)
            if found is not None:
                yield found
    if state.result is not None and state.result.winning_wagers is not None:
        yield from _winning_list(view, coup, state.result)


def _winning_list(view: CoupView, coup: Coup, mark: Mark) -> Iterator[Finding]:
    """Compare the announced list of winning wagers with ours, for the wagers that are offered."""
    ours = winning_names(view.rules, coup)
    if ours is None:
        return
    names = mark.winning_wagers or ()
    said = {str(ref) for ref in (resolve(view.rules, one) for one in names) if ref is not None}
    parts = []
    if too_many := sorted(said - ours.won - ours.open):
        parts.append(f"announced as winning but not won: {' '.join(too_many)}")
    if too_few := sorted(ours.won - said - ours.open):
        parts.append(f"won but not announced: {' '.join(too_few)}")
    if too_many or too_few:
        yield assert_finding(
            FindingCode.WINNING_WAGERS_MISREPORTED,
            f"{view.state.coup_id}/result_announced",
            f"Coup {view.state.coup_no}: {'; '.join(parts)}.",
            view.at(mark.sequence, column="result_announced"),
            submission=view.rules.terms.submission,
        )
