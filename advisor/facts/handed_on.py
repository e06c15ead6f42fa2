"""Functions and kernels that are handed as values to code which is not followed."""

from __future__ import annotations

import ast
from collections.abc import Collection

from advisor.facts.declarations import Declaration
from advisor.facts.module import ModuleSyntax

# How many functions in a row are followed from a kernel to the one that is handed on.
_STEPS = 3


def is_handed_on(names: Collection[str], module: ModuleSyntax) -> bool:
    """Whether one of these functions is an argument of a call in its module."""
    for call in module.calls:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(isinstance(one, ast.Name) and one.id in names for one in given):
            return True
    return False


def kernel_is_handed_on(kernel: Declaration) -> bool:
    """Whether a kernel, or a function that makes it or asks for it, is an argument of a call."""
    makers = [scope for scope in kernel.module.scopes(kernel.node) if isinstance(scope, ast.FunctionDef)]
    # `cuda.jit(f)` and the like make the kernel of the function that they are given.
    own = {kernel.name} if kernel.form == "decorator" else set(kernel.names) - {kernel.name}
    names = own | {maker.name for maker in makers}
    for _ in range(_STEPS):
        if is_handed_on(names, kernel.module):
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
