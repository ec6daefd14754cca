"""Mapping of a header to columns: the recorded layout, our own names, or a declared map."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from auditors.law.model import Law
from auditors.rounds.columns import (
    CARD_SLOTS,
    OUR_NAMES,
    WINNER_WORDS,
    RoundColumns,
    RoundsMapping,
)
from auditors.settlement.terms import TermsError, resolve_wager
from schemas.rules_submission import RulesSubmission
from schemas.words.suggestions import near_miss


class MappingError(ValueError):
    """A column, name or order that cannot be; the message says what to write."""


@dataclass(frozen=True, kw_only=True)
class DeclaredMapping:
    """What the person declared of a file, in flags or in a mapping file."""

    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Our name to one or more columns of theirs."""
    winner_words: Mapping[str, str] = field(default_factory=dict)
    wager_names: Mapping[str, str] = field(default_factory=dict)
    winning_names: Mapping[str, str] = field(default_factory=dict)
    card_order: tuple[str, ...] | None = None
    zone: str | None = None
    gaming_date: datetime.date | None = None


_RECORDED_LAYOUT: Final = ("round_id", "player_cards", "banker_cards", "recorded_winner")
_RECORDED_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "source": ("source",),
    "coup": ("round_id",),
    "shoe": ("shoe_key",),
    "table": ("table",),
    "patron": ("player_ref",),
    "player_cards": ("player_cards",),
    "banker_cards": ("banker_cards",),
    "winner": ("recorded_winner", "provider_winner"),
    "player_points": ("recorded_player_total",),
    "banker_points": ("recorded_banker_total",),
    "wager": ("wager_on",),
    "stake": ("wager",),
    "net": ("payout_net",),
    "winning_wagers": ("provider_winning_bets", "recorded_winning_spots"),
    "occurred_at": ("start_time",),
}
_MAIN: Final = ("player", "banker", "tie")
_SPOTS: Final[Mapping[str, str]] = {
    "Player": "player",
    "Banker": "banker",
    "Tie": "tie",
    "PlayerPair": "house.player_pair",
    "BankerPair": "house.banker_pair",
    "EitherPair": "house.either_pair",
    "PerfectPair": "house.perfect_pair",
    "Big": "house.big",
    "Small": "house.small",
}
_LISTED_KINDS: Final = (
    "any_natural",
    "banker_dragon_bonus",
    "banker_even",
    "banker_first_card_higher",
    "banker_natural",
    "banker_no_commission",
    "banker_odd",
    "banker_pair",
    "big",
    "either_pair",
    "perfect_pair",
    "player_dragon_bonus",
    "player_even",
    "player_first_card_higher",
    "player_natural",
    "player_odd",
    "player_pair",
    "rank_match_in_first_four",
    "small",
    "super_six",
)
_SECOND_CODES: Final = ("banker_pair", "player_pair", "super_six")
_SEVERAL: Final = frozenset({"winner", "player_points", "banker_points", "winning_wagers"})


def read_header(law: Law, header: Sequence[str], declared: DeclaredMapping) -> RoundsMapping:
    """Work out which column of a file says what.

    Args:
        law: The law, whose house wagers the recorded layout names.
        header: Names of the columns.
        declared: What the person declared; it goes before what is recognised.

    Raises:
        MappingError: No column of cards, or a declaration that does not fit the header.
    """
    names = tuple(name.strip() for name in header)
    is_recorded = set(_RECORDED_LAYOUT) <= set(names)
    found = {
        ours: tuple(header for header in theirs if header in names)
        for ours, theirs in (_RECORDED_COLUMNS if is_recorded else _own(names)).items()
    }
    for ours, theirs in declared.columns.items():
        _check_declared(ours, theirs, names)
        found[ours] = theirs
    columns = _positions(names, {ours: theirs for ours, theirs in found.items() if theirs})
    house = {
        wager.code: section.wager_id(wager)
        for section, wager in law.wagers.values()
        if section.kind == "house"
    }
    known_kinds = _recorded_kinds(house) if is_recorded else {}
    return RoundsMapping(
        header=names,
        columns=columns,
        winner_words={**WINNER_WORDS, **_lower(declared.winner_words)},
        wager_names={**(house if is_recorded else {}), **declared.wager_names},
        winning_names={
            position: declared.winning_names or known_kinds.get(names[position], {})
            for position in columns.winning_wagers
        },
        card_order=_card_order(declared.card_order),
        zone=declared.zone,
        gaming_date=declared.gaming_date,
    )


