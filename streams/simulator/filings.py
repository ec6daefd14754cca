"""The filings of the simulated property for each table, and what each table can report.

Twelve kinds of tables with three filings each, changed between shoes: together they hold every
wager, paytable letter, form of commission and rounding that the law data knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from auditors.law import load_law
from auditors.law.interpretations import (
    BurnedCards,
    CoverAllWin,
    EarlySettlement,
    IdenticalCards,
    OddsFor,
    OddsRounding,
    PhoenixPair,
    SeveralRows,
    SupremeLoss,
    ThreeCardNine,
    TieAsBase,
    TieOfOneColour,
    UnequalSevens,
    UnpaidCell,
    UnstatedBase,
    VigorishRounding,
)
from auditors.law.model import Section
from auditors.settlement.terms import MAIN_WAGERS, is_game
from schemas.events import Capability
from schemas.rules_submission import (
    Commission,
    CommissionForm,
    FiledProgressive,
    Game,
    OfferedWager,
    RulesSubmission,
    VigorishTiming,
)
from streams.simulator.progressive_filings import (
    counts_chips,
    filed_progressive,
    readings_of,
    unit_of,
)

SHOES_PER_STAGE: Final = 2
"""After so many shoes a table changes to its next filing."""

STAGES: Final = 3
"""Filings of one table, taken in turn."""

FACILITY: Final = "Ladderman Simulated Casino"
"""The house in which the simulated tables stand."""

_EVERYTHING: Final = frozenset(Capability) - {
    Capability.SEAT_TOTALS_ONLY,
    Capability.PROGRESSIVE_CHIPS,
}
_PAYING: Final = frozenset(
    {
        Capability.PAYMENTS,
        Capability.COLLECTIONS,
        Capability.VIGORISH,
        Capability.CORRECTIONS,
        Capability.REFUNDS,
    }
)
_READING: Final = frozenset({Capability.SUITS, Capability.CARD_IDS, Capability.BACKS})

FULL: Final = _EVERYTHING
"""Everything that concerns the table itself."""

_RANKS_ONLY: Final = _EVERYTHING - _READING
_VALUES_ONLY: Final = _RANKS_ONLY - {Capability.RANKS, Capability.WINNING_WAGERS}
_SEAT_TOTALS: Final = (_EVERYTHING - {Capability.PAYMENTS}) | {Capability.SEAT_TOTALS_ONLY}
_NO_PATRONS: Final = _EVERYTHING - {Capability.PATRONS, Capability.SEATS_VACATED}
_NO_PAYMENTS: Final = _EVERYTHING - _PAYING
_NO_ORDER: Final = _EVERYTHING - {
    Capability.DEAL_ORDER,
    Capability.SHUFFLE,
    Capability.INSPECTION,
    Capability.BURN,
    Capability.CARDS_LEFT,
    Capability.COUNTS,
}

_HOUSE_ODDS: Final[Mapping[str, tuple[str, str]]] = {
    "player_natural": ("natural_win", "4 to 1"),
    "banker_natural": ("natural_win", "4 to 1"),
    "any_natural": ("any_natural", "1.5 to 1"),
    "player_odd": ("player_odd", "0.96 to 1"),
    "player_even": ("player_even", "0.9 to 1"),
    "banker_odd": ("banker_odd", "0.94 to 1"),
    "banker_even": ("banker_even", "0.94 to 1"),
    "rank_match_in_first_four": ("rank_match", "1.2 to 1"),
    "player_first_card_higher": ("player_first_card_higher", "1 to 1"),
    "banker_first_card_higher": ("banker_first_card_higher", "1 to 1"),
}
"""Odds that the house files where the law data has none."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """One kind of table; what has three entries changes with the stage."""

    game: Game
    form: CommissionForm = CommissionForm.STANDARD
    rate: str = "5%"
    timing: VigorishTiming = VigorishTiming.TAKEN
    rounding: str = VigorishRounding.EXACT
    tie_odds: str = "8 to 1"
    decks: int = 8
    minimum: str = "25.00"
    maximum: str = "5000.00"
    side_minimum: str = "5.00"
    letters: Mapping[str, str] = field(default_factory=dict)
    """Section to the letter of each stage; a dot for sections without letters."""
    house: tuple[str, ...] = ()
    readings: tuple[Mapping[str, str], ...] = ({}, {}, {})
    smallest_chip: str | None = None
    reports: frozenset[Capability] = FULL


_HOUSE_PAIRS: Final = ("player_pair", "banker_pair", "either_pair", "perfect_pair", "big", "small")
_HOUSE_BONUSES: Final = ("dragon_7", "panda_8", "player_dragon_bonus", "banker_dragon_bonus")
_HOUSE_COUNTS: Final = (
    "player_odd",
    "player_even",
    "banker_odd",
    "banker_even",
    "player_natural",
    "banker_natural",
    "any_natural",
)
_HOUSE_OTHERS: Final = (
    "super_six",
    "rank_match_in_first_four",
    "player_first_card_higher",
    "banker_first_card_higher",
    "banker_no_commission",
)
_MINI, _BIG, _PHOENIX = Game.MINIBACCARAT, Game.BACCARAT, Game.RISING_PHOENIX
_MARKED: Final = VigorishTiming.MARKED

_KINDS: Final = (
    _Kind(
        _MINI,
        letters={"golden_talons": "ABC", "harmony_mini": "ADG", "eclipse": "ABC"},
        readings=(
            {},
            {SupremeLoss.ID: SupremeLoss.DEFINITION_EVENTS},
            {SeveralRows.ID: SeveralRows.GREATEST},
        ),
    ),
    _Kind(
        _PHOENIX,
        form=CommissionForm.FREE,
        letters={"golden_talons": "BDE", "harmony_mini": "BEH"},
        readings=({}, {PhoenixPair.ID: PhoenixPair.VALUE}, {OddsFor.ID: OddsFor.PROFIT}),
    ),
    _Kind(
        _MINI,
        letters={"golden_talons": "CEA", "harmony_mini": "CFI"},
        house=(*_HOUSE_PAIRS, *_HOUSE_BONUSES),
        readings=(
            {},
            {TieOfOneColour.ID: TieOfOneColour.EACH_HAND},
            {TieAsBase.ID: TieAsBase.DOES_NOT_COUNT},
        ),
    ),
    _Kind(
        _BIG,
        timing=_MARKED,
        minimum="100.00",
        maximum="10000.00",
        letters={"majestic_match": "...", "five_treasures": "ABA", "harmony_big": "ABC"},
        readings=(
            {},
            {
                CoverAllWin.ID: CoverAllWin.DEFINITION_EVENTS,
                IdenticalCards.ID: IdenticalCards.NO_PAY,
            },
            {UnequalSevens.ID: UnequalSevens.TWO_CARD_ROW},
        ),
    ),
    _Kind(
        _PHOENIX,
        rate="4%",
        tie_odds="9 to 1",
        letters={"golden_talons": "DAB", "eclipse": "BCA"},
        readings=(
            {},
            {UnstatedBase.ID: UnstatedBase.REQUIRED},
            {ThreeCardNine.ID: ThreeCardNine.WIN_REQUIRED},
        ),
        reports=_RANKS_ONLY,
    ),
    _Kind(
        _MINI,
        rounding=VigorishRounding.NEAREST_25C,
        letters={"golden_talons": "EBD", "eclipse": "CAB"},
        house=_HOUSE_OTHERS,
        readings=({}, {BurnedCards.ID: BurnedCards.EXPOSED_INCLUDED}, {}),
        reports=_SEAT_TOTALS,
    ),
    _Kind(
        _BIG,
        rate="4%",
        rounding="up_25c",
        minimum="100.00",
        maximum="10000.00",
        letters={"majestic_match": "...", "five_treasures": "BAB", "harmony_big": "EFD"},
        readings=(
            {OddsRounding.ID: OddsRounding.UP},
            {OddsRounding.ID: OddsRounding.UP},
            {EarlySettlement.ID: EarlySettlement.REFUNDED},
        ),
        smallest_chip="1.00",
        reports=_NO_PATRONS,
    ),
    _Kind(
        _MINI,
        timing=_MARKED,
        rounding=VigorishRounding.NEAREST_25C,
        tie_odds="9 to 1",
        letters={"golden_talons": "AEC", "eclipse": "ACB"},
        house=_HOUSE_COUNTS,
        reports=_VALUES_ONLY,
    ),
    _Kind(
        _BIG,
        timing=_MARKED,
        rounding="up_25c",
        tie_odds="9 to 1",
        minimum="50.00",
        letters={"majestic_match": "...", "five_treasures": "ABB", "harmony_big": "GHI"},
        readings=({}, {OddsRounding.ID: OddsRounding.DOWN}, {SeveralRows.ID: SeveralRows.EVERY}),
        smallest_chip="0.25",
    ),
    _Kind(
        _PHOENIX,
        timing=_MARKED,
        letters={"eclipse": "BCA"},
        readings=({}, {UnpaidCell.ID: UnpaidCell.PUSH}, {}),
        reports=_NO_PAYMENTS,
    ),
    _Kind(
        _MINI,
        rate="4%",
        timing=_MARKED,
        tie_odds="9 to 1",
        decks=6,
        minimum="1.00",
        maximum="1000.00",
        side_minimum="1.00",
        letters={"golden_talons": "CDE"},
        house=(*_HOUSE_COUNTS, *_HOUSE_OTHERS),
    ),
    _Kind(
        _MINI,
        letters={"golden_talons": "BAD", "harmony_mini": "GHI"},
        house=(*_HOUSE_PAIRS, *_HOUSE_BONUSES, "super_six"),
        reports=_NO_ORDER,
    ),
)

KINDS: Final = len(_KINDS)
"""How many kinds of tables there are."""


def reports_of(number: int) -> frozenset[Capability]:
    """Say what a table reports.

    Args:
        number: Number of the table on the floor, from 0.
    """
    kind = _KINDS[number % KINDS]
    reports = kind.reports
    if not any(name.startswith("harmony") for name in kind.letters):
        reports = reports - {Capability.METERS}
    if counts_chips(number):
        reports = reports | {Capability.PROGRESSIVE_CHIPS}
    return reports


@lru_cache(maxsize=4096)
def filing_of(number: int, stage: int) -> RulesSubmission:
    """Give the Rules Submission of a table.

    Args:
        number: Number of the table on the floor, from 0.
        stage: Which of its :data:`STAGES` filings, from 0; tables of one kind begin apart.
    """
    kind, turn = _KINDS[number % KINDS], (number // KINDS + stage) % STAGES
    readings = (
        {VigorishRounding.ID: kind.rounding} if kind.rounding != VigorishRounding.EXACT else {}
    )
    return RulesSubmission(
        id=f"RS-{number + 1}",
        version=stage + 1,
        facility=FACILITY,
        game=kind.game,
        decks=kind.decks,
        commission=Commission(form=kind.form, rate=kind.rate, timing=kind.timing),
        tie_odds=kind.tie_odds,
        smallest_chip=kind.smallest_chip,
        wagers=tuple(_wagers(kind, turn, number)),
        progressives=_progressives(kind, turn, number),
        readings={**readings, **readings_of(number), **kind.readings[turn]},
    )


def _wagers(kind: _Kind, turn: int, number: int) -> list[OfferedWager]:
    law = load_law()
    game = law.sections[kind.game.value]
    found = [_offer(kind, game, code, None) for code in _codes(game)]
    for section_id, letters in kind.letters.items():
        section, letter = law.sections[section_id], letters[turn]
        found += [
            _offer(kind, section, code, None if letter == "." else letter)
            for code in _codes(section)
        ]
    unit = unit_of(number)
    found = [
        wager.model_copy(update={"minimum": unit, "maximum": unit})
        if law.wagers[wager.id][0].progressive
        else wager
        for wager in found
    ]
    house = law.sections["house"]
    return found + [_offer(kind, house, code, None) for code in kind.house]


def _codes(section: Section) -> list[str]:
    return [wager.code for wager in section.wager]


def _offer(kind: _Kind, section: Section, code: str, letter: str | None) -> OfferedWager:
    is_main = code in MAIN_WAGERS[:2] and is_game(load_law(), section.id)
    priced = _HOUSE_ODDS.get(code) if section.kind == "house" else None
    return OfferedWager(
        id=f"{section.id}.{code}" if code else section.id,
        paytable=letter,
        minimum=kind.minimum if is_main else kind.side_minimum,
        maximum=kind.maximum if is_main else "1000.00",
        odds=dict([priced]) if priced else {},
    )


def _progressives(kind: _Kind, turn: int, number: int) -> tuple[FiledProgressive, ...]:
    return tuple(
        filed_progressive(number, turn, section_id, letters[turn])
        for section_id, letters in kind.letters.items()
        if load_law().sections[section_id].progressive
    )
