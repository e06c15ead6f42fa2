"""Modules that a program imports by calls with a text, as `importlib.import_module("numba.cuda")`, and by the
names that they had earlier.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from advisor.program.syntax.calls import last_name

if TYPE_CHECKING:
    from advisor.program.syntax.module import ModuleSyntax

_IMPORTERS = frozenset({"importlib.import_module", "__import__"})
_LAST_NAMES = frozenset({"import_module", "__import__"})
# NumbaPro became a part of Numba, whose modules have the same names.
_NUMBAPRO, _NUMBA = "numbapro", "numba"


def present_name(imported: str) -> str:
    """The dotted name of an imported module, `numba.cuda` for NumbaPro's `numbapro.cuda`."""
    root, dot, rest = imported.partition(".")
    return f"{_NUMBA}{dot}{rest}" if root == _NUMBAPRO else imported


def imported_module(call: ast.Call, module: ModuleSyntax) -> str | None:
    """The dotted name of the module that a call imports, leading dots for a relative one; None for any other
    call, and where the name is not fixed.
    """
    if last_name(call.func) not in _LAST_NAMES or module.dotted(call.func) not in _IMPORTERS:
        return None
    name = _text(call.args[0], module) if call.args else None
    if name is None or last_name(call.func) == "import_module":
        return name
    # Without a list of names `__import__` gives the package around all.
    return name.partition(".")[0] if len(call.args) == 1 and not call.keywords else None


def names_of_modules(module: ModuleSyntax) -> dict[str, str]:
    """The names that are bound to nothing but one module that a call imports, each with that module."""
    return {
        name: dotted[0]
        for name, dotted in _names_given_modules(module).items()
        if dotted[0] and set(dotted) == {dotted[0]} and _is_bound_nowhere_else(name, len(dotted), module)
    }


def names_of_unknown_modules(module: ModuleSyntax, _: ast.Module) -> frozenset[str]:
    """The names that are bound to modules that calls import, where it is not known which."""
    return frozenset(_names_given_modules(module).keys() - names_of_modules(module).keys())


def _names_given_modules(module: ModuleSyntax) -> dict[str, list[str | None]]:
    """The names that are assigned what a call imports, with the modules where they are known."""
    found: dict[str, list[str | None]] = {}
    for call in module.calls:
        parent = module.parents.get(call) if last_name(call.func) in _LAST_NAMES else None
        if isinstance(parent, ast.Assign) and module.dotted(call.func) in _IMPORTERS:
            for target in parent.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(imported_module(call, module))
    return found


def _is_bound_nowhere_else(name: str, times: int, module: ModuleSyntax) -> bool:
    arguments = (one.arg for one in module.inside(module.tree, ast.arg))
    return len(module.stores(name, module.tree)) == times and name not in {
        *arguments,
        *module.functions_by_name,
    }


def _text(node: ast.expr, module: ModuleSyntax) -> str | None:
    """A text, or what a name of the module is bound to by its one assignment."""
    if isinstance(node, ast.Name) and len(module.stores(node.id, module.tree)) == 1:
        values = module.assigned.get(node.id, [])
        node = values[0] if values else node
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
