"""Finds clock, chance, the outside world and floats in the core.

A syntax check of ``schemas/`` and ``auditors/``. Time reaches the core as fields of events, the
law through one loader, money and odds as integers and fractions.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatch
from pathlib import Path

from tests.support.source_tree import CORE, ROOT, parsed, python_files


class Rule(StrEnum):
    """What the core must not have."""

    INPUT_OUTPUT = "no input or output"
    CONCURRENCY = "no threads or tasks"
    RANDOMNESS = "no randomness"
    CLOCK = "no clock"
    FLOAT = "no floats"
    ANY = "no Any"


@dataclass(frozen=True)
class Breach:
    """One place where a rule is broken."""

    path: str
    line: int
    rule: Rule
    code: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.code}"


@dataclass(frozen=True)
class Allowance:
    """A module, or a pattern of modules, that may break one rule, and why."""

    pattern: str
    rule: Rule
    reason: str

    def covers(self, breach: Breach) -> bool:
        """Say whether this allowance excuses a breach."""
        return breach.rule is self.rule and fnmatch(breach.path, self.pattern)


ALLOWANCES = (
    Allowance("auditors/law/loading.py", Rule.INPUT_OUTPUT, "reads the law, which is data"),
    Allowance("auditors/odds/*.py", Rule.FLOAT, "*_float display fields beside exact fractions"),
)

# fmt: off
BANNED_MODULES = {
    Rule.INPUT_OUTPUT: {
        "os", "subprocess", "shutil", "tempfile", "glob", "importlib", "pkgutil", "logging",
        "socket", "ssl", "requests", "urllib", "http", "httpx", "aiohttp",
        "kafka", "aiokafka", "faust", "chdb", "clickhouse_driver", "sqlite3",
    },
    Rule.CONCURRENCY: {"threading", "asyncio", "multiprocessing", "concurrent"},
    Rule.RANDOMNESS: {"random", "secrets"},
    Rule.CLOCK: {"time", "sched"},
}
BANNED_FUNCTIONS = {"open", "print", "input", "eval", "exec", "compile", "__import__"}
BANNED_METHODS = {
    "open", "read_text", "read_bytes", "write_text", "write_bytes", "unlink", "mkdir", "rmdir",
    "touch", "iterdir", "rglob", "exists", "is_file", "is_dir", "stat",
}
# fmt: on
CLOCK_ATTRIBUTES = {"now", "today", "utcnow"}
RANDOM_NAMES = {"uuid1", "uuid4", "urandom", "default_rng"}
FLOAT_TYPE = re.compile(r"float(\d+|ing|_)?|double|longdouble")


def breaches_under(root: Path = ROOT, allowances: tuple[Allowance, ...] = ALLOWANCES) -> list[str]:
    """List every breach in the core packages below a root that no allowance excuses."""
    found = []
    for path in python_files(CORE, root):
        name = path.relative_to(root).as_posix()
        found += [
            breach
            for breach in breaches_in(parsed(path), name)
            if not any(allowance.covers(breach) for allowance in allowances)
        ]
    return [str(breach) for breach in found]


def breaches_in(tree: ast.Module, path: str) -> Iterator[Breach]:
    """Yield the breaches of one module of the core, allowed or not."""
    refused = _types_being_refused(tree)
    for node in ast.walk(tree):
        for rule in _broken_by(node):
            if rule is Rule.ANY and not path.startswith("schemas/"):
                continue
            if node in refused:
                continue
            yield Breach(path, getattr(node, "lineno", 0), rule, ast.unparse(node))


def _types_being_refused(tree: ast.Module) -> set[ast.AST]:
    """Find types named in ``isinstance``: refusing a float needs its name."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {
        name
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "isinstance"
        for argument in call.args[1:]
        for name in ast.walk(argument)
    }


def _broken_by(node: ast.AST) -> Iterator[Rule]:
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield from _broken_by_module(alias.name)
        case ast.ImportFrom(module=str(module), names=names, level=0):
            yield from _broken_by_module(module)
            for alias in names:
                yield from _broken_by_name(alias.name)
        case ast.Call(func=ast.Name(id=name)) if name in BANNED_FUNCTIONS:
            yield Rule.INPUT_OUTPUT
        case ast.Call(func=ast.Attribute(attr=name)) if name in BANNED_METHODS:
            yield Rule.INPUT_OUTPUT
        case ast.Attribute(attr=name) if name in CLOCK_ATTRIBUTES:
            yield Rule.CLOCK
        case ast.Attribute(attr="random"):
            yield Rule.RANDOMNESS
        case ast.Attribute(attr=name) | ast.Name(id=name):
            yield from _broken_by_name(name)
        case ast.Constant(value=float() | complex()):
            yield Rule.FLOAT
        case ast.Constant(value=str(text)) if FLOAT_TYPE.fullmatch(text):
            yield Rule.FLOAT


def _broken_by_module(module: str) -> Iterator[Rule]:
    top = module.partition(".")[0]
    yield from (rule for rule, modules in BANNED_MODULES.items() if top in modules)
    if module.startswith("numpy.random"):
        yield Rule.RANDOMNESS


def _broken_by_name(name: str) -> Iterator[Rule]:
    if name in RANDOM_NAMES:
        yield Rule.RANDOMNESS
    if FLOAT_TYPE.fullmatch(name):
        yield Rule.FLOAT
    if name == "Any":
        yield Rule.ANY
