"""What a table reports to the ledger of a progressive, and up to when it has reported all.

A coup is said at no more bets, when its cards win a meter, at its end, and whenever what was said
of it changes. Nothing here is remembered: what is said follows from what the event changed, so
that folding again from any checkpoint says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from auditors.law import load_law
from auditors.table.known.context import Folding, Inputs
from auditors.table.known.state import CONTROLS_MAX, CoupState, TableState
from auditors.table.known.view import CoupView
from auditors.table.progressive_meters import (
    LinkedMeter,
    Told,
    hit_of,
    meters_under,
    runs_on,
    told_by,
    wins_no_meter,
)
from auditors.values import evolve
from schemas.events import (
    Capability,
    EventBase,
    ProgressiveTransferred,
    RulesSubmissionChanged,
    SentBy,
    TableClosed,
    TableOpened,
)
from schemas.events.progressive import ProgressiveEvent
from schemas.events.union import tags_where
from schemas.progressive_inputs import (
    ControllerSaid,
    ControllerWatermark,
    CoupOnProgressive,
    ProgressiveInput,
    TableWatermark,
)
from schemas.records import EPOCH_SHIFT
from schemas.rules_submission import RulesSubmission

WATERMARK_EVERY_US: Final = 10_000_000
"""A watermark is said once in each such stretch of the clock, where nothing else brings one."""

OPEN_STRETCHES_MAX: Final = 6
"""Wagers of a coup that is open for so many stretches are said before no more bets: the table is
not silent, and readings must not wait for it."""

_OF_WAGERS: Final = frozenset({"wager_placed", "wager_changed", "wager_withdrawn"})
_OF_FILINGS: Final = frozenset({"table_opened", "rules_submission_changed"})
_OF_CONTROLLERS: Final = tags_where(lambda event_class: event_class.sent_by is SentBy.CONTROLLER)
_OF_LINKS: Final = _OF_FILINGS | {"table_closed"}
"""Wire tags, because to ask an event for its class costs ten times as much."""

_Filings: TypeAlias = tuple[tuple[str, RulesSubmission], ...]


class Before(NamedTuple):
    """The table as it was before the event."""

    coups: tuple[CoupState, ...]
    filings: _Filings
    last_us: int | None
    """When the source's event before happened; None where that is missing."""


def may_say(state: TableState, event: EventBase) -> bool:
    """Whether :func:`say` can have anything to say; tables without progressives pay no more.

    Args:
        state: The table before the event.
        event: What it says.
    """
    if state.controls or _has_meters(state.filings):
        return True
    return event.type in _OF_CONTROLLERS or event.type in _OF_FILINGS


def say(folding: Folding, event: EventBase | None, raw: bytes, before: Before) -> None:
    """Say what an event changes for the ledgers of progressives.

    Args:
        folding: The event, folded.
        event: What it says; None where it cannot be read, or where events were declared missing.
        raw: Its bytes.
        before: The table as it was before it.
    """
    state = folding.state
    if isinstance(event, ProgressiveEvent):
        say_of_controller(folding, event, raw)
    if state.controls and _is_new_stretch(folding, before):
        say_controller_watermarks(folding, ())
    if _has_meters(state.filings) or (
        before.filings is not state.filings and _has_meters(before.filings)
    ):
        _say_of_table(folding, event, before)


def _has_meters(filings: _Filings) -> bool:
    if len(filings) == 1:
        return bool(filings[0][1].progressives)
    return any(submission.progressives for _, submission in filings)


def _is_new_stretch(folding: Folding, before: Before) -> bool:
    last_us = before.last_us
    if last_us is None:
        return True
    return last_us // WATERMARK_EVERY_US != folding.occurred_at_us // WATERMARK_EVERY_US


# A table.


def _say_of_table(folding: Folding, event: EventBase | None, before: Before) -> None:
    state = folding.state
    is_new_stretch = _is_new_stretch(folding, before)
    if not is_new_stretch and event is not None and _is_amid_coup(folding, event.type, before):
        return
    said: set[str] = set()
    if state.coups is not before.coups or is_new_stretch:
        said = _say_coups(folding, event, before)
    if isinstance(event, TableOpened | RulesSubmissionChanged):
        _say_link(folding, before)
    elif isinstance(event, TableClosed):
        _say_watermarks(folding, _linked_now(state))
    elif is_new_stretch and state.is_open and not _is_held_since(folding, before.last_us):
        _say_watermarks(folding, (one for one in _linked_now(state) if one[0] not in said))


