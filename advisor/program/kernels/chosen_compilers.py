"""Decorators that compile for the GPU or the CPU, as a mode says, and the functions meant for the CPU."""

from __future__ import annotations

import ast

from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import FunctionNode, ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_CPU = frozenset({"numba.jit", "numba.njit"})
_GPU = frozenset({"numba.cuda.jit"})


def meant_for_cpu(
    function: FunctionNode, decorator: ast.expr, module: ModuleSyntax, workspace: Workspace
) -> bool:
    """Whether a function below a decorator that may stand for `cuda.jit` is the one for the CPU.

    It is where its loops are `prange`, which numba compiles for the CPU alone, or where a condition around it
    names none of the modes for which the decorator's own branches choose the GPU.
    """
    target = decorator
    while isinstance(target, ast.Call):
        target = target.func
    if _named(target, module, workspace) in _GPU:
        return False
    if any(
        isinstance(node, ast.Call) and _named(node.func, module, workspace) == "numba.prange"
        for node in below(function)
    ):
        return True
    modes = _gpu_modes(target, module, workspace)
    return bool(modes) and any(_excludes(test, holds, modes) for test, holds in _conditions(function, module))


def _named(node: ast.expr, module: ModuleSyntax, workspace: Workspace) -> str | None:
    dotted = module.dotted(node)
    return None if dotted is None else workspace.library_name(dotted, module)


def _gpu_modes(target: ast.expr, module: ModuleSyntax, workspace: Workspace) -> frozenset[str]:
    """The texts for which the function behind a decorator chooses the GPU; none where it knows no CPU."""
    dotted = module.dotted(target)
    place = workspace.member(dotted, module) if dotted else None
    chooser = place[0].top_level.get(place[1]) if place else None
    if place is None or chooser is None:
        return frozenset()
    calls = [node for node in below(chooser) if isinstance(node, ast.Call)]
    compilers = {id(call): _named(call.func, place[0], workspace) for call in calls}
    if not _CPU & set(compilers.values()):
        return frozenset()
    modes: set[str] = set()
    for call in calls:
        if compilers[id(call)] in _GPU:
            for test, holds in _conditions(call, place[0]):
                modes |= _texts(test, holds)
    return frozenset(modes)


def _conditions(node: ast.AST, module: ModuleSyntax) -> list[tuple[ast.expr, bool]]:
    """The tests of the branches around a node, and whether they hold where it stands."""
    found = []
    parent = module.parents.get(node)
    while parent is not None:
        if isinstance(parent, ast.If) and node is not parent.test:
            found.append((parent.test, any(node is one for one in parent.body)))
        node, parent = parent, module.parents.get(parent)
    return found


def _texts(test: ast.expr, holds: bool) -> frozenset[str]:
    """The texts of which a value is one where a comparison turns out so."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return frozenset()
    if not isinstance(test.ops[0], (ast.Eq, ast.In) if holds else (ast.NotEq, ast.NotIn)):
        return frozenset()
    given = test.comparators[0]
    items = given.elts if isinstance(given, ast.Tuple | ast.List | ast.Set) else [given]
    texts = [one.value for one in items if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return frozenset(texts) if len(texts) == len(items) else frozenset()


def _excludes(test: ast.expr, holds: bool, modes: frozenset[str]) -> bool:
    """Whether a test that turned out so says that the mode is none of these."""
    stated, left_out = _texts(test, holds), _texts(test, not holds)
    return (bool(stated) and not stated & modes) or modes <= left_out
