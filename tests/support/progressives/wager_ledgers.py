"""Many wagers on one progressive without tables or cards: what is said of them, and plain facts.

The facts are what a straight-line computation goes through; the messages are what a ledger folds.
"""

from __future__ import annotations

import datetime
import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Final, NamedTuple

import orjson

from schemas.progressive_inputs import (
    AcceptedWager,
    CardsHit,
    ControllerSaid,
    ControllerWatermark,
    CoupOnProgressive,
    FiledMeter,
    ProgressiveInput,
    TableWatermark,
)

SECOND: Final = 1_000_000
START_US: Final = 1_749_333_600 * SECOND
PROGRESSIVE: Final = "HP-1"
CONTROLLER: Final = "PRG-01"
RATES: Final = {
    "T-1": ("15%", "3%"),
    "T-2": ("19%", "5%"),
    "T-3": ("15%", "3%"),
    "T-4": ("19%", "5%"),
}
UNITS: Final = {"T-1": 250, "T-2": 500, "T-3": 777, "T-4": 250}
RESET_MINOR: Final = 1_000_000
READINGS: Final = {
    "D1": "for",
    "D2": "first",
    "D3": "equal_share",
    "D4": "fixed_unit",
    "D6": "fixed_seed",
    "D7": "included",
    "D8": "truncate_cent",
    "D9": "reversed",
    "D10": "tray",
    "D33": "controller_time",
}

_COUP_US: Final = 40 * SECOND
_LOCK_US: Final = 22 * SECOND
_CARDS_US: Final = 30 * SECOND
_READ_US: Final = 60 * SECOND
_FIRST_DAY: Final = datetime.date(2025, 6, 7)
_DAY: Final = datetime.timedelta(days=1)
_GENESIS: Final = "0" * 64


class Fact(NamedTuple):
    """Something that happened, in the order in which the ledger has to take it."""

    at_us: int
    kind: str
    """``wager``, ``void``, ``lock``, ``hit`` or ``adjust``."""
    table_id: str
    coup_id: str
    minor: int = 0


def filed(table_id: str) -> FiledMeter:
    """Give what is filed for a table."""
    increment, reserve = RATES[table_id]
    return FiledMeter(
        rules_version=f"RS-{table_id}/1",
        wager="harmony_mini.harmony_progressive",
        level=1,
        paytable="A",
        increment_rate=increment,
        reserve_rate=reserve,
        rate_citation=None,
        unit_minor=UNITS[table_id],
        base_minor=RESET_MINOR,
        reset_minor=RESET_MINOR,
        limit_minor=None,
        void_policy="reversed",
        is_chips_counted=False,
        is_linked=True,
        readings=READINGS,
        time_zone="America/New_York",
        gaming_day_start="06:00",
    )


FILED: Final = {name: filed(name) for name in RATES}


_EXACT: Final = {
    name: tuple(Fraction(one.removesuffix("%")) / 100 for one in rates)
    for name, rates in RATES.items()
}


class Straight:
    """The meters in exact fractions, one fact after the other."""

    def __init__(self) -> None:
        self.display, self.reserve = Fraction(RESET_MINOR), Fraction(0)
        self.in_count = self.coin_in = self.hits = self.voided = self.voided_minor = 0
        self.won = self.house = Fraction(0)
        self.by_table = dict.fromkeys(RATES, (0, 0))
        self._frozen: dict[str, Fraction] = {}

    def take(self, fact: Fact) -> None:
        """Go through one fact."""
        if fact.kind in ("wager", "void"):
            increment, reserve = _EXACT[fact.table_id]
            stake = fact.minor if fact.kind == "wager" else -fact.minor
            self.display += stake * increment
            self.reserve += stake * reserve
        if fact.kind == "wager":
            self.in_count += 1
            self.coin_in += fact.minor
            count, coin_in = self.by_table[fact.table_id]
            self.by_table[fact.table_id] = count + 1, coin_in + fact.minor
        elif fact.kind == "void":
            self.voided += 1
            self.voided_minor += fact.minor
        elif fact.kind == "lock":
            self._frozen[fact.coup_id] = self.display
        elif fact.kind == "hit":
            won = self._frozen.pop(fact.coup_id)
            funded = min(max(self.reserve, Fraction(0)), Fraction(RESET_MINOR))
            self.display += RESET_MINOR - won
            # Of a hit that was locked out meanwhile at another table, this one took its part first.
            for other in self._frozen:
                self._frozen[other] += RESET_MINOR - won
            self.reserve -= funded
            self.house += RESET_MINOR - funded
            self.won += won
            self.hits += 1


