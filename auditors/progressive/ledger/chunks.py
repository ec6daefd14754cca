"""A long sorted row of effects in an immutable state that is never copied whole.

As short tuples in one tuple: an effect that comes last copies one short tuple, one that comes
between copies the one that it belongs into.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, TypeAlias

from auditors.progressive.ledger.effects import Effect, Position

CHUNK: Final = 64
"""A short tuple is begun anew when it has grown to so many effects."""

Chunks: TypeAlias = tuple[tuple[Effect, ...], ...]
"""Effects in order of their positions."""

EMPTY: Final[Chunks] = ()


def count_of(chunks: Chunks) -> int:
    """Count the effects."""
    return sum(map(len, chunks))


def effects_in(chunks: Chunks) -> Iterator[Effect]:
    """Give the effects in order."""
    return chain.from_iterable(chunks)


def chunked(effects: Iterable[Effect]) -> Chunks:
    """Cut a sorted row into short tuples."""
    row = tuple(effects)
    return tuple(row[start : start + CHUNK] for start in range(0, len(row), CHUNK))


def with_effect(chunks: Chunks, effect: Effect) -> Chunks:
    """Put an effect into its place."""
    if not chunks:
        return ((effect,),)
    last = chunks[-1]
    if last[-1] < effect:
        if len(last) < CHUNK:
            return (*chunks[:-1], (*last, effect))
        return (*chunks, (effect,))
    place = max(bisect_right(chunks, effect, key=_first) - 1, 0)
    row = list(chunks[place])
    insort(row, effect)
    half = len(row) // 2
    cut = (tuple(row),) if len(row) <= 2 * CHUNK else (tuple(row[:half]), tuple(row[half:]))
    return (*chunks[:place], *cut, *chunks[place + 1 :])


def with_effects(chunks: Chunks, effects: list[Effect]) -> Chunks:
    """Put effects into their places; mostly they all come behind the last."""
    if not effects:
        return chunks
    if chunks and not chunks[-1][-1] < effects[0]:
        for one in effects:
            chunks = with_effect(chunks, one)
        return chunks
    last = chunks[-1] if chunks else ()
    room = CHUNK - len(last) if chunks else 0
    filled = ((*last, *effects[:room]),) if chunks else ()
    return (*chunks[:-1], *filled, *chunked(effects[room:]))


def without_effect(chunks: Chunks, effect: Effect) -> Chunks:
    """Take an effect out; nothing changes where it is not there."""
    place = max(bisect_right(chunks, effect, key=_first) - 1, 0)
    if not chunks or effect not in chunks[place]:
        return chunks
    left = tuple([one for one in chunks[place] if one != effect])
    return (*chunks[:place], *((left,) if left else ()), *chunks[place + 1 :])


def split_at(chunks: Chunks, frontier_us: int) -> tuple[list[Effect], Chunks]:
    """Take off the effects up to a moment, that moment included."""
    taken: list[Effect] = []
    for number, chunk in enumerate(chunks):
        if chunk[-1].at_us <= frontier_us:
            taken.extend(chunk)
            continue
        if chunk[0].at_us > frontier_us:
            return taken, chunks[number:]
        cut = bisect_right(chunk, frontier_us, key=_time)
        taken.extend(chunk[:cut])
        return taken, (chunk[cut:], *chunks[number + 1 :])
    return taken, EMPTY


def after(chunks: Chunks, position: Position) -> Iterator[Effect]:
    """Give the effects behind a position, the latest first."""
    for chunk in reversed(chunks):
        for effect in reversed(chunk):
            if effect.position <= position:
                return
            yield effect


def _first(chunk: tuple[Effect, ...]) -> Effect:
    return chunk[0]


def _time(effect: Effect) -> int:
    return effect.at_us
