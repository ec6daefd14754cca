"""Numbers of things in words: ``1 coup``, ``1,204 coups``."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Say how many there are of something whose plural ends in s.

    >>> counted(1, "coup"), counted(1204, "coup")
    ('1 coup', '1,204 coups')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
