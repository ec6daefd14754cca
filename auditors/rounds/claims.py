"""Results that rows claim, compared with the cards as they lie.

Winner, point counts and lists of winning wagers are compared also where the draw was faulty: the
cards lie as they lie. One finding per coup and column, however many rows repeat the claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from auditors.law.packed_facts import FIELD_BITS
from auditors.rounds.cells import Memory, Unusable, read_points, read_winner
from auditors.rounds.columns import RoundsMapping
from auditors.rounds.coups import RecordedCoup, cells_at
from auditors.rounds.places import RowPlaces
from auditors.settlement.asserting import assert_finding
from auditors.settlement.checks import points_finding, winner_finding
from auditors.settlement.coup import winner_of
from auditors.settlement.pricing import outcome_word
from auditors.settlement.rules import PricedWager, Rules
from schemas.cards import Knowledge, format_hand
from schemas.finding_facts.parts import PARTS_MAX
from schemas.finding_facts.rounds import WinnersRecorded
from schemas.findings import Finding, FindingCode


class ResultClaims:
    """Compares every column that claims the winner or the points of a coup."""

    def __init__(self, rules: Rules, mapping: RoundsMapping, places: RowPlaces) -> None:
        """Prepare to compare.

        Args:
            rules: The law under the terms asked for.
            mapping: Which columns claim a winner or points, and how winners are written.
            places: Where rows stand.
        """
        self._rules, self._mapping, self._places = rules, mapping, places
        self._winners = mapping.columns.winners
        self._points = mapping.columns.points
        of_points = [position for pair in self._points for position in pair]
        self._claims_of = cells_at(*self._winners, *of_points)
        self._expected = [self._in_our_words(*divmod(points, 10)) for points in range(100)]
        """By ten times the Player's and the Banker's points: what rows claim if they are right."""

    def _in_our_words(self, player: int, banker: int) -> object:
        claims = [winner_of(player, banker)] * len(self._winners)
        for of_player, of_banker in self._points:
            claims += [] if of_player is None else [str(player)]
            claims += [] if of_banker is None else [str(banker)]
        return (tuple(claims) if len(claims) > 1 else claims[0]) if claims else None

    def agree(self, coup: RecordedCoup, cells: Sequence[str]) -> bool:
        """Whether every claim of a row says in our own words what the cards say."""
        expected = self._expected[10 * coup.player.points + coup.banker.points]
        return self._claims_of(cells) == expected

    def audit(self, coup: RecordedCoup, line: int, cells: Sequence[str]) -> Iterator[Finding]:
        """Compare the claims of one row."""
        for position in self._winners:
            if cells[position] != coup.winner:
                yield from self._winner(coup, position, line, cells)
        for pair in self._points:
            yield from self._pair(coup, pair, line, cells)

    def _winner(
        self, coup: RecordedCoup, position: int, line: int, cells: Sequence[str]
    ) -> Iterator[Finding]:
        claimed = read_winner(cells[position], self._mapping.winner_words)
        if isinstance(claimed, Unusable):
            yield self._places.rejected(line, cells, position, claimed.message)
        elif claimed not in (None, coup.winner) and position not in coup.misreported:
            coup.misreported |= {position}
            place = self._places.of(line, cells, position)
            finding = winner_finding(self._rules, coup.judged(), claimed or "", place, coup.game)
            if finding is not None:
                yield finding

    def _pair(
        self,
        coup: RecordedCoup,
        pair: tuple[int | None, int | None],
        line: int,
        cells: Sequence[str],
    ) -> Iterator[Finding]:
        claimed: list[int | None] = []
        wrong = None
        for position, ours in zip(pair, (coup.player.points, coup.banker.points), strict=True):
            points = None if position is None else read_points(cells[position])
            if isinstance(points, Unusable):
                yield self._places.rejected(line, cells, position, points.message)
                points = None
            claimed.append(points)
            if wrong is None and points not in (None, ours):
                wrong = position
        if wrong is None or not coup.misreported.isdisjoint(pair):
            return
        coup.misreported |= {position for position in pair if position is not None}
        place = self._places.of(line, cells, wrong)
        player, banker = claimed
        found = points_finding(self._rules, coup.judged(), (player, banker), place, coup.game)
        if found is not None:
            yield found


class WinningList:
    """Compares one column of winning wagers, for the kinds that the mapping declares."""

    def __init__(
        self, rules: Rules, position: int, kinds: Mapping[str, PricedWager], places: RowPlaces
    ) -> None:
        """Prepare to compare.

        Args:
            rules: The law under the terms asked for.
            position: The column.
            kinds: Word of the list to our wager; other words are not compared.
            places: Where rows stand.
        """
        self._rules, self.position, self._kinds, self._places = rules, position, kinds, places
        named = "".join(kinds)
        signs = "".join(sign for sign in _PARTING if sign not in named)
        self._parted = re.compile(f"[{re.escape(signs)}]+")
        self._asks = 0
        for priced in kinds.values():
            self._asks |= priced.asks
        self._wins: dict[int, frozenset[str]] = {}
        self._won: dict[str, dict[int, bool]] = {name: {} for name in kinds}
        self._lists: Memory[frozenset[str]] = Memory()

    def audit(self, coup: RecordedCoup, line: int, cells: Sequence[str]) -> Iterator[Finding]:
        """Compare the list of one row; an empty list claims nothing."""
        text = cells[self.position]
        if not text.strip() or self.position in coup.misreported:
            return
        recorded, ours = self._recorded(text), self._winning(coup)
        known = {name for name, priced in self._kinds.items() if coup.is_known(priced)}
        too_many, too_few = (recorded & known) - ours, ours - recorded
        if too_many or too_few:
            coup.misreported |= {self.position}
            yield self._finding(coup, too_many, too_few, line, cells)

    def agrees(self, coup: RecordedCoup, cells: Sequence[str]) -> bool:
        """Whether the list of a row was read before and is what wins, kind by kind."""
        recorded = self._lists.get(cells[self.position])
        return recorded is not None and recorded == self._winning(coup)

    def _recorded(self, text: str) -> frozenset[str]:
        recorded = self._lists.get(text)
        if recorded is None:
            words = frozenset(word.strip() for word in self._parted.split(text))
            recorded = self._lists.keep(text, words & self._kinds.keys())
        return recorded

    def _winning(self, coup: RecordedCoup) -> frozenset[str]:
        """Give the kinds that win on the cards as they lie, as far as these are known."""
        known, key = coup.knowledge, coup.packed & self._asks
        if known is not _SUIT:
            key += (1 + known * 4 + coup.known_of_four) << _FACTS_BITS
        wins = self._wins.get(key)
        if wins is None:
            if len(self._wins) >= _WINS_MAX:
                self._wins.clear()
            wins = self._wins[key] = frozenset(
                [
                    name
                    for name, priced in self._kinds.items()
                    if self._is_won(name, priced, coup.packed) and coup.is_known(priced)
                ]
            )
        return wins

    def _is_won(self, name: str, priced: PricedWager, packed: int) -> bool:
        """Whether a kind wins on these facts; remembered by those that it asks for."""
        asked = packed & priced.asks
        won = self._won[name].get(asked)
        if won is None:
            ruling = self._rules.rule_packed(priced, asked)
            won = self._won[name][asked] = outcome_word(ruling.matched) == "win"
        return won

    def _finding(
        self,
        coup: RecordedCoup,
        too_many: frozenset[str],
        too_few: frozenset[str],
        line: int,
        cells: Sequence[str],
    ) -> Finding:
        place = self._places.of(line, cells, self.position)
        player, banker = coup.player, coup.banker
        return assert_finding(
            FindingCode.WINNING_WAGERS_MISREPORTED,
            f"{place.coup_subject}/{place.column}",
            WinnersRecorded(
                player_cards=format_hand(player.cards),
                banker_cards=format_hand(banker.cards),
                player_points=player.points,
                banker_points=banker.points,
                not_won=tuple(sorted(too_many)[:PARTS_MAX]),
                not_recorded=tuple(sorted(too_few)[:PARTS_MAX]),
            ),
            place,
            submission=self._rules.terms.submission,
        )


_SUIT: Final = Knowledge.SUIT
_FACTS_BITS: Final = sum([int(bits) for bits in FIELD_BITS])

_PARTING: Final = " \t\n,;|/+[](){}\"'"
"""Signs that part the words of a list, unless a declared word itself contains them."""

_WINS_MAX: Final = 100_000
