"""Golden verdicts: digests of what the folds and the audit of rounds conclude.

A record's version is ``audit_epoch`` and offset, and one version never has two contents. So whoever
changes what a record says, be it an amount, a code or a sentence, raises the audit epoch.
``tests/golden/verdicts.json`` keeps the digests with the epoch under which they were taken.

Renew it with ``python -m tests.support.golden_verdicts``. Where verdicts changed, the command asks
for a higher epoch; ``--raise-epoch`` writes it into the law data first.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final

import orjson

from auditors.law import load_law
from schemas.findings import Finding
from schemas.records import Record, encode_record
from streams.host.event_folding import EventFolder, FoldedLine
from streams.simulator.demo import demo_floor
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest, UnknownPlantError
from streams.simulator.plants import PLANTS
from tests.support.source_tree import ROOT
from tests.support.tables.deals import rules_with
from tests.support.texts.round_audits import audited

GOLDEN: Final = ROOT / "tests" / "golden" / "verdicts.json"
COMMAND: Final = "python -m tests.support.golden_verdicts"
SEEDS: Final = (7, 11, 23, 31, 41, 53)
"""One floor each; together they bear nearly all plants."""
PLANTED_COUPS: Final = 12 * 12
DEMO_COUPS: Final = 12 * 12
SLOW_PLANTS: Final = frozenset(
    {
        "cover_card_overrun",
        "golden_nugget_unshuffled",
        "shoe_repeated",
        "vigorish_paid_late",
        "zender_late_maximum",
    }
)
"""Plants that need a longer day than these floors have."""

Verdicts = dict[str, object]
"""How many records or rows, how many findings by code, and the digest of all of them."""


class _Digest:
    """Adds up what one case concludes."""

    def __init__(self) -> None:
        self._sha = hashlib.sha256()
        self._count = 0
        self._codes: Counter[str] = Counter()

    def add_record(self, record: Record) -> None:
        """Take in a record without the epoch, which alone changes no verdict."""
        self._sha.update(encode_record(record.model_copy(update={"audit_epoch": 0})) + b"\n")
        self._count += 1
        self._codes.update(one.code.value for one in record.findings)

    def add_row(self, status: str) -> None:
        """Take in what became of a row."""
        self._sha.update(status.encode() + b"\n")
        self._count += 1

    def add_finding(self, finding: Finding) -> None:
        """Take in a finding that belongs to no record."""
        self._sha.update(finding.model_dump_json().encode() + b"\n")
        self._codes[finding.code.value] += 1

    def told(self) -> Verdicts:
        """Give the sum."""
        findings = dict(sorted(self._codes.items()))
        return {"count": self._count, "findings": findings, "sha256": self._sha.hexdigest()}


def floor_verdicts(config: FloorConfig) -> Verdicts:
    """Fold every event of a floor, tables and ledgers, and digest every record put out."""
    lines = [event.raw for event in Floor(config).events()]
    folder = EventFolder(lines.__getitem__)
    digest = _Digest()

    def take(folded: FoldedLine) -> None:
        for record in (*folded.records, *folded.ledger_records):
            digest.add_record(record)

    for offset, raw in enumerate(lines):
        take(folder.take(offset, offset, raw))
    for folded in folder.finish():
        take(folded)
    return digest.told()


def rounds_verdicts(path: Path) -> Verdicts:
    """Audit a file of recorded rounds and digest what was found."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    rules = rules_with(letters={"golden_talons": "B"})
    result = audited("|".join(header), *rows, rules=rules)
    digest = _Digest()
    for status in result.statuses:
        digest.add_row(status)
    for finding in result.findings:
        digest.add_finding(finding)
    return digest.told()


@cache
def planted_floors() -> Mapping[int, FloorConfig]:
    """Deal all plants out to the floors, by seed; a progressive bears one fault at a time."""
    floors = {seed: FloorConfig(tables=12, seed=seed, coups=PLANTED_COUPS) for seed in SEEDS}
    for number, name in enumerate(sorted(set(PLANTS) - SLOW_PLANTS)):
        for turn in range(len(SEEDS)):
            seed = SEEDS[(number + turn) % len(SEEDS)]
            plants = (*floors[seed].plants, PlantRequest(name))
            more = dataclasses.replace(floors[seed], plants=plants)
            try:
                Floor(more)
            except UnknownPlantError:
                continue
            floors[seed] = more
            break
    return floors


