"""What a document cannot give is one line of the command, with what to do."""

from __future__ import annotations

import pytest

from dashboards.documents.errors import (
    AmbiguousError,
    NotThereError,
    OpensNothingError,
    OutsideError,
    TooEarlyError,
)
from dashboards.errors import UsageProblem
from dashboards.options.refusals import refusals


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (NotThereError("coup", "7", "store"), "no coup 7 in store; list them"),
        (
            NotThereError("coup", "7", "store", "; did you mean 17?"),
            "no coup 7 in store; did you mean 17?",
        ),
        (NotThereError("rule", '"x"', ""), 'no rule "x"; list them'),
        (
            AmbiguousError("coup 7 is of several tables", ["A", "B"]),
            "coup 7 is of several tables; add --table, one of A, B",
        ),
        (TooEarlyError("no ledger yet"), "no ledger yet; name a later --at"),
        (
            OpensNothingError("3f2a", "store"),
            "3f2a opens no incident in store: no finding, coup, wager or settlement has that id, "
            "or its findings were withdrawn; list them",
        ),
        (
            OutsideError("3f2a is in incident 3f2a9c01 of BAC-01"),
            "3f2a is in incident 3f2a9c01 of BAC-01: outside --table BAC-02; leave that out to "
            "show it",
        ),
    ],
)
def test_it_is_said_in_one_line(error: Exception, line: str) -> None:
    with (
        pytest.raises(UsageProblem) as caught,
        refusals("; list them", among="--table", later="--at", filters="--table BAC-02"),
    ):
        raise error
    assert str(caught.value) == line


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError), refusals():
        raise ZeroDivisionError
