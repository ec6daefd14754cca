"""What belongs to one cause while it is being put together."""

from __future__ import annotations

from dataclasses import dataclass, field

from auditors.incidents.surroundings import EventPlace, ToldFinding, ToldWager
from schemas.findings import FindingCode


@dataclass(slots=True)
class Group:
    """Findings with one cause."""

    code: FindingCode
    """The code that names the cause."""
    findings: list[ToldFinding]
    """In the order in which they were recorded, the cause's own among them."""
    reach: set[int] = field(default_factory=set)
    """Places of the coups that it reaches."""
    wager: str | None = None
    """Only stakes on this wager count; None: every stake."""
    hand: str | None = None
    seat: str | None = None
    """Only stakes at this seat count; None: every seat."""
    section: str | None = None
    """Only stakes on wagers of this section count; None: every section."""
    shoes: tuple[str, ...] = ()
    """Shoes that it is about; empty: those of the coups."""
    words: str = ""
    """What the title says first, where it is more than the code's own words."""
    first: EventPlace | None = None
    """The first event that differs, where it is not the first evidence."""

    @property
    def is_of_wagers(self) -> bool:
        """Whether only some stakes count."""
        return (self.wager, self.seat, self.section) != (None, None, None)

    @property
    def own(self) -> list[ToldFinding]:
        """The findings of the cause's own code."""
        return [member for member in self.findings if member.finding.code is self.code]

    def counts(self, wager: ToldWager) -> bool:
        """Whether a stake counts as reached."""
        return (
            (self.wager is None or wager.wager == self.wager)
            and (self.hand is None or wager.hand == self.hand)
            and (self.seat is None or wager.seat == self.seat)
            and (self.section is None or wager.wager.partition(".")[0] == self.section)
        )


@dataclass(frozen=True, slots=True)
class Cluster:
    """Findings of one coup with one cause."""

    at: int
    """Place of the coup."""
    findings: tuple[ToldFinding, ...]
    """The cause first."""

    @property
    def cause(self) -> ToldFinding:
        """The finding that names the cause."""
        return self.findings[0]

    @property
    def code(self) -> FindingCode:
        """Code of the cause."""
        return self.cause.finding.code
