"""A process that publishes numbered events through a spool into a log in files, until killed.

``python -m tests.support.children.publisher_child SPOOL LOG COUNT``; it says every sequence once
it is durable. The log can refuse at random.
"""

from __future__ import annotations

import datetime
import random
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from schemas.events import SeatVacated
from streams.process.clock import SystemClock
from streams.publishing.publisher import Publisher, SendFailedError
from streams.spool import EventSpool, FileLog, SpooledEvent
from streams.spool.event_spool import SpoolSource

NOON = datetime.datetime(2025, 6, 7, 16, tzinfo=datetime.UTC)


class UnreliableSender:
    """Puts events into a log; now and then only some of them, and says that it failed."""

    def __init__(self, log: FileLog) -> None:
        self._log = log
        self._chance = random.Random(len(list(log.entries())))

    def send(self, source_id: str, events: Sequence[SpooledEvent]) -> None:
        reached = len(events)
        fails = self._chance.random() < 0.2
        if fails:
            reached = self._chance.randrange(len(events) + 1)
        self._log.extend((source_id.encode(), event.raw) for event in events[:reached])
        if fails:
            raise SendFailedError("the broker did not answer")


def main(spool_root: str, log_directory: str, count: int) -> None:
    """Publish until so many events are acknowledged."""
    clock = SystemClock()
    spool = EventSpool(Path(spool_root), SpoolSource("BAC-03"), clock)
    log = FileLog(Path(log_directory), clock)
    publisher = Publisher(spool, UnreliableSender(log), clock, lambda _: None, send_count=20)
    print("ready", flush=True)
    sending = threading.Thread(target=publisher.run, daemon=True)
    sending.start()
    while spool.next_sequence <= count:
        print(publisher.publish(SeatVacated, NOON, seat=f"{spool.next_sequence}"), flush=True)
    pause = threading.Event()
    while spool.acknowledged < count:
        pause.wait(0.01)
    publisher.stop()
    sending.join()
    spool.close()
    log.close()
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
