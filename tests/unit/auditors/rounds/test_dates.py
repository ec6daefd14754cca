"""Gaming dates of rows are those of the rule, also where clocks are turned."""

import datetime

import pytest

from auditors.rounds.dates import DateChecks
from auditors.rounds.mapping import DeclaredMapping, read_header
from auditors.rounds.notes import Notes
from auditors.rounds.places import RowPlaces
from auditors.settlement.rules import Rules
from auditors.settlement.terms import gaming_date_of, gaming_day, terms_of
from tests.support.tables.deals import LAW
from tests.support.tables.submissions import a_submission

COLUMNS = ("player_cards", "banker_cards", "occurred_at")


@pytest.mark.parametrize("start", ["06:00", "00:00", "01:30", "02:30", "03:00"])
@pytest.mark.parametrize("first", ["2025-03-07", "2025-11-01", "2025-06-07"])
def test_a_row_has_the_gaming_date_of_the_rule(start: str, first: str) -> None:
    filing = a_submission(gaming_day_start=start)
    rules = Rules(LAW, terms_of(LAW, filing))
    reading = read_header(LAW, COLUMNS, DeclaredMapping())
    checks = DateChecks(rules, reading, Notes(), RowPlaces(rules, reading, "rounds.csv"))
    begin = datetime.datetime.fromisoformat(f"{first}T00:00:00+00:00")
    for minutes in range(0, 4 * 24 * 60, 10):
        instant = begin + datetime.timedelta(minutes=minutes)
        checks.is_checked(None, ["", "", instant.isoformat()])
        assert checks._date == gaming_date_of(instant, *gaming_day(rules.terms)), instant
