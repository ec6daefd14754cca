"""Places in a table's day: coups by place, id, shoe and sequence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from auditors.incidents.surroundings import EventPlace, TableTold, ToldCoup, ToldFinding


class Course:
    """The coups of a table in their order."""

    def __init__(self, table: TableTold) -> None:
        """Look at one table.

        Args:
            table: What stands about it.
        """
        self.table = table
        self.coups = table.coups
        self._by_id = {coup.coup_id: at for at, coup in enumerate(self.coups)}
        self._by_shoe: dict[str, list[int]] = {}
        self._by_feed: dict[str, list[int]] = {}
        for at, coup in enumerate(self.coups):
            self._by_feed.setdefault(coup.feed_id, []).append(at)
            if coup.shoe_id is not None:
                self._by_shoe.setdefault(coup.shoe_id, []).append(at)
        loaded = [shoe.shoe_id for shoe in table.shoes]
        self.shoe_order = tuple(dict.fromkeys((*loaded, *self._by_shoe)))
        """Shoes as they were loaded, as far as is known."""

    def of_coup(self, coup_id: str | None) -> int | None:
        """Give the place of a coup."""
        return None if coup_id is None else self._by_id.get(coup_id)

    def of_shoe(self, shoe_id: str | None) -> tuple[int, ...]:
        """Give the places of the coups of a shoe."""
        return () if shoe_id is None else tuple(self._by_shoe.get(shoe_id, ()))

    def from_event(self, place: EventPlace, end: EventPlace | None = None) -> tuple[int, ...]:
        """Give the places of the coups that an event found in progress or that followed it.

        Args:
            place: The event.
            end: The event before which they began; None: to the last coup that is known.
        """
        first = self._place_at(place)
        last = len(self.coups) if end is None else self._place_before(end)
        return tuple(range(first, last))

    def _place_at(self, place: EventPlace) -> int:
        """Give the first coup that had not ended at an event."""
        feed, sequence = place
        of_feed = self._by_feed.get(feed, [])
        at = bisect_left([self.coups[at].last_sequence for at in of_feed], sequence)
        if at < len(of_feed):
            return of_feed[at]
        return of_feed[-1] + 1 if of_feed else len(self.coups)

    def _place_before(self, place: EventPlace) -> int:
        """Give the place behind the last coup that had begun at an event."""
        feed, sequence = place
        of_feed = self._by_feed.get(feed, [])
        at = bisect_left([self.coups[at].first_sequence for at in of_feed], sequence)
        if at > 0:
            return of_feed[at - 1] + 1
        return of_feed[0] if of_feed else len(self.coups)

    def of_finding(self, told: ToldFinding) -> int:
        """Give the place of a finding: its coup, or the coup at its first evidence."""
        at = self.of_coup(told.finding.coup)
        if at is not None:
            return at
        evidence = told.finding.evidence
        if evidence:
            return self._place_at((told.feed_id, evidence[0]))
        return len(self.coups)

    def moment_of(self, told: ToldFinding) -> int:
        """Say when a finding happened: the act that is wrong.

        One of an earlier build does not say: then its coup's beginning counts, else its record's
        time, which moves with every later version, such as a correction days afterwards.
        """
        if told.finding.occurred_at_us is not None:
            return told.finding.occurred_at_us
        at = self.of_coup(told.finding.coup)
        return told.occurred_at_us if at is None else self.coups[at].began_at_us

    def in_order(self, findings: Iterable[ToldFinding]) -> list[ToldFinding]:
        """Sort findings as they happened."""
        return sorted(
            findings,
            key=lambda one: (self.moment_of(one), one.finding.evidence[:1], one.finding.id),
        )

    def pick(self, places: Iterable[int]) -> list[ToldCoup]:
        """Give the coups at some places, in their order."""
        return [self.coups[at] for at in sorted(set(places)) if at < len(self.coups)]
