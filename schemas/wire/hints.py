"""Hints for values and bytes that device makers often get wrong."""

from __future__ import annotations

import re
from typing import Final

from schemas.events.fields import CARD_PATTERN, RATE_PATTERN, WAGER_PATTERN

_SUITS: Final = str.maketrans("♠♥♦♣♤♡♢♧", "SHDCSHDC")
_VARIATION: Final = "\ufe0f"
_NO_NUMBER: Final = re.compile(rb"-?\b(NaN|Infinity)\b")
_SHOWN_MAX: Final = 24


def meant_value(pattern: str, value: object) -> str:
    """Suggest a value of the form that the given one was probably meant for.

    Args:
        pattern: The pattern that it does not match.
        value: What stood in the event.

    Returns:
        ``; did you mean TH?``, or nothing.
    """
    if not isinstance(value, str) or len(value) > _SHOWN_MAX:
        return ""
    meant = {CARD_PATTERN: _card, WAGER_PATTERN: _wager, RATE_PATTERN: _rate}.get(pattern)
    guess = meant(value) if meant is not None else ""
    return f"; did you mean {guess}?" if guess and re.match(pattern, guess) else ""


def _card(text: str) -> str:
    text = text.strip().replace(_VARIATION, "").translate(_SUITS).upper().replace("10", "T")
    if re.fullmatch("[CDHS][A2-9TJQK]", text):
        text = text[::-1]
    return text.replace("1", "A") if re.fullmatch("1[CDHS]", text) else text


def _wager(text: str) -> str:
    return re.sub("[ -]+", "_", text.strip().lower())


def _rate(text: str) -> str:
    return text.strip().replace(" ", "").replace(",", ".").removesuffix("%") + "%"


def layout_advice(raw: bytes, problem: str) -> str:
    """Say how to mend bytes that are no JSON, by what makers often do.

    Args:
        raw: The bytes, which are UTF-8.
        problem: What the reader of JSON says.
    """
    bare = raw.strip()
    if bare in (b"[", b"]"):
        return "write one event a line, without a list around them"
    if bare in (b"{", b"}") or (raw[:1] in b" \t" and bare.startswith((b'"', b"}", b"]"))):
        return "this is a part of an event: write each event on one line"
    if bare.endswith(b"},"):
        return "write one event a line, without a comma behind it"
    if problem.startswith("unexpected content after") and raw.count(b"}{"):
        return "another event stands on the line: write one event a line"
    if bare.startswith(b"{'"):
        return "texts stand in double quotes in JSON, not in single ones"
    if found := _NO_NUMBER.search(raw):
        return f"{found[0].decode()} is no number of JSON: leave out what is not known"
    return "send one whole object an event"