def _is_amid_coup(folding: Folding, tag: str, before: Before) -> bool:
    """Whether an event goes on with the latest coup alone, and nothing is said before more comes.

    So it is with most events; what the others say is found by looking at each coup.
    """
    coups, earlier = folding.state.coups, before.coups
    if tag in _OF_LINKS:
        return False
    if coups is earlier:
        return True
    # Compared by identity: a coup is the same value wherever it was not touched.
    if len(coups) != len(earlier) or coups[:-1] != earlier[:-1]:
        return False
    coup, was = coups[-1], earlier[-1]
    if not _is_said(coup, coup, folding.occurred_at_us):
        return True
    if not _is_said(was, was, before.last_us):
        return False
    return _awaits_result(folding, was, coup, tag) or _is_paid_only(folding, was, coup, tag)


def _is_held_since(folding: Folding, last_us: int | None) -> bool:
    """Whether a wager that waits held the watermark back in the last stretch as well."""
    if last_us is None:
        return False
    held_us = _watermark_us(folding) - folding.state.clock_offset_us
    return held_us // WATERMARK_EVERY_US < last_us // WATERMARK_EVERY_US


def _linked_now(state: TableState) -> tuple[LinkedMeter, ...]:
    return meters_under(*state.filings[-1]) if state.filings else ()


def _is_said(coup: CoupState, latest: CoupState, now_us: int | None) -> bool:
    """Whether wagers of a coup are said as they stand, and no longer wait for no more bets."""
    if coup.no_more_bets is not None or coup.is_closed or coup.cards or coup is not latest:
        return True
    if coup.voided is not None or coup.result is not None or coup.is_unverified:
        return True
    if now_us is None:
        return False
    stretches = now_us // WATERMARK_EVERY_US - coup.began_at_us // WATERMARK_EVERY_US
    return stretches >= OPEN_STRETCHES_MAX


def _say_coups(folding: Folding, event: EventBase | None, before: Before) -> set[str]:
    """Say the coups of which something is new; give the progressives that heard of one."""
    said: set[str] = set()
    first = _first_changed(before.coups, folding.state.coups)
    earlier = {one.coup_id: one for one in before.coups[first:]}
    now_us, tag = folding.occurred_at_us, event.type if event is not None else None
    for coup, latest in _coups_now(folding.state, before, first):
        if not _is_said(coup, latest, now_us):
            continue
        was = earlier.get(coup.coup_id)
        if was is not None and not _is_said(was, before.coups[-1], before.last_us):
            was = None
        if was is coup or (was is not None and _awaits_result(folding, was, coup, tag)):
            continue
        if not (meters := _meters_of(folding.state, before, coup)):
            continue
        view = CoupView(folding, coup)
        view_before = CoupView(folding, was) if was is not None else None
        for meter in meters:
            if view_before and _is_quiet(view_before, view, meter, (now_us, tag)):
                continue
            told = told_by(view, meter, now_us)
            if view_before is None or told != told_by(view_before, meter, now_us):
                _emit_coup(folding, view, meter, told)
                said.add(meter.progressive_id)
    return said


def _first_changed(before: tuple[CoupState, ...], now: tuple[CoupState, ...]) -> int:
    """Give the place of the first coup that may be news: all before it are closed as they were.

    Nearly every event is about the last of 16 coups; looking at all of them was a fifth of the
    whole fold.
    """
    first = 0
    for was, coup in zip(before, now, strict=False):
        if was is not coup or not coup.is_closed:
            break
        first += 1
    return first


def _coups_now(
    state: TableState, before: Before, first: int
) -> Iterator[tuple[CoupState, CoupState]]:
    """Give the coups from a place on, each with the latest one; those that were dropped first."""
    coups = state.coups
    if before.coups and before.coups is not coups:
        kept = {one.coup_id for one in coups[first:]}
        for one in before.coups[first:]:
            if one.coup_id not in kept and not one.is_closed and coups:
                yield evolve(one, is_closed=True), coups[-1]
    for one in coups[first:]:
        yield one, coups[-1]


def _meters_of(state: TableState, before: Before, coup: CoupState) -> tuple[LinkedMeter, ...]:
    for key, submission in (*state.filings, *before.filings):
        if key == coup.filing:
            return meters_under(key, submission)
    return ()


def _awaits_result(folding: Folding, was: CoupState, coup: CoupState, tag: str | None) -> bool:
    """Whether an event within a coup comes before the announced result, and is no wager's.

    What :func:`_is_quiet` says of most events, without looking at the cards.
    """
    if tag is None or tag in _OF_WAGERS or Capability.ANNOUNCEMENTS not in folding.state.reports:
        return False
    if coup.result is not None or was.result is not None or coup.is_closed or was.is_closed:
        return False
    if coup.voided is not None or coup.is_unverified:
        return False
    return was.no_more_bets is coup.no_more_bets


