"""What a name stands for: a section, a wager or an interpretation."""

from __future__ import annotations

from dataclasses import dataclass

from auditors.law.model import Interpretation, Law, Section, Wager
from auditors.settlement.terms import TermsError, resolve_wager
from dashboards.documents.errors import AmbiguousError, NotThereError
from dashboards.documents.texts import quoted
from schemas.words.suggestions import near_miss


@dataclass(frozen=True, slots=True)
class FoundWagers:
    """What a name stands for: a whole section, or one wager of it."""

    section: Section
    wagers: tuple[Wager, ...]


def find_rule(law: Law, name: str) -> FoundWagers | Interpretation:
    """Find a section by id or number, a wager, or an interpretation.

    Raises:
        NotThereError: Nothing is of that name; with the near miss.
        AmbiguousError: Several wagers are of a bare name.
    """
    asked = name.strip()
    if found := law.interpretations.get(asked.upper()):
        return found
    section = law.sections.get(asked.lower()) or _by_number(law, asked)
    if section is not None:
        return FoundWagers(section, section.wager)
    bare = asked.lower().partition("@")[0]
    if bare in law.wagers:
        owner, wager = law.wagers[bare]
        return FoundWagers(owner, (wager,))
    try:
        owner, wager = law.wagers[resolve_wager(law, bare).id]
    except TermsError as error:
        message = str(error)
    else:
        return FoundWagers(owner, (wager,))
    if "ambiguous" in message:
        raise AmbiguousError(message, ())
    words = {id_.rpartition(".")[2] for id_ in law.wagers}
    hint = near_miss(bare, [*law.sections, *law.wagers, *words]) or near_miss(
        asked.upper(), law.interpretations
    )
    raise NotThereError("section, wager or interpretation", quoted(name), "", hint)


def _by_number(law: Law, text: str) -> Section | None:
    code = law.jurisdiction.code
    cited = f"{code} § {text.removeprefix(code).strip(' §')}"
    return next((one for one in law.sections.values() if one.section == cited), None)