def check_wager_names(
    law: Law, declared: DeclaredMapping, submission: RulesSubmission | None
) -> None:
    """Refuse a declared word whose wager does not exist, before a row is read.

    Raises:
        MappingError: It names the table and the word.
    """
    for table, words in (
        ("wagers", declared.wager_names),
        ("winning_wagers", declared.winning_names),
    ):
        for word, ours in words.items():
            try:
                resolve_wager(law, ours, submission)
            except TermsError as error:
                if table == "wagers" and _has_hand_apart(law, ours, submission):
                    continue
                raise MappingError(f"{table}.{word}: {error}") from None


def _has_hand_apart(law: Law, ours: str, submission: RulesSubmission | None) -> bool:
    """Whether a wager is complete with the hand that another column gives."""
    try:
        return "@" not in ours and bool(resolve_wager(law, f"{ours}@player", submission))
    except TermsError:
        return False


def _own(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    return {ours: (ours,) for ours in OUR_NAMES if ours in names}


def _recorded_kinds(house: Mapping[str, str]) -> dict[str, Mapping[str, str]]:
    """Give the kinds that the lists of the recorded layout can name, by column."""
    kinds = {code: code for code in _MAIN}
    kinds |= {code: house[code] for code in _LISTED_KINDS}
    kinds |= {f"{code}_alt": house[code] for code in _SECOND_CODES}
    return {"provider_winning_bets": kinds, "recorded_winning_spots": _SPOTS}


def _check_declared(ours: str, theirs: Sequence[str], names: Sequence[str]) -> None:
    if ours not in OUR_NAMES:
        hint = near_miss(ours, OUR_NAMES) or f"; ours are {', '.join(OUR_NAMES)}"
        raise MappingError(f"{ours!r} is not one of our names{hint}")
    for header in theirs:
        if header not in names:
            hint = near_miss(header, names) or f"; its columns are {', '.join(names)}"
            raise MappingError(f"the file has no column {header!r}{hint}")
    if len(theirs) > 1 and ours not in _SEVERAL:
        raise MappingError(f"{ours} is said by one column, not by {', '.join(theirs)}")


def _lower(words: Mapping[str, str]) -> dict[str, str]:
    lowered = {}
    for word, winner in words.items():
        if winner.lower() not in WINNER_WORDS.values():
            hint = near_miss(winner, WINNER_WORDS.values())
            raise MappingError(f"winner {word}={winner}: write player, banker or tie{hint}")
        lowered[word.strip().lower()] = winner.lower()
    return lowered


def _card_order(order: tuple[str, ...] | None) -> tuple[str, ...]:
    if order is None:
        return CARD_SLOTS
    if sorted(order) != sorted(CARD_SLOTS):
        raise MappingError(
            f"card order {','.join(order)}: name each of {', '.join(CARD_SLOTS)} once"
        )
    return order


def _positions(names: Sequence[str], found: Mapping[str, tuple[str, ...]]) -> RoundColumns:
    for theirs in found.values():
        for header in theirs:
            if names.count(header) > 1:
                raise MappingError(f"the file has {names.count(header)} columns named {header!r}")
    single = {
        ours: names.index(theirs[0]) for ours, theirs in found.items() if ours not in _SEVERAL
    }
    if "cards" not in single and not {"player_cards", "banker_cards"} <= set(single):
        raise MappingError(
            "no column of cards is recognised; its columns are "
            f"{', '.join(names)}; map them: --map player_cards=THEIRS --map banker_cards=THEIRS"
        )
    if {"player_cards", "banker_cards"} <= set(single):
        single.pop("cards", None)

    def several(ours: str) -> tuple[int, ...]:
        return tuple(names.index(header) for header in found.get(ours, ()))

    return RoundColumns(
        **single,
        winners=several("winner"),
        points=_pairs(several("player_points"), several("banker_points")),
        winning_wagers=several("winning_wagers"),
    )


def _pairs(
    player: tuple[int, ...], banker: tuple[int, ...]
) -> tuple[tuple[int | None, int | None], ...]:
    count = max(len(player), len(banker))
    return tuple(
        (
            player[index] if index < len(player) else None,
            banker[index] if index < len(banker) else None,
        )
        for index in range(count)
    )