def _is_paid_only(folding: Folding, was: CoupState, coup: CoupState, tag: str) -> bool:
    """Whether an event comes after the announced result, changes none of it, and no meter is won.

    What :func:`_is_quiet` says of nearly all settlements, with one look into a table.
    """
    if tag in _OF_WAGERS or Capability.ANNOUNCEMENTS not in folding.state.reports:
        return False
    if coup.result is None or coup.result is not was.result or coup.cards is not was.cards:
        return False
    if coup.errors or was.errors or coup.is_unverified or was.is_unverified:
        return False
    if coup.is_closed or was.is_closed or coup.voided is not None:
        return False
    return was.no_more_bets is coup.no_more_bets and wins_no_meter(folding, coup)


def _is_quiet(
    before: CoupView, after: CoupView, meter: LinkedMeter, at: tuple[int, str | None]
) -> bool:
    """Whether an event within a coup that goes on cannot change what is said of it."""
    was, coup, (now_us, tag) = before.state, after.state, at
    if tag is None or tag in _OF_WAGERS or coup.is_closed or coup.is_unverified:
        return False
    if was.no_more_bets is not coup.no_more_bets or coup.voided is not None:
        return False
    if hit_of(after, meter, now_us) is not None:
        return False
    is_decided_alike = (
        Capability.ANNOUNCEMENTS in after.reports
        and was.result is coup.result
        and was.cards is coup.cards
        and was.errors is coup.errors
        and was.is_closed is coup.is_closed
        and was.is_unverified is coup.is_unverified
    )
    return is_decided_alike or hit_of(before, meter, now_us) is None


def _emit_coup(folding: Folding, view: CoupView, meter: LinkedMeter, told: Told) -> None:
    state, coup = folding.state, view.state
    key = ("coup", meter.progressive_id, meter.filed.level, coup.coup_id)
    folding.inputs[key] = CoupOnProgressive(
        progressive_id=meter.progressive_id,
        table_id=state.source_id,
        feed_id=coup.feed_id,
        coup_id=coup.coup_id,
        shoe_id=coup.shoe_id,
        coup_no=coup.coup_no,
        version=_version(folding),
        sequence=folding.sequence,
        occurred_at_us=folding.occurred_at_us + state.clock_offset_us,
        gaming_date=coup.gaming_date,
        currency=view.currency,
        is_simulated=state.is_simulated,
        filed=meter.filed,
        watermark_us=_watermark_us(folding),
        **told._asdict(),
    )


def _version(folding: Folding) -> int:
    return (load_law().audit_epoch << EPOCH_SHIFT) + folding.offset


def _watermark_us(folding: Folding) -> int:
    """Give the moment up to which everything was said: before the first wager that waits.

    What happens in the same microsecond as the event may still be told.
    """
    state = folding.state
    held_us = folding.occurred_at_us + state.clock_offset_us
    for coup in state.coups:
        if (
            coup.is_closed
            or not coup.wagers
            or _is_said(coup, state.coups[-1], folding.occurred_at_us)
        ):
            continue
        view = CoupView(folding, coup)
        meters = meters_under(*_filing(state, coup.filing))
        for wager in coup.wagers:
            if any(runs_on(wager, view, meter) for meter in meters):
                held_us = min(held_us, wager.placed_at_us + coup.clock_offset_us)
    return held_us - 1


def _filing(state: TableState, key: str) -> tuple[str, RulesSubmission]:
    return next(one for one in reversed(state.filings) if one[0] == key)


def _say_link(folding: Folding, before: Before) -> None:
    """Say on which meters the table runs from now on, and on which it no longer does."""
    linked = _linked_now(folding.state)
    now = {(one.progressive_id, one.filed.level) for one in linked}
    earlier = meters_under(*before.filings[-1]) if before.filings else ()
    left = [one for one in earlier if (one.progressive_id, one.filed.level) not in now]
    _say_watermarks(folding, left, is_left=True)
    _say_watermarks(folding, linked)


def _say_watermarks(
    folding: Folding, meters: Iterable[LinkedMeter], *, is_left: bool = False
) -> None:
    state = folding.state
    watermark_us: int | None = None
    for meter in meters:
        if watermark_us is None:
            watermark_us = _watermark_us(folding)
        level = 0 if is_left else meter.filed.level
        folding.inputs["watermark", meter.progressive_id, level, ""] = TableWatermark(
            progressive_id=meter.progressive_id,
            table_id=state.source_id,
            feed_id=folding.feed_id,
            sequence=folding.sequence,
            version=_version(folding),
            watermark_us=watermark_us,
            is_open=state.is_open,
            currency=meter_currency(state),
            is_simulated=state.is_simulated,
            filed=None if is_left else meter.filed,
        )


def meter_currency(state: TableState) -> str:
    """Give the currency of the filing in force."""
    return state.filings[-1][1].currency


# A controller.


