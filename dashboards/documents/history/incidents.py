"""Incidents: many findings with one cause as one line, and all about one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from auditors.catalogue import FindingDescription, load_catalogue
from auditors.catalogue.places import ID_DIGITS
from auditors.coverage import Coverage
from auditors.incidents import Incident, TableTold, ToldCoup, incidents_of, opened_by
from dashboards.documents.coverage import coverage_json
from dashboards.documents.document import Document
from dashboards.documents.errors import (
    AmbiguousError,
    DocumentError,
    OpensNothingError,
    OutsideError,
)
from dashboards.documents.history.incident_filters import (
    ALL,
    IncidentFilter,
    IncidentOrder,
    Openness,
    in_order,
)
from dashboards.documents.history.ranges import range_json
from dashboards.documents.history.tables import (
    coverage_of,
    known_tables,
    latest_state,
    ledger_coverage,
    zone_of,
)
from dashboards.documents.history.videos import ShownVideo, shown_videos
from dashboards.documents.instants import moment
from schemas.canary import CANARY_TABLE
from schemas.findings import Finding
from streams.process.video_links import VideoLinks
from streams.replaying.sources import RecordSource
from streams.replaying.span import EVERYTHING, Span

INCIDENTS_SCHEMA: Final = "ladderman.incidents/1"
"""Name and version of the document that lists incidents."""


INCIDENT_COLUMNS: Final = (
    "id",
    "code",
    "lane",
    "severity",
    "status",
    "source",
    "title",
    "first_occurred_at",
    "last_occurred_at",
    "first_feed",
    "first_sequence",
    "coup_count",
    "first_coup",
    "last_coup",
    "staked",
    "difference",
    "wrongly_paid",
    "corrected",
    "residual",
    "currency",
    "simulated",
)


@dataclass(frozen=True, slots=True)
class TableIncidents:
    """Incidents of one table with what is needed to tell them."""

    told: TableTold
    """What stands in the range."""
    whole: TableTold
    """All that stands about the table: incidents are made of it, so that no range changes them."""
    incidents: tuple[Incident, ...]
    """Those of which a finding lies in the range, as a whole."""
    zone: str
    coverage: Coverage
    is_table: bool = True
    """False for a progressive, and for what never opened a table."""

    @property
    def findings(self) -> dict[str, Finding]:
        """All findings of the table by their ids."""
        return {one.finding.id: one.finding for one in self.whole.findings}


def find_incidents(
    source: RecordSource, span: Span, table_ids: Sequence[str], *, with_canary: bool = False
) -> tuple[TableIncidents, ...]:
    """Group what stands in a range, table by table; the canary where it is asked for.

    Args:
        source: The store or files.
        span: The range.
        table_ids: Only these tables; empty: all.
        with_canary: With those of the simulated table that watches the pipeline.
    """
    asked = with_canary or CANARY_TABLE in table_ids
    found = []
    for told in chain.from_iterable(
        source.told(span, table_id, with_canary=asked) for table_id in table_ids or (None,)
    ):
        whole = told
        if told.findings and not span.is_open:
            (whole,) = source.told(EVERYTHING, told.table_id, with_canary=asked)
        state = latest_state(source, told.table_id)
        is_table = state is not None or bool(told.coups)
        if is_table:
            zone, coverage = zone_of(state), coverage_of(state)
        else:
            zone, coverage = ledger_coverage(source, told.table_id)
        within = _within(told, whole)
        found.append(TableIncidents(told, whole, within, zone, coverage, is_table=is_table))
    return tuple(found)


def _within(told: TableTold, whole: TableTold) -> tuple[Incident, ...]:
    """Give the incidents of a table of which a finding lies in the range."""
    incidents = incidents_of(whole)
    if told is whole:
        return incidents
    ids = {one.finding.id for one in told.findings}
    return tuple(one for one in incidents if not ids.isdisjoint(one.finding_ids))


class IncidentList(Document):
    """Incidents of a range, in the order that was asked for: ``ladderman.incidents/1``."""

    columns = INCIDENT_COLUMNS

    def __init__(
        self,
        read_from: str,
        span: Span,
        tables: tuple[TableIncidents, ...],
        table_ids: Sequence[str] = (),
        *,
        only: IncidentFilter = ALL,
        order: IncidentOrder = IncidentOrder.OLDEST,
    ) -> None:
        """List what was found.

        Args:
            read_from: The store or files that were read.
            span: The range that was asked for.
            tables: What was found, table by table.
            table_ids: The tables that were asked for; empty: all.
            only: Which incidents are listed.
            order: In which order.
        """
        self.read_from, self.span, self.tables = read_from, span, tables
        self.is_everything = span.is_open and not table_ids
        self.only = only
        found = [one for table in tables for one in table.incidents]
        self.all_count = len(found)
        self.incidents = in_order(filter(only.passes, found), order)

    @property
    def is_simulated(self) -> bool:
        """Whether any of it was played by the simulator."""
        return any(table.told.is_simulated for table in self.tables)

    @property
    def coup_count(self) -> int:
        """How many coups were looked at."""
        return sum(len(table.told.coups) for table in self.tables)

    @property
    def finding_count(self) -> int:
        """How many findings they have."""
        return sum(len(table.told.findings) for table in self.tables)

    @property
    def table_count(self) -> int:
        """How many tables were looked at, progressives aside."""
        return sum(table.is_table for table in self.tables)

    def as_json(self) -> dict[str, object]:
        """Give the whole list."""
        return {
            "schema": INCIDENTS_SCHEMA,
            "read_from": self.read_from,
            "range": range_json(self.span),
            "simulated": self.is_simulated,
            **({"filters": self.only.as_json()} if self.only else {}),
            "incidents": list(self.lines()),
            "tables": [
                {
                    "source": table.told.table_id,
                    "is_table": table.is_table,
                    "coups": len(table.told.coups),
                    "findings": len(table.told.findings),
                    **coverage_json(table.coverage),
                }
                for table in self.tables
            ],
        }

    def lines(self) -> Iterable[dict[str, object]]:
        """Give one incident a line."""
        return [one.as_json() for one in self.incidents]


def list_incidents(
    source: RecordSource,
    span: Span,
    table_ids: Sequence[str] = (),
    *,
    with_canary: bool = False,
    only: IncidentFilter = ALL,
    order: IncidentOrder = IncidentOrder.OLDEST,
) -> IncidentList:
    """List the incidents of a range.

    Args:
        source: The store or files.
        span: The range.
        table_ids: Only these tables; empty: all.
        with_canary: With those of the simulated table that watches the pipeline.
        only: Which incidents are listed.
        order: In which order.

    Raises:
        NotThereError: There is no such table.
    """
    table_ids = known_tables(source, table_ids)
    found = find_incidents(source, span, table_ids, with_canary=with_canary)
    return IncidentList(source.name, span, found, table_ids, only=only, order=order)


@dataclass(frozen=True)
class IncidentPage(Document):
    """All about one incident: its findings, coups, money, evidence, and what to do."""

    columns = ("schema", *Finding.json_fields())

    incident: Incident
    table: TableIncidents
    """The table or progressive of which it is, with its coups."""
    findings: tuple[Finding, ...]
    """Its findings, each with its sentence, citation and evidence."""
    explanation: str
    """What such an incident means, in a paragraph."""
    what_to_do: str
    videos: tuple[ShownVideo, ...]
    """Where recordings of it are."""

    @property
    def zone(self) -> str:
        """Time zone of the property."""
        return self.table.zone

    @property
    def coups(self) -> tuple[ToldCoup, ...]:
        """Give the coups it names: cards, wagers, due and paid are those of their records."""
        named = set(self.incident.coup_ids)
        return tuple(one for one in self.table.whole.coups if one.coup_id in named)

    def as_json(self) -> dict[str, object]:
        """Give the incident with its explanation and findings."""
        return {
            **self.incident.as_json(),
            "explanation": self.explanation,
            "what_to_do": self.what_to_do,
            "finding_details": list(self.rows()),
            "videos": [video.as_json() for video in self.videos],
        }

    def rows(self) -> Iterable[dict[str, object]]:
        """Give one finding a row."""
        return [one.as_json() for one in self.findings]


def incident_page(
    source: RecordSource,
    found: IncidentList,
    wanted: str,
    *,
    links: VideoLinks | None = None,
    with_canary: bool = False,
) -> IncidentPage:
    """Give all about one incident of a list.

    Args:
        source: The store or files from which the list is.
        found: The incidents among which it is.
        wanted: An id: its own, or of a finding, coup, settlement or wager in it.
        links: How the house makes links to recordings; None where it makes none.
        with_canary: With those of the simulated table that watches the pipeline.

    Raises:
        OpensNothingError: The id opens none.
        OutsideError: It opens one that is not in the list.
        AmbiguousError: It opens several.
    """
    picked = _pick(wanted, found.tables)
    if picked is None:
        raise _not_found(source, found, wanted, with_canary=with_canary)
    incident, table = picked
    description = load_catalogue()[incident.code]
    videos = source.videos(
        incident.table_id,
        incident.coup_ids,
        incident.first_occurred_at_us,
        incident.last_occurred_at_us,
    )
    return IncidentPage(
        incident,
        table,
        tuple(table.findings[id_] for id_ in incident.finding_ids),
        *_advice(incident, description),
        shown_videos(videos, links),
    )


def _advice(incident: Incident, description: FindingDescription) -> tuple[str, str]:
    """Give what an incident means and what is to be done, unless it was put right."""
    explanation, what_to_do = (
        " ".join(text.split()) for text in (description.explanation, description.what_to_do)
    )
    if Openness.of(incident) is Openness.CORRECTED:
        return f"It was put right. Until then: {explanation}", "Nothing more; it was put right."
    return explanation, what_to_do


def _pick(
    wanted: str, tables: tuple[TableIncidents, ...]
) -> tuple[Incident, TableIncidents] | None:
    """Find the one incident that an id opens; None where none is."""
    if not wanted.strip():
        raise DocumentError(
            "give an id: of an incident, a finding, a coup, a settlement or a wager"
        )
    matching = [
        (one, table)
        for table in tables
        for one in opened_by(wanted, table.incidents, table.findings)
    ]
    if not matching:
        return None
    if len(matching) == 1:
        return matching[0]
    ids = [one.id[:ID_DIGITS] for one, _ in matching]
    listed = "; ".join(f"{one.id[:ID_DIGITS]} {one.title}" for one, _ in matching[:4])
    more = f" and {len(matching) - 4} more" if len(matching) > 4 else ""
    raise AmbiguousError(
        f"{wanted} is ambiguous, it opens {len(matching)} incidents: {listed}{more}", ids
    )


def _not_found(
    source: RecordSource, listed: IncidentList, wanted: str, *, with_canary: bool
) -> DocumentError:
    """Say that an id opens nothing, or that a filter leaves out what it opens."""
    hidden = None
    if not listed.is_everything:
        hidden = _pick(wanted, find_incidents(source, EVERYTHING, (), with_canary=with_canary))
    if hidden is None:
        return OpensNothingError(wanted, source.name)
    one, where = hidden
    began = moment(one.first_occurred_at_us, where.zone)
    return OutsideError(
        f"{wanted} is in incident {one.id[:ID_DIGITS]} of {one.table_id}, {began} ({where.zone})"
    )


def checked_alike(found: tuple[TableIncidents, ...]) -> list[tuple[str, Coverage]]:
    """Give the tables that were checked alike, together."""
    alike: dict[Coverage, list[str]] = {}
    for one in found:
        alike.setdefault(one.coverage, []).append(one.told.table_id)
    return [(", ".join(names), coverage) for coverage, names in alike.items()]
