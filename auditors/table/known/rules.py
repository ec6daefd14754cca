"""The rules of a filing, and each wager as the table names it, looked up once.

Nothing here is state: everything follows from the filing alone, and is kept so that an event costs
a look into a table instead of a search.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import orjson

from auditors.law import law_in_force
from auditors.law.facts import Stage
from auditors.law.model import Section
from auditors.law.packed_facts import unpack
from auditors.settlement.checks import is_base, needs_base
from auditors.settlement.pricing import Share
from auditors.settlement.progressive_unit import filed_unit
from auditors.settlement.rules import PricedWager, Rules
from auditors.settlement.terms import TermsError, WagerRef, game_section, resolve_wager, terms_of
from auditors.table.known.hands import Hands, hands_from
from schemas.cards import Knowledge
from schemas.rules_submission import RulesSubmission

_FILINGS_KEPT: Final = 256
_NAMES_KEPT: Final = 4096
_DUES_KEPT: Final = 4096
_HANDS_KEPT: Final = 4096


class Due(NamedTuple):
    """How a wager came out and what is due on it: a verdict without its sentence."""

    outcome: str | None
    """``win``, ``lose`` or ``push``; None where undetermined."""
    outcome_code: str | None
    pays: str | None
    due_minor: int | None
    """Total that should be handed back; None where it stays open."""
    vigorish_minor: int | None
    citation: str | None
    interpretations: dict[str, str]


@dataclass(frozen=True, slots=True)
class NamedWager:
    """A wager as a table names it, under its filing."""

    id: str
    """The law's full id; the name as the table wrote it where it fits none."""
    hand: str | None
    """The hand that it backs."""
    letter: str | None
    """The letter of its paytable."""
    ref: WagerRef | None
    """The law's wager; None where the name fits none."""
    priced: PricedWager | None
    """None where it is unknown, or its letter or form is not filed."""
    settles: str
    """When the law has it settled; ``not_stated`` where the wager is not known."""
    is_offered: bool
    least_minor: int | None
    most_minor: int | None
    unit_minor: int | None
    """The one stake permitted on a progressive, where it is filed as such (D4)."""
    needs_base: bool
    is_base: bool
    dues: dict[tuple[int, object], Due] = field(compare=False)
    """Stake and the facts that it asks for to what is due, for coups without a fault."""
    shares: dict[object, tuple[Due, Share]] = field(compare=False)
    """The facts that it asks for to what is due on some stake, and to the share of any other."""

    @property
    def is_early(self) -> bool:
        """Whether the first four cards decide it."""
        return self.priced is not None and self.priced.stage is Stage.FIRST_FOUR

    def is_within(self, stake_minor: int) -> bool:
        """Whether a stake is within the filed limits, and the filed unit where there is one."""
        least, most = self.least_minor, self.most_minor
        if self.unit_minor is not None and stake_minor != self.unit_minor:
            return False
        return (least is None or stake_minor >= least) and (most is None or stake_minor <= most)

    def due_by_share(self, stake_minor: int, asked: object) -> Due | None:
        """Give what is due where it is a known share of any stake; None elsewhere."""
        found = self.shares.get(asked)
        if found is None:
            return None
        due, share = found
        steps, rest = divmod(stake_minor, share.step)
        if rest:
            return None
        return due._replace(due_minor=steps * share.due, vigorish_minor=steps * share.vigorish)

    def remember(self, key: tuple[int, object], due: Due, share: Share | None) -> None:
        """Keep what is due for coups with the same facts."""
        if len(self.dues) >= _DUES_KEPT:
            self.dues.clear()
        self.dues[key] = due
        if share is not None and share.is_read_alike:
            if len(self.shares) >= _DUES_KEPT:
                self.shares.clear()
            self.shares[key[1]] = (due, share)


class _OnOffer(NamedTuple):
    """A wager on offer."""

    name: str
    priced: PricedWager | None
    """None where its letter or form is not filed."""
    wins: dict[object, bool]
    """The facts that it asks for to whether it wins: looked up for each wager at each result,
    which costs a third of asking the rules."""


class WinningNames(NamedTuple):
    """Wagers that are offered: those that won, and those that cannot be told."""

    won: frozenset[str]
    open: frozenset[str]


