"""Events at a table that are unusual and yet right; nothing here is a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schemas.events import (
    Capability,
    CardExposed,
    CardRemoved,
    CardReplaced,
    CardsBurned,
    ChipsCredited,
    ChipsFilled,
    CoverCardDrawn,
    DeviceFaultCleared,
    DeviceFaultRaised,
)
from streams.simulator.feed import Draft
from streams.simulator.tables.coup_plan import CarriedCard, CoupPlan, ErrorStep
from streams.simulator.tables.dealing import Dealt, Shoe, as_read
from streams.simulator.tables.opening import change_dealers

if TYPE_CHECKING:
    from streams.simulator.tables.playing import PlayingTable

_CHANGE: Final = 0.02
_WITHDRAW: Final = 0.01
_VOID: Final = 0.004
_ERROR: Final = 0.02
_FAULT: Final = 0.004
_FILL: Final = 0.006
_EXPOSED: Final = 0.002
_BURN: Final = 0.0015
_REPLACED: Final = 0.001
_TRAY_LOW: Final = 15_000_000
_TRAY_FULL: Final = 40_000_000
_SPARE: Final = 30
"""Cards before the cover card from which on nothing is taken out of the shoe."""


def change_minds(table: PlayingTable, plan: CoupPlan) -> None:
    """Let patrons change or take back wagers before the call."""
    for bet in plan.bets:
        draw = table.rng.random()
        if bet.offer.progressive_id:
            continue
        if draw < _CHANGE:
            bet.first_stake_minor = bet.offer.minimum_minor
            if bet.stake_minor == bet.first_stake_minor:
                bet.stake_minor = min(2 * bet.stake_minor, bet.offer.maximum_minor)
        elif draw < _CHANGE + _WITHDRAW and not bet.offer.is_base:
            bet.is_withdrawn = True


def disturb(table: PlayingTable, plan: CoupPlan) -> None:
    """Let a coup be voided, or a card be drawn in error, as the procedure has it."""
    draw = table.rng.random()
    if draw < _VOID and Capability.REFUNDS in table.reports and table.carried is None:
        plan.is_void = True
    elif draw < _VOID + _ERROR and Capability.DRAWING_ERRORS in table.reports:
        _draw_in_error(table, plan)


def _draw_in_error(table: PlayingTable, plan: CoupPlan) -> None:
    """Draw a third card for the Player hand that has to stand without a natural."""
    coup, shoe = plan.judged, plan.shoe
    if len(coup.player) == 3 or coup.natural is not None:
        return
    if len(shoe.cards) - shoe.taken < _SPARE or shoe.taken + _SPARE > shoe.cover_at:
        return
    error_id = table.next_id("e")
    if len(coup.banker) == 3:
        card = str(coup.banker[2])
        plan.steps[4:] = [
            Dealt("player", 3, card),
            ErrorStep(error_id, "player", 3, "other_hand", card),
            Dealt("banker", 3, card, error_id=error_id),
        ]
        return
    card = shoe.next_cards(6)[len(plan.steps) - (table.carried is not None)]
    if table.rng.random() < 0.5:
        plan.steps += [
            Dealt("player", 3, card),
            ErrorStep(error_id, "player", 3, "burned", card),
        ]
    else:
        plan.steps.append(ErrorStep(error_id, "player", None, "next_coup", None, drawn=card))
        plan.carries = CarriedCard(error_id, card)


def between_coups(table: PlayingTable, shoe: Shoe) -> list[Draft]:
    """Tell what happens between two coups: dealers, chips, devices, cards."""
    drafts = change_dealers(table)
    draw = table.rng.random()
    if draw < _FAULT and Capability.FAULTS in table.reports:
        drafts += _fault_cleared(table)
    elif table.tray.minor < _TRAY_LOW or draw < _FAULT + _FILL:
        drafts += _chips_moved(table)
    draw = table.rng.random()
    if shoe.coup_count and shoe.taken + _SPARE < shoe.cover_at and table.carried is None:
        removals = Capability.REMOVALS in table.reports
        if draw < _EXPOSED and removals:
            drafts.append(_exposed(table, shoe))
        elif draw < _EXPOSED + _BURN and Capability.BURN in table.reports:
            drafts.append(_burned(table, shoe))
        elif draw < _EXPOSED + _BURN + _REPLACED and removals:
            drafts += _replaced(table, shoe)
    return drafts


def cover_card(table: PlayingTable, shoe: Shoe) -> list[Draft]:
    """Tell that the cover card lies in front of the next coup's first card."""
    if shoe.is_cover_drawn or shoe.taken < shoe.cover_at:
        return []
    shoe.is_cover_drawn = True
    shoe.last_coup = shoe.coup_count + 1
    if Capability.COVER_CARD not in table.reports:
        return []
    fields: dict[str, object] = {"shoe_id": shoe.shoe_id, "cover_card": "first"}
    return [Draft(CoverCardDrawn, table.pace.step(600, 1500), fields)]


