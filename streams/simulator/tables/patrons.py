"""The patrons at a simulated table, and what they stake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from streams.simulator.tables.settling import Offer

SEATS: Final = tuple(str(number) for number in range(1, 9))
"""Seats of every table."""

_MULTIPLES: Final = (1, 1, 1, 2, 2, 4, 4, 8, 20)
_SIDE_MULTIPLES: Final = (1, 1, 2, 3, 5, 10)
_FAVOURITES: Final = 4
_SITS_OUT: Final = 0.08
_SIDE_CHANCE: Final = 0.33
_TIE_CHANCE: Final = 0.06
_LONE_SIDE_CHANCE: Final = 0.02


@dataclass(slots=True)
class Patron:
    """Somebody at a seat, known by a keyed pseudonym."""

    name: str
    seat: str
    coups_left: int
    leaning: float
    """How often the patron backs the Banker hand, 0 to 1."""
    multiple: int
    """Usual stake as a multiple of the table's least."""
    favourites: tuple[str, ...] = ()
    """Side wagers that the patron likes."""


@dataclass(slots=True)
class Bet:
    """One wager of one coup."""

    wager_id: str
    seat: str
    patron: str
    offer: Offer
    stake_minor: int
    at_us: int = 0
    outcome: str = ""
    due_minor: int = 0
    vigorish_minor: int = 0
    first_stake_minor: int | None = None
    """The stake as placed, where the patron changed it before the call."""
    is_withdrawn: bool = False

    @property
    def settlement_id(self) -> str:
        """The id of its settlement."""
        return f"{self.wager_id}/s"

    @property
    def name(self) -> str:
        """The wager as the table names it."""
        return str(self.offer.ref)


@dataclass(slots=True)
class Seating:
    """The patrons of one table as they come and go."""

    rng: Random
    offers: Mapping[str, Offer] = field(default_factory=dict)
    patrons: dict[str, Patron] = field(default_factory=dict)
    """By seat."""

    def change_offers(self, offers: Mapping[str, Offer]) -> None:
        """Let the patrons look at what the table offers from now on."""
        self.offers = offers
        for patron in self.patrons.values():
            patron.favourites = self._favourites()

    def arriving(self) -> Iterator[Patron]:
        """Seat whoever arrives before the next coup."""
        free = [seat for seat in SEATS if seat not in self.patrons]
        chance = 0.5 if len(self.patrons) < 2 else 0.07 * len(free) / 4
        while free and (not self.patrons or self.rng.random() < chance):
            seat = free.pop(self.rng.randrange(len(free)))
            yield self.seat_at(seat)
            chance /= 2

    def seat_at(self, seat: str) -> Patron:
        """Seat a new patron."""
        patron = Patron(
            name=f"pt-{self.rng.getrandbits(48):012x}",
            seat=seat,
            coups_left=self.rng.randrange(6, 90),
            leaning=self.rng.uniform(0.2, 0.85),
            multiple=self.rng.choice(_MULTIPLES),
            favourites=self._favourites(),
        )
        self.patrons[seat] = patron
        return patron

    def leaving(self) -> list[Patron]:
        """Give the patrons who leave now; the caller takes them off their seats."""
        for patron in self.patrons.values():
            patron.coups_left -= 1
        return [patron for patron in self.patrons.values() if patron.coups_left < 0]

    def _favourites(self) -> tuple[str, ...]:
        sides = [name for name, offer in self.offers.items() if not offer.is_main]
        return tuple(self.rng.sample(sides, min(_FAVOURITES, len(sides))))

    def stakes_of(self, patron: Patron) -> Iterator[tuple[Offer, int]]:
        """Say what a patron stakes on the next coup."""
        rng = self.rng
        if rng.random() < _SITS_OUT:
            return
        sides = [
            self.offers[name]
            for name in patron.favourites
            if name in self.offers and rng.random() < _SIDE_CHANCE
        ]
        if rng.random() < _LONE_SIDE_CHANCE:
            lone = [offer for offer in sides if not offer.needs_base]
            yield from ((offer, self._side_stake(offer)) for offer in lone)
            if lone:
                return
        has_base = False
        mains = self._mains()
        if mains and rng.random() >= _TIE_CHANCE / 3:
            offer = mains[rng.random() < patron.leaning]
            yield offer, self._main_stake(offer, patron)
            has_base = True
        tie = self._tie()
        if tie is not None and (not has_base or rng.random() < _TIE_CHANCE):
            sides = [offer for offer in sides if offer.ref != tie.ref]
            yield tie, self._side_stake(tie)
            has_base = has_base or tie.is_base
        for offer in sides:
            if has_base or not offer.needs_base:
                yield offer, self._side_stake(offer)

    def _mains(self) -> list[Offer]:
        """Give the wagers on Player and Banker, in this order."""
        return [offer for offer in self.offers.values() if offer.is_main]

    def _tie(self) -> Offer | None:
        for offer in self.offers.values():
            if offer.ref.id.endswith(".tie") and offer.is_base:
                return offer
        return None

    def _main_stake(self, offer: Offer, patron: Patron) -> int:
        times = patron.multiple * self.rng.choice((1, 1, 1, 2, 3))
        return min(offer.minimum_minor * times, offer.maximum_minor)

    def _side_stake(self, offer: Offer) -> int:
        if offer.unit_minor is not None:
            return offer.unit_minor
        times = self.rng.choice(_SIDE_MULTIPLES)
        return min(offer.minimum_minor * times, offer.maximum_minor)
