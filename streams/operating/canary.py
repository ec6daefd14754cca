"""A canary: it makes a mistake at a table every minute and checks that the finding comes out.

The canary is a table like any other, marked as simulated: its events go through a spool and a
publisher of its own onto the log, workers fold them, and it waits for its finding on the topic of
findings. What counts is how long ago the last one came.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import random
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import orjson
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from auditors.law import load_law
from auditors.settlement.coup import Coup
from schemas import events as said
from schemas.canary import CANARY_TABLE
from schemas.events import Capability
from schemas.rules_submission import RulesSubmission
from schemas.topics import TopicName, topic
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.partitioning import partition_of
from streams.kafka.passing_clients import reading_clients, unavailable
from streams.process.clock import Clock, SystemClock, utc_now
from streams.process.monitoring import Reading
from streams.process.settings import Settings
from streams.publishing.kafka_sender import KafkaSender
from streams.publishing.publisher import Publisher
from streams.simulator.tables.dealing import CARDS_MAX, dealing_order, dealt_by_rules, deck_cards
from streams.spool.event_spool import EventSpool, SpoolSource

EVERY_S: Final = 60.0
"""How often it makes its mistake."""

OVERPAID_MINOR: Final = 500
"""By how much it pays too much, minor units."""

_STAKE_MINOR: Final = 10_000
_COUPS_A_SHOE: Final = 30
_DECKS: Final = 8
_RETRY_S: Final = 5.0
_FETCH_WAIT_MS: Final = 500
_SPOOL_FOLDER: Final = "canary"
_REPORTS: Final = tuple(
    capability for capability in Capability if capability is not Capability.SEAT_TOTALS_ONLY
)
_PLACE: Final = ZoneInfo("America/New_York")


class Happening(NamedTuple):
    """One event before it has its envelope."""

    kind: type[said.EventBase]
    fields: dict[str, object]


@dataclass(slots=True)
class CanaryTable:
    """Plays coups by the rules and pays every one of them wrongly."""

    rng: random.Random
    name: str
    """Begins the ids of its shoes, so that none comes twice."""
    _shoes: int = 0
    _coups: int = _COUPS_A_SHOE
    _cards: list[str] = field(default_factory=list)

    @property
    def coup_id(self) -> str:
        """The coup played last."""
        return f"{self.shoe_id}/{self._coups}"

    @property
    def shoe_id(self) -> str:
        """The shoe in play."""
        return f"{self.name}-{self._shoes}"

    def opening(self, now: datetime.datetime) -> Iterator[Happening]:
        """Open the table."""
        submission = RulesSubmission.model_validate(
            {
                "id": "canary",
                "game": "minibaccarat",
                "commission": {"form": "standard", "rate": "5%"},
                "wagers": [{"id": "minibaccarat.player"}, {"id": "minibaccarat.banker"}],
            }
        )
        yield Happening(
            said.TableOpened,
            {
                "gaming_date": now.astimezone(_PLACE).date(),
                "submission": submission,
                "reports": _REPORTS,
                "simulated": True,
            },
        )

    def coup(self) -> Iterator[Happening]:
        """Play a coup, from a new shoe where the last one is used up, and pay it wrongly."""
        if self._coups >= _COUPS_A_SHOE:
            yield self._load()
        self._coups += 1
        game = load_law().sections["minibaccarat"]
        dealt = dealt_by_rules(self._cards[:CARDS_MAX], game)
        del self._cards[: len(dealt.player) + len(dealt.banker)]
        place = {"coup_id": self.coup_id, "shoe_id": self.shoe_id}
        wager = {"wager_id": "W1", "seat": "1"}
        yield Happening(
            said.WagerPlaced,
            {**place, **wager, "wager": "minibaccarat.player", "stake_minor": _STAKE_MINOR},
        )
        yield Happening(said.NoMoreBets, {**place})
        for hand, position, card in dealing_order(dealt.player, dealt.banker):
            yield Happening(
                said.CardDealt, {**place, "hand": hand, "position": position, "card": card}
            )
        yield Happening(
            said.ResultAnnounced,
            {
                **place,
                "winner": dealt.winner,
                "player_points": dealt.player_points,
                "banker_points": dealt.banker_points,
            },
        )
        yield Happening(said.WagerSettled, {**place, **self._payment(dealt)})
        yield Happening(said.CoupClosed, {**place})

    def _load(self) -> Happening:
        self._shoes, self._coups = self._shoes + 1, 0
        self._cards = deck_cards(_DECKS)
        self.rng.shuffle(self._cards)
        return Happening(
            said.ShoeLoaded,
            {
                "shoe_id": self.shoe_id,
                "decks": _DECKS,
                "shuffle": "by_device",
                "inspection": said.Inspection(method="by_device"),
            },
        )

    def _payment(self, dealt: Coup) -> dict[str, object]:
        due = {"player": 2 * _STAKE_MINOR, "tie": _STAKE_MINOR}.get(dealt.winner, 0)
        return {
            "settlement_id": f"T{self._coups}",
            "wager_id": "W1",
            "paid_minor": due + OVERPAID_MINOR,
            "stake_collected_minor": 0 if due else _STAKE_MINOR,
        }


class Canary:
    """Makes a mistake now and then, and knows when its finding last came."""

    def __init__(
        self, settings: Settings, *, every_s: float = EVERY_S, clock: Clock | None = None
    ) -> None:
        """Do nothing yet.

        Args:
            settings: How Kafka is reached, and where its spool is.
            every_s: How often it makes its mistake.
            clock: The clock of this machine.
        """
        self._settings, self._every_s = settings, every_s
        self._clock = clock or SystemClock()
        self._heard_at_s = self._clock.monotonic_s()
        self._made: dict[str, float] = {}
        self.heard = 0
        """Findings that came."""
        self.latency_s: float | None = None
        """From the last mistake's publishing to its finding."""

    @property
    def seconds_since_finding(self) -> float:
        """Seconds since the last finding came, or since the canary was made."""
        return self._clock.monotonic_s() - self._heard_at_s

    def readings(self) -> Iterator[Reading]:
        """Give its metrics."""
        yield Reading(
            "ladderman_canary_seconds_since_finding",
            "Seconds since the canary's last finding came out of the stream",
            {"": self.seconds_since_finding},
        )
        yield Reading(
            "ladderman_canary_findings",
            "Findings of the canary that came",
            {"": float(self.heard)},
            is_counter=True,
        )
        if self.latency_s is not None:
            yield Reading(
                "ladderman_canary_latency_seconds",
                "From the canary's last mistake to its finding",
                {"": self.latency_s},
            )

    async def run(self, report: Callable[[str], None]) -> None:
        """Make mistakes and listen, until cancelled.

        Args:
            report: Told what people should know, one line.
        """
        await asyncio.gather(self._sing(report), self._listen(report))

    async def _sing(self, report: Callable[[str], None]) -> None:
        sender = KafkaSender(self._settings.kafka)
        source = SpoolSource(CANARY_TABLE, simulated=True, software="canary")
        spool = EventSpool(self._settings.data.directory / _SPOOL_FOLDER, source, self._clock)
        publisher = Publisher(spool, sender, self._clock, report)
        sending = threading.Thread(target=publisher.run, name="canary", daemon=True)
        sending.start()
        table = CanaryTable(random.SystemRandom(), secrets.token_hex(4))
        try:
            await asyncio.to_thread(self._publish, publisher, table.opening(utc_now(self._clock)))
            while True:
                await asyncio.to_thread(self._publish, publisher, table.coup())
                self._made = {table.coup_id: self._clock.monotonic_s()}
                await asyncio.sleep(self._every_s)
        finally:
            publisher.stop()
            await asyncio.to_thread(sending.join, _RETRY_S)
            sender.close()
            spool.close()

    def _publish(self, publisher: Publisher, happenings: Iterator[Happening]) -> None:
        for kind, fields in happenings:
            publisher.publish(kind, utc_now(self._clock), **fields)

    async def _listen(self, report: Callable[[str], None]) -> None:
        failure: str | None = None
        while True:
            try:
                await self._listen_once()
            except KafkaUnavailableError as error:
                if str(error) != failure:
                    report(f"the canary receives no findings: {error}")
                failure = str(error)
                await asyncio.sleep(_RETRY_S)

    async def _listen_once(self) -> None:
        kafka = self._settings.kafka
        at = TopicPartition(
            topic(TopicName.FINDINGS).full_name(kafka.prefix),
            partition_of(CANARY_TABLE.encode(), kafka.partitions),
        )
        async with reading_clients(kafka, 1) as (consumer,):
            try:
                consumer.assign([at])
                await consumer.seek_to_end(at)
                while True:
                    found = await consumer.getmany(at, timeout_ms=_FETCH_WAIT_MS)
                    for message in found.get(at, ()):
                        self.hear(message.value or b"")
            except KafkaError as error:
                raise unavailable(kafka, error) from None

    def hear(self, raw: bytes) -> None:
        """Take a message of the topic of findings."""
        with contextlib.suppress(ValueError, KeyError, TypeError):
            change = orjson.loads(raw)
            if change["table"] != CANARY_TABLE:
                return
            made_at_s = self._made.pop(change["subject"], None)
            if made_at_s is not None:
                self._heard_at_s = self._clock.monotonic_s()
                self.latency_s = self._heard_at_s - made_at_s
                self.heard += 1