@dataclass(frozen=True, slots=True)
class TableRules:
    """The law under one filing."""

    rules: Rules
    game: Section
    _named: dict[str, NamedWager] = field(default_factory=dict, compare=False)
    _hands: dict[str, Hands] = field(default_factory=dict, compare=False)
    _winning: dict[tuple[int, tuple[Knowledge, Knowledge]], WinningNames] = field(
        default_factory=dict, compare=False
    )
    _offered: list[_OnOffer] = field(default_factory=list, compare=False)

    @property
    def submission(self) -> RulesSubmission:
        """The filing."""
        submission = self.rules.terms.submission
        assert submission is not None, "a table plays under a filing"
        return submission

    def named(self, name: str) -> NamedWager:
        """Find the wager that the table names; the name alone where nothing fits."""
        found = self._named.get(name)
        if found is None:
            found = self._look_up(name)
            if len(self._named) >= _NAMES_KEPT:
                self._named.clear()
            self._named[name] = found
        return found

    def hands(self, text: str) -> Hands:
        """Read the hands of a coup; every event of it asks for the same ones."""
        found = self._hands.get(text)
        if found is None:
            found = hands_from(text, self.game)
            if len(self._hands) >= _HANDS_KEPT:
                self._hands.clear()
            self._hands[text] = found
        return found

    def _look_up(self, name: str) -> NamedWager:
        rules = self.rules
        try:
            ref = resolve_wager(rules.law, name, self.submission)
        except TermsError:
            return NamedWager(
                id=name,
                hand=None,
                letter=None,
                ref=None,
                priced=None,
                settles="not_stated",
                is_offered=False,
                least_minor=None,
                most_minor=None,
                unit_minor=None,
                needs_base=False,
                is_base=False,
                dues={},
                shares={},
            )
        section, wager = rules.law.wagers[ref.id]
        least, most = rules.terms.limits.get(ref.id, (None, None))
        priced = _priced_or_none(rules, ref)
        return NamedWager(
            id=ref.id,
            hand=ref.hand,
            letter=priced.letter if priced else None,
            ref=ref,
            priced=priced,
            settles=wager.settles or section.settles,
            is_offered=self.submission.offered(ref.id) is not None,
            least_minor=least,
            most_minor=most,
            unit_minor=filed_unit(rules, ref),
            needs_base=needs_base(rules, section, wager),
            is_base=is_base(rules, ref),
            dues={},
            shares={},
        )

    def shown(self, name: str) -> NamedWager:
        """Find a wager by the name under which a paytable is shown: a sign serves both hands."""
        found = self.named(name)
        return found if found.ref or "@" in name else self.named(f"{name}@player")

    def winning_names(self, hands: Hands) -> WinningNames:
        """Say which of the wagers on offer won, by the cards as they lie."""
        key = (hands.packed, hands.knowledge) if hands.is_clean else None
        found = self._winning.get(key) if key is not None else None
        if found is None:
            found = self._look_up_winning(hands)
            if len(self._winning) >= _HANDS_KEPT:
                self._winning.clear()
            if key is not None:
                self._winning[key] = found
        return found

    def _look_up_winning(self, hands: Hands) -> WinningNames:
        coup, packed, facts = hands.coup, hands.packed, unpack(hands.packed)
        known = {stage: (coup.settles_at(stage), hands.knowledge[stage]) for stage in Stage}
        won, undecided = set(), set()
        for name, priced, wins in self._on_offer():
            if priced is None:
                undecided.add(name)
                continue
            is_settled, knowledge = known[priced.stage]
            if not is_settled or priced.knowledge > knowledge:
                undecided.add(name)
                continue
            asked = packed & priced.asks
            is_won = wins.get(asked)
            if is_won is None:
                is_won = wins[asked] = priced.is_won(facts)
            if is_won:
                won.add(name)
        return WinningNames(frozenset(won), frozenset(undecided))

    def _on_offer(self) -> list[_OnOffer]:
        if not self._offered:
            self._offered.extend(
                _OnOffer(str(ref), _priced_or_none(self.rules, ref), {})
                for ref in self._offered_refs()
            )
        return self._offered

    def _offered_refs(self) -> Iterator[WagerRef]:
        """Give every wager on offer, once for each hand that it can back."""
        for filed in self.submission.wagers:
            known = self.rules.law.wagers.get(filed.id)
            if known is not None:
                yield from (WagerRef(filed.id, hand) for hand in known[1].backs or (None,))


def _priced_or_none(rules: Rules, ref: WagerRef) -> PricedWager | None:
    """Compile a wager; None where its letter or form is not filed."""
    try:
        return rules.priced(ref)
    except TermsError:
        return None


def filing_key(submission: RulesSubmission) -> str:
    """Name a filing by its content: BLAKE2b-128 of its canonical JSON."""
    canonical = orjson.dumps(
        submission.model_dump(mode="json", by_alias=True), option=orjson.OPT_SORT_KEYS
    )
    return hashlib.blake2b(canonical, digest_size=16).hexdigest()


_RULES: Final[dict[str, TableRules]] = {}


def rules_under(key: str, submission: RulesSubmission) -> TableRules:
    """Give the law under a filing; remembered by the filing's content.

    Args:
        key: As :func:`filing_key` gives it.
        submission: The filing.
    """
    found = _RULES.get(key)
    if found is None:
        found = _under(submission)
        if len(_RULES) >= _FILINGS_KEPT:
            _RULES.clear()
        _RULES[key] = found
    return found


def _under(submission: RulesSubmission) -> TableRules:
    """Read the law under a filing; readings that cannot be are defects of it, and not in force."""
    law = law_in_force(submission.jurisdiction)
    known = {
        id_: code
        for id_, code in submission.readings.items()
        if id_ in law.interpretations and code in law.interpretations[id_].codes
    }
    terms = terms_of(law, submission.model_copy(update={"readings": known}))
    terms = replace(terms, submission=submission)
    return TableRules(Rules(law, terms), game_section(law, terms))
