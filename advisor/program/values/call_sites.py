"""What the calls in a module give for a parameter of one of its functions."""

from __future__ import annotations

import ast

from advisor.program.syntax.calls import keyword_value
from advisor.program.syntax.module import FunctionNode, ModuleSyntax


def values_given(
    module: ModuleSyntax, function: FunctionNode, parameter: str
) -> list[tuple[FunctionNode | None, ast.expr | None]]:
    """For each call by the function's name the calling function and the argument, None where it gives none.

    Calls of the function by itself are left out.
    """
    position = [argument.arg for argument in function.args.args].index(parameter)
    found: list[tuple[FunctionNode | None, ast.expr | None]] = []
    for call in module.calls_by_name.get(function.name, ()):
        named = keyword_value(call, parameter)
        given = named or (call.args[position] if position < len(call.args) else None)
        caller = next((scope for scope in module.scopes(call) if isinstance(scope, ast.FunctionDef)), None)
        if caller is not function:
            found.append((caller, given))
    return found
