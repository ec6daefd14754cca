"""What a table carries as its filing is read in one form only; a fault is told with the mend."""

import orjson
import pytest

from schemas.events import TableOpened
from schemas.wire import parse_event
from schemas.wire.errors import UnreadableEventError
from schemas.wire.vectors import event_vectors


def opened_with(field: str, value: object) -> TableOpened:
    """Read the opening of the vectors with another value in its filing."""
    event = orjson.loads(event_vectors()[1].raw)
    event["submission"][field] = value
    opened = parse_event(orjson.dumps(event))
    assert isinstance(opened, TableOpened)
    return opened


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2025-06-07T06:00:00-04:00", "2025-06-07T06:00:00-04:00"),
        ("2025-06-07 06:00-0400", "2025-06-07T06:00:00-04:00"),
        ("2024-02-29t06:00:00.5z", "2024-02-29T06:00:00.500000+00:00"),
    ],
)
def test_an_instant_of_a_filing_is_read_with_its_offset(text: str, read: str) -> None:
    effective_from = opened_with("effective_from", text).submission.effective_from
    assert effective_from is not None
    assert effective_from.isoformat() == read


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("effective_from", "0", "is no instant of 2000 to 2199; write it as"),
        ("effective_from", 1_749_290_400, "is no instant of 2000 to 2199; write it as"),
        ("effective_from", "2025-02-29T06:00:00Z", "is no instant of 2000 to 2199; write it as"),
        ("effective_from", "2025-06-07T06:00:00", "has no offset; write the instant as"),
        ("gaming_day_start", "6:00", "is no time of the property's zone; write it without"),
        ("gaming_day_start", "06:00:00Z", "is no time of the property's zone; write it without"),
        ("gaming_day_start", 21_600, "is no time of the property's zone; write it without"),
        ("effective_from", "9999-12-31T23:59:59-23:59", "is no instant of 2000 to 2199"),
        ("decks", 10**18, "is above 1000; write 1000 or less"),
        ("cover_cards", -(10**18), "is below -1000; write -1000 or more"),
        ("version", 10**18, "is above 1000000000"),
        ("currency", "usd", "unknown currency 'usd'"),
        ("time_zone", "EDT+4", "unknown time zone 'EDT+4'; write it like America/New_York"),
        ("tie_odds", "8,5 to 1", 'prints no odds; write "8 to 1"'),
    ],
)
def test_what_is_no_form_of_a_filing_is_told_with_the_mend(
    field: str, value: object, told: str
) -> None:
    with pytest.raises(UnreadableEventError) as refused:
        opened_with(field, value)
    assert refused.value.field == f"submission.{field}"
    assert told in refused.value.message
    assert refused.value.envelope is not None


def test_the_day_of_a_successor_is_no_number() -> None:
    successor = {"section": "rising_phoenix", "authority": "55 Pa.B. 1", "from": "0"}
    with pytest.raises(UnreadableEventError, match="is no day of 2000 to 2199; write it as YYYY"):
        opened_with("successors", [successor])
