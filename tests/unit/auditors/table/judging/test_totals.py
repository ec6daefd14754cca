"""What comes bit by bit on one wager stays an amount that a history can keep."""

from collections.abc import Callable

import pytest

from schemas import events as said
from schemas.money import MINOR_MAX
from tests.support.tables.table_script import Folded, TableScript


def dealt() -> tuple[TableScript, str]:
    script = TableScript().open().shoe().coup()
    wager_id = script.wager("player", 20_000)
    return script.close_bets().deal("9S KD", "2S 3H").result("player", 9, 5), wager_id


def refunded(script: TableScript, wager_id: str, minor: int, name: str) -> None:
    script.refund(wager_id, minor, refund_id=name)


def collected(script: TableScript, wager_id: str, minor: int, name: str) -> None:
    script.of_coup(
        said.StakeCollected, collection_id=name, wager_id=wager_id, collected_minor=minor
    )


@pytest.mark.parametrize("told", [refunded, collected])
def test_what_comes_to_more_than_any_amount_is_rejected_and_the_coup_goes_on(
    told: Callable[[TableScript, str, int, str], None],
) -> None:
    script, wager_id = dealt()
    told(script, wager_id, MINOR_MAX - 1, "A1")
    told(script, wager_id, 1, "A2")
    before = Folded(script.messages)
    told(script, wager_id, 1, "A3")
    script.settle(wager_id, 40_000).close()
    told(script, wager_id, MINOR_MAX, "A4")
    folded = Folded(script.messages)
    assert "EVENT_REJECTED" not in before.codes
    assert folded.codes.count("EVENT_REJECTED") == 2
    (wager,) = folded.state.coups[-1].wagers
    assert MINOR_MAX in (wager.refunded_minor, wager.collected_minor)
    row = folded.coup(script.coup_id)
    assert row.coup is not None
    assert row.coup.state == "closed"
    rejected = [one for one in folded.findings if one.code.value == "EVENT_REJECTED"]
    assert all("beyond any table" in one.sentence for one in rejected)
