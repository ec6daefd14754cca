"""Who won the meter, what is due, and what the next meter begins with."""

from __future__ import annotations

from fractions import Fraction

import pytest

from auditors.progressive.hits.recomputation import Reckoning, recomputed
from auditors.progressive.ledger.double_entry import day_liability
from schemas import events as said
from schemas.events.progressive import ProgressiveEvent
from schemas.progressive_inputs import CardsHit, ControllerSaid
from schemas.progressive_rows import DayRow, HitRow, LedgerRow
from schemas.records import RecordKind
from schemas.wire import parse_event
from tests.support.progressives.progressive_script import (
    SECOND,
    Coup,
    FoldedLedger,
    ProgressiveScript,
    a_meter,
    exact,
)

RESET = Fraction(1_000_000)
UNSAID = ["JACKPOT_MISPAID"]


def won(script: ProgressiveScript, table: str = "T1", stakes: tuple[int, ...] = (500,)) -> Coup:
    coup = script.coup(table, stakes)
    lay_six_of_a_kind(script.wait(15), coup)
    return coup


def lay_six_of_a_kind(script: ProgressiveScript, coup: Coup) -> None:
    coup.hit = CardsHit(
        outcome_code="six_of_a_kind",
        pays="100% of Progressive",
        citation="§ 627b.6(i)",
        cards="KS KD KH / KC KS KH",
        decided_at_us=script.at_us,
        sequence=script.next_sequence(coup.table_id),
    )
    coup.entries = [
        one.model_copy(update={"outcome_code": "six_of_a_kind", "is_meter_won": True})
        for one in coup.entries
    ]
    script.tell(coup)


def say_hit(script: ProgressiveScript, coup: Coup, amount: Fraction, hit_id: str = "H1") -> None:
    script.wait(1).say(
        said.ProgressiveHit,
        hit_id=hit_id,
        table_id=coup.table_id,
        coup_id=coup.coup_id,
        wager_ids=tuple(one.wager_id for one in coup.entries),
        amount=exact(amount),
    )
    script.hits += 1


def pay(script: ProgressiveScript, wager_id: str, minor: int, hit_id: str = "H1") -> None:
    script.wait(1).say(
        said.ProgressivePaid,
        payment_id=f"P-{wager_id}",
        hit_id=hit_id,
        wager_id=wager_id,
        paid_minor=minor,
        slip=f"S-{wager_id}",
    )
    script.wins += minor


def reset(
    script: ProgressiveScript,
    amount: Fraction,
    hit_id: str = "H1",
    *,
    to: Fraction = RESET,
    from_reserve: Fraction | None = None,
) -> None:
    before = script.display
    paid = min(script.reserve, RESET) if from_reserve is None else from_reserve
    script.display += to - amount
    script.reserve -= paid
    script.wait(1).say(
        said.ProgressiveReset,
        hit_id=hit_id,
        display_before=exact(before),
        display_after=exact(script.display),
        reserve_funded=exact(paid),
        house_funded=exact(to - paid),
    )


def played_hit(script: ProgressiveScript, stakes: tuple[int, ...] = (500,)) -> tuple[Coup, int]:
    """Play a hit up to its payment; give the coup and the shown amount in minor units."""
    script.read()
    script.close(script.coup(stakes=(500, 500)))
    coup = won(script, stakes=stakes)
    say_hit(script, coup, script.display)
    return coup, int(script.display)


def hit_row(told: FoldedLedger) -> HitRow:
    row = told.rows(RecordKind.HIT)[-1]
    assert isinstance(row, HitRow)
    return row


def test_a_hit_that_is_paid_and_reset_as_due_has_no_finding() -> None:
    script = ProgressiveScript()
    coup, shown = played_hit(script)
    amount = script.display
    pay(script, coup.entries[0].wager_id, shown)
    reset(script, amount)
    told = FoldedLedger(script.close(coup).read().heard().inputs)
    assert told.codes == []
    row = hit_row(told)
    assert (row.state, row.amount, row.needs_review) == ("reset", exact(amount), False)
    ledger = told.state.levels[0].ledger
    assert ledger.display == int(script.display * 10**14)
    assert ledger.reserve == int(script.reserve * 10**14)
    assert ledger.house_funded == int((RESET - amount * 0) * 10**14) - int(Fraction(45) * 10**14)


