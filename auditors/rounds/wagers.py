"""What do the wager columns of a row claim, and does it agree with what was due?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from auditors.asserting import Place, assert_finding
from auditors.checks import offer_findings, payment_code, payment_finding
from auditors.coup import Coup, cards_sentence, result_sentence
from auditors.rounds.cells import AmountReader, Memory
from auditors.rounds.columns import RoundsReading
from auditors.rounds.notes import Notes
from auditors.rules import PricedWager, Rules
from auditors.settlement import NotPayableError, linear_total, outcome_word, settle_wager
from auditors.terms import TermsError, WagerRef, resolve_wager
from schemas.cards import Knowledge
from schemas.findings import Finding, FindingCode

_KNOWLEDGE_WORDS: Final = {Knowledge.SUIT: "suits", Knowledge.RANK: "ranks"}


class Refused(ValueError):  # noqa: N818 - a cell that is refused, reported as a finding
    """A cell that cannot be used, with the column that it stands in."""

    def __init__(self, column: str | None, message: str) -> None:
        super().__init__(message)
        self.column = column


class WagerClaims:
    """Compares wager, stake and payment of rows with what was due."""

    def __init__(self, rules: Rules, reading: RoundsReading, notes: Notes) -> None:
        self._rules, self._reading, self._notes = rules, reading, notes
        self._columns = reading.columns
        self._names: Memory[PricedWager | WagerRef | str] = Memory()
        self._amounts = {
            position: AmountReader(rules.terms.currency)
            for position in (self._columns.stake, self._columns.paid, self._columns.net)
            if position is not None
        }

    @property
    def is_on(self) -> bool:
        """Whether the file names wagers with stakes and payments."""
        columns = self._columns
        has_payment = columns.paid is not None or columns.net is not None
        return columns.wager is not None and columns.stake is not None and has_payment

    def ref_of(self, cells: Sequence[str]) -> WagerRef | None:
        """Give the wager that a row names; None where it names none or one that is refused."""
        named = self._named(cells)
        if isinstance(named, PricedWager):
            return named.ref
        return named if isinstance(named, WagerRef) else None

    def audit(self, coup: Coup, packed: int, cells: Sequence[str], place: Place) -> list[Finding]:
        """Judge the wager of one row.

        Args:
            coup: The cards, judged.
            packed: Its packed facts; meaningful where both hands have two or three cards.
            cells: The row.
            place: Where the row stands.
        """
        named = self._named(cells)
        if named is None:
            return []
        try:
            return self._judge(named, coup, packed, cells, place)
        except Refused as refused:
            return [rejected(self._rules, refused.column, str(refused), place)]

    def _named(self, cells: Sequence[str]) -> PricedWager | WagerRef | str | None:
        """Read the row's wager: priced, or without a price (a letter is missing), or refused."""
        position = self._columns.wager
        text = cells[position].strip() if position is not None else ""
        if not text:
            return None
        if self._columns.hand is not None and "@" not in text:
            hand = cells[self._columns.hand].strip().lower()
            text = f"{text}@{hand}" if hand else text
        found = self._names.get(text)
        return found if found is not None else self._names.keep(text, self._resolve(text))

    def _resolve(self, text: str) -> PricedWager | WagerRef | str:
        name, at, hand = text.partition("@")
        ours = self._reading.wager_names.get(name, name)
        try:
            ref = resolve_wager(self._rules.law, f"{ours}{at}{hand}", self._rules.terms.submission)
        except TermsError as error:
            return str(error)
        try:
            return self._rules.priced(ref)
        except TermsError as error:
            self._notes.off(f"payouts of {ref}", str(error))
            return ref

    def _judge(
        self,
        named: PricedWager | WagerRef | str,
        coup: Coup,
        packed: int,
        cells: Sequence[str],
        place: Place,
    ) -> list[Finding]:
        column = self._reading.name(self._columns.wager)
        if isinstance(named, str):
            raise Refused(column, named)
        ref = named.ref if isinstance(named, PricedWager) else named
        subject = f"{place.coup}/{ref}/{place.line}"
        stake = self._amount(self._columns.stake, cells)
        found = [] if stake is None else offer_findings(self._rules, ref, stake, subject, place)
        paid = self._paid(stake, cells)
        if stake is None or paid is None or isinstance(named, WagerRef):
            return found
        payment = self._payment(named, coup, packed, (stake, paid), place)
        return found if payment is None else [*found, payment]

    def _payment(
        self, priced: PricedWager, coup: Coup, packed: int, money: tuple[int, int], place: Place
    ) -> Finding | None:
        stake, paid = money
        if not coup.settles_at(priced.stage):
            return None
        if priced.knowledge > coup.knowledge:
            what = _KNOWLEDGE_WORDS[priced.knowledge]
            self._notes.off(f"payouts of {priced.ref}", f"{what} are not recorded")
            return None
        ruling = self._rules.rule_packed(priced, packed)
        total = linear_total(self._rules, priced, ruling)
        if total is not None and stake * total[0] == paid * total[1]:
            return None
        subject = f"{place.coup}/{priced.ref}/{place.line}"
        try:
            verdict = settle_wager(self._rules, coup, priced.ref, stake)
        except NotPayableError as error:
            raise Refused(self._reading.name(self._columns.stake), str(error)) from None
        except TermsError as error:
            self._notes.off(f"payouts of {priced.ref}", str(error))
            return None
        if verdict.due_minor is None:
            self._notes.off(f"payouts of {priced.ref}", "no odds are filed for it")
        if payment_code(verdict, paid) is None:
            return None
        return payment_finding(self._rules, verdict, paid, subject, place)

    def _amount(self, position: int | None, cells: Sequence[str]) -> int | None:
        if position is None:
            return None
        column = self._reading.name(position)
        read = self._amounts[position].read(cells[position])
        if read.error is not None:
            raise Refused(column, read.error)
        if read.had_binary_tail:
            self._notes.say(
                f"binary tail in {column}",
                f"column {column}: amounts with a binary tail, such as {cells[position]}, "
                "are read as the unit beside them",
            )
        if read.minor is not None and read.minor < 0 and position != self._columns.net:
            raise Refused(column, f"{cells[position][:20]!r} is below 0")
        return read.minor

    def _paid(self, stake: int | None, cells: Sequence[str]) -> int | None:
        """Give the total handed back, the stake included."""
        paid = self._amount(self._columns.paid, cells)
        net = self._amount(self._columns.net, cells)
        if paid is not None or net is None or stake is None:
            return paid
        return stake + net


