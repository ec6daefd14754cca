"""What the wager columns of a row claim, compared with what was due."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from auditors.rounds.cells import AmountReader, Memory, Unusable
from auditors.rounds.columns import RoundsMapping
from auditors.rounds.coups import Person, RecordedCoup, Standing
from auditors.rounds.notes import Notes
from auditors.rounds.places import RowPlaces
from auditors.settlement.amounts import (
    MeterMissingError,
    is_void,
    settle_wager,
)
from auditors.settlement.asserting import Place
from auditors.settlement.checks import (
    is_base,
    needs_base,
    offer_findings,
    payment_code,
    payment_finding,
)
from auditors.settlement.pricing import NotPayableError, Share, share_of
from auditors.settlement.progressive_unit import filed_unit, progressive_unit_finding
from auditors.settlement.rules import PricedWager, Rules
from auditors.settlement.terms import TermsError, WagerRef, resolve_wager
from schemas.cards import Knowledge
from schemas.findings import Finding

_KNOWLEDGE_WORDS: Final = {Knowledge.SUIT: "suits", Knowledge.RANK: "ranks"}
_SUIT: Final = Knowledge.SUIT
_UNASKED: Final = Share(0, 0, 0)


@dataclass(slots=True, eq=False)
class NamedWager:
    """One word of the wager column: the wager that it names, and what every row asks of it."""

    ref: WagerRef
    section_id: str
    priced: PricedWager | None
    """None: it has no price, because a paytable letter or the like is missing."""
    least: int
    most: int
    """Stakes within these need no closer look: the filed limits, or the one unit that is filed."""
    is_offered: bool
    is_base: bool
    needs_base: bool
    asks: int
    """Bits of packed facts that its price depends on."""
    knowledge: Knowledge
    """What must be known of all cards, so that it can be priced without a closer look."""
    shares: dict[int, Share | None] = field(default_factory=dict)
    """Facts that it asks for to the part of any stake that is due, where there is one."""


class _PlainCells(NamedTuple):
    """Where the plain stake and payment of a row stand, and what was read in their columns."""

    stake: int
    stakes: Mapping[str, int]
    payment: int
    payments: Mapping[str, int]
    is_net: bool


class WagerClaims:
    """Compares wager, stake and payment of rows with what was due."""

    def __init__(
        self, rules: Rules, mapping: RoundsMapping, notes: Notes, places: RowPlaces
    ) -> None:
        """Prepare to compare.

        Args:
            rules: The law under the terms asked for.
            mapping: Which columns name wagers and amounts.
            notes: What is said once about the file.
            places: Where rows stand.
        """
        self._rules, self._mapping, self._notes, self._places = rules, mapping, notes, places
        self._columns = columns = mapping.columns
        self._names: Memory[NamedWager | Unusable] = Memory()
        self._stake, self._paid, self._net = (
            self._reader(columns.stake),
            self._reader(columns.paid),
            self._reader(columns.net),
        )
        is_told = columns.patron is not None or columns.seat is not None
        self._has_persons = is_told and columns.coup is not None
        self._plain = self._plain_cells()
        self._stake_column = mapping.name(columns.stake)

    @property
    def is_on(self) -> bool:
        """Whether the file names wagers with stakes and payments."""
        columns = self._columns
        has_payment = columns.paid is not None or columns.net is not None
        return columns.wager is not None and columns.stake is not None and has_payment

    def named(self, cells: Sequence[str]) -> NamedWager | Unusable | None:
        """Give the wager that a row names; None where it names none."""
        position = self._columns.wager
        text = cells[position] if position is not None else ""
        if not text:
            return None
        if self._columns.hand is not None and "@" not in text:
            hand = cells[self._columns.hand].strip().lower()
            text = f"{text}@{hand}" if hand else text
        found = self._names.get(text)
        if found is None and text.strip():
            found = self._names.keep(text, self._resolve(text.strip()))
        return found

    def is_right(self, coup: RecordedCoup, named: NamedWager, cells: Sequence[str]) -> bool:
        """Whether a row's wager stands within its limits and was plainly paid what was due.

        Only what was looked at closely before is answered here, in one go; everything else, and
        everything that may be wrong, is for :meth:`audit`.
        """
        plain = self._plain
        if plain is None or not coup.is_determined:
            return False
        if coup.knowledge is not _SUIT and named.knowledge > coup.knowledge:
            return False
        of_stake, stakes, of_paid, payments, is_net = plain
        stake, paid = stakes.get(cells[of_stake]), payments.get(cells[of_paid])
        share = named.shares.get(coup.packed & named.asks)
        if share is None or stake is None or paid is None:
            return False
        if is_net:
            paid += stake
        return named.least <= stake <= named.most and _is_due(share, stake, paid)

    def audit(
        self, coup: RecordedCoup, named: NamedWager, line: int, cells: Sequence[str]
    ) -> Iterator[Finding]:
        """Judge the wager of one row.

        Args:
            coup: The row's coup.
            named: The wager that it names.
            line: Its physical line.
            cells: Its cells.
        """
        stake = self._amount(self._columns.stake, self._stake, cells)
        if isinstance(stake, Unusable):
            yield self._places.rejected(line, cells, self._columns.stake, stake.message)
            stake = None
        # A stake of 0 is no wager, so nothing is said of its being offered.
        is_within = not stake or named.least <= stake <= named.most
        if stake != 0 and not (named.is_offered and is_within):
            yield from self._offer(named, stake, line, cells)
        is_paid = False
        for position, reader in ((self._columns.paid, self._paid), (self._columns.net, self._net)):
            paid = self._amount(position, reader, cells)
            if isinstance(paid, Unusable):
                yield self._places.rejected(line, cells, position, paid.message)
            elif paid is not None and stake is not None and named.priced is not None:
                total = paid if reader is self._paid else stake + paid
                found = self._payment(coup, named, (stake, total), position, line, cells)
                if found is not None:
                    yield found
                    return
            is_paid = is_paid or paid is not None
        if stake and self.is_on and not is_paid:
            self._say_unpaid(line)

    def _say_unpaid(self, line: int) -> None:
        """Say once that rows state a stake and no payment."""
        columns = self._columns
        name = self._mapping.name(columns.net if columns.paid is None else columns.paid)
        self._notes.say(
            "no payment",
            f"column {name}: line {line} states a stake and no payment; such payments are not "
            "compared",
        )

    def refused(
        self, coup: RecordedCoup, named: Unusable, line: int, cells: Sequence[str]
    ) -> Finding:
        """Assert that a row names no wager that is known."""
        self._note_unknown(coup, cells)
        return self._places.rejected(line, cells, self._columns.wager, named.message)

    def unnamed(self, coup: RecordedCoup, line: int, cells: Sequence[str]) -> None:
        """Say once that rows state a stake and name no wager."""
        columns = self._columns
        if columns.wager is None or columns.stake is None or not cells[columns.stake].strip():
            return
        self._note_unknown(coup, cells)
        wager, stake = self._mapping.name(columns.wager), self._mapping.name(columns.stake)
        self._notes.say(
            "no wager",
            f"line {line} states a {stake} and no {wager}; such rows are not compared as wagers",
        )

    def _plain_cells(self) -> _PlainCells | None:
        """Give what :meth:`is_right` reads, where rows state a stake and one payment."""
        columns, stake = self._columns, self._stake
        payment, at = (self._paid, columns.paid) if self._paid else (self._net, columns.net)
        if stake is None or payment is None or columns.stake is None or at is None:
            return None
        if self._paid and self._net:
            return None
        return _PlainCells(
            columns.stake, stake.amounts, at, payment.amounts, is_net=payment is self._net
        )

    def _reader(self, position: int | None) -> AmountReader | None:
        if position is None:
            return None
        column = self._mapping.name(position)

        def say(text: str) -> None:
            self._notes.say(
                f"binary tail in {column}",
                f"column {column}: amounts with a binary tail, such as {text}, "
                "are read as the unit beside them",
            )

        is_net = position == self._columns.net
        return AmountReader(self._rules.terms.currency, say, may_be_negative=is_net)

    @staticmethod
    def _amount(
        position: int | None, reader: AmountReader | None, cells: Sequence[str]
    ) -> int | Unusable | None:
        if position is None or reader is None:
            return None
        return reader.read(cells[position])

    def _resolve(self, text: str) -> NamedWager | Unusable:
        rules, submission = self._rules, self._rules.terms.submission
        try:
            ref = self._ref(text)
        except TermsError as error:
            return Unusable(str(error))
        section, wager = rules.law.wagers[ref.id]
        least, most = rules.terms.limits.get(ref.id, (None, None))
        unit = filed_unit(rules, ref)
        priced = self._priced(ref)
        # A wager that is not offered is never plainly right.
        is_offered = submission is None or submission.offered(ref.id) is not None
        return NamedWager(
            ref=ref,
            section_id=section.id,
            priced=priced,
            least=max(least or 0, unit or 0),
            most=min(NO_LIMIT if most is None else most, unit or NO_LIMIT),
            is_offered=is_offered,
            asks=priced.asks if priced else 0,
            knowledge=priced.knowledge if priced else Knowledge.VALUE,
            is_base=is_base(rules, ref),
            needs_base=needs_base(rules, section, wager),
        )

    def _ref(self, text: str) -> WagerRef:
        """Give the wager that a text names, whatever its case."""
        law, submission = self._rules.law, self._rules.terms.submission
        name, at, hand = text.partition("@")
        ours = self._mapping.wager_names.get(name, name)
        try:
            return resolve_wager(law, f"{ours}{at}{hand}", submission)
        except TermsError:
            if ours == ours.lower():
                raise
            lowered = self._mapping.wager_names.get(ours.lower(), ours.lower())
            return resolve_wager(law, f"{lowered}{at}{hand.lower()}", submission)

    def _priced(self, ref: WagerRef) -> PricedWager | None:
        try:
            return self._rules.priced(ref)
        except TermsError as error:
            self._notes.off(f"payouts of {ref}", str(error))
            return None

    def note_base(
        self, coup: RecordedCoup, named: NamedWager, line: int, cells: Sequence[str]
    ) -> None:
        """Remember a base wager, or a wager that needs one, for the end of the coup."""
        person = self._person_of(cells)
        if person is None or person in coup.based:
            return
        if self._amount(self._columns.stake, self._stake, cells) == 0:
            return
        if named.is_base:
            coup.based += (person,)
        elif person.patron or person.seat:
            place = self._places.of(line, cells, self._columns.wager)
            coup.needing += (Standing(named.ref, person, place),)

    def _person_of(self, cells: Sequence[str]) -> Person | None:
        """Give whose wager a row is; None where base wagers cannot be looked for."""
        if not self._has_persons:
            return None
        patron, seat = self._columns.patron, self._columns.seat
        return Person(
            None if patron is None else cells[patron].strip() or None,
            None if seat is None else cells[seat].strip() or None,
        )

    def _note_unknown(self, coup: RecordedCoup, cells: Sequence[str]) -> None:
        """Remember a wager that cannot be told: it may be a base wager, so none is said to lack."""
        person = self._person_of(cells)
        if person is not None and person not in coup.based:
            coup.based += (person,)

    def _offer(
        self, named: NamedWager, stake: int | None, line: int, cells: Sequence[str]
    ) -> Iterator[Finding]:
        position = self._columns.stake if named.is_offered else self._columns.wager
        place = self._places.of(line, cells, position)
        subject = wager_subject(named.ref, place)
        yield from offer_findings(self._rules, named.ref, stake or 0, subject, place)
        if stake:
            found = progressive_unit_finding(
                self._rules, named.ref, stake, subject, place.at(self._stake_column)
            )
            if found is not None:
                yield found

    def _payment(
        self,
        coup: RecordedCoup,
        named: NamedWager,
        money: tuple[int, int],
        position: int | None,
        line: int,
        cells: Sequence[str],
    ) -> Finding | None:
        """Compare a stake and the total handed back with what was due."""
        priced, (stake, paid) = named.priced, money
        if priced is None or coup.packed < 0:
            return None
        if not coup.is_determined and is_void(self._rules, coup.judged(), priced):
            return self._mispaid(coup, priced, money, position, line, cells)
        if not coup.settles(priced):
            return None
        if not coup.is_known(priced):
            what = _KNOWLEDGE_WORDS[priced.knowledge]
            self._notes.off(f"payouts of {priced.ref}", f"{what} are not recorded")
            return None
        asked = coup.packed & priced.asks
        share = named.shares.get(asked, _UNASKED)
        if share is _UNASKED:
            ruling = self._rules.rule_packed(priced, asked)
            share = share_of(self._rules, priced, ruling)
            if named.is_offered:
                named.shares[asked] = share
        if share is not None and _is_due(share, stake, paid):
            return None
        return self._mispaid(coup, priced, money, position, line, cells)

    def _mispaid(
        self,
        coup: RecordedCoup,
        priced: PricedWager,
        money: tuple[int, int],
        position: int | None,
        line: int,
        cells: Sequence[str],
    ) -> Finding | None:
        """Settle a wager whose payment is not plainly right."""
        stake, paid = money
        try:
            verdict = settle_wager(self._rules, coup.judged(), priced.ref, stake)
        except NotPayableError as error:
            return self._places.unpayable(line, cells, self._columns.stake, priced.ref, str(error))
        except MeterMissingError:
            self._notes.off(
                f"payouts of {priced.ref} from the meter",
                "no meter is recorded; ladderman settle --meter settles one such coup",
            )
            return None
        except TermsError as error:
            self._notes.off(f"payouts of {priced.ref}", str(error))
            return None
        if verdict.due_minor is None:
            self._notes.off(f"payouts of {priced.ref}", "no odds are filed for it")
        if payment_code(verdict, paid) is None:
            return None
        place = self._places.of(line, cells, position)
        return payment_finding(self._rules, verdict, paid, wager_subject(priced.ref, place), place)


def _is_due(share: Share, stake: int, paid: int) -> bool:
    """Whether a payment is the share of its stake that is due, and needs no more looking at."""
    return stake % share.step == 0 and stake * share.due == paid * share.step


NO_LIMIT: Final = 10**18
"""More than any stake."""


def wager_subject(ref: WagerRef, place: Place) -> str:
    """Name a wager of a row as the subject of a finding."""
    return f"{place.coup_subject}/{ref}"
