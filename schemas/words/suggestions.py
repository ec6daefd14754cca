"""The known word that somebody probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near_miss(word: str, known: Iterable[str]) -> str:
    """Suggest the nearest known word, whatever its case, to be put at the end of a message.

    Returns:
        ``; did you mean golden_talons?``, or nothing where no known word is near.
    """
    by_lower = {word.lower(): word for word in known}
    close = difflib.get_close_matches(word.lower(), list(by_lower), n=1)
    return f"; did you mean {by_lower[close[0]]}?" if close else ""
