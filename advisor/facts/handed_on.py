"""Functions and kernels that are handed as values to code which is not followed."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection

from advisor.facts.declarations import Declaration
from advisor.facts.module import ModuleSyntax
from advisor.facts.workspace import KNOWN_LIBRARIES, Workspace

# How many functions in a row are followed from a kernel to the one that is handed on.
_STEPS = 3
_BUILT_IN = frozenset(dir(builtins))


def is_handed_on(names: Collection[str], module: ModuleSyntax, workspace: Workspace) -> bool:
    """Whether one of these functions is an argument of a call of code that is not found here."""
    for call in module.calls:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        handed = any(isinstance(one, ast.Name) and one.id in names for one in given)
        if handed and isinstance(call.func, ast.Name) and _is_out_of_sight(call.func.id, module, workspace):
            return True
    return False


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
    makers = [scope for scope in kernel.module.scopes(kernel.node) if isinstance(scope, ast.FunctionDef)]
    # `cuda.jit(f)` and the like make the kernel of the function that they are given.
    own = {kernel.name} if kernel.form == "decorator" else set(kernel.names) - {kernel.name}
    names = own | {maker.name for maker in makers}
    for _ in range(_STEPS):
        if is_handed_on(names, kernel.module, workspace):
            return True
        names = _users(names, kernel.module) - names
    return False


def _users(names: Collection[str], module: ModuleSyntax) -> set[str]:
    """The functions in which one of the names is read."""
    return {
        function.name
        for function in module.functions
        if any(
            name.id in names and isinstance(name.ctx, ast.Load) for name in module.inside(function, ast.Name)
        )
    }