@dataclass(slots=True)
class _Coup:
    table_id: str
    number: int
    start_us: int
    wagers: tuple[AcceptedWager, ...]
    ends: str = "closed"
    wins: bool = False

    @property
    def coup_id(self) -> str:
        return f"{self.table_id}/{self.number}"


@dataclass(slots=True)
class Wagers:
    """Plays coups at four linked tables until so many wagers were accepted."""

    count: int
    seed: int = 7
    tells_wagers: bool = True
    """Whether the controller says each wager by itself."""
    facts: Straight = field(default_factory=Straight)
    """Every fact up to the messages that were given out."""
    _paid_minor: int = 0
    _sequence: int = 0
    _versions: int = 0

    def messages(self) -> Iterator[ProgressiveInput]:
        """Give what tables and controller say, in the order of time."""
        yield from self._begin()
        last_us = START_US
        for at_us, said in self._in_order():
            last_us = at_us
            yield from said
        end_us = last_us + 60 * SECOND
        yield from self._reading(last_us + SECOND)
        for name in RATES:
            yield self._watermark(name, end_us, is_open=False)
        yield ControllerWatermark(
            progressive_id=PROGRESSIVE,
            source_id=CONTROLLER,
            feed_id="c",
            sequence=self._sequence,
            version=self._next_version(),
            watermark_us=end_us,
            is_simulated=True,
            lost=(),
        )

    def _begin(self) -> Iterator[ProgressiveInput]:
        for name, (increment, reserve) in RATES.items():
            yield self._watermark(name, START_US, is_open=True)
            yield self._say(
                "progressive_table_joined",
                START_US,
                table_id=name,
                increment_rate=increment,
                reserve_rate=reserve,
                approved_by="su-1",
            )
        yield from self._reading(START_US)

    def _in_order(self) -> Iterator[tuple[int, list[ProgressiveInput]]]:
        """Let every fact happen in order of time."""
        agenda: list[tuple[int, int, str, _Coup | None, int]] = []
        chance, number, placed = Random(self.seed), 0, 0
        agenda.append((START_US + _READ_US, 0, "read", None, 0))
        for turn, name in enumerate(RATES):
            start_us = START_US + (turn + 1) * 7 * SECOND
            heapq.heappush(agenda, (start_us, turn, f"play {name}", None, 0))
        while agenda:
            at_us, order, what, coup, place = heapq.heappop(agenda)
            if what.startswith("play "):
                if placed >= self.count:
                    continue
                number += 1
                coup = self._coup(chance, what[5:], number, at_us)
                placed += len(coup.wagers)
                for later, one in enumerate(coup.wagers):
                    heapq.heappush(agenda, (one.accepted_at_us, order, "wager", coup, later))
                heapq.heappush(agenda, (at_us + _LOCK_US, order, "lock", coup, 0))
                heapq.heappush(agenda, (at_us + _CARDS_US, order, "cards", coup, 0))
                heapq.heappush(agenda, (at_us + _COUP_US, order, what, None, 0))
                continue
            if what == "read":
                if placed < self.count:
                    heapq.heappush(agenda, (at_us + _READ_US, 0, "read", None, 0))
                yield at_us, list(self._reading(at_us))
            elif coup is not None:
                yield at_us, list(self._happened(what, at_us, coup, place))

    def _coup(self, chance: Random, table_id: str, number: int, at_us: int) -> _Coup:
        times = sorted(
            at_us + chance.randrange(100_000, 20 * SECOND) for _ in range(chance.randrange(4, 13))
        )
        draw = chance.random()
        wins = draw < 0.002
        wagers = tuple(
            AcceptedWager(
                wager_id=f"{table_id}/{number}/{place}",
                wager_no=place,
                seat=str(place % 8 + 1),
                patron=None,
                stake_minor=UNITS[table_id],
                accepted_at_us=one,
                sequence=number * 40 + place,
                is_late=False,
                outcome_code=None,
                is_meter_won=False,
                paid_minor=None,
            )
            for place, one in enumerate(times)
        )
        is_void = 0.002 <= draw < 0.006
        return _Coup(table_id, number, at_us, wagers, "voided" if is_void else "closed", wins)

    def _happened(
        self, what: str, at_us: int, coup: _Coup, place: int
    ) -> Iterator[ProgressiveInput]:
        name, coup_id = coup.table_id, coup.coup_id
        if what == "wager":
            wager = coup.wagers[place]
            self.facts.take(Fact(at_us, "wager", name, coup_id, wager.stake_minor or 0))
            if self.tells_wagers:
                yield self._say(
                    "progressive_wager_accepted",
                    at_us,
                    table_id=name,
                    wager_id=wager.wager_id,
                    stake_minor=wager.stake_minor,
                    in_count=self.facts.in_count,
                    coup_id=coup_id,
                )
        elif what == "lock":
            if coup.wins:
                self.facts.take(Fact(at_us, "lock", name, coup_id))
            yield self._told(coup, at_us, "locked")
            yield self._say(
                "progressive_locked_out",
                at_us,
                table_id=name,
                coup_id=coup_id,
                display=_text(self.facts.display),
                accepted_count=len(coup.wagers),
            )
        else:
            yield self._told(coup, at_us, coup.ends)
            if coup.wins:
                yield from self._won(coup, at_us)
            elif coup.ends == "voided":
                yield from self._voided(coup, at_us)

    def _voided(self, coup: _Coup, at_us: int) -> Iterator[ProgressiveInput]:
        yield from self._reading(at_us)
        display, reserve = self.facts.display, self.facts.reserve
        for one in coup.wagers:
            self.facts.take(Fact(at_us, "void", coup.table_id, coup.coup_id, one.stake_minor or 0))
        for meter, change in (
            ("display", self.facts.display - display),
            ("reserve", self.facts.reserve - reserve),
        ):
            yield self._say(
                "progressive_adjusted",
                at_us,
                adjustment_id=f"{coup.coup_id}/{meter}",
                meter=meter,
                change=_text(change),
                reason="coup_voided",
                approved_by="su-1",
                table_id=coup.table_id,
                coup_id=coup.coup_id,
                wager_ids=[one.wager_id for one in coup.wagers],
            )
        yield from self._reading(at_us)

    def _won(self, coup: _Coup, at_us: int) -> Iterator[ProgressiveInput]:
        yield from self._reading(at_us)
        before = self.facts.display
        had, won, house = self.facts.reserve, self.facts.won, self.facts.house
        self.facts.take(Fact(at_us, "hit", coup.table_id, coup.coup_id))
        amount = self.facts.won - won
        hit_id, share, left = f"hit-{coup.number}", *divmod(int(amount), len(coup.wagers))
        self._paid_minor += int(amount)
        yield self._say(
            "progressive_hit",
            at_us,
            hit_id=hit_id,
            table_id=coup.table_id,
            coup_id=coup.coup_id,
            wager_ids=[one.wager_id for one in coup.wagers],
            amount=_text(amount),
        )
        for place, one in enumerate(coup.wagers):
            yield self._say(
                "progressive_paid",
                at_us,
                payment_id=f"{hit_id}/{place}",
                hit_id=hit_id,
                wager_id=one.wager_id,
                paid_minor=share + (place < left),
                slip=f"s{place}",
            )
        yield self._say(
            "progressive_reset",
            at_us,
            hit_id=hit_id,
            display_before=_text(before),
            display_after=_text(self.facts.display),
            reserve_funded=_text(had - self.facts.reserve),
            house_funded=_text(self.facts.house - house),
        )

    def _told(self, coup: _Coup, at_us: int, state: str) -> CoupOnProgressive:
        wins = coup.wins and state == "closed"
        sequence = coup.number * 40 + (30 if state == "locked" else 35)
        hit = None
        entries = coup.wagers
        if wins:
            cards = "KS KD KH / KC KS KH"
            hit = CardsHit(
                outcome_code="six_of_a_kind",
                pays="100% of Progressive",
                citation=None,
                cards=cards,
                decided_at_us=at_us,
                sequence=sequence,
            )
            entries = tuple(
                one.model_copy(update={"outcome_code": "six_of_a_kind", "is_meter_won": True})
                for one in coup.wagers
            )
        return CoupOnProgressive(
            progressive_id=PROGRESSIVE,
            table_id=coup.table_id,
            feed_id=coup.table_id,
            coup_id=coup.coup_id,
            shoe_id=None,
            coup_no=coup.number,
            version=self._next_version(),
            sequence=sequence,
            occurred_at_us=at_us,
            gaming_date="2025-06-07",
            currency="USD",
            state=state,
            is_unverified=False,
            is_simulated=True,
            locked_at_us=coup.start_us + _LOCK_US,
            filed=FILED[coup.table_id],
            entries=entries,
            hit=hit,
            watermark_us=at_us,
        )

    def _watermark(self, name: str, at_us: int, *, is_open: bool) -> TableWatermark:
        return TableWatermark(
            progressive_id=PROGRESSIVE,
            table_id=name,
            feed_id=name,
            sequence=1,
            version=self._next_version(),
            watermark_us=at_us,
            is_open=is_open,
            currency="USD",
            is_simulated=True,
            filed=FILED[name],
        )

    def _reading(self, at_us: int) -> Iterator[ProgressiveInput]:
        facts = self.facts
        yield self._say(
            "progressive_reading",
            at_us,
            display=_text(facts.display),
            reserve=_text(facts.reserve),
            overflow="0",
            in_count=facts.in_count,
            coin_in_minor=facts.coin_in,
            hits_count=facts.hits,
            wins_minor=self._paid_minor,
            voided_count=facts.voided,
            voided_minor=facts.voided_minor,
            tables=[
                {"table_id": name, "in_count": count, "coin_in_minor": coin_in}
                for name, (count, coin_in) in facts.by_table.items()
            ],
            reset=_text(Fraction(RESET_MINOR)),
        )

    def _say(self, kind: str, at_us: int, **fields: object) -> ControllerSaid:
        self._sequence += 1
        whole, part = divmod(at_us - START_US, SECOND)
        day, rest = divmod(whole + 79200, 86400)
        event = {
            "type": kind,
            "schema_version": 1,
            "source_id": CONTROLLER,
            "feed_id": "c",
            "sequence": self._sequence,
            "previous_hash": _GENESIS,
            "occurred_at": f"{_date(day)}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
            f".{part:06}Z",
            "progressive_id": PROGRESSIVE,
            "level": 1,
            **fields,
        }
        return ControllerSaid(
            progressive_id=PROGRESSIVE,
            source_id=CONTROLLER,
            feed_id="c",
            sequence=self._sequence,
            version=self._next_version(),
            occurred_at_us=at_us,
            is_simulated=True,
            event=orjson.dumps(event).decode(),
        )

    def _next_version(self) -> int:
        self._versions += 1
        return self._versions


def _date(day: int) -> str:
    return str(_FIRST_DAY + day * _DAY)[:10]


def _text(minor: Fraction) -> str:
    """Write minor units in currency units, exactly."""
    sign, minor = ("-" if minor < 0 else ""), abs(minor)
    number = minor * 10**10
    assert number.denominator == 1
    whole, part = divmod(number.numerator, 10**12)
    return f"{sign}{whole}.{f'{part:012}'.rstrip('0') or '0'}"
