"""Functions that a program teaches Numba itself: called in a kernel, they are what it says for the types."""

from __future__ import annotations

import ast

from advisor.program.syntax.calls import called_name
from advisor.program.syntax.module import ModuleSyntax

# Of `numba.extending`, `numba.core.imputils`, `numba.cuda.cudadecl` and `numba.cuda.cudaimpl`: each is given
# the function that it is about first.
_TEACHES = frozenset({
    "overload", "type_callable", "lower_builtin", "lower", "register_global", "infer_global",
})  # fmt: skip
_LIBRARIES = ("numba.", "numba_cuda.")
_FOR_THE_HOST = "cpu"


def extended_functions(module: ModuleSyntax) -> frozenset[str]:
    """The names of functions that a module gives to what registers them with Numba for the GPU."""
    return module.once(_read, module.tree)


def _read(module: ModuleSyntax, _tree: ast.AST) -> frozenset[str]:
    return frozenset(
        call.args[0].id
        for call in module.calls
        if call.args and isinstance(call.args[0], ast.Name) and _teaches(call, module)
    )


def _teaches(call: ast.Call, module: ModuleSyntax) -> bool:
    if called_name(call) not in _TEACHES:
        return False
    targets = [one.value for one in call.keywords if one.arg == "target"]
    if any(isinstance(one, ast.Constant) and one.value == _FOR_THE_HOST for one in targets):
        return False
    # A program makes registries itself, as in `registry.lower(function, …)`.
    return isinstance(call.func, ast.Attribute) or (module.dotted(call.func) or "").startswith(_LIBRARIES)
