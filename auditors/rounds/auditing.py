"""What is wrong with a row of recorded rounds, and with the shoes that the rows make up?

Rows come in file order and are forgotten again: memory does not grow with the file. Rows of one
coup and coups of one shoe may stand apart, as long as no more than :data:`COUPS_REMEMBERED` coups
or :data:`SHOES_REMEMBERED` shoes lie between them.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from auditors.asserting import Claim, Place, assert_finding
from auditors.checks import (
    base_findings,
    date_findings,
    draw_findings,
    points_finding,
    winner_finding,
)
from auditors.coup import Coup, judge_coup
from auditors.facts import joint_part, pack
from auditors.law.model import Section
from auditors.rounds.cells import HandCell, HandReader, read_hand, read_points, read_winner
from auditors.rounds.columns import RoundsReading
from auditors.rounds.dates import DateReader
from auditors.rounds.joined import deal_out, joined_tokens
from auditors.rounds.notes import Notes
from auditors.rounds.wagers import WagerClaims, rejected, winning_lists
from auditors.rules import Rules
from auditors.shoe import composition_excess, excess_sentence
from auditors.terms import WagerRef
from schemas.cards import Card, Knowledge
from schemas.findings import Finding, FindingCode

COUPS_REMEMBERED: Final = 20_000
"""Coups whose rows may still be added to."""

SHOES_REMEMBERED: Final = 2_000
"""Shoes whose coups may still be added to."""


class RowStatus(StrEnum):
    """What became of a row."""

    SETTLED = "settled"
    UNDETERMINED = "undetermined"
    UNREADABLE = "unreadable"


@dataclass(slots=True)
class _CoupEntry:
    """One coup that rows have named: its cards, and its wagers by patron or seat."""

    place: Place
    wagers: dict[str, list[tuple[WagerRef, str]]] = field(default_factory=dict)


@dataclass(slots=True)
class _ShoeEntry:
    place: Place
    coups: int = 0
    cards: Counter[Card] = field(default_factory=Counter)


class _Row(NamedTuple):
    place: Place
    cells: Sequence[str]
    player: HandCell
    banker: HandCell


class RowAuditor:
    """Audits the rows of one file, one after the other."""

    def __init__(self, rules: Rules, game: Section, reading: RoundsReading, file: str) -> None:
        """Prepare to audit.

        Args:
            rules: The law under the terms asked for.
            game: The main game, whose drawing rules hold.
            reading: Which column says what.
            file: The file's name, as findings give it.
        """
        self._rules, self._game, self.reading = rules, game, reading
        self._columns = reading.columns
        self._base_place = Place(
            file=file, currency=rules.terms.currency, rules_version=rules.terms.rules_version
        )
        self.notes = Notes()
        self._hands = (HandReader("player"), HandReader("banker"))
        self.claims = WagerClaims(rules, reading, self.notes)
        self.lists = winning_lists(rules, reading, self.notes)
        self._dates = DateReader(rules, reading, self.notes)
        self._draws: dict[int, bool] = {}
        self._coups: dict[tuple[str | None, ...], _CoupEntry] = {}
        self._shoes: dict[tuple[str | None, ...], _ShoeEntry] = {}
        self._dated: set[tuple[str | None, str, datetime.date]] = set()
        self.knowledge = Knowledge.SUIT
        """The least that any readable row told of its cards."""
        self.claimed: set[int] = set()
        """Positions of the columns in which some row said something."""

    def audit(self, line: int, cells: Sequence[str]) -> tuple[RowStatus, list[Finding]]:
        """Audit one row.

        Args:
            line: Its physical line; the header is line 1.
            cells: Its cells, as many as the header has.
        """
        place = self._place(line, cells)
        player, banker, problem = self._read_hands(cells)
        row = _Row(place, cells, player, banker)
        if problem is not None or player.unreadable or banker.unreadable:
            return RowStatus.UNREADABLE, self._unreadable(row, problem)
        entry, is_new = self._coup_entry(row)
        found: list[Finding] = []
        determined = self._is_right(player, banker)
        if is_new:
            found += self._coup_findings(row, determined)
            if place.shoe is not None:
                self.claimed.add(self._columns.shoe or 0)
                found += self._count_shoe(row)
        if self._columns.wager is not None:
            found += self._wager_findings(row, entry, determined)
        if len(self._coups) > COUPS_REMEMBERED:
            found += self._close_coup(next(iter(self._coups)))
        return RowStatus.SETTLED if determined else RowStatus.UNDETERMINED, found

    def finish(self) -> list[Finding]:
        """Give the findings that only the end of the file decides."""
        found = []
        for coup in list(self._coups):
            found += self._close_coup(coup)
        for shoe in list(self._shoes):
            found += self._close_shoe(shoe)
        return found

    def _place(self, line: int, cells: Sequence[str]) -> Place:
        columns = self._columns

        def text(position: int | None) -> str | None:
            return (cells[position].strip() or None) if position is not None else None

        base = self._base_place
        return Place(
            source=text(columns.table) or text(columns.source),
            file=base.file,
            line=line,
            shoe=text(columns.shoe),
            coup=text(columns.coup),
            seat=text(columns.seat),
            currency=base.currency,
            rules_version=base.rules_version,
        )

    def _read_hands(self, cells: Sequence[str]) -> tuple[HandCell, HandCell, str | None]:
        columns = self._columns
        if columns.cards is None:
            assert columns.player_cards is not None
            assert columns.banker_cards is not None
            texts = (cells[columns.player_cards], cells[columns.banker_cards])
            player, banker = (
                reader.memory.get(text) or reader.read(text)
                for reader, text in zip(self._hands, texts, strict=True)
            )
            return player, banker, None
        tokens = joined_tokens(cells[columns.cards])
        dealt = deal_out(tokens, self.reading.card_order, self._game)
        if dealt is None:
            nobody = read_hand("player", [])
            return nobody, nobody, "whose card is which cannot be told from this column"
        return read_hand("player", dealt[0]), read_hand("banker", dealt[1]), None

    def _unreadable(self, row: _Row, problem: str | None) -> list[Finding]:
        columns = self._columns
        named = self.reading.name(columns.cards)
        if problem is not None:
            return [self._card_finding(row.place, named, None, 1, problem)]
        found = []
        for hand, cell, position in (
            ("player", row.player, columns.player_cards),
            ("banker", row.banker, columns.banker_cards),
        ):
            column = self.reading.name(position) or named
            for number, message in cell.unreadable:
                found.append(self._card_finding(row.place, column, hand, number, message))
        return found

    def _card_finding(
        self, place: Place, column: str | None, hand: str | None, number: int, message: str
    ) -> Finding:
        where = f"{hand.capitalize()} card {number}: " if hand else ""
        return assert_finding(
            FindingCode.CARD_UNREADABLE,
            f"{place.coup or place.line}/{hand}/{number}/{place.line}",
            f"{where}{message}; nothing of this row is judged.",
            place.at(column),
            Claim(hand=hand),
            submission=self._rules.terms.submission,
        )

    def _is_right(self, player: HandCell, banker: HandCell) -> bool:
        """Whether the draw was right; remembered by what the drawing rules ask of the hands."""
        if player.draw_key < 0 or banker.draw_key < 0:
            return False
        key = player.draw_key * 128 + banker.draw_key
        right = self._draws.get(key)
        if right is None:
            right = judge_coup(player.cards, banker.cards, self._game).is_determined
            self._draws[key] = right
        return right

    def _coup(self, row: _Row, determined: bool) -> Coup:
        if determined:
            return Coup(row.player.cards, row.banker.cards)
        return judge_coup(row.player.cards, row.banker.cards, self._game)

    def _coup_entry(self, row: _Row) -> tuple[_CoupEntry, bool]:
        place = row.place
        if place.coup is None:
            return _CoupEntry(place), True
        key = (
            place.source, place.shoe, place.coup,
            "".join(map(str, row.player.cards)), "".join(map(str, row.banker.cards)),
        )  # fmt: skip
        entry = self._coups.get(key)
        if entry is not None:
            return entry, False
        entry = self._coups[key] = _CoupEntry(place)
        return entry, True

    def _coup_findings(self, row: _Row, determined: bool) -> list[Finding]:
        """Judge what is said once a coup: the draw, the winner, the points, the winning wagers."""
        player, banker = row.player, row.banker
        self.knowledge = min(self.knowledge, player.knowledge, banker.knowledge)
        found: list[Finding] = []
        if not determined:
            found += draw_findings(self._rules, self._coup(row, False), row.place)
        for position in self._columns.winners:
            found += self._winner(row, position, determined)
        for pair in self._columns.points:
            found += self._points(row, pair, determined)
        if self.lists and player.draw_key >= 0 and banker.draw_key >= 0:
            coup, packed = self._coup(row, determined), self._packed(row)
            for winning in self.lists:
                found += winning.audit(coup, packed, row.cells[winning.position], row.place)
        return found

    def _packed(self, row: _Row) -> int:
        joint = pack(joint_part(row.player.cards, row.banker.cards))
        return int(joint) + row.player.packed_part + row.banker.packed_part

    def _winner(self, row: _Row, position: int, determined: bool) -> list[Finding]:
        text = row.cells[position]
        player, banker = row.player.points, row.banker.points
        ours = "tie" if player == banker else "player" if player > banker else "banker"
        if text:
            self.claimed.add(position)
        if text == ours:
            return []
        column = self.reading.name(position)
        try:
            claimed = read_winner(text, self.reading.winner_words)
        except ValueError as error:
            return [rejected(self._rules, column, str(error), row.place)]
        if claimed is None or claimed == ours:
            return []
        finding = winner_finding(
            self._rules,
            self._coup(row, determined),
            claimed,
            row.place.at(column),
            self._game,
        )
        return [] if finding is None else [finding]

    def _points(
        self, row: _Row, pair: tuple[int | None, int | None], determined: bool
    ) -> list[Finding]:
        found: list[Finding] = []
        claimed: list[int | None] = []
        for position in pair:
            try:
                claimed.append(self._claimed_points(row, position))
            except ValueError as error:
                claimed.append(None)
                column = self.reading.name(position)
                found.append(rejected(self._rules, column, str(error), row.place))
        player, banker = claimed
        if player in (None, row.player.points) and banker in (None, row.banker.points):
            return found
        column = " ".join(self.reading.name(one) or "" for one in pair).strip()
        finding = points_finding(
            self._rules,
            self._coup(row, determined),
            (player, banker),
            row.place.at(column),
            self._game,
        )
        return found if finding is None else [*found, finding]

    def _claimed_points(self, row: _Row, position: int | None) -> int | None:
        if position is None or not row.cells[position]:
            return None
        self.claimed.add(position)
        return read_points(row.cells[position])

    def _wager_findings(self, row: _Row, entry: _CoupEntry, determined: bool) -> list[Finding]:
        ref = self.claims.ref_of(row.cells)
        whole = row.player.draw_key >= 0 and row.banker.draw_key >= 0
        packed = self._packed(row) if whole and ref is not None else 0
        found = self.claims.audit(self._coup(row, determined), packed, row.cells, row.place)
        if ref is None:
            return found
        found += self._date_findings(row, ref)
        assert self._columns.wager is not None
        self.claimed.add(self._columns.wager)
        person = self._person(row)
        if person is not None and row.place.coup is not None:
            subject = f"{row.place.coup}/{person}/{ref}/{row.place.line}"
            entry.wagers.setdefault(person, []).append((ref, subject))
        return found

    def _person(self, row: _Row) -> str | None:
        for position in (self._columns.patron, self._columns.seat):
            if position is not None and row.cells[position].strip():
                return row.cells[position].strip()
        return None

    def _date_findings(self, row: _Row, ref: WagerRef) -> list[Finding]:
        date, problem = self._dates.read(row.cells)
        found = []
        if problem is not None:
            column = self.reading.name(self._columns.occurred_at)
            found.append(rejected(self._rules, column, problem, row.place))
        section_id = self._rules.law.wagers[ref.id][0].id
        if date is None or (row.place.source, section_id, date) in self._dated:
            return found
        self._dated.add((row.place.source, section_id, date))
        return found + date_findings(self._rules, [section_id], date, row.place)

    def _count_shoe(self, row: _Row) -> list[Finding]:
        place = row.place
        key = (place.source, place.shoe)
        entry = self._shoes.get(key)
        if entry is None:
            entry = _ShoeEntry(place)
        else:
            del self._shoes[key]
        self._shoes[key] = entry
        entry.coups += 1
        entry.cards.update(row.player.cards)
        entry.cards.update(row.banker.cards)
        if len(self._shoes) > SHOES_REMEMBERED:
            return self._close_shoe(next(iter(self._shoes)))
        return []

    def _close_coup(self, key: tuple[str | None, ...]) -> list[Finding]:
        entry = self._coups.pop(key)
        found = []
        for wagers in entry.wagers.values():
            found += base_findings(self._rules, wagers, entry.place)
        return found

    def _close_shoe(self, key: tuple[str | None, ...]) -> list[Finding]:
        entry = self._shoes.pop(key)
        decks = self._rules.terms.decks
        excess = composition_excess(entry.cards, decks)
        if not excess:
            return []
        level = min(card.knowledge for card in entry.cards)
        return [
            assert_finding(
                FindingCode.SHOE_COMPOSITION,
                str(entry.place.shoe),
                f"Shoe {entry.place.shoe}, {entry.coups} coups: "
                f"{excess_sentence(excess, decks, level)}.",
                Place(
                    source=entry.place.source,
                    file=entry.place.file,
                    line=entry.place.line,
                    shoe=entry.place.shoe,
                    currency=entry.place.currency,
                    rules_version=entry.place.rules_version,
                ),
                submission=self._rules.terms.submission,
            )
        ]
