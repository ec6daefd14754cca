"""A build is told apart when it starts, by events that every build must read."""

from __future__ import annotations

import hashlib

import pytest

from schemas.events.union import EVENT_TYPES
from schemas.wire import parse_event
from streams.host.errors import UnfitBuildError
from streams.operating import known_events as known
from streams.operating.known_events import check_build, known_events

WRITTEN = {
    21: "a092e8227d0f9f58f2a35ea1aa848348966d8af5b792183d76080298076cc347",
    77: "4161e9d6f817769cf2bf736460dca58c67bff027fde3c4cf8750f022954e207e",
}
"""Lines to the SHA-256 of the file up to there: what was written once is never changed."""


def test_this_build_reads_what_every_build_must_read() -> None:
    check_build()


@pytest.mark.parametrize(("lines", "sha256"), WRITTEN.items())
def test_what_was_written_once_is_never_changed(lines: int, sha256: str) -> None:
    head = b"\n".join(known_events()[:lines])
    assert hashlib.sha256(head).hexdigest() == sha256


def test_every_kind_of_event_is_among_them() -> None:
    told = {parse_event(raw).type for raw in known_events()}
    assert told == set(EVENT_TYPES)


@pytest.mark.parametrize("number", range(len(known_events())))
def test_a_line_that_cannot_be_read_is_named(number: int) -> None:
    lines = list(known_events())
    lines[number] = lines[number][:-1]
    with pytest.raises(UnfitBuildError, match=rf"^line {number + 1} of known_events\.jsonl cannot"):
        check_build(tuple(lines))


def test_an_event_that_is_read_and_not_folded_is_named() -> None:
    lines = list(known_events())
    lines[1] = lines[1].replace(b'"sequence":2', b'"sequence":1')
    with pytest.raises(UnfitBuildError, match="line 2 "):
        check_build(tuple(lines))


def test_a_finding_about_the_honest_day_is_named() -> None:
    lines = list(known_events())
    lines[3] = lines[3].replace(b"BAC-03-20250607-1", b"BAC-03-20250607-9")
    with pytest.raises(UnfitBuildError, match="leads to CHAIN_BROKEN"):
        check_build(tuple(lines))


def test_a_fold_that_rejects_good_events_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    fold = known.absorb

    def forgetful(state, delivered, read_again):  # type: ignore[no-untyped-def]
        absorbed = fold(state, delivered, read_again)
        return absorbed._replace(is_valid=b"card_dealt" not in delivered.raw)

    monkeypatch.setattr(known, "absorb", forgetful)
    with pytest.raises(UnfitBuildError, match=r"\(card_dealt\) is not folded as a valid event"):
        check_build()