def planted_verdicts(seed: int) -> Verdicts:
    """Conclude the floor of a seed."""
    return floor_verdicts(planted_floors()[seed])


def demo_hour() -> FloorConfig:
    """Give the beginning of the floor that the demo shows."""
    return dataclasses.replace(demo_floor(), coups=DEMO_COUPS)


CASES: Final[Mapping[str, Callable[[], Verdicts]]] = {
    "demo floor": lambda: floor_verdicts(demo_hour()),
    **{f"plants of seed {seed}": partial(planted_verdicts, seed) for seed in SEEDS},
    "recorded rounds": lambda: rounds_verdicts(ROOT / "dashboards" / "demo" / "rounds.csv"),
}


def current_verdicts() -> dict[str, Verdicts]:
    """Conclude every case now."""
    return {name: conclude() for name, conclude in CASES.items()}


def recorded() -> tuple[int, dict[str, Verdicts]]:
    """Read the audit epoch and the verdicts that are kept."""
    kept = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return kept["audit_epoch"], kept["verdicts"]


def changes(before: Mapping[str, Verdicts], now: Mapping[str, Verdicts]) -> list[str]:
    """Say which cases conclude something else, and which codes are found more or less often."""
    told = []
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if old is None or new is None:
            told.append(f"{name}: {'new' if old is None else 'gone'}")
            continue
        codes = [
            f"{code} {old_count} -> {new_count}"
            for code, old_count, new_count in _counts(old, new)
            if old_count != new_count
        ]
        told.append(f"{name}: {', '.join(codes) or 'the same codes with other words or amounts'}")
    return told


def _counts(old: Verdicts, new: Verdicts) -> Iterable[tuple[str, int, int]]:
    before, now = old["findings"], new["findings"]
    assert isinstance(before, dict)
    assert isinstance(now, dict)
    for code in sorted({*before, *now}):
        yield code, before.get(code, 0), now.get(code, 0)


def problem(epoch: int, kept_epoch: int, changed: list[str]) -> str | None:
    """Say what is wrong between kept and present verdicts, and how it is put right."""
    if epoch < kept_epoch:
        return f"audit_epoch is {epoch}, verdicts were taken under {kept_epoch}; it never falls"
    if changed and epoch == kept_epoch:
        return (
            "verdicts changed and audit_epoch did not rise:\n  " + "\n  ".join(changed) + "\n"
            f"If that is meant: {COMMAND} --raise-epoch"
        )
    if changed or epoch != kept_epoch:
        return f"audit_epoch rose to {epoch}; keep the verdicts under it: {COMMAND}"
    return None


def write(epoch: int, verdicts: Mapping[str, Verdicts]) -> None:
    """Keep verdicts under an epoch."""
    document = {"audit_epoch": epoch, "verdicts": verdicts}
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    GOLDEN.write_bytes(text)


def raise_epoch(epoch: int) -> None:
    """Write an audit epoch into the law data."""
    (path,) = (ROOT / "auditors").rglob("audit_epoch.toml")
    text = path.read_text(encoding="utf-8")
    raised = re.sub(r"^audit_epoch = \d+$", f"audit_epoch = {epoch}", text, flags=re.MULTILINE)
    path.write_text(raised, encoding="utf-8")


def main() -> None:
    """Renew the golden verdicts."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=main.__doc__)
    parser.add_argument(
        "--raise-epoch", action="store_true", help="raise audit_epoch by one where verdicts changed"
    )
    wants_raise = parser.parse_args().raise_epoch
    kept_epoch, kept = recorded() if GOLDEN.exists() else (0, {})
    epoch, now = load_law().audit_epoch, current_verdicts()
    changed = changes(kept, now)
    if changed and epoch <= kept_epoch:
        if not wants_raise:
            parser.exit(1, f"{problem(epoch, kept_epoch, changed)}\n")
        epoch = kept_epoch + 1
        raise_epoch(epoch)
    write(epoch, now)
    print("\n".join([*changed, f"{GOLDEN.name}: kept under audit epoch {epoch}"]))


if __name__ == "__main__":
    main()
