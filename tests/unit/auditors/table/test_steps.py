"""Every event of a table has one step that folds it."""

import pytest

from auditors.table import folding, steps
from auditors.table.steps import check_complete, folds, step_of
from schemas.events import EVENT_TYPES, Heartbeat, SentBy


def test_events_of_tables_have_a_step_and_those_of_controllers_none() -> None:
    for tag, event_class in EVENT_TYPES.items():
        assert (step_of(tag) is None) == (event_class.sent_by is SentBy.CONTROLLER), tag


def test_an_event_without_a_step_is_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    check_complete(folding)
    monkeypatch.delitem(steps._STEPS, "seat_vacated")
    with pytest.raises(LookupError, match=r"no step folds seat_vacated; .*table\.folding"):
        check_complete(folding)


def test_an_event_has_one_step_only() -> None:
    with pytest.raises(AssertionError, match="heartbeat has two steps"):
        folds(Heartbeat)(print)
