"""Late truth in any order ends with what the table said, and with no gap that is none."""

import random

import pytest

from tests.properties.test_deliveries import ABOUT_DELIVERY, folded
from tests.support.tables.floors import table_feed


@pytest.mark.parametrize("seed", range(12))
def test_a_cluster_of_late_events_in_any_order_leaves_no_gap_behind(seed: int) -> None:
    chance = random.Random(seed)
    feed = table_feed("BAC-01", 25, random.Random(seed), 1000)
    honest, _ = folded(feed)
    shoe_loaded = feed.pop(2)
    feed.insert(2 + chance.randrange(4), shoe_loaded)  # some of its events come before it
    at = chance.randrange(8, 80)
    late = [feed.pop(at) for _ in range(chance.randrange(1, 6))]
    chance.shuffle(late)
    position = at + 70
    for message in late:
        position = min(len(feed), position + chance.randrange(15))
        feed.insert(position, message)
    mended, host = folded(feed)
    assert host.counts.amended == len(late)
    assert mended.subjects() == honest.subjects()
    assert mended.findings() == honest.findings()
    gaps = [f for r in mended.records.values() for f in r.findings if f.code in ABOUT_DELIVERY]
    assert gaps == []
