"""What the canary says on a few coups, as its publisher would put it into the log."""

from __future__ import annotations

import datetime
import random

from schemas.canary import CANARY_TABLE
from schemas.events import FeedStarted
from schemas.wire import FeedPosition, encode_event
from streams.operating.canary import CanaryTable

NOW = datetime.datetime(2026, 6, 7, 22, 0, tzinfo=datetime.UTC)


def canary_messages(coups: int, *, simulated: bool = True) -> list[bytes]:
    """Give the events of the canary, or of a real table that calls itself so."""
    table = CanaryTable(random.Random(3), "c")
    position, raws = FeedPosition(CANARY_TABLE, "feed-1"), []

    def say(kind: type, at: datetime.datetime, **fields: object) -> None:
        nonlocal position
        if "simulated" in fields:
            fields["simulated"] = simulated
        raw = encode_event(kind(**position.fields(at), **fields))
        raws.append(raw)
        position = position.after(raw)

    say(FeedStarted, NOW, source_kind="table", simulated=True)
    for kind, fields in table.opening(NOW):
        say(kind, NOW, **fields)
    for number in range(coups):
        for kind, fields in table.coup():
            say(kind, NOW + datetime.timedelta(minutes=number), **fields)
    return raws
