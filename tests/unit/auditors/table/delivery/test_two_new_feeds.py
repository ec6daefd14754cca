"""A device that is started anew twice at once: what came of its short feed is never thrown away."""

import pytest

from schemas import events as said
from tests.support.tables.amended import Amended, current
from tests.support.tables.table_script import Folded, TableScript


def started_twice() -> tuple[list[bytes], int, int]:
    """Give messages, and where the short feed and the one behind it begin."""
    script = TableScript().open().shoe().honest_coup()
    short = len(script.messages)
    script.restart("feed-2", predecessor_sequence=script.sequence)
    script.say(said.Heartbeat, 0.5)
    script.say(said.DeviceFaultRaised, 0.5, fault_id="F1", device="shoe", fault="red")
    last = len(script.messages)
    script.restart("feed-3", predecessor_sequence=script.sequence)
    script.say(said.Heartbeat, 0.5).honest_coup()
    for _ in range(25):  # longer than anything waits
        script.say(said.Heartbeat)
    return script.messages, short, last


def test_only_the_beginning_of_a_short_feed_is_missing_where_the_rest_of_it_came() -> None:
    messages, short, _ = started_twice()
    folded = Folded(messages[:short] + messages[short + 1 :])
    assert folded.codes == ["DEVICE_FAULT_OPEN", "SEQUENCE_GAP"]
    (gap,) = (one for one in folded.findings if one.code.value == "SEQUENCE_GAP")
    assert gap.sentence.startswith("Event 1 is missing from feed feed-2;")


def test_two_feeds_that_are_not_begun_yet_keep_what_came_of_both() -> None:
    messages, short, last = started_twice()
    early = [messages[short + 1], messages[last + 1], messages[short + 2], messages[last]]
    folded = Folded(messages[:short] + early + messages[last + 2 :])
    assert folded.codes == ["DEVICE_FAULT_OPEN", "SEQUENCE_GAP"]
    (gap,) = (one for one in folded.findings if one.code.value == "SEQUENCE_GAP")
    assert gap.sentence.startswith("Event 1 is missing from feed feed-2;")


@pytest.mark.parametrize(
    "order",
    [(1, 4, 0, 2, 3), (1, 2, 3, 4, 0), (1, 3, 0, 2, 4), (1, 3, 4, 2, 0), (2, 4, 1, 0, 3)],
    ids=str,
)
def test_a_short_feed_and_the_next_one_mixed_up_end_like_both_in_order(
    order: tuple[int, ...],
) -> None:
    messages, short, last = started_twice()
    mixed = [messages[short + one] for one in order]
    assert current(Amended(messages[:short] + mixed + messages[last + 2 :])) == current(
        Folded(messages)
    )


def test_a_later_feed_that_is_heard_first_takes_no_earlier_ones_place() -> None:
    messages, short, last = started_twice()
    mixed = [messages[short + one] for one in (4, 1, 0, 2, 3)]
    folded = Amended(messages[:short] + mixed + messages[last + 2 :])
    (gap,) = folded.findings  # the event that is missing may have cleared the fault
    assert gap.sentence.startswith("Event 2 is missing from feed feed-3;")
