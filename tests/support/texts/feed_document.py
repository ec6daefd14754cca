"""Keeps reference and samples of ``schemas/feed.md`` in step with the classes of the events.

``python -m tests.support.texts.feed_document`` writes it anew after a class was changed.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import orjson

from schemas.events import EVENT_TYPES, EventBase
from schemas.events import fields as forms
from schemas.events.envelope import Said
from schemas.filed_forms import ODDS_PATTERN
from schemas.wire.json_schema import event_json_schema
from schemas.wire.vectors import event_vectors
from tests.support.source_tree import ROOT

FEED_DOCUMENT = ROOT / "schemas" / "feed.md"
JSON_BLOCK = re.compile(r"^(```json\n).*?^(```)$", re.MULTILINE | re.DOTALL)
HASH = re.compile("`[0-9a-f]{64}`")
SAMPLED = (0, 8)
"""Which of the vectors the document shows."""
REFERENCE_BEGINS = "<!-- what follows is made from the classes -->\n"

PATTERN_WORDS = {
    forms.SOURCE_PATTERN: "name",
    forms.ID_PATTERN: "id",
    forms.HASH_PATTERN: "SHA-256",
    forms.CARD_PATTERN: "card",
    forms.WAGER_PATTERN: "wager",
    forms.CODE_PATTERN: "outcome code",
    forms.LETTER_PATTERN: "letter",
    forms.TEXT_PATTERN: "text",
    forms.EXACT_PATTERN: "exact amount",
    forms.SIGNED_EXACT_PATTERN: "signed exact amount",
    forms.RATE_PATTERN: "rate",
    ODDS_PATTERN: "odds",
}
OWN_SECTIONS = {"RulesSubmission": "rules submission", "Capability": "capability word"}

Schema = Mapping[str, object]


def reference_text() -> str:
    """Write the reference of all events in Markdown."""
    document = event_json_schema()
    definitions = document["$defs"]
    assert isinstance(definitions, dict)
    parts = [_section(tag, definitions[one.__name__]) for tag, one in EVENT_TYPES.items()]
    nested = sorted(name for name in definitions if _is_part_of_events(name))
    parts += [_section(name, definitions[name], marks="#### Object ") for name in nested]
    return "\n".join(parts)


def _is_part_of_events(name: str) -> bool:
    said = {one.__name__ for one in Said.__subclasses__()}
    return name in said and name not in {one.__name__ for one in EVENT_TYPES.values()}


def _section(name: str, definition: Schema, marks: str = "#### ") -> str:
    properties, required = definition["properties"], definition.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    version = properties.get("schema_version", {}).get("const")
    title = f"{marks}`{name}`" + (f", version {version}" if version else "")
    lines = [title, "", " ".join(str(definition["description"]).split()), ""]
    own = {one: form for one, form in properties.items() if one not in EventBase.model_fields}
    if own:
        lines += ["| field | form | meaning |", "|---|---|---|"]
    for one, form in own.items():
        must = "" if one in required else _optional(form)
        lines.append(f"| `{one}` | {must}{form_of(form)} | {form.get('description', '')} |")
    return "\n".join(lines) + "\n"


def form_of(form: Schema) -> str:
    """Say in words which values a field may have."""
    if "$ref" in form:
        name = str(form["$ref"]).rpartition("/")[2]
        return OWN_SECTIONS.get(name, f"object `{name}`")
    if isinstance(choices := form.get("anyOf"), list):
        return " or ".join(form_of(one) for one in choices if one.get("type") != "null")
    if isinstance(words := form.get("enum"), list):
        return ", ".join(f"`{word}`" for word in words)
    match form.get("type"):
        case "integer":
            return f"whole number {form['minimum']} to {form['maximum']}"
        case "boolean":
            return "`true` or `false`"
        case "array":
            entries = form_of(form["items"])  # type: ignore[arg-type]
            return f"list of {entries}, at most {form['maxItems']}"
        case "object":
            return f"object from {form_of(form['propertyNames'])} to {_value_form(form)}"
        case _:
            return _text_form(form)


def _value_form(form: Schema) -> str:
    values = form["additionalProperties"]
    assert isinstance(values, dict)
    return form_of(values)


def _text_form(form: Schema) -> str:
    if "format" in form:
        return {"date-time": "instant", "date": "date"}[str(form["format"])]
    return PATTERN_WORDS[str(form["pattern"])] if "pattern" in form else "text"


def _optional(form: Schema) -> str:
    default = form.get("default")
    if default is None or default in ([], {}):
        return "optional; "
    return f"optional, else `{json.dumps(default).strip(chr(34))}`; "


def document_parts(path: Path = FEED_DOCUMENT) -> tuple[str, str]:
    """Split the document into what people wrote and the reference."""
    written, mark, reference = path.read_text(encoding="utf-8").partition(REFERENCE_BEGINS)
    assert mark
    return written + mark, reference


def with_own_samples(written: str) -> str:
    """Put the bytes, hashes and submission of the vectors into what people wrote."""
    vectors = event_vectors()
    submission = orjson.loads(vectors[1].raw)["submission"]
    samples = iter(
        [
            orjson.dumps(submission, option=orjson.OPT_INDENT_2).decode() + "\n",
            "".join(f"{vectors[index].raw.decode()}\n" for index in SAMPLED),
        ]
    )
    hashes = iter([vectors[index].sha256 for index in SAMPLED])
    written = JSON_BLOCK.sub(lambda block: f"{block[1]}{next(samples)}{block[2]}", written)
    return HASH.sub(lambda _: f"`{next(hashes)}`", written)


if __name__ == "__main__":
    FEED_DOCUMENT.write_text(
        with_own_samples(document_parts()[0]) + "\n" + reference_text(), encoding="utf-8"
    )
