"""A simulated shoe comes to the table, and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from auditors.law.interpretations import BurnedCards
from auditors.settlement.rules import Rules
from schemas.cards import parse_card
from schemas.events import (
    Capability,
    CardsBurned,
    Inspection,
    ShoeEnded,
    ShoeLoaded,
)
from streams.simulator.feed import Draft
from streams.simulator.tables.dealing import BEHIND_COVER, Shoe, as_read, counted, deck_cards

if TYPE_CHECKING:
    from streams.simulator.tables.playing import PlayingTable

_BACKS: Final = ("red-vine", "blue-vine")
_SHUFFLES: Final = ("by_hand", "by_device", "pre_shuffled")


def new_shoe(table: PlayingTable) -> Shoe:
    """Shuffle a new shoe."""
    table.shoe_count += 1
    day = table.gaming_date(table.pace.at_us)
    shoe_id = f"{table.source_id}-{day:%Y%m%d}-{table.shoe_count}"
    cards = deck_cards(table.submission.decks)
    table.rng.shuffle(cards)
    return Shoe(
        shoe_id=shoe_id,
        decks=table.submission.decks,
        cards=cards,
        back=_BACKS[table.shoe_count % 2],
        id_prefix=f"{table.number + 1}.{table.shoe_count}.",
        cover_at=len(cards) - BEHIND_COVER,
    )


def loaded_drafts(table: PlayingTable, shoe: Shoe) -> list[Draft]:
    """Tell the shuffle, the inspection and the burn of a new shoe."""
    is_first = table.shoe_count == 1
    at_us = table.pace.step(*((500, 1500) if is_first else (150_000, 300_000)))
    shuffle = table.rng.choice(_SHUFFLES)
    shuffler = table.pseudonym("de") if shuffle == "by_hand" else f"shuffler-{table.number + 1}"
    fields: dict[str, object] = {
        "shoe_id": shoe.shoe_id,
        "decks": shoe.decks,
        "shuffle": shuffle if Capability.SHUFFLE in table.reports else None,
        "shuffled_by": shuffler if Capability.SHUFFLE in table.reports else None,
        "inspection": _inspection(table, shoe, shuffle),
        "pack_ids": tuple(f"{shoe.id_prefix}p{n + 1}" for n in range(shoe.decks)),
        "backs": (shoe.back,) if Capability.BACKS in table.reports else (),
        "card_id_prefix": shoe.id_prefix if Capability.CARD_IDS in table.reports else None,
        "cards_behind_cover_card": len(shoe.cards) - shoe.cover_at,
    }
    drafts = [Draft(ShoeLoaded, at_us, fields)]
    exposed, burned = _burn(table, shoe)
    shoe.burned += burned
    if Capability.BURN in table.reports:
        drafts.append(_burned(table, shoe, exposed, burned))
    return drafts


def _inspection(table: PlayingTable, shoe: Shoe, shuffle: str) -> Inspection | None:
    if Capability.INSPECTION not in table.reports:
        return None
    method: Literal["by_hand", "by_device", "pre_inspected_pack"] = "pre_inspected_pack"
    if shuffle == "by_hand":
        method = "by_hand"
    elif shuffle == "by_device":
        method = "by_device"
    counts = counted(shoe.cards, table.reports) if method == "by_device" else None
    return Inspection(
        method=method,
        inspected_by=(table.supervisor,) if method == "by_hand" else (),
        card_count=len(shoe.cards) if method == "by_device" else None,
        cards=counts,
    )


def burn_count(rules: Rules, exposed: str) -> int:
    """Say how many cards are burned face down: ace 1, ten and pictures 10 (D32)."""
    value = parse_card(exposed).value or 10
    return (
        value - 1 if rules.terms.readings[BurnedCards.ID] == BurnedCards.EXPOSED_INCLUDED else value
    )


def _burn(table: PlayingTable, shoe: Shoe) -> tuple[str, list[str]]:
    exposed = shoe.take()
    count = burn_count(table.settler.rules, exposed)
    return exposed, [shoe.take() for _ in range(count)]


def _burned(table: PlayingTable, shoe: Shoe, exposed: str, burned: list[str]) -> Draft:
    can_read = table.number % 3 == 2 and Capability.SUITS in table.reports
    with_id = Capability.CARD_IDS in table.reports
    fields: dict[str, object] = {
        "shoe_id": shoe.shoe_id,
        "occasion": "opening",
        "exposed_card": as_read(exposed, table.reports),
        "exposed_card_id": shoe.card_id(0) if with_id else None,
        "burned_count": len(burned),
        "burned_cards": tuple(burned) if can_read else (),
    }
    return Draft(CardsBurned, table.pace.step(2000, 4000), fields)


def ended_drafts(table: PlayingTable, shoe: Shoe) -> list[Draft]:
    """Tell the end of a shoe, and which cards are left in it."""
    fields: dict[str, object] = {
        "shoe_id": shoe.shoe_id,
        "reason": "cover_card" if shoe.is_cover_drawn else "table_closed",
        "coup_count": shoe.coup_count,
    }
    if Capability.CARDS_LEFT in table.reports:
        fields["cards_left_count"] = len(shoe.left)
        if shoe.left:
            fields["cards_left"] = counted(shoe.left, table.reports)
    return [Draft(ShoeEnded, table.pace.step(3000, 9000), fields)]
