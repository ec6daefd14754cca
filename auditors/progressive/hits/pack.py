"""The file of a hit before it is paid: its pages, evidence and their hashes.

Nothing here reads or writes: names and bytes go out, and the last of them, ``SHA256SUMS``, is
checked with ``sha256sum -c SHA256SUMS``.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from auditors.progressive.hits.recomputation import Reckoning, recomputed
from schemas.events.progressive import ProgressiveEvent
from schemas.findings import Finding
from schemas.money import format_minor
from schemas.progressive_rows import HitRow, LedgerRow, ReadingRow
from schemas.records import Record

PACK_SCHEMA: Final = "ladderman.hit-pack/1"
"""Name and version of the manifest."""

MANIFEST: Final = "manifest.json"
"""The file that says what is in a pack, for programs."""

SUMS: Final = "SHA256SUMS"
"""The file that ``sha256sum -c`` reads."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class PackFile:
    """One file of a pack."""

    path: str
    content: bytes

    @property
    def sha256(self) -> str:
        """Hash of the content, hex digits."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One event, exactly as it was received."""

    source_id: str
    feed_id: str
    sequence: int
    said_at: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class PackContent:
    """Everything about one hit that goes into its file."""

    progressive_id: str
    record: Record
    hit: HitRow
    hit_json: Mapping[str, object]
    """The hit in the shape ``ladderman.hit/1``."""
    coup: Record | None
    ledger: LedgerRow | None
    """At the lock-out."""
    readings: Sequence[tuple[str, str, ReadingRow]]
    """When, of which feed, and what."""
    heard: Sequence[ProgressiveEvent]
    evidence: Sequence[Evidence]
    findings: Sequence[Finding]
    locked_at: str | None
    advisory: str


def pack_files(content: PackContent) -> tuple[PackFile, ...]:
    """Write the pages of a pack, its evidence, a manifest, and the sums of all of them."""
    pages = (
        PackFile("README.txt", _text(_readme(content))),
        PackFile("hit.json", _json(content.hit_json)),
        PackFile("cards.txt", _text(_cards(content))),
        PackFile("wagers.csv", _wagers(content)),
        PackFile("lockout.txt", _text(_lockout(content))),
        PackFile("meter-history.csv", _meter_history(content)),
        PackFile("recomputation.txt", _text(_recomputation(content))),
        PackFile("findings.jsonl", _json_lines(one.as_json() for one in content.findings)),
    )
    evidence = _evidence(content)
    index = PackFile("evidence/index.csv", _index(content, evidence))
    files = (*pages, *evidence, index)
    manifest = PackFile(MANIFEST, _json(_manifest(content, files)))
    files = (*files, manifest)
    sums = "".join(f"{one.sha256}  {one.path}\n" for one in files)
    return (*files, PackFile(SUMS, sums.encode()))


def _marks(content: PackContent) -> list[str]:
    """Give the lines that stand on every page."""
    return [*(["SIMULATED"] if content.record.is_simulated else []), content.advisory]


def _head(content: PackContent, title: str) -> list[str]:
    hit = content.hit
    return [
        f"{title}: progressive {content.progressive_id}, level {hit.level}, "
        f"hit {hit.hit_id or 'not named by the controller'}, coup {hit.coup_id} of {hit.table_id}",
        *_marks(content),
        "",
    ]


def review_reasons(hit: HitRow) -> tuple[str, ...]:
    """Say why somebody must look at a hit; nothing where nobody must."""
    if not hit.needs_review:
        return ()
    reasons = []
    if len(hit.shares) > 1:
        reasons.append("several wagers won")
    if hit.cards is None:
        reasons.append("no cards that win the meter are on record")
    if hit.hit_id is None:
        reasons.append("the controller has said nothing of it")
    if hit.amount and hit.amount_said and hit.amount != hit.amount_said:
        reasons.append(f"the controller says {hit.amount_said}, the ledger has {hit.amount}")
    return tuple(reasons) or ("another hit is close, or the controller names several winners",)


def _readme(content: PackContent) -> list[str]:
    return [
        *_head(content, "Verification pack"),
        "README.txt          this page",
        "hit.json            the hit as it stands",
        "cards.txt           the cards and what they come to",
        "wagers.csv          winning wagers and all other wagers of the coup",
        "lockout.txt         when wagers were locked out, and what the meter showed",
        "meter-history.csv   readings of the meters before and after",
        "recomputation.txt   how the amount comes about, step by step",
        "findings.jsonl      what the audit has found about the hit",
        "evidence/           events exactly as received, with their hashes in index.csv",
        "manifest.json       what is in here, for programs",
        "",
        "Whether anything was changed since: sha256sum -c SHA256SUMS",
        "",
        f"For review: {'; '.join(review_reasons(content.hit)) or 'no'}",
        f"State: {content.hit.state}",
        f"Rules Submission: {content.record.rules_version or 'none filed'}",
        f"Gaming date: {content.record.gaming_date or 'unknown'}",
    ]


def _cards(content: PackContent) -> list[str]:
    lines = _head(content, "Cards")
    lines.append(f"Cards that win the meter: {content.hit.cards or 'none, by the record'}")
    coup = content.coup.coup if content.coup else None
    if coup is None:
        return [*lines, "The record of the coup is not at hand."]
    return [
        *lines,
        f"Player: {coup.player_cards or 'no card recorded'} ({_known(coup.player_points)})",
        f"Banker: {coup.banker_cards or 'no card recorded'} ({_known(coup.banker_points)})",
        f"Winner: {coup.winner or 'unknown'}; announced: {coup.announced_winner or 'unknown'}",
        f"The coup is {coup.state}"
        f"{'' if coup.is_determined else '; its cards do not decide it'}"
        f"{'; an event of it may be missing' if coup.is_unverified else ''}.",
    ]


