"""Conditions under which the filed game and wagers may be offered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from auditors.filings.filing import Defect, Filing, count, either, listed
from auditors.law import jurisdictions
from auditors.law.interpretations import LastDay
from auditors.law.model import Section, Wager
from auditors.law.status import Status, has_successor, lapse_sentence, section_status
from auditors.settlement.terms import MAIN_WAGERS, TermsError, is_game, resolve_wager
from schemas.odds import parse_rate
from schemas.rules_submission import CommissionForm
from schemas.words.suggestions import near_miss

BASE_DECKS: Final = (6, 8)
"""Decks of a main game whose text is not held; a stated default, no citation is claimed."""

BASE_COVER_CARDS: Final = 2
"""Cover cards of a main game whose text is not held; as for :data:`BASE_DECKS`."""


def check_jurisdiction(filing: Filing) -> Iterator[Defect]:
    """Check that the law of the jurisdiction is held, and that it has the game."""
    submission, law = filing.submission, filing.law
    if submission.jurisdiction not in jurisdictions():
        hint = near_miss(submission.jurisdiction, jurisdictions())
        yield Defect(
            "jurisdiction",
            f"coups are settled under the law of {law.jurisdiction.title}, since none of "
            f"{submission.jurisdiction!r} is held{hint}",
        )
    if submission.game.value not in law.sections:
        yield Defect(
            "game",
            f"coups are settled as {filing.game.title}, since the law of {law.jurisdiction.title} "
            f"as held has no {submission.game.value}",
        )


def check_shoe(filing: Filing) -> Iterator[Defect]:
    """Check the number of decks and cover cards."""
    decks, covers = filing.submission.decks, filing.submission.cover_cards
    for section in filing.sections():
        offering, by_default = section.offering, section.kind == "main"
        allowed = offering.decks or (BASE_DECKS if by_default else ())
        if allowed and decks not in allowed:
            yield Defect(
                "decks",
                f"{count(decks, 'deck')} filed; {section.title} is played with {either(allowed)}"
                + ("" if offering.decks else " (text not seen)"),
                section.citation(offering.decks_cite) if offering.decks else None,
            )
        wanted = offering.cover_cards or (BASE_COVER_CARDS if by_default else None)
        if wanted is not None and covers != wanted:
            yield Defect(
                "cover_cards",
                f"{count(covers, 'cover card')} filed; {section.title} is played with {wanted}"
                + ("" if offering.cover_cards else " (text not seen)"),
                section.citation(offering.cover_cards_cite) if offering.cover_cards else None,
            )


def check_commission(filing: Filing) -> Iterator[Defect]:
    """Check that a choice is filed where one is asked for, and that the game has it."""
    commission = filing.submission.commission
    if commission is None:
        for section in filing.sections():
            if section.offering.commission_choice:
                yield Defect(
                    "commission",
                    f"no choice is filed; for {section.title} the Rules Submission has to say "
                    "standard or free",
                    section.citation(section.offering.commission_choice),
                )
    elif commission.form is CommissionForm.FREE and not _free_cite(filing.game):
        elsewhere = [
            f"{known.title} ({known.citation(_free_cite(known))})"
            for known in filing.law.sections.values()
            if _free_cite(known)
        ]
        yield Defect(
            "commission.form",
            f"free is filed; the text of {filing.game.title} as held defines no commission-free "
            f"game; of those held it is defined for {', '.join(elsewhere) or 'none'}",
            filing.game.citation(),
        )
    elif commission.form is CommissionForm.STANDARD and parse_rate(commission.rate) == 0:
        yield Defect("commission.rate", "0 % is filed; a game without vigorish is filed as free")


def _free_cite(section: Section) -> str:
    """Give the paragraph that defines the section's commission-free game; empty: none does."""
    for wager in section.wager:
        for outcome in wager.outcome:
            if outcome.applies_if.get("commission") == "free":
                return outcome.wins_cite
    return ""


def check_wagers(filing: Filing) -> Iterator[Defect]:
    """Check that every wager exists and belongs to the game, and that the game is dealt."""
    for filed in filing.submission.wagers:
        where = f"wagers[{filed.id}]"
        if filed.id not in filing.law.wagers:
            yield Defect(where, _unknown_wager(filing, filed.id))
            continue
        section, wager = filing.law.wagers[filed.id]
        if not filing.fits(section):
            yield _wrong_game(filing, where, filed.id, section, wager)
    hands = [f"{filing.game.id}.{code}" for code in MAIN_WAGERS[:2]]
    missing = [id_ for id_ in hands if filing.submission.offered(id_) is None]
    if missing:  # a table without Tie is dealt all the same
        yield Defect(
            "wagers",
            f"not offered: {listed(missing)}; {filing.game.title} is played on the Player and the "
            "Banker hand",
            filing.game.citation(filing.game.cites.wagers if filing.game.cites else ""),
        )


