"""Nothing is read back out of a finding's sentence: not by a pattern, a search or a cut."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
READING = {
    "startswith",
    "endswith",
    "find",
    "index",
    "split",
    "rsplit",
    "partition",
    "rpartition",
    "removeprefix",
    "removesuffix",
    "match",
    "search",
    "fullmatch",
    "findall",
    "finditer",
}
NOT_FINDINGS = {
    "streams/reconcile/running.py",  # sentence of a coverage
}


def is_sentence(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "sentence"


def readings(tree: ast.AST) -> Iterator[str]:
    """Name each way in which a tree reads a sentence."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in READING and (
                is_sentence(node.func.value) or any(map(is_sentence, node.args))
            ):
                yield node.func.attr
        elif isinstance(node, ast.Compare) and any(
            isinstance(one, ast.In | ast.NotIn) for one in node.ops
        ):
            if any(map(is_sentence, [node.left, *node.comparators])):
                yield "in"
        elif isinstance(node, ast.Subscript) and is_sentence(node.value):
            yield "[]"


def test_no_module_reads_a_sentence() -> None:
    found = {
        (str(path.relative_to(ROOT)), how)
        for package in ("schemas", "auditors", "streams", "dashboards")
        for path in (ROOT / package).rglob("*.py")
        if str(path.relative_to(ROOT)) not in NOT_FINDINGS
        for how in readings(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()


@pytest.mark.parametrize(
    "code",
    [
        "re.search(one, found.sentence)",
        "'x' in found.sentence",
        "found.sentence.split(';')",
        "found.sentence[3:]",
        "found.sentence.partition(' due')",
        "x.finding.sentence.find('a')",
    ],
)
def test_every_way_of_reading_is_noticed(code: str) -> None:
    assert list(readings(ast.parse(code)))
