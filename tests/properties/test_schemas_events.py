"""What holds for every event and for every byte string that claims to be one."""

import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events import EVENT_TYPES
from schemas.wire import chain_hash, encode_event, parse_event
from schemas.wire.errors import RejectReason, UnreadableEventError
from schemas.wire.vectors import event_vectors
from tests.support.tables.event_strategies import event_bytes, event_documents


@pytest.mark.parametrize("tag", sorted(EVENT_TYPES))
@settings(max_examples=8)
@given(data=st.data())
def test_what_is_written_is_read_back_and_written_alike(tag: str, data: st.DataObject) -> None:
    event = parse_event(data.draw(event_bytes(tag)))
    raw = encode_event(event)
    again = parse_event(raw)
    assert again == event
    assert encode_event(again) == raw
    assert raw == orjson.dumps(orjson.loads(raw))


@given(event_documents(), st.data())
def test_neither_order_nor_spaces_nor_escapes_change_an_event(
    document: dict[str, object], data: st.DataObject
) -> None:
    names = data.draw(st.permutations(list(document)))
    shuffled = {name: document[name] for name in names}
    spaced = json.dumps(shuffled, indent=data.draw(st.sampled_from([None, 2])), ensure_ascii=True)
    assert parse_event(spaced.encode()) == parse_event(orjson.dumps(document))


@given(event_documents(), st.data(), st.booleans())
def test_a_key_that_stands_twice_is_always_found(
    document: dict[str, object], data: st.DataObject, spaced: bool
) -> None:
    name = data.draw(st.sampled_from(sorted(document)))
    separators = (", ", " : ") if spaced else (",", ":")
    text = json.dumps(document, ensure_ascii=False, separators=separators)
    pair = json.dumps({name: document[name]}, ensure_ascii=False, separators=separators)[1:-1]
    with pytest.raises(UnreadableEventError) as caught:
        parse_event(f"{text[:-1]},{pair}}}".encode())
    assert caught.value.reason is RejectReason.DUPLICATE_KEY


@given(event_documents(), st.data())
def test_a_field_of_no_event_is_refused_and_the_numbering_goes_on(
    document: dict[str, object], data: st.DataObject
) -> None:
    document["stakes"] = data.draw(st.none() | st.integers(max_value=2**53) | st.text())
    with pytest.raises(UnreadableEventError) as caught:
        parse_event(json.dumps(document).encode())
    assert caught.value.reason is RejectReason.BAD_FIELD
    assert caught.value.envelope is not None
    assert caught.value.envelope.sequence == document["sequence"]


def damaged_bytes() -> st.SearchStrategy[bytes]:
    """Draw bytes near to an event: cut, spliced, with a stretch replaced."""
    vectors = [vector.raw for vector in event_vectors()]

    def damage(raw: bytes, at: int, length: int, put: bytes) -> bytes:
        at %= len(raw)
        return raw[:at] + put + raw[at + length :]

    return st.builds(
        damage,
        st.sampled_from(vectors),
        st.integers(min_value=0, max_value=2000),
        st.integers(min_value=0, max_value=40),
        st.binary(max_size=12)
        | st.sampled_from([b"[" * 2000, b"{", b'"', b"\\", b"9" * 400, b"-0", b"1e9", b"NaN"]),
    )


@settings(max_examples=400)
@given(st.binary(max_size=200) | damaged_bytes())
def test_no_bytes_do_worse_than_being_refused_on_one_line(raw: bytes) -> None:
    try:
        event = parse_event(raw)
    except UnreadableEventError as error:
        assert error.message.isprintable()
        assert len(error.message) < 1000
        return
    assert encode_event(event)


@given(event_bytes(), st.integers(min_value=0), st.integers(min_value=0, max_value=7))
def test_one_changed_bit_gives_another_hash(raw: bytes, place: int, bit: int) -> None:
    changed = bytearray(raw)
    changed[place % len(raw)] ^= 1 << bit
    assert chain_hash(bytes(changed)) != chain_hash(raw)