def say_of_controller(folding: Folding, event: ProgressiveEvent, raw: bytes) -> None:
    """Pass on what a controller says of a progressive.

    Args:
        folding: The event, whose turn it is, or which fills a declared gap.
        event: What it says.
        raw: Its bytes.
    """
    state, progressive_id = folding.state, event.progressive_id
    if progressive_id not in state.controls:
        folding.state.controls = (*state.controls, progressive_id)[-CONTROLS_MAX:]
    told = [progressive_id]
    if isinstance(event, ProgressiveTransferred) and event.to_progressive_id != progressive_id:
        told.append(event.to_progressive_id)  # its ledger takes in what this one gives
    for name in told:
        folding.inputs["controller", name, event.feed_id, event.sequence] = ControllerSaid(
            progressive_id=name,
            source_id=event.source_id,
            feed_id=event.feed_id,
            sequence=event.sequence,
            version=_version(folding),
            occurred_at_us=event.occurred_at_us + state.clock_offset_us,
            is_simulated=state.is_simulated,
            event=raw.decode(),
        )


def say_controller_watermarks(folding: Folding, lost: tuple[tuple[int, int], ...]) -> None:
    """Say up to when a controller has said everything, to each progressive that it speaks of.

    Args:
        folding: The event.
        lost: First and last sequence of what was just declared missing.
    """
    state = folding.state
    for progressive_id in state.controls:
        key = ("controller_watermark", progressive_id, folding.feed_id, "")
        known = folding.inputs.get(key)
        earlier = known.lost if isinstance(known, ControllerWatermark) else ()
        folding.inputs[key] = ControllerWatermark(
            progressive_id=progressive_id,
            source_id=state.source_id,
            feed_id=folding.feed_id,
            sequence=folding.sequence,
            version=_version(folding),
            watermark_us=folding.occurred_at_us + state.clock_offset_us - 1,
            is_simulated=state.is_simulated,
            lost=(*earlier, *lost),
        )


# What a message leads to in all.


def in_order(inputs: Inputs) -> tuple[ProgressiveInput, ...]:
    """Put what a message leads to in an order in which no watermark stands before what it covers.

    Of several coups said to a progressive at once only the last one bears a watermark.
    """
    if len(inputs) < 2:
        return tuple(inputs.values())
    last: dict[str, int] = {}
    coups = [one for one in inputs.values() if isinstance(one, CoupOnProgressive)]
    highest: dict[str, int] = {}
    for at, one in enumerate(coups):
        last[one.progressive_id] = at
        earlier_us = highest.get(one.progressive_id, 0)
        highest[one.progressive_id] = max(earlier_us, one.watermark_us)
    said: list[ProgressiveInput] = [
        one.model_copy(
            update={
                "watermark_us": highest[one.progressive_id] if last[one.progressive_id] == at else 0
            }
        )
        for at, one in enumerate(coups)
    ]
    others = [one for one in inputs.values() if not isinstance(one, CoupOnProgressive)]
    said += [one for one in others if isinstance(one, ControllerSaid)]
    said += [one for one in others if not isinstance(one, ControllerSaid)]
    return tuple(said)


Noted: TypeAlias = dict[tuple[str, int, str], CoupOnProgressive | TableWatermark]
"""Progressive, level and coup to the last word on it; no coup: whether the table is linked."""


def note(noted: Noted, said: Iterable[ProgressiveInput]) -> None:
    """Note the last word of a table on each coup, and on whether it is linked."""
    for one in said:
        if isinstance(one, CoupOnProgressive):
            noted[one.progressive_id, one.filed.level, one.coup_id] = one
        elif isinstance(one, TableWatermark):
            noted[one.progressive_id, one.filed.level if one.filed else 0, ""] = one


def say_amended(before: Noted, after: Noted, offset: int) -> tuple[ProgressiveInput, ...]:
    """Give what a shoe that was folded again says otherwise.

    Args:
        before: What was said without the late event.
        after: What is said with it.
        offset: Of the late event.
    """
    changed = [one for key, one in after.items() if _content(before.get(key)) != _content(one)]
    gone = [
        one.model_copy(update={"entries": (), "hit": None})
        for key, one in before.items()
        if key not in after and isinstance(one, CoupOnProgressive)
    ]
    version = (load_law().audit_epoch << EPOCH_SHIFT) + offset
    update = {"version": version, "watermark_us": 0}
    return tuple(one.model_copy(update=update) for one in (*changed, *gone))


def _content(one: CoupOnProgressive | TableWatermark | None) -> object:
    """Give what is said, apart from when."""
    if one is None:
        return None
    if isinstance(one, TableWatermark):
        return one.is_open, one.filed
    nothing = {"version": 0, "watermark_us": 0, "sequence": 0, "occurred_at_us": 0}
    return one.model_copy(update=nothing)
