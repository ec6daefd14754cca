"""A commented Rules Submission to start from, made from the law.

Sections that are not in force on the gaming date are written as comments, so that what is filed
without another thought contradicts nothing.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Final
from zoneinfo import ZoneInfo

from auditors.law import jurisdictions
from auditors.law.interpretations import VigorishRounding
from auditors.law.model import Law, Section, Wager
from auditors.law.status import STANDING
from auditors.settlement.terms import MAIN_WAGERS, is_game
from dashboards.documents.law.rules import (
    conditions_of_offering,
    ordered_sections,
    standing_of,
    standing_words,
)
from schemas.rules_submission import SUBMISSION_SCHEMA, Game

_HEAD: Final = """\
# Rules Submission for a table of {title}.
# Made for gaming date {day} from the texts as held, not checked against the current Code.
# Every amount, letter and rate below is an example: file what was submitted to the Board.
# See what is wrong with it:  ladderman submission check FILE
# See the law behind it:      ladderman rules show {game}

schema = "{schema}"
id = "RS-1"                        # verdicts name the filing so
version = 1                        # from 2 on verdicts say RS-1/2
facility = ""
jurisdiction = "{jurisdiction}"                # under whose law; held: {held}
# effective_from = {start}   # an instant with its offset
currency = "USD"
time_zone = "America/New_York"
gaming_day_start = 06:00:00        # in the property's own zone

game = "{game}"
decks = 8                          # {decks}
cover_cards = 2                    # {covers}
deal_option = "face_up"            # or face_down
burn_exposed_card = true           # the exposed card is burned as well
hands_after_cover_card = 1         # coups after the one in which the cover card came out
late_wager_grace_ms = 0
tie_odds = "8 to 1"
# smallest_chip = "0.25"           # to which odd payouts are rounded, where a reading rounds

[commission]
form = "standard"                  # {forms}
rate = "5%"                        # of the amount won
timing = "taken"                   # taken at payout, or marked per seat and collected later

# Wagers: strike what the table does not offer. Each may have limits, which are amounts in quotes:
#   minimum = "25.00"
#   maximum = "5000.00"
"""

_TAIL: Final = """
# House wagers have no section of the Code; their odds may be filed outcome by outcome. The list:
# ladderman rules show house
# [[wagers]]
# id = "house.dragon_7"
# odds = { banker_wins_3_card_7 = "40 to 1" }

# Readings: where the property answers a question otherwise that the texts leave open. The list:
# ladderman rules list
# [readings]
# {rounding}

# Severities may be raised, never lowered.
# [severities]
# WAGER_OUT_OF_LIMITS = "high"

# Findings about money rank by the amount that is still out. Lower amounts than those of the
# catalogue, which are shown, may be filed; higher ones have no effect.
# [severity_amounts]
# high_from = "5.00"
# critical_from = "1000.00"

