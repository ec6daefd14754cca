"""``ladderman state``: what the workers remember of a table or a progressive, and is it right?"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Final, TypeVar

import typer

from auditors.table.known.state import CoupState, FeedState, TableState
from dashboards.commands.help import HelpGroup
from dashboards.errors import ExitCode, ServiceProblem, UsageProblem
from dashboards.options.settings import SettingsOption, settings_from
from dashboards.terminal.ledgers import show_ledger, show_verified
from dashboards.terminal.waiting import waiting_is_told
from dashboards.terminal.writing import table_console, write_json, write_line
from streams.history.store import HistoryError
from streams.kafka.administration import KafkaUnavailableError
from streams.kafka.events_topic import NoEventsTopicError
from streams.operating.kept_sources import NoStateError
from streams.operating.ledger_inspection import kept_ledger, verified_ledger
from streams.operating.state_inspection import KeptState, Verified, kept_state, verified_state
from streams.process.settings_errors import SettingsError

STATE_SCHEMA: Final = "ladderman.state/1"
"""Name and version of what is shown."""

VERIFIED_SCHEMA: Final = "ladderman.state-verified/1"
"""Name and version of the answer of ``verify``."""

T = TypeVar("T")


class StateFormat(StrEnum):
    """In which form an answer is written."""

    TABLE = "table"
    JSON = "json"


_Table = Annotated[str, typer.Argument(metavar="ID", help="Id of the table, such as BAC-03.")]
_Progressive = Annotated[
    bool, typer.Option("--progressive", help="It is the id of a progressive, such as HP-1.")
]
_FormatChoice = Annotated[StateFormat, typer.Option("--format", help="How to write it.")]


def register(app: typer.Typer) -> None:
    """Add ``state show`` and ``state verify``."""
    state = typer.Typer(
        cls=HelpGroup,
        epilog="Example: ladderman state show BAC-03",
        help="What the workers remember of a table or a progressive.",
        no_args_is_help=True,
    )
    app.add_typer(state, name="state")
    state.command("show", epilog="Example: ladderman state show BAC-03")(show)
    state.command("verify", epilog="Example: ladderman state verify BAC-03")(verify)


def show(
    table: _Table,
    *,
    progressive: _Progressive = False,
    settings: SettingsOption = None,
    output: _FormatChoice = StateFormat.TABLE,
) -> None:
    """Show where a table stands: its feed, shoe, coups in play, gaps, faults and rules."""
    loaded = settings_from(settings)
    if progressive:
        show_ledger(_asked(lambda: kept_ledger(loaded.kafka, table)), is_json=_is_json(output))
        return
    kept = _asked(lambda: kept_state(loaded.kafka, table))
    if output is StateFormat.JSON:
        write_json({"schema": STATE_SCHEMA, **_kept_json(kept), **state_json(kept.state)})
        return
    console = table_console()
    for name, value in _lines(kept):
        write_line(console, f"{name:11}{value}", hang=11)


def verify(
    table: _Table,
    *,
    progressive: _Progressive = False,
    settings: SettingsOption = None,
    output: _FormatChoice = StateFormat.TABLE,
) -> int:
    """Fold the table again from the log and compare; exit 1 where the snapshot differs."""
    loaded = settings_from(settings)
    if progressive:
        found = _asked(lambda: verified_ledger(loaded.kafka, table))
        show_verified(found, is_json=_is_json(output))
        return ExitCode.DONE if found.is_equal else ExitCode.FOUND
    verified = _asked(lambda: verified_state(loaded, table))
    if output is StateFormat.JSON:
        write_json(
            {
                "schema": VERIFIED_SCHEMA,
                **_kept_json(verified.kept),
                "equal": verified.is_equal,
                "differing": list(verified.differing),
            }
        )
    else:
        write_line(table_console(), _verdict(verified), hang=4)
    return ExitCode.DONE if verified.is_equal else ExitCode.FOUND


def _is_json(output: StateFormat) -> bool:
    return output is StateFormat.JSON


def _asked(question: Callable[[], T]) -> T:
    try:
        with waiting_is_told():
            return question()
    except (NoStateError, NoEventsTopicError, SettingsError) as error:
        raise UsageProblem(str(error)) from None
    except (KafkaUnavailableError, HistoryError) as error:
        raise ServiceProblem(str(error)) from None


def _verdict(verified: Verified) -> str:
    kept = verified.kept
    place = f"offset {kept.header.next_offset} of partition {kept.header.partition}"
    if verified.is_equal:
        return f"{kept.state.source_id}: the snapshot is what the log gives up to {place}."
    if verified.refolded is None:
        return f"{kept.state.source_id}: the log has nothing of it up to {place}."
    return (
        f"{kept.state.source_id}: the snapshot differs from what the log gives up to {place}, in "
        f"{', '.join(verified.differing)}. Stop the workers, remove the snapshots of the partition "
        "and start them again: they fold it anew. Then run ladderman reconcile."
    )


def _kept_json(kept: KeptState) -> dict[str, object]:
    header = kept.header
    return {
        "table": kept.state.source_id,
        "partition": header.partition,
        "next_offset": header.next_offset,
        "audit_epoch": header.audit_epoch,
        "log_id": header.log_id,
        "state_digest": kept.digest,
        "rejects_in_a_row": kept.streak,
    }


def state_json(state: TableState) -> dict[str, object]:
    """Give what is worth knowing of a state."""
    shoe, filing = state.shoe, state.filing
    return {
        "open": state.is_open,
        "simulated": state.is_simulated,
        "gaming_date": state.gaming_date,
        "dealer": state.dealer,
        "submission": filing.id if filing else None,
        "feed": _feed_json(state.feed),
        "incoming_feed": _feed_json(state.incoming),
        "superseded_feeds": list(state.superseded),
        "shoe": None
        if shoe is None
        else {
            "shoe": shoe.shoe_id,
            "decks": shoe.decks,
            "coups": shoe.coup_count,
            "cards_seen": len(shoe.order) + len(shoe.others),
            "cards_unseen": shoe.unseen_count,
            "ended": shoe.is_ended,
            "unverified": shoe.is_unverified,
            "findings": len(shoe.findings),
        },
        "coups_in_play": [_coup_json(one) for one in state.coups if not one.is_closed],
        "coups_kept": len(state.coups),
        "faults": [
            {"fault": one.fault_id, "device": one.device, "sequence": one.raised_sequence}
            for one in state.faults
        ],
    }


def _feed_json(feed: FeedState | None) -> dict[str, object] | None:
    if feed is None:
        return None
    return {
        "feed": feed.feed_id,
        "next_sequence": feed.next_sequence,
        "last_hash": feed.last_hash,
        "held": [one.sequence for one in feed.held],
        "gaps": [list(one) for one in feed.gaps],
    }


def _coup_json(coup: CoupState) -> dict[str, object]:
    return {
        "coup": coup.coup_id,
        "cards": len(coup.cards),
        "wagers": len(coup.wagers),
        "unverified": coup.is_unverified,
    }


def _lines(kept: KeptState) -> list[tuple[str, str]]:
    state, header = kept.state, kept.header
    filing = state.filing
    simulated = " SIMULATED" * state.is_simulated
    lines = [
        ("table", f"{state.source_id}{simulated}, {'open' if state.is_open else 'not open'}"),
        (
            "snapshot",
            f"offset {header.next_offset:,} of partition {header.partition}, "
            f"audit epoch {header.audit_epoch}",
        ),
        ("digest", kept.digest),
        ("feed", _feed_words(state.feed)),
    ]
    if state.incoming is not None:
        lines.append(("coming", _feed_words(state.incoming)))
    lines += [
        ("gaming", f"{state.gaming_date or 'no date yet'}, dealer {state.dealer or 'not known'}"),
        ("rules", filing.id if filing else "none filed"),
        ("shoe", _shoe_words(state)),
    ]
    playing = [one for one in state.coups if not one.is_closed]
    lines += [
        (
            "coup",
            f"{one.coup_id}: {len(one.cards)} cards, {len(one.wagers)} wagers"
            f"{', unverified' if one.is_unverified else ''}",
        )
        for one in playing
    ] or [("coup", "none in play")]
    lines += [
        ("fault", f"{one.device}: {one.words} (event {one.raised_sequence})")
        for one in state.faults
    ]
    if kept.streak:
        lines.append(("rejects", f"{kept.streak} messages in a row could not be read"))
    return lines


def _feed_words(feed: FeedState | None) -> str:
    if feed is None:
        return "nothing heard yet"
    gaps = ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in feed.gaps)
    held = ", ".join(str(one.sequence) for one in feed.held)
    return (
        f"{feed.feed_id}, next event {feed.next_sequence:,}; "
        f"gaps: {gaps or 'none'}; waiting for their turn: {held or 'none'}"
    )


def _shoe_words(state: TableState) -> str:
    shoe = state.shoe
    if shoe is None:
        return "none loaded"
    seen = len(shoe.order) + len(shoe.others) + shoe.unseen_count
    return (
        f"{shoe.shoe_id}, {shoe.decks} decks, {shoe.coup_count} coups, {seen} cards out, "
        f"{len(shoe.findings)} findings{', ended' if shoe.is_ended else ''}"
        f"{', unverified' if shoe.is_unverified else ''}"
    )
