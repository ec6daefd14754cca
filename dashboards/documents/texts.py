"""Texts that others wrote, made safe to show: quoted, cut, without signs that steer a terminal."""

from __future__ import annotations

import re
from typing import Final

_QUOTED_MAX: Final = 40


def quoted(text: str) -> str:
    """Quote what a person wrote, on one line and cut where it is long."""
    shown = " ".join(text.split())
    cut = shown if len(shown) <= _QUOTED_MAX else shown[: _QUOTED_MAX - 1] + "…"
    return f'"{cut}"'


_STEERING: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Keep signs that steer a terminal out of it; a file may hold any."""
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(text: str) -> str:
    """Write a text so that a terminal shows it and obeys nothing in it."""
    return "".join(one if one.isprintable() else f"\\x{ord(one):02x}" for one in text)
