"""A simulated table opens, changes dealers and rules, counts its chips, and closes."""

from __future__ import annotations

import datetime
from typing import Final

from schemas.events import (
    Camera,
    Capability,
    DealerOff,
    DealerOn,
    DisplayedPaytable,
    DropCounted,
    FeedStarted,
    InventoryCounted,
    PaytablesDisplayed,
    RulesSubmissionChanged,
    TableClosed,
    TableOpened,
)
from streams.simulator.feed import EVENT_COUNT, NEW_FEED, SECOND, Draft
from streams.simulator.filings import FACILITY
from streams.simulator.tables.notes import Closed, Filed, Opened
from streams.simulator.tables.patrons import SEATS
from streams.simulator.tables.playing import PlayingTable

_DEALER_LEAST_US: Final = 20 * 60 * SECOND
_DEALER_MOST_US: Final = 40 * 60 * SECOND
_DISPLAYS_MAX: Final = 64
_PAUSE: Final = 0.04
_NEW_FEED: Final = 0.03
_DAY: Final = datetime.timedelta(days=1)


def opening_drafts(table: PlayingTable) -> list[Draft]:
    """Tell the beginning of the feed and the opening of the table."""
    started: dict[str, object] = {
        "source_kind": "table",
        "software": "Ladderman simulator",
        "simulated": True,
    }
    drafts = [Draft(FeedStarted, table.pace.step(50, 200), started)]
    return drafts + table_opened_drafts(table)


def table_opened_drafts(table: PlayingTable) -> list[Draft]:
    """Tell the opening of the table."""
    at_us = table.pace.step(200, 500)
    table.is_open, table.day_coups = True, 0
    opened: dict[str, object] = {
        "gaming_date": table.gaming_date(at_us),
        "submission": table.submission,
        "reports": tuple(capability for capability in Capability if capability in table.reports),
        "seats": SEATS,
        "cameras": (
            Camera(camera_id=f"cam-{table.number + 1}-1", shows="overview"),
            Camera(camera_id=f"cam-{table.number + 1}-2", shows="layout", clock_offset_us=-40_000),
        ),
        "clock_offset_us": table.clock_offset_us,
        "operator": FACILITY,
        "facility": FACILITY,
        "pit": f"Pit {table.number // 6 + 1}",
        "opened_by": table.supervisor,
        "simulated": True,
    }
    drafts = [Draft(TableOpened, at_us, opened, Opened())]
    drafts += displayed_drafts(table)
    drafts += _inventory(table, "opening")
    return drafts + change_dealers(table)


def displayed_drafts(table: PlayingTable) -> list[Draft]:
    """Tell which paytables are shown and running: those that were filed."""
    if Capability.DISPLAYS not in table.reports:
        return []
    displays = tuple(_displayed(table))[:_DISPLAYS_MAX]
    return [Draft(PaytablesDisplayed, table.pace.step(100, 400), {"displays": displays})]


def _displayed(table: PlayingTable) -> list[DisplayedPaytable]:
    rules, found = table.settler.rules, []
    for name, offer in table.settler.offers.items():
        if name.endswith("@banker"):
            continue  # one sign serves both hands
        rows = rules.priced(offer.ref).outcomes
        odds = {row.code: row.odds.text for row in rows}
        is_plain = len(odds) == len(rows)
        found.append(
            DisplayedPaytable(
                wager=offer.ref.id,
                shown_on="system" if offer.progressive_id else "layout",
                paytable=offer.letter,
                odds=odds if is_plain and table.number % 2 == 0 else {},
            )
        )
    return found


def changed_drafts(table: PlayingTable) -> list[Draft]:
    """Tell that another filing takes effect, and what is shown from now on."""
    changed: dict[str, object] = {
        "submission": table.submission,
        "reason": "filed for the evening",
        "authorised_by": table.supervisor,
    }
    return [
        Draft(RulesSubmissionChanged, table.pace.step(20_000, 40_000), changed, Filed()),
        *displayed_drafts(table),
    ]


