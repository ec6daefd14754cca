"""The smallest explanation that fits a meter's difference exactly, or that there is none.

Two matters are kept apart: whether the controller counted what the tables accepted, wager by
wager where it reports them; and whether its meters are right for what it counted. The second is a
search: one cause, else two, else *unexplained*. What fits equally is said so; nothing is forced.
"""

from __future__ import annotations

from auditors.progressive.attribution.cause_facts import attributed_cause, attributed_rest
from auditors.progressive.attribution.explanations import explained
from auditors.progressive.attribution.interval import Attribution, Interval
from auditors.progressive.attribution.match_facts import attributed_unlike, attributed_void
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
        *(attributed_unlike(interval, one) for one in unlike_wagers(interval)),
        *(attributed_void(interval, one) for one in unlike_voids(interval)),
    )
    problem = problem_of(interval)
    found = explained(problem)
    if found is None:
        return (*matched, attributed_rest(problem))
    return (*matched, *(attributed_cause(problem, one) for one in found))
