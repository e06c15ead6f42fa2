"""What calls name: the function, what is given by keyword, and the bounds of `range`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.program.syntax.module import ModuleSyntax


def last_name(node: ast.AST) -> str:
    """The last part of a dotted name, empty for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def called_name(node: ast.AST) -> str:
    """The last part of the name of the function that a call calls, empty for anything else."""
    return last_name(node.func) if isinstance(node, ast.Call) else ""


def calls_by_last_name(module: ModuleSyntax, _: ast.Module) -> dict[str, list[ast.Call]]:
    """The calls of a module by the last part of the name of what they call."""
    found: dict[str, list[ast.Call]] = {}
    for call in module.calls:
        found.setdefault(last_name(call.func), []).append(call)
    return found


def keyword_value(call: ast.Call, name: str) -> ast.expr | None:
    """What a call is given under a keyword, None where that is not written."""
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def range_bounds(loop: ast.AST | None) -> list[ast.expr] | None:
    """The one to three arguments of the `range(…)` that a loop runs over, None for any other loop."""
    call = loop.iter if isinstance(loop, ast.For) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "range":
        return None
    plain = not call.keywords and not any(isinstance(one, ast.Starred) for one in call.args)
    return call.args if plain and call.args else None


def attribute_by_name(call: ast.Call) -> str | None:
    """The attribute that `getattr(owner, "name")` reads, None for any other call."""
    if (
        not isinstance(call.func, ast.Name)
        or call.func.id != "getattr"
        or len(call.args) != 2
        or call.keywords
    ):
        return None
    name = call.args[1]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else None
