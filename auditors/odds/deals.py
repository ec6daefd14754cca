"""Every correctly dealt coup of a full shoe, counted exactly.

Coups are counted as ordered draws of six cards, whether or not all six are used, so the counts of
all coups sum to N·(N-1)…(N-5) for a shoe of N cards: 4 998 398 275 503 360 for eight decks, which
an int64 holds. Nothing here knows a wager; a count belongs to one distinct :class:`CoupFacts`.

The way from cards to facts is short because most cards are alike: the first four cards are taken
one by one, then grouped by their facts and by what they leave in the shoe; third cards are drawn
as classes of one baccarat value and colour. Only where the first four are of one rank do third
cards need their rank, since all six could share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from auditors.law.facts import BANKER, BLACK, FACTS, MIXED, PLAYER, RED, CoupFacts, Fact, Stage
from auditors.law.model import Section
from auditors.law.packed_facts import pack, unpack
from auditors.settlement.coup import required_third_cards
from schemas.cards import RANKS, RED_SUITS, SUITS, Knowledge, card_value

Array: TypeAlias = npt.NDArray[np.int64]

DECK_CARDS: Final = len(RANKS) * len(SUITS)
"""Cards of one deck; a card's number is ``4 * rank + suit``, both by their place in order."""

CARDS_MAX: Final = 1400
"""No larger shoe is enumerated: its count of ordered six-card draws must fit an int64."""

_CARD_RANK: Final[Array] = np.repeat(np.arange(1, len(RANKS) + 1), len(SUITS))
_CARD_SUIT: Final[Array] = np.tile(np.arange(len(SUITS)), len(RANKS))
_CARD_VALUE: Final[Array] = np.repeat([card_value(rank) for rank in RANKS], len(SUITS))
_CARD_COLOUR: Final[Array] = np.tile([RED if s in RED_SUITS else BLACK for s in SUITS], len(RANKS))
_QUEEN, _KING = RANKS.index("Q") + 1, RANKS.index("K") + 1


@dataclass(frozen=True)
class Deals:
    """All distinct facts of correctly dealt coups, each with the number of draws that give it."""

    facts: CoupFacts
    """Arrays of one length."""
    weights: Array
    """Ordered draws of six cards, exact, each > 0."""
    total: int
    """Sum of the weights: all ordered draws of six cards."""
    examples: Array
    """Packed facts of one coup behind each entry, with all that there is to know of it."""
    _narrowed: dict[tuple[Knowledge, Stage], Deals] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __len__(self) -> int:
        """Count the distinct facts."""
        return len(self.weights)

    def as_far_as(self, knowledge: Knowledge, stage: Stage) -> Deals:
        """Give the deals as far as is known and certain; all other facts are 0.

        A wager needs no more than its own knowledge and stage, and the fewer distinct facts
        there are, the quicker it is priced on all of them.
        """
        found = self._narrowed.get((knowledge, stage))
        if found is None:
            found = self._narrowed[knowledge, stage] = self._narrow(knowledge, stage)
        return found

    def _narrow(self, knowledge: Knowledge, stage: Stage) -> Deals:
        kept = {
            name: getattr(self.facts, name) if _is_within(name, knowledge, stage) else 0
            for name in CoupFacts._fields
        }
        keys = np.broadcast_to(pack(CoupFacts(**kept)), self.weights.shape)
        order = np.argsort(keys, kind="stable")
        starts = _run_starts(keys[order])
        distinct = unpack(keys[order][starts])
        weights = _sums(self.weights[order], starts)
        return Deals(distinct, weights, self.total, self.examples[order][starts])


def _is_within(fact: str, knowledge: Knowledge, stage: Stage) -> bool:
    definition = FACTS[None][fact]
    return definition.knowledge <= knowledge and definition.stage <= stage