def winning_lists(rules: Rules, reading: RoundsReading, notes: Notes) -> list[WinningList]:
    """Prepare the lists of winning wagers whose kinds the mapping declares."""
    lists = []
    for position in reading.columns.winning_wagers:
        kinds = {}
        for name, ours in reading.winning_names.get(position, {}).items():
            try:
                ref = resolve_wager(rules.law, ours, rules.terms.submission)
                kinds[name] = rules.priced(ref)
            except TermsError as error:
                notes.off(f"winning wager {name}", str(error))
        if kinds:
            lists.append(WinningList(rules, position, reading.header[position], kinds))
    return lists


class WinningList:
    """Compares one column of winning wagers with the cards as they lie."""

    def __init__(
        self, rules: Rules, position: int, column: str, kinds: Mapping[str, PricedWager]
    ) -> None:
        self._rules, self.position, self._column, self._kinds = rules, position, column, kinds
        self._wins: dict[tuple[int, Knowledge], frozenset[str]] = {}
        self._lists: Memory[frozenset[str]] = Memory()

    def audit(self, coup: Coup, packed: int, text: str, place: Place) -> list[Finding]:
        """Compare the list of one row; an empty list claims nothing."""
        if not text.strip():
            return []
        recorded = self._lists.get(text)
        if recorded is None:
            words = frozenset(text.replace(",", " ").replace(";", " ").split())
            recorded = self._lists.keep(text, words & self._kinds.keys())
        ours = self._winning(coup, packed)
        if recorded == ours:
            return []
        known = {name for name, one in self._kinds.items() if one.knowledge <= coup.knowledge}
        too_many, too_few = (recorded & known) - ours, ours - recorded
        return [self._finding(coup, too_many, too_few, place)] if too_many or too_few else []

    def _winning(self, coup: Coup, packed: int) -> frozenset[str]:
        key = (packed, coup.knowledge)
        wins = self._wins.get(key)
        if wins is None:
            wins = self._wins[key] = frozenset(
                name
                for name, priced in self._kinds.items()
                if priced.knowledge <= coup.knowledge
                and outcome_word(self._rules.rule_packed(priced, packed).matched) == "win"
            )
        return wins

    def _finding(
        self, coup: Coup, too_many: frozenset[str], too_few: frozenset[str], place: Place
    ) -> Finding:
        parts = []
        if too_many:
            parts.append(f"recorded as winning but not won: {' '.join(sorted(too_many))}")
        if too_few:
            parts.append(f"won but not recorded: {' '.join(sorted(too_few))}")
        return assert_finding(
            FindingCode.WINNING_WAGERS_MISREPORTED,
            f"{place.coup or place.line}/{self._column}",
            f"{cards_sentence(coup.player, coup.banker)}. "
            f"{result_sentence(coup.player_points, coup.banker_points)}; {'; '.join(parts)}.",
            place.at(self._column),
            submission=self._rules.terms.submission,
        )


def rejected(rules: Rules, column: str | None, message: str, place: Place) -> Finding:
    """Assert that a cell cannot be used; the rest of the row is judged without it."""
    return assert_finding(
        FindingCode.EVENT_REJECTED,
        f"{place.line}/{column}",
        f"column {column}: {message}.",
        place.at(column),
        submission=rules.terms.submission,
    )
