"""Every alert has its page, every page is needed, and alerts ask for metrics that there are."""

from __future__ import annotations

import re

import pytest

from dashboards.commands.registry import MODULES
from tests.support.source_tree import ROOT

ALERTS = (ROOT / "infra" / "monitoring" / "alerts.yml").read_text(encoding="utf-8")
PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in (ROOT / "infra" / "runbook").glob("*.md")
    if path.stem != "README"
}
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "streams").rglob("*.py"))

NAMES = re.findall(r"^ +- alert: (\w+)$", ALERTS, flags=re.MULTILINE)
EXPRESSIONS = re.findall(r"^ +expr: '(.+)'$", ALERTS, flags=re.MULTILINE)
RUNBOOKS = re.findall(r"^ +runbook: infra/runbook/(\w+)\.md$", ALERTS, flags=re.MULTILINE)


def is_exported(metric: str) -> bool:
    """Tell whether some process exports a metric: its name, or what stands behind its prefix."""
    name = re.sub(r"_(total|bucket)$", "", metric)
    rest = re.sub(r"^ladderman_(sink_|progressive_)?", "", name).removesuffix("_seconds")
    return any(f'"{one}"' in SOURCES for one in (name, rest))


def test_every_alert_has_its_page_and_names_it() -> None:
    assert len(NAMES) == len(set(NAMES)) == len(EXPRESSIONS) > 15
    assert NAMES == RUNBOOKS
    assert [name for name in NAMES if name not in PAGES] == []


def test_every_page_belongs_to_an_alert_or_is_named_by_the_product() -> None:
    named = {name for name in PAGES if name in SOURCES}
    assert set(PAGES) - set(NAMES) - named == set()
    said = set(re.findall(r"infra/runbook/(\w+)\.md", SOURCES))
    assert said - set(PAGES) == set()


def test_every_alert_asks_for_metrics_that_are_exported() -> None:
    metrics = {name for one in EXPRESSIONS for name in re.findall(r"\bladderman_\w+", one)}
    assert [name for name in sorted(metrics) if not is_exported(name)] == []
    assert not is_exported("ladderman_canary_seconds_since_song")


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_says_what_it_means_where_to_look_and_what_to_do(name: str) -> None:
    page = PAGES[name]
    assert page.startswith(f"# {name}\n")
    parts = [page.index(f"## {part}\n") for part in ("What it means", "Look", "Do")]
    assert parts == sorted(parts)
    commands = re.findall(r"`ladderman ([a-z-]+)", page)
    assert [one for one in commands if one not in (*MODULES, "verify")] == []


def test_the_page_of_an_alert_shows_its_condition() -> None:
    for name, expression in zip(NAMES, EXPRESSIONS, strict=True):
        assert f"`{expression}`" in PAGES[name]


def test_the_index_lists_every_page() -> None:
    index = (ROOT / "infra" / "runbook" / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\((\w+)\.md\)", index)) == set(PAGES)