def test_several_winners_share_and_are_marked_for_review() -> None:
    script = ProgressiveScript()
    coup, shown = played_hit(script, stakes=(500, 500, 500))
    amount = script.display
    for place, one in enumerate(coup.entries):
        pay(script, one.wager_id, shown // 3 + (1 if place < shown % 3 else 0))
    reset(script, amount)
    told = FoldedLedger(script.close(coup).read().heard().inputs)
    assert told.codes == []
    assert hit_row(told).needs_review
    assert sum(one.due_minor or 0 for one in hit_row(told).shares) == shown


@pytest.mark.parametrize(
    ("policy", "later"),
    [("equal_share", None), ("each_full", "meter"), ("sequential_reset", RESET)],
)
def test_what_the_house_pays_of_jackpots_beside_the_meter_is_booked(
    policy: str, later: object
) -> None:
    """Three winners: under D3 the second and third may take more than the meter has."""
    script = ProgressiveScript(T1=a_meter(readings={"D3": policy}))
    coup, shown = played_hit(script, stakes=(500, 500, 500))
    amount = script.display
    each = {None: shown // 3, "meter": shown}.get(later, int(RESET))
    odd = shown % 3 if later is None else 0
    for place, one in enumerate(coup.entries):
        first = shown if place == 0 and later is not None else each
        pay(script, one.wager_id, first + (place < odd))
    reset(script, amount)
    told = FoldedLedger(script.close(coup).read().heard(90).inputs)
    assert told.codes == []
    day = told.rows(RecordKind.PROGRESSIVE_DAY)[-1]
    assert isinstance(day, DayRow)
    beside = 0 if later is None else 2 * each
    assert (day.house_awards, day.jackpots) == (exact(Fraction(beside)), exact(amount + beside))
    assert day_liability(day, "USD").is_balanced
    ledger = told.rows(RecordKind.LEDGER)[-1]
    assert isinstance(ledger, LedgerRow)
    assert ledger.wins_minor == script.wins
    # The second turns out not to have won: the house did not owe it.
    coup.entries[1] = coup.entries[1].model_copy(update={"is_meter_won": False})
    script.tell(coup)
    script.wait(100).read().heard(90)
    day = FoldedLedger(script.inputs).rows(RecordKind.PROGRESSIVE_DAY)[-1]
    assert isinstance(day, DayRow)
    assert day.house_awards == exact(Fraction(beside // 2))
    assert day_liability(day, "USD").is_balanced


def test_a_share_that_is_paid_short_is_found() -> None:
    script = ProgressiveScript()
    coup, shown = played_hit(script)
    amount = script.display
    pay(script, coup.entries[0].wager_id, shown - 100)
    reset(script, amount)
    (found,) = FoldedLedger(script.close(coup).read().heard().inputs).findings
    assert found.code.value == "JACKPOT_MISPAID"
    assert found.difference_minor == -100


def test_cards_that_win_are_found_without_a_word_of_the_controller() -> None:
    script = ProgressiveScript()
    script.read()
    coup = won(script)
    told = FoldedLedger(script.close(coup).heard(60).inputs)
    assert told.codes == UNSAID
    assert hit_row(told).hit_id is None


def test_a_hit_that_no_cards_show_is_found() -> None:
    script = ProgressiveScript()
    script.read()
    coup = script.coup()
    script.wait(15)
    say_hit(script, coup, script.display)
    told = FoldedLedger(script.close(coup).heard(60).inputs)
    assert told.codes == UNSAID
    assert hit_row(told).cards is None


def test_cards_that_win_are_put_out_at_once_for_review() -> None:
    script = ProgressiveScript()
    script.read()
    won(script)
    told = FoldedLedger(script.inputs)
    row = hit_row(told)
    assert (row.state, row.hit_id, row.amount, row.needs_review) == ("open", None, None, True)
    assert row.cards == "KS KD KH / KC KS KH"
    assert told.codes == []


def test_a_hit_in_a_coup_that_is_over_without_such_cards_is_found_at_once() -> None:
    script = ProgressiveScript()
    script.read()
    script.close(coup := script.coup())
    say_hit(script, coup, script.display)
    told = FoldedLedger(script.heard(1).inputs)
    assert told.codes == UNSAID
    assert hit_row(told).needs_review


def test_cards_that_the_controller_passes_by_are_found_at_once() -> None:
    """Without waiting for the lag or for the other tables of the link."""
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.read()
    coup = won(script)
    script.close(coup)
    heard_until_the_end = FoldedLedger(script.inputs)
    assert heard_until_the_end.codes == []
    script.wait(0.5).read()
    assert FoldedLedger(script.inputs).codes == []
    script.read()
    (found,) = FoldedLedger(script.inputs).findings
    assert (found.code.value, found.due_minor, found.paid_minor) == ("JACKPOT_MISPAID", None, 0)
    assert "the coup ended and the controller reported no hit" in found.sentence
    assert found.severity.value == "critical"
    (later,) = FoldedLedger(script.heard(60).inputs).findings
    assert (later.id, later.due_minor) == (found.id, 1_000_075)
    assert later.sentence.endswith("The controller reported no hit.")


def test_cards_are_not_passed_by_where_the_hit_waits_for_other_tables() -> None:
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.read()
    coup = won(script)
    amount = script.display
    say_hit(script, coup, amount)
    script.close(coup).wait(10).read()
    assert FoldedLedger(script.inputs).codes == []
    pay(script, coup.entries[0].wager_id, int(amount))
    reset(script, amount)
    assert FoldedLedger(script.read().heard(60).inputs).codes == []


def test_cards_at_a_table_without_contact_wait_for_the_controller() -> None:
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.read()
    coup = won(script)
    script.wait(1).say(said.ProgressiveLinkLost, table_id="T1")
    script.close(coup).wait(5).read()
    assert FoldedLedger(script.inputs).codes == []
    script.say(said.ProgressiveLinkRestored, table_id="T1", counted_late_count=0)
    amount = script.display
    say_hit(script, coup, amount)
    pay(script, coup.entries[0].wager_id, int(amount))
    reset(script, amount)
    assert FoldedLedger(script.read().heard(60).inputs).codes == []


@pytest.mark.parametrize(("paid", "codes"), [(None, []), (1_000_075, []), (0, UNSAID)])
def test_cards_of_which_no_controller_was_ever_heard_are_judged_by_what_the_table_paid(
    paid: int | None, codes: list[str]
) -> None:
    """At once when all tables have closed, and the same where one is heard after four hours."""
    script = ProgressiveScript()
    coup = won(script)
    coup.entries = [one.model_copy(update={"paid_minor": paid}) for one in coup.entries]
    script.close(coup).heard(5)
    inputs = [one for one in script.inputs if one.kind in ("coup", "watermark")]
    assert FoldedLedger(inputs).rows(RecordKind.HIT)[-1].amount is None  # type: ignore[union-attr]
    inputs[-1] = inputs[-1].model_copy(update={"is_open": False})
    told = FoldedLedger(inputs)
    assert told.codes == codes
    assert (hit_row(told).amount, hit_row(told).needs_review) == ("10000.75", True)
    assert all(one.sentence.endswith("No controller was heard.") for one in told.findings)


@pytest.mark.parametrize("is_said_first", [True, False])
def test_a_hit_without_cards_waits_for_no_other_table(is_said_first: bool) -> None:
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.read()
    coup = script.coup()
    if is_said_first:
        say_hit(script, coup, script.display)
        assert FoldedLedger(script.inputs).codes == []
        script.close(coup)
    else:
        script.close(coup)
        say_hit(script, coup, script.display)
    (found,) = FoldedLedger(script.inputs).findings
    assert "the cards of that coup do not win it: 0.00 was due" in found.sentence
    assert FoldedLedger(script.heard(60).inputs).codes == UNSAID


@pytest.mark.parametrize("is_unverified", [True, False])
def test_a_hit_whose_cards_nobody_recorded_is_taken_on_the_controllers_word(
    is_unverified: bool,
) -> None:
    """Lost events, or a table that reports no cards: nothing says that the hit is wrong."""
    script = ProgressiveScript()
    script.read()
    coup = script.coup()
    coup.is_unverified = is_unverified
    script.tell(coup)
    script.wait(15)
    amount = script.display
    say_hit(script, coup, amount)
    pay(script, coup.entries[0].wager_id, int(amount))
    reset(script, amount)
    coup.state = "closed"
    script.wait(20).tell(coup)
    told = FoldedLedger(script.read().heard(60).inputs)
    assert told.codes == []
    row = hit_row(told)
    assert (row.cards, row.amount, row.needs_review) == (None, exact(amount), True)
    assert told.state.levels[0].ledger.display == script.display * 10**14
    # The missing events come after all, and show that the cards do not win.
    coup.is_unverified = False
    told = FoldedLedger(script.close(coup).heard().inputs)
    assert told.codes == UNSAID
    assert told.state.levels[0].ledger.display == amount * 10**14


def test_a_hit_says_why_nothing_is_due_where_no_wager_could_win() -> None:
    for state, stakes, why in (
        ("voided", (500,), "that coup was voided"),
        ("closed", (), "the table accepted no wager on it in that coup"),
    ):
        script = ProgressiveScript(T1=a_meter(void_policy="kept"))
        script.read()
        coup = script.coup(stakes=stakes)
        coup.state = state
        script.wait(5).tell(coup)
        say_hit(script, coup, script.display)
        (found,) = FoldedLedger(script.heard(60).inputs).findings
        assert why in found.sentence


def test_cards_that_nobody_wagered_on_are_no_hit() -> None:
    script = ProgressiveScript()
    script.read()
    coup = won(script, stakes=())
    told = FoldedLedger(script.close(coup).heard(60).inputs)
    assert told.codes == []
    assert told.rows(RecordKind.HIT) == []


def test_wagers_of_linked_tables_after_the_lock_out_go_to_the_next_meter() -> None:
    script = ProgressiveScript(T1=a_meter(), T2=a_meter(increment_rate="19%", reserve_rate="5%"))
    script.read()
    coup = won(script)
    amount = script.display
    other = script.coup("T2", (500, 500))
    say_hit(script, coup, amount)
    pay(script, coup.entries[0].wager_id, int(amount))
    reset(script, amount)
    script.close(coup).close(other).read().heard()
    told = FoldedLedger(script.inputs)
    assert told.codes == []
    assert hit_row(told).amount == exact(amount)
    assert script.display == RESET + 190
    assert told.state.levels[0].ledger.display == int(script.display * 10**14)


def test_a_meter_that_is_reset_to_another_amount_is_found() -> None:
    script = ProgressiveScript()
    coup, shown = played_hit(script)
    amount = script.display
    pay(script, coup.entries[0].wager_id, shown)
    reset(script, amount, to=RESET + 5000)
    told = FoldedLedger(script.close(coup).read().heard().inputs)
    assert "RESEED_MISMATCH" in told.codes
    assert "JACKPOT_MISPAID" not in told.codes


def test_the_second_of_two_close_hits_takes_the_reset_amount() -> None:
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.read()
    first = script.coup("T1")
    second = script.coup("T2")
    for coup in (first, second):
        lay_six_of_a_kind(script.wait(2), coup)
    say_hit(script, first, RESET + 75, "H1")
    say_hit(script, second, RESET + 75, "H2")
    told = FoldedLedger(script.close(first).close(second).heard(60).inputs)
    rows = {one.hit_id: one for one in told.rows(RecordKind.HIT) if isinstance(one, HitRow)}
    assert rows["H1"].amount == "10000.75"
    assert rows["H2"].amount == "10000.75"
    assert rows["H2"].needs_review
    ledger = told.state.levels[0].ledger
    assert ledger.hits_count == 2
    assert ledger.display == RESET * 10**14


def test_the_first_hit_that_is_said_takes_the_meter_whichever_table_was_locked_first() -> None:
    """The second of two close hits takes the reset amount, and may be set back first (D33)."""
    script = ProgressiveScript(T1=a_meter(), T2=a_meter())
    script.read()
    second, first = script.coup("T1"), script.coup("T2")
    amount = script.display
    for coup in (first, second):
        lay_six_of_a_kind(script.wait(2), coup)
    say_hit(script, first, amount, "H1")
    say_hit(script, second, RESET, "H2")
    pay(script, second.entries[0].wager_id, int(RESET), "H2")
    reset(script, RESET, "H2")
    pay(script, first.entries[0].wager_id, int(amount), "H1")
    reset(script, amount, "H1", from_reserve=Fraction(0))
    told = FoldedLedger(script.read().close(first).close(second).read().heard(60).inputs)
    assert [one.sentence for one in told.findings] == []
    rows = {one.hit_id: one for one in told.rows(RecordKind.HIT) if isinstance(one, HitRow)}
    assert (rows["H1"].amount, rows["H2"].amount) == (exact(amount), "10000.00")
    assert rows["H1"].needs_review
    assert rows["H2"].needs_review
    assert told.state.levels[0].ledger.display == script.display * 10**14
    ledger = told.rows(RecordKind.LEDGER)[-1]
    assert isinstance(ledger, LedgerRow)
    steps = recomputed(Reckoning(rows["H2"], "USD", ledger, heard_from(script)))
    assert "Reckoned at the lock-out: 10000.75." in steps
    assert "6 hit H1 came first, took 10001.50 and leaves 10000.00: 9999.25" in steps
    assert "At least the reset amount: 10000.00." in steps
    assert "Both agree." in steps


@pytest.mark.parametrize("order", ["controller_time", "sequence"])
def test_close_hits_are_ordered_by_the_controllers_time_or_by_its_sequence(order: str) -> None:
    """Its clock goes back by two seconds between the two: the readings of D33 differ."""
    meter = a_meter(readings={"D33": order})
    script = ProgressiveScript(T1=meter, T2=meter)
    script.read()
    one, other = script.coup("T1"), script.coup("T2")
    amount = script.display
    for coup in (one, other):
        lay_six_of_a_kind(script.wait(2), coup)
    by_time = [("H2", other, amount), ("H1", one, RESET)]
    # The other table's wager came after this one's lock-out: it is in the second meter.
    by_sequence = [("H1", one, RESET + 75), ("H2", other, RESET + 75)]
    taken = by_time if order == "controller_time" else by_sequence
    amounts = {name: won for name, _, won in taken}
    say_hit(script, one, amounts["H1"], "H1")
    script.at_us -= 3 * SECOND
    say_hit(script, other, amounts["H2"], "H2")
    script.wait(3)
    for name, coup, won_there in taken:
        pay(script, coup.entries[0].wager_id, int(won_there), name)
        funded = None if name == taken[0][0] else Fraction(0)
        reset(script, won_there, name, from_reserve=funded)
    told = FoldedLedger(script.read().close(one).close(other).read().heard(60).inputs)
    assert [one.sentence for one in told.findings] == []
    rows = {one.hit_id: one for one in told.rows(RecordKind.HIT) if isinstance(one, HitRow)}
    assert {name: row.amount for name, row in rows.items()} == {
        name: exact(won_there) for name, won_there in amounts.items()
    }
    assert {one.close_order for one in rows.values()} == {order}
    assert told.state.levels[0].ledger.display == script.display * 10**14
    assert told.state.levels[0].ledger.reserve == script.reserve * 10**14
    ledger = told.rows(RecordKind.LEDGER)[-1]
    assert isinstance(ledger, LedgerRow)
    (first, _, took), (second, _, _) = taken
    steps = recomputed(Reckoning(rows[second], "USD", ledger, heard_from(script)))
    assert any(f"hit {first} came first, took {exact(took)}" in one for one in steps)
    assert "Both agree." in steps


def heard_from(script: ProgressiveScript) -> list[ProgressiveEvent]:
    """Give what the controller said, as the pack of a hit has it."""
    texts = [one.event for one in script.inputs if isinstance(one, ControllerSaid)]
    events = [parse_event(text.encode()) for text in texts]
    return [one for one in events if isinstance(one, ProgressiveEvent)]


def test_the_winning_coups_own_contributions_are_left_out_where_that_is_in_force() -> None:
    script = ProgressiveScript(T1=a_meter(readings={"D7": "excluded"}))
    script.read().close(script.coup())
    coup = won(script, stakes=(500, 500))
    amount = script.display - 150
    say_hit(script, coup, amount)
    for one in coup.entries:
        pay(script, one.wager_id, int(amount) // 2 + (one is coup.entries[0]))
    reset(script, amount)
    told = FoldedLedger(script.close(coup).read().close(script.coup()).read().heard(60).inputs)
    assert [one.sentence for one in told.findings] == []
    assert hit_row(told).amount == "10000.75"


def test_a_reset_out_of_the_reserve_alone_takes_what_came_in_since_the_hit() -> None:
    meter = a_meter(readings={"D6": "reserve_only", "D8": "truncate_cent"})
    script = ProgressiveScript(T1=meter, T2=meter)
    script.read().close(script.coup())
    coup = won(script)
    amount = script.display
    say_hit(script, coup, amount)
    script.close(script.coup("T2")).read()
    pay(script, coup.entries[0].wager_id, int(amount))
    reset(script, amount, to=script.reserve)
    told = FoldedLedger(script.close(coup).read().close(script.coup("T2")).heard(60).inputs)
    assert [one.sentence for one in told.findings] == []
    ledger = told.state.levels[0].ledger
    assert (ledger.display, ledger.reserve) == (
        script.display * 10**14,
        script.reserve * 10**14,
    )


def test_a_hit_whose_cards_turn_out_otherwise_is_undone() -> None:
    script = ProgressiveScript()
    script.read()
    coup = won(script)
    script.heard(60)
    taken = FoldedLedger(script.inputs)
    assert taken.state.levels[0].ledger.hits_count == 1
    coup.hit = None
    coup.entries = [one.model_copy(update={"is_meter_won": False}) for one in coup.entries]
    told = FoldedLedger(script.close(coup).heard(60).inputs)
    assert told.codes == []
    ledger = told.state.levels[0].ledger
    assert (ledger.hits_count, ledger.won, ledger.house_funded) == (0, 0, 0)
    assert ledger.display == int(script.display * 10**14)
    assert ledger.reserve == int(script.reserve * 10**14)


def test_a_coup_that_is_voided_after_the_reserve_had_paid_takes_it_below_nothing() -> None:
    script = ProgressiveScript(T1=a_meter(void_policy="reversed"))
    coup, shown = played_hit(script)
    voided = script.coup(stakes=(500,))
    amount = script.display - 75
    pay(script, coup.entries[0].wager_id, shown)
    reset(script, amount)
    script.close(coup).read()
    assert script.reserve == 0
    voided.state = "voided"
    script.tell(voided)
    script.voided = [1, 500]
    script.display -= 75
    script.reserve -= 15
    for meter, change in (("display", "-0.75"), ("reserve", "-0.15")):
        script.say(
            said.ProgressiveAdjusted,
            adjustment_id=f"V-{meter}",
            meter=meter,
            change=change,
            reason="coup_voided",
            approved_by="su-1",
            table_id="T1",
            coup_id=voided.coup_id,
        )
    told = FoldedLedger(script.read().heard().inputs)
    assert told.codes == []
    assert script.reserve == -15
    assert told.state.levels[0].ledger.reserve == -15 * 10**14


def test_a_reserve_that_is_said_to_pay_and_does_not_is_one_finding_of_the_hit() -> None:
    script = ProgressiveScript()
    coup, shown = played_hit(script)
    amount, reserve = script.display, script.reserve
    pay(script, coup.entries[0].wager_id, shown)
    reset(script, amount)
    script.reserve += reserve
    told = FoldedLedger(script.close(coup).read().heard().inputs)
    assert told.codes == ["RESEED_MISMATCH"]
    assert "should have taken 0.45 from the reserve and did not" in told.findings[0].sentence


def test_a_reset_to_another_amount_is_one_finding_and_a_wager_left_out_another() -> None:
    script = ProgressiveScript()
    coup, shown = played_hit(script)
    amount = script.display
    pay(script, coup.entries[0].wager_id, shown)
    reset(script, amount, to=RESET + 5000)
    script.close(coup).read()
    script.close(script.coup(stakes=(500, 700)))
    script.display -= 105
    script.reserve -= 21
    told = FoldedLedger(script.read().heard().inputs)
    assert told.codes == ["METER_DRIFT", "RESEED_MISMATCH"]