def _known(points: int | None) -> str:
    return "points unknown" if points is None else f"{points} points"


def _wagers(content: PackContent) -> bytes:
    currency = content.record.currency

    def money(minor: int | None) -> str:
        return "" if minor is None else format_minor(minor, currency)

    rows: list[tuple[object, ...]] = []
    for share in content.hit.shares:
        one = share.wager
        rows.append(
            (
                "yes",
                one.wager_id,
                one.seat,
                one.patron,
                "",
                money(one.stake_minor),
                one.sequence,
                money(share.due_minor),
                money(share.paid_minor),
                share.slip,
                currency,
            )
        )
    winning = {share.wager.wager_id for share in content.hit.shares}
    for other in content.coup.wagers if content.coup else ():
        if other.wager_id not in winning:
            rows.append(
                (
                    "",
                    other.wager_id,
                    other.seat,
                    other.patron,
                    other.wager,
                    money(other.stake_minor),
                    None,
                    money(other.due_minor),
                    money(other.paid_minor),
                    None,
                    currency,
                )
            )
    names = (
        "won_meter",
        "wager_id",
        "seat",
        "patron",
        "wager",
        "stake",
        "placed_sequence",
        "due",
        "paid",
        "slip",
        "currency",
    )
    return _csv(names, rows)


def _lockout(content: PackContent) -> list[str]:
    hit = content.hit
    lines = _head(content, "Lock-out")
    lines.append(f"No more wagers since: {content.locked_at or 'not recorded'}")
    lines.append(f"Ledger at that moment: {hit.amount or 'not known yet'}")
    lines.append(f"Amount said by the controller: {hit.amount_said or 'nothing'}")
    for event in content.heard:
        if event.type == "progressive_locked_out":
            fields = event.model_dump(mode="json")
            if (fields["table_id"], fields["coup_id"]) == (hit.table_id, hit.coup_id):
                lines.append(
                    f"Controller, event {event.sequence} at {fields['occurred_at']}: display "
                    f"{fields['display']}, wagers accepted for the coup {fields['accepted_count']}"
                )
    return lines


def _meter_history(content: PackContent) -> bytes:
    names = (
        "at",
        "feed",
        "sequence",
        "state",
        "showing_table",
        "display",
        "reserve",
        "overflow",
        "in_count",
        "hits_count",
        "wins",
        "arithmetic_right",
        "complete",
    )
    currency = content.record.currency
    return _csv(
        names,
        [
            (
                at,
                feed,
                one.sequence,
                one.state,
                one.showing_table_id,
                one.display,
                one.reserve,
                one.overflow,
                one.in_count,
                one.hits_count,
                format_minor(one.wins_minor, currency),
                _yes_or_no(one.is_arithmetic_right),
                _yes_or_no(one.is_complete),
            )
            for at, feed, one in content.readings
        ],
    )


def _yes_or_no(value: bool | None) -> str:
    return "" if value is None else ("yes" if value else "no")


def _recomputation(content: PackContent) -> list[str]:
    reckoning = Reckoning(content.hit, content.record.currency, content.ledger, content.heard)
    return [*_head(content, "Recomputation"), *recomputed(reckoning)]


def _evidence(content: PackContent) -> tuple[PackFile, ...]:
    files: dict[str, PackFile] = {}
    for one in content.evidence:
        folder = f"evidence/{_safe(one.source_id)}/{_safe(one.feed_id)}"
        path = f"{folder}/{one.sequence:010d}.json"
        if path in files and files[path].content != one.raw:
            path = f"{folder}/{one.sequence:010d}-{hashlib.sha256(one.raw).hexdigest()[:16]}.json"
        files[path] = PackFile(path, one.raw)
    return tuple(files.values())


def _safe(name: str) -> str:
    """Make an id a name of a file; ids that differ only in odd signs get a number from them."""
    plain = _UNSAFE.sub("_", name).strip(".") or "_"
    if plain == name:
        return plain
    return f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _index(content: PackContent, evidence: Sequence[PackFile]) -> bytes:
    by_hash = {one.sha256: one.path for one in evidence}
    rows = []
    for one in content.evidence:
        digest = hashlib.sha256(one.raw).hexdigest()
        row = (one.source_id, one.feed_id, one.sequence, one.said_at, digest, by_hash[digest])
        rows.append(row)
    return _csv(("source", "feed", "sequence", "at", "sha256", "file"), rows)


def _manifest(content: PackContent, files: Sequence[PackFile]) -> dict[str, object]:
    hit, record = content.hit, content.record
    return {
        "schema": PACK_SCHEMA,
        "advisory": content.advisory,
        "simulated": record.is_simulated,
        "progressive": content.progressive_id,
        "level": hit.level,
        "hit": hit.hit_id,
        "source": hit.table_id,
        "coup": hit.coup_id,
        "gaming_date": record.gaming_date,
        "currency": record.currency,
        "rules_version": record.rules_version,
        "record_version": record.version,
        "audit_epoch": record.audit_epoch,
        "events": len(content.evidence),
        "files": [
            {"path": one.path, "bytes": len(one.content), "sha256": one.sha256} for one in files
        ],
    }


def _text(lines: Iterable[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _json(document: Mapping[str, object]) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def _json_lines(objects: Iterable[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects).encode()


def _csv(names: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([["" if cell is None else cell for cell in row] for row in rows])
    return text.getvalue().encode()
