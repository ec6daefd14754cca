"""Why does a meter differ? The smallest explanation that fits exactly, or that there is none.

Two questions are kept apart: whether the controller counted what the tables accepted, wager by
wager where it reports them; and whether its meters are right for what it counted. The second is a
search: one cause, else two, else *unexplained*. What fits equally is said so; nothing is forced.
"""

from __future__ import annotations

from auditors.progressive.attribution.cause_words import told_explained, told_unexplained
from auditors.progressive.attribution.explanations import explained
from auditors.progressive.attribution.interval import Attribution, Interval
from auditors.progressive.attribution.match_words import told_unlike, told_void
from auditors.progressive.attribution.matching import unlike_voids, unlike_wagers
from auditors.progressive.attribution.problem import problem_of


def attribute(interval: Interval) -> tuple[Attribution, ...]:
    """Say why the meters of a reading differ from the ledger.

    Args:
        interval: Everything between the last reading that agreed and this one.

    Returns:
        One attribution for each cause; none where nothing differs. Effects of those that compare
        with the tables add up to what was counted less what was accepted; effects of the others
        to what was read less what is due for what was counted.
    """
    matched = (
        *(told_unlike(interval, one) for one in unlike_wagers(interval)),
        *(told_void(interval, one) for one in unlike_voids(interval)),
    )
    problem = problem_of(interval)
    found = explained(problem)
    if found is None:
        return (*matched, told_unexplained(problem))
    return (*matched, *(told_explained(problem, one) for one in found))
