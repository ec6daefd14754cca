"""Hits: each is found from the cards, and the meter stands as at the lock-out.

Close hits are taken in by the controller's time of the hit, or by its sequence (D33); what comes
after the first takes the reset amount. Without a word of the controller the cards alone decide,
after the lag.
"""

from __future__ import annotations

from functools import cmp_to_key

from auditors.law.interpretations import (
    CloseHits,
    MeterCents,
    ProgressiveShare,
    ResetAmount,
    WinningContribution,
)
from auditors.progressive.hits.hit_rows import are_cards_unknown, close_hits, put_hit
from auditors.progressive.hits.winners import award_of
from auditors.progressive.ledger.chunks import after
from auditors.progressive.ledger.context import Work, filed_of
from auditors.progressive.ledger.effects import Effect
from auditors.progressive.ledger.rows import limit_of
from auditors.progressive.ledger.scaling import SCALE, shown_parts
from auditors.progressive.ledger.state import (
    DUE_MAX,
    HITS_KEPT,
    LAG_US,
    LOCKS_KEPT,
    Due,
    Frozen,
    Hit,
    Level,
)
from auditors.values import evolve
from schemas.progressive_inputs import CoupOnProgressive, FiledMeter


def freeze(level: Level, effect: Effect) -> None:
    """Remember the meter at the lock-out of a table."""
    display = level.ledger.display
    for later in after(level.done, effect.position):
        display -= later.display
    frozen = Frozen(effect.table, effect.coup, effect.position, display, level.hit_moves)
    waiting = {(one.table_id, one.coup_id) for one in level.hits if one.amount is None}
    same = [
        one
        for one in level.frozen
        if one.table_id == effect.table and (one.table_id, one.coup_id) not in waiting
    ]
    if len(same) >= LOCKS_KEPT:
        kept = tuple(one for one in level.frozen if one is not same[0])
        level.frozen = (*kept, frozen)
    else:
        level.frozen = (*level.frozen, frozen)


def accepted_before(work: Work, level: Level, effect: Effect, display: int) -> None:
    """Let what is told late count where it belongs: in the meter of lock-outs that came after."""
    if not display:
        return
    position = effect.position
    frozen = tuple(
        one._replace(display=one.display + display) if one.position > position else one
        for one in level.frozen
    )
    level.frozen = frozen
    taken = [
        one
        for one in level.hits
        if one.amount is not None and one.locked_us is not None and one.locked_us > effect.at_us
    ]
    if not taken:
        return
    hit = min(taken, key=lambda one: (one.locked_us or 0, one.table_id))
    limit = limit_of(hit.filed)
    amount = (hit.amount or 0) + display
    if hit.is_close or (limit is not None and amount > limit):
        return
    ledger = level.ledger
    ledger = ledger._replace(
        display=ledger.display - display, wins=ledger.wins + display, won=ledger.won + display
    )
    level.ledger = ledger
    level.hit_moves = level.hit_moves - display
    hit = _with_award(level, evolve(hit, amount=amount))
    put(level, hit)
    put_hit(work, level, hit)


def _with_award(level: Level, hit: Hit) -> Hit:
    """Book what the house pays of a hit beside the meter, or book it otherwise than before (D3)."""
    filed = hit.filed or filed_of(level)
    house = 0
    if hit.amount is not None and filed is not None:
        shown = (
            shown_parts(hit.amount, filed.readings.get(MeterCents.ID, MeterCents.TRUNCATED))
            // SCALE
        )
        policy = filed.readings.get(ProgressiveShare.ID, ProgressiveShare.EQUAL)
        count = len(hit.winners) or len(hit.said_wagers)
        house = award_of(shown, count, policy, filed.reset_minor)[1] * SCALE
    more = house - hit.house_award
    if more:
        ledger = level.ledger
        ledger = ledger._replace(
            wins=ledger.wins + more,
            won=ledger.won + more,
            house_awards=ledger.house_awards + more,
        )
        level.ledger = ledger
        level.row_us = min(level.row_us, level.changed_us - 1)
    return evolve(hit, house_award=house)


def find_hit(level: Level, table_id: str, coup_id: str) -> Hit | None:
    """Find the hit of a coup."""
    for one in level.hits:
        if one.table_id == table_id and one.coup_id == coup_id:
            return one
    return None


