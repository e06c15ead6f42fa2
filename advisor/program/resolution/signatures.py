"""Types that a decorator states: a text, a tuple, a call of a return type, or a list of these."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import numpy as np

from advisor.model.compilation_unit import ArgumentTypes
from advisor.model.text.syntax_trees import expression_tree
from advisor.program.kernels.declarations import Declaration
from advisor.program.names.library_names import NUMBA_TYPES
from advisor.program.resolution.library_values import numpy_type_name
from advisor.program.resolution.literal_text import LibraryName
from advisor.program.resolution.meanings import ConstantName, Meaning
from advisor.program.resolution.record_types import record_text
from advisor.program.resolution.resolution import Names
from advisor.program.syntax.calls import last_name
from advisor.program.syntax.module import ModuleSyntax, assignments
from advisor.program.syntax.tree_nodes import dotted_parts

_CONSTRUCTORS = frozenset({"Array", "UniTuple", "Tuple", "Complex", "optional", "Optional"})
_TYPE_ROOTS = ("numba.", "numba.types.", "numba.core.types.")
_RANDOM_TYPE = "numba.cuda.random.xoroshiro128p_type"

Resolve = Callable[[Sequence[str]], tuple[Meaning, int]]
Expand = Callable[[ast.expr], ast.expr | None]


class _NotTypes(Exception):
    """An expression that does not state argument types by names that are known."""


def stated_typings(declaration: Declaration, names: Names) -> tuple[ArgumentTypes, ...]:
    """Return the typings that a declaration states for all of its parameters."""
    if declaration.signature is None:
        return ()
    module = declaration.module
    scopes = module.scopes(declaration.node)
    stated = signature_types(
        declaration.signature,
        lambda parts: names.attribute(parts, module, scopes),
        lambda node: _bound_expression(node, module),
    )
    return tuple(one for one in stated if len(one.types) == len(declaration.parameters))


def signature_types(node: ast.expr, resolve: Resolve, expand: Expand) -> tuple[ArgumentTypes, ...]:
    """The typings that a signature expression states; those with names that are not known are left out.

    `resolve` gives the meaning of a dotted name; `expand` gives the expression that a local name is bound to.
    """
    node = _expanded(node, expand)
    if isinstance(node, ast.List) or (isinstance(node, ast.Tuple) and _holds_signatures(node)):
        return tuple(types for item in node.elts for types in signature_types(item, resolve, expand))
    try:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = expression_tree(node.value.strip())
            arguments, spelling = _arguments(text), _Spelling(None, lambda _: None)
        else:
            arguments, spelling = _arguments(node), _Spelling(resolve, expand)
        return (ArgumentTypes(tuple(spelling.text(argument) for argument in arguments)),)
    except (_NotTypes, SyntaxError):
        return ()


def _expanded(node: ast.expr, expand: Expand) -> ast.expr:
    for _ in range(4):
        inner = expand(node) if isinstance(node, ast.Name | ast.Attribute) else None
        if inner is None:
            return node
        node = inner
    return node


def _holds_signatures(node: ast.Tuple) -> bool:
    """Whether a tuple holds whole signatures rather than argument types."""
    return bool(node.elts) and all(
        isinstance(item, ast.Tuple)
        or (isinstance(item, ast.Constant) and isinstance(item.value, str) and "(" in item.value)
        for item in node.elts
    )


def _arguments(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Tuple):
        return node.elts
    if isinstance(node, ast.Call) and last_name(node.func) not in _CONSTRUCTORS:
        return node.args
    return [node]


class _Spelling:
    """Spells type expressions with the names of `numba.types`; without `resolve` names are these names."""

    def __init__(self, resolve: Resolve | None, expand: Expand) -> None:
        self.resolve, self.expand = resolve, expand

    def text(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name | ast.Attribute):
            return self._named(node)
        if isinstance(node, ast.Subscript):
            return f"{self.text(node.value)}[{_dimensions(node.slice)}]"
        if isinstance(node, ast.Call):
            return self._constructed(node)
        if isinstance(node, ast.Tuple | ast.List):
            inner = ", ".join(self.text(item) for item in node.elts)
            return f"({inner},)" if len(node.elts) == 1 else f"({inner})"
        if isinstance(node, ast.Constant) and isinstance(node.value, int | str):
            return repr(node.value)
        raise _NotTypes

    def _named(self, node: ast.expr) -> str:
        if self.resolve is None:
            if last_name(node) in NUMBA_TYPES:
                return last_name(node)
            raise _NotTypes
        parts = _parts(node)
        meaning, used = self.resolve(parts)
        if isinstance(meaning, LibraryName) and used == len(parts):
            return _type_name(meaning.dotted)
        inner = self.expand(node)
        if inner is None:
            raise _NotTypes
        return self.text(inner)

    def _constructed(self, node: ast.Call) -> str:
        name = last_name(node.func)
        if name == "from_dtype" and len(node.args) == 1 and self.resolve is not None:
            return self._record(node.args[0])
        if name not in _CONSTRUCTORS:
            raise _NotTypes
        arguments = [self.text(argument) for argument in node.args]
        arguments += [f"{keyword.arg}={self.text(keyword.value)}" for keyword in node.keywords]
        return f"{name}({', '.join(arguments)})"

    def _record(self, node: ast.expr) -> str:
        """The type of the records of a NumPy type that has a name."""
        assert self.resolve is not None
        parts = _parts(node)
        meaning, used = self.resolve(parts)
        dtype = meaning.value if isinstance(meaning, ConstantName) and used == len(parts) else None
        if not isinstance(dtype, np.dtype) or not dtype.names or dtype.hasobject:
            raise _NotTypes
        return record_text(dtype)


def _parts(node: ast.expr) -> list[str]:
    parts = dotted_parts(node)
    if parts is None:
        raise _NotTypes
    return parts


def _type_name(dotted: str) -> str:
    if dotted == _RANDOM_TYPE:
        return "xoroshiro128p_type"
    root, _, name = dotted.rpartition(".")
    if f"{root}." in _TYPE_ROOTS and name in NUMBA_TYPES:
        return name
    if dotted.startswith("numpy."):
        kind = numpy_type_name(dotted)
        if kind is not None and kind in NUMBA_TYPES:
            return kind
    raise _NotTypes


def _dimensions(index: ast.expr) -> str:
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    if not all(isinstance(item, ast.Slice) for item in items):
        raise _NotTypes
    return ",".join(ast.unparse(item) for item in items)


def _bound_expression(node: ast.expr, module: ModuleSyntax) -> ast.expr | None:
    """The one expression that a module-level or local name is bound to."""
    parts = dotted_parts(node)
    if parts is None or len(parts) != 1:
        return None
    values = module.assigned.get(parts[0]) or module.once(_bound_in_functions, module.tree).get(parts[0], [])
    return values[0] if len(values) == 1 else None


def _bound_in_functions(module: ModuleSyntax, _: ast.Module) -> dict[str, list[ast.expr]]:
    """Every value that the module's functions assign to a local name."""
    found: dict[str, list[ast.expr]] = {}
    for function in module.functions:
        for name, values in assignments(function.body).items():
            found.setdefault(name, []).extend(values)
    return found
