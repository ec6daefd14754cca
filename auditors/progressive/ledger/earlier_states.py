"""States of earlier builds, which kept what they had found as words, in the shape of today."""

from __future__ import annotations

import json
from typing import Any, Final

_EFFECT: Final = {"display": "0", "reserve": "0"}


def in_todays_shape(raw: bytes, matters_at: int, causes_at: int) -> bytes:
    """Rewrite a state of format 3 or before.

    Args:
        raw: The state.
        matters_at: Index of the matters in a baseline.
        causes_at: Index of the causes in what was said of a reset.
    """
    state = json.loads(raw)
    for level in state["levels"]:
        baseline = level["baseline"]
        if baseline is not None and len(baseline) > matters_at:
            baseline[matters_at] = [_matter(matter) for matter in baseline[matters_at]]
        for hit in level["hits"]:
            reset = hit.get("reset_said")
            if reset is not None and len(reset) > causes_at and isinstance(reset[causes_at], str):
                words = reset[causes_at]
                reset[causes_at] = [{"kind": "reset_before", "words": words}] if words else []
    return json.dumps(state).encode()


def _matter(matter: list[Any]) -> list[Any]:
    *place, head, tail, wagers, display, reserve = matter
    if not isinstance(head, str):
        return matter
    facts = {
        "kind": "lasting_before",
        "words": head,
        "words_after": tail,
        "wager_count": wagers,
        "reading_sequence": 0,
        "effect": _EFFECT,
    }
    return [*place, facts, wagers, display, reserve]
