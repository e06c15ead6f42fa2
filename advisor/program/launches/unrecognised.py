"""Uses of `cuda.jit` that nothing was recognised from, and launches of kernels that were not seen."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.program.kernels.declarations import Declaration
from advisor.program.kernels.jit_expressions import Jit, Use
from advisor.program.launches.launches import Launch
from advisor.program.names.workspace import KNOWN_LIBRARIES, Workspace
from advisor.program.syntax.module import ModuleSyntax


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
    found = []
    for launch in launches:
        target = launch.node.func.value if isinstance(launch.node.func, ast.Subscript) else None
        while isinstance(target, ast.Attribute):
            target = target.value
        imported = module.imports.get(target.id) if isinstance(target, ast.Name) else None
        if launch.kernel is None and imported is not None and module.mentions("numba"):
            library = imported.dotted.partition(".")[0] in KNOWN_LIBRARIES
            if not library and workspace.find(imported, module) is None:
                found.append(launch)
    return found
