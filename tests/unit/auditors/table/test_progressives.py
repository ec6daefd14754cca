"""What tables and controllers tell the ledgers of progressives, and up to when they have."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable

import pytest

from auditors.table import amend, decode_state, encode_state
from auditors.table.delivery.absorbing import Delivered
from auditors.table.progressive_inputs import OPEN_STRETCHES_MAX, WATERMARK_EVERY_US
from schemas import events as said
from schemas.progressive_inputs import (
    ControllerSaid,
    ControllerWatermark,
    CoupOnProgressive,
    ProgressiveInput,
    TableWatermark,
    decode_progressive_input,
    encode_progressive_input,
)
from schemas.rules_submission import RulesSubmission
from schemas.wire import parse_event
from tests.support.tables.played import PLAYER_WINS
from tests.support.tables.table_script import (
    Folded,
    TableScript,
    a_submission,
    all_but,
)

SIX_KINGS = ("KS KD KH", "KC KS KH")
"""0 to 0, six cards of one rank: the row that is paid from the meter."""

UNIT = 500
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def us(moment: datetime.datetime) -> int:
    return (moment - EPOCH) // datetime.timedelta(microseconds=1)


def a_progressive(**changes: object) -> dict[str, object]:
    filed: dict[str, object] = {
        "id": "HP-1",
        "wager": "harmony_mini",
        "unit": "5.00",
        "base": "10000.00",
        "reset": "10000.00",
    }
    return {**filed, **changes}


def filing(
    *progressives: dict[str, object],
    letter: str = "A",
    limits: tuple[str, str] = ("5", "5"),
    **changes: object,
) -> RulesSubmission:
    wagers = [one.model_dump() for one in a_submission().wagers]
    wagers.append(
        {"id": "harmony_mini", "paytable": letter, "minimum": limits[0], "maximum": limits[1]}
    )
    running = list(progressives) or [a_progressive()]
    return a_submission(wagers=wagers, progressives=running, **changes)


def a_table(submission: RulesSubmission | None = None, **fields: object) -> TableScript:
    return TableScript().open(submission or filing(), **fields).shoe()


def inputs(folded: Folded) -> list[ProgressiveInput]:
    return [one for absorbed in folded.absorbed for one in absorbed.inputs]


def coups(folded: Folded) -> list[CoupOnProgressive]:
    return [one for one in inputs(folded) if isinstance(one, CoupOnProgressive)]


def watermarks(folded: Folded) -> list[TableWatermark]:
    return [one for one in inputs(folded) if isinstance(one, TableWatermark)]


def standing(said_: Iterable[ProgressiveInput]) -> dict[tuple[str, int, str], CoupOnProgressive]:
    """Give the last word on each coup, apart from when it was said."""
    last: dict[tuple[str, int, str], CoupOnProgressive] = {}
    for one in said_:
        if isinstance(one, CoupOnProgressive):
            key = (one.progressive_id, one.filed.level, one.coup_id)
            if key not in last or last[key].version <= one.version:
                last[key] = one
    when = {"version": 0, "watermark_us": 0, "sequence": 0, "occurred_at_us": 0}
    return {key: one.model_copy(update=when) for key, one in last.items()}


def played(script: TableScript, hands: tuple[str, str] = PLAYER_WINS) -> TableScript:
    is_tie = hands == SIX_KINGS
    script.close_bets().deal(*hands)
    return script.result("tie", 0, 0) if is_tie else script.result("player", 9, 5)


def test_a_coup_is_said_at_no_more_bets_and_at_its_end() -> None:
    script = a_table().coup()
    banker = script.wager("banker", 10_000)
    wager = script.wager("harmony_mini", UNIT, seat="2", patron="pt-1")
    placed_at = us(script.now)
    played(script).settle(banker, 0).settle(wager, 0).close()
    locked, closed = coups(Folded(script.messages))
    assert (locked.state, closed.state) == ("locked", "closed")
    assert (locked.coup_id, locked.coup_no, locked.hit) == ("S1/1", 1, None)
    (entry,) = locked.entries
    assert (entry.wager_id, entry.seat, entry.patron) == (wager, "2", "pt-1")
    assert (entry.stake_minor, entry.accepted_at_us) == (UNIT, placed_at)
    assert (entry.outcome_code, entry.paid_minor, entry.is_late) == (None, None, False)
    assert locked.locked_at_us == placed_at + 1_000_000
    (after,) = closed.entries
    assert (after.outcome_code, after.is_meter_won, after.paid_minor) == ("loses", False, 0)
    assert closed.version > locked.version


def test_a_coup_without_a_wager_on_the_progressive_is_said_as_well() -> None:
    script = a_table().coup()
    script.wager("banker", 10_000)
    script.close_bets()
    (only,) = coups(Folded(script.messages))
    assert (only.state, only.entries) == ("locked", ())
    assert only.watermark_us == us(script.now) - 1


def test_a_table_without_progressives_says_nothing() -> None:
    script = TableScript().open().shoe()
    for _ in range(3):
        script.honest_coup()
    assert inputs(Folded(script.messages)) == []


def test_the_watermark_waits_before_the_first_wager_that_was_not_said() -> None:
    script = a_table().coup()
    script.wager("banker", 10_000)
    script.wager("harmony_mini", UNIT)
    placed_at = us(script.now)
    for _ in range(3):
        script.say(said.Heartbeat, 9)
    folded = Folded(script.messages)
    held = [one.watermark_us for one in watermarks(folded)[1:]]
    assert held == [placed_at - 1], "it says nothing new until the coup is said"
    script.close_bets()
    (locked,) = coups(Folded(script.messages))
    assert locked.watermark_us == us(script.now) - 1


def test_wagers_of_a_coup_that_stays_open_are_said_before_no_more_bets() -> None:
    script = a_table().coup()
    wager = script.wager("harmony_mini", UNIT)
    stretch_s = WATERMARK_EVERY_US / 1_000_000
    for _ in range(OPEN_STRETCHES_MAX + 1):
        script.say(said.Heartbeat, stretch_s)
    early = coups(Folded(script.messages))
    assert [one.state for one in early] == ["open"]
    assert [one.wager_id for one in early[0].entries] == [wager]
    second = script.wager("harmony_mini", UNIT, seat="2")
    script.of_coup(said.WagerWithdrawn, wager_id=wager)
    said_now = coups(Folded(script.messages))
    assert [[one.wager_id for one in coup.entries] for coup in said_now[1:]] == [
        [wager, second],
        [second],
    ]


def test_heartbeats_bring_a_watermark_once_in_ten_seconds() -> None:
    script = a_table()
    for _ in range(24):
        script.say(said.Heartbeat, 5)
    found = watermarks(Folded(script.messages))
    assert len(found) in (13, 14)
    assert all(one.is_open and one.filed is not None for one in found)
    times = [one.watermark_us for one in found]
    assert times == sorted(times)
    assert times[-1] >= us(script.now) - WATERMARK_EVERY_US


@pytest.mark.parametrize("letter", ["A", "B"])
def test_rates_are_those_filed_else_those_of_the_letter(letter: str) -> None:
    def filed(submission: RulesSubmission) -> tuple[str, str]:
        meter = watermarks(Folded(a_table(submission).messages))[0].filed
        assert meter is not None
        assert meter.paytable == letter
        return meter.increment_rate, meter.reserve_rate

    printed = {"A": ("15%", "3%"), "B": ("19%", "5%")}[letter]
    assert filed(filing(letter=letter)) == printed
    other = a_progressive(increment_rate="1.57%", reserve_rate="2%")
    assert filed(filing(other, letter=letter)) == ("1.57%", "2%")


def test_six_cards_of_one_rank_win_the_meter_even_where_nobody_wagered() -> None:
    script = a_table().coup()
    script.wager("banker", 10_000)
    played(script, SIX_KINGS)
    locked, hit = coups(Folded(script.messages))
    assert locked.hit is None
    assert hit.hit is not None
    assert hit.hit.cards == "KS KD KH / KC KS KH"
    assert hit.hit.pays.startswith("100%")
    assert hit.hit.citation is not None
    assert hit.hit.citation.startswith("58 Pa. Code § 627b.6")
    assert (hit.hit.decided_at_us, hit.hit.sequence) == (us(script.now), script.sequence)
    assert (hit.state, hit.entries) == ("locked", ())


def test_the_payment_of_a_winner_is_said_at_once_and_its_correction_too() -> None:
    script = a_table().coup()
    script.wager("banker", 10_000)
    wager = script.wager("harmony_mini", UNIT)
    played(script, SIX_KINGS).settle(wager, 1_000_000)
    script.correct(wager, 7_500).close()
    folded = coups(Folded(script.messages))
    assert [one.state for one in folded] == ["locked", "locked", "locked", "locked", "closed"]
    paid = [(one.entries[0].is_meter_won, one.entries[0].paid_minor) for one in folded]
    assert paid == [
        (False, None),
        (True, None),
        (True, 1_000_000),
        (True, 1_007_500),
        (True, 1_007_500),
    ]


def test_a_void_is_said_with_its_wagers_and_without_a_hit() -> None:
    script = a_table().coup()
    wager = script.wager("harmony_mini", UNIT)
    played(script, SIX_KINGS).void().refund(wager, UNIT).close()
    void = coups(Folded(script.messages))[-1]
    assert (void.state, void.hit) == ("voided", None)
    assert [one.paid_minor for one in void.entries] == [UNIT]


def test_a_wager_withdrawn_in_time_is_left_out_and_a_late_one_is_said_as_late() -> None:
    script = a_table().coup()
    gone = script.wager("harmony_mini", UNIT)
    kept = script.wager("harmony_mini", UNIT, seat="2")
    script.of_coup(said.WagerWithdrawn, wager_id=gone).close_bets()
    late = script.wager("harmony_mini", UNIT, seat="3")
    locked, after = coups(Folded(script.messages))
    assert [one.wager_id for one in locked.entries] == [kept]
    assert [(one.wager_id, one.is_late) for one in after.entries] == [(kept, False), (late, True)]


def test_times_are_corrected_by_the_offset_of_the_clock() -> None:
    script = a_table(clock_offset_us=2_000_000).coup()
    script.wager("harmony_mini", UNIT)
    placed_at = us(script.now)
    script.close_bets()
    (locked,) = coups(Folded(script.messages))
    assert locked.entries[0].accepted_at_us == placed_at + 2_000_000
    assert locked.locked_at_us == placed_at + 3_000_000
    assert locked.watermark_us == placed_at + 3_000_000 - 1
    script.say(said.Heartbeat, 10, clock_offset_us=-500_000)
    folded = Folded(script.messages)
    assert watermarks(folded)[-1].watermark_us == us(script.now) - 500_000 - 1
    assert decode_state(encode_state(folded.state)) == folded.state


def test_a_table_joins_leaves_and_closes_with_a_word_to_each_progressive() -> None:
    script = a_table(filing(a_progressive(), id="RS-7")).honest_coup()
    other = filing(a_progressive(id="HP-2"), id="RS-8")
    script.say(said.RulesSubmissionChanged, submission=other)
    changed = script.sequence
    script.end_shoe().say(said.TableClosed, event_count=script.sequence, coup_count=1)
    links = [
        (one.progressive_id, one.is_open, one.filed.rules_version if one.filed else None)
        for one in watermarks(Folded(script.messages))
        if one.sequence in (2, changed, script.sequence)
    ]
    assert links == [
        ("HP-1", True, "RS-7"),
        ("HP-1", True, None),
        ("HP-2", True, "RS-8"),
        ("HP-2", False, "RS-8"),
    ]


def test_each_level_of_a_progressive_is_told_apart() -> None:
    levels = (a_progressive(), a_progressive(level=2, wager="house.player_pair"))
    rated = {"increment_rate": "2%", "reserve_rate": "1%"}
    script = a_table(filing(levels[0], {**levels[1], **rated})).coup()
    script.wager("house.player_pair", 1_000)
    script.close_bets()
    one, two = coups(Folded(script.messages))
    assert [(x.filed.level, len(x.entries)) for x in (one, two)] == [(1, 0), (2, 1)]
    assert (one.watermark_us, two.watermark_us) == (0, us(script.now) - 1), (
        "the first of two messages covers nothing that the second one brings"
    )


def test_a_progressive_whose_rate_nobody_can_tell_is_left_out() -> None:
    script = a_table(filing(a_progressive(wager="house.player_pair"))).honest_coup()
    assert inputs(Folded(script.messages)) == []


def test_a_table_that_reports_no_call_says_its_coups_once_cards_are_dealt() -> None:
    script = a_table(reports=all_but(said.Capability.NO_MORE_BETS)).coup()
    script.wager("harmony_mini", UNIT)
    script.deal(*PLAYER_WINS)
    (only,) = coups(Folded(script.messages))
    assert (only.state, len(only.entries)) == ("open", 1)


def test_coups_beside_a_gap_are_said_as_unverified() -> None:
    script = a_table().coup()
    script.wager("harmony_mini", UNIT)
    missing = script.sequence
    script.wager("banker", 10_000)
    for _ in range(6):
        script.say(said.Heartbeat, 5)
    script.close_bets()
    folded = Folded([raw for at, raw in enumerate(script.messages) if at != missing])
    assert [(one.state, one.is_unverified) for one in coups(folded)] == [
        ("open", True),
        ("locked", True),
    ]


def a_day(count: int = 6) -> list[bytes]:
    """Play some coups with wagers on the progressive, one of which wins it."""
    script = a_table()
    for number in range(count):
        script.coup()
        script.wager("banker", 10_000)
        wagers = [script.wager("harmony_mini", UNIT, seat=str(seat)) for seat in range(number % 3)]
        if number == 3:
            script.say(said.Heartbeat, 8)
        played(script, SIX_KINGS if number == 4 else PLAYER_WINS)
        for wager in wagers:
            script.settle(wager, 0)
        script.void().close() if number == 2 else script.close()
    script.end_shoe()
    return script.say(said.TableClosed, event_count=1, coup_count=count).messages


@pytest.mark.parametrize("seed", range(6))
def test_repeats_and_disorder_within_the_limit_say_the_same_in_the_end(seed: int) -> None:
    honest = Folded(a_day())
    rng = random.Random(seed)
    order = sorted(range(len(honest.log)), key=lambda at: at + rng.random() * 9)
    repeated = [at for at in order for _ in range(1 + (rng.random() < 0.2))]
    mixed = Folded([honest.log[at] for at in repeated])
    assert standing(inputs(mixed)) == standing(inputs(honest)) != {}
    assert max(one.watermark_us for one in watermarks(mixed)) == max(
        one.watermark_us for one in watermarks(honest)
    )


@pytest.mark.parametrize("seed", range(6))
def test_no_watermark_is_beyond_anything_that_is_said_later(seed: int) -> None:
    rng = random.Random(seed)
    log = a_day()
    order = sorted(range(len(log)), key=lambda at: at + rng.random() * 9 * (seed > 2))
    heard: set[str] = set()
    watermark_us = 0
    for one in inputs(Folded([log[at] for at in order])):
        if isinstance(one, CoupOnProgressive):
            for entry in one.entries:
                assert entry.wager_id in heard or entry.accepted_at_us > watermark_us
                heard.add(entry.wager_id)
        assert isinstance(one, CoupOnProgressive | TableWatermark)
        watermark_us = max(watermark_us, one.watermark_us)


def test_messages_are_canonical_and_come_back() -> None:
    for one in inputs(Folded(a_day())):
        raw = encode_progressive_input(one)
        assert decode_progressive_input(raw) == one
        assert encode_progressive_input(decode_progressive_input(raw)) == raw


def test_late_truth_of_the_shoe_in_play_is_said_with_a_higher_version() -> None:
    script = a_table().coup()
    missing = script.sequence
    wager = script.wager("harmony_mini", UNIT)
    played(script).settle(wager, 0).close()
    for _ in range(6):
        script.say(said.Heartbeat, 5)
    script.honest_coup()
    log = [raw for at, raw in enumerate(script.messages) if at != missing]
    folded = Folded(log)
    assert [len(one.entries) for one in coups(folded)] == [0] * len(coups(folded))
    late = len(log)
    folded.log.append(script.messages[missing])
    absorbed = folded.take(late, folded.log[late])
    assert absorbed.amend_from is not None
    messages = [Delivered(at, raw) for at, raw in enumerate(folded.log)][absorbed.amend_from :]
    changed = amend(folded.state, messages, folded.log.__getitem__)
    told = standing((*inputs(folded), *changed.inputs))
    assert told == standing(inputs(Folded(script.messages)))
    assert {one.version & 0xFFFF for one in changed.inputs} == {late}
    assert all(one.watermark_us == 0 for one in changed.inputs if one.kind == "coup")


# The filed unit.


def test_a_stake_on_the_progressive_that_is_not_the_filed_unit_is_found_at_once() -> None:
    script = a_table(filing(limits=("1.00", "50.00"))).coup()
    script.wager("banker", 10_000)
    wager = script.wager("harmony_mini", 2 * UNIT)
    at = script.sequence
    played(script).settle(wager, 0).close()
    folded = Folded(script.messages)
    assert folded.said_at(at) == ["PROGRESSIVE_STAKE_NOT_UNIT"]
    found = next(one for one in folded.findings if one.code.value == "PROGRESSIVE_STAKE_NOT_UNIT")
    assert (found.wager, found.seat, found.evidence) == ("harmony_mini", "1", (at,))
    assert found.interpretations == {"D4": "fixed_unit"}


@pytest.mark.parametrize(
    ("stake", "readings", "expected"),
    [(UNIT, {}, 0), (UNIT + 1, {}, 1), (UNIT + 1, {"D4": "any_amount"}, 0), (None, {}, 0)],
)
def test_only_another_stake_than_the_unit_is_found_and_only_where_it_is_fixed(
    stake: int | None, readings: dict[str, str], expected: int
) -> None:
    script = a_table(filing(limits=("1.00", "50.00"), readings=readings)).coup()
    script.wager("harmony_mini", stake)
    codes = Folded(script.messages).codes
    assert codes.count("PROGRESSIVE_STAKE_NOT_UNIT") == expected


# Controllers.


def a_controller(**fields: object) -> TableScript:
    script = TableScript("PRG-01")
    return script.say(said.FeedStarted, source_kind="progressive_controller", **fields)


def counted(script: TableScript, number: int, progressive: str = "HP-1") -> TableScript:
    return script.say(
        said.ProgressiveWagerAccepted,
        progressive_id=progressive,
        table_id="BAC-01",
        wager_id=f"W{number}",
        stake_minor=UNIT,
        in_count=number,
    )


def controller(messages: Iterable[bytes]) -> Folded:
    return Folded(messages, "PRG-01")


def told(folded: Folded) -> list[ControllerSaid]:
    return [one for one in inputs(folded) if isinstance(one, ControllerSaid)]


def marks(folded: Folded) -> list[ControllerWatermark]:
    return [one for one in inputs(folded) if isinstance(one, ControllerWatermark)]


def test_a_controllers_events_pass_on_as_they_were_in_their_turn() -> None:
    script = a_controller(clock_offset_us=250_000)
    for number in range(1, 6):
        counted(script, number)
    log = script.messages
    folded = controller([log[at] for at in (0, 2, 3, 1, 5, 4, 2)])
    assert [one.sequence for one in told(folded)] == [2, 3, 4, 5, 6]
    assert [one.event.encode() for one in told(folded)] == log[1:]
    event = parse_event(log[1])
    assert told(folded)[0].occurred_at_us == us(event.occurred_at) + 250_000
    assert told(folded)[0].source_id == "PRG-01"


def test_a_transfer_is_told_to_the_ledger_that_gives_and_to_the_one_that_receives() -> None:
    """Each under its own key, so that it comes to both whatever partition they are in."""
    fields = {"transfer_id": "X1", "display_moved": "0.75", "reserve_moved": "0.15"}
    script = counted(a_controller(), 1).say(
        said.ProgressiveTransferred, progressive_id="HP-1", to_progressive_id="HP-2", **fields
    )
    script.say(
        said.ProgressiveTransferred,
        progressive_id="HP-1",
        to_progressive_id="HP-1",
        to_level=2,
        **fields,
    )
    heard = [(one.progressive_id, one.sequence) for one in told(controller(script.messages))]
    assert heard == [("HP-1", 2), ("HP-1", 3), ("HP-2", 3), ("HP-1", 4)]
    transfer = [one for one in told(controller(script.messages)) if one.sequence == 3]
    assert transfer[0].event == transfer[1].event == script.messages[2].decode()
    # Nobody waits for this controller there, as long as it says nothing of the other itself.
    assert {one.progressive_id for one in marks(controller(script.messages))} <= {"HP-1"}


def test_a_controllers_watermark_goes_to_each_progressive_that_it_spoke_of() -> None:
    script = counted(counted(a_controller(), 1), 1, "HP-2")
    before = len(script.messages)
    script.say(said.Heartbeat, 5).say(said.Heartbeat, 5)
    found = [one for one in marks(controller(script.messages)) if one.sequence > before]
    assert [one.progressive_id for one in found] == ["HP-1", "HP-2"]
    assert all(one.watermark_us <= us(script.now) - 1 and one.lost == () for one in found)


def test_what_a_controller_did_not_say_is_told_as_lost_and_said_when_it_comes() -> None:
    script = a_controller()
    for number in range(1, 4):
        counted(script, number)
    for _ in range(6):
        script.say(said.Heartbeat, 5)
    log = script.messages
    folded = controller([*log[:2], *log[3:], log[2], log[2]])
    assert [one.sequence for one in told(folded)] == [2, 4, 3]
    assert [one.lost for one in marks(folded) if one.lost] == [((3, 3),)]
    assert folded.state.feed is not None
    assert folded.state.feed.gaps == ()


def test_a_word_to_each_ledger_follows_what_it_covers() -> None:
    script = a_controller()
    for number in range(1, 5):
        counted(script, number)
    script.say(said.Heartbeat, 12)
    log = script.messages
    (absorbed,) = (one for one in controller([log[0], *log[2:], log[1]]).absorbed if one.inputs)
    kinds = [one.kind for one in absorbed.inputs]
    assert kinds == ["controller"] * 4 + ["controller_watermark"]