def _unknown_wager(filing: Filing, name: str) -> str:
    """Say that a wager is unknown, with its full id or the near miss."""
    bare, at, _ = name.partition("@")
    if at and bare in filing.law.wagers:
        return f"a wager is filed without the hand it is placed on; write {bare}"
    try:
        return (
            f"not a wager's full id; write {resolve_wager(filing.law, name, filing.submission).id}"
        )
    except TermsError as error:
        return str(error)


def _wrong_game(
    filing: Filing, where: str, wager_id: str, section: Section, wager: Wager
) -> Defect:
    game = filing.game
    if is_game(filing.law, section.id):
        instead = f"; write {game.id}.{wager.code}" if wager.code in MAIN_WAGERS else ""
        return Defect(
            where,
            f"{section.title} is a game of its own; the table is filed to play "
            f"{game.title}{instead}",
            section.citation(section.offering.rules_submission),
            wager_id,
        )
    games = {
        known.chapter: known.title
        for known in filing.law.sections.values()
        if is_game(filing.law, known.id)
    }
    at = [games[chapter] for chapter in section.applies_to if chapter in games]
    twins = [
        known.id
        for known in filing.law.sections.values()
        if (known.wagers_of or known.id) == (section.wagers_of or section.id) and filing.fits(known)
    ]
    instead = f"; there it is {twins[0]}" if twins else ""
    return Defect(
        where,
        f"{section.title} is offered at {listed(at)}; the table is filed to play "
        f"{game.title}{instead}",
        section.citation(section.offering.rules_submission or wager.base_wager_cite),
        wager_id,
    )


def check_paytables(filing: Filing) -> Iterator[Defect]:
    """Check that a printed letter is filed where letters exist, one for a whole package."""
    packages: dict[str, dict[str, str]] = {}
    for filed, section, _ in filing.offered():
        where, letters = f"wagers[{filed.id}].paytable", section.paytables
        cite = section.citation(section.offering.one_paytable)
        if filed.paytable is None and letters:
            problem = f"no letter is filed; {section.title} prints {listed(letters)}"
        elif filed.paytable is not None and not letters:
            problem = f"{filed.paytable!r} is filed; {section.title} prints no letters"
        elif filed.paytable is not None and filed.paytable not in letters:
            hint = near_miss(filed.paytable.upper(), letters)
            problem = f"{filed.paytable!r} is filed; {section.title} prints {listed(letters)}{hint}"
        else:
            if filed.paytable and section.offering.one_paytable:
                packages.setdefault(section.id, {})[filed.id] = filed.paytable
            continue
        yield Defect(where, problem, cite, filed.id)
    for section_id, chosen in packages.items():
        if len(set(chosen.values())) > 1:
            section = filing.law.sections[section_id]
            each = ", ".join(f"{id_} {letter}" for id_, letter in chosen.items())
            yield Defect(
                f"wagers[{section_id}.*].paytable",
                f"the letters differ ({each}); {section.title} is paid by one paytable",
                section.citation(section.offering.one_paytable),
            )


def check_layout(filing: Filing) -> Iterator[Defect]:
    """Check that the layout has an area where the text asks for one."""
    for filed, section, _ in filing.offered():
        if section.offering.layout_area and not filed.layout_area:
            yield Defect(
                f"wagers[{filed.id}].layout_area",
                "no betting area is filed; the layout must have one for each player",
                section.citation(section.offering.layout_area),
                filed.id,
            )


def check_dates(filing: Filing) -> Iterator[Defect]:
    """Check that the sections are in force on the gaming date, or have a successor."""
    if filing.gaming_date is None:
        return
    readings = filing.law.default_readings()
    filed = filing.submission.readings.get(LastDay.ID)
    if filed in filing.law.interpretations[LastDay.ID].codes:
        readings[LastDay.ID] = filed
    for section in filing.sections():
        found = section_status(section, filing.gaming_date, readings)
        if found.status is Status.NOT_YET_IN_FORCE:
            where = f"wagers[{section.id}]"
        elif found.status is Status.LAPSED and not has_successor(
            filing.submission, section.id, filing.gaming_date
        ):
            where = f"successors[{section.id}]"
        else:
            continue
        yield Defect(
            where,
            f"{lapse_sentence(section, found)}; gaming date {filing.gaming_date}",
            section.citation(),
            readings={LastDay.ID: readings[LastDay.ID]},
        )
