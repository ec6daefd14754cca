"""The canary's coups are honest but for the mistake that it makes, and it knows what it hears."""

from __future__ import annotations

import orjson

from schemas.canary import CANARY_TABLE
from schemas.findings import FindingCode
from streams.operating.canary import OVERPAID_MINOR, Canary
from streams.process.settings import Settings
from tests.support.clocks import SetClock
from tests.support.tables.canary_day import canary_messages
from tests.support.tables.table_script import Folded


def test_every_coup_of_the_canary_has_its_mistake_and_no_other() -> None:
    folded = Folded(canary_messages(65), CANARY_TABLE)
    payouts = {FindingCode.WAGER_OVERPAID, FindingCode.LOSER_PAID}
    findings = [one for one in folded.findings if one.coup is not None]
    assert {one.code for one in findings} == payouts
    assert len(findings) == len({one.coup for one in findings}) == 65
    assert {one.difference_minor for one in findings} == {OVERPAID_MINOR}
    assert all(record.is_simulated for record in folded.records.values() if record.coup)


def test_the_canary_hears_its_own_finding_and_nothing_else() -> None:
    clock = SetClock()
    canary = Canary(Settings(), clock=clock)
    canary._made = {"c-1/1": clock.monotonic_s()}
    clock.advance(40)
    for other in (b"", b"[]", b'{"table":"BAC-01","subject":"c-9/1"}'):
        canary.hear(other)
    assert (canary.heard, canary.seconds_since_finding) == (0, 40)
    canary.hear(orjson.dumps({"table": CANARY_TABLE, "subject": "c-1/1"}))
    assert (canary.heard, canary.latency_s, canary.seconds_since_finding) == (1, 40, 0)
    assert {one.name for one in canary.readings()} >= {"ladderman_canary_seconds_since_finding"}
