"""Documents of a history stand on their own: no command line is needed to read them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dashboards.documents.errors import (
    AmbiguousError,
    NotThereError,
    OpensNothingError,
    OutsideError,
)
from dashboards.documents.history.coups import coup_page
from dashboards.documents.history.incidents import incident_page, list_incidents
from dashboards.documents.history.replay_steps import places_of_coup
from dashboards.options.record_source import record_source
from streams.replaying.sources import RecordSource
from streams.replaying.span import Span
from tests.support.source_tree import ROOT
from tests.support.tables.played_table import opened_table, play, written


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> RecordSource:
    script = opened_table()
    play(script, 20_000)
    play(script)
    path = written(
        tmp_path_factory.mktemp("events"),
        [*script.messages, *play(opened_table("BAC-02")).messages],
    )
    with record_source(None, [str(path)]) as records:
        return records


def test_an_incident_page_has_all_that_is_to_be_shown(source: RecordSource) -> None:
    listed = list_incidents(source, Span())
    assert listed.table_count == 2
    first = listed.incidents[0]
    page = incident_page(source, listed, first.id)
    assert page.incident is first
    assert page.zone == "America/New_York"
    assert [one.id for one in page.findings] == list(first.finding_ids)
    assert all(one.sentence and one.source == "BAC-01" for one in page.findings)
    assert {one.coup_id for one in page.coups} == set(first.coup_ids)
    assert page.explanation.endswith(".")
    assert page.what_to_do
    assert page.as_json()["finding_details"] == list(page.rows())


def test_a_coup_page_has_cards_wagers_and_money(source: RecordSource) -> None:
    (named,) = list_incidents(source, Span(), ["BAC-01"]).incidents[0].coup_ids
    page = coup_page(source, "BAC-01", named)
    coup = page.record.coup
    assert coup is not None
    assert (coup.paid_minor - coup.due_minor, page.record.currency) == (500, "USD")
    document = page.as_json()
    assert (document["schema"], document["source"]) == ("ladderman.coup/1", "BAC-01")
    assert document["coup"] == named
    assert document["wagers"]


def test_what_is_not_there_is_named_with_where_and_the_near_miss(source: RecordSource) -> None:
    with pytest.raises(NotThereError) as caught:
        list_incidents(source, Span(), ["BAC-1"])
    error = caught.value
    assert (error.what, error.name, error.where) == ("table", "BAC-1", source.name)
    assert "did you mean BAC-01" in error.near
    with pytest.raises(NotThereError, match="no coup nope of BAC-01 in "):
        coup_page(source, "BAC-01", "nope")
    with pytest.raises(OpensNothingError, match="ffffffffffff opens no incident in "):
        incident_page(source, list_incidents(source, Span()), "ffffffffffff")


def test_an_id_outside_the_list_is_told_from_one_that_is_nowhere(source: RecordSource) -> None:
    wanted = list_incidents(source, Span(), ["BAC-01"]).incidents[0]
    of_another_table = list_incidents(source, Span(), ["BAC-02"])
    with pytest.raises(OutsideError, match=f"is in incident {wanted.id[:8]} of BAC-01, 2025-"):
        incident_page(source, of_another_table, wanted.id)
    with pytest.raises(OpensNothingError):
        incident_page(source, of_another_table, "ffffffffffff")


def test_a_coup_id_of_two_tables_names_both(source: RecordSource) -> None:
    ids = {
        place.coup_id
        for place in source.coups_in("BAC-01", Span())
        if len(source.coups_named(place.coup_id)) > 1
    }
    assert ids
    for coup_id in ids:
        with pytest.raises(AmbiguousError) as caught:
            places_of_coup(source, coup_id, ())
        assert caught.value.choices == ("BAC-01", "BAC-02")
        assert places_of_coup(source, coup_id, ["BAC-02"])[0].table_id == "BAC-02"


def test_documents_import_neither_typer_nor_rich() -> None:
    modules = [
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for path in (ROOT / "dashboards" / "documents").rglob("*.py")
        if path.name != "__init__.py"
    ]
    assert len(modules) > 25
    code = (
        f"import sys, importlib; [importlib.import_module(one) for one in {modules}]; "
        "print([one for one in ('typer', 'rich', 'dashboards.errors') if one in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
