"""What an event changed is read off the states before and after it, in sentences."""

from auditors.table.explanations import changes_between
from schemas import events as said
from tests.support.tables.played_table import opened_table, play
from tests.support.tables.table_script import Folded, TableScript, a_submission


def told(messages: list[bytes], *last: bytes) -> list[tuple[str, ...]]:
    """Say what each message changed, those before the last aside."""
    folded = Folded(messages)
    found = []
    for offset, raw in enumerate(last, len(messages)):
        folded.log.append(raw)
        before = folded.state
        folded.take(offset, raw)
        found.append(changes_between(before, folded.state))
    return found


def all_told(script: TableScript) -> dict[str, list[str]]:
    """Say what each type of event changed, in order."""
    folded = Folded([])
    found: dict[str, list[str]] = {}
    for offset, raw in enumerate(script.messages):
        folded.log.append(raw)
        before = folded.state
        folded.take(offset, raw)
        event_type = raw.split(b'"', 4)[3].decode()
        found.setdefault(event_type, []).extend(changes_between(before, folded.state))
    return found


def test_an_opening_names_the_rules_and_the_checks_that_are_off() -> None:
    reports = [one for one in said.Capability if one is not said.Capability.FAULTS]
    reports.remove(said.Capability.SEAT_TOTALS_ONLY)
    script = TableScript().open(reports=reports)
    assert all_told(script)["table_opened"] == [
        "the table is open",
        "RS-7 is in force",
        "checks off: device_faults",
    ]


def test_a_coup_is_told_card_by_card_with_what_has_to_be_drawn() -> None:
    found = all_told(play(opened_table()))
    assert found["shoe_loaded"] == ["shoe S1 of 8 decks is in play"]
    assert found["wager_placed"] == ["coup 1 of shoe S1 begins"]
    assert found["no_more_bets"] == ["standing: 1 wager"]
    assert found["card_dealt"] == [
        "Player 2S = 2",
        "Player 2S = 2, Banker AC = 1",
        "Player 2S 3H = 5, Banker AC = 1",
        "Player 2S 3H = 5, Banker AC 2S = 3",
        "Player has to draw on 5",
        "Player 2S 3H TD = 5, Banker AC 2S = 3",
        "Banker has to draw on 3 against TD",
        "Player 2S 3H TD = 5, Banker AC 2S 5H = 8",
    ]
    assert found["coup_closed"] == [
        "the coup is over; what was not reported by now counts as absent"
    ]


def test_the_verdict_is_told_when_the_cards_decide_it() -> None:
    (line,) = all_told(play(opened_table()))["result_announced"]
    assert line.startswith("seat 4 banker: ")
    assert "100.00 + 95.00 = 195.00 due" in line


def test_what_several_verdicts_begin_with_is_told_once() -> None:
    script = opened_table().coup()
    script.wager("banker", 10_000, "4")
    script.wager("player", 5_000, "2")
    script.close_bets().deal("2S 3H KD", "AC 2D 5H").result("banker", 5, 8)
    shared, *wagers = all_told(script)["result_announced"]
    assert shared.endswith("Banker 8, Player 5: Banker wins")
    assert [one.partition(":")[0] for one in wagers] == ["seat 4 banker", "seat 2 player"]
    assert not any("Banker wins" in one for one in wagers)


def test_a_natural_and_a_standing_player_are_told() -> None:
    natural = opened_table().coup().close_bets().deal("9S KH", "AC 2D")
    assert all_told(natural)["card_dealt"][-1] == "a natural: nobody draws"
    stands = opened_table().coup().close_bets().deal("6S KH", "AC 2D")
    assert all_told(stands)["card_dealt"][-1] == "Player stands; Banker has to draw"


def test_a_card_that_cannot_be_read_ends_the_reading() -> None:
    script = opened_table().coup().close_bets().deal("2S ?", "AC 2D")
    assert all_told(script)["card_dealt"][-1] == "Player 2S = 2, Banker AC 2D = 3, a card unread"


def test_the_gate_is_told_waiting_releasing_and_giving_up() -> None:
    script = opened_table()
    for _ in range(80):
        script.say(said.Heartbeat)
    messages = script.messages
    assert told(messages[:4], messages[5]) == [("it waits for event 5",)]
    assert told([*messages[:4], messages[5]], messages[4]) == [
        ("1 event that had waited, folded with it",)
    ]
    assert told(messages[:4], messages[3]) == [
        ("it changes nothing: its number was folded before",)
    ]
    given_up = [line for lines in told(messages[:4], *messages[5:75]) for line in lines]
    assert "events 5 to 5 are given up as missing" in given_up


def test_rules_dealers_faults_and_the_end_of_a_shoe_are_told() -> None:
    script = opened_table()
    script.say(said.DealerOn, dealer="D1").say(said.DealerOff, dealer="D1")
    script.say(said.DeviceFaultRaised, fault_id="F1", device="shoe", fault="red light")
    script.say(said.DeviceFaultCleared, fault_id="F1")
    script.say(said.CoverCardDrawn, shoe_id="S1")
    script.say(said.ShoeEnded, shoe_id="S1", reason="other", coup_count=0)
    script.say(said.RulesSubmissionChanged, submission=a_submission(id="RS-8"))
    script.say(said.TableClosed, event_count=11, coup_count=0)
    found = all_told(script)
    assert found["dealer_on"] == ["the dealer is D1"]
    assert found["dealer_off"] == ["no dealer is on"]
    assert found["device_fault_raised"] == ["open: 1 device fault"]
    assert found["device_fault_cleared"] == ["no device fault is open"]
    assert found["cover_card_drawn"] == ["coup 1 dealt from it is the last one permitted"]
    assert found["shoe_ended"] == ["shoe S1 is over: 0 coups, 4 cards came out"]
    assert found["rules_submission_changed"] == ["RS-8 is in force"]
    assert found["table_closed"] == ["the table is closed"]


def test_a_void_coup_is_told() -> None:
    script = opened_table().coup()
    script.wager("banker", 10_000, "4")
    script.close_bets().of_coup(said.CoupVoided, reason="misdeal", authorised_by="P1")
    assert "the coup is void; stakes go back" in all_told(script)["coup_voided"]
