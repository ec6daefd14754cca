"""Another jurisdiction is a folder of law data: it loads, settles and is cited without Python."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from auditors.filings import check_submission
from auditors.law import (
    LawDataError,
    UnknownJurisdictionError,
    jurisdictions,
    law_in_force,
    load_law,
    wager_held,
)
from auditors.table.known.rules import filing_key
from dashboards.options.terms import TermsRequest, build_rules
from schemas.findings import FindingCode
from schemas.progressive_inputs import FiledMeter
from schemas.rules_submission import RulesSubmission
from tests.support.jurisdictions import with_made_up_law
from tests.support.ladderman import ladderman, refusal
from tests.support.progressives.progressive_script import FoldedLedger, ProgressiveScript, a_meter
from tests.support.tables.submissions import a_submission
from tests.support.tables.table_script import Folded, TableScript

DAY = datetime.date(2025, 6, 7)
FILED = """
schema = "ladderman.rules-submission/1"
id = "RS-1"
jurisdiction = "xx"
game = "minibaccarat"
commission = { form = "standard" }
wagers = [
  { id = "minibaccarat.player" },
  { id = "minibaccarat.banker" },
  { id = "minibaccarat.lucky_five" },
]
"""
DATE = ("--gaming-date", "2025-06-07")


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Hold the made-up law; gives its folder."""
    with with_made_up_law(tmp_path, monkeypatch) as folder:
        yield folder


@pytest.fixture
def filed(tmp_path: Path) -> Path:
    """Write a filing under the made-up law; gives its file."""
    path = tmp_path / "RS-1.toml"
    path.write_text(FILED)
    return path


def test_the_law_of_pennsylvania_is_the_default() -> None:
    assert jurisdictions() == ("pa",)
    assert load_law() is load_law("pa") is law_in_force("pa")
    assert (load_law().id, load_law().jurisdiction.title) == ("pa", "Pennsylvania")


@pytest.mark.usefixtures("made_up")
def test_a_folder_is_a_jurisdiction_with_its_own_law() -> None:
    assert jurisdictions() == ("pa", "xx")
    law = load_law("xx")
    assert (law.id, list(law.sections), law.jurisdiction.title) == (
        "xx",
        ["minibaccarat"],
        "Xanadu",
    )
    assert law.default_readings()["D22"] == "round_down"
    assert law.default_readings()["X1"] == "win_required"
    assert load_law().sections["minibaccarat"].citation() != law.sections["minibaccarat"].citation()
    assert wager_held("minibaccarat.player") == load_law().wagers["minibaccarat.player"]
    assert wager_held("minibaccarat.lucky_five") == law.wagers["minibaccarat.lucky_five"]
    assert wager_held("minibaccarat.lucky_six") is None


