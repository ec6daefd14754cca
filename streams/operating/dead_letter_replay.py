"""Dead letters: where they are found, and how one gets onto the log again once it can be read.

A replay puts the same bytes onto the log, with the id of the dead letter in a header, and then the
dead letter itself onto its topic once more, with a header that says where the bytes went. Whoever
reads the topic knows so that it was replayed; whoever keeps dead letters sees a repeat. Killed in
between, the replay can be done again: the fold lets a repeat pass.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, cast

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from schemas.topics import TopicName, topic
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from streams.files.event_keys import key_of
from streams.history.raw_bytes import as_bytes
from streams.history.store import HistoryReader
from streams.host.dead_letters import DeadLetter, Origin, decode_dead_letter, encode_dead_letter
from streams.kafka.answers import Answers
from streams.kafka.partitioning import partition_of
from streams.kafka.passing_clients import reading_clients, sending_client, unavailable
from streams.process.settings import KafkaSettings

LETTER_HEADER: Final = "ladderman-dead-letter"
"""On a replayed event: the id of the dead letter that it was."""

REPLAY_HEADER: Final = "ladderman-replayed"
"""On a dead letter that comes again: partition and offset that its bytes were replayed to."""

_FETCH_WAIT_MS: Final = 200
_PARTS: Final = 3


class ReplayRefusedError(Exception):
    """A dead letter cannot be replayed; one line says why and what to do instead."""


class NoSuchLetterError(Exception):
    """There is no dead letter of that id."""


@dataclass(frozen=True, slots=True)
class FoundLetter:
    """A dead letter as it was found."""

    letter: DeadLetter
    known_at_us: int
    """When it was put aside, microseconds since 1970 UTC."""
    replayed_to: str | None = None
    """Partition and offset of the replayed bytes; only the topic says it."""


class LetterCount(NamedTuple):
    """How many dead letters a source has for one reason."""

    source: str
    """Empty where the messages name no source."""
    reason: str
    count: int  # type: ignore[assignment]  # so it is called in JSON; the method is not needed


class LetterId(NamedTuple):
    """The place of a dead letter; its id is these three with slashes."""

    log_id: str
    """Empty where it was left out."""
    partition: int
    offset: int


def parse_letter_id(text: str) -> LetterId:
    """Read the id of a dead letter; its log may be left out where there is only one.

    Raises:
        NoSuchLetterError: It is not written like an id.
    """
    *log, partition, offset = text.strip().split("/") if "/" in text else ("", "", "")
    if len(log) >= _PARTS - 1 or not (_is_number(partition) and _is_number(offset)):
        raise NoSuchLetterError(
            f'"{_shown(text)}" is no id of a dead letter; write LOG/PARTITION/OFFSET or '
            "PARTITION/OFFSET as ladderman dead-letters list shows it"
        )
    return LetterId(log[0] if log else "", int(partition), int(offset))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _shown(text: str) -> str:
    return "".join(part if part.isprintable() else "?" for part in text[:80])


# From the history.


def letters_in_history(
    reader: HistoryReader, source: str = "", reason: str = "", limit: int = 50
) -> list[FoundLetter]:
    """List dead letters of a history, latest first, without their bytes.

    Raises:
        HistoryError: It cannot be read.
    """
    answer = reader.query("dead_letters", {"source_id": source, "reason": reason, "limit": limit})
    return [_found(row) for row in answer.dicts()]


def counts_in_history(reader: HistoryReader) -> list[LetterCount]:
    """Count the dead letters of a history by source and reason."""
    answer = reader.query("dead_letter_counts")
    return [
        LetterCount(row["source_id"], row["reason"], row["letter_count"]) for row in answer.dicts()
    ]


def letter_in_history(reader: HistoryReader, letter_id: LetterId) -> FoundLetter:
    """Find one dead letter of a history, with its bytes.

    Raises:
        NoSuchLetterError: There is none, or several where the log was left out.
    """
    answer = reader.query(
        "dead_letter",
        {
            "origin_topic": letter_id.log_id,
            "origin_partition": letter_id.partition,
            "origin_offset": letter_id.offset,
        },
    )
    return only_one([_found(row) for row in answer.dicts()], letter_id)


def only_one(found: Sequence[FoundLetter], letter_id: LetterId) -> FoundLetter:
    """Give the one dead letter that was found.

    Raises:
        NoSuchLetterError: There is none, or there are several.
    """
    place = f"{letter_id.partition}/{letter_id.offset}"
    if not found:
        log = f"{letter_id.log_id}/" if letter_id.log_id else ""
        raise NoSuchLetterError(
            f"no dead letter {_shown(log)}{place}; see ladderman dead-letters list"
        )
    if len(found) > 1:
        ids = " or ".join(letter.letter.letter_id for letter in found)
        raise NoSuchLetterError(f"{place} is a dead letter of several logs: write {ids}")
    return found[0]


def _found(row: Mapping[str, object]) -> FoundLetter:
    source = row["source_id"]
    letter = DeadLetter(
        origin=Origin(str(row["origin_topic"]), int(str(row["origin_partition"]))),
        offset=int(str(row["origin_offset"])),
        key=source.encode() if isinstance(source, str) else b"",
        reason=str(row["reason"]),
        detail=str(row["detail"]),
        length=int(str(row["byte_count"])),
        sha256=str(row["content_hash"]),
        head=as_bytes(cast("str | bytes", row.get("raw_bytes", b""))),
    )
    return FoundLetter(letter, int(str(row["known_at_us"])))


# From the topic.


def letters_on_topic(settings: KafkaSettings) -> list[FoundLetter]:
    """Read all dead letters that the topic keeps, latest first.

    Raises:
        KafkaUnavailableError: The cluster cannot be reached, or has no such topic.
    """
    return asyncio.run(_letters_on_topic(settings, range(settings.partitions)))


async def _letters_on_topic(
    settings: KafkaSettings, partitions: Sequence[int]
) -> list[FoundLetter]:
    found: dict[str, FoundLetter] = {}
    name = topic(TopicName.DEAD_LETTERS).full_name(settings.prefix)
    async with reading_clients(settings, 1) as (consumer,):
        places = [TopicPartition(name, partition) for partition in partitions]
        for message in await _messages(consumer, settings, places):
            try:
                letter = decode_dead_letter(message.value or b"")
            except (ValueError, KeyError, TypeError):
                continue  # no worker wrote it; the sink says so
            replayed = dict(message.headers).get(REPLAY_HEADER)
            before = found.get(letter.letter_id)
            earlier = before.replayed_to if before else None
            found[letter.letter_id] = FoundLetter(
                letter,
                before.known_at_us if before else message.timestamp * 1000,
                replayed.decode("ascii", "replace") if replayed else earlier,
            )
    return sorted(found.values(), key=lambda one: one.known_at_us, reverse=True)


async def _messages(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, places: Sequence[TopicPartition]
) -> list[ConsumerRecord]:
    found: list[ConsumerRecord] = []
    try:
        ends = await consumer.end_offsets(places)
        consumer.assign(places)
        await consumer.seek_to_beginning(*places)
        while any([await consumer.position(at) < ends[at] for at in places]):
            batches = await consumer.getmany(timeout_ms=_FETCH_WAIT_MS)
            found += [message for batch in batches.values() for message in batch]
    except KafkaError as error:
        raise unavailable(settings, error) from None
    return sorted(found, key=lambda one: (one.timestamp, one.partition, one.offset))


def counts_of(letters: Sequence[FoundLetter]) -> list[LetterCount]:
    """Count dead letters by source and reason, most first."""
    counts: dict[tuple[str, str], int] = {}
    for letter in letters:
        key = (source_of(letter.letter), letter.letter.reason)
        counts[key] = counts.get(key, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [LetterCount(source, reason, count) for (source, reason), count in ordered]


def source_of(letter: DeadLetter) -> str:
    """Give the source that the key of a dead letter names; empty where it names none."""
    return letter.key.decode("ascii") if letter.key.isascii() else ""


# Back onto the log.


def replay(settings: KafkaSettings, letter: DeadLetter) -> str:
    """Put the bytes of a dead letter onto the log again.

    Args:
        settings: How Kafka is reached.
        letter: With its bytes.

    Returns:
        Partition and offset where they stand now.

    Raises:
        ReplayRefusedError: It was replayed before, is not whole, or cannot be read now either.
        KafkaUnavailableError: The cluster cannot be reached.
    """
    _refuse_unreadable(letter)
    return asyncio.run(_replay(settings, letter))


def _refuse_unreadable(letter: DeadLetter) -> None:
    if not letter.is_whole:
        raise ReplayRefusedError(
            f"dead letter {letter.letter_id}: only the first {len(letter.head):,} of "
            f"{letter.length:,} bytes are kept; have the source send it again"
        )
    try:
        parse_event(letter.head)
    except UnreadableEventError as error:
        if error.envelope is None:
            raise ReplayRefusedError(
                f"dead letter {letter.letter_id} cannot be read by this version either, so it "
                f"would only come back: {error}"
            ) from None


async def _replay(settings: KafkaSettings, letter: DeadLetter) -> str:
    origin_key = f"{letter.origin.log_id}/{letter.origin.partition}".encode()
    at = partition_of(origin_key, settings.partitions)
    for found_letter in await _letters_on_topic(settings, [at]):
        if (
            found_letter.letter.letter_id == letter.letter_id
            and found_letter.replayed_to is not None
        ):
            raise ReplayRefusedError(
                f"dead letter {letter.letter_id} was replayed before, to partition/offset "
                f"{found_letter.replayed_to}; a second replay would change nothing"
            )
    names = {topic_name: topic(topic_name).full_name(settings.prefix) for topic_name in TopicName}
    try:
        async with sending_client(settings) as producer, Answers(settings).awaited():
            sent = await producer.send_and_wait(
                names[TopicName.EVENTS],
                letter.head,
                key=key_of(letter.head) or letter.key,
                headers=[(LETTER_HEADER, letter.letter_id.encode())],
            )
            place = f"{sent.partition}/{sent.offset}"
            await producer.send_and_wait(
                names[TopicName.DEAD_LETTERS],
                encode_dead_letter(letter),
                key=origin_key,
                headers=[(REPLAY_HEADER, place.encode())],
            )
    except KafkaError as error:
        raise unavailable(settings, error) from None
    return place
