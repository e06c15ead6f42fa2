"""Signatures that a decorator refuses for the function below it: another number of types, a result."""

from __future__ import annotations

import ast

from advisor.model.text.syntax_trees import expression_tree
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.library_names import NUMBA_TYPES
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import ModuleSyntax


def signature_fault(declaration: Declaration) -> str:
    """Return why the one signature of a kernel does not fit it, in a clause; empty where it may fit.

    A kernel has no result, and as many parameters as the signature has types, by Numba's documentation of
    signatures.
    """
    stated = declaration.signature
    arguments = declaration.node.args
    scope = declaration.module.scope_of(declaration.node)
    if stated is None or isinstance(scope, ast.ClassDef) or declaration.form == "wrapped":
        return ""
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        return ""
    found = _types_and_result(stated, declaration.module)
    if found is None:
        return ""
    types, result = found
    wanted = len(declaration.parameters)
    if types != wanted:
        return f"it states types for {types} parameters, and the function has {wanted}"
    if result not in ("", "void", "none") and "device" not in declaration.options:
        return f"it states a result, `{result}`, and a kernel has none"
    return ""


def _types_and_result(node: ast.expr, module: ModuleSyntax) -> tuple[int, str] | None:
    """How many types a signature states, and the name of its result, empty without one."""
    if isinstance(node, ast.Name):
        values = module.assigned.get(node.id, [])
        node = values[0] if len(values) == 1 else node
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = expression_tree(node.value.strip())
        except SyntaxError:
            return None
    if isinstance(node, ast.Tuple):
        return (len(node.elts), "") if node.elts and all(map(_is_type, node.elts)) else None
    if isinstance(node, ast.Call) and not node.keywords and last_name(node.func) in NUMBA_TYPES:
        whole = all(map(_is_type, node.args))
        return (len(node.args), last_name(node.func)) if whole else None
    return None


def _is_type(node: ast.expr) -> bool:
    """Whether an expression states one type, by a name of Numba's or as an array of such elements."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name | ast.Attribute) and last_name(node) in NUMBA_TYPES
