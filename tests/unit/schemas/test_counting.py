"""Numbers of things are said with a comma between thousands and the right ending."""

import pytest

from schemas.words.counting import counted


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 coups"), (1, "1 coup"), (2, "2 coups"), (1204, "1,204 coups")],
)
def test_one_is_singular_and_all_else_plural(count: int, said: str) -> None:
    assert counted(count, "coup") == said