def _fault_cleared(table: PlayingTable) -> list[Draft]:
    """Tell a fault of a device that is mended before the next coup."""
    fault_id = table.next_id("f")
    device, words = table.rng.choice(
        (("shuffler", "red light"), ("card_reader", "lens dirty"), ("camera", "no picture"))
    )
    raised: dict[str, object] = {
        "fault_id": fault_id,
        "device": device,
        "device_id": f"{device}-{table.number + 1}",
        "fault": words,
    }
    cleared: dict[str, object] = {
        "fault_id": fault_id,
        "action": "looked at and reset",
        "cleared_by": table.supervisor,
    }
    return [
        Draft(DeviceFaultRaised, table.pace.step(800, 3000), raised),
        Draft(DeviceFaultCleared, table.pace.step(20_000, 100_000), cleared),
    ]


def _chips_moved(table: PlayingTable) -> list[Draft]:
    """Tell a fill of a low tray, or a credit of a full one."""
    amount = table.rng.randrange(100, 300) * 100_000
    is_fill = table.tray.minor < _TRAY_FULL
    table.tray.minor += amount if is_fill else -amount
    if Capability.CHIPS not in table.reports:
        return []
    at_us = table.pace.step(5000, 25_000)
    fields: dict[str, object] = {
        "fill_id" if is_fill else "credit_id": table.next_id("slip"),
        "amount_minor": amount,
        "signed_by": (table.supervisor, table.pseudonym("ca")),
    }
    return [Draft(ChipsFilled if is_fill else ChipsCredited, at_us, fields)]


def _exposed(table: PlayingTable, shoe: Shoe) -> Draft:
    card = shoe.take()
    fields: dict[str, object] = {
        "shoe_id": shoe.shoe_id,
        "disposition": table.rng.choice(("discarded", "burned")),
        "card": as_read(card, table.reports),
        "note": "lay face up in the shoe",
    }
    return Draft(CardExposed, table.pace.step(3000, 9000), fields)


def _burned(table: PlayingTable, shoe: Shoe) -> Draft:
    shoe.burned.append(shoe.take())
    fields: dict[str, object] = {
        "shoe_id": shoe.shoe_id,
        "occasion": "procedure",
        "burned_count": 1,
    }
    return Draft(CardsBurned, table.pace.step(2000, 5000), fields)


def _replaced(table: PlayingTable, shoe: Shoe) -> list[Draft]:
    """Tell that the next card of the shoe is damaged and its like takes its place."""
    card = as_read(shoe.next_cards(1)[0], table.reports)
    removal_id = table.next_id("r")
    removed: dict[str, object] = {
        "shoe_id": shoe.shoe_id,
        "removal_id": removal_id,
        "taken_from": "shoe",
        "reason": "damaged",
        "card": card,
        "authorised_by": table.supervisor,
    }
    replaced: dict[str, object] = {
        "shoe_id": shoe.shoe_id,
        "removal_id": removal_id,
        "card": card,
        "note": "from a new deck, opened at the table",
        "authorised_by": table.supervisor,
    }
    return [
        Draft(CardRemoved, table.pace.step(4000, 9000), removed),
        Draft(CardReplaced, table.pace.step(40_000, 100_000), replaced),
    ]
