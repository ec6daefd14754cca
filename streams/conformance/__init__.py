"""Checks of a feed against ``feed.md``: event by event, what is wrong and how to mend it."""

from streams.conformance.checking import ConformanceCheck
from streams.conformance.problems import Level, Problem, Rule
from streams.conformance.summary import ConformanceSummary, FeedSummary

__all__ = [
    "ConformanceCheck",
    "ConformanceSummary",
    "FeedSummary",
    "Level",
    "Problem",
    "Rule",
]
