"""Reads the bytes of many records at a time, with every check that each alone would get.

What a worker of this build wrote fits the schema, and that is seen by column. Whatever does not is
read by the schema alone, which says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import orjson

from schemas.records import Record, decode_record
from streams.history.writing.bulk_check import fitting
from streams.history.writing.entries import RecordFields, fields_of

_RECORDS: Final = fitting(Record)


def told_at_once(raws: Sequence[bytes]) -> list[RecordFields] | None:
    """Read records, all of them or none.

    Args:
        raws: The bytes of each.

    Returns:
        Their fields; None where at least one has to be read by itself, if it can be read at all.
    """
    try:
        documents = [orjson.loads(raw) for raw in raws]
    except orjson.JSONDecodeError:
        return None
    for document in documents:
        if type(document) is dict:
            document.setdefault("progressive", None)  # written where there is one
            document.setdefault("state_format", None)
            document.setdefault("video", None)
            document.setdefault("withdrawn", [])  # never written
    return documents if _RECORDS.fits(documents) else None


def told_alone(raw: bytes) -> RecordFields:
    """Read one record by its schema.

    Raises:
        ValueError: The bytes are no record of this version.
    """
    return fields_of(decode_record(raw))
