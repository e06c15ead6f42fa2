"""A kernel with what it calls, as functions of which every name is known; nothing is imported for it."""

from __future__ import annotations

import ast
import builtins
import textwrap
from typing import cast

from advisor.evidence.source.triton.declarations import TritonFunction
from advisor.evidence.source.triton.names import TritonNames
from advisor.evidence.source.triton.walk.reader import TritonReader
from advisor.model.machine_code.triton_unit import Constant, TritonFunctionText
from advisor.program.syntax.module import Import, stored_names
from advisor.program.syntax.tree_nodes import dotted_root
from advisor.program.values.constant_folding import UNKNOWN
from advisor.program.values.constants import Constants

# Python's own functions that Triton's compiler knows.
_PYTHONS = frozenset({
    "range", "min", "max", "len", "int", "float", "bool", "isinstance", "print", "tuple", "list", "slice",
    "sum", "abs", "getattr", "hasattr", "zip", "enumerate", "str", "ValueError", "RuntimeError",
    "AssertionError",
})  # fmt: skip
_MOST_FUNCTIONS = 40
_CONSTEXPR = "tl.constexpr"


class NotSelfContained(Exception):
    """A name of the kernel is not known from the source; the message is a sentence."""


def unit_functions(kernel: TritonFunction, reader: TritonReader) -> tuple[TritonFunctionText, ...]:
    """The kernel and all functions that it calls, the kernel first. Raises NotSelfContained."""
    closure = _Closure(reader)
    closure.number(kernel)
    texts = []
    for function in closure.functions:
        texts.append(closure.text(function))
    return tuple(texts)


class _Closure:
    """The functions that were reached; the list grows while it is walked."""

    def __init__(self, reader: TritonReader) -> None:
        self.functions: list[TritonFunction] = []
        self._reader = reader
        self._numbers: dict[str, int] = {}

    def number(self, function: TritonFunction) -> int:
        """The number of a function in the unit."""
        if function.key not in self._numbers:
            if len(self.functions) >= _MOST_FUNCTIONS:
                raise NotSelfContained(f"The kernel calls more than {_MOST_FUNCTIONS} functions.")
            self._numbers[function.key] = len(self.functions)
            self.functions.append(function)
        return self._numbers[function.key]

    def text(self, function: TritonFunction) -> TritonFunctionText:
        """A function with what its names mean."""
        node, module = function.node, function.module
        found = _Names(self, function, self._reader)
        lines = module.source.lines[node.lineno - 1 : node.end_lineno]
        return TritonFunctionText(
            function.name, module.path, node.lineno, textwrap.dedent("\n".join(lines)) + "\n",
            tuple(sorted(found.constants.items())), tuple(sorted(found.imports.items())),
            tuple(sorted(found.links.items())),
        )  # fmt: skip


class _Names:
    """What the free names of one function mean."""

    def __init__(self, closure: _Closure, function: TritonFunction, reader: TritonReader) -> None:
        self.constants: dict[str, Constant] = {}
        self.imports: dict[str, str] = {}
        self.links: dict[str, int] = {}
        self._closure, self._function, self._reader = closure, function, reader
        self._module = function.module
        self._names = reader.names(function.module)
        self._values = Constants(reader.workspace, function.module, None)
        own = {*function.parameters, *stored_names(function.node)}
        for node in self._expressions():
            chain = dotted_root(node) if isinstance(node, ast.Attribute) else None
            if isinstance(node, ast.Attribute) and chain is not None and chain.id not in own:
                self._add_chain(chain, node)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in own:
                self._add(node)

    def _expressions(self) -> list[ast.AST]:
        """The nodes of the body and of default values; of a chain of attributes the outermost alone."""
        kernel = self._function.node
        defaults = [one for one in (*kernel.args.defaults, *kernel.args.kw_defaults) if one is not None]
        found: list[ast.AST] = []
        waiting: list[ast.AST] = [*kernel.body, *defaults]
        # Triton looks at the annotations of parameters that have default values.
        for one in self._function.arguments:
            if one.annotation is not None and _is_of_triton(one.annotation, self._names):
                waiting.append(one.annotation)
        while waiting:
            node = waiting.pop()
            found.append(node)
            if isinstance(node, ast.Attribute):
                if node.attr.startswith("_"):
                    raise NotSelfContained(f"The kernel uses the name `{node.attr}`, which is private.")
                if dotted_root(node) is not None:
                    continue
            waiting += ast.iter_child_nodes(node)
        return found

    def _add_chain(self, root: ast.Name, node: ast.Attribute) -> None:
        """Add what the root of `a.b.c` means."""
        imported = self._module.imports.get(root.id)
        if imported is not None and _is_triton(imported.dotted):
            self.imports[root.id] = imported.dotted
            return
        for part in _prefixes(node):
            dotted = self._module.dotted(part)
            function = self._reader.find(dotted, self._module) if dotted else None
            if function is not None:
                self.links[ast.unparse(part)] = self._closure.number(function)
                return
            value = self._values.value(part)
            if _is_constant(value):
                self.constants[ast.unparse(part)] = cast("Constant", value)
                return
        self._add(root)

    def _add(self, node: ast.Name) -> None:
        name, imported = node.id, self._module.imports.get(node.id)
        if imported is not None and _is_triton(imported.dotted):
            self.imports[name] = imported.dotted
            return
        function = self._reader.find(_seen_as(name, imported), self._module)
        if function is not None:
            self.links[name] = self._closure.number(function)
            return
        if (known := self._names.of(node)) is not None:
            self.imports[name] = (
                known.replace("tl", "triton.language", 1) if known.startswith("tl") else known
            )
            return
        value = self._values.value(self._unwrapped(name) or node)
        if _is_constant(value):
            self.constants[name] = cast("Constant", value)
        elif name not in _PYTHONS or not hasattr(builtins, name):
            raise NotSelfContained(f"The value of `{name}` is not known from the source.")

    def _unwrapped(self, name: str) -> ast.expr | None:
        """What stands in `tl.constexpr(…)` where a name is bound to that."""
        bound = self._module.assigned.get(name, [])
        value = bound[-1] if bound else None
        if isinstance(value, ast.Call) and self._names.of(value.func) == _CONSTEXPR and value.args:
            return value.args[0]
        return None


def _is_of_triton(annotation: ast.expr | None, names: TritonNames) -> bool:
    return annotation is not None and names.of(annotation) is not None


def _seen_as(name: str, imported: Import | None) -> str:
    return imported.dotted if imported is not None and not imported.level else name


def _is_triton(dotted: str) -> bool:
    return dotted == "triton" or dotted.startswith("triton.")


def _prefixes(node: ast.expr) -> list[ast.expr]:
    """`a.b.c`, then `a.b`."""
    found: list[ast.expr] = []
    while isinstance(node, ast.Attribute):
        found.append(node)
        node = node.value
    return found


def _is_constant(value: object) -> bool:
    if value is UNKNOWN:
        return False
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return value is None or isinstance(value, int | float | str | bool)
