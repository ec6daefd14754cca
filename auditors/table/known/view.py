"""A coup with the rules it is judged under: what all checks of it read."""

from __future__ import annotations

from dataclasses import replace

from auditors.law.interpretations import CardDrawnInError
from auditors.settlement.asserting import Place
from auditors.settlement.coup import Coup, DrawFault
from auditors.settlement.rules import Rules
from auditors.table.known.context import Folding, rules_of
from auditors.table.known.hands import Hands
from auditors.table.known.rules import NamedWager
from auditors.table.known.state import CoupState, PlacedWager
from schemas.events import Capability
from schemas.findings import FindingCode
from schemas.rules_submission import RulesSubmission


class CoupView:
    """A coup as far as it has been told; nothing is remembered from one look to the next."""

    __slots__ = ("_folding", "_hands", "_settled", "reports", "state", "table_rules")

    def __init__(self, folding: Folding, state: CoupState) -> None:
        """Look at a coup.

        Args:
            folding: The event on its way.
            state: The coup as the event left it.
        """
        self.state = state
        self.reports = folding.state.reports
        self.table_rules = rules_of(folding.state, state.filing)
        self._folding = folding
        self._hands: Hands | None = None
        self._settled: Coup | None = None

    @property
    def is_final(self) -> bool:
        """The coup is over: what has not been reported by now counts as absent."""
        return self.state.is_closed

    @property
    def rules(self) -> Rules:
        """The law under the filing."""
        return self.table_rules.rules

    @property
    def submission(self) -> RulesSubmission:
        """The filing under which the coup is played."""
        return self.table_rules.submission

    @property
    def currency(self) -> str:
        """The currency of the filing."""
        return self.rules.terms.currency

    def reading(self, id_: str) -> str:
        """Give the code of an interpretation in force."""
        return self.rules.terms.readings[id_]

    @property
    def place(self) -> Place:
        """The place of a finding about the coup."""
        return self._place((self._folding.sequence,))

    def at(
        self,
        *sequences: int,
        seat: str | None = None,
        column: str | None = None,
        at_us: int | None = None,
    ) -> Place:
        """Give the place of a finding.

        Args:
            sequences: The events that it rests on.
            seat: The seat.
            column: The claim of which it is about.
            at_us: When the act happened that is wrong, microseconds since 1970 UTC; None: not
                known, then the coup's beginning stands for it.
        """
        return self._place(tuple(sorted(set(sequences))), seat, column, at_us)

    def _place(
        self,
        evidence: tuple[int, ...],
        seat: str | None = None,
        column: str | None = None,
        at_us: int | None = None,
    ) -> Place:
        state, terms = self.state, self.rules.terms
        return Place(
            source=self._folding.state.source_id,
            feed=state.feed_id,
            column=column,
            shoe=state.shoe_id,
            coup=state.coup_id,
            seat=seat,
            currency=terms.currency,
            rules_version=terms.rules_version,
            evidence=evidence,
            occurred_at_us=state.began_at_us if at_us is None else at_us,
            coup_began_at_us=state.began_at_us,
            gaming_date=state.gaming_date,
            coup_no=state.coup_no,
            dealer=state.dealer,
        )

    def can(self, *capabilities: Capability) -> bool:
        """Whether the table reports all of these."""
        return self.reports.issuperset(capabilities)

    def named(self, wager: PlacedWager) -> NamedWager:
        """Find the wager of the law."""
        return self.table_rules.named(wager.name)

    def is_certain(self, what: str) -> bool:
        """Whether no lost event can change the ``call``, the ``counts`` or the ``cards``."""
        return not self.state.is_unverified or what in self.state.certain

    def is_certainly_paid(self, wager: PlacedWager) -> bool:
        """Whether no lost event can change how a wager was first paid, and what decides it."""
        return not self.state.is_unverified or wager.wager_no in self.state.certain_wagers

    def subject(self, id_: str) -> str:
        """Make an id the subject of a finding; ids that other coups may use name this one."""
        coup_id = self.state.coup_id
        # Wager 10 of coup 1 does not name its coup: coup 10 may have a wager 10 as well.
        is_named = id_.startswith(coup_id) and not id_[len(coup_id) :][:1].isalnum()
        return id_ if is_named else f"{coup_id}/{id_}"

    @property
    def hands(self) -> Hands:
        """The cards as they lie."""
        if self._hands is None:
            self._hands = self.table_rules.hands(self.state.hands)
        return self._hands

    @property
    def card_sequences(self) -> tuple[int, ...]:
        """The events that dealt the cards, and that read them later."""
        cards = self.state.cards
        later = [card.read_sequence for card in cards if card.read_sequence is not None]
        return (*(card.sequence for card in cards), *later)

    @property
    def cards_are_final(self) -> bool:
        """Whether no further card can come: a result, a payment after it, or the end."""
        state = self.state
        if state.is_closed or state.result is not None:
            return True
        if Capability.ANNOUNCEMENTS in self.reports:
            return False
        paid = (one for one in state.wagers if one.payments)
        return any(self.named(one).settles != "after_first_four" for one in paid)

    @property
    def settled_coup(self) -> Coup | None:
        """The cards that wagers are settled by; None while they decide nothing."""
        if self._settled is None:
            self._settled = self._look_at_cards()
        return self._settled

    def _look_at_cards(self) -> Coup | None:
        if Capability.CARDS not in self.reports or not self.hands.has_first_four:
            return None
        if not self.cards_are_final or not self.is_certain("cards"):
            # Until then a disposition may still explain a card, and a card may still come.
            return self.hands.first_four
        coup = self.hands.coup
        if self.state.errors and self.reading(CardDrawnInError.ID) == CardDrawnInError.VOID:
            return replace(coup, faults=(*coup.faults, _DRAWN_IN_ERROR))
        return coup


_DRAWN_IN_ERROR = DrawFault(
    FindingCode.THIRD_CARD_DRAWN_IN_ERROR, None, "a card was drawn in error", None
)
"""A card that a disposition took out of the hands: where the filing says so, it voids the coup."""


def first_card(coup: CoupState) -> int | None:
    """Give the event by which the first card of a coup left the shoe, drawing errors aside."""
    return next((one.sequence for one in coup.cards if one.error_id is None), None)
