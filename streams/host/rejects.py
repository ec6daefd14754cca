"""Unreadable messages in a row: one source is quarantined, several good ones stop the host.

One source with many in a row is quarantined, which alerts and does nothing else. Three sources
that were read well before and are now rejected in a row point at this build, not at them: then the
host stops before it takes a snapshot past the first of those messages, so that the build before
finds them again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from streams.host.errors import BadDeployError
from streams.process.logs import Said

STREAK_MAX: Final = 100
"""Rejects in a row that quarantine a source."""

ESTABLISHED: Final = 1000
"""A source with so many valid events is established."""

BAD_SOURCES_MAX: Final = 3
"""Established sources in quarantine that stop the host."""

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
        """Valid events, counted up to :data:`ESTABLISHED`, whichever build read them."""
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
        """Count a reject.

        Raises:
            BadDeployError: Too many established sources are rejected in a row.
        """
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
        if source.streak >= STREAK_MAX:
            self._stop_if_many(offset)

    def _stop_if_many(self, offset: int) -> None:
        bad = [
            source
            for source in self._rejecting.values()
            if source.streak >= STREAK_MAX and source.valid >= ESTABLISHED
        ]
        if len(bad) >= BAD_SOURCES_MAX:
            names = ", ".join(sorted(source.source_id for source in bad))
            raise BadDeployError(
                f"{len(bad)} established sources ({names}) had {STREAK_MAX} messages in a row "
                f"rejected by offset {offset}: this build probably cannot read what they send; "
                "go back to the build before, which will find all of them again"
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

    @property
    def is_undecided(self) -> bool:
        """Whether an established source is being rejected, so that a bad build is possible."""
        return any(source.valid >= ESTABLISHED for source in self._rejecting.values())