def settled(filed: Path, player: str, banker: str, *words: object) -> list[dict]:
    """Settle wagers under the filing; gives the verdicts."""
    answer = ladderman(
        "settle", "--player", player, "--banker", banker, "--submission", filed, *words, *DATE,
        "--format", "json",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    return answer.document["wagers"]


@pytest.mark.usefixtures("made_up")
def test_a_coup_is_settled_and_cited_by_it(filed: Path) -> None:
    wagers = ("--wager", "lucky_five=10", "--wager", "player=10", "--wager", "banker=10")
    lucky, player, banker = settled(filed, "2S 3H KD", "AC KD 2H", *wagers)
    assert (lucky["outcome"], lucky["pays"], lucky["due"]) == ("win", "17 to 1", "180.00")
    assert lucky["citation"] == "Xanadu Gaming Rules, rule 12(h)(1), (h)(2)"
    assert (player["due"], banker["due"]) == ("20.00", "0.00")
    assert banker["citation"] == "Xanadu Gaming Rules, rule 12(e)(3)"


@pytest.mark.usefixtures("made_up")
def test_its_own_answers_hold_and_its_own_question_is_switched(filed: Path) -> None:
    words = ("2S 3H KD", "AC 2D 2H", "--wager", "lucky_five=10")
    (lost,) = settled(filed, *words)
    assert (lost["outcome"], lost["due"]) == ("lose", "0.00")
    (won,) = settled(filed, *words, "--reading", "X1=any_five")
    assert (won["due"], won["interpretations"]) == ("180.00", {"X1": "any_five"})
    (banker,) = settled(filed, "2S KH 2D", "AC 2D 5H", "--wager", "banker=10.10")
    assert banker["interpretations"] == {"D27": "nearest_25c"}
    assert refusal(
        "settle", "--player", "2S 3H KD", "--banker", "AC 2D 2H", "--submission", filed,
        "--wager", "banker=10", "--reading", "D27=exact", *DATE,
    ) == "reading D27: text decides it; it has no alternatives"  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("made_up")
def test_odds_are_those_of_its_wager(filed: Path) -> None:
    odds = ladderman("odds", "lucky_five", "--submission", filed, "--format", "json")
    assert odds.code == 0, odds.err
    assert "Xanadu Gaming Rules, rule 12" in odds.out


@pytest.mark.usefixtures("made_up")
def test_rules_template_and_audit_know_the_jurisdiction(filed: Path, tmp_path: Path) -> None:
    assert build_rules(TermsRequest(submission=filed)).law is load_law("xx")
    listed = ladderman("rules", "list", "--jurisdiction", "xx", *DATE)
    assert "Punto, rule 12" in " ".join(listed.out.split())
    shown = ladderman("rules", "show", "lucky_five", "--jurisdiction", "xx", *DATE)
    assert "17 to 1" in shown.out
    text = ladderman("submission", "new", "--jurisdiction", "xx", *DATE).out
    assert 'jurisdiction = "xx"' in text
    assert "held: pa, xx" in text
    (tmp_path / "new.toml").write_text(text)
    assert ladderman("submission", "check", tmp_path / "new.toml", *DATE).code == 0
    rounds = tmp_path / "rounds.csv"
    rounds.write_text("coup,player_cards,banker_cards,winner\n1,2S 3H KD,AC KD 2H,banker\n")
    audit = ladderman("audit", rounds, "--submission", filed, "--format", "jsonl")
    found = [orjson.loads(line) for line in audit.out.splitlines()]
    assert [one["citation"] for one in found] == ["Xanadu Gaming Rules, rule 12(c)"], audit.err


@pytest.mark.usefixtures("made_up")
def test_a_table_is_audited_under_the_law_that_its_filing_names() -> None:
    wagers = [{"id": f"minibaccarat.{one}"} for one in ("player", "banker", "lucky_five")]
    submission = a_submission(jurisdiction="xx", wagers=wagers)
    script = TableScript().open(submission).shoe().coup()
    lucky = script.wager("minibaccarat.lucky_five", 1_000)
    script.close_bets().deal("2S 3H KD", "AC KD 2H").result("player", 5, 3)
    folded = Folded(script.settle(lucky, 18_000 + 100).messages)
    (found,) = [one for one in folded.findings if one.code is FindingCode.WAGER_OVERPAID]
    assert found.citation == "Xanadu Gaming Rules, rule 12(h)(1), (h)(2)"


@pytest.mark.usefixtures("made_up")
def test_a_progressive_is_cited_by_the_law_of_its_filing() -> None:
    script = ProgressiveScript(T1=a_meter(jurisdiction="xx"))
    for is_counted in (True, True, False):
        script.read().close(script.coup(counted=is_counted))
    told = FoldedLedger(script.read().heard().inputs)
    assert {one.citation for one in told.findings} == {"Xanadu Gaming Rules, rule 30"}


def test_a_jurisdiction_that_is_not_held_is_a_defect_and_refused_in_a_command(
    tmp_path: Path,
) -> None:
    submission = a_submission(jurisdiction="p")
    (found,) = check_submission(load_law(), submission, DAY)
    assert found.code is FindingCode.RULES_SUBMISSION_DEFECT
    assert found.sentence == (
        "Coups are settled under the law of Pennsylvania, since none of 'p' is held; "
        "did you mean pa? Field: jurisdiction."
    )
    assert law_in_force("p") is load_law()
    with pytest.raises(UnknownJurisdictionError, match="did you mean pa"):
        load_law("p")
    path = tmp_path / "RS-1.toml"
    path.write_text(FILED.replace('"xx"', '"zz"'))
    hands = ("--player", "2S 3H KD", "--banker", "AC KD 2H", "--wager", "player=1")
    assert refusal("settle", *hands, "--submission", path, *DATE) == (
        f"{path}: jurisdiction: no law of 'zz' is held; held: pa"
    )
    assert refusal("rules", "list", "--jurisdiction", "p") == (
        "--jurisdiction \"p\": no law of 'p' is held; did you mean pa?"
    )
    checked = ladderman("submission", "check", path, *DATE)
    assert checked.code == 1
    assert "none of 'zz' is held" in " ".join(checked.out.split())


@pytest.mark.usefixtures("made_up")
def test_a_game_that_its_law_does_not_have_is_a_defect() -> None:
    filed = a_submission(jurisdiction="xx", game="baccarat")
    sentences = [one.sentence for one in check_submission(load_law("xx"), filed, DAY)]
    assert sentences[0] == (
        "Coups are settled as Punto, since the law of Xanadu as held has no baccarat. Field: game."
    )
    Folded(TableScript().open(filed).shoe().messages)
    assert refusal("submission", "new", "--jurisdiction", "xx", "--game", "baccarat", *DATE) == (
        "--game baccarat: the law of Xanadu as held has no such game"
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("interpretations.toml", 'id = "D31"', 'id = "X2"',
         "interpretations.toml: D31: it is missing; the engine asks: How a stake above"),
        ("interpretations.toml", "settle_in_full =", "settle_in_ful =",
         "interpretations.toml: D31: codes: the engine cannot follow 'settle_in_ful'; did"),
        ("jurisdiction.toml", 'code = "Xanadu', 'code = "Shangri-La',
         "jurisdiction.toml: code: 'Xanadu Gaming Rules, rule 12' does not begin with"),
        ("rule_12_punto.toml", 'kind = "main"', 'kind = "side"',
         "jurisdiction.toml: no file beside it has a section of the kind main"),
    ],
)  # fmt: skip
def test_a_jurisdiction_that_leaves_the_engine_without_an_answer_is_refused(
    made_up: Path, file: str, old: str, new: str, message: str
) -> None:
    path = made_up / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(LawDataError) as refused:
        load_law("xx")
    assert str(refused.value).startswith(message)


def test_the_default_is_not_written_so_that_bytes_stay() -> None:
    plain, named, other = (
        a_submission(**one) for one in ({}, {"jurisdiction": "pa"}, {"jurisdiction": "xx"})
    )
    assert plain == named
    assert b"jurisdiction" not in plain.model_dump_json().encode()
    assert filing_key(plain) == filing_key(named) != filing_key(other)
    assert RulesSubmission.model_validate_json(other.model_dump_json()) == other
    assert "jurisdiction" not in a_meter().model_dump()
    assert FiledMeter(**a_meter(jurisdiction="xx").model_dump()).jurisdiction == "xx"
