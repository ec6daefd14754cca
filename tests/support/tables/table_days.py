"""Days of one table as a property test draws them: honest and faulty steps in any order."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from schemas import events as said
from tests.support.tables.table_script import EVERYTHING, TableScript, a_submission, with_wager

_HANDS = (
    ("9S KD", "2S 3H", "player"),
    ("2C 3H KD", "AC 2D 5H", "banker"),
    ("4S 5H", "9C KD", "tie"),
    ("9D 9S 2H", "2S 3H", "banker"),
    ("2S 4H ?", "7D KC", "player"),
    ("7C", "8D", "tie"),
)
_WAGERS = ("player", "banker", "tie", "golden_talons@player", "house.player_pair", "sun_7")
_AMOUNTS = st.sampled_from([0, 500, 10_000, 19_500, 20_000, 20_100, 90_000])
_SEATS = st.sampled_from(["1", "2"])

Step = Callable[[TableScript], object]
"""Says something at a table."""


def _coup(draw: st.DrawFn) -> Step:
    """Play a coup; what was dealt, called and paid is right or not."""
    player, banker, winner = draw(st.sampled_from(_HANDS))
    wagers = draw(
        st.lists(st.tuples(st.sampled_from(_WAGERS), _AMOUNTS, _SEATS, _AMOUNTS), max_size=4)
    )
    faults = draw(st.sets(st.sampled_from(["no call", "late", "unpaid", "open", "void", "early"])))
    ids_told = draw(st.sampled_from([0, 0, 2, 100]))

    def play(script: TableScript) -> None:
        script.coup()
        ids = [
            (script.wager(name, max(stake, 1), seat, wager_id=f"{script.coup_id}/{n}"), paid)
            for n, (name, stake, seat, paid) in enumerate(wagers)
        ]
        if "no call" not in faults:
            script.close_bets()
        if "late" in faults:
            script.wager("player", 700, wager_id=f"{script.coup_id}/late")
        _deal(script, player, banker, ids_told)
        if "early" in faults:
            ids = _settled(script, ids, faults)
        if "void" in faults and "no call" in faults:
            script.of_coup(said.CoupVoided)
        elif "void" in faults:
            script.void()
        else:
            script.result(winner)
        _settled(script, ids, faults)
        if "open" not in faults:
            script.close()

    return play


def _deal(script: TableScript, player: str, banker: str, ids: int) -> None:
    """Deal a coup, each card with one of so many ids; 0: without ids."""
    if not ids:
        script.deal(player, banker)
        return
    hands = {"player": player.split(), "banker": banker.split()}
    for position in (1, 2, 3):
        for hand, cards in hands.items():
            for card in cards[position - 1 : position]:
                script.card(hand, position, card, card_id=f"{script.sequence % ids}")


def _settled(
    script: TableScript, ids: list[tuple[str, int]], faults: set[str]
) -> list[tuple[str, int]]:
    for wager_id, paid in ids[1 if "unpaid" in faults else 0 :]:
        script.settle(wager_id, paid, stake_collected_minor=0, vigorish_marked_minor=paid // 100)
    return []


def _later(draw: st.DrawFn) -> Step:
    """Put right, repeat or contradict something about a wager of the coup before."""
    number = draw(st.integers(0, 3))
    change = draw(st.sampled_from([-500, 100, 10_000]))
    kind = draw(st.sampled_from(["correct", "correct alone", "again", "other", "refund"]))

    def say(script: TableScript) -> None:
        wager_id = f"{script.coup_id}/{number}"
        if kind == "refund":
            script.refund(wager_id, abs(change), refund_id=f"R{script.sequence}")
        elif kind.startswith("correct"):
            reason = None if kind == "correct alone" else "paid wrongly"
            script.correct(wager_id, change, correction_id=f"C{script.sequence}", reason=reason)
        else:
            settlement = f"T-{wager_id}" if kind == "other" else f"T{script.sequence}"
            script.settle(wager_id, abs(change), settlement_id=settlement)

    return say


def _beside(draw: st.DrawFn) -> Step:
    """Say something that belongs to no coup."""
    seat, minor = draw(_SEATS), draw(_AMOUNTS)
    after_s = draw(st.sampled_from([0.1, 1.0, 10.0, 150.0, -3.0]))
    steps: tuple[Step, ...] = (
        lambda script: script.say(said.Heartbeat, after_s),
        lambda script: script.say(said.SeatVacated, seat=seat),
        lambda script: script.say(
            said.VigorishCollected,
            collection_id=f"V{script.sequence}",
            shoe_id=script.coup_id.partition("/")[0],
            seat=seat,
            collected_minor=minor,
        ),
        lambda script: script.of_shoe(
            said.CardRemoved,
            removal_id=f"M{script.sequence}",
            taken_from="shoe",
            reason="damaged",
            card="7H",
        ),
        lambda script: script.of_shoe(said.CardExposed, disposition="burned", card="QD"),
        lambda script: script.of_shoe(said.CoverCardDrawn),
        lambda script: script.of_shoe(said.CardExposed, disposition="discarded", card_id="7"),
        lambda script: script.say(said.ChipsFilled, fill_id=f"N{seat}", amount_minor=minor),
        lambda script: script.say(
            said.DropCounted,
            count_id=f"D{script.sequence % 3}",
            amount_minor=minor,
            gaming_date=script.now.date(),
            corrects_count_id="D0" if minor else None,
        ),
        lambda script: script.of_shoe(said.CardsBurned, exposed_card="7D", burned_count=7),
        lambda script: script.say(
            said.DeviceFaultRaised, fault_id=f"F{script.sequence}", device="shoe", fault="red"
        ),
        lambda script: script.say(
            said.RulesSubmissionChanged, submission=a_submission(version=script.sequence)
        ),
        lambda script: script.say(
            said.PaytablesDisplayed,
            displays=(
                said.DisplayedPaytable(wager="golden_talons", shown_on="sign", paytable="C"),
            ),
        ),
        lambda script: script.say(
            said.VideoReference,
            camera_id="C1",
            recorded_from=script.now,
            recorded_until=script.now,
            coup_id=script.coup_id if minor else None,
        ),
        lambda script: script.end_shoe(cards_left_count=400),
        lambda script: script.shoe(f"S{script.sequence}"),
    )
    return draw(st.sampled_from(steps))


def _restart(draw: st.DrawFn) -> Step:
    feed_id = f"feed-{draw(st.integers(2, 4))}"

    def say(script: TableScript) -> None:
        if script.position.feed_id < feed_id:
            script.restart(feed_id, predecessor_sequence=script.sequence)

    return say


_KINDS = (_coup, _coup, _coup, _later, _later, _beside, _beside, _restart)


@st.composite
def table_days(draw: st.DrawFn, *, with_restarts: bool = True) -> TableScript:
    """Draw a day of one table.

    Args:
        draw: Given by hypothesis.
        with_restarts: Whether feeds may begin within the day.
    """
    kinds = _KINDS if with_restarts else _KINDS[:-1]
    steps = [draw(st.sampled_from(kinds))(draw) for _ in range(draw(st.integers(1, 14)))]
    filed = draw(
        st.sampled_from(
            [
                a_submission(),
                a_submission(commission={"form": "standard", "timing": "marked"}),
                with_wager("minibaccarat.player", maximum="50.00"),
            ]
        )
    )
    seats = draw(st.booleans())
    reports = [one for one in EVERYTHING if not (seats and one is said.Capability.PATRONS)]
    script = TableScript().open(filed, reports).shoe()
    for step in steps:
        step(script)
    return script
