"""Workers of two builds beside each other: a rolling restart to the newer one, and back."""

from __future__ import annotations

from collections.abc import Callable

from tests.integration.stream.test_kills import check_same
from tests.support.stream.stream_floor import Expected, Stream, small_floor, standing_of_ledgers
from tests.support.stream.stream_processes import Running

QUICK = {"snapshot_every": 40}


def test_builds_change_one_worker_at_a_time_and_back_and_no_verdict_changes(
    stream: Stream, expected: Expected
) -> None:
    """The newer build keeps states that the one before cannot read: it folds again instead."""

    def of_this_build(name: str) -> Running:
        return stream.odd_worker(name=name, pace=QUICK)

    def of_the_newer(name: str) -> Running:
        return stream.odd_worker(name=name, pace=QUICK, keeps_newer_states=True)

    floor = small_floor()
    turns: list[tuple[str, Callable[[str], Running]]] = [
        ("w1", of_the_newer),
        ("w2", of_the_newer),
        ("w1", of_this_build),
        ("w2", of_this_build),
    ]
    sink = stream.sink()
    workers = {name: of_this_build(name) for name in ("w1", "w2")}
    for one in workers.values():
        one.wait_ready()
    for turn, (name, build) in enumerate(turns):
        with stream.publishing(floor[len(floor) * turn // 4 : len(floor) * (turn + 1) // 4], 400):
            assert workers[name].stop() == 0
            workers[name] = build(name)
            workers[name].wait_ready()
        stream.wait_folded(*workers.values())

    stream.wait_sunk(sink)
    check_same(stream, expected)
    assert standing_of_ledgers(stream.output().ledgers) == expected.ledgers
    assert stream.digests() == expected.digests
    back = "".join(one.said for one in workers.values())
    assert "a newer build wrote it" in back
    assert all(one.stop() == 0 for one in (*workers.values(), sink))
