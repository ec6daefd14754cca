"""How findings are told: sentence and title from a finding's facts and its other fields alone.

One module an area; each maps its classes of facts to functions that render them. Nothing else goes
in, so a finding that is read back from the history is told in the same words, and nothing is ever
read out of a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from auditors.catalogue.sentences import (
    deals,
    feeds,
    filings,
    meters,
    payments,
    progressives,
    rounds,
    rules,
    shoes,
    vigorish,
    wagers,
)
from auditors.catalogue.sentences.shared import Words
from auditors.catalogue.titles import title_of
from schemas.findings import Finding

Renderer: TypeAlias = Callable[[Finding, Any], Words]
"""Renders a finding from its facts, whose class it is registered for."""

RENDERERS: Final[Mapping[type, Renderer]] = MappingProxyType(
    {
        facts_class: cast("Renderer", renderer)
        for area in (
            deals,
            feeds,
            filings,
            meters,
            payments,
            progressives,
            rounds,
            rules,
            shoes,
            vigorish,
            wagers,
        )
        for facts_class, renderer in area.RENDERERS.items()
    }
)
"""Class of facts to what renders it; a test holds that there is one for each class."""


def words_of(found: Finding) -> Words:
    """Give the sentence and the title of a finding.

    One without facts keeps its sentence: an earlier build wrote it, or there is no class of facts
    for it yet. Its title is that of its code.
    """
    if found.facts is None:
        return Words(found.sentence, title_of(found))
    return RENDERERS[type(found.facts)](found, found.facts)


__all__ = ["RENDERERS", "Renderer", "Words", "words_of"]