# Successors: a text that followed a section whose printed term is over.
# [[successors]]
# section = "{lapsing}"
# authority = "{authority}"
# from = {after}
"""

_ZONE: Final = "America/New_York"
_DAY_START: Final = datetime.time(6, 0)


def submission_template(law: Law, game: Game, gaming_date: datetime.date) -> str:
    """Write the text of a filing to start from.

    Args:
        law: The law.
        game: What the table plays.
        gaming_date: The day on which the sections that are filed are in force.

    Returns:
        TOML whose check finds nothing on that day, if the game itself is in force.
    """
    section = law.sections[game.value]
    text = _HEAD.format(
        title=section.title,
        day=gaming_date,
        start=datetime.datetime.combine(gaming_date, _DAY_START, ZoneInfo(_ZONE)).isoformat(),
        game=game.value,
        schema=SUBMISSION_SCHEMA,
        jurisdiction=law.id,
        held=", ".join(jurisdictions()),
        decks=_cited(section, "six or eight", section.offering.decks_cite),
        covers=_cited(section, "two", section.offering.cover_cards_cite),
        forms=_forms(section),
    )
    blocks = [text]
    for one in _offered(law, section):
        blocks.append("\n".join(_section_lines(law, one, section, gaming_date)) + "\n")
    lapsing = section.id if section.in_force[-1].temporary else _temporary(law, section)
    last = law.sections[lapsing].in_force[-1].until
    after = last + datetime.timedelta(days=1) if isinstance(last, datetime.date) else gaming_date
    rounding = f'{VigorishRounding.ID} = "{VigorishRounding.NEAREST_25C}"'
    authority = law.jurisdiction.authority_example
    tail = (
        _TAIL.replace("{authority}", authority)
        .replace("{lapsing}", lapsing)
        .replace("{after}", str(after))
    )
    blocks.append(tail.replace("{rounding}", rounding))
    return "\n".join(block.strip("\n") + "\n" for block in blocks)


def _temporary(law: Law, game: Section) -> str:
    """Give the section by whose example a successor is shown."""
    ids = [
        one.id
        for one in ordered_sections(law)
        if one.in_force[-1].temporary and not is_game(law, one.id)
    ]
    return ids[0] if ids else game.id


def _cited(section: Section, words: str, paragraph: str) -> str:
    return f"{words}, {section.citation(paragraph)}" if paragraph else f"{words} (text not seen)"


def _forms(section: Section) -> str:
    free = any("commission" in one.applies_if for wager in section.wager for one in wager.outcome)
    if not free:
        return "the text of this game as held defines no commission-free form"
    return f"or free, {section.citation(section.offering.commission_choice)}"


def _offered(law: Law, game: Section) -> Iterator[Section]:
    """Give the game's own section, then the side wagers that may be offered at it."""
    yield game
    for section in ordered_sections(law):
        fits = game.chapter in section.applies_to and not is_game(law, section.id)
        if section.kind == "side" and fits:
            yield section


def _section_lines(
    law: Law, section: Section, game: Section, gaming_date: datetime.date
) -> Iterator[str]:
    standing = standing_of(law, section, gaming_date)
    holds = standing.status in STANDING
    cite = section.citation()
    yield f"# {section.title}, {cite}: {standing_words(standing)}."
    side = [one for one in section.wager if one.code not in MAIN_WAGERS or section is not game]
    for words, paragraph in conditions_of_offering(section, side or section.wager):
        yield f"#   {paragraph + ' ' if paragraph else ''}{words}"
    if section.paytables:
        yield f"#   paytables {', '.join(section.paytables)}: ladderman rules show {section.id}"
    mark = "" if holds or section is game else "# "
    if mark:
        yield "# Not in force on that date, so not filed here; file it with its successor."
    for wager in section.wager:
        for line in _wager_lines(section, wager):
            yield f"{mark}{line}"
    if section.progressive:
        for line in _progressive_lines(section):
            yield f"{mark}{line}"


def _wager_lines(section: Section, wager: Wager) -> Iterator[str]:
    yield "[[wagers]]"
    yield f'id = "{section.wager_id(wager)}"'
    if section.paytables:
        yield f'paytable = "{section.paytables[0]}"'


def _progressive_lines(section: Section) -> Iterator[str]:
    rates = section.progressive
    letter = section.paytables[0]
    if rates is None:
        return
    yield "[[progressives]]"
    yield 'id = "P-1"'
    yield f'wager = "{section.wager_id(section.wager[0])}"'
    yield "system = true                      # with seat devices and a lock-out"
    yield "linked = false                     # true: several tables feed and show one meter"
    yield 'unit = "5.00"                      # the permitted stake'
    yield 'base = "10000.00"                  # display at the first start'
    yield 'reset = "10000.00"                 # display after a hit'
    yield f'increment_rate = "{rates.increment[letter]}"             # of paytable {letter}'
    yield f'reserve_rate = "{rates.reserve[letter]}"'
    yield 'void_policy = "reversed"           # or kept'
