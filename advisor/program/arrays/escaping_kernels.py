"""Functions and kernels that are handed as values to code which is not followed."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection

from advisor.program.kernels.declarations import Declaration
from advisor.program.names.workspace import KNOWN_LIBRARIES, Workspace
from advisor.program.syntax.module import ModuleSyntax

# How many functions in a row are followed from a kernel to the one that is handed on.
_STEPS = 3
_BUILT_IN = frozenset(dir(builtins))


def is_handed_on(names: Collection[str], module: ModuleSyntax, workspace: Workspace) -> bool:
    """Whether one of these functions is an argument of a call of code that is not found here."""
    takers = module.once(_takers, module.tree)
    asked = dict.fromkeys(taker for name in sorted(names) for taker in takers.get(name, ()))
    return any(_is_out_of_sight(taker, module, workspace) for taker in asked)


def _takers(module: ModuleSyntax, _: ast.Module) -> dict[str, dict[str, None]]:
    """The names of the functions that a module calls with a name as an argument, by that name."""
    found: dict[str, dict[str, None]] = {}
    for name, calls in module.calls_by_name.items():
        for call in calls:
            for given in (*call.args, *(keyword.value for keyword in call.keywords)):
                if isinstance(given, ast.Name):
                    found.setdefault(given.id, {})[name] = None
    return found


def _is_out_of_sight(name: str, module: ModuleSyntax, workspace: Workspace) -> bool:
    """Whether a name comes from a module that is neither in the workspace nor a library."""
    if name in module.functions_by_name or workspace.definition(name, module) is not None:
        return False
    imported = module.imports.get(name)
    sources = [imported] if imported else [] if name in _BUILT_IN else module.star_imports
    roots = [one.module.split(".")[0] for one in sources if workspace.find(one, module) is None]
    return any(root not in KNOWN_LIBRARIES and root not in sys.stdlib_module_names for root in roots)


def kernel_is_handed_on(kernel: Declaration, workspace: Workspace) -> bool:
    """Whether a kernel, or a function that makes it or asks for it, goes to code that is not found here."""
    names = _names_with_makers(kernel)
    for _ in range(_STEPS):
        if is_handed_on(names, kernel.module, workspace):
            return True
        names = _users(names, kernel.module) - names
    return False


def kernel_is_argument(kernel: Declaration) -> bool:
    """Whether the module gives a kernel, or a function that makes it, to a function that may launch it."""
    takers = kernel.module.once(_takers, kernel.module.tree)
    given_to = {taker for name in _names_with_makers(kernel) for taker in takers.get(name, ())}
    return bool(given_to - _BUILT_IN)


def _names_with_makers(kernel: Declaration) -> set[str]:
    """The names of a kernel, and those of the functions around it."""
    makers = [scope for scope in kernel.module.scopes(kernel.node) if isinstance(scope, ast.FunctionDef)]
    # `cuda.jit(f)` and the like make the kernel of the function that they are given.
    own = {kernel.name} if kernel.form == "decorator" else set(kernel.names) - {kernel.name}
    return own | {maker.name for maker in makers}


def _users(names: Collection[str], module: ModuleSyntax) -> set[str]:
    """The functions in which one of the names is read."""
    readers = module.once(_readers, module.tree)
    return {reader for name in names for reader in readers.get(name, ())}


def _readers(module: ModuleSyntax, _: ast.Module) -> dict[str, set[str]]:
    """The names of the functions in which a name is read, by that name."""
    found: dict[str, set[str]] = {}
    for function in module.functions:
        for name in module.inside(function, ast.Name):
            if isinstance(name.ctx, ast.Load):
                found.setdefault(name.id, set()).add(function.name)
    return found
