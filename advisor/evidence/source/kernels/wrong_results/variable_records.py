"""Records of variables of a kernel that are read without a value, or get one that nobody reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts, Place
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.evidence.source.kernels.wrong_results.statements_without_effect import (
    calls_for_value,
    gives_value_only,
)
from advisor.evidence.source.kernels.wrong_results.unset_variables import unset_reads
from advisor.model.records import Record
from advisor.program.kernels.declarations import Declaration
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below, below_in_scope

_OF_ITS_SHAPE = frozenset({"shape", "size", "ndim", "dtype"})


def variable_records(facts: KernelFacts, kernel: str) -> list[Record]:
    """One record for each such variable of the kernel and of the functions that it calls."""
    found = []
    functions = {id(one.node): one for one in (facts.declaration, *facts.called)}
    pure = frozenset(one.name for one in facts.called if gives_value_only(one.node, one.module))
    for function in functions.values():
        module = function.module
        for unset in unset_reads(function.node):
            place = Place(module, unset.name, (), ())
            record = record_at("variable", kernel, place, unset.name.id, f"unset:{unset.name.id}")
            record.know("source", name=unset.name.id, unset_on=unset.on, set_by=unset.condition, unread="")
            found.append(record)
        for name, statement, kind in _unread(function, pure):
            record = record_at("variable", kernel, Place(module, statement, (), ()), name, f"unread:{name}")
            record.know("source", name=name, unset_on="", unread=kind)
            found.append(record)
    return found


def _unread(function: Declaration, pure: frozenset[str]) -> Iterator[tuple[str, ast.stmt, str]]:
    """The variables that a function gives values and reads for nothing else: sums, and parameters."""
    node, module = function.node, function.module
    given = {one.arg for one in below(node.args) if isinstance(one, ast.arg)}
    inside = below_in_scope(node)
    if any(isinstance(one, ast.Global | ast.Nonlocal | ast.FunctionDef | ast.Lambda) for one in inside):
        return
    named: dict[str, list[ast.Name]] = {}
    for one in inside:
        if isinstance(one, ast.Name):
            named.setdefault(one.id, []).append(one)
    for name, places in sorted(named.items()):
        setting = _setting(places, module)
        if not setting or any(_reads(one, setting, module, name in given) for one in places):
            continue
        if not all(_only_computes(one, module, pure) for one in setting):
            continue
        if name in given:
            yield name, setting[0], "parameter"
        elif (adding := next((one for one in setting if _adds_data(one, name)), None)) is not None:
            yield name, adding, "sum"


def _setting(places: Sequence[ast.Name], module: ModuleSyntax) -> list[ast.stmt]:
    """The statements that give a variable a value, each to it alone; none where another one does."""
    found: list[ast.stmt] = []
    for one in places:
        if isinstance(one.ctx, ast.Load):
            continue
        parent = module.parents.get(one)
        if isinstance(parent, ast.AugAssign) or (isinstance(parent, ast.Assign) and parent.targets == [one]):
            found.append(parent)
        else:
            return []
    return sorted(found, key=lambda one: one.lineno)


def _only_computes(statement: ast.stmt, module: ModuleSyntax, pure: frozenset[str]) -> bool:
    """Whether a statement calls nothing but functions that give a value and do nothing else."""
    calls = [one for one in below(statement) if isinstance(one, ast.Call)]
    return all(
        calls_for_value(one, module) or (isinstance(one.func, ast.Name) and one.func.id in pure)
        for one in calls
    )


def _reads(name: ast.Name, setting: Sequence[ast.stmt], module: ModuleSyntax, parameter: bool) -> bool:
    """Whether a variable is read for something else than its own next value; of a parameter its shape tells
    nothing of what it was given.
    """
    if not isinstance(name.ctx, ast.Load):
        return False
    parent = module.parents.get(name)
    if parameter and isinstance(parent, ast.Attribute) and parent.attr in _OF_ITS_SHAPE:
        return False
    return module.statement_of(name) not in setting


def _adds_data(statement: ast.stmt, name: str) -> bool:
    """Whether a statement adds to a variable, or takes its maximum with, what is no constant."""
    if isinstance(statement, ast.AugAssign):
        return any(isinstance(one, ast.Name | ast.Subscript) for one in below(statement.value))
    if not isinstance(statement, ast.Assign):
        return False
    names = {one.id for one in below(statement.value) if isinstance(one, ast.Name)}
    return name in names and len(names) > 1
