"""Records of statements of a kernel that do nothing: comparisons, values, names of functions."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from advisor.evidence.source.kernel_walk.kernel_facts import KernelFacts, Place
from advisor.evidence.source.kernels.placed_records import record_at
from advisor.model.records import Record
from advisor.program.arrays.element_types import itemsize_of
from advisor.program.kernels.declarations import Declaration, cuda_member
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below_in_scope

# Functions of numba.cuda that are called for what they do.
_DOING = frozenset({
    "syncthreads", "syncwarp", "threadfence", "threadfence_block", "threadfence_system", "syncthreads_count",
    "syncthreads_and", "syncthreads_or", "nanosleep",
})  # fmt: skip
_PURE = frozenset({"abs", "min", "max", "round", "int", "float", "bool", "pow", "len", "divmod"})
_CHANGES = (ast.Subscript, ast.Attribute)


def statement_records(facts: KernelFacts, kernel: str) -> list[Record]:
    """One record for each such statement of the kernel and of the functions that it calls."""
    found = []
    functions = {id(one.node): one for one in (facts.declaration, *facts.called)}
    pure = {one.name: one for one in facts.called if gives_value_only(one.node, one.module)}
    for function in functions.values():
        for statement in below_in_scope(function.node):
            if isinstance(statement, ast.Expr):
                found += _records_of(statement, function, pure, kernel)
    return found


def _records_of(
    statement: ast.Expr, function: Declaration, pure: Mapping[str, Declaration], kernel: str
) -> list[Record]:
    value = statement.value
    place = Place(function.module, statement, (), ())
    if isinstance(value, ast.Compare):
        record = record_at("statement", kernel, place, ast.unparse(value.left), "comparison")
        assigns = isinstance(value.left, ast.Name | ast.Subscript) and _asks_for_equality(value)
        record.know(
            "source", only_compares=True, like_assignment=assigns, uncalled_function="", drops_value=False
        )
        return [record]
    uncalled = _uncalled(value, function.module)
    drops = isinstance(value, ast.BinOp | ast.UnaryOp | ast.Subscript) or (
        isinstance(value, ast.Call) and _is_pure(value, function.module, pure)
    )
    if not uncalled and not drops:
        return []
    record = record_at("statement", kernel, place, uncalled or ast.unparse(value), "statement")
    record.know("source", only_compares=False, uncalled_function=uncalled, drops_value=drops)
    return [record]


def _asks_for_equality(compared: ast.Compare) -> bool:
    return len(compared.ops) == 1 and isinstance(compared.ops[0], ast.Eq)


def _uncalled(value: ast.expr, module: ModuleSyntax) -> str:
    """The function that a statement names and does not call, as it is written; empty for any other."""
    if not isinstance(value, ast.Name | ast.Attribute):
        return ""
    dotted = module.dotted(value)
    return ast.unparse(value) if dotted and cuda_member(dotted) in _DOING else ""


def _is_pure(call: ast.Call, module: ModuleSyntax, pure: Mapping[str, Declaration]) -> bool:
    """Whether a call gives a value and does nothing else."""
    if isinstance(call.func, ast.Name) and call.func.id in pure:
        return True
    return calls_for_value(call, module)


def calls_for_value(call: ast.Call, module: ModuleSyntax) -> bool:
    """Return whether a call is one of a function of Python that gives a number and does nothing else."""
    if isinstance(call.func, ast.Name) and call.func.id not in module.bound_anywhere:
        return call.func.id in _PURE
    dotted = module.dotted(call.func) or ""
    return dotted.startswith(("math.", "cmath.")) or itemsize_of(dotted) is not None


def gives_value_only(function: FunctionNode, module: ModuleSyntax) -> bool:
    """Return whether a function returns a value and changes nothing outside of itself."""
    inside = below_in_scope(function)
    returns = any(isinstance(one, ast.Return) and one.value is not None for one in inside)
    changes = any(isinstance(one, _CHANGES) and not isinstance(one.ctx, ast.Load) for one in inside)
    calls = [one for one in inside if isinstance(one, ast.Call)]
    return returns and not changes and all(calls_for_value(one, module) for one in calls)
