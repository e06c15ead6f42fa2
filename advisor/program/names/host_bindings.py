"""What a function of host code binds to its names."""

from __future__ import annotations

import ast

from advisor.program.syntax.module import FunctionNode, ModuleSyntax, assignments, stored_names


def assignments_anywhere(module: ModuleSyntax, function: FunctionNode) -> dict[str, list[ast.expr]]:
    """Every value that a function binds to a name, in its inner blocks and loops too."""
    found: dict[str, list[ast.expr]] = {}
    every = sorted(
        (*module.inside(function, ast.Assign), *module.inside(function, ast.AnnAssign)),
        key=lambda node: node.lineno,
    )
    for assignment in every:
        for name, values in assignments([assignment]).items():
            found.setdefault(name, []).extend(values)
    for loop in module.inside(function, ast.For):
        for name in stored_names(loop.target):
            item = ast.Name(id="<item>", ctx=ast.Load())
            found.setdefault(name, []).append(ast.copy_location(item, loop))
    return found
