"""A first look at lines tells events from anything else, and simulated play from real play."""

from streams.embedding.event_survey import Survey
from tests.support.tables.table_script import TableScript


def opened(source_id: str, *, simulated: bool) -> list[bytes]:
    """Give the first events of a table."""
    return TableScript(source_id).open(simulated=simulated).messages


def seen(*lines: bytes) -> Survey:
    """Look at lines."""
    survey = Survey()
    survey.look_at(lines)
    return survey


def test_lines_without_an_event_are_known_as_such() -> None:
    assert not seen(b"coup,winner", b'{"half', b"{}").has_event
    assert seen(b"coup,winner", *opened("BAC-01", simulated=False)).has_event


def test_kinds_of_play_are_told_apart() -> None:
    real, simulated = opened("BAC-01", simulated=False), opened("BAC-02", simulated=True)
    assert (seen(*real).real, seen(*real).simulated) == ({"BAC-01"}, set())
    assert (seen(*simulated).real, seen(*simulated).simulated) == (set(), {"BAC-02"})
    assert seen(*real).mixed_line is None
    line = seen(*real, *simulated).mixed_line
    assert line is not None
    assert line.startswith("BAC-02 is simulated and BAC-01 is real; ")
    canary = opened("ladderman-canary", simulated=True)
    assert seen(*real, *canary).mixed_line is None


def test_a_history_of_the_other_kind_is_refused_and_one_of_the_same_kind_is_not() -> None:
    real, simulated = (seen(*opened("BAC-01", simulated=kind)) for kind in (False, True))
    assert real.refusal("history H", has_simulated=False, has_real=True) is None
    assert simulated.refusal("history H", has_simulated=True, has_real=False) is None
    for survey in (real, simulated):
        assert survey.refusal("history H", has_simulated=False, has_real=False) is None
    assert real.refusal("history H", has_simulated=True, has_real=False) == (
        "BAC-01 is real and history H holds simulated play; they are kept apart: name another "
        "--store; nothing was taken"
    )
    refusal = simulated.refusal("history H", has_simulated=False, has_real=True)
    assert refusal is not None
    assert refusal.startswith("BAC-01 is simulated and history H holds real play; ")
