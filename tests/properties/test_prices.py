"""A share of a stake is what settling hands over: every row, form, commission and rounding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import pytest

from auditors.settlement.amounts import _Settlement
from auditors.settlement.pricing import NotPayableError, Share, outcome_word, share_of
from auditors.settlement.rules import PricedOutcome, PricedWager, Rules, Ruling
from schemas.odds import OddsKind
from tests.properties.test_settlement import LETTERS, priced_wagers
from tests.support.tables.deals import LAW, a_coup, rules_with

COUP = a_coup("9C 9D", "2C 3D 4H")
STAKES = (1, 3, 20, 25, 101, 99_999)


def codes(id_: str) -> list[str]:
    return sorted(LAW.interpretations[id_].codes)


def all_rules(letter: int) -> Iterator[Rules]:
    """Give the law under every commission form and every rounding, with one set of paytables."""
    letters = {id_: chosen[letter % len(chosen)] for id_, chosen in LETTERS.items()}
    for d27, commission, is_marked in product(codes("D27"), ("4", "5", "free"), (False, True)):
        readings = {"D27": d27}
        yield rules_with(
            letters=letters, commission=commission, marked=is_marked, readings=readings
        )
    for d22, d1, chip in product(codes("D22"), codes("D1"), (1, 25, 100)):
        yield rules_with(letters=letters, chip=chip, readings={"D22": d22, "D1": d1})


def rulings(priced: PricedWager) -> Iterator[Ruling]:
    """Give every way in which a wager can come out: it loses, or one of its rows is paid."""
    yield Ruling((), (), {})
    for row in priced.outcomes:
        yield Ruling((row,), (row,), {})


def agrees(rules: Rules, priced: PricedWager, ruling: Ruling, share: Share) -> None:
    """Compare a share with what is settled on stakes that are whole steps, and on others."""
    for stake in (*STAKES, *(steps * share.step for steps in (1, 1001))):
        settlement = _Settlement(rules, COUP, priced, ruling, stake, None)
        steps, rest = divmod(stake, share.step)
        if rest:
            with pytest.raises(NotPayableError):
                settlement.amount(ruling.matched)
            continue
        amount = settlement.amount(ruling.matched)
        assert amount is not None
        assert amount.due_minor == steps * share.due
        assert amount.vigorish_minor == steps * share.vigorish


def is_rounded(rules: Rules, priced: PricedWager, row: PricedOutcome) -> bool:
    """Whether a filed rounding policy may move the amount of a row."""
    readings = rules.terms.readings
    if row.odds.less_vigorish:
        return readings["D27"] != "exact"
    return priced.wager.rounding_reading == "D22" and readings["D22"] != "exact_cents"


def test_every_share_is_what_settling_hands_over_and_none_is_missing() -> None:
    seen: set[tuple[object, ...]] = set()
    found: Counter[bool] = Counter()
    for letter in range(max(map(len, LETTERS.values()))):
        for rules in all_rules(letter):
            for priced in priced_wagers(rules):
                for ruling in rulings(priced):
                    essence = essence_of(rules, priced, ruling)
                    if essence not in seen:
                        seen.add(essence)
                        found[is_share_right(rules, priced, ruling)] += 1
    assert found[True] > found[False] > 0


def essence_of(rules: Rules, priced: PricedWager, ruling: Ruling) -> tuple[object, ...]:
    """Give all that a price rests on."""
    terms = rules.terms
    return (
        priced.ref,
        *((row.code, row.odds) for row in ruling.matched),
        terms.commission,
        terms.vigorish_rate,
        terms.vigorish_timing,
        terms.smallest_chip_minor,
        *(terms.readings[id_] for id_ in ("D1", "D22", "D27")),
    )


def is_share_right(rules: Rules, priced: PricedWager, ruling: Ruling) -> bool:
    """Check a share, or that there is a reason why there is none; give whether there is one."""
    share = share_of(rules, priced, ruling)
    if share is not None:
        agrees(rules, priced, ruling, share)
        return True
    (row,) = ruling.matched
    assert outcome_word((row,)) != "lose"
    is_open = row.odds.kind in (OddsKind.METER, OddsKind.UNPRICED)
    assert is_open or is_rounded(rules, priced, row)
    return False
