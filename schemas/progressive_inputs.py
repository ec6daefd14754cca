"""What tables and controllers say about a progressive, one whole message each, keyed by it.

Tables say per coup what they accepted; the controller's own events pass through as they were.
Both arrive in any order: what orders them is (``occurred_at_us``, source, feed, sequence), and
watermarks say up to when a source has said everything. Messages are canonical and may be repeated.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from schemas.rules_submission import DEFAULT_JURISDICTION, is_default_jurisdiction

PROGRESSIVE_INPUT_SCHEMA: Final = "ladderman.progressive-input/1"
"""Name and version of the shape."""


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class FiledMeter(_Said):
    """What the filing in force at a table says of the progressive."""

    rules_version: str
    wager: str
    """Full id of the wager that runs on it, such as ``harmony_mini.harmony_progressive``."""
    level: int
    paytable: str | None
    increment_rate: str
    """In per cent, such as ``15%``: as filed, else that of the section for the letter filed."""
    reserve_rate: str
    rate_citation: str | None
    unit_minor: int
    base_minor: int
    reset_minor: int
    limit_minor: int | None
    void_policy: Literal["reversed", "kept"]
    is_chips_counted: bool
    is_linked: bool
    readings: dict[str, str]
    """The interpretations in force that a ledger may use: D1 to D4, D6 to D10 and D33."""
    time_zone: str
    gaming_day_start: str
    """``HH:MM`` in that zone, with ``:SS`` where the filing has seconds."""
    jurisdiction: str = Field(DEFAULT_JURISDICTION, exclude_if=is_default_jurisdiction)
    """Whose law is cited; written only where it is not the default."""


class AcceptedWager(_Said):
    """A wager on the progressive that the table accepted and that was not withdrawn in time."""

    wager_id: str
    wager_no: int
    seat: str
    patron: str | None
    stake_minor: int | None
    """None where the table did not say it readably."""
    accepted_at_us: int
    sequence: int
    """Of the event that placed it."""
    is_late: bool
    outcome_code: str | None
    """Once the cards are final."""
    is_meter_won: bool
    """The outcome is paid from the meter."""
    paid_minor: int | None
    """Total handed over at the table so far, corrections included; None where not reported."""


class CardsHit(_Said):
    """The cards of a coup win the meter, whether or not anybody wagered on it."""

    outcome_code: str
    pays: str
    """In the regulator's words, such as ``100% of Progressive``."""
    citation: str | None
    cards: str
    """Player's and Banker's in order of dealing, such as ``KS KD KH / KC KS KH``."""
    decided_at_us: int
    sequence: int
    """Of the event that made the cards final."""


class CoupOnProgressive(_Said):
    """One coup of a linked table, whole; also where nobody wagered on the progressive."""

    kind: Literal["coup"] = "coup"
    schema_name: Literal["ladderman.progressive-input/1"] = PROGRESSIVE_INPUT_SCHEMA
    progressive_id: str
    table_id: str
    feed_id: str
    """The feed in which the coup began."""
    coup_id: str
    shoe_id: str | None
    coup_no: int
    version: int
    """Of the coup's record at the table: ``audit_epoch * 2**48 + offset``; the highest counts."""
    sequence: int
    """Of the event that caused this version."""
    occurred_at_us: int
    """Of that event, by the clock that all share; microseconds since 1970 UTC."""
    gaming_date: str | None
    currency: str
    state: Literal["open", "locked", "closed", "voided"]
    """``locked`` once no more bets was said."""
    is_unverified: bool
    is_simulated: bool
    locked_at_us: int | None
    filed: FiledMeter
    entries: tuple[AcceptedWager, ...]
    hit: CardsHit | None
    watermark_us: int
    """Nothing that the table accepted up to then is missing from what it has said so far."""


class TableWatermark(_Said):
    """A linked table has said everything up to a moment."""

    kind: Literal["watermark"] = "watermark"
    schema_name: Literal["ladderman.progressive-input/1"] = PROGRESSIVE_INPUT_SCHEMA
    progressive_id: str
    table_id: str
    feed_id: str
    sequence: int
    version: int
    watermark_us: int
    is_open: bool
    """False once the table was closed: it counts as past everything until it opens again."""
    currency: str
    is_simulated: bool
    filed: FiledMeter | None
    """None where the table no longer runs on the progressive."""


class ControllerSaid(_Said):
    """An event of the controller about this progressive, whose turn in its feed it was."""

    kind: Literal["controller"] = "controller"
    schema_name: Literal["ladderman.progressive-input/1"] = PROGRESSIVE_INPUT_SCHEMA
    progressive_id: str
    source_id: str
    feed_id: str
    sequence: int
    version: int
    occurred_at_us: int
    """By the clock that all share: corrected by the offset that the source states."""
    is_simulated: bool
    event: str
    """The event's own bytes as text."""


class ControllerWatermark(_Said):
    """The controller has said everything up to a moment, or events of it are lost."""

    kind: Literal["controller_watermark"] = "controller_watermark"
    schema_name: Literal["ladderman.progressive-input/1"] = PROGRESSIVE_INPUT_SCHEMA
    progressive_id: str
    source_id: str
    feed_id: str
    sequence: int
    version: int
    watermark_us: int
    is_simulated: bool
    lost: tuple[tuple[int, int], ...]
    """First and last sequence of what was declared missing since the watermark before."""


ProgressiveInput: TypeAlias = Annotated[
    CoupOnProgressive | TableWatermark | ControllerSaid | ControllerWatermark,
    Field(discriminator="kind"),
]
"""One message of the topic ``progressive-inputs``."""

_ADAPTER: Final[TypeAdapter[ProgressiveInput]] = TypeAdapter(ProgressiveInput)


def encode_progressive_input(said: ProgressiveInput) -> bytes:
    """Give the canonical bytes: fixed field order, no spaces, UTF-8."""
    # The class's own writer: to go through the union and then write costs more than twice as much.
    return said.__pydantic_serializer__.to_json(said)


def decode_progressive_input(raw: bytes) -> ProgressiveInput:
    """Read a message back.

    Raises:
        ValueError: The bytes are no message of this version.
    """
    return _ADAPTER.validate_json(raw)
