"""The simulated floor: real events, an honest day, the same for the same seed."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from auditors.filings import check_submission
from auditors.law import load_law
from schemas import events as said
from schemas.cards import parse_card
from schemas.findings import FindingCode
from schemas.odds import parse_rate
from schemas.wire import chain_hash, encode_event, parse_event
from streams.simulator.controllers.controller import CONTROLLER, Controller
from streams.simulator.demo import demo_floor
from streams.simulator.feed import HEARTBEAT_US
from streams.simulator.filings import KINDS, STAGES, filing_of, reports_of
from streams.simulator.floor import Floor, FloorConfig, floor_events
from streams.simulator.placing import PlantRequest, UnknownPlantError, place_faults
from streams.simulator.plants import PLANTS
from streams.simulator.profile import wager_kinds
from streams.simulator.tables.notes import Filed
from streams.simulator.truths import Truth
from tests.support.tables.simulated import Auditor, events_of, hours, of_kind

FLOOR = FloorConfig(duration=hours(0.4))
DAY = datetime.date(2025, 6, 7)


@pytest.fixture(scope="module")
def delivered() -> list[tuple[str, bytes]]:
    return list(floor_events(FLOOR))


@pytest.fixture(scope="module")
def spoken(delivered: list[tuple[str, bytes]]) -> dict[str, list]:
    found = defaultdict(list)
    for source_id, raw in delivered:
        found[source_id].append(parse_event(raw))
    return found


def test_the_same_seed_gives_the_same_bytes(delivered: list[tuple[str, bytes]]) -> None:
    assert list(floor_events(FLOOR)) == delivered


def test_another_seed_gives_other_bytes(delivered: list[tuple[str, bytes]]) -> None:
    other = list(floor_events(FloorConfig(seed=8, duration=hours(0.1))))
    assert other[0] != delivered[0]


def test_every_line_is_an_event_in_its_exact_bytes(delivered: list[tuple[str, bytes]]) -> None:
    assert all(encode_event(parse_event(raw)) == raw for _, raw in delivered)


def test_every_source_numbers_and_chains_its_events(delivered: list[tuple[str, bytes]]) -> None:
    before: dict[str, tuple[int, str]] = {}
    for source_id, raw in delivered:
        event = parse_event(raw)
        assert event.source_id == source_id
        if isinstance(event, said.FeedStarted):
            assert event.sequence == 1
        else:
            assert (event.sequence - 1, event.previous_hash) == before[source_id]
        before[source_id] = (event.sequence, chain_hash(raw))
    assert len(before) == 13  # twelve tables and the progressive controller


def test_events_are_delivered_in_the_order_in_which_they_happen(
    delivered: list[tuple[str, bytes]],
) -> None:
    moments = [parse_event(raw).occurred_at for _, raw in delivered]
    assert moments == sorted(moments)


def test_no_source_is_silent_for_longer_than_a_heartbeat(spoken: dict[str, list]) -> None:
    for events in spoken.values():
        moments = [event.occurred_at_us for event in events]
        gaps = [later - earlier for earlier, later in pairwise(moments)]
        assert max(gaps) <= HEARTBEAT_US


def test_every_table_is_marked_simulated_and_says_how_much_it_said(
    spoken: dict[str, list],
) -> None:
    for source_id, events in spoken.items():
        if source_id == CONTROLLER:
            continue
        (opened,) = of_kind(events, said.TableOpened)
        (closed,) = of_kind(events, said.TableClosed)
        coups = {event.coup_id for event in events if isinstance(event, said.CoupEvent)}
        assert opened.simulated
        assert closed.event_count == closed.sequence - opened.sequence + 1
        assert closed.coup_count == len(coups)


def test_ids_are_used_once_at_a_table(spoken: dict[str, list]) -> None:
    for events in spoken.values():
        for kind, name in (
            (said.WagerPlaced, "wager_id"),
            (said.WagerSettled, "settlement_id"),
            (said.ShoeLoaded, "shoe_id"),
            (said.VigorishCollected, "collection_id"),
        ):
            ids = [getattr(event, name) for event in of_kind(events, kind)]
            assert len(ids) == len(set(ids))


def test_the_cards_of_every_shoe_add_up(spoken: dict[str, list]) -> None:
    for source_id in ("BAC-03", "BAC-09", "BAC-11"):  # they read every card, or count them
        events = spoken[source_id]
        for loaded in of_kind(events, said.ShoeLoaded):
            cards: Counter[str] = Counter()
            unread = 0
            for event in events:
                if getattr(event, "shoe_id", None) != loaded.shoe_id:
                    continue
                if isinstance(event, said.CardDealt) and event.error_id is None:
                    cards[event.card] += 1
                elif isinstance(event, said.CardDrawnInError) and event.position is None:
                    unread += 1
                elif isinstance(event, said.CardExposed):
                    cards[event.card] += 1
                elif isinstance(event, said.CardsBurned):
                    unread += event.burned_count - len(event.burned_cards)
                    cards.update(event.burned_cards)
                    cards.update([event.exposed_card] if event.exposed_card else [])
                elif isinstance(event, said.ShoeEnded):
                    assert event.cards_left_count == sum(event.cards_left.values())
                    cards.update(event.cards_left)
            assert cards.total() + unread == 52 * loaded.decks
            assert max(cards.values()) <= loaded.decks


def test_stakes_keep_to_the_filed_limits_and_bonus_wagers_have_a_base(
    spoken: dict[str, list],
) -> None:
    for source_id, events in spoken.items():
        if source_id == CONTROLLER:
            continue
        number = int(source_id.removeprefix("BAC-")) - 1
        filed = {one.id: one for one in filing_of(number, 0).wagers}
        for placed in of_kind(events, said.WagerPlaced):
            wager = filed[placed.wager.partition("@")[0]]
            least, most = (round(float(one) * 100) for one in (wager.minimum, wager.maximum))
            assert placed.stake_minor is None or least <= placed.stake_minor <= most


def test_a_table_says_nothing_that_it_does_not_report(spoken: dict[str, list]) -> None:
    by_values = of_kind(spoken["BAC-08"], said.CardDealt)
    assert {event.card for event in by_values} == set("A23456789") | {"0"}
    by_ranks = of_kind(spoken["BAC-05"], said.CardDealt)
    assert all(parse_card(event.card).suit is None for event in by_ranks)
    assert not of_kind(spoken["BAC-06"], said.WagerSettled)
    assert not of_kind(spoken["BAC-10"], said.WagerSettled)
    assert {event.patron for event in of_kind(spoken["BAC-07"], said.WagerPlaced)} == {None}
    assert not of_kind(spoken["BAC-12"], said.CardsBurned)


def test_every_filing_meets_the_conditions_of_offering() -> None:
    for number in range(KINDS):
        for stage in range(STAGES):
            assert check_submission(load_law(), filing_of(number, stage), DAY) == ()


def test_every_wager_letter_and_form_is_filed_at_some_table() -> None:
    filings = [filing_of(number, stage) for number in range(KINDS) for stage in range(STAGES)]
    filed = {(wager.id, wager.paytable) for one in filings for wager in one.wagers}
    law = load_law()
    printed = {
        (wager_id, letter)
        for wager_id, (section, _) in law.wagers.items()
        for letter in section.paytables or (None,)
    }
    assert filed == printed
    forms = {
        (one.commission.form.value, one.commission.rate, one.commission.timing.value)
        for one in filings
    }
    assert {
        ("standard", "5%", "taken"),
        ("standard", "4%", "taken"),
        ("standard", "5%", "marked"),
        ("standard", "4%", "marked"),
        ("free", "5%", "taken"),
    } <= forms
    roundings = {one.readings.get("D27", "exact") for one in filings}
    assert roundings == {"exact", "nearest_25c", "up_25c"}
    assert {one.tie_odds for one in filings} == {"8 to 1", "9 to 1"}


def test_most_tables_report_everything() -> None:
    full = [number for number in range(KINDS) if len(reports_of(number)) >= 28]
    assert len(full) >= 6


def test_every_wager_with_each_letter_form_and_tie_odds_is_counted_apart() -> None:
    kinds = list(wager_kinds())
    assert len(kinds) == len(set(kinds))
    assert len([one for one in kinds if one.wager == "golden_talons"]) == 10
    assert {one.form for one in kinds if one.wager == "rising_phoenix.banker"} == {
        "4%",
        "5%",
        "free",
    }


def test_the_controller_counts_exactly_what_the_tables_accepted(spoken: dict[str, list]) -> None:
    events = spoken[CONTROLLER]
    placed = {
        event.wager_id: event.stake_minor
        for source_id, told in spoken.items()
        if source_id != CONTROLLER
        for event in of_kind(told, said.WagerPlaced)
        if event.wager.startswith("harmony")
    }
    # BAC-09 has a progressive to itself, whose controller tells counts and no single wagers.
    alone = [wager_id for wager_id in placed if wager_id.startswith("BAC-09")]
    coin_in = sum(placed.pop(wager_id) for wager_id in alone)
    solo = [one for one in of_kind(events, said.ProgressiveReading) if "SOLO" in one.progressive_id]
    assert (solo[-1].in_count, solo[-1].coin_in_minor) == (len(alone), coin_in)
    assert alone
    accepted = of_kind(events, said.ProgressiveWagerAccepted)
    assert {event.wager_id: event.stake_minor for event in accepted} == placed
    assert placed
    last = {event.progressive_id: event for event in of_kind(events, said.ProgressiveReading)}
    del last[solo[-1].progressive_id]
    for name, reading in last.items():
        counted = [
            event
            for event in accepted
            if event.progressive_id == name and event.sequence < reading.sequence
        ]
        assert reading.in_count == len(counted)
        assert reading.coin_in_minor == sum(event.stake_minor for event in counted)
        left = of_kind(events, said.ProgressiveTableLeft)
        gone = sum(one.in_count for one in left if one.progressive_id == name)
        assert sum(one.in_count for one in reading.tables) + gone == reading.in_count


def test_the_meters_are_exact_sums_of_stakes_at_the_filed_rates(spoken: dict[str, list]) -> None:
    events = spoken[CONTROLLER]
    joined = of_kind(events, said.ProgressiveTableJoined)
    rates = {(one.progressive_id, one.table_id): one.increment_rate for one in joined}
    display = {one.progressive_id: Fraction(10_000) for one in joined}
    readings = 0
    for event in events:
        if isinstance(event, said.ProgressiveWagerAccepted):
            rate = parse_rate(rates[event.progressive_id, event.table_id])
            display[event.progressive_id] += Fraction(event.stake_minor, 100) * rate
        elif isinstance(event, said.ProgressiveAdjusted) and event.meter == "display":
            display[event.progressive_id] += Fraction(event.change)
        elif isinstance(event, said.ProgressiveReading | said.ProgressiveLockedOut):
            if "SOLO" in event.progressive_id:
                continue  # its controller does not tell single wagers
            assert Fraction(event.display) == display[event.progressive_id]
            readings += 1
    assert readings > 100


def test_the_rates_of_another_letter_are_changed_with_authority_and_readings_beside() -> None:
    start_us = 1_749_333_600_000_000
    linked = Controller(7, start_us, {"BAC-01": filing_of(0, 0), "BAC-02": filing_of(1, 0)})
    linked.begin()
    # The other table's filing: paytable B, where the first had A.
    retold = filing_of(1, 0)
    heard = linked.hear(Filed(), start_us + 2_000_000, "BAC-01", retold)
    heard += linked.until(start_us + 3_000_000)
    told = [parse_event(message.raw) for message in heard]
    assert [one.type for one in told] == [
        "progressive_reading",
        "progressive_parameters_changed",
        "progressive_parameters_changed",
        "progressive_reading",
    ]
    assert told[1].value_before == "15%"
    assert told[1].value_after == "19%"
    assert told[1].authority == "Rules Submission RS-2"


def test_a_plant_leaves_every_other_table_as_it_was(delivered: list[tuple[str, bytes]]) -> None:
    truths: list[Truth] = []
    plants = (PlantRequest("winner_underpaid", coup=5),)
    config = FloorConfig(duration=hours(0.4), plants=plants)
    with_fault = list(floor_events(config, truths.append))
    (truth,) = truths
    for source_id in {source_id for source_id, _ in delivered} - {CONTROLLER, truth.source}:
        before = [raw for source, raw in delivered if source == source_id]
        assert [raw for source, raw in with_fault if source == source_id] == before


def test_coups_are_shared_out_over_the_tables() -> None:
    floor = Floor(FloorConfig(tables=3, coups=8))
    list(floor.events())
    assert [table.coup_count for table in floor.tables] == [3, 3, 2]


def test_a_gaming_day_ends_at_six_and_the_drop_is_counted() -> None:
    start = datetime.datetime.fromisoformat("2025-06-08T05:40:00-04:00")
    config = FloorConfig(tables=1, start=start, duration=hours(0.7))
    drops = of_kind(events_of(config), said.DropCounted)
    assert [event.gaming_date.isoformat() for event in drops] == ["2025-06-07", "2025-06-08"]


def test_there_is_a_plant_for_every_finding() -> None:
    assert {code for plant in PLANTS.values() for code in plant.codes} == set(FindingCode)


def test_every_plant_suits_a_table_of_a_floor_of_twelve() -> None:
    for name in PLANTS:
        placed = place_faults(
            FloorConfig(duration=hours(1), plants=(PlantRequest(name),)), Random(7)
        )
        assert [fault.name for faults in placed.values() for fault in faults] == [name]


def test_an_unknown_plant_is_refused_with_the_near_miss() -> None:
    with pytest.raises(UnknownPlantError, match="did you mean banker_overpaid"):
        Floor(FloorConfig(plants=(PlantRequest("banker_overpayed"),)))


def test_a_plant_that_suits_no_table_is_refused() -> None:
    with pytest.raises(UnknownPlantError, match="majestic_after_third_card suits none"):
        Floor(FloorConfig(tables=2, plants=(PlantRequest("majestic_after_third_card"),)))


def test_a_truth_line_has_its_one_shape() -> None:
    truth = Truth(
        "banker_overpaid", "BAC-03", "S1", "S1/1", (FindingCode.WAGER_OVERPAID,), 500, note="x"
    )
    assert truth.as_json() == {
        "schema": "ladderman.truth/1",
        "plant": "banker_overpaid",
        "source": "BAC-03",
        "shoe": "S1",
        "coup": "S1/1",
        "codes": ["WAGER_OVERPAID"],
        "difference": "5.00",
        "currency": "USD",
        "note": "x",
    }


def test_the_demo_overpays_seat_4_of_bac_03_in_its_first_coup_41_seconds_in() -> None:
    auditor = Auditor()
    for event in Floor(demo_floor()).events():
        if event.source_id == "BAC-03":
            auditor.take(event.source_id, event.raw)
            if auditor.findings:
                break
    (finding,) = auditor.findings
    assert (finding.code, finding.seat) == (FindingCode.WAGER_OVERPAID, "4")
    assert (finding.paid_minor, finding.due_minor) == (20_000, 19_500)
    assert finding.coup == "BAC-03-20250607-1/1"
    moment = parse_event(auditor.log[auditor.offset - 1]).occurred_at
    assert moment.strftime("%H:%M:%S") == "22:00:41"  # 18:00:41 in New York
