"""What a hit took, whatever comes between its lock-out and the word of the controller."""

from __future__ import annotations

from fractions import Fraction

import pytest

from auditors.progressive.hits.pack import review_reasons
from tests.support.progressives.progressive_script import (
    FoldedLedger,
    ProgressiveScript,
    a_meter,
    exact,
)
from tests.unit.auditors.progressive.test_hits import RESET, hit_row, pay, reset, say_hit, won


def test_a_hit_of_which_the_controller_says_another_amount_is_for_review() -> None:
    for more, is_for_review in ((0, False), (Fraction(1, 2), False), (1, True)):
        script = ProgressiveScript()
        script.read()
        coup = won(script)
        say_hit(script, coup, script.display + more)
        row = hit_row(FoldedLedger(script.heard().inputs))
        assert row.needs_review == is_for_review
        said_so = f"the controller says {row.amount_said}, the ledger has {row.amount}"
        assert review_reasons(row) == ((said_so,) if is_for_review else ())


def test_findings_of_a_hit_cite_the_section_of_its_table() -> None:
    """§ 631b.10 and § 627b.6 on one link."""
    big = a_meter(wager="harmony_big.harmony_progressive", rate_citation="58 Pa. Code § 631b.10(j)")
    for tables, section in (({"T1": a_meter(), "T2": big}, "631b.10"), ({"T2": a_meter()}, "627b")):
        script = ProgressiveScript(**tables)
        script.read()
        coup = won(script, "T2")
        amount = script.display
        say_hit(script, coup, amount)
        pay(script, coup.entries[0].wager_id, int(amount))
        reset(script, amount, to=RESET + 5_000)
        (found,) = FoldedLedger(script.close(coup).read().heard().inputs).findings
        assert found.code.value == "RESEED_MISMATCH"
        assert found.citation is not None
        assert found.citation.startswith(f"58 Pa. Code § {section}")
        assert found.citation.endswith("(j)")


@pytest.mark.parametrize("more", [1, 2, 3, 12])
def test_a_hit_that_is_said_after_further_coups_of_its_table_has_the_amount_of_its_lock_out(
    more: int,
) -> None:
    script = ProgressiveScript()
    script.read()
    script.close(script.coup(stakes=(500, 500)))
    coup = won(script)
    amount = script.display
    for _ in range(more):
        script.close(script.coup())
    say_hit(script, coup, amount)
    pay(script, coup.entries[0].wager_id, int(amount))
    reset(script, amount)
    told = FoldedLedger(script.close(coup).read().heard(60).inputs)
    assert hit_row(told).amount == exact(amount)
    assert [one for one in told.findings if one.code.value == "JACKPOT_MISPAID"] == []
