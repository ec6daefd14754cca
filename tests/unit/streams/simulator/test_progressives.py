"""The simulated progressives: honest controllers, hits brought about, everything exact."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise

import pytest

from auditors.law import load_law
from auditors.settlement.amounts import Meter, share_of_meter
from schemas import events as said
from schemas.cards import parse_card
from schemas.odds import parse_rate
from schemas.wire import parse_event
from streams.simulator.controllers.controller import (
    AFTER_CLOSE_US,
    CONTROLLER,
    READING_US,
    Controller,
)
from streams.simulator.controllers.meters import exact_text
from streams.simulator.feed import SECOND
from streams.simulator.filings import KINDS, STAGES, filing_of
from streams.simulator.floor import DEFAULT_START, FloorConfig
from tests.support.tables.simulated import events_of, of_kind

START_US = int(DEFAULT_START.timestamp()) * SECOND
SILENCE_US = 120 * SECOND


@pytest.fixture(scope="module")
def spoken() -> dict[str, list]:
    found = defaultdict(list)
    config = FloorConfig(tables=2 * KINDS, seed=5, coups=2 * KINDS * 24, hit_every=8)
    for event in events_of(config):
        found[event.source_id].append(event)
    return found


def test_every_twelve_tables_have_a_link_of_both_games_and_one_that_stands_alone() -> None:
    filed = defaultdict(set)
    for number in range(2 * KINDS):
        for one in filing_of(number, 0).progressives:
            filed[one.id].add((filing_of(number, 0).game.value, one.increment_rate))
    assert len(filed) == 6
    assert {game for game, _ in filed["HP-LINK-1"]} == {"baccarat", "minibaccarat"}
    assert {rate for _, rate in filed["HP-LINK-1"]} == {"15%", "19%"}
    assert len(filed["HP-SOLO-1"]) == 1


def test_every_policy_is_filed_somewhere() -> None:
    filings = [filing_of(number, stage) for number in range(2 * KINDS) for stage in range(STAGES)]
    filed = [one for filing in filings for one in filing.progressives]
    assert {one.void_policy for one in filed} == {"reversed", "kept"}
    assert {one.chips_counted for one in filed} == {True, False}
    assert {one.limit is None for one in filed} == {True, False}
    defaults = load_law().default_readings()
    for id_ in ("D3", "D6", "D8"):
        used = {
            filing.readings.get(id_, defaults[id_]) for filing in filings if filing.progressives
        }
        assert len(used) > 1


def test_six_of_a_kind_is_dealt_and_the_shoe_adds_up(spoken: dict[str, list]) -> None:
    hits = of_kind(spoken[CONTROLLER], said.ProgressiveHit)
    assert len(hits) > 5
    assert {len(one.wager_ids) > 1 for one in hits} == {True, False}
    for hit in hits:
        dealt = [
            parse_card(one.card).rank
            for one in of_kind(spoken[hit.table_id], said.CardDealt)
            if one.coup_id == hit.coup_id
        ]
        assert len(dealt) == 6
        assert len(set(dealt)) == 1
    for loaded in of_kind(spoken["BAC-03"], said.ShoeLoaded):
        cards = Counter(
            one.card
            for one in of_kind(spoken["BAC-03"], said.CardDealt)
            if one.shoe_id == loaded.shoe_id
        )
        assert max(cards.values()) <= loaded.decks


def test_each_winner_is_paid_the_share_of_the_policy_filed(spoken: dict[str, list]) -> None:
    events = spoken[CONTROLLER]
    for hit in of_kind(events, said.ProgressiveHit):
        number = int(hit.table_id.removeprefix("BAC-")) - 1
        policy = filing_of(number, 0).readings.get("D3", "equal_share")
        paid = {
            one.wager_id: one.paid_minor
            for one in of_kind(events, said.ProgressivePaid)
            if one.hit_id == hit.hit_id
        }
        amount, stakes = int(Fraction(hit.amount) * 100), (1,) * len(hit.wager_ids)
        assert tuple(paid) and set(paid) == set(hit.wager_ids)
        for position, wager_id in enumerate(hit.wager_ids):
            meter = Meter(amount, stakes, position)
            assert paid[wager_id] == share_of_meter(Fraction(amount), meter, policy)
            (settled,) = (
                one
                for one in of_kind(spoken[hit.table_id], said.WagerSettled)
                if one.wager_id == wager_id
            )
            assert settled.paid_minor == paid[wager_id]


def test_a_reset_shows_the_filed_amount_and_who_paid_it(spoken: dict[str, list]) -> None:
    events, hits = spoken[CONTROLLER], {}
    for event in events:
        if isinstance(event, said.ProgressiveHit):
            hits[event.hit_id] = event
        elif isinstance(event, said.ProgressiveReset):
            hit = hits.pop(event.hit_id)
            new = Fraction(event.reserve_funded) + Fraction(event.house_funded)
            moved = Fraction(event.display_after) - Fraction(event.display_before)
            if "SOLO" not in event.progressive_id:  # there the overflow comes into it
                assert moved == new - Fraction(hit.amount)
            if "SOLO-2" in event.progressive_id:
                assert Fraction(event.house_funded) == 0
            else:
                assert new == 10_000
    assert hits == {}


def test_counts_never_fall_and_each_minute_has_a_reading(spoken: dict[str, list]) -> None:
    by_name = defaultdict(list)
    for one in of_kind(spoken[CONTROLLER], said.ProgressiveReading):
        by_name[one.progressive_id].append(one)
    assert len(by_name) == 6
    for readings in by_name.values():
        for earlier, later in pairwise(readings):
            assert later.occurred_at_us - earlier.occurred_at_us <= READING_US
            for name in ("in_count", "coin_in_minor", "hits_count", "wins_minor", "voided_count"):
                assert getattr(later, name) >= getattr(earlier, name)


def test_wagers_are_counted_a_little_later_and_several_at_once(spoken: dict[str, list]) -> None:
    placed = {
        one.wager_id: one.occurred_at_us
        for source_id, events in spoken.items()
        if source_id != CONTROLLER
        for one in of_kind(events, said.WagerPlaced)
    }
    accepted = of_kind(spoken[CONTROLLER], said.ProgressiveWagerAccepted)
    lags = [one.occurred_at_us - placed[one.wager_id] for one in accepted]
    assert min(lags) > 100_000
    assert sorted(lags)[len(lags) // 2] < SECOND
    at_once = Counter(one.occurred_at_us for one in accepted)
    assert max(at_once.values()) > 1


def test_what_is_above_the_limit_is_overflow(spoken: dict[str, list]) -> None:
    solo = [
        one
        for one in of_kind(spoken[CONTROLLER], said.ProgressiveReading)
        if one.progressive_id == "HP-SOLO-1"
    ]
    assert all(Fraction(one.display) <= Fraction(one.limit or "0") for one in solo)
    assert any(Fraction(one.overflow) > 0 for one in solo)
    assert all(Fraction(one.display) * 100 % 1 == 0 for one in solo)


def test_chips_are_counted_where_that_is_filed(spoken: dict[str, list]) -> None:
    counted = of_kind(spoken[CONTROLLER], said.ProgressiveChipsCounted)
    assert {one.progressive_id for one in counted} == {"HP-LINK-1", "HP-LINK-2"}
    locked = {
        (one.table_id, one.coup_id): one.accepted_count
        for one in of_kind(spoken[CONTROLLER], said.ProgressiveLockedOut)
    }
    for one in counted:
        assert one.chip_count == locked[one.table_id, one.coup_id]


def test_a_table_joins_when_it_opens_and_leaves_when_it_closes(spoken: dict[str, list]) -> None:
    left = of_kind(spoken[CONTROLLER], said.ProgressiveTableLeft)
    assert {one.table_id for one in left} == {"BAC-12", "BAC-24"}
    joined = of_kind(spoken[CONTROLLER], said.ProgressiveTableJoined)
    assert len([one for one in joined if one.table_id == "BAC-12"]) >= 1
    last = spoken[CONTROLLER][-1]
    closed = max(
        one.occurred_at_us
        for source_id, events in spoken.items()
        if source_id != CONTROLLER
        for one in events
    )
    assert last.occurred_at_us >= closed + AFTER_CLOSE_US - 10 * SECOND


def test_a_controller_uses_a_filing_once_it_is_in_force_also_where_the_table_pauses_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.simulator.tables.opening._PAUSE", 1.0)
    monkeypatch.setattr("streams.simulator.tables.table.SHOES_PER_STAGE", 1)
    monkeypatch.setattr("streams.simulator.tables.shoes.BEHIND_COVER", 300)  # short shoes
    filed, used = set(), []
    for event in events_of(FloorConfig(tables=KINDS, seed=7, coups=KINDS * 30)):
        if isinstance(event, said.RulesSubmissionChanged):
            filed.add(f"Rules Submission {event.submission.rules_version}")
        if isinstance(event, said.ProgressiveParametersChanged):
            used.append(event.authority)
            assert event.authority in filed
    assert used


def test_a_controller_starts_anew_and_loses_links_within_its_limits() -> None:
    linked = {f"BAC-{n + 1:02}": filing_of(n, 0) for n in range(KINDS)}
    controller = Controller(3, START_US, linked)
    messages = controller.begin() + controller.until(START_US + 12 * 3600 * SECOND)
    events = [parse_event(one.raw) for one in messages]
    gaps = [b.occurred_at_us - a.occurred_at_us for a, b in pairwise(events)]
    assert 15 * SECOND < max(gaps) < SILENCE_US
    lost = of_kind(events, said.ProgressiveLinkLost)
    restored = of_kind(events, said.ProgressiveLinkRestored)
    assert len(lost) == len(restored) > 3
    assert [one.table_id for one in lost] == [one.table_id for one in restored]
    assert {event.feed_id for event in events} == {events[0].feed_id}


def test_an_exact_amount_has_all_its_digits() -> None:
    assert exact_text(Fraction(-10001, 4), 2) == "-25.0025"
    assert exact_text(500 * parse_rate("15%"), 2) == "0.75"
    with pytest.raises(ValueError, match="no exact decimal text"):
        exact_text(Fraction(1, 3), 2)
