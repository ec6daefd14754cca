"""The doctor's checks of Kafka: brokers, topics, and how far each part is behind."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final, NamedTuple

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError, OffsetOutOfRangeError

from schemas.topics import DAY_MS, TopicName, topic
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from schemas.words.counting import counted
from streams.kafka.administration import KafkaUnavailableError, administration
from streams.kafka.passing_clients import reading_clients, unavailable
from streams.kafka.positions import newest_snapshot, sink_watermarks
from streams.kafka.topics import CheckedTopic, check_topics, retention_s, topic_ids
from streams.operating.doctor_checks import Check, State, duration
from streams.process.clock import Clock
from streams.process.settings import KafkaSettings

LATE_S: Final = 60.0
"""A message that waits longer than this to be folded or written waits for something broken."""

CLOCK_OFF_S: Final = 5.0
"""Clocks that differ by more than this are worth knowing of."""

_SINK_UNKNOWN: Final = Check(
    "sink",
    State.NOTE,
    "no history answers here, so how far it was written is not known",
    "start ladderman sink, or look where it runs",
)
_SEE_BROKERS: Final = "start the brokers, see infra/runbook/KafkaUnreachable.md"
_FETCH_WAIT_MS: Final = 2_000
_DEVIATIONS_MAX: Final = 5


class _Topics(NamedTuple):
    """What is known of the topics."""

    settings: KafkaSettings
    events_id: str
    inputs_id: str | None
    """Id of the topic of what ledgers are told; None where it is missing."""
    checked: list[CheckedTopic]

    def retention_s(self, name: TopicName) -> float:
        """Say how long a topic keeps its messages, seconds."""
        return retention_s(self.checked, name)

    def places(self, name: TopicName) -> list[TopicPartition]:
        """Give the partitions of a topic."""
        full_name = topic(name).full_name(self.settings.prefix)
        return [TopicPartition(full_name, number) for number in range(self.settings.partitions)]


def kafka_checks(settings: KafkaSettings, clock: Clock, group: str | None) -> list[Check]:
    """Look at the cluster, the topics, the workers' and the sink's progress.

    Args:
        settings: How the cluster is reached.
        clock: The clock of this machine.
        group: Of the sinks of the history; None where nobody knows which history it is.
    """
    try:
        with administration(settings) as admin:
            brokers = len(admin.describe_cluster()["brokers"])
        found = [_brokers(settings, brokers)]
        checked = check_topics(settings)
    except KafkaUnavailableError as error:
        return [_not_reached(settings, error)]
    found += _topics(checked)
    ids = topic_ids(checked)
    if TopicName.EVENTS not in ids:
        return found
    topics = _Topics(
        settings,
        ids[TopicName.EVENTS],
        ids.get(TopicName.PROGRESSIVE_INPUTS),
        checked,
    )
    try:
        return found + asyncio.run(_progress(topics, clock, group))
    except KafkaUnavailableError as error:
        return [*found, Check("kafka", State.UNREACHABLE, str(error), _SEE_BROKERS)]


def events_log_id(settings: KafkaSettings) -> str | None:
    """Give the id of the log of events; None where it is missing, or nobody answers."""
    try:
        return topic_ids(check_topics(settings)).get(TopicName.EVENTS)
    except KafkaUnavailableError:
        return None


def _not_reached(settings: KafkaSettings, error: KafkaUnavailableError) -> Check:
    if "bootstrap" not in settings.model_fields_set:
        return Check(
            "kafka",
            State.NOTE,
            f"no Kafka is set, and nothing answers at {settings.bootstrap}; "
            "a store of one machine needs none",
            "set kafka.bootstrap where workers are to run",
        )
    return Check("kafka", State.UNREACHABLE, str(error), _SEE_BROKERS)


def _brokers(settings: KafkaSettings, count: int) -> Check:
    says = f"{count} {'broker answers' if count == 1 else 'brokers answer'} at {settings.bootstrap}"
    if settings.dev:
        return Check(
            "kafka",
            State.NOTE,
            f"{says}, set for development: a lost disk loses events",
            "set kafka.dev to false, with three brokers, where events matter",
        )
    if count < settings.replication:
        return Check(
            "kafka",
            State.WRONG,
            f"{says}, fewer than {settings.replication} copies need",
            "start the missing brokers",
        )
    return Check("kafka", State.FINE, says)


def _topics(checked: list[CheckedTopic]) -> list[Check]:
    deviations = [deviation for topic in checked for deviation in topic.deviations]
    if not deviations:
        return [Check("topics", State.FINE, f"all {len(checked)} topics are as they must be")]
    found = [
        Check("topics", State.WRONG, f"{deviation.topic} {deviation.what}", deviation.mend)
        for deviation in deviations[:_DEVIATIONS_MAX]
    ]
    if len(deviations) > _DEVIATIONS_MAX:
        more = len(deviations) - _DEVIATIONS_MAX
        found.append(
            Check("topics", State.WRONG, f"and {more} more deviations", "ladderman topics check")
        )
    return found


async def _progress(topics: _Topics, clock: Clock, group: str | None) -> list[Check]:
    settings = topics.settings
    watermarks = None
    if group is not None:
        watermarks = await asyncio.to_thread(sink_watermarks, settings, group)
    async with reading_clients(settings, 1) as (consumer,):
        try:
            events = topics.places(TopicName.EVENTS)
            starts = await consumer.beginning_offsets(events)
            ends = await consumer.end_offsets(events)
            look = _Look(consumer, topics, clock.now_us() / 1e6)
            found = await look.workers(events, starts, ends)
            found += await look.ledgers()
            found += [_SINK_UNKNOWN] if watermarks is None else await look.sink(watermarks)
            found.append(await look.dead_letters())
            found += await look.clocks(events, starts, ends)
        except KafkaError as error:
            raise unavailable(settings, error) from None
    return found


class _Look:
    """One look at who is how far."""

    def __init__(self, consumer: AIOKafkaConsumer, topics: _Topics, now_s: float) -> None:
        self._consumer, self._topics, self._now_s = consumer, topics, now_s

    async def workers(
        self,
        events: list[TopicPartition],
        starts: Mapping[TopicPartition, int],
        ends: Mapping[TopicPartition, int],
    ) -> list[Check]:
        """Say which partitions are not folded, and how near retention is."""
        found: list[Check] = []
        waits: dict[int, float] = {}
        count = 0
        for at in events:
            newest = await newest_snapshot(self._consumer, self._topics.settings, at.partition)
            where = f"partition {at.partition}"
            if newest is None:
                if ends[at] > starts[at]:
                    waits[at.partition] = await self._age(at, starts[at])
                    count += ends[at] - starts[at]
                continue
            header, _ = newest
            if header.log_id != self._topics.events_id:
                found.append(
                    Check(
                        "worker",
                        State.WRONG,
                        f"{where}: its snapshots are of another topic of "
                        "this name, which was created again",
                        "see infra/runbook/TopicRecreated.md",
                    )
                )
                continue
            if header.next_offset < starts[at]:
                found.append(
                    Check(
                        "worker",
                        State.WRONG,
                        f"{where}: offsets {header.next_offset} to "
                        f"{starts[at] - 1} left the log before they were folded",
                        "start a worker, which takes them from the history; then ladderman "
                        "reconcile",
                    )
                )
            if (reached := max(header.next_offset, starts[at])) < ends[at]:
                waits[at.partition] = await self._age(at, reached)
                count += ends[at] - reached
        late = {partition: age for partition, age in waits.items() if age > LATE_S}
        for partition, age in late.items():
            found.append(
                Check(
                    "worker",
                    State.WRONG,
                    f"partition {partition}: a message waits for {duration(age)} to be folded",
                    "start a worker, or see its log: infra/runbook/WorkerLagging.md",
                )
            )
        oldest_s = max(waits.values(), default=0.0)
        if not found:
            says = "every partition is folded to its end"
            found.append(_in_time("worker", says, count, oldest_s, "no worker has kept as folded"))
        found.append(self._headroom(TopicName.EVENTS, oldest_s, "an event", "it is folded"))
        return found

    async def ledgers(self) -> list[Check]:
        """Say which ledgers of progressives have not taken in what they were told."""
        topics = self._topics
        if topics.inputs_id is None:
            return []
        places = topics.places(TopicName.PROGRESSIVE_INPUTS)
        starts = await self._consumer.beginning_offsets(places)
        ends = await self._consumer.end_offsets(places)
        found = []
        oldest_s, count = 0.0, 0
        for at in places:
            newest = await newest_snapshot(
                self._consumer, topics.settings, at.partition, TopicName.PROGRESSIVE_SNAPSHOTS
            )
            reached = starts[at]
            if newest is not None and newest[0].log_id == topics.inputs_id:
                reached = newest[0].next_offset
            if reached < starts[at]:
                found.append(
                    Check(
                        "progressives",
                        State.WRONG,
                        f"partition {at.partition}: what ledgers were "
                        f"told at offsets {reached} to {starts[at] - 1} left the log before they "
                        "took it in",
                        "tell them again: fold the events again under other topics, see "
                        "infra/runbook/EventsLostToRetention.md",
                    )
                )
                reached = starts[at]
            age = await self._age(at, reached) if reached < ends[at] else 0.0
            oldest_s = max(oldest_s, age)
            count += max(0, ends[at] - reached)
            if age > LATE_S:
                found.append(
                    Check(
                        "progressives",
                        State.WRONG,
                        f"partition {at.partition}: a ledger was told "
                        f"something {duration(age)} ago and has not taken it in",
                        "start a worker, or see its log: infra/runbook/WorkerLagging.md",
                    )
                )
        says = "the ledgers have processed every message sent to them"
        room = self._headroom(
            TopicName.PROGRESSIVE_INPUTS, oldest_s, "what ledgers are told", "they take it in"
        )
        fine = _in_time("progressives", says, count, oldest_s, "no ledger has kept as taken in")
        return [*(found or [fine]), room]

    def _headroom(self, name: TopicName, age_s: float, what: str, before: str) -> Check:
        """Say how long it takes until a message could be lost to whoever has to read it."""
        keeps_s = self._topics.retention_s(name)
        left = keeps_s - age_s
        if left == float("inf"):
            return Check("retention", State.FINE, f"the log keeps {what} for ever")
        says = f"{duration(max(left, 0))} until {what} could leave the log before {before}"
        if left < min(keeps_s, topic(name).retention_days * DAY_MS / 1000) / 2:
            return Check("retention", State.WRONG, says, "see infra/runbook/RetentionHeadroom.md")
        return Check("retention", State.FINE, says)

    async def sink(self, watermarks: Mapping[TopicPartition, int]) -> list[Check]:
        """Say which messages are not written to the history."""
        found: list[Check] = []
        rooms = []
        oldest_s, waiting = 0.0, 0
        for name in (TopicName.EVENTS, TopicName.VERDICTS, TopicName.DEAD_LETTERS):
            places = self._topics.places(name)
            ends = await self._consumer.end_offsets(places)
            starts = await self._consumer.beginning_offsets(places)
            ages, count = [0.0], 0
            for at in places:
                reached = max(watermarks.get(at, 0), starts[at])
                if reached < ends[at]:
                    count += ends[at] - reached
                    ages.append(await self._age(at, reached))
            if max(ages) > LATE_S:
                found.append(
                    Check(
                        "sink",
                        State.WRONG,
                        f"{count:,} messages of {places[0].topic} are not in the history, the "
                        f"oldest for {duration(max(ages))}",
                        "start ladderman sink, or see its log: infra/runbook/SinkLagging.md",
                    )
                )
            oldest_s, waiting = max(oldest_s, *ages), waiting + count
            what = f"a message of {places[0].topic}"
            rooms.append(self._headroom(name, max(ages), what, "it is in the history"))
        says = "everything is written to the history"
        near = [room for room in rooms if room.state is State.WRONG]
        fine = _in_time("sink", says, waiting, oldest_s, "the sink has not noted as written")
        return [*(found or [fine]), *near]

    async def dead_letters(self) -> Check:
        """Say how much could not be read."""
        places = self._topics.places(TopicName.DEAD_LETTERS)
        ends = await self._consumer.end_offsets(places)
        starts = await self._consumer.beginning_offsets(places)
        count = sum(ends[at] - starts[at] for at in places)
        if not count:
            return Check("dead letters", State.FINE, "there are none")
        return Check(
            "dead letters",
            State.NOTE,
            f"the topic keeps {count:,}, repeats included",
            "see why: ladderman dead-letters list --from topic",
        )

    async def clocks(
        self,
        events: list[TopicPartition],
        starts: Mapping[TopicPartition, int],
        ends: Mapping[TopicPartition, int],
    ) -> list[Check]:
        """Compare the clocks of devices, brokers and this machine by the last events."""
        found: list[Check] = []
        ahead = 0.0
        for at in events:
            if ends[at] <= starts[at]:
                continue
            message = await self._message(at, ends[at] - 1)
            if message is None:
                continue
            appended_s = message.timestamp / 1000
            ahead = max(ahead, appended_s - self._now_s)
            found += _device_clock(message, appended_s)
        if ahead > CLOCK_OFF_S:
            found.append(
                Check(
                    "clock",
                    State.WRONG,
                    f"a broker's clock is {duration(ahead)} ahead of ours",
                    "set both by NTP",
                )
            )
        return found or [Check("clock", State.FINE, "no clock is seen to be off")]

    async def _age(self, at: TopicPartition, offset: int) -> float:
        message = await self._message(at, offset)
        return 0.0 if message is None else max(0.0, self._now_s - message.timestamp / 1000)

    async def _message(self, at: TopicPartition, offset: int) -> ConsumerRecord | None:
        """Read the first message from an offset on; None where it went meanwhile."""
        self._consumer.assign([at])
        try:
            self._consumer.seek(at, offset)
            found = await self._consumer.getmany(at, timeout_ms=_FETCH_WAIT_MS, max_records=1)
        except OffsetOutOfRangeError:
            return None
        finally:
            self._consumer.unsubscribe()
        return next(iter(found.get(at, ())), None)


def _in_time(area: str, says: str, count: int, oldest_s: float, not_yet: str) -> Check:
    """Say that nothing is late; that nothing waits only where nothing does."""
    if count:
        oldest, late = duration(oldest_s), duration(LATE_S)
        what = counted(count, "message")
        says = f"{what} that {not_yet}, the oldest for {oldest}; late after {late}"
    return Check(area, State.FINE, says)


def _device_clock(message: ConsumerRecord, appended_s: float) -> list[Check]:
    try:
        event = parse_event(message.value or b"")
    except UnreadableEventError:
        return []
    off = event.occurred_at.timestamp() - appended_s
    # A message that waited in a spool is old and not wrong; one from the future is wrong.
    if off > CLOCK_OFF_S:
        return [
            Check(
                "clock",
                State.WRONG,
                f"the clock of {event.source_id} is {duration(off)} ahead of the broker's",
                "set the clock of the device",
            )
        ]
    if -off > LATE_S:
        return [
            Check(
                "clock",
                State.NOTE,
                f"the last event of {event.source_id} came {duration(-off)} after it occurred",
                "see whether its clock is slow, or its events waited or are recorded ones",
            )
        ]
    return []