class _Classes(NamedTuple):
    """Cards that are alike as third cards; every field but the first has one entry a class."""

    of: Array
    """Class of each card, by card number."""
    value: Array
    colour: Array
    rank: Array
    """The one rank of the class, 1 to 13; 0 where it has several."""
    in_shoe: Array
    """Cards of the class in the whole shoe."""


class _Groups(NamedTuple):
    """First four cards, grouped by what a verdict and a third card ask of them."""

    facts: Array
    """Facts of the cards so far, packed, in rising order; a value may repeat."""
    weights: Array
    """Ordered draws of the four cards."""
    left: Array
    """Cards of each class left in the shoe, shape (groups, classes)."""


Draws: TypeAlias = tuple[tuple[bool, bool], ...]
"""Who draws (Player, Banker), by the value of Player's third card; last: where Player stands."""

Tableau: TypeAlias = tuple[tuple[Draws, ...], ...]
"""Who draws, by Player's and Banker's points on two cards."""


def exact_deals(decks: int, game: Section) -> Deals:
    """Enumerate the coups of a full shoe; once per process and number of decks.

    Args:
        decks: Decks in the shoe, from 1.
        game: The main game, whose third-card rules hold.
    """
    return _deals_of_decks(decks, _tableau(game))


@lru_cache(maxsize=4)
def _deals_of_decks(decks: int, tableau: Tableau) -> Deals:
    return _enumerate(np.full(DECK_CARDS, decks, dtype=np.int64), tableau)


def deals_from(shoe: Array, game: Section) -> Deals:
    """Enumerate the coups that a shoe of any composition can give.

    Args:
        shoe: How many of each card the shoe holds, by card number, shape (52,).
        game: The main game, whose third-card rules hold.

    Raises:
        ValueError: Fewer than six cards, or more than :data:`CARDS_MAX`.
    """
    cards = int(shoe.sum())
    if not 6 <= cards <= CARDS_MAX:
        raise ValueError(f"a shoe of {cards} cards; 6 to {CARDS_MAX} can be enumerated")
    return _enumerate(shoe.astype(np.int64), _tableau(game))


def _tableau(game: Section) -> Tableau:
    return tuple(
        tuple(
            tuple(required_third_cards(player, banker, third, game) for third in (*range(10), None))
            for banker in range(10)
        )
        for player in range(10)
    )


def _enumerate(shoe: Array, tableau: Tableau) -> Deals:
    facts, weights = [], []
    for by_rank in (True, False):
        classes = _classes(shoe, by_rank)
        groups = _first_four(shoe, classes, by_rank)
        for packed, counts in _finished(groups, classes, int(shoe.sum()) - 4, tableau):
            facts.append(packed)
            weights.append(counts)
    distinct, summed = _summed(np.concatenate(facts), np.concatenate(weights))
    return Deals(unpack(distinct), summed, int(summed.sum()), distinct)


def _summed(keys: Array, weights: Array) -> tuple[Array, Array]:
    """Add up the weights of equal keys in integers; give the keys in rising order."""
    order = np.argsort(keys)
    keys, weights = keys[order], weights[order]
    starts = _run_starts(keys)
    return keys[starts], _sums(weights, starts)


def _run_starts(ordered: Array) -> Array:
    """Give the positions at which a new value begins."""
    changes = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.concatenate([np.zeros(min(len(ordered), 1), dtype=np.int64), changes])


def _sums(numbers: Array, starts: Array) -> Array:
    """Add up each run along the first axis."""
    return np.add.reduceat(numbers, starts, axis=0) if len(starts) else numbers[:0]


def _classes(shoe: Array, by_rank: bool) -> _Classes:
    """Put cards of one value and colour together, or of one rank and colour."""
    mark = _CARD_RANK if by_rank else _CARD_VALUE
    _, first, of = np.unique(mark * 4 + _CARD_COLOUR, return_index=True, return_inverse=True)
    return _Classes(
        of=of,
        value=_CARD_VALUE[first],
        colour=_CARD_COLOUR[first],
        rank=_CARD_RANK[first] if by_rank else np.zeros_like(first),
        in_shoe=np.array([shoe[of == group].sum() for group in range(len(first))]),
    )


