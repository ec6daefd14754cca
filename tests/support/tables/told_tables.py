"""Findings and coups of one table, made by hand for tests of incidents."""

from auditors.incidents import TableTold, ToldCoup, ToldFinding, ToldShoe, ToldWager
from schemas.findings import Finding, FindingCode, FindingStatus, Severity
from schemas.records import RecordKind

EVENTS_A_COUP = 20
"""Coup n begins at event 20 n + 1 and ends at event 20 n + 20."""


def told_wager(
    wager: str = "minibaccarat.banker",
    seat: str = "4",
    outcome: str | None = "win",
    **fields: object,
) -> ToldWager:
    """Make a wager of 100.00 that was paid."""
    made: dict[str, object] = {
        "hand": None,
        "outcome_code": outcome,
        "stake_minor": 10_000,
        "paid_minor": 19_500,
        "vigorish_minor": 500 if wager.endswith("banker") else None,
    }
    return ToldWager(wager=wager, seat=seat, outcome=outcome, **{**made, **fields})


def told_coup(number: int, *wagers: ToldWager, shoe: int = 1, **fields: object) -> ToldCoup:
    """Make the coup of a number, counted over the day; 100.00 are staked on it."""
    made: dict[str, object] = {
        "shoe_id": f"S{shoe}",
        "coup_no": number,
        "feed_id": "feed-1",
        "gaming_date": "2025-06-07",
        "first_sequence": EVENTS_A_COUP * number + 1,
        "last_sequence": EVENTS_A_COUP * (number + 1),
        "began_at_us": 60_000_000 * number,
        "stake_minor": 10_000,
        "is_unverified": False,
        "wagers": wagers,
    }
    return ToldCoup(coup_id=f"C{number}", **{**made, **fields})


def told_shoe(number: int, first_coup: int) -> ToldShoe:
    """Make a shoe that was loaded just before a coup."""
    return ToldShoe(f"S{number}", "feed-1", EVENTS_A_COUP * first_coup, 60_000_000 * first_coup - 1)


def told_finding(
    code: FindingCode, coup: int | None = None, *, at: int | None = None, **fields: object
) -> ToldFinding:
    """Make a finding of a coup, or at an event."""
    sequence = at if at is not None else EVENTS_A_COUP * (coup or 0) + 15
    id_ = str(fields.pop("id", "")) or f"{code.value}/{coup}/{sequence}/{sorted(fields.items())}"
    difference = fields.pop("difference", None)
    made: dict[str, object] = {
        "severity": Severity.HIGH,
        "source": "BAC-03",
        "feed": "feed-1",
        "coup": None if coup is None else f"C{coup}",
        "sentence": "Something differs.",
        "rules_version": "RS-7",
        "evidence": (sequence,),
    }
    if isinstance(difference, int):
        made |= {
            "due_minor": 19_500,
            "paid_minor": 19_500 + difference,
            "difference_minor": difference,
            "corrected_minor": 0,
            "residual_minor": difference,
        }
    finding = Finding(id=id_, code=code, **{**made, **fields})
    kind = RecordKind.TABLE if coup is None else RecordKind.COUP
    return ToldFinding(finding, kind, "feed-1", 3_000_000 * sequence, "2025-06-07")


def overpaid(coup: int, difference: int = 500, **fields: object) -> ToldFinding:
    """Make an overpaid Banker wager at seat 4."""
    named: dict[str, object] = {"wager": "minibaccarat.banker", "seat": "4"}
    return told_finding(
        FindingCode.WAGER_OVERPAID, coup, difference=difference, **{**named, **fields}
    )


def corrected(told: ToldFinding) -> ToldFinding:
    """Put the payout of a finding right by one correction."""
    finding = told.finding
    difference = finding.difference_minor or 0
    changed = finding.model_copy(
        update={
            "status": FindingStatus.CORRECTED,
            "corrected_minor": difference,
            "residual_minor": 0,
            "evidence": (*finding.evidence, finding.evidence[-1] + 1),
        }
    )
    return ToldFinding(changed, told.kind, told.feed_id, told.occurred_at_us, told.gaming_date)


def told_table(coups: list[ToldCoup], *findings: ToldFinding, **fields: object) -> TableTold:
    """Make the table."""
    return TableTold("BAC-03", coups=tuple(coups), findings=findings, **fields)
