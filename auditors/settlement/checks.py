"""The checks of one coup, its claims and its wagers, which every path shares.

Every path calls these: the one-coup command, files of recorded rounds and the table fold. Each
check returns findings and raises nothing; what cannot be judged raises where it is settled.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Final, Literal

from auditors.law.interpretations import LastDay, StakeOutsideLimits, TieAsBase, UnstatedBase
from auditors.law.model import Section, Wager
from auditors.law.status import SectionStatus, Status, has_successor, section_status
from auditors.law.wager_names import wager_title
from auditors.settlement.amounts import VOID, WagerVerdict
from auditors.settlement.asserting import Claim, Place, assert_finding
from auditors.settlement.coup import Coup
from auditors.settlement.rules import Rules
from auditors.settlement.terms import MAIN_WAGERS, WagerRef, is_game
from schemas.cards import format_hand
from schemas.finding_facts.deal import DrawFaulty, PointsAnnounced, WinnerAnnounced
from schemas.finding_facts.payment import PaymentDiffers
from schemas.finding_facts.rules import SectionOutOfForce
from schemas.finding_facts.wager import BaseWagerMissing, StakeOutOfLimits, WagerNotOffered
from schemas.findings import Finding, FindingCode

_HANDS: Final[dict[str, Literal["player", "banker", "tie"]]] = {
    "player": "player",
    "banker": "banker",
    "tie": "tie",
}


def draw_findings(rules: Rules, coup: Coup, place: Place) -> list[Finding]:
    """Find departures from the rules of dealing."""
    return [
        assert_finding(
            fault.code,
            f"{place.coup_subject}/{fault.hand}" if fault.hand else place.coup_subject,
            DrawFaulty(
                player_cards=format_hand(coup.player),
                banker_cards=format_hand(coup.banker),
                problem=fault.sentence,
            ),
            place,
            Claim(hand=fault.hand, citation=fault.citation),
            submission=rules.terms.submission,
        )
        for fault in coup.faults
    ]


def winner_finding(
    rules: Rules, coup: Coup, claimed: str, place: Place, game: Section
) -> Finding | None:
    """Compare a claimed winner with the cards as they lie, also where the draw was faulty."""
    if claimed == coup.winner:
        return None
    return assert_finding(
        FindingCode.RESULT_MISANNOUNCED,
        f"{place.coup_subject}/{place.column}",
        WinnerAnnounced(
            player_cards=format_hand(coup.player),
            banker_cards=format_hand(coup.banker),
            player_points=coup.player_points,
            banker_points=coup.banker_points,
            announced=_HANDS[claimed],
        ),
        place,
        Claim(citation=game.citation(game.cites.result) if game.cites else None),
        submission=rules.terms.submission,
    )


def points_finding(
    rules: Rules, coup: Coup, claimed: tuple[int | None, int | None], place: Place, game: Section
) -> Finding | None:
    """Compare claimed point counts (Player, Banker; None: not claimed) with the cards."""
    player, banker = claimed
    if player in (None, coup.player_points) and banker in (None, coup.banker_points):
        return None
    return assert_finding(
        FindingCode.POINTS_MISANNOUNCED,
        f"{place.coup_subject}/{place.column}",
        PointsAnnounced(
            player_cards=format_hand(coup.player),
            banker_cards=format_hand(coup.banker),
            player_points=coup.player_points,
            banker_points=coup.banker_points,
            announced_player=player,
            announced_banker=banker,
        ),
        place,
        Claim(citation=game.citation(game.cites.result) if game.cites else None),
        submission=rules.terms.submission,
    )


def payment_code(verdict: WagerVerdict, paid_minor: int) -> FindingCode | None:
    """Name what is wrong with a payment against what was due; None: it is right, or open.

    Args:
        verdict: What should have happened.
        paid_minor: Total handed back, the stake included, >= 0 (below 0: more than the stake
            was taken).
    """
    due = verdict.due_minor
    if due is None or paid_minor == due:
        return None
    if verdict.outcome == "lose":
        if paid_minor < 0:
            return FindingCode.STAKE_TAKEN_TWICE
        if paid_minor == verdict.stake_minor:
            return FindingCode.LOSER_NOT_COLLECTED
        if paid_minor > due:
            return FindingCode.LOSER_PAID
    if paid_minor > due:
        return FindingCode.WAGER_OVERPAID
    is_void = verdict.outcome_code == VOID
    return FindingCode.VOID_NOT_REFUNDED if is_void else FindingCode.WAGER_UNDERPAID


def payment_finding(
    rules: Rules, verdict: WagerVerdict, paid_minor: int, subject: str, place: Place
) -> Finding | None:
    """Compare what was paid on a wager with what was due.

    Args:
        rules: The law under the terms of the table.
        verdict: What should have happened.
        paid_minor: As for :func:`payment_code`.
        subject: The wager, as the catalogue's subject.
        place: Where the payment was recorded.
    """
    code = payment_code(verdict, paid_minor)
    if code is None or verdict.due_minor is None:
        return None
    return assert_finding(
        code,
        subject,
        payment_facts(verdict),
        place,
        Claim(
            wager=verdict.ref.id,
            hand=verdict.ref.hand,
            stake_minor=verdict.stake_minor,
            due_minor=verdict.due_minor,
            paid_minor=paid_minor,
            citation=verdict.citation,
            interpretations=verdict.interpretations,
        ),
        submission=rules.terms.submission,
    )


def payment_facts(verdict: WagerVerdict) -> PaymentDiffers:
    """Give what a finding about a payment rests on; only of a verdict with an amount."""
    assert verdict.reckoning is not None, "a verdict with an amount says how it comes about"
    return PaymentDiffers(
        wager_name=verdict.name,
        outcome=verdict.outcome,
        stake_minor=verdict.stake_minor,
        reckoning=verdict.reckoning,
    )


def date_findings(
    rules: Rules, section_ids: Iterable[str], gaming_date: datetime.date, place: Place
) -> list[Finding]:
    """Find sections whose wagers were offered outside their printed dates.

    One finding per table, section and gaming date; the subject carries all three, so a caller
    that sees many coups keeps the first of each id.
    """
    found = []
    last_day = {LastDay.ID: rules.terms.readings[LastDay.ID]}  # it says nothing of a first day
    for section_id in dict.fromkeys(section_ids):
        section = rules.law.sections[section_id]
        status = section_status(section, gaming_date, rules.terms.readings)
        code = _DATE_CODES.get(status.status)
        if code is None:
            continue
        if code is FindingCode.RULE_LAPSED and has_successor(
            rules.terms.submission, section_id, gaming_date
        ):
            continue
        found.append(
            assert_finding(
                code,
                f"{section_id}/{gaming_date}",
                _out_of_force(section, status, gaming_date),
                place,
                Claim(
                    citation=section.citation(""),
                    interpretations=last_day if code is FindingCode.RULE_LAPSED else {},
                ),
                submission=rules.terms.submission,
            )
        )
    return found


def _out_of_force(
    section: Section, status: SectionStatus, gaming_date: datetime.date
) -> SectionOutOfForce:
    term, is_early = status.term, status.status is Status.NOT_YET_IN_FORCE
    day = (term.from_date if is_early else term.until) if term else "not shown"
    return SectionOutOfForce(
        section_id=section.id,
        section_title=section.title,
        gaming_date=str(gaming_date),
        printed_day=str(day),
        source=term.source if term and is_early else "",
    )


_DATE_CODES: Final = {
    Status.LAPSED: FindingCode.RULE_LAPSED,
    Status.NOT_YET_IN_FORCE: FindingCode.RULE_NOT_YET_IN_FORCE,
}


def needs_base(rules: Rules, section: Section, wager: Wager) -> bool:
    """Whether a base wager has to stand before this wager may (D35 where the text is silent)."""
    if wager.base_wager == "not_stated":
        return rules.terms.readings[UnstatedBase.ID] == UnstatedBase.REQUIRED
    return wager.base_wager == "required"


def is_base(rules: Rules, ref: WagerRef) -> bool:
    """Whether a wager is a base wager: a main wager of a game (D36: whether Tie is one)."""
    section_id, _, code = ref.id.partition(".")
    if code not in MAIN_WAGERS or not is_game(rules.law, section_id):
        return False
    return code != "tie" or rules.terms.readings[TieAsBase.ID] == TieAsBase.COUNTS


def base_findings(
    rules: Rules, wagers: Iterable[tuple[WagerRef, str]], place: Place
) -> list[Finding]:
    """Find wagers that need a base wager of the same patron or seat, and have none.

    Args:
        rules: The law under the terms of the table.
        wagers: All wagers of one patron (or seat) at "no more bets", each with the subject that
            names it.
        place: Where they were recorded.
    """
    standing = list(wagers)
    if any(is_base(rules, ref) for ref, _ in standing):
        return []
    found = []
    for ref, subject in standing:
        section, wager = rules.law.wagers[ref.id]
        if needs_base(rules, section, wager):
            readings = {TieAsBase.ID: rules.terms.readings[TieAsBase.ID]}
            if wager.base_wager == "not_stated":
                readings[UnstatedBase.ID] = rules.terms.readings[UnstatedBase.ID]
            found.append(
                assert_finding(
                    FindingCode.WAGER_WITHOUT_BASE,
                    subject,
                    BaseWagerMissing(wager_name=wager_title(ref.id, ref.hand)),
                    place,
                    Claim(
                        wager=ref.id,
                        hand=ref.hand,
                        citation=section.citation(wager.base_wager_cite),
                        interpretations=readings,
                    ),
                    submission=rules.terms.submission,
                )
            )
    return found


def offer_findings(
    rules: Rules, ref: WagerRef, stake_minor: int, subject: str, place: Place
) -> list[Finding]:
    """Find a wager that the submission does not offer, or a stake outside its limits."""
    submission = rules.terms.submission
    if submission is None:
        return []
    name = wager_title(ref.id, ref.hand)
    claim = Claim(wager=ref.id, hand=ref.hand, stake_minor=stake_minor or None)
    if submission.offered(ref.id) is None:
        return [
            assert_finding(
                FindingCode.WAGER_NOT_OFFERED,
                subject,
                WagerNotOffered(wager_name=name),
                place,
                claim,
                submission=submission,
            )
        ]
    least, most = rules.terms.limits.get(ref.id, (None, None))
    over = most is not None and stake_minor > most
    if not over and (least is None or stake_minor >= least):
        return []
    return [
        assert_finding(
            FindingCode.WAGER_OUT_OF_LIMITS,
            subject,
            StakeOutOfLimits(
                wager_name=name,
                bound="maximum" if over else "minimum",
                limit_minor=(most if over else least) or 0,
                staked_minor=stake_minor,
            ),
            place,
            Claim(
                wager=ref.id,
                hand=ref.hand,
                stake_minor=stake_minor,
                interpretations={
                    StakeOutsideLimits.ID: rules.terms.readings[StakeOutsideLimits.ID]
                },
            ),
            submission=submission,
        )
    ]
