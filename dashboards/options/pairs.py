"""Options of the form ``NAME=VALUE``, and what a person wrote, quoted on one line."""

from __future__ import annotations

from collections.abc import Iterable

from dashboards.documents.texts import quoted
from dashboards.errors import UsageProblem


def parse_pairs(pairs: Iterable[str], what: str) -> dict[str, str]:
    """Read options of the form ``NAME=VALUE``, each name once.

    Args:
        pairs: As the person wrote them, such as ``golden_talons=B``.
        what: The option that the error names, such as ``--paytable``.

    Returns:
        Name to value, in the order given.

    Raises:
        UsageProblem: A pair without ``=``, an empty side, or a name given two values.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            raise UsageProblem(f"{what} {quoted(pair)}: write it as NAME=VALUE")
        if found.setdefault(name, value) != value:
            raise UsageProblem(
                f"{what} {name}: given as {found[name]} and as {value}; give it once"
            )
    return found
