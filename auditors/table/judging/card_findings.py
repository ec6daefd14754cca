"""Findings about the cards of a coup: read, of this shoe, in turn, by the rules, called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from auditors.clock import local_time
from auditors.law.wager_names import wager_title
from auditors.settlement.asserting import Claim, Place, assert_finding, worded
from auditors.settlement.checks import draw_findings, points_finding, winner_finding
from auditors.settlement.coup import Coup
from auditors.table.known.hands import are_in_turn
from auditors.table.known.state import DealtCard, Mark
from auditors.table.known.view import CoupView
from schemas.events import Capability
from schemas.finding_facts import FindingFacts
from schemas.finding_facts.deal import (
    CardUnread,
    DealDisordered,
    DealtAfterLast,
    PointsAnnounced,
    WinnerAnnounced,
    WinnersListed,
)
from schemas.finding_facts.shoe import CardForeign
from schemas.findings import Finding, FindingCode, FindingStatus


def has_clean_cards(view: CoupView) -> bool:
    """Whether nothing is found about the cards and the calls, as far as they have come."""
    return next(card_findings(view), None) is None


def _is_out_of_turn(view: CoupView) -> bool:
    """Whether cards were not dealt in turn; a card drawn in error upsets what comes after it."""
    state = view.state
    if not view.can(Capability.DEAL_ORDER):
        return False
    since = state.error_sequence
    if since is None:
        return not view.hands.is_in_turn
    return not are_in_turn(one for one in state.cards if not _is_after_error(one, since))


def _is_after_error(card: DealtCard, error_sequence: int) -> bool:
    known = card.is_after_error
    return card.sequence > error_sequence if known is None else known


def card_findings(view: CoupView) -> Iterator[Finding]:
    """Judge the cards: read, of this shoe, in order, drawn by the rules, announced rightly."""
    state = view.state
    if state.is_overrun:
        first = state.cards[0] if state.cards else None
        yield _plain(
            view,
            FindingCode.COVER_CARD_OVERRUN,
            state.coup_id,
            DealtAfterLast(coup_no=state.coup_no),
            first.sequence if first else state.first_sequence,
            at_us=first.occurred_at_us if first else None,
        )
    if not view.can(Capability.CARDS):
        return
    yield from _one_by_one(view)
    if view.cards_are_final and view.is_certain("cards"):
        yield from _dealing(view)
    yield from _announcements(view)


def _one_by_one(view: CoupView) -> Iterator[Finding]:
    """Judge each card by itself."""
    coup_id = view.state.coup_id
    seen = set()
    for card in view.state.cards:
        subject = f"{coup_id}/{card.hand}/{card.position}"
        if card.card is None and subject not in seen:
            seen.add(subject)
            unread = CardUnread(hand=card.hand, position=card.position)
            yield _of_card(view, FindingCode.CARD_UNREADABLE, subject, unread, card)
        if card.read_sequence is not None and subject not in seen:
            seen.add(subject)
            yield _read_later(view, card, subject)
        subject = f"{coup_id}/{card.card_id or f'{card.hand}{card.position}'}"
        if card.foreign is not None and subject not in seen:
            seen.add(subject)
            foreign = CardForeign(
                came="dealt",
                card=card.card,
                hand=card.hand,
                position=card.position,
                problem=card.foreign,
            )
            yield _of_card(view, FindingCode.CARD_FROM_OTHER_SHOE, subject, foreign, card)


def _read_later(view: CoupView, card: DealtCard, subject: str) -> Finding:
    """Keep in sight that a card was read later: whoever doubts it looks at the video."""
    result = view.state.result
    is_late = card.is_read_late
    if is_late is None:  # of a state that does not know it
        called = None if result is None else result.since or result.sequence
        is_late = called is not None and (card.read_sequence or 0) > called
    told = CardUnread(
        hand=card.hand,
        position=card.position,
        card=card.card,
        read="after_result" if is_late else "before_result",
    )
    found = _of_card(view, FindingCode.CARD_UNREADABLE, subject, told, card)
    evidence = (card.sequence, card.read_sequence or card.sequence)
    return found.model_copy(update={"status": FindingStatus.CORRECTED, "evidence": evidence})


def _of_card(
    view: CoupView, code: FindingCode, subject: str, told: FindingFacts, card: DealtCard
) -> Finding:
    return _plain(view, code, subject, told, card.sequence, card.hand, at_us=card.occurred_at_us)


def _plain(
    view: CoupView,
    code: FindingCode,
    subject: str,
    told: FindingFacts,
    sequence: int,
    hand: str | None = None,
    at_us: int | None = None,
) -> Finding:
    claim = Claim(hand=hand, citation=_citation(view, code))
    return assert_finding(
        code, subject, told, view.at(sequence, at_us=at_us), claim, submission=view.submission
    )


def _citation(view: CoupView, code: FindingCode) -> str | None:
    cites, game = view.table_rules.game.cites, view.table_rules.game
    paragraphs = {FindingCode.DEAL_ORDER: "deal", FindingCode.COVER_CARD_OVERRUN: "shoe"}
    name = paragraphs.get(code)
    return game.citation(getattr(cites, name)) if cites and name else None


def _dealing(view: CoupView) -> Iterator[Finding]:
    """Judge the deal as a whole; a void explains what is missing and what was drawn too much."""
    state, hands = view.state, view.hands
    problem = hands.disorder
    if problem is not None and (state.voided is not None or not (state.cards or state.wagers)):
        return
    if problem is None and _is_out_of_turn(view):
        problem = "cards were not dealt in turn, Player first"
    if problem is not None:
        last = state.cards[-1] if state.cards else None
        yield _plain(
            view,
            FindingCode.DEAL_ORDER,
            state.coup_id,
            DealDisordered(coup_no=state.coup_no, problem=problem, dealt=hands.shown),
            last.sequence if last else state.last_sequence,
            at_us=last.occurred_at_us if last else None,
        )
    if hands.disorder is None and hands.is_readable and state.voided is None:
        yield from _drawing(view)


def _drawing(view: CoupView) -> Iterator[Finding]:
    """Judge third cards; a card whose disposition was reported lies in no hand any more."""
    for finding in draw_findings(view.rules, view.hands.coup, view.place):
        yield finding.model_copy(update={"evidence": tuple(sorted(view.card_sequences))})


def _announcements(view: CoupView) -> Iterator[Finding]:
    """Compare what was called with the cards as they lie."""
    state, hands = view.state, view.hands
    if not hands.coup.has_first_four:
        return
    yield from counts_findings(view)
    result = state.result
    if result is None or not hands.is_readable or not view.is_certain("cards"):
        return
    if view.can(Capability.ANNOUNCEMENTS):
        yield from _called(view, result, _result_called)
    if view.can(Capability.WINNING_WAGERS):
        yield from _called(view, result, _winning_list)


def counts_findings(view: CoupView) -> Iterator[Finding]:
    """Compare the counts that were called after two cards each with the cards."""
    counts = view.state.counts
    if counts is None or not view.hands.coup.has_first_four:
        return
    if view.can(Capability.CARDS, Capability.COUNTS) and view.is_certain("counts"):
        yield from _called(view, counts, _counts_called)


def _called(
    view: CoupView, mark: Mark, judge: Callable[[CoupView, Mark], Iterable[Finding]]
) -> Iterator[Finding]:
    """Judge a call, and the calls in whose place it came: what it puts right stays in sight."""
    found = {finding.id: finding for finding in judge(view, mark)}
    for before in view.state.called_before:
        if (before.winner is None) is not (mark.winner is None) or not _is_on_these(view, before):
            continue
        at = local_time(view.rules.terms, mark.occurred_at_us)
        for finding in judge(view, before):
            evidence = tuple(sorted({*finding.evidence, mark.sequence}))
            found.setdefault(finding.id, _put_right(finding, at, evidence))
    yield from found.values()


def _put_right(one: Finding, at: str, evidence: tuple[int, ...]) -> Finding:
    """Give what was called wrongly with the time at which the right one was called."""
    facts = one.facts
    if isinstance(facts, PointsAnnounced | WinnerAnnounced | WinnersListed):
        facts = facts.model_copy(update={"put_right_at": at})
    return worded(one, status=FindingStatus.CORRECTED, facts=facts, evidence=evidence)


def _is_on_these(view: CoupView, mark: Mark) -> bool:
    """Whether a call was made on the cards as they lie: what came after it explains it."""
    if mark.hands is None:  # of a state that does not know them
        return _came_last(view, mark)
    if mark.error_count != len(view.state.errors):
        return False
    # Numbers of events do not tell: the call may stand in the feed before that of the cards.
    then, now = (text.split() for text in (mark.hands, view.state.hands))
    if mark.winner is None:  # of counts, which are called after two cards each
        then, now = ([one for one in text if one[1] < "3"] for text in (then, now))
    return then == now


def _came_last(view: CoupView, mark: Mark) -> bool:
    """Whether a call has a higher number than all that came to the cards."""
    state, is_of_counts = view.state, mark.winner is None
    told = [
        max(one.sequence, one.read_sequence or 0)
        for one in state.cards
        if one.position <= 2 or not is_of_counts
    ]
    is_known = len(state.errors) <= 1  # of further ones nobody remembers when they came
    return is_known and max([*told, state.error_sequence or 0]) < mark.sequence


def _counts_called(view: CoupView, mark: Mark) -> Iterator[Finding]:
    yield from _points(view, view.hands.first_four, mark, "counts_announced")


def _result_called(view: CoupView, mark: Mark) -> Iterator[Finding]:
    coup = view.hands.coup
    yield from _points(view, coup, mark, "result_announced")
    place = _place_of_call(view, mark, "result_announced")
    found = winner_finding(view.rules, coup, mark.winner or "", place, view.table_rules.game)
    if found is not None:
        yield found


def _points(view: CoupView, coup: Coup, mark: Mark, column: str) -> Iterator[Finding]:
    place = _place_of_call(view, mark, column)
    claimed = (mark.player_points, mark.banker_points)
    found = points_finding(view.rules, coup, claimed, place, view.table_rules.game)
    if found is not None:
        yield found


def _place_of_call(view: CoupView, mark: Mark, column: str) -> Place:
    return view.at(*view.card_sequences, mark.sequence, column=column, at_us=mark.occurred_at_us)


def _title_of_ref(ref: str) -> str:
    """Name a wager as its section does; ``id@hand`` where its hand tells it from another."""
    wager, _, hand = ref.partition("@")
    return wager_title(wager, hand or None)


def _listed_wrongly(view: CoupView, mark: Mark) -> tuple[list[str], list[str]] | None:
    """Give wagers that were announced and did not win, and that won and were not announced."""
    if mark.winning_wagers is None or not view.can(Capability.WINNING_WAGERS):
        return None
    ours = view.table_rules.winning_names(view.hands)
    named = (view.table_rules.named(one).ref for one in mark.winning_wagers)
    said = {str(ref) for ref in named if ref is not None}
    too_many, too_few = sorted(said - ours.won - ours.open), sorted(ours.won - said)
    return (too_many, too_few) if too_many or too_few else None


def _winning_list(view: CoupView, mark: Mark) -> Iterator[Finding]:
    """Compare the announced list of winning wagers with ours, for the wagers that are offered."""
    wrong = _listed_wrongly(view, mark)
    if wrong is None:
        return
    yield assert_finding(
        FindingCode.WINNING_WAGERS_MISREPORTED,
        f"{view.state.coup_id}/result_announced",
        WinnersListed(
            coup_no=view.state.coup_no,
            not_won=tuple(map(_title_of_ref, wrong[0])),
            not_announced=tuple(map(_title_of_ref, wrong[1])),
        ),
        _place_of_call(view, mark, "result_announced"),
        submission=view.submission,
    )