def _first_four(shoe: Array, classes: _Classes, by_rank: bool) -> _Groups:
    """Take the first four cards one by one: those of one rank alone, or all others."""
    sets, set_of = _sets_of_four(len(classes.value))
    keys, weights = [], []
    for first in np.flatnonzero(shoe)[:, None]:
        others = np.flatnonzero((_CARD_RANK[first] == _CARD_RANK) | (not by_rank))
        # In dealing order: Player, Banker, Player, Banker.
        second, third, fourth = others[:, None, None], others[:, None], others
        counts = _ordered_draws(shoe, first, second, third, fourth)
        facts = _two_card_facts((first, third), (second, fourth))
        wanted = (counts > 0) & ((np.asarray(facts.common_rank) > 0) == by_rank)
        numbers = set_of[tuple(classes.of[card] for card in (first, second, third, fourth))]
        key, summed = _summed((pack(facts) * len(sets) + numbers)[wanted], counts[wanted])
        keys.append(key)
        weights.append(summed)
    key, summed = _summed(np.concatenate(keys), np.concatenate(weights))
    return _Groups(key // len(sets), summed, classes.in_shoe - sets[key % len(sets)])


def _sets_of_four(classes: int) -> tuple[Array, Array]:
    """Number the sets of classes that four cards can be of, whatever their order.

    Returns:
        How many cards of each class a set has, shape (sets, classes), and the number of the set
        by the classes of the four cards, shape (classes,) * 4.
    """
    # A set is written as a number with one digit per class, 0 to 4: 26 digits fit an int64.
    digit = 5 ** np.arange(classes, dtype=np.int64)
    written = digit[:, None, None, None] + digit[:, None, None] + digit[:, None] + digit
    sets, number = np.unique(written, return_inverse=True)
    return sets[:, None] // digit % 5, number.reshape(written.shape)


def _ordered_draws(shoe: Array, *cards: Array) -> Array:
    """Count the ways to draw these cards, one after the other; 0 where the shoe lacks one."""
    ways = np.ones((), dtype=np.int64)
    for place, card in enumerate(cards):
        left = shoe[card]
        for before in cards[:place]:
            left = left - (card == before)
        ways = ways * left
    return ways


def _two_card_facts(player: tuple[Array, Array], banker: tuple[Array, Array]) -> CoupFacts:
    """Give the facts of the first four cards, as if no third card followed."""
    player_rank, banker_rank = ([_CARD_RANK[card] for card in hand] for hand in (player, banker))
    ranks = (player_rank[0], banker_rank[0], player_rank[1], banker_rank[1])
    match = np.zeros((), dtype=np.int64)
    for place, rank in enumerate(ranks):
        for before in ranks[:place]:
            match = match | (rank == before)
    same = (ranks[0] == ranks[1]) & (ranks[0] == ranks[2]) & (ranks[0] == ranks[3])
    fields = {
        "winner": 0,
        "first_four_match": match,
        "first_card_higher": _higher(player_rank[0], banker_rank[0]),
        "common_rank": same * ranks[0],
        "zero_valued_cards": sum((_CARD_VALUE[card] == 0) * 1 for card in player + banker),
    }
    return CoupFacts(**fields, **_hand_facts("player", *player), **_hand_facts("banker", *banker))


def _hand_facts(hand: str, first: Array, second: Array) -> dict[str, Array]:
    value = (_CARD_VALUE[first], _CARD_VALUE[second])
    rank = (_CARD_RANK[first], _CARD_RANK[second])
    colour = (_CARD_COLOUR[first], _CARD_COLOUR[second])
    suited = _CARD_SUIT[first] == _CARD_SUIT[second]
    points = (value[0] + value[1]) % 10
    facts = {
        "points": points,
        "cards": np.full((), 2),
        "natural": points >= 8,
        "pair": rank[0] == rank[1],
        "value_pair": value[0] == value[1],
        "identical": first == second,
        "suited": suited,
        # Queen and king are the two highest ranks, so no other pair of ranks has their sum
        # and differs.
        "royal": suited & (rank[0] + rank[1] == _QUEEN + _KING),
        "colour": np.where(colour[0] == colour[1], colour[0], MIXED),
    }
    return {f"{hand}_{name}": value * 1 for name, value in facts.items()}


def _higher(player: Fact, banker: Fact) -> Fact:
    return (player > banker) * PLAYER + (banker > player) * BANKER


def _finished(
    groups: _Groups, classes: _Classes, cards: int, tableau: Tableau
) -> Iterator[tuple[Array, Array]]:
    """Draw third cards as the tableau requires; give packed facts and ordered six-card draws.

    Args:
        groups: The first four cards.
        classes: The third cards that can follow.
        cards: Cards left in the shoe after the first four.
        tableau: Who draws.
    """
    if not len(groups.facts):
        return  # no four cards of one rank, or no others, in a small shoe
    facts = unpack(groups.facts)
    points: Array = np.asarray(facts.player_points * 10 + facts.banker_points)
    # Points lead in packed facts, so groups of the same points lie side by side.
    starts = _run_starts(points)
    for start, stop in zip(starts, [*starts[1:], len(points)], strict=True):
        part = _Groups(*(column[start:stop] for column in groups))
        draws = tableau[points[start] // 10][points[start] % 10]
        for drawn, counts in _drawn(part, classes, cards, draws):
            final = pack(drawn._replace(winner=_higher(drawn.player_points, drawn.banker_points)))
            packed, ways = np.broadcast_to(final, counts.shape).ravel(), counts.ravel()
            yield _summed(packed[ways > 0], ways[ways > 0])


def _drawn(
    part: _Groups, classes: _Classes, cards: int, draws: Draws
) -> Iterator[tuple[CoupFacts, Array]]:
    """Draw the third cards of groups that have the same points.

    Cards that are not needed are drawn all the same, so that every weight counts six cards.
    """
    starts = _run_starts(part.facts)
    before = unpack(part.facts[starts])
    player_draws, banker_draws = draws[-1]
    if not (player_draws or banker_draws):
        yield before, _sums(part.weights, starts) * (cards * (cards - 1))
        return
    one = part.weights[:, None] * part.left
    if not player_draws:
        third = _with_third("banker", before, classes)
        yield third, _sums(one, starts) * (cards - 1)
        return
    answered = np.array([draws[value][1] for value in classes.value])
    kinds = np.arange(len(classes.value))
    stands, follows = kinds[~answered], kinds[answered]
    yield (
        _with_third("player", before, _only(classes, stands)),
        _sums(one[:, stands], starts) * (cards - 1),
    )
    left = part.left[:, None, :] - (follows[:, None] == kinds)
    both = _with_third("player", before, _only(classes, follows))
    yield _with_third("banker", both, classes), _sums(one[:, follows, None] * left, starts)


def _only(classes: _Classes, kinds: Array) -> _Classes:
    return classes._replace(
        value=classes.value[kinds], colour=classes.colour[kinds], rank=classes.rank[kinds]
    )


def _with_third(hand: str, facts: CoupFacts, third: _Classes) -> CoupFacts:
    """Give a hand each of these third cards; every field gains an axis for them."""
    now = CoupFacts(*(np.asarray(fact)[..., None] for fact in facts))
    points, colour = getattr(now, f"{hand}_points"), getattr(now, f"{hand}_colour")
    changed = {
        f"{hand}_points": (points + third.value) % 10,
        f"{hand}_cards": 3,
        f"{hand}_colour": np.where(colour == third.colour, colour, MIXED),
        "common_rank": now.common_rank * (now.common_rank == third.rank),
        "zero_valued_cards": now.zero_valued_cards + (third.value == 0),
    }
    return now._replace(**changed)
