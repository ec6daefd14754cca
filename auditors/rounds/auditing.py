"""Audit of recorded rounds: what is wrong with each row, and with the shoes they make up.

Rows come in file order and are forgotten again: memory does not grow with the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

from auditors.law.model import Section
from auditors.rounds.cells import HandCell, HandReader, Memory, Unusable, read_hand
from auditors.rounds.claims import ResultClaims, WinningList
from auditors.rounds.columns import RoundsMapping
from auditors.rounds.coups import RecordedCoup, RecordedCoups, cells_at
from auditors.rounds.dates import DateChecks
from auditors.rounds.joined import deal_out, joined_tokens
from auditors.rounds.notes import Notes
from auditors.rounds.orders import CARDS_MIN
from auditors.rounds.places import RowPlaces
from auditors.rounds.shoes import RecordedShoes
from auditors.rounds.uses import NameUses
from auditors.rounds.wagers import NamedWager, WagerClaims, wager_subject
from auditors.settlement.asserting import Claim, assert_finding
from auditors.settlement.checks import base_findings, draw_findings
from auditors.settlement.rules import PricedWager, Rules
from auditors.settlement.terms import TermsError, resolve_wager
from schemas.cards import Knowledge
from schemas.finding_facts.rounds import CardIllegible
from schemas.findings import Finding, FindingCode


class RowStatus(StrEnum):
    """What became of a row."""

    SETTLED = "settled"
    UNDETERMINED = "undetermined"
    UNREADABLE = "unreadable"


class RowAuditor:
    """Audits the rows of one file, one after the other."""

    def __init__(self, rules: Rules, game: Section, mapping: RoundsMapping, file: str) -> None:
        """Prepare to audit.

        Args:
            rules: The law under the terms asked for.
            game: The main game, whose drawing rules hold.
            mapping: Which column says what.
            file: The file's name, as findings give it.
        """
        self._rules, self._game, self.mapping = rules, game, mapping
        self._columns = columns = mapping.columns
        self.notes = Notes()
        self._places = places = RowPlaces(rules, mapping, file)
        self._player, self._banker = HandReader("player"), HandReader("banker")
        self._joined: Memory[tuple[HandCell, HandCell] | None] = Memory()
        self._coups = RecordedCoups(columns, game)
        self._shoes = RecordedShoes(rules, columns, places)
        self._results = ResultClaims(rules, mapping, places)
        self.lists = self._winning_lists()
        self.claims = WagerClaims(rules, mapping, self.notes, places)
        self._dates = DateChecks(rules, mapping, self.notes, places)
        self.knowledge = Knowledge.SUIT
        """The least that any readable row told of its cards."""
        points = [position for pair in columns.points for position in pair]
        claiming = (*columns.winners, *points, *columns.winning_wagers)
        self.silent = {
            position
            for position in (columns.shoe, columns.wager, *claiming)
            if position is not None
        }
        """Positions of the columns in which no row has claimed anything yet."""
        self._coup_cells = cells_at(
            columns.table,
            columns.source,
            columns.shoe,
            columns.coup,
            columns.cards,
            columns.player_cards,
            columns.banker_cards,
            *claiming,
        )
        self._origin_of = cells_at(columns.table, columns.source, columns.shoe)
        self._uses = NameUses()
        self._origin: object = None
        self._last: RecordedCoup | None = None
        self._last_cells: object = None

    def audit(self, line: int, cells: Sequence[str]) -> tuple[RowStatus, Sequence[Finding]]:
        """Audit one row.

        Args:
            line: Its physical line; the header is line 1.
            cells: Its cells, as many as the header has or more.
        """
        found: list[Finding] = []
        coup_cells, coup, claims = self._coup_cells(cells), self._last, self.claims
        named = claims.named(cells)
        if coup is None or coup_cells != self._last_cells:
            coup = self._coup_of(line, cells, found, is_wager=named is not None)
            if coup is None:
                return RowStatus.UNREADABLE, found
            self._last_cells = coup_cells
        if self.silent:
            self.silent = {position for position in self.silent if not cells[position].strip()}
        section_id = None
        if named.__class__ is NamedWager:
            assert isinstance(named, NamedWager)
            section_id = named.section_id
            if named.is_base or named.needs_base:
                claims.note_base(coup, named, line, cells)
            if not claims.is_right(coup, named, cells):
                found += claims.audit(coup, named, line, cells)
        elif isinstance(named, Unusable):
            found.append(claims.refused(coup, named, line, cells))
        else:
            claims.unnamed(coup, line, cells)
        if not self._dates.is_checked(section_id, cells):
            found += self._dates.audit(section_id, line, cells)
        return _SETTLED if coup.is_determined else _UNDETERMINED, found

    def _coup_of(
        self, line: int, cells: Sequence[str], found: list[Finding], *, is_wager: bool
    ) -> RecordedCoup | None:
        """Give the coup of a row, its claims judged; None where its cards are unreadable."""
        hands = self.read_hands(cells)
        if hands is None or hands[0].unreadable or hands[1].unreadable:
            found += self._unreadable(hands, line, cells)
            return None
        origin = self._uses.of(self._origin_of(cells), self._dates.instant_of(cells))
        id_ = self._coups.id_of(cells)
        if origin == self._origin:
            origin = self._origin  # one of many equal ones is kept
        self._origin = origin
        coup, is_new = self._coups.find(origin, id_, *hands)
        if is_new:
            if coup.knowledge is not _SUIT or not coup.is_determined:
                found += self._draw_findings(coup, line, cells)
            if id_ is not None or not is_wager:
                found += self._shoes.count(origin, coup, line, cells)
            elif self._columns.shoe is not None:
                # They may be wagers of one coup, whose cards would be counted twice.
                for check in ("shoe_composition", "shoe_order"):
                    self.notes.off(check, "rows name wagers but no coup ids")
            if self._coups.is_full:
                for old in self._coups.forget_oldest():
                    found += self._base_findings(old)
        if not self._results.agree(coup, cells):
            found += self._results.audit(coup, line, cells)
        for winners in self.lists if coup.is_whole else ():
            if not winners.agrees(coup, cells):
                found += winners.audit(coup, line, cells)
        self._last = coup if id_ is not None else None
        return coup

    def finish(self) -> Iterator[Finding]:
        """Give the findings that only the end of the file decides."""
        for coup in self._coups.forget_all():
            yield from self._base_findings(coup)
        yield from self._shoes.close()
        if self._shoes.are_excerpts:
            reason = f"fewer than {CARDS_MIN} cards of any shoe are recorded"
            self.notes.off("shoe_order", reason)

    def read_hands(self, cells: Sequence[str]) -> tuple[HandCell, HandCell] | None:
        """Read the cards of a row; None where it cannot be told whose card is which."""
        columns, player, banker = self._columns, self._player, self._banker
        if columns.cards is None:
            assert columns.player_cards is not None
            assert columns.banker_cards is not None
            of_player, of_banker = cells[columns.player_cards], cells[columns.banker_cards]
            return (
                player.memory.get(of_player) or player.read(of_player),
                banker.memory.get(of_banker) or banker.read(of_banker),
            )
        text = cells[columns.cards]
        if text in self._joined:
            return self._joined[text]
        dealt = deal_out(joined_tokens(text), self.mapping.card_order, self._game)
        if dealt is None:
            return self._joined.keep(text, None)
        hands = read_hand("player", dealt[0]), read_hand("banker", dealt[1])
        return self._joined.keep(text, hands)

    def _unreadable(
        self, hands: tuple[HandCell, HandCell] | None, line: int, cells: Sequence[str]
    ) -> Iterator[Finding]:
        columns = self._columns
        if hands is None:
            problem = "whose card is which cannot be told from this column"
            yield self._card_finding(columns.cards, None, (1, problem), line, cells)
            return
        both = (("player", columns.player_cards), ("banker", columns.banker_cards))
        for (hand, position), cell in zip(both, hands, strict=True):
            column = columns.cards if columns.cards is not None else position
            for problem_at in cell.unreadable:
                yield self._card_finding(column, hand, problem_at, line, cells)

    def _card_finding(
        self,
        position: int | None,
        hand: str | None,
        problem: tuple[int, str],
        line: int,
        cells: Sequence[str],
    ) -> Finding:
        number, message = problem
        place = self._places.of(line, cells, position)
        return assert_finding(
            FindingCode.CARD_UNREADABLE,
            f"{place.coup_subject}/{hand}/{number}",
            CardIllegible(position=number, problem=message),
            place,
            Claim(hand=hand),
            submission=self._rules.terms.submission,
        )

    def _draw_findings(
        self, coup: RecordedCoup, line: int, cells: Sequence[str]
    ) -> Iterator[Finding]:
        """Judge the draw of a new coup, and note how much is known of its cards."""
        self.knowledge = min(self.knowledge, coup.knowledge)
        if coup.is_determined:
            return
        place = self._places.of(line, cells)
        for finding in draw_findings(self._rules, coup.judged(), place):
            column = self._hand_column(finding.hand, coup)
            yield finding.model_copy(update={"column": column})

    def _hand_column(self, hand: str | None, coup: RecordedCoup) -> str | None:
        """Give the header name of the column in which the cards of a fault stand.

        Args:
            hand: The hand at fault; None: every hand that has not two or three cards.
            coup: The coup.
        """
        columns, name = self._columns, self.mapping.name
        if columns.cards is not None:
            return name(columns.cards)
        of_hand = {"player": columns.player_cards, "banker": columns.banker_cards}
        if hand is not None:
            return name(of_hand[hand])
        hands = {"player": coup.player, "banker": coup.banker}
        wrong = [hand for hand, cell in hands.items() if not 2 <= len(cell.cards) <= 3]
        return ", ".join([name(of_hand[at_fault]) or "" for at_fault in wrong])

    def damaged(self, line: int, message: str) -> Finding:
        """Assert that a line cannot be read as a row."""
        return self._places.damaged(line, message)

    def _base_findings(self, coup: RecordedCoup) -> Iterator[Finding]:
        for ref, _, place in coup.without_base():
            yield from base_findings(self._rules, [(ref, wager_subject(ref, place))], place)

    def _winning_lists(self) -> list[WinningList]:
        """Prepare the lists of winning wagers whose kinds the mapping declares."""
        rules, lists = self._rules, []
        for position in self._columns.winning_wagers:
            kinds: dict[str, PricedWager] = {}
            for name, ours in self.mapping.winning_names.get(position, {}).items():
                try:
                    ref = resolve_wager(rules.law, ours, rules.terms.submission)
                    kinds[name] = rules.priced(ref)
                except TermsError as error:
                    self.notes.off(f"winning wager {name}", str(error))
            if kinds:
                lists.append(WinningList(rules, position, kinds, self._places))
        return lists


_SUIT: Final = Knowledge.SUIT
_SETTLED: Final = RowStatus.SETTLED
_UNDETERMINED: Final = RowStatus.UNDETERMINED
