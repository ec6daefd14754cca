"""Sends a publisher's spool to Kafka through an idempotent producer, group by group.

A group counts as sent when the brokers have acknowledged every event of it. When one is not, the
producer is given up with all that it still holds: nobody knows what became of those behind it,
and the caller sends on from its own mark.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from typing import Final

from kafka import KafkaProducer
from kafka.errors import (
    KafkaError,
    MessageSizeTooLargeError,
)

from schemas.topics import MESSAGE_BYTES_MAX, TopicName, topic
from streams.kafka.administration import (
    CONNECT_LIMIT_S,
    KafkaUnavailableError,
    administration,
    unavailable_line,
)
from streams.kafka.connecting import connected_client
from streams.process.settings import KafkaSettings
from streams.publishing.publisher import SendFailedError
from streams.spool.event_spool import SpooledEvent

SEND_LIMIT_S: Final = 15.0
"""A group that is not acknowledged after so long has failed."""

_REQUEST_LIMIT_MS: Final = 10_000
_BATCH_BYTES: Final = 256 * 1024


class KafkaSender:
    """Sends events of any sources; several publishers may share one."""

    def __init__(self, settings: KafkaSettings, send_limit_s: float = SEND_LIMIT_S) -> None:
        """Send to the topic of events; nothing is connected before the first group.

        Args:
            settings: How Kafka is reached.
            send_limit_s: How long a group may take.
        """
        self._settings = settings
        self._send_limit_s = send_limit_s
        self._topic = topic(TopicName.EVENTS).full_name(settings.prefix)
        self._lock = threading.Lock()
        self._producer: KafkaProducer | None = None

    def send(self, source_id: str, events: Sequence[SpooledEvent]) -> None:
        """Send events of one source in order, and return when every one is acknowledged.

        Raises:
            SendFailedError: One of them was not; nobody knows about those behind it.
        """
        key = source_id.encode()
        self.send_keyed([(key, event.raw) for event in events])

    def send_keyed(self, messages: Sequence[tuple[bytes, bytes]]) -> None:
        """Send keys and bytes in order, and return when every one is acknowledged.

        Raises:
            SendFailedError: One of them was not; nobody knows about those behind it.
        """
        deadline = time.monotonic() + self._send_limit_s
        producer = None
        try:
            producer = self._connected()
            futures = [producer.send(self._topic, key=key, value=raw) for key, raw in messages]
            for future in futures:
                future.get(max(0.0, deadline - time.monotonic()))
        except KafkaUnavailableError as error:
            raise SendFailedError(str(error)) from None
        except KafkaError as error:
            self._give_up(producer)
            raise SendFailedError(self._line(error)) from None

    def _line(self, error: Exception) -> str:
        if isinstance(error, MessageSizeTooLargeError):
            return f"{self._topic} does not admit a message of that length: {error}"
        return unavailable_line(self._settings, error)

    def _connected(self) -> KafkaProducer:
        with self._lock:
            if self._producer is None:
                self._producer = self._new_producer()
            return self._producer

    def _new_producer(self) -> KafkaProducer:
        with administration(self._settings) as admin:
            # A producer would wait for a topic that is missing, and then not say so.
            if admin.describe_topics([self._topic])[0]["error_code"]:
                raise KafkaUnavailableError(
                    f"there is no topic {self._topic}; make it: ladderman topics create"
                )
        limit_ms = int(self._send_limit_s * 1000)
        return connected_client(
            KafkaProducer,
            self._settings,
            CONNECT_LIMIT_S,
            acks="all",
            enable_idempotence=True,
            allow_auto_create_topics=False,
            max_request_size=MESSAGE_BYTES_MAX,
            batch_size=_BATCH_BYTES,
            max_block_ms=limit_ms,
            request_timeout_ms=min(limit_ms, _REQUEST_LIMIT_MS),
            delivery_timeout_ms=limit_ms,
        )

    def _give_up(self, producer: KafkaProducer | None) -> None:
        """Let go of a producer and of everything that it still holds."""
        if producer is None:
            return
        with self._lock:
            is_held = self._producer is producer
            if is_held:
                self._producer = None
        if not is_held:
            return
        # Closing alone would flush first, and leave everything running where that takes too long.
        producer._sender.force_close()
        with contextlib.suppress(KafkaError):
            producer.close(timeout=0)

    def close(self) -> None:
        """Let go of the connections; what was not acknowledged is in the spools."""
        self._give_up(self._producer)
