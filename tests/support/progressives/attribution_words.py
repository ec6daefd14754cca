"""The sentence that a finding with the facts of an attribution says."""

from __future__ import annotations

from auditors.catalogue.sentences import words_of
from auditors.progressive.attribution.interval import Attribution
from schemas.finding_facts import decode_facts, encode_facts
from schemas.findings import Finding, Severity


def sentence_of(attribution: Attribution) -> str:
    """Render an attribution; its facts survive being written and read."""
    assert decode_facts(encode_facts(attribution.facts)) == attribution.facts
    found = Finding(
        id="0",
        code=attribution.code,
        severity=Severity.HIGH,
        sentence="",
        facts=attribution.facts,
    )
    return words_of(found).sentence
