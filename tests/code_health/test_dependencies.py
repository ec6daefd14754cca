"""Packages whose insides are used are pinned, and the pins of a working set fit what is allowed."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.support.source_tree import PACKAGES, ROOT, python_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIRED = {
    one.name: one
    for one in map(
        Requirement, [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    )
}
PINNED = dict(
    re.findall(
        r"^([\w.-]+)==(\S+)$",
        (ROOT / "infra" / "constraints.txt").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
)
INSIDES = {
    "pydantic": r"\.__pydantic_\w+__|\"__pydantic_\w+__\"",
    "clickhouse-driver": r"from clickhouse_driver\.(?:streams|columns|block|varint|writer)",
}
"""What shows that code uses more of a package than its documented names."""


@pytest.mark.parametrize("name", REQUIRED)
def test_the_pin_of_a_dependency_is_one_that_is_allowed(name: str) -> None:
    pins = {_same(one): version for one, version in PINNED.items()}
    assert Version(pins[_same(name)]) in REQUIRED[name].specifier


def _same(name: str) -> str:
    return name.lower().replace("_", "-")


@pytest.mark.parametrize("name", INSIDES)
def test_a_package_whose_insides_are_used_is_held_to_one_version(name: str) -> None:
    sources = [path.read_text(encoding="utf-8") for path in python_files(PACKAGES)]
    assert any(re.search(INSIDES[name], one) for one in sources), f"{name}: drop it from INSIDES"
    assert [one.operator for one in REQUIRED[name].specifier] == ["=="]
