"""Uses of `cuda.jit` that nothing was recognised from, and launches of kernels that were not seen."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.program.kernels.declarations import Declaration
from advisor.program.kernels.jit_expressions import Jit, Use
from advisor.program.launches.launches import Launch
from advisor.program.names.object_attributes import values_of_attribute
from advisor.program.names.scope_bindings import scope_bindings
from advisor.program.names.workspace import KNOWN_LIBRARIES, Workspace
from advisor.program.syntax.module import Import, ModuleSyntax

# A name may be bound to itself.
_MOST_STEPS = 12


@dataclass(frozen=True)
class JitUses:
    """The places of `cuda.jit` in a module, and those, here or in other modules, that functions of it are
    compiled by, each with the line of such a function.
    """

    found: tuple[Use, ...] = ()
    known: tuple[tuple[int, frozenset[Use]], ...] = ()


def jit_uses(module: ModuleSyntax, declarations: Sequence[Declaration], workspace: Workspace) -> JitUses:
    """The uses of `cuda.jit` in a module whose kernels and device functions are known."""
    jit = Jit(workspace)
    declared = {one.node for one in declarations}
    known = [(one.node.lineno, one.uses) for one in declarations]
    for function in module.functions:
        if function not in declared:
            # What a decorator that may stand for `cuda.jit` compiles for the CPU instead is recognised too.
            for decorator in function.decorator_list:
                compiler = jit.decorator(decorator, module)
                if compiler is not None:
                    known.append((function.lineno, compiler.uses))
    return JitUses(tuple(jit.uses(module)), tuple(known))


def unseen_launches(module: ModuleSyntax, launches: Iterable[Launch], workspace: Workspace) -> list[Launch]:
    """The launches of what is imported from modules that are neither libraries nor in the workspace."""
    if not module.mentions("numba"):
        return []
    found = []
    for launch in launches:
        if launch.target is None or launch.kernels or launch.in_helper:
            continue
        imported = _imported_from(launch.target, module)
        if imported is not None:
            library = imported.dotted.partition(".")[0] in KNOWN_LIBRARIES
            if not library and workspace.find(imported, module) is None:
                found.append(launch)
    return found


def _imported_from(node: ast.expr, module: ModuleSyntax) -> Import | None:
    """The import that an expression rests on: its own, or that of the one value its name is bound to."""
    for _ in range(_MOST_STEPS):
        if isinstance(node, ast.Call):
            by_name = isinstance(node.func, ast.Name) and node.func.id == "getattr" and node.args
            node = node.args[0] if by_name else node.func
        elif isinstance(node, ast.Name):
            values = _values(node, module)
            if len(values) != 1 or values[0] is None:
                return None if values else module.imports.get(node.id)
            node = values[0]
        elif isinstance(node, ast.Attribute):
            given = _given_to_self(node, module)
            node = given[0] if given else node.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return None
    return None


def _values(node: ast.Name, module: ModuleSyntax) -> list[ast.expr | None]:
    """What the innermost scope that binds a name gives it; none for one that is imported."""
    for scope in [*module.scopes(node), None]:
        bindings = scope_bindings(module, scope).names.get(node.id)
        if bindings:
            return [one.value for one in bindings if one.imported is None]
    return []


def _given_to_self(node: ast.Attribute, module: ModuleSyntax) -> list[ast.expr]:
    owner = module.class_around(node)
    if owner is None or not isinstance(node.value, ast.Name) or node.value.id != "self":
        return []
    return [value for _, value in values_of_attribute(module, owner, node.attr)]
