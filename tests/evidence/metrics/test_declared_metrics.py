"""Every metric that the program gives to a record is declared, and every declared one is given somewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import advisor
from advisor.check.rulebook import rulebook_for
from advisor.evidence.measured.reports.mapping import ENTITIES, entries
from advisor.model.settings.config import Config

PROGRAM = Path(advisor.__file__).parent
# What makes records; `reports` and `cli` only show them.
MAKERS = ("model", "evidence", "check", "runs")
MODULES = [
    ast.parse(file.read_text("utf-8")) for part in MAKERS for file in sorted((PROGRAM / part).rglob("*.py"))
]
NOTES = {"know", "may_be"}
# Of `know` itself.
PARAMETERS = {"source", "assumptions"}


def called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def passing_on(modules: list[ast.Module]) -> dict[str, set[str]]:
    """Functions that hand their `**values` to a record, with the names of their other parameters."""
    found = {}
    for function in (node for module in modules for node in ast.walk(module)):
        if not isinstance(function, ast.FunctionDef) or function.args.kwarg is None:
            continue
        rest = function.args.kwarg.arg
        for call in ast.walk(function):
            if not isinstance(call, ast.Call) or called(call) not in NOTES:
                continue
            if any(one.arg is None and ast.unparse(one.value) == rest for one in call.keywords):
                every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
                found[function.name] = {one.arg for one in every}
    return found


def noted(modules: list[ast.Module]) -> set[str]:
    """The names that are given to records as keywords."""
    own = dict.fromkeys(NOTES, PARAMETERS) | passing_on(modules)
    return {
        keyword.arg
        for module in modules
        for call in ast.walk(module)
        if isinstance(call, ast.Call) and called(call) in own
        for keyword in call.keywords
        if keyword.arg is not None and keyword.arg not in own[called(call)]
    }


def texts(nodes: list[ast.expr | None]) -> Iterator[str]:
    return (one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str))


def named(modules: list[ast.Module]) -> set[str]:
    """Patterns of the names that values may have: of keywords, of keys, of entries of tables."""
    found: set[str] = set()
    for node in (node for module in modules for node in ast.walk(module)):
        match node:
            case ast.Call():
                found |= {keyword.arg for keyword in node.keywords if keyword.arg}
            case ast.Dict():
                found |= {*texts(node.keys), *texts(list(node.values))}
            case ast.Tuple():
                found |= set(texts(list(node.elts)))
            case ast.Subscript(ctx=ast.Store(), slice=ast.Constant(value=str(name))):
                found.add(name)
            case ast.Subscript(ctx=ast.Store(), slice=ast.JoinedStr(values=parts)):
                found.add("".join(next(texts([part]), r"[a-z0-9]+") for part in parts))
    # A name, or one that is put together around a word that says what it counts.
    return {one for one in found if re.fullmatch(r"\w+|[a-z_]*(\[a-z0-9\]\+)?_[a-z_]+", one)}


def declared(computed: bool = True) -> set[str]:
    """The names of declared metrics, with or without those that follow from others by a formula."""
    metrics = rulebook_for(Config()).metrics.values()
    return {metric.name for metric in metrics if computed or metric.computed is None}


def test_what_records_are_given_is_declared() -> None:
    assert len(noted(MODULES)) > 100
    assert sorted(noted(MODULES) - declared()) == []


def test_what_is_declared_is_given_somewhere() -> None:
    tables = [entries(tool, entity) for tool in ("ncu", "nsys", "torch") for entity in ENTITIES]
    imported = {entry.metric for table in tables for entry in table}
    given = re.compile("|".join(sorted(named(MODULES) | imported)))
    assert [metric for metric in sorted(declared(computed=False)) if not given.fullmatch(metric)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('record.know("source", returns=1, assumptions=())', {"returns"}),
        ("record.may_be(registers=255.0)", {"registers"}),
        (
            "def make(key, **values):\n    record.know('source', (), **values)\nmake(key=1, copies=2)",
            {"copies"},
        ),
        ("def make(key, **values):\n    show(**values)\nmake(key=1, copies=2)", set()),
        ("show(returns=1)", set()),
    ],
)
def test_names_that_records_are_given(text: str, found: set[str]) -> None:
    assert noted([ast.parse(text)]) == found


@pytest.mark.parametrize(
    ("text", "metric", "can"),
    [
        ("f(returns=1)", "returns", True),
        ("found = {'returns': 1}", "returns", True),
        ("found['returns'] = 1", "returns", True),
        ("_KINDS = {'ret': 'returns'}", "returns", True),
        ("found[f'{cause}_throttle'] = 1", "power_throttle", True),
        ("found[f'{cause}_throttle'] = 1", "power_share", False),
        ("record.value('returns')", "returns", False),
        ("record.readings['returns']", "returns", False),
    ],
)
def test_names_that_values_may_have(text: str, metric: str, can: bool) -> None:
    assert bool(re.fullmatch("|".join(named([ast.parse(text)])), metric)) is can