def put(level: Level, hit: Hit) -> None:
    """Put a hit in the place of its earlier self."""
    kept = tuple(
        hit if (one.table_id, one.coup_id) == (hit.table_id, hit.coup_id) else one
        for one in level.hits
    )
    if hit not in kept:
        kept = (*kept, hit)[-HITS_KEPT:]
    level.hits = kept
    level.has_unsaid = any(map(is_unsaid, kept))


def is_unsaid(hit: Hit) -> bool:
    """Whether cards won, the coup is over, and no word of the controller is known."""
    is_over = hit.closed_us > 0 and hit.cards is not None
    return is_over and not hit.is_passed and hit.hit_id is None and hit.amount is None


def wait_for(level: Level, due: Due) -> None:
    """Note a check that falls due later."""
    ordered = sorted((*level.due, due), key=lambda one: one[:4])
    level.due = tuple(ordered[-DUE_MAX:])


def told_by_coup(work: Work, level: Level, coup: CoupOnProgressive) -> None:
    """Take in what a coup says of a hit, at once: who won, and what the table paid."""
    found = find_hit(level, coup.table_id, coup.coup_id)
    winners = tuple(one for one in coup.entries if one.is_meter_won) if coup.hit else ()
    is_closed = coup.state in ("closed", "voided")
    if coup.hit is None or not winners or coup.state == "voided":
        if found is not None:
            _told_without_cards(work, level, found, is_closed=is_closed)
        return
    is_news = found is None or found.cards is None
    found = found or Hit(coup.table_id, coup.coup_id)
    closed_us = found.closed_us or coup.occurred_at_us if is_closed else 0
    found = evolve(
        found,
        feed_id=coup.feed_id,
        cards=coup.hit,
        winners=winners,
        filed=coup.filed,
        locked_us=coup.locked_at_us,
        is_closed=is_closed,
        closed_us=closed_us,
        is_passed=found.is_passed and is_closed,
    )
    found = _with_award(level, found)
    put(level, found)
    put_hit(work, level, found)
    for other in close_hits(level, found) if is_news else ():
        put_hit(work, level, other)  # for review as well


def _told_without_cards(work: Work, level: Level, hit: Hit, *, is_closed: bool) -> None:
    """Take in that the record of a coup shows no cards that win."""
    if hit.cards is not None or (hit.amount is not None and not are_cards_unknown(level, hit)):
        _give_back(level, hit)
        hit = evolve(hit, cards=None, winners=(), amount=None, is_carded=False)
        hit = _with_award(level, hit)
    hit = evolve(hit, is_closed=is_closed)
    put(level, hit)
    _take_unseen(work, level, hit, hit.said_us)
    put_hit(work, level, find_hit(level, hit.table_id, hit.coup_id) or hit)


def _take_unseen(work: Work, level: Level, hit: Hit, at_us: int) -> None:
    """Take a hit in on the controller's word alone, where no record can show its cards."""
    is_said = hit.hit_id is not None and hit.is_overdue and hit.cards is None
    if is_said and are_cards_unknown(level, hit):
        take_hit(work, level, hit, at_us)


def _give_back(level: Level, hit: Hit) -> None:
    """Undo a hit of which the cards turned out otherwise, or whose coup was voided."""
    if hit.amount is None:
        return
    ledger, amount = level.ledger, hit.amount
    ledger = ledger._replace(
        display=ledger.display + amount - hit.reset,
        reserve=ledger.reserve + hit.reserve_paid,
        hits_count=ledger.hits_count - 1,
        wins=ledger.wins - amount,
        won=ledger.won - amount,
        house_funded=ledger.house_funded - hit.reset + hit.reserve_paid,
    )
    level.ledger = ledger
    level.hit_moves = level.hit_moves + amount - hit.reset
    level.row_us = min(level.row_us, level.changed_us - 1)


def cards_decided(work: Work, level: Level, effect: Effect) -> None:
    """Pass the moment at which the cards of a coup won the meter."""
    hit = find_hit(level, effect.table, effect.coup)
    if hit is None or hit.is_carded:
        return
    hit = evolve(hit, is_carded=True)
    put(level, hit)
    if hit.hit_id is not None:
        take_hit(work, level, hit, effect.at_us)
    else:
        wait_for(level, Due(effect.at_us + LAG_US, "hit", hit.table_id, hit.coup_id))


