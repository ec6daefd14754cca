"""What findings rest on, as typed data: one class of facts for each form of sentence.

A finding's sentence and title are rendered from its facts and its other fields and never read
back. The tag ``kind`` says which class it is; tags are stored, and never used again for others.
Each area has its module, whose union stands here beside the others.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from pydantic import Field, TypeAdapter

from schemas.finding_facts.deal import DealFacts
from schemas.finding_facts.feed import FeedFacts
from schemas.finding_facts.filing import FilingFacts
from schemas.finding_facts.meter import MeterFacts
from schemas.finding_facts.parts import FactsPart
from schemas.finding_facts.payment import PaymentFacts
from schemas.finding_facts.progressive import ProgressiveFacts
from schemas.finding_facts.rounds import RoundsFacts
from schemas.finding_facts.rules import RulesFacts
from schemas.finding_facts.shoe import ShoeFacts
from schemas.finding_facts.vigorish import VigorishFacts
from schemas.finding_facts.wager import WagerFacts
from schemas.money import format_minor

FindingFacts: TypeAlias = Annotated[
    DealFacts
    | FeedFacts
    | FilingFacts
    | MeterFacts
    | PaymentFacts
    | ProgressiveFacts
    | RoundsFacts
    | RulesFacts
    | ShoeFacts
    | VigorishFacts
    | WagerFacts,
    Field(discriminator="kind"),
]
"""The facts of a finding, told apart by ``kind``."""

_ADAPTER: Final[TypeAdapter[FindingFacts]] = TypeAdapter(FindingFacts)
_MINOR: Final = "_minor"


def encode_facts(facts: FindingFacts) -> str:
    """Write facts as canonical JSON text: fixed field order, no spaces."""
    return _ADAPTER.dump_json(facts).decode()


def decode_facts(text: str | bytes) -> FindingFacts:
    """Read facts back.

    Raises:
        ValueError: They are none that this build knows.
    """
    return _ADAPTER.validate_json(text)


def facts_as_json(facts: FindingFacts, currency: str) -> dict[str, object]:
    """Give facts as people and programs get them: money as decimal strings, as everywhere.

    A field that ends in ``_minor`` loses that ending; its amounts become decimal strings.
    """
    return _fields(_ADAPTER.dump_python(facts, mode="json"), currency)


def _fields(fields: dict[str, object], currency: str) -> dict[str, object]:
    return {
        name.removesuffix(_MINOR): _shown(value, currency, is_money=name.endswith(_MINOR))
        for name, value in fields.items()
    }


def _shown(value: object, currency: str, *, is_money: bool) -> object:
    if isinstance(value, dict):
        return _fields(value, currency)
    if isinstance(value, list):
        return [_shown(part, currency, is_money=is_money) for part in value]
    if is_money and isinstance(value, int):
        return format_minor(value, currency)
    return value


__all__ = ["FactsPart", "FindingFacts", "decode_facts", "encode_facts", "facts_as_json"]
