"""The core decides from what it is told: no clock, chance, outside world or floats in it."""

from pathlib import Path

import pytest

from tests.support.purity import ALLOWANCES, Allowance, Rule, breaches_under
from tests.support.source_tree import CORE

LAW_READER = """
import importlib.resources

def read() -> str:
    return importlib.resources.files("auditors").joinpath("a.toml").read_text()
"""

BROKEN = [
    ("import os", Rule.INPUT_OUTPUT),
    ("import os.path as p", Rule.INPUT_OUTPUT),
    ("from os import environ", Rule.INPUT_OUTPUT),
    ("import socket", Rule.INPUT_OUTPUT),
    ("import subprocess", Rule.INPUT_OUTPUT),
    ("import requests", Rule.INPUT_OUTPUT),
    ("def f():\n    import urllib.request", Rule.INPUT_OUTPUT),
    ("open('rounds.csv')", Rule.INPUT_OUTPUT),
    ("print('dealt')", Rule.INPUT_OUTPUT),
    ("eval('1 + 1')", Rule.INPUT_OUTPUT),
    ("__import__('o' + 's')", Rule.INPUT_OUTPUT),
    ("from pathlib import Path\nPath('a').read_text()", Rule.INPUT_OUTPUT),
    ("from pathlib import Path\nPath('a').write_bytes(b'')", Rule.INPUT_OUTPUT),
    ("from pathlib import Path\nPath('a').open()", Rule.INPUT_OUTPUT),
    (LAW_READER, Rule.INPUT_OUTPUT),
    ("import threading", Rule.CONCURRENCY),
    ("import asyncio", Rule.CONCURRENCY),
    ("from concurrent.futures import ThreadPoolExecutor", Rule.CONCURRENCY),
    ("import random", Rule.RANDOMNESS),
    ("from secrets import token_hex", Rule.RANDOMNESS),
    ("from uuid import uuid4", Rule.RANDOMNESS),
    ("import uuid\nuuid.uuid4()", Rule.RANDOMNESS),
    ("import numpy as np\nnp.random.permutation(8)", Rule.RANDOMNESS),
    ("from numpy.random import default_rng", Rule.RANDOMNESS),
    ("import time", Rule.CLOCK),
    ("from time import monotonic", Rule.CLOCK),
    ("import datetime\ndatetime.datetime.now()", Rule.CLOCK),
    ("from datetime import datetime as d\nd.utcnow()", Rule.CLOCK),
    ("from datetime import date\nf = dict(default_factory=date.today)", Rule.CLOCK),
    ("stake = 0.95", Rule.FLOAT),
    ("stake = 1e2", Rule.FLOAT),
    ("stake = float('1.50')", Rule.FLOAT),
    ("stakes = map(float, ['1.50'])", Rule.FLOAT),
    ("def due(stake: float) -> int: ...", Rule.FLOAT),
    ("import numpy as np\nnp.zeros(3, dtype=np.float64)", Rule.FLOAT),
    ("import numpy as np\nnp.zeros(3, dtype='float64')", Rule.FLOAT),
]

HARMLESS = [
    "from datetime import date, datetime, time, timedelta",
    "def f(x):\n    if isinstance(x, float):\n        raise TypeError('an amount, not a float')",
    "def f(x):\n    return isinstance(x, (int, float))",
    "import re\nPATTERN = re.compile('a')",
    "def f(coup):\n    '''A float, open() and datetime.now() in words do no harm.'''",
    "from typing import NamedTuple\nclass Shoe(NamedTuple):\n    open: bool\n    is_random: bool",
]


def write_core(root: Path, source: str, name: str = "broken.py") -> None:
    """Make a core of one module of each package."""
    for package in CORE:
        target = root / package / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source)


def test_the_core_is_pure() -> None:
    assert breaches_under() == []


@pytest.mark.parametrize(("source", "rule"), BROKEN, ids=[source for source, _ in BROKEN])
def test_each_rule_bites_in_both_packages(tmp_path: Path, source: str, rule: Rule) -> None:
    write_core(tmp_path, source)
    found = breaches_under(tmp_path)
    for package in CORE:
        assert any(b.startswith(f"{package}/broken.py:") and f": {rule}: " in b for b in found)


@pytest.mark.parametrize("source", HARMLESS)
def test_what_only_looks_like_a_breach_is_let_through(tmp_path: Path, source: str) -> None:
    write_core(tmp_path, source)
    assert breaches_under(tmp_path) == []


@pytest.mark.parametrize(
    "source",
    ["from typing import Any\nx: Any = 1", "import typing\nx: typing.Any = 1"],
    ids=["from-typing", "typing.Any"],
)
def test_any_is_refused_in_the_schemas_only(tmp_path: Path, source: str) -> None:
    write_core(tmp_path, source)
    found = breaches_under(tmp_path)
    assert found
    assert all(b.startswith("schemas/broken.py:") and Rule.ANY in b for b in found)


def test_the_law_is_read_in_one_module_only(tmp_path: Path) -> None:
    write_core(tmp_path, LAW_READER, "law/loading.py")
    found = breaches_under(tmp_path)
    assert found
    assert all(b.startswith("schemas/law/loading.py:") for b in found)


def test_an_allowance_excuses_its_own_rule_only(tmp_path: Path) -> None:
    write_core(tmp_path, "import time\nprobability_float = 0.5", "odds/exact.py")
    auditors = [b for b in breaches_under(tmp_path) if b.startswith("auditors/")]
    assert auditors == [f"auditors/odds/exact.py:1: {Rule.CLOCK}: import time"]


@pytest.mark.parametrize("allowance", ALLOWANCES, ids=[a.pattern for a in ALLOWANCES])
def test_every_allowance_is_still_needed(allowance: Allowance) -> None:
    others = tuple(other for other in ALLOWANCES if other != allowance)
    assert breaches_under(allowances=others) != breaches_under(), f"no longer needed: {allowance}"
