"""Whether a kernel leaves anything behind."""

from __future__ import annotations

import ast
from collections.abc import Collection

from advisor.evidence.source.kernel_walk.kernel_facts import Access, KernelFacts
from advisor.evidence.source.kernels.wrong_results.statements_without_effect import calls_for_value
from advisor.program.kernels.declarations import cuda_member
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below_in_scope

# Statements and targets that leave something where others see it.
_SPEAKING = (ast.Assert, ast.Raise)
_QUIET = frozenset({
    "grid", "gridsize", "shared.array", "local.array", "const.array_like", "syncthreads", "syncwarp",
    "threadfence", "fma", "selp", "popc", "clz", "ffs",
})  # fmt: skip


def stores_nothing(facts: KernelFacts) -> bool:
    """Return whether a kernel loads elements, and neither stores, prints nor hands on anything."""
    return bool(_outside(facts)) and leaves_nothing(facts)


def is_without_effect(facts: KernelFacts) -> bool:
    """Return whether a kernel has statements that do something, loads nothing, and leaves nothing behind."""
    return not does_nothing(facts) and not _outside(facts) and leaves_nothing(facts)


def does_nothing(facts: KernelFacts) -> bool:
    """Return whether the body of a kernel has no statement but `pass` and `return`."""
    return all(map(_is_empty, facts.declaration.node.body))


def leaves_nothing(facts: KernelFacts) -> bool:
    """Return whether a kernel neither stores, prints nor hands on anything, whatever it loads."""
    if not facts.complete or facts.calls_unknown or facts.rows_handed_on or facts.atomics or facts.draws:
        return False
    if any(one.kind != "load" for one in _outside(facts)):
        return False
    functions = {id(one.node): one for one in (facts.declaration, *facts.called)}
    names = {one.name for one in facts.called}
    return not any(
        _tells(one, function.module, names)
        for function in functions.values()
        for one in below_in_scope(function.node)
    )


def _is_empty(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass) or (isinstance(statement, ast.Return) and statement.value is None)


def _outside(facts: KernelFacts) -> list[Access]:
    """The accesses of memory that is there after the kernel."""
    return [one for one in facts.accesses if one.array.space in ("global", "unknown")]


def _tells(node: ast.AST, module: ModuleSyntax, followed: Collection[str]) -> bool:
    """Whether something may be seen outside of a function: an error, a field that is set, an unknown call."""
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        known = name in followed or name == "range" or calls_for_value(node, module)
        return not known and cuda_member(module.dotted(node.func) or "") not in _QUIET
    if isinstance(node, ast.Attribute):
        return not isinstance(node.ctx, ast.Load)
    return isinstance(node, _SPEAKING)
