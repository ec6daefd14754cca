"""Any id about a finding opens the incident that holds it."""

from auditors.incidents import Incident, TableTold, ToldCoup, incidents_of, opened_by
from schemas.finding_facts.shoe import CardsOutAndLeft, ShoeComposition
from schemas.findings import FindingCode as Code
from tests.support.tables.told_tables import (
    overpaid,
    told_coup,
    told_finding,
    told_shoe,
    told_table,
    told_wager,
)

ONE_SHORT = ShoeComposition(problems=(CardsOutAndLeft(out=411, left=4, held=416),))


def only(table: TableTold) -> Incident:
    (one,) = incidents_of(table)
    return one


def coups(count: int) -> list[ToldCoup]:
    return [told_coup(number, told_wager()) for number in range(1, count + 1)]


def test_a_former_id_opens_the_incident_that_holds_its_finding_after_late_truth() -> None:
    table = told_table(coups(9), overpaid(2), overpaid(3))
    former = only(table)
    later = told_table(coups(9), overpaid(1), overpaid(2), overpaid(3))
    now = only(later)
    assert former.id != now.id
    findings = {one.finding.id: one.finding for one in later.findings}
    for wanted in (now.id, former.id, overpaid(3).finding.id, "C3"):
        assert opened_by(wanted, [now], findings) == (now,)
    assert opened_by("C9", [now], findings) == ()
    assert opened_by(" ", [now], findings) == ()


def test_a_coup_that_is_only_reached_opens_what_reaches_it() -> None:
    short = told_finding(Code.SHOE_COMPOSITION, at=1700, shoe="S1", facts=ONE_SHORT)
    table = told_table(coups(84), short, shoes=(told_shoe(1, 1),))
    one = only(table)
    findings = {told.finding.id: told.finding for told in table.findings}
    assert opened_by("C70", [one], findings) == (one,)
