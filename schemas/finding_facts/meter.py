"""Facts about meters of a progressive that differ from the ledger, and about what caused it.

Amounts that may have fractions of a cent are exact decimal text in currency units; rates are
per cent as decimal text.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from schemas.finding_facts.parts import PARTS_MAX, Exact, FactsPart, Name, Whole, Words

CauseKind: TypeAlias = Literal[
    "wagers_not_counted",
    "counted_twice",
    "stake_differs",
    "not_accepted",
    "void_kept",
    "void_reversed",
    "count_differs",
    "rate_since",
    "rounding_per_wager",
    "reset_early",
    "reset_late",
    "reset_amount",
    "step_unknown",
    "unexplained",
]
"""Why a meter differs."""

Names: TypeAlias = Annotated[tuple[Name, ...], Field(max_length=PARTS_MAX)]


class MeterEffect(FactsPart):
    """What something added to the meters, or took from them: signed."""

    display: Exact
    """Display and overflow together."""
    reserve: Exact


class EqualWays(FactsPart):
    """Events that explain a difference equally well, so that nobody can say which it was."""

    count: Whole
    first_sequence: Whole
    last_sequence: Whole


class Alternatives(FactsPart):
    """Other explanations that fit as exactly and assume as little."""

    pair_count: Whole = 1
    """So many pairs of causes, where two causes were needed."""
    causes: Annotated[tuple[CauseKind, ...], Field(max_length=PARTS_MAX)] = ()


class _MeterCause(FactsPart):
    effect: MeterEffect
    cause: CauseKind
    alternatives: Alternatives = Alternatives()


class WagersInMeter(_MeterCause):
    """Wagers are not in the meters, or twice."""

    kind: Literal["wagers_in_meter"] = "wagers_in_meter"
    basis: Literal["meter", "table_count"]
    """By what it is known: the amounts of the meters, or the counts for the table."""
    wager_id: Name | None
    """None where more than one wager is concerned, or may be."""
    coup_id: Name | None
    first_sequence: Whole
    tables: Names
    stake_minor: Whole | None
    """None where the stakes differ."""
    wager_count: Whole
    equal: EqualWays | None = None
    """None where it is known which wagers they are."""


class TableCountDiffers(_MeterCause):
    """The counts for a table differ from what it accepted, and no single wager can be named."""

    kind: Literal["table_count_differs"] = "table_count_differs"
    table_id: Name
    wager_count: Whole
    """Counted less accepted."""
    coin_in_minor: Whole
    """Counted less accepted."""


class _LastingCause(_MeterCause):
    tables: Names
    since_sequence: Whole
    since_local_time: Name | None = None
    """At the property, such as ``22:11``."""
    until_sequence: Whole | None = None
    """None where it lasted up to the reading."""
    wager_count: Whole
    reading_sequence: Whole | None = None
    """The reading up to which wagers are counted, where it was found by an earlier one."""
    equal: EqualWays | None = None


class RateApplied(_LastingCause):
    """Stakes fed the meters at other rates than filed."""

    kind: Literal["rate_applied"] = "rate_applied"
    increment_applied: Exact
    reserve_applied: Exact
    increment_filed: Exact
    reserve_filed: Exact


class RoundedSingly(_LastingCause):
    """Each contribution was rounded by itself before it was added."""

    kind: Literal["rounded_singly"] = "rounded_singly"
    how: Annotated[
        tuple[Literal["truncated", "rounded half up", "rounded up"], ...],
        Field(max_length=PARTS_MAX),
    ]


class LastingBefore(FactsPart):
    """A lasting cause that an earlier build kept as words alone."""

    kind: Literal["lasting_before"] = "lasting_before"
    words: Words
    words_after: Words
    wager_count: Whole
    reading_sequence: Whole
    effect: MeterEffect


LastingFacts: TypeAlias = Annotated[
    RateApplied | RoundedSingly | LastingBefore, Field(discriminator="kind")
]
"""A cause that takes effect wager by wager."""


class ResetMistimed(_MeterCause):
    """A reset took wagers for the wrong one of the two meters."""

    kind: Literal["reset_mistimed"] = "reset_mistimed"
    hit_id: Name | None
    when: Literal["early", "late"]
    wager_count: Whole
    first_sequence: Whole
    last_sequence: Whole
    locked_sequence: Whole | None = None


class ResetAmountSaid(FactsPart):
    """An amount of a reset that is not the one that is due."""

    what: Literal["display", "reserve", "house"]
    said: Exact
    due: Exact


ResetAmounts: TypeAlias = Annotated[tuple[ResetAmountSaid, ...], Field(max_length=PARTS_MAX)]


class ResetToOther(_MeterCause):
    """A reset set the display to another amount than is due, or paid it from another source."""

    kind: Literal["reset_to_other"] = "reset_to_other"
    hit_id: Name | None
    amounts: ResetAmounts


class ResetLeft(_MeterCause):
    """A reset left another amount in the display than the controller said."""

    kind: Literal["reset_left"] = "reset_left"
    hit_id: Name | None
    left: Exact
    said: Exact


class ReserveKept(_MeterCause):
    """A reset did not take from the reserve what it is said to pay."""

    kind: Literal["reserve_kept"] = "reserve_kept"
    hit_id: Name | None
    amount: Exact


class ResetBefore(FactsPart):
    """A cause at a reset that an earlier build kept as words alone."""

    kind: Literal["reset_before"] = "reset_before"
    words: Words


ResetCause: TypeAlias = Annotated[
    ResetMistimed | ResetToOther | ResetLeft | ReserveKept | ResetBefore,
    Field(discriminator="kind"),
]
"""Why a meter differs after a reset."""


class VoidedCoup(_MeterCause):
    """Contributions of a voided coup were treated otherwise than filed, or than said."""

    kind: Literal["voided_coup"] = "voided_coup"
    table_id: Name
    coup_id: Name
    sequence: Whole | None
    """Of the table's event that voided it."""
    wager_count: Whole | None = None
    fault: Literal["not_taken_back", "taken_back", "said_not_done", "done_not_said"]