def hit_due(work: Work, level: Level, due: Due) -> None:
    """Look at a hit of which cards and controller should both have spoken by now."""
    hit = find_hit(level, due.table_id, due.coup_id)
    if hit is None or (hit.amount is not None and hit.hit_id is not None):
        return
    hit = evolve(hit, is_overdue=True)
    put(level, hit)
    if hit.cards is not None and hit.amount is None:
        take_hit(work, level, hit, due.at_us)
    else:
        _take_unseen(work, level, hit, due.at_us)
        put_hit(work, level, find_hit(level, hit.table_id, hit.coup_id) or hit)


def is_earlier(one: Hit, other: Hit, filed: FiledMeter) -> bool:
    """Whether the controller's word on one hit comes before that on another (D33).

    Its clock may go back; within the lag its time decides where that is in force, else its feed.
    """
    if (
        filed.readings.get(CloseHits.ID, CloseHits.CONTROLLER_TIME) == CloseHits.CONTROLLER_TIME
        and one.said_clock_us != other.said_clock_us
        and abs(one.said_clock_us - other.said_clock_us) <= LAG_US
    ):
        return one.said_clock_us < other.said_clock_us
    return (one.said_us, one.said_sequence) < (other.said_us, other.said_sequence)


def take_hit(work: Work, level: Level, hit: Hit, at_us: int) -> None:
    """Let the ledger take a hit in: the meter is won and begins anew."""
    filed = hit.filed or filed_of(level)
    if filed is None or hit.amount is not None:
        return
    later = [
        one
        for one in level.hits
        if one.amount is not None
        and None not in (one.hit_id, hit.hit_id)
        and one.reset_said is None
        and is_earlier(hit, one, filed)
    ]
    later.sort(key=cmp_to_key(lambda one, other: -1 if is_earlier(one, other, filed) else 1))
    for one in later:
        _give_back(level, one)
        put(level, _with_award(level, evolve(one, amount=None)))
    _take(work, level, hit, filed, at_us)
    for one in later:
        again = find_hit(level, one.table_id, one.coup_id)
        assert again is not None
        _take(work, level, again, again.filed or filed, at_us)


def _take(work: Work, level: Level, hit: Hit, filed: FiledMeter, at_us: int) -> None:
    ledger = level.ledger
    value = _value_at_lock(level, hit)
    is_reserve_only = filed.readings.get(ResetAmount.ID) == ResetAmount.RESERVE_ONLY
    reset = max(ledger.reserve, 0) if is_reserve_only else filed.reset_minor * SCALE
    moved = level.hit_moves - value[1]
    is_close = bool(close_hits(level, hit))
    display = value[0]
    if moved:
        display, is_close = max(display + moved, reset), True
    if filed.readings.get(WinningContribution.ID) == WinningContribution.EXCLUDED:
        display -= own_contributions(level, hit)
    limit = limit_of(filed)
    amount = display if limit is None else min(display, limit)
    from_reserve = min(max(ledger.reserve, 0), reset)
    house = reset - from_reserve
    ledger = ledger._replace(
        display=ledger.display - amount + reset,
        reserve=ledger.reserve - from_reserve,
        hits_count=ledger.hits_count + 1,
        wins=ledger.wins + amount,
        won=ledger.won + amount,
        house_funded=ledger.house_funded + house,
    )
    changed_us = max(level.changed_us, at_us)
    level.ledger = ledger
    level.hit_moves = level.hit_moves - amount + reset
    level.changed_us = changed_us
    level.row_us = min(level.row_us, changed_us - 1)
    hit = evolve(hit, amount=amount, reset=reset, reserve_paid=from_reserve, is_close=is_close)
    hit = _with_award(level, hit)
    put(level, hit)
    put_hit(work, level, hit)


def _value_at_lock(level: Level, hit: Hit) -> tuple[int, int]:
    """Give the running value at the lock-out, and what hits had moved it by then."""
    for one in level.frozen:
        if (one.table_id, one.coup_id) == (hit.table_id, hit.coup_id):
            return one.display, one.hit_moves
    return level.ledger.display, level.hit_moves


def own_contributions(level: Level, hit: Hit) -> int:
    """Add up what the wagers of the winning coup put into the display (D7)."""
    table = level.tables.get(hit.table_id)
    for age in table.ages if table else ():
        kept = age.get(hit.coup_id)
        if kept is not None:
            return kept.display
    return 0
