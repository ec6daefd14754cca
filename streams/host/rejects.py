"""Unreadable messages in a row: a source that sends nothing else is in quarantine.

Quarantine only alerts. Whatever bytes arrive under whatever key, nothing stops: each is a dead
letter, and every valid event of the source counts as ever. A build that cannot read what devices
send is told apart when it starts, see :mod:`streams.operating.known_events`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from streams.process.logs import Said

STREAK_MAX: Final = 100
"""Rejects in a row that quarantine a source."""

VALID_COUNTED: Final = 1000
"""Valid events of a source are counted up to so many."""

STRANGERS_MAX: Final = 1000
"""Keys without any valid event of which rejects are counted; keys are free to invent."""


class Source:
    """One source of a partition: its state, and how well it was read."""

    __slots__ = ("first_reject", "source_id", "state", "streak", "valid")

    def __init__(self, source_id: str, state: object, valid: int = 0, streak: int = 0) -> None:
        """Begin with a state."""
        self.source_id = source_id
        self.state = state
        self.valid = valid
        """Valid events, counted up to :data:`VALID_COUNTED`, whichever build read them."""
        self.streak = streak
        """Rejects in a row."""
        self.first_reject: int | None = None
        """Offset of the first reject of the streak, where this host saw it."""


class RejectWatch:
    """Counts rejects in a row."""

    def __init__(self, alert: Callable[[str], None]) -> None:
        """Begin with nothing counted.

        Args:
            alert: Told when a source enters or leaves quarantine, one line.
        """
        self._alert = alert
        self._rejecting: dict[str, Source] = {}
        self._strangers: OrderedDict[str, Source] = OrderedDict()

    def stranger(self, source_id: str, make_state: Callable[[str], object]) -> Source:
        """Find or make a source that has no valid event yet."""
        found = self._strangers.get(source_id)
        if found is None:
            return Source(source_id, make_state(source_id))
        return found

    def resume(self, source: Source) -> None:
        """Go on counting a source that comes from a snapshot."""
        if source.streak:
            self._rejecting[source.source_id] = source

    def rejected(self, source: Source, offset: int) -> None:
        """Count a reject."""
        source.streak += 1
        if source.first_reject is None:
            source.first_reject = offset
        if source.valid:
            self._rejecting[source.source_id] = source
        else:
            self._strangers[source.source_id] = source
            self._strangers.move_to_end(source.source_id)
            if len(self._strangers) > STRANGERS_MAX:
                self._strangers.popitem(last=False)
        if source.streak == STREAK_MAX:
            self._alert(
                Said(
                    f"source {source.source_id} is in quarantine: {STREAK_MAX} messages in a row "
                    f"could not be read, the last at offset {offset}; see its dead letters",
                    source=source.source_id,
                    offset=offset,
                )
            )

    def accepted_again(self, source: Source) -> None:
        """End a streak: the source sent a valid event."""
        if source.streak >= STREAK_MAX:
            line = f"source {source.source_id} left quarantine after {source.streak} rejects"
            self._alert(Said(line, source=source.source_id))
        source.streak = 0
        source.first_reject = None
        self._rejecting.pop(source.source_id, None)
        self._strangers.pop(source.source_id, None)

    @property
    def quarantined(self) -> tuple[str, ...]:
        """The sources in quarantine now."""
        known = (*self._rejecting.values(), *self._strangers.values())
        return tuple(sorted(source.source_id for source in known if source.streak >= STREAK_MAX))