def change_dealers(table: PlayingTable) -> list[Draft]:
    """Tell that the dealer's time is over and another one takes the table."""
    if table.dealer is not None and table.pace.at_us < table.dealer_until:
        return []
    if Capability.DEALERS not in table.reports:
        return []
    drafts = _dealer_off(table)
    table.dealer = f"de-{table.rng.randrange(400):03}"
    turn = table.rng.randrange(_DEALER_LEAST_US, _DEALER_MOST_US)
    table.dealer_until = table.pace.at_us + turn
    drafts.append(Draft(DealerOn, table.pace.step(500, 3000), {"dealer": table.dealer}))
    return drafts


def _dealer_off(table: PlayingTable) -> list[Draft]:
    if table.dealer is None:
        return []
    off = Draft(DealerOff, table.pace.step(800, 3000), {"dealer": table.dealer})
    table.dealer = None
    return [off]


def _inventory(table: PlayingTable, occasion: str) -> list[Draft]:
    if Capability.CHIPS not in table.reports:
        return []
    fields: dict[str, object] = {
        "count_id": table.next_id("inv"),
        "amount_minor": max(0, table.tray.minor),
        "counted_by": (table.supervisor,),
        "occasion": occasion,
    }
    return [Draft(InventoryCounted, table.pace.step(400, 1500), fields)]


def _drop(table: PlayingTable, gaming_date: datetime.date) -> list[Draft]:
    if Capability.CHIPS not in table.reports:
        return []
    fields: dict[str, object] = {
        "count_id": table.next_id("drop"),
        "amount_minor": table.tray.drop_minor,
        "counted_by": (table.supervisor,),
        "gaming_date": gaming_date,
        "box_id": f"box-{table.number + 1}",
    }
    table.tray.drop_minor = 0
    return [Draft(DropCounted, table.pace.step(5000, 15_000), fields)]


def between_shoes(table: PlayingTable) -> list[Draft]:
    """Tell what happens now and then between two shoes: a pause of the table, a new spool."""
    if table.shoe_count == 0:
        return []
    draw = table.rng.random()
    if draw < _PAUSE:
        drafts = closing_drafts(table)
        table.pace.step(300_000, 900_000)
        return drafts + table_opened_drafts(table)
    return new_feed_drafts(table) if draw < _PAUSE + _NEW_FEED else []


def new_feed_drafts(table: PlayingTable) -> list[Draft]:
    """Tell that the spool was replaced: a new feed names the one before it."""
    started: dict[str, object] = {
        "source_kind": "table",
        "predecessor_feed_id": NEW_FEED,
        "software": "Ladderman simulator",
        "simulated": True,
    }
    return [Draft(FeedStarted, table.pace.step(1000, 3000), started)]


def gaming_day_drafts(table: PlayingTable) -> list[Draft]:
    """Tell the end of a gaming day at a table that plays on: the drop box is changed."""
    if table.pace.at_us < table.day_ends_us:
        return []
    ended = table.gaming_date(table.pace.at_us) - _DAY
    table.begin_day()
    return [*_inventory(table, "shift"), *_drop(table, ended)]


def closing_drafts(table: PlayingTable) -> list[Draft]:
    """Tell the close: patrons leave, the tray is counted, the table says how much it said."""
    drafts = [draft for seat in sorted(table.seating.patrons) for draft in table.vacate(seat)]
    drafts += _dealer_off(table)
    drafts += _inventory(table, "closing")
    fields: dict[str, object] = {
        "event_count": EVENT_COUNT,
        "coup_count": table.day_coups,
        "closed_by": table.supervisor,
    }
    at_us = table.pace.step(2000, 5000)
    drafts.append(Draft(TableClosed, at_us, fields, Closed()))
    table.is_open = False
    return drafts + _drop(table, table.gaming_date(at_us))