class MeterStep(_MeterCause):
    """The meters moved once, and nothing on record explains it."""

    kind: Literal["meter_step"] = "meter_step"
    since_sequence: Whole | None
    """None where it can have been at the very beginning."""
    until_sequence: Whole
    since_feed: Name | None = None
    """With ``until_feed``, where the controller began a new feed in between."""
    until_feed: Name | None = None


class MeterUnexplained(_MeterCause):
    """The meters differ, and no cause fits exactly."""

    kind: Literal["meter_unexplained"] = "meter_unexplained"
    display: Exact
    """As read, overflow included."""
    reserve: Exact
    display_due: Exact
    reserve_due: Exact
    steps: Whole | None = None
    """The search was ended after so many; None where everything was tried."""


class WagersMissed(_MeterCause):
    """The controller did not report wagers that a table accepted one after the other."""

    kind: Literal["wagers_missed"] = "wagers_missed"
    table_id: Name
    wager_id: Name
    coup_id: Name
    """The first wager, with its coup."""
    stake_minor: Whole
    wager_count: Whole
    first_sequence: Whole
    last_sequence: Whole
    """Events of the table."""


class WagerCounted(_MeterCause):
    """The controller reported a wager otherwise than the table accepted it."""

    kind: Literal["wager_counted"] = "wager_counted"
    table_id: Name
    wager_id: Name
    coup_id: Name | None
    counted_minor: Whole
    accepted_minor: Whole | None
    """None where no table accepted it."""
    sequence: Whole
    """Event of the controller."""


MeterFacts: TypeAlias = (
    WagersInMeter
    | TableCountDiffers
    | RateApplied
    | RoundedSingly
    | LastingBefore
    | ResetMistimed
    | ResetToOther
    | ResetLeft
    | ReserveKept
    | VoidedCoup
    | MeterStep
    | MeterUnexplained
    | WagersMissed
    | WagerCounted
)
"""Facts of findings about meters and what caused their difference."""
