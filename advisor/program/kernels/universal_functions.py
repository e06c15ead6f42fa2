"""Functions that `vectorize` and `guvectorize` make universal: the types that their signatures state.

A signature of `vectorize` has the type of the result before those of its arguments; one of `guvectorize` has
the results as its last arguments, and a layout says how many axes of each argument one call takes (Numba's
"Creating NumPy universal functions").
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from advisor.model.text.syntax_trees import expression_tree
from advisor.program.names.library_names import NUMBA_TYPES
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.calls import keyword_value, last_name
from advisor.program.syntax.module import FunctionNode, ModuleSyntax

_MAKERS = {
    f"numba.{package}{name}": name for package in ("", "cuda.") for name in ("vectorize", "guvectorize")
}


@dataclass(frozen=True)
class Signature:
    """The types of the elements of the arguments and of the result, None for one that is not known."""

    arguments: tuple[str | None, ...]
    result: str | None


@dataclass(frozen=True)
class Layout:
    """How many axes one call takes of each argument, and gives its only result."""

    arguments: tuple[int, ...]
    result: int


@dataclass(frozen=True)
class UniversalFunction:
    """A universal function; `layout` is None for one of single elements."""

    on_gpu: bool
    signatures: tuple[Signature, ...]
    layout: Layout | None = None

    def result_type(self, given: Sequence[str | None]) -> str | None:
        """The type of the result's elements for given arguments: that of all signatures, or of the one that
        has their types.
        """
        results = {one.result for one in self.signatures}
        if len(results) == 1:
            return results.pop()
        exact = [one.result for one in self.signatures if one.arguments == tuple(given)]
        return exact[0] if exact and None not in given else None


def universal_function(
    func: ast.expr, module: ModuleSyntax, workspace: Workspace
) -> UniversalFunction | None:
    """The universal function that a name stands for in a module; None for anything else."""
    dotted = module.dotted(func)
    place = workspace.member(dotted, module) if dotted else None
    found = place[0].top_level.get(place[1]) if place is not None else None
    if place is None or not isinstance(found, ast.FunctionDef) or len(found.decorator_list) != 1:
        return None
    return _made(found, place[0], workspace)


def _made(function: FunctionNode, module: ModuleSyntax, workspace: Workspace) -> UniversalFunction | None:
    decorator = function.decorator_list[0]
    call = decorator if isinstance(decorator, ast.Call) else None
    maker = module.dotted(call.func if call is not None else decorator)
    kind = _MAKERS.get(workspace.library_name(maker, module)) if maker else None
    if kind is None:
        return None
    stated = call.args[0] if call is not None and call.args else None
    layout = call.args[1] if call is not None and len(call.args) > 1 else None
    target = keyword_value(call, "target") if call is not None else None
    on_gpu = isinstance(target, ast.Constant) and target.value == "cuda"
    signatures = tuple(_signatures(stated, kind, module, workspace)) if stated is not None else ()
    if kind == "vectorize":
        return UniversalFunction(on_gpu, signatures)
    written = _layout(layout)
    return UniversalFunction(on_gpu, signatures, written) if written is not None else None


def _signatures(node: ast.expr, kind: str, module: ModuleSyntax, workspace: Workspace) -> Iterator[Signature]:
    """The signatures of a decorator; one that is not understood has a result that is not known."""
    nodes = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    for one in nodes:
        text = isinstance(one, ast.Constant) and isinstance(one.value, str)
        tree = expression_tree(str(one.value).strip()) if isinstance(one, ast.Constant) and text else one
        home = None if text else module
        types = tree.elts if isinstance(tree, ast.Tuple) else tree.args if isinstance(tree, ast.Call) else []
        elements = tuple(_element(each, home, workspace) for each in types)
        if kind == "vectorize":
            result = tree.func if isinstance(tree, ast.Call) else None
            yield Signature(elements, _element(result, home, workspace) if result is not None else None)
        else:
            yield Signature(elements[:-1], elements[-1] if elements else None)


def _element(node: ast.expr, module: ModuleSyntax | None, workspace: Workspace) -> str | None:
    """The type of the elements of `float32` or `float32[:, :]`, in a text or by what a module imports."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    name = last_name(node)
    if module is not None:
        dotted = module.dotted(node)
        whole = workspace.library_name(dotted, module) if dotted else ""
        root, _, name = whole.rpartition(".")
        if root not in ("numba", "numba.types", "numba.core.types", "numpy"):
            return None
    return _SHORT.get(name, name) if name in NUMBA_TYPES or name in _SHORT else None


# Numba's short names of types.
_SHORT = {
    **{f"{letter}{width}": f"{kind}{8 * width}" for letter, kind, widths in (
       ("f", "float", (2, 4, 8)), ("i", "int", (1, 2, 4, 8)), ("u", "uint", (1, 2, 4, 8)),
       ("c", "complex", (8, 16))) for width in widths},
    "b1": "boolean", "bool_": "boolean", "float_": "float32", "double": "float64", "intp": "int64",
    "uintp": "uint64", "intc": "int32", "uintc": "uint32", "int_": "int64", "uint": "uint64",
}  # fmt: skip


def _layout(node: ast.expr | None) -> Layout | None:
    """The layout of `"(n),(m)->(n)"`, None without one or with several results."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    before, arrow, after = node.value.replace(" ", "").partition("->")
    arguments, results = _axes(before), _axes(after)
    return Layout(tuple(arguments), results[0]) if arrow and len(results) == 1 else None


def _axes(text: str) -> list[int]:
    """The number of axes of each `(…)` of a layout."""
    return [len([one for one in part.split(")")[0].split(",") if one]) for part in text.split("(")[1:]]
