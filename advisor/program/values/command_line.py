"""What a program reads that is started without arguments and without variables in its environment."""

from __future__ import annotations

import ast

from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import ModuleSyntax
from advisor.program.syntax.tree_nodes import below

_ARGUMENTS = "sys.argv"
_ENVIRONMENT = frozenset({"os.environ.get", "os.getenv"})
_PARSES = frozenset({"parse_args", "parse_known_args"})


def without_arguments(node: ast.expr, module: ModuleSyntax) -> ast.expr | None:
    """The expression whose value another one has in a program that is started without arguments; None for
    one that does not ask for them.
    """
    if isinstance(node, ast.Call) and len(node.args) == 2 and last_name(node.func) in ("get", "getenv"):
        return node.args[1] if module.dotted(node.func) in _ENVIRONMENT else None
    if isinstance(node, ast.Call) and len(node.args) == 1 and last_name(node.func) == "len":
        # The first argument is the program's own name.
        return ast.Constant(1) if module.dotted(node.args[0]) == _ARGUMENTS else None
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        lower = node.slice.lower
        given = isinstance(lower, ast.Constant) and lower.value == 1 and node.slice.upper is None
        return ast.Tuple([], ast.Load()) if given and module.dotted(node.value) == _ARGUMENTS else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id not in module.once(_parsed, module.tree):
            return None
        defaults = module.once(_defaults, module.tree).get(node.attr, [])
        return defaults[0] if len(defaults) == 1 else None
    return None


def needs_arguments(node: ast.expr, module: ModuleSyntax) -> bool:
    """Whether an expression has no value without arguments: it reads one of them."""
    return any(
        isinstance(one, ast.Subscript)
        and isinstance(one.slice, ast.Constant)
        and one.slice.value != 0
        and module.dotted(one.value) == _ARGUMENTS
        for one in below(node)
    )


def _parsed(module: ModuleSyntax, tree: ast.Module) -> frozenset[str]:
    """The names that are bound to what `argparse` read."""
    return frozenset(
        one.id
        for statement in module.inside(tree, ast.Assign)
        if isinstance(statement.value, ast.Call) and last_name(statement.value.func) in _PARSES
        for target in statement.targets
        for one in (target.elts[:1] if isinstance(target, ast.Tuple) else [target])
        if isinstance(one, ast.Name)
    )


def _defaults(module: ModuleSyntax, _: ast.Module) -> dict[str, list[ast.expr]]:
    """The defaults that options are added with, by the attributes that hold them."""
    found: dict[str, list[ast.expr]] = {}
    for call in module.calls:
        if last_name(call.func) != "add_argument":
            continue
        given = {one.arg: one.value for one in call.keywords}
        texts = [one.value for one in call.args if isinstance(one, ast.Constant)]
        options = [one for one in texts if isinstance(one, str) and one.startswith("-")]
        long = [one for one in options if one.startswith("--")]
        stated = given.get("dest")
        name = stated.value if isinstance(stated, ast.Constant) else (long or options or [""])[0]
        if "default" in given and isinstance(name, str) and name:
            found.setdefault(name.lstrip("-").replace("-", "_"), []).append(given["default"])
    return found
